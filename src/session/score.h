/**
 * Sequences to probabilities with any weights: the step that scanning,
 * evaluating and validating share.
 *
 * Sequences are packed in the order they come, a pack being closed when it
 * holds BIRD_PACK_TOKENS; as many packs as there are threads are scored at
 * once, each on one thread. Which sequences meet in a pack depends on their
 * order alone, so the number of threads changes nothing; over weights that were
 * made ready (bird_weights_prepare()) a sequence's bits do not depend on those it
 * meets either. A sequence with the same tokens
 * as one before it, among the last BIRD_SEEN_ROWS different ones, gets that
 * one's answer and is in no pack.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_SCORE_H
#define BIRD_PREDICT_SCORE_H

#include <stdint.h>

#include "head/head.h"
#include "session/pack.h"
#include "session/seen.h"

/** Tokens at which a pack is closed: enough rows for the matrix products to
 *  be efficient, few enough for the caches. */
#define BIRD_PACK_TOKENS 4096

struct bird_scorer;

/** Takes the probabilities (columns) of sequence `index`, in order. Nonzero
 *  is an error and ends the scoring. */
typedef int bird_score_take(void *context, int64_t index, const float *p);

/**
 * Weights and tokenizer must outlive the scorer, which is the caller's.
 * Errors: BIRD_EINVAL the head does not score sequences; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_scorer_new(struct bird_scorer **out,
                                    const struct bird_config *c,
                                    const struct bird_weights *w,
                                    const bird_tokenizer *t,
                                    bird_score_take *take, void *context);
void bird_scorer_free(struct bird_scorer *s);

/** Fill sequences up to pad_to tokens (bird_model_run), which also is the
 *  longest they may be; 0: not. Before the first is added. */
void bird_scorer_pad(struct bird_scorer *s, int64_t pad_to);

/** Probabilities a sequence gets: classes, or labels of a multi-label model. */
int64_t bird_scorer_columns(const struct bird_scorer *s);

/** Sequences so far that had more tokens than the model reads and were cut
 *  around their centre. */
int64_t bird_scorer_trimmed(const struct bird_scorer *s);

/** Sequences so far that were not computed, since their tokens were those of
 *  one before. */
int64_t bird_scorer_repeated(const struct bird_scorer *s);

/** The next sequence; may score and hand out those before it. */
BIRD_MUST_CHECK int bird_scorer_add(struct bird_scorer *s, const char *text,
                                    int64_t n);

/** The same for token ids as they are; position NULL: 0, 1, 2 ... */
BIRD_MUST_CHECK int bird_scorer_add_ids(struct bird_scorer *s,
                                        const int32_t *ids,
                                        const int32_t *position, int64_t n);

/** Score and hand out what is left. The scorer can go on after it. */
BIRD_MUST_CHECK int bird_scorer_flush(struct bird_scorer *s);

/** Does the model choose one of its columns (softmax), or answer each? */
int bird_config_is_choice(const struct bird_config *c);

#endif
