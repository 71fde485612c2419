/* Effects by masked-language models (variant/effect_kind.h): how likely the
 * tokens that a change touches (variant/masked_span.h) are, masked, with REF
 * and with ALT; and how far apart the means of the hidden states of both
 * windows are. All of a span is masked at once, and log p summed over it; of a
 * change of length divided by the span's bases.
 *
 * What one pass answers is read for every allele that needs it: REF and ALT of
 * a change that keeps the number of tokens have the same flanks, and so have
 * all alleles of a site; windows without masked tokens are shared by all
 * changes in them. Passes are collected and run together when they are many.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/stem.h"
#include "session/masked.h"
#include "session/session.h"
#include "token/vocab.h"
#include "variant/effect_kind.h"
#include "variant/masked_span.h"

enum {
    MAX_WAITING = 32 * BIRD_PACK_TOKENS, /* tokens before passes are run: packs
                                            for every thread */
    WINDOW_BP = 512,                     /* GPN's */
    WINDOW_STEPS = 16
};

enum { FROM = BIRD_SIDE_FROM, TO = BIRD_SIDE_TO };

struct pass {                 /* a row of tokens, run once */
    int64_t ids, n, at, n_at; /* first in the pools, and how many */
    int64_t mean;             /* number of its mean, or -1 */
    int64_t reading;          /* its latest reading; -1: none */
};

struct reading {     /* log p of a token that is masked at at[i] of its pass */
    int64_t i, next; /* next reading of the same pass; -1: none */
    int64_t row;     /* of `sum`, to which weight times it is added */
    int32_t id;
    double weight, value;
};

struct distance {        /* that is wanted of a change */
    int64_t slot, shift; /* slot of FROM; TO has the next */
    int64_t pass[2][2];  /* by strand and side; -1: strand not used */
};

struct open_window { /* the window at hand, as tokens */
    int64_t version;
    int backward;
    struct bird_masked_strand strand[2];
};

/* What waits for flush(). arena:
 * | ids | at | row | pass | run_rows | reading | distance | mean | */
struct waiting {
    struct bird_arena arena;
    struct bird_map known;   /* rows of tokens to passes */
    int32_t *ids, *at, *row; /* pools of all passes; row: the one being made */
    struct pass *pass;
    struct bird_masked_row *run_rows; /* (n_pass) */
    struct reading *reading;
    struct distance *distance;
    double *mean; /* (n_mean, n_hidden) */
    int64_t n_ids, n_at, n_pass, n_reading, n_distance, n_mean;
};

/* What lasts until evict(). arena: | sum | value | */
struct slots {
    struct bird_arena arena;
    double *sum;  /* (n_slot, n_shift, n_strand) log-likelihoods */
    float *value; /* (n_slot, n_shift, n_strand, BIRD_LIKELIHOOD_VALUES) */
};

struct masked_effect {
    const struct bird_effect_plan *plan;
    const bird_tokenizer *t;
    int32_t mask;
    int64_t max_tokens; /* that the model reads, without special ones */
    int64_t n_hidden;
    struct bird_masked *run;
    struct open_window window[BIRD_SHIFTS];
    struct open_window *at; /* of the input at hand */
    struct waiting w;
    struct slots s;
    bird_session_counts counts;
};

static int64_t max_tokens(const bird_model *m)
{
    const struct bird_config *c = bird_model_config(m);
    const bird_tokenizer *t = bird_model_tokenizer(m);

    return bird_stem_tokens(c, c->max_positions) - t->n_before - t->n_after;
}

/* The model's own; else GPN's, or as many as the model surely reads. */
static int64_t window_bp(const bird_model *m)
{
    int64_t n = max_tokens(m), own = bird_model_window(m);

    n -= n / 16; /* for insertions */
    return own > 0 ? own : n < 1 ? 1 : n < WINDOW_BP ? n : WINDOW_BP;
}

/* --- answers ------------------------------------------------------------- */

