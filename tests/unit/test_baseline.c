/* baseline: the fit is a minimum, baselines find what is there, files hold. */
#include <math.h>

#include "base/file.h"
#include "dnabird/train.h"
#include "folder/safetensors.h"
#include "peers/baseline.h"
#include "peers/lbfgs.h"
#include "peers/logistic.h"
#include "seq_help.h"

static void open_kept(bird_dataset *d, const char *name)
{
    WORKS(bird_dataset_open(d, tests_path("data/train/%s", name), NULL));
}

static void open_text(bird_dataset *d, const char *text,
                      const bird_dataset_options *o)
{
    WORKS(bird_dataset_open(d, file_text("d.csv", text), o));
}

/* Rosenbrock's function, minimum 0 at (1, 1). */
static double rosenbrock(double *g, const double *x)
{
    double a = 1 - x[0], b = x[1] - x[0] * x[0];

    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
}

Test(baseline, lbfgs_finds_the_end_of_a_bent_valley)
{
    struct bird_pool pool = {0};
    struct bird_lbfgs l;
    int n = 0, goes_on = 1;

    WORKS(bird_lbfgs_new(&l, 2, &pool));
    l.max_step = 200;
    l.tolerance = 1e-9;
    l.x[0] = -1.2;
    l.x[1] = 1;
    for (bird_lbfgs_start(&l, 0); goes_on; n++)
        goes_on = bird_lbfgs_step(&l, rosenbrock(l.g, l.x));
    cr_assert_float_eq(l.x[0], 1, 1e-6);
    cr_assert_float_eq(l.x[1], 1, 1e-6);
    cr_assert_lt(n, 100);
    bird_pool_free(&pool);
}

/* --- logistic regression ------------------------------------------------ */

/* Rows of 8 numbers made by a formula. */
static void formula_row(const void *context, struct bird_sparse *f, int64_t i)
{
    (void)context;
    f->n = 0;
    for (int32_t j = 0; j < 8; j++) {
        if ((i + j) % 3 == 0)
            continue;
        f->index[f->n] = j;
        f->value[f->n++] =
            (float)sin((double)(i * (j + 3))) + (j == 2 && i % 2 ? 1.0F : 0.0F);
    }
}

#define ROWS 301

static void make_targets(float *y, uint8_t *use)
{
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 17 == 5 ? (float)NAN : (float)((i + i / 7) % 2);
        use[i] = i % 10 != 3;
    }
}

/* Loss and gradient straight from the definition. */
static double plain_loss(double *g, const double *v, const float *y,
                         const uint8_t *use, double l2)
{
    int32_t index[8];
    float value[8];
    struct bird_sparse f = {index, value, 0};
    double loss = 0, n = 0, penalty = 0;

    memset(g, 0, 9 * sizeof(*g));
    for (int i = 0; i < ROWS; i++) {
        double z = v[8], p;

        if (isnan(y[i]) || !use[i])
            continue;
        formula_row(NULL, &f, i);
        for (int k = 0; k < f.n; k++)
            z += v[index[k]] * (double)value[k];
        p = 1 / (1 + exp(-z));
        loss -= y[i] > 0 ? log(p) : log(1 - p);
        for (int k = 0; k < f.n; k++)
            g[index[k]] += (p - (double)y[i]) * (double)value[k];
        g[8] += p - (double)y[i];
        n++;
    }
    for (int j = 0; j < 9; j++) {
        g[j] = g[j] / n + (j < 8 ? l2 * v[j] : 0);
        penalty += j < 8 ? v[j] * v[j] : 0;
    }
    return loss / n + l2 / 2 * penalty;
}

/* One answer whose targets are y (ROWS). */
static void own_targets(const void *context, float *y, int64_t k)
{
    (void)k;
    memcpy(y, context, ROWS * sizeof(*y));
}

