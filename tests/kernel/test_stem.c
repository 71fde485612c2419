/* model: the convolution stem: formulas in double, gradients, tiles, threads, refusals.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "gradient.h"
#include "model/layer.h"
#include "ref.h"
#include "tiny.h"

enum { D = 12 };

static void config(struct bird_config *c, const char *stem,
                   const struct bird_head_row *head)
{
    tiny_config(c, head);
    c->cls_id = 20;
    c->sep_id = 21;
    WORKS(bird_stem_parse(c, stem));
    WORKS(bird_config_check(c, "test"));
}

/* Whose sums go over tokens in a window; of which some are pooled. */
static const char *const one_row[] = {"5x12", "3x10:silu,5x12:plain,3x12+",
                                      "1x12:relu"};
static const char *const pooled[] = {"7x12/3", "5x10/2,3x12:silu",
                                     "3x12/2:plain,3x12/2+:tanh,5x12/2",
                                     "9x12/64,3x12"};

Test(stem, gradients)
{
    struct bird_config c;

    for (size_t i = 0; i < sizeof(one_row) / sizeof(*one_row); i++) {
        config(&c, one_row[i], &bird_head_mlm);
        gradient_check_head(&c, 1, one_row[i]);
    }
    for (size_t i = 0; i < sizeof(pooled) / sizeof(*pooled); i++) {
        config(&c, pooled[i], &bird_head_mean_pooled);
        c.problem = BIRD_PROBLEM_MULTI_LABEL;
        c.type_vocab_size = i % 2 ? 2 : 3; /* 3: with types */
        gradient_check_head(&c, 8, pooled[i]);
    }
}

/* A masked-language head over rows of several tokens; the features that it
 * reads are a first layer's, one's before another pool, a residual one's. */
static const char *const told[] = {"7x12/3", "5x10/2,3x12:silu",
                                   "3x12:plain,3x12/2+:tanh,5x12/2"};

Test(stem, gradients_of_masked_tokens)
{
    struct bird_dropout_rates none = {.key = 5};
    struct bird_config c;

    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
        config(&c, told[i], &bird_head_mlm);
        gradient_check_head(&c, 1, told[i]);
    }
    c.tie_word_embeddings = 0;
    c.n_layer = 0;
    c.vocab_size = 18000;
    gradient_check(&c, &none, 1, "no table, layers or tie");
}

/* Global tokens before [CLS] are rows of their own, and not of the stem. */
Test(stem, gradients_behind_global_tokens)
{
    struct bird_config c;

    for (int k = 0; k < 2; k++) {
        config(&c, k ? "7x12/3" : "5x10/2,3x12:silu",
               k ? &bird_head_mean_pooled : &bird_head_mlm);
        c.problem = BIRD_PROBLEM_MULTI_LABEL;
        cr_assert_eq(bird_pattern_parse(&c.pattern, k ? "etc,block=4,global=4"
                                                      : "etc,block=1,global=3"),
                     0);
        gradient_check_head(&c, k ? 8 : 1, "stem and global tokens");
    }
}

/* A vocabulary too large for a table, and one without special tokens; without
 * any layer of the encoder. */
Test(stem, gradients_without_a_table_or_layers)
{
    struct bird_dropout_rates none = {.key = 5};
    struct bird_config c;

    config(&c, "5x12/2,3x12", &bird_head_mean_pooled);
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    c.vocab_size = 18000;
    cr_assert_eq(bird_stem_table_size(&c), 0);
    gradient_check(&c, &none, 1, "no table");
    c.vocab_size = 17000;
    cr_assert_eq(bird_stem_table_size(&c), 17000 * 5 * 12);
    config(&c, "5x12/2,3x12", &bird_head_mean_pooled);
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    c.n_layer = 0;
    c.cls_id = c.sep_id = -1;
    gradient_check(&c, &none, 1, "no layers");
}

