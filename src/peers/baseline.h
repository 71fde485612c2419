/**
 * Inside the k-mer and position baselines: features, and fits on bins.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PEERS_BASELINE_H
#define BIRD_PEERS_BASELINE_H

#include "data/bin_windows.h"
#include "dnabird/metrics.h"
#include "peers/logistic.h"

#define BIRD_KMER_MIN      3
#define BIRD_KMER_MAX      6
#define BIRD_KMER_FEATURES 5440 /* 4^3 + 4^4 + 4^5 + 4^6 */
#define BIRD_POSITION_MAX  5000 /* bp */

/** Make a baseline without weights for these labels. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_baseline_new(bird_baseline **out,
                                      enum bird_label_kind kind,
                                      int64_t n_label, int canonical);

/** Bases that the baseline of bins sees: the bin, and as much on both sides. */
static inline int64_t
bird_baseline_bin_context(const struct bird_bin_windows *w)
{
    return 3 * w->bin;
}

/**
 * Fit the k-mer baseline on at most BIRD_BASELINE_BINS bins sampled from
 * windows: 3- to 5-mers of bird_baseline_bin_context(), of the bin's strand
 * when labels have strand pairs, else joined with their reverse complements.
 * The seed, l2, hold_out and stop of o are used.
 * Memory: for each bin its bases and a float for each label; features as in
 * bird_baseline_fit().
 * Errors: of bird_baseline_fit(), and of reading the reference
 */
enum { BIRD_BASELINE_BINS = 30000 };
BIRD_MUST_CHECK int bird_baseline_fit_bins(bird_baseline **out,
                                           const struct bird_bin_windows *w,
                                           const bird_baseline_options *o);

/** Features of a sequence; the arrays of f have 3 elements a base, or one
 *  for each k-mer. */
void bird_baseline_features(struct bird_sparse *f, const bird_baseline *b,
                            enum bird_baseline_kind kind, const char *seq,
                            int64_t len);

/** Log odds of sequence c minus those of a, by the k-mer baseline, which must
 *  have been fitted.
 *  @param[out] out (columns) */
void bird_baseline_difference(const bird_baseline *b, double *out,
                              const char *a, int64_t n_a, const char *c,
                              int64_t n_c);

/** Number of features of positions for inputs of this length. */
static inline int64_t bird_position_features(int64_t length)
{
    return length * 4 + (length - 1) * 16 + (length - 2) * 64;
}

#endif
