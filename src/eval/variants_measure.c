/* Metrics of scores of alleles, for each element and over all.
 *
 * A part is the alleles of one class of an element. Resamples of its alleles
 * are a function of (seed, element, class), the same for every score. A mean is
 * over groups; a resample of the mean samples groups with replacement, and each
 * time a group is sampled takes the value of another resample of that group.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"
#include "eval/variants_eval.h"

enum { C = BIRD_N_ALLELE_CLASS, M = BIRD_N_ALLELE_METRIC };

/* A metric and its place in the order of the output. */
struct placed {
    bird_variants_figure f;
    int64_t element, score; /* indices of names */
};

/* Sums over groups, of a class, score and metric. */
struct sums {
    double value, n;
    double *boot, *n_boot; /* (n_boot) */
    uint64_t units;        /* of which units: their mixed numbers, added */
};

struct measuring {
    struct bird_variants_evaluating *v;
    const struct bird_allele_set *s;
    int64_t n_boot;
    int64_t *row, *start;   /* rows by (element, class); (n_element * C + 1) */
    int64_t *unit, n_unit;  /* (n_element) unit of each element: its group, or
                              itself */
    int64_t *member, *from; /* elements by unit; (n_unit + 1) */
    uint16_t *sampled; /* (n_boot, n_unit) how often a unit is in a resample */
    struct sums *sum;  /* (C, n_score, M) */
    struct placed *placed; /* (n_placed) */
    int64_t n_placed, cap_placed;
    double *boot, *group, *n_group, *scratch; /* (M, n_boot); (n_boot) */
    int has_effect, has_label;
    int64_t n_apart; /* differences left out: defined for other elements */
    struct bird_pool pool;
};

/* --- one part, one score -------------------------------------------------- */

/* Alleles of a part, sorted for every metric that is defined. */
struct sample {
    int64_t n, n_known, n_label, n_positive;
    double *score, *size; /* (n) score and |score| */
    int32_t *label;       /* (n) */
    struct bird_rank_pair pair[2];
    struct bird_ranking ranking;
    int defined[M];
    double *scratch; /* (workers, 2 n) */
    double *boot;    /* (M, n_boot) */
    int64_t n_boot;
    struct bird_pool pool;
};

static void sample_free(struct sample *p)
{
    for (int k = 0; k < 2; k++)
        bird_rank_pair_free(&p->pair[k]);
    bird_pool_free(&p->pool);
}

static int sort_labels(struct sample *p, int signed_scores)
{
    struct bird_ranks by = {bird_pool_array(&p->pool, p->n, sizeof(int32_t)),
                            bird_pool_array(&p->pool, p->n, 1), 0};
    double *known = bird_pool_array(&p->pool, p->n, sizeof(*known));
    int rc = p->pool.rc;

    for (int64_t i = 0; !rc && i < p->n; i++) {
        known[i] = p->label[i] < 0 ? (double)NAN
                   : signed_scores ? p->score[i]
                                   : p->size[i];
        p->n_label += !isnan(known[i]);
        p->n_positive += !isnan(known[i]) && p->label[i];
    }
    if (!rc)
        rc = bird_rank_rows(&by, known, 1, p->n);
    if (!rc)
        p->ranking = (struct bird_ranking){.label = p->label,
                                           .n = by.n,
                                           .n_class = 2,
                                           .n_column = 1,
                                           .order = by.order,
                                           .tied = by.tied};
    return rc;
}

