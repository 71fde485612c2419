/* metrics: equal to scikit-learn's, intervals, calibration, printing. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dnabird/dnabird.h"
#include "eval/metrics.h"
#include "temp.h"

#define N_BINARY  500
#define N_CLASSES 300

/* Made by tests/data/train/metrics.py with scikit-learn 1.2.1. */
static const double binary_expected[BIRD_N_METRIC] = {
    0.66200000000000003, 0.63358778625954193,
    0.69456066945606698, 0.66267465069860276,
    0.32680483178729436, 0.73486269417592465,
    0.69181316403427617, 0.2194634,
    0.79307504666110029, 0.11302};
static const double classes_expected[BIRD_N_METRIC] = {
    0.57999999999999996, 0.57950186907292911, 0.57846853448708557,
    0.57865276063805482, 0.36864956804577204, 0.70181991224425622,
    0.53984982125126468, 0.59596508173988494, 1.0094668545101879,
    0.081761385099622524};

static int64_t lcg(uint64_t *x)
{
    *x = (*x * 1103515245 + 12345) % (UINT64_C(1) << 31);
    return (int64_t)(*x >> 16);
}

static void make_binary(double *p, int32_t *y)
{
    uint64_t x = 1;

    for (int i = 0; i < N_BINARY; i++) {
        p[i] = (double)(lcg(&x) % 101) / 100.0;
        y[i] = (double)(lcg(&x) % 101) / 100.0 < 0.2 + 0.6 * p[i];
    }
}

static void make_classes(double *p, int32_t *y)
{
    uint64_t x = 7;

    for (int i = 0; i < N_CLASSES; i++) {
        double raw[3], sum = 0;
        int best = 0;

        for (int c = 0; c < 3; c++) {
            raw[c] = 1.0 + (double)(lcg(&x) % 23);
            sum += raw[c];
            best = raw[c] > raw[best] ? c : best;
        }
        y[i] = (int32_t)(lcg(&x) % 5);
        y[i] = y[i] < 3 ? y[i] : best;
        for (int c = 0; c < 3; c++)
            p[3 * i + c] = raw[c] / sum;
    }
}

static void compare(const bird_metrics *m, const double *expected)
{
    for (int i = 0; i < BIRD_N_METRIC; i++)
        cr_assert(fabs(m->value[i] - expected[i]) < 1e-9,
                  "%s: %.12g is not "
                  "%.12g",
                  bird_metric_name(i), m->value[i], expected[i]);
}

Test(metrics, two_classes_equal_scikit_learn)
{
    double p[N_BINARY];
    int32_t y[N_BINARY];
    bird_metrics m;

    make_binary(p, y);
    cr_assert_eq(bird_metrics_measure(&m, p, y, N_BINARY, 2, NULL), 0);
    compare(&m, binary_expected);
    cr_assert_eq(m.n_positive, 239);
    for (int i = 0; i < BIRD_N_METRIC; i++) {
        cr_assert_lt(m.lo[i], m.hi[i]);
        /* binned error is biased upwards in resamples: not bracketed */
        if (i != BIRD_ECE) {
            cr_assert_lt(m.lo[i], m.value[i]);
            cr_assert_gt(m.hi[i], m.value[i]);
        }
    }
}

Test(metrics, several_classes_equal_scikit_learn)
{
    double p[3 * N_CLASSES];
    int32_t y[N_CLASSES];
    bird_metrics m;

    make_classes(p, y);
    cr_assert_eq(bird_metrics_measure(&m, p, y, N_CLASSES, 3, NULL), 0);
    compare(&m, classes_expected);
}

