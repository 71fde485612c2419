/**
 * From a model's raw output to a probability: one rising map per feature, in
 * the model folder's calibration.safetensors.
 *
 * A map is a list of knots (raw, value), both strictly rising; between two of
 * them the log odds of the value are linear in those of the raw output, and
 * outside they run on with slope 1. So a map keeps the order of any two raw
 * outputs: rankings, and the calls at a threshold that is mapped as well, stay
 * what they are. docs/math/calibration.md says how knots are found.
 *
 * It is applied where numbers leave for a user (`promoter`, `chromatin`,
 * `evaluate`), to the mean of both strands where a model asks for that, and
 * nowhere else: `variant` and `mutate` stay on the raw output.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_PROBABILITY_H
#define BIRD_SESSION_PROBABILITY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "session/model.h"

/** What raw outputs depend on; equal, or the map is of other ones. */
struct bird_probability_way {
    char digest[65]; /* of the model */
    int64_t window_bp;
    int both_strands; /* the mean of both strands, or each strand by itself */
};

struct bird_probability {
    int64_t n_feature; /* F; 0: no map, raw outputs stay as they are */
    int keep_raw;      /* 1: they stay as well, only thresholds count */
    int64_t *offset;   /* (F + 1) knots of feature f: offset[f] .. */
    double *raw;       /* (offset[F]) in 0 .. 1 */
    double *value;     /* (offset[F]) above 0, below 1 */
    double *threshold; /* (F) raw output from which to call, NaN: none */
    char *event;       /* what has this probability, in words */
    char *fitted;      /* on what it was fitted, in words */
    struct bird_probability_way way;
};

/** Safe on a zeroed one. */
void bird_probability_free(struct bird_probability *m);

/** The probability of a raw output of feature f; without a map, itself. */
double bird_probability_of(const struct bird_probability *m, int64_t f,
                           double raw);

/** Does it make probabilities of raw outputs? */
static inline int bird_probability_applies(const struct bird_probability *m)
{
    return m->n_feature > 0 && !m->keep_raw;
}

/** The raw output of this probability: bird_probability_of() turned round. */
double bird_probability_raw(const struct bird_probability *m, int64_t f,
                            double probability);

/**
 * The map of a model folder; 1, or 0 when there is none.
 * Errors: BIRD_EIO; BIRD_EFORMAT, also another number of features
 */
BIRD_MUST_CHECK int bird_probability_read(struct bird_probability *out,
                                          const char *path, int64_t n_feature);

/**
 * The map to apply to a run of this model, or an empty one. The model's
 * digest must be there (bird_model_use.identify); `way` needs no digest.
 * @param raw 1: raw outputs are asked for: the map's thresholds alone count
 * @param why why it is empty, a sentence for the user; or ""
 * Errors: those of bird_probability_read()
 */
BIRD_MUST_CHECK int
bird_probability_open(struct bird_probability *out, const bird_model *model,
                      const struct bird_probability_way *way, int raw,
                      char *why, size_t size);

/**
 * Put the map into calibration.safetensors at path; what else is there stays.
 * Errors: BIRD_EIO, BIRD_EFORMAT the file that is there, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_probability_write(const struct bird_probability *m,
                                           const char *path);

/* --- thresholds ---------------------------------------------------------- */

/**
 * asked >= 0 is taken as it is; fp_per_mb > 0 is looked up in the model's
 * table, between two entries on the logarithm of the rate; else the default
 * of the model, or 0.5.
 * Errors: BIRD_EINVAL asked above 1, both asked for, no table, or a rate
 * outside of it; BIRD_EFORMAT a table that makes no sense
 */
BIRD_MUST_CHECK int bird_threshold_choose(double *out, const json_t *meta,
                                          double asked, double fp_per_mb,
                                          const char *path);

/**
 * May the threshold be chosen so for windows that are not the model's own?
 * Errors: BIRD_EINVAL it is one by false positives per Mb: fp_per_mb > 0, or
 * nothing asked for (below 0) and a default that is an entry of the table
 */
BIRD_MUST_CHECK int bird_threshold_elsewhere(const bird_model *model,
                                             double asked, double fp_per_mb);

/**
 * The same as a printed probability: `asked` is one already, the model's table
 * and default are of its raw output, from which the map m makes one. Without
 * a default the map's own threshold of the feature, or the probability 0.5.
 */
BIRD_MUST_CHECK int
bird_threshold_probability(double *out, const struct bird_probability *m,
                           int64_t feature, const json_t *meta, double asked,
                           double fp_per_mb, const char *path);

/**
 * One for each of the n features at `feature`: asked >= 0, or the map's own,
 * else the default of the model, or the probability 0.5.
 */
BIRD_MUST_CHECK int bird_threshold_features(double *out,
                                            const struct bird_probability *m,
                                            const json_t *meta, double asked,
                                            const int64_t *feature, int64_t n,
                                            const char *path);

#endif
