/* Attention with products in bfloat16, for models in lower precision: queries, keys,
 * values and probabilities are rounded, scores and sums are float32.
 *
 * As attention.c with one query in each SIMD lane, but two terms of a sum lie side by
 * side in the 32 bits that a float would take, and VDPBF16PS adds both. Keys and
 * values are rounded once for all queries. KEYS of them are taken at a time, so that
 * their scores stay near the core: the sums so far are scaled down when a larger score
 * comes (Milakov, Gimelshein 2018, arXiv:1805.02867, algorithm 3). Only processors that
 * have the instruction run this file. SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/attention_keys.h"
#include "kernel/cpu/bfloat16.h"
#include "kernel/cpu/table.h"

enum {
    KEYS = 96,   /* of a chunk: whole tiles, an even number */
    WIDEST = 512 /* features of a head at most */
};

TILE_TABLE(scores, t->row, 1, NR)
TILE_TABLE(values, 1, t->step, NR)

/* a in the low half of each lane, b in the high half. */
static inline __m512 pair(__m512 a, __m512 b)
{
    const __m512i order = _mm512_set_epi16(
        31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
        6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);

    return (__m512)_mm512_permutexvar_epi16(order,
                                            (__m512i)_mm512_cvtne2ps_pbh(b, a));
}

/* What attention_round() makes of a head: rows of queries and of keys with their
 * features in pairs, an even number of rows; then for NR features at a time two rows
 * of values to each row of NR. */
struct rounded {
    float *queries, *keys, *values;
    int64_t pairs; /* of features */
    int64_t panel; /* floats of NR features of the values */
};

static struct rounded rounded_in(float *low,
                                 const struct bird_attention_args *a)
{
    int64_t rows = (a->len + 1) / 2 * 2, pairs = (a->dim + 1) / 2;

    return (struct rounded){low, low + rows * pairs, low + 2 * rows * pairs,
                            pairs, rows / 2 * NR};
}

/* NR floats of row i of the values, of which `width` are there; zeros for others. */
static void value_row(float *row, const struct bird_attention_args *a,
                      int64_t i, int64_t c)
{
    int64_t width = a->dim - c < NR ? a->dim - c : NR;

    memset(row, 0, NR * sizeof(*row));
    if (i < a->len)
        memcpy(row, a->v + i * a->ld + c, (size_t)width * sizeof(*row));
}

/* Half of a pair: row i, while another thread may write the other half. */
static void put_half(float *pairs, const float *row, int64_t i)
{
    for (int64_t j = 0; j < NR; j += LANES) {
        float both[LANES];

        _mm512_storeu_ps(both,
                         pair(_mm512_loadu_ps(row + j), _mm512_setzero_ps()));
        for (int64_t k = 0; k < LANES; k++)
            memcpy((char *)(pairs + j + k) + i % 2 * 2, both + k, 2);
    }
}

/* Values of rows r0 .. r1, features from c. */
static void pair_values(float *out, const struct bird_attention_args *a,
                        int64_t r0, int64_t r1, int64_t c)
{
    int64_t i = r0;
    float one[NR], two[NR];

    if (i % 2) {
        value_row(two, a, i, c);
        put_half(out + i / 2 * NR, two, i);
        i++;
    }
    for (; i + 1 < r1 || (i < r1 && r1 == a->len); i += 2) {
        value_row(one, a, i, c);
        value_row(two, a, i + 1, c);
        for (int64_t j = 0; j < NR; j += LANES)
            _mm512_storeu_ps(
                out + i / 2 * NR + j,
                pair(_mm512_loadu_ps(one + j), _mm512_loadu_ps(two + j)));
    }
    if (i < r1) {
        value_row(one, a, i, c);
        put_half(out + i / 2 * NR, one, i);
    }
}

void BIRD_FN(attention_round)(float *low, const struct bird_attention_args *a,
                              int64_t r0, int64_t r1)
{
    const struct rounded r = rounded_in(low, a);

    for (int64_t i = r0; i < r1; i++) {
        round_row(r.queries + i * r.pairs, a->q + i * a->ld, a->dim);
        round_row(r.keys + i * r.pairs, a->k + i * a->ld, a->dim);
    }
    if (r1 == a->len && r1 % 2)
        memset(r.keys + r1 * r.pairs, 0, (size_t)r.pairs * sizeof(*low));
    for (int64_t c = 0; c < a->dim; c += NR)
        pair_values(r.values + c / NR * r.panel, a, r0, r1, c);
}