Test(stem, gradients_of_scaled_branches)
{
    struct bird_config c;

    config(&c, "7x12/3", &bird_head_mean_pooled);
    c.branch_scale = 1;
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    gradient_check_head(&c, 8, "scaled");
    tiny_config(&c, &bird_head_mlm);
    c.branch_scale = 1;
    c.use_bias = 0;
    gradient_check_head(&c, 1, "scaled, no bias");
}

static void near(const float *x, const double *want, int64_t n, double most,
                 const char *what)
{
    for (int64_t i = 0; i < n; i++)
        cr_assert_float_eq(x[i], want[i], most, "%s [%d]: %g, not %g", what,
                           (int)i, (double)x[i], want[i]);
}

Test(stem, inference_equals_the_formulas)
{
    float x[TINY_ROWS * D];

    for (size_t i = 0; i < 2 * sizeof(pooled) / sizeof(*pooled); i++) {
        struct bird_config c;
        struct ref_model m;
        struct tiny t;
        double *want;

        config(&c, pooled[i / 2], &bird_head_mean_pooled);
        c.vocab_size = i % 2 ? 60000 : 23;
        c.branch_scale = i > 3;
        tiny_init(&t, &c, i);
        m = tiny_model(&t);
        want = ref_hidden(&m, &t.b, NULL);
        tiny_states(x, &t, &t.b);
        near(x, want, t.offset[TINY_SEQ] * D, 2e-5, pooled[i / 2]);
        WORKS(bird_weights_prepare(&t.w, &c, BIRD_FLOAT32, 0));
        tiny_states(x, &t, &t.b);
        near(x, want, t.offset[TINY_SEQ] * D, 2e-5, pooled[i / 2]);
        free(want), free(m.theta);
        tiny_free(&t);
    }
}

enum { LONG = 3001 };

/* A sequence of several tiles: its rows are the formulas', and the same to the
 * last bit behind others, and when the tiles are cut elsewhere. */
Test(stem, tiles_and_company_change_no_bit)
{
    static int32_t ids[2 * LONG];
    static float alone[LONG * D], two[2 * LONG * D];

    for (size_t i = 0; i < sizeof(pooled) / sizeof(*pooled); i++) {
        int64_t token[3] = {0, LONG, 0}, offset[3] = {0}, shift;
        struct bird_batch b = {
            .n_seq = 1, .offset = offset, .token = token, .ids = ids};
        struct bird_config c;
        struct ref_model m;
        struct bird_rng r;
        struct tiny t;
        double *want;

        config(&c, pooled[i], &bird_head_mean_pooled);
        c.max_positions = LONG + 3;
        c.n_layer = 0;
        tiny_init(&t, &c, 1);
        bird_rng_init(&r, 9, 0, 0);
        for (int k = 0; k < LONG; k++)
            ids[k] = (int32_t)bird_rng_below(&r, 20);
        offset[1] = bird_stem_rows(&c, ids, LONG);
        m = tiny_model(&t);
        want = ref_hidden(&m, &b, NULL);
        WORKS(bird_weights_prepare(&t.w, &c, BIRD_FLOAT32, 0));
        tiny_states(alone, &t, &b);
        near(alone, want, offset[1] * D, 2e-5, pooled[i]);
        /* behind some tokens that are no whole tile */
        shift = 7;
        memmove(ids + shift, ids, LONG * sizeof(*ids));
        memset(ids, 0, (size_t)shift * sizeof(*ids));
        b.n_seq = 2;
        token[1] = shift;
        token[2] = shift + LONG;
        offset[2] = offset[1];
        offset[1] = bird_stem_rows(&c, ids, shift);
        offset[2] += offset[1];
        tiny_states(two, &t, &b);
        cr_assert_arr_eq(two + offset[1] * D, alone,
                         (size_t)((offset[2] - offset[1]) * D) * sizeof(*two));
        free(want), free(m.theta);
        tiny_free(&t);
    }
}

/* --- rows that sequences have in common -------------------------------------- */

enum { RELATED = 24, RELATED_TOKENS = 400 };

