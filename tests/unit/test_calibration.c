/* session/calibration: e-values and z against counting.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/rng.h"
#include "seq_help.h"
#include "session/calibration.h"

TestSuite(calibration, .init = folder_new, .fini = folder_remove);

static float *draw(int64_t n, int64_t n_feature, uint64_t seed)
{
    float *x = malloc((size_t)(n * n_feature) * sizeof(*x));
    struct bird_rng r;

    cr_assert(x);
    bird_rng_init(&r, seed, 0, 0);
    for (int64_t i = 0; i < n * n_feature; i++) {
        double v = bird_rng_normal(&r);

        x[i] = (float)(v * v * v * 0.01);
    }
    return x;
}

static double count_e(const float *x, int64_t n, int64_t n_feature, int64_t f,
                      double diff)
{
    int64_t larger = 0;

    for (int64_t i = 0; i < n; i++)
        larger += fabsf(x[i * n_feature + f]) > (float)fabs(diff);
    return (1 + (double)larger) / ((double)n + 1);
}

Test(calibration, small_ones_are_exact)
{
    enum { F = 3 };
    static const int64_t sizes[] = {1, 2, 255, 256, 257, 1024};

    for (int s = 0; s < 6; s++) {
        int64_t n = sizes[s];
        float *x = draw(n, F, (uint64_t)n), *copy = draw(n, F, (uint64_t)n);
        struct bird_calibration c;

        cr_assert_eq(bird_calibration_make(&c, copy, n, F), 0);
        cr_assert_eq(c.n_rank, n);
        for (int f = 0; f < F; f++) {
            double sum = 0;

            for (int64_t i = 0; i < n; i++)
                sum += (double)x[i * F + f] * (double)x[i * F + f];
            cr_assert_float_eq(c.rms[f], sqrt(sum / (double)n), 1e-12);
            for (int64_t i = 0; i < n; i++) {
                double d = (double)x[i * F + f];

                cr_assert_eq(bird_calibration_e(&c, f, d),
                             count_e(x, n, F, f, d));
                cr_assert_eq(bird_calibration_e(&c, f, -1.001 * d),
                             count_e(x, n, F, f, 1.001 * d));
                cr_assert_float_eq(bird_calibration_z(&c, f, d), d / c.rms[f],
                                   1e-12);
            }
            cr_assert_eq(bird_calibration_e(&c, f, 0), 1);
            cr_assert_eq(bird_calibration_e(&c, f, 1e9), 1 / ((double)n + 1));
        }
        bird_calibration_free(&c);
        free(x), free(copy);
    }
}

/* Exact among the 256 largest; elsewhere never too small, and at most one
 * step of ranks too large. */
Test(calibration, large_ones_are_exact_in_the_tail)
{
    enum { N = 100000 };
    float *x = draw(N, 1, 3), *copy = draw(N, 1, 3);
    struct bird_calibration c;
    double worst = 1;

    cr_assert_eq(bird_calibration_make(&c, copy, N, 1), 0);
    cr_assert_leq(c.n_rank, BIRD_CALIBRATION_RANKS);
    cr_assert_gt(c.n_rank, BIRD_CALIBRATION_RANKS * 9 / 10);
    cr_assert_eq(c.rank[255], 255);
    cr_assert_eq(c.rank[c.n_rank - 1], N - 1);
    for (int i = 0; i < N; i += 37) {
        double d = (double)x[i], is = bird_calibration_e(&c, 0, d);
        double want = count_e(x, N, 1, 0, d);

        cr_assert_geq(is, want);
        if (want * (N + 1) <= 256)
            cr_assert_eq(is, want);
        worst = is / want > worst ? is / want : worst;
    }
    cr_assert_lt(worst, 1.02);
    bird_calibration_free(&c);
    free(x), free(copy);
}

static struct bird_calibration_settings a_way(void)
{
    struct bird_calibration_settings w = {.window_bp = 600,
                                          .plus = 1,
                                          .minus = 1,
                                          .tokens = BIRD_TOKENS_ANCHORED,
                                          .precision = BIRD_BFLOAT16};

    memset(w.digest, 'a', 64);
    return w;
}

