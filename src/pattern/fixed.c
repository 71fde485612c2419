/* FIXED: a block sees its own group of w blocks, and the last block of every
 * group, which summarizes the group. Source: Yun et al. 2020,
 * arXiv:2006.04862, eq. 5, after Child et al. 2019, arXiv:1904.10509;
 * docs/math/pattern.md.
 * SPDX-License-Identifier: MIT */
#include "pattern/connections.h"

static int part(struct bird_steps *s, int part, int64_t i, int64_t n, int64_t w)
{
    int64_t group = i / w * w, end = group + w - 1;

    if (part) {
        s[0] = (struct bird_steps){i, i, 1};
        s[1] = (struct bird_steps){w - 1, n - 1, w};
        return 2;
    }
    *s = (struct bird_steps){group, end < n ? end : n - 1, 1};
    return 1;
}

static int64_t list(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i)
{
    return bird_two_parts(list, j, head, i, part);
}

const struct bird_pattern_row bird_pattern_fixed = {.name = "fixed",
                                                    .type = "fixed",
                                                    .param = bird_two_params,
                                                    .n_param = BIRD_TWO_PARAMS,
                                                    .by_head = bird_two_by_head,
                                                    .period = bird_two_period,
                                                    .list = list,
                                                    .describe =
                                                        bird_two_describe};