struct related {
    struct bird_encoder *e;
    struct bird_batch b;
    float *x;
    int rc, shared;
};

/* Inside of a task sequences share rows, outside of one they do not. */
static void forward_in_task(void *context, int64_t task, int worker)
{
    struct related *r = context;

    (void)task, (void)worker;
    r->rc = bird_encoder_forward(r->e, r->x, NULL, &r->b);
    r->shared = r->e->shared.on;
}

/* The next sequence of a family: tokens of `from` from another place on, some
 * replaced, some put in or left out; returns how many. */
static int64_t relative(int32_t *to, const int32_t *from, int64_t n,
                        struct bird_rng *r)
{
    int64_t first = (int64_t)bird_rng_below(r, 12);
    int64_t at = n / 4 + (int64_t)bird_rng_below(r, (uint64_t)n / 2), k = 0;
    int64_t more = (int64_t)bird_rng_below(r, 7) - 3;
    int64_t end = n - (int64_t)bird_rng_below(r, 9);

    for (int64_t i = first; i < at; i++)
        to[k++] = from[i];
    for (int64_t i = 0; i < 1 + (more > 0 ? more : 0); i++)
        to[k++] = (int32_t)bird_rng_below(r, 20);
    for (int64_t i = at + 1 + (more < 0 ? -more : 0); i < end; i++)
        to[k++] = from[i];
    return k;
}

/* Sequences of a family, with special tokens or without; of one family in four
 * the first half is one token. */
static void fill_related(struct bird_batch *b, int64_t *offset, int64_t *token,
                         int32_t *ids, const struct bird_config *c,
                         uint64_t seed)
{
    int32_t first[RELATED_TOKENS];
    struct bird_rng r;
    int64_t n = RELATED_TOKENS - 20, at = 0;

    bird_rng_init(&r, seed, 3, 0);
    for (int64_t i = 0; i < n; i++)
        first[i] = seed % 4 || i > n / 2 ? (int32_t)bird_rng_below(&r, 20) : 7;
    *b = (struct bird_batch){
        .n_seq = RELATED, .offset = offset, .token = token, .ids = ids};
    for (int64_t s = 0; s < RELATED; s++) {
        int special = seed % 2 && s % 3;

        token[s] = at;
        if (special)
            ids[at++] = (int32_t)c->cls_id;
        if (s % 5)
            at += relative(ids + at, first, n - 10 * (s % 7), &r);
        else
            for (int64_t i = 0; i < n; i++)
                ids[at++] = first[i];
        if (special)
            ids[at++] = (int32_t)c->sep_id;
        token[s + 1] = at;
        offset[s + 1] =
            offset[s] + bird_stem_rows(c, ids + token[s], at - token[s]);
    }
}

static const char *const of_several[] = {
    "5x10/2,3x12:silu", "3x12/2:plain,3x12/2+:tanh,5x12/2", "9x12/64,3x12",
    "11x9:relu,7x12/2:relu,7x12/2+:relu,3x12+", "15x8/5:relu,7x12/4,5x12"};

/* The same bits as of every sequence by itself. */
Test(stem, rows_in_common_change_no_bit)
{
    static int32_t ids[RELATED * (RELATED_TOKENS + 2)];
    int64_t offset[RELATED + 1] = {0}, token[RELATED + 1];

    for (uint64_t k = 0; k < 12 * sizeof(of_several) / sizeof(*of_several);
         k++) {
        struct related r = {.rc = 1};
        struct bird_config c;
        struct tiny t;
        float *alone;
        int64_t n;

        config(&c, of_several[k / 12], &bird_head_mean_pooled);
        c.max_positions = RELATED_TOKENS + 2;
        c.n_layer = k % 2;
        tiny_init(&t, &c, k);
        WORKS(bird_weights_prepare(&t.w, &c, BIRD_FLOAT32, 0));
        fill_related(&r.b, offset, token, ids, &c, k);
        n = offset[RELATED] * D;
        WORKS(bird_array_new(&r.x, n, sizeof(*r.x)));
        WORKS(bird_array_new(&alone, n, sizeof(*alone)));
        tiny_states(alone, &t, &r.b);
        WORKS(bird_encoder_new(&r.e, &t.c, &t.w));
        bird_parallel(1, forward_in_task, &r);
        WORKS(r.rc);
        cr_assert(r.shared, "%s %d", of_several[k / 12], (int)k);
        cr_assert_arr_eq(r.x, alone, (size_t)n * sizeof(*alone));
        bird_encoder_free(r.e);
        free(r.x), free(alone);
        tiny_free(&t);
    }
}

