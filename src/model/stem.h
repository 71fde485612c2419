/**
 * The stem: convolutions between the token embeddings and the encoder, and the
 * rows that tokens become.
 *
 *     tokens -> embedding -> (convolution, norm, activation [, residual]
 *     [, pool]) x n -> rows -> + position, type -> LayerNorm -> layers
 *
 * A leading [CLS] and a closing [SEP] are rows of their own, with their word
 * embedding; the tokens between them are pooled, groups of pool tokens from
 * the first one after [CLS] on, the last group may be short. Convolutions see
 * zeros beyond the tokens between them, and so never another sequence.
 *
 * Source: kernels as wide as a motif and pooling before attention as in
 * Enformer (Avsec et al. 2021); docs/math/stem.md has the derivation.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_STEM_H
#define BIRD_MODEL_STEM_H

#include <stdint.h>

struct bird_config;

/** Tokens of a row: the product of all pools; 1 without a stem. */
int64_t bird_stem_pool(const struct bird_config *c);

/** Rows that the n tokens of a sequence become; n without a stem. */
int64_t bird_stem_rows(const struct bird_config *c, const int32_t *ids,
                       int64_t n);

/** The first token of row `row` of these n tokens; `row` without a stem. */
int64_t bird_stem_token(const struct bird_config *c, const int32_t *ids,
                        int64_t n, int64_t row);

/** Tokens, special ones included, that surely become max_rows rows at most. */
int64_t bird_stem_tokens(const struct bird_config *c, int64_t max_rows);

#endif
