/* The stem forward: tokens to rows, in tiles.
 *
 * A tile of final rows is computed from its tokens through all layers, with the
 * rows around it that convolutions read, in a task's own memory: no layer is
 * ever there as a whole. A convolution is one product over rows that overlap:
 * kernel rows of channels end to end are as many features. Rows before and
 * behind the sequence are zeros. A row's bits do not depend on its tile.
 * SPDX-License-Identifier: MIT */
#include "model/stem.h"

#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "model/stem_layer.h"

/* Tokens of a tile, about: around each some hundreds that the kernels reach are
 * computed twice (as much again in tiles of 512, of a stem that reaches 260); and
 * rows at least, where pools are large. Bytes of a table at most. */
enum { TILE_TOKENS = 2048, TILE_ROWS = 16, TABLE_BYTES = 4 << 20 };

/* --- what tokens become ---------------------------------------------------- */

int64_t bird_stem_pool(const struct bird_config *c)
{
    int64_t pool = 1;

    for (int64_t i = 0; i < c->n_stem; i++)
        pool *= c->stem[i].pool;
    return pool;
}

void bird_stem_ends(const struct bird_config *c, const int32_t *ids, int64_t n,
                    int64_t *before, int64_t *behind)
{
    int64_t g = bird_pattern_global_tokens(&c->pattern);

    *before = n > g && c->cls_id >= 0 && ids[g] == c->cls_id ? g + 1 : 0;
    *behind = n > *before && c->sep_id >= 0 && ids[n - 1] == c->sep_id;
}

int64_t bird_stem_rows(const struct bird_config *c, const int32_t *ids,
                       int64_t n)
{
    int64_t before, behind, pool = bird_stem_pool(c);

    if (!c->n_stem)
        return n;
    bird_stem_ends(c, ids, n, &before, &behind);
    return before + (n - before - behind + pool - 1) / pool + behind;
}

int64_t bird_stem_token(const struct bird_config *c, const int32_t *ids,
                        int64_t n, int64_t row)
{
    int64_t before, behind, at;

    if (!c->n_stem)
        return row;
    bird_stem_ends(c, ids, n, &before, &behind);
    at = row < before ? row : before + (row - before) * bird_stem_pool(c);
    return at < n - behind ? at : n - behind;
}

int64_t bird_stem_row(const struct bird_config *c, const int32_t *ids,
                      int64_t n, int64_t i)
{
    int64_t before, behind;

    if (!c->n_stem)
        return i;
    bird_stem_ends(c, ids, n, &before, &behind);
    if (i < before)
        return i;
    if (i >= n - behind)
        return bird_stem_rows(c, ids, n) - 1;
    return before + (i - before) / bird_stem_pool(c);
}

int64_t bird_stem_full(const struct bird_config *c, int64_t *layer)
{
    int64_t l = 0;

    while (l < c->n_stem && c->stem[l].pool == 1)
        l++;
    if (layer)
        *layer = l < c->n_stem ? l : -1;
    return l < c->n_stem ? c->stem[l].channels : 0;
}

/* The wanted tokens among first .. first + n: returns the index in want of the
 * first one; *end is the index after the last one. */
static int64_t wanted(int64_t *end, const struct bird_batch *b, int64_t first,
                      int64_t n)
{
    int64_t lo = 0, hi = b->n_want;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if (b->want[mid] < first)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (*end = lo; *end < b->n_want && b->want[*end] < first + n;)
        (*end)++;
    return lo;
}

void bird_stem_take(const struct bird_batch *b, const float *h, int64_t first,
                    int64_t n, int64_t d)
{
    int64_t end, i = wanted(&end, b, first, n);

    for (; i < end; i++)
        memcpy(b->full + i * d, h + (b->want[i] - first) * d,
               (size_t)d * sizeof(*h));
}

void bird_stem_take_back(float *dh, const struct bird_batch *b, int64_t first,
                         int64_t n, int64_t d)
{
    int64_t end, i = wanted(&end, b, first, n);

    for (; i < end; i++)
        bird_kernels()->add(dh + (b->want[i] - first) * d, b->dfull + i * d, d);
}

int32_t bird_stem_special(const struct bird_config *c,
                          const struct bird_batch *b, int64_t s, int64_t i)
{
    const int32_t *ids = b->ids + b->token[s];
    int64_t n = b->token[s + 1] - b->token[s], before, behind;

    bird_stem_ends(c, ids, n, &before, &behind);
    if (i < before)
        return ids[i];
    return behind && i == b->offset[s + 1] - b->offset[s] - 1 ? ids[n - 1] : -1;
}

