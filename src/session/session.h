/**
 * Sessions (dnabird/session.h) from inside: sequences that come as tokens.
 *
 * Sequences are packed in the order they come, a pack being closed when it
 * holds BIRD_PACK_TOKENS; as many packs as there are threads are scored at
 * once, each on one thread. Which sequences meet in a pack depends on their
 * order alone, so the number of threads changes nothing; over weights that were
 * made ready (bird_weights_prepare()) a sequence's bits do not depend on those
 * it meets either. A sequence with the same tokens as one before it gets that
 * one's answer from the cache and is in no pack.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_SESSION_H
#define BIRD_SESSION_SESSION_H

#include "session/anchor.h"
#include "session/model.h"

/** Tokens at which a pack is closed: enough rows for the matrix products to
 *  be efficient, few enough for the caches. */
#define BIRD_PACK_TOKENS 4096

/**
 * A sequence whose strands are encoded already: the one strand that the
 * session scores, or both for their mean, or of BIRD_STRAND_EACH each.
 * @param minus  NULL: `plus` is all there is, whichever strand it is
 * Errors: as bird_session_add()
 */
BIRD_MUST_CHECK int bird_session_add_rows(bird_session *s,
                                          const struct bird_rows *plus,
                                          const struct bird_rows *minus,
                                          int64_t tag);

/** The strand itself; BIRD_STRAND_MODEL: what the model's folder says. */
enum bird_strand bird_model_strand(const struct bird_model *m,
                                   enum bird_strand asked);

/** Labels of a model's answers: of two classes that exclude each other the
 *  second alone, else the head's columns. */
int64_t bird_model_labels(const struct bird_config *c);

/** Does the model choose one of its columns (softmax), or answer each? */
int bird_config_is_choice(const struct bird_config *c);

#endif
