/* Markov models of DNA: counts of both strands, probabilities, weights.
 *
 * A word is a base with its context of `order` bases. Words of one strand are
 * collected, sorted by their first bases and counted, with one task for each
 * bucket: no two threads write to one count, and each works in a part of the
 * table that fits into a cache. The other strand has the reverse complement of
 * every word of this strand, so its counts are added at the end from the table
 * itself. Counts of a lower order are sums of those of the next order. Contexts
 * are shorter only where a run of bases begins: these words are counted
 * directly in the table of their order, on both strands.
 *
 * The weights of the parts of a mixture are fitted on hidden strings of
 * held-out sequence, by expectation maximisation (Dempster, Laird and Rubin
 * 1977, J. R. Stat. Soc. B 39:1): with p_i of part i
 *
 *     w_i <- mean over strings of  w_i p_i / sum_j w_j p_j.
 * SPDX-License-Identifier: MIT */
#include "peers/markov.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/references.h"

enum {
    COLLECTED = 1 << 22, /* words collected before they are counted */
    PART = 1 << 16,      /* words of a task */
    N_BUCKET = 256,      /* buckets, by the first bases of a word */
    BLOCK = 1024,        /* words of a block; blocks are held out as a whole */
    EVERY = 32,          /* at most one of this many blocks is held out */
    MAX_HELD = 1 << 19   /* held-out words, about */
};

struct bird_markov_counter {
    union bird_markov_cell *table[BIRD_MARKOV_MAX + 1];
    int order;
    int64_t n, capacity;     /* words collected */
    uint32_t *word, *sorted; /* (capacity) words of order + 1 bases to count */
    struct bird_markov_held held;
    int64_t cap_held;
    int64_t every; /* the last one of this many blocks is held out */
    int64_t n_word, n_base;
    uint64_t bases; /* the last bases of the run */
    int64_t run;    /* length of the run so far */
    /* for sorting the collected words */
    int shift;                              /* from a word to its bucket */
    int32_t at[COLLECTED / PART][N_BUCKET]; /* next index of a part in a
                                               bucket */
    int32_t begin[N_BUCKET + 1]; /* start of each bucket in `sorted` */
};

uint64_t bird_reverse_word(uint64_t word, int n)
{
    uint64_t x = ~word;

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
    c->shift = order > 3 ? 2 * (order + 1) - 8 : 0;
    c->capacity = n_base > 0 && n_base < COLLECTED ? n_base : COLLECTED;
    c->every = n_base / MAX_HELD > EVERY ? n_base / MAX_HELD : EVERY;
    for (int k = 0; !rc && k <= order; k++)
        rc = bird_array_new(&c->table[k], INT64_C(1) << 2 * (k + 1),
                            sizeof(*c->table[k]));
    c->cap_held = (n_base / BLOCK / c->every + 2) * BLOCK;
    if (!rc)
        rc = bird_array_new(&c->word, c->capacity, sizeof(*c->word));
    if (!rc)
        rc = bird_array_new(&c->sorted, c->capacity, sizeof(*c->sorted));
    if (!rc)
        rc = bird_array_new(&c->held.word, c->cap_held, sizeof(*c->held.word));
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
    free(c->held.word);
    free(c);
}

/* ---- counting what was gathered ------------------------------------------ */

static int64_t part_end(const struct bird_markov_counter *c, int64_t part)
{
    int64_t end = (part + 1) * PART;

    return end < c->n ? end : c->n;
}

static void measure_part(void *context, int64_t part, int worker)
{
    struct bird_markov_counter *c = context;

    (void)worker;
    memset(c->at[part], 0, sizeof(c->at[part]));
    for (int64_t i = part * PART; i < part_end(c, part); i++)
        c->at[part][c->word[i] >> c->shift]++;
}

static void sort_part(void *context, int64_t part, int worker)
{
    struct bird_markov_counter *c = context;

    (void)worker;
    for (int64_t i = part * PART; i < part_end(c, part); i++) {
        uint32_t word = c->word[i];

        c->sorted[c->at[part][word >> c->shift]++] = word;
    }
}