static int sample_new(struct sample *p, const struct measuring *q,
                      const int64_t *row, int64_t n, int64_t score)
{
    const struct bird_allele_set *s = q->s;
    double *effect[2];
    int rc;

    *p = (struct sample){.n = n, .boot = q->boot, .n_boot = q->n_boot};
    p->score = bird_pool_array(&p->pool, n, sizeof(*p->score));
    p->size = bird_pool_array(&p->pool, n, sizeof(*p->size));
    p->label = bird_pool_array(&p->pool, n, sizeof(*p->label));
    p->scratch =
        bird_pool_array(&p->pool, bird_threads() * 2 * n, sizeof(double));
    for (int k = 0; k < 2; k++)
        effect[k] = bird_pool_array(&p->pool, n, sizeof(double));
    rc = p->pool.rc;
    for (int64_t i = 0; !rc && i < n; i++) {
        p->score[i] = s->score[row[i] * s->n_score + score];
        p->size[i] = fabs(p->score[i]);
        effect[0][i] = s->at[row[i]].effect;
        effect[1][i] = fabs(effect[0][i]);
        p->label[i] = s->at[row[i]].label;
    }
    if (!rc)
        rc = bird_rank_pair_new(&p->pair[0], p->score, effect[0], n);
    if (!rc)
        rc = bird_rank_pair_new(&p->pair[1], p->size, effect[1], n);
    if (!rc)
        rc = sort_labels(p, q->v->o->signed_scores);
    p->n_known = rc ? 0 : p->pair[0].by[0].n;
    if (rc)
        sample_free(p);
    return rc;
}

/* The metrics that are defined, `stride` apart. */
static void sample_measure(double *out, int64_t stride, const struct sample *p,
                           const uint32_t *weight, double *scratch)
{
    for (int k = 0; k < 2; k++)
        if (p->defined[BIRD_SPEARMAN + k])
            out[(BIRD_SPEARMAN + k) * stride] =
                bird_rank_pair_spearman(&p->pair[k], weight, scratch);
    if (p->defined[BIRD_ALLELE_AUROC])
        out[BIRD_ALLELE_AUROC * stride] =
            bird_ranking_auroc(&p->ranking, weight, 0, 1);
    if (p->defined[BIRD_ALLELE_AUPRC])
        out[BIRD_ALLELE_AUPRC * stride] =
            bird_ranking_auprc(&p->ranking, weight, 0, 1);
}

static void sample_resample(void *context, int64_t first, int64_t count,
                            const uint32_t *weight, int worker)
{
    const struct sample *p = context;

    (void)count; /* 1 */
    sample_measure(p->boot + first, p->n_boot, p, weight,
                   p->scratch + worker * 2 * p->n);
}

/* 1: all rows have the same value */
static int is_constant(const struct bird_ranking *r)
{
    for (int64_t i = 1; i < r->n; i++)
        if (!r->tied[i])
            return 0;
    return 1;
}

/* Metrics over all rows; NaN: not defined. */
static int sample_values(double value[M], struct sample *p, int64_t least)
{
    uint32_t *one = bird_pool_array(&p->pool, p->n, sizeof(*one));
    int two;

    if (p->pool.rc)
        return p->pool.rc;
    two = p->n_label >= least && p->n_positive > 0 &&
          p->n_positive < p->n_label && !is_constant(&p->ranking);
    for (int64_t i = 0; i < p->n; i++)
        one[i] = 1;
    for (int m = 0; m < M; m++) {
        p->defined[m] = m < BIRD_ALLELE_AUROC ? p->n_known >= least : two;
        value[m] = (double)NAN;
    }
    sample_measure(value, 1, p, one, p->scratch);
    for (int m = 0; m < M; m++)
        p->defined[m] &= !isnan(value[m]);
    return 0;
}

/* Metrics, and those of all resamples into q->boot. */
static int measure(double value[M], struct sample *p, const struct measuring *q,
                   uint64_t seed)
{
    const struct bird_resamples how = {q->n_boot, 1, seed};
    int any = 0, rc = sample_values(value, p, q->v->o->min_alleles);

    for (int64_t i = 0; i < M * q->n_boot; i++)
        q->boot[i] = (double)NAN;
    for (int m = 0; m < M; m++)
        any |= p->defined[m];
    return rc || !any || !q->n_boot
               ? rc
               : bird_bootstrap(&how, p->n, sample_resample, p);
}

/* --- figures -------------------------------------------------------------- */

static int shown(const struct measuring *q, int metric)
{
    return metric < BIRD_ALLELE_AUROC ? q->has_effect : q->has_label;
}

/* Append a metric with the interval of n_boot values, whose order is kept. */
static int put(struct measuring *q, const struct placed *p, const double *boot)
{
    int rc = bird_array_grow(&q->placed, &q->cap_placed, q->n_placed + 1,
                             sizeof(*q->placed));
    struct placed *at;

    if (rc)
        return rc;
    at = &q->placed[q->n_placed++];
    *at = *p;
    at->f.lo = at->f.hi = (double)NAN;
    if (q->n_boot && !isnan(p->f.value)) {
        memcpy(q->scratch, boot, (size_t)q->n_boot * sizeof(*boot));
        bird_percentiles(&at->f.lo, &at->f.hi, q->scratch, q->n_boot,
                         q->v->o->level);
    }
    return 0;
}

