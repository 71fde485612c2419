/**
 * Labelled sequences in memory: reading them from CSV, TSV, FASTA, BED or
 * labelled bins, and splitting them; and data sets made from a genome: windows
 * around start sites, and bins labelled by peaks.
 *
 * Coordinates are 0-based half-open in base pairs. Bases are upper case with U
 * as T. Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_DATASET_H
#define DNABIRD_DATASET_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/features.h"
#include "dnabird/intervals.h"
#include "dnabird/progress.h"

BIRD_BEGIN_C

enum bird_label_kind {
    BIRD_LABEL_NONE,  /* sequences alone */
    BIRD_LABEL_CLASS, /* one of n_label classes a row */
    BIRD_LABEL_MULTI, /* n_label answers a row: 0, 1 or unknown */
    BIRD_LABEL_VALUE, /* n_label measured values a row, or unknown */
    BIRD_LABEL_BASES  /* one of n_label classes a base, or unknown */
};

/** The class of a base that is not known. */
#define BIRD_NO_CLASS 255

/** One sequence. */
typedef struct bird_row {
    int64_t at, len;    /* index and number of its bases in `bases`, which rows
                           of labelled bins share */
    int64_t name;       /* index of its name in `text`; -1: none */
    int64_t start, end; /* on the contig; of labelled sequences, which have
                           none, the bin within the sequence */
    int32_t contig;     /* index into contig names; -1: none */
    int32_t label;      /* class of a row of kind CLASS, else -1 */
    char strand;        /* '+', '-' or '.' */
} bird_row;

/**
 * The rows in the order of the file. Start with {0}; bird_dataset_free() frees
 * the arrays.
 */
typedef struct bird_dataset {
    int64_t n, n_label, n_contig;
    enum bird_label_kind kind;
    bird_row *row; /* (n) */
    int64_t *line; /* (n) line of the file, from 1; NULL of labelled bins */
    float *target; /* (n, n_label) 0, 1 or NaN, of kind VALUE any number or
                           NaN; kinds MULTI and VALUE read from a table, else
                           NULL */
    float *weight; /* (n) what a row counts in training, above 0, by the options
                      weight or error; NULL: all the same */
    /* Kind MULTI of labelled bins: labels that are 1, and contigs on which a
     * label is not known; else NULL. */
    int64_t *hit_at;  /* (n + 1) index in hit of the first label of row i */
    int32_t *hit;     /* (hit_at[n]) labels that are 1, rising in a row */
    uint8_t *unknown; /* (n_contig, n_label); of labelled sequences, which
                               have no place, (1, n_label) */
    /** (n_base) Kind BASES: the class of each base, or BIRD_NO_CLASS; else
     * NULL. */
    uint8_t *base_class;
    bird_features features; /* (n_label) of the labels, or none */
    char *bases;            /* bases of all rows, end to end */
    int ids;                /* 1: not bases but token ids, in decimal with one
                               blank between two, and a row's len is of this
                               text */
    char *text;             /* names, each ended by NUL */
    char **label_name;      /* (n_label); NULL when labels are plain numbers */
    char **contig_name;     /* (n_contig) */
    int64_t *contig_length; /* (n_contig) bp, of labelled bins; else NULL */
    int64_t n_base, n_text; /* bytes in bases and text */
} bird_dataset;

/** Sequence of row i: d->row[i].len bases, no NUL; borrowed. */
static inline const char *bird_dataset_seq(const bird_dataset *d, int64_t i)
{
    return d->bases + d->row[i].at;
}

/** Name of row i or NULL; borrowed. */
static inline const char *bird_dataset_name(const bird_dataset *d, int64_t i)
{
    return d->row[i].name < 0 ? (const char *)0 : d->text + d->row[i].name;
}

/** 1: a row has n_label labels or values, each of which may be unknown; 0: one
 *  class, or none. */
static inline int bird_dataset_has_columns(const bird_dataset *d)
{
    return d->kind == BIRD_LABEL_MULTI || d->kind == BIRD_LABEL_VALUE;
}

