/* The encoder forward: embeddings, layers, and the memory they work in.
 *
 * A layer maps the rows x (N, D) of all sequences, end to end, to y (N, D). In
 * the order of the papers (Vaswani et al. 2017, arXiv:1706.03762, section 3;
 * Zaheer et al. 2020, arXiv:2007.14062, eq. AT), with the function that
 * computes each equation:
 *
 *   1. [Q K V] = x [Wq Wk Wv] + [bq bk bv]                    qkv_task
 *   2. S  = Q_h K_h^T / sqrt(D / H) over the keys of the plan  attention_task
 *      C_h = softmax(S) V_h, for each head h                  (attention_forward)
 *   3. a  = LayerNorm1(x + dropout(C Wo + bo))                attended_rows
 *   4. h  = act(a W1 + b1)                                    widened_rows
 *   5. y  = LayerNorm2(a + dropout(h W2 + b2))                output_task
 *
 * There are three parallel loops, with a barrier after each: 1 over panels of
 * rows, 2 over tiles of queries of a head, 3 to 5 over panels of rows, so that a
 * panel stays in the cache of its core from product to product. An attention map
 * (prob_map.h) may replace the softmax; a branch's learned scale is multiplied
 * into Wo, bo, W2 and b2 before (bird_weights_scale). Plans are kept by length
 * from batch to batch.
 * SPDX-License-Identifier: MIT */
#include "model/encoder.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "model/layer.h"
#include "model/linear.h"

struct pass {
    const struct bird_encoder *e;
    const struct bird_layer *w;
    const struct bird_activations *s;
    const struct bird_batch *b;
    const struct bird_dropout_rates *dropout;
    const float *x;
    float *y, *z, *stat;
    int64_t layer, n;
    const struct bird_row_choice *rows; /* NULL: row 0 of each sequence */
};

static const struct bird_dropout_rates no_dropout = {0};

struct bird_dropout bird_dropout_at(const struct bird_dropout_rates *n, float p,
                                    int64_t layer, enum bird_site site)
{
    uint64_t stream = (uint64_t)(layer + 1) * 8 + site;

    return (struct bird_dropout){bird_mix(n->key, stream), p};
}

static int64_t rows_of(const struct pass *p, int64_t task)
{
    int64_t r = task * p->e->panel;

    return r + p->e->panel < p->n ? p->e->panel : p->n - r;
}

/* Word embeddings into the rows y of sequence s: all rows, or with a stem only
 * those of special tokens. */
static void look_up(const struct bird_encoder *e, float *y,
                    const struct bird_batch *b, int64_t s)
{
    int64_t n = b->offset[s + 1] - b->offset[s], d = e->c.hidden_size;

    for (int64_t i = 0; i < n; i++) {
        int32_t id = e->c.n_stem ? bird_stem_special(&e->c, b, s, i)
                                 : b->ids[b->offset[s] + i];

        if (id >= 0)
            memcpy(y + i * d, e->w->word + id * d, (size_t)d * sizeof(*y));
    }
}

/* With a stem, which wrote its rows: add the rows of special tokens, the type and
 * the position. */
static void complete_rows(const struct bird_encoder *e, float *y,
                          const struct bird_batch *b, int64_t s,
                          const float *type)
{
    const int32_t *types = b->type ? b->type + b->offset[s] : NULL;
    int64_t n = b->offset[s + 1] - b->offset[s], d = e->c.hidden_size;

    look_up(e, y, b, s);
    for (int64_t i = 0; i < n; i++) {
        e->k->add(y + i * d, type + (types ? types[i] * d : 0), d);
        e->k->add(y + i * d, e->w->position + i * d, d);
    }
}

static void embed_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    const struct bird_weights *w = e->w;
    int64_t d = e->c.hidden_size, s = task, r = p->b->offset[s];
    int64_t n = p->b->offset[s + 1] - r;
    float scale = e->c.rescale_embeddings ? sqrtf((float)d) : 1.0f;
    float *y = p->y + r * d;

    (void)worker;
    const float *type = p->b->type ? w->type : w->type + e->c.token_type * d;

    if (e->c.n_stem)
        complete_rows(e, y, p->b, s, type);
    /* positions that follow each other are one call */
    for (int64_t i = 0, m; i < n && !e->c.n_stem; i += m) {
        const int32_t *at = p->b->position ? p->b->position + r + i : NULL;

        for (m = at ? 1 : n; i + m < n && at[m] == at[0] + m; m++)
            ;
        e->k->embed_forward(y + i * d, p->b->ids + r + i,
                            p->b->type ? p->b->type + r + i : NULL,
                            at ? at[0] : 0, w->word, type, w->position, scale,
                            m, d);
    }
    e->k->residual_layernorm_forward(
        y, p->z ? p->z + r * d : NULL, p->stat ? p->stat + 2 * r : NULL, y,
        NULL, NULL, w->embedding.gain, w->embedding.beta,
        (float)e->c.layer_norm_eps,
        bird_dropout_at(p->dropout, p->dropout->hidden, -1, BIRD_SITE_OUTPUT),
        r, n, d);
}