/* The metrics of one part. */
static int put_part(struct measuring *q, const struct placed *like,
                    const struct sample *p, const double value[M])
{
    int rc = 0;

    for (int m = 0; !rc && m < M; m++) {
        struct placed x = *like;
        int ranked = m >= BIRD_ALLELE_AUROC;

        if (!shown(q, m))
            continue;
        x.f.metric = (enum bird_allele_metric)m;
        x.f.value = value[m];
        x.f.n = ranked ? p->n_label : p->n_known;
        x.f.n_positive = ranked ? p->n_positive : -1;
        rc = put(q, &x, q->boot + m * q->n_boot);
    }
    return rc;
}

/* --- groups and the mean -------------------------------------------------- */

static struct sums *sums_of(const struct measuring *q, int c, int64_t score,
                            int metric)
{
    return &q->sum[(c * q->s->n_score + score) * M + metric];
}

/* Add a group's value and resamples (NaN: not defined) to those of the mean. */
static void add_to_mean(struct measuring *q, struct sums *sum, int64_t unit,
                        double value, const double *boot)
{
    if (isnan(value))
        return;
    sum->value += value;
    sum->n++;
    sum->units += bird_mix(1, (uint64_t)unit);
    for (int64_t b = 0; b < q->n_boot; b++)
        for (int j = 0; j < q->sampled[b * q->n_unit + unit]; j++) {
            double x = boot[(b + j) % q->n_boot];

            if (!isnan(x)) {
                sum->boot[b] += x;
                sum->n_boot[b]++;
            }
        }
}

/* Sums over the members of a group become means. */
static void divide(double *sum, const double *n, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        sum[i] = n[i] > 0 ? sum[i] / n[i] : (double)NAN;
}

static uint64_t seed_of(const struct measuring *q, int64_t element, int c)
{
    return bird_mix(bird_mix(q->v->o->seed, (uint64_t)element + 1),
                    (uint64_t)c);
}

/* Metrics of an element; adds them to the sums of its group. */
static int measure_element(struct measuring *q, int64_t element, int c,
                           int64_t score, double sum[2][M])
{
    const int64_t *at = &q->start[element * C + c];
    struct placed like = {
        .f = {.level = BIRD_LEVEL_ELEMENT, .of = (enum bird_allele_class)c},
        .element = element,
        .score = score};
    struct sample p;
    double value[M];
    int rc;

    if (at[0] == at[1])
        return 0;
    rc = sample_new(&p, q, q->row + at[0], at[1] - at[0], score);
    if (rc)
        return rc;
    rc = measure(value, &p, q, seed_of(q, element, c));
    if (!rc)
        rc = put_part(q, &like, &p, value);
    sample_free(&p);
    for (int m = 0; !rc && m < M; m++) {
        sum[0][m] += isnan(value[m]) ? 0 : value[m];
        sum[1][m] += !isnan(value[m]);
    }
    for (int64_t i = 0; !rc && i < M * q->n_boot; i++) {
        q->group[i] += isnan(q->boot[i]) ? 0 : q->boot[i];
        q->n_group[i] += !isnan(q->boot[i]);
    }
    return rc;
}

/* A group on one class and score: metrics of its elements and of the group,
 * and its part of the mean. */
