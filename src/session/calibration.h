/**
 * The null distribution for e-values and z-scores: differences between ALT and
 * REF of random changes, for each feature, in the model folder's
 * calibration.safetensors (docs/math/variant-scores.md).
 *
 * For each feature the file holds the root mean square of the differences, and
 * their magnitudes at chosen ranks: all of the largest ones, then ranks in
 * steps that grow by a constant factor, and the smallest. A rank between two
 * chosen ranks counts as the larger one. So an e-value is exact in the tail,
 * and elsewhere too large by at most that factor.
 *
 * A background may have classes of changes (single bases, insertions ...), each
 * with its own distribution. Class 0 is the calibration itself, and the only
 * class of a background without classes.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_CALIBRATION_H
#define BIRD_SESSION_CALIBRATION_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/variant.h"

enum { BIRD_CALIBRATION_VERSION = 1, BIRD_CALIBRATION_RANKS = 1024 };

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
    int64_t *rank;     /* (K) rising from 0, the largest, to n - 1 */
    float *magnitude;  /* (F, K) falling */
    double *rms;       /* (F) */
    struct bird_calibration_settings settings;
    char *about;                    /* the background in words */
    struct bird_calibration *other; /* (n_class - 1) classes 1, 2 ...; n is 0
                                       for a class without changes. NULL: no
                                       classes */
    int64_t n_class;                /* or 0 */
};

void bird_calibration_free(struct bird_calibration *c);

/**
 * Make a background from differences diff (n, F), one row a variant. The call
 * sorts diff in place. Errors: BIRD_EINVAL n < 1; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calibration_make(struct bird_calibration *out,
                                          float *diff, int64_t n,
                                          int64_t n_feature);

/**
 * The same for differences with classes: class_of (n), each below n_class.
 * Errors: BIRD_EINVAL class 0 has no difference; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calibration_make_classes(struct bird_calibration *out,
                                                  const float *diff, int64_t n,
                                                  int64_t n_feature,
                                                  const uint8_t *class_of,
                                                  int64_t n_class);

/** The distribution for a change of this class; NULL: the background has none. */
const struct bird_calibration *
bird_calibration_of(const struct bird_calibration *c, int64_t change_class);

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

/** (1 + background differences larger than |diff|) / (n + 1). */
double bird_calibration_e(const struct bird_calibration *c, int64_t feature,
                          double diff);

/** diff / root mean square; 0 when that is 0. */
double bird_calibration_z(const struct bird_calibration *c, int64_t feature,
                          double diff);

#endif
