/* Encoder, heads and losses in double. SPDX-License-Identifier: MIT */
#include "ref_encoder.h"
#include "model/stem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/random.h"
#include "ref.h"

static const struct bird_dropout_rates no_dropout = {0};

/* Where a tensor of the float block lies in the block of doubles. */
static const double *of(const struct ref_model *m, const float *tensor)
{
    return tensor ? m->theta + (tensor - m->base) : NULL;
}

static double *linear(const struct ref_model *m, const double *x,
                      const float *w, const float *bias, int64_t n,
                      int64_t n_out, int64_t n_in)
{
    double *y = ref_doubles(n * n_out);

    for (int64_t i = 0; i < n; i++)
        for (int64_t o = 0; o < n_out; o++) {
            double sum = bias ? of(m, bias)[o] : 0;

            for (int64_t j = 0; j < n_in; j++)
                sum += x[i * n_in + j] * of(m, w)[o * n_in + j];
            y[i * n_out + o] = sum;
        }
    return y;
}

/* A branch with a scale: the tensors as they are, and times the scale. */
static double *branch(const struct ref_model *m, const double *x,
                      const struct bird_linear *w,
                      const struct bird_linear *plain, const float *scale,
                      const int64_t n[3])
{
    const struct bird_linear *l = scale ? plain : w;
    double *y = linear(m, x, l->w, l->b, n[0], n[1], n[2]);

    for (int64_t i = 0; i < n[0] * n[1] && scale; i++)
        y[i] *= *of(m, scale);
    return y;
}

static void drop(const struct ref_model *m, double *x, struct bird_dropout d,
                 int64_t n, int64_t width)
{
    double *keep;

    if (d.p <= 0)
        return;
    keep = ref_mask(m->k, d, 0, n, width);
    for (int64_t i = 0; i < n * width; i++)
        x[i] *= keep[i];
    free(keep);
}

static void act(double *x, enum bird_act kind, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = ref_act(x[i], kind);
}

static void norm(const struct ref_model *m, double *x,
                 const struct bird_norm *w, int64_t n)
{
    int64_t d = m->c->hidden_size;

    for (int64_t i = 0; i < n; i++)
        ref_layernorm(x + i * d, x + i * d, of(m, w->gain), of(m, w->beta),
                      m->c->layer_norm_eps, d);
}

/* One layer of the stem over n rows of a sequence; *n becomes those after its
 * pool. */
static double *convolve(const struct ref_model *m, int64_t l, double *x,
                        int64_t *n)
{
    const struct bird_stem_layer *s = &m->c->stem[l];
    const struct bird_conv *w = &m->w->stem[l];
    int64_t in = l ? m->c->stem[l - 1].channels : m->c->hidden_size;
    int64_t out = s->channels, rows = (*n + s->pool - 1) / s->pool;
    double *h = ref_doubles(*n * out), *y = ref_doubles(rows * out);

    for (int64_t i = 0; i < *n; i++)
        for (int64_t o = 0; o < out; o++) {
            double sum = of(m, w->l.b)[o];

            for (int64_t k = 0; k < s->kernel; k++) {
                int64_t at = i + k - s->kernel / 2;

                for (int64_t j = 0; j < in && at >= 0 && at < *n; j++)
                    sum += x[at * in + j] *
                           of(m, w->l.w)[(o * s->kernel + k) * in + j];
            }
            h[i * out + o] = sum;
        }
    for (int64_t i = 0; i < *n && s->norm; i++)
        ref_layernorm(h + i * out, h + i * out, of(m, w->norm.gain),
                      of(m, w->norm.beta), m->c->layer_norm_eps, out);
    act(h, s->act, *n * out);
    for (int64_t i = 0; i < *n * out && s->residual; i++)
        h[i] += x[i];
    for (int64_t i = 0; i < *n; i++)
        for (int64_t o = 0; o < out; o++) {
            double *most = y + i / s->pool * out + o;

            if (i % s->pool == 0 || h[i * out + o] > *most)
                *most = h[i * out + o];
        }
    free(h), free(x);
    *n = rows;
    return y;
}

