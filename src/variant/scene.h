/**
 * What every command on variants needs: model, reference, and what computes
 * effects; with the model's background where it fits.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_SCENE_H
#define BIRD_PREDICT_SCENE_H

#include "base/text.h"
#include "dnabird/variant.h"
#include "session/calibration.h"
#include "variant/effect.h"

/** Start with {0}. */
struct bird_scene {
    struct bird_model model;
    bird_genome *genome;
    struct bird_effect *effect;
    struct bird_effect_options how;
    struct bird_calibration calibration;
    int calibrated; /* it is there and fits */
    struct bird_calibration_way way;
    char name[80];           /* of the model */
    struct bird_text notice; /* sentences for the user, "; " between them */
    struct bird_text build;  /* warnings of lengths */
};

BIRD_MUST_CHECK int bird_scene_open(struct bird_scene *s,
                                    const bird_variant_way *w);
void bird_scene_close(struct bird_scene *s);

/** What summaries tell: the model's name and digest, and the sentences. */
void bird_scene_tell(const struct bird_scene *s, char model[80],
                     char digest[65], char build[512], char notice[1024]);

/** Do they make sense? Errors: BIRD_EINVAL. */
BIRD_MUST_CHECK int bird_way_check(const bird_variant_way *w);

/** Add a sentence. */
BIRD_MUST_CHECK int bird_scene_note(struct bird_text *t, const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/** Path of the model's calibration file; *out is the caller's. */
BIRD_MUST_CHECK int bird_scene_calibration(char **out,
                                           const struct bird_scene *s);

/** The reference's name, and the SHA-256 of its contigs' names and lengths,
 *  for provenance. Appended. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_scene_reference(struct bird_text *out,
                                         const struct bird_scene *s);

/** What the background is, in words. Appended; nothing without one. */
BIRD_MUST_CHECK int bird_scene_background(struct bird_text *out,
                                          const struct bird_scene *s);

#endif
