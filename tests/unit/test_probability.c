/* session/probability: maps that rise, are right on rows they have not seen,
 * keep calls, and share a file with backgrounds. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/rng.h"
#include "eval/calibrate.h"
#include "eval/metrics.h"
#include "seq_help.h"
#include "session/calibration.h"
#include "session/calibration_file.h"
#include "session/probability.h"

TestSuite(probability, .init = folder_new, .fini = folder_remove);

/* A rare event of known probability, and a model that saturates at 0.8: where
 * it says 0.5 the event has about one chance in fifty. */
static double truth_of(double z)
{
    return 1 / (1 + exp(4 - 2 * z));
}

static double model_of(double z)
{
    return 0.8 / (1 + exp(1 - 3 * z));
}

static void draw(double *raw, uint8_t *label, int64_t n, uint64_t seed)
{
    struct bird_rng r;

    bird_rng_init(&r, seed, 0, 0);
    for (int64_t i = 0; i < n; i++) {
        double z = bird_rng_normal(&r);

        raw[i] = (double)(float)model_of(z);
        label[i] = bird_rng_uniform(&r) < truth_of(z);
    }
}

enum { N = 40000 };

static double *raws(void)
{
    double *x = malloc(N * sizeof(*x));

    cr_assert(x);
    return x;
}

/* Two features: the model above, and one of which nothing is known. */
static struct bird_probability fit(uint64_t seed)
{
    struct bird_probability m = {0};
    double *raw = raws();
    uint8_t *label = malloc(N);

    cr_assert(label);
    draw(raw, label, N, seed);
    WORKS(bird_calibrate_feature(&m, 2, raw, label, N));
    WORKS(bird_calibrate_feature(&m, 2, raw, label, 0));
    free(raw);
    free(label);
    m.event = strdup("it came true");
    m.fitted = strdup("drawn rows");
    memset(m.settings.digest, 'a', 64);
    m.settings.window_bp = 600;
    return m;
}

Test(probability, rises_between_any_two_floats)
{
    struct bird_probability m = fit(1);
    double last = -1;
    float x = 1e-30f;

    cr_assert_eq(m.n_feature, 2);
    cr_assert_gt(m.offset[1], 5);
    for (int64_t k = 1; k < m.offset[1]; k++) {
        cr_assert_gt(m.raw[k], m.raw[k - 1]);
        cr_assert_gt(m.value[k], m.value[k - 1]);
    }
    for (; x <= 1; x = nextafterf(x * 1.003f, 2)) {
        double near = bird_probability_of(&m, 0, (double)x);
        double next = bird_probability_of(&m, 0, (double)nextafterf(x, 2));

        cr_assert_gt(near, last);
        cr_assert_gt(next, near, "at %g", (double)x);
        last = near;
    }
    /* both ends are there, and nothing is certain */
    cr_assert_geq(bird_probability_of(&m, 0, 0), 0);
    cr_assert_lt(bird_probability_of(&m, 0, 1), 1);
    bird_probability_free(&m);
}

Test(probability, what_is_not_known_stays)
{
    struct bird_probability m = fit(1), none = {0};

    for (double p = 0.001; p < 1; p += 0.01) {
        cr_assert_float_eq(bird_probability_of(&m, 1, p), p, 1e-12);
        cr_assert_eq(bird_probability_of(&none, 0, p), p);
        cr_assert_float_eq(
            bird_probability_raw(&m, 0, bird_probability_of(&m, 0, p)), p,
            1e-9);
    }
    cr_assert(isnan(m.threshold[1]));
    bird_probability_free(&m);
}

Test(probability, is_right_on_rows_it_has_not_seen)
{
    struct bird_probability m = fit(1);
    bird_reliability_table before = {0}, after = {0};
    double *raw = raws();
    uint8_t *label = malloc(N);

    cr_assert(label);
    draw(raw, label, N, 2);
    for (int64_t i = 0; i < N; i++) {
        bird_reliability_add(&before, raw[i], label[i]);
        bird_reliability_add(&after, bird_probability_of(&m, 0, raw[i]),
                             label[i]);
    }
    cr_assert_gt(bird_reliability_error(&before), 0.2);
    cr_assert_lt(bird_reliability_error(&after), 0.01);
    cr_assert_lt(bird_reliability_brier(&after),
                 bird_reliability_brier(&before) / 2);
    /* bin by bin as well, where there are rows enough */
    for (int k = 0; k < BIRD_RELIABILITY_BINS; k++) {
        const bird_reliability *b = &after.bin[k];
        double n = (double)b->n, p = b->mean_probability / n;

        if (b->n >= 200)
            cr_assert_lt(fabs(b->observed / n - p),
                         4 * sqrt(p * (1 - p) / n) + 0.1 * p, "bin %d", k);
    }
    free(raw);
    free(label);
    bird_probability_free(&m);
}

Test(probability, threshold_is_of_the_largest_f1)
{
    struct bird_probability m = fit(1);
    double *raw = raws(), best = 0, at = -1;
    uint8_t *label = malloc(N);

    cr_assert(label);
    draw(raw, label, N, 1);
    for (double t = 0; t < 0.8; t += 0.002) {
        double called = 0, found = 0, all = 0;

        for (int64_t i = 0; i < N; i++) {
            called += raw[i] >= t;
            found += raw[i] >= t && label[i];
            all += label[i];
        }
        if (2 * found / (called + all) > best) {
            best = 2 * found / (called + all);
            at = t;
        }
    }
    cr_assert_float_eq(m.threshold[0], at, 0.02);
    free(raw);
    free(label);
    bird_probability_free(&m);
}

