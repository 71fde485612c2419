/* Metrics with intervals from the sums of windows.
 *
 * The sums of a window are one row: for every class the hidden tokens, their
 * bases, and the scores of every predictor. A metric is a quotient of sums over
 * windows, and a resample is a weight for each window.
 * SPDX-License-Identifier: MIT */
#include "eval/mlm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"

const char *bird_mlm_class_name(enum bird_mlm_class c)
{
    static const char *const name[BIRD_MLM_N_CLASS] = {"all", "repeat",
                                                       "nonrepeat"};

    return c >= 0 && c < BIRD_MLM_N_CLASS ? name[c] : "";
}

/* A metric: a sum of scores per base or token, or the model's minus this
 * sum; and the predictors that have the metric. */
enum { OF_MODEL = 1, OF_BASELINES = 2, OF_TOKENS = 4, OF_ALL = 3 };
static const struct {
    const char *name;
    enum bird_mlm_score score;
    int less, per_token, of;
} metric[BIRD_MLM_N_METRIC] = {
    [BIRD_MLM_BITS_PER_BASE] = {"bits_per_base", BIRD_MLM_SCORE_BITS, 0, 0,
                                OF_ALL},
    [BIRD_MLM_BITS_PER_TOKEN] = {"bits_per_token", BIRD_MLM_SCORE_BITS, 0, 1,
                                 OF_ALL},
    [BIRD_MLM_ACCURACY] = {"accuracy", BIRD_MLM_SCORE_RIGHT, 0, 1, OF_MODEL},
    [BIRD_MLM_BITS_GIVEN_LENGTH] = {"bits_per_base_given_length",
                                    BIRD_MLM_SCORE_LENGTH_BITS, 0, 0, OF_ALL},
    [BIRD_MLM_ACCURACY_GIVEN_LENGTH] = {"accuracy_given_length",
                                        BIRD_MLM_SCORE_LENGTH_RIGHT, 0, 1,
                                        OF_ALL},
    [BIRD_MLM_MODEL_LESS] = {"model_less_bits_per_base", BIRD_MLM_SCORE_BITS, 1,
                             0, OF_BASELINES},
    [BIRD_MLM_MODEL_LESS_GIVEN_LENGTH] =
        {"model_less_bits_per_base_given_length", BIRD_MLM_SCORE_LENGTH_BITS, 1,
         0, OF_BASELINES},
    [BIRD_MLM_BASES_PER_TOKEN] = {"bases_per_token", 0, 0, 1, OF_TOKENS}};

const char *bird_mlm_metric_name(enum bird_mlm_metric m)
{
    return m >= 0 && m < BIRD_MLM_N_METRIC ? metric[m].name : "";
}

void bird_mlm_predictor_name(char out[24], const struct bird_mlm_evaluating *v,
                             int p)
{
    int n = v->o->n_order, i = p - 2;

    if (p < 2)
        snprintf(out, 24, "%s", p ? "uniform" : "model");
    else
        snprintf(out, 24, "markov_%s_%d", i < n ? "left" : "both",
                 v->o->order[i % n]);
}

/* ---- sums ---------------------------------------------------------------- */

enum { N_TOKEN, N_BASE, SCORES };

static int64_t class_stride(const struct bird_mlm_evaluating *v)
{
    return SCORES + v->n_predictor * BIRD_MLM_N_SCORE;
}

int64_t bird_mlm_stride(const struct bird_mlm_evaluating *v)
{
    return BIRD_MLM_N_CLASS * class_stride(v);
}

static void add_token(double *sum, const struct bird_mlm_evaluating *v,
                      const struct bird_mlm_row *r, int64_t i)
{
    const double *score = bird_mlm_score_at(r, v, i, 0);

    sum[N_TOKEN]++;
    sum[N_BASE] += (double)r->hidden[i].n;
    for (int j = 0; j < v->n_predictor * BIRD_MLM_N_SCORE; j++)
        sum[SCORES + j] += score[j];
}

void bird_mlm_add_row(struct bird_mlm_evaluating *v, int64_t window,
                      const struct bird_mlm_row *r)
{
    double *sum = v->sum + window * bird_mlm_stride(v);

    for (int64_t i = 0; i < r->n_hidden; i++) {
        add_token(sum, v, r, i);
        add_token(sum + r->hidden[i].part * class_stride(v), v, r, i);
    }
    v->e.n_token += r->n_token;
    v->e.n_bp += r->n_bp;
    v->e.n_hidden += r->n_hidden + r->n_unknown;
    v->e.n_unknown += r->n_unknown;
    v->e.n_cut += r->is_cut;
    v->sequence.has_case[r->window.contig] |= (uint8_t)r->has_lower;
}