/* Fit y alone, where it is known; v (9). */
static void fit_alone(double *v, struct bird_design *d, const float *y)
{
    const uint8_t held[ROWS] = {0};
    const struct bird_logistic m = {.design = d,
                                    .n_answer = 1,
                                    .answer_targets = own_targets,
                                    .context = y,
                                    .held = held,
                                    .choose_step = 1,
                                    .l2 = 0.01,
                                    .fit_decrease = 1e-14};
    float weight[9];
    double l2;

    WORKS(bird_logistic_fit(weight, &l2, &m));
    cr_assert_eq(l2, 0.01);
    for (int j = 0; j < 9; j++)
        v[j] = (double)weight[j];
}

static void fit_formula(double *v, int64_t max_bytes, int threads)
{
    struct bird_design d = {
        .n_row = ROWS, .n_feature = 8, .max_row = 8, .row = formula_row};
    float y[ROWS];
    uint8_t use[ROWS];

    make_targets(y, use);
    for (int i = 0; i < ROWS; i++)
        y[i] = use[i] ? y[i] : (float)NAN;
    bird_threads_set(threads);
    WORKS(bird_design_keep(&d, max_bytes));
    cr_assert_eq(d.n_kept < ROWS, max_bytes < 1000000);
    fit_alone(v, &d, y);
    bird_design_free(&d);
}

Test(baseline, the_fit_is_where_the_plain_gradient_vanishes)
{
    double v[9], g[9], at, moved;
    float y[ROWS];
    uint8_t use[ROWS];

    make_targets(y, use);
    fit_formula(v, 1000000, 2);
    at = plain_loss(g, v, y, use, 0.01);
    for (int j = 0; j < 9; j++)
        cr_assert(fabs(g[j]) < 2e-5, "gradient %d is %g", j, g[j]);
    for (int j = 0; j < 9; j++) {
        v[j] += 0.01;
        moved = plain_loss(g, v, y, use, 0.01);
        cr_assert_gt(moved, at);
        v[j] -= 0.01;
    }
    cr_assert_gt(fabs(v[2]), 0.05);
}

Test(baseline, bits_do_not_depend_on_threads_or_kept_rows)
{
    double one[9], three[9], few[9];

    fit_formula(one, 1000000, 1);
    fit_formula(three, 1000000, 3);
    fit_formula(few, 2000, 2);
    cr_assert_eq(memcmp(one, three, sizeof(one)), 0);
    cr_assert_eq(memcmp(one, few, sizeof(one)), 0);
}

/* --- many answers at once ----------------------------------------------- */

enum { ANSWERS = BIRD_LOGISTIC_BLOCK + 6 }; /* more than a block */

static float many_target(int64_t i, int64_t k)
{
    if (k == 2)
        return (float)NAN; /* nothing is known of it */
    if ((i + k) % 17 == 5)
        return (float)NAN;
    return (float)((i * (k % 5 + 1) + i / (k % 7 + 2)) % 3 == 0);
}

static void many_targets(const void *context, float *y, int64_t i)
{
    (void)context;
    for (int64_t k = 0; k < ANSWERS; k++)
        y[k] = many_target(i, k);
}

static void fit_many(float *weight, double *l2, double fixed, int threads)
{
    static const double grid[] = {1, 0.1, 0.01, 1e-3};
    struct bird_design d = {
        .n_row = ROWS, .n_feature = 8, .max_row = 8, .row = formula_row};
    uint8_t held[ROWS];

    for (int i = 0; i < ROWS; i++)
        held[i] = i % 5 == 3;
    bird_threads_set(threads);
    WORKS(bird_logistic_fit(weight, l2,
                            &(struct bird_logistic){.design = &d,
                                                    .row_targets = many_targets,
                                                    .n_answer = ANSWERS,
                                                    .held = held,
                                                    .choose_step = 1,
                                                    .choose_decrease = 1e-4,
                                                    .fit_decrease = 1e-6,
                                                    .grid = grid,
                                                    .n_grid = 4,
                                                    .l2 = fixed}));
}