/* m queries from r0 as panels of NR columns: pair i of each one's features in row i. */
static void pack_queries(float *packed, const struct rounded *r, int64_t r0,
                         int64_t m)
{
    for (int64_t c = 0; c < m; c += NR, packed += NR * r->pairs) {
        const float *row = r->queries + (r0 + c) * r->pairs;

        if (m - c < NR)
            memset(packed, 0, (size_t)(NR * r->pairs) * sizeof(*packed));
        for (int64_t j = 0; j < NR && c + j < m; j++)
            for (int64_t i = 0; i < r->pairs; i++)
                packed[i * NR + j] = row[j * r->pairs + i];
    }
}

/* A tile of queries, and its sums so far. */
struct tile_state {
    const float *q;       /* as panels of NR columns */
    float *sums;          /* (m, width) of values */
    float *top, *total;   /* (ld) largest score, sum of probabilities */
    int64_t m, ld, width; /* queries; rounded up to NR; features likewise */
};

/* exp(scale d) for d <= 0 to 8e-5 of its value, a twentieth of a bfloat16's step: 2^n
 * times a polynomial, fitted for the least largest error; `scale` is in units of ln 2.
 * NaN for NaN. */
static inline __m512 coarse_exp(__m512 d, __m512 scale)
{
    __m512 x = _mm512_max_ps(_mm512_set1_ps(-200), _mm512_mul_ps(d, scale));
    __m512 n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT);
    __m512 r = _mm512_sub_ps(x, n), y = _mm512_set1_ps(5.517166839e-2f);

    y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(2.426111221e-1f));
    y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(6.932609856e-1f));
    y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(9.999280735e-1f));
    return _mm512_scalef_ps(y, n);
}

/* Raise each query's largest score to that of n more keys, and scale down its sums. */
static void raise_top(const struct tile_state *t, const float *s, __m512 scale,
                      int64_t n)
{
    float by[QUERIES];
    __mmask16 changed = 0;

    for (int64_t q = 0; q < t->ld; q += LANES) {
        __m512 old = _mm512_loadu_ps(t->top + q), top = old, odd = old, factor;

        for (int64_t j = 0; j < n; j += 2) {
            top = _mm512_max_ps(_mm512_loadu_ps(s + j * t->ld + q), top);
            odd = _mm512_max_ps(_mm512_loadu_ps(s + (j + 1) * t->ld + q), odd);
        }
        top = _mm512_max_ps(top, odd);
        factor = coarse_exp(_mm512_sub_ps(old, top), scale);
        changed |= _mm512_cmp_ps_mask(old, top, _CMP_LT_OQ);
        /* the polynomial of 0 is not 1 to the last bit */
        factor =
            _mm512_mask_mov_ps(factor, _mm512_cmp_ps_mask(old, top, _CMP_EQ_OQ),
                               _mm512_set1_ps(1));
        _mm512_storeu_ps(t->top + q, top);
        _mm512_storeu_ps(t->total + q,
                         _mm512_mul_ps(factor, _mm512_loadu_ps(t->total + q)));
        _mm512_storeu_ps(by + q, factor);
    }
    if (changed)
        scale_rows(t->sums, t->width, by, t->m, t->width);
}

/* p = exp(scale (s - top)) of n keys, an even number, in pairs of keys, each counted
 * weight times; times `keep` (n, ld), which the total leaves out. */
