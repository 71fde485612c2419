/* Block lists of the encoder's attention. SPDX-License-Identifier: MIT */
#include "pattern/plan.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

/* No longer than what the reference runs block-sparse? */
static int is_short(const struct bird_pattern *p, int64_t len_tok)
{
    int64_t limit;

    return __builtin_mul_overflow(2 * p->n_random + 5, p->block, &limit) ||
           len_tok <= limit;
}

static int has_all_parts(const struct bird_pattern *p)
{
    return !p->parts || (p->parts & BIRD_PARTS_ALL) == BIRD_PARTS_ALL;
}

int bird_pattern_is_full(const struct bird_pattern *p, int64_t len_tok)
{
    return p->attention == BIRD_ATTENTION_FULL ||
           (has_all_parts(p) && is_short(p, len_tok));
}

void bird_plan_free(struct bird_plan *p)
{
    if (!p)
        return;
    free(p->row);
    free(p->run);
    free(p);
}

static int full_plan(struct bird_plan *p)
{
    int rc = bird_array_new(&p->run, p->n_block, sizeof(*p->run));

    if (rc)
        return rc;
    p->full = 1;
    for (int64_t i = 0; i < p->n_block; i++) {
        p->row[i + 1] = i + 1;
        p->run[i] = (struct bird_run){0, (int32_t)p->n_block, 1};
    }
    return 0;
}

/* Insert a block into a rising list of n. */
static void insert(int32_t *list, int64_t n, int32_t block)
{
    while (n > 0 && list[n - 1] > block) {
        list[n] = list[n - 1];
        n--;
    }
    list[n] = block;
}

/* What row i lists without its random blocks, rising; room for 5. */
static int64_t list_fixed(int32_t *list, int64_t i, int64_t n_block, int parts)
{
    int64_t wide = parts & BIRD_PART_WINDOW ? 1 : 0, n = 0;
    int64_t last = n_block - 1, global = parts & BIRD_PART_GLOBAL;

    if (global && i - wide > 0)
        list[n++] = 0;
    for (int64_t j = i - wide; j <= i + wide; j++)
        if (j >= 0 && j <= last)
            list[n++] = (int32_t)j;
    if (global && i + wide < last)
        list[n++] = (int32_t)last;
    return n;
}

/* How the rows of a sparse plan are made. */
struct rows {
    const int32_t *random; /* (n_head, n_block - 2, n_random) or NULL */
    int64_t n_random, layer;
    uint64_t seed;
    int parts, uniform;
    int32_t *list;            /* (5 + n_random) */
    int32_t *drawn;           /* (n_random), of uniform */
    struct bird_moved *moved; /* (n_random), of uniform */
};

/* Row (h, i) into r->list, rising, with repeats: how many. */
static int64_t list_row(struct rows *r, int64_t h, int64_t i, int64_t n_block)
{
    int64_t n = list_fixed(r->list, i, n_block, r->parts), m = r->n_random;
    const int32_t *random = r->random;

    if (r->uniform) {
        struct bird_uniform u = {r->seed, r->layer, h, i, n_block, r->list, n};

        m = bird_uniform_row(r->drawn, r->moved, m, &u);
        random = r->drawn;
    } else if (random) {
        random += (h * (n_block - 2) + i - 1) * m;
    }
    for (int64_t k = 0; k < m; k++, n++)
        insert(r->list, n, random ? random[k] : 0);
    return n;
}

/* Append a rising list as runs; room for one run an entry is there. */
static int64_t put_runs(struct bird_run *run, const int32_t *list, int64_t n)
{
    int64_t n_run = 0;

    for (int64_t i = 0, j; i < n; i = j) {
        struct bird_run *last = n_run ? run + n_run - 1 : NULL;

        for (j = i + 1; j < n && list[j] == list[i]; j++)
            ;
        if (last && last->first + last->count == list[i] &&
            last->times == (int32_t)(j - i))
            last->count++;
        else
            run[n_run++] = (struct bird_run){list[i], 1, (int32_t)(j - i)};
    }
    return n_run;
}

static int sparse_rows(struct bird_plan *p, struct rows *r)
{
    int64_t n_block = p->n_block, cap = 0, n = 0, k = 0;
    int rc = 0;

    for (int64_t h = 0; h < p->n_head; h++)
        for (int64_t i = 0; i < n_block; i++) {
            rc = bird_array_grow(&p->run, &cap, n + 5 + r->n_random,
                                 sizeof(*p->run));
            if (rc)
                return rc;
            if (r->parts & BIRD_PART_GLOBAL && (i == 0 || i == n_block - 1))
                p->run[n++] = (struct bird_run){0, (int32_t)n_block, 1};
            else
                n += put_runs(p->run + n, r->list, list_row(r, h, i, n_block));
            p->row[++k] = n;
        }
    return 0;
}