Test(probability, thresholds_keep_their_calls)
{
    struct bird_probability m = fit(1), none = {0};
    json_t *meta = json_loads("{\"thresholds\": {\"default\": 0.7, "
                              "\"fp_per_mb\": [[1, 0.75], [4, 0.7]]}}",
                              0, NULL);
    int64_t feature[] = {1, 0};
    double t, both[2];

    WORKS(bird_threshold_probability(&t, &m, 0, meta, -1, 0, "m"));
    cr_assert_eq(t, bird_probability_of(&m, 0, 0.7));
    for (float x = 0.6999f; x < 0.7001f; x = nextafterf(x, 1))
        cr_assert_eq(bird_probability_of(&m, 0, (double)x) >= t,
                     (double)x >= 0.7);
    WORKS(bird_threshold_probability(&t, &m, 0, meta, -1, 1, "m"));
    cr_assert_eq(t, bird_probability_of(&m, 0, 0.75));
    /* what a user gives is what is printed */
    WORKS(bird_threshold_probability(&t, &m, 0, meta, 0.3, 0, "m"));
    cr_assert_eq(t, 0.3);
    WORKS(bird_threshold_probability(&t, &none, 0, meta, -1, 0, "m"));
    cr_assert_eq(t, 0.7);
    WORKS(bird_threshold_probability(&t, &none, 0, NULL, -1, 0, "m"));
    cr_assert_eq(t, 0.5);
    /* each feature has its own; the one that has none takes 0.5 */
    WORKS(bird_threshold_features(both, &m, NULL, -1, feature, 2, "m"));
    cr_assert_eq(both[0], 0.5);
    cr_assert_eq(both[1], bird_probability_of(&m, 0, m.threshold[0]));
    WORKS(bird_threshold_features(both, &m, NULL, 0.2, feature, 2, "m"));
    cr_assert_eq(both[1], 0.2);
    /* raw outputs: the same calls */
    m.keep_raw = 1;
    WORKS(bird_threshold_features(both, &m, NULL, -1, feature, 2, "m"));
    cr_assert_eq(both[1], m.threshold[0]);
    json_decref(meta);
    bird_probability_free(&m);
}

static char *in_folder(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_background(const char *path)
{
    struct bird_calibration c = {0};
    static const uint8_t class_of[10];
    float diff[20];

    for (int i = 0; i < 20; i++)
        diff[i] = (float)i;
    WORKS(bird_calibration_make(
        &c, &(struct bird_calibration_changes){.n = 10,
                                               .n_feature = 2,
                                               .diff = diff,
                                               .class_of = class_of,
                                               .n_class = 1}));
    memset(c.settings.digest, 'b', 64);
    c.about = strdup("ten");
    WORKS(bird_calibration_write(&c, path));
    bird_calibration_free(&c);
}

/* Either part is written beside the other, in either order. */
Test(probability, file_keeps_both_parts)
{
    struct bird_probability m = fit(1), back = {0};
    struct bird_calibration c = {0};

    for (int order = 0; order < 2; order++) {
        char *path = in_folder(order ? "a.safetensors" : "b.safetensors");

        cr_assert_eq(bird_probability_read(&back, path, 2), 0);
        if (order)
            write_background(path);
        WORKS(bird_probability_write(&m, path));
        if (order)
            cr_assert_eq(bird_calibration_read(&c, path, 2), 1);
        else
            cr_assert_eq(bird_calibration_read(&c, path, 2), 0);
        bird_calibration_free(&c);
        if (!order)
            write_background(path);
        cr_assert_eq(bird_calibration_read(&c, path, 2), 1, "%s",
                     bird_last_error());
        cr_assert_eq(c.n, 10);
        cr_assert_str_eq(c.about, "ten");
        bird_calibration_free(&c);
        cr_assert_eq(bird_probability_read(&back, path, 2), 1, "%s",
                     bird_last_error());
        cr_assert_str_eq(back.event, "it came true");
        cr_assert_str_eq(back.settings.digest, m.settings.digest);
        cr_assert_eq(back.settings.window_bp, 600);
        for (double p = 0; p <= 1; p += 0.125)
            cr_assert_eq(bird_probability_of(&back, 0, p),
                         bird_probability_of(&m, 0, p));
        cr_assert_eq(back.threshold[0], m.threshold[0]);
        bird_probability_free(&back);
    }
    bird_probability_free(&m);
}

Test(probability, damaged_maps_are_refused)
{
    struct bird_probability m = fit(1), back = {0};
    char *path = in_folder("a.safetensors");
    double old = m.value[1];

    WORKS(bird_probability_write(&m, path));
    FAILS(BIRD_EFORMAT, bird_probability_read(&back, path, 3), "a.safetensors");
    m.value[1] = m.value[0];
    WORKS(bird_probability_write(&m, path));
    FAILS(BIRD_EFORMAT, bird_probability_read(&back, path, 2), "do not rise");
    m.value[1] = old;
    m.value[m.offset[1] - 1] = nan("");
    WORKS(bird_probability_write(&m, path));
    FAILS(BIRD_EFORMAT, bird_probability_read(&back, path, 2), "outside");
    bird_probability_free(&m);
}