static void exponentials(float *p, const struct tile_state *t, const float *s,
                         const float *weight, const float *keep, __m512 scale,
                         int64_t n)
{
    for (int64_t q = 0; q < t->ld; q += LANES) {
        __m512 top = _mm512_loadu_ps(t->top + q);
        __m512 total = _mm512_loadu_ps(t->total + q);

        for (int64_t j = 0; j < n; j += 2) {
            __m512 e[2];

            for (int64_t i = 0; i < 2; i++) {
                __m512 x = _mm512_loadu_ps(s + (j + i) * t->ld + q);

                e[i] = coarse_exp(_mm512_sub_ps(x, top), scale);
                if (weight)
                    e[i] = _mm512_mul_ps(e[i], _mm512_set1_ps(weight[j + i]));
                total = _mm512_add_ps(total, e[i]);
                if (keep)
                    e[i] = _mm512_mul_ps(
                        e[i], _mm512_loadu_ps(keep + (j + i) * t->ld + q));
            }
            _mm512_storeu_ps(p + j / 2 * t->ld + q, pair(e[0], e[1]));
        }
        _mm512_storeu_ps(t->total + q, total);
    }
}

/* Add n keys from the even key `first`; those outside of `run` count 0 times. */
static void add_keys(const struct tile_state *t,
                     const struct bird_attention_args *a,
                     const struct rounded *r, struct key_range run,
                     int64_t first, int64_t n, int64_t r0)
{
    _Alignas(64) float s[KEYS * QUERIES], p[KEYS / 2 * QUERIES];
    _Alignas(64) float keep[KEYS * QUERIES];
    float weight[KEYS], factor = a->mask ? 1 : a->scale;
    __m512 scale = _mm512_set1_ps(factor * 1.44269504088896341f);
    int weighted = run.times != 1, whole = 1;
    struct key_range keys = {first, n < a->len - first ? n : a->len - first, 1};

    for (int64_t c = 0; c < t->ld; c += NR)
        tile_column(scores_of,
                    (struct product_tile){.y = s + c,
                                          .x = r->keys + first * r->pairs,
                                          .w = t->q + c * r->pairs,
                                          .ldy = t->ld,
                                          .row = r->pairs,
                                          .depth = r->pairs},
                    n, NR);
    if (a->mask)
        penalise(s, a, keys, t->ld);
    hide_later(s, 1, t->ld, a, keys, r0, t->m);
    for (int64_t j = 0; j < n; j++) {
        int in = first + j >= run.first && first + j < run.first + run.count;

        weight[j] = in ? (float)run.times : 0;
        whole &= in;
        for (int64_t q = 0; !in && q < t->ld; q++)
            s[j * t->ld + q] = PENALTY_FULL;
    }
    raise_top(t, s, scale, n);
    if (a->drop.p > 0) { /* full attention: a key's column is its place */
        for (int64_t i = 0; i < n * t->ld; i++)
            keep[i] = 1;
        drop_columns(keep, a->drop, r0, first, n, t->ld);
    }
    exponentials(p, t, s, weighted || !whole ? weight : NULL,
                 a->drop.p > 0 ? keep : NULL, scale, n);
    for (int64_t c = 0; c < t->width; c += NR)
        tile_column(values_of,
                    (struct product_tile){.y = t->sums + c,
                                          .x = p,
                                          .w = r->values + c / NR * r->panel +
                                               first / 2 * NR,
                                          .ldy = t->width,
                                          .row = 1,
                                          .step = t->ld,
                                          .depth = n / 2,
                                          .add = 1},
                    t->m, NR);
}

/* Context of m query rows from r0, QUERIES at most, all of one block. */
static void attend(float *out, int64_t ld_out,
                   const struct bird_attention_args *a, int64_t r0, int64_t m,
                   float *scratch)
{
    const struct rounded low =
        rounded_in((float *)(uintptr_t)a->low, a); /* only read */
    int64_t width = (a->dim + NR - 1) / NR * NR, n_run;
    float top[QUERIES], total[QUERIES] = {0};
    struct tile_state t = {.q = scratch + QUERIES * width,
                           .sums = scratch,
                           .top = top,
                           .total = total,
                           .m = m,
                           .ld = (m + NR - 1) / NR * NR,
                           .width = width};
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    pack_queries(scratch + QUERIES * width, &low, r0, m);
    memset(t.sums, 0, (size_t)(m * width) * sizeof(*t.sums));
    for (int64_t q = 0; q < QUERIES; q++)
        top[q] = PENALTY_FULL;
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range keys = keys_at(a, run, i);
        int64_t end = (keys.first + keys.count + 1) / 2 * 2;

        for (int64_t j = keys.first / 2 * 2; j < end; j += KEYS)
            add_keys(&t, a, &low, keys, j, end - j < KEYS ? end - j : KEYS, r0);
    }
    for (int64_t r = 0; r < m; r++) {
        const float *sum = t.sums + r * width;
        float inverse = 1.0f / total[r];

#pragma omp simd
        for (int64_t j = 0; j < a->dim; j++)
            out[r * ld_out + j] = sum[j] * inverse;
    }
}

