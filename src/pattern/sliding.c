/* A sliding window alone: every block sees `width` blocks to either side and
 * itself. What is farther away is reached through layers, `width` blocks each
 * (Beltagy et al. 2020, arXiv:2004.05150, section 3.1).
 * SPDX-License-Identifier: MIT */
#include "pattern/connections.h"

static const struct bird_pattern_param params[] = {
    {.name = "block_size",
     .option = "block",
     .at = offsetof(struct bird_pattern, block),
     .usual = 64,
     .lo = 1,
     .hi = 1 << 20},
    {.name = "attention_window",
     .option = "width",
     .at = offsetof(struct bird_pattern, own[BIRD_OWN_WIDTH]),
     .usual = 1,
     .lo = 1,
     .hi = 1 << 20},
    BIRD_PARAM_CAUSAL,
};

static int64_t list(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i)
{
    int64_t width = j->p->own[BIRD_OWN_WIDTH], n = 0;
    int64_t first = i > width ? i - width : 0;

    (void)head;
    for (int64_t k = first; k <= i + width && k < j->n_block; k++)
        list[n++] = (int32_t)k;
    return n;
}

static int describe(struct bird_text *t, const struct bird_pattern *p,
                    const char *why)
{
    (void)why;
    return bird_text_printf(t,
                            BIRD_INFO_LINE "a window of blocks of %lld "
                                           "tokens, %lld to either side%s: "
                                           "not BigBird\n",
                            "attention", (long long)p->block,
                            (long long)p->own[BIRD_OWN_WIDTH],
                            bird_causal_words(p));
}

const struct bird_pattern_row bird_pattern_window = {.name = "window",
                                                     .type = "window",
                                                     .param = params,
                                                     .n_param = sizeof(params) /
                                                                sizeof(*params),
                                                     .list = list,
                                                     .describe = describe};
