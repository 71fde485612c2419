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

static uint8_t *classes_new(int64_t n, int n_class)
{
    uint8_t *class_of = malloc((size_t)n);

    cr_assert(class_of);
    for (int64_t i = 0; i < n; i++)
        class_of[i] = (uint8_t)(i % n_class);
    return class_of;
}

/* A background of one class and stratum. */
static void make_plain(struct bird_calibration *out, const float *x, int64_t n,
                       int64_t n_feature)
{
    uint8_t *class_of = classes_new(n, 1);

    WORKS(bird_calibration_make(
        out, &(struct bird_calibration_changes){.n = n,
                                                .n_feature = n_feature,
                                                .diff = x,
                                                .class_of = class_of,
                                                .n_class = 1}));
    free(class_of);
}

static double e_of(const struct bird_calibration *c, int64_t f, double diff)
{
    return bird_calibration_e(
        c, &(struct bird_calibration_query){.feature = f, .diff = diff});
}

static double z_of(const struct bird_calibration *c, int64_t f, double diff)
{
    return bird_calibration_z(
        c, &(struct bird_calibration_query){.feature = f, .diff = diff});
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
        float *x = draw(n, F, (uint64_t)n);
        struct bird_calibration c;

        make_plain(&c, x, n, F);
        cr_assert_eq(c.n_rank, n);
        for (int f = 0; f < F; f++) {
            for (int64_t i = 0; i < n; i++) {
                double d = (double)x[i * F + f];

                cr_assert_eq(e_of(&c, f, d), count_e(x, n, F, f, d));
                cr_assert_eq(e_of(&c, f, -1.001 * d),
                             count_e(x, n, F, f, 1.001 * d));
                /* P(|normal| > |z|) is e, and the sign is that of d */
                cr_assert_float_eq(erfc(fabs(z_of(&c, f, d)) / sqrt(2)),
                                   e_of(&c, f, d), 1e-12);
                cr_assert(z_of(&c, f, d) * d >= 0);
            }
            cr_assert_eq(e_of(&c, f, 0), 1);
            cr_assert_eq(z_of(&c, f, 0), 0);
            cr_assert_eq(e_of(&c, f, 1e9), 1 / ((double)n + 1));
        }
        bird_calibration_free(&c);
        free(x);
    }
}

/* Exact among the 256 largest; elsewhere never too small, and at most one
 * step of ranks too large. */
Test(calibration, large_ones_are_exact_in_the_tail)
{
    enum { N = 100000 };
    float *x = draw(N, 1, 3);
    struct bird_calibration c;
    double worst = 1;

    make_plain(&c, x, N, 1);
    cr_assert_leq(c.n_rank, BIRD_CALIBRATION_RANKS);
    cr_assert_gt(c.n_rank, BIRD_CALIBRATION_RANKS * 9 / 10);
    cr_assert_eq(c.rank[255], 255);
    cr_assert_eq(c.rank[c.n_rank - 1], N - 1);
    for (int i = 0; i < N; i += 37) {
        double d = (double)x[i], is = e_of(&c, 0, d);
        double want = count_e(x, N, 1, 0, d);

        cr_assert_geq(is, want);
        if (want * (N + 1) <= 256)
            cr_assert_eq(is, want);
        worst = is / want > worst ? is / want : worst;
    }
    cr_assert_lt(worst, 1.02);
    bird_calibration_free(&c);
    free(x);
}

/* Two classes, whose sizes differ 20-fold and grow with REF's value: a share q
 * of the changes of each class and stratum has e <= q, and z has mean square 1
 * there, although all scales differ. */
