/**
 * Assumption 1.2 of Yun et al. 2020, arXiv:2006.04862: an order of all blocks of
 * which each sees the one before it, in some layer.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_LAB_CHAIN_H
#define BIRD_LAB_CHAIN_H

#include "pattern/graph.h"

enum bird_chain {
    BIRD_CHAIN_NONE,   /* there is none */
    BIRD_CHAIN_FOUND,  /* order has it */
    BIRD_CHAIN_UNKNOWN /* the search was given up */
};

/** Why there is none. */
enum bird_no_chain {
    BIRD_NO_CHAIN_SEARCH,   /* all orders were searched */
    BIRD_NO_CHAIN_MATCHING, /* fewer than n - 1 blocks can have a successor of
                               their own */
    BIRD_NO_CHAIN_REACH,    /* of two blocks neither can come after the other */
    BIRD_NO_CHAIN_CUT       /* without k blocks the graph has more than k + 1
                               parts */
};

/**
 * Find the order, or a reason why there is none. Up to 20 blocks the answer is
 * never BIRD_CHAIN_UNKNOWN. The same graph has the same answer.
 * @param[out] why    where there is none
 * @param[out] order  (n), where it is found
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_graph_chain(enum bird_chain *found,
                                     enum bird_no_chain *why, int32_t *order,
                                     const struct bird_graph *g);

/** The same without the two usual orders, and trying all orders of graphs of up
 *  to `exact` blocks (at most 20): for tests. */
BIRD_MUST_CHECK int bird_graph_chain_search(enum bird_chain *found,
                                            enum bird_no_chain *why,
                                            int32_t *order,
                                            const struct bird_graph *g,
                                            int64_t exact);

#endif
