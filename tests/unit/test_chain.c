/* lab: the order of blocks of assumption 1.2 against an exact search: of every
 * pattern of up to 12 blocks and of random graphs; and how many patterns of up
 * to 256 blocks are decided. The last test prints the table of
 * docs/math/pattern.md on stderr.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "graphs.h"
#include "lab/chain.h"
#include "lab/graph_check.h"

enum { EXACT = 12, LARGEST = 256 };

/* Is there an order? By dynamic programming over sets of blocks: last[set] has
 * the blocks with which an order of the set can end. */
static int has_order(const struct bird_graph *g)
{
    static uint16_t last[1 << EXACT];
    uint16_t sees[EXACT] = {0};
    int n = (int)g->n, all = (1 << n) - 1;

    cr_assert_leq(n, EXACT);
    for (int k = 0; k < n; k++)
        for (int64_t l = 0; l < g->n_layer; l++)
            sees[k] |= (uint16_t)(*bird_graph_row(g, l, k) & ~(1u << k));
    memset(last, 0, sizeof(last));
    for (int k = 0; k < n; k++)
        last[1 << k] = (uint16_t)(1 << k);
    for (int set = 1; set <= all; set++)
        for (int k = 0; last[set] && k < n; k++)
            if (!(set >> k & 1) && sees[k] & last[set])
                last[set | 1 << k] |= (uint16_t)(1 << k);
    return last[all] != 0;
}

struct verdicts {
    int64_t n, found, none, open, by[4];
};

static enum bird_chain count(struct verdicts *v, const struct bird_graph *g,
                             int alone)
{
    enum bird_chain found;
    enum bird_no_chain why;
    int32_t order[LARGEST];

    cr_assert_leq(g->n, LARGEST);
    cr_assert_eq(alone ? bird_graph_chain_search(&found, &why, order, g, 0)
                       : bird_graph_chain(&found, &why, order, g),
                 0);
    if (found == BIRD_CHAIN_FOUND)
        check_chain(g, order);
    v->n++;
    v->found += found == BIRD_CHAIN_FOUND;
    v->none += found == BIRD_CHAIN_NONE;
    v->open += found == BIRD_CHAIN_UNKNOWN;
    if (found == BIRD_CHAIN_NONE)
        v->by[why]++;
    return found;
}

/* The answers of both searches, that with the dynamic programming and that
 * without, compared with has_order(). */
static void compare(struct verdicts *v, const struct bird_graph *g,
                    const char *what)
{
    enum bird_chain want = has_order(g) ? BIRD_CHAIN_FOUND : BIRD_CHAIN_NONE;
    struct verdicts exact = {0};
    enum bird_chain found;

    cr_assert_eq(count(&exact, g, 0), want, "%s, %d blocks", what, (int)g->n);
    found = count(v, g, 1);
    cr_assert(found == want || found == BIRD_CHAIN_UNKNOWN, "%s, %d blocks",
              what, (int)g->n);
}

/* ---- every pattern ------------------------------------------------------- */

/* A pattern for each choice of the words in braces, "a{b|c}" for ab and ac. */
static void each_pattern(const char *text, void (*call)(const char *, void *),
                         void *arg)
{
    const char *open = strchr(text, '{');
    const char *close = open ? strchr(open, '}') : NULL, *word;

    if (!close) {
        call(text, arg);
        return;
    }
    for (word = open + 1; word <= close; word += strcspn(word, "|}") + 1) {
        char one[200];

        snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(open - text), text,
                 (int)strcspn(word, "|}"), word, close + 1);
        each_pattern(one, call, arg);
    }
}

