/**
 * The state of `dataset chromatin`.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_CHROMATIN_DATA_H
#define BIRD_DATA_CHROMATIN_DATA_H

#include "base/text.h"
#include "data/parts.h"
#include "data/peaks.h"
#include "dnabird/dataset.h"
#include "seq/reference.h"
#include "track/output.h"

/** The file of a part of the split. */
struct bird_chromatin_out {
    char *path;
    struct bird_output *sink;
    int64_t *positive; /* (profiles) bins with the label */
    int64_t *bins_on;  /* (ref.n) bins on each contig */
};

struct bird_chromatin_set {
    const bird_chromatin_data_options *o;
    const bird_chromatin_files *files;
    struct bird_reference ref;
    struct bird_profile_list list;
    struct bird_peaks_in in;
    struct bird_bin_sweep *sweep;
    struct bird_overlap_rule rule;
    struct bird_intervals exclude;
    struct bird_contig_cache cache;
    uint8_t *keep;    /* (profiles) */
    uint8_t *unknown; /* (ref.n, profiles) */
    struct bird_split_parts parts;
    struct bird_chromatin_out out[BIRD_MAX_PART]; /* (parts.n) */
    int has_borders; /* parts meet inside a contig */
    int64_t *both;   /* (profiles, profiles) bins with both labels, or NULL */
    int64_t gap_number; /* bins without labels are done up to this one ... */
    int32_t gap_contig; /* ... of this contig */
    struct bird_text line;
    bird_chromatin_tally tally;
};

/** Parts by files->split and files->regions, and their files. Errors:
 *  BIRD_EINVAL; those of files. */
BIRD_MUST_CHECK int bird_chromatin_parts(struct bird_chromatin_set *s);

/** Header lines of a file of labels: its profiles in their order. */
BIRD_MUST_CHECK int bird_labels_put_profiles(struct bird_text *t,
                                             const bird_features *f);

/** s->unknown, by files->mask and where a profile has no peak. */
BIRD_MUST_CHECK int bird_chromatin_masks(struct bird_chromatin_set *s);

#endif