Test(calibration, every_class_and_stratum_is_alike)
{
    enum { N = 60000, CLASSES = 2 };
    float *x = draw(N, 1, 5), *ref = malloc(N * sizeof(*ref));
    uint8_t *class_of = classes_new(N, CLASSES);
    struct bird_calibration c;
    struct bird_rng r;

    bird_rng_init(&r, 6, 0, 0);
    for (int i = 0; i < N; i++) {
        ref[i] = (float)bird_rng_normal(&r);
        x[i] *= expf(ref[i]) * (class_of[i] ? 20 : 1);
    }
    WORKS(bird_calibration_make(&c, &(struct bird_calibration_changes){
                                        N, 1, x, ref, class_of, CLASSES}));
    for (int k = 0; k < CLASSES; k++)
        for (double from = -1; from < 1.5; from++) {
            double n = 0, few = 0, square = 0;

            for (int i = 0; i < N; i++) {
                struct bird_calibration_query d = {0, k, (double)ref[i],
                                                   (double)x[i]};

                if (class_of[i] != k || (double)ref[i] < from ||
                    (double)ref[i] > from + 1)
                    continue;
                n++;
                few += bird_calibration_e(&c, &d) <= .05;
                square += pow(bird_calibration_z(&c, &d), 2);
            }
            cr_assert_gt(n, 2000);
            cr_assert_float_eq(few / n, .05, .02, "class %d from %g: %g", k,
                               from, few / n);
            cr_assert_float_eq(sqrt(square / n), 1, .06, "class %d: %g", k,
                               sqrt(square / n));
        }
    bird_calibration_free(&c);
    free(x), free(ref), free(class_of);
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
    enum { N = 3000, F = 5, CLASSES = 4 };
    float *x = draw(N, F, 1), *ref = draw(N, F, 2);
    uint8_t *class_of = classes_new(N, CLASSES - 1); /* none of the last */
    struct bird_calibration c, d;
    struct bird_calibration_settings w = a_way();
    const char *path = path_of("c.safetensors");

    WORKS(bird_calibration_make(&c, &(struct bird_calibration_changes){
                                        N, F, x, ref, class_of, CLASSES}));
    c.settings = w;
    c.about = strdup("seeded");
    WORKS(bird_calibration_write(&c, path));
    cr_assert_eq(bird_calibration_read(&d, path_of("none"), F), 0);
    cr_assert_eq(bird_calibration_read(&d, path, F), 1, "%s",
                 bird_last_error());
    cr_assert_eq(d.n, N);
    cr_assert_eq(d.n_rank, c.n_rank);
    cr_assert_eq(d.n_class, CLASSES);
    cr_assert_eq(d.n_stratum, BIRD_CALIBRATION_STRATA);
    cr_assert_arr_eq(d.magnitude, c.magnitude, (size_t)(F * c.n_rank) * 4);
    cr_assert_arr_eq(d.edge, c.edge, (size_t)(F * (c.n_stratum - 1)) * 4);
    cr_assert_arr_eq(d.scale, c.scale, (size_t)(F * CLASSES * c.n_stratum) * 4);
    cr_assert_str_eq(d.about, "seeded");
    cr_assert(bird_calibration_has(&d, 2));
    cr_assert_not(bird_calibration_has(&d, CLASSES - 1));
    cr_assert_not(bird_calibration_has(&d, CLASSES));
    cr_assert_not(bird_calibration_has(NULL, 0));
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
    bird_calibration_free(&c);
    free(x), free(ref), free(class_of);
}

/* Write a background with one value changed: it is refused. */
static void refused(float *value, float wrong, struct bird_calibration *c,
                    const char *why)
{
    struct bird_calibration d;
    const char *path = path_of("c.safetensors");
    float was = *value;

    *value = wrong;
    WORKS(bird_calibration_write(c, path));
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, c->n_feature), why);
    *value = was;
}

Test(calibration, damaged_files_are_refused)
{
    enum { N = 3000, CLASSES = 2 };
    float *x = draw(N, 1, 1), *ref = draw(N, 1, 2);
    uint8_t *class_of = classes_new(N, CLASSES);
    struct bird_calibration c, d;
    const char *path = path_of("c.safetensors");

    WORKS(bird_calibration_make(&c, &(struct bird_calibration_changes){
                                        N, 1, x, ref, class_of, CLASSES}));
    c.settings = a_way();
    refused(c.magnitude + 1, 1e9f, &c, "do not fall");
    refused(c.edge + 1, -1e9f, &c, "do not rise");
    refused(c.scale + 1, 0, &c, "not complete");
    refused(c.scale + 1, -1, &c, "not complete");
    refused(c.scale + 1, (float)INFINITY, &c, "not complete");
    c.rank[1] = 0;
    WORKS(bird_calibration_write(&c, path));
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, 1), "do not rise");
    c.rank[1] = 1;
    c.n_rank--;
    WORKS(bird_calibration_write(&c, path));
    FAILS(BIRD_EFORMAT, bird_calibration_read(&d, path, 1), "reach the last");
    file_with("c.safetensors", "wu", "{}", 2);
    cr_assert_lt(bird_calibration_read(&d, path, 1), 0);
    bird_calibration_free(&c);
    FAILS(BIRD_EINVAL,
          bird_calibration_make(
              &c, &(struct bird_calibration_changes){0, 1, x, ref, class_of,
                                                     CLASSES}),
          "no variants");
    free(x), free(ref), free(class_of);
}