static const char *const every[] = {
    "full,block=1,causal={no|yes}",
    "window,block=1,width={1|2|3|11},causal={no|yes}",
    "bigbird,block=1,random={plan|zero|none|uniform},n_random={0|1|3},"
    "parts={global|window|random|global+window|global+random|window+random|"
    "global+window+random},seed={0|1}",
    "bigbird,block=1,random={none|uniform},n_random={1|2},width={1|3},"
    "first={0|1|2},last={0|1|2},seed={0|1}",
    "etc,block=1,global={1|2|3},width={1|2},n_random={0|1|2},seed={0|1}",
    "strided,block=1,width={1|2|3|4|5|6|12},"
    "heads={union|multihead|sequential},causal={no|yes}",
    "fixed,block=1,width={1|2|3|4|5|6|12},"
    "heads={union|multihead|sequential},causal={no|yes}",
    "star,block=1,width={1|2|3|6},relay={last|first},causal={no|yes}",
    "random,block=1,sparsity={0|30|50|60|70|75|80|85|90|95|100},"
    "seed={0|1|2|3|4|5|6|7},causal={no|yes}"};

/* One head and two that see other blocks; layers likewise. */
static void compare_sizes(const char *text, void *verdicts)
{
    for (int64_t n = 1; n <= EXACT; n++)
        for (int64_t heads = 1; heads <= 2; heads++) {
            struct bird_graph *g = graph_if_any(text, n, heads, heads);

            if (g)
                compare(verdicts, g, text);
            bird_graph_free(g);
        }
}

Test(chain, no_verdict_on_a_pattern_is_wrong)
{
    for (size_t k = 0; k < sizeof(every) / sizeof(*every); k++) {
        struct verdicts v = {0};

        each_pattern(every[k], compare_sizes, &v);
        cr_assert_gt(v.n, 0);
        cr_assert_gt(v.found, 0);
        cr_assert_eq(v.open, 0, "%s: %d of %d not decided", every[k],
                     (int)v.open, (int)v.n);
    }
}

/* ---- random graphs ------------------------------------------------------- */

/* Sparse to dense, a third of them with a block that sees all and is seen by
 * all. */
Test(chain, no_verdict_on_a_random_graph_is_wrong)
{
    struct verdicts v = {0};
    struct bird_rng r;

    bird_rng_init(&r, 7, 0, 0);
    for (int k = 0; k < 10000; k++) {
        int64_t n = 2 + (int64_t)bird_rng_below(&r, EXACT - 1);
        struct bird_graph *g = graph("random,block=1,sparsity=100", n, 1, 1);
        int64_t edges = (int64_t)bird_rng_below(&r, (uint64_t)(3 * n));

        for (int64_t e = 0; e < edges; e++)
            g->bit[bird_rng_below(&r, (uint64_t)n)] |=
                UINT64_C(1) << bird_rng_below(&r, (uint64_t)n);
        for (int64_t i = 0; k % 3 == 0 && i < n; i++) {
            g->bit[i] |= 1;
            g->bit[0] |= UINT64_C(1) << i;
        }
        compare(&v, g, "random graph");
        bird_graph_free(g);
    }
    cr_assert_gt(v.found, 1000);
    cr_assert_gt(v.none, 1000);
    cr_assert_eq(v.open, 0);
    cr_assert_gt(v.by[BIRD_NO_CHAIN_MATCHING], 100);
    cr_assert_gt(v.by[BIRD_NO_CHAIN_REACH], 10);
}

/* ---- larger ones --------------------------------------------------------- */

#define TEN "1|2|3|4|5|6|7|8|9|10"

