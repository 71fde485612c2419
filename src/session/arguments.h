/**
 * Checks of what a caller of the library passes: a wrong argument is an error
 * that bird_last_error() names, not a crash.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_ARGUMENTS_H
#define BIRD_SESSION_ARGUMENTS_H

#include <stdint.h>

#include "dnabird/session.h"

/** The arguments of bird_session_new(). Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_check_session(bird_session *const *out,
                                       const bird_model *m,
                                       const bird_session_options *o);

/**
 * A sequence of nucleotide codes (seq/alphabet.h), at least one.
 * Errors: BIRD_EINVAL with the position of the first other character
 *
 * @param s    NULL is an error
 * @param tag  of the sequence, for the message
 */
BIRD_MUST_CHECK int bird_check_sequence(const bird_session *s, const char *seq,
                                        int64_t len, int64_t tag);

#endif
