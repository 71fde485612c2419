/**
 * How large is large: a background of differences, per feature, in the model
 * folder's calibration.safetensors (docs/math/variant-scores.md).
 *
 * Of each feature the file holds the root mean square of the differences and
 * their magnitudes at chosen ranks: the largest ones all, then in steps that
 * grow by a constant factor, the smallest at last. Between two ranks the
 * larger number is taken, so an e-value is exact in the tail and elsewhere at
 * most as much too large as that factor says.
 *
 * A background may have classes of changes (single bases, insertions ...), each
 * with a distribution of its own; class 0 is the calibration itself, and all
 * that there is where classes are not told apart.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_CALIBRATION_H
#define BIRD_SESSION_CALIBRATION_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/variant.h"

enum { BIRD_CALIBRATION_VERSION = 1, BIRD_CALIBRATION_RANKS = 1024 };

/** What the scores of a background depend on; equal, or it is no yardstick. */
struct bird_calibration_way {
    char digest[65]; /* of the model */
    int64_t window_bp;
    int plus, minus;
    enum bird_variant_tokens tokens; /* BOTH, ANCHORED or FREE */
    char shifts
        [BIRD_SHIFTS_TEXT]; /* of a noise bar, "0,7,14"; "0": none, as of a file that
                         does not say */
    enum bird_precision precision; /* a file that does not say: float32 */
    int64_t span_bp; /* of models that answer in bins; else 0, as of a file
                        that does not say */
};

struct bird_calibration {
    int64_t n;         /* differences in the background */
    int64_t n_feature; /* F */
    int64_t n_rank;    /* K */
    int64_t *rank;     /* (K) 0 the largest, rising, n - 1 at last */
    float *magnitude;  /* (F, K) falling */
    double *rms;       /* (F) */
    struct bird_calibration_way way;
    char *about;                    /* what the background is, in words */
    struct bird_calibration *other; /* (n_class - 1) of classes 1, 2 ...; n 0:
                                       nothing of that class. NULL: not told
                                       apart */
    int64_t n_class;                /* or 0 */
};

void bird_calibration_free(struct bird_calibration *c);

/**
 * From differences diff (n, F), one row a variant; diff is sorted in place and
 * lost. Errors: BIRD_EINVAL n < 1; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calibration_make(struct bird_calibration *out,
                                          float *diff, int64_t n,
                                          int64_t n_feature);

/**
 * The same of differences whose class is class_of (n), below n_class.
 * Errors: BIRD_EINVAL none of class 0; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calibration_make_classes(struct bird_calibration *out,
                                                  const float *diff, int64_t n,
                                                  int64_t n_feature,
                                                  const uint8_t *class_of,
                                                  int64_t n_class);

/** What a change of this class is compared with; NULL: there is nothing. */
const struct bird_calibration *
bird_calibration_of(const struct bird_calibration *c, int64_t change_class);

/** The file of a model folder. Errors: BIRD_EIO, BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_calibration_write(const struct bird_calibration *c,
                                           const char *path);

/**
 * Read it: 1, or 0 when there is none.
 * Errors: BIRD_EIO; BIRD_EFORMAT, also another number of features
 */
BIRD_MUST_CHECK int bird_calibration_read(struct bird_calibration *out,
                                          const char *path, int64_t n_feature);

/** "both", "anchored" or "free". */
const char *bird_tokens_name(enum bird_variant_tokens tokens);

/** How the background of a file was made: 1, or 0 when there is none.
 *  Errors: as bird_calibration_read() */
BIRD_MUST_CHECK int bird_calibration_read_way(struct bird_calibration_way *out,
                                              const char *path);

/** Is it one of this way of scoring? Else a phrase of what differs. */
const char *bird_calibration_differs(const struct bird_calibration *c,
                                     const struct bird_calibration_way *way);

/** (1 + background differences larger than |diff|) / (n + 1). */
double bird_calibration_e(const struct bird_calibration *c, int64_t feature,
                          double diff);

/** diff / root mean square; 0 when that is 0. */
double bird_calibration_z(const struct bird_calibration *c, int64_t feature,
                          double diff);

#endif