/* Sequences that have nothing in common are read in tiles. */
Test(stem, strangers_share_nothing)
{
    static int32_t ids[4 * RELATED_TOKENS];
    int64_t offset[5] = {0}, token[5] = {0};
    struct related r = {
        .b = {.n_seq = 4, .offset = offset, .token = token, .ids = ids}};
    struct bird_config c;
    struct bird_rng g;
    struct tiny t;

    config(&c, of_several[0], &bird_head_mean_pooled);
    c.max_positions = RELATED_TOKENS;
    tiny_init(&t, &c, 1);
    WORKS(bird_weights_prepare(&t.w, &c, BIRD_FLOAT32, 0));
    bird_rng_init(&g, 4, 0, 0);
    for (int64_t i = 0; i < 4 * RELATED_TOKENS; i++)
        ids[i] = (int32_t)bird_rng_below(&g, 20);
    for (int64_t s = 0; s < 4; s++) {
        token[s + 1] = token[s] + RELATED_TOKENS;
        offset[s + 1] = offset[s] + bird_stem_rows(&c, ids, RELATED_TOKENS);
    }
    WORKS(bird_array_new(&r.x, offset[4] * D, sizeof(*r.x)));
    WORKS(bird_encoder_new(&r.e, &t.c, &t.w));
    bird_parallel(1, forward_in_task, &r);
    WORKS(r.rc);
    cr_assert_not(r.shared);
    bird_encoder_free(r.e);
    free(r.x), tiny_free(&t);
}

Test(stem, threads_change_no_bit)
{
    static float x[3][TINY_ROWS * D];
    struct bird_config c;
    struct tiny t;

    for (size_t i = 0; i < sizeof(pooled) / sizeof(*pooled); i++)
        for (int table = 0; table < 2; table++) {
            config(&c, pooled[i], &bird_head_mean_pooled);
            c.problem = BIRD_PROBLEM_MULTI_LABEL;
            c.vocab_size = table ? 23 : 60000;
            tiny_init(&t, &c, 1);
            gradient_check_threads(&t, 6);
            for (int k = 0; k < 3; k++) {
                bird_threads_set(k + 1);
                tiny_states(x[k], &t, &t.b);
                cr_assert_arr_eq(x[0], x[k],
                                 (size_t)(t.offset[TINY_SEQ] * D) * 4);
            }
            tiny_free(&t);
        }
}

/* -log p of all labelled tokens of some sequences of t, (n) returned. */
static int64_t tell(double *nll, struct tiny *t, int from, int to)
{
    static float x[TINY_ROWS * D];
    struct bird_head_tokens tokens = {0};
    int64_t offset[TINY_SEQ + 1], token[TINY_SEQ + 1], n = 0;
    int32_t label[TINY_ROWS], best[TINY_ROWS];
    struct bird_batch b = {.n_seq = to - from,
                           .offset = offset,
                           .token = token,
                           .ids = t->ids + t->tokens[from]};
    struct bird_encoder *e;

    for (int s = from; s <= to; s++) {
        offset[s - from] = t->offset[s] - t->offset[from];
        token[s - from] = t->tokens[s] - t->tokens[from];
    }
    memcpy(label, t->token + t->tokens[from],
           (size_t)token[b.n_seq] * sizeof(*label));
    for (int64_t i = 0; i < token[b.n_seq]; i++)
        n += label[i] >= 0;
    if (!n)
        return 0;
    WORKS(bird_head_want(&tokens, &b, &t->c, label, 0));
    WORKS(bird_encoder_new(&e, &t->c, &t->w));
    WORKS(bird_encoder_forward(e, x, NULL, &b));
    WORKS(bird_head_nll(nll, best, &t->c, &t->w, x, &b, label));
    bird_encoder_free(e);
    bird_head_tokens_free(&tokens);
    return n;
}