int64_t bird_stem_tokens(const struct bird_config *c, int64_t max_rows)
{
    int64_t ends = bird_pattern_global_tokens(&c->pattern) + 2;

    return max_rows < ends || !c->n_stem
               ? max_rows
               : (max_rows - ends) * bird_stem_pool(c) + ends;
}

int bird_stem_reads_one_hot(const struct bird_config *c)
{
    return c->n_stem && c->vocab_size <= c->hidden_size;
}

int64_t bird_stem_channels_in(const struct bird_config *c, int64_t i)
{
    return i ? c->stem[i - 1].channels : c->hidden_size;
}

/* --- weights --------------------------------------------------------------- */

int64_t bird_stem_table_size(const struct bird_config *c)
{
    int64_t n =
        c->n_stem ? c->vocab_size * c->stem[0].kernel * c->stem[0].channels : 0;

    return n * (int64_t)sizeof(float) <= TABLE_BYTES ? n : 0;
}

void bird_stem_table(float *table, const struct bird_config *c,
                     const struct bird_weights *w)
{
    int64_t d = c->hidden_size, kernel = c->stem[0].kernel;
    int64_t channels = c->stem[0].channels;

    for (int64_t k = 0; k < kernel; k++)
        bird_gemm_nt(table + k * channels, kernel * channels,
                     (struct bird_matrix){w->word, d},
                     (struct bird_matrix){w->stem[0].l.w + k * d, kernel * d},
                     c->vocab_size, channels, d, 1, 0);
}

/* Features of layer l's product. */
static int64_t width_of(const struct bird_config *c, int64_t l)
{
    return c->stem[l].kernel * bird_stem_channels_in(c, l);
}

/* Of weights that nobody prepared, a table and packed copies as they now are:
 * in training they change with every update. */
static int make_own(struct bird_encoder *e)
{
    const struct bird_config *c = &e->c;
    struct bird_stem_ready *s = &e->stem;
    int64_t table = bird_stem_table_size(c), n = (table + 15) / 16 * 16;
    int64_t from[BIRD_STEM_LAYERS] = {0};
    int rc;

    for (int64_t l = table ? 1 : 0; l < c->n_stem; l++) {
        from[l] = n;
        if (!e->w->stem[l].l.low)
            n += e->k->packed_size(c->stem[l].channels, width_of(c, l));
    }
    if (n > s->cap_own) {
        free(s->own);
        s->own = NULL;
        s->cap_own = 0;
        if ((rc = bird_array_uninit(&s->own, n, sizeof(*s->own))))
            return rc;
        s->cap_own = n;
    }
    if (table)
        bird_stem_table(s->own, c, e->w);
    s->table = table ? s->own : NULL;
    for (int64_t l = table ? 1 : 0; l < c->n_stem; l++) {
        if (!e->w->stem[l].l.low)
            e->k->pack(s->own + from[l], e->w->stem[l].l.w, width_of(c, l),
                       c->stem[l].channels, width_of(c, l));
        s->packed[l] = s->own + from[l];
    }
    return 0;
}

static int is_prepared(const struct bird_weights *w)
{
    const struct bird_linear *first = &w->stem[0].l;

    return w->stem_table || first->packed || first->low;
}

/* --- a tile ---------------------------------------------------------------- */

/* Rows of a tile of the forward pass. */
static int64_t tile_rows(const struct bird_config *c)
{
    int64_t rows = TILE_TOKENS / bird_stem_pool(c);

    return rows < TILE_ROWS ? TILE_ROWS : rows;
}

int64_t bird_stem_needs(struct bird_stem_need need[BIRD_STEM_LAYERS],
                        const struct bird_config *c)
{
    int64_t rows = tile_rows(c);

    for (int64_t l = c->n_stem - 1; l >= 0; l--) {
        need[l].out = rows * c->stem[l].pool;
        rows = need[l].in = need[l].out + c->stem[l].kernel - 1;
    }
    return tile_rows(c);
}

/* Inputs of all layers, but for the tokens of a table, and sums of one. */
int64_t bird_stem_scratch(const struct bird_config *c)
{
    struct bird_stem_need need[BIRD_STEM_LAYERS];
    int64_t n = 0, most = 0, part = 0;

    bird_stem_needs(need, c);
    for (int64_t l = 0; l < c->n_stem; l++) {
        int64_t sums = need[l].out * c->stem[l].channels;

        n += need[l].in * bird_stem_channels_in(c, l);
        most = sums > most ? sums : most;
        sums = 3 * BIRD_STEM_PART * c->stem[l].channels;
        part = sums > part ? sums : part;
    }
    return n + most > part ? n + most : part;
}

