/* The chain of assumption 1.2, a Hamiltonian path, no fast search of which is
 * known for every graph. In this order: the two orders that patterns have; up to
 * 20 blocks all of them, by dynamic programming over sets (Held and Karp 1962);
 * three reasons why there is none; patching of cycles, which starts from a
 * largest matching of blocks with their successors and joins cycles to a path
 * (Karp 1979, with rotations of the path between). A search in depth comes before
 * that if there are few blocks, and one with more steps after it.
 * SPDX-License-Identifier: MIT */
#include "lab/chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum {
    EXACT = 20,       /* blocks: 2^20 sets */
    CUTS = 64,        /* blocks taken out at once, at most */
    RESTARTS = 128,   /* of patching */
    ROTATIONS = 64,   /* between two restarts, times the number of blocks */
    SMALL = 32,       /* blocks that a search in depth may decide at once */
    LITTLE = 1 << 16, /* budgets of a search in depth, and of patching */
    MUCH = 1 << 22,
    NONE = -1
};

/* Block k may follow v if k sees v. on (n, n_word): the blocks that may follow each
 * v; back: those that v may follow. */
struct chain {
    const struct bird_graph *g;
    int64_t n, n_word;
    uint64_t *on, *back, *left, *seen;
    int32_t *next, *prev; /* (n) of the cover; NONE: an end of a path */
    int32_t *part;        /* (n) number of the block's path or cycle */
    int32_t *stack;       /* (2 n) */
    int64_t *tried;       /* (n) of the search in depth */
    int32_t *order;
    int64_t budget; /* pairs of blocks that may still be looked at */
    struct bird_rng rng;
};

static int is_on(const struct chain *c, int64_t v, int64_t k)
{
    return bird_bit(c->on + v * c->n_word, k);
}

/* Does k see v in some layer? */
static int follows(const struct bird_graph *g, int64_t k, int64_t v)
{
    for (int64_t l = 0; l < g->n_layer; l++)
        if (bird_bit(bird_graph_row(g, l, k), v))
            return 1;
    return 0;
}

/* ---- all orders of few blocks ---------------------------------------------- */

/* end[set] has the blocks that an order of the set may end with. */
static int search_all(enum bird_chain *found, struct chain *c)
{
    int64_t n = c->n, all = (INT64_C(1) << n) - 1, set = all;
    uint32_t *end = NULL;
    int rc = bird_array_new(&end, all + 1, sizeof(*end));

    for (int64_t s = 1; !rc && s <= all; s++)
        for (int64_t k = 0; k < n; k++) {
            int64_t rest = s & ~(INT64_C(1) << k);

            if (rest != s && (!rest || (end[rest] & c->back[k])))
                end[s] |= UINT32_C(1) << k;
        }
    if (!rc)
        *found = end[all] ? BIRD_CHAIN_FOUND : BIRD_CHAIN_NONE;
    for (int64_t i = n - 1; !rc && end[all] && i >= 0; i--) {
        uint32_t last = end[set];

        if (i < n - 1)
            last &= (uint32_t)c->back[c->order[i + 1]];
        c->order[i] = (int32_t)__builtin_ctz(last);
        set &= ~(INT64_C(1) << c->order[i]);
    }
    free(end);
    return rc;
}

/* ---- reasons why there is none ------------------------------------------- */

/* A successor of v that no block has, or whose block takes another one. Kuhn's
 * method; `seen` has the successors that were looked at. */
static int augment(struct chain *c, int64_t v)
{
    int64_t n = c->n, depth = 0;
    int32_t *at = c->stack, *want = c->stack + n;

    memset(c->seen, 0, (size_t)c->n_word * sizeof(*c->seen));
    at[0] = (int32_t)v;
    while (depth >= 0) {
        const uint64_t *row = c->on + at[depth] * c->n_word;
        int64_t k = NONE;

        for (int64_t w = 0; w < c->n_word && k < 0; w++) {
            uint64_t open = row[w] & ~c->seen[w];

            if (open)
                k = w * 64 + __builtin_ctzll(open);
        }
        if (k < 0) {
            depth--;
            continue;
        }
        bird_bits_set(c->seen, k);
        want[depth] = (int32_t)k;
        if (c->prev[k] == NONE) {
            for (; depth >= 0; depth--) {
                c->next[at[depth]] = want[depth];
                c->prev[want[depth]] = at[depth];
            }
            return 1;
        }
        at[++depth] = c->prev[k];
    }
    return 0;
}

/* The largest number of blocks with a successor of their own. Shuffled: blocks
 * are taken in a random order, so that covers differ. */