static double log_sum_exp(const float *x, int64_t n)
{
    double sum = 0, most = (double)x[0];

    for (int64_t i = 1; i < n; i++)
        most = (double)x[i] > most ? (double)x[i] : most;
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)x[i] - most);
    return most + log(sum);
}

static void take_logits(void *context, int64_t row, int64_t i,
                        const float *logits)
{
    struct masked_effect *e = context;
    double all = log_sum_exp(logits, bird_model_config(e->plan->m)->vocab_size);

    for (int64_t k = e->w.pass[row].reading; k >= 0; k = e->w.reading[k].next)
        if (e->w.reading[k].i == i)
            e->w.reading[k].value = (double)logits[e->w.reading[k].id] - all;
}

static void take_mean(void *context, int64_t row, const double *mean)
{
    struct masked_effect *e = context;

    memcpy(e->w.mean + e->w.pass[row].mean * e->n_hidden, mean,
           (size_t)e->n_hidden * sizeof(*mean));
}

/* --- making -------------------------------------------------------------- */

static void free_effect(void *effect)
{
    struct masked_effect *e = effect;

    if (!e)
        return;
    for (int64_t k = 0; k < e->plan->n_shift; k++)
        for (int s = 0; s < 2; s++)
            bird_masked_strand_free(&e->window[k].strand[s]);
    bird_masked_free(e->run);
    bird_map_free(&e->w.known);
    bird_arena_free(&e->w.arena);
    bird_arena_free(&e->s.arena);
    free(e);
}

static int make(void **out, const struct bird_effect_plan *plan)
{
    struct bird_masked_calls calls = {take_logits, take_mean, NULL};
    struct masked_effect *e;
    int rc = bird_array_new(&e, 1, sizeof(*e));

    if (rc)
        return rc;
    e->plan = plan;
    e->t = bird_model_tokenizer(plan->m);
    e->mask = bird_mask_token(e->t);
    e->max_tokens = max_tokens(plan->m);
    e->n_hidden = bird_model_config(plan->m)->hidden_size;
    calls.context = e;
    if (e->mask < 0)
        rc = bird_fail(BIRD_EINVAL, "%s: the tokenizer has no token [MASK]",
                       bird_model_path(plan->m));
    if (!rc)
        rc = bird_masked_new(&e->run, plan->m, &calls);
    if (rc)
        free_effect(e);
    else
        *out = e;
    return rc;
}

/* --- passes -------------------------------------------------------------- */

/* The tokens of a side into e->w.row, special ones around them; of more than the
 * model reads those nearest to the span. *at is the span's first, *n how many
 * there are. */
static int make_row(struct masked_effect *e, int64_t *n, int64_t *at,
                    const struct bird_masked_side *x, int masked)
{
    const bird_tokenizer *t = e->t;
    int64_t left = x->first, right = x->e.n - x->end, k = x->end - x->first;
    int rc;

    if (left + k + right > e->max_tokens) {
        int64_t flanks = e->max_tokens - k;

        left = flanks / 2 < x->first ? flanks / 2 : x->first;
        left = right < flanks - left ? flanks - right : left;
        left = left < x->first ? left : x->first;
        right = right < flanks - left ? right : flanks - left;
        e->counts.n_trimmed++;
    }
    *n = t->n_before + left + k + right + t->n_after;
    *at = t->n_before + left;
    rc = bird_arena_grow(&e->w.arena, &e->w.row, *n, sizeof(*e->w.row));
    if (rc)
        return rc;
    for (int64_t i = 0; i < t->n_before; i++)
        e->w.row[i] = t->before[i];
    for (int64_t i = 0; i < left + k + right; i++)
        e->w.row[t->n_before + i] = masked && i >= left && i < left + k
                                        ? e->mask
                                        : x->e.ids[x->first - left + i];
    for (int64_t i = 0; i < t->n_after; i++)
        e->w.row[*n - t->n_after + i] = t->after[i];
    return 0;
}

/* The pass of e->w.row, in which n_at tokens from `at` on are masked; 0: its mean
 * is wanted. */
