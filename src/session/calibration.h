/**
 * The null distribution for e-values and z-scores: differences between ALT and
 * REF of random changes, for each feature, in the model folder's
 * calibration.safetensors (docs/math/variant-scores.md).
 *
 * A difference is compared with random changes of the same class (a CpG
 * transition, a deletion of one base ...) in regions for which the model predicts
 * about the same value with REF: changes are put into strata by REF's value. The
 * scale of a class and stratum is the 95 % quantile of |diff| there; |diff| /
 * scale has one distribution for each feature, over all classes and strata. So
 * one of 20 random changes of every class and stratum has e <= .05.
 *
 * For each feature the file holds these magnitudes at chosen ranks: all of the
 * largest ones, then ranks in steps that grow by a constant factor, and the
 * smallest. A rank between two chosen ranks counts as the larger one. So an
 * e-value is exact in the tail, and elsewhere too large by at most that factor.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_CALIBRATION_H
#define BIRD_SESSION_CALIBRATION_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/variant.h"

enum {
    BIRD_CALIBRATION_RANKS = 1024,
    /* Strata end at the quantiles .2, .4, .6, .8 and .9 of REF's values. */
    BIRD_CALIBRATION_STRATA = 6,
    /* Fewer changes have no scale of their own: a stratum then has its class's,
       a class that of all changes. */
    BIRD_CALIBRATION_FEW = 50
};

/** Settings that the scores of a background depend on. A background serves only
 *  scores made with equal settings. */
struct bird_calibration_settings {
    char digest[65]; /* of the model */
    int64_t window_bp;
    int plus, minus;
    enum bird_variant_tokens tokens; /* BOTH, ANCHORED or FREE */
    char shifts
        [BIRD_SHIFTS_TEXT]; /* of the noise bar, "0,7,14"; "0": one window,
                               also when the file does not say */
    enum bird_precision precision; /* float32 when the file does not say */
    int64_t span_bp; /* for models with bins; else 0, also when the file does
                        not say */
};

struct bird_calibration {
    int64_t n;         /* differences in the background */
    int64_t n_feature; /* F */
    int64_t n_rank;    /* K */
    int64_t n_class;   /* C */
    int64_t n_stratum; /* S */
    int64_t *rank;     /* (K) rising from 0, the largest, to n - 1 */
    float *magnitude;  /* (F, K) falling, |diff| / scale */
    float *edge;       /* (F, S - 1) REF's largest value of each stratum but the
                          last, rising */
    float *scale;      /* (F, C, S) above 0; 0: a class without changes */
    struct bird_calibration_settings settings;
    int is_old;  /* the file has the form of version 1: only its settings were
                    read */
    char *about; /* the background in words */
};

void bird_calibration_free(struct bird_calibration *c);

/** Changes that a background is made from. */
struct bird_calibration_changes {
    int64_t n;               /* at least 1 */
    int64_t n_feature;       /* F */
    const float *diff;       /* (n, F) */
    const float *ref;        /* (n, F) values of REF; NULL: one stratum */
    const uint8_t *class_of; /* (n) below n_class */
    int64_t n_class;
};

/** Errors: BIRD_EINVAL no changes; BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_calibration_make(struct bird_calibration *out,
                      const struct bird_calibration_changes *x);

/** Does the background have changes of this class? Not without a background
 *  (NULL). */
int bird_calibration_has(const struct bird_calibration *c,
                         int64_t change_class);

/** Write it to the file of a model folder. Errors: BIRD_EIO, BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_calibration_write(const struct bird_calibration *c,
                                           const char *path);

/**
 * Read it: returns 1, or 0 when the file or its background is missing.
 * Errors: BIRD_EIO; BIRD_EFORMAT, also another number of features
 */
BIRD_MUST_CHECK int bird_calibration_read(struct bird_calibration *out,
                                          const char *path, int64_t n_feature);

/** "both", "anchored" or "free". */
const char *bird_tokens_name(enum bird_variant_tokens tokens);

/** Read the settings of a file's background: returns 1, or 0 when there is no
 *  background. Errors: as bird_calibration_read() */
BIRD_MUST_CHECK int
bird_calibration_read_settings(struct bird_calibration_settings *out,
                               const char *path);

/** NULL when the background was made with these settings; else a phrase that
 *  names the difference. */
const char *
bird_calibration_differs(const struct bird_calibration *c,
                         const struct bird_calibration_settings *settings);

/** A difference that is compared with a background. */
struct bird_calibration_query {
    int64_t feature, change_class; /* the background has this class */
    double ref;                    /* REF's value of the feature */
    double diff;
};

/** (1 + background differences of a larger |diff| / scale) / (n + 1). */
double bird_calibration_e(const struct bird_calibration *c,
                          const struct bird_calibration_query *d);

/** The standard normal deviate that is exceeded in size with probability e, with
 *  the sign of diff: over the background's changes z has mean square 1. */
double bird_calibration_z(const struct bird_calibration *c,
                          const struct bird_calibration_query *d);

#endif