/* Rows before those of a stem: [CLS], and global tokens before it. */
static int64_t rows_before(const struct bird_config *c, const int32_t *ids,
                           int64_t n)
{
    int64_t g = c->pattern.row == &bird_pattern_etc
                    ? c->pattern.own[BIRD_OWN_GLOBAL]
                    : 0;

    return n > g && ids[g] == c->cls_id ? g + 1 : 0;
}

/* Words of a sequence, or what the stem makes of them: (rows, D). */
static void look_up(const struct ref_model *m, double *x,
                    const struct bird_batch *b, int64_t s)
{
    const struct bird_config *c = m->c;
    const int32_t *ids = b->ids + b->token[s];
    int64_t d = c->hidden_size, n = b->token[s + 1] - b->token[s];
    int64_t first = rows_before(c, ids, n);
    int64_t last = n > first && ids[n - 1] == c->sep_id, len = n - first - last;
    double *y = ref_doubles(n * d);

    for (int64_t i = 0; i < len * d; i++)
        y[i] = of(m, m->w->word)[ids[first + i / d] * d + i % d];
    for (int64_t l = 0; l < c->n_stem; l++)
        y = convolve(m, l, y, &len);
    for (int64_t j = 0; j < d * first; j++)
        x[j] = of(m, m->w->word)[ids[j / d] * d + j % d];
    memcpy(x + first * d, y, (size_t)(len * d) * sizeof(*x));
    for (int64_t j = 0; j < d && last; j++)
        x[(first + len) * d + j] = of(m, m->w->word)[c->sep_id * d + j];
    free(y);
}

static double *embed(const struct ref_model *m, const struct bird_batch *b,
                     const struct bird_dropout_rates *dropout)
{
    const struct bird_config *c = m->c;
    int64_t d = c->hidden_size, n = b->offset[b->n_seq];
    double *x = ref_doubles(n * d);
    double scale = c->rescale_embeddings ? sqrt((double)d) : 1;

    for (int64_t s = 0; s < b->n_seq && c->n_stem; s++)
        look_up(m, x + b->offset[s] * d, b, s);
    for (int64_t s = 0; s < b->n_seq; s++)
        for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++)
            for (int64_t j = 0; j < d; j++) {
                const float *word =
                    m->w->word + (c->n_stem ? 0 : b->ids[i]) * d + j;
                const float *type =
                    m->w->type + (b->type ? b->type[i] : 0) * d + j;
                const float *pos =
                    m->w->position +
                    (b->position ? b->position[i] : i - b->offset[s]) * d + j;

                /* the look-up of the pad row passes no gradient: a constant */
                if (!c->n_stem)
                    x[i * d + j] =
                        scale *
                        (b->ids[i] == c->pad_id ? (double)*word : *of(m, word));
                x[i * d + j] += *of(m, type) + *of(m, pos);
            }
    drop(m, x, bird_dropout_at(dropout, dropout->hidden, -1, BIRD_SITE_OUTPUT),
         n, d);
    norm(m, x, &m->w->embedding, n);
    return x;
}

/* Full attention, by docs/math/pattern.md and not by the code under test. */
static int is_full(const struct bird_config *c, int64_t extent)
{
    const int64_t *own = c->pattern.own;
    int all = (!c->pattern.parts || c->pattern.parts == BIRD_PARTS_ALL) &&
              own[BIRD_OWN_NEAR] == 1 && own[BIRD_OWN_FIRST] == 1 &&
              own[BIRD_OWN_LAST] == 1;

    return (c->pattern.row == &bird_pattern_full && !own[BIRD_OWN_CAUSAL]) ||
           (c->pattern.row == &bird_pattern_bigbird && all &&
            extent <= (5 + 2 * c->pattern.n_random) * c->pattern.block) ||
           (c->pattern.row == &bird_pattern_etc &&
            extent - own[BIRD_OWN_GLOBAL] <=
                (own[BIRD_OWN_NEAR] + 1) * c->pattern.block);
}