/* The minimum of each answer is the one that it has alone. */
Test(baseline, many_answers_are_fitted_as_each_alone)
{
    static float weight[ANSWERS * 9];
    double l2[ANSWERS], alone[9], v[9], g[9];
    struct bird_design d = {
        .n_row = ROWS, .n_feature = 8, .max_row = 8, .row = formula_row};
    uint8_t use[ROWS];
    float y[ROWS];

    memset(use, 1, sizeof(use));
    fit_many(weight, l2, 0.01, 2);
    for (int k = 0; k < ANSWERS; k++) {
        cr_assert_eq(l2[k], 0.01);
        for (int j = 0; j < 9; j++)
            v[j] = (double)weight[k * 9 + j];
        if (k == 2) {
            for (int j = 0; j < 9; j++)
                cr_assert_eq(v[j], 0);
            continue;
        }
        for (int i = 0; i < ROWS; i++)
            y[i] = many_target(i, k);
        fit_alone(alone, &d, y);
        cr_assert_float_eq(plain_loss(g, v, y, use, 0.01),
                           plain_loss(g, alone, y, use, 0.01), 1e-6,
                           "answer %d", k);
        for (int j = 0; j < 9; j++)
            cr_assert_float_eq(v[j], alone[j], 0.01, "answer %d: %g %g", k,
                               v[j], alone[j]);
    }
}

Test(baseline, many_answers_choose_their_strength_by_held_out_rows)
{
    static float one[ANSWERS * 9], three[ANSWERS * 9];
    double l2[ANSWERS], again[ANSWERS];
    int differ = 0;

    fit_many(one, l2, 0, 1);
    fit_many(three, again, 0, 3);
    cr_assert_eq(memcmp(one, three, sizeof(one)), 0);
    cr_assert_eq(memcmp(l2, again, sizeof(l2)), 0);
    for (int k = 0; k < ANSWERS; k++) {
        cr_assert(l2[k] == 1 || l2[k] == 0.1 || l2[k] == 0.01 || l2[k] == 1e-3);
        differ += l2[k] != l2[0];
    }
    cr_assert_gt(differ, 0);
    cr_assert_eq(l2[2], 0.01); /* nothing known: the default */
}

/* The strength chosen is the one whose fit on the others is best on the rows
 * left out, told by the definition. */
Test(baseline, strength_is_chosen_by_the_loss_of_the_rows_left_out)
{
    static const double grid[] = {1, 0.1, 0.01, 1e-3};
    struct bird_design d = {
        .n_row = ROWS, .n_feature = 8, .max_row = 8, .row = formula_row};
    struct bird_logistic m = {.design = &d,
                              .n_answer = 1,
                              .answer_targets = own_targets,
                              .choose_step = 1,
                              .choose_decrease = 1e-12,
                              .fit_decrease = 1e-12,
                              .grid = grid,
                              .n_grid = 4};
    float y[ROWS], trained[ROWS], weight[9];
    uint8_t use[ROWS], held[ROWS];
    double v[9], g[9], l2, loss, best = (double)INFINITY, expected = 0;

    make_targets(y, use);
    for (int i = 0; i < ROWS; i++) {
        held[i] = !use[i];
        trained[i] = use[i] ? y[i] : (float)NAN;
    }
    m.held = held;
    m.context = trained;
    for (int k = 0; k < 4; k++) {
        m.l2 = grid[k];
        WORKS(bird_logistic_fit(weight, &l2, &m));
        for (int j = 0; j < 9; j++)
            v[j] = (double)weight[j];
        loss = plain_loss(g, v, y, held, 0);
        if (loss < best) {
            best = loss;
            expected = grid[k];
        }
    }
    m.l2 = 0;
    m.context = y;
    WORKS(bird_logistic_fit(weight, &l2, &m));
    cr_assert_eq(l2, expected);
    /* nothing left out: the default */
    memset(held, 0, sizeof(held));
    WORKS(bird_logistic_fit(weight, &l2, &m));
    cr_assert_eq(l2, 0.01);
}

/* --- features ----------------------------------------------------------- */

static double feature(const struct bird_sparse *f, int32_t index)
{
    double sum = 0;

    for (int64_t i = 0; i < f->n; i++)
        if (f->index[i] == index)
            sum += (double)f->value[i];
    return sum;
}

