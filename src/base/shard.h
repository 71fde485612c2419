/**
 * Shards of an input: "2/3" is the second of three. In order, the shards make
 * the whole.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_SHARD_H
#define BIRD_BASE_SHARD_H

#include <stdint.h>

#include "dnabird/error.h"

struct bird_shard {
    int64_t i, n; /* i from 1 */
};

/** Errors: BIRD_EINVAL; `text` NULL is "1/1". */
BIRD_MUST_CHECK int bird_shard_parse(struct bird_shard *out, const char *text);

/** The units *from .. *to of `all` units in this shard: about all / n. */
void bird_shard_range(int64_t *from, int64_t *to, const struct bird_shard *s,
                      int64_t all);

#endif