/* The random blocks of a row: n_random at most, how many. Which ones a
 * generator draws is the library's; test_pattern.c holds that against the
 * reference's. */
static int64_t random_blocks(int32_t *out, const struct bird_config *c,
                             const struct bird_uniform *u)
{
    int64_t r = c->pattern.n_random, n = u->n_block;
    struct bird_moved moved[64];
    int32_t *all;

    if (c->pattern.random == BIRD_RANDOM_NONE ||
        (c->pattern.parts && !(c->pattern.parts & BIRD_PART_RANDOM)))
        return 0;
    for (int64_t k = 0; k < r; k++)
        out[k] = 0;
    if (c->pattern.random == BIRD_RANDOM_ZERO)
        return r;
    if (c->pattern.random == BIRD_RANDOM_UNIFORM || n <= 5 + 2 * r)
        return bird_uniform_row(out, moved, r, u);
    all = calloc((size_t)(c->n_head * (n - 2) * r + 1), sizeof(*all));
    if (!all || bird_random_plan(all, n, c->pattern.block, c->n_head, r,
                                 c->max_positions, (uint32_t)u->layer))
        abort();
    for (int64_t k = 0; k < r; k++)
        out[k] = all[(u->head * (n - 2) + u->row - 1) * r + k];
    free(all);
    return r;
}

/* Does k see t, both from 1 to n, in one of the two parts? Yun et al. 2020, eq.
 * 4 and 5, as they stand there. */
static int in_part(const struct bird_pattern_row *row, int second, int64_t k,
                   int64_t t, int64_t w)
{
    if (row == &bird_pattern_strided)
        return second ? (t - k) % w == 0
                      : t >= k - (w + 1) / 2 && t <= k + w / 2;
    return second
               ? t == k || t % w == 0
               : t >= (k + w - 1) / w * w - w + 1 && t <= (k + w - 1) / w * w;
}

/* Equation 6: n is the relay, the others stand on a ring of n - 1. */
static int in_star(int64_t k, int64_t t, int64_t n, int64_t w)
{
    if (k == n || t == n)
        return 1;
    for (int64_t i = k - w; i <= k + w; i++)
        if (((i - 1) % (n - 1) + n - 1) % (n - 1) + 1 == t)
            return 1;
    return 0;
}

/* How often row i counts block j of n by the patterns of that paper; -1: it is
 * none of them. */
static int connected(const struct bird_config *c, int64_t layer, int64_t h,
                     int64_t i, int64_t j, int64_t n)
{
    const struct bird_pattern *p = &c->pattern;
    const struct bird_pattern_row *row = p->row;
    int64_t w = p->own[BIRD_OWN_STRIDE], heads = p->own[BIRD_OWN_HEADS];
    int second = heads == 1 ? h >= (c->n_head + 1) / 2 : layer % 2 == 1;

    if (row != &bird_pattern_strided && row != &bird_pattern_fixed &&
        row != &bird_pattern_star && row != &bird_pattern_random)
        return -1;
    if (row == &bird_pattern_star && p->own[BIRD_OWN_RELAY])
        return in_star(n - i, n - j, n, w);
    if (row == &bird_pattern_star)
        return in_star(i + 1, j + 1, n, w);
    if (row == &bird_pattern_random) {
        struct bird_rng r;
        uint64_t v = 0;

        bird_rng_init(&r, bird_mix(p->seed, (uint64_t)layer), (uint64_t)h,
                      (uint64_t)i);
        for (int64_t k = 0; k <= j; k++)
            v = bird_rng_below(&r, 100);
        return i == j || v >= (uint64_t)p->own[BIRD_OWN_SPARSITY];
    }
    if (heads)
        return in_part(row, second, i + 1, j + 1, w);
    return in_part(row, 0, i + 1, j + 1, w) || in_part(row, 1, i + 1, j + 1, w);
}

/* Row i of matrix B of Zaheer et al. 2020, section 2: blocks of global tokens,
 * then A, a window and evenly drawn blocks of the text. */
