/**
 * Global tokens in front of a text: [G1] .. [Gg] put into a tokenizer.json.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_GLOBAL_H
#define BIRD_TOKEN_GLOBAL_H

#include <jansson.h>

#include "dnabird/tokenizer.h"

/** Is the number in 0 .. BIRD_GLOBAL_MAX? Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_global_check(int64_t g);

/**
 * Put g global tokens into a tokenizer.json's object that has none: as added
 * special tokens with the largest ids, and first in the post-processor, which
 * becomes a TemplateProcessing. g = 0 changes nothing.
 * Errors: BIRD_EINVAL, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_global_add(json_t *root, int64_t g);

/** The tokenizer.json at `from` with g global tokens, written to `to`.
 *  Errors: BIRD_EINVAL it has some; those of bird_tokenizer_open() */
BIRD_MUST_CHECK int bird_global_write(const char *to, const char *from,
                                      int64_t g);

#endif