static const char *const larger[][2] = {
    {"random, 80 %", "random,block=1,sparsity=80,seed={" TEN "}"},
    {"random, 90 %",
     "random,block=1,sparsity=90,seed={" TEN "|11|12|13|14|15|16|17|18|19|20}"},
    {"random, 95 %",
     "random,block=1,sparsity=95,seed={" TEN "|11|12|13|14|15|16|17|18|19|20}"},
    {"random, 97 %", "random,block=1,sparsity=97,seed={" TEN "}"},
    {"random, 98 %", "random,block=1,sparsity=98,seed={" TEN "}"},
    {"random, 99 %", "random,block=1,sparsity=99,seed={" TEN "}"},
    {"bigbird, random blocks alone",
     "bigbird,block=1,random=uniform,n_random={2|4|6},parts=random,"
     "seed={1|2|3|4|5}"},
    {"bigbird, global and random blocks",
     "bigbird,block=1,random=uniform,n_random={2|4|6},parts=global+random,"
     "seed={1|2|3|4|5}"},
    {"bigbird, global blocks alone",
     "bigbird,block=1,random=none,parts=global,first={1|2},last={0|1|2}"},
    {"bigbird, with its window",
     "bigbird,block=1,random={plan|zero},n_random={1|3}"},
    {"window", "window,block=1,width={1|2|4}"},
    {"etc", "etc,block=1,global={1|8},width={1|3},n_random={0|2}"},
    {"strided", "strided,block=1,width={2|16},"
                "heads={union|multihead|sequential},causal={no|yes}"},
    {"fixed", "fixed,block=1,width={2|16},heads={union|multihead|sequential},"
              "causal={no|yes}"},
    {"star", "star,block=1,width={1|16},relay={last|first},causal=no"}};

struct size {
    struct verdicts v;
    int64_t n;
};

/* One head; without the two usual orders, which most patterns have. */
static void count_size(const char *text, void *size)
{
    struct size *s = size;
    struct bird_graph *g = graph(text, s->n, 1, 1);

    count(&s->v, g, 1);
    bird_graph_free(g);
}

Test(chain, patterns_are_decided)
{
    fprintf(stderr, "| pattern | 32 blocks | 64 | 128 | 256 |\n"
                    "| --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < sizeof(larger) / sizeof(*larger); k++) {
        int64_t n = 0, open = 0;

        fprintf(stderr, "| %s |", larger[k][0]);
        for (int64_t blocks = 32; blocks <= LARGEST; blocks *= 2) {
            struct size s = {.n = blocks};

            each_pattern(larger[k][1], count_size, &s);
            fprintf(stderr, " %d, %d, %d |", (int)s.v.found, (int)s.v.none,
                    (int)s.v.open);
            n += s.v.n;
            open += s.v.open;
        }
        fprintf(stderr, "\n");
        cr_assert_leq(50 * open, n, "%s: %d of %d not decided", larger[k][0],
                      (int)open, (int)n);
    }
}

/* Two blocks that see all and are seen by all, and nothing else: none. */
Test(chain, two_hubs_have_no_chain)
{
    struct bird_graph *g =
        graph("bigbird,block=1,random=none,parts=global", 64, 1, 1);
    enum bird_chain found;
    enum bird_no_chain why;
    int32_t order[64];

    WORKS(bird_graph_chain(&found, &why, order, g));
    cr_assert_eq(found, BIRD_CHAIN_NONE);
    cr_assert_eq(bird_graph_star(g), 0);
    bird_graph_free(g);
    g = graph("window,width=1", 1024, 1, 1);
    cr_assert_eq(bird_graph_star(g), -1);
    bird_graph_free(g);
}

/* A chain that only a search finds: neighbours in a shuffled order. */
Test(chain, a_hidden_chain_is_found)
{
    struct bird_graph *g = graph("random,block=1,sparsity=100", 60, 1, 1);
    struct bird_rng r;
    enum bird_chain found;
    enum bird_no_chain why;
    int32_t way[60], order[60];

    bird_rng_init(&r, 3, 0, 0);
    for (int i = 0; i < 60; i++) {
        int j = (int)bird_rng_below(&r, (uint64_t)i + 1);

        way[i] = way[j];
        way[j] = i;
    }
    for (int i = 1; i < 60; i++) {
        g->bit[way[i]] |= UINT64_C(1) << way[i - 1];
        g->bit[way[i]] |= UINT64_C(1) << way[i / 2];
    }
    WORKS(bird_graph_chain(&found, &why, order, g));
    cr_assert_eq(found, BIRD_CHAIN_FOUND);
    check_chain(g, order);
    bird_graph_free(g);
}
