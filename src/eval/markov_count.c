/* Counting words of both strands. SPDX-License-Identifier: MIT
 *
 * A word is a base with its context of `order` bases. Words of one strand are
 * gathered, sorted by their first letters and counted, one task for each
 * beginning: no two threads touch a count, and each works in a part of the
 * table that fits a cache. The other strand has a word's complement wherever
 * this one has the word, so it is added at the end, from the table itself; and
 * a lower order's counts are sums of the next one's. Only where a stretch
 * begins are contexts shorter: these words are counted in their order's table
 * at once, on both strands. */
#include "eval/markov_count.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"

enum {
    ROOM = 1 << 22,    /* words gathered before they are counted */
    PART = 1 << 16,    /* of them a task */
    N_BUCKET = 256,    /* beginnings of words */
    BLOCK = 1024,      /* words kept apart, or not, together */
    EVERY = 32,        /* at most one block of so many */
    MAX_HELD = 1 << 19 /* words kept apart, about */
};

struct bird_markov_sorting {
    struct bird_markov_counter *c;
    int shift;                         /* from a word to its bucket */
    int32_t at[ROOM / PART][N_BUCKET]; /* a part's next place in a bucket */
    int32_t begin[N_BUCKET + 1];       /* of the buckets in `sorted` */
};

int bird_letter_code(char letter)
{
    switch (letter) {
    case 'A':
    case 'a':
        return 0;
    case 'C':
    case 'c':
        return 1;
    case 'G':
    case 'g':
        return 2;
    case 'T':
    case 't':
    case 'U':
    case 'u':
        return 3;
    default:
        return 4;
    }
}

uint64_t bird_letters_turn(uint64_t letters, int n)
{
    uint64_t x = ~letters;

    if (!n)
        return 0;
    x = (x >> 2 & 0x3333333333333333U) | (x & 0x3333333333333333U) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fU) | (x & 0x0f0f0f0f0f0f0f0fU) << 4;
    return __builtin_bswap64(x) >> (64 - 2 * n);
}

int bird_markov_counter_new(struct bird_markov_counter **out, int order,
                            int64_t n_base)
{
    struct bird_markov_counter *c;
    int rc = 0;

    if (order < 0 || order > BIRD_MARKOV_MAX)
        return bird_fail(BIRD_EINVAL,
                         "a Markov model has order 0 to %d, not "
                         "%d",
                         BIRD_MARKOV_MAX, order);
    c = calloc(1, sizeof(*c));
    if (!c)
        return bird_fail_memory(sizeof(*c));
    c->order = order;
    c->room = n_base > 0 && n_base < ROOM ? n_base : ROOM;
    c->every = n_base / MAX_HELD > EVERY ? n_base / MAX_HELD : EVERY;
    for (int k = 0; !rc && k <= order; k++)
        rc = bird_array_new(&c->table[k], INT64_C(1) << 2 * (k + 1),
                            sizeof(*c->table[k]));
    c->cap_held = (n_base / BLOCK / c->every + 2) * BLOCK;
    if (!rc)
        rc = bird_array_new(&c->word, c->room, sizeof(*c->word));
    if (!rc)
        rc = bird_array_new(&c->sorted, c->room, sizeof(*c->sorted));
    if (!rc)
        rc = bird_array_new(&c->held, c->cap_held, sizeof(*c->held));
    if (!rc)
        rc = bird_array_new(&c->sorting, 1, sizeof(*c->sorting));
    if (!rc) {
        c->sorting->c = c;
        c->sorting->shift = order > 3 ? 2 * (order + 1) - 8 : 0;
    }
    if (rc)
        bird_markov_counter_free(c);
    else
        *out = c;
    return rc;
}

void bird_markov_counter_free(struct bird_markov_counter *c)
{
    if (!c)
        return;
    for (int k = 0; k <= BIRD_MARKOV_MAX; k++)
        free(c->table[k]);
    free(c->word);
    free(c->sorted);
    free(c->held);
    free(c->sorting);
    free(c);
}

/* ---- counting what was gathered ------------------------------------------ */

static int64_t part_end(const struct bird_markov_sorting *s, int64_t part)
{
    int64_t end = (part + 1) * PART;

    return end < s->c->n ? end : s->c->n;
}

static void measure(void *context, int64_t part, int worker)
{
    struct bird_markov_sorting *s = context;

    (void)worker;
    memset(s->at[part], 0, sizeof(s->at[part]));
    for (int64_t i = part * PART; i < part_end(s, part); i++)
        s->at[part][s->c->word[i] >> s->shift]++;
}

static void sort(void *context, int64_t part, int worker)
{
    struct bird_markov_sorting *s = context;

    (void)worker;
    for (int64_t i = part * PART; i < part_end(s, part); i++) {
        uint32_t word = s->c->word[i];

        s->c->sorted[s->at[part][word >> s->shift]++] = word;
    }
}