Test(metrics, interval_of_accuracy_is_the_binomial_one)
{
    static double p[2000];
    static int32_t y[2000];
    bird_metrics m;
    double half = 1.96 * sqrt(0.8 * 0.2 / 2000);

    for (int i = 0; i < 2000; i++) {
        p[i] = i % 2;
        y[i] = i % 10 < 8 ? i % 2 : 1 - i % 2;
    }
    cr_assert_eq(bird_metrics_measure(&m, p, y, 2000, 2, NULL), 0);
    cr_assert_float_eq(m.value[BIRD_ACCURACY], 0.8, 1e-12);
    cr_assert_float_eq(m.lo[BIRD_ACCURACY], 0.8 - half, 0.15 * half);
    cr_assert_float_eq(m.hi[BIRD_ACCURACY], 0.8 + half, 0.15 * half);
}

Test(metrics, intervals_do_not_depend_on_threads_but_on_the_seed)
{
    double p[N_BINARY];
    int32_t y[N_BINARY];
    bird_metrics_options o;
    bird_metrics one, two, other;

    make_binary(p, y);
    bird_metrics_options_default(&o);
    bird_threads_set(1);
    cr_assert_eq(bird_metrics_measure(&one, p, y, N_BINARY, 2, &o), 0);
    bird_threads_set(3);
    cr_assert_eq(bird_metrics_measure(&two, p, y, N_BINARY, 2, &o), 0);
    cr_assert_eq(memcmp(one.lo, two.lo, sizeof(one.lo)), 0);
    cr_assert_eq(memcmp(one.hi, two.hi, sizeof(one.hi)), 0);
    o.seed = 2;
    cr_assert_eq(bird_metrics_measure(&other, p, y, N_BINARY, 2, &o), 0);
    cr_assert_neq(memcmp(one.lo, other.lo, sizeof(one.lo)), 0);
}

Test(metrics, ties_count_half_and_extremes_hold)
{
    const double same[4] = {0.5, 0.5, 0.5, 0.5}, right[4] = {0, 1, 0, 1};
    const int32_t y[4] = {0, 1, 0, 1};
    bird_metrics m;

    cr_assert_eq(bird_metrics_measure(&m, same, y, 4, 2, NULL), 0);
    cr_assert_float_eq(m.value[BIRD_AUROC], 0.5, 1e-15);
    cr_assert_float_eq(m.value[BIRD_AUPRC], 0.5, 1e-15);
    cr_assert_float_eq(m.value[BIRD_MCC], 0, 1e-15);
    cr_assert_eq(bird_metrics_measure(&m, right, y, 4, 2, NULL), 0);
    cr_assert_float_eq(m.value[BIRD_AUROC], 1, 1e-15);
    cr_assert_float_eq(m.value[BIRD_MCC], 1, 1e-15);
    cr_assert_float_eq(m.value[BIRD_LOG_LOSS], 0, 1e-12);
}

Test(metrics, one_class_alone_leaves_the_areas_undefined)
{
    const double p[3] = {0.1, 0.6, 0.7};
    const int32_t y[3] = {0, 0, 0};
    bird_metrics m;

    cr_assert_eq(bird_metrics_measure(&m, p, y, 3, 2, NULL), 0);
    cr_assert(isnan(m.value[BIRD_AUROC]));
    cr_assert(isnan(m.value[BIRD_AUPRC]));
    cr_assert(isnan(m.lo[BIRD_AUROC]));
    cr_assert_float_eq(m.value[BIRD_ACCURACY], 1.0 / 3, 1e-15);
    cr_assert_float_eq(m.value[BIRD_F1], 0, 1e-15);
}

Test(metrics, bins_hold_every_row)
{
    double p[N_BINARY], sum = 0;
    int32_t y[N_BINARY];
    bird_metrics m;
    int64_t n = 0;

    make_binary(p, y);
    cr_assert_eq(bird_metrics_measure(&m, p, y, N_BINARY, 2, NULL), 0);
    for (int k = 0; k < m.reliability_bins; k++) {
        n += m.bin[k].n;
        sum += fabs(m.bin[k].mean_probability - m.bin[k].observed) *
               (double)m.bin[k].n;
    }
    cr_assert_eq(n, N_BINARY);
    cr_assert_float_eq(sum / N_BINARY, m.value[BIRD_ECE], 1e-12);
}

