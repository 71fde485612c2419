/**
 * The graph of a pattern: which blocks a block sees, by any head, in each layer,
 * and after how many layers it sees others. lab/graph_check.h has the rest of
 * the theory's questions.
 *
 * Blocks that see each other within one are a single vertex: with blocks of one
 * token this is the graph of the papers. Source: Yun et al. 2020,
 * arXiv:2006.04862, assumption 1; Zaheer et al. 2020, arXiv:2007.14062, section
 * 2; docs/math/pattern.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_GRAPH_H
#define BIRD_PATTERN_GRAPH_H

#include "pattern/plan.h"

/** Blocks of a graph at most: its rows are bits, (n, n) of them a layer. */
enum { BIRD_GRAPH_MOST = 8192 };

struct bird_graph {
    int64_t n, n_word; /* blocks; words of a row */
    int64_t n_layer;   /* layers 0 .. n_layer - 1, which then come again */
    uint64_t *bit;     /* (n_layer, n, n_word): bit j of row i: i sees j */
    double sparsity;   /* share of pairs of tokens that a head leaves out, the
                          mean of heads and layers */
};

/**
 * The graph of len_tok tokens. It has one layer if all layers are alike, else one
 * period of layers; if they never repeat, `layers`, taken as a period.
 * Owner: *out is the caller's, bird_graph_free()
 * Errors: BIRD_EINVAL more than BIRD_GRAPH_MOST blocks, and those of
 *         bird_plan_new(); BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_graph_new(struct bird_graph **out,
                                   const struct bird_pattern *p,
                                   int64_t len_tok, int64_t layers);
void bird_graph_free(struct bird_graph *g);

static inline const uint64_t *bird_graph_row(const struct bird_graph *g,
                                             int64_t layer, int64_t i)
{
    return g->bit + ((layer % g->n_layer) * g->n + i) * g->n_word;
}

static inline int bird_bit(const uint64_t *row, int64_t j)
{
    return (int)(row[j / 64] >> (j % 64) & 1);
}

static inline void bird_bits_set(uint64_t *row, int64_t j)
{
    row[j / 64] |= UINT64_C(1) << (j % 64);
}

static inline int64_t bird_bits_count(const uint64_t *row, int64_t n_word)
{
    int64_t n = 0;

    for (int64_t k = 0; k < n_word; k++)
        n += __builtin_popcountll(row[k]);
    return n;
}

/** The next set bit from j on; n: none. */
static inline int64_t bird_bits_next(const uint64_t *row, int64_t j, int64_t n)
{
    uint64_t w;

    if (j >= n)
        return n;
    w = row[j / 64] >> (j % 64);
    if (w)
        return j + __builtin_ctzll(w);
    for (int64_t k = j / 64 + 1; k * 64 < n; k++)
        if (row[k])
            return k * 64 + __builtin_ctzll(row[k]);
    return n;
}

/** Assumption 1.1: the first block that does not see itself in some layer; -1:
 *  all do. */
int64_t bird_graph_blind(const struct bird_graph *g);

/** What of a vertex is known. */
enum { BIRD_GRAPH_NEVER = -1 };

/**
 * S^t of assumption 1.3, what every block sees through layers 0 .. t - 1:
 * out (n, n_word). Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_graph_reach(uint64_t *out, const struct bird_graph *g,
                                     int64_t t);

/** Assumption 1.3: the least s with every block in S^s of every block;
 *  BIRD_GRAPH_NEVER: none. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_graph_steps(int64_t *s, const struct bird_graph *g);

/** After how many layers block i sees all; BIRD_GRAPH_NEVER. BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_graph_steps_of(int64_t *s, const struct bird_graph *g,
                                        int64_t i);

/** Distances from a block; start with {0}. */
struct bird_graph_search {
    int32_t *at;    /* (n) layers from the block; -1: never reached */
    int32_t *queue; /* (n) the reached blocks, nearest first */
    uint64_t *seen; /* (n_word) */
};

/** Errors: BIRD_ENOMEM. Freed by bird_graph_search_free(), after a failure too. */
BIRD_MUST_CHECK int bird_graph_search_new(struct bird_graph_search *s,
                                          const struct bird_graph *g);
void bird_graph_search_free(struct bird_graph_search *s);

/** Distances from one block along layer 0, breadth first, each row read once;
 *  returns how many blocks are reached. */
int64_t bird_graph_distances(struct bird_graph_search *q,
                             const struct bird_graph *g, int64_t from);

/**
 * "token 0 sees every token after K layers", or that it never does; of a causal
 * pattern the last token. n_layer > 0: "; the model has N".
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_graph_describe(struct bird_text *t,
                                        const struct bird_graph *g,
                                        const struct bird_pattern *p,
                                        int64_t n_layer);

#endif
