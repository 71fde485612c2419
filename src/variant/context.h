/**
 * What every command on variants needs: model, reference, and what computes
 * effects; with the model's background where it fits.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_CONTEXT_H
#define BIRD_VARIANT_CONTEXT_H

#include "base/text.h"
#include "dnabird/variant.h"
#include "session/calibration.h"
#include "variant/effect.h"

/** Start with {0}. */
struct bird_variant_context {
    bird_model *model;
    bird_genome *genome;
    struct bird_effect *effect;
    struct bird_effect_options how;
    struct bird_calibration calibration;
    int calibrated; /* it is there and fits */
    int fresh;      /* set before it is opened: no background is looked for */
    int anchored;   /* tokens of ALT are put on those of REF, or both ways */
    struct bird_calibration_settings settings;
    char name[80];           /* of the model */
    struct bird_text notice; /* sentences for the user, "; " between them */
    struct bird_text build;  /* warnings of lengths */
    struct bird_text cost; /* what the noise bar costs, or why there is none */
};

BIRD_MUST_CHECK int bird_context_open(struct bird_variant_context *s,
                                      const bird_variant_params *w);

/** The same on this genome, whatever w->fasta is; it is the context's now. */
BIRD_MUST_CHECK int bird_context_open_on(struct bird_variant_context *s,
                                         const bird_variant_params *w,
                                         bird_genome *genome);
void bird_context_close(struct bird_variant_context *s);

/** Say what the noise bar costs, when all is checked and scoring begins. */
void bird_context_begin(const struct bird_variant_context *s,
                        const bird_variant_params *w);

/** What summaries tell: the model's name and digest, and the sentences. */
void bird_context_tell(const struct bird_variant_context *s, char model[80],
                       char digest[65], char build[512], char notice[1024]);

/** Do they make sense? Errors: BIRD_EINVAL. */
BIRD_MUST_CHECK int bird_params_check(const bird_variant_params *w);

/** Add a sentence. */
BIRD_MUST_CHECK int bird_context_note(struct bird_text *t, const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/** Path of the model's calibration file; *out is the caller's. */
BIRD_MUST_CHECK int
bird_context_calibration(char **out, const struct bird_variant_context *s);

/** SHA-256 of the reference's contigs' names and lengths, in hexadecimal.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_context_contigs(char hex[65],
                                         const struct bird_variant_context *s);

/** The reference's name, and the SHA-256 of its contigs' names and lengths,
 *  for provenance. Appended. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_context_reference(struct bird_text *out,
                       const struct bird_variant_context *s);

/** What the background is, in words. Appended; nothing without one. */
BIRD_MUST_CHECK int
bird_context_background(struct bird_text *out,
                        const struct bird_variant_context *s);

#endif
