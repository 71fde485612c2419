/**
 * From sorted peaks to bins with labels, contig by contig, in the memory of
 * the peaks that reach over one place.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_BIN_SWEEP_H
#define BIRD_TRAIN_BIN_SWEEP_H

#include <stdint.h>

#include "data/peak_sort.h"

/** When a bin has a profile's label: at least `least` bases of its part
 *  lo .. hi (counted from the bin's start) lie in the union of the profile's
 *  peaks. */
struct bird_overlap_rule {
    int64_t lo, hi, least;
};

/**
 * "half" more than half of the bin (DeepSEA), "any" one base, "centre" its
 * middle base (Sei), or a share X with 0 < X <= 1: at least X of the bin
 * (Selene: 0.5).
 * Errors: BIRD_EINVAL
 */
BIRD_MUST_CHECK int bird_overlap_parse(struct bird_overlap_rule *out,
                                       const char *text, int64_t bin);

struct bird_bin_sweep;

/** Owner: peaks are borrowed, and read from their first one. */
BIRD_MUST_CHECK int bird_bin_sweep_new(struct bird_bin_sweep **out,
                                       struct bird_peak_sort *peaks,
                                       int64_t bin, int64_t n_profile,
                                       const struct bird_overlap_rule *rule);
void bird_bin_sweep_free(struct bird_bin_sweep *s);

/** A bin with labels; they live until the next one. */
struct bird_labelled_bin {
    int32_t contig;
    int64_t number;       /* it begins at number x bin bp */
    const int32_t *label; /* (n) profiles, rising */
    int64_t n;
};

/**
 * The next bin that has a label, in the order of contigs and places.
 * @return 1, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_bin_sweep_next(struct bird_bin_sweep *s,
                                        struct bird_labelled_bin *out);

#endif
