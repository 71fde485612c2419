/* Windows with hidden tokens through a masked-language model. What one pass
 * answers is read for every allele that asks for it: REF and ALT of a change
 * that keeps the number of tokens have the same flanks, and so have all alleles
 * of a site; windows without hidden tokens are shared by all changes in them.
 * Passes are collected and run together when they are many.
 * SPDX-License-Identifier: MIT */
#include "variant/effect_masked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "dnabird/tiles.h"
#include "model/stem.h"
#include "session/masked.h"
#include "session/session.h"
#include "token/vocab.h"

/* Tokens that wait before they are run: packs for every thread. */
enum { WAITING = 32 * BIRD_PACK_TOKENS, WINDOW = 512 };

enum { PLUS, MINUS, REF = 0, ALT = 1 };

struct side { /* a haplotype on one strand */
    bird_encoding e;
    int64_t n_base;
    int64_t i, j; /* its span: tokens i .. j-1 */
};

struct strand {
    const char *bases; /* of the window at hand */
    struct side side[2];
    struct bird_text alt;
};

struct pass {                 /* a row of tokens, run once */
    int64_t ids, n, at, n_at; /* in the pools */
    int64_t mean;             /* of the means, or -1 */
    int64_t reading;          /* the last of its readings; -1: none */
};

struct reading {     /* log p of a token that is hidden at at[i] of its pass */
    int64_t i, next; /* next of the same pass; -1: none */
    int64_t place;   /* and strand: place * n_strand + strand */
    int32_t id;
    double weight, value;
};

struct asked {          /* a change whose distance is wanted */
    int64_t ref, alt;   /* places */
    int64_t pass[2][2]; /* by strand and side; -1: strand not used */
};

struct bird_masked_effect {
    const bird_model *m;
    const bird_tokenizer *t;
    int used[2], distance, unshared;
    int64_t n_strand; /* of a place: 2 where each has its own values */
    int32_t mask;
    int64_t most; /* tokens that the model reads, without special ones */
    int64_t n_base, d;
    struct strand strand[2];
    struct bird_masked *run;
    struct bird_map known;   /* rows of tokens to passes */
    int32_t *ids, *at, *row; /* pools; row: one in the making */
    struct pass *pass;
    struct bird_masked_row *rows;
    struct reading *reading;
    struct asked *asked;
    double *mean; /* (n_mean, d) */
    double *sum;  /* (n_place, n_strand) */
    float *value; /* (n_place, n_strand, BIRD_MASKED_VALUES) */
    int64_t n_ids, n_at, n_pass, n_reading, n_asked, n_mean, n_place;
    int64_t cap_ids, cap_at, cap_row, cap_pass, cap_rows, cap_reading;
    int64_t cap_asked, cap_mean, cap_sum, cap_value;
    bird_session_counts counts;
};

int64_t bird_masked_effect_window(const bird_model *m)
{
    const bird_tokenizer *t = bird_model_tokenizer(m);
    int64_t n = bird_stem_tokens(bird_model_config(m),
                                 bird_model_config(m)->max_positions) -
                t->n_before - t->n_after;

    n -= n / 16; /* for insertions */
    return n < 1 ? 1 : n < WINDOW ? n : WINDOW;
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
    struct bird_masked_effect *e = context;
    double all = log_sum_exp(logits, bird_model_config(e->m)->vocab_size);

    for (int64_t k = e->pass[row].reading; k >= 0; k = e->reading[k].next)
        if (e->reading[k].i == i)
            e->reading[k].value = (double)logits[e->reading[k].id] - all;
}

static void take_mean(void *context, int64_t row, const double *mean)
{
    struct bird_masked_effect *e = context;

    memcpy(e->mean + e->pass[row].mean * e->d, mean,
           (size_t)e->d * sizeof(*mean));
}

/* --- making -------------------------------------------------------------- */