static void etc_row(double *count, const struct bird_config *c, int64_t layer,
                    int64_t h, int64_t i, int64_t n)
{
    const struct bird_pattern *p = &c->pattern;
    int64_t g = p->own[BIRD_OWN_GLOBAL] / p->block, m;
    int32_t fixed[64], random[64];
    struct bird_moved moved[64];
    struct bird_uniform u = {p->seed, layer, h, i - g, n - g, fixed, 0};

    for (int64_t j = 0; j < n; j++) {
        int near = llabs(i - j) <= p->own[BIRD_OWN_NEAR];

        count[j] = i < g || j < g || near;
        if (j >= g && near)
            fixed[u.n_fixed++] = (int32_t)(j - g);
    }
    m = i < g ? 0
              : bird_uniform_row(random, moved, p->own[BIRD_OWN_RANDOM], &u);
    while (m > 0)
        count[g + random[--m]] = 1;
}

/* How often row i counts block j, of a sequence that is not seen in full: n
 * rows of n. */
static double *counts(const struct bird_config *c, int64_t layer, int64_t h,
                      int64_t n)
{
    double *count = ref_doubles(n * n);
    int parts = c->pattern.parts ? (int)c->pattern.parts : BIRD_PARTS_ALL;
    const int64_t *own = c->pattern.own;

    for (int64_t i = 0; c->pattern.row == &bird_pattern_window && i < n * n;
         i++)
        count[i] = llabs(i / n - i % n) <= own[BIRD_OWN_WIDTH];
    for (int64_t i = 0; c->pattern.row == &bird_pattern_full && i < n * n; i++)
        count[i] = 1;
    for (int64_t i = 0; connected(c, layer, h, 0, 0, n) >= 0 && i < n * n; i++)
        count[i] = connected(c, layer, h, i / n, i % n, n);
    for (int64_t i = 0; c->pattern.row == &bird_pattern_etc && i < n; i++)
        etc_row(count + i * n, c, layer, h, i, n);
    for (int64_t i = 0; c->pattern.row == &bird_pattern_bigbird && i < n; i++) {
        int global = parts & BIRD_PART_GLOBAL;
        int32_t fixed[64], random[64];
        struct bird_uniform u = {c->pattern.seed, layer, h, i, n, fixed, 0};
        int64_t m = 0, first = own[BIRD_OWN_FIRST], m_last = own[BIRD_OWN_LAST];
        int all = global && (i < first || i >= n - m_last);

        for (int64_t j = 0; j < n; j++) {
            int near = llabs(i - j) <= own[BIRD_OWN_NEAR];

            if (i != j && !(parts & BIRD_PART_WINDOW && near) && !all &&
                !(global && (j < first || j >= n - m_last)))
                continue;
            count[i * n + j] = 1;
            if (u.n_fixed < 64)
                fixed[u.n_fixed++] = (int32_t)j;
        }
        if (!all)
            m = random_blocks(random, c, &u);
        while (m > 0)
            count[i * n + random[--m]]++;
    }
    return count;
}

/* (len, len) how often row i counts key j. */
static double *multiplicities(const struct bird_config *c, const double *count,
                              int64_t n, int64_t len, const int32_t *position)
{
    double *times = ref_doubles(len * len);

    for (int64_t i = 0; i < len; i++)
        for (int64_t j = 0; j < len; j++)
            times[i * len + j] =
                j > i && c->pattern.own[BIRD_OWN_CAUSAL] ? 0
                : count ? count[(position ? position[i] : i) /
                                    c->pattern.block * n +
                                (position ? position[j] : j) / c->pattern.block]
                        : 1;
    return times;
}

