/* The stem in training: forward layer by layer with everything kept, and back.
 *
 * Rows of all sequences lie end to end with rows of zeros between them, as many
 * as the widest kernel reaches, so that a convolution runs over all at once:
 * forward a product over overlapping rows, backward one product a tap. Sums
 * over tasks are added in their order. docs/math/stem.md has the derivation.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "model/stem_layer.h"

/* Chunks of tokens whose gradients of the table are summed apart, at most, and
 * rows of one at least; columns of a task of the embedding's gradient. */
enum { CHUNKS = 16, CHUNK_ROWS = 2048, COLUMNS = 64 };

struct pass {
    struct bird_encoder *e;
    struct bird_stem_tape *t;
    const struct bird_batch *b;
    const struct bird_weights *grad;
    const struct bird_stem_layer *s; /* layer l */
    float *y;
    int64_t l, rows; /* of a task, after the pool */
    int residual;
};

void bird_stem_tape_free(struct bird_stem_tape *t)
{
    free(t->block);
    free(t->at);
    *t = (struct bird_stem_tape){.centre = t->centre};
}

/* First rows of the sequences at a level; [n_seq]: rows in all. */
static const int64_t *level(const struct bird_stem_tape *t, int64_t l)
{
    return t->at + l * (t->n_seq + 1);
}

static int64_t rows_at(const struct bird_stem_tape *t, int64_t l)
{
    return level(t, l)[t->n_seq];
}

/* Rows of sequence s there. */
static int64_t length(const struct bird_stem_tape *t, int64_t l, int64_t s)
{
    return level(t, l)[s + 1] - level(t, l)[s] - t->gap;
}

static int lay_rows(const struct bird_encoder *e, struct bird_stem_tape *t,
                    const struct bird_batch *b)
{
    const struct bird_config *c = &e->c;
    int rc = bird_array_grow(&t->at, &t->cap_at,
                             (c->n_stem + 1) * (b->n_seq + 1), sizeof(*t->at));

    if (rc)
        return rc;
    t->n_seq = b->n_seq;
    t->gap = 0;
    for (int64_t l = 0; l < c->n_stem; l++)
        if (t->gap < c->stem[l].kernel / 2)
            t->gap = c->stem[l].kernel / 2;
    for (int64_t l = 0; l <= c->n_stem; l++) {
        int64_t *at = t->at + l * (b->n_seq + 1);

        at[0] = t->gap;
        for (int64_t s = 0; s < b->n_seq; s++) {
            int64_t n = b->token[s + 1] - b->token[s], before, behind;

            bird_stem_ends(c, b->ids + b->token[s], n, &before, &behind);
            n -= before + behind;
            for (int64_t k = 0; k < l; k++)
                n = (n + c->stem[k].pool - 1) / c->stem[k].pool;
            at[s + 1] = at[s] + n + t->gap;
        }
    }
    return 0;
}

static float *cut(float *base, int64_t *used, int64_t n)
{
    float *p = base ? base + *used : NULL;

    *used += (n + 15) / 16 * 16;
    return p;
}

static uint16_t *cut_low(float *base, int64_t *used, int64_t n)
{
    /* place only: nothing is read as float that was written as uint16_t */
    /* cppcheck-suppress invalidPointerCast */
    return (uint16_t *)cut(base, used, (n + 1) / 2);
}

/* Rows after the pool of a task of this layer. */
static int64_t task_rows(const struct bird_stem_layer *s)
{
    return s->pool < BIRD_STEM_PART ? BIRD_STEM_PART / s->pool : 1;
}

static int64_t n_task(const struct bird_encoder *e,
                      const struct bird_stem_tape *t, int64_t l)
{
    int64_t rows = task_rows(&e->c.stem[l]);

    return (rows_at(t, l + 1) + rows - 1) / rows;
}