/** Label k of row i of kind MULTI or VALUE; NaN where it is not known. */
BIRD_API float bird_dataset_label(const bird_dataset *d, int64_t i, int64_t k);

/** All labels of row i into out (n_label). */
BIRD_API void bird_dataset_labels(float *out, const bird_dataset *d, int64_t i);

/** Label k of all rows into out (n). */
BIRD_API void bird_dataset_column(float *out, const bird_dataset *d, int64_t k);

/** How to read a file; {0}: by the ending of its name. */
typedef struct bird_dataset_options {
    /** "csv", "tsv", "fasta", "bed", "bins"; NULL: by the name's ending and,
     * of bins, the first line */
    const char *format;
    /** CSV and TSV: column of the sequence ("sequence"), of the label
     * ("label"), of the name (none). A column is a name of the header line or
     * a number from 1. Several labels separated by commas, or "*" for every
     * column after the sequence, make kind MULTI. "" = no labels. */
    const char *sequence, *label, *name;
    /** CSV and TSV: columns of measured values in the place of `label`: names
     * or numbers of columns separated by commas, or "*" for every column after
     * the sequence. They make kind VALUE. NULL: none */
    const char *values;
    /** With `values`: a column of numbers above 0 that weigh the rows, as the
     * number of replicates or barcodes; or of standard errors x, which weigh
     * them by 1 / x^2. One of the two at most; NULL: none */
    const char *weight, *error;
    int per_base; /* 1: labels are of bases, kind BASES */
    /** CSV and TSV: 1: the sequence column has token ids between blanks,
     * special tokens included; below n_vocab, unless that is 0. */
    int ids;
    int64_t n_vocab;
    const char *labels;    /* FASTA: file of lines "name <tab> label"; BED rows
                              with per_base: BED of intervals whose column 4
                              is the class */
    const char *reference; /* BED and bins: FASTA files of the genome, with
                              commas between several */
    int64_t context_bp;    /* bins: bases around a bin's middle; 0: as many
                              as the file says */
    const char *features;  /* bins: labels to read, bird_features_select() */
    /** Bins: names of the labels to read, in the order of a model; labels that
     * the file does not have are unknown. NULL: those of the file. */
    const char *const *label_name;
    int64_t n_label_name;
    /** Classes of a model: label texts must be among them; NULL with n_class:
     * labels are numbers below n_class. NULL and 0: the classes of the file. */
    const char *const *class_name;
    int64_t n_class;
} bird_dataset_options;

/**
 * Read labelled sequences; plain, gzip or bgzip, "-" is standard input.
 *
 * CSV and TSV have a header line; fields may be in double quotes. FASTA has
 * `label=K` in the description, or a second file of labels. BED has chrom,
 * start, end, name, label, strand (three columns: no labels); the bases are
 * read from options->reference ("chr20" also matches "20", and "20" "chr20")
 * and are reverse-complemented for strand '-'.
 *
 * Labelled bins are written by bird_chromatin_data_write(): the bases around
 * each bin are read from options->reference, N beyond a contig's ends, one
 * byte a base of the intervals in use; or they are labelled sequences, as
 * bird_deepsea_data_write() leaves them, which need no reference: one byte a
 * base, and of a context that is shorter the middle.
 *
 * Labels are whole numbers from 0, or words, which become classes in
 * alphabetical order (label_name). In columns of kind MULTI or VALUE an empty
 * field, "." or "NA" means unknown (NaN).
 *
 * With per_base a label has one character for each base of its sequence, the
 * name of the base's class, or '.' where the class is not known; classes are
 * in the order of their characters. Rows of BED take the classes of
 * `labels`: a base has the class of the interval that covers it, of several
 * the last one of the file, and class "none", the first one, outside of all.
 * An interval with the name '.' makes its bases unknown; one with a strand is
 * for rows of this strand and for rows without one.
 *
 * Owner    *out is the caller's, bird_dataset_free(); untouched on failure
 * Errors   BIRD_EIO; BIRD_EFORMAT with file, line and column; BIRD_ERANGE a
 *          BED line outside its contig; BIRD_EINVAL an option; BIRD_ENOMEM
 *
 * @param o NULL for the defaults
 */
