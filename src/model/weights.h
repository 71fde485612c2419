/**
 * Pointers to every tensor of a model inside one block of floats: the
 * parameters, their gradients, or anything else of that layout.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_WEIGHTS_H
#define BIRD_MODEL_WEIGHTS_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "model/config.h"
#include "model/params.h"

/** weight (out, in) and bias (out); bias NULL when the model has none. */
struct bird_linear {
    float *w, *b;
    float *packed;         /* the weight as products take it, or NULL */
    struct bird_low *low;  /* the weight in lower precision, or NULL */
    struct bird_low *back; /* the same for the backward pass, or NULL */
};

struct bird_norm {
    float *gain, *beta;
};

struct bird_layer {
    struct bird_linear qkv; /* (3D, D): query, key, value end to end */
    struct bird_linear out, up, down;
    struct bird_norm norm1, norm2;
    /* Learned scales of the two branches, or NULL. With them out and down are
       products of scale and tensors, which these are. */
    float *scale_out, *scale_down;
    struct bird_linear plain_out, plain_down;
};

/** A convolution of the stem: its weight (channels, kernel, channels in) is
 *  that of a linear layer over kernel rows. */
struct bird_conv {
    struct bird_linear l;
    struct bird_norm norm; /* NULL without one */
};

struct bird_weights {
    float *word, *position, *type;
    struct bird_norm embedding;
    struct bird_layer *layer; /* (n_layer) */
    struct bird_linear pooler;
    struct bird_linear transform;      /* cls.predictions.transform.dense */
    struct bird_linear transform_stem; /* of features at full resolution */
    struct bird_norm transform_norm;
    struct bird_linear decoder; /* its weight is word when tied */
    struct bird_linear next;    /* cls.seq_relationship */
    struct bird_linear dense, classifier;
    struct bird_linear span_up, span_down; /* qa_classifier's two layers */
    struct bird_norm span_norm;
    int64_t n_layer, n_stem;
    struct bird_conv stem[BIRD_STEM_LAYERS];
    float *scaled;     /* out and down of all layers, where scales are */
    float *stem_table; /* of the first layer (model/stem.h), or NULL */
};

/**
 * Point into `block`, laid out by the list. Owner: w->layer is the caller's,
 * bird_weights_free(). Tensors the list lacks are NULL.
 * Errors: BIRD_ENOMEM; BIRD_EINVAL a tensor of the encoder is missing
 */
BIRD_MUST_CHECK int bird_weights_bind(struct bird_weights *w, float *block,
                                      const struct bird_param *list, int64_t n,
                                      const struct bird_config *c);
void bird_weights_free(struct bird_weights *w);

/** Multiply branches by their scales once more, after the tensors changed; of
 *  weights without scales nothing. Preparing and rounding do so themselves. */
void bird_weights_scale(const struct bird_weights *w,
                        const struct bird_config *c);

/** The same of weights that nobody prepared, where the tensors may have changed
 *  since; not in a task. */
void bird_weights_follow(const struct bird_weights *w,
                         const struct bird_config *c);

/** Take what the backward pass added for scaled branches to the tensors and
 *  scales of grad. */
void bird_weights_scale_back(const struct bird_weights *grad,
                             const struct bird_weights *w,
                             const struct bird_config *c);

/**
 * Make ready for inference: every linear layer gets a packed copy of its
 * weights, in the order in which products read them, those of the
 * encoder in precision p. From then on a row's result is a function of that
 * row and the weights alone, whatever other rows the batch has. The original weights
 * must not change any more. To be called once.
 * Errors: BIRD_ENOMEM; those of bird_low_new(); w is then as it was
 *
 * @param mapped  the weights are a read-only mapping of a file: pages that
 *                have been packed are given back, and read again when needed
 */
BIRD_MUST_CHECK int bird_weights_prepare(struct bird_weights *w,
                                         const struct bird_config *c,
                                         enum bird_precision p, int mapped);

/**
 * The same for training, in bfloat16: linear layers of the encoder and the
 * output layer of a masked-language head, for both passes. To be
 * called again whenever the weights have changed.
 * Errors: those of bird_low_new(); w is then in float32
 */
BIRD_MUST_CHECK int bird_weights_round(struct bird_weights *w,
                                       const struct bird_config *c);

/** Bytes of the encoder's weights in lower precision; 0 in float32. */
int64_t bird_weights_low_bytes(const struct bird_weights *w);

/** What multiplies: oneDNN's name of its product, "" in float32. Borrowed. */
const char *bird_weights_low_name(const struct bird_weights *w);

#endif
