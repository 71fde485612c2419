/* Markov models of DNA: counts, probabilities, hidden strings. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "peers/markov.h"

/* Letters, more A than others, and some that are none. */
static char *bases_of(int64_t n, uint64_t seed, int64_t unknown_every)
{
    char *s = malloc((size_t)n + 1);
    struct bird_rng r;

    bird_rng_init(&r, seed, 0, 0);
    for (int64_t i = 0; i < n; i++) {
        s[i] = "AAAACGGTacgtU"[bird_rng_below(&r, 13)];
        if (unknown_every && !bird_rng_below(&r, (uint64_t)unknown_every))
            s[i] = 'N';
    }
    s[n] = '\0';
    return s;
}

static struct bird_markov_counter *counter_of(const char *s, int64_t n,
                                              int order, int64_t piece)
{
    struct bird_markov_counter *c;

    WORKS(bird_markov_counter_new(&c, order, n));
    for (int64_t i = 0; i < n; i += piece)
        bird_markov_counter_add(c, s + i, piece < n - i ? piece : n - i);
    bird_markov_counter_end(c);
    return c;
}

static struct bird_markov *model_of(const char *s, int64_t n, int order)
{
    struct bird_markov_counter *c = counter_of(s, n, order, n);
    struct bird_markov *m;

    WORKS(bird_markov_finish(&m, c));
    bird_markov_counter_free(c);
    return m;
}

static void free_tables(struct bird_markov *m)
{
    for (int k = 0; k <= BIRD_MARKOV_MAX; k++)
        free(m->table[k]);
}

static uint64_t number(const char *s, int n, int turned)
{
    uint64_t x = 0;

    for (int i = 0; i < n; i++) {
        int code = bird_markov_code(s[turned ? n - 1 - i : i]);

        x = x << 2 | (uint64_t)(turned ? 3 - code : code);
    }
    return x;
}

Test(markov, the_other_strand)
{
    cr_assert_eq(bird_reverse_word(number("AACG", 4, 0), 4),
                 number("CGTT", 4, 0));
    cr_assert_eq(bird_reverse_word(number("G", 1, 0), 1), 1);
    cr_assert_eq(bird_reverse_word(0, 0), 0);
    cr_assert_eq(bird_reverse_word(0, 32), UINT64_MAX);
    cr_assert_eq(
        bird_reverse_word(number("ACCCCCCCCCCCCCCCCCCCCCCT", 24, 0), 24),
        number("AGGGGGGGGGGGGGGGGGGGGGGT", 24, 0));
}

/* Every word of k + 1 letters of both strands, one after the other. */
static uint32_t *slow_counts(const char *s, int64_t n, int k)
{
    uint32_t *count = calloc((size_t)1 << 2 * (k + 1), sizeof(*count));

    for (int64_t i = 0; i + k < n; i++) {
        int good = 1;

        for (int j = 0; j <= k; j++)
            good &= bird_markov_code(s[i + j]) >= 0;
        if (!good)
            continue;
        count[number(s + i, k + 1, 0)]++;
        count[number(s + i, k + 1, 1)]++;
    }
    return count;
}

static void check_counts(int64_t n, int order, int64_t unknown, int64_t piece)
{
    char *s = bases_of(n, (uint64_t)(order + n), unknown);
    struct bird_markov_counter *c = counter_of(s, n, order, piece);
    struct bird_markov m;

    cr_assert_eq(bird_markov_take(&m, c).n, 0);
    for (int k = 0; k <= order; k++) {
        uint32_t *slow = slow_counts(s, n, k);

        int64_t n_wrong = 0;

        for (int64_t i = 0; i < INT64_C(1) << 2 * (k + 1); i++)
            n_wrong += m.table[k][i].count != slow[i];
        cr_assert_eq(n_wrong, 0, "order %d of %d: %lld words", k, order,
                     (long long)n_wrong);
        free(slow);
    }
    free_tables(&m);
    bird_markov_counter_free(c);
    free(s);
}

Test(markov, counts_equal_those_of_a_slow_count)
{
    check_counts(3000, 0, 50, 7);
    check_counts(3000, 1, 3, 64);
    check_counts(30000, 3, 9, 1000);
    check_counts(30000, 5, 200, 30000);
    check_counts(20000, 9, 15, 4096);
    check_counts(20000, 12, 0, 999);
    check_counts(5, 9, 0, 1);
    check_counts(0, 2, 0, 1);
}