static int64_t match(struct chain *c, int shuffled)
{
    int64_t n = c->n, size = 0;

    for (int64_t i = 0; i < n; i++) {
        c->next[i] = c->prev[i] = NONE;
        c->part[i] = (int32_t)i;
    }
    for (int64_t i = n - 1; shuffled && i > 0; i--) {
        int64_t j = (int64_t)bird_rng_below(&c->rng, (uint64_t)i + 1);
        int32_t t = c->part[i];

        c->part[i] = c->part[j];
        c->part[j] = t;
    }
    for (int64_t i = 0; i < n; i++)
        size += augment(c, c->part[i]);
    return size;
}

/* Mark what can be reached from a block along rows; returns how many. */
static int64_t flood(struct chain *c, const uint64_t *rows, int64_t from)
{
    int64_t depth = 1, n = 1;

    memset(c->seen, 0, (size_t)c->n_word * sizeof(*c->seen));
    bird_bits_set(c->seen, from);
    c->stack[0] = (int32_t)from;
    while (depth) {
        const uint64_t *row = rows + c->stack[--depth] * c->n_word;

        for (int64_t w = 0; w < c->n_word; w++) {
            uint64_t news = row[w] & ~c->seen[w];

            c->seen[w] |= news;
            for (; news; news &= news - 1, n++)
                c->stack[depth++] = (int32_t)(w * 64 + __builtin_ctzll(news));
        }
    }
    return n;
}

/* In a chain, every block reaches all later ones. So, sorted by the number of blocks
 * that it reaches, each block must reach all that reach fewer. */
static int is_unordered(struct chain *c)
{
    int64_t n = c->n;

    if (n > 2048) /* of n^3 / 64 steps */
        return 0;
    for (int64_t i = 0; i < n; i++)
        c->tried[i] = flood(c, c->on, i) * n + i;
    /* the block that reaches most of those that are left must reach them all */
    memset(c->left, 0, (size_t)c->n_word * sizeof(*c->left));
    for (int64_t i = 0; i < n; i++)
        bird_bits_set(c->left, i);
    for (int64_t i = 0; i < n; i++) {
        int64_t best = bird_bits_next(c->left, 0, n);

        for (int64_t j = best; j < n; j = bird_bits_next(c->left, j + 1, n))
            if (c->tried[j] / n > c->tried[best] / n)
                best = j;
        flood(c, c->on, best);
        for (int64_t w = 0; w < c->n_word; w++)
            if (c->left[w] & ~c->seen[w])
                return 1;
        c->left[best / 64] &= ~(UINT64_C(1) << ((uint64_t)best % 64));
    }
    return 0;
}

/* Parts of the graph, directions ignored, without the blocks in `seen`. */
static int64_t count_parts(struct chain *c)
{
    int64_t n_part = 0, n = c->n;

    for (int64_t i = 0; i < n; i++) {
        int64_t depth = 1;

        if (bird_bit(c->seen, i))
            continue;
        n_part++;
        bird_bits_set(c->seen, i);
        c->stack[0] = (int32_t)i;
        while (depth) {
            int64_t v = c->stack[--depth];

            for (int64_t w = 0; w < c->n_word; w++) {
                uint64_t news =
                    (c->on[v * c->n_word + w] | c->back[v * c->n_word + w]) &
                    ~c->seen[w];

                c->seen[w] |= news;
                for (; news; news &= news - 1)
                    c->stack[depth++] =
                        (int32_t)(w * 64 + __builtin_ctzll(news));
            }
        }
    }
    return n_part;
}

static int64_t degree(const struct chain *c, int64_t v)
{
    return bird_bits_count(c->on + v * c->n_word, c->n_word) +
           bird_bits_count(c->back + v * c->n_word, c->n_word);
}

/* Without k blocks a chain falls into k + 1 pieces at most. Those with the most
 * neighbours are taken out, and each block alone. */
static int is_cut(struct chain *c)
{
    size_t size = (size_t)c->n_word * sizeof(*c->seen);
    int64_t n = c->n;

    for (int64_t i = 0; i < n && n <= 1024; i++) {
        memset(c->seen, 0, size);
        bird_bits_set(c->seen, i);
        if (count_parts(c) > 2)
            return 1;
    }
    memset(c->left, 0, size);
    for (int64_t k = 1; k <= CUTS && k < n; k++) {
        int64_t best = 0;

        while (bird_bit(c->left, best))
            best++;
        for (int64_t i = best; i < n; i++)
            if (!bird_bit(c->left, i) && degree(c, i) > degree(c, best))
                best = i;
        bird_bits_set(c->left, best);
        memcpy(c->seen, c->left, size);
        if (count_parts(c) > k + 1)
            return 1;
    }
    return 0;
}

/* ---- patching ------------------------------------------------------------ */