int bird_masked_effect_new(struct bird_masked_effect **out, const bird_model *m,
                           const struct bird_effect_options *o)
{
    struct bird_masked_calls calls = {take_logits, take_mean, NULL};
    const struct bird_config *c = bird_model_config(m);
    struct bird_masked_effect *e;
    int rc = bird_array_new(&e, 1, sizeof(*e));

    if (rc)
        return rc;
    *e = (struct bird_masked_effect){
        .m = m,
        .t = bird_model_tokenizer(m),
        .used = {o->plus, o->minus},
        .n_strand = bird_effect_strand(o) == BIRD_STRAND_EACH ? 2 : 1,
        .distance = 1,
        .unshared = o->unshared,
        .mask = bird_mask_token(bird_model_tokenizer(m)),
        .d = c->hidden_size};
    e->most =
        bird_stem_tokens(c, c->max_positions) - e->t->n_before - e->t->n_after;
    calls.context = e;
    if (e->mask < 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: its tokenizer has no token [MASK] to hide others "
                       "with",
                       bird_model_path(m));
    if (!rc)
        rc = bird_masked_new(&e->run, m, &calls);
    if (rc)
        bird_masked_effect_free(e);
    else
        *out = e;
    return rc;
}

void bird_masked_effect_free(struct bird_masked_effect *e)
{
    if (!e)
        return;
    for (int s = 0; s < 2; s++) {
        bird_encoding_free(&e->strand[s].side[REF].e);
        bird_encoding_free(&e->strand[s].side[ALT].e);
        bird_text_free(&e->strand[s].alt);
    }
    bird_masked_free(e->run);
    bird_map_free(&e->known);
    free(e->ids);
    free(e->at);
    free(e->row);
    free(e->pass);
    free(e->rows);
    free(e->reading);
    free(e->asked);
    free(e->mean);
    free(e->sum);
    free(e->value);
    free(e);
}

void bird_masked_effect_distance(struct bird_masked_effect *e, int wanted)
{
    e->distance = wanted;
}

/* --- spans --------------------------------------------------------------- */

int bird_masked_effect_open(struct bird_masked_effect *e, const char *plus,
                            const char *minus, int64_t n)
{
    int rc = 0;

    e->n_base = n;
    for (int s = 0; s < 2 && !rc; s++) {
        struct strand *v = &e->strand[s];

        v->bases = s == MINUS ? minus : plus;
        v->side[REF].n_base = n;
        if (e->used[s])
            rc = bird_tokenizer_encode(e->t, &v->side[REF].e, v->bases, n, 0);
    }
    return rc;
}

/* Where token i ends; k-mers may overlap the next one. */
static int64_t token_end(const struct bird_masked_effect *e,
                         const struct side *x, int64_t i)
{
    int64_t end = i + 1 < x->e.n ? x->e.start[i + 1] : x->n_base;

    if (e->t->kmer)
        end = x->e.start[i] + e->t->kmer;
    return end < x->n_base ? end : x->n_base;
}

/* The span is the tokens that cover bases from .. to. */
static void cover(const struct bird_masked_effect *e, struct side *x,
                  int64_t from, int64_t to)
{
    for (x->i = 0; x->i < x->e.n && token_end(e, x, x->i) <= from; x->i++)
        ;
    for (x->j = x->i; x->j < x->e.n && x->e.start[x->j] < to; x->j++)
        ;
}

/* Does a change of length move the frame of all words behind it? */
static int has_frame(const bird_tokenizer *t)
{
    return t->kmer > 1 && t->stride != 1;
}

/* Both spans grow until the tokens outside of them are the same. */
static void widen(struct side *a, struct side *b)
{
    int64_t left = a->i < b->i ? a->i : b->i, head = 0, tail = 0;
    int64_t right =
        a->e.n - a->j < b->e.n - b->j ? a->e.n - a->j : b->e.n - b->j;

    while (head < left && a->e.ids[head] == b->e.ids[head])
        head++;
    while (tail < right &&
           a->e.ids[a->e.n - 1 - tail] == b->e.ids[b->e.n - 1 - tail])
        tail++;
    a->i = b->i = head;
    a->j = a->e.n - tail;
    b->j = b->e.n - tail;
}

/* ALT's bases and tokens, and both spans. */
static int find_spans(struct bird_masked_effect *e, struct strand *v,
                      int64_t from, int64_t to, const char *alt, int64_t n_alt)
{
    struct side *a = &v->side[REF], *b = &v->side[ALT];
    int64_t more = n_alt - (to - from), edge = more != 0;
    int rc;

    bird_text_clear(&v->alt);
    rc = bird_text_put(&v->alt, v->bases, from);
    if (!rc)
        rc = bird_text_put(&v->alt, alt, n_alt);
    if (!rc)
        rc = bird_text_put(&v->alt, v->bases + to, e->n_base - to);
    if (!rc)
        rc = bird_tokenizer_encode(e->t, &b->e, v->alt.s, v->alt.n, 0);
    if (rc)
        return rc;
    b->n_base = v->alt.n;
    from = from > edge ? from - edge : 0;
    to = to + edge < e->n_base ? to + edge : e->n_base;
    cover(e, a, from, to);
    cover(e, b, from, to + more);
    if (!more || !has_frame(e->t))
        widen(a, b);
    return 0;
}

