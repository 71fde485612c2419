/* Scores of alleles: rank correlation, baselines by hand, groups, resamples.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/rng.h"
#include "eval/allele_set.h"
#include "eval/metrics.h"
#include "seq_help.h"

static const char REF[] = "r.fa", SCORED[] = "s.tsv", GROUPS[] = "g.tsv";

TestSuite(variants_eval, .init = folder_new, .fini = folder_remove);

/* --- Spearman ------------------------------------------------------------- */

static double spearman(const double *x, const double *y, const uint32_t *w,
                       int64_t n)
{
    struct bird_rank_pair p;
    double scratch[200], r;

    cr_assert_eq(bird_rank_pair_new(&p, x, y, n), 0);
    r = bird_rank_pair_spearman(&p, w, scratch);
    bird_rank_pair_free(&p);
    return r;
}

/* scipy.stats.spearmanr of scipy 1.17.1 on these numbers, in the last line on
 * each row repeated as often as its weight says. */
Test(variants_eval, spearman_is_that_of_scipy)
{
    enum { N = 12 };
    const double x[N] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    const double y[N] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5};
    const uint32_t one[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const uint32_t some[N] = {2, 0, 1, 3, 1, 1, 0, 2, 1, 1, 0, 1};
    double size[N];

    for (int i = 0; i < N; i++)
        size[i] = fabs(x[i] - 4.5);
    cr_assert_float_eq(spearman(x, y, one, N), 0.1415796863640157, 1e-14);
    cr_assert_float_eq(spearman(size, y, one, N), 0.554739575959829, 1e-14);
    cr_assert_float_eq(spearman(x, y, some, N), -0.08312927657462091, 1e-14);
}

/* Ranks counted one by one, and Pearson's formula as it is written. */
static double slow_rank(const double *v, const uint32_t *w, int n, int i)
{
    double below = 0, equal = 0;

    for (int k = 0; k < n; k++) {
        below += v[k] < v[i] ? w[k] : 0;
        equal += v[k] <= v[i] && v[k] >= v[i] ? w[k] : 0;
    }
    return below + (equal + 1) / 2;
}

static double slow_spearman(const double *x, const double *y, const uint32_t *w,
                            int n)
{
    double sw = 0, sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;

    for (int i = 0; i < n; i++) {
        double a = slow_rank(x, w, n, i), b = slow_rank(y, w, n, i);

        sw += w[i];
        sx += w[i] * a;
        sy += w[i] * b;
        xx += w[i] * a * a;
        yy += w[i] * b * b;
        xy += w[i] * a * b;
    }
    return (xy / sw - sx / sw * sy / sw) /
           sqrt((xx / sw - sx / sw * sx / sw) * (yy / sw - sy / sw * sy / sw));
}

Test(variants_eval, spearman_of_many_ties_and_weights)
{
    for (uint64_t round = 0; round < 50; round++) {
        double x[60], y[60];
        uint32_t w[60];
        struct bird_rng rng;
        int n = 5 + (int)round;

        bird_rng_init(&rng, 1, 2, round);
        for (int i = 0; i < n; i++) {
            x[i] = (double)bird_rng_below(&rng, 2 + round % 7);
            y[i] = x[i] + (double)bird_rng_below(&rng, 4);
            w[i] = 1 + (uint32_t)bird_rng_below(&rng, 4);
        }
        x[0] = -1; /* not all equal */
        cr_assert_float_eq(spearman(x, y, w, n), slow_spearman(x, y, w, n),
                           1e-12, "round %d", (int)round);
    }
}

Test(variants_eval, spearman_without_both_values)
{
    const double x[6] = {1, 2, (double)NAN, 3, 4, 9};
    const double y[6] = {1, 2, 3, 4, (double)NAN, 1.5};
    const double kept_x[4] = {1, 2, 3, 9}, kept_y[4] = {1, 2, 4, 1.5};
    const double same[6] = {7, 7, 7, 7, 7, 7};
    const uint32_t one[6] = {1, 1, 1, 1, 1, 1};

    cr_assert_float_eq(spearman(x, y, one, 6), spearman(kept_x, kept_y, one, 4),
                       1e-15);
    cr_assert(isnan(spearman(same, y, one, 6)));
    cr_assert(isnan(spearman(y, same, one, 6)));
}

/* --- alleles and their baselines ------------------------------------------ */

