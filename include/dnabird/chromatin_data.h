/**
 * Labelled bins of a genome from peak files: training data of chromatin
 * models.
 *
 * A bin has a profile's label where enough of it lies in the union of the
 * profile's peaks. The data set keeps places and labels, no sequence;
 * docs/formats.md describes it. Coordinates are 0-based half-open in base
 * pairs. Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_CHROMATIN_DATA_H
#define DNABIRD_CHROMATIN_DATA_H

#include <stdint.h>

#include "dnabird/error.h"

/** What goes in and out; names of contigs may differ by "chr". */
typedef struct bird_chromatin_files {
    const char *const *fasta; /* (n_fasta) references with different contigs */
    int64_t n_fasta;
    /** List of profiles (TSV), or NULL: every peak file is one profile. */
    const char *profiles;
    /** (n_peaks) BED, narrowPeak, broadPeak, in any order. With a list, their
     * column 4 names the profile (its id); 0 of them: the list names files. */
    const char *const *peaks;
    int64_t n_peaks;
    int name_column;     /* 1, without a list: the profiles are the distinct
                            names in column 4 of the peak files, in the order
                            of their bytes; the files are read twice */
    const char *regions; /* BED: only there; NULL: everywhere */
    const char *exclude; /* BED: bins that touch these are left out, or NULL */
    const char *mask;    /* TSV of profile (or a choice of them) and contig
                            ('*': all) where nothing is known, or NULL */
    /** "NAME=WHERE,NAME=WHERE": parts that get a file each. WHERE is a BED
     * file, or contigs with '+' between them, or "rest". NULL: one part. */
    const char *split;
    const char *output;   /* the file, "-": standard output; with a split the
                             folder, which is made, of NAME.tsv.zst */
    const char *summary;  /* TSV of positives of each profile, or NULL */
    const char *overlaps; /* TSV of pairs of profiles, or NULL */
    const char *command;  /* kept in the outputs, or NULL */
} bird_chromatin_files;

typedef struct bird_chromatin_data_options {
    int64_t bin;         /* bp; 200 */
    int64_t context;     /* bp around the bin's middle, at least a bin, that
                            must lie in one region and be known; 1000 */
    const char *overlap; /* "half": more than half of the bin, "any" base,
                            its "centre", or a share: at least that; "half" */
    const char *keep;    /* bins with a label of one of these are kept, as
                            bird_features_select(); NULL: of any */
    double background;   /* share of the other bins kept too; 0 */
    double max_n;        /* of the context that may be no A, C, G, T; 0.05 */
    int mask_empty;      /* a profile without a peak on a contig is not known
                            there; 1 */
    int64_t memory;      /* bytes to sort peaks in; 512 M */
    uint64_t seed;       /* of the background; 1 */
} bird_chromatin_data_options;

BIRD_API void
bird_chromatin_data_options_default(bird_chromatin_data_options *o);

enum { BIRD_MAX_PART = 16 };

/** What was written, and what was left out and why. */
typedef struct bird_chromatin_tally {
    int64_t n_profile, n_contig, n_part;
    int64_t n_track;   /* sources of peaks: of one name they are one profile */
    int64_t n_peak;    /* peaks read of these profiles */
    int64_t n_other;   /* lines of other profiles */
    int64_t no_contig; /* peaks on contigs that no reference has */
    int64_t behind;    /* peaks behind a contig's end */
    int64_t clipped;   /* peaks that reached over it and were cut */
    int64_t masked;    /* pairs of profile and contig not known */
    int64_t without_peak; /* profiles without any peak on the reference */
    int64_t elsewhere;    /* bins in no part, of those to be kept */
    int64_t border;       /* bins whose context reaches over a border */
    int64_t excluded;     /* bins that touch an excluded region */
    int64_t unknown;      /* bins with too many N around */
    char guess[256];      /* that a file's column 4 may name profiles, or "" */
    struct bird_chromatin_part {
        char name[64];
        int64_t n_bin, n_background, n_label; /* background among the bins */
    } part[BIRD_MAX_PART];
} bird_chromatin_tally;

/**
 * Write the data set.
 *
 * Bins lie at multiples of their width from a contig's start; a last one that
 * is not whole is no bin. Memory is bounded by o->memory, whatever the number
 * and size of the peak files; larger inputs are sorted through a temporary
 * file in the output's folder.
 *
 * Errors  BIRD_EINVAL options, nothing to write; BIRD_EIO, BIRD_EFORMAT files,
 *         with line; BIRD_ENOMEM. No output file is left behind.
 *
 * @param tally NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int
bird_chromatin_data_write(const bird_chromatin_files *files,
                          const bird_chromatin_data_options *o,
                          bird_chromatin_tally *tally);

#endif
