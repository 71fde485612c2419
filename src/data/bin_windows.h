/**
 * Windows of bins: places on a reference whose sequence and labels are cut when
 * they are asked for.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_BIN_WINDOWS_H
#define BIRD_DATA_BIN_WINDOWS_H

#include "base/rng.h"
#include "data/bin_labels.h"

struct bird_bin_window {
    int32_t contig;
    int64_t start, end; /* 0-based half-open; the end may lie behind the
                           contig's, where the sequence is N */
};

/** Start with {0}. */
struct bird_bin_windows {
    struct bird_bin_labels *labels; /* borrowed */
    struct bird_bin_window *at;     /* (n) in the order of the file */
    int64_t n, cap, bin, margin;
};

/**
 * Read windows (BED).
 * Errors: BIRD_EIO; BIRD_EFORMAT, BIRD_ERANGE with file and line: a contig
 * that is not there, a start that is no multiple of the bin or lies behind the
 * contig, a window of margins alone; BIRD_EINVAL no window; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_bin_windows_open(struct bird_bin_windows *w,
                                          struct bird_bin_labels *labels,
                                          const char *path,
                                          const bird_bin_options *o);
void bird_bin_windows_free(struct bird_bin_windows *w);

/** How a drawn window differs from the one in the file. */
struct bird_bin_change {
    int strand;         /* 1: either strand, evenly */
    int64_t shift_bp;   /* at most so many bases, evenly; bins move along */
    int64_t shift_bins; /* and so many whole bins */
    double cut;         /* share of windows of which a part is left, the rest
                           being N */
    int64_t cut_least, cut_most; /* bases of that part, evenly */
    double background; /* share of bins without a label that is 1 whose labels
                           stay known */
    double mutate;     /* probability of another base */
};

/** A window as it is read. Start with {0}; arrays grow and are the caller's. */
struct bird_bin_drawn {
    struct bird_bin_place place;
    char strand;
    char *seq;           /* (len) of the strand */
    int64_t len, before; /* bases of the first bin that lie before seq */
    float *label;        /* (bins, n_label), or as it was where not asked for */
    int64_t bins, cap_seq, cap_label, cap_copy;
    char *copy;
};
void bird_bin_drawn_free(struct bird_bin_drawn *d);

/**
 * Window i, on '+' or '-': its sequence, N beyond the contig's ends, and its
 * labels. On '-' bins are those of '+' in reverse order: the short one of a
 * window that is no multiple of a bin comes first.
 * Errors: of reading the reference; BIRD_ENOMEM
 *
 * @param labels 0: the sequence alone
 */
BIRD_MUST_CHECK int bird_bin_windows_get(struct bird_bin_drawn *d,
                                         const struct bird_bin_windows *w,
                                         int64_t i, char strand, int labels);

/** The same, changed as drawn from r: strand, shift, part, mutations, then
 *  which bins stay known. */
BIRD_MUST_CHECK int bird_bin_windows_draw(struct bird_bin_drawn *d,
                                          const struct bird_bin_windows *w,
                                          int64_t i,
                                          const struct bird_bin_change *change,
                                          struct bird_rng *r);

/** In how many bins of all windows each label is known, and 1. Bins without a
 *  label that is 1 count `background` each, and any of them at least once.
 *  @param[out] known,positive (n_label) */
BIRD_MUST_CHECK int bird_bin_windows_count(int64_t *known, int64_t *positive,
                                           const struct bird_bin_windows *w,
                                           double background);

/** The bins of all windows of which something is known, as labelled rows
 *  without bases. Start with {0}. */
struct bird_bin_rows {
    bird_dataset d;
    int64_t *first; /* (windows + 1) where a window's bins begin ... */
    int64_t *row;   /* ... here: the row of each bin, or -1 */
};
/** What a data set of these labels says of them, without rows. */
BIRD_MUST_CHECK int bird_bin_labels_head(bird_dataset *d,
                                         const struct bird_bin_labels *l);
BIRD_MUST_CHECK int bird_bin_rows_new(struct bird_bin_rows *out,
                                      const struct bird_bin_windows *w);
void bird_bin_rows_free(struct bird_bin_rows *r);

/**
 * Of the bins of all windows, margins apart, at most so many, drawn without
 * replacement: those of which something is known, in the order of the windows.
 * Where labels have pairs each is on a strand of its own, drawn too, with the
 * labels that it has there; else on none ('.').
 * Errors: as bird_bin_rows_new()
 */
BIRD_MUST_CHECK int bird_bin_rows_draw(bird_dataset *out,
                                       const struct bird_bin_windows *w,
                                       int64_t most, uint64_t seed);

/** Give rows of these windows bases: context_bp around the middle of the bin,
 *  whatever the window, N beyond the contig's ends, as the row's strand reads
 *  them. Errors: of reading the reference; BIRD_ENOMEM. *d is then as it was. */
BIRD_MUST_CHECK int bird_bin_rows_bases(bird_dataset *d,
                                        const struct bird_bin_windows *w,
                                        int64_t context_bp);

/** Bins of all windows, margins apart. */
int64_t bird_bin_windows_bins(const struct bird_bin_windows *w);

/** Keep windows at even distances in the list, as many as have at most so many
 *  bins, margins apart; all of them where they have no more. The first is kept
 *  where none fits. */
void bird_bin_windows_thin(struct bird_bin_windows *w, int64_t most);

/** SHA-256 of places, sequences and all that decides labels. */
BIRD_MUST_CHECK int bird_bin_windows_digest(char hex[65],
                                            const struct bird_bin_windows *w);

#endif
