/* A pattern's lists of key blocks, row by row, as runs of neighbours.
 *
 * Runs instead of lists: attention multiplies a run of blocks as one matrix,
 * and a block counted k times once, with a weight. Rows are made for each head
 * only where heads differ.
 * SPDX-License-Identifier: MIT */
#include "pattern/plan.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

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

/* Append a rising list as runs; one run an entry has its place. */
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

/* The key blocks of a row; a pattern without lists sees all. */
static int64_t list_row(int32_t *list, const struct bird_plan_job *j,
                        int64_t head, int64_t i)
{
    int64_t m = j->n_block;

    if (j->p->row->list)
        m = j->p->row->list(list, j, head, i);
    else
        for (int64_t k = 0; k < m; k++)
            list[k] = (int32_t)k;
    while (bird_pattern_is_causal(j->p) && m && list[m - 1] > i)
        m--;
    return m;
}

static int put_rows(struct bird_plan *plan, const struct bird_plan_job *j)
{
    const struct bird_pattern_row *row = j->p->row;
    int64_t extra = row->extra ? row->extra(j->p) : 0, cap = 0, n = 0, k = 0;
    int32_t *list = NULL;
    int rc = bird_array_new(&list, extra + plan->n_block, sizeof(*list));

    for (int64_t h = 0; !rc && h < plan->n_head; h++)
        for (int64_t i = 0; !rc && i < plan->n_block; i++) {
            int64_t m = list_row(list, j, h, i);

            rc = bird_array_grow(&plan->run, &cap, n + m, sizeof(*plan->run));
            if (!rc)
                n += put_runs(plan->run + n, list, m);
            plan->row[++k] = n;
        }
    free(list);
    return rc;
}

static int check(const struct bird_pattern *p, int64_t len_tok, int64_t layer)
{
    int64_t rows;

    if (len_tok < 1)
        return bird_fail(BIRD_EINVAL,
                         "attention plan: a sequence of no tokens");
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
    return p->row->check ? p->row->check(p) : 0;
}

static int sparse_plan(struct bird_plan *plan, const struct bird_pattern *p,
                       int64_t len_tok, int64_t layer)
{
    const struct bird_pattern_row *row = p->row;
    struct bird_plan_job j = {
        .p = p, .len_tok = len_tok, .n_block = plan->n_block, .layer = layer};
    int rc = row->begin ? row->begin(&j) : 0;

    if (!rc)
        rc = put_rows(plan, &j);
    if (row->end)
        row->end(&j);
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
    plan->causal = bird_pattern_is_causal(p);
    plan->n_head =
        !full && p->row->by_head && p->row->by_head(p) ? p->n_head : 1;
    rc = bird_array_new(&plan->row, plan->n_head * plan->n_block + 1,
                        sizeof(*plan->row));
    if (!rc)
        rc = full ? full_plan(plan) : sparse_plan(plan, p, len_tok, layer);
    if (!rc)
        *out = plan, plan = NULL;
    bird_plan_free(plan);
    return rc;
}
