/**
 * The tokens of a sequence with a change in it, anchored on those of the
 * sequence without it: flanks keep their tokens, positions and blocks.
 *
 * The touched span is the smallest run of tokens that covers what is replaced
 * (of an insertion, the tokens on both sides of it). What it becomes is
 * encoded by itself; its tokens take the span's positions in order, the last
 * one again where there are more, the rest unused where there are fewer.
 * docs/math/variant-scores.md says why.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_ANCHOR_H
#define BIRD_SESSION_ANCHOR_H

#include "base/text.h"
#include "dnabird/tokenizer.h"

/** Changes of more tokens than this are encoded the free way. */
enum { BIRD_ANCHOR_MOST = 8 };

/** Token rows as the encoder takes them. Start with {0}. */
struct bird_rows {
    int32_t *ids, *position; /* (n) */
    int64_t n, cap_ids, cap_position;
};
void bird_rows_free(struct bird_rows *r);

/** A sequence's tokens, to anchor changes on. Start with {0}. */
struct bird_anchor {
    const bird_tokenizer *t;
    int64_t max_tokens; /* that the model reads, special ones included */
    const char *text;   /* (n) bases, borrowed */
    int64_t n;
    bird_encoding ref, alt;
    int64_t from, to; /* the tokens of ref that are used: all, or the middle */
    struct bird_text work;
};
void bird_anchor_free(struct bird_anchor *a);

/** Encode the sequence; its rows into out. *trimmed: it had more tokens than
 *  the model reads and lost some at both ends. Errors: BIRD_ENOMEM;
 *  BIRD_EINVAL the special tokens alone are too many */
BIRD_MUST_CHECK int bird_anchor_ref(struct bird_anchor *a,
                                    struct bird_rows *out, int *trimmed,
                                    const char *text, int64_t n);

/** What became of a change. */
struct bird_anchored {
    int fits;          /* 0: the model cannot see it: no rows */
    int free;          /* 1: encoded the free way */
    int trimmed;       /* free, and cut to the tokens the model reads */
    int64_t n_changed; /* tokens of the larger side */
};

/**
 * The rows where start .. end of the sequence became alt (n_alt bases).
 * Errors: BIRD_ENOMEM
 * @param anchored 0: the free way, as though alt had been all there is
 */
BIRD_MUST_CHECK int bird_anchor_alt(struct bird_anchor *a,
                                    struct bird_rows *out,
                                    struct bird_anchored *what, int anchored,
                                    int64_t start, int64_t end, const char *alt,
                                    int64_t n_alt);

#endif
