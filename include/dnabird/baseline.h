/**
 * Trivial floors beside a model: logistic regression on k-mers.
 *
 * Whoever trains a network should see what counting letters gives on the
 * same data. Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BASELINE_H
#define DNABIRD_BASELINE_H

#include <stdint.h>

#include "dnabird/dataset.h"
#include "dnabird/error.h"

enum bird_baseline_kind {
    /** log(1 + count) of the 3- to 6-mers of the sequence, as they are:
     * standardised, rare k-mers weigh more and the figures are worse */
    BIRD_BASELINE_KMER,
    /** which 1-, 2- and 3-mer stands at each position; inputs of one length,
     * at most 5,000 bp */
    BIRD_BASELINE_POSITION,
    BIRD_N_BASELINE
};

/** "k-mers", "positions". */
BIRD_API const char *bird_baseline_name(enum bird_baseline_kind kind);

typedef struct bird_baseline bird_baseline;

typedef struct bird_baseline_options {
    /** Weight of the L2 term (of mean log loss + l2/2 |w|^2); 0: chosen. */
    double l2[BIRD_N_BASELINE];
    int canonical;   /* k-mers: a k-mer and its reverse complement are one */
    double hold_out; /* share of the rows on which l2 is chosen; 0.1 */
    uint64_t seed;   /* of that share; 1 */
    /** Asked from time to time, not 0: end with BIRD_ECANCELED; or NULL. */
    int (*stop)(void *context);
    void *stop_context;
} bird_baseline_options;

BIRD_API void bird_baseline_options_default(bird_baseline_options *o);

/**
 * Fit the floors: the k-mers, and the positions where all rows have one
 * length of 3 to 5,000 bp and that would not be more than 16 M weights. Of
 * labelled bins, which have no strand and begin where a grid does, k-mers are
 * joined with their reverse complements and positions left out.
 *
 * l2 is chosen among 1, 0.3, 0.1 ... 1e-5, trained on at most about 20,000
 * rows each, by log loss on the others, among them a part held out by
 * a hash of the sequence, then all rows are fitted. Two classes are one
 * answer; more are one answer each against the rest, scaled to sum to 1; a
 * data set of kind MULTI has one answer a label, unknown targets left out.
 *
 * Owner    *out is the caller's; untouched on failure
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL no labels, or an option; BIRD_ENOMEM; BIRD_ECANCELED
 *
 * @param o NULL for the defaults
 */
BIRD_API BIRD_MUST_CHECK int bird_baseline_fit(bird_baseline **out,
                                               const bird_dataset *train,
                                               const bird_baseline_options *o);
BIRD_API void bird_baseline_free(bird_baseline *b);

/** Is this floor there? */
BIRD_API int bird_baseline_has(const bird_baseline *b,
                               enum bird_baseline_kind kind);
/** Probabilities a sequence gets: 1 for two classes (that of class 1), else
 * one a class or label. */
BIRD_API int64_t bird_baseline_columns(const bird_baseline *b);
/** The l2 in use for column c. */
BIRD_API double bird_baseline_l2(const bird_baseline *b,
                                 enum bird_baseline_kind kind, int64_t c);
/** Length that the positions need; 0 when they are not there. */
BIRD_API int64_t bird_baseline_length(const bird_baseline *b);

/**
 * Probabilities of one sequence, upper case. Letters other than A, C, G, T
 * belong to no k-mer.
 *
 * Threads  any number of calls at once on one baseline
 * Errors   BIRD_EINVAL this floor is not there, or the length is another
 *
 * @param[out] out (columns)
 */
BIRD_API BIRD_MUST_CHECK int bird_baseline_score(const bird_baseline *b,
                                                 enum bird_baseline_kind kind,
                                                 double *out, const char *seq,
                                                 int64_t len);

/** The same for every row, on all threads: out (d->n, columns). */
BIRD_API BIRD_MUST_CHECK int
bird_baseline_score_rows(const bird_baseline *b, enum bird_baseline_kind kind,
                         double *out, const bird_dataset *d);

/** Write to / read from a safetensors file (baseline.safetensors of a model
 * folder). Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_baseline_save(const bird_baseline *b,
                                                const char *path);
BIRD_API BIRD_MUST_CHECK int bird_baseline_open(bird_baseline **out,
                                                const char *path);

/** Share of G and C among A, C, G, T; 0.5 when there are none. */
BIRD_API double bird_gc_share(const char *seq, int64_t len);

#endif
