/**
 * The tokens that a change touches: what a masked-language model is asked
 * about.
 *
 * ALT's window is tokenized by itself. The span of a change is the smallest run
 * of tokens that covers what is replaced (for a change of length, a base on
 * either side as well) and outside of which both windows have the same tokens.
 * Where words do not overlap and have a fixed length, a change of length shifts
 * all words behind it; the span is then the words that cover the change.
 * docs/math/variant-scores.md has the formulas with their sources.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_MASKED_SPAN_H
#define BIRD_VARIANT_MASKED_SPAN_H

#include "dnabird/tokenizer.h"
#include "variant/effect_kind.h"

enum { BIRD_SIDE_FROM, BIRD_SIDE_TO };

/** A window with REF or with ALT as tokens. */
struct bird_masked_side {
    bird_encoding e;
    int64_t n_base;
    int64_t first, end; /* its span: tokens first .. end-1 */
};

/** Both sides of a change on one strand. Start with {0}. */
struct bird_masked_strand {
    const char *bases; /* of the window, borrowed */
    struct bird_masked_side side[2];
    struct bird_text to; /* bases with the change */
};
void bird_masked_strand_free(struct bird_masked_strand *v);

/** Tokenize a window of n bases. Errors: those of bird_tokenizer_encode() */
BIRD_MUST_CHECK int bird_masked_strand_open(struct bird_masked_strand *v,
                                            const bird_tokenizer *t,
                                            const char *bases, int64_t n);

/** Tokenize the window with the change, and find both spans. Errors: those of
 * bird_tokenizer_encode(); BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_masked_strand_change(struct bird_masked_strand *v, const bird_tokenizer *t,
                          const struct bird_strand_change *c);

/** Bases of a side's span. */
int64_t bird_masked_span_bases(const struct bird_masked_side *x,
                               const bird_tokenizer *t);

/** Does the vocabulary have a token for all of the span? */
int bird_masked_span_known(const struct bird_masked_side *x,
                           const bird_tokenizer *t);

#endif
