/**
 * Answers of a masked-language model to rows of tokens: the logits of chosen
 * tokens, and the mean of the hidden states. `evaluate --mlm` and the zero-shot
 * scores of alleles read them.
 *
 * Rows go through the encoder in packs of about BIRD_PACK_TOKENS, one pack a
 * task. The output layer runs for the chosen tokens alone, since the logits of
 * one token are as wide as the vocabulary. With prepared weights
 * (bird_weights_prepare()) the bits of a row depend neither on the other rows of
 * the pack nor on the threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_MASKED_H
#define BIRD_SESSION_MASKED_H

#include "session/model.h"

/** Id of the mask token, "[MASK]" or "<mask>"; -1: the tokenizer has none. */
int32_t bird_mask_token(const bird_tokenizer *t);

/** The tokens of a sequence, special ones included; all arrays are borrowed. */
struct bird_masked_row {
    const int32_t *ids; /* (n) with the mask token in place of hidden tokens */
    const int32_t *at;  /* (n_at) rising: tokens whose logits are wanted */
    int64_t n, n_at;
    int mean; /* 1: the mean of the row's hidden states is wanted */
};

/** Callbacks that take the answers. Many threads call them in any order, once
 *  for each row and token. */
struct bird_masked_calls {
    /** Logits (vocabulary) of token at[i] of a row. */
    void (*logits)(void *context, int64_t row, int64_t i, const float *logits);
    /** Mean (features) of the last layer's states over the row's tokens, or
     *  over the rows that a stem makes of the tokens, without special tokens;
     *  zeros when all tokens are special. NULL when no row wants a mean. */
    void (*mean)(void *context, int64_t row, const double *mean);
    void *context;
};

struct bird_masked;

/**
 * Make workspaces for every thread. The model must outlive *out.
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
