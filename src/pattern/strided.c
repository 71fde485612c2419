/* STRIDED: the w blocks around a block, and all that are a multiple of w away.
 * Source: Yun et al. 2020, arXiv:2006.04862, eq. 4, after Child et al. 2019,
 * arXiv:1904.10509; docs/math/pattern.md.
 * SPDX-License-Identifier: MIT */
#include "pattern/connections.h"

static int part(struct bird_steps *s, int part, int64_t i, int64_t n, int64_t w)
{
    int64_t from = i - (w + 1) / 2, to = i + w / 2;

    if (part)
        *s = (struct bird_steps){i % w, n - 1, w};
    else
        *s = (struct bird_steps){from > 0 ? from : 0, to < n ? to : n - 1, 1};
    return 1;
}

static int64_t list(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i)
{
    return bird_two_parts(list, j, head, i, part);
}

const struct bird_pattern_row bird_pattern_strided = {
    .name = "strided",
    .type = "strided",
    .param = bird_two_params,
    .n_param = BIRD_TWO_PARAMS,
    .by_head = bird_two_by_head,
    .period = bird_two_period,
    .list = list,
    .describe = bird_two_describe};