BIRD_API BIRD_MUST_CHECK int bird_dataset_open(bird_dataset *out,
                                               const char *path,
                                               const bird_dataset_options *o);
BIRD_API void bird_dataset_free(bird_dataset *d);

/**
 * Mark (1) rows to be held out: each sequence with this probability, decided
 * by a hash of its bases and the seed. A sequence, its copies and its reverse
 * complement are marked together. Of labelled bins, where neighbours share
 * bases, blocks of 1 Mb are held out, by a hash of contig, position and seed.
 * Errors: BIRD_ENOMEM; BIRD_EINVAL a fraction outside of 0 to 1
 *
 * @param[out] mark (n)
 */
BIRD_API BIRD_MUST_CHECK int bird_dataset_mark_fraction(uint8_t *mark,
                                                        const bird_dataset *d,
                                                        double fraction,
                                                        uint64_t seed);

/**
 * A copy of the rows whose mark is `keep` (0 or 1), in order; labels and
 * their names stay as they are.
 *
 * Owner    *out is the caller's; untouched on failure
 */
BIRD_API BIRD_MUST_CHECK int bird_dataset_cut(bird_dataset *out,
                                              const bird_dataset *d,
                                              const uint8_t *mark, int keep);

/**
 * Mark rows of `test` that share sequence with `train`: the whole row (k = 0)
 * or any k-mer of A, C, G, T (1 <= k <= 63).
 *
 * @param[out] mark    (test->n)
 * @param both_strands 1: a match on the reverse complement counts too
 * Errors: BIRD_EINVAL a k out of range; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_dataset_mark_shared(uint8_t *mark,
                                                      const bird_dataset *test,
                                                      const bird_dataset *train,
                                                      int k, int both_strands);

/** The default k for bird_dataset_mark_shared(): 30 for a median length of up
 * to 100 bp, else 40. */
BIRD_API int bird_dataset_shared_k(const bird_dataset *d);

/* ---- promoters ---------------------------------------------------------
 *
 * A data set is made from transcription start sites (TSS) and a reference,
 * within given regions, so that each part of a split becomes a data set. Every
 * row is a function of (seed, number of the row) and the inputs.
 */

/** The rows with label 0. */
enum bird_promoter_negatives {
    BIRD_NEGATIVES_GENOMIC, /* windows of the genome, away from TSSs */
    BIRD_NEGATIVES_RANDOM, /* each positive, with random bases in some pieces */
    BIRD_NEGATIVES_PERMUTED, /* each positive, with some pieces permuted */
    BIRD_N_NEGATIVES
};

/** Strata of genomic negatives, in the order of the tally. */
enum bird_promoter_stratum {
    BIRD_STRATUM_BACKGROUND, /* anywhere in the regions */
    BIRD_STRATUM_ISLAND,     /* the anchor lies in a CpG island */
    BIRD_STRATUM_NEAR,      /* the anchor lies `away` to `near` bp from a TSS of
                                the set, on either side and strand */
    BIRD_STRATUM_ANTISENSE, /* a window on the strand opposite to a TSS */
    BIRD_N_STRATUM
};

/** The input files; names of contigs may differ by "chr". */
typedef struct bird_promoter_files {
    const char *const *fasta; /* (n_fasta) references with different contigs */
    int64_t n_fasta;
    const char *tss;          /* BED6, GTF or GFF3: the positives */
    const char *const *other; /* (n_other) the same: further TSSs, which are not
                                 positives; negatives keep away from them */
    int64_t n_other;
    bird_transcript_filter transcripts; /* of GTF and GFF3 */
    const char *regions; /* BED: windows lie within these; NULL: all */
    const char *exclude; /* BED: no window overlaps these; NULL: none */
    const char *islands; /* BED of CpG islands; needed when island > 0 */
} bird_promoter_files;