Test(variants_eval, what_differs_between_alleles)
{
    static const struct {
        const char *ref, *alt;
        struct bird_difference d;
    } row[] = {
        {"A", "G", {0, 1, 1}},   {"GG", "G", {0, 1, 0}},
        {"G", "GTT", {1, 0, 2}}, {"ACGT", "ATTT", {1, 2, 2}},
        {"CA", "CG", {1, 1, 1}}, {"AC", "AC", {0, 0, 0}},
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct bird_difference d =
            bird_allele_difference(row[i].ref, row[i].alt);

        cr_assert(d.n_ref == row[i].d.n_ref && d.n_alt == row[i].d.n_alt,
                  "%s>%s", row[i].ref, row[i].alt);
        cr_assert(!(d.n_ref + d.n_alt) || d.at == row[i].d.at, "%s>%s",
                  row[i].ref, row[i].alt);
    }
}

/* Ten bases, ACGTACCGGA: nearness to base 5, G+C, CpG, transversion. */
Test(variants_eval, baselines_by_hand)
{
    static const char *const score[] = {"s"};
    static const double expected[][4] = {
        {1.5, 0, -1, 1},          /* C2>G: ACG to AGG */
        {2.5, -1, -1, 0},         /* G3>A: CGT to CAT */
        {4.5, 1, 0, 1},           /* A5>C: TAC to TCC */
        {2, -1, 0, (double)NAN},  /* GG8>G: CGGA to CGA */
        {4.5, 2, 1, (double)NAN}, /* C6>CCG: ACC to ACCGC */
        {3.5, 0, 0, 1},           /* C7>G, lower case: CCG to CGG */
    };
    bird_variants_options o;
    struct bird_allele_set s = {0};

    file_text(REF, ">e\nACGTACCGGA\n");
    file_text(SCORED,
              "#CHROM\tPOS\tREF\tALT\ts\tm\n"
              "e\t2\tC\tG\t1\t1\ne\t3\tG\tA\t1\t1\ne\t5\tA\tC\t1\t1\n"
              "e\t8\tGG\tG\t1\t1\ne\t6\tC\tCCG\t1\t1\ne\t7\tc\tg\t1\t1\n");
    bird_variants_options_default(&o);
    o.scored = path_of(SCORED);
    o.score = score;
    o.n_score = 1;
    o.measured = "m";
    o.fasta = path_of(REF);
    o.motifs = "none";
    WORKS(bird_allele_set_read(&s, &o));
    cr_assert_eq(s.n, 6);
    cr_assert_eq(s.n_score, 5);
    cr_assert_str_eq(s.score_name[1], "baseline:middle");
    cr_assert_str_eq(s.score_name[4], "baseline:transversion");
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 4; k++) {
            double is = s.score[i * 5 + 1 + k], want = expected[i][k];

            cr_assert(isnan(want) ? isnan(is) : fabs(is - want) < 1e-12,
                      "row %d, baseline %d: %g, not %g", i, k, is, want);
        }
    cr_assert_eq(s.at[0].of, BIRD_CLASS_SNV);
    cr_assert_eq(s.at[3].of, BIRD_CLASS_INDEL);
    bird_allele_set_free(&s);
}

/* --- means ---------------------------------------------------------------- */

/* Elements a1, a2 (one group) and b of 30 alleles each. */
static void put_alleles(void)
{
    struct bird_text t = {0};
    struct bird_rng rng;
    int rc = bird_text_printf(&t, "CHROM\tPOS\tREF\tALT\te\ts\tflat\tm\n");

    bird_rng_init(&rng, 5, 5, 5);
    for (int i = 0; !rc && i < 90; i++) {
        double m = bird_rng_normal(&rng);

        rc = bird_text_printf(&t, "c\t%d\tA\tC\t%s\t%.6f\t1\t%.6f\n", i + 1,
                              i < 30   ? "a1"
                              : i < 60 ? "a2"
                                       : "b",
                              (i < 60 ? 1 : -1) * m + bird_rng_normal(&rng), m);
    }
    cr_assert_eq(rc, 0);
    file_text(SCORED, t.s);
    bird_text_free(&t);
    file_text(GROUPS, "#element\tgroup\na1\tA\na2\tA\n");
}

static void evaluate(bird_variants_evaluation *out, int64_t n_boot,
                     uint64_t seed)
{
    static const char *const score[] = {"s", "flat"};
    bird_variants_options o;

    bird_variants_options_default(&o);
    o.scored = path_of(SCORED);
    o.score = score;
    o.n_score = 2;
    o.measured = "m";
    o.element = "e";
    o.groups = path_of(GROUPS);
    o.min_effect = 0.5;
    o.n_boot = n_boot;
    o.seed = seed;
    WORKS(bird_evaluate_variants(out, &o));
}