void BIRD_FN(attention_bfloat16)(float *out, int64_t ld_out,
                                 const struct bird_attention_args *a,
                                 int64_t r0, int64_t r1, float *scratch)
{
    if (!a->low || r1 - r0 < BIRD_ATTENTION_FEW || a->dim > WIDEST ||
        a->map.kind != BIRD_PROB_SOFTMAX) {
        BIRD_FN(attention_forward)(out, ld_out, a, r0, r1, scratch);
        return;
    }
    for (int64_t r = r0; r < r1; r += QUERIES)
        attend(out + r * ld_out, ld_out, a, r,
               r1 - r < QUERIES ? r1 - r : QUERIES, scratch);
    zero_queries(out, ld_out, a, r0, r1);
}

/* ---- backward ------------------------------------------------------------- */

/* A head's keys and values, rounded: rows of features in pairs, and the keys in pairs
 * of rows, NR features at a time. Then what a tile works in. */
struct back {
    const struct bird_attention_args *a;
    int64_t pairs, width; /* of features; rounded up to NR */
    int64_t rows;         /* an even number */
    float *keys, *values, *key_pairs;
    float *q, *g; /* queries and gradients as panels of NR columns */
    float *q_pairs, *g_pairs; /* two rows in each row of NR, for NR features */
    float *gradient;          /* (QUERIES, width) */
    float *weight, *p, *kept, *dp, *low;
};

static struct back back_in(float *scratch, const struct bird_attention_args *a)
{
    struct back b = {.a = a,
                     .pairs = (a->dim + 1) / 2,
                     .width = (a->dim + NR - 1) / NR * NR,
                     .rows = (a->len + 1) / 2 * 2};

    b.keys = scratch;
    b.values = b.keys + b.rows * b.pairs;
    b.key_pairs = b.values + b.rows * b.pairs;
    b.q = b.key_pairs + b.rows / 2 * b.width;
    b.g = b.q + QUERIES * b.pairs;
    b.q_pairs = b.g + QUERIES * b.pairs;
    b.g_pairs = b.q_pairs + QUERIES / 2 * b.width;
    b.gradient = b.g_pairs + QUERIES / 2 * b.width;
    b.weight = b.gradient + QUERIES * b.width;
    b.p = b.weight + b.rows;
    b.kept = b.p + QUERIES * b.rows;
    b.dp = b.kept + QUERIES * b.rows;
    b.low = b.dp + QUERIES * b.rows;
    return b;
}

/* Pairs of rows of x (n, dim), `rows` an even number: NR features at a time. */
static void pair_rows(float *out, const float *x, int64_t ld, int64_t dim,
                      int64_t n, int64_t rows)
{
    for (int64_t c = 0; c < dim; c += NR) {
        size_t size = (size_t)(dim - c < NR ? dim - c : NR) * sizeof(*x);

        for (int64_t i = 0; i < rows; i += 2, out += NR) {
            float row[2][NR] = {{0}};

            for (int64_t k = 0; k < 2 && i + k < n; k++)
                memcpy(row[k], x + (i + k) * ld + c, size);
            for (int64_t j = 0; j < NR; j += LANES)
                _mm512_storeu_ps(out + j, pair(_mm512_loadu_ps(row[0] + j),
                                               _mm512_loadu_ps(row[1] + j)));
        }
    }
}

/* m rows of x as panels of NR columns, pairs of features in rows. */
static void pack_rows(float *packed, const float *x, int64_t ld, int64_t dim,
                      int64_t m)
{
    int64_t pairs = (dim + 1) / 2;

    for (int64_t c = 0; c < m; c += NR, packed += NR * pairs) {
        memset(packed, 0, (size_t)(NR * pairs) * sizeof(*packed));
        for (int64_t j = 0; j < NR && c + j < m; j++) {
            float row[WIDEST / 2] = {0};

            round_row(row, x + (c + j) * ld, dim);
            for (int64_t i = 0; i < pairs; i++)
                packed[i * NR + j] = row[i];
        }
    }
}

