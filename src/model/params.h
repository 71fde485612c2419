/**
 * The parameters of a model: one table of names, shapes and offsets in one
 * block of floats, so that loading, saving, clipping and updating are loops.
 *
 * Names are Hugging Face's for BigBird, always with the `bert.` prefix; all
 * linear weights are (out, in). Gradients and optimiser moments are further
 * blocks of the same size and table.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_PARAMS_H
#define BIRD_MODEL_PARAMS_H

#include <stdint.h>

#include "dnabird/error.h"
#include "model/config.h"

enum bird_param_kind {
    BIRD_PARAM_WEIGHT,   /* of a linear layer, (out, in) */
    BIRD_PARAM_BIAS,     /* of a linear layer or a LayerNorm */
    BIRD_PARAM_GAIN,     /* of a LayerNorm */
    BIRD_PARAM_EMBEDDING /* a look-up table */
};

/** Offsets are multiples of this many floats, except for key and value, which
 *  follow the query without a gap. */
enum { BIRD_PARAM_ALIGN = 16 };

struct bird_param {
    char name[96];
    int n_dim;
    int64_t shape[3]; /* 1 beyond n_dim */
    int64_t count;    /* floats */
    int64_t offset;   /* first float in the block */
    int kind;         /* enum bird_param_kind */
    int decay;        /* weight decay: not for biases and LayerNorm */
};

/**
 * All parameters of this configuration in a fixed order: embeddings, layers,
 * pooler, head. In a layer query.weight, key.weight, value.weight lie next to
 * each other without a gap, so that they are one (3H, H) matrix; so do
 * query.bias, key.bias, value.bias (absent with use_bias = 0). The MLM
 * decoder's weight is in the list only when it is not tied to the word
 * embedding; its bias is cls.predictions.bias.
 * Owner: *out is the caller's, free().
 * Errors: BIRD_ENOMEM, BIRD_EINVAL (bird_config_check)
 *
 * @param[out] total floats in a block
 */
BIRD_MUST_CHECK int bird_params_list(struct bird_param **out, int64_t *n,
                                     int64_t *total,
                                     const struct bird_config *c);

/** A table that is being made, {0} at first. Functions that append report an
 *  error in rc and then do nothing. Owner: p is the caller's, free(). */
struct bird_param_list {
    struct bird_param *p;
    int64_t n, cap, total;
    int rc;
};

/** Append a tensor (rows, cols), or a vector (rows) where cols is 0. */
void bird_params_add(struct bird_param_list *l, enum bird_param_kind kind,
                     int64_t rows, int64_t cols, const char *name);
/** Append name.weight (out, in) and name.bias (out). */
void bird_params_add_linear(struct bird_param_list *l, int64_t out, int64_t in,
                            const char *name);
/** Append name.weight and name.bias of a LayerNorm, (size) each. */
void bird_params_add_norm(struct bird_param_list *l, int64_t size,
                          const char *name);

/** The parameter of this name; NULL when there is none. Borrowed. */
const struct bird_param *bird_params_find(const struct bird_param *list,
                                          int64_t n, const char *name);

/** Does it belong to the head (its name begins with cls., classifier. or
 *  qa_classifier.)? */
int bird_param_is_head(const struct bird_param *p);

/** Number of parameters: the sum of count. */
int64_t bird_params_count(const struct bird_param *list, int64_t n);

/**
 * Random start as in the reference: weights and embeddings normal with
 * standard deviation initializer_range, biases 0, gains 1, the word
 * embedding's row pad_id 0; filters of a stem with that of 1 / sqrt(inputs), and
 * words that such a stem reads one-hot where the vocabulary has no more than
 * the model has features. A pure function of (seed, index in the list, row).
 *
 * @param only NULL, or (n): parameters with only[i] = 0 are left alone
 */
void bird_params_init(float *block, const struct bird_param *list, int64_t n,
                      const struct bird_config *c, uint64_t seed,
                      const unsigned char *only);

#endif
