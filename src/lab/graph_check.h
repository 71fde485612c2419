/**
 * What the theory of sparse attention asks of a pattern's graph.
 *
 * Source: Yun et al. 2020, arXiv:2006.04862, assumption 1; Zaheer et al. 2020,
 * arXiv:2007.14062, section 2; docs/math/pattern.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_LAB_GRAPH_CHECK_H
#define BIRD_LAB_GRAPH_CHECK_H

#include "pattern/graph.h"

enum bird_chain {
    BIRD_CHAIN_NONE,   /* there is none */
    BIRD_CHAIN_FOUND,  /* order has it */
    BIRD_CHAIN_UNKNOWN /* the search was given up */
};

/**
 * Assumption 1.2: an order of all blocks of which each sees the one before it,
 * in some layer. That from first to last is tried first, then its reverse, then
 * a search in depth that prefers blocks with few successors.
 * @param[out] order  (n), where it is found
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_graph_chain(enum bird_chain *found, int32_t *order,
                                     const struct bird_graph *g);

/** Of layer 0. */
struct bird_graph_figures {
    double hops;       /* mean length of the shortest paths from a block to the
                          others that it reaches; 0: it reaches none */
    double reached;    /* share of pairs of blocks with such a path */
    double clustering; /* Watts and Strogatz 1998, doi:10.1038/30918: of a
                          block's neighbours, pairs that are neighbours */
    double gap; /* 1 - the second largest eigenvalue of D^-1/2 A D^-1/2, A the
                   graph without directions and with each block's own */
};

/** Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_graph_measure(struct bird_graph_figures *out,
                                       const struct bird_graph *g);

#endif