void bird_stem_sums(const struct bird_encoder *e, int64_t l, float *z,
                    const struct bird_stem_in *in, int64_t n, int worker)
{
    const struct bird_linear *w = &e->w->stem[l].l;
    int64_t channels = e->c.stem[l].channels, wide = width_of(&e->c, l);
    int64_t step = bird_stem_channels_in(&e->c, l);
    const float *x = in->x ? in->x - e->c.stem[l].kernel / 2 * step : NULL;

    if (!in->x) {
        e->k->conv_table_forward(z, e->stem.table, w->b, &in->tokens, n,
                                 channels);
    } else if (!w->low) {
        e->k->product(z, channels, x, step, e->stem.packed[l], n, channels,
                      wide);
        e->k->add_bias(z, w->b, n, channels, channels);
    } else if (bird_low_product(z, channels, w->low,
                                (struct bird_matrix){x, step}, w->b, n,
                                bird_encoder_scratch_low(e, worker))) {
        __atomic_store_n(e->failed, 1, __ATOMIC_RELAXED);
    }
}

void bird_stem_finish(const struct bird_encoder *e, int64_t l, float *h,
                      float *z, float *stat, const float *x, int64_t n)
{
    static const struct bird_dropout none = {0};
    const struct bird_stem_layer *s = &e->c.stem[l];
    const struct bird_norm *norm = &e->w->stem[l].norm;
    int64_t d = s->channels;

    if (s->norm)
        e->k->residual_layernorm_forward(
            h, h == z ? NULL : z, stat, z, NULL, NULL, norm->gain, norm->beta,
            (float)e->c.layer_norm_eps, none, 0, n, d);
    else if (h != z)
        memcpy(h, z, (size_t)(n * d) * sizeof(*h));
    e->k->bias_act_forward(h, h, NULL, s->act, n, d);
    if (s->residual)
        e->k->add(h, x, n * d);
}

/* Rows of one layer of a sequence. */
struct range {
    int64_t from, to, all; /* rows from .. to of all there are */
};

struct run {
    struct bird_encoder *e;
    const struct bird_batch *b;
    float *y;
};

/* The range of each layer's input, x, whose rows a tile of final rows needs:
 * those that there are. */
static void trace(struct range x[BIRD_STEM_LAYERS + 1],
                  const struct bird_config *c, int64_t n_token, int64_t from,
                  int64_t to)
{
    x[0].all = n_token;
    for (int64_t l = 0; l < c->n_stem; l++)
        x[l + 1].all = (x[l].all + c->stem[l].pool - 1) / c->stem[l].pool;
    x[c->n_stem].from = from;
    x[c->n_stem].to = to < x[c->n_stem].all ? to : x[c->n_stem].all;
    for (int64_t l = c->n_stem - 1; l >= 0; l--) {
        int64_t half = c->stem[l].kernel / 2, pool = c->stem[l].pool;
        int64_t a = x[l + 1].from * pool - half;
        int64_t b = x[l + 1].to * pool;

        b = (b < x[l].all ? b : x[l].all) + half;
        x[l].from = a > 0 ? a : 0;
        x[l].to = b < x[l].all ? b : x[l].all;
    }
}

/* Zeros where the sequence is over: buf holds rows from `from` - half on. */
static void zero_outside(float *buf, const struct range *x, int64_t from,
                         int64_t to, int64_t d)
{
    if (from < x->from)
        memset(buf, 0, (size_t)((x->from - from) * d) * sizeof(*buf));
    if (to > x->to)
        memset(buf + (x->to - from) * d, 0,
               (size_t)((to - x->to) * d) * sizeof(*buf));
}

/* Word embeddings of tokens, for a first layer without a table. */
static void look_up(const struct run *r, float *x, const int32_t *ids,
                    int64_t n)
{
    int64_t d = r->e->c.hidden_size;

    for (int64_t i = 0; i < n; i++)
        memcpy(x + i * d, r->e->w->word + ids[i] * d, (size_t)d * sizeof(*x));
}

/* Of the tile's own tokens those that are wanted: h is layer l's rows from token
 * `first` on. Tokens around them are other tiles'. */
static void take_own(const struct run *r, const float *h, const int32_t *ids,
                     const struct range *x, int64_t l, int64_t first)
{
    const struct bird_config *c = &r->e->c;
    int64_t pool = bird_stem_pool(c), full, d = bird_stem_full(c, &full);
    int64_t from = x[c->n_stem].from * pool, to = x[c->n_stem].to * pool;

    if (l != full || !r->b->n_want)
        return;
    to = to < x[0].all ? to : x[0].all;
    bird_stem_take(r->b, h + (from - first) * d, ids - r->b->ids + from,
                   to - from, d);
}

