/**
 * Sequences to probabilities with any weights: the step that scanning,
 * evaluating and validating share.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_SCORE_H
#define BIRD_PREDICT_SCORE_H

#include <stdint.h>

#include "head/head.h"
#include "predict/pack.h"

/** Tokens of a pack: enough rows for the matrix products to be efficient,
 *  few enough for the caches. A function of nothing but the model. */
#define BIRD_PACK_TOKENS 4096

struct bird_scorer {
    const struct bird_config *c;
    const struct bird_weights *w;
    const bird_tokenizer *t;
    struct bird_encoder *e;
    struct bird_pack pack;
    float *x;
    int64_t cap_x;
};

/** Weights and tokenizer must outlive it. Free with bird_scorer_free(). */
BIRD_MUST_CHECK int bird_scorer_init(struct bird_scorer *s,
                                     const struct bird_config *c,
                                     const struct bird_weights *w,
                                     const bird_tokenizer *t);
void bird_scorer_free(struct bird_scorer *s);

/** Columns of probabilities: classes, or labels of a multi-label model. */
int64_t bird_scorer_columns(const struct bird_scorer *s);

/** Room for one more sequence of about n letters in the pack? */
int bird_scorer_has_room(const struct bird_scorer *s);

/** Add a sequence to the pack. */
BIRD_MUST_CHECK int bird_scorer_add(struct bird_scorer *s, const char *text,
                                    int64_t n);

/**
 * Probabilities of the pack's sequences in the order they were added, then
 * the pack is emptied: softmax for one class of several, sigmoid for labels.
 * @param[out] p (n_seq, columns)
 */
BIRD_MUST_CHECK int bird_scorer_run(struct bird_scorer *s, float *p);

#endif