/* Rows of a run of the tile's keys, an even number. */
static int64_t even_count(struct key_range s)
{
    return (s.count + 1) / 2 * 2;
}

/* y (keys, ld) = rows of all keys of the tile times packed columns. */
static void key_products(float *y, const struct back *b, const float *rows,
                         const float *packed, int64_t r0, int64_t ld)
{
    int64_t n_run;
    const struct bird_run *run = tile_runs(b->a, r0, &n_run);

    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(b->a, run, i);

        for (int64_t c = 0; c < ld; c += NR)
            tile_column(scores_of,
                        (struct product_tile){.y = y + c,
                                              .x = rows + s.first * b->pairs,
                                              .w = packed + c * b->pairs,
                                              .ldy = ld,
                                              .row = b->pairs,
                                              .depth = b->pairs},
                        even_count(s), NR);
        y += even_count(s) * ld;
    }
}

/* Penalties, weights, and the softmax of each column; returns the number of keys. */
static int64_t column_softmax(const struct back *b, int64_t r0, int64_t m,
                              int64_t ld)
{
    const struct bird_attention_args *a = b->a;
    int64_t n_run, n = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);
    __m512 scale =
        _mm512_set1_ps((a->mask ? 1 : a->scale) * 1.44269504088896341f);

    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        if (a->mask)
            penalise(b->p + n * ld, a, s, ld);
        hide_later(b->p + n * ld, 1, ld, a, s, r0, m);
        weigh_keys(b->weight + n, s);
        n += s.count;
        if (s.count % 2) { /* the row behind the last key */
            for (int64_t q = 0; q < ld; q++)
                b->p[n * ld + q] = PENALTY_FULL;
            b->weight[n++] = 0;
        }
    }
    for (int64_t q = 0; q < ld; q += LANES) {
        __m512 top = _mm512_set1_ps(PENALTY_FULL), sum = _mm512_setzero_ps();

        for (int64_t j = 0; j < n; j++)
            top = _mm512_max_ps(_mm512_loadu_ps(b->p + j * ld + q), top);
        for (int64_t j = 0; j < n; j++) {
            float *p = b->p + j * ld + q;
            __m512 e =
                coarse_exp(_mm512_sub_ps(_mm512_loadu_ps(p), top), scale);

            e = _mm512_mul_ps(e, _mm512_set1_ps(b->weight[j]));
            sum = _mm512_add_ps(sum, e);
            _mm512_storeu_ps(p, e);
        }
        sum = _mm512_div_ps(_mm512_set1_ps(1), sum);
        for (int64_t j = 0; j < n; j++) {
            float *p = b->p + j * ld + q;

            _mm512_storeu_ps(p, _mm512_mul_ps(_mm512_loadu_ps(p), sum));
        }
    }
    return n;
}

/* out (key, dim) += p(key, query) x of all keys of the tile, x as pairs of rows. */
static void spread(float *out, const struct back *b, const float *p,
                   const float *x, int64_t n, int64_t r0, int64_t m, int64_t ld)
{
    const struct bird_attention_args *a = b->a;
    int64_t n_run, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    for (int64_t j = 0; j < n; j++)
        round_row(b->low + j * ld / 2, p + j * ld, ld);
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        for (int64_t c = 0; c < a->dim; c += NR)
            tile_column(
                scores_of,
                (struct product_tile){.y = out + s.first * a->ld + c,
                                      .x = b->low + at * ld / 2,
                                      .w = x + c / NR * (QUERIES / 2) * NR,
                                      .ldy = a->ld,
                                      .row = ld / 2,
                                      .depth = (m + 1) / 2,
                                      .add = 1},
                s.count, a->dim - c);
        at += even_count(s);
    }
}

