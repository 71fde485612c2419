/* Heads on every token: masked language model (with next sentence in the
 * pretraining head) and token classes.
 *
 *   MLM    t = LN(act(dense(h))); logits = t E^T + b, E tied to the look-up;
 *          where a row holds several tokens, dense(h) + V s, h the token's row
 *          and s its features at full resolution (docs/math/stem.md)
 *   token  classifier(drop(h))
 * Training gathers the labelled rows first: no other row is multiplied.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "head/kind.h"
#include "head/loss.h"
#include "model/linear.h"
#include "model/stem.h"

/* Rows whose logits are held at a time: 32 MB of a vocabulary of 32,000. */
#define PART 256

struct rows {
    float *block, *weights, *h, *u, *z, *t, *stat, *logits, *dt;
    int32_t *label;
    float *weight; /* NULL: 1 each */
    int64_t *row, n, cap;
    int64_t row0; /* labelled rows before these: an offset into the dropout
                     mask and the batch's features at full resolution */
    const float *full;
    float *dfull;
    struct bird_linear_workspace space;
};

static int rows_new(struct rows *r, int64_t n, int64_t d, int64_t v)
{
    int rc;

    r->n = r->cap = n;
    rc = bird_array_new(&r->block, n * (5 * d + 2 + v), sizeof(float));
    if (rc || (rc = bird_array_new(&r->row, n, sizeof(*r->row))) ||
        (rc = bird_array_new(&r->label, n, sizeof(*r->label))) ||
        (rc = bird_array_new(&r->weights, n, sizeof(*r->weights))))
        return rc;
    r->h = r->block;
    r->u = r->h + n * d;
    r->z = r->u + n * d;
    r->t = r->z + n * d;
    r->dt = r->t + n * d;
    r->logits = r->dt + n * d;
    r->stat = r->logits + n * v;
    return 0;
}

static void rows_free(struct rows *r)
{
    free(r->block);
    free(r->row);
    free(r->label);
    free(r->weights);
    bird_linear_workspace_free(&r->space);
}

/* Logits of the n rows in h. */
static int forward(struct rows *r, const struct bird_config *c,
                   const struct bird_weights *w,
                   const struct bird_dropout_rates *dropout)
{
    const struct bird_linear *out = &w->decoder;
    const struct bird_kernels *k = bird_kernels();
    struct bird_dropout none = {0};
    int64_t d = c->hidden_size, n = r->n, full = bird_stem_full(c, NULL);

    if (!c->head->masked) {
        memcpy(r->t, r->h, (size_t)(n * d) * sizeof(float));
        k->dropout(r->t,
                   bird_dropout_at(dropout, dropout->classifier, c->n_layer,
                                   BIRD_SITE_HEAD_OUT),
                   r->row0, n, d);
        bird_linear_forward(r->logits, r->t, &w->classifier,
                            (struct bird_linear_shape){n, c->n_label, d, 0});
        return 0;
    }
    bird_linear_forward(r->u, r->h, &w->transform,
                        (struct bird_linear_shape){n, d, d, 0});
    if (full) {
        bird_linear_forward(r->z, r->full + r->row0 * full, &w->transform_stem,
                            (struct bird_linear_shape){n, d, full, 0});
        k->add(r->u, r->z, n * d);
    }
    k->bias_act_forward(r->t, r->u, NULL, c->act, n, d);
    k->residual_layernorm_forward(
        r->t, r->z, r->stat, r->t, NULL, NULL, w->transform_norm.gain,
        w->transform_norm.beta, (float)c->layer_norm_eps, none, 0, n, d);
    if (out->low)
        return bird_linear_low_forward(
            &r->space, r->logits, r->t, out,
            (struct bird_linear_shape){n, c->vocab_size, d, 0});
    bird_linear_forward(r->logits, r->t, out,
                        (struct bird_linear_shape){n, c->vocab_size, d, 0});
    return 0;
}

void bird_head_tokens_free(struct bird_head_tokens *t)
{
    free(t->token);
    free(t->full);
    *t = (struct bird_head_tokens){0};
}

