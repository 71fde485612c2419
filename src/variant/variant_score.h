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
#include "folder/folder.h"
#include "session/calibration.h"
#include "track/writer.h"
#include "variant/effect.h"

/** A score: its name, that of VCF's field, and what it is. */
struct bird_score_row {
    const char *name, *id, *about;
    int of;     /* BIRD_SCORE_OF_LABELS, _OF_MASKED */
    int null;   /* it needs a background */
    int rare;   /* it is written where it is asked for */
    int bar;    /* it needs a noise bar */
    int second; /* it needs a masked-language model besides */
    int whole;  /* a float of the model, of which other scores are made */
};
enum { BIRD_SCORE_OF_LABELS = 1, BIRD_SCORE_OF_MASKED = 2 };

/** Scores that are made of all draws of a noise bar and not of their means:
 *  which of them a score is, or -1. */
enum { BIRD_REPLICATE_SCORES = 5 };
int bird_replicate_score_index(int score);
/** Score k of them. */
int bird_replicate_score(int k);

/** The row of a score of this number. */
const struct bird_score_row *bird_score_row(int score);

/** What a masked-language model says besides: e-values of its log-likelihood
 *  ratio and of its distance. */
enum { BIRD_ZERO_SHOT_VALUES = 2 };

/** What became of one allele. */
struct bird_allele_result {
    enum bird_variant_status status;
    const float *p_ref, *p_alt; /* (features), of masked-language models
                                   (BIRD_LIKELIHOOD_VALUES); the means of all
                                   draws; NULL: not scored */
    int64_t n_replicate;        /* of a noise bar; 0: none */
    const float *ref_replicates, *alt_replicates; /* (n_replicate, as p_ref) */
    const double
        *known; /* (features, BIRD_REPLICATE_SCORES) scores over draws, where
                            the draws are not at hand; else NULL */
    int has_zero_shot;                       /* a second model was asked */
    double zero_shot[BIRD_ZERO_SHOT_VALUES]; /* NAN: not scored */
    int64_t n_changed;                       /* tokens */
    int tokenized_alone;                     /* 1: ALT, by itself */
    int both_directions;                     /* 1: scored in both */
    int moved, cut;   /* the window, at a contig's end; cut: no e and z, whose
                       background has whole windows */
    int change_class; /* bird_change_class() */
};

/** Which features and scores are shown. */
struct bird_selected_scores {
    int likelihood; /* 1: of a masked-language model, which has one feature */
    int second;     /* there is a masked-language model besides */
    bird_features features;
    char **id; /* (features.n) names of a-z, A-Z, digits, '_' and '.' alone */
    uint8_t *summed; /* (features.n) 1: summaries are over it: those that
                        dnabird.json names for `chromatin`, or all */
    int64_t n_summed;
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
    int64_t n_replicate;                        /* of the noise bar; 0: none */
};

/**
 * From a model of n features (1 of two classes: its name is then the folder's,
 * where its labels have none of their own) and the options' texts.
 * Errors: BIRD_EINVAL names what is no feature or score; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_selected_scores_new(struct bird_selected_scores *out,
                                             const bird_model *m, int64_t n,
                                             const bird_variant_options *o,
                                             enum bird_content content,
                                             const struct bird_calibration *c,
                                             int64_t n_replicate);
void bird_selected_scores_free(struct bird_selected_scores *s);

/** Errors: BIRD_EINVAL the model shown has no such score, or no background for
 *  it; `option` is named. */
BIRD_MUST_CHECK int
bird_selected_scores_check(const struct bird_selected_scores *s, int score,
                           const char *option);

/** Is it one of the distance between hidden states? */
int bird_score_is_distance(int score);

/** Whether distances are among what is shown. */
int bird_selected_scores_have_distance(const struct bird_selected_scores *s);

/** The score that stands for a change: its difference, or its log-likelihood
 *  ratio. */
int bird_main_score(const struct bird_selected_scores *s);

/** A score of a feature; NAN when it is not scored, or not calibrated, or the
 *  background does not fit. */
double bird_allele_score(const struct bird_selected_scores *s,
                         const struct bird_allele_result *o, int score,
                         int64_t feature);

/** The numbers of an answered request: all but its status. */
void bird_allele_result_fill(struct bird_allele_result *out,
                             const struct bird_effect *e,
                             const struct bird_request *r);

/** Whether summaries are over a feature of this class. */
int bird_selected_scores_sum_class(const struct bird_selected_scores *s,
                                   int32_t class_id);

/** The summed feature with the largest |diff| of a class (-1: of any). */
int64_t bird_allele_largest(const struct bird_selected_scores *s,
                            const struct bird_allele_result *o,
                            int32_t class_id);

/** Mean over the summed features of -log10 e; NAN when not calibrated. */
double bird_allele_mean(const struct bird_selected_scores *s,
                        const struct bird_allele_result *o);

/** The n summed features with the largest |diff|, largest first; how many. */
int64_t bird_allele_top(int64_t *feature, int64_t n,
                        const struct bird_selected_scores *s,
                        const struct bird_allele_result *o);

#endif