Test(markov, counts_depend_neither_on_threads_nor_on_pieces)
{
    int64_t n = 300000;
    char *s = bases_of(n, 5, 900);
    struct bird_markov_counter *c[2];
    struct bird_markov m[2];
    struct bird_markov_held held[2];

    bird_threads_set(1);
    c[0] = counter_of(s, n, 8, n);
    held[0] = bird_markov_take(&m[0], c[0]);
    bird_threads_set(3);
    c[1] = counter_of(s, n, 8, 1237);
    held[1] = bird_markov_take(&m[1], c[1]);
    for (int k = 0; k <= 8; k++)
        cr_assert_arr_eq(m[0].table[k], m[1].table[k],
                         sizeof(union bird_markov_cell) << 2 * (k + 1));
    cr_assert_gt(held[0].n, 8000);
    cr_assert_eq(held[0].n, held[1].n);
    cr_assert_arr_eq(held[0].word, held[1].word,
                     sizeof(uint32_t) * (size_t)held[0].n);
    for (int i = 0; i < 2; i++) {
        free_tables(&m[i]);
        bird_markov_counter_free(c[i]);
    }
    free(s);
}

/* What is held out is missing from the counts, on both strands, and nothing
 * else is. */
Test(markov, held_out_words_are_not_counted)
{
    int64_t n = 70000;
    char *s = bases_of(n, 6, 0);
    struct bird_markov_counter *c = counter_of(s, n, 4, n);
    uint32_t *slow = slow_counts(s, n, 4);
    struct bird_markov m;
    struct bird_markov_held held = bird_markov_take(&m, c);

    cr_assert_eq(held.n, 2048);
    for (int64_t i = 0; i < held.n; i++) {
        /* the first of them ends at letter 31 * 1024 + 4 */
        int64_t at = i < 1024 ? 31 * 1024 + i : 63 * 1024 + i - 1024;

        cr_assert_eq(held.word[i], number(s + at, 5, 0));
        slow[held.word[i]]--;
        slow[bird_reverse_word(held.word[i], 5)]--;
    }
    for (int64_t i = 0; i < 1024; i++)
        cr_assert_eq(m.table[4][i].count, slow[i]);
    free_tables(&m);
    bird_markov_counter_free(c);
    free(slow);
    free(s);
}

Test(markov, counts_stop_at_their_limit)
{
    union bird_markov_cell c = {.count = UINT32_MAX - 1};

    bird_markov_count(&c, 1);
    cr_assert_eq(c.count, UINT32_MAX);
    bird_markov_count(&c, 7);
    cr_assert_eq(c.count, UINT32_MAX);
}

static double p_of(const struct bird_markov *m, const char *s)
{
    int n = (int)strlen(s);

    return exp2(bird_markov_log2p(m, n - 1, number(s, n, 0)));
}

/* AAAC and its complement GTTT: alpha is 4, for want of sequence. */
Test(markov, four_bases_by_hand)
{
    struct bird_markov *m = model_of("AAAC", 4, 1);

    cr_assert_eq(m->n_base, 4);
    cr_assert_eq(m->n_held, 0);
    /* counts A 3, C 1, G 1, T 3; p_0(A) = (3 + 4/4) / (8 + 4) */
    cr_assert_float_eq(p_of(m, "A"), 4.0 / 12, 1e-6);
    cr_assert_float_eq(p_of(m, "C"), 2.0 / 12, 1e-6);
    cr_assert_float_eq(p_of(m, "T"), 4.0 / 12, 1e-6);
    /* after A: A 2, C 1 of 3; p_1(A|A) = (2 + 4/3) / (3 + 4) */
    cr_assert_float_eq(p_of(m, "AA"), 10.0 / 21, 1e-6);
    cr_assert_float_eq(p_of(m, "AC"), 5.0 / 21, 1e-6);
    cr_assert_float_eq(p_of(m, "AG"), 2.0 / 21, 1e-6);
    cr_assert_float_eq(p_of(m, "AT"), 4.0 / 21, 1e-6);
    /* after C nothing was seen: p_1 = p_0 */
    cr_assert_float_eq(p_of(m, "CA"), 4.0 / 12, 1e-6);
    bird_markov_free(m);
}

