/**
 * The encoder: embeddings and L post-norm layers, forward and backward, on
 * packed rows.
 *
 * Source: huggingface/transformers models/big_bird/modeling_big_bird.py at
 * 48c8c8db; Zaheer et al. 2020, arXiv:2007.14062, section 2.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_ENCODER_H
#define BIRD_MODEL_ENCODER_H

#include <stdint.h>

#include "dnabird/error.h"
#include "kernel/kernel.h"
#include "model/config.h"
#include "model/weights.h"

/** Rows of all sequences end to end: tokens, or what a stem makes of them
 *  (model/stem.h). Arrays are the caller's. */
struct bird_batch {
    int64_t n_seq;
    const int64_t *offset; /* (n_seq + 1) rows, offset[0] = 0, rising */
    /* (n_seq + 1) tokens, the same of a model with a stem, where N rows come
       of T tokens; NULL: rows are tokens. A stem takes no mask or
       position. */
    const int64_t *token;
    const int32_t *ids;  /* (T) */
    const int32_t *type; /* (N) types of the rows; NULL = all the model's */
    const uint8_t *mask; /* (N) 1 = a token, 0 = padding; NULL = 1 */
    /* (N) position of each token; NULL = 0, 1, 2 ... in every sequence. Must
       not fall within a sequence, but may repeat and leave out: attention
       takes the block of a token from its position, and a sequence is as
       long as its last position says. In inference only. */
    const int32_t *position;
    const int32_t *base; /* (N) first base of each row in its sequence, -1 of
                            special tokens: for heads over bins; else NULL */
    const int64_t *bin;  /* (n_seq + 1) first bin of each sequence, of heads
                              over bins; else NULL */
    /* For a head on tokens over rows of several tokens: the tokens that it
       answers for (n_want), rising; their features at full resolution (n_want,
       bird_stem_full()), written by the forward pass except for special tokens;
       and the gradient of these, read by the backward pass, or NULL.
       bird_head_want() makes them. */
    const int64_t *want;
    int64_t n_want;
    float *full, *dfull;
};

/** Dropout of one training step; p = 0 everywhere in inference. */
struct bird_dropout_rates {
    uint64_t key; /* a mix of seed and step */
    float hidden, attention, classifier;
};

struct bird_encoder;
struct bird_tape;

/**
 * An encoder over weights that must outlive it. For one batch at a time. Over
 * weights that bird_weights_prepare() made ready, a sequence's results are the
 * same to the last bit whatever else is in its batch.
 * Owner: *out is the caller's. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_encoder_new(struct bird_encoder **out,
                                     const struct bird_config *config,
                                     const struct bird_weights *weights);
void bird_encoder_free(struct bird_encoder *e);

/** Tokens of sequence s by its positions: its length when it has none. */
int64_t bird_batch_extent(const struct bird_batch *b, int64_t s);

/**
 * Check a batch: lengths (or positions) within 1 .. max_positions, ids within
 * the vocabulary, types within theirs, no more tokens than a matrix product
 * takes rows. Errors: BIRD_ERANGE, BIRD_EINVAL; the sentence names the
 * sequence and position.
 */
BIRD_MUST_CHECK int bird_batch_check(const struct bird_batch *b,
                                     const struct bird_config *c);

/**
 * Hidden states of the last layer.
 *
 * @param[out] x   (N, D)
 * @param states   (n_layer + 1, N, D) the embeddings' and every layer's
 *                 output, or NULL
 * Errors: as bird_batch_check(), BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_encoder_forward(struct bird_encoder *e, float *x,
                                         float *states,
                                         const struct bird_batch *b);

/**
 * The inputs before position and type are added (transformers' inputs_embeds):
 * word embeddings, or the rows of a stem between those of [CLS] and [SEP].
 *
 * @param[out] x   (N, D)
 */
BIRD_MUST_CHECK int bird_encoder_inputs(struct bird_encoder *e, float *x,
                                        const struct bird_batch *b);

/** Takes the rows (N, D) of layer 0, the embeddings, to n_layer; borrowed.
 *  Nonzero ends the pass and is its result. */
typedef int bird_state_take(void *context, int64_t layer, const float *x);

/**
 * bird_encoder_forward() that passes each layer's output to `take`, so that not
 * all are stored. x (N, D) is overwritten layer by layer.
 */