/* Does the vocabulary have words for all of the span? */
static int is_known(const struct bird_masked_effect *e, const struct side *x)
{
    if (x->i >= x->j)
        return 0;
    for (int64_t i = x->i; i < x->j; i++)
        if (x->e.ids[i] == e->t->unk)
            return 0;
    return 1;
}

/* --- passes -------------------------------------------------------------- */

/* The tokens of a side into e->row, special ones around them; of more than the
 * model reads those nearest to the span. *at is the span's first, *n how many
 * there are. */
static int make_row(struct bird_masked_effect *e, int64_t *n, int64_t *at,
                    const struct side *x, int hidden)
{
    const bird_tokenizer *t = e->t;
    int64_t left = x->i, right = x->e.n - x->j, k = x->j - x->i, room;
    int rc;

    if (left + k + right > e->most) {
        room = e->most - k;
        left = room / 2 < x->i ? room / 2 : x->i;
        left = right < room - left ? room - right : left;
        left = left < x->i ? left : x->i;
        right = right < room - left ? right : room - left;
        e->counts.n_trimmed++;
    }
    *n = t->n_before + left + k + right + t->n_after;
    *at = t->n_before + left;
    rc = bird_array_grow(&e->row, &e->cap_row, *n, sizeof(*e->row));
    if (rc)
        return rc;
    for (int64_t i = 0; i < t->n_before; i++)
        e->row[i] = t->before[i];
    for (int64_t i = 0; i < left + k + right; i++)
        e->row[t->n_before + i] = hidden && i >= left && i < left + k
                                      ? e->mask
                                      : x->e.ids[x->i - left + i];
    for (int64_t i = 0; i < t->n_after; i++)
        e->row[*n - t->n_after + i] = t->after[i];
    return 0;
}

/* The pass of e->row, in which n_at tokens from `at` on are hidden; none: its
 * mean is wanted. */
static int new_pass(struct bird_masked_effect *e, int64_t n, int64_t at,
                    int64_t n_at)
{
    struct pass *p;
    int rc = bird_array_grow(&e->pass, &e->cap_pass, e->n_pass + 1,
                             sizeof(*e->pass));

    if (!rc)
        rc = bird_array_grow(&e->ids, &e->cap_ids, e->n_ids + n,
                             sizeof(*e->ids));
    if (!rc)
        rc =
            bird_array_grow(&e->at, &e->cap_at, e->n_at + n_at, sizeof(*e->at));
    if (rc)
        return rc;
    p = &e->pass[e->n_pass++];
    *p = (struct pass){e->n_ids, n, e->n_at, n_at, n_at ? -1 : e->n_mean++, -1};
    memcpy(e->ids + e->n_ids, e->row, (size_t)n * sizeof(*e->ids));
    e->n_ids += n;
    for (int64_t i = 0; i < n_at; i++)
        e->at[e->n_at++] = (int32_t)(at + i);
    return 0;
}

static int find_pass(struct bird_masked_effect *e, int64_t *pass, int64_t n,
                     int64_t at, int64_t n_at)
{
    int64_t *known = NULL;
    int rc;

    *pass = e->n_pass;
    rc = e->unshared ? 0
                     : bird_map_add(&e->known, &known, e->row,
                                    n * (int64_t)sizeof(*e->row), e->n_pass);
    if (!rc && known && *known != e->n_pass) {
        *pass = *known;
        e->counts.n_cached++;
        return 0;
    }
    return rc ? rc : new_pass(e, n, at, n_at);
}

/* Bases of the span. */
static int64_t span_bases(const struct bird_masked_effect *e,
                          const struct side *x)
{
    return token_end(e, x, x->j - 1) - x->e.start[x->i];
}