/* In inference, which keeps no layer as a whole: the loss of the formulas, the
 * same bits for a sequence alone, and on any number of threads. */
Test(stem, masked_tokens_of_a_pack)
{
    for (size_t i = 0; i < 2 * sizeof(told) / sizeof(*told); i++) {
        double all[TINY_ROWS], one[TINY_ROWS], mean = 0, want;
        struct bird_config c;
        struct ref_model m;
        struct tiny t;
        int64_t n, k = 0;

        config(&c, told[i / 2], &bird_head_mlm);
        c.vocab_size = i % 2 ? 60000 : 23;
        tiny_init(&t, &c, i);
        t.token[0] = 1;               /* of a [CLS] alone, */
        t.token[t.tokens[2] - 1] = 2; /* of a [SEP], of its neighbour */
        t.token[t.tokens[2] - 2] = 0;
        m = tiny_model(&t);
        want = ref_loss(&m, &t.b, &t.labels, NULL);
        WORKS(bird_weights_prepare(&t.w, &c, BIRD_FLOAT32, 0));
        n = tell(all, &t, 0, TINY_SEQ);
        for (int64_t j = 0; j < n; j++)
            mean += all[j] / (double)n;
        cr_assert_float_eq(mean, want, 2e-5 * (1 + want), "%s: %g, not %g",
                           told[i / 2], mean, want);
        for (int s = 0; s < TINY_SEQ; s++)
            k += tell(one + k, &t, s, s + 1);
        cr_assert_eq(k, n);
        cr_assert_arr_eq(one, all, (size_t)n * sizeof(*all));
        for (int threads = 1; threads <= 3; threads++) {
            bird_threads_set(threads);
            cr_assert_eq(tell(one, &t, 0, TINY_SEQ), n);
            cr_assert_arr_eq(one, all, (size_t)n * sizeof(*all));
        }
        free(m.theta);
        tiny_free(&t);
    }
}

/* Over several tiles the wanted features are those that one layer without its
 * pool has for rows. */
Test(stem, features_of_tokens_in_tiles)
{
    static const char *const with = "5x10:silu,7x12/4,5x12",
                             *const without = "5x10:silu,7x12";
    static int32_t ids[LONG], label[LONG];
    static float x[LONG * D], rows[LONG * D];
    int64_t token[2] = {0, LONG}, offset[2] = {0}, n = 0;
    struct bird_head_tokens tokens = {0};
    struct bird_config c;
    struct bird_rng r;
    struct tiny t, plain;
    struct bird_encoder *e;
    struct bird_batch b = {
        .n_seq = 1, .offset = offset, .token = token, .ids = ids};

    bird_rng_init(&r, 9, 0, 0);
    for (int k = 0; k < LONG; k++) {
        ids[k] = (int32_t)bird_rng_below(&r, 20);
        label[k] = bird_rng_below(&r, 3) ? -100 : 1;
    }
    ids[0] = 20;
    config(&c, with, &bird_head_mlm);
    c.max_positions = LONG + 3;
    tiny_init(&t, &c, 1);
    config(&c, without, &bird_head_mlm);
    c.max_positions = LONG + 3;
    tiny_init(&plain, &c, 1);
    for (int64_t i = 0; i < plain.n_param; i++) {
        const struct bird_param *p =
            bird_params_find(t.list, t.n_param, plain.list[i].name);

        memcpy(plain.theta + plain.list[i].offset, t.theta + p->offset,
               (size_t)p->count * sizeof(float));
    }
    WORKS(bird_weights_prepare(&t.w, &t.c, BIRD_FLOAT32, 0));
    WORKS(bird_weights_prepare(&plain.w, &c, BIRD_FLOAT32, 0));
    offset[1] = LONG;
    WORKS(bird_encoder_new(&e, &c, &plain.w));
    WORKS(bird_encoder_inputs(e, rows, &b));
    bird_encoder_free(e);
    offset[1] = bird_stem_rows(&t.c, ids, LONG);
    WORKS(bird_head_want(&tokens, &b, &t.c, label, 0));
    WORKS(bird_encoder_new(&e, &t.c, &t.w));
    WORKS(bird_encoder_inputs(e, x, &b));
    bird_encoder_free(e);
    for (int64_t k = 1; k < LONG; k++)
        if (label[k] >= 0) {
            n += tokens.token[n] != k;
            cr_assert_arr_eq(tokens.full + n * D, rows + k * D,
                             D * sizeof(*rows), "token %d", (int)k);
            n++;
        }
    cr_assert_gt(n, LONG / 4);
    bird_head_tokens_free(&tokens);
    tiny_free(&t);
    tiny_free(&plain);
}

