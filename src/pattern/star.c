/* STAR: a relay, which sees all and is seen by all, and the others on a ring,
 * each with w neighbours to either side. Source: Yun et al. 2020,
 * arXiv:2006.04862, eq. 6, after Guo et al. 2019, arXiv:1902.09113;
 * docs/math/pattern.md.
 *
 * The paper's relay is the last block. Heads on token 0 read the first.
 * SPDX-License-Identifier: MIT */
#include "pattern/connections.h"

static const struct bird_pattern_param params[] = {
    BIRD_PARAM_BLOCK,
    BIRD_PARAM_STRIDE,
    {.name = "pattern_relay",
     .option = "relay",
     .file = BIRD_PATTERN_META,
     .words = "last|first",
     .implied = 1,
     .at = offsetof(struct bird_pattern, own[BIRD_OWN_RELAY]),
     .hi = 1},
    BIRD_PARAM_CAUSAL};

/* Places from .. to of a ring of m as steps, `shift` further: how many. */
static int ring(struct bird_steps *s, int64_t from, int64_t to, int64_t m,
                int64_t shift)
{
    int n = 0;

    if (to - from + 1 >= m) {
        *s = (struct bird_steps){shift, shift + m - 1, 1};
        return 1;
    }
    if (from < 0)
        s[n++] = (struct bird_steps){shift + from + m, shift + m - 1, 1};
    if (to >= m)
        s[n++] = (struct bird_steps){shift, shift + to - m, 1};
    s[n++] = (struct bird_steps){shift + (from > 0 ? from : 0),
                                 shift + (to < m ? to : m - 1), 1};
    return n;
}

static int64_t list(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i)
{
    const int64_t *own = j->p->own;
    int64_t w = own[BIRD_OWN_STRIDE], m = j->n_block - 1;
    int64_t first = own[BIRD_OWN_RELAY], relay = first ? 0 : m, place;
    struct bird_steps s[BIRD_STEPS];
    int n = 1;

    (void)head;
    place = i - first;
    if (i == relay) {
        s[0] = (struct bird_steps){0, m, 1};
    } else {
        s[0] = (struct bird_steps){relay, relay, 1};
        n += ring(s + 1, place - w, place + w, m, first);
    }
    return bird_steps_merge(list, s, n);
}

static int describe(struct bird_text *t, const struct bird_pattern *p,
                    const char *why)
{
    (void)why;
    return bird_text_printf(
        t,
        BIRD_INFO_LINE "star, blocks of %lld tokens, %lld "
                       "to either side, the %s one sees "
                       "and is seen by all%s: not "
                       "BigBird\n",
        "attention", (long long)p->block, (long long)p->own[BIRD_OWN_STRIDE],
        p->own[BIRD_OWN_RELAY] ? "first" : "last", bird_causal_words(p));
}

const struct bird_pattern_row bird_pattern_star = {.name = "star",
                                                   .type = "star",
                                                   .param = params,
                                                   .n_param = sizeof(params) /
                                                              sizeof(*params),
                                                   .list = list,
                                                   .describe = describe};
