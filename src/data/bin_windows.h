/**
 * Windows of bins: intervals of a reference, whose sequence and labels are read
 * on demand.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_BIN_WINDOWS_H
#define BIRD_DATA_BIN_WINDOWS_H

#include "base/rng.h"
#include "data/bin_labels.h"

struct bird_bin_window {
    int32_t contig;
    int64_t start, end; /* 0-based half-open; the end may lie beyond the
                           contig's end, where the sequence is N */
};

/** Start with {0}. */
struct bird_bin_windows {
    struct bird_bin_labels *labels; /* borrowed */
    struct bird_bin_window *at;     /* (n) in the order of the file */
    int64_t n, cap, bin, margin;
};

/**
 * Read windows (BED).
 * Errors: BIRD_EIO; BIRD_EFORMAT, BIRD_ERANGE with file and line: an unknown
 * contig, a start that is not a multiple of the bin or lies beyond the contig, a
 * window of margins alone; BIRD_EINVAL no window; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_bin_windows_open(struct bird_bin_windows *w,
                                          struct bird_bin_labels *labels,
                                          const char *path,
                                          const bird_bin_options *o);
void bird_bin_windows_free(struct bird_bin_windows *w);

/** Count the bins that a window shares with an earlier one on the contig: 0 of
 *  windows that divide the genome. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_bin_windows_shared(int64_t *out,
                                            const struct bird_bin_windows *w);

/** How training changes a window of the file at random. */
struct bird_bin_change {
    int strand;         /* 1: either strand, evenly */
    int64_t shift_bp;   /* move by up to so many bases, evenly; bins move too */
    int64_t shift_bins; /* and by up to so many whole bins */
    double cut;         /* share of windows that become N but for a part */
    int64_t cut_least, cut_most; /* bases of that part, evenly */
    double
        background; /* share of bins without a positive label that stay known */
    double mutate;  /* probability of a base to become another */
    double decoys; /* share of windows that become a decoy (data/decoy.h): their
                      labels of start sites are 0, all others unknown */
};

/** A window being read. Start with {0}; arrays grow and are the caller's. */
struct bird_bin_sample {
    struct bird_bin_place place;
    char strand;
    char *seq;           /* (len) of the strand */
    int64_t len, before; /* bases of the first bin that lie before seq */
    float *label;        /* (bins, n_label), unchanged when labels is 0 */
    int64_t bins, cap_seq, cap_label, cap_copy;
    char *copy;
};
void bird_bin_sample_free(struct bird_bin_sample *d);

/**
 * Read window i, on '+' or '-': its sequence, N beyond the contig's ends, and
 * its labels. On '-' the bins of '+' come in reverse order: where a window is
 * not a multiple of a bin, the short one comes first.
 * Errors: of reading the reference; BIRD_ENOMEM
 *
 * @param labels 0: the sequence alone
 */
BIRD_MUST_CHECK int bird_bin_windows_get(struct bird_bin_sample *d,
                                         const struct bird_bin_windows *w,
                                         int64_t i, char strand, int labels);

/** The same, changed at random by r, which decides in this order: strand, shift,
 *  decoy, part, mutations, bins that stay known. */
BIRD_MUST_CHECK int bird_bin_windows_sample(
    struct bird_bin_sample *d, const struct bird_bin_windows *w, int64_t i,
    const struct bird_bin_change *change, struct bird_rng *r);

/** In how many bins of all windows each label is known, and is 1. Bins without
 *  a positive label count `background` each, rounded up in all.
 *  @param[out] known,positive (n_label) */
BIRD_MUST_CHECK int bird_bin_windows_count(int64_t *known, int64_t *positive,
                                           const struct bird_bin_windows *w,
                                           double background);

/** The bins of all windows with a known label, as labelled rows without bases.
 *  Start with {0}. */
struct bird_bin_rows {
    bird_dataset d;
    int64_t *first; /* (windows + 1) index in `row` of a window's first bin */
    int64_t *row;   /* (first[windows]) row of each bin in d, or -1 */
};
/** A data set of these labels and contigs without rows. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_bin_labels_head(bird_dataset *d,
                                         const struct bird_bin_labels *l);
BIRD_MUST_CHECK int bird_bin_rows_new(struct bird_bin_rows *out,
                                      const struct bird_bin_windows *w);
void bird_bin_rows_free(struct bird_bin_rows *r);

/**
 * Sample at most `most` bins of all windows without replacement, outside of
 * margins. Sampled bins with a known label become rows, in the order of the
 * windows. Where labels have pairs, each row is on a random strand and has the
 * labels of that strand; else its strand is '.'.
 * Errors: as bird_bin_rows_new()
 */
BIRD_MUST_CHECK int bird_bin_rows_sample(bird_dataset *out,
                                         const struct bird_bin_windows *w,
                                         int64_t most, uint64_t seed);

/** Give rows of these windows their bases: context_bp around the middle of the
 *  bin, also outside the window, N beyond the contig's ends, on the row's strand.
 *  Errors: of reading the reference; BIRD_ENOMEM. *d is then as it was. */
BIRD_MUST_CHECK int bird_bin_rows_bases(bird_dataset *d,
                                        const struct bird_bin_windows *w,
                                        int64_t context_bp);

/** Number of bins of all windows, margins left out. */
int64_t bird_bin_windows_bins(const struct bird_bin_windows *w);

/** Keep windows at even distances in the list, with at most so many bins, margins
 *  left out; one window is kept even where it has more. */
void bird_bin_windows_thin(struct bird_bin_windows *w, int64_t most);

/** SHA-256 of coordinates, sequences and all that decides labels. */
BIRD_MUST_CHECK int bird_bin_windows_digest(char hex[65],
                                            const struct bird_bin_windows *w);

#endif
