/* Rows with masked tokens to logits and means.
 *
 *     divide the rows into packs of about BIRD_PACK_TOKENS
 *     each pack is a task: encoder, means, then logits of the wanted tokens
 *     HEAD_ROWS tokens at a time, since logits are as wide as the vocabulary
 *
 * A pack is a task of its own, so that threads do not wait for each other.
 * SPDX-License-Identifier: MIT */
#include "session/masked.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "head/head.h"
#include "model/stem.h"
#include "session/pack.h"
#include "session/session.h"
#include "token/vocab.h"

enum { HEAD_ROWS = 64 }; /* tokens whose logits are in memory at a time */

struct wanted { /* token at[i] of a row */
    int64_t row, i;
};

struct worker { /* workspace of one thread */
    struct bird_encoder *e;
    struct bird_pack pack;
    float *x;              /* (rows, D) */
    float *h, *logits;     /* (HEAD_ROWS, D), (HEAD_ROWS, V) */
    struct wanted *wanted; /* (HEAD_ROWS) tokens of these logits */
    double *mean;          /* (D) */
    /* of a model whose rows hold several tokens: */
    int32_t *label; /* (n_tok) 0 where logits are wanted, else -1 */
    struct bird_head_tokens tokens;
    struct bird_batch b;
    int64_t cap_x, cap_label, n, first; /* n tokens from number `first` of
                                           the tokens that the batch wants */
};

/* Rows first .. first + n - 1, which go through the encoder together. */
struct load {
    int64_t first, n;
    int rc;
};

struct bird_masked {
    const bird_model *m;
    const struct bird_config *c;
    struct bird_masked_calls calls;
    const struct bird_masked_row *rows; /* of the current call */
    struct worker *worker;              /* one for each thread */
    struct load *load;
    int64_t n_load, cap_load;
    struct bird_pool pool;
};

int32_t bird_mask_token(const bird_tokenizer *t)
{
    int32_t id = bird_tokenizer_id(t, "[MASK]");

    return id < 0 ? bird_tokenizer_id(t, "<mask>") : id;
}

static int worker_new(struct worker *w, struct bird_masked *s)
{
    const struct bird_config *c = s->c;
    struct bird_pool *pool = &s->pool;

    w->pack.c = c->n_stem ? c : NULL;
    w->h = bird_pool_array(pool, HEAD_ROWS * c->hidden_size, sizeof(float));
    w->logits = bird_pool_array(pool, HEAD_ROWS * c->vocab_size, sizeof(float));
    w->wanted = bird_pool_array(pool, HEAD_ROWS, sizeof(*w->wanted));
    w->mean = bird_pool_array(pool, c->hidden_size, sizeof(*w->mean));
    return pool->rc ? pool->rc
                    : bird_encoder_new(&w->e, c, bird_model_weights(s->m));
}

int bird_masked_new(struct bird_masked **out, const bird_model *m,
                    const struct bird_masked_calls *calls)
{
    struct bird_masked *s;
    int rc;

    if (!bird_model_config(m)->head->masked)
        return bird_fail(BIRD_EINVAL,
                         "%s: this model has no masked-language "
                         "head",
                         bird_model_path(m));
    rc = bird_array_new(&s, 1, sizeof(*s));
    if (rc)
        return rc;
    s->m = m;
    s->c = bird_model_config(m);
    s->calls = *calls;
    s->worker = bird_pool_array(&s->pool, bird_threads(), sizeof(*s->worker));
    rc = s->pool.rc;
    for (int i = 0; !rc && i < bird_threads(); i++)
        rc = worker_new(&s->worker[i], s);
    if (rc)
        bird_masked_free(s);
    else
        *out = s;
    return rc;
}

void bird_masked_free(struct bird_masked *s)
{
    if (!s)
        return;
    for (int i = 0; s->worker && i < bird_threads(); i++) {
        bird_encoder_free(s->worker[i].e);
        bird_pack_free(&s->worker[i].pack);
        free(s->worker[i].x);
        free(s->worker[i].label);
        bird_head_tokens_free(&s->worker[i].tokens);
    }
    bird_pool_free(&s->pool);
    free(s->load);
    free(s);
}

/* Run the output layer for the w->n gathered tokens. */
static int answer(struct worker *w, const struct bird_masked *s)
{
    const struct bird_config *c = s->c;
    int64_t offset[2] = {0, w->n};
    struct bird_batch b = {.n_seq = 1, .offset = offset}, part = w->b;
    int rc = 0;

    if (part.n_want) { /* rows that hold several tokens */
        part.want += w->first;
        part.full += w->first * bird_stem_full(c, NULL);
        part.n_want = w->n;
    }
    if (w->n)
        rc = bird_head_forward(w->logits, NULL, c, bird_model_weights(s->m),
                               w->b.n_want ? w->x : w->h,
                               w->b.n_want ? &part : &b);
    for (int64_t i = 0; !rc && i < w->n; i++)
        s->calls.logits(s->calls.context, w->wanted[i].row, w->wanted[i].i,
                        w->logits + i * c->vocab_size);
    w->first += w->n;
    w->n = 0;
    return rc;
}

