/**
 * A toy model with random weights, and a batch with every oddity in it:
 * lengths from 1 token up, full and block-sparse, holes in masks, pads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_TINY_H
#define BIRD_TEST_TINY_H

#include "head/head.h"
#include "model/params.h"

enum { TINY_SEQ = 6, TINY_ROWS = 139, TINY_LABELS = 3 };

struct tiny {
    struct bird_config c;
    struct bird_param *list;
    int64_t n_param, total;
    float *theta, *grad;
    struct bird_weights w, g;
    struct bird_batch b;
    struct bird_labels labels;
    int64_t offset[TINY_SEQ + 1], tokens[TINY_SEQ + 1]; /* rows, tokens */
    int32_t ids[TINY_ROWS], type[TINY_ROWS], token[TINY_ROWS];
    uint8_t mask[TINY_ROWS];
    int32_t class_id[TINY_SEQ], next[TINY_SEQ];
    float value[TINY_SEQ * TINY_LABELS];
    int centre; /* 1: tiny_pass() centres the gradient of a stem's table */
};

/** Block 4, one random block: up to 28 tokens is full attention. */
void tiny_config(struct bird_config *c, const struct bird_head_row *head);

/** Aborts when memory is out. The batch has types, a mask and all labels; with
 *  a stem neither types nor mask, and the special tokens of its configuration
 *  at the ends of some sequences. */
void tiny_init(struct tiny *t, const struct bird_config *c, uint64_t seed);
/** Rows of the batch anew, after the configuration's stem or the ids changed. */
void tiny_rows(struct tiny *t);
void tiny_free(struct tiny *t);

/** Shrink the weights of layers wider than the toy's own 12 features, which
 *  would blow up rounding: as (12 / D)^(1/2). */
void tiny_calm(struct tiny *t);

/** Hidden states of a batch, (rows, D). Aborts on failure. */
void tiny_states(float *x, const struct tiny *t, const struct bird_batch *b);

/** Sequence s of the batch alone; offset is to outlive it. */
struct bird_batch tiny_alone(const struct tiny *t, int s, int64_t offset[2]);

/** One training pass: gradients into t->grad (added), the loss returned. */
double tiny_pass(struct tiny *t, const struct bird_dropout_rates *dropout,
                 int recompute);

#endif
