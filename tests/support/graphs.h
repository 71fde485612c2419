/* The graph of a pattern as --pattern takes it, and a check of an order of its
 * blocks, for tests with criterion.
 * SPDX-License-Identifier: MIT */
#ifndef BIRD_TEST_GRAPHS_H
#define BIRD_TEST_GRAPHS_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "check.h"
#include "dnabird/error.h"
#include "pattern/graph.h"

/* Owner: the caller, bird_graph_free(). NULL: parameters that do not go
 * together. */
static inline struct bird_graph *graph_if_any(const char *text, int64_t len,
                                              int64_t n_head, int64_t layers)
{
    struct bird_graph *g = NULL;
    struct bird_pattern p;

    bird_pattern_default(&p);
    WORKS(bird_pattern_parse(&p, text));
    p.n_head = n_head;
    p.max_positions = 4096;
    return bird_graph_new(&g, &p, len, layers) ? NULL : g;
}

static inline struct bird_graph *graph(const char *text, int64_t len,
                                       int64_t n_head, int64_t layers)
{
    struct bird_graph *g = graph_if_any(text, len, n_head, layers);

    cr_assert_not_null(g, "%s: %s", text, bird_last_error());
    return g;
}

/* Every block once, each of which sees the one before in some layer? */
static inline void check_chain(const struct bird_graph *g, const int32_t *order)
{
    char *seen = calloc((size_t)g->n, 1);

    cr_assert_not_null(seen);
    for (int64_t i = 0; i < g->n; i++) {
        int sees = !i;

        cr_assert(order[i] >= 0 && order[i] < g->n && !seen[order[i]]);
        seen[order[i]] = 1;
        for (int64_t l = 0; l < g->n_layer && i; l++)
            sees |= bird_bit(bird_graph_row(g, l, order[i]), order[i - 1]);
        cr_assert(sees, "%d", (int)i);
    }
    free(seen);
}

#endif
