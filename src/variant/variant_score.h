/**
 * Scores of an allele from a model's values: of each feature, and summaries
 * over features; and which of them are written.
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
#include "variant/motif_change.h"

/** A score: its name in tables and in VCF, and its description. */
struct bird_score_row {
    const char *name, *id, *about;
    int of;     /* BIRD_SCORE_OF_LABELS, _VALUES, _MASKED, or several */
    int null;   /* it needs a background */
    int rare;   /* written only when the user names it */
    int bar;    /* it needs a noise bar */
    int second; /* it needs a second, masked-language model */
    int whole;  /* a float of the model, which other scores are made of */
    int motif;  /* it needs the change of motif matches */
    int single; /* no summary over features has it: it is of chosen ones */
};
enum {
    BIRD_SCORE_OF_LABELS = 1, /* probabilities */
    BIRD_SCORE_OF_MASKED = 2, /* likelihoods of a masked-language model */
    BIRD_SCORE_OF_VALUES = 4  /* measured values */
};

/** Scores that are computed from all replicates of a noise bar, not from their
 *  means: the index of a score among them, or -1. */
enum { BIRD_REPLICATE_SCORES = 5 };
int bird_replicate_score_index(int score);
/** The score of index k among them. */
int bird_replicate_score(int k);

/** The row of a score of this number. */
const struct bird_score_row *bird_score_row(int score);

/** The score that a word of n characters names; -1: none of them. */
int bird_score_find(const char *word, size_t n);

/** E-values of a second, masked-language model: of its log-likelihood ratio and
 *  of its distance. */
enum { BIRD_ZERO_SHOT_VALUES = 2 };

/** The result of an allele. */
struct bird_allele_result {
    enum bird_variant_status status;
    /* values (features), or (BIRD_LIKELIHOOD_VALUES) of a masked-language model;
       means over replicates; NULL: not scored */
    const float *p_ref, *p_alt;
    int64_t n_replicate;                          /* of a noise bar; 0: none */
    const float *ref_replicates, *alt_replicates; /* (n_replicate, as p_ref) */
    /* (features, BIRD_REPLICATE_SCORES) when the scores over replicates are known
       and the replicates are not; else NULL */
    const double *known;
    int has_motif; /* 1: motifs were scored */
    struct bird_motif_change motif;
    int has_zero_shot;                       /* 1: a second model scored it */
    double zero_shot[BIRD_ZERO_SHOT_VALUES]; /* NAN: not scored */
    /* when it is scored; without e and z if the contig is shorter than the
       window (cut): backgrounds have whole windows */
    struct bird_request request;
};

/** The features and scores that are written. */
struct bird_selected_scores {
    int likelihood; /* 1: of a masked-language model, which has one feature */
    int measured;   /* 1: of a model of measured values */
    int second;     /* 1: a second, masked-language model is used */
    int motif; /* 1: the score `motif`, of the allele and not of a feature */
    int scans_motifs;    /* 1: a selected score needs the change of motifs */
    double motif_weight; /* of the model, a bit; 0: it has none */
    bird_features features;
    char **id;       /* (features.n) made of a-z, A-Z, 0-9, '_' and '.' alone */
    uint8_t *summed; /* (features.n) 1: summaries include it: the labels that
                   dnabird.json names for `chromatin`, or all */
    int64_t n_summed;
    int64_t *feature; /* (n_feature) selected ones; none: summaries only */
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
 * Select features and scores from the options' texts, for a model of n
 * features. A model of two classes has one, named by its label or else by its
 * folder.
 * Errors: BIRD_EINVAL an unknown feature or score, which is named; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_selected_scores_new(struct bird_selected_scores *out,
                                             const bird_model *m, int64_t n,
                                             const bird_variant_options *o,
                                             enum bird_content content,
                                             const struct bird_calibration *c,
                                             int64_t n_replicate);
void bird_selected_scores_free(struct bird_selected_scores *s);

/** Check that the model has a score, and the background or noise bar that it
 *  needs. Errors: BIRD_EINVAL names `option` */
BIRD_MUST_CHECK int
bird_selected_scores_check(const struct bird_selected_scores *s, int score,
                           const char *option);

/** Is it a score of the distance between hidden states? */
int bird_score_is_distance(int score);

/** Is a score of the distance selected? */
int bird_selected_scores_have_distance(const struct bird_selected_scores *s);

/** BIRD_SCORE_OF_LABELS, _VALUES or _MASKED: what the model answers. */
int bird_selected_scores_kind(const struct bird_selected_scores *s);

/** The main score of a change: difference, or log-likelihood ratio. */
int bird_main_score(const struct bird_selected_scores *s);

/** A score of a feature; NAN: not scored, or no background fits. */
double bird_allele_score(const struct bird_selected_scores *s,
                         const struct bird_allele_result *o, int score,
                         int64_t feature);

/** Fill all but the status from a request that was computed. */
void bird_allele_result_fill(struct bird_allele_result *out,
                             const struct bird_effect *e,
                             const struct bird_request *r);

/** Do summaries include a feature of this class? */
int bird_selected_scores_sum_class(const struct bird_selected_scores *s,
                                   int32_t class_id);

/** The feature of a class (-1: of any) with the largest |diff| in the
 *  summaries. */
int64_t bird_allele_largest(const struct bird_selected_scores *s,
                            const struct bird_allele_result *o,
                            int32_t class_id);

/** Mean of -log10 e over the features of the summaries; NAN: no background. */
double bird_allele_mean(const struct bird_selected_scores *s,
                        const struct bird_allele_result *o);

/** The up to n features of the summaries with the largest |diff|, largest
 *  first; returns how many. */
int64_t bird_allele_top(int64_t *feature, int64_t n,
                        const struct bird_selected_scores *s,
                        const struct bird_allele_result *o);

#endif