/* Tell the batch which tokens are wanted, when the head reads single tokens. */
static int want(struct worker *w, const struct bird_masked *s,
                const struct load *load)
{
    int64_t n = w->pack.n_tok;
    int rc = bird_array_grow(&w->label, &w->cap_label, n, sizeof(*w->label));

    for (int64_t i = 0; !rc && i < n; i++)
        w->label[i] = -1;
    for (int64_t i = 0; !rc && i < load->n; i++) {
        const struct bird_masked_row *r = &s->rows[load->first + i];

        for (int64_t k = 0; k < r->n_at; k++)
            w->label[w->pack.token[i] + r->at[k]] = 0;
    }
    w->first = 0;
    return rc ? rc : bird_head_want(&w->tokens, &w->b, s->c, w->label, 0);
}

/* Compute the logits of the wanted tokens of sequence i of the pack. */
static int take_tokens(struct worker *w, const struct bird_masked *s,
                       int64_t row, int64_t i)
{
    const struct bird_masked_row *r = &s->rows[row];
    int64_t d = s->c->hidden_size;
    int rc = 0;

    for (int64_t k = 0; !rc && k < r->n_at; k++) {
        if (!w->b.n_want)
            memcpy(w->h + w->n * d, w->x + (w->b.offset[i] + r->at[k]) * d,
                   (size_t)d * sizeof(*w->h));
        w->wanted[w->n++] = (struct wanted){row, k};
        if (w->n == HEAD_ROWS)
            rc = answer(w, s);
    }
    return rc;
}

/* Compute the mean of sequence i of the pack. */
static void take_mean(struct worker *w, const struct bird_masked *s,
                      int64_t row, int64_t i)
{
    const struct bird_masked_row *r = &s->rows[row];
    int64_t d = s->c->hidden_size, before, behind;
    int64_t from = w->b.offset[i], to = w->b.offset[i + 1];

    if (s->c->n_stem) {
        bird_stem_ends(s->c, r->ids, r->n, &before, &behind);
    } else {
        before = bird_model_tokenizer(s->m)->n_before;
        behind = bird_model_tokenizer(s->m)->n_after;
    }
    from += before;
    to -= behind;
    memset(w->mean, 0, (size_t)d * sizeof(*w->mean));
    for (int64_t k = from; k < to; k++)
        for (int64_t j = 0; j < d; j++)
            w->mean[j] += (double)w->x[k * d + j];
    for (int64_t j = 0; from < to && j < d; j++)
        w->mean[j] /= (double)(to - from);
    s->calls.mean(s->calls.context, row, w->mean);
}

static int run_load(struct worker *w, const struct bird_masked *s,
                    const struct load *load)
{
    int64_t d = s->c->hidden_size;
    int rc = 0;

    w->n = 0;
    bird_pack_clear(&w->pack);
    for (int64_t i = 0; !rc && i < load->n; i++)
        rc = bird_pack_add_ids(&w->pack, s->rows[load->first + i].ids, NULL,
                               s->rows[load->first + i].n);
    if (!rc)
        rc =
            bird_array_grow(&w->x, &w->cap_x, w->pack.n_row * d, sizeof(*w->x));
    if (rc)
        return rc;
    w->b = bird_pack_batch(&w->pack);
    rc = want(w, s, load);
    if (!rc)
        rc = bird_encoder_forward(w->e, w->x, NULL, &w->b);
    for (int64_t i = 0; !rc && i < load->n; i++) {
        if (s->rows[load->first + i].mean)
            take_mean(w, s, load->first + i, i);
        rc = take_tokens(w, s, load->first + i, i);
    }
    return rc ? rc : answer(w, s);
}

static void run(void *context, int64_t task, int worker)
{
    struct bird_masked *s = context;

    s->load[task].rc = run_load(&s->worker[worker], s, &s->load[task]);
}

/* Divide the rows, in order, into loads of about BIRD_PACK_TOKENS tokens. */
static int make_loads(struct bird_masked *s, int64_t n)
{
    int64_t n_tok = BIRD_PACK_TOKENS;
    int rc = 0;

    s->n_load = 0;
    for (int64_t i = 0; !rc && i < n; i++) {
        if (n_tok >= BIRD_PACK_TOKENS) {
            rc = bird_array_grow(&s->load, &s->cap_load, s->n_load + 1,
                                 sizeof(*s->load));
            if (rc)
                return rc;
            s->load[s->n_load++] = (struct load){.first = i};
            n_tok = 0;
        }
        s->load[s->n_load - 1].n++;
        n_tok += s->rows[i].n;
    }
    return rc;
}

int bird_masked_run(struct bird_masked *s, const struct bird_masked_row *rows,
                    int64_t n)
{
    int rc;

    s->rows = rows;
    rc = make_loads(s, n);
    if (rc)
        return rc;
    bird_parallel(s->n_load, run, s);
    for (int64_t i = 0; !rc && i < s->n_load; i++)
        if (s->load[i].rc) /* the message belongs to the worker's thread */
            rc = bird_fail(s->load[i].rc, "scoring windows failed: out of "
                                          "memory, or a token the model does "
                                          "not know");
    return rc;
}