static const bird_variants_figure *find(const bird_variants_evaluation *e,
                                        enum bird_allele_level level,
                                        const char *element, const char *score,
                                        enum bird_allele_metric metric)
{
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_variants_figure *f = &e->figures[i];

        if (f->level == level && !strcmp(f->element, element) &&
            !strcmp(f->score, score) && f->metric == metric)
            return f;
    }
    cr_assert_fail("no figure of %s, %s", element, score);
    return NULL;
}

Test(variants_eval, elements_of_a_group_count_once)
{
    bird_variants_evaluation e = {0};
    double a1, a2, b;

    put_alleles();
    evaluate(&e, 200, 1);
    a1 = find(&e, BIRD_LEVEL_ELEMENT, "a1", "s", BIRD_SPEARMAN)->value;
    a2 = find(&e, BIRD_LEVEL_ELEMENT, "a2", "s", BIRD_SPEARMAN)->value;
    b = find(&e, BIRD_LEVEL_ELEMENT, "b", "s", BIRD_SPEARMAN)->value;
    cr_assert(a1 > 0.3 && a2 > 0.3 && b < -0.3, "%g %g %g", a1, a2, b);
    cr_assert_float_eq(
        find(&e, BIRD_LEVEL_GROUP, "A", "s", BIRD_SPEARMAN)->value,
        (a1 + a2) / 2, 1e-12);
    cr_assert_float_eq(
        find(&e, BIRD_LEVEL_MEAN, "all", "s", BIRD_SPEARMAN)->value,
        ((a1 + a2) / 2 + b) / 2, 1e-12);
    cr_assert_eq(find(&e, BIRD_LEVEL_MEAN, "all", "s", BIRD_SPEARMAN)->n, 2);
    cr_assert_eq(find(&e, BIRD_LEVEL_POOLED, "all", "s", BIRD_SPEARMAN)->n, 90);
    /* two groups that disagree: the mean's interval holds both, the alleles'
     * of one does not */
    cr_assert(find(&e, BIRD_LEVEL_MEAN, "all", "s", BIRD_SPEARMAN)->lo <
              b + .2);
    cr_assert(find(&e, BIRD_LEVEL_MEAN, "all", "s", BIRD_SPEARMAN)->hi > .3);
    cr_assert(find(&e, BIRD_LEVEL_ELEMENT, "b", "s", BIRD_SPEARMAN)->hi < 0);
    /* a constant score has nothing */
    for (int m = 0; m < BIRD_N_ALLELE_METRIC; m++) {
        cr_assert(isnan(find(&e, BIRD_LEVEL_ELEMENT, "b", "flat",
                             (enum bird_allele_metric)m)
                            ->value));
        cr_assert(isnan(
            find(&e, BIRD_LEVEL_MEAN, "all", "flat", (enum bird_allele_metric)m)
                ->value));
    }
    bird_variants_evaluation_free(&e);
}

static int same(const bird_variants_evaluation *a,
                const bird_variants_evaluation *b)
{
    int equal = a->n_figures == b->n_figures;

    for (int64_t i = 0; equal && i < a->n_figures; i++)
        equal = !memcmp(&a->figures[i].value, &b->figures[i].value,
                        3 * sizeof(double));
    return equal;
}

Test(variants_eval, resamples_are_of_the_seed_and_not_of_threads)
{
    bird_variants_evaluation e[4] = {{0}};
    int threads = bird_threads();

    put_alleles();
    evaluate(&e[0], 100, 7);
    bird_threads_set(1);
    evaluate(&e[1], 100, 7);
    bird_threads_set(3);
    evaluate(&e[2], 100, 7);
    bird_threads_set(threads);
    evaluate(&e[3], 100, 8);
    cr_assert(same(&e[0], &e[1]));
    cr_assert(same(&e[0], &e[2]));
    cr_assert(!same(&e[0], &e[3]));
    for (int64_t i = 0; i < e[0].n_figures; i++)
        cr_assert(
            isnan(e[0].figures[i].value) ||
            (e[0].figures[i].lo <= e[0].figures[i].hi &&
             fabs(e[0].figures[i].value - e[3].figures[i].value) < 1e-15));
    for (int i = 0; i < 4; i++)
        bird_variants_evaluation_free(&e[i]);
}

Test(variants_eval, counts_out_of_range_are_refused)
{
    bird_variants_evaluation e = {0};
    bird_variants_options o;

    bird_variants_options_default(&o);
    o.scored = "x.tsv";
    o.measured = "effect";
    o.n_score = -1;
    FAILS(BIRD_EINVAL, bird_evaluate_variants(&e, &o), "no scores");
    o.n_score = 1;
    o.n_boot = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_evaluate_variants(&e, &o), "resamples");
}