void bird_embed(const struct bird_encoder *e, float *y, float *z, float *stat,
                const struct bird_batch *b,
                const struct bird_dropout_rates *dropout)
{
    struct pass p = {.e = e,
                     .b = b,
                     .y = y,
                     .z = z,
                     .stat = stat,
                     .dropout = dropout ? dropout : &no_dropout};

    bird_parallel(b->n_seq, embed_task, &p);
}

static const struct bird_plan *plan_of(const struct bird_encoder *e,
                                       int64_t layer, int64_t len)
{
    int64_t m;

    if (bird_pattern_is_full(&e->pattern, len))
        return NULL;
    m = (len + e->pattern.block - 1) / e->pattern.block;
    return e->plans.plan[layer * e->plans.cap_block + m];
}

struct bird_attention_args
bird_layer_attention(const struct bird_encoder *e, int64_t layer,
                     const float *qkv, int64_t seq, int64_t head,
                     const struct bird_batch *b,
                     const struct bird_dropout_rates *dropout)
{
    int64_t d = e->c.hidden_size, dim = d / e->c.n_head, r = b->offset[seq];
    const float *q = qkv + r * 3 * d + head * dim;
    struct bird_attention_args a = {.head = head,
                                    .q = q,
                                    .k = q + d,
                                    .v = q + 2 * d,
                                    .ld = 3 * d,
                                    .len = b->offset[seq + 1] - r,
                                    .dim = dim,
                                    .scale = 1.0f / sqrtf((float)dim),
                                    .mask = b->mask ? b->mask + r : NULL,
                                    .map = e->map};

    a.plan = plan_of(e, layer, bird_batch_extent(b, seq));
    if (a.plan && b->position)
        a.edge = e->edge + e->tile[seq] + seq;
    if (!a.plan && dropout->attention > 0) {
        a.drop = bird_dropout_at(dropout, dropout->attention, layer,
                                 BIRD_SITE_ATTENTION);
        a.drop.key = bird_mix(a.drop.key, (uint64_t)(seq * e->c.n_head + head));
    }
    return a;
}

/* Equation 2 for one tile of queries. Tasks count tiles within a head, heads
 * within a sequence, and sequences. */
static void attention_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    int64_t lo = 0, hi = p->b->n_seq, n_tile, head, i, size, r0, r1;
    int64_t d = e->c.hidden_size;
    struct bird_attention_args a;

    while (hi - lo > 1) {
        int64_t mid = (lo + hi) / 2;

        if (e->tile[mid] * e->c.n_head <= task)
            lo = mid;
        else
            hi = mid;
    }
    n_tile = e->tile[lo + 1] - e->tile[lo];
    task -= e->tile[lo] * e->c.n_head;
    head = task / n_tile;
    i = task % n_tile;
    a = bird_layer_attention(e, p->layer, p->s->qkv, lo, head, p->b,
                             p->dropout);
    if (e->rounded)
        a.low = bird_rounded_head(e, p->b, lo, head);
    size = bird_attention_tile(a.plan);
    r0 = a.edge ? a.edge[i] : i * size;
    r1 = a.edge                   ? a.edge[i + 1]
         : (i + 1) * size < a.len ? (i + 1) * size
                                  : a.len;
    if (r0 < r1)
        e->attend(p->s->ctx + p->b->offset[lo] * d + head * a.dim, d, &a, r0,
                  r1, bird_encoder_scratch(e, worker));
}

void bird_layer_attend(const struct bird_encoder *e, int64_t layer,
                       const struct bird_activations *s,
                       const struct bird_batch *b)
{
    struct pass p = {
        .e = e, .s = s, .b = b, .dropout = &no_dropout, .layer = layer};

    bird_parallel(e->tile[b->n_seq] * e->c.n_head, attention_task, &p);
}