/* With base NULL only the size is counted. */
static int64_t lay_out(const struct bird_encoder *e, struct bird_stem_tape *t,
                       float *base)
{
    const struct bird_config *c = &e->c;
    int64_t used = 0, wide = 0, sums = 0, tasks = 0, table;
    int64_t low_x = 0, low_dz = 0;

    for (int64_t l = 0; l <= c->n_stem; l++) {
        int64_t n = rows_at(t, l), d = bird_stem_channels_in(c, l);

        t->x[l] = NULL;
        if (l || !e->stem.table)
            t->x[l] = cut(base, &used, n * d);
        if ((l || !e->stem.table) && n * d > wide)
            wide = n * d;
        if (l == c->n_stem)
            break;
        t->z[l] = cut(base, &used, n * c->stem[l].channels);
        t->stat[l] = cut(base, &used, 2 * n);
        if (n * c->stem[l].channels > sums)
            sums = n * c->stem[l].channels;
        if (e->w->stem[l].l.back) {
            low_x = n * d > low_x ? n * d : low_x;
            d = c->stem[l].channels;
            low_dz = n * d > low_dz ? n * d : low_dz;
        }
        n = n_task(e, t, l) * 2 * c->stem[l].channels;
        tasks = n > tasks ? n : tasks;
    }
    t->dx = cut(base, &used, wide);
    t->dy = cut(base, &used, wide);
    t->dz = cut(base, &used, sums);
    t->low_x = cut_low(base, &used, low_x);
    t->low_dz = cut_low(base, &used, low_dz);
    if (tasks < c->vocab_size + c->stem[0].channels)
        tasks = c->vocab_size + c->stem[0].channels; /* centre_table() */
    t->partial = cut(base, &used, tasks);
    table = e->stem.table ? bird_stem_table_size(c) : 0;
    t->chunk_rows = (rows_at(t, 0) + CHUNKS - 1) / CHUNKS;
    if (t->chunk_rows < CHUNK_ROWS)
        t->chunk_rows = CHUNK_ROWS;
    t->n_chunk = (rows_at(t, 0) + t->chunk_rows - 1) / t->chunk_rows;
    t->dtable = cut(base, &used, table * t->n_chunk);
    return used;
}

/* The rows between sequences of a level. */
static void clear_gaps(const struct bird_stem_tape *t, float *x, int64_t l,
                       int64_t d)
{
    for (int64_t s = 0; s <= t->n_seq; s++)
        memset(x + (level(t, l)[s] - t->gap) * d, 0,
               (size_t)(t->gap * d) * sizeof(*x));
}

static int reserve(struct bird_encoder *e, struct bird_stem_tape *t,
                   const struct bird_batch *b)
{
    int rc = lay_rows(e, t, b);
    int64_t size;

    if (rc)
        return rc;
    size = lay_out(e, t, NULL);
    if (size > t->cap) {
        free(t->block);
        t->block = NULL;
        t->cap = 0;
        if ((rc = bird_array_uninit(&t->block, size, sizeof(*t->block))))
            return rc;
        t->cap = size;
    }
    lay_out(e, t, t->block);
    for (int64_t l = 0; l <= e->c.n_stem; l++)
        if (t->x[l])
            clear_gaps(t, t->x[l], l, bird_stem_channels_in(&e->c, l));
    return 0;
}

/* Rows of one sequence in a task: before the pool n from `first` on. */
struct part {
    int64_t s, out, first, n;
};

/* The next part of rows *at .. end after the pool; 0: no more. */
static int next_part(struct part *p, const struct pass *k, int64_t *at,
                     int64_t end)
{
    const struct bird_stem_tape *t = k->t;
    const int64_t *to = level(t, k->l + 1);

    while (*at < end) {
        int64_t s = *at < to[0] ? 0 : bird_stem_find(to, t->n_seq, *at);
        int64_t from = *at > to[s] ? *at : to[s];
        int64_t stop = to[s] + length(t, k->l + 1, s), all;

        *at = to[s + 1] < end ? to[s + 1] : end;
        stop = stop < end ? stop : end;
        if (from >= stop)
            continue;
        all = length(t, k->l, s);
        p->s = s;
        p->out = from;
        p->first = (from - to[s]) * k->s->pool;
        p->n = (stop - to[s]) * k->s->pool;
        p->n = (p->n < all ? p->n : all) - p->first;
        return 1;
    }
    return 0;
}

/* The batch's number of the part's first token, in a layer at full
 * resolution. */
static int64_t token_of(const struct pass *k, const struct part *p)
{
    const struct bird_batch *b = k->b;
    int64_t before, behind, at = b->token[p->s];

    bird_stem_ends(&k->e->c, b->ids + at, b->token[p->s + 1] - at, &before,
                   &behind);
    return at + before + p->first;
}