/* Number the paths and cycles; returns how many. */
static int64_t number_parts(struct chain *c)
{
    int64_t n_part = 0;

    for (int64_t i = 0; i < c->n; i++)
        c->part[i] = NONE;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t v = i;

        if (c->part[i] != NONE)
            continue;
        while (c->prev[v] != NONE && c->prev[v] != i)
            v = c->prev[v];
        for (int64_t k = v; k != NONE && c->part[k] == NONE; k = c->next[k])
            c->part[k] = (int32_t)n_part;
        n_part++;
    }
    return n_part;
}

static void link_blocks(struct chain *c, int64_t v, int64_t k)
{
    if (v != NONE)
        c->next[v] = (int32_t)k;
    if (k != NONE)
        c->prev[k] = (int32_t)v;
}

/* Join the parts of two blocks u and y, where y may follow u: u takes y, and the
 * block before y takes the one that u had. An end takes any y. */
static int join_at(struct chain *c, int64_t u, int64_t y)
{
    int64_t v = c->next[u], x = c->prev[y];

    if (v != NONE && x != NONE && !is_on(c, x, v))
        return 0;
    link_blocks(c, u, y);
    link_blocks(c, x, v);
    return 1;
}

/* Join two parts somewhere; 0: nowhere. Of two ends of paths one must be x's or
 * v's: a cover has one path at most, so at most one of v and x is none. */
static int join_some(struct chain *c)
{
    int64_t n = c->n, from = (int64_t)bird_rng_below(&c->rng, (uint64_t)n);

    for (int64_t i = 0; i < n; i++) {
        int64_t u = (from + i) % n;
        const uint64_t *row = c->on + u * c->n_word;

        for (int64_t y = bird_bits_next(row, 0, n); y < n;
             y = bird_bits_next(row, y + 1, n)) {
            c->budget--;
            if (c->part[y] != c->part[u] && join_at(c, u, y))
                return 1;
        }
    }
    return 0;
}

/* The last block of the path takes a block of the path: what follows that one
 * becomes a cycle, and the block before it the last. */
static void rotate(struct chain *c)
{
    int64_t last = 0, w, n_on;
    const uint64_t *row;

    while (last < c->n && c->next[last] != NONE)
        last++;
    if (last == c->n) { /* cycles only: open one */
        last = (int64_t)bird_rng_below(&c->rng, (uint64_t)c->n);
        c->prev[c->next[last]] = NONE;
        c->next[last] = NONE;
        return;
    }
    row = c->on + last * c->n_word;
    n_on = bird_bits_count(row, c->n_word);
    if (!n_on)
        return;
    w = bird_bits_next(row, 0, c->n);
    for (int64_t k = (int64_t)bird_rng_below(&c->rng, (uint64_t)n_on); k > 0;
         k--)
        w = bird_bits_next(row, w + 1, c->n);
    if (c->part[w] != c->part[last])
        return; /* join_some() takes it */
    if (c->prev[w] != NONE)
        c->next[c->prev[w]] = NONE;
    link_blocks(c, last, w);
}

/* One path from a cover; 1: c->order has it. */
static int patch(struct chain *c)
{
    int64_t n = c->n, first = 0;

    for (int64_t k = 0; k < ROTATIONS * n && c->budget > 0; k++) {
        while (number_parts(c) > 1 && join_some(c)) {
        }
        if (number_parts(c) == 1)
            break;
        rotate(c);
        c->budget -= n;
    }
    if (number_parts(c) != 1)
        return 0;
    while (first < n && c->prev[first] != NONE)
        first++;
    first = first < n ? first : 0;
    for (int64_t i = 0; i < n; i++, first = c->next[first])
        c->order[i] = (int32_t)first;
    return 1;
}

/* ---- a search in depth ------------------------------------------------------ */

static int64_t successors(const struct chain *c, int64_t v)
{
    int64_t n = 0;

    for (int64_t w = 0; w < c->n_word; w++)
        n += __builtin_popcountll(c->on[v * c->n_word + w] & c->left[w]);
    return n;
}

/* Of blocks that may follow (from NULL: of all) the next one to try, by successors
 * and number; -1: none is left. */
static int64_t next_try(struct chain *c, const uint64_t *from, int64_t tried)
{
    int64_t n = c->n, best = -1;

    for (int64_t j = bird_bits_next(c->left, 0, n); j < n;
         j = bird_bits_next(c->left, j + 1, n)) {
        int64_t key;

        if (from && !bird_bit(from, j))
            continue;
        c->budget--;
        key = successors(c, j) * n + j;
        if (key > tried && (best < 0 || key < best))
            best = key;
    }
    return best;
}

static enum bird_chain search_depth(struct chain *c, int64_t budget)
{
    int64_t n = c->n, d = 0;