static void count_bucket(void *context, int64_t bucket, int worker)
{
    struct bird_markov_counter *c = context;
    union bird_markov_cell *table = c->table[c->order];

    (void)worker;
    for (int64_t i = c->begin[bucket]; i < c->begin[bucket + 1]; i++)
        bird_markov_count(table + c->sorted[i], 1);
}

static void count_words(struct bird_markov_counter *c)
{
    int64_t n_part = (c->n + PART - 1) / PART;
    int32_t at = 0;

    bird_parallel(n_part, measure_part, c);
    for (int b = 0; b < N_BUCKET; b++) {
        c->begin[b] = at;
        for (int64_t i = 0; i < n_part; i++) {
            int32_t n = c->at[i][b];

            c->at[i][b] = at;
            at += n;
        }
    }
    c->begin[N_BUCKET] = at;
    bird_parallel(n_part, sort_part, c);
    bird_parallel(N_BUCKET, count_bucket, c);
    c->n = 0;
}

/* ---- gathering ----------------------------------------------------------- */

/* Collect a word to be counted, or hold it out. */
static void put_word(struct bird_markov_counter *c, uint32_t word)
{
    int64_t block = c->n_word++ / BLOCK;

    if (block % c->every == c->every - 1 && c->held.n < c->cap_held) {
        c->held.word[c->held.n++] = word;
        return;
    }
    c->word[c->n++] = word;
    if (c->n == c->capacity)
        count_words(c);
}

void bird_markov_counter_add(struct bird_markov_counter *c, const char *bases,
                             int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int code = bird_markov_code(bases[i]);

        if (code < 0) {
            bird_markov_counter_end(c);
            continue;
        }
        c->n_base++;
        c->bases = c->bases << 2 | (uint64_t)code;
        if (c->run < c->order) { /* the run begins */
            int k = (int)c->run++;

            bird_markov_count(&c->table[k][bird_last_bases(c->bases, k + 1)],
                              1);
        } else {
            c->run += c->run == c->order;
            put_word(c, (uint32_t)bird_last_bases(c->bases, c->order + 1));
        }
    }
}