/* Does the head read this layer's features of single tokens? */
static int is_full(const struct pass *k)
{
    int64_t full;

    return k->b->n_want && bird_stem_full(&k->e->c, &full) && k->l == full;
}

static struct bird_stem_in input_of(const struct pass *k, const struct part *p)
{
    const struct bird_stem_tape *t = k->t;
    const int32_t *ids = k->b->ids + k->b->token[p->s];
    int64_t all = k->b->token[p->s + 1] - k->b->token[p->s], before, behind;
    int64_t row = level(t, k->l)[p->s] + p->first;

    bird_stem_ends(&k->e->c, ids, all, &before, &behind);
    return (struct bird_stem_in){
        t->x[k->l] ? t->x[k->l] + row * bird_stem_channels_in(&k->e->c, k->l)
                   : NULL,
        {ids + before + p->first, p->first,
         length(t, k->l, p->s) - p->first - p->n, k->s->kernel}};
}

static void forward_task(void *context, int64_t task, int worker)
{
    const struct pass *k = context;
    const struct bird_stem_tape *t = k->t;
    int64_t at = task * k->rows, end = at + k->rows, d = k->s->channels;
    struct part p;

    end = end < rows_at(t, k->l + 1) ? end : rows_at(t, k->l + 1);
    while (next_part(&p, k, &at, end)) {
        int64_t row = level(t, k->l)[p.s] + p.first;
        struct bird_stem_in in = input_of(k, &p);
        float *y = t->x[k->l + 1] + p.out * d, *z = t->z[k->l] + row * d;
        float *h = k->s->pool > 1 ? bird_encoder_scratch(k->e, worker) : y;

        bird_stem_sums(k->e, k->l, z, &in, p.n, worker);
        bird_stem_finish(k->e, k->l, h, z, t->stat[k->l] + 2 * row, in.x, p.n);
        if (is_full(k))
            bird_stem_take(k->b, h, token_of(k, &p), p.n, d);
        if (k->s->pool > 1)
            k->e->k->max_pool_forward(y, h, p.n, k->s->pool, d);
    }
}

/* The word embeddings that a first layer without a table reads. */
static void look_up(void *context, int64_t s, int worker)
{
    const struct pass *k = context;
    const struct bird_batch *b = k->b;
    int64_t d = k->e->c.hidden_size, before, behind;
    int64_t n = b->token[s + 1] - b->token[s];
    const int32_t *ids = b->ids + b->token[s];
    float *x = k->t->x[0] + level(k->t, 0)[s] * d;

    (void)worker;
    bird_stem_ends(&k->e->c, ids, n, &before, &behind);
    for (int64_t i = before; i < n - behind; i++, x += d)
        memcpy(x, k->e->w->word + ids[i] * d, (size_t)d * sizeof(*x));
}

/* Rows of sequence s in the batch, those of special tokens left out. */
static int64_t first_row(const struct pass *k, int64_t s)
{
    const struct bird_batch *b = k->b;
    int64_t before, behind;

    bird_stem_ends(&k->e->c, b->ids + b->token[s],
                   b->token[s + 1] - b->token[s], &before, &behind);
    return b->offset[s] + before;
}

static void set_layer(struct pass *k, int64_t l)
{
    k->l = l;
    k->s = &k->e->c.stem[l];
    k->rows = task_rows(k->s);
}

int bird_stem_train_forward(struct bird_encoder *e, struct bird_stem_tape *t,
                            float *y, const struct bird_batch *b)
{
    int64_t n = e->c.n_stem, d = e->c.hidden_size;
    struct pass k = {.e = e, .t = t, .b = b, .y = y};
    int rc = reserve(e, t, b);

    if (rc)
        return rc;
    if (t->x[0])
        bird_parallel(b->n_seq, look_up, &k);
    for (int64_t l = 0; l < n; l++) {
        set_layer(&k, l);
        bird_parallel(n_task(e, t, l), forward_task, &k);
    }
    for (int64_t s = 0; s < b->n_seq; s++)
        memcpy(y + first_row(&k, s) * d, t->x[n] + level(t, n)[s] * d,
               (size_t)(length(t, n, s) * d) * sizeof(*y));
    return 0;
}