static void count(void *context, int64_t bucket, int worker)
{
    struct bird_markov_sorting *s = context;
    union bird_markov_cell *table = s->c->table[s->c->order];

    (void)worker;
    for (int64_t i = s->begin[bucket]; i < s->begin[bucket + 1]; i++)
        bird_markov_count(table + s->c->sorted[i], 1);
}

static void count_words(struct bird_markov_counter *c)
{
    int64_t n_part = (c->n + PART - 1) / PART;
    struct bird_markov_sorting *s = c->sorting;
    int32_t at = 0;

    bird_parallel(n_part, measure, s);
    for (int b = 0; b < N_BUCKET; b++) {
        s->begin[b] = at;
        for (int64_t i = 0; i < n_part; i++) {
            int32_t n = s->at[i][b];

            s->at[i][b] = at;
            at += n;
        }
    }
    s->begin[N_BUCKET] = at;
    bird_parallel(n_part, sort, s);
    bird_parallel(N_BUCKET, count, s);
    c->n = 0;
}

/* ---- gathering ----------------------------------------------------------- */

/* A whole word: to be counted, or kept apart. */
static void put_word(struct bird_markov_counter *c, uint32_t word)
{
    int64_t block = c->n_word++ / BLOCK;

    if (block % c->every == c->every - 1 && c->n_held < c->cap_held) {
        c->held[c->n_held++] = word;
        return;
    }
    c->word[c->n++] = word;
    if (c->n == c->room)
        count_words(c);
}

void bird_markov_counter_add(struct bird_markov_counter *c, const char *letters,
                             int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int code = bird_letter_code(letters[i]);

        if (code > 3) {
            bird_markov_counter_end(c);
            continue;
        }
        c->n_base++;
        c->letters = c->letters << 2 | (uint64_t)code;
        if (c->run < c->order) { /* the stretch begins */
            int k = (int)c->run++;

            bird_markov_count(
                &c->table[k][bird_letters_last(c->letters, k + 1)], 1);
        } else {
            c->run += c->run == c->order;
            put_word(c, (uint32_t)bird_letters_last(c->letters, c->order + 1));
        }
    }
}

/* The other strand's stretch begins where this one's ends. */
void bird_markov_counter_end(struct bird_markov_counter *c)
{
    for (int k = 0; k < c->order && k < c->run; k++) {
        uint64_t turned =
            bird_letters_turn(bird_letters_last(c->letters, k + 1), k + 1);

        bird_markov_count(&c->table[k][turned], 1);
    }
    c->run = 0;
}

/* ---- both strands, all orders -------------------------------------------- */

struct folding {
    struct bird_markov *m;
    int k;
};

static const int64_t RANGE = INT64_C(1) << 16; /* words a task */

static int64_t range_count(int k)
{
    int64_t n = INT64_C(1) << 2 * (k + 1);

    return (n + RANGE - 1) / RANGE;
}

static uint64_t range_end(int k, int64_t task)
{
    uint64_t n = UINT64_C(1) << 2 * (k + 1);
    uint64_t end = (uint64_t)((task + 1) * RANGE);

    return end < n ? end : n;
}

/* A word and its complement get the counts of both: the smaller one sees to
 * it, so no other task touches either. */
static void join_strands(void *context, int64_t task, int worker)
{
    struct folding *f = context;
    union bird_markov_cell *t = f->m->table[f->k];

    (void)worker;
    for (uint64_t w = (uint64_t)(task * RANGE); w < range_end(f->k, task);
         w++) {
        uint64_t turned = bird_letters_turn(w, f->k + 1);
        uint32_t n = t[w].count;

        if (w > turned)
            continue;
        bird_markov_count(&t[w], t[turned].count);
        if (w < turned)
            bird_markov_count(&t[turned], n);
    }
}

/* A word was seen as often as with any letter before it, and where a stretch
 * begins with it. */
static void fold(void *context, int64_t task, int worker)
{
    struct folding *f = context;
    int k = f->k;

    (void)worker;
    for (uint64_t w = (uint64_t)(task * RANGE); w < range_end(k, task); w++)
        for (uint64_t before = 0; before < 4; before++)
            bird_markov_count(
                &f->m->table[k][w],
                f->m->table[k + 1][before << 2 * (k + 1) | w].count);
}

void bird_markov_counter_take(struct bird_markov *m,
                              struct bird_markov_counter *c)
{
    struct folding f = {.m = m, .k = c->order};

    bird_markov_counter_end(c);
    count_words(c);
    *m = (struct bird_markov){.order = c->order, .n_base = c->n_base};
    for (int k = 0; k <= c->order; k++) {
        m->table[k] = c->table[k];
        c->table[k] = NULL;
    }
    bird_parallel(range_count(f.k), join_strands, &f);
    while (f.k-- > 0)
        bird_parallel(range_count(f.k), fold, &f);
}
