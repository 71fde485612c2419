/**
 * The stem: convolutions between the token embeddings and the encoder, and the
 * rows that tokens become.
 *
 *     tokens -> embedding -> (convolution, norm, activation [, residual]
 *     [, pool]) x n -> rows -> + position, type -> LayerNorm -> layers
 *
 * A leading [CLS] and a closing [SEP] are rows of their own, with their word
 * embedding, and so are global tokens before [CLS]; the tokens between them are
 * pooled, groups of pool tokens from the first one after [CLS] on, the last group may be short. Convolutions see
 * zeros beyond the tokens between them, and so never another sequence.
 *
 * Source: kernels as wide as a motif and pooling before attention as in
 * Enformer (Avsec et al. 2021); docs/math/stem.md has the derivation.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_STEM_H
#define BIRD_MODEL_STEM_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"
#include "model/config.h"

struct bird_batch;
struct bird_encoder;
struct bird_weights;

/** Rows of special tokens before and after the stem's rows, of the n tokens of a
 *  sequence: 0 or 1 each; before [CLS] there may also be the pattern's global
 *  tokens. */
void bird_stem_ends(const struct bird_config *c, const int32_t *ids, int64_t n,
                    int64_t *before, int64_t *behind);

/** Tokens of a row: the product of all pools; 1 without a stem. */
int64_t bird_stem_pool(const struct bird_config *c);

/** Rows that the n tokens of a sequence become; n without a stem. */
int64_t bird_stem_rows(const struct bird_config *c, const int32_t *ids,
                       int64_t n);

/** The first token of row `row` of these n tokens; `row` without a stem. */
int64_t bird_stem_token(const struct bird_config *c, const int32_t *ids,
                        int64_t n, int64_t row);

/** The row of token i of these n tokens; i without a stem. */
int64_t bird_stem_row(const struct bird_config *c, const int32_t *ids,
                      int64_t n, int64_t i);

/**
 * Channels of a token's features at full resolution, where rows hold several
 * tokens: what the first layer with a pool makes before its pool. 0 where
 * every token has a row. *layer, if it is not NULL, is that layer, or -1.
 */
int64_t bird_stem_full(const struct bird_config *c, int64_t *layer);

/** The id of row i of sequence s, which is that of a special token of its own;
 *  -1: a row of the stem. */
int32_t bird_stem_special(const struct bird_config *c,
                          const struct bird_batch *b, int64_t s, int64_t i);

/** Do words begin as one-hot: a stem over a vocabulary no larger than the
 *  model's features? */
int bird_stem_reads_one_hot(const struct bird_config *c);

/** Tokens, special ones included, that surely become max_rows rows at most. */
int64_t bird_stem_tokens(const struct bird_config *c, int64_t max_rows);

/** Channels that layer i reads: the embedding's, or those of the one before. */
int64_t bird_stem_channels_in(const struct bird_config *c, int64_t i);

/** Take the stem from text, "15x192/4,5x128+": layers of KERNELxCHANNELS, /POOL,
 *  + where the input is added, :ACTIVATION (gelu), :plain without LayerNorm;
 *  "none". Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_stem_parse(struct bird_config *c, const char *text);

/** The text of a stem. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_stem_text(struct bird_text *out,
                                   const struct bird_config *c);

/** The same from and to dnabird.json's object; without a stem nothing.
 *  Errors: BIRD_EFORMAT, BIRD_EUNSUPPORTED, those of bird_stem_check(); writing:
 *  -1 out of memory */
BIRD_MUST_CHECK int bird_stem_read(struct bird_config *c, const json_t *meta,
                                   const char *path);
BIRD_MUST_CHECK int bird_stem_write(json_t *meta, const struct bird_config *c);

/** Sizes against each other and against the encoder's. Errors: BIRD_EINVAL,
 *  BIRD_EUNSUPPORTED; path names the configuration. */
BIRD_MUST_CHECK int bird_stem_check(const struct bird_config *c,
                                    const char *path);

/**
 * Floats of the first layer's table (vocabulary, kernel, channels), which holds
 * embedding x weight, so that a convolution of tokens is a sum of table rows;
 * 0 where it would take more than 4 MiB: the layer then multiplies as the
 * others do. Both are within 1e-5 of each other.
 */
int64_t bird_stem_table_size(const struct bird_config *c);

/** Fill the table of these weights. */
void bird_stem_table(float *table, const struct bird_config *c,
                     const struct bird_weights *w);

/** Floats that one task works in, in training too. */
int64_t bird_stem_scratch(const struct bird_config *c);

/**
 * Make the encoder's stem ready for this batch: weights that are not prepared
 * (bird_weights_prepare) are packed as they now are. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_stem_prepare(struct bird_encoder *e,
                                      const struct bird_batch *b);

/** Rows of the stem into y (N, D); those of special tokens are left alone. In
 *  tiles with the rows around them: nothing else is kept. */
void bird_stem_forward(struct bird_encoder *e, float *y,
                       const struct bird_batch *b);

#endif