Test(stem, threads_change_no_bit_of_masked_tokens)
{
    struct bird_config c;
    struct tiny t;

    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
        config(&c, told[i], &bird_head_mlm);
        tiny_init(&t, &c, 1);
        gradient_check_threads(&t, 6);
        tiny_free(&t);
    }
}

/* The sum of table rows, and the product that takes its place where a
 * vocabulary is large. */
Test(stem, the_table_is_near_the_product)
{
    static float x[2][TINY_ROWS * D];
    struct bird_config c;
    struct tiny small, large;

    config(&c, "7x12/3,3x12", &bird_head_mean_pooled);
    tiny_init(&small, &c, 1);
    c.vocab_size = 60000;
    tiny_init(&large, &c, 1);
    memcpy(large.ids, small.ids, sizeof(small.ids));
    memcpy(large.theta, small.theta, 23 * D * sizeof(float));
    for (int64_t i = 1; i < small.n_param; i++)
        memcpy(large.theta + large.list[i].offset,
               small.theta + small.list[i].offset,
               (size_t)small.list[i].count * sizeof(float));
    tiny_states(x[0], &small, &small.b);
    tiny_states(x[1], &large, &large.b);
    for (int64_t i = 0; i < small.offset[TINY_SEQ] * D; i++)
        cr_assert_float_eq(x[0][i], x[1][i], 1e-5);
    tiny_free(&small);
    tiny_free(&large);
}

/* Lower precision is near, and a sequence's bits are its own. */
Test(stem, lower_precision)
{
    static float full[TINY_ROWS * D], all[TINY_ROWS * D], one[TINY_ROWS * D];

    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        struct bird_config c;
        struct tiny t;
        double wrong = 0, square = 0;
        int64_t n;

        config(&c, "5x10/2,3x12:silu", &bird_head_mean_pooled);
        tiny_init(&t, &c, 1);
        n = t.offset[TINY_SEQ] * D;
        tiny_states(full, &t, &t.b);
        if (bird_weights_prepare(&t.w, &c, (enum bird_precision)p, 0)) {
            SAYS("use float32");
            tiny_free(&t);
            continue;
        }
        cr_assert(t.w.stem_table && !t.w.stem[0].l.low && t.w.stem[1].l.low);
        tiny_states(all, &t, &t.b);
        for (int64_t i = 0; i < n; i++) {
            wrong += pow((double)all[i] - (double)full[i], 2);
            square += pow((double)full[i], 2);
        }
        cr_assert(wrong > 0 && sqrt(wrong / square) < 0.05);
        for (int s = 0; s < TINY_SEQ; s++) {
            int64_t at[2] = {0, t.offset[s + 1] - t.offset[s]};
            int64_t token[2] = {0, t.tokens[s + 1] - t.tokens[s]};
            struct bird_batch b = {.n_seq = 1,
                                   .offset = at,
                                   .token = token,
                                   .ids = t.ids + t.tokens[s]};

            tiny_states(one, &t, &b);
            cr_assert_arr_eq(all + t.offset[s] * D, one,
                             (size_t)(at[1] * D) * sizeof(*all));
        }
        tiny_free(&t);
    }
}

