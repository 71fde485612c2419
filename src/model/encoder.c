/* The stack of layers in inference, and the room it works in.
 * SPDX-License-Identifier: MIT */
#include "model/encoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "model/layer.h"
#include "model/linear.h"

/* What the neediest product takes, in whole lines of the cache. */
static int64_t low_scratch(const struct bird_weights *w, int64_t n_layer)
{
    int64_t most = 0;

    for (int64_t i = 0; i < n_layer; i++) {
        const struct bird_layer *l = &w->layer[i];
        const struct bird_low *each[] = {l->qkv.low, l->out.low, l->up.low,
                                         l->down.low};

        for (size_t k = 0; k < sizeof(each) / sizeof(*each); k++) {
            int64_t need = bird_low_scratch(each[k]);

            most = need > most ? need : most;
        }
    }
    return (most + 15) / 16 * 16;
}

int bird_encoder_new(struct bird_encoder **out,
                     const struct bird_config *config,
                     const struct bird_weights *weights)
{
    struct bird_encoder *e = calloc(1, sizeof(*e));
    int rc;

    if (!e)
        return bird_fail_memory(sizeof(*e));
    bird_gemm_init();
    e->c = *config;
    e->w = weights;
    e->k = bird_kernels();
    e->low = low_scratch(weights, config->n_layer);
    rc = bird_array_new(&e->failed, 1, sizeof(*e->failed));
    if (rc) {
        free(e);
        return rc;
    }
    e->pattern = bird_pattern_of(config);
    *out = e;
    return 0;
}

void bird_plans_free(struct bird_plans *p)
{
    for (int64_t i = 0; i < p->n_layer * p->cap_block; i++)
        bird_plan_free(p->plan[i]);
    free(p->plan);
    *p = (struct bird_plans){0};
}

void bird_encoder_free(struct bird_encoder *e)
{
    if (!e)
        return;
    bird_plans_free(&e->plans);
    free(e->rows);
    free(e->scratch);
    free(e->tile);
    free(e->failed);
    free(e->edge);
    free(e);
}

int64_t bird_batch_extent(const struct bird_batch *b, int64_t s)
{
    int64_t end = b->offset[s + 1];

    return b->position ? b->position[end - 1] + 1 : end - b->offset[s];
}

static int check_positions(const struct bird_batch *b, int64_t s)
{
    const int32_t *p = b->position;

    if (!p)
        return 0;
    if (p[b->offset[s]] < 0)
        return bird_fail(BIRD_ERANGE, "sequence %lld begins at position %d",
                         (long long)s + 1, p[b->offset[s]]);
    for (int64_t i = b->offset[s] + 1; i < b->offset[s + 1]; i++)
        if (p[i] < p[i - 1])
            return bird_fail(BIRD_EINVAL,
                             "sequence %lld, token %lld: its position %d lies "
                             "before %d",
                             (long long)s + 1,
                             (long long)(i - b->offset[s] + 1), p[i], p[i - 1]);
    return 0;
}

int bird_batch_check(const struct bird_batch *b, const struct bird_config *c)
{
    if (b->offset[b->n_seq] > BIRD_GEMM_MOST)
        return bird_fail(BIRD_ERANGE,
                         "a batch of %lld tokens: at most %d at once: give "
                         "fewer sequences",
                         (long long)b->offset[b->n_seq], BIRD_GEMM_MOST);
    for (int64_t s = 0; s < b->n_seq; s++) {
        int64_t len = b->offset[s + 1] - b->offset[s];
        int rc;

        if (len < 1)
            return bird_fail(BIRD_EINVAL, "sequence %lld is empty",
                             (long long)s + 1);
        if ((rc = check_positions(b, s)))
            return rc;
        len = bird_batch_extent(b, s);
        if (len > c->max_positions)
            return bird_fail(BIRD_ERANGE,
                             "sequence %lld has %lld tokens, the model reads "
                             "%lld: use shorter windows",
                             (long long)s + 1, (long long)len,
                             (long long)c->max_positions);
        for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++) {
            if (b->ids[i] < 0 || b->ids[i] >= c->vocab_size)
                return bird_fail(BIRD_ERANGE,
                                 "sequence %lld, token %lld: id %d is outside "
                                 "the vocabulary of %lld",
                                 (long long)s + 1,
                                 (long long)(i - b->offset[s] + 1), b->ids[i],
                                 (long long)c->vocab_size);
            if (b->type && (b->type[i] < 0 || b->type[i] >= c->type_vocab_size))
                return bird_fail(BIRD_ERANGE,
                                 "sequence %lld, token %lld: type %d is "
                                 "outside the %lld types",
                                 (long long)s + 1,
                                 (long long)(i - b->offset[s] + 1), b->type[i],
                                 (long long)c->type_vocab_size);
        }
    }
    return 0;
}