Test(baseline, kmers_are_counted_on_one_strand_or_both)
{
    int32_t index[100];
    float value[100];
    struct bird_sparse f = {index, value, 0};
    bird_baseline *given, *both;

    WORKS(bird_baseline_new(&given, BIRD_LABEL_CLASS, 2, 0));
    WORKS(bird_baseline_new(&both, BIRD_LABEL_CLASS, 2, 1));
    /* AAA twice, then TTT: AAA is 0 and TTT 63 among the 3-mers */
    bird_baseline_features(&f, given, BIRD_BASELINE_KMER, "AAAANTTT", 8);
    cr_assert_float_eq(feature(&f, 0), log(3), 1e-6);
    cr_assert_float_eq(feature(&f, 63), log(2), 1e-6);
    cr_assert_float_eq(feature(&f, 64), log(2), 1e-6); /* AAAA */
    cr_assert_eq(f.n, 3);
    bird_baseline_features(&f, both, BIRD_BASELINE_KMER, "AAAANTTT", 8);
    cr_assert_float_eq(feature(&f, 0), log(4), 1e-6);
    cr_assert_eq(f.n, 2);
    /* ACGTAC: one 6-mer, 1344 + 0b000110110001 */
    bird_baseline_features(&f, given, BIRD_BASELINE_KMER, "ACGTAC", 6);
    cr_assert_float_eq(feature(&f, 1344 + 433), log(2), 1e-6);
    cr_assert_eq(f.n, 4 + 3 + 2 + 1);
    /* of a longer one: 4 different 3-mers, and so on, none longer than 6 */
    bird_baseline_features(&f, given, BIRD_BASELINE_KMER, "ACGTACGTACGT", 12);
    cr_assert_eq(f.n, 4 + 4 + 4 + 4);
    cr_assert_float_eq(feature(&f, 1344 + 433), log(3), 1e-6);
    bird_baseline_free(given);
    bird_baseline_free(both);
}

Test(baseline, positions_have_a_feature_of_their_own)
{
    int32_t index[15];
    float value[15];
    struct bird_sparse f = {index, value, 0};
    int64_t m = bird_position_features(5);
    uint8_t seen[5 * 84] = {0};

    cr_assert_eq(m, 5 * 4 + 4 * 16 + 3 * 64);
    bird_baseline_features(&f, NULL, BIRD_BASELINE_POSITION, "ACGTT", 5);
    cr_assert_eq(f.n, 5 + 4 + 3);
    cr_assert_eq(feature(&f, 0), 1);                /* A at 0 */
    cr_assert_eq(feature(&f, 4 + 1), 1);            /* C at 1 */
    cr_assert_eq(feature(&f, 20 + 1), 1);           /* AC at 0 */
    cr_assert_eq(feature(&f, 84 + 2 * 64 + 47), 1); /* GTT at 2 */
    for (int64_t i = 0; i < f.n; i++) {
        cr_assert(f.index[i] >= 0 && f.index[i] < m);
        cr_assert_not(seen[f.index[i]]++);
    }
    bird_baseline_features(&f, NULL, BIRD_BASELINE_POSITION, "ACNTT", 5);
    cr_assert_eq(f.n, 4 + 2);
}

Test(baseline, gc_share_leaves_other_letters_out)
{
    cr_assert_float_eq(bird_gc_share("GCANNA", 6), 0.5, 1e-15);
    cr_assert_float_eq(bird_gc_share("NN", 2), 0.5, 1e-15);
    cr_assert_float_eq(bird_gc_share("GGGA", 4), 0.75, 1e-15);
}

/* --- baselines ------------------------------------------------------------- */

static double auroc(const bird_baseline *b, enum bird_baseline_kind kind,
                    const bird_dataset *d)
{
    bird_metrics_options o;
    bird_metrics m;
    double *p = calloc((size_t)d->n, sizeof(*p));
    int32_t *y = calloc((size_t)d->n, sizeof(*y));

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    for (int64_t i = 0; i < d->n; i++)
        y[i] = d->row[i].label;
    WORKS(bird_baseline_score_rows(b, kind, p, d));
    WORKS(bird_metrics_measure(&m, p, y, d->n, 2, &o));
    free(p);
    free(y);
    return m.value[BIRD_AUROC];
}