/* The short way to token 0 equals the long one. */
Test(stem, the_first_row)
{
    static float x[TINY_ROWS * D], first[TINY_SEQ * D];

    for (int layers = 0; layers < 3; layers++) {
        struct bird_encoder *e;
        struct bird_config c;
        struct tiny t;

        config(&c, "7x12/3,3x12", &bird_head_linear_cls);
        c.n_layer = layers;
        tiny_init(&t, &c, 1);
        WORKS(bird_encoder_new(&e, &c, &t.w));
        WORKS(bird_encoder_forward(e, x, NULL, &t.b));
        WORKS(bird_encoder_forward_first(e, first, &t.b));
        for (int s = 0; s < TINY_SEQ; s++)
            for (int j = 0; j < D; j++)
                cr_assert_float_eq(first[s * D + j], x[t.offset[s] * D + j],
                                   1e-5);
        bird_encoder_free(e);
        tiny_free(&t);
    }
}

Test(stem, rows_and_tokens)
{
    static const int32_t ids[] = {20, 1, 2, 3, 4, 5, 6, 7, 21};
    static const int64_t token[] = {0, 1, 5, 8};
    struct bird_config c;

    config(&c, "5x10/2,3x12/2", &bird_head_mean_pooled);
    cr_assert_eq(bird_stem_pool(&c), 4);
    cr_assert_eq(bird_stem_rows(&c, ids, 9), 4);
    cr_assert_eq(bird_stem_rows(&c, ids, 8), 3);
    cr_assert_eq(bird_stem_rows(&c, ids + 1, 8), 3);
    cr_assert_eq(bird_stem_rows(&c, ids + 1, 7), 2);
    cr_assert_eq(bird_stem_rows(&c, ids, 1), 1);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(bird_stem_token(&c, ids, 9, i), token[i]);
    cr_assert_eq(bird_stem_tokens(&c, 4), 10);
    for (int i = 0; i < 9; i++)
        cr_assert_eq(bird_stem_row(&c, ids, 9, i), (i + 3) / 4 + (i == 8));
    cr_assert_eq(bird_stem_row(&c, ids, 1, 0), 0);
    cr_assert_eq(bird_stem_row(&c, ids + 1, 8, 7), 2);
    cr_assert_eq(bird_stem_full(&c, NULL), 10);
    /* ids 20, 1 and 2 in front of [CLS], 3: they are rows, and 4 to 7 one */
    cr_assert_eq(bird_pattern_parse(&c.pattern, "etc,block=1,global=3"), 0);
    c.cls_id = 3;
    cr_assert_eq(bird_stem_rows(&c, ids, 9), 6);
    cr_assert_eq(bird_stem_rows(&c, ids, 3), 1); /* no [CLS]: of the stem */
    for (int i = 0; i < 9; i++)
        cr_assert_eq(bird_stem_row(&c, ids, 9, i), i < 4 ? i : i < 8 ? 4 : 5);
    cr_assert_eq(bird_stem_token(&c, ids, 9, 3), 3);
    cr_assert_eq(bird_stem_token(&c, ids, 9, 5), 8);
    cr_assert_eq(bird_stem_tokens(&c, 7), 13);
    c.n_stem = 0;
    cr_assert_eq(bird_stem_full(&c, NULL), 0);
    cr_assert_eq(bird_stem_row(&c, ids, 9, 5), 5);
    cr_assert_eq(bird_stem_rows(&c, ids, 9), 9);
    cr_assert_eq(bird_stem_token(&c, ids, 9, 5), 5);
}

