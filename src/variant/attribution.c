/* Attributions by the backward pass.
 *
 * The model's own forward and backward pass over a copy of its word embeddings,
 * in which the rows of words that vary are mixed with their mean: at a share of
 * 1 they are the model's. No gradient of a weight is computed; that of the
 * input is projected on the directions of words (bird_tape_along), so that the
 * cost does not grow with words times tokens.
 * SPDX-License-Identifier: MIT */
#include "variant/attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "head/head.h"
#include "kernel/prob_map.h"

/* Bytes that a tape may keep; above them layers are recomputed. */
#define MOST_TAPE (INT64_C(1) << 30)

struct bird_attribution {
    const struct bird_config *c;
    const struct bird_weights *plain;
    struct bird_weights w; /* the model's, except the word embeddings */
    float *word,
        *direction;  /* (vocabulary, D) mixed embeddings; E(v) - m, or 0 */
    uint8_t *varies; /* (vocabulary) */
    struct bird_encoder *e;
    struct bird_tape *tape[2]; /* activations kept; or recomputed */
    float *dx, *logits, *seed, *along;
    int32_t *which;
    int64_t cap_dx, cap_logits, cap_seed, cap_along, cap_which;
};

/* --- the answer ----------------------------------------------------------- */

/* ln(p / (1 - p)) of a column of n logits: its logit less the log-sum-exp of
 * the others. */
static double log_odds(const float *x, int64_t n, int64_t column, int choice,
                       double *others)
{
    double top = -(double)INFINITY, sum = 0;

    *others = 0;
    for (int64_t j = 0; choice && j < n; j++)
        if (j != column && (double)x[j] > top)
            top = (double)x[j];
    for (int64_t j = 0; choice && j < n; j++)
        sum += j != column ? exp((double)x[j] - top) : 0;
    if (choice)
        *others = top + log(sum);
    return (double)x[column] - *others;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/*
 * f from logits (rows, columns); and scale times its gradient, (rows, columns),
 * into seed unless that is NULL. In double, never clipped.
 */
static double answer_value(float *seed, const float *logits, int64_t rows,
                           int64_t columns, const struct bird_answer_spec *f,
                           double scale)
{
    double value = 0, n = (double)f->n_row, n_seq = (double)f->n_seq;

    if (seed)
        memset(seed, 0, (size_t)(rows * columns) * sizeof(*seed));
    for (int64_t b = 0; b < f->n_row; b++) {
        double x[2], others[2], yes = 0, no = 0; /* p and 1 - p */

        for (int64_t s = 0; s < f->n_seq; s++) {
            const struct bird_answer_rows *r = &f->seq[s];

            x[s] = log_odds(logits + (r->row + b * r->step) * columns, columns,
                            r->column, f->choice, &others[s]);
            yes += sigmoid(x[s]) / n_seq;
            no += sigmoid(-x[s]) / n_seq;
        }
        value += (log(yes) - log(no)) / n;
        for (int64_t s = 0; seed && s < f->n_seq; s++) {
            const struct bird_answer_rows *r = &f->seq[s];
            int64_t at = (r->row + b * r->step) * columns;
            double d = scale / n / n_seq * (sigmoid(x[s]) / yes) *
                       (sigmoid(-x[s]) / no);

            for (int64_t j = 0; f->choice && j < columns; j++)
                seed[at + j] -=
                    (float)(d * exp((double)logits[at + j] - others[s]));
            seed[at + r->column] = (float)d;
        }
    }
    return value;
}

/* --- making --------------------------------------------------------------- */

/* E(v) - m of words that vary. */
static int find_directions(struct bird_attribution *a)
{
    int64_t d = a->c->hidden_size, n = 0;

    for (int64_t v = 0; v < a->c->vocab_size; v++)
        n += a->varies[v] != 0;
    if (!n)
        return bird_fail(BIRD_EINVAL, "no word of the vocabulary is made of A, "
                                      "C, G and T alone");
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;

        for (int64_t v = 0; v < a->c->vocab_size; v++)
            if (a->varies[v])
                mean += (double)a->plain->word[v * d + j] / (double)n;
        for (int64_t v = 0; v < a->c->vocab_size; v++)
            if (a->varies[v])
                a->direction[v * d + j] =
                    (float)((double)a->plain->word[v * d + j] - mean);
    }
    return 0;
}

int bird_attribution_new(struct bird_attribution **out,
                         const struct bird_config *c,
                         const struct bird_weights *w, const uint8_t *varies)
{
    struct bird_attribution *a;
    int64_t n = c->vocab_size * c->hidden_size;
    int rc = bird_prob_map_check_trains(&c->map);

    if (!rc)
        rc = bird_array_new(&a, 1, sizeof(*a));
    if (rc)
        return rc;
    a->c = c;
    a->plain = w;
    rc = bird_array_new(&a->word, n, sizeof(*a->word));
    if (!rc)
        rc = bird_array_new(&a->direction, n, sizeof(*a->direction));
    if (!rc)
        rc = bird_array_new(&a->varies, c->vocab_size, 1);
    if (!rc) {
        memcpy(a->varies, varies, (size_t)c->vocab_size);
        memcpy(a->word, w->word, (size_t)n * sizeof(*a->word));
        rc = find_directions(a);
    }
    a->w = *w;
    a->w.word = a->word;
    a->w.stem_table =
        NULL; /* it depends on the embeddings, and is computed in each pass */
    if (!rc)
        rc = bird_encoder_new(&a->e, c, &a->w);
    for (int i = 0; i < 2 && !rc; i++)
        rc = bird_tape_new(&a->tape[i], i);
    if (rc)
        bird_attribution_free(a);
    else
        *out = a;
    return rc;
}