void bird_layer_product(const struct bird_encoder *e, float *c, const float *a,
                        const struct bird_linear *w, struct bird_linear_shape s,
                        int worker)
{
    if (!w->low && w->packed)
        e->k->product(c, s.n_out, a, s.n_in, w->packed, s.n, s.n_out, s.n_in);
    else if (!w->low)
        bird_gemm_nt(c, s.n_out, (struct bird_matrix){a, s.n_in},
                     (struct bird_matrix){w->w, s.n_in}, s.n, s.n_out, s.n_in,
                     1, 0);
    else if (bird_low_product(c, s.n_out, w->low,
                              (struct bird_matrix){a, s.n_in}, NULL, s.n,
                              bird_encoder_scratch_low(e, worker)))
        __atomic_store_n(e->failed, 1, __ATOMIC_RELAXED);
}

struct projection {
    const struct bird_encoder *e;
    const struct bird_linear *w;
    float *qkv;
    const float *x;
    int64_t n;
    int64_t layer;
    const struct bird_batch *b; /* whose rows are rounded too; or NULL */
};

/* Equation 1 for one panel of rows: queries, keys and values. */
static void qkv_task(void *context, int64_t task, int worker)
{
    const struct projection *p = context;
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, r = task * e->panel;
    int64_t m = r + e->panel < p->n ? e->panel : p->n - r;
    float *y = p->qkv + r * 3 * d;
    struct bird_matrix x = {p->x + r * d, d};

    if (!p->w->low) {
        bird_layer_product(e, y, x.x, p->w,
                           (struct bird_linear_shape){m, 3 * d, d, 0}, worker);
        if (p->w->b)
            e->k->add_bias(y, p->w->b, m, 3 * d, 3 * d);
    } else if (bird_low_product(y, 3 * d, p->w->low, x, p->w->b, m,
                                bird_encoder_scratch_low(e, worker))) {
        __atomic_store_n(e->failed, 1, __ATOMIC_RELAXED);
    }
    if (e->rounded && p->b)
        bird_round_rows(e, p->layer, p->qkv, p->b, r, m);
}

void bird_layer_qkv(const struct bird_encoder *e, int64_t layer, float *qkv,
                    const float *x, int64_t n, const struct bird_batch *b)
{
    struct projection p = {e, &e->w->layer[layer].qkv, qkv, x, n, layer, b};

    bird_parallel((n + e->panel - 1) / e->panel, qkv_task, &p);
}

/* Equation 3, a = LayerNorm1(x + dropout(C Wo + bo)), for m rows from r; t is
 * scratch. a may be x. */
static void attended_rows(const struct pass *p, float *a, float *t, int64_t r,
                          int64_t m, int worker)
{
    const struct bird_encoder *e = p->e;
    const struct bird_layer *w = p->w;
    const struct bird_activations *s = p->s;
    int64_t d = e->c.hidden_size;

    bird_layer_product(e, t, s->ctx + r * d, &w->out,
                       (struct bird_linear_shape){m, d, d, 0}, worker);
    e->k->residual_layernorm_forward(
        a, s->z1 ? s->z1 + r * d : NULL, s->stat1 ? s->stat1 + 2 * r : NULL, t,
        w->out.b, p->x + r * d, w->norm1.gain, w->norm1.beta,
        (float)e->c.layer_norm_eps,
        bird_dropout_at(p->dropout, p->dropout->hidden, p->layer,
                        BIRD_SITE_OUTPUT),
        r, m, d);
}

/* Equation 4, u = a W1 + b1 and h = act(u); h may be u. */
static void widened_rows(const struct pass *p, float *h, float *u,
                         const float *a, int64_t m, int worker)
{
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;

    bird_layer_product(e, u, a, &p->w->up,
                       (struct bird_linear_shape){m, f, d, 0}, worker);
    e->k->bias_act_forward(h, u, p->w->up.b, e->c.act, m, f);
}

/* Equations 3, 4 and 5 for one panel of rows. */
static void output_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    const struct bird_layer *w = p->w;
    const struct bird_activations *s = p->s;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;
    int64_t r = task * e->panel, m = rows_of(p, task);
    float *t = bird_encoder_scratch(e, worker), *h = t + e->panel * d;
    float *a = h + e->panel * f, *u = s->u ? s->u + r * f : h;

    attended_rows(p, a, t, r, m, worker);
    widened_rows(p, h, u, a, m, worker);
    bird_layer_product(e, t, h, &w->down,
                       (struct bird_linear_shape){m, d, f, 0}, worker);
    e->k->residual_layernorm_forward(
        p->y + r * d, s->z2 ? s->z2 + r * d : NULL,
        s->stat2 ? s->stat2 + 2 * r : NULL, t, w->down.b, a, w->norm2.gain,
        w->norm2.beta, (float)e->c.layer_norm_eps,
        bird_dropout_at(p->dropout, p->dropout->hidden, p->layer,
                        BIRD_SITE_FFN),
        r, m, d);
}

