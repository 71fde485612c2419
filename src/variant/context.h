/**
 * What every command on variants needs: the model, the reference, the effects,
 * and the model's background if it was made with the same settings.
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
    bird_model *model; /* NULL: none */
    bird_genome *genome;
    struct bird_effect *effect;
    struct bird_effect_options how;
    struct bird_calibration calibration;
    int calibrated;  /* 1: there is a background with the same settings */
    int fresh;       /* 1, set before opening: do not read a background */
    int renews;      /* 1, set with fresh: but take what the user left open from
                        its settings */
    int own_window;  /* 1, set before opening: without a window of the user the
                       model's, not the background's */
    int bases_alone; /* 1, set before opening: only substitutions are scored */
    int anchored;    /* 1: ALT keeps the tokens of REF outside of the change */
    struct bird_calibration_settings settings; /* of the scores */
    char name[80];                             /* of the model */
    struct bird_text notice; /* sentences for the user, joined by "; " */
    struct bird_text build;  /* warnings about the lengths of contigs */
    struct bird_text cost;   /* of the noise bar, or why there is none */
};

/** Errors: those of opening both; BIRD_EINVAL options that the model does not
 *  allow */
BIRD_MUST_CHECK int bird_context_open(struct bird_variant_context *s,
                                      const bird_variant_params *w);

/** The same without a model: model is NULL, and the effect has no features.
 *  Errors: those of bird_genome_open() */
BIRD_MUST_CHECK int bird_context_open_reference(struct bird_variant_context *s,
                                                const bird_variant_params *w);

/** The same on this genome instead of w->fasta; the context owns it from now
 *  on. */
BIRD_MUST_CHECK int bird_context_open_on(struct bird_variant_context *s,
                                         const bird_variant_params *w,
                                         bird_genome *genome);
void bird_context_close(struct bird_variant_context *s);

/** Tell the cost of the noise bar; call it when scoring begins. */
void bird_context_begin(const struct bird_variant_context *s,
                        const bird_variant_params *w);

/** Copy the model's name and digest and the sentences to a summary. */
void bird_context_summarize(const struct bird_variant_context *s,
                            char model[80], char digest[65], char build[512],
                            char notice[1024]);

/** Check the parameters by themselves. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_params_check(const bird_variant_params *w);

/** Append a sentence. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_context_note(struct bird_text *t, const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/** Path of the model's calibration file; *out is the caller's. */
BIRD_MUST_CHECK int
bird_context_calibration(char **out, const struct bird_variant_context *s);

/** SHA-256 of the reference's contigs' names and lengths, in hexadecimal.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_context_contigs(char hex[65],
                                         const struct bird_variant_context *s);

/** Append the reference's name, and the SHA-256 of its contigs' names and
 *  lengths, for provenance. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_context_reference(struct bird_text *out,
                       const struct bird_variant_context *s);

/** Append a description of the background, if there is one. */
BIRD_MUST_CHECK int
bird_context_background(struct bird_text *out,
                        const struct bird_variant_context *s);

#endif