Test(baseline, real_promoters_are_told_apart_and_files_hold)
{
    const char *path = path_of("b");
    bird_dataset train, test;
    bird_baseline *b = NULL, *again = NULL;
    double one, two;

    open_kept(&train, "prom_core_tata.train600.csv.gz");
    open_kept(&test, "prom_core_tata.test300.csv");
    WORKS(bird_baseline_fit(&b, &train, NULL));
    cr_assert_eq(bird_baseline_length(b), 70);
    cr_assert_eq(bird_baseline_columns(b), 1);
    cr_assert_gt(auroc(b, BIRD_BASELINE_KMER, &test), 0.70);
    cr_assert_gt(auroc(b, BIRD_BASELINE_POSITION, &test), 0.85);
    WORKS(bird_baseline_save(b, path));
    WORKS(bird_baseline_open(&again, path));
    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        cr_assert_gt(bird_baseline_l2(b, k, 0), 0);
        cr_assert_eq(bird_baseline_l2(b, k, 0), bird_baseline_l2(again, k, 0));
        for (int64_t i = 0; i < test.n; i += 37) {
            const char *s = bird_dataset_seq(&test, i);

            WORKS(bird_baseline_score(b, k, &one, s, 70));
            WORKS(bird_baseline_score(again, k, &two, s, 70));
            cr_assert_eq(one, two);
        }
    }
    bird_baseline_free(b);
    bird_baseline_free(again);
    bird_dataset_free(&train);
    bird_dataset_free(&test);
}

Test(baseline, several_classes_sum_to_one_and_are_learnt)
{
    bird_baseline_options o;
    bird_dataset d;
    bird_baseline *b = NULL;
    struct bird_text t = {0};
    double p[3];

    WORKS(bird_text_printf(&t, "sequence,label\n"));
    for (int i = 0; i < 90; i++)
        WORKS(bird_text_printf(&t, "%s%s,%d\n",
                               i % 3 == 0   ? "AAAATAAA"
                               : i % 3 == 1 ? "CCCGCCCC"
                                            : "GATGATGAT",
                               i % 2 ? "GT" : "TG", i % 3));
    open_text(&d, t.s, NULL);
    bird_baseline_options_default(&o);
    o.l2[0] = 1e-3;
    WORKS(bird_baseline_fit(&b, &d, &o));
    cr_assert_eq(bird_baseline_columns(b), 3);
    cr_assert_eq(bird_baseline_l2(b, BIRD_BASELINE_KMER, 2), 1e-3);
    cr_assert_not(bird_baseline_has(b, BIRD_BASELINE_POSITION));
    WORKS(bird_baseline_score(b, BIRD_BASELINE_KMER, p, "CCCGCCCC", 8));
    cr_assert_float_eq(p[0] + p[1] + p[2], 1, 1e-12);
    cr_assert_gt(p[1], 0.8);
    cr_assert_eq(bird_baseline_score(b, BIRD_BASELINE_POSITION, p, "CCC", 3),
                 BIRD_EINVAL);
    bird_baseline_free(b);
    bird_dataset_free(&d);
    bird_text_free(&t);
}

Test(baseline, labels_of_their_own_leave_unknown_targets_out)
{
    /* x is known only where it follows A; its unknown rows are all G */
    const bird_dataset_options o = {.label = "x,y"};
    bird_baseline_options fit;
    bird_dataset d;
    bird_baseline *b = NULL;
    struct bird_text t = {0};
    double p[2];

    WORKS(bird_text_printf(&t, "sequence,x,y\n"));
    for (int i = 0; i < 40; i++)
        WORKS(bird_text_printf(&t, "%s\n",
                               i % 4 == 0   ? "AAAA,1,0"
                               : i % 4 == 1 ? "CCCC,0,0"
                                            : "GGGG,,1"));
    open_text(&d, t.s, &o);
    bird_baseline_options_default(&fit);
    fit.l2[0] = fit.l2[1] = 1e-3;
    WORKS(bird_baseline_fit(&b, &d, &fit));
    cr_assert_eq(bird_baseline_columns(b), 2);
    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        WORKS(bird_baseline_score(b, k, p, "GGGG", 4));
        cr_assert(p[0] > 0.3 && p[0] < 0.7, "%g", p[0]);
        cr_assert_gt(p[1], 0.9);
        WORKS(bird_baseline_score(b, k, p, "AAAA", 4));
        cr_assert_gt(p[0], 0.9);
    }
    bird_baseline_free(b);
    bird_dataset_free(&d);
    bird_text_free(&t);
}

