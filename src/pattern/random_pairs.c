/* RANDOM: a block's own, and of all others each by itself with the same
 * probability; lists differ by head and layer. Source: Yun et al. 2020,
 * arXiv:2006.04862, section 5; docs/math/pattern.md.
 *
 * Random whole numbers are compared with a whole share, so that lists are the
 * same on every machine.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "pattern/connections.h"
#include "pattern/random.h"

static const struct bird_pattern_param params[] = {
    BIRD_PARAM_BLOCK,
    {.name = "pattern_sparsity",
     .option = "sparsity",
     .file = BIRD_PATTERN_META,
     .at = offsetof(struct bird_pattern, own[BIRD_OWN_SPARSITY]),
     .usual = 90,
     .hi = 100},
    BIRD_PARAM_SEED,
    BIRD_PARAM_CAUSAL};

static int64_t list(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i)
{
    const int64_t *own = j->p->own;
    int64_t n = 0;
    uint64_t out = (uint64_t)own[BIRD_OWN_SPARSITY];
    struct bird_rng rng;

    bird_rng_init(&rng, bird_mix(j->p->seed, (uint64_t)j->layer),
                  (uint64_t)head, (uint64_t)i);
    for (int64_t k = 0; k < j->n_block; k++) {
        int is_listed = bird_rng_below(&rng, 100) >= out;

        if (is_listed || k == i)
            list[n++] = (int32_t)k;
    }
    return n;
}

static int by_head(const struct bird_pattern *p)
{
    (void)p;
    return 1;
}

static int64_t period(const struct bird_pattern *p)
{
    (void)p;
    return 0;
}

static int describe(struct bird_text *t, const struct bird_pattern *p,
                    const char *why)
{
    (void)why;
    return bird_text_printf(t,
                            BIRD_INFO_LINE "random, blocks of %lld tokens, "
                                           "%lld %% left out by head and "
                                           "layer, seed %llu%s: not BigBird\n",
                            "attention", (long long)p->block,
                            (long long)p->own[BIRD_OWN_SPARSITY],
                            (unsigned long long)p->seed, bird_causal_words(p));
}

const struct bird_pattern_row bird_pattern_random = {.name = "random",
                                                     .type = "random",
                                                     .param = params,
                                                     .n_param = sizeof(params) /
                                                                sizeof(*params),
                                                     .by_head = by_head,
                                                     .period = period,
                                                     .list = list,
                                                     .describe = describe};