void bird_attribution_free(struct bird_attribution *a)
{
    if (!a)
        return;
    bird_encoder_free(a->e);
    bird_tape_free(a->tape[0]);
    bird_tape_free(a->tape[1]);
    free(a->word);
    free(a->direction);
    free(a->varies);
    free(a->dx);
    free(a->logits);
    free(a->seed);
    free(a->along);
    free(a->which);
    free(a);
}

/* --- passes --------------------------------------------------------------- */

/* The embeddings of words that vary become m + share (E(v) - m). */
static void mix(struct bird_attribution *a, double share)
{
    int64_t d = a->c->hidden_size;

    for (int64_t v = 0; v < a->c->vocab_size; v++)
        for (int64_t j = v * d; a->varies[v] && j < (v + 1) * d; j++)
            a->word[j] = (float)((double)a->plain->word[j] -
                                 (1 - share) * (double)a->direction[j]);
}

static struct bird_tape *choose_tape(struct bird_attribution *a,
                                     const struct bird_batch *b)
{
    int64_t one = 9 * a->c->hidden_size + a->c->intermediate_size;
    int64_t bytes = b->offset[b->n_seq] * a->c->n_layer * one * 4;

    return a->tape[bytes > MOST_TAPE];
}

static int64_t count_rows(const struct bird_batch *b)
{
    return b->bin ? b->bin[b->n_seq] : b->n_seq;
}

static int64_t count_tokens(const struct bird_batch *b)
{
    return b->token ? b->token[b->n_seq] : b->offset[b->n_seq];
}

static int reserve(struct bird_attribution *a, const struct bird_batch *b)
{
    int64_t n = count_rows(b) * bird_head_columns(a->c);
    int rc = bird_array_grow(&a->logits, &a->cap_logits, n, sizeof(*a->logits));

    if (!rc)
        rc = bird_array_grow(&a->seed, &a->cap_seed, n, sizeof(*a->seed));
    if (!rc)
        rc = bird_array_grow(&a->dx, &a->cap_dx,
                             b->offset[b->n_seq] * a->c->hidden_size,
                             sizeof(*a->dx));
    if (!rc)
        rc = bird_array_grow(&a->along, &a->cap_along, count_tokens(b),
                             sizeof(*a->along));
    return rc ? rc
              : bird_array_grow(&a->which, &a->cap_which, count_tokens(b),
                                sizeof(*a->which));
}

/* f of the words as they are mixed; with back its gradient, times scale, is
 * there for add_values(). */
static int pass(struct bird_attribution *a, struct bird_attribution_run *r,
                double *f, double scale, int back)
{
    struct bird_tape *tape = choose_tape(a, r->b);
    struct bird_labels labels = {.seed = a->seed};
    struct bird_loss loss;
    const float *x;
    int rc = bird_encoder_train_forward(a->e, tape, &x, r->b, NULL);

    if (!rc)
        rc = bird_head_forward(a->logits, NULL, a->c, &a->w, x, r->b);
    if (rc)
        return rc;
    r->n_forward += r->b->n_seq;
    *f = answer_value(a->seed, a->logits, count_rows(r->b),
                      bird_head_columns(a->c), r->f, scale);
    if (!isfinite(*f))
        return bird_fail(BIRD_EFORMAT, "model returned NaN or infinity: the "
                                       "weights may be corrupt");
    if (!back)
        return 0;
    r->n_backward += r->b->n_seq;
    rc = bird_head_backward(&loss, a->dx, NULL, NULL, a->c, &a->w, x, r->b,
                            &labels, NULL, 1);
    return rc ? rc : bird_encoder_backward(a->e, tape, NULL, a->dx, r->b, NULL);
}

/* Column k of the values: along word (-1: the token's own). */
static int add_values(struct bird_attribution *a,
                      const struct bird_attribution_run *r, int64_t k,
                      int32_t word)
{
    int64_t n = count_tokens(r->b);
    int rc;

    for (int64_t i = 0; i < n; i++)
        a->which[i] = !a->varies[r->b->ids[i]] ? -1
                      : word >= 0              ? word
                                               : r->b->ids[i];
    rc = bird_tape_along(a->along, a->e, choose_tape(a, r->b), r->b,
                         a->direction, a->c->vocab_size, a->which);
    for (int64_t i = 0; i < n && !rc; i++)
        r->value[i * (r->n_word + 1) + k] += (double)a->along[i];
    return rc;
}

static int add_all(struct bird_attribution *a,
                   const struct bird_attribution_run *r)
{
    int rc = 0;

    for (int64_t k = 0; k < r->n_word && !rc; k++)
        rc = add_values(a, r, k, r->word[k]);
    return rc ? rc : add_values(a, r, r->n_word, -1);
}

int bird_attribution_compute(struct bird_attribution *a,
                             struct bird_attribution_run *r)
{
    int64_t n = count_tokens(r->b), wide = r->n_word + 1;
    double f;
    int rc = reserve(a, r->b);

    memset(r->value, 0, (size_t)(n * wide) * sizeof(*r->value));
    r->sum = 0;
    r->n_forward = r->n_backward = 0;
    for (int64_t k = 0; k < r->n_step && !rc; k++) {
        mix(a, ((double)k + 0.5) / (double)r->n_step);
        rc = pass(a, r, &f, 1 / (double)r->n_step, 1);
        if (!rc)
            rc = add_all(a, r);
    }
    if (!rc && r->n_step) {
        mix(a, 0);
        rc = pass(a, r, &r->at_baseline, 1, 0);
    }
    mix(a, 1);
    if (!rc)
        rc = pass(a, r, &r->at, 1, !r->n_step);
    if (!rc && !r->n_step)
        rc = add_all(a, r);
    for (int64_t i = 0; i < n && !rc; i++)
        r->sum += r->value[i * wide + r->n_word];
    return rc;
}