/* What a resample with these weights should give. */
Test(metrics, a_weight_is_so_many_copies_of_the_row)
{
    static double p[3 * N_CLASSES], copies[9 * N_CLASSES];
    static int32_t y[N_CLASSES], copied[3 * N_CLASSES];
    uint32_t weight[N_CLASSES];
    double value[BIRD_N_METRIC], scratch[64];
    bird_metrics_options o;
    struct bird_ranking r;
    bird_metrics m;
    int64_t n = 0;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    make_classes(p, y);
    for (int i = 0; i < N_CLASSES; i++) {
        weight[i] = (uint32_t)(i * 7 % 4);
        for (uint32_t k = 0; k < weight[i]; k++) {
            memcpy(copies + 3 * n, p + 3 * i, 3 * sizeof(*p));
            copied[n++] = y[i];
        }
    }
    cr_assert_eq(bird_metrics_measure(&m, copies, copied, n, 3, &o), 0);
    cr_assert_eq(bird_ranking_new(&r, p, y, N_CLASSES, 3, &o), 0);
    cr_assert_leq(bird_ranking_scratch(&r), (int64_t)sizeof(scratch));
    bird_ranking_measure(value, &r, weight, scratch);
    bird_ranking_free(&r);
    compare(&m, value);
}

Test(metrics, differences_are_paired)
{
    double p[N_BINARY], q[N_BINARY];
    int32_t y[N_BINARY];
    bird_metrics a, b, d;

    make_binary(p, y);
    for (int i = 0; i < N_BINARY; i++) /* the same, a tenth of rows turned */
        q[i] = i % 10 ? p[i] : 1 - p[i];
    cr_assert_eq(bird_metrics_measure(&a, p, y, N_BINARY, 2, NULL), 0);
    cr_assert_eq(bird_metrics_measure(&b, q, y, N_BINARY, 2, NULL), 0);
    cr_assert_eq(bird_metrics_compare(&d, p, q, y, N_BINARY, 2, NULL), 0);
    cr_assert_float_eq(d.value[BIRD_AUROC],
                       a.value[BIRD_AUROC] - b.value[BIRD_AUROC], 1e-15);
    cr_assert_gt(d.lo[BIRD_AUROC], 0);
    /* rows in common cancel out */
    cr_assert_lt(d.hi[BIRD_AUROC] - d.lo[BIRD_AUROC],
                 a.hi[BIRD_AUROC] - a.lo[BIRD_AUROC]);
    cr_assert_eq(bird_metrics_compare(&d, p, p, y, N_BINARY, 2, NULL), 0);
    cr_assert_eq(d.lo[BIRD_MCC], 0);
    cr_assert_eq(d.hi[BIRD_MCC], 0);
    q[3] = 2;
    cr_assert_eq(bird_metrics_compare(&d, p, q, y, N_BINARY, 2, NULL),
                 BIRD_EINVAL);
}

/* Each label of p and t (n, n_label). */
static void measure_labels(bird_metrics *m, const double *p, const float *t,
                           int64_t n, int64_t n_label)
{
    float target[150];

    for (int64_t k = 0; k < n_label; k++) {
        for (int64_t i = 0; i < n; i++)
            target[i] = t[i * n_label + k];
        cr_assert_eq(
            bird_metrics_measure_label(&m[k], p + k, n_label, target, n, NULL),
            0);
    }
}

Test(metrics, labels_of_their_own_leave_unknown_rows_out)
{
    /* label 0 known in rows 0, 1, 3; label 1 nowhere */
    const double p[8] = {0.9, 0.1, 0.2, 0.1, 0.7, 0.1, 0.4, 0.1};
    const float t[8] = {1, NAN, 0, NAN, NAN, NAN, 1, NAN};
    bird_metrics m[2];

    measure_labels(m, p, t, 4, 2);
    cr_assert_eq(m[0].n, 3);
    cr_assert_eq(m[0].n_positive, 2);
    cr_assert_float_eq(m[0].value[BIRD_AUROC], 1, 1e-15);
    cr_assert_float_eq(m[0].value[BIRD_RECALL], 0.5, 1e-15);
    cr_assert_eq(m[1].n, 0);
    cr_assert(isnan(m[1].value[BIRD_AUROC]));
}