typedef struct bird_promoter_options {
    int64_t window; /* bp of a row; 1000 */
    int64_t anchor; /* bp from the window's 5' end to the TSS; 500 */
    int64_t jitter; /* the TSS lies up to so many bp off the anchor; 0 */
    int64_t copies; /* windows a TSS; 1 */
    double ratio;   /* genomic negatives a positive; 1 */
    int64_t away;   /* least distance in bp from the anchor of a negative,
                       jitter included, to any TSS on either strand; 500 */
    int64_t near;   /* largest distance in stratum NEAR; 5000 */
    double island, near_share, antisense; /* shares of the strata; 0 */
    double max_n; /* largest share of a window's bases that are not A, C, G, T;
                     0.05 */
    enum bird_promoter_negatives negatives; /* GENOMIC */
    int64_t pieces,
        replaced;  /* RANDOM, PERMUTED: a positive is cut into so many
                                 pieces, 20, and so many are replaced, 12 */
    uint64_t seed; /* 1 */
} bird_promoter_options;

BIRD_API void bird_promoter_options_default(bird_promoter_options *o);

/**
 * The data set of the paper (Zaheer et al. 2020, arXiv:2007.14062, appendix F;
 * negatives by Oubounyt et al. 2019): -5000 .. +2999 around the TSS, no N,
 * one negative for each positive.
 */
BIRD_API void bird_promoter_options_paper(bird_promoter_options *o);

/** What was written, and what was left out and why. */
typedef struct bird_promoter_tally {
    int64_t n_tss;     /* start sites in the TSS file */
    int64_t repeated;  /* of these, with the base and strand of another one */
    int64_t no_contig; /* TSSs on contigs that no reference has */
    int64_t elsewhere; /* TSSs outside the regions */
    int64_t used;      /* TSSs with at least one window */
    int64_t outside;   /* windows that do not fit into a region */
    int64_t unknown;   /* windows with too many N */
    int64_t positive, negative;
    int64_t stratum[BIRD_N_STRATUM];
} bird_promoter_tally;

/**
 * Write a data set as TSV: sequence, label, chrom, start, end, strand, kind,
 * with a header line; compressed (BGZF) when the path ends in .gz, "-" is
 * standard output. Rows: the positives in order of position, then the
 * negatives. The sequence is that of the strand; chrom is named as in the
 * reference.
 *
 * A window on the strand opposite to a TSS is neither positive nor negative,
 * unless antisense > 0: many promoters are bidirectional.
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

/* ---- chromatin ---------------------------------------------------------
 *
 * A bin has a profile's label where enough of it lies in the union of the
 * profile's peaks. The data set has coordinates and labels, and no sequence;
 * docs/formats.md describes it.
 */

/** Profiles and the peaks that label them; names of contigs may differ by
 * "chr". */
typedef struct bird_profile_files {
    const char *const *fasta; /* (n_fasta) references with different contigs */
    int64_t n_fasta;
    /** List of profiles (TSV), or NULL: every peak file is one profile. */
    const char *profiles;
    /** (n_peaks) BED, narrowPeak, broadPeak, in any order. With a list, their
     * column 4 names the profile (its id); 0 of them: the list names files. */
    const char *const *peaks;
    int64_t n_peaks;
    int name_column; /* 1, without a list: the profiles are the distinct
                            names in column 4 of the peak files, in the order
                            of their bytes; the files are read twice */
} bird_profile_files;

/** Inputs and outputs. */
typedef struct bird_chromatin_files {
    bird_profile_files in;
    const char *regions; /* BED: bins lie within these; NULL: everywhere */
    const char
        *exclude;     /* BED: bins that overlap these are left out, or NULL */
    const char *mask; /* TSV of a profile (or a choice of them) and a contig
                            ('*': all) where it is not known, or NULL */
    /** "NAME=WHERE,NAME=WHERE": parts, each written to a file. WHERE is a BED
     * file, contigs and regions separated by '+', or "rest": what lies in no
     * other part. NULL: one part. */
    const char *split;
    const char *output;   /* the file, "-": standard output; with a split the
                             folder of NAME.tsv.zst, which is made */
    const char *summary;  /* TSV of positives of each profile, or NULL */
    const char *overlaps; /* TSV of pairs of profiles, or NULL */
    const char *command;  /* stored in the outputs, or NULL */
} bird_chromatin_files;