/* AAAA has 10, CCCC 20, in one unit and in another; the mean of all is 15. */
Test(baseline, measured_values_have_a_linear_regression_in_their_unit)
{
    const bird_dataset_options o = {.values = "x,y"};
    bird_baseline_options fit;
    bird_dataset d;
    bird_baseline *b = NULL, *again = NULL;
    struct bird_text t = {0};
    const char *path = path_of("b");
    double p[2], q[2];

    WORKS(bird_text_printf(&t, "sequence,x,y\n"));
    for (int i = 0; i < 40; i++)
        WORKS(bird_text_printf(&t, "%s\n",
                               i % 4 == 0   ? "AAAA,10,-5000"
                               : i % 4 == 1 ? "CCCC,20,5000"
                                            : "GGGG,,NA"));
    open_text(&d, t.s, &o);
    bird_baseline_options_default(&fit);
    fit.l2[0] = fit.l2[1] = 1e-5;
    WORKS(bird_baseline_fit(&b, &d, &fit));
    WORKS(bird_baseline_save(b, path));
    WORKS(bird_baseline_open(&again, path));
    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        WORKS(bird_baseline_score(b, k, p, "AAAA", 4));
        cr_assert_float_eq(p[0], 10, 0.01, "%g", p[0]);
        cr_assert_float_eq(p[1], -5000, 10, "%g", p[1]);
        WORKS(bird_baseline_score(b, k, p, "CCCC", 4));
        cr_assert_float_eq(p[0], 20, 0.01, "%g", p[0]);
        WORKS(bird_baseline_score(b, k, p, "GGGG", 4));
        cr_assert_float_eq(p[0], 15, 0.01, "%g", p[0]);
        WORKS(bird_baseline_score(again, k, q, "GGGG", 4));
        cr_assert_arr_eq(p, q, sizeof(p));
    }
    bird_baseline_free(b);
    bird_baseline_free(again);
    bird_dataset_free(&d);
    bird_text_free(&t);
}

/* A file of short k-mers opens; a context that no file may have is refused. */
Test(baseline, short_kmers_are_kept)
{
    bird_baseline_options o;
    bird_dataset d;
    bird_baseline *b = NULL, *again = NULL;
    double p, q;

    open_kept(&d, "prom_core_tata.test300.csv");
    bird_baseline_options_default(&o);
    o.k_max = 4;
    WORKS(bird_baseline_fit(&b, &d, &o));
    WORKS(bird_baseline_save(b, path_of("b")));
    WORKS(bird_baseline_open(&again, path_of("b")));
    WORKS(bird_baseline_score(b, BIRD_BASELINE_KMER, &p, "TATAAAGG", 8));
    WORKS(bird_baseline_score(again, BIRD_BASELINE_KMER, &q, "TATAAAGG", 8));
    cr_assert_eq(p, q);
    bird_baseline_free(b);
    bird_baseline_free(again);
    o.context_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_baseline_fit(&b, &d, &o), "context 0 to 100000");
    bird_dataset_free(&d);
}

/* AAAA has 10 with weight 3 and 20 with weight 1, CCCC 40 and 80: one value, and nine,
 * which are fitted together. */
