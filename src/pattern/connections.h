/**
 * What the patterns of Yun et al. 2020 (arXiv:2006.04862, eq. 4-6) share: rows
 * made of blocks in equal steps, and how a pattern of two parts is spread over
 * heads and layers. docs/math/pattern.md derives them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_CONNECTIONS_H
#define BIRD_PATTERN_CONNECTIONS_H

#include "pattern/pattern.h"

/** Where the two parts of a pattern go. */
enum bird_pattern_heads {
    BIRD_HEADS_UNION,     /* both, in every head of every layer */
    BIRD_HEADS_MULTIHEAD, /* the first in the first half of the heads */
    BIRD_HEADS_SEQUENTIAL /* the first in layers 0, 2, ..., the second between */
};

/** Blocks first, first + step, ... up to last; none where first > last. */
struct bird_steps {
    int64_t first, last, step;
};

/** Steps that the parts of a pattern write at most. */
enum { BIRD_STEPS = 6 };

/** Their union, rising, no block twice: how many. */
int64_t bird_steps_merge(int32_t *list, struct bird_steps *s, int n);

/** The steps of one part for block i of n, width w: how many, BIRD_STEPS / 2 at
 *  most. */
typedef int bird_part_steps(struct bird_steps *s, int part, int64_t i,
                            int64_t n, int64_t w);

/** A row of a pattern of two parts, by the heads of j->p. */
int64_t bird_two_parts(int32_t *list, const struct bird_plan_job *j,
                       int64_t head, int64_t i, bird_part_steps *part);

/** Of a pattern of two parts: bird_pattern_row.by_head and .period. */
int bird_two_by_head(const struct bird_pattern *p);
int64_t bird_two_period(const struct bird_pattern *p);

/** Their parameters: the block, w, where the parts go, causal. */
enum { BIRD_TWO_PARAMS = 4 };
extern const struct bird_pattern_param bird_two_params[BIRD_TWO_PARAMS];

/** Their line for `info`. */
int bird_two_describe(struct bird_text *t, const struct bird_pattern *p,
                      const char *why);

/* Parameters, as rows of these patterns list them. */
#define BIRD_PARAM_BLOCK                                                       \
    {                                                                          \
        .name = "block_size", .option = "block",                               \
        .at = offsetof(struct bird_pattern, block), .usual = 64, .lo = 1,      \
        .hi = 1 << 20                                                          \
    }
#define BIRD_PARAM_STRIDE                                                      \
    {                                                                          \
        .name = "pattern_width", .option = "width", .file = BIRD_PATTERN_META, \
        .at = offsetof(struct bird_pattern, own[BIRD_OWN_STRIDE]),             \
        .usual = 16, .lo = 1, .hi = 1 << 20                                    \
    }
#define BIRD_PARAM_CAUSAL                                                      \
    {                                                                          \
        .name = "pattern_causal", .option = "causal",                          \
        .file = BIRD_PATTERN_META, .words = "no|yes", .implied = 1,            \
        .at = offsetof(struct bird_pattern, own[BIRD_OWN_CAUSAL]), .hi = 1     \
    }

#endif
