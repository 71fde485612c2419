/**
 * A learned vocabulary as tokenizer.json.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_LEARN_WRITE_H
#define BIRD_TOKEN_LEARN_WRITE_H

#include "token/learn.h"

/** Errors: BIRD_EIO, BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_learn_write(const struct bird_corpus *c,
                                     const char *path);

#endif
