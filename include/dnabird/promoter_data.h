/**
 * Labelled promoter sequences cut from a genome: training data.
 *
 * A set is made from transcription start sites (TSS, BED6) and a reference,
 * inside given regions, so that each part of a split is a set of its own.
 * Every row is a function of (seed, number of the row) and the inputs alone.
 * Coordinates are 0-based half-open in base pairs. Belongs to
 * libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_PROMOTER_DATA_H
#define DNABIRD_PROMOTER_DATA_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/region.h"

/** What the rows with label 0 are. */
enum bird_promoter_negatives {
    BIRD_NEGATIVES_GENOMIC,  /* windows of the genome, away from TSSs */
    BIRD_NEGATIVES_RANDOM,   /* each positive with pieces of random bases */
    BIRD_NEGATIVES_PERMUTED, /* each positive with pieces changing places */
    BIRD_N_NEGATIVES
};

/** Strata of genomic negatives, in the order of the tally. */
enum bird_promoter_stratum {
    BIRD_STRATUM_BACKGROUND, /* anywhere in the regions */
    BIRD_STRATUM_ISLAND,     /* the anchor lies in a CpG island */
    BIRD_STRATUM_NEAR,       /* the anchor lies between `away` and `near` bp of
                                a TSS of the set, either side and strand */
    BIRD_STRATUM_ANTISENSE,  /* the strand opposite to a TSS of the set */
    BIRD_N_STRATUM
};

/** The files a set is made from; names of contigs may differ by "chr". */
typedef struct bird_promoter_files {
    const char *const *fasta; /* (n_fasta) references with different contigs */
    int64_t n_fasta;
    const char *tss;          /* BED6, GTF or GFF3: the positives */
    const char *const *other; /* (n_other) the same: further TSSs, which keep
                                 negatives away and are no positives */
    int64_t n_other;
    bird_transcript_filter transcripts; /* of GTF and GFF3 */
    const char *regions; /* BED: windows lie whole inside; NULL: all */
    const char *exclude; /* BED: no window touches these; NULL: none */
    const char *islands; /* BED of CpG islands; needed when island > 0 */
} bird_promoter_files;

typedef struct bird_promoter_options {
    int64_t window; /* bp of a row; 1000 */
    int64_t anchor; /* bp from the window's 5' end to the TSS; 500 */
    int64_t jitter; /* the TSS lies up to so many bp off the anchor; 0 */
    int64_t copies; /* windows a TSS; 1 */
    double ratio;   /* genomic negatives a positive; 1 */
    int64_t away;   /* the least bp from the anchor of a negative, jitter
                       included, to any TSS, on either strand; 500 */
    int64_t near;   /* the most of the stratum `near`; 5000 */
    double island, near_share, antisense; /* shares of the strata; 0 */
    double max_n; /* of a window may be other than A, C, G, T; 0.05 */
    enum bird_promoter_negatives negatives; /* GENOMIC */
    int64_t pieces, replaced; /* RANDOM, PERMUTED: a positive is cut into 20
                                 pieces, of which 12 are replaced */
    uint64_t seed;            /* 1 */
} bird_promoter_options;

BIRD_API void bird_promoter_options_default(bird_promoter_options *o);

/**
 * The set of the paper (Zaheer et al. 2020, arXiv:2007.14062, appendix F;
 * negatives by Oubounyt et al. 2019): -5000 .. +2999 around the TSS, no N,
 * one negative a positive.
 */
BIRD_API void bird_promoter_options_paper(bird_promoter_options *o);

/** What was written, and what was left out and why. */
typedef struct bird_promoter_tally {
    int64_t n_tss;     /* lines of the TSS file */
    int64_t no_contig; /* TSSs on contigs that no reference has */
    int64_t elsewhere; /* TSSs outside the regions */
    int64_t used;      /* TSSs with at least one window */
    int64_t outside;   /* windows that do not fit into a region */
    int64_t unknown;   /* windows with too many N */
    int64_t positive, negative;
    int64_t stratum[BIRD_N_STRATUM];
} bird_promoter_tally;

/**
 * Write a set as TSV: sequence, label, chrom, start, end, strand, kind, with
 * a header line; compressed (BGZF) when the path ends in .gz, "-" is standard
 * output. Rows: the positives in order of position, then the negatives.
 * The sequence is that of the strand; chrom is the reference's name.
 *
 * A window on the strand opposite to a TSS is neither positive nor negative,
 * unless `antisense` asks for it: many promoters work both ways.
 *
 * Memory   one byte a base of the contigs in use
 * Errors   BIRD_EINVAL an option, or no window fits; BIRD_EIO, BIRD_EFORMAT
 *          the files; BIRD_ENOMEM. No output file is left behind.
 *
 * @param tally NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int
bird_promoter_data_write(const char *path, const bird_promoter_files *files,
                         const bird_promoter_options *o,
                         bird_promoter_tally *tally);

#endif
