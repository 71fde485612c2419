/**
 * Labels of bins anywhere on a reference, computed on demand from a sorted list
 * of intervals for each track (the union of its peaks) and start sites by
 * strand.
 *
 * A track's label is 1 where more than half of a bin lies in the union of its
 * peaks, a label of start sites where one lies in the bin or within site_bp of
 * it. A label is not known (NaN) where it is unknown, and no label is where more
 * than half of the bin has no base, or the bin touches an excluded region.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_BIN_LABELS_H
#define BIRD_DATA_BIN_LABELS_H

#include "base/text.h"
#include "data/references.h"
#include "dnabird/dataset.h"

struct bird_span { /* of a contig's bases, 0-based half-open */
    int32_t start, end;
};

/** Start with {0}. */
struct bird_bin_labels {
    struct bird_reference ref;
    bird_features features; /* (n_label) */
    int64_t n_label, n_track;
    int32_t *source; /* (n_label) a track, n_track and n_track + 1 for starts
                         on + and -; -1: unknown everywhere */
    int32_t *pair;   /* (n_label) the label it is on the other strand */
    int64_t *at;     /* (n_track, ref.n) and one: index of its first span */
    struct bird_span *span;                  /* disjoint, rising */
    struct bird_intervals site[2], other[2]; /* starts on + and - */
    struct bird_intervals exclude;           /* merged */
    uint8_t *unknown;                        /* (ref.n, n_label) */
    int64_t site_bp, other_bp;               /* as the options */
    int64_t n_peak, no_contig; /* peaks read, and on other contigs */
};

/**
 * Read peaks, sites and masks.
 * Errors: those of the files; BIRD_EINVAL no label, or a choice of features that
 * matches none; BIRD_ENOMEM. *l is then empty.
 */
BIRD_MUST_CHECK int bird_bin_labels_open(struct bird_bin_labels *l,
                                         const bird_bin_files *files,
                                         const bird_bin_options *o);
void bird_bin_labels_free(struct bird_bin_labels *l);

/** Put the labels into a model's order, by name; missing ones become unknown
 *  everywhere. pair: the model's strand partners; NULL: none. Errors: BIRD_EINVAL
 *  no label is found; BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_bin_labels_name(struct bird_bin_labels *l,
                                         const bird_features *model,
                                         const int32_t *pair);

/** Has any label a partner on the other strand? */
int bird_bin_labels_paired(const struct bird_bin_labels *l);

/** Leave labels out; the others keep their order. keep (n_label): at least one
 *  is 1. A label whose pair is left out becomes its own pair. Errors:
 *  BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_bin_labels_keep(struct bird_bin_labels *l,
                                         const uint8_t *keep);

/** Consecutive bins of `bin` bp on a contig from `start` (which may be negative)
 *  up to start + len, where the last one may be short. */
struct bird_bin_place {
    int32_t contig;
    int64_t start, len, bin, margin;
};

static inline int64_t bird_bin_place_count(const struct bird_bin_place *p)
{
    return (p->len + p->bin - 1) / p->bin;
}

/**
 * Labels of all bins on a strand: on '-' bins are in reverse order, and a
 * label's pair takes its column.
 * Errors: BIRD_ENOMEM
 *
 * @param[out] out (n, n_label) 0, 1 or NaN
 * @param seq (len) bases of the forward strand, N where there is none
 */
BIRD_MUST_CHECK int bird_bin_labels_fill(float *out,
                                         const struct bird_bin_labels *l,
                                         const struct bird_bin_place *p,
                                         const char *seq, char strand);

/** Append all that decides labels, for a digest. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_bin_labels_text(struct bird_text *t,
                                         const struct bird_bin_labels *l);

#endif