    c->budget = budget;
    for (int64_t i = 0; i < n; i++)
        bird_bits_set(c->left, i);
    c->tried[0] = -1;
    while (c->budget > 0) {
        const uint64_t *from = d ? c->on + c->order[d - 1] * c->n_word : NULL;
        int64_t key = next_try(c, from, c->tried[d]);

        if (key < 0) { /* back */
            if (!d--)
                return BIRD_CHAIN_NONE;
            bird_bits_set(c->left, c->order[d]);
            continue;
        }
        c->tried[d] = key;
        c->order[d] = (int32_t)(key % n);
        c->left[key % n / 64] &= ~(UINT64_C(1) << (key % n % 64));
        if (++d == n)
            return BIRD_CHAIN_FOUND;
        c->tried[d] = -1;
    }
    return BIRD_CHAIN_UNKNOWN;
}

/* ---- all of it ------------------------------------------------------------- */

static int open_chain(struct chain *c, int32_t *order,
                      const struct bird_graph *g)
{
    int64_t n = g->n;
    int rc;

    *c = (struct chain){.g = g, .n = n, .n_word = g->n_word, .order = order};
    bird_rng_init(&c->rng, 1, 0, 0);
    if ((rc = bird_array_new(&c->on, n * g->n_word, sizeof(*c->on))) ||
        (rc = bird_array_new(&c->back, n * g->n_word, sizeof(*c->back))) ||
        (rc = bird_array_new(&c->left, g->n_word, sizeof(*c->left))) ||
        (rc = bird_array_new(&c->seen, g->n_word, sizeof(*c->seen))) ||
        (rc = bird_array_new(&c->next, n, sizeof(*c->next))) ||
        (rc = bird_array_new(&c->prev, n, sizeof(*c->prev))) ||
        (rc = bird_array_new(&c->part, n, sizeof(*c->part))) ||
        (rc = bird_array_new(&c->stack, 2 * n, sizeof(*c->stack))) ||
        (rc = bird_array_new(&c->tried, n, sizeof(*c->tried))))
        return rc;
    for (int64_t k = 0; k < n; k++)
        for (int64_t v = 0; v < n; v++)
            if (v != k && follows(g, k, v)) {
                bird_bits_set(c->on + v * g->n_word, k);
                bird_bits_set(c->back + k * g->n_word, v);
            }
    return 0;
}

static void close_chain(struct chain *c)
{
    free(c->on);
    free(c->back);
    free(c->left);
    free(c->seen);
    free(c->next);
    free(c->prev);
    free(c->part);
    free(c->stack);
    free(c->tried);
}

static enum bird_chain decide(struct chain *c, enum bird_no_chain *why)
{
    enum bird_chain found;

    *why = BIRD_NO_CHAIN_MATCHING;
    if (match(c, 0) < c->n - 1)
        return BIRD_CHAIN_NONE;
    *why = BIRD_NO_CHAIN_REACH;
    if (is_unordered(c))
        return BIRD_CHAIN_NONE;
    *why = BIRD_NO_CHAIN_CUT;
    if (is_cut(c))
        return BIRD_CHAIN_NONE;
    *why = BIRD_NO_CHAIN_SEARCH;
    found = c->n <= SMALL ? search_depth(c, LITTLE) : BIRD_CHAIN_UNKNOWN;
    for (int k = 0; found == BIRD_CHAIN_UNKNOWN && k < RESTARTS; k++) {
        c->budget = MUCH;
        match(c, 1);
        if (patch(c))
            found = BIRD_CHAIN_FOUND;
    }
    return found == BIRD_CHAIN_UNKNOWN ? search_depth(c, MUCH) : found;
}

int bird_graph_chain_search(enum bird_chain *found, enum bird_no_chain *why,
                            int32_t *order, const struct bird_graph *g,
                            int64_t exact)
{
    struct chain c;
    int rc = open_chain(&c, order, g);

    *why = BIRD_NO_CHAIN_SEARCH;
    if (!rc && g->n <= exact && g->n <= EXACT)
        rc = search_all(found, &c);
    else if (!rc)
        *found = decide(&c, why);
    close_chain(&c);
    return rc;
}

int bird_graph_chain(enum bird_chain *found, enum bird_no_chain *why,
                     int32_t *order, const struct bird_graph *g)
{
    for (int back = 0; back < 2; back++) {
        int64_t i = 1;

        while (i < g->n && (back ? follows(g, i - 1, i) : follows(g, i, i - 1)))
            i++;
        if (i < g->n)
            continue;
        for (i = 0; i < g->n; i++)
            order[i] = (int32_t)(back ? g->n - 1 - i : i);
        *found = BIRD_CHAIN_FOUND;
        return 0;
    }
    return bird_graph_chain_search(found, why, order, g, EXACT);
}