/* A contig without lower case has no information about repeats. */
static void forget_classes(struct bird_mlm_evaluating *v)
{
    int64_t n = class_stride(v);

    for (int64_t i = 0; i < v->n_window; i++) {
        double *sum = v->sum + i * bird_mlm_stride(v);

        if (v->sequence.has_case[v->window[i].contig])
            v->e.n_class_window++;
        else
            memset(sum + n, 0,
                   (size_t)((BIRD_MLM_N_CLASS - 1) * n) * sizeof(*sum));
    }
}

/* ---- metrics ------------------------------------------------------------- */

/* A metric of a predictor on a class. */
struct item {
    enum bird_mlm_class part;
    enum bird_mlm_metric metric;
    int predictor; /* n_predictor: "tokens" */
};

static double evaluate_item(const struct item *x, const double *sum,
                            int64_t n_class_sum)
{
    const double *s = sum + x->part * n_class_sum;
    const double *score = s + SCORES + metric[x->metric].score;
    double n_token = s[N_TOKEN], n_base = s[N_BASE];
    double per = metric[x->metric].per_token ? n_token : n_base, own;

    if (!(n_token > 0))
        return (double)NAN;
    if (metric[x->metric].of == OF_TOKENS)
        return n_base / n_token;
    own = score[x->predictor * BIRD_MLM_N_SCORE];
    return (metric[x->metric].less ? score[0] - own : own) / per;
}

static int has_metric(int p, int n_predictor, enum bird_mlm_metric m)
{
    int who = p == n_predictor ? OF_TOKENS : p ? OF_BASELINES : OF_MODEL;

    return (metric[m].of & who) != 0;
}

/* All metrics, predictors and classes; *out (*n) is the caller's. */
static int make_items(struct item **out, int64_t *n,
                      const struct bird_mlm_evaluating *v)
{
    int64_t most =
        (int64_t)BIRD_MLM_N_CLASS * (v->n_predictor + 1) * BIRD_MLM_N_METRIC;
    int rc = bird_array_new(out, most, sizeof(**out));

    *n = 0;
    for (int c = 0; !rc && c < BIRD_MLM_N_CLASS; c++)
        for (int p = 0; p <= v->n_predictor; p++)
            for (int m = 0; m < BIRD_MLM_N_METRIC; m++)
                if (has_metric(p, v->n_predictor, (enum bird_mlm_metric)m))
                    (*out)[(*n)++] = (struct item){(enum bird_mlm_class)c,
                                                   (enum bird_mlm_metric)m, p};
    return rc;
}

/* ---- resamples ----------------------------------------------------------- */

enum {
    TOGETHER = 8
}; /* resamples of a task, so that a window's row is read
                          once for all of them */

struct boot {
    const struct bird_mlm_evaluating *v;
    const struct item *item;
    int64_t n_item;
    const int64_t *window; /* (n) of the set */
    int64_t n;
    double *sum;   /* (workers, TOGETHER, stride) */
    double *value; /* (n_item, n_boot) */
};

static void measure_resamples(void *context, int64_t first, int64_t count,
                              const uint32_t *weight, int worker)
{
    struct boot *b = context;
    const struct bird_mlm_evaluating *v = b->v;
    int64_t stride = bird_mlm_stride(v);
    double *sum = b->sum + worker * TOGETHER * stride;

    memset(sum, 0, (size_t)(TOGETHER * stride) * sizeof(*sum));
    for (int64_t i = 0; i < b->n; i++) {
        const double *row = v->sum + b->window[i] * stride;

        for (int64_t k = 0; k < count; k++) {
            double w = (double)weight[k * b->n + i];

            for (int64_t j = 0; w > 0 && j < stride; j++)
                sum[k * stride + j] += w * row[j];
        }
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < b->n_item; i++)
            b->value[i * v->o->n_boot + first + k] =
                evaluate_item(&b->item[i], sum + k * stride, class_stride(v));
}

static int run_boot(struct boot *b)
{
    const bird_mlm_options *o = b->v->o;
    const struct bird_resamples how = {o->n_boot, TOGETHER, o->seed};
    int rc = bird_array_new(&b->value, b->n_item * o->n_boot, sizeof(double));

    if (!rc)
        rc = bird_array_new(&b->sum,
                            bird_threads() * TOGETHER * bird_mlm_stride(b->v),
                            sizeof(double));
    if (!rc)
        rc = bird_bootstrap(&how, b->n, measure_resamples, b);
    free(b->sum);
    return rc;
}

/* ---- sets of windows ----------------------------------------------------- */