typedef struct bird_chromatin_data_options {
    int64_t bin;         /* bp; 200 */
    int64_t context;     /* bp around the bin's middle, at least a bin, which
                            must lie within one part; 1000 */
    const char *overlap; /* how much of the bin must lie in peaks: "half": more
                            than half, "any" base, its "centre", or a share
                            (at least as much); "half" */
    const char *keep;    /* bins with one of these labels are written, a choice
                            as of bird_features_select(); NULL: with any */
    double background;   /* share of the other bins that is written too; 0 */
    double max_n;        /* largest share of the context's bases that are not A,
                            C, G, T; 0.05 */
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
    int64_t n_track;   /* sources of peaks; those of one name are one profile */
    int64_t n_peak;    /* peaks read of these profiles */
    int64_t n_other;   /* lines of other profiles */
    int64_t no_contig; /* peaks on contigs that no reference has */
    int64_t behind;    /* peaks that begin after their contig's end */
    int64_t clipped;   /* peaks cut at their contig's end */
    int64_t unknown_pairs; /* pairs of profile and contig not known */
    int64_t without_peak;  /* profiles without any peak on the reference */
    int64_t elsewhere;     /* bins to write that lie in no part */
    int64_t border;        /* bins whose context crosses a border */
    int64_t excluded;      /* bins that overlap an excluded region */
    int64_t unknown;       /* bins with too many N in their context */
    char guess[256];       /* notice that column 4 may name profiles, or "" */
    struct bird_chromatin_part {
        char name[64];
        int64_t n_row, n_background, n_label; /* bins; background among them */
    } part[BIRD_MAX_PART];
} bird_chromatin_tally;

/**
 * Write the data set.
 *
 * Bins begin at multiples of their width on the contig; bases after the last
 * whole bin are in none. Memory is bounded by o->memory, whatever the number
 * and size of the peak files; larger inputs are sorted in a temporary file in
 * the output's folder.
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

/* ---- windows of bins ---------------------------------------------------
 *
 * For models that score every bin of a long window. Files of windows have no
 * labels: these are computed from peaks and start sites when a window is read,
 * so that training may move a window.
 */

/** Where the labels of bins come from. */
typedef struct bird_bin_files {
    /** Its profiles and peaks are not needed where there are sites. */
    bird_profile_files in;
    /** Start sites with a strand, BED6, GTF or GFF3: the labels "TSS+" and
     * "TSS-", which are exchanged on the other strand; or NULL. */
    const char *sites;
    /** (n_other) The same: in bins within other_bp of these the labels are not
     * known, unless a start of `sites` lies in the bin. */
    const char *const *other;
    int64_t n_other;
    bird_transcript_filter transcripts; /* of GTF and GFF3 */
    const char *mask;    /* TSV of a label (or a choice of them) and a contig
                            ('*': all) where it is not known, or NULL */
    const char *exclude; /* BED: bins that overlap these have no known label */
} bird_bin_files;

typedef struct bird_bin_options {
    int64_t bin_bp;       /* windows begin at multiples of it; 200 */
    int64_t margin_bp;    /* at both ends of a window, context alone; 0 */
    int64_t site_bp;      /* a start site within this distance of a bin labels
                             the bin: narrow bins share a site; 0 */
    int64_t other_bp;     /* 500 */
    int mask_empty;       /* a profile without a peak on a contig is not known
                          there; 1 */
    const char *features; /* these labels, bird_features_select(); NULL: all */
} bird_bin_options;

BIRD_API void bird_bin_options_default(bird_bin_options *o);

typedef struct bird_bin_split {
    const char *const *fasta; /* (n_fasta) references with different contigs */
    int64_t n_fasta;
    const char *split;   /* parts, each written to a file, as in
                            bird_chromatin_files; NULL: "all=rest" */
    const char *exclude; /* BED: no window overlaps these; or NULL */
    const char *output;  /* folder of NAME.bed, which is made */
    int64_t bin_bp;      /* 200 */
    int64_t window_bp;   /* 8000 */
    int64_t margin_bp;   /* at both ends of a window, context alone; 800 */
    int64_t stride_bp;   /* from window to window, a multiple of a bin; 0:
                            windows less their margins lie end to end */
    int64_t border_bp;   /* distance of windows from a part's borders inside a
                            contig; 0 */
    double max_n; /* largest share of a window's bases that are not A, C, G, T;
                     0.5 */
} bird_bin_split;