Test(metrics, nonsense_is_refused_and_leaves_out_untouched)
{
    const double p[2] = {0.5, (double)NAN}, q[2] = {0.5, 0.5};
    const int32_t y[2] = {0, 2};
    bird_metrics_options o;
    bird_metrics m = {.n = 77};

    bird_metrics_options_default(&o);
    cr_assert_eq(bird_metrics_measure(&m, q, y, 0, 2, &o), BIRD_EINVAL);
    cr_assert_eq(bird_metrics_measure(&m, q, y, 2, 1, &o), BIRD_EINVAL);
    cr_assert_eq(bird_metrics_measure(&m, q, y, 2, 2, &o), BIRD_EINVAL);
    cr_assert(strstr(bird_last_error(), "row 2: label 2"));
    cr_assert_eq(bird_metrics_measure(&m, p, y, 2, 3, &o), BIRD_EINVAL);
    o.reliability_bins = 0;
    cr_assert_eq(bird_metrics_measure(&m, q, (int32_t[]){0, 1}, 2, 2, &o),
                 BIRD_EINVAL);
    cr_assert_eq(m.n, 77);
    cr_assert_str_eq(bird_metric_name(BIRD_N_METRIC), "");
}

Test(metrics, table_and_json_say_the_same)
{
    const double p[3] = {0.1, 0.6, 0.7};
    const int32_t y[3] = {0, 0, 0};
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bird_metrics m;
    json_t *j = NULL;

    cr_assert_eq(bird_metrics_measure(&m, p, y, 3, 2, NULL), 0);
    cr_assert_eq(bird_metrics_print_header(f, 1), 0);
    cr_assert_eq(bird_metrics_print(f, "all", &m), 0);
    cr_assert_eq(bird_metrics_print_bins(f, NULL, &m), 0);
    fclose(f);
    cr_assert(strstr(text, "set\tmetric\tvalue\tlo\thi\nall\trows\t3\tNA"));
    cr_assert(strstr(text, "\nall\tauroc\tNA\tNA\tNA\n"));
    cr_assert(strstr(text, "\nall\taccuracy\t0.333333\t0\t1\n"));
    cr_assert(strstr(text, "\n0.6\t0.7\t1\t0.6\t0\n"));
    free(text);
    cr_assert_eq(bird_metrics_json(&j, &m), 0);
    cr_assert(
        json_is_null(json_object_get(json_object_get(j, "auroc"), "value")));
    cr_assert_eq(json_integer_value(json_object_get(j, "rows")), 3);
    cr_assert_float_eq(json_real_value(json_object_get(
                           json_object_get(j, "accuracy"), "value")),
                       1.0 / 3, 1e-15);
    cr_assert_eq(json_array_size(json_object_get(j, "calibration")), 3);
    json_decref(j);
    f = fopen("/dev/full", "w");
    setvbuf(f, NULL, _IONBF, 0);
    cr_assert_eq(bird_metrics_print(f, NULL, &m), BIRD_EIO);
    fclose(f);
}

Test(metrics, a_figure_without_an_interval_has_no_ends)
{
    bird_metrics m = {.value = {[BIRD_AUROC] = 0.75}};
    json_t *j;

    m.lo[BIRD_AUROC] = 0, m.hi[BIRD_AUROC] = 1;
    j = bird_json_metric(&m, BIRD_AUROC);
    cr_assert_eq(json_array_size(j), 3);
    cr_assert_eq(json_number_value(json_array_get(j, 0)), 0.75);
    cr_assert_eq(json_number_value(json_array_get(j, 1)), 0);
    cr_assert_eq(json_number_value(json_array_get(j, 2)), 1);
    json_decref(j);
    m.lo[BIRD_AUROC] = m.hi[BIRD_AUROC] = (double)NAN;
    j = bird_json_metric(&m, BIRD_AUROC);
    cr_assert_eq(json_array_size(j), 1);
    cr_assert_eq(json_number_value(json_array_get(j, 0)), 0.75);
    json_decref(j);
}