static void attend(const struct ref_model *m, double *ctx, const double *qkv,
                   int64_t layer, int64_t s, const struct bird_batch *b,
                   const struct bird_dropout_rates *dropout)
{
    const struct bird_config *c = m->c;
    int64_t d = c->hidden_size, dim = d / c->n_head, r = b->offset[s];
    int64_t len = b->offset[s + 1] - r;
    const int32_t *position = b->position ? b->position + r : NULL;
    int64_t extent = position ? position[len - 1] + 1 : len;
    int64_t n_block = (extent - 1) / c->pattern.block + 1;
    int full = is_full(c, extent);

    for (int64_t h = 0; h < c->n_head; h++) {
        const double *q = qkv + r * 3 * d + h * dim;
        double *count = full ? NULL : counts(c, layer, h, n_block);
        double *times = multiplicities(c, count, n_block, len, position),
               *keep = NULL;
        struct ref_attention a = {.len = len,
                                  .dim = dim,
                                  .ld = 3 * d,
                                  .times = times,
                                  .scale = 1 / sqrt((double)dim),
                                  .penalty = full ? -(double)FLT_MAX : -10000,
                                  .mask = b->mask ? b->mask + r : NULL,
                                  .zero_masked = !full,
                                  .map = bird_prob_map_of(&c->map)};

        if (full && dropout->attention > 0) {
            struct bird_dropout p = bird_dropout_at(dropout, dropout->attention,
                                                    layer, BIRD_SITE_ATTENTION);

            p.key = bird_mix(p.key, (uint64_t)(s * c->n_head + h));
            a.keep = keep = ref_mask(m->k, p, 0, len, len);
        }
        ref_attention(ctx + r * d + h * dim, d, q, q + d, q + 2 * d, &a);
        free(times), free(keep), free(count);
    }
}

/* x becomes the layer's output. */
static double *layer(const struct ref_model *m, double *x, int64_t l,
                     const struct bird_batch *b,
                     const struct bird_dropout_rates *dropout)
{
    const struct bird_layer *w = &m->w->layer[l];
    int64_t d = m->c->hidden_size, f = m->c->intermediate_size;
    int64_t n = b->offset[b->n_seq];
    double *qkv = linear(m, x, w->qkv.w, w->qkv.b, n, 3 * d, d), *a, *h, *y;
    double *ctx = ref_doubles(n * d);

    for (int64_t s = 0; s < b->n_seq; s++)
        attend(m, ctx, qkv, l, s, b, dropout);
    a = branch(m, ctx, &w->out, &w->plain_out, w->scale_out,
               (int64_t[3]){n, d, d});
    drop(m, a, bird_dropout_at(dropout, dropout->hidden, l, BIRD_SITE_OUTPUT),
         n, d);
    for (int64_t i = 0; i < n * d; i++)
        a[i] += x[i];
    norm(m, a, &w->norm1, n);
    h = linear(m, a, w->up.w, w->up.b, n, f, d);
    act(h, m->c->act, n * f);
    y = branch(m, h, &w->down, &w->plain_down, w->scale_down,
               (int64_t[3]){n, d, f});
    drop(m, y, bird_dropout_at(dropout, dropout->hidden, l, BIRD_SITE_FFN), n,
         d);
    for (int64_t i = 0; i < n * d; i++)
        y[i] += a[i];
    norm(m, y, &w->norm2, n);
    free(qkv), free(ctx), free(a), free(h), free(x);
    return y;
}

double *ref_hidden(const struct ref_model *m, const struct bird_batch *b,
                   const struct bird_dropout_rates *dropout)
{
    double *x;

    dropout = dropout ? dropout : &no_dropout;
    x = embed(m, b, dropout);
    for (int64_t l = 0; l < m->c->n_layer; l++)
        x = layer(m, x, l, b, dropout);
    return x;
}

/* The first row of every sequence. */
static double *first_rows(const struct ref_model *m, const double *x,
                          const struct bird_batch *b)
{
    int64_t d = m->c->hidden_size;
    double *y = ref_doubles(b->n_seq * d);

    for (int64_t s = 0; s < b->n_seq; s++)
        memcpy(y + s * d, x + b->offset[s] * d, (size_t)d * sizeof(*y));
    return y;
}