static int plans_reserve(struct bird_plans *p, int64_t n_layer, int64_t n_block)
{
    struct bird_plans n = {.n_layer = n_layer, .cap_block = n_block + 1};
    int rc;

    if (p->cap_block > n_block)
        return 0;
    rc = bird_array_new(&n.plan, n_layer * n.cap_block, sizeof(*n.plan));
    if (rc)
        return rc;
    for (int64_t l = 0; l < p->n_layer; l++)
        memcpy(n.plan + l * n.cap_block, p->plan + l * p->cap_block,
               (size_t)p->cap_block * sizeof(*n.plan));
    free(p->plan);
    n.n_row = p->n_row;
    *p = n;
    return 0;
}

/* The plans of every layer for one sequence's length. */
static int plans_add(struct bird_encoder *e, int64_t len)
{
    int64_t m = (len + e->pattern.block - 1) / e->pattern.block;
    int rc;

    if (bird_pattern_is_full(&e->pattern, len))
        return 0;
    rc = plans_reserve(&e->plans, e->c.n_layer, m);
    for (int64_t l = 0; !rc && l < e->c.n_layer; l++) {
        struct bird_plan **p = &e->plans.plan[l * e->plans.cap_block + m];

        if (*p)
            continue;
        rc = bird_plan_new(p, &e->pattern, len, l);
        e->plans.n_row += rc ? 0 : (*p)->n_head * m;
    }
    return rc;
}

/* Room whose content nobody needs. The old is given back first, lest both be
 * resident at once; and there is some to spare, up to 2 MiB, since packs differ
 * by a sequence, and the heap may keep what is given back. */
static int reserve(float **array, int64_t *cap, int64_t n)
{
    const int64_t most = 1 << 19;
    int rc;

    if (n <= *cap)
        return 0;
    n += n / 8 < most ? n / 8 : most;
    free(*array);
    *array = NULL;
    *cap = 0;
    rc = bird_array_room(array, n, sizeof(**array));
    if (!rc)
        *cap = n;
    return rc;
}

/* Rows where the blocks of sequence s start, by its positions, and the row
 * after the last; the most rows of a block. */
static int64_t put_edges(struct bird_encoder *e, const struct bird_batch *b,
                         int64_t s)
{
    int64_t *edge = e->edge + e->tile[s] + s, n_block, row = b->offset[s];
    int64_t most = 0;

    n_block = e->tile[s + 1] - e->tile[s];
    edge[0] = 0;
    for (int64_t i = 0; i < n_block; i++) {
        while (row < b->offset[s + 1] &&
               b->position[row] < (i + 1) * e->pattern.block)
            row++;
        edge[i + 1] = row - b->offset[s];
        if (edge[i + 1] - edge[i] > most)
            most = edge[i + 1] - edge[i];
    }
    return most;
}

/* Tiles and plan of one sequence; *most rows of a tile, *longest in rows. */
static int prepare_sequence(struct bird_encoder *e, const struct bird_batch *b,
                            int64_t s, int64_t *most, int64_t *longest)
{
    int64_t n = b->offset[s + 1] - b->offset[s], rows = e->pattern.block;
    int64_t len = bird_batch_extent(b, s), tile = bird_attention_tile(NULL);
    int full = bird_pattern_is_full(&e->pattern, len), rc;

    e->tile[s + 1] =
        e->tile[s] + (full ? (n + tile - 1) / tile : (len + rows - 1) / rows);
    if (b->position && !full) {
        rc = bird_array_grow(&e->edge, &e->cap_edge, e->tile[s + 1] + s + 1,
                             sizeof(*e->edge));
        if (rc)
            return rc;
        rows = put_edges(e, b, s);
    }
    if (rows > *most)
        *most = rows;
    if (n > *longest)
        *longest = n;
    return plans_add(e, len);
}