/* --- backward ---------------------------------------------------------------*/

/* t->dz from t->dy, back through pool, activation and LayerNorm; t->dx = the
 * gradient that goes around a residual layer. */
static void finish_task(void *context, int64_t task, int worker)
{
    const struct pass *k = context;
    const struct bird_kernels *f = k->e->k;
    const struct bird_stem_tape *t = k->t;
    const struct bird_norm *norm = &k->e->w->stem[k->l].norm;
    int64_t at = task * k->rows, end = at + k->rows, d = k->s->channels;
    float *u = bird_encoder_scratch(k->e, worker);
    float *h = u + BIRD_STEM_PART * d, *dh = h + BIRD_STEM_PART * d;
    float *dgain = t->partial + task * 2 * d;
    struct part p;

    memset(dgain, 0, (size_t)(2 * d) * sizeof(*dgain));
    end = end < rows_at(t, k->l + 1) ? end : rows_at(t, k->l + 1);
    while (next_part(&p, k, &at, end)) {
        int64_t row = level(t, k->l)[p.s] + p.first;
        size_t size = (size_t)(p.n * d) * sizeof(*u);
        float *z = t->z[k->l] + row * d, *stat = t->stat[k->l] + 2 * row;
        float *dz = t->dz + row * d, *dy = t->dy + p.out * d;

        if (k->s->norm)
            f->layernorm_again(u, z, stat, norm->gain, norm->beta, p.n, d);
        else
            memcpy(u, z, size);
        if (k->s->pool > 1) {
            memcpy(h, u, size);
            f->bias_act_forward(h, h, NULL, k->s->act, p.n, d);
            if (k->s->residual)
                f->add(h, t->x[k->l] + row * d, p.n * d);
            f->max_pool_backward(dh, dy, h, p.n, k->s->pool, d);
        } else {
            memcpy(dh, dy, size);
        }
        if (is_full(k) && k->b->dfull)
            bird_stem_take_back(dh, k->b, token_of(k, &p), p.n, d);
        if (k->s->residual)
            memcpy(t->dx + row * d, dh, size);
        f->act_backward(dh, dh, u, k->s->act, p.n, d);
        if (k->s->norm) {
            f->layernorm_backward_params(dgain, dgain + d, dh, z, stat, p.n, d,
                                         0, d);
            f->layernorm_backward(dz, dh, z, stat, norm->gain, p.n, d);
        } else {
            memcpy(dz, dh, size);
        }
    }
}

/* Gradients of one tap's weights. */
static void tap_gradient(const struct pass *k, int64_t tap)
{
    const struct bird_stem_tape *t = k->t;
    int64_t in = bird_stem_channels_in(&k->e->c, k->l), out = k->s->channels;
    int64_t taps = k->s->kernel, n = rows_at(t, k->l) - 2 * t->gap;
    int64_t x = (t->gap + tap - taps / 2) * in, dz = t->gap * out;
    float *g = k->grad->stem[k->l].l.w + tap * in;

    if (!k->e->w->stem[k->l].l.back)
        bird_gemm_tn(g, taps * in, (struct bird_matrix){t->dz + dz, out},
                     (struct bird_matrix){t->x[k->l] + x, in}, out, in, n, 1,
                     1);
    else if (bird_low_outer(&(struct bird_outer){.c = g,
                                                 .a = t->low_dz + dz,
                                                 .b = t->low_x + x,
                                                 .ldc = taps * in,
                                                 .lda = out,
                                                 .ldb = in,
                                                 .m = out,
                                                 .n = in,
                                                 .k = n}))
        __atomic_store_n(k->e->failed, 1, __ATOMIC_RELAXED);
}