int bird_head_want(struct bird_head_tokens *t, struct bird_batch *b,
                   const struct bird_config *c, const int32_t *label, int back)
{
    int64_t d = bird_stem_full(c, NULL), n = 0, k = 0;
    int rc;

    if (!c->head->masked || !d || !b->token)
        return 0;
    for (int64_t i = 0; i < b->token[b->n_seq]; i++)
        n += label[i] >= 0;
    rc = bird_array_grow(&t->token, &t->cap_token, n, sizeof(*t->token));
    if (!rc)
        rc = bird_array_grow(&t->full, &t->cap_full, n * d * (back ? 2 : 1),
                             sizeof(*t->full));
    if (rc)
        return rc;
    for (int64_t i = 0; i < b->token[b->n_seq]; i++)
        if (label[i] >= 0)
            t->token[k++] = i;
    if (n) /* special tokens of their own have no features */
        memset(t->full, 0, (size_t)(n * d) * sizeof(*t->full));
    b->want = t->token;
    b->n_want = n;
    b->full = t->full;
    b->dfull = back ? t->full + n * d : NULL;
    return 0;
}

/* Tokens that the head may answer for: those of the batch, or its rows. */
static int64_t count_tokens(const struct bird_batch *b,
                            const struct bird_config *c)
{
    return bird_stem_full(c, NULL) ? b->token[b->n_seq] : b->offset[b->n_seq];
}

/* Where the rows of tokens are, as tokens rise. */
struct rows_of {
    const struct bird_config *c;
    const struct bird_batch *b;
    int64_t seq;
};

static int64_t row_of(struct rows_of *at, int64_t token)
{
    const struct bird_batch *b = at->b;

    if (!bird_stem_full(at->c, NULL))
        return token;
    while (token >= b->token[at->seq + 1])
        at->seq++;
    return b->offset[at->seq] +
           bird_stem_row(at->c, b->ids + b->token[at->seq],
                         b->token[at->seq + 1] - b->token[at->seq],
                         token - b->token[at->seq]);
}

/* Logits of the tokens that the batch wants. */
static int wanted_forward(float *logits, const struct bird_config *c,
                          const struct bird_weights *w, const float *x,
                          const struct bird_batch *b)
{
    int64_t d = c->hidden_size, v = bird_head_columns(c), all = b->n_want;
    struct bird_dropout_rates none = {0};
    struct rows_of at = {.c = c, .b = b};
    struct rows r = {0};
    int rc;

    if (!all)
        return bird_fail(BIRD_EINVAL,
                         "the model's rows hold several tokens: say which "
                         "tokens it is to answer for");
    rc = rows_new(&r, all < PART ? all : PART, d, v);
    r.full = b->full;
    for (; !rc && r.row0 < all; r.row0 += PART) {
        r.n = r.row0 + PART < all ? PART : all - r.row0;
        for (int64_t i = 0; i < r.n; i++)
            memcpy(r.h + i * d, x + row_of(&at, b->want[r.row0 + i]) * d,
                   (size_t)d * sizeof(float));
        rc = forward(&r, c, w, &none);
        memcpy(logits + r.row0 * v, r.logits,
               (size_t)(r.n * v) * sizeof(float));
    }
    rows_free(&r);
    return rc;
}

static int token_forward(float *logits, float *next,
                         const struct bird_config *c,
                         const struct bird_weights *w, const float *x,
                         const struct bird_batch *b)
{
    int64_t d = c->hidden_size, v = bird_head_columns(c);
    int64_t all = b->offset[b->n_seq];
    struct bird_dropout_rates none = {0};
    struct rows r = {0};
    int rc;

    if (c->head->masked && bird_stem_full(c, NULL))
        return wanted_forward(logits, c, w, x, b);
    rc = rows_new(&r, all < PART ? all : PART, d, v);
    for (int64_t i = 0; !rc && i < all; i += PART) {
        r.n = i + PART < all ? PART : all - i;
        memcpy(r.h, x + i * d, (size_t)(r.n * d) * sizeof(float));
        rc = forward(&r, c, w, &none);
        memcpy(logits + i * v, r.logits, (size_t)(r.n * v) * sizeof(float));
    }
    rows_free(&r);
    if (!rc && next && c->head->next)
        rc = bird_next_forward(next, c, w, x, b);
    return rc;
}