int bird_encoder_prepare(struct bird_encoder *e, const struct bird_batch *b,
                         int back)
{
    int worker = bird_parallel_worker();
    int64_t n = b->offset[b->n_seq], d = e->c.hidden_size, longest = 0;
    int64_t most = bird_attention_tile(NULL);
    int rc =
        bird_array_grow(&e->tile, &e->cap_tile, b->n_seq + 1, sizeof(*e->tile));

    e->panel = e->low                      ? BIRD_LOW_ROWS
               : e->w->layer[0].qkv.packed ? bird_packed_rows(n)
                                           : bird_panel_rows(n);
    if (e->plans.n_row > BIRD_PLAN_ROWS)
        bird_plans_free(&e->plans);
    if (!rc)
        e->tile[0] = 0;
    for (int64_t s = 0; !rc && s < b->n_seq; s++)
        rc = prepare_sequence(e, b, s, &most, &longest);
    if (rc)
        return rc;
    most = back ? bird_attention_scratch_back(longest, d / e->c.n_head, most)
                : bird_attention_scratch(longest, d / e->c.n_head, most);
    e->scratch_stride = e->panel * (2 * d + e->c.intermediate_size);
    if (e->scratch_stride < most)
        e->scratch_stride = most;
    e->scratch_stride = (e->scratch_stride + 15) / 16 * 16 + e->low;
    e->worker = worker < 0 ? 0 : worker;
    most = e->scratch_stride * (worker < 0 ? bird_threads() : 1);
    return reserve(&e->scratch, &e->cap_scratch, most);
}

int bird_encoder_outcome(const struct bird_encoder *e)
{
    if (!__atomic_exchange_n(e->failed, 0, __ATOMIC_RELAXED))
        return 0;
    return bird_fail(BIRD_ENOMEM, "oneDNN could not compute a product: out of "
                                  "memory");
}

int bird_encoder_forward_each(struct bird_encoder *e, float *x,
                              bird_state_take *take, void *context,
                              const struct bird_batch *b)
{
    int64_t n = b->offset[b->n_seq], d = e->c.hidden_size;
    struct bird_saved s = {0};
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_ENCODER);
    int rc = bird_batch_check(b, &e->c);

    if (rc || (rc = bird_encoder_prepare(e, b, 0)) ||
        (rc = reserve(&e->rows, &e->cap_rows, n * 4 * d)))
        goto done;
    s.qkv = e->rows;
    s.ctx = e->rows + n * 3 * d;
    bird_embed(e, x, NULL, NULL, b, NULL);
    rc = take(context, 0, x);
    for (int64_t l = 0; !rc && l < e->c.n_layer; l++) {
        bird_layer_infer(e, l, x, x, &s, b);
        rc = bird_encoder_outcome(e);
        if (!rc)
            rc = take(context, l + 1, x);
    }
done:
    bird_timer_leave(before);
    return rc;
}

struct states {
    float *out; /* NULL: not wanted */
    int64_t n;
};

static int keep_state(void *context, int64_t layer, const float *x)
{
    const struct states *s = context;

    if (s->out)
        memcpy(s->out + layer * s->n, x, (size_t)s->n * sizeof(*x));
    return 0;
}

int bird_encoder_forward(struct bird_encoder *e, float *x, float *states,
                         const struct bird_batch *b)
{
    struct states s = {states, b->offset[b->n_seq] * e->c.hidden_size};

    return bird_encoder_forward_each(e, x, keep_state, &s, b);
}

int bird_encoder_forward_first(struct bird_encoder *e, float *first,
                               const struct bird_batch *b)
{
    int64_t n = b->offset[b->n_seq], d = e->c.hidden_size;
    int64_t last = e->c.n_layer - 1;
    struct bird_saved s = {0};
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_ENCODER);
    int rc = bird_batch_check(b, &e->c);
    float *x;

    if (rc || (rc = bird_encoder_prepare(e, b, 0)) ||
        (rc = reserve(&e->rows, &e->cap_rows, n * 5 * d)))
        goto done;
    s.qkv = e->rows;
    s.ctx = e->rows + n * 3 * d;
    x = e->rows + n * 4 * d;
    bird_embed(e, x, NULL, NULL, b, NULL);
    for (int64_t l = 0; l < last; l++)
        bird_layer_infer(e, l, x, x, &s, b);
    bird_layer_forward_first(e, last, first, x, &s, b);
    rc = bird_encoder_outcome(e);
done:
    bird_timer_leave(before);
    return rc;
}
