/**
 * A pack: the token rows of several sequences, end to end, for one run of the
 * encoder.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_PACK_H
#define BIRD_SESSION_PACK_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/tokenizer.h"
#include "model/encoder.h"

/** Start with {0}; a model with a stem or with bins needs its configuration in
 *  c. */
struct bird_pack {
    const struct bird_config *c; /* borrowed; NULL: rows are tokens */
    int32_t *ids;                /* (n_tok) */
    int32_t *position;           /* (n_tok); used when `positions` is 1 */
    int64_t *offset;             /* (n_seq + 1) rows */
    int64_t *token;              /* (n_seq + 1) tokens */
    int64_t n_seq, n_tok, n_row, cap_ids, cap_position, cap_offset, cap_token;
    /* when all sequences came by bird_pack_add_bins(): */
    int32_t *base; /* (n_row) first base of each row */
    int64_t *bin;  /* (n_seq + 1) first bin of each sequence */
    int64_t n_based, cap_base, cap_bin;
    int positions;     /* 1: a sequence has positions of its own */
    int64_t n_trimmed; /* sequences cut to the model's length since the start */
    int64_t pad_to;    /* > 0: sequences are padded to this number of tokens */
    int32_t pad_id;    /* the padding token */
    uint8_t *mask;     /* (n_tok) 0 for padding; NULL without padding */
    int64_t cap_mask;
    bird_encoding encoding;
};

void bird_pack_free(struct bird_pack *p);
void bird_pack_clear(struct bird_pack *p);

/**
 * Encode a sequence into p->encoding, special tokens included. A sequence of
 * more than max_len tokens loses tokens at both ends evenly; the special tokens
 * stay.
 * Errors: BIRD_EINVAL max_len does not hold the special ones; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_pack_encode(struct bird_pack *p,
                                     const bird_tokenizer *t, const char *text,
                                     int64_t n, int64_t max_len);

/** Encode a sequence and add its tokens. */
BIRD_MUST_CHECK int bird_pack_add(struct bird_pack *p, const bird_tokenizer *t,
                                  const char *text, int64_t n, int64_t max_len);

/** Add token ids unchanged, with padding after them; position NULL: 0, 1,
 *  2 ... */
BIRD_MUST_CHECK int bird_pack_add_ids(struct bird_pack *p, const int32_t *ids,
                                      const int32_t *position, int64_t n);

/** Bases of a window for a model with bins: bin 0 begins `before` bases before
 *  the first base. So a window and its reverse complement have the same bins
 *  when the window is not a whole number of bins. */
struct bird_binned {
    const char *seq;
    int64_t len, before;
};

/**
 * Encode a sequence and add its tokens, the first base of every row, and its
 * bins. Errors: BIRD_EINVAL more rows than the model reads; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_pack_add_bins(struct bird_pack *p,
                                       const bird_tokenizer *t,
                                       const struct bird_binned *s);

/** The pack as a batch for the encoder; borrowed from the pack. */
struct bird_batch bird_pack_batch(const struct bird_pack *p);

#endif
