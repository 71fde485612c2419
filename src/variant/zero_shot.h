/**
 * A second, masked-language model that scores the same changes. It gives two
 * e-values for a change, for the score `combined`
 * (docs/math/variant-scores.md).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_ZERO_SHOT_H
#define BIRD_VARIANT_ZERO_SHOT_H

#include "variant/context.h"
#include "variant/variant_score.h"

struct bird_zero_shot {
    struct bird_variant_context context;
};

/**
 * Open the model folder `path`. Strand, precision and share of N are those of
 * w; all other settings are the model's own.
 *
 * Owner   *out is the caller's; free with bird_zero_shot_free()
 * Errors  BIRD_EINVAL not a masked-language model, or no background with these
 *         settings; those of bird_context_open()
 */
BIRD_MUST_CHECK int bird_zero_shot_open(struct bird_zero_shot **out,
                                        const char *path,
                                        const bird_variant_params *w);
void bird_zero_shot_free(struct bird_zero_shot *z);

/** A change that was submitted; done: 1: it can be scored. */
struct bird_zero_shot_request {
    int done;
    struct bird_request request;
};

/** Submit a change in its normal form. Errors: of bird_effect_submit() */
BIRD_MUST_CHECK int bird_zero_shot_submit(struct bird_zero_shot *z,
                                          struct bird_zero_shot_request *out,
                                          const struct bird_change *c);

/** Its e-values, after bird_effect_flush(); NAN: not scored, the contig is
 *  shorter than the window, or its class has no background. */
void bird_zero_shot_e_values(double out[BIRD_ZERO_SHOT_VALUES],
                             const struct bird_zero_shot *z,
                             const struct bird_zero_shot_request *r);

#endif