Test(baseline, rows_of_measured_values_count_what_their_weights_say)
{
    for (int n = 1; n <= 9; n += 8) {
        const bird_dataset_options o = {
            .values = n == 1 ? "v1" : "v1,v2,v3,v4,v5,v6,v7,v8,v9",
            .weight = "n"};
        static const double value[4] = {10, 20, 40, 80};
        bird_baseline_options fit;
        bird_dataset d;
        bird_baseline *b = NULL;
        struct bird_text t = {0};
        double p[9];

        WORKS(bird_text_printf(&t, "n,sequence,v1,v2,v3,v4,v5,v6,v7,v8,v9\n"));
        for (int i = 0; i < 80; i++) {
            WORKS(bird_text_printf(&t, "%d,%s", i % 2 ? 1 : 3,
                                   i % 4 < 2 ? "AAAA" : "CCCC"));
            for (int k = 1; k <= 9; k++)
                WORKS(bird_text_printf(&t, ",%g", k * value[i % 4]));
            WORKS(bird_text_printf(&t, "\n"));
        }
        open_text(&d, t.s, &o);
        bird_baseline_options_default(&fit);
        fit.l2[0] = fit.l2[1] = 1e-6;
        WORKS(bird_baseline_fit(&b, &d, &fit));
        WORKS(bird_baseline_score(b, BIRD_BASELINE_KMER, p, "AAAA", 4));
        for (int k = 0; k < n; k++)
            cr_assert_float_eq(p[k], 12.5 * (k + 1), 0.2, "%d: %g", k, p[k]);
        WORKS(bird_baseline_score(b, BIRD_BASELINE_KMER, p, "CCCC", 4));
        for (int k = 0; k < n; k++)
            cr_assert_float_eq(p[k], 50.0 * (k + 1), 0.5, "%d: %g", k, p[k]);
        bird_baseline_free(b);
        bird_dataset_free(&d);
        bird_text_free(&t);
    }
}

static int stop_later(void *context)
{
    int *left = context;

    return (*left)-- == 0;
}

/* Nine labels are fitted together, one alone: both end when they are asked to,
 * at once or after some passes. */
Test(baseline, a_fit_ends_when_it_is_asked_to)
{
    static const char *const label[] = {"x", "x,a,b,c,d,e,f,g,h"};
    static const char *const row[] = {"AAAA,1\n", "CCAC,0\n",
                                      "AAAA,1,0,1,0,1,1,0,1,0\n",
                                      "CCAC,0,1,0,0,1,0,1,1,1\n"};

    for (int many = 0; many < 2; many++)
        for (int after = 0; after < 1 + 2 * many; after++) {
            const bird_dataset_options o = {.label = label[many]};
            bird_baseline_options fit;
            struct bird_text t = {0};
            bird_baseline *b = NULL;
            bird_dataset d;
            int left = after;

            WORKS(bird_text_printf(&t, "sequence,%s\n", label[many]));
            for (int i = 0; i < 12; i++)
                WORKS(bird_text_printf(&t, "%s", row[2 * many + i % 2]));
            open_text(&d, t.s, &o);
            d.kind = BIRD_LABEL_MULTI;
            bird_baseline_options_default(&fit);
            fit.stop = stop_later;
            fit.stop_context = &left;
            cr_assert_eq(bird_baseline_fit(&b, &d, &fit), BIRD_ECANCELED);
            cr_assert_null(b);
            cr_assert_eq(left, -1, "asked %d times more", after - left - 1);
            bird_dataset_free(&d);
            bird_text_free(&t);
        }
}