/* The likelihood of a side's span, into a place with this weight. */
static int ask_likelihood(struct bird_masked_effect *e, const struct side *x,
                          int64_t place, double weight)
{
    int64_t k = x->j - x->i, pass, n, at;
    int rc = make_row(e, &n, &at, x, 1);

    if (!rc)
        rc = find_pass(e, &pass, n, at, k);
    if (!rc)
        rc = bird_array_grow(&e->reading, &e->cap_reading, e->n_reading + k,
                             sizeof(*e->reading));
    for (int64_t i = 0; !rc && i < k; i++) {
        e->reading[e->n_reading] =
            (struct reading){.i = i,
                             .next = e->pass[pass].reading,
                             .place = place,
                             .id = x->e.ids[x->i + i],
                             .weight = weight};
        e->pass[pass].reading = e->n_reading++;
    }
    return rc;
}

static int ask_distance(struct bird_masked_effect *e, int64_t ref, int64_t alt)
{
    struct asked *a;
    int64_t n, at;
    int rc = bird_array_grow(&e->asked, &e->cap_asked, e->n_asked + 1,
                             sizeof(*e->asked));

    if (rc)
        return rc;
    a = &e->asked[e->n_asked++];
    *a = (struct asked){ref, alt, {{-1, -1}, {-1, -1}}};
    for (int s = 0; s < 2; s++)
        for (int k = REF; k <= ALT && e->used[s] && !rc; k++) {
            rc = make_row(e, &n, &at, &e->strand[s].side[k], 0);
            if (!rc)
                rc = find_pass(e, &a->pass[s][k], n, at, 0);
        }
    return rc;
}

static int new_places(struct bird_masked_effect *e, struct bird_request *out)
{
    int64_t n = e->n_place * e->n_strand, more = 2 * e->n_strand;
    int rc =
        bird_array_grow(&e->value, &e->cap_value,
                        (n + more) * BIRD_MASKED_VALUES, sizeof(*e->value));

    if (!rc)
        rc = bird_array_grow(&e->sum, &e->cap_sum, n + more, sizeof(*e->sum));
    if (rc)
        return rc;
    memset(e->value + n * BIRD_MASKED_VALUES, 0,
           (size_t)(more * BIRD_MASKED_VALUES) * sizeof(*e->value));
    memset(e->sum + n, 0, (size_t)more * sizeof(*e->sum));
    out->ref = e->n_place++;
    out->alt = e->n_place++;
    return 0;
}

/* The row of a place that has the values of a strand. */
static int64_t row_of(const struct bird_masked_effect *e, int64_t place,
                      int strand)
{
    return e->n_strand > 1 ? place * 2 + strand : place;
}

/* Spans of the strands in use; *status is what can be done with them. */
static int look(struct bird_masked_effect *e, struct bird_request *out,
                enum bird_variant_status *status, int64_t from, int64_t to,
                const struct bird_text *alt)
{
    struct bird_text turned = {0};
    int rc = 0;

    *status = BIRD_VARIANT_OK;
    out->n_changed = 0;
    for (int s = 0; s < 2 && !rc && *status == BIRD_VARIANT_OK; s++) {
        struct strand *v = &e->strand[s];

        if (!e->used[s])
            continue;
        if (s == PLUS) {
            rc = find_spans(e, v, from, to, alt->s, alt->n);
        } else {
            rc = bird_text_put(&turned, alt->s, alt->n);
            if (!rc) {
                bird_reverse_complement(turned.s, turned.s, turned.n);
                rc = find_spans(e, v, e->n_base - to, e->n_base - from,
                                turned.s, turned.n);
            }
        }
        for (int k = REF; k <= ALT && !rc; k++) {
            const struct side *x = &v->side[k];

            if (!is_known(e, x))
                *status = BIRD_VARIANT_NO_TOKEN;
            else if (x->j - x->i > e->most)
                *status = BIRD_VARIANT_TOO_LONG;
            if (x->j - x->i > out->n_changed)
                out->n_changed = x->j - x->i;
        }
    }
    bird_text_free(&turned);
    return rc;
}