/* out (m, dim) = p(key, query)^T keys of all keys of the tile. */
static void gather(float *out, const struct back *b, const float *p, int64_t n,
                   int64_t r0, int64_t m, int64_t ld)
{
    const struct bird_attention_args *a = b->a;
    int64_t n_run, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    for (int64_t j = 0; j < n; j += 2)
        for (int64_t q = 0; q < ld; q += LANES)
            _mm512_storeu_ps(b->low + j / 2 * ld + q,
                             pair(_mm512_loadu_ps(p + j * ld + q),
                                  _mm512_loadu_ps(p + (j + 1) * ld + q)));
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        for (int64_t c = 0; c < a->dim; c += NR)
            tile_column(values_of,
                        (struct product_tile){.y = out + c,
                                              .x = b->low + at / 2 * ld,
                                              .w = b->key_pairs +
                                                   c / NR * (b->rows / 2) * NR +
                                                   s.first / 2 * NR,
                                              .ldy = a->ld,
                                              .row = 1,
                                              .step = ld,
                                              .depth = even_count(s) / 2,
                                              .add = i > 0},
                        m, a->dim - c);
        at += even_count(s);
    }
}

/* m query rows from r0, QUERIES at most, all of one block. */
static void back_tile(const struct back *b, float *dq, float *dk, float *dv,
                      const float *dout, int64_t ld_out, int64_t r0, int64_t m)
{
    const struct bird_attention_args *a = b->a;
    int64_t ld = (m + NR - 1) / NR * NR, n;
    const float *p = b->p;

    take_gradient(b->gradient, b->width, dout, ld_out, a, r0, m);
    pack_rows(b->q, a->q + r0 * a->ld, a->ld, a->dim, m);
    pack_rows(b->g, b->gradient, b->width, a->dim, m);
    pair_rows(b->q_pairs, a->q + r0 * a->ld, a->ld, a->dim, m, QUERIES);
    pair_rows(b->g_pairs, b->gradient, b->width, a->dim, m, QUERIES);
    key_products(b->p, b, b->keys, b->q, r0, ld);
    n = column_softmax(b, r0, m, ld);
    if (a->drop.p > 0) {
        memcpy(b->kept, p, (size_t)(n * ld) * sizeof(*p));
        drop_columns(b->kept, a->drop, r0, 0, n, ld);
        p = b->kept;
    }
    spread(dv, b, p, b->g_pairs, n, r0, m, ld);
    key_products(b->dp, b, b->values, b->g, r0, ld);
    if (a->drop.p > 0)
        drop_columns(b->dp, a->drop, r0, 0, n, ld);
    softmax_columns_backward(b->dp, b->p, a->scale, n, ld);
    gather(dq + r0 * a->ld, b, b->dp, n, r0, m, ld);
    spread(dk, b, b->dp, b->q_pairs, n, r0, m, ld);
}

void BIRD_FN(attention_backward_bfloat16)(float *dq, float *dk, float *dv,
                                          const float *dout, int64_t ld_out,
                                          const struct bird_attention_args *a,
                                          float *scratch)
{
    int64_t tile = bird_attention_tile(a->plan);
    struct back b = back_in(scratch, a);

    /* keys of a run are taken in pairs, from an even one on */
    if (a->dim > WIDEST || a->map.kind != BIRD_PROB_SOFTMAX || tile % 2) {
        BIRD_FN(attention_backward)(dq, dk, dv, dout, ld_out, a, scratch);
        return;
    }
    memset(b.keys, 0, (size_t)(2 * b.rows * b.pairs) * sizeof(*b.keys));
    for (int64_t i = 0; i < a->len; i++) {
        memset(dk + i * a->ld, 0, (size_t)a->dim * sizeof(*dk));
        memset(dv + i * a->ld, 0, (size_t)a->dim * sizeof(*dv));
        round_row(b.keys + i * b.pairs, a->k + i * a->ld, a->dim);
        round_row(b.values + i * b.pairs, a->v + i * a->ld, a->dim);
    }
    pair_rows(b.key_pairs, a->k, a->ld, a->dim, a->len, b.rows);
    for (int64_t r0 = 0; r0 < a->len; r0 += tile) {
        int64_t m = r0 + tile < a->len ? tile : a->len - r0;

        for (int64_t r = 0; r < m; r += QUERIES)
            back_tile(&b, dq, dk, dv, dout, ld_out, r0 + r,
                      m - r < QUERIES ? m - r : QUERIES);
    }
}
