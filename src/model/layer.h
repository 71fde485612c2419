/**
 * Inside the encoder: its state, one layer forward, and the plans of a batch.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_LAYER_H
#define BIRD_MODEL_LAYER_H

#include "model/encoder.h"
#include "model/linear.h"
#include "model/stem.h"
#include "model/stem_shared.h"

/** Plans by (layer, number of blocks); NULL is full attention. */
struct bird_plans {
    struct bird_plan **plan; /* (n_layer * cap_block) */
    int64_t n_layer, cap_block;
    int64_t n_row; /* of all lists, heads counted */
};

/** The stem, ready for a batch. */
struct bird_stem_ready {
    const float *table; /* of the first layer, or NULL */
    const float
        *packed[BIRD_STEM_LAYERS]; /* weights; NULL where table or low */
    float *own;                    /* both, of weights not prepared */
    int64_t cap_own;
    int64_t *tile; /* (n_seq + 1) tiles of rows before each sequence */
    int64_t cap_tile;
};

struct bird_encoder {
    struct bird_config c;
    const struct bird_weights *w;
    const struct bird_kernels *k;
    struct bird_stem_ready stem;
    struct bird_stem_shared shared;
    struct bird_pattern pattern;
    struct bird_prob_map map;
    struct bird_plans plans;
    float *rows; /* qkv and ctx of a batch, in inference */
    int64_t cap_rows;
    float *scratch; /* one part a worker */
    int64_t cap_scratch, scratch_stride;
    int worker;    /* the first part is this one's: 0, or inside of a task the
                   only worker there is */
    int64_t *tile; /* (n_seq + 1) attention tiles before each sequence */
    int64_t cap_tile;
    int64_t *edge; /* where blocks start, for sequences with positions: those
                      of sequence s from edge[tile[s] + s] on */
    int64_t cap_edge;
    int64_t panel; /* rows of a panel of this batch */
    int64_t low;   /* floats of a worker's scratch for products in lower
                      precision, the last ones; 0: float32 */
    int *failed;   /* such a product did, in any task */
    bird_attention_function *attend; /* of this encoder's precision */
    bird_attention_back_function *attend_back;
    float *rounded; /* where that is: a layer's queries, keys and values of each
                       head of each sequence; else NULL */
    int64_t cap_rounded;
};

/** The part of a worker. */
static inline float *bird_encoder_scratch(const struct bird_encoder *e,
                                          int worker)
{
    return e->scratch + (worker - e->worker) * e->scratch_stride;
}

/** Its last floats, for products in lower precision. */
static inline float *bird_encoder_scratch_low(const struct bird_encoder *e,
                                              int worker)
{
    return bird_encoder_scratch(e, worker) + e->scratch_stride - e->low;
}

/** What one layer keeps for its backward pass; (N, .) each. Inference needs qkv
 *  and ctx alone; the others are NULL where nobody will read them. */
struct bird_activations {
    float *qkv, *ctx, *z1, *u, *z2; /* 3D, D, D, F, D */
    float *stat1, *stat2;           /* 2; with z1 and z2 */
};

/** Rows of lists, about 100 bytes each, that are kept from batch to batch:
 *  beyond this all plans are forgotten before the next one. */
enum { BIRD_PLAN_ROWS = 1 << 19 };

/** Make the plans of every layer for a sequence of len tokens, unless they are
 *  there (model/plans.c). Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_plans_add(struct bird_encoder *e, int64_t len);
void bird_plans_free(struct bird_plans *p);

/** Did a product in lower precision fail since the last call? Tasks cannot say so.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_encoder_status(const struct bird_encoder *e);

/**
 * Workspace, plans and tiles for this batch; back: for its backward pass too. Called from
 * a task, and so followed by nothing outside of it, there is space for the one
 * worker that this is. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_encoder_prepare(struct bird_encoder *e,
                                         const struct bird_batch *b, int back);

/** Embeddings of the batch: y (N, D), which holds the stem's rows of a model
 *  with one; z (N, D) and stat (N, 2) are kept for the backward pass or
 *  NULL. */
void bird_embed(const struct bird_encoder *e, float *y, float *z, float *stat,
                const struct bird_batch *b,
                const struct bird_dropout_rates *dropout);

/** One layer: y (N, D) from x (N, D); y may be x. dropout NULL: none. */
void bird_layer_forward(const struct bird_encoder *e, int64_t layer, float *y,
                        const float *x, const struct bird_activations *s,
                        const struct bird_batch *b,
                        const struct bird_dropout_rates *dropout);

/**
 * What the backward pass needs of a layer whose s->ctx, z2 and stat2 were kept:
 * s->qkv, z1, stat1 and u recomputed from its input, bit by bit as before, without
 * attention and the last product.
 * @param a     (N, D) in: the layer's input; out: LN1(z1)
 * @param[out] h (N, F) act(u)
 */
void bird_layer_recompute(const struct bird_encoder *e, int64_t layer, float *a,
                          float *h, const struct bird_activations *s,
                          const struct bird_batch *b,
                          const struct bird_dropout_rates *dropout);

/**
 * c (m, n_out) = a (m, n_in) W^T, rows end to end, in the encoder's precision;
 * for tasks. A failure is noted in e->failed.
 */
void bird_layer_product(const struct bird_encoder *e, float *c, const float *a,
                        const struct bird_linear *w, struct bird_linear_shape s,
                        int worker);

/** Queries, keys and values of n rows of x (n, D) into qkv (n, 3 D), panel by
 *  panel: forward, recomputation, and what measures them share it. b: the batch of
 *  these rows, for bird_layer_attend() in lower precision; NULL: none follows. */
void bird_layer_qkv(const struct bird_encoder *e, int64_t layer, float *qkv,
                    const float *x, int64_t n, const struct bird_batch *b);

/** Floats of scratch of the neediest product in lower precision, whole lines of the
 *  cache; 0: all weights are float32. */
int64_t bird_low_most_scratch(const struct bird_weights *w, int64_t n_layer);

/** The queries, keys and values of one head of sequence s in lower precision: their
 *  place in e->rounded, heads one after the other. */
float *bird_rounded_head(const struct bird_encoder *e,
                         const struct bird_batch *b, int64_t s, int64_t head);

/** Make them of the m rows from r of qkv (N, 3 D), which other threads may be making
 *  of other rows. */
void bird_round_rows(const struct bird_encoder *e, int64_t layer,
                     const float *qkv, const struct bird_batch *b, int64_t r,
                     int64_t m);

/** The attention of one layer alone: s->ctx (N, D) from s->qkv, in inference.
 *  bird_layer_forward() does the same between its matrix products. */
void bird_layer_attend(const struct bird_encoder *e, int64_t layer,
                       const struct bird_activations *s,
                       const struct bird_batch *b);

/** What attention of this (sequence, head) reads. */
struct bird_attention_args
bird_layer_attention(const struct bird_encoder *e, int64_t layer,
                     const float *qkv, int64_t seq, int64_t head,
                     const struct bird_batch *b,
                     const struct bird_dropout_rates *dropout);

#endif
