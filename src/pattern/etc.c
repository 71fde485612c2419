/* BigBird-ETC: g global tokens of its own in front of the text. They list all
 * and are listed by all; the text's rows are a window and, where it is asked
 * for, random blocks of the text. Matrix B of Zaheer et al. 2020,
 * arXiv:2007.14062, section 2:
 *
 *   B(i, :) = B(:, i) = 1 for i <= g,    B(g + i, g + j) = A(i, j)
 *
 * without the relative positions of its appendix E.2. A is that of a text
 * without them, random blocks included. docs/math/pattern.md.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/tokenizer.h"
#include "pattern/connections.h"
#include "pattern/rows.h"

#define AT(field) offsetof(struct bird_pattern, field)

static const struct bird_pattern_param params[] = {
    BIRD_PARAM_BLOCK,
    {.name = "global_tokens",
     .option = "global",
     .at = AT(own[BIRD_OWN_GLOBAL]),
     .usual = 64,
     .lo = 1,
     .hi = BIRD_GLOBAL_MAX},
    BIRD_PARAM_NEAR,
    {.name = "drawn_blocks",
     .option = "n_random",
     .file = BIRD_PATTERN_META,
     .implied = 1,
     .at = AT(own[BIRD_OWN_RANDOM]),
     .hi = 1 << 16},
    BIRD_PARAM_SEED,
};

static int64_t global_tokens(const struct bird_pattern *p)
{
    return p->own[BIRD_OWN_GLOBAL];
}

/* Are all rows of the text as long as the window? Then the rule changes
 * nothing but the time. */
static int is_full(const struct bird_pattern *p, int64_t len_tok)
{
    int64_t limit;

    return __builtin_mul_overflow(p->own[BIRD_OWN_NEAR] + 1, p->block,
                                  &limit) ||
           len_tok - global_tokens(p) <= limit;
}

static int by_head(const struct bird_pattern *p)
{
    return p->own[BIRD_OWN_RANDOM] > 0;
}

static int64_t period(const struct bird_pattern *p)
{
    return by_head(p) ? 0 : 1;
}

static int check(const struct bird_pattern *p)
{
    if (global_tokens(p) % p->block == 0)
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "attention plan: %lld global tokens are not a multiple of "
                     "the block size, which is %lld",
                     (long long)global_tokens(p), (long long)p->block);
}

static int begin(struct bird_plan_job *j)
{
    struct bird_random_rows *d = NULL;
    int rc = bird_array_new(&d, 1, sizeof(*d));

    j->state = d;
    return rc ? rc : bird_random_rows_new(d, j->p->own[BIRD_OWN_RANDOM]);
}

static void end(struct bird_plan_job *j)
{
    if (j->state)
        bird_random_rows_free(j->state);
    free(j->state);
}

/* The row of A, moved behind the global blocks. */
static int64_t list(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i)
{
    const struct bird_shape a = {.near = j->p->own[BIRD_OWN_NEAR]};
    int64_t g = global_tokens(j->p) / j->p->block, n_block = j->n_block - g;
    int32_t *text = list + g;
    struct bird_uniform u = {.seed = j->p->seed,
                             .layer = j->layer,
                             .head = head,
                             .row = i - g,
                             .n_block = n_block,
                             .fixed = text};

    for (int64_t k = 0; k < (i < g ? j->n_block : g); k++)
        list[k] = (int32_t)k;
    if (i < g)
        return j->n_block;
    u.n_fixed = bird_shape_row(text, i - g, n_block, &a);
    u.n_fixed = bird_random_rows_add(text, j->state, &u);
    for (int64_t k = 0; k < u.n_fixed; k++)
        text[k] += (int32_t)g;
    return g + u.n_fixed;
}

static int describe(struct bird_text *t, const struct bird_pattern *p,
                    const char *why)
{
    int rc = bird_text_printf(
        t,
        BIRD_INFO_LINE "BigBird-ETC: blocks of %lld tokens, %lld to either "
                       "side, %lld random ones a row\n" BIRD_INFO_LINE
                       "%lld, [G1] to [G%lld], in front of [CLS]; heads on "
                       "token 0 read [G1]\n",
        "attention", (long long)p->block, (long long)p->own[BIRD_OWN_NEAR],
        (long long)p->own[BIRD_OWN_RANDOM], "global tokens",
        (long long)global_tokens(p), (long long)global_tokens(p));

    (void)why;
    if (!rc && p->seed)
        rc = bird_text_printf(t, BIRD_INFO_LINE "%llu\n", "pattern seed",
                              (unsigned long long)p->seed);
    return rc;
}

const struct bird_pattern_row bird_pattern_etc = {
    .name = "etc",
    .type = "etc",
    .param = params,
    .n_param = sizeof(params) / sizeof(*params),
    .global_tokens = global_tokens,
    .is_full = is_full,
    .by_head = by_head,
    .period = period,
    .check = check,
    .begin = begin,
    .end = end,
    .list = list,
    .describe = describe};