BIRD_MUST_CHECK int bird_encoder_forward_each(struct bird_encoder *e, float *x,
                                              bird_state_take *take,
                                              void *context,
                                              const struct bird_batch *b);

/**
 * Hidden states of token 0 of every sequence alone, (n_seq, D): what heads on
 * one vector a sequence read. The last layer computes keys and values of all
 * rows, but queries, outputs and feed-forward of those rows only. Equal to
 * bird_encoder_forward() but for rounding.
 *
 * @param[out] first  (n_seq, D)
 */
BIRD_MUST_CHECK int bird_encoder_forward_first(struct bird_encoder *e,
                                               float *first,
                                               const struct bird_batch *b);

/** Rows whose last hidden states are wanted, a stretch of each sequence. */
struct bird_row_choice {
    const int64_t *from;   /* (n_seq) the first row, numbered in the batch */
    const int64_t *offset; /* (n_seq + 1) where the chosen rows of each sequence
                              lie among all chosen ones; offset[0] = 0 */
};

/**
 * The same of chosen rows, one after another: what heads over bins read of
 * windows with margins. In inference; the batch has no positions. Each row has
 * the bits that bird_encoder_forward() gives it.
 *
 * @param[out] x  (N, D), of which the first offset[n_seq] rows hold the result
 */
BIRD_MUST_CHECK int
bird_encoder_forward_rows(struct bird_encoder *e, float *x,
                          const struct bird_row_choice *rows,
                          const struct bird_batch *b);

/**
 * A tape keeps what the backward pass needs. recompute = 1 keeps two rows of
 * D floats a token and layer, and recomputes most of each layer in the backward
 * pass; gradients are the same bit by bit (docs/math/encoder.md).
 */
BIRD_MUST_CHECK int bird_tape_new(struct bird_tape **out, int recompute);
void bird_tape_free(struct bird_tape *t);

/** From now on the gradient of a stem's first filters, where they read tokens
 *  by a table, is centred: the part of each filter that all tokens share is
 *  subtracted, divided by how often tokens occur in the pack
 *  (bird_trainer's `centre` has the rest). */
void bird_tape_centre(struct bird_tape *t);

/** As bird_encoder_forward(), with dropout (dropout NULL: without), keeping the
 *  tape. The result, (N, D), is borrowed from the tape. */
BIRD_MUST_CHECK int
bird_encoder_train_forward(struct bird_encoder *e, struct bird_tape *t,
                           const float **x, const struct bird_batch *b,
                           const struct bird_dropout_rates *dropout);

/**
 * Add the gradients of all encoder parameters to `grad`, of which dx is the
 * gradient of the result (N, D; overwritten). Same batch, dropout and
 * number of threads as before. Without grad (NULL) only what
 * bird_tape_along() reads, of weights in float32, a third of the work less.
 * Errors: BIRD_ENOMEM, of weights that bird_weights_round() made
 */
BIRD_MUST_CHECK int
bird_encoder_backward(struct bird_encoder *e, struct bird_tape *t,
                      const struct bird_weights *grad, float *dx,
                      const struct bird_batch *b,
                      const struct bird_dropout_rates *dropout);

/**
 * After bird_encoder_backward(): the slope of what was differentiated when the
 * word embedding of one token alone moves along a direction,
 *
 *     out(t) = sum_j (d L / d x(t, j)) direction(which(t), j)
 *
 * with x(t) the look-up of token t, before position, type, stem and
 * normalisation. Same batch as before.
 *
 * @param[out] out   (T); 0 where which is -1
 * @param direction  (n, D)
 * @param which      (T) the direction of each token, -1: none
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_tape_along(float *out, struct bird_encoder *e,
                                    struct bird_tape *t,
                                    const struct bird_batch *b,
                                    const float *direction, int64_t n,
                                    const int32_t *which);

/** The dropout of one site: embeddings are layer -1. */
enum bird_site {
    BIRD_SITE_OUTPUT,
    BIRD_SITE_ATTENTION,
    BIRD_SITE_FFN,
    BIRD_SITE_HEAD_IN,
    BIRD_SITE_HEAD_OUT
};
struct bird_dropout bird_dropout_at(const struct bird_dropout_rates *n, float p,
                                    int64_t layer, enum bird_site site);

#endif