static void again_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;
    int64_t r = task * e->panel, m = rows_of(p, task);

    attended_rows(p, p->y + r * d, bird_encoder_scratch(e, worker), r, m,
                  worker);
    widened_rows(p, p->z + r * f, p->s->u + r * f, p->y + r * d, m, worker);
}

void bird_layer_recompute(const struct bird_encoder *e, int64_t layer, float *a,
                          float *h, const struct bird_activations *s,
                          const struct bird_batch *b,
                          const struct bird_dropout_rates *dropout)
{
    struct pass p = {.e = e,
                     .w = &e->w->layer[layer],
                     .s = s,
                     .b = b,
                     .x = a,
                     .y = a,
                     .z = h,
                     .dropout = dropout ? dropout : &no_dropout,
                     .layer = layer,
                     .n = b->offset[b->n_seq]};

    bird_layer_qkv(e, layer, s->qkv, a, p.n, NULL);
    bird_parallel((p.n + e->panel - 1) / e->panel, again_task, &p);
}

/* The equations above in their order: 1; 2; 3, 4 and 5. */
void bird_layer_forward(const struct bird_encoder *e, int64_t layer, float *y,
                        const float *x, const struct bird_activations *s,
                        const struct bird_batch *b,
                        const struct bird_dropout_rates *dropout)
{
    struct pass p = {.e = e,
                     .w = &e->w->layer[layer],
                     .s = s,
                     .b = b,
                     .x = x,
                     .y = y,
                     .dropout = dropout ? dropout : &no_dropout,
                     .layer = layer,
                     .n = b->offset[b->n_seq]};

    bird_layer_qkv(e, layer, s->qkv, x, p.n, b);
    bird_parallel(e->tile[b->n_seq] * e->c.n_head, attention_task, &p);
    bird_parallel((p.n + e->panel - 1) / e->panel, output_task, &p);
}

struct chosen { /* rows of a sequence; among all chosen ones they begin at */
    int64_t from, n, at;
};

static struct chosen chosen_rows(const struct bird_row_choice *rows,
                                 const struct bird_batch *b, int64_t seq)
{
    if (!rows)
        return (struct chosen){b->offset[seq], 1, seq};
    return (struct chosen){rows->from[seq],
                           rows->offset[seq + 1] - rows->offset[seq],
                           rows->offset[seq]};
}

/* y may be x: offsets rise, so no row goes over one that is still to move. */
static void move_chosen(float *y, const float *x, const struct bird_batch *b,
                        const struct bird_row_choice *rows, int64_t d)
{
    for (int64_t i = 0; i < b->n_seq; i++) {
        struct chosen c = chosen_rows(rows, b, i);

        memmove(y + c.at * d, x + c.from * d, (size_t)(c.n * d) * sizeof(*x));
    }
}

/* The chosen rows of one head of one sequence, tile by tile. Of some tiles more:
 * the kernels compute fewer than BIRD_ATTENTION_FEW queries another way, which
 * rounds otherwise. */
static void chosen_attention_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    int64_t seq = task / e->c.n_head, head = task % e->c.n_head;
    int64_t d = e->c.hidden_size, few = p->rows ? BIRD_ATTENTION_FEW : 1, to;
    struct chosen c = chosen_rows(p->rows, p->b, seq);
    struct bird_attention_args a = bird_layer_attention(
        e, p->layer, p->s->qkv, seq, head, p->b, p->dropout);
    int64_t tile = bird_attention_tile(a.plan);
    int64_t r = c.from - p->b->offset[seq], end = r + c.n;

    if (e->rounded && p->rows)
        a.low = bird_rounded_head(e, p->b, seq, head);
    for (; r < end; r = to) {
        int64_t first = r / tile * tile,
                last = bird_smaller(first + tile, a.len);
        int64_t from, until;

        to = bird_smaller(last, end);
        from = bird_larger(first, bird_smaller(r, to - few));
        until = bird_smaller(last, bird_larger(to, from + few));
        e->attend(p->s->ctx + p->b->offset[seq] * d + head * a.dim, d, &a, from,
                  until, bird_encoder_scratch(e, worker));
    }
}