int bird_masked_effect_submit(struct bird_masked_effect *e,
                              struct bird_request *out,
                              enum bird_variant_status *status, int64_t from,
                              int64_t to, const struct bird_text *alt)
{
    int64_t joined = e->n_strand > 1 ? 1 : e->used[PLUS] + e->used[MINUS];
    int more = alt->n != to - from;
    int rc = look(e, out, status, from, to, alt);

    if (rc || *status != BIRD_VARIANT_OK)
        return rc;
    out->free = 1;
    rc = new_places(e, out);
    for (int s = 0; s < 2; s++)
        for (int k = REF; k <= ALT && e->used[s] && !rc; k++) {
            const struct side *x = &e->strand[s].side[k];

            rc = ask_likelihood(
                e, x, row_of(e, k == REF ? out->ref : out->alt, s),
                1.0 / (double)joined / (more ? (double)span_bases(e, x) : 1));
        }
    if (!rc && e->distance)
        rc = ask_distance(e, out->ref, out->alt);
    if (!rc && e->n_ids >= WAITING)
        rc = bird_masked_effect_flush(e);
    return rc;
}

/* --- running ------------------------------------------------------------- */

static int not_finite(const struct bird_masked_effect *e)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: model returned NaN or infinity: the weights may be "
                     "corrupt",
                     bird_model_path(e->m));
}

/* The distance of two means on a strand. */
static double distance(const struct bird_masked_effect *e,
                       const struct asked *a, int s)
{
    const double *x = e->mean + e->pass[a->pass[s][REF]].mean * e->d;
    const double *y = e->mean + e->pass[a->pass[s][ALT]].mean * e->d;
    double sum = 0;

    for (int64_t i = 0; i < e->d; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

/* Distances of a change, the mean of the strands that have one row. */
static int settle_distance(struct bird_masked_effect *e, const struct asked *a)
{
    double all = 0;

    for (int s = 0; s < 2; s++) {
        float d;

        if (!e->used[s])
            continue;
        all = (e->n_strand > 1 ? 0 : all) + distance(e, a, s);
        d = (float)(e->n_strand > 1 || s == PLUS
                        ? all
                        : all / (e->used[PLUS] + e->used[MINUS]));
        e->value[row_of(e, a->ref, s) * BIRD_MASKED_VALUES +
                 BIRD_MASKED_DISTANCE] = d;
        e->value[row_of(e, a->alt, s) * BIRD_MASKED_VALUES +
                 BIRD_MASKED_DISTANCE] = d;
        if (!isfinite(d))
            return not_finite(e);
    }
    return 0;
}

/* What was read, in the order in which it was asked for. */
static int settle(struct bird_masked_effect *e)
{
    for (int64_t k = 0; k < e->n_reading; k++) {
        const struct reading *r = &e->reading[k];

        e->sum[r->place] += r->weight * r->value;
        e->value[r->place * BIRD_MASKED_VALUES + BIRD_MASKED_LOG_LIKELIHOOD] =
            (float)e->sum[r->place];
        if (!isfinite(r->value))
            return not_finite(e);
    }
    for (int64_t k = 0; k < e->n_asked; k++) {
        int rc = settle_distance(e, &e->asked[k]);

        if (rc)
            return rc;
    }
    return 0;
}

int bird_masked_effect_flush(struct bird_masked_effect *e)
{
    int rc =
        bird_array_grow(&e->rows, &e->cap_rows, e->n_pass, sizeof(*e->rows));

    if (!rc)
        rc = bird_array_grow(&e->mean, &e->cap_mean, e->n_mean * e->d,
                             sizeof(*e->mean));
    for (int64_t i = 0; !rc && i < e->n_pass; i++) {
        const struct pass *p = &e->pass[i];

        e->rows[i] = (struct bird_masked_row){e->ids + p->ids, e->at + p->at,
                                              p->n, p->n_at, p->mean >= 0};
    }
    if (!rc)
        rc = bird_masked_run(e->run, e->rows, e->n_pass);
    if (!rc)
        rc = settle(e);
    e->counts.n_evaluated += rc ? 0 : e->n_pass;
    bird_map_free(&e->known);
    e->n_ids = e->n_at = e->n_pass = e->n_reading = e->n_asked = e->n_mean = 0;
    return rc;
}

const float *bird_masked_effect_values(const struct bird_masked_effect *e,
                                       int64_t place)
{
    return e->value + place * e->n_strand * BIRD_MASKED_VALUES;
}

void bird_masked_effect_evict(struct bird_masked_effect *e)
{
    e->n_place = 0;
}

void bird_masked_effect_count(const struct bird_masked_effect *e,
                              bird_session_counts *out)
{
    *out = e->counts;
}