static int measure_unit(struct measuring *q, int64_t unit, int c, int64_t score)
{
    const int64_t *from = &q->from[unit];
    size_t size = (size_t)(M * q->n_boot) * sizeof(double);
    double sum[2][M] = {{0}};
    int rc = 0;

    if (q->n_boot) {
        memset(q->group, 0, size);
        memset(q->n_group, 0, size);
    }
    for (int64_t i = from[0]; !rc && i < from[1]; i++)
        rc = measure_element(q, q->member[i], c, score, sum);
    divide(q->group, q->n_group, M * q->n_boot);
    for (int m = 0; !rc && m < M; m++) {
        struct placed x = {.f = {.level = BIRD_LEVEL_GROUP,
                                 .of = (enum bird_allele_class)c,
                                 .metric = (enum bird_allele_metric)m,
                                 .n = (int64_t)sum[1][m],
                                 .n_positive = -1},
                           .element = unit,
                           .score = score};

        x.f.value = sum[1][m] > 0 ? sum[0][m] / sum[1][m] : (double)NAN;
        add_to_mean(q, sums_of(q, c, score, m), unit, x.f.value,
                    q->group + m * q->n_boot);
        if (from[1] - from[0] > 1 && shown(q, m) && x.f.n)
            rc = put(q, &x, q->group + m * q->n_boot);
    }
    return rc;
}

/* The baseline with the largest mean; -1: none is defined. */
static int64_t best_baseline(const struct measuring *q, int c, int metric)
{
    int64_t best = -1;

    for (int64_t k = q->s->n_column; k < q->s->n_score; k++) {
        double x = sums_of(q, c, k, metric)->value;

        if (!isnan(x) && (best < 0 || x > sums_of(q, c, best, metric)->value))
            best = k;
    }
    return best;
}

static int put_means(struct measuring *q, int c)
{
    struct placed x = {.f = {.level = BIRD_LEVEL_MEAN,
                             .of = (enum bird_allele_class)c,
                             .n_positive = -1}};
    int rc = 0;

    for (int64_t k = 0; !rc && k < q->s->n_score; k++)
        for (int m = 0; !rc && m < M; m++) {
            struct sums *sum = sums_of(q, c, k, m);

            sum->value = sum->n > 0 ? sum->value / sum->n : (double)NAN;
            divide(sum->boot, sum->n_boot, q->n_boot);
            x.score = k;
            x.f.metric = (enum bird_allele_metric)m;
            x.f.value = sum->value;
            x.f.n = (int64_t)sum->n;
            if (shown(q, m) && !q->s->left_out[k])
                rc = put(q, &x, sum->boot);
        }
    return rc;
}

/* Every score minus the best baseline. The index of such a difference is
 * n_score + baseline * n_score + score. */
static int put_differences(struct measuring *q, int c)
{
    struct placed x = {.f = {.level = BIRD_LEVEL_MEAN,
                             .of = (enum bird_allele_class)c,
                             .n_positive = -1}};
    int rc = 0;

    for (int m = 0; m < M; m++) {
        int64_t best = shown(q, m) ? best_baseline(q, c, m) : -1;

        for (int64_t k = 0; !rc && best >= 0 && k < q->s->n_column; k++) {
            const struct sums *a = sums_of(q, c, k, m);
            const struct sums *b = sums_of(q, c, best, m);

            if (q->s->left_out[k] || isnan(a->value))
                continue;
            if (a->units != b->units) {
                q->n_apart++;
                continue;
            }
            for (int64_t i = 0; i < q->n_boot; i++)
                q->boot[i] = a->boot[i] - b->boot[i];
            x.score = q->s->n_score * (1 + best) + k;
            x.f.metric = (enum bird_allele_metric)m;
            x.f.value = a->value - b->value;
            x.f.n = (int64_t)a->n;
            rc = put(q, &x, q->boot);
        }
    }
    return rc;
}

/* All alleles of a class as one element. */
static int put_pooled(struct measuring *q, int c, int64_t *row)
{
    struct placed like = {
        .f = {.level = BIRD_LEVEL_POOLED, .of = (enum bird_allele_class)c}};
    int64_t n = 0;
    int rc = 0;

    for (int64_t i = 0; i < q->s->n; i++)
        if (q->s->at[i].of == c)
            row[n++] = i;
    for (int64_t k = 0; !rc && k < q->s->n_score; k++) {
        struct sample p;
        double value[M];

        if (q->s->left_out[k])
            continue;
        like.score = k;
        rc = sample_new(&p, q, row, n, k);
        if (rc)
            break;
        rc = measure(value, &p, q, seed_of(q, q->s->n_element, c));
        if (!rc)
            rc = put_part(q, &like, &p, value);
        sample_free(&p);
    }
    return rc;
}

/* --- all of it ------------------------------------------------------------ */

