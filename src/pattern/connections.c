/* Rows of blocks in equal steps, merged; and two parts over heads and layers.
 *
 * A part is at most three rising rows of steps, so that a row costs what it
 * lists and not the length of the sequence.
 * SPDX-License-Identifier: MIT */
#include "pattern/connections.h"

int64_t bird_steps_merge(int32_t *list, struct bird_steps *s, int n)
{
    int64_t m = 0;

    for (;;) {
        int64_t next = INT64_MAX;

        for (int k = 0; k < n; k++)
            if (s[k].first <= s[k].last && s[k].first < next)
                next = s[k].first;
        if (next == INT64_MAX)
            return m;
        list[m++] = (int32_t)next;
        for (int k = 0; k < n; k++)
            if (s[k].first == next)
                s[k].first += s[k].step;
    }
}

int64_t bird_two_parts(int32_t *list, const struct bird_plan_job *j,
                       int64_t head, int64_t i, bird_part_steps *part)
{
    const struct bird_pattern *p = j->p;
    struct bird_steps s[BIRD_STEPS];
    int64_t heads = p->own[BIRD_OWN_HEADS], w = p->own[BIRD_OWN_STRIDE];
    int second = heads == BIRD_HEADS_MULTIHEAD ? 2 * head >= p->n_head
                                               : (int)(j->layer % 2);
    int n = 0;

    if (heads == BIRD_HEADS_UNION || !second)
        n = part(s, 0, i, j->n_block, w);
    if (heads == BIRD_HEADS_UNION || second)
        n += part(s + n, 1, i, j->n_block, w);
    return bird_steps_merge(list, s, n);
}

int bird_two_by_head(const struct bird_pattern *p)
{
    return p->own[BIRD_OWN_HEADS] == BIRD_HEADS_MULTIHEAD;
}

int64_t bird_two_period(const struct bird_pattern *p)
{
    return p->own[BIRD_OWN_HEADS] == BIRD_HEADS_SEQUENTIAL ? 2 : 1;
}

const struct bird_pattern_param bird_two_params[BIRD_TWO_PARAMS] = {
    BIRD_PARAM_BLOCK,
    BIRD_PARAM_STRIDE,
    {.name = "pattern_heads",
     .option = "heads",
     .file = BIRD_PATTERN_META,
     .words = "union|multihead|sequential",
     .at = offsetof(struct bird_pattern, own[BIRD_OWN_HEADS]),
     .hi = BIRD_HEADS_SEQUENTIAL},
    BIRD_PARAM_CAUSAL};

int bird_two_describe(struct bird_text *t, const struct bird_pattern *p,
                      const char *why)
{
    static const char *const heads[] = {"both parts in every head",
                                        "a part in half of the heads each",
                                        "a part in every other layer"};

    (void)why;
    return bird_text_printf(
        t,
        BIRD_INFO_LINE "%s, blocks of %lld tokens, width %lld, %s%s: not "
                       "BigBird\n",
        "attention", p->row->name, (long long)p->block,
        (long long)p->own[BIRD_OWN_STRIDE], heads[p->own[BIRD_OWN_HEADS]],
        bird_causal_words(p));
}
