/* session/score and session/seen: equal tokens get equal bits and are computed
 * once, for any number of threads; what is remembered is bounded. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "dnabird/dnabird.h"
#include "session/score.h"
#include "tiny.h"

enum { LEN = 150, MOST = 40000 };

static bird_tokenizer *t;
static struct tiny model;
static float *got; /* (MOST, TINY_LABELS) */
static int64_t n_got, n_added, longest_wait, repeated, pad_to;

static void setup(void)
{
    struct bird_config c;
    char path[512];

    snprintf(path, sizeof(path), "%s/golden/t_bpe_tiny/tokenizer.json",
             getenv("BIRD_TEST_DATA"));
    cr_assert_eq(bird_tokenizer_open(&t, path), 0, "%s", bird_last_error());
    tiny_config(&c, &bird_head_sequence);
    c.vocab_size = bird_tokenizer_count(t);
    c.hidden_size = 32;
    c.intermediate_size = 64;
    c.max_positions = 256;
    c.n_layer = 1;
    tiny_init(&model, &c, 5);
    got = calloc(MOST * TINY_LABELS, sizeof(*got));
    cr_assert(got);
}

static void teardown(void)
{
    bird_tokenizer_free(t);
    tiny_free(&model);
    free(got);
}
TestSuite(score, .init = setup, .fini = teardown);

/* The sequence of this name: LEN letters. */
static void letters(char *out, uint64_t name)
{
    struct bird_rng r;

    bird_rng_init(&r, 1, 2, name);
    for (int i = 0; i < LEN; i++)
        out[i] = "ACGT"[bird_rng_below(&r, 4)];
}

static int take(void *context, int64_t index, const float *p)
{
    (void)context;
    cr_assert_eq(index, n_got);
    memcpy(got + n_got++ * TINY_LABELS, p, TINY_LABELS * sizeof(*p));
    if (n_added - n_got > longest_wait)
        longest_wait = n_added - n_got;
    return 0;
}

static void score(const uint64_t *names, int64_t n, int threads)
{
    struct bird_scorer *s = NULL;
    char text[LEN];

    bird_threads_set(threads);
    n_got = n_added = longest_wait = 0;
    memset(got, 0, MOST * TINY_LABELS * sizeof(*got));
    cr_assert_eq(bird_scorer_new(&s, &model.c, &model.w, t, take, NULL), 0);
    cr_assert_eq(bird_scorer_columns(s), TINY_LABELS);
    bird_scorer_pad(s, pad_to);
    for (int64_t i = 0; i < n; i++) {
        letters(text, names[i]);
        n_added++;
        cr_assert_eq(bird_scorer_add(s, text, LEN), 0, "%s", bird_last_error());
        if (i == 1000) /* in the middle, as a long stretch of N does */
            cr_assert_eq(bird_scorer_flush(s), 0);
    }
    cr_assert_eq(bird_scorer_flush(s), 0);
    cr_assert_eq(n_got, n);
    repeated = bird_scorer_repeated(s);
    bird_scorer_free(s);
}

Test(score, equal_tokens_get_equal_bits_with_any_threads)
{
    enum { N = 1500, DIFFERENT = 300 };
    static uint64_t names[N];
    static float one[N * TINY_LABELS];
    struct bird_rng r;

    bird_rng_init(&r, 3, 0, 0);
    for (int i = 0; i < N; i++)
        names[i] = i < DIFFERENT ? (uint64_t)i : bird_rng_below(&r, DIFFERENT);
    score(names, N, 1);
    cr_assert_eq(repeated, N - DIFFERENT);
    memcpy(one, got, sizeof(one));
    for (int i = 0; i < N; i++) {
        float sum = 0;

        for (int k = 0; k < TINY_LABELS; k++)
            sum += one[i * TINY_LABELS + k];
        cr_assert_float_eq(sum, 1.0, 1e-5);
        cr_assert_arr_eq(one + i * TINY_LABELS, one + names[i] * TINY_LABELS,
                         TINY_LABELS * sizeof(*one));
    }
    for (int threads = 2; threads < 6; threads++) {
        score(names, N, threads);
        cr_assert_arr_eq(got, one, sizeof(one));
        cr_assert_eq(repeated, N - DIFFERENT);
    }
}

/* The sequence of this name as a script runs it: a padded row and its mask. */
static void padded(float *p, uint64_t name, int64_t len)
{
    struct bird_encoder *e = NULL;
    bird_encoding ids = {0};
    int64_t offset[] = {0, len}, one[] = {0, 1}, d = model.c.hidden_size;
    int32_t *row = calloc((size_t)len, sizeof(*row));
    uint8_t *mask = calloc((size_t)len, 1);
    float *y = calloc((size_t)(len * d), sizeof(*y));
    struct bird_batch b = {
        .n_seq = 1, .offset = offset, .ids = row, .mask = mask};
    struct bird_batch first = {.n_seq = 1, .offset = one};
    char text[LEN];

    cr_assert(row && mask && y);
    letters(text, name);
    cr_assert_eq(bird_tokenizer_encode(t, &ids, text, LEN, 1), 0);
    cr_assert_lt(ids.n, len);
    for (int64_t i = 0; i < len; i++) {
        mask[i] = i < ids.n;
        row[i] = mask[i] ? ids.ids[i] : (int32_t)model.c.pad_id;
    }
    cr_assert_eq(bird_encoder_new(&e, &model.c, &model.w), 0);
    cr_assert_eq(bird_encoder_forward(e, y, NULL, &b), 0);
    cr_assert_eq(bird_head_forward(p, NULL, &model.c, &model.w, y, &first), 0);
    bird_kernels()->softmax_forward(p, NULL, TINY_LABELS);
    bird_encoder_free(e);
    bird_encoding_free(&ids);
    free(row);
    free(mask);
    free(y);
}