static int sparse_plan(struct bird_plan *p, struct rows *r)
{
    int rc = bird_array_new(&r->list, 5 + r->n_random, sizeof(*r->list));

    if (!rc && r->uniform)
        rc = bird_array_new(&r->drawn, r->n_random, sizeof(*r->drawn));
    if (!rc && r->uniform)
        rc = bird_array_new(&r->moved, r->n_random, sizeof(*r->moved));
    if (!rc)
        rc = sparse_rows(p, r);
    free(r->list);
    free(r->drawn);
    free(r->moved);
    return rc;
}

/* Do heads differ? */
static int by_head(const struct bird_pattern *p)
{
    return (p->random == BIRD_RANDOM_PLAN ||
            p->random == BIRD_RANDOM_UNIFORM) &&
           p->n_random && (!p->parts || p->parts & BIRD_PART_RANDOM);
}

static int check(const struct bird_pattern *p, int64_t len_tok, int64_t layer)
{
    int64_t rows;

    if (len_tok < 1)
        return bird_fail(BIRD_EINVAL,
                         "attention plan: a sequence of no tokens");
    if (p->parts && !(p->parts & BIRD_PART_GLOBAL) &&
        p->random == BIRD_RANDOM_PLAN && p->parts & BIRD_PART_RANDOM)
        return bird_fail(BIRD_EINVAL,
                         "attention plan: the reference's random blocks need "
                         "global ones: take uniform ones");
    if (p->block < 1 || p->n_random < 0 || p->n_random > INT32_MAX ||
        p->n_head < 1 || layer < 0 || layer > UINT32_MAX)
        return bird_fail(BIRD_EINVAL, "attention plan: impossible sizes");
    if ((len_tok - 1) / p->block >= INT32_MAX ||
        len_tok > INT64_MAX - p->block ||
        __builtin_mul_overflow((len_tok - 1) / p->block + 1, p->n_head, &rows))
        return bird_fail(BIRD_EINVAL,
                         "attention plan: %lld tokens in blocks "
                         "of %lld are too many",
                         (long long)len_tok, (long long)p->block);
    return 0;
}

/* `drawn`: the reference's plan is defined at this length. */
static int draw_plan(struct bird_plan *plan, const struct bird_pattern *p,
                     int64_t layer, int drawn)
{
    struct rows r = {.layer = layer,
                     .seed = p->seed,
                     .parts = p->parts ? p->parts : BIRD_PARTS_ALL,
                     .uniform = p->random == BIRD_RANDOM_UNIFORM ||
                                (p->random == BIRD_RANDOM_PLAN && !drawn)};
    int32_t *random = NULL;
    int64_t n;
    int rc;

    if (r.parts & BIRD_PART_RANDOM && p->random != BIRD_RANDOM_NONE)
        r.n_random = p->n_random;
    if (p->random != BIRD_RANDOM_PLAN || !drawn || !r.n_random)
        return sparse_plan(plan, &r);
    if (__builtin_mul_overflow(p->n_head * plan->n_block, r.n_random, &n))
        return bird_fail(BIRD_EINVAL, "attention plan: sizes overflow");
    rc = bird_array_new(&random, n, sizeof(*random));
    if (!rc)
        rc = bird_random_plan(random, plan->n_block, p->block, p->n_head,
                              r.n_random, p->max_positions, (uint32_t)layer);
    r.random = random;
    if (!rc)
        rc = sparse_plan(plan, &r);
    free(random);
    return rc;
}

int bird_plan_new(struct bird_plan **out, const struct bird_pattern *p,
                  int64_t len_tok, int64_t layer)
{
    struct bird_plan *plan = NULL;
    int full, rc = check(p, len_tok, layer);

    if (rc)
        return rc;
    full = bird_pattern_is_full(p, len_tok);
    if ((rc = bird_array_new(&plan, 1, sizeof(*plan))))
        return rc;
    plan->n_block = (len_tok - 1) / p->block + 1;
    plan->block = p->block;
    plan->n_head = !full && by_head(p) ? p->n_head : 1;
    rc = bird_array_new(&plan->row, plan->n_head * plan->n_block + 1,
                        sizeof(*plan->row));
    if (!rc)
        rc = full ? full_plan(plan)
                  : draw_plan(plan, p, layer, !is_short(p, len_tok));
    if (!rc)
        *out = plan, plan = NULL;
    bird_plan_free(plan);
    return rc;
}
