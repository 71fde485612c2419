/**
 * Sessions (dnabird/session.h) for the modules above: sequences that are tokens
 * already, and facts about answers.
 *
 * A session packs sequences in their order and closes a pack when it holds
 * BIRD_PACK_TOKENS tokens; it runs one pack on each thread at once. The order of
 * the sequences alone decides which sequences share a pack, so the number of
 * threads changes no answer. With prepared weights (bird_weights_prepare()) the
 * bits of an answer do not depend on the other sequences of the pack either. A
 * sequence with the same tokens as an earlier one gets the earlier answer from
 * the cache and enters no pack.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_SESSION_H
#define BIRD_SESSION_SESSION_H

#include "session/anchor.h"
#include "session/model.h"

/** A pack is closed at this number of tokens: enough rows for efficient matrix
 *  products, few enough for the processor's caches. */
#define BIRD_PACK_TOKENS 4096

/**
 * Add a sequence whose strands are encoded already. The session needs the one
 * strand that it scores, or both strands for their mean or for
 * BIRD_STRAND_EACH.
 * @param minus  NULL: `plus` is the only strand, whichever strand that is
 * Errors: as bird_session_add()
 */
BIRD_MUST_CHECK int bird_session_add_rows(bird_session *s,
                                          const struct bird_rows *plus,
                                          const struct bird_rows *minus,
                                          int64_t tag);

/** Labels of a model's answers: the columns of the head; 1 for two classes that
 *  exclude each other, whose answer is the second class. */
int64_t bird_model_labels(const struct bird_config *c);

/** 1: the columns are classes that exclude each other (softmax); 0: every
 *  column has an answer of its own. */
int bird_config_is_choice(const struct bird_config *c);

/** Softmax of the n logits of one answer, in place. An infinite logit would give
 *  probabilities 0 and 1, which are finite: all become NaN instead, as with a NaN
 *  logit, for the caller to refuse. */
void bird_session_classes(float *p, int64_t n);

#endif