Test(baseline, nonsense_is_refused)
{
    bird_baseline_options o;
    bird_dataset d;
    bird_baseline *b = NULL;
    double p;

    open_text(&d, "sequence,label\nACGT,0\nTTTT,1\n", NULL);
    bird_baseline_options_default(&o);
    o.l2[1] = -1;
    cr_assert_eq(bird_baseline_fit(&b, &d, &o), BIRD_EINVAL);
    o.l2[1] = 0;
    o.hold_out = 1;
    cr_assert_eq(bird_baseline_fit(&b, &d, &o), BIRD_EINVAL);
    cr_assert_null(b);
    WORKS(bird_baseline_fit(&b, &d, NULL));
    cr_assert_eq(bird_baseline_score(b, BIRD_BASELINE_POSITION, &p, "ACG", 3),
                 BIRD_EINVAL);
    cr_assert(strstr(bird_last_error(), "needs 4 bp, not 3"));
    bird_dataset_free(&d);
    open_text(&d, "sequence,label\nACGT,0\nTTTTT,1\n", NULL);
    FAILS(BIRD_EINVAL,
          bird_baseline_score_rows(b, BIRD_BASELINE_POSITION, &p, &d),
          "row 2 has 5 bp");
    d.kind = BIRD_LABEL_NONE;
    bird_baseline_free(b);
    b = NULL;
    cr_assert_eq(bird_baseline_fit(&b, &d, NULL), BIRD_EINVAL);
    bird_dataset_free(&d);
}

Test(baseline, a_file_of_another_kind_is_refused)
{
    const char *path = path_of("b");
    int64_t s[8] = {4, BIRD_LABEL_CLASS, 2, 0, 0, 1, 5, 600};
    const float w[3] = {0};
    struct bird_tensor t[2] = {
        {"settings", BIRD_I64, 1, {6}, s, 6 * sizeof(*s)},
        {"kmer.weight", BIRD_F32, 2, {1, 3}, w, sizeof(w)}};
    bird_baseline *b = NULL;

    WORKS(bird_tensors_write(path, t, 1, NULL, 0));
    cr_assert_eq(bird_baseline_open(&b, path), BIRD_EUNSUPPORTED);
    s[0] = 1; /* of measured values before they had regressions */
    s[1] = BIRD_LABEL_VALUE;
    WORKS(bird_tensors_write(path, t, 1, NULL, 0));
    FAILS(BIRD_EUNSUPPORTED, bird_baseline_open(&b, path), "delete this file");
    s[0] = 3; /* what only measured values have */
    s[1] = BIRD_LABEL_CLASS;
    WORKS(bird_tensors_write(path, t, 1, NULL, 0));
    cr_assert_eq(bird_baseline_open(&b, path), BIRD_EFORMAT);
    s[0] = 2; /* of bins has two settings more */
    WORKS(bird_tensors_write(path, t, 1, NULL, 0));
    FAILS(BIRD_EFORMAT, bird_baseline_open(&b, path), "'settings'");
    s[0] = 1;
    WORKS(bird_tensors_write(path, t, 1, NULL, 0));
    FAILS(BIRD_EFORMAT, bird_baseline_open(&b, path),
          "'kmer.weight' is missing");
    WORKS(bird_tensors_write(path, t, 2, NULL, 0));
    cr_assert_eq(bird_baseline_open(&b, path), BIRD_EFORMAT);
    s[5] = 2;
    WORKS(bird_tensors_write(path, t, 2, NULL, 0));
    FAILS(BIRD_EFORMAT, bird_baseline_open(&b, path), "2 answers for 2 labels");
    t[0].shape[0] = 8;
    t[0].size = sizeof(s);
    for (int i = 0; i < 3; i++) {
        const int64_t none[3][3] = {{2, 7, 600}, {2, 5, 0}, {2, 5, -1}};

        s[0] = none[i][0];
        s[6] = none[i][1];
        s[7] = none[i][2];
        WORKS(bird_tensors_write(path, t, 2, NULL, 0));
        FAILS(BIRD_EFORMAT, bird_baseline_open(&b, path),
              "out of their ranges");
    }
    s[0] = 1;
    t[0].shape[0] = 6;
    t[0].size = 6 * sizeof(*s);
    s[4] = 1 << 30;
    WORKS(bird_tensors_write(path, t, 2, NULL, 0));
    cr_assert_eq(bird_baseline_open(&b, path), BIRD_EFORMAT);
    WORKS(bird_tensors_write(path, t + 1, 1, NULL, 0));
    cr_assert_eq(bird_baseline_open(&b, path), BIRD_EFORMAT);
    cr_assert_null(b);
    cr_assert_eq(bird_baseline_open(&b, path_of("none")), BIRD_EIO);
}