static int new_pass(struct masked_effect *e, int64_t n, int64_t at,
                    int64_t n_at)
{
    struct bird_arena *a = &e->w.arena;
    int rc =
        bird_arena_grow(a, &e->w.pass, e->w.n_pass + 1, sizeof(*e->w.pass));

    if (!rc)
        rc = bird_arena_grow(a, &e->w.ids, e->w.n_ids + n, sizeof(*e->w.ids));
    if (!rc)
        rc = bird_arena_grow(a, &e->w.at, e->w.n_at + n_at, sizeof(*e->w.at));
    if (rc)
        return rc;
    e->w.pass[e->w.n_pass++] = (struct pass){
        e->w.n_ids, n, e->w.n_at, n_at, n_at ? -1 : e->w.n_mean++, -1};
    memcpy(e->w.ids + e->w.n_ids, e->w.row, (size_t)n * sizeof(*e->w.ids));
    e->w.n_ids += n;
    for (int64_t i = 0; i < n_at; i++)
        e->w.at[e->w.n_at++] = (int32_t)(at + i);
    return 0;
}

static int find_pass(struct masked_effect *e, int64_t *pass, int64_t n,
                     int64_t at, int64_t n_at)
{
    int64_t *known = NULL;
    int rc = e->plan->unshared
                 ? 0
                 : bird_map_add(&e->w.known, &known, e->w.row,
                                n * (int64_t)sizeof(*e->w.row), e->w.n_pass);

    *pass = e->w.n_pass;
    if (!rc && known && *known != e->w.n_pass) {
        *pass = *known;
        e->counts.n_cached++;
        return 0;
    }
    return rc ? rc : new_pass(e, n, at, n_at);
}

/* The row of `sum` and `value` that a slot has for a shift and a strand. */
static int64_t row_of(const struct masked_effect *e, int64_t slot,
                      int64_t shift, int strand)
{
    int64_t row = slot * e->plan->n_shift + shift;

    return e->plan->n_strand > 1 ? row * 2 + strand : row;
}

/* Add the log-likelihood of a side's span, times weight, to a row of `sum`. */
static int want_likelihood(struct masked_effect *e,
                           const struct bird_masked_side *x, int64_t row,
                           double weight)
{
    int64_t k = x->end - x->first, pass, n, at;
    int rc = make_row(e, &n, &at, x, 1);

    if (!rc)
        rc = find_pass(e, &pass, n, at, k);
    if (!rc)
        rc = bird_arena_grow(&e->w.arena, &e->w.reading, e->w.n_reading + k,
                             sizeof(*e->w.reading));
    for (int64_t i = 0; !rc && i < k; i++) {
        e->w.reading[e->w.n_reading] =
            (struct reading){.i = i,
                             .next = e->w.pass[pass].reading,
                             .row = row,
                             .id = x->e.ids[x->first + i],
                             .weight = weight};
        e->w.pass[pass].reading = e->w.n_reading++;
    }
    return rc;
}

static int want_distance(struct masked_effect *e, int64_t slot, int64_t shift)
{
    struct distance d = {slot, shift, {{-1, -1}, {-1, -1}}};
    int64_t n, at;
    int rc = bird_arena_grow(&e->w.arena, &e->w.distance, e->w.n_distance + 1,
                             sizeof(*e->w.distance));

    for (int s = 0; s < 2; s++)
        for (int k = FROM; k <= TO && e->plan->used[s] && !rc; k++) {
            rc = make_row(e, &n, &at, &e->at->strand[s].side[k], 0);
            if (!rc)
                rc = find_pass(e, &d.pass[s][k], n, at, 0);
        }
    if (!rc)
        e->w.distance[e->w.n_distance++] = d;
    return rc;
}

