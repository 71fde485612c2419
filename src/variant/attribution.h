/**
 * What each token of a window contributes to an answer, by the backward pass:
 * gradient times the difference between the token's word embedding and a mean
 * embedding, and integrated gradients from that mean.
 *
 * m is the mean embedding E(v) of all words v that vary (words of A, C, G and
 * T). The input of a window is x(t) = E(v(t)); the baseline has m at every such
 * word, and is the same as the input at special tokens and other words. f is
 * the answer below.
 *
 *     gradient     a(t, v) = df/dx(t) at x . (E(v) - m)
 *     integrated   a(t, v) = 1/n sum over k < n of
 *                  df/dx(t) at (m + (k + 1/2)/n (x - m)) . (E(v) - m)
 *
 * a(t) is a(t, v(t)). Source: Sundararajan, Taly and Yan 2017,
 * arXiv:1703.01365, eq. 1 and 3, by midpoints; docs/math/attribution.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_ATTRIBUTION_H
#define BIRD_VARIANT_ATTRIBUTION_H

#include <stdint.h>

#include "dnabird/error.h"
#include "model/encoder.h"

/** Logits of a sequence that are read: n_row rows from `row` on, in steps of 1
 *  or -1, of one column. */
struct bird_answer_rows {
    int64_t row, step, column;
};

/**
 * The answer f of a batch whose sequences are strands of one window: with p(s,
 * b) the probability of sequence s and row b,
 *
 *     f = 1/n_row sum over b of ln(p(b) / (1 - p(b))),
 *     p(b) = 1/n_seq sum over s of p(s, b)
 */
struct bird_answer_spec {
    struct bird_answer_rows seq[2];
    int64_t n_seq, n_row;
    int choice; /* 1: columns exclude each other (softmax); 0: independent */
};

struct bird_attribution;

/**
 * For a model with these weights, which must outlive it and not change. Memory:
 * two copies of the word embeddings, and the activations of a training pass.
 * Owner: *out is the caller's. Errors: BIRD_ENOMEM; BIRD_EUNSUPPORTED the
 * model's attention map has no gradient; BIRD_EINVAL no word varies
 * @param varies (vocabulary) 1: a word that varies
 */
BIRD_MUST_CHECK int bird_attribution_new(struct bird_attribution **out,
                                         const struct bird_config *c,
                                         const struct bird_weights *w,
                                         const uint8_t *varies);
void bird_attribution_free(struct bird_attribution *a);

/** Input and output of bird_attribution_compute(). */
struct bird_attribution_run {
    const struct bird_batch *b; /* without positions */
    const struct bird_answer_spec *f;
    int64_t n_step;      /* midpoints; 0: the gradient at x */
    const int32_t *word; /* (n_word): a(t, word); after them a(t) */
    int64_t n_word;
    double *value; /* out: (T, n_word + 1); 0 for words that do not vary */
    double at, at_baseline; /* out: f(x), and f of the baseline (n_step > 0) */
    double sum;             /* out: of a(t) over all tokens */
    int64_t n_forward, n_backward; /* out: sequences computed */
};

/** Errors: as bird_encoder_train_forward(); BIRD_EFORMAT f is not finite */
BIRD_MUST_CHECK int bird_attribution_compute(struct bird_attribution *a,
                                             struct bird_attribution_run *r);

#endif