/* Gradients of rows r .. r + m - 1 of the input. */
static void input_gradient(const struct pass *k, int64_t r, int64_t m,
                           int worker)
{
    const struct bird_stem_tape *t = k->t;
    int64_t in = bird_stem_channels_in(&k->e->c, k->l), out = k->s->channels;
    int64_t taps = k->s->kernel, half = taps / 2;
    const struct bird_linear *w = &k->e->w->stem[k->l].l;
    struct bird_matrix window = {t->dz + (r - half) * out, out};
    float *dx = t->dx + r * in, *scratch;
    int rc;

    if (w->back) {
        scratch = bird_encoder_scratch_low(k->e, worker);
        rc = k->residual
                 ? bird_low_add(dx, in, w->back, window, m, scratch)
                 : bird_low_product(dx, in, w->back, window, NULL, m, scratch);
        if (rc)
            __atomic_store_n(k->e->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    for (int64_t i = 0; i < taps; i++)
        bird_gemm_nn(dx, in,
                     (struct bird_matrix){t->dz + (r + half - i) * out, out},
                     (struct bird_matrix){w->w + i * in, taps * in}, m, in, out,
                     1, i || k->residual);
}

/* Gradients of one tap's weights, of the bias, or of a panel of the input. */
static void conv_task(void *context, int64_t task, int worker)
{
    const struct pass *k = context;
    const struct bird_stem_tape *t = k->t;
    int64_t out = k->s->channels, taps = k->s->kernel, r;
    int64_t n = rows_at(t, k->l) - 2 * t->gap, panel = bird_panel_rows(n);

    if (task <= taps && !k->grad)
        return;
    if (task < taps) {
        tap_gradient(k, task);
    } else if (task == taps) {
        k->e->k->column_sum(k->grad->stem[k->l].l.b, t->dz, rows_at(t, k->l),
                            out, 0, out);
    } else {
        r = (task - taps - 1) * panel;
        panel = r + panel < n ? panel : n - r;
        input_gradient(k, r + t->gap, panel, worker);
    }
}

/* Round a panel of the factors of tap_gradient(). */
static void round_task(void *context, int64_t task, int worker)
{
    const struct pass *k = context;
    const struct bird_stem_tape *t = k->t;
    int64_t in = bird_stem_channels_in(&k->e->c, k->l), out = k->s->channels;
    int64_t n = rows_at(t, k->l), panel = bird_panel_rows(n), r = task * panel;

    (void)worker;
    panel = r + panel < n ? panel : n - r;
    k->e->k->to_bfloat16(t->low_x + r * in, t->x[k->l] + r * in, panel * in);
    k->e->k->to_bfloat16(t->low_dz + r * out, t->dz + r * out, panel * out);
}

/* One chunk's gradients of the table. */
static void table_task(void *context, int64_t task, int worker)
{
    struct pass *k = context;
    const struct bird_stem_tape *t = k->t;
    int64_t size = bird_stem_table_size(&k->e->c), d = k->s->channels;
    int64_t at = task * t->chunk_rows, end = at + t->chunk_rows;
    float *dtable = t->dtable + task * size;
    const int64_t *first = level(t, 0);

    (void)worker;
    memset(dtable, 0, (size_t)size * sizeof(*dtable));
    end = end < first[t->n_seq] ? end : first[t->n_seq];
    for (int64_t s = at < first[0] ? 0 : bird_stem_find(first, t->n_seq, at);
         s < t->n_seq && first[s] < end; s++) {
        int64_t from = at > first[s] ? at : first[s], n = length(t, 0, s);
        int64_t stop = first[s] + n < end ? first[s] + n : end;
        struct part p = {s, 0, from - first[s], stop - from};
        struct bird_stem_in in;

        if (from >= stop)
            continue;
        in = input_of(k, &p);
        k->e->k->conv_table_backward(dtable, t->dz + from * d, &in.tokens,
                                     stop - from, d);
    }
}

/* Subtract from each filter's gradient its sum over tokens and taps, divided among
 * tokens by count and evenly among taps: the common part says nothing about a
 * motif, and is the largest part of the gradient at first. After Yong et al. 2020, arXiv:2004.01461, who centre a
 * filter's gradient over its inputs; here inputs are one-hot tokens. */
static void centre_table(const struct pass *k)
{
    const struct bird_batch *b = k->b;
    const struct bird_config *c = &k->e->c;
    int64_t d = k->s->channels, taps = k->s->kernel, total = 0;
    float *count = k->t->partial, *sum = count + c->vocab_size;

    memset(count, 0, (size_t)(c->vocab_size + d) * sizeof(*count));
    for (int64_t s = 0; s < b->n_seq; s++) {
        const int32_t *ids = b->ids + b->token[s];
        int64_t n = b->token[s + 1] - b->token[s], before, behind;

        bird_stem_ends(c, ids, n, &before, &behind);
        for (int64_t i = before; i < n - behind; i++)
            count[ids[i]]++;
        total += n - before - behind;
    }
    for (int64_t i = 0; i < c->vocab_size * taps; i++)
        k->e->k->add(sum, k->t->dtable + i * d, d);
    for (int64_t v = 0; v < c->vocab_size; v++) {
        float share = total ? count[v] / (float)total / (float)taps : 0;

        for (int64_t i = 0; i < taps && share > 0; i++)
            for (int64_t j = 0; j < d; j++)
                k->t->dtable[(v * taps + i) * d + j] -= share * sum[j];
    }
}

/* The table's gradient to the weights and the embedding that it was made of. */
static void table_backward(struct pass *k)
{
    const struct bird_config *c = &k->e->c;
    const struct bird_stem_tape *t = k->t;
    int64_t d = c->hidden_size, out = k->s->channels, taps = k->s->kernel;
    int64_t size = bird_stem_table_size(c);
    const struct bird_linear *g = &k->grad->stem[0].l;

    bird_parallel(t->n_chunk, table_task, k);
    for (int64_t i = 1; i < t->n_chunk; i++)
        k->e->k->add(t->dtable, t->dtable + i * size, size);
    k->e->k->column_sum(g->b, t->dz, rows_at(t, 0), out, 0, out);
    if (t->centre)
        centre_table(k);
    for (int64_t i = 0; i < taps; i++) {
        struct bird_matrix dt = {t->dtable + i * out, taps * out};

        bird_gemm_tn(g->w + i * d, taps * d, dt,
                     (struct bird_matrix){k->e->w->word, d}, out, d,
                     c->vocab_size, 1, 1);
        bird_gemm_nn(
            k->grad->word, d, dt,
            (struct bird_matrix){k->e->w->stem[0].l.w + i * d, taps * d},
            c->vocab_size, d, out, 1, 1);
    }
}

/* Columns of the embedding's gradient: rows of one id meet in one task. */
static void word_columns(void *context, int64_t task, int worker)
{
    const struct pass *k = context;
    const struct bird_batch *b = k->b;
    int64_t d = k->e->c.hidden_size, c0 = task * COLUMNS;
    int64_t c1 = c0 + COLUMNS < d ? c0 + COLUMNS : d, before, behind;

    (void)worker;
    for (int64_t s = 0; s < b->n_seq; s++) {
        const int32_t *ids = b->ids + b->token[s];
        const float *dx = k->t->dx + level(k->t, 0)[s] * d;
        int64_t n = b->token[s + 1] - b->token[s];

        bird_stem_ends(&k->e->c, ids, n, &before, &behind);
        for (int64_t i = before; i < n - behind; i++, dx += d)
            for (int64_t j = c0; j < c1; j++)
                k->grad->word[ids[i] * d + j] += dx[j];
    }
}

static void layer_backward(struct pass *k, int64_t l)
{
    const struct bird_config *c = &k->e->c;
    struct bird_stem_tape *t = k->t;
    const struct bird_norm *g = k->grad ? &k->grad->stem[l].norm : NULL;
    int64_t d = c->stem[l].channels, n = rows_at(t, l) - 2 * t->gap;
    float *swap;

    set_layer(k, l);
    k->residual = k->s->residual;
    if (k->residual)
        memset(t->dx, 0, (size_t)(rows_at(t, l) * d) * sizeof(*t->dx));
    clear_gaps(t, t->dz, l, d);
    bird_parallel(n_task(k->e, t, l), finish_task, k);
    for (int64_t i = 0; g && k->s->norm && i < n_task(k->e, t, l); i++) {
        k->e->k->add(g->gain, t->partial + i * 2 * d, d);
        k->e->k->add(g->beta, t->partial + (i * 2 + 1) * d, d);
    }
    if (!l && !k->grad) /* its input has a gradient by bird_stem_along() */
        return;
    if (!t->x[l]) {
        table_backward(k);
        return;
    }
    if (k->e->w->stem[l].l.back)
        bird_parallel((rows_at(t, l) + bird_panel_rows(rows_at(t, l)) - 1) /
                          bird_panel_rows(rows_at(t, l)),
                      round_task, k);
    bird_parallel(k->s->kernel + 1 +
                      (n + bird_panel_rows(n) - 1) / bird_panel_rows(n),
                  conv_task, k);
    if (!l) {
        bird_parallel((c->hidden_size + COLUMNS - 1) / COLUMNS, word_columns,
                      k);
        return;
    }
    swap = t->dy;
    t->dy = t->dx;
    t->dx = swap;
}

void bird_stem_backward(struct bird_encoder *e, struct bird_stem_tape *t,
                        const struct bird_weights *grad, const float *dy,
                        const struct bird_batch *b)
{
    struct pass k = {.e = e, .t = t, .b = b, .grad = grad};
    int64_t n = e->c.n_stem, d = e->c.hidden_size;

    for (int64_t s = 0; s < b->n_seq; s++)
        memcpy(t->dy + level(t, n)[s] * d, dy + first_row(&k, s) * d,
               (size_t)(length(t, n, s) * d) * sizeof(*dy));
    for (int64_t l = n - 1; l >= 0; l--)
        layer_backward(&k, l);
}

/* --- along directions --------------------------------------------------------*/

struct along {
    const struct pass *pass;
    const float *table; /* (n, kernel, channels) direction x weight */
    const int32_t *which;
    float *out;
};

/* In partial sums, which a compiler can take side by side. */
static double dot(const float *x, const float *y, int64_t n)
{
    float part[16] = {0};
    double sum = 0;
    int64_t j = 0;

    for (; j + 16 <= n; j += 16)
        for (int k = 0; k < 16; k++)
            part[k] += x[j + k] * y[j + k];
    for (; j < n; j++)
        part[0] += x[j] * y[j];
    for (int k = 0; k < 16; k++)
        sum += (double)part[k];
    return sum;
}

/* A token is read by the sums of kernel rows around it; those before the first
 * and behind the last are gaps, whose gradient is 0. */
static void along_task(void *context, int64_t task, int worker)
{
    const struct along *a = context;
    const struct pass *k = a->pass;
    const struct bird_stem_tape *t = k->t;
    const int64_t *first = level(t, 0);
    int64_t at = task * BIRD_STEM_PART, end = at + BIRD_STEM_PART;
    int64_t d = k->s->channels, taps = k->s->kernel, half = taps / 2;

    (void)worker;
    end = end < first[t->n_seq] ? end : first[t->n_seq];
    for (int64_t s = at < first[0] ? 0 : bird_stem_find(first, t->n_seq, at);
         s < t->n_seq && first[s] < end; s++) {
        int64_t from = at > first[s] ? at : first[s];
        int64_t stop = first[s] + length(t, 0, s), before, behind;

        bird_stem_ends(&k->e->c, k->b->ids + k->b->token[s],
                       k->b->token[s + 1] - k->b->token[s], &before, &behind);
        for (int64_t r = from; r < (stop < end ? stop : end); r++) {
            int64_t token = k->b->token[s] + before + r - first[s];
            int64_t which = a->which[token];
            double sum = 0;

            for (int64_t i = 0; which >= 0 && i < taps; i++)
                sum += dot(t->dz + (r + half - i) * d,
                           a->table + (which * taps + i) * d, d);
            a->out[token] = (float)sum;
        }
    }
}

int bird_stem_along(float *out, struct bird_encoder *e,
                    struct bird_stem_tape *t, const struct bird_batch *b,
                    const float *direction, int64_t n, const int32_t *which)
{
    struct pass k = {.e = e, .t = t, .b = b};
    struct bird_config c = e->c;
    struct bird_weights w = *e->w;
    struct along a = {.pass = &k, .which = which, .out = out};
    float *table;
    int rc = bird_array_uninit(
        &table, n * c.stem[0].kernel * c.stem[0].channels, sizeof(*table));

    if (rc)
        return rc;
    set_layer(&k, 0);
    c.vocab_size = n;
    w.word = (float *)(uintptr_t)direction; /* read only */
    bird_stem_table(table, &c, &w);
    a.table = table;
    bird_parallel((rows_at(t, 0) + BIRD_STEM_PART - 1) / BIRD_STEM_PART,
                  along_task, &a);
    free(table);
    return 0;
}