static void layer_forward_chosen(const struct bird_encoder *e, int64_t layer,
                                 float *y, float *x,
                                 const struct bird_activations *s,
                                 const struct bird_batch *b,
                                 const struct bird_row_choice *rows)
{
    struct pass p = {.e = e,
                     .w = &e->w->layer[layer],
                     .s = s,
                     .b = b,
                     .x = x,
                     .y = y,
                     .dropout = &no_dropout,
                     .layer = layer,
                     .n = rows ? rows->offset[b->n_seq] : b->n_seq,
                     .rows = rows};

    bird_layer_qkv(e, layer, s->qkv, x, b->offset[b->n_seq], rows ? b : NULL);
    bird_parallel(b->n_seq * e->c.n_head, chosen_attention_task, &p);
    move_chosen(x, x, b, rows, e->c.hidden_size);
    move_chosen(s->ctx, s->ctx, b, rows, e->c.hidden_size);
    bird_parallel((p.n + e->panel - 1) / e->panel, output_task, &p);
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
    e->low = bird_low_most_scratch(weights, config->n_layer);
    rc = bird_array_new(&e->failed, 1, sizeof(*e->failed));
    if (rc) {
        free(e);
        return rc;
    }
    e->pattern = bird_pattern_of(config);
    e->map = bird_prob_map_of(&config->map);
    *out = e;
    return 0;
}

void bird_encoder_free(struct bird_encoder *e)
{
    if (!e)
        return;
    bird_plans_free(&e->plans);
    free(e->rows);
    free(e->rounded);
    free(e->scratch);
    free(e->tile);
    free(e->failed);
    free(e->edge);
    free(e->stem.own);
    free(e->stem.tile);
    bird_stem_shared_free(&e->shared);
    free(e);
}

/* Grow a workspace without its content. The old one is freed first, so that only one
 * is resident; up to 2 MiB are spare, since packs differ by a sequence and the heap
 * may keep freed memory. */
static int grow_buffer(float **array, int64_t *cap, int64_t n)
{
    const int64_t most = 1 << 19;
    int rc;

    if (n <= *cap)
        return 0;
    n += n / 8 < most ? n / 8 : most;
    free(*array);
    *array = NULL;
    *cap = 0;
    rc = bird_array_uninit(array, n, sizeof(**array));
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
    return bird_plans_add(e, len);
}

/* Rows of a panel of n. A gradient is a sum over panels: their number is a function
 * of n alone. */
static int64_t panel_rows(const struct bird_encoder *e, int64_t n, int back)
{
    const struct bird_linear *qkv = e->c.n_layer ? &e->w->layer[0].qkv : NULL;

    if (qkv && (qkv->packed || (bird_low_any_rows(qkv->low) && !back)))
        return bird_packed_rows(n);
    return e->low ? BIRD_LOW_ROWS : bird_panel_rows(n);
}

int bird_encoder_prepare(struct bird_encoder *e, const struct bird_batch *b,
                         int back)
{
    int worker = bird_parallel_worker();
    int64_t n = b->offset[b->n_seq], d = e->c.hidden_size, longest = 0;
    int64_t most = bird_attention_tile(NULL);
    int rc =
        bird_array_grow(&e->tile, &e->cap_tile, b->n_seq + 1, sizeof(*e->tile));

    e->panel = panel_rows(e, n, back);
    e->attend = e->low ? bird_attention_low(e->k) : e->k->attention_forward;
    e->attend_back =
        e->low ? bird_attention_back_low(e->k) : e->k->attention_backward;
    /* weights that nobody prepared may have changed; in a task they are shared */
    if (worker < 0)
        bird_weights_follow(e->w, &e->c);
    if (e->plans.n_row > BIRD_PLAN_ROWS)
        bird_plans_free(&e->plans);
    if (!rc)
        e->tile[0] = 0;
    for (int64_t s = 0; !rc && s < b->n_seq; s++)
        rc = prepare_sequence(e, b, s, &most, &longest);
    if (!rc)
        rc = bird_stem_prepare(e, b);
    if (rc)
        return rc;
    most = back ? bird_attention_scratch_back(longest, d / e->c.n_head, most)
                : bird_attention_scratch(longest, d / e->c.n_head, most);
    e->scratch_stride = e->panel * (2 * d + e->c.intermediate_size);
    if (e->scratch_stride < most)
        e->scratch_stride = most;
    if (e->c.n_stem && e->scratch_stride < bird_stem_scratch(&e->c))
        e->scratch_stride = bird_stem_scratch(&e->c);
    e->scratch_stride = (e->scratch_stride + 15) / 16 * 16 + e->low;
    e->worker = worker < 0 ? 0 : worker;
    most = e->scratch_stride * (worker < 0 ? bird_threads() : 1);
    rc = grow_buffer(&e->scratch, &e->cap_scratch, most);
    if (rc || e->attend == e->k->attention_forward)
        return rc;
    return grow_buffer(&e->rounded, &e->cap_rounded,
                       (n + b->n_seq + 1) / 2 * e->c.n_head *
                           bird_attention_rounded(2, d / e->c.n_head));
}

