/**
 * What a masked-language model makes of rows of tokens: the logits of chosen
 * tokens, and the mean of the hidden states. For `evaluate --mlm`, and for
 * scores of alleles without labels.
 *
 * Rows go through the encoder in packs of about BIRD_PACK_TOKENS, one a task;
 * the output layer runs for the chosen tokens alone, since their logits are the
 * vocabulary wide. Over weights that were made ready (bird_weights_prepare())
 * the bits of a row do not depend on the rows it meets, nor on the threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_MASKED_H
#define BIRD_SESSION_MASKED_H

#include "session/model.h"

/** The token that stands for a hidden one, in either spelling; -1: none. */
int32_t bird_mask_token(const bird_tokenizer *t);

/** A sequence's tokens, special ones included; all is borrowed. */
struct bird_masked_row {
    const int32_t *ids; /* (n) with the mask where something is hidden */
    const int32_t *at;  /* (n_at) rising: tokens whose logits are wanted */
    int64_t n, n_at;
    int mean; /* 1: the mean of its hidden states is wanted */
};

/** Who takes the answers: called from many threads, for each row and place
 *  once, in any order. */
struct bird_masked_calls {
    /** Logits (vocabulary) of token at[i] of a row. */
    void (*logits)(void *context, int64_t row, int64_t i, const float *logits);
    /** Mean (features) of the last layer's states over the row's tokens, or
     *  over the rows that a stem makes of them, without special ones; zeros
     *  when there are no others. NULL where no row wants it. */
    void (*mean)(void *context, int64_t row, const double *mean);
    void *context;
};

struct bird_masked;

/**
 * Workspaces for every thread; the model must outlive it.
 * Owner: *out is the caller's. Errors: BIRD_EINVAL the model has no
 * masked-language head; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_masked_new(struct bird_masked **out,
                                    const struct bird_model *m,
                                    const struct bird_masked_calls *calls);
void bird_masked_free(struct bird_masked *s);

/** Run n rows. Errors: BIRD_ENOMEM; those of bird_batch_check() */
BIRD_MUST_CHECK int bird_masked_run(struct bird_masked *s,
                                    const struct bird_masked_row *rows,
                                    int64_t n);

#endif
