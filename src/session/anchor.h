/**
 * Tokens of a sequence with a change, anchored on the tokens of the sequence
 * without the change: both flanks keep their tokens, positions and blocks.
 *
 * The changed span is the smallest run of tokens that covers the replaced bases
 * (for an insertion, the tokens on both sides). The new bases of the span are
 * encoded alone. Their tokens take the positions of the span in order; surplus
 * tokens repeat the last position, and surplus positions stay unused.
 * docs/math/variant-scores.md gives the reason.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_ANCHOR_H
#define BIRD_SESSION_ANCHOR_H

#include "base/text.h"
#include "dnabird/tokenizer.h"

/** Changes of more tokens than this are encoded free: the whole changed
 *  sequence by itself. */
enum { BIRD_ANCHOR_MOST = 8 };

/** Token rows as input of the encoder. Start with {0}. */
struct bird_rows {
    int32_t *ids, *position; /* (n) */
    int64_t n, cap_ids, cap_position;
};
void bird_rows_free(struct bird_rows *r);

/** The tokens of a sequence, on which changes are anchored. Start with {0}. */
struct bird_anchor {
    const bird_tokenizer *t;
    int64_t max_tokens; /* that the model reads, special ones included */
    const char *text;   /* (n) bases, borrowed */
    int64_t n;
    bird_encoding ref, alt;
    int64_t from,
        to; /* tokens of ref that the model reads: all, or the middle */
    struct bird_text work;
};
void bird_anchor_free(struct bird_anchor *a);

/** Encode the sequence and write its rows to out. *trimmed is 1 when the
 *  sequence has more tokens than the model reads; tokens at both ends are then
 *  left out. Errors: BIRD_ENOMEM; BIRD_EINVAL the model reads no token other than
 *  the special ones */
BIRD_MUST_CHECK int bird_anchor_ref(struct bird_anchor *a,
                                    struct bird_rows *out, int *trimmed,
                                    const char *text, int64_t n);

/** How a change was encoded. */
struct bird_anchored {
    int fits;          /* 0: the change lies outside the tokens that the model
                          reads, and there are no rows */
    int free;          /* 1: the changed sequence was encoded by itself */
    int trimmed;       /* 1: free, and cut to the tokens that the model reads */
    int64_t n_changed; /* changed tokens, of REF or ALT, whichever has more */
};

/**
 * Write the rows of the sequence in which alt (n_alt bases) replaces bases
 * start .. end-1. Errors: BIRD_ENOMEM
 * @param anchored 0: encode the changed sequence by itself
 */
BIRD_MUST_CHECK int bird_anchor_alt(struct bird_anchor *a,
                                    struct bird_rows *out,
                                    struct bird_anchored *what, int anchored,
                                    int64_t start, int64_t end, const char *alt,
                                    int64_t n_alt);

#endif
