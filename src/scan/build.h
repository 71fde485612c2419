/**
 * Is this the genome build that a model was trained on?
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_BUILD_H
#define BIRD_PREDICT_BUILD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Compare a contig's length with `genome` of dnabird.json,
 *     "genome": {"name": "GRCh37", "contigs": {"20": 63025520}},
 * names meeting with and without "chr". Writes one sentence into `notice` (of
 * `size` bytes) when the lengths differ and nothing stands there yet.
 */
void bird_build_check(char *notice, size_t size, const json_t *meta,
                      const char *contig, int64_t length);

#endif