Test(stem, what_is_refused)
{
    static const char *const text[] = {"",
                                       "x",
                                       "5",
                                       "5x",
                                       "5x12/",
                                       "5x12,",
                                       "5x12,,3x12",
                                       "5x12;3x12",
                                       "5x12:nothing",
                                       "5x12 ",
                                       "1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x12"};
    static const char *const sizes[] = {"4x12",       "129x12",   "5x11",
                                        "5x12/65",    "5x12/0",   "5x12+",
                                        "5x10,3x12+", "5x0,3x12", "-1x12"};
    struct bird_config c;
    struct tiny t;
    int64_t x;

    tiny_config(&c, &bird_head_mean_pooled);
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        cr_assert_neq(bird_stem_parse(&c, text[i]), 0, "%s", text[i]);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        cr_assert_eq(bird_stem_parse(&c, sizes[i]), 0, "%s", sizes[i]);
        cr_assert_eq(bird_config_check(&c, "test"), BIRD_EINVAL, "%s",
                     sizes[i]);
    }
    WORKS(bird_stem_parse(&c, "none"));
    cr_assert_eq(c.n_stem, 0);
    config(&c, "5x12/2", &bird_head_mean_pooled);
    c.head = &bird_head_token; /* no row of its own for every token */
    cr_assert_eq(bird_config_check(&c, "test"), BIRD_EUNSUPPORTED);
    c.head = &bird_head_mean_pooled;
    tiny_init(&t, &c, 1);
    WORKS(bird_batch_check(&t.b, &c));
    t.b.mask = t.mask;
    cr_assert_eq(bird_batch_check(&t.b, &c), BIRD_EUNSUPPORTED);
    t.b.mask = NULL;
    x = t.offset[2]++;
    cr_assert_eq(bird_batch_check(&t.b, &c), BIRD_EINVAL);
    t.offset[2] = x;
    t.b.token = NULL;
    cr_assert_eq(bird_batch_check(&t.b, &c), BIRD_EINVAL);
    tiny_free(&t);
}

/* With words that are one-hot the table's gradient is that of the weights. */
static void one_hot(struct tiny *t)
{
    memset(t->theta, 0, D * D * sizeof(float));
    for (int i = 0; i < D; i++)
        t->theta[i * D + i] = 1;
}

static double sum_of(const struct tiny *t, const float *grad, int64_t channel)
{
    int64_t n = t->c.stem[0].kernel * D;
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (double)(grad + (t->g.stem[0].l.w - t->grad))[channel * n + i];
    return sum;
}

/* What is left of a filter's gradient sums to nothing, and what was taken away
 * is shared out by how often tokens occur. */
Test(stem, centred_gradients)
{
    struct bird_dropout_rates none = {.key = 5};
    struct bird_config c;
    struct tiny t;
    float *plain;
    int64_t count[D] = {0}, all = 0, kernel = 5;

    config(&c, "5x12/2,3x12", &bird_head_mean_pooled);
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    c.vocab_size = D;
    c.cls_id = c.sep_id = -1;
    tiny_init(&t, &c, 1);
    one_hot(&t);
    for (int i = 0; i < TINY_ROWS; i++, all++)
        count[t.ids[i]]++;
    tiny_pass(&t, &none, 0);
    WORKS(bird_array_new(&plain, t.total, 4));
    memcpy(plain, t.grad, (size_t)t.total * 4);
    memset(t.grad, 0, (size_t)t.total * 4);
    t.centre = 1;
    tiny_pass(&t, &none, 0);
    for (int64_t ch = 0; ch < D; ch++) {
        const float *g = t.g.stem[0].l.w + ch * kernel * D;
        const float *was = plain + (g - t.grad);
        double sum = sum_of(&t, plain, ch);

        cr_assert_gt(fabs(sum), 1e-3);
        cr_assert_lt(fabs(sum_of(&t, t.grad, ch)), 1e-5);
        for (int64_t i = 0; i < kernel * D; i++)
            cr_assert_float_eq(was[i] - g[i],
                               sum * (double)count[i % D] / (double)all /
                                   (double)kernel,
                               1e-5);
    }
    free(plain);
    tiny_free(&t);
}
