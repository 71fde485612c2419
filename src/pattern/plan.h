/**
 * Who sees whom: for each head and query block the key blocks it attends to,
 * made of a pattern's lists for one layer and length.
 *
 * A block listed k times counts k times in the softmax, as in the reference.
 * Source: Zaheer et al. 2020, arXiv:2007.14062, appendix D; docs/math/pattern.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_PLAN_H
#define BIRD_PATTERN_PLAN_H

#include "pattern/pattern.h"

/** Key blocks first .. first+count-1, each counted `times` times. */
struct bird_run {
    int32_t first, count, times;
};

struct bird_plan {
    int64_t n_block; /* M = ceil(L / block); the last may be partial */
    int64_t block;   /* tokens in a block */
    int64_t n_head;  /* lists: 1 when all heads have the same, else heads */
    int full;        /* full attention: every row lists all blocks once */
    int causal;      /* no block after the query's own is listed, and a query
                        sees no token after itself */
    int64_t *row;    /* (n_head * n_block + 1) where a row's runs start */
    struct bird_run *run; /* runs of row (h, i) by rising first, disjoint */
};

/**
 * The plan of a layer for a sequence of len_tok tokens.
 * Owner: *out is the caller's, bird_plan_free().
 * Errors: BIRD_EINVAL len_tok < 1, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_plan_new(struct bird_plan **out,
                                  const struct bird_pattern *p, int64_t len_tok,
                                  int64_t layer);
void bird_plan_free(struct bird_plan *p);

/** The runs of head h, query block i: *n of them. Borrowed from the plan. */
static inline const struct bird_run *
bird_plan_row(const struct bird_plan *p, int64_t h, int64_t i, int64_t *n)
{
    int64_t k = (p->n_head == 1 ? 0 : h) * p->n_block + i;

    *n = p->row[k + 1] - p->row[k];
    return p->run + p->row[k];
}

#endif