/* Areas of nine labels with ties, rare positives and unknown entries equal
 * scikit-learn's (tests/data/train/areas.py). */
Test(metrics, areas_of_many_labels_equal_scikit_learn)
{
    enum { N = 150, LABELS = 9 };
    static double p[N * LABELS];
    static float y[N * LABELS];
    bird_metrics m[LABELS];
    char target[8], auroc[64], auprc[64];
    int label, rows, positives, at[LABELS] = {0};
    double value;
    FILE *f;

    f = fopen(tests_path("data/train/areas.tsv"), "r");
    cr_assert(f);
    cr_assert_eq(fscanf(f, "%*[^\n]"), 0);
    while (fscanf(f, "%d %7s %lf", &label, target, &value) == 3) {
        int row = at[label]++;

        p[row * LABELS + label] = value;
        y[row * LABELS + label] =
            !strcmp(target, "NA") ? NAN : (float)atoi(target);
    }
    fclose(f);
    cr_assert_eq(at[LABELS - 1], N);
    measure_labels(m, p, y, N, LABELS);
    f = fopen(tests_path("data/train/areas_expected.tsv"), "r");
    cr_assert(f);
    cr_assert_eq(fscanf(f, "%*[^\n]"), 0);
    for (int k = 0; k < LABELS; k++) {
        cr_assert_eq(fscanf(f, "%d %d %d %63s %63s", &label, &rows, &positives,
                            auroc, auprc),
                     5);
        cr_assert(m[k].n == rows && m[k].n_positive == positives);
        if (strcmp(auroc, "NA") != 0)
            cr_assert_float_eq(m[k].value[BIRD_AUROC], atof(auroc), 1e-9);
        else
            cr_assert(isnan(m[k].value[BIRD_AUROC]));
        if (strcmp(auprc, "NA") != 0)
            cr_assert_float_eq(m[k].value[BIRD_AUPRC], atof(auprc), 1e-9);
        else
            cr_assert(isnan(m[k].value[BIRD_AUPRC]));
    }
    fclose(f);
}

Test(metrics, medians_by_group_leave_unknown_values_out)
{
    static const double x[] = {0.5, (double)NAN, 0.9, 0.7, 0.1, (double)NAN};
    static const int32_t group[] = {0, 0, 0, 1, 1, 2};
    double scratch[6];
    int64_t n;

    cr_assert_float_eq(bird_group_median(&n, scratch, x, NULL, 6, -1), 0.6,
                       1e-15);
    cr_assert_eq(n, 4);
    cr_assert_float_eq(bird_group_median(&n, scratch, x, group, 6, -1), 0.6,
                       1e-15);
    cr_assert_float_eq(bird_group_median(&n, scratch, x, group, 6, 0), 0.7,
                       1e-15);
    cr_assert_eq(n, 2);
    cr_assert_float_eq(bird_group_median(NULL, scratch, x, group, 6, 1), 0.4,
                       1e-15);
    cr_assert(isnan(bird_group_median(&n, scratch, x, group, 6, 2)));
    cr_assert_eq(n, 0);
    cr_assert_float_eq(bird_group_median(&n, scratch, x, NULL, 6, 0), 0.6,
                       1e-15);
}

Test(metrics, counts_out_of_range_are_refused)
{
    const double p[] = {0.2, 0.8};
    const int32_t y[] = {0, 1};
    const float t[] = {0, 1};
    bird_metrics_options o;
    bird_metrics m;

    bird_metrics_options_default(&o);
    FAILS(BIRD_EINVAL, bird_metrics_measure_label(&m, p, 1, t, -1, &o), "-1");
    o.n_boot = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_metrics_measure(&m, p, y, 2, 2, &o), "resamples");
}