/* The mean of the rows of every sequence that are not padding. */
static double *mean_rows(const struct ref_model *m, const double *x,
                         const struct bird_batch *b)
{
    int64_t d = m->c->hidden_size, n = 0;
    double *y = ref_doubles(b->n_seq * d);

    for (int64_t s = 0; s < b->n_seq; s++, n = 0)
        for (int64_t k = 0; k < 2; k++)
            for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++) {
                int is_token = !b->mask || b->mask[i];

                n += !k && is_token;
                for (int64_t j = 0; k && is_token && j < d; j++)
                    y[s * d + j] += x[i * d + j] / (double)n;
            }
    return y;
}

/* The maximum of these rows beside their mean: (n_seq, 2D). */
static double *maximum_and_mean(const struct ref_model *m, const double *x,
                                const struct bird_batch *b)
{
    int64_t d = m->c->hidden_size;
    double *mean = mean_rows(m, x, b), *y = ref_doubles(b->n_seq * 2 * d);

    for (int64_t s = 0; s < b->n_seq; s++)
        for (int64_t j = 0; j < d; j++) {
            double most = -HUGE_VAL;

            for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++)
                if ((!b->mask || b->mask[i]) && x[i * d + j] > most)
                    most = x[i * d + j];
            y[s * 2 * d + j] = most;
            y[s * 2 * d + d + j] = mean[s * d + j];
        }
    return free(mean), y;
}

static double *pooled(const struct ref_model *m, const double *x,
                      const struct bird_batch *b)
{
    int64_t d = m->c->hidden_size;
    double *in = first_rows(m, x, b);
    double *y = linear(m, in, m->w->pooler.w, m->w->pooler.b, b->n_seq, d, d);

    act(y, BIRD_TANH, b->n_seq * d);
    return free(in), y;
}

/* Features of all tokens, (T, C), at full resolution: what the first layer with
 * a pool makes without it; 0 of special tokens of their own. NULL: no pool. */
static double *full_features(const struct ref_model *m,
                             const struct bird_batch *b)
{
    struct bird_config c = *m->c;
    struct ref_model all = *m;
    int64_t l = 0, d = c.hidden_size, wide;
    double *x;

    while (l < c.n_stem && c.stem[l].pool == 1)
        l++;
    if (l == c.n_stem)
        return NULL;
    c.stem[l].pool = 1;
    all.c = &c;
    wide = c.stem[l].channels;
    x = ref_doubles(b->token[b->n_seq] * wide);
    for (int64_t s = 0; s < b->n_seq; s++) {
        const int32_t *ids = b->ids + b->token[s];
        int64_t n = b->token[s + 1] - b->token[s];
        int64_t first = rows_before(&c, ids, n);
        int64_t last = n > first && ids[n - 1] == c.sep_id;
        int64_t len = n - first - last;
        double *y = ref_doubles(n * d);

        for (int64_t i = 0; i < len * d; i++)
            y[i] = of(m, m->w->word)[ids[first + i / d] * d + i % d];
        for (int64_t k = 0; k <= l; k++)
            y = convolve(&all, k, y, &len);
        memcpy(x + (b->token[s] + first) * wide, y,
               (size_t)(len * wide) * sizeof(*x));
        free(y);
    }
    return x;
}

/* full NULL: none */
static double *mlm_logits(const struct ref_model *m, const double *x,
                          const double *full, int64_t n)
{
    const struct bird_weights *w = m->w;
    int64_t d = m->c->hidden_size;
    double *t = linear(m, x, w->transform.w, w->transform.b, n, d, d), *y;

    if (full) {
        double *v = linear(m, full, w->transform_stem.w, NULL, n, d,
                           bird_stem_full(m->c, NULL));

        for (int64_t i = 0; i < n * d; i++)
            t[i] += v[i];
        free(v);
    }
    act(t, m->c->act, n * d);
    norm(m, t, &w->transform_norm, n);
    y = linear(m, t, w->decoder.w, w->decoder.b, n, m->c->vocab_size, d);
    return free(t), y;
}