int bird_encoder_status(const struct bird_encoder *e)
{
    if (!__atomic_exchange_n(e->failed, 0, __ATOMIC_RELAXED))
        return 0;
    return bird_fail(BIRD_ENOMEM, "oneDNN could not compute a product: out of "
                                  "memory");
}

int bird_encoder_inputs(struct bird_encoder *e, float *x,
                        const struct bird_batch *b)
{
    int rc = bird_batch_check(b, &e->c);

    if (!rc)
        rc = bird_encoder_prepare(e, b, 0);
    if (rc)
        return rc;
    if (e->c.n_stem)
        bird_stem_forward(e, x, b);
    for (int64_t s = 0; s < b->n_seq; s++)
        look_up(e, x + b->offset[s] * e->c.hidden_size, b, s);
    return bird_encoder_status(e);
}

int bird_encoder_forward_each(struct bird_encoder *e, float *x,
                              bird_state_take *take, void *context,
                              const struct bird_batch *b)
{
    int64_t n = b->offset[b->n_seq], d = e->c.hidden_size;
    struct bird_activations s = {0};
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_ENCODER);
    int rc = bird_batch_check(b, &e->c);

    if (rc || (rc = bird_encoder_prepare(e, b, 0)) ||
        (rc = grow_buffer(&e->rows, &e->cap_rows, n * 4 * d)))
        goto done;
    s.qkv = e->rows;
    s.ctx = e->rows + n * 3 * d;
    if (e->c.n_stem)
        bird_stem_forward(e, x, b);
    bird_embed(e, x, NULL, NULL, b, NULL);
    rc = take(context, 0, x);
    for (int64_t l = 0; !rc && l < e->c.n_layer; l++) {
        bird_layer_forward(e, l, x, x, &s, b, NULL);
        rc = bird_encoder_status(e);
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

/* The chosen rows into y, which may be x (N, D); x NULL: there is none yet. */
static int forward_chosen(struct bird_encoder *e, float *y, float *x,
                          const struct bird_batch *b,
                          const struct bird_row_choice *rows)
{
    int64_t n = b->offset[b->n_seq], d = e->c.hidden_size;
    int64_t last = e->c.n_layer - 1;
    struct bird_activations s = {0};
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_ENCODER);
    int rc = bird_batch_check(b, &e->c);

    if (rc || (rc = bird_encoder_prepare(e, b, 0)) ||
        (rc = grow_buffer(&e->rows, &e->cap_rows, n * (x ? 4 : 5) * d)))
        goto done;
    s.qkv = e->rows;
    s.ctx = e->rows + n * 3 * d;
    x = x ? x : e->rows + n * 4 * d;
    if (e->c.n_stem)
        bird_stem_forward(e, x, b);
    bird_embed(e, x, NULL, NULL, b, NULL);
    for (int64_t l = 0; l < last; l++)
        bird_layer_forward(e, l, x, x, &s, b, NULL);
    if (last >= 0)
        layer_forward_chosen(e, last, y, x, &s, b, rows);
    else
        move_chosen(y, x, b, rows, d);
    rc = bird_encoder_status(e);
done:
    bird_timer_leave(before);
    return rc;
}

int bird_encoder_forward_rows(struct bird_encoder *e, float *x,
                              const struct bird_row_choice *rows,
                              const struct bird_batch *b)
{
    return forward_chosen(e, x, x, b, rows);
}

int bird_encoder_forward_first(struct bird_encoder *e, float *first,
                               const struct bird_batch *b)
{
    return forward_chosen(e, first, NULL, b, NULL);
}