BIRD_API void bird_bin_split_default(bird_bin_split *o);

/** What was written, and what was left out. */
typedef struct bird_bin_split_tally {
    int64_t n_part;
    struct bird_bin_split_part {
        char name[64];
        int64_t n_window;
        int64_t n_short;   /* intervals too short for a window */
        int64_t n_unknown; /* windows with too many N */
    } part[BIRD_MAX_PART];
} bird_bin_split_tally;

/**
 * Write windows as BED, a file for each part: they begin at multiples of a bin
 * on the contig and lie within the part.
 *
 * Errors  BIRD_EINVAL options, a part without a window; BIRD_EIO, BIRD_EFORMAT
 *         files; BIRD_ENOMEM. No file is left behind.
 *
 * @param tally NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int bird_bin_split_write(const bird_bin_split *o,
                                                  bird_bin_split_tally *tally);
/* ---- tables of sequences, joined -----------------------------------------
 *
 * Rows of benchmarks have no coordinates: shared k-mers show which of them lie
 * in a part of a genome that must not be learned from.
 */

/** Sequence that the rows must not share a k-mer with. */
typedef struct bird_rows_apart {
    const char *name; /* in the tally */
    /** A table, FASTA file, or with bird_rows_options.fasta regions (.bed,
     * .bed.gz) of that reference. */
    const char *path;
} bird_rows_apart;

typedef struct bird_rows_options {
    const char *const *table; /* (n_table) labelled sequences */
    int64_t n_table;
    const bird_rows_apart *apart; /* (n_apart), at most BIRD_MAX_PART */
    int64_t n_apart;
    const char *const *fasta; /* (n_fasta) references of regions */
    int64_t n_fasta;
    int64_t margin_bp;   /* regions are widened by so many bp; 1000 */
    int64_t shared_k;    /* bases of a k-mer, 1 to 63; 32 */
    const char *output;  /* CSV (sequence, label), .gz and .zst compressed;
                            "-": standard output */
    const char *summary; /* TSV of the tally, or NULL */
} bird_rows_options;

BIRD_API void bird_rows_options_default(bird_rows_options *o);

/** What became of the rows; each counts once, for the first that is true. */
typedef struct bird_rows_tally {
    int64_t n_row;
    int64_t n_differ; /* another row has the sequence and another label */
    int64_t n_again;  /* an earlier row has the sequence */
    int64_t n_apart[BIRD_MAX_PART]; /* shares a k-mer with apart[i] */
    int64_t n_kept;
} bird_rows_tally;

/**
 * Write the rows of all tables in their order, except rows whose sequence has
 * different labels, all but the first row of a sequence, and rows that share a
 * k-mer of shared_k bases with the sequences of `apart`: k-mers begin at every
 * base, and a k-mer and its reverse complement are one.
 *
 * Memory   17 bytes for two to four times the bases of the tables, and one byte
 *          for each base of the largest sequence of `apart` and of the contigs
 *          in use
 * Errors   BIRD_EINVAL an option, a table without one label a row, a row
 *          shorter than a k-mer, no row left; BIRD_EIO, BIRD_EFORMAT files;
 *          BIRD_ERANGE a contig of a BED file that the references do not have,
 *          or a region beyond its end; BIRD_ENOMEM. No output file is left
 *          behind.
 *
 * @param tally NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int bird_rows_write(const bird_rows_options *o,
                                             bird_rows_tally *tally);

/* ---- rows that are elsewhere too ---------------------------------------- */

