/**
 * From a model's raw output to a probability: one monotone map per feature, in
 * the model folder's calibration.safetensors.
 *
 * A map is a list of knots (raw, value), both strictly rising. Between two
 * knots the log odds of the value are linear in the log odds of the raw output;
 * outside the knots the slope is 1. So a map keeps the order of any two raw
 * outputs: rankings stay the same, and so do the calls at a threshold that is
 * mapped as well. docs/math/calibration.md describes how knots are fitted.
 *
 * The map is applied to what `promoter`, `chromatin` and `evaluate` print,
 * after averaging the strands where a model averages them. `variant` and
 * `mutate` use raw outputs.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_PROBABILITY_H
#define BIRD_SESSION_PROBABILITY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "session/model.h"

/** Settings that raw outputs depend on. A map serves only raw outputs made with
 *  equal settings. */
struct bird_probability_settings {
    char digest[65]; /* of the model */
    int64_t window_bp;
    int both_strands; /* 1: the mean of both strands; 0: each strand alone */
};

struct bird_probability {
    int64_t n_feature; /* F; 0: no map, raw outputs are not changed */
    int keep_raw;      /* 1: raw outputs are not changed; the thresholds of the
                          map still apply */
    int64_t *offset;   /* (F + 1) knots of feature f: offset[f] .. */
    double *raw;       /* (offset[F]) in 0 .. 1 */
    double *value;     /* (offset[F]) above 0, below 1 */
    double *threshold; /* (F) smallest raw output of a call; NaN: not set */
    char *event;       /* the event whose probability it is, in words */
    char *fitted;      /* the rows it was fitted on, in words */
    struct bird_probability_settings settings;
};

/** Safe on a zeroed one. */
void bird_probability_free(struct bird_probability *m);

/** The probability for a raw output of feature f; without a map the raw output
 *  itself. */
double bird_probability_of(const struct bird_probability *m, int64_t f,
                           double raw);

/** Does the map change raw outputs into probabilities? */
static inline int bird_probability_applies(const struct bird_probability *m)
{
    return m->n_feature > 0 && !m->keep_raw;
}

/** The raw output with this probability: the inverse of
 *  bird_probability_of(). */
double bird_probability_raw(const struct bird_probability *m, int64_t f,
                            double probability);

/**
 * Read the map of a model folder: returns 1, or 0 when the folder has none.
 * Errors: BIRD_EIO; BIRD_EFORMAT, also another number of features
 */
BIRD_MUST_CHECK int bird_probability_read(struct bird_probability *out,
                                          const char *path, int64_t n_feature);

/**
 * The map to apply to a run of this model, or an empty one. The model's
 * digest must be there (bird_model_use.identify); `settings` needs no digest.
 * @param raw 1: the user asks for raw outputs: only the map's thresholds apply
 * @param why a sentence for the user why the map is empty; or ""
 * Errors: those of bird_probability_read()
 */
BIRD_MUST_CHECK int
bird_probability_open(struct bird_probability *out, const bird_model *model,
                      const struct bird_probability_settings *settings, int raw,
                      char *why, size_t size);

/**
 * Write the map to calibration.safetensors at path; the background in the file
 * is kept.
 * Errors: BIRD_EIO, BIRD_EFORMAT the file that is there, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_probability_write(const struct bird_probability *m,
                                           const char *path);

/* --- thresholds ---------------------------------------------------------- */

/**
 * Choose a threshold: `asked` when it is >= 0; for fp_per_mb > 0 the entry of
 * the model's table, interpolated on the logarithm of the rate; else the
 * default of the model, or 0.5.
 * Errors: BIRD_EINVAL `asked` is above 1, both are given, the model has no
 * table, or the rate lies outside the table; BIRD_EFORMAT an invalid table
 */
BIRD_MUST_CHECK int bird_threshold_choose(double *out, const json_t *meta,
                                          double asked, double fp_per_mb,
                                          const char *path);

/**
 * Check a choice of threshold for windows other than the model's own.
 * Errors: BIRD_EINVAL the choice is by false positives per Mb: fp_per_mb > 0,
 * or asked < 0 and a default that is an entry of the table
 */
BIRD_MUST_CHECK int bird_threshold_elsewhere(const bird_model *model,
                                             double asked, double fp_per_mb);

/**
 * Choose a threshold on the printed probability. `asked` is a probability
 * already; the model's table and default are raw outputs, which the map m
 * changes into probabilities. Without a default the map's threshold of the
 * feature applies, or the probability 0.5.
 */
BIRD_MUST_CHECK int
bird_threshold_probability(double *out, const struct bird_probability *m,
                           int64_t feature, const json_t *meta, double asked,
                           double fp_per_mb, const char *path);

/**
 * Choose a threshold for each of the n features `feature`: `asked` when it is
 * >= 0, else the map's threshold, the default of the model, or the probability
 * 0.5.
 */
BIRD_MUST_CHECK int bird_threshold_features(double *out,
                                            const struct bird_probability *m,
                                            const json_t *meta, double asked,
                                            const int64_t *feature, int64_t n,
                                            const char *path);

#endif