/* Sums over the set, and the number of windows with tokens of each class. */
static void total(double *sum, int64_t n_window[BIRD_MLM_N_CLASS],
                  const struct boot *b)
{
    int64_t stride = bird_mlm_stride(b->v), n = class_stride(b->v);

    memset(sum, 0, (size_t)stride * sizeof(*sum));
    memset(n_window, 0, BIRD_MLM_N_CLASS * sizeof(*n_window));
    for (int64_t i = 0; i < b->n; i++) {
        const double *row = b->v->sum + b->window[i] * stride;

        for (int64_t j = 0; j < stride; j++)
            sum[j] += row[j];
        for (int c = 0; c < BIRD_MLM_N_CLASS; c++)
            n_window[c] += row[c * n + N_TOKEN] > 0;
    }
}

static int add_value(struct bird_mlm_evaluating *v, const struct item *x,
                     const double *sum, const struct boot *b, int64_t at)
{
    const double *s = sum + x->part * class_stride(v);
    bird_mlm_evaluation *e = &v->e;
    bird_mlm_value *f;
    int rc = bird_array_grow(&e->figures, &v->cap_figures, e->n_figures + 1,
                             sizeof(*e->figures));

    if (rc)
        return rc;
    f = &e->figures[e->n_figures++];
    *f = (bird_mlm_value){.set = e->set_name[e->n_set - 1],
                          .part = x->part,
                          .metric = x->metric,
                          .value = evaluate_item(x, sum, class_stride(v)),
                          .lo = (double)NAN,
                          .hi = (double)NAN,
                          .n_token = (int64_t)s[N_TOKEN],
                          .n_base = (int64_t)s[N_BASE]};
    if (x->predictor == v->n_predictor)
        snprintf(f->predictor, sizeof(f->predictor), "tokens");
    else
        bird_mlm_predictor_name(f->predictor, v, x->predictor);
    if (b->value)
        bird_percentiles(&f->lo, &f->hi, b->value + at * v->o->n_boot,
                         v->o->n_boot, v->o->level);
    return 0;
}

/* Metrics of these windows, which are the last set in set_name. */
static int measure_set(struct bird_mlm_evaluating *v, const int64_t *window,
                       int64_t n)
{
    struct boot b = {.v = v, .window = window, .n = n};
    int64_t n_window[BIRD_MLM_N_CLASS];
    struct item *item = NULL;
    double *sum = NULL;
    int rc = make_items(&item, &b.n_item, v);

    b.item = item;
    if (!rc)
        rc = bird_array_new(&sum, bird_mlm_stride(v), sizeof(*sum));
    if (!rc && v->o->n_boot)
        rc = run_boot(&b);
    if (!rc)
        total(sum, n_window, &b);
    for (int64_t i = 0; !rc && i < b.n_item; i++) {
        if (!n_window[item[i].part])
            continue;
        rc = add_value(v, &item[i], sum, &b, i);
        if (!rc)
            v->e.figures[v->e.n_figures - 1].n_window = n_window[item[i].part];
    }
    free(item);
    free(sum);
    free(b.value);
    return rc;
}

static int name_set(struct bird_mlm_evaluating *v, const char *name)
{
    v->e.set_name[v->e.n_set] = strdup(name);
    if (!v->e.set_name[v->e.n_set])
        return bird_fail_memory(strlen(name));
    v->e.n_set++;
    return 0;
}

/* Metrics of the windows of one contig; -1: of all windows. */
static int measure_contig(struct bird_mlm_evaluating *v, int64_t *window,
                          int32_t contig)
{
    int64_t n = 0;
    int rc;

    for (int64_t i = 0; i < v->n_window; i++)
        if (contig < 0 || v->window[i].contig == contig)
            window[n++] = i;
    if (!n)
        return 0;
    rc = name_set(v, contig < 0 ? "all"
                                : v->sequence.reference.contigs.name[contig]);
    return rc ? rc : measure_set(v, window, n);
}

int bird_mlm_measure(struct bird_mlm_evaluating *v)
{
    int64_t *window;
    int rc = bird_array_new(&window, v->n_window, sizeof(*window));

    forget_classes(v);
    if (!rc)
        rc = bird_array_new(&v->e.set_name, v->sequence.reference.n + 1,
                            sizeof(*v->e.set_name));
    if (!rc && v->e.n_hidden == v->e.n_unknown)
        rc = bird_fail(BIRD_EINVAL, "no hidden token has A, C, G, T alone: "
                                    "nothing to evaluate");
    if (!rc)
        rc = measure_contig(v, window, -1);
    for (int32_t i = 0; !rc && v->o->by_contig && i < v->sequence.reference.n;
         i++)
        rc = measure_contig(v, window, i);
    free(window);
    return rc;
}