Test(calibration, comes_back_from_its_file)
{
    float *x = draw(3000, 5, 1);
    struct bird_calibration c, d;
    struct bird_calibration_settings w = a_way();
    const char *path = path_of("c.safetensors");

    cr_assert_eq(bird_calibration_make(&c, x, 3000, 5), 0);
    c.settings = w;
    c.about = strdup("seeded");
    WORKS(bird_calibration_write(&c, path));
    cr_assert_eq(bird_calibration_read(&d, path_of("none"), 5), 0);
    cr_assert_eq(bird_calibration_read(&d, path, 5), 1, "%s",
                 bird_last_error());
    cr_assert_eq(d.n, 3000);
    cr_assert_eq(d.n_rank, c.n_rank);
    cr_assert_arr_eq(d.magnitude, c.magnitude, (size_t)(5 * c.n_rank) * 4);
    cr_assert_arr_eq(d.rms, c.rms, 5 * sizeof(double));
    cr_assert_str_eq(d.about, "seeded");
    cr_assert_null(bird_calibration_differs(&d, &w));
    w.window_bp = 500;
    cr_assert_str_eq(bird_calibration_differs(&d, &w), "of another window");
    w = a_way();
    w.minus = 0;
    cr_assert_str_eq(bird_calibration_differs(&d, &w), "of other strands");
    w = a_way();
    w.precision = BIRD_INT8;
    cr_assert_str_eq(bird_calibration_differs(&d, &w), "of another precision");
    w = a_way();
    w.tokens = BIRD_TOKENS_FREE;
    cr_assert(bird_calibration_differs(&d, &w));
    w = a_way();
    w.digest[3] = 'b';
    cr_assert_str_eq(bird_calibration_differs(&d, &w), "of another model");
    bird_calibration_free(&d);
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, 4), "another shape");
    c.magnitude[1] = 1e9f;
    WORKS(bird_calibration_write(&c, path));
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, 5), "do not fall");
    c.rank[1] = 0;
    WORKS(bird_calibration_write(&c, path));
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, 5), "do not rise");
    file_with("c.safetensors", "wu", "{}", 2);
    cr_assert_lt(bird_calibration_read(&d, path, 5), 0);
    bird_calibration_free(&c);
    FAILS(BIRD_EINVAL, bird_calibration_make(&c, x, 0, 5), "no variants");
    free(x);
}

/* A distribution a class: each as though it were all there is, from the file
 * as before it, and none where nothing was drawn. */
Test(calibration, classes)
{
    enum { N = 4000, F = 2, CLASSES = 4 };
    static const int64_t share[CLASSES] = {3, 1, 0, 2};
    float *x = draw(N, F, 9), *part = draw(N, F, 9);
    uint8_t *class_of = malloc(N);
    struct bird_calibration c, d, one;
    const char *path = path_of("c.safetensors");

    for (int i = 0; i < N; i++) {
        int k = i % 6;

        class_of[i] = (uint8_t)(k < 3 ? 0 : k < 4 ? 1 : 3);
        for (int f = 0; f < F; f++) /* scales of their own */
            x[i * F + f] *= (float)(1 + class_of[i]);
    }
    WORKS(bird_calibration_make_classes(&c, x, N, F, class_of, CLASSES));
    c.settings = a_way();
    WORKS(bird_calibration_write(&c, path));
    cr_assert_eq(bird_calibration_read(&d, path, F), 1, "%s",
                 bird_last_error());
    cr_assert_eq(d.n_class, CLASSES);
    for (int k = 0; k < CLASSES; k++) {
        const struct bird_calibration *a = bird_calibration_of(&c, k);
        const struct bird_calibration *b = bird_calibration_of(&d, k);
        int64_t n = 0;

        if (!share[k]) {
            cr_assert_null(a);
            cr_assert_null(b);
            continue;
        }
        for (int i = 0; i < N; i++)
            if (class_of[i] == k)
                memcpy(part + n++ * F, x + i * F, F * sizeof(*x));
        cr_assert_eq(a->n, n);
        cr_assert_eq(b->n, n);
        WORKS(bird_calibration_make(&one, part, n, F));
        for (int f = 0; f < F; f++)
            for (double v = 1e-5; v < 10; v *= 1.7) {
                double want = bird_calibration_e(&one, f, v);

                cr_assert_eq(bird_calibration_e(a, f, v), want);
                cr_assert_eq(bird_calibration_e(b, f, v), want);
                cr_assert_eq(bird_calibration_z(b, f, v),
                             bird_calibration_z(&one, f, v));
            }
        bird_calibration_free(&one);
    }
    /* without classes all are of the one there is */
    WORKS(bird_calibration_make(&one, part, 100, F));
    cr_assert_eq(bird_calibration_of(&one, 3), &one);
    cr_assert_null(bird_calibration_of(NULL, 0));
    bird_calibration_free(&one);
    bird_calibration_free(&d);
    c.other[0].rank[1] = 0;
    WORKS(bird_calibration_write(&c, path));
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, F), "do not rise");
    c.other[0].rank[1] = 1;
    c.other[0].n_rank--;
    WORKS(bird_calibration_write(&c, path));
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, F), "reach the last");
    bird_calibration_free(&c);
    memset(class_of, 1, N);
    FAILS(BIRD_EINVAL,
          bird_calibration_make_classes(&c, x, N, F, class_of, CLASSES),
          "without single-base changes");
    free(x), free(part), free(class_of);
}
