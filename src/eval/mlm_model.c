/* The model's probabilities of hidden tokens. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/mlm.h"
#include "head/head.h"
#include "session/pack.h"
#include "session/session.h"

enum { HEAD_ROWS = 64 }; /* hidden tokens whose logits are held at a time */

struct lane { /* one thread's room */
    struct bird_encoder *e;
    struct bird_pack pack;
    float *x;          /* (n_tok, D) */
    float *h, *logits; /* (HEAD_ROWS, D), (HEAD_ROWS, V) */
    double **score;    /* (HEAD_ROWS) where the answers go */
    int32_t *id;       /* (HEAD_ROWS) what was hidden */
    int64_t cap_x, n;
};

/* Rows first .. first + n - 1 go through the encoder together. */
struct load {
    int64_t first, n;
    int rc;
};

struct bird_mlm_scorer {
    const struct bird_mlm_evaluating *v;
    struct lane *lane;
    int64_t n_lane;
    struct bird_mlm_row *rows;
    struct load *load;
    int64_t n_load, cap_load;
};

static int lane_new(struct lane *l, const struct bird_mlm_evaluating *v)
{
    const struct bird_config *c = &v->model.folder.config;
    int rc = bird_encoder_new(&l->e, c, &v->model.w);

    if (!rc)
        rc = bird_array_new(&l->h, HEAD_ROWS * c->hidden_size, sizeof(*l->h));
    if (!rc)
        rc = bird_array_new(&l->logits, HEAD_ROWS * c->vocab_size,
                            sizeof(*l->logits));
    if (!rc)
        rc = bird_array_new(&l->score, HEAD_ROWS, sizeof(*l->score));
    if (!rc)
        rc = bird_array_new(&l->id, HEAD_ROWS, sizeof(*l->id));
    return rc;
}

static void lane_free(struct lane *l)
{
    bird_encoder_free(l->e);
    bird_pack_free(&l->pack);
    free(l->x);
    free(l->h);
    free(l->logits);
    free((void *)l->score);
    free(l->id);
}

int bird_mlm_scorer_new(struct bird_mlm_scorer **out,
                        const struct bird_mlm_evaluating *v)
{
    struct bird_mlm_scorer *s = calloc(1, sizeof(*s));
    int rc;

    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->v = v;
    s->n_lane = bird_threads();
    rc = bird_array_new(&s->lane, s->n_lane, sizeof(*s->lane));
    for (int64_t i = 0; !rc && i < s->n_lane; i++)
        rc = lane_new(&s->lane[i], v);
    if (rc)
        bird_mlm_scorer_free(s);
    else
        *out = s;
    return rc;
}

void bird_mlm_scorer_free(struct bird_mlm_scorer *s)
{
    if (!s)
        return;
    for (int64_t i = 0; s->lane && i < s->n_lane; i++)
        lane_free(&s->lane[i]);
    free(s->lane);
    free(s->load);
    free(s);
}

/* log2 of the sum of exp(x) over the columns that `id` names (NULL: all), and
 * the column of the largest, the first of several. */
static double log2_sum(int32_t *best, const float *x, const int32_t *id,
                       int64_t n)
{
    double sum = 0, most;

    *best = id ? id[0] : 0;
    for (int64_t i = 1; i < n; i++) {
        int32_t k = id ? id[i] : (int32_t)i;

        if (x[k] > x[*best])
            *best = k;
    }
    most = (double)x[*best];
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)x[id ? id[i] : i] - most);
    return most / M_LN2 + log2(sum);
}

static void answer(double *score, const struct bird_mlm_vocab *v,
                   const float *logits, int64_t columns, int32_t id)
{
    const struct bird_mlm_words *words = &v->words[v->length[id]];
    double own = (double)logits[id] / M_LN2;
    int32_t best;

    score[BIRD_MLM_SCORE_BITS] = log2_sum(&best, logits, NULL, columns) - own;
    score[BIRD_MLM_SCORE_RIGHT] = best == id;
    score[BIRD_MLM_SCORE_LENGTH_BITS] =
        log2_sum(&best, logits, words->id, words->n) - own;
    score[BIRD_MLM_SCORE_LENGTH_RIGHT] = best == id;
}

/* The output layer for the l->n hidden tokens gathered. */
static int lane_answer(struct lane *l, const struct bird_mlm_evaluating *v)
{
    const struct bird_config *c = &v->model.folder.config;
    int64_t offset[2] = {0, l->n};
    struct bird_batch b = {.n_seq = 1, .offset = offset};
    int rc = 0;

    if (l->n)
        rc = bird_head_forward(l->logits, NULL, c, &v->model.w, l->h, &b);
    for (int64_t i = 0; !rc && i < l->n; i++)
        answer(l->score[i], &v->vocab, l->logits + i * c->vocab_size,
               c->vocab_size, l->id[i]);
    l->n = 0;
    return rc;
}

static int lane_run(struct lane *l, const struct bird_mlm_scorer *s,
                    const struct load *load)
{
    const struct bird_mlm_evaluating *v = s->v;
    int64_t d = v->model.folder.config.hidden_size;
    struct bird_batch b;
    int rc = 0;

    bird_pack_clear(&l->pack);
    for (int64_t i = 0; !rc && i < load->n; i++) {
        const bird_encoding *e = &s->rows[load->first + i].encoding;

        rc = bird_pack_add_ids(&l->pack, e->ids, NULL, e->n);
    }
    if (!rc)
        rc =
            bird_array_grow(&l->x, &l->cap_x, l->pack.n_tok * d, sizeof(*l->x));
    if (rc)
        return rc;
    b = bird_pack_batch(&l->pack);
    rc = bird_encoder_forward(l->e, l->x, NULL, &b);
    for (int64_t i = 0; !rc && i < load->n; i++) {
        const struct bird_mlm_row *r = &s->rows[load->first + i];

        for (int64_t k = 0; !rc && k < r->n_hidden; k++) {
            memcpy(l->h + l->n * d, l->x + (b.offset[i] + r->hidden[k].at) * d,
                   (size_t)d * sizeof(*l->h));
            l->id[l->n] = r->hidden[k].id;
            l->score[l->n++] = bird_mlm_score_at(r, v, k, 0);
            if (l->n == HEAD_ROWS)
                rc = lane_answer(l, v);
        }
    }
    return rc ? rc : lane_answer(l, v);
}

static void run(void *context, int64_t task, int worker)
{
    struct bird_mlm_scorer *s = context;

    s->lane[worker].n = 0;
    s->load[task].rc = lane_run(&s->lane[worker], s, &s->load[task]);
}

/* Rows in their order, a load being closed when it has tokens enough. */
static int make_loads(struct bird_mlm_scorer *s, int64_t n)
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
        n_tok += s->rows[i].encoding.n;
    }
    return rc;
}

int bird_mlm_score_model(struct bird_mlm_scorer *s, struct bird_mlm_row *rows,
                         int64_t n)
{
    int rc;

    s->rows = rows;
    rc = make_loads(s, n);
    if (rc)
        return rc;
    bird_parallel(s->n_load, run, s);
    for (int64_t i = 0; !rc && i < s->n_load; i++)
        if (s->load[i].rc) /* its sentence may be another thread's */
            rc = bird_fail(s->load[i].rc, "scoring windows failed: out of "
                                          "memory, or a token the model does "
                                          "not know");
    return rc;
}