Test(score, padding_gives_what_a_padded_batch_gives)
{
    enum { N = 40, PAD = 200 };
    static float own[N * TINY_LABELS];
    struct bird_config c = model.c;
    uint64_t names[N];
    int differ = 0;

    c.n_layer = 2; /* token 0 of the first layer sees everything anyway */
    tiny_free(&model);
    tiny_init(&model, &c, 5);
    for (int i = 0; i < N; i++)
        names[i] = (uint64_t)(i % 30);
    pad_to = 0;
    score(names, N, 1);
    memcpy(own, got, sizeof(own));
    pad_to = PAD;
    score(names, N, 2);
    cr_assert_eq(repeated, 10);
    for (int i = 0; i < N; i++) {
        float want[TINY_LABELS];

        padded(want, names[i], PAD);
        for (int k = 0; k < TINY_LABELS; k++) {
            float p = got[i * TINY_LABELS + k];

            cr_assert_float_eq(p, want[k], 1e-5);
            differ += fabsf(p - own[i * TINY_LABELS + k]) > 1e-3f;
        }
    }
    cr_assert_gt(differ, N);
}

Test(score, what_comes_again_changes_nothing_else)
{
    enum { N = 700 };
    static uint64_t names[2 * N];
    static float alone[N * TINY_LABELS];

    for (int i = 0; i < N; i++)
        names[i] = (uint64_t)i;
    score(names, N, 2);
    memcpy(alone, got, sizeof(alone));
    for (int i = 0; i < N; i++)
        names[2 * i] = (uint64_t)i, names[2 * i + 1] = (uint64_t)i / 2;
    /* the flush at 1000 comes elsewhere: look at what lies before it */
    score(names, 2 * N, 3);
    for (int i = 0; i < 200; i++)
        cr_assert_arr_eq(got + 2 * i * TINY_LABELS, alone + i * TINY_LABELS,
                         TINY_LABELS * sizeof(*alone));
}

/* One sequence over and over, seldom another: an endless repeat must not
 * wait for a pack to fill, and the packs must still not know the threads. */
Test(score, few_wait)
{
    static uint64_t names[MOST];
    float *one = calloc(MOST * TINY_LABELS, sizeof(*one));

    cr_assert(one);
    for (int i = 0; i < MOST; i++)
        names[i] = i % 3000 == 2999 ? (uint64_t)i : 7;
    for (int threads = 1; threads < 4; threads++) {
        score(names, MOST, threads);
        cr_assert_leq(longest_wait, threads * 8192);
        cr_assert_eq(repeated, MOST - MOST / 3000 - 1);
        if (threads == 1)
            memcpy(one, got, MOST * TINY_LABELS * sizeof(*one));
        cr_assert_arr_eq(got, one, MOST * TINY_LABELS * sizeof(*one));
    }
    free(one);
}

Test(seen, length_and_order_count)
{
    static const int32_t ids[] = {0, 0, 1, 0};
    struct bird_seen *s = NULL;
    int64_t slot, first, row = 0;
    const float answer = 0.25f;

    cr_assert_eq(bird_seen_new(&s, 1), 0);
    cr_assert_eq(bird_seen_capacity(s), BIRD_SEEN_ROWS);
    cr_assert_eq(bird_seen_meet(s, ids, 2, 0, &first), 0); /* 0 0 */
    for (int n = 0; n < 4; n++) { /* "", 0, 0 0 again, 0 0 1 */
        row += n != 2;
        cr_assert_eq(bird_seen_meet(s, ids, n, row, &slot), n == 2 ? 0 : row);
    }
    cr_assert_eq(bird_seen_meet(s, ids + 1, 2, 4, &slot), 4); /* 0 1 */
    cr_assert_eq(bird_seen_meet(s, ids + 2, 2, 5, &slot), 5); /* 1 0 */
    bird_seen_put(s, first, 0, &answer);
    bird_seen_put(s, first, 4, &(float){7}); /* stands elsewhere: not kept */
    cr_assert_eq(bird_seen_meet(s, ids, 2, 6, &slot), 0);
    cr_assert_eq(slot, first);
    cr_assert_eq(*bird_seen_answer(s, slot), answer);
    bird_seen_free(s);
}

Test(seen, forgets_what_was_met_longest_ago)
{
    struct bird_seen *s = NULL;
    int32_t often = -1;
    int64_t columns = 5000, n, slot, again = 0;

    cr_assert_eq(bird_seen_new(&s, columns), 0);
    n = bird_seen_capacity(s);
    cr_assert_leq(n * columns * (int64_t)sizeof(float), BIRD_SEEN_BYTES);
    cr_assert_geq(n, 1024);
    cr_assert_eq(bird_seen_meet(s, &often, 1, 0, &slot), 0);
    for (int32_t i = 1; i < 4 * n; i++) {
        cr_assert_eq(bird_seen_meet(s, &i, 1, i, &slot), i);
        cr_assert_eq(bird_seen_meet(s, &often, 1, i, &slot), 0);
    }
    for (int32_t i = 1; i < 4 * n; i++)
        again += bird_seen_meet(s, &i, 1, 4 * n + i, &slot) == i;
    cr_assert_lt(again, n);
    bird_seen_free(s);
}