/* Two empty slots. */
static int new_slots(struct masked_effect *e, int64_t slot, int64_t shift)
{
    int64_t n = e->plan->n_strand, v = BIRD_LIKELIHOOD_VALUES;
    int64_t all = row_of(e, slot + 2, 0, 0);
    int rc =
        bird_arena_grow(&e->s.arena, &e->s.value, all * v, sizeof(*e->s.value));

    if (!rc)
        rc = bird_arena_grow(&e->s.arena, &e->s.sum, all, sizeof(*e->s.sum));
    for (int k = FROM; k <= TO && !rc; k++) {
        int64_t row = row_of(e, slot + k, shift, 0);

        memset(e->s.value + row * v, 0, (size_t)(n * v) * sizeof(*e->s.value));
        memset(e->s.sum + row, 0, (size_t)n * sizeof(*e->s.sum));
    }
    return rc;
}

/* --- submitting ---------------------------------------------------------- */

static int open_window(struct masked_effect *e,
                       const struct bird_effect_input *in)
{
    const struct bird_effect_window *w = in->window;
    int rc = 0;

    if (e->at->version == w->version && e->at->backward == in->backward)
        return 0;
    for (int s = 0; s < 2 && !rc; s++)
        if (e->plan->used[s])
            rc = bird_masked_strand_open(&e->at->strand[s], e->t, w->bases[s].s,
                                         w->end - w->start);
    e->at->version = rc ? 0 : w->version;
    e->at->backward = in->backward;
    return rc;
}

/* The spans of the strands in use, and the status of the change. */
static int find_spans(struct masked_effect *e,
                      struct bird_effect_submitted *out,
                      const struct bird_effect_input *in)
{
    int rc = open_window(e, in);

    for (int s = 0; s < 2 && !rc && out->status == BIRD_VARIANT_OK; s++) {
        if (!e->plan->used[s])
            continue;
        rc = bird_masked_strand_change(&e->at->strand[s], e->t, &in->strand[s]);
        for (int k = FROM; k <= TO && !rc; k++) {
            const struct bird_masked_side *x = &e->at->strand[s].side[k];
            int64_t n = x->end - x->first;

            if (!bird_masked_span_known(x, e->t))
                out->status = BIRD_VARIANT_NO_TOKEN;
            else if (n > e->max_tokens)
                out->status = BIRD_VARIANT_TOO_LONG;
            out->n_changed = n > out->n_changed ? n : out->n_changed;
        }
    }
    return rc;
}

static int flush(void *effect);

static int submit(void *effect, struct bird_effect_submitted *out,
                  const struct bird_effect_input *in)
{
    struct masked_effect *e = effect;
    const struct bird_change *c = in->change;
    const int *used = e->plan->used;
    int64_t joined = e->plan->n_strand > 1 ? 1 : used[0] + used[1];
    int keeps_length = c->alt.n == c->end - c->start, rc;

    *out = (struct bird_effect_submitted){.status = BIRD_VARIANT_OK,
                                          .tokenized_alone = 1};
    e->at = &e->window[in->shift];
    rc = find_spans(e, out, in);
    if (rc || out->status != BIRD_VARIANT_OK)
        return rc;
    rc = new_slots(e, in->slot, in->shift);
    for (int s = 0; s < 2; s++)
        for (int k = FROM; k <= TO && used[s] && !rc; k++) {
            const struct bird_masked_side *x = &e->at->strand[s].side[k];
            double bases =
                keeps_length ? 1 : (double)bird_masked_span_bases(x, e->t);

            rc = want_likelihood(e, x, row_of(e, in->slot + k, in->shift, s),
                                 1.0 / (double)joined / bases);
        }
    if (!rc && in->distance)
        rc = want_distance(e, in->slot, in->shift);
    if (!rc && e->w.n_ids >= MAX_WAITING)
        rc = flush(e);
    return rc;
}

/* --- running ------------------------------------------------------------- */

static int fail_not_finite(const struct masked_effect *e)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: model returned NaN or infinity: the weights may be "
                     "corrupt",
                     bird_model_path(e->plan->m));
}

