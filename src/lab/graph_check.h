/**
 * What the theory of sparse attention asks of a pattern's graph; lab/chain.h has
 * the order of its blocks.
 *
 * Source: Zaheer et al. 2020, arXiv:2007.14062, section 2; docs/math/pattern.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_LAB_GRAPH_CHECK_H
#define BIRD_LAB_GRAPH_CHECK_H

#include "pattern/graph.h"

/** A star graph (Zaheer et al. 2020, theorem 1): a block that all see and that
 *  sees all, in layer 0; -1: none. */
int64_t bird_graph_star(const struct bird_graph *g);

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
