/**
 * Inside the stem: one layer's rows, shared by inference and training.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_STEM_LAYER_H
#define BIRD_MODEL_STEM_LAYER_H

#include "model/layer.h"

/** Rows of a layer that a tile needs at most: of its input, those around them
 *  included, and of its sums. */
struct bird_stem_need {
    int64_t in, out;
};

/** Of all layers; returns the rows of a tile. bird_stem_scratch() has space for
 *  the inputs of all layers and the sums of one. */
int64_t bird_stem_needs(struct bird_stem_need need[BIRD_STEM_LAYERS],
                        const struct bird_config *c);

/** Input of a layer: rows from the first sum's on, with kernel / 2 more before and
 *  after; or tokens, for the table. */
struct bird_stem_in {
    const float *x; /* NULL: tokens */
    struct bird_conv_tokens tokens;
};

/** z (n, channels) = convolution + bias of layer l; in a task. */
void bird_stem_sums(const struct bird_encoder *e, int64_t l, float *z,
                    const struct bird_stem_in *in, int64_t n, int worker);

/** h (n, channels) = the layer after its sums z, without the pool: LayerNorm,
 *  activation, + x. h may be z, which then is lost; stat (n, 2)
 *  is kept for the backward pass or NULL. */
void bird_stem_finish(const struct bird_encoder *e, int64_t l, float *h,
                      float *z, float *stat, const float *x, int64_t n);

/** Copy the wanted rows of h (n, d), which are the tokens from `first` on, into
 *  b->full. */
void bird_stem_take(const struct bird_batch *b, const float *h, int64_t first,
                    int64_t n, int64_t d);
/** And back: b->dfull added to the gradient dh of these rows. */
void bird_stem_take_back(float *dh, const struct bird_batch *b, int64_t first,
                         int64_t n, int64_t d);

/** The group of item i among n groups; at[g]: first item of group g, rising. */
int64_t bird_stem_find(const int64_t *at, int64_t n, int64_t i);

/** Rows of the backward pass and of training forward that a task takes at a
 *  time, before the pool. */
enum { BIRD_STEM_PART = 256 };

/** What the backward pass needs of a batch; {0} at first. */
struct bird_stem_tape {
    float *block;
    int64_t cap;
    int64_t *at; /* (n_stem + 1, n_seq + 1) first row of each sequence among
                    the rows of level l: layer l's input */
    int64_t cap_at, n_seq;
    int centre;                     /* the table's gradient is centred */
    int64_t gap;                    /* rows of zeros between sequences */
    float *x[BIRD_STEM_LAYERS + 1]; /* (rows, channels in) of each level */
    float *z[BIRD_STEM_LAYERS];     /* sums of each layer */
    float *stat[BIRD_STEM_LAYERS];  /* (rows, 2) of its LayerNorm */
    float *dz, *dx, *dy;            /* of one layer at a time */
    uint16_t *low_x, *low_dz; /* of one layer, where products are in bfloat16 */
    float *partial, *dtable;  /* of tasks; of chunks of tokens */
    int64_t n_task, n_chunk, chunk_rows; /* of those */
};
void bird_stem_tape_free(struct bird_stem_tape *t);

/** bird_stem_forward(), keeping the tape. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_stem_train_forward(struct bird_encoder *e,
                                            struct bird_stem_tape *t, float *y,
                                            const struct bird_batch *b);

/** Add the gradients of the stem and of the embedding that it reads to grad;
 *  dy (N, D) is that of the rows. In the encoder's precision but for a first
 *  layer's table, biases and norms. Failure: bird_encoder_status().
 *  Without grad (NULL) only what bird_stem_along() reads. */
void bird_stem_backward(struct bird_encoder *e, struct bird_stem_tape *t,
                        const struct bird_weights *grad, const float *dy,
                        const struct bird_batch *b);

/** bird_tape_along() of the tokens that the stem reads: rows of special tokens
 *  in out stay unchanged. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_stem_along(float *out, struct bird_encoder *e,
                                    struct bird_stem_tape *t,
                                    const struct bird_batch *b,
                                    const float *direction, int64_t n,
                                    const int32_t *which);

#endif
