/**
 * The post-processor: which special tokens stand before and after a text.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_POST_H
#define BIRD_TOKEN_POST_H

#include <jansson.h>

#include "dnabird/tokenizer.h"

/** Fill t->before and t->after. Errors: BIRD_EFORMAT, BIRD_EUNSUPPORTED. */
BIRD_MUST_CHECK int bird_post_read(bird_tokenizer *t, const json_t *post,
                                   const char *path);

#endif
