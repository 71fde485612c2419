/**
 * From probabilities to what is written of an allele: scores of a feature,
 * summaries over features, and which of them are shown.
 * docs/math/variant-scores.md has the definitions with their sources.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_SCORE_H
#define BIRD_VARIANT_VARIANT_SCORE_H

#include "dnabird/features.h"
#include "dnabird/variant.h"
#include "model/folder.h"
#include "session/calibration.h"
#include "track/writer.h"

/** Probabilities are kept this far from 0 and 1 before their logit. */
#define BIRD_SCORE_CLIP 1e-7

/** ln(p / (1 - p)) of p so kept. */
double bird_score_logit(double p);

/** What became of one allele. */
struct bird_outcome {
    enum bird_variant_status status;
    const float *p_ref, *p_alt; /* (features); NULL: not scored */
    int64_t n_changed;          /* tokens */
    int free;                   /* tokenized by itself */
    int moved, cut; /* the window, at a contig's end; cut: no e and z, whose
                       background has whole windows */
};

/** Which features and scores are shown. */
struct bird_shown {
    bird_features features;
    char **id; /* (features.n) names of a-z, A-Z, digits, '_' and '.' alone */
    int64_t *feature; /* (n_feature) those chosen; none: the summary */
    int64_t n_feature;
    int score[BIRD_SCORES]; /* (n_score) enum bird_variant_score */
    int64_t n_score;
    const char **class_name; /* (n_class) */
    char **class_id;         /* (n_class) */
    int32_t *class_of;       /* (features.n) */
    int64_t n_class;
    int64_t top;
    const struct bird_calibration *calibration; /* NULL: no e and z */
};

/**
 * From a model of n features (1 of two classes: its name is then the folder's,
 * where its labels have none of their own) and the options' texts.
 * Errors: BIRD_EINVAL names what is no feature or score; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_shown_new(struct bird_shown *out,
                                   const struct bird_folder *f, int64_t n,
                                   const bird_variant_options *o,
                                   enum bird_content content,
                                   const struct bird_calibration *c);
void bird_shown_free(struct bird_shown *s);

/** A score of a feature; NAN when it is not scored, or not calibrated, or the
 *  background does not fit. */
double bird_outcome_score(const struct bird_shown *s,
                          const struct bird_outcome *o, int score,
                          int64_t feature);

/** The feature with the largest |diff| among those of a class (-1: all). */
int64_t bird_outcome_largest(const struct bird_shown *s,
                             const struct bird_outcome *o, int32_t class_id);

/** Mean over all features of -log10 e; NAN when not calibrated. */
double bird_outcome_mean(const struct bird_shown *s,
                         const struct bird_outcome *o);

/** The n features with the largest |diff|, largest first; how many. */
int64_t bird_outcome_top(int64_t *feature, int64_t n,
                         const struct bird_shown *s,
                         const struct bird_outcome *o);

#endif
