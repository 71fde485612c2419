/**
 * A second opinion on the same changes: a masked-language model beside the one
 * of labels. Of a change it gives two shares of its background, for the score
 * `combined` (docs/math/variant-scores.md).
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
 * Open the model folder `path` for changes that are scored as w says: strand,
 * precision and share of N are w's, all else is the model's own.
 *
 * Owner   *out is the caller's; free with bird_zero_shot_free()
 * Errors  BIRD_EINVAL no masked-language model, or it has no background that
 *         fits; those of bird_context_open()
 */
BIRD_MUST_CHECK int bird_zero_shot_open(struct bird_zero_shot **out,
                                        const char *path,
                                        const bird_variant_params *w);
void bird_zero_shot_free(struct bird_zero_shot *z);

/** What was asked for; done: it can be scored. */
struct bird_zero_shot_request {
    int done;
    struct bird_request request;
};

/** Ask for a change in its normal form. Errors: of bird_effect_submit() */
BIRD_MUST_CHECK int bird_zero_shot_submit(struct bird_zero_shot *z,
                                          struct bird_zero_shot_request *out,
                                          const struct bird_change *c);

/** Its e-values, after bird_effect_flush(); NAN where it was not scored, on a
 *  contig shorter than the window, and where its class has no background. */
void bird_zero_shot_e_values(double out[BIRD_ZERO_SHOT_VALUES],
                             const struct bird_zero_shot *z,
                             const struct bird_zero_shot_request *r);

#endif