/* Sort rows by element and class, and elements by unit: two counting sorts. */
static void sort_rows(struct measuring *q)
{
    const struct bird_allele_set *s = q->s;
    int64_t n = s->n_element * C;

    for (int64_t i = 0; i < s->n; i++) {
        q->start[s->at[i].element * C + s->at[i].of + 1]++;
        q->has_effect |= !isnan(s->at[i].effect);
        q->has_label |= s->at[i].label >= 0;
    }
    for (int64_t k = 0; k < n; k++)
        q->start[k + 1] += q->start[k];
    for (int64_t i = s->n - 1; i >= 0; i--)
        q->row[--q->start[s->at[i].element * C + s->at[i].of + 1]] = i;
    /* each start is now that of the next part */
    memmove(q->start, q->start + 1, (size_t)n * sizeof(*q->start));
    q->start[n] = s->n;
}

static void sort_elements(struct measuring *q)
{
    const struct bird_allele_set *s = q->s;
    int64_t n = 0;

    q->n_unit = s->n_group;
    for (int64_t e = 0; e < s->n_element; e++)
        q->unit[e] =
            s->element[e].group >= 0 ? s->element[e].group : q->n_unit++;
    for (int64_t u = 0; u < q->n_unit; u++) {
        q->from[u] = n;
        if (u >= s->n_group)
            continue;
        for (int64_t e = 0; e < s->n_element; e++)
            if (q->unit[e] == u)
                q->member[n++] = e;
    }
    for (int64_t e = 0; e < s->n_element; e++)
        if (q->unit[e] >= s->n_group) {
            q->from[q->unit[e]] = n;
            q->member[n++] = e;
        }
    q->from[q->n_unit] = n;
}

static void resample_units(struct measuring *q)
{
    for (int64_t b = 0; b < q->n_boot; b++) {
        struct bird_rng rng;
        uint16_t *sampled = q->sampled + b * q->n_unit;

        bird_rng_init(&rng, q->v->o->seed, 0x67726f75 /* grou */, (uint64_t)b);
        for (int64_t k = 0; k < q->n_unit; k++) {
            uint16_t *at = &sampled[bird_rng_below(&rng, (uint64_t)q->n_unit)];

            *at += *at < UINT16_MAX;
        }
    }
}

static int prepare(struct measuring *q)
{
    const struct bird_allele_set *s = q->s;
    int64_t n_sum = C * s->n_score * M;
    double *boot;

    q->row = bird_pool_array(&q->pool, s->n, sizeof(*q->row));
    q->start =
        bird_pool_array(&q->pool, s->n_element * C + 1, sizeof(*q->start));
    q->unit = bird_pool_array(&q->pool, s->n_element, sizeof(*q->unit));
    q->member = bird_pool_array(&q->pool, s->n_element, sizeof(*q->member));
    q->from = bird_pool_array(&q->pool, s->n_element + s->n_group + 1,
                              sizeof(*q->from));
    q->sum = bird_pool_array(&q->pool, n_sum, sizeof(*q->sum));
    boot = bird_pool_array(&q->pool, 2 * n_sum * q->n_boot, sizeof(*boot));
    q->boot = bird_pool_array(&q->pool, M * q->n_boot, sizeof(*boot));
    q->group = bird_pool_array(&q->pool, M * q->n_boot, sizeof(*boot));
    q->n_group = bird_pool_array(&q->pool, M * q->n_boot, sizeof(*boot));
    q->scratch = bird_pool_array(&q->pool, q->n_boot, sizeof(*boot));
    if (q->pool.rc)
        return q->pool.rc;
    for (int64_t i = 0; i < n_sum; i++) {
        q->sum[i].boot = boot + 2 * i * q->n_boot;
        q->sum[i].n_boot = q->sum[i].boot + q->n_boot;
    }
    sort_rows(q);
    sort_elements(q);
    q->sampled =
        bird_pool_array(&q->pool, q->n_boot * q->n_unit, sizeof(*q->sampled));
    if (!q->pool.rc)
        resample_units(q);
    return q->pool.rc;
}