/* A hidden C between A and A, by the same four bases. */
Test(markov, a_hidden_base_by_hand)
{
    struct bird_markov *m = model_of("AAAC", 4, 1);
    struct bird_pool pool = {0};
    struct bird_strings_workspace *room;
    struct bird_strings *tail;
    const uint8_t c = 1;
    struct bird_hidden h = {m, 1, 1, &c, {0, 3, 1, 1}};
    /* A?A: p(A|A) p(A|A), p(C|A) p(A|C), p(G|A) p(A|G), p(T|A) p(A|T) */
    double left = 5.0 / 21, right = 1.0 / 9, part[3];
    double way[4] = {100.0 / 441, 5.0 / 21 / 3, 2.0 / 21 * 4 / 15,
                     4.0 / 21 * 2 / 9};
    double joint = way[1] / (way[0] + way[1] + way[2] + way[3]);

    cr_assert_eq(bird_strings_all(&tail, 1), 0);
    room = bird_strings_workspaces(&pool, 4, 1);
    cr_assert_eq(pool.rc, 0);
    bird_hidden_parts(part, &h, tail, room);
    cr_assert_float_eq(exp2(part[BIRD_MARKOV_LEFT]), left, 1e-6);
    cr_assert_float_eq(exp2(part[BIRD_MARKOV_RIGHT]), right, 1e-6);
    cr_assert_float_eq(exp2(part[BIRD_MARKOV_JOINT]), joint, 1e-6);
    cr_assert_float_eq(exp2(bird_hidden_mix(&h, part)),
                       (left + right + joint) / 3, 1e-6);
    h.flanks.n_right = 0; /* then the left one is all there is */
    bird_hidden_parts(part, &h, tail, room);
    cr_assert_float_eq(exp2(bird_hidden_mix(&h, part)), left, 1e-6);
    h.flanks.n_right = 1;
    h.flanks.n_left = 0;
    bird_hidden_parts(part, &h, tail, room);
    cr_assert_float_eq(exp2(bird_hidden_mix(&h, part)), right, 1e-6);
    cr_assert_float_eq(exp2(part[BIRD_MARKOV_LEFT]), 2.0 / 12, 1e-6);
    h.flanks.n_right = 0;
    bird_hidden_parts(part, &h, tail, room);
    cr_assert_float_eq(exp2(bird_hidden_mix(&h, part)), 2.0 / 12, 1e-6);
    bird_strings_free(tail);
    bird_pool_free(&pool);
    bird_markov_free(m);
}

Test(markov, probabilities_of_all_strings_sum_to_one)
{
    int64_t n = 40000;
    char *s = bases_of(n, 9, 300);
    struct bird_markov *m = model_of(s, n, 7);
    struct bird_pool pool = {0};
    struct bird_strings_workspace *room;
    const struct bird_flanks flanks[] = {
        {0x1234, 0x3b1c, 7, 7}, {0x2d, 0x3b, 3, 7}, {0x1e4, 1, 7, 1},
        {0, 0, 0, 0},           {0x99, 0, 6, 0},    {0, 0x51, 0, 5}};

    cr_assert_gt(m->n_held, 0);
    for (int k = 0; k <= 7; k++) /* rows of the tables */
        for (uint64_t i = 0; i < UINT64_C(1) << 2 * k; i++) {
            double sum = 0;

            for (uint64_t b = 0; b < 4; b++)
                sum += exp2(bird_markov_log2p(m, k, 4 * i + b));
            cr_assert_float_eq(sum, 1, 1e-6);
        }
    room = bird_strings_workspaces(&pool, 256, 5);
    cr_assert_eq(pool.rc, 0);
    for (int length = 1; length <= 5; length++) {
        struct bird_strings *tail;

        cr_assert_eq(bird_strings_all(&tail, length < BIRD_MARKOV_TAIL
                                                 ? length
                                                 : BIRD_MARKOV_TAIL),
                     0);
        for (int k = 1; k <= 7; k += 2)
            for (size_t f = 0; f < sizeof(flanks) / sizeof(*flanks); f++) {
                double sum[4] = {0}, part[3];

                for (int i = 0; i < 1 << 2 * length; i++) {
                    uint8_t code[5];
                    struct bird_hidden h = {m, k, length, code, flanks[f]};

                    for (int j = 0; j < length; j++)
                        code[j] = i >> 2 * j & 3;
                    bird_hidden_parts(part, &h, tail, room);
                    for (int j = 0; j < 3; j++)
                        sum[j] += exp2(part[j]);
                    sum[3] += exp2(bird_hidden_mix(&h, part));
                }
                for (int j = 0; j < 4; j++)
                    cr_assert_float_eq(sum[j], 1, 4e-6,
                                       "length %d, order %d, flanks %zu, "
                                       "part %d: %.9g",
                                       length, k, f, j, sum[j]);
            }
        bird_strings_free(tail);
    }
    bird_pool_free(&pool);
    bird_markov_free(m);
    free(s);
}

/* The chain's probability of a string and what follows, letter by letter. */
static double slow_chain(const struct bird_markov *m, int k, const char *s,
                         int known, int from, int to)
{
    double p = 1;

    for (int i = from; i < to; i++) {
        int j = i - known < k ? i - known : k;

        p *= exp2(bird_markov_log2p(m, j, number(s + i - j, j + 1, 0)));
    }
    return p;
}

static void turn(char *out, const char *s, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = "TGCA"[bird_markov_code(s[n - 1 - i])];
    out[n] = '\0';
}