/* From gradient of logits to gradient of h, left in dt. */
static int backward(struct rows *r, const struct bird_head_pass *p)
{
    const struct bird_kernels *k = bird_kernels();
    const struct bird_config *c = p->c;
    const struct bird_weights *g = p->grad, *w = p->w;
    const struct bird_linear *out = &w->decoder, *dout = &g->decoder;
    int64_t d = c->hidden_size, n = r->n, full = bird_stem_full(c, NULL);
    const struct bird_linear_args args = {
        dout, out, r->dt, r->logits, r->t, {n, c->vocab_size, d, 0}};
    int rc = 0;

    if (!c->head->masked) {
        bird_linear_backward(&g->classifier, r->dt, &w->classifier, r->logits,
                             r->t,
                             (struct bird_linear_shape){n, c->n_label, d, 0});
        k->dropout(r->dt,
                   bird_dropout_at(p->dropout, p->dropout->classifier,
                                   c->n_layer, BIRD_SITE_HEAD_OUT),
                   r->row0, n, d);
        return 0;
    }
    if (out->back)
        rc = bird_linear_low_backward(&r->space, &args);
    else
        bird_linear_backward(args.g, args.dx, args.w, args.dy, args.x, args.s);
    k->layernorm_backward_params(g->transform_norm.gain, g->transform_norm.beta,
                                 r->dt, r->z, r->stat, n, d, 0, d);
    k->layernorm_backward(r->t, r->dt, r->z, r->stat, w->transform_norm.gain, n,
                          d);
    k->act_backward(r->t, r->t, r->u, c->act, n, d);
    bird_linear_backward(&g->transform, r->dt, &w->transform, r->t, r->h,
                         (struct bird_linear_shape){n, d, d, 0});
    if (full)
        bird_linear_backward(&g->transform_stem, r->dfull + r->row0 * full,
                             &w->transform_stem, r->t, r->full + r->row0 * full,
                             (struct bird_linear_shape){n, d, full, 0});
    return rc;
}

/* The next labelled tokens from `from` on, as many as fit; returns the one
 * after them. */
static int64_t gather(struct rows *r, const struct bird_head_pass *p,
                      int64_t from)
{
    int64_t d = p->c->hidden_size, all = count_tokens(p->b, p->c);
    struct rows_of at = {.c = p->c, .b = p->b};

    r->full = p->b->full;
    r->dfull = p->b->dfull;
    r->weight = p->labels->token_weight ? r->weights : NULL;
    r->row0 += r->n;
    r->n = 0;
    for (; from < all && r->n < r->cap; from++) {
        if (p->labels->token[from] < 0)
            continue;
        r->row[r->n] = row_of(&at, from);
        r->label[r->n] = p->labels->token[from];
        if (p->labels->token_weight)
            r->weights[r->n] = p->labels->token_weight[from];
        memcpy(r->h + r->n * d, p->x + r->row[r->n] * d,
               (size_t)d * sizeof(float));
        r->n++;
    }
    return from;
}

/* Total weight of the gathered rows. */
static double weigh(const struct rows *r)
{
    double sum = 0;

    for (int64_t i = 0; i < r->n; i++)
        sum += r->weight ? (double)r->weight[i] : 1;
    return sum;
}

/* Loss and gradients of the rows gathered, which are `share` of the mean. */
static int learn(struct rows *r, struct bird_loss *out, float *dx,
                 const struct bird_head_pass *p, double share)
{
    const struct bird_loss_rows rows = {r->label, r->weight, r->n,
                                        bird_head_columns(p->c)};
    int64_t d = p->c->hidden_size;
    struct bird_mean mean;
    int rc;

    rc = forward(r, p->c, p->w, p->dropout);
    if (rc)
        return rc;
    rc = bird_loss_weighted(&mean, r->logits, &rows,
                            (float)((double)p->scale * share));
    if (rc)
        return rc;
    out->mlm += mean.loss * share;
    rc = backward(r, p);
    /* a row of several tokens gets all of theirs */
    for (int64_t i = 0; i < r->n; i++)
        bird_kernels()->add(dx + r->row[i] * d, r->dt + i * d, d);
    return rc;
}

/* Weights of the n labelled tokens together; 0 is taken for n, whose gradient
 * is nothing. */
static double sum_weights(const struct bird_head_pass *p, int64_t n)
{
    int64_t all = count_tokens(p->b, p->c);
    double sum = 0;

    for (int64_t i = 0; p->labels->token_weight && i < all; i++)
        if (p->labels->token[i] >= 0)
            sum += (double)p->labels->token_weight[i];
    return sum > 0 ? sum : (double)n;
}

/* Labelled tokens of the batch. Errors: none at all; the batch does not want
 * them. */
static int count_labels(int64_t *n, const struct bird_head_pass *p)
{
    int64_t all = count_tokens(p->b, p->c);

    *n = 0;
    if (!p->labels->token)
        return bird_fail(BIRD_EINVAL, "the batch has no token labels");
    for (int64_t i = 0; i < all; i++)
        *n += p->labels->token[i] >= 0;
    if (!*n)
        return bird_fail(BIRD_EINVAL, "the batch has no labelled token");
    if (bird_stem_full(p->c, NULL) && p->b->n_want != *n)
        return bird_fail(BIRD_EINVAL,
                         "the batch wants %lld tokens, but %lld have a label",
                         (long long)p->b->n_want, (long long)*n);
    return 0;
}