/* The run of the other strand begins at the end of this run. */
void bird_markov_counter_end(struct bird_markov_counter *c)
{
    for (int k = 0; k < c->order && k < c->run; k++) {
        uint64_t complement =
            bird_reverse_word(bird_last_bases(c->bases, k + 1), k + 1);

        bird_markov_count(&c->table[k][complement], 1);
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

/* A word and its reverse complement get the sum of both counts. The task of
 * the smaller word does it, so no other task writes to either. */
static void join_strands(void *context, int64_t task, int worker)
{
    struct folding *f = context;
    union bird_markov_cell *t = f->m->table[f->k];

    (void)worker;
    for (uint64_t w = (uint64_t)(task * RANGE); w < range_end(f->k, task);
         w++) {
        uint64_t complement = bird_reverse_word(w, f->k + 1);
        uint32_t n = t[w].count;

        if (w > complement)
            continue;
        bird_markov_count(&t[w], t[complement].count);
        if (w < complement)
            bird_markov_count(&t[complement], n);
    }
}

/* The count of a word is the sum over the bases before it, plus the runs
 * that begin with it. */
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

struct bird_markov_held bird_markov_take(struct bird_markov *m,
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
    return c->held;
}

enum {
    MIN_HELD = 256,      /* with fewer held-out words the defaults are used */
    MAX_TRIED = 1 << 17, /* held-out words in use, at most */
    N_ALPHA = 27         /* 2^-3, 2^-2.5 .. 2^10 */
};

void bird_markov_free(struct bird_markov *m)
{
    if (!m)
        return;
    for (int k = 0; k <= BIRD_MARKOV_MAX; k++)
        free(m->table[k]);
    free(m);
}

/* Counts of a word, and of its context followed by any base. */
struct seen {
    double word, context;
};

static struct seen look_up(const struct bird_markov *m, int k, uint64_t word)
{
    uint64_t i = bird_last_bases(word, k + 1);
    const union bird_markov_cell *row = m->table[k] + (i & ~UINT64_C(3));
    struct seen s = {(double)m->table[k][i].count, 0};

    for (int b = 0; b < 4; b++)
        s.context += (double)row[b].count;
    return s;
}

/* ---- alpha --------------------------------------------------------------- */

/* The alpha of one order with the largest likelihood of the words, given
 * their probabilities by the lower order. */
static double choose(const struct seen *seen, const double *lower, int64_t n)
{
    double best = 0, best_bits = (double)INFINITY;

    for (int j = 0; j < N_ALPHA; j++) {
        double alpha = exp2(-3 + 0.5 * j), bits = 0;

        for (int64_t i = 0; i < n; i++)
            bits -= log2((seen[i].word + alpha * lower[i]) /
                         (seen[i].context + alpha));
        if (bits < best_bits) {
            best_bits = bits;
            best = alpha;
        }
    }
    return best;
}

/* Choose alpha for every order, from the lowest. p (n) is a workspace. */
static void choose_all(struct bird_markov *m,
                       const struct bird_markov_held *held, struct seen *seen,
                       double *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        p[i] = 0.25;
    for (int k = 0; k <= m->order; k++) {
        for (int64_t i = 0; i < n; i++)
            seen[i] = look_up(m, k, held->word[i * held->n / n]);
        m->alpha[k] = choose(seen, p, n);
        for (int64_t i = 0; i < n; i++)
            p[i] = (seen[i].word + m->alpha[k] * p[i]) /
                   (seen[i].context + m->alpha[k]);
    }
}

static int choose_alpha(struct bird_markov *m,
                        const struct bird_markov_held *held)
{
    int64_t n = held->n < MAX_TRIED ? held->n : MAX_TRIED;
    struct bird_pool pool = {0};
    struct seen *seen;
    double *p;
    int rc;

    for (int k = 0; k <= m->order; k++)
        m->alpha[k] = 4;
    if (n < MIN_HELD)
        return 0;
    m->n_held = held->n;
    seen = bird_pool_array(&pool, n, sizeof(*seen));
    p = bird_pool_array(&pool, n, sizeof(*p));
    rc = pool.rc;
    if (!rc)
        choose_all(m, held, seen, p, n);
    bird_pool_free(&pool);
    return rc;
}

/* ---- probabilities ------------------------------------------------------- */

struct mixing {
    struct bird_markov *m;
    int k;
};

/* Contexts of a task: 4^6, or all. */
static int64_t context_count(int k)
{
    return INT64_C(1) << 2 * (k < 6 ? k : 6);
}

static void mix(void *context, int64_t task, int worker)
{
    struct mixing *x = context;
    int k = x->k;
    double alpha = x->m->alpha[k];
    int64_t n = context_count(k);

    (void)worker;
    for (int64_t i = task * n; i < (task + 1) * n; i++) {
        union bird_markov_cell *row = x->m->table[k] + 4 * i;
        double total = alpha;

        for (int b = 0; b < 4; b++)
            total += (double)row[b].count;
        for (int b = 0; b < 4; b++) {
            uint64_t word = (uint64_t)(4 * i + b);
            double lower =
                k ? exp2(bird_markov_log2p(x->m, k - 1, word)) : 0.25;

            row[b].log2p =
                (float)log2(((double)row[b].count + alpha * lower) / total);
        }
    }
}

/* ---- weights of the parts ------------------------------------------------ */

enum {
    MAX_STRINGS = 2048, /* of a length */
    STRINGS_PART = 64,  /* words of a task */
    ROUNDS = 200
};

struct weighing {
    const struct bird_markov *m;
    const uint32_t *words;
    int64_t n_word;
    int64_t *at; /* (n) index in `words` of the first hidden base */
    int64_t n;
    int length, k;
    const struct bird_strings *tail;
    struct bird_strings_workspace *workspace; /* (threads) */
    double *share; /* (n, BIRD_N_MARKOV_PART) probabilities of the parts,
                      divided by that of the left part */
};

/* 1: word i + 1 is one base after word i */
static int follows(const struct weighing *x, int64_t i)
{
    uint32_t n_context;

    assert(x->m->order >= 1 && x->m->order <= 12);
    n_context = UINT32_C(1) << 2 * x->m->order;
    return x->words[i] % n_context == x->words[i + 1] >> 2;
}

/* Positions in the held-out sequence where a string has complete flanks, at
 * most MAX_STRINGS, evenly spaced. A word is a base with its left context;
 * the bases to its right are in the next words. */
static void find_positions(struct weighing *x)
{
    int64_t need = x->length + x->m->order, run = 1, n = 0, k = 0;

    for (int64_t i = 1; i < x->n_word; i++) {
        run = follows(x, i - 1) ? run + 1 : 1;
        n += run >= need;
    }
    run = 1;
    x->n = 0;
    for (int64_t i = 1; i < x->n_word; i++) {
        run = follows(x, i - 1) ? run + 1 : 1;
        if (run < need)
            continue;
        if (n <= MAX_STRINGS ||
            k * MAX_STRINGS / n != (k + 1) * MAX_STRINGS / n)
            x->at[x->n++] = i - need + 1;
        k++;
    }
}

/* The string at position i, and its flanks. */
static void hide(struct bird_hidden *h, uint8_t *code, const struct weighing *x,
                 int64_t i)
{
    const uint32_t *word = x->words + x->at[i];
    int order = x->m->order;

    *h = (struct bird_hidden){
        .m = x->m, .k = x->k, .n = x->length, .code = code};
    for (int j = 0; j < BIRD_MARKOV_TAIL && j < x->length; j++)
        code[j] = word[j] & 3;
    h->flanks.left = word[0] >> 2;
    h->flanks.n_left = h->flanks.n_right = order;
    for (int j = order - 1; j >= 0; j--)
        h->flanks.right =
            h->flanks.right << 2 | (3 - (word[x->length + j] & 3));
}

static void judge(void *context, int64_t task, int worker)
{
    const struct weighing *x = context;
    int64_t end =
        (task + 1) * STRINGS_PART < x->n ? (task + 1) * STRINGS_PART : x->n;
    double log2p[BIRD_N_MARKOV_PART];
    uint8_t code[BIRD_MARKOV_TAIL];
    struct bird_hidden h;

    for (int64_t i = task * STRINGS_PART; i < end; i++) {
        hide(&h, code, x, i);
        bird_hidden_parts(log2p, &h, x->tail, &x->workspace[worker]);
        for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
            x->share[i * BIRD_N_MARKOV_PART + j] = exp2(log2p[j] - log2p[0]);
    }
}

/* Expectation maximisation; a common factor of a string's probabilities
 * cancels. */
static void maximise(double *weight, const double *share, int64_t n)
{
    for (int round = 0; round < ROUNDS; round++) {
        double total[BIRD_N_MARKOV_PART] = {0};

        for (int64_t i = 0; i < n; i++) {
            const double *p = share + i * BIRD_N_MARKOV_PART;
            double sum = 0;

            for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
                sum += weight[j] * p[j];
            for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
                total[j] += weight[j] * p[j] / sum;
        }
        for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
            weight[j] = total[j] / (double)n;
    }
}

/* All orders, for hidden strings of one length. */
static void weigh_length(struct bird_markov *m, struct weighing *x)
{
    find_positions(x);
    for (x->k = 0; x->n && x->k <= m->order; x->k++) {
        bird_parallel((x->n + STRINGS_PART - 1) / STRINGS_PART, judge, x);
        maximise(m->weight[x->k][x->length - 1], x->share, x->n);
    }
}

static int weigh(struct bird_markov *m, const uint32_t *words, int64_t n)
{
    struct weighing x = {.m = m, .words = words, .n_word = n};
    struct bird_strings *tail = NULL;
    struct bird_pool pool = {0};
    int64_t n_tail = INT64_C(1) << 2 * BIRD_MARKOV_TAIL;
    int rc;

    for (int k = 0; k <= m->order; k++)
        for (int j = 0; j < BIRD_MARKOV_TAIL; j++)
            for (int i = 0; i < BIRD_N_MARKOV_PART; i++)
                m->weight[k][j][i] = 1.0 / BIRD_N_MARKOV_PART;
    x.workspace = bird_strings_workspaces(&pool, n_tail, BIRD_MARKOV_TAIL);
    x.at = bird_pool_array(&pool, MAX_STRINGS, sizeof(*x.at));
    x.share = bird_pool_array(&pool, MAX_STRINGS * BIRD_N_MARKOV_PART,
                              sizeof(*x.share));
    rc = pool.rc;
    for (x.length = 1; !rc && x.length <= BIRD_MARKOV_TAIL; x.length++) {
        rc = bird_strings_all(&tail, x.length);
        x.tail = tail;
        if (!rc)
            weigh_length(m, &x);
        bird_strings_free(tail);
        tail = NULL;
    }
    bird_pool_free(&pool);
    return rc;
}

/* ---- all of it ----------------------------------------------------------- */

int bird_markov_finish(struct bird_markov **out, struct bird_markov_counter *c)
{
    struct bird_markov *m = calloc(1, sizeof(*m));
    struct mixing x = {.m = m};
    int rc;

    if (!m)
        return bird_fail_memory(sizeof(*m));
    bird_markov_take(m, c);
    rc = choose_alpha(m, &c->held);
    if (rc) {
        bird_markov_free(m);
        return rc;
    }
    for (x.k = 0; x.k <= m->order; x.k++)
        bird_parallel((INT64_C(1) << 2 * x.k) / context_count(x.k), mix, &x);
    rc = weigh(m, c->held.word, m->n_held);
    if (rc)
        bird_markov_free(m);
    else
        *out = m;
    return rc;
}

/* ---- FASTA --------------------------------------------------------------- */

enum { PIECE = 1 << 20 }; /* bases fetched at a time */

static void add_interval(struct bird_markov_counter *c,
                         const struct bird_packed_reference *b,
                         const struct bird_interval *p, char *piece)
{
    for (int64_t at = p->start; at < p->end; at += PIECE) {
        int64_t end = at + PIECE < p->end ? at + PIECE : p->end;

        bird_packed_get(piece, b, p->contig, at, end);
        bird_markov_counter_add(c, piece, end - at);
    }
    bird_markov_counter_end(c);
}

static int count_intervals(struct bird_markov_counter **out,
                           const struct bird_packed_reference *b,
                           const struct bird_intervals *intervals, int order)
{
    int64_t n = 0;
    char *piece;
    int rc = bird_array_new(&piece, PIECE, 1);

    for (int64_t i = 0; i < intervals->n; i++)
        n += intervals->at[i].end - intervals->at[i].start;
    if (!rc)
        rc = bird_markov_counter_new(out, order, n);
    for (int64_t i = 0; !rc && i < intervals->n; i++)
        add_interval(*out, b, intervals->at + i, piece);
    free(piece);
    return rc;
}

int bird_markov_learn(struct bird_markov **out,
                      const struct bird_packed_reference *b,
                      const struct bird_intervals *intervals, int order)
{
    struct bird_markov_counter *c = NULL;
    int rc = count_intervals(&c, b, intervals, order);

    if (!rc && !c->n_base)
        rc = bird_fail(BIRD_EINVAL, "no A, C, G or T to learn a Markov model "
                                    "from: check the references and regions "
                                    "of training");
    if (!rc)
        rc = bird_markov_finish(out, c);
    bird_markov_counter_free(c);
    return rc;
}