static double *span_logits(const struct ref_model *m, const double *x,
                           int64_t n)
{
    const struct bird_weights *w = m->w;
    int64_t d = m->c->hidden_size, f = m->c->intermediate_size;
    double *u = linear(m, x, w->span_up.w, w->span_up.b, n, f, d), *t, *y;

    act(u, m->c->act, n * f);
    t = linear(m, u, w->span_down.w, w->span_down.b, n, d, f);
    for (int64_t i = 0; i < n * d; i++)
        t[i] += x[i];
    norm(m, t, &w->span_norm, n);
    y = linear(m, t, w->classifier.w, w->classifier.b, n, 2, d);
    return free(u), free(t), y;
}

/* rows of x that a token head sees; its dropout counts them from 0. */
static double *token_logits(const struct ref_model *m, const double *x,
                            const double *full, int64_t n,
                            const struct bird_dropout_rates *dropout)
{
    const struct bird_config *c = m->c;
    int64_t d = c->hidden_size;
    double *h, *y;

    if (c->head == &bird_head_span)
        return span_logits(m, x, n);
    if (c->head != &bird_head_token)
        return mlm_logits(m, x, full, n);
    h = ref_doubles(n * d);
    memcpy(h, x, (size_t)(n * d) * sizeof(*h));
    drop(m, h,
         bird_dropout_at(dropout, dropout->classifier, c->n_layer,
                         BIRD_SITE_HEAD_OUT),
         n, d);
    y = linear(m, h, m->w->classifier.w, m->w->classifier.b, n, c->n_label, d);
    return free(h), y;
}

static double *sequence_logits(const struct ref_model *m, const double *x,
                               const struct bird_batch *b,
                               const struct bird_dropout_rates *dropout)
{
    const struct bird_config *c = m->c;
    const struct bird_weights *w = m->w;
    int wide = c->head == &bird_head_maxmean;
    int64_t d = c->hidden_size * (wide ? 2 : 1), n = b->n_seq;
    double *h = c->head == &bird_head_linear_pooled ||
                        c->head == &bird_head_multiple_choice
                    ? pooled(m, x, b)
                : c->head == &bird_head_mean_pooled ? mean_rows(m, x, b)
                : wide                              ? maximum_and_mean(m, x, b)
                                                    : first_rows(m, x, b);
    double *y;

    if (c->head == &bird_head_sequence) {
        drop(m, h,
             bird_dropout_at(dropout, dropout->classifier, c->n_layer,
                             BIRD_SITE_HEAD_IN),
             n, d);
        y = linear(m, h, w->dense.w, w->dense.b, n, d, d);
        free(h);
        h = y;
        act(h, c->act, n * d);
    }
    drop(m, h,
         bird_dropout_at(dropout, dropout->classifier, c->n_layer,
                         BIRD_SITE_HEAD_OUT),
         n, d);
    y = linear(m, h, w->classifier.w, w->classifier.b, n, c->n_label, d);
    return free(h), y;
}

double *ref_logits(const struct ref_model *m, const double *x,
                   const struct bird_batch *b,
                   const struct bird_dropout_rates *dropout)
{
    dropout = dropout ? dropout : &no_dropout;
    if (bird_head_per_token(m->c))
        return token_logits(m, x, NULL, b->offset[b->n_seq], dropout);
    return sequence_logits(m, x, b, dropout);
}

static double cross_entropy(const double *y, const int32_t *label, int64_t n,
                            int64_t columns)
{
    double loss = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < n; i++) {
        double sum = 0;

        if (label[i] < 0)
            continue;
        for (int64_t j = 0; j < columns; j++)
            sum += exp(y[i * columns + j]);
        loss += log(sum) - y[i * columns + label[i]];
        known++;
    }
    return loss / (double)known;
}