static int tell(struct measuring *q, int64_t done)
{
    const bird_variants_options *o = q->v->o;
    bird_progress p = {"measuring", "elements", done, q->n_unit, NULL, NULL, 0};

    if (o->progress && o->progress(o->progress_context, &p))
        return bird_fail(BIRD_ECANCELED, "stopped");
    return 0;
}

static int measure_all(struct measuring *q)
{
    int64_t count[C] = {0};
    int rc = 0;

    for (int64_t i = 0; i < q->s->n; i++)
        count[q->s->at[i].of]++;
    for (int64_t u = 0; !rc && u < q->n_unit; u++) {
        for (int c = 0; c < C; c++)
            for (int64_t k = 0; !rc && count[c] && k < q->s->n_score; k++)
                if (!q->s->left_out[k])
                    rc = measure_unit(q, u, c, k);
        if (!rc)
            rc = tell(q, u + 1);
    }
    for (int c = 0; !rc && c < C; c++) {
        if (!count[c])
            continue;
        rc = put_means(q, c);
        if (!rc)
            rc = put_differences(q, c);
        if (!rc)
            rc = put_pooled(q, c, q->row); /* no longer needed */
    }
    return rc;
}

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int64_t u[5] = {x->f.level, x->element, x->f.of, x->score,
                          x->f.metric};
    const int64_t v[5] = {y->f.level, y->element, y->f.of, y->score,
                          y->f.metric};

    for (int i = 0; i < 5; i++)
        if (u[i] != v[i])
            return u[i] < v[i] ? -1 : 1;
    return 0;
}

/* Copy a name into the evaluation. */
static int keep_name(const char **out, bird_variants_evaluation *e,
                     int64_t *cap, const char *name)
{
    int rc = bird_array_grow(&e->name, cap, e->n_name + 1, sizeof(*e->name));

    if (rc)
        return rc;
    e->name[e->n_name] = strdup(name);
    if (!e->name[e->n_name])
        return bird_fail_memory(strlen(name));
    *out = e->name[e->n_name++];
    return 0;
}

static int score_text(struct bird_text *t, const struct bird_allele_set *s,
                      int64_t score)
{
    int64_t n = s->n_score;

    bird_text_clear(t);
    if (score < n)
        return bird_text_printf(t, "%s", s->score_name[score]);
    return bird_text_printf(t, "%s-%s", s->score_name[score % n],
                            s->score_name[score / n - 1]);
}

static int name_figures(struct measuring *q)
{
    const struct bird_allele_set *s = q->s;
    bird_variants_evaluation *e = &q->v->e;
    struct bird_text score = {0};
    const struct placed *before = NULL;
    int64_t cap = 0;
    int rc = 0;

    for (int64_t i = 0; !rc && i < q->n_placed; i++) {
        struct placed *p = &q->placed[i];
        const char *name =
            p->f.level == BIRD_LEVEL_ELEMENT ? s->element[p->element].name
            : p->f.level == BIRD_LEVEL_GROUP ? s->group[p->element]
                                             : "all";

        if (before && before->f.level == p->f.level &&
            before->element == p->element)
            p->f.element = before->f.element;
        else
            rc = keep_name(&p->f.element, e, &cap, name);
        if (before && before->score == p->score)
            p->f.score = before->f.score;
        else if (!rc && !(rc = score_text(&score, s, p->score)))
            rc = keep_name(&p->f.score, e, &cap, score.s);
        before = p;
        e->figures[e->n_figures++] = p->f;
    }
    bird_text_free(&score);
    return rc;
}

int bird_variants_measure(struct bird_variants_evaluating *v)
{
    struct measuring q = {.v = v, .s = &v->set, .n_boot = v->o->n_boot};
    int rc = prepare(&q);

    if (!rc)
        rc = measure_all(&q);
    if (!rc && q.n_apart)
        rc = bird_allele_set_note(
            &v->set,
            "%lld differences from a baseline are left out: score and baseline "
            "are not defined for the same elements",
            (long long)q.n_apart);
    if (!rc)
        rc = bird_array_new(&v->e.figures, q.n_placed, sizeof(*v->e.figures));
    if (!rc) {
        qsort(q.placed, (size_t)q.n_placed, sizeof(*q.placed), by_place);
        rc = name_figures(&q);
    }
    free(q.placed);
    bird_pool_free(&q.pool);
    return rc;
}
