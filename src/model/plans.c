/* The attention plans of an encoder: one for each layer and number of blocks, made
 * when a sequence of that length comes. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/layer.h"

void bird_plans_free(struct bird_plans *p)
{
    for (int64_t i = 0; i < p->n_layer * p->cap_block; i++)
        bird_plan_free(p->plan[i]);
    free(p->plan);
    *p = (struct bird_plans){0};
}

static int plans_reserve(struct bird_plans *p, int64_t n_layer, int64_t n_block)
{
    struct bird_plans n = {.n_layer = n_layer, .cap_block = n_block + 1};
    int rc;

    if (p->cap_block > n_block)
        return 0;
    rc = bird_array_new(&n.plan, n_layer * n.cap_block, sizeof(*n.plan));
    if (rc)
        return rc;
    for (int64_t l = 0; l < p->n_layer; l++)
        memcpy(n.plan + l * n.cap_block, p->plan + l * p->cap_block,
               (size_t)p->cap_block * sizeof(*n.plan));
    free(p->plan);
    n.n_row = p->n_row;
    *p = n;
    return 0;
}

/* Rows, or those of eight runs that take as much memory. */
static int64_t plan_size(const struct bird_plan *p)
{
    int64_t rows = p->n_head * p->n_block, many = p->row[rows] / 8;

    return many > rows ? many : rows;
}

int bird_plans_add(struct bird_encoder *e, int64_t len)
{
    int64_t m = (len + e->pattern.block - 1) / e->pattern.block;
    int rc;

    if (bird_pattern_is_full(&e->pattern, len))
        return 0;
    rc = plans_reserve(&e->plans, e->c.n_layer, m);
    for (int64_t l = 0; !rc && l < e->c.n_layer; l++) {
        struct bird_plan **p = &e->plans.plan[l * e->plans.cap_block + m];

        if (*p)
            continue;
        rc = bird_plan_new(p, &e->pattern, len, l);
        e->plans.n_row += rc ? 0 : plan_size(*p);
    }
    return rc;
}