static double token_loss(const struct ref_model *m, const double *x,
                         const struct bird_batch *b,
                         const struct bird_labels *l,
                         const struct bird_dropout_rates *dropout)
{
    int64_t d = m->c->hidden_size, n = 0, s = 0;
    double *full = m->c->n_stem ? full_features(m, b) : NULL, *y, loss;
    int64_t all = full ? b->token[b->n_seq] : b->offset[b->n_seq];
    int64_t wide = bird_stem_full(m->c, NULL), pool = bird_stem_pool(m->c);
    double *rows = ref_doubles(all * d), *local = ref_doubles(all * wide + 1);
    int32_t *label = calloc((size_t)all, sizeof(*label));

    for (int64_t i = 0; i < all; i++) {
        int64_t row = i, at, n_row;

        if (l->token[i] < 0)
            continue;
        if (full) { /* global tokens, [CLS], groups of tokens, [SEP] */
            int64_t first;

            while (i >= b->token[s + 1])
                s++;
            at = i - b->token[s];
            first = rows_before(m->c, b->ids + b->token[s],
                                b->token[s + 1] - b->token[s]);
            n_row = b->offset[s + 1] - b->offset[s];
            row = at < first ? at : first + (at - first) / pool;
            if (i + 1 == b->token[s + 1] && b->ids[i] == m->c->sep_id &&
                at >= first)
                row = n_row - 1;
            row += b->offset[s];
            memcpy(local + n * wide, full + i * wide,
                   (size_t)wide * sizeof(*local));
        }
        memcpy(rows + n * d, x + row * d, (size_t)d * sizeof(*rows));
        label[n++] = l->token[i];
    }
    y = token_logits(m, rows, full ? local : NULL, n, dropout);
    loss = cross_entropy(y, label, n, bird_head_columns(m->c));
    free(y);
    if (m->c->head == &bird_head_pretrain && l->next) {
        double *p = pooled(m, x, b);

        y = linear(m, p, m->w->next.w, m->w->next.b, b->n_seq, 2, d);
        loss += cross_entropy(y, l->next, b->n_seq, 2);
        free(p), free(y);
    }
    free(rows), free(label), free(full), free(local);
    return loss;
}

static double value_loss(const double *y, const float *value, int64_t n,
                         int regression, double weight)
{
    double loss = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < n; i++) {
        double t = (double)value[i], p = 1 / (1 + exp(-y[i]));

        if (isnan(t))
            continue;
        known++;
        loss += regression ? (y[i] - t) * (y[i] - t)
                           : -weight * t * log(p) - (1 - t) * log(1 - p);
    }
    return loss / (double)known;
}

/* Means of rows, then log variances within bounds: the density is written out. */
static double gaussian_loss(const double *y, const float *value, int64_t n,
                            int64_t columns)
{
    double loss = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < columns; k++) {
            const double *mean = y + i * 2 * columns + k;
            double t = (double)value[i * columns + k];
            double variance = exp(8 * tanh(mean[columns] / 8));
            double density = exp(-(t - *mean) * (t - *mean) / 2 / variance) /
                             sqrt(2 * M_PI * variance);

            if (isnan(t))
                continue;
            known++;
            loss -= log(density);
        }
    return loss / (double)known;
}

double ref_loss(const struct ref_model *m, const struct bird_batch *b,
                const struct bird_labels *l,
                const struct bird_dropout_rates *dropout)
{
    double *x, *y, loss;

    dropout = dropout ? dropout : &no_dropout;
    x = ref_hidden(m, b, dropout);
    if (bird_head_per_token(m->c)) {
        loss = token_loss(m, x, b, l, dropout);
        free(x);
        return loss;
    }
    y = sequence_logits(m, x, b, dropout);
    if (m->c->problem == BIRD_PROBLEM_SINGLE_LABEL)
        loss = cross_entropy(y, l->class_id, b->n_seq, m->c->n_label);
    else if (m->c->problem == BIRD_PROBLEM_GAUSSIAN)
        loss = gaussian_loss(y, l->value, b->n_seq, m->c->n_label / 2);
    else
        loss = value_loss(y, l->value, b->n_seq * m->c->n_label,
                          m->c->problem == BIRD_PROBLEM_REGRESSION,
                          l->pos_weight > 0 ? (double)l->pos_weight : 1);
    free(x), free(y);
    return loss;
}
