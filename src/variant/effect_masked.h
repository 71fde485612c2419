/**
 * Effects by masked-language models, behind variant/effect_frame.h: how likely the
 * tokens that a change touches are, hidden, with REF and with ALT; and how far
 * apart the means of the hidden states of both windows are.
 *
 * ALT's window is tokenized by itself. The span of a change is the smallest run
 * of tokens that covers what is replaced (of a change of length, a base on
 * either side as well) and outside of which both windows have the same tokens;
 * of words that stand apart, whose frame a change of length moves, the words
 * that cover it. All of the span is hidden at once, and log p summed over what
 * was hidden; of a change of length divided by the span's bases.
 * docs/math/variant-scores.md has the formulas with their sources.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_MASKED_H
#define BIRD_VARIANT_EFFECT_MASKED_H

#include "variant/effect_frame.h"

/** What a place has: log-likelihood, and the distance of the two windows,
 *  which both places of a change have; 0 where it is not wanted. */
enum bird_masked_value {
    BIRD_MASKED_LOG_LIKELIHOOD,
    BIRD_MASKED_DISTANCE,
    BIRD_MASKED_VALUES
};

struct bird_masked_effect;

/** Bases of the window where neither folder nor user says: GPN's 512, or as
 *  many as fit where the model surely reads fewer. */
int64_t bird_masked_effect_window(const bird_model *m);

/** Errors: BIRD_EINVAL no token to hide others with; BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_masked_effect_new(struct bird_masked_effect **out,
                                           const bird_model *m,
                                           const struct bird_effect_options *o);
void bird_masked_effect_free(struct bird_masked_effect *e);

/** Whether distances are wanted from now on; at first they are. */
void bird_masked_effect_distance(struct bird_masked_effect *e, int wanted);

/** The window at hand, n bases on each strand, borrowed until the next. */
BIRD_MUST_CHECK int bird_masked_effect_open(struct bird_masked_effect *e,
                                            const char *plus, const char *minus,
                                            int64_t n);

/**
 * Replace its bases from .. to by alt, all of the plus strand. *status is OK,
 * TOO_LONG (more tokens than the model reads) or NO_TOKEN; out->ref and
 * out->alt, n_changed and free are filled when it is OK.
 * Errors: those of bird_masked_run()
 */
BIRD_MUST_CHECK int bird_masked_effect_submit(struct bird_masked_effect *e,
                                              struct bird_request *out,
                                              enum bird_variant_status *status,
                                              int64_t from, int64_t to,
                                              const struct bird_text *alt);

/** As of variant/effect_frame.h; (strands, BIRD_MASKED_VALUES) of a place. */
BIRD_MUST_CHECK int bird_masked_effect_flush(struct bird_masked_effect *e);
const float *bird_masked_effect_values(const struct bird_masked_effect *e,
                                       int64_t place);
void bird_masked_effect_evict(struct bird_masked_effect *e);
void bird_masked_effect_count(const struct bird_masked_effect *e,
                              bird_session_counts *out);

#endif
