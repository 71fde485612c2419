/**
 * What makes two samplers give the same rows, as JSON and as text.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_IDENTITY_H
#define BIRD_TRAIN_IDENTITY_H

#include <jansson.h>

#include "data/sampler.h"

/**
 * Tokenizer and options of drawing as an object; mask and span, which are
 * applied when a row is read, are not in it.
 * Owner: *out is the caller's, json_decref(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_identity_of_options(json_t **out,
                                             const struct bird_sampler *s);

/** Add what was drawn from: digests of contigs and regions, bases. */
BIRD_MUST_CHECK int bird_identity_add_data(json_t *identity,
                                           const struct bird_sampler *s);

/** Lines "name value" of the object, then mask and span, to s->identity. */
BIRD_MUST_CHECK int bird_identity_text(struct bird_sampler *s,
                                       const json_t *identity);

/**
 * Does `there` have every field of `want` with its value?
 * Errors: BIRD_EINVAL names path, field and both values.
 */
BIRD_MUST_CHECK int bird_identity_check(const json_t *there, const json_t *want,
                                        const char *path);

#endif
