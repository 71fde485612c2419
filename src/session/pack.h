/**
 * Sequences laid end to end as token rows, until a budget is full.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_PACK_H
#define BIRD_SESSION_PACK_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/tokenizer.h"
#include "model/encoder.h"

/** Start with {0}. */
struct bird_pack {
    const struct bird_config *c; /* of a model with a stem; else NULL */
    int32_t *ids;                /* (n_tok) */
    int32_t *position;           /* (n_tok); used when `positions` is 1 */
    int64_t *offset;             /* (n_seq + 1) rows */
    int64_t *token; /* (n_seq + 1) tokens, of a model with a stem */
    int64_t n_seq, n_tok, cap_ids, cap_position, cap_offset, cap_token;
    int64_t n_row;     /* n_tok, but for a model with a stem */
    int positions;     /* some sequence has positions of its own */
    int64_t n_trimmed; /* sequences cut to the model's length, ever */
    int64_t pad_to;    /* > 0: sequences are filled up to so many tokens */
    int32_t pad_id;    /* with this one, */
    uint8_t *mask;     /* (n_tok) where mask is 0; NULL without padding */
    int64_t cap_mask;
    bird_encoding encoding;
};

void bird_pack_free(struct bird_pack *p);
void bird_pack_clear(struct bird_pack *p);

/**
 * A sequence's tokens with the special ones into p->encoding. More than
 * max_len are cut symmetrically around the centre, the special ones kept.
 * Errors: BIRD_EINVAL max_len does not hold the special ones; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_pack_encode(struct bird_pack *p,
                                     const bird_tokenizer *t, const char *text,
                                     int64_t n, int64_t max_len);

/** Encode a sequence and add its tokens. */
BIRD_MUST_CHECK int bird_pack_add(struct bird_pack *p, const bird_tokenizer *t,
                                  const char *text, int64_t n, int64_t max_len);

/** Add token ids as they are, and padding behind them; position NULL: 0, 1,
 *  2 ... */
BIRD_MUST_CHECK int bird_pack_add_ids(struct bird_pack *p, const int32_t *ids,
                                      const int32_t *position, int64_t n);

/** The pack as a batch; borrowed. */
struct bird_batch bird_pack_batch(const struct bird_pack *p);

#endif