/* Final rows `from` .. `to` of a sequence of n_token tokens into y. */
static void tile(const struct run *r, float *y, const int32_t *ids,
                 int64_t n_token, int64_t from, int64_t to, int worker)
{
    const struct bird_config *c = &r->e->c;
    struct range x[BIRD_STEM_LAYERS + 1];
    struct bird_stem_need need[BIRD_STEM_LAYERS];
    float *at = bird_encoder_scratch(r->e, worker), *in[BIRD_STEM_LAYERS], *sum;

    trace(x, c, n_token, from, to);
    bird_stem_needs(need, c);
    for (int64_t l = 0; l < c->n_stem; l++) {
        in[l] = at;
        at += need[l].in * bird_stem_channels_in(c, l);
    }
    sum = at;
    for (int64_t l = 0; l < c->n_stem; l++) {
        const struct bird_stem_layer *s = &c->stem[l];
        int64_t half = s->kernel / 2, d = bird_stem_channels_in(c, l);
        int64_t a = x[l + 1].from * s->pool, b = x[l + 1].to * s->pool;
        int table = !l && r->e->stem.table;
        struct bird_stem_in of = {.x = table ? NULL : in[l] + half * d,
                                  .tokens = {ids + a, a, n_token, s->kernel}};
        float *out = y;

        b = b < x[l].all ? b : x[l].all;
        of.tokens.behind = n_token - b;
        if (!l && !table)
            look_up(r, in[0] + (x[0].from - (a - half)) * d, ids + x[0].from,
                    x[0].to - x[0].from);
        if (!table)
            zero_outside(in[l], &x[l], a - half, b + half, d);
        if (l + 1 < c->n_stem) { /* where the next layer will look */
            int64_t first = x[l + 2].from * s[1].pool - s[1].kernel / 2;

            out = in[l + 1] + (x[l + 1].from - first) * s->channels;
        }
        bird_stem_sums(r->e, l, s->pool > 1 ? sum : out, &of, b - a, worker);
        bird_stem_finish(r->e, l, s->pool > 1 ? sum : out,
                         s->pool > 1 ? sum : out, NULL, of.x, b - a);
        if (s->pool > 1) {
            take_own(r, sum, ids, x, l, a);
            r->e->k->max_pool_forward(out, sum, b - a, s->pool, s->channels);
        }
    }
}

static void tile_task(void *context, int64_t task, int worker)
{
    const struct run *r = context;
    const struct bird_config *c = &r->e->c;
    const int64_t *tiles = r->e->stem.tile;
    int64_t s = bird_stem_find(tiles, r->b->n_seq, task), before, behind;
    int64_t rows = tile_rows(c), from = (task - tiles[s]) * rows;
    const int32_t *ids = r->b->ids + r->b->token[s];
    int64_t n = r->b->token[s + 1] - r->b->token[s];

    bird_stem_ends(c, ids, n, &before, &behind);
    tile(r, r->y + (r->b->offset[s] + before + from) * c->hidden_size,
         ids + before, n - before - behind, from, from + rows, worker);
}

int64_t bird_stem_find(const int64_t *at, int64_t n, int64_t i)
{
    int64_t lo = 0, hi = n;

    while (hi - lo > 1) {
        int64_t mid = (lo + hi) / 2;

        if (at[mid] <= i)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

int bird_stem_prepare(struct bird_encoder *e, const struct bird_batch *b)
{
    struct bird_stem_ready *s = &e->stem;
    const struct bird_config *c = &e->c;
    int64_t rows = tile_rows(c);
    int rc;

    if (!c->n_stem)
        return 0;
    rc =
        bird_array_grow(&s->tile, &s->cap_tile, b->n_seq + 1, sizeof(*s->tile));
    if (rc)
        return rc;
    s->tile[0] = 0;
    for (int64_t i = 0; i < b->n_seq; i++) {
        const int32_t *ids = b->ids + b->token[i];
        int64_t n = b->token[i + 1] - b->token[i], before, behind;

        bird_stem_ends(c, ids, n, &before, &behind);
        n = b->offset[i + 1] - b->offset[i] - before - behind;
        s->tile[i + 1] = s->tile[i] + (n + rows - 1) / rows;
    }
    if (!is_prepared(e->w)) {
        e->shared.on = 0;
        return make_own(e);
    }
    s->table = e->w->stem_table;
    for (int64_t l = 0; l < c->n_stem; l++)
        s->packed[l] = e->w->stem[l].l.packed;
    return bird_stem_shared_prepare(e, b);
}

void bird_stem_forward(struct bird_encoder *e, float *y,
                       const struct bird_batch *b)
{
    struct run r = {e, b, y};

    if (e->shared.on) {
        bird_stem_shared_forward(e, y, b);
        return;
    }
    bird_parallel(e->stem.tile[b->n_seq], tile_task, &r);
}