/* The distance of the means of both sides on a strand. */
static double strand_distance(const struct masked_effect *e,
                              const struct distance *d, int s)
{
    const double *x =
        e->w.mean + e->w.pass[d->pass[s][FROM]].mean * e->n_hidden;
    const double *y = e->w.mean + e->w.pass[d->pass[s][TO]].mean * e->n_hidden;
    double sum = 0;

    for (int64_t i = 0; i < e->n_hidden; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

/* Into the slots of a change: the distance of each strand, or their mean. */
static int put_distance(struct masked_effect *e, const struct distance *d)
{
    const int *used = e->plan->used;
    int each = e->plan->n_strand > 1;
    double sum = 0;

    for (int s = 0; s < 2; s++) {
        float x;

        if (!used[s])
            continue;
        sum = (each ? 0 : sum) + strand_distance(e, d, s);
        x = (float)(each || s == BIRD_PLUS_STRAND ? sum
                                                  : sum / (used[0] + used[1]));
        for (int k = FROM; k <= TO; k++)
            e->s.value[row_of(e, d->slot + k, d->shift, s) *
                           BIRD_LIKELIHOOD_VALUES +
                       BIRD_STATE_DISTANCE] = x;
        if (!isfinite(x))
            return fail_not_finite(e);
    }
    return 0;
}

/* Add what was read to the slots, in the order of the requests. */
static int fill_slots(struct masked_effect *e)
{
    int rc = 0;

    for (int64_t k = 0; k < e->w.n_reading; k++) {
        const struct reading *r = &e->w.reading[k];

        e->s.sum[r->row] += r->weight * r->value;
        e->s.value[r->row * BIRD_LIKELIHOOD_VALUES + BIRD_LOG_LIKELIHOOD] =
            (float)e->s.sum[r->row];
        if (!isfinite(r->value))
            return fail_not_finite(e);
    }
    for (int64_t k = 0; k < e->w.n_distance && !rc; k++)
        rc = put_distance(e, &e->w.distance[k]);
    return rc;
}

static int flush(void *effect)
{
    struct masked_effect *e = effect;
    int rc = bird_arena_grow(&e->w.arena, &e->w.run_rows, e->w.n_pass,
                             sizeof(*e->w.run_rows));

    if (!rc)
        rc = bird_arena_grow(&e->w.arena, &e->w.mean, e->w.n_mean * e->n_hidden,
                             sizeof(*e->w.mean));
    for (int64_t i = 0; !rc && i < e->w.n_pass; i++) {
        const struct pass *p = &e->w.pass[i];

        e->w.run_rows[i] = (struct bird_masked_row){
            e->w.ids + p->ids, e->w.at + p->at, p->n, p->n_at, p->mean >= 0};
    }
    if (!rc)
        rc = bird_masked_run(e->run, e->w.run_rows, e->w.n_pass);
    if (!rc)
        rc = fill_slots(e);
    e->counts.n_evaluated += rc ? 0 : e->w.n_pass;
    bird_map_free(&e->w.known);
    e->w.n_ids = e->w.n_at = e->w.n_pass = e->w.n_reading = 0;
    e->w.n_distance = e->w.n_mean = 0;
    return rc;
}

static void values(float *out, const void *effect, int64_t shift, int64_t slot)
{
    const struct masked_effect *e = effect;

    memcpy(out, e->s.value + row_of(e, slot, shift, 0) * BIRD_LIKELIHOOD_VALUES,
           (size_t)(e->plan->n_strand * BIRD_LIKELIHOOD_VALUES) * sizeof(*out));
}

/* The next slots take the place of these. */
static void evict(void *effect)
{
    (void)effect;
}

static void count(bird_session_counts *out, const void *effect)
{
    const struct masked_effect *e = effect;

    *out = e->counts;
}

const struct bird_effect_kind bird_effect_masked = {
    .likelihood = 1,
    .window_steps = WINDOW_STEPS,
    .window_bp = window_bp,
    .make = make,
    .free = free_effect,
    .submit = submit,
    .flush = flush,
    .values = values,
    .evict = evict,
    .count = count,
};