/* Words of 6 bases between flanks of 4 and 3, from the formulas. */
Test(markov, among_words_equals_the_formulas)
{
    static const char *const word[] = {"ACGTAC", "ACGTAG", "TTTTTT", "ACGAAA",
                                       "CATCAT"};
    enum { N = sizeof(word) / sizeof(*word), LENGTH = 6 };
    const char *left = "GATA", *right = "CCA";
    char *s = bases_of(40000, 12, 0);
    struct bird_markov *m = model_of(s, 40000, 5);
    struct bird_pool pool = {0};
    struct bird_strings_workspace *room;
    struct bird_strings *list;
    uint8_t code[N][LENGTH];

    for (int i = 0; i < N; i++)
        for (int j = 0; j < LENGTH; j++)
            code[i][j] = (uint8_t)bird_markov_code(word[i][j]);
    WORKS(bird_strings_new(&list, code[0], N, LENGTH));
    room = bird_strings_workspaces(&pool, N, LENGTH);
    cr_assert_eq(pool.rc, 0);
    for (int k = 1; k <= 5; k++) {
        double p[3][N], sum[3] = {0}, both[N], most[2] = {0};
        const double *w = m->weight[k][BIRD_MARKOV_TAIL - 1];

        for (int i = 0; i < N; i++) {
            char text[64], turned[64];

            snprintf(text, sizeof(text), "%s%s%s", left, word[i], right);
            turn(turned, text, 13);
            p[0][i] = slow_chain(m, k, text, 0, 4, 10);
            p[1][i] = slow_chain(m, k, turned, 0, 3, 9);
            p[2][i] = slow_chain(m, k, text, 0, 4, 10 + (k < 3 ? k : 3));
            for (int j = 0; j < 3; j++)
                sum[j] += p[j][i];
        }
        for (int i = 0; i < N; i++) {
            both[i] = 0;
            for (int j = 0; j < 3; j++)
                both[i] += w[j] * p[j][i] / sum[j];
            most[0] = fmax(most[0], p[0][i]);
            most[1] = fmax(most[1], both[i]);
        }
        for (int i = 0; i < N; i++) {
            struct bird_hidden h = {
                m,
                k,
                LENGTH,
                code[i],
                {number(left, 4, 0), number(right, 3, 1), 4, 3}};
            struct bird_hidden_answer a, b;

            bird_hidden_among(&a, &b, &h, list, i, room);
            cr_assert_float_eq(a.log2p, log2(p[0][i] / sum[0]), 1e-9);
            cr_assert_float_eq(b.log2p, log2(both[i]), 1e-9);
            cr_assert_eq(a.best, p[0][i] == most[0]);
            cr_assert_eq(b.best, both[i] == most[1]);
        }
    }
    bird_strings_free(list);
    bird_pool_free(&pool);
    bird_markov_free(m);
    free(s);
}

/* A source of order 2 is learned: alpha falls where the order tells, the
 * figure comes near the source's own, higher orders do not hurt. */
Test(markov, a_source_is_learned)
{
    enum { TRAIN = 400000, TEST = 50000 };
    char *s = malloc(TRAIN + TEST);
    struct bird_markov *m;
    struct bird_rng r;
    double own = 0, bits[7] = {0};
    uint64_t x = 0;

    bird_rng_init(&r, 3, 0, 0);
    for (int i = 0; i < TRAIN + TEST; i++) {
        uint64_t h = bird_mix(77, x & 15); /* the pair before picks a base */
        int code = (int)(h & 3);

        if (bird_rng_uniform(&r) > 0.6)
            code = (int)bird_rng_below(&r, 4);
        if (i >= TRAIN)
            own -= log2(code == (int)(h & 3) ? 0.7 : 0.1);
        x = x << 2 | (uint64_t)code;
        s[i] = "ACGT"[code];
    }
    m = model_of(s, TRAIN, 6);
    for (int i = TRAIN; i < TRAIN + TEST; i++)
        for (int k = 0; k <= 6; k++)
            bits[k] -= bird_markov_log2p(m, k, number(s + i - k, k + 1, 0));
    /* both strands are learned from, but the source has one alone: the best
     * a model of both can do is a little worse */
    cr_assert_lt(bits[2], bits[1] - 0.1 * TEST);
    cr_assert_gt(bits[6], own);
    cr_assert_lt(bits[6], bits[2] * 1.001);
    for (int k = 0; k <= 6; k++)
        for (int j = 0; j < BIRD_MARKOV_TAIL; j++) {
            const double *w = m->weight[k][j];

            cr_assert_float_eq(w[0] + w[1] + w[2], 1, 1e-9);
        }
    bird_markov_free(m);
    free(s);
}

Test(markov, an_order_that_is_none_is_refused)
{
    struct bird_markov_counter *c = NULL;

    cr_assert_eq(bird_markov_counter_new(&c, 13, 10), BIRD_EINVAL);
    cr_assert_eq(bird_markov_counter_new(&c, -1, 10), BIRD_EINVAL);
    cr_assert_null(c);
}