typedef struct bird_overlap_options {
    const char *rows; /* CSV, TSV or FASTA: any labels or values */
    const char *sequence,
        *name; /* columns of a table; NULL: "sequence", none */
    /** Tables, FASTA files, or with `fasta` regions (.bed, .bed.gz) of that
     * reference; at most BIRD_MAX_PART. */
    const char *const *with; /* (n_with) */
    int64_t n_with;
    const char *const *fasta; /* (n_fasta) references of regions */
    int64_t n_fasta;
    int64_t margin_bp;  /* regions are widened by so many bp; 0 */
    int64_t shared_k;   /* bases of a k-mer, 1 to 63; 32 */
    const char *output; /* TSV of the rows that share a k-mer: number from 1,
                           name, the first file; NULL: standard output */
    const char *kept;   /* a copy of `rows` without these; or NULL. With an end
                           of .gz or .zst compressed */
} bird_overlap_options;

BIRD_API void bird_overlap_options_default(bird_overlap_options *o);

typedef struct bird_overlap_tally {
    int64_t n_row, n_any;            /* rows; those that share a k-mer */
    int64_t n_below;                 /* rows shorter than a k-mer */
    int64_t n_shared[BIRD_MAX_PART]; /* rows that share one with file i */
} bird_overlap_tally;

/**
 * Find the rows that share a k-mer of shared_k bases with other sequence, on
 * either strand, as bird_rows_write() does for tables of classes.
 *
 * Errors   BIRD_EINVAL an option; BIRD_EIO, BIRD_EFORMAT files; BIRD_ERANGE a
 *          region's contig that the references do not have, or a region
 *          beyond its end; BIRD_ENOMEM
 *
 * @param tally NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int bird_overlap(const bird_overlap_options *o,
                                          bird_overlap_tally *tally);

/* ---- DeepSEA's bundle --------------------------------------------------
 *
 * train.mat, valid.mat and test.mat of the training bundle of Zhou and
 * Troyanskaya 2015 (Nature Methods 12:931): MATLAB arrays NAMExdata (samples,
 * 4 channels, positions), one-hot in the order A, G, C, T, and NAMEdata
 * (samples, labels), NAME being train, valid or test; v5 or v7.3.
 */

typedef struct bird_deepsea_options {
    const char *mat;
    const char *profiles; /* list of profiles in the labels' order; NULL:
                             DeepSEA's 919, which come with dnabird */
    const char *output;   /* the file, "-": standard output */
    const char *summary;  /* TSV of positives of each profile, or NULL */
    const char *command;  /* stored in the output, or NULL */
    int64_t bin;          /* bp in the middle that the labels are of; 200 */
    int64_t memory;       /* bytes of the arrays in memory; 256 Mi */
    int drop_complements; /* leave out samples of the second half that are the
                             reverse complement of their partner in the first,
                             with the same labels; 0 */
    bird_progress_call *progress; /* "reading", samples; NULL: none */
    void *progress_context;
} bird_deepsea_options;

BIRD_API void bird_deepsea_options_default(bird_deepsea_options *o);

/** What was read and written. */
typedef struct bird_deepsea_tally {
    int64_t n_sample, n_profile;
    int64_t n_row;          /* samples written */
    int64_t n_label;        /* labels that are 1 in these rows */
    int64_t n_unknown;      /* of these rows, those with an N */
    int64_t n_pair;         /* pairs (i, i + n_sample / 2); 0: an odd number */
    int64_t n_complement;   /* pairs of reverse complements, by a hash of 64
                               bits */
    int64_t n_other_labels; /* of these pairs, those with different labels */
} bird_deepsea_tally;

/**
 * Write the samples as labelled sequences (docs/formats.md), in their order.
 * Memory: o->memory, one chunk of HDF5, and 16 bytes for each pair.
 *
 * Errors  BIRD_EUNSUPPORTED a build without libmatio; BIRD_EIO; BIRD_EFORMAT
 *         other arrays, a position with two bases, a value other than 0 and 1,
 *         with file, sample and position; BIRD_ECANCELED; BIRD_ENOMEM. No
 *         output file is left behind.
 *
 * @param tally NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int
bird_deepsea_data_write(const bird_deepsea_options *o,
                        bird_deepsea_tally *tally);

BIRD_END_C

#endif