int bird_head_nll(double *nll, int32_t *best, const struct bird_config *c,
                  const struct bird_weights *w, const float *x,
                  const struct bird_batch *b, const int32_t *label)
{
    struct bird_labels labels = {.token = label};
    struct bird_dropout_rates none = {0};
    struct bird_head_pass p = {
        .w = w, .c = c, .x = x, .b = b, .labels = &labels, .dropout = &none};
    struct rows r = {0};
    int64_t n, k = 0;
    int rc;

    if (!bird_head_per_token(c))
        return bird_fail(BIRD_EINVAL, "the model has no head on tokens");
    rc = count_labels(&n, &p);
    if (!rc)
        rc = rows_new(&r, n < PART ? n : PART, c->hidden_size,
                      bird_head_columns(c));
    r.n = 0;
    while (!rc && r.row0 + r.n < n) {
        k = gather(&r, &p, k);
        rc = forward(&r, c, w, &none);
        if (rc)
            break;
        rc = bird_loss_nll(nll + r.row0, best ? best + r.row0 : NULL, r.logits,
                           r.label, r.n, bird_head_columns(c));
    }
    rows_free(&r);
    return rc;
}

static int token_backward(struct bird_loss *out, float *dx, float *logits,
                          const struct bird_head_pass *p)
{
    const struct bird_config *c = p->c;
    int64_t n, k = 0;
    struct rows r = {0};
    double all;
    int rc = count_labels(&n, p);

    (void)logits;
    if (rc)
        return rc;
    all = sum_weights(p, n);
    rc =
        rows_new(&r, n < PART ? n : PART, c->hidden_size, bird_head_columns(c));
    r.n = 0;
    while (!rc && r.row0 + r.n < n) {
        k = gather(&r, p, k);
        rc = learn(&r, out, dx, p, weigh(&r) / all);
    }
    out->n_token = n;
    out->loss = out->mlm;
    if (!rc && c->head->next && p->labels->next) {
        struct bird_head_pass next = *p;

        if (p->labels->next_scale > 0)
            next.scale = p->labels->next_scale;
        rc = bird_next_backward(&out->next, dx, &next);
        out->loss += out->next;
    }
    rows_free(&r);
    return rc;
}

static void mlm_tensors(struct bird_param_list *l, const struct bird_config *c)
{
    bird_params_add_linear(l, c->hidden_size, c->hidden_size,
                           "cls.predictions.transform.dense");
    if (bird_stem_full(c, NULL))
        bird_params_add(l, BIRD_PARAM_WEIGHT, c->hidden_size,
                        bird_stem_full(c, NULL),
                        "cls.predictions.transform.stem.weight");
    bird_params_add_norm(l, c->hidden_size,
                         "cls.predictions.transform.LayerNorm");
    if (!c->tie_word_embeddings)
        bird_params_add(l, BIRD_PARAM_WEIGHT, c->vocab_size, c->hidden_size,
                        "cls.predictions.decoder.weight");
    bird_params_add(l, BIRD_PARAM_BIAS, c->vocab_size, 0,
                    "cls.predictions.bias");
    if (c->head->next)
        bird_params_add_linear(l, 2, c->hidden_size, "cls.seq_relationship");
}

const struct bird_head_row bird_head_mlm = {.name = "mlm",
                                            .architecture =
                                                "BigBirdForMaskedLM",
                                            .about = "masked-language model",
                                            .needs = BIRD_NEEDS_ALL,
                                            .masked = 1,
                                            .marker = "cls.predictions.bias",
                                            .tensors = mlm_tensors,
                                            .forward = token_forward,
                                            .backward = token_backward};

const struct bird_head_row bird_head_pretrain = {
    .name = "pretrain",
    .architecture = "BigBirdForPreTraining",
    .about = "masked-language model and next sentence",
    .needs = BIRD_NEEDS_ALL,
    .masked = 1,
    .next = 1,
    .pooler = 1,
    .marker = "cls.seq_relationship.weight",
    .without = &bird_head_mlm,
    .tensors = mlm_tensors,
    .forward = token_forward,
    .backward = token_backward};

static int check_token(const struct bird_config *c, const char *path)
{
    if (bird_stem_pool(c) > 1)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: a head with classes of every token needs a stem "
                         "without pools",
                         path);
    return 0;
}

const struct bird_head_row bird_head_token = {
    .name = "token",
    .option = "token",
    .architecture = "BigBirdForTokenClassification",
    .about = "token classifier",
    .needs = BIRD_NEEDS_ALL,
    .exclusive = 1,
    .check = check_token,
    .tensors = bird_head_add_classifier,
    .forward = token_forward,
    .backward = token_backward};
