/**
 * Labelled sequences in memory: read from CSV, TSV, FASTA, BED or labelled
 * bins, split, cut.
 *
 * Coordinates are 0-based half-open in base pairs. Letters are upper case
 * with U as T. Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_DATASET_H
#define DNABIRD_DATASET_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/features.h"

enum bird_label_kind {
    BIRD_LABEL_NONE,  /* sequences alone */
    BIRD_LABEL_CLASS, /* one of n_label classes a row */
    BIRD_LABEL_MULTI  /* n_label answers a row: 0, 1 or unknown */
};

/** One sequence. */
typedef struct bird_row {
    int64_t at, len;    /* where its letters stand in bases; rows of labelled
                           bins share letters */
    int64_t name;       /* where its name stands in text; -1 = none */
    int64_t start, end; /* place on the reference, when contig >= 0 */
    int32_t contig;     /* index into contig names; -1 = none */
    int32_t label;      /* its class; -1 when the kind is another */
    char strand;        /* '+', '-' or '.' */
} bird_row;

/**
 * The rows in the order of the file. Start with {0}; the arrays belong to it
 * and go with bird_dataset_free().
 */
typedef struct bird_dataset {
    int64_t n, n_label, n_contig;
    enum bird_label_kind kind;
    bird_row *row; /* (n) */
    float *target; /* (n, n_label) 0, 1 or NaN; kind MULTI read from a
                           table, else NULL */
    /* Kind MULTI of labelled bins: labels that are 1, and contigs on which a
     * label is not known; else NULL. */
    int64_t *hit_at;        /* (n + 1) where row i's stand in hit */
    int32_t *hit;           /* (hit_at[n]) labels, rising within a row */
    uint8_t *masked;        /* (n_contig, n_label) */
    bird_features features; /* what is known of the labels, or none */
    char *bases;            /* letters of all rows, end to end */
    char *text;             /* names, each ended by NUL */
    char **label_name;      /* (n_label); NULL when labels are plain numbers */
    char **contig_name;     /* (n_contig) */
    int64_t *contig_length; /* (n_contig) bp, of labelled bins; else NULL */
    int64_t n_base, n_text; /* bytes in bases and text */
} bird_dataset;

/** Sequence of row i: d->row[i].len letters, no NUL; borrowed. */
static inline const char *bird_dataset_seq(const bird_dataset *d, int64_t i)
{
    return d->bases + d->row[i].at;
}

/** Name of row i or NULL; borrowed. */
static inline const char *bird_dataset_name(const bird_dataset *d, int64_t i)
{
    return d->row[i].name < 0 ? (const char *)0 : d->text + d->row[i].name;
}

/** Label k of row i of kind MULTI: 0, 1, or NaN where it is not known. */
BIRD_API float bird_dataset_label(const bird_dataset *d, int64_t i, int64_t k);

/** All labels of row i into out (n_label). */
BIRD_API void bird_dataset_labels(float *out, const bird_dataset *d, int64_t i);

/** Label k of all rows into out (n). */
BIRD_API void bird_dataset_column(float *out, const bird_dataset *d, int64_t k);

/** How to read a file; {0} reads what the name of the file promises. */
typedef struct bird_dataset_options {
    /** "csv", "tsv", "fasta", "bed", "bins"; NULL: by the name's ending and,
     * of bins, the first line */
    const char *format;
    /** CSV and TSV: column of the sequence ("sequence"), of the label
     * ("label"), of the name (none). A column is a name of the header line or
     * a number from 1. Several labels separated by commas, or "*" for every
     * column after the sequence, make kind MULTI. "" = no labels. */
    const char *sequence, *label, *name;
    int no_header;         /* CSV and TSV: columns are numbers then */
    const char *labels;    /* FASTA: file of lines "name <tab> label" */
    const char *reference; /* BED: FASTA file of the genome; bins: several
                              with commas */
    int64_t context_bp;    /* bins: letters around a bin's middle; 0: what
                              the file was made for */
    const char *features;  /* bins: labels to read, bird_features_select() */
    /** Bins: labels to read by name and in this order, as a model has them;
     * what the file does not have is unknown. NULL: the file's. */
    const char *const *label_name;
    int64_t n_label_name;
    /** Classes known before (of the model): label texts are looked up here,
     * numbers must lie below. NULL: as the file has them. */
    const char *const *class_name;
    int64_t n_class;
} bird_dataset_options;

/**
 * Read labelled sequences; plain, gzip or bgzip, "-" is standard input.
 *
 * CSV and TSV have a header line; fields may stand in double quotes. FASTA
 * has `label=K` in the description, or a second file of labels. BED has
 * chrom, start, end, name, label, strand (three columns: no labels), the
 * letters come from options->reference ("chr20" finds "20" and the other way
 * round) and are reverse-complemented for strand '-'.
 *
 * Labelled bins are what bird_chromatin_data_write() leaves: the letters
 * around each bin come from options->reference, N beyond a contig's ends, one
 * byte a base of the stretches in use.
 *
 * Labels are whole numbers from 0, or words, which become classes in
 * alphabetical order (label_name). In columns of MULTI an empty field, "."
 * or "NA" is unknown (NaN).
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
 * by a hash of its letters and the seed. A sequence, its copies and its
 * reverse complement always fall on one side. Of labelled bins stretches of
 * 1 Mb are held out, by a hash of contig, place and seed: neighbours share
 * letters. Errors: BIRD_ENOMEM.
 *
 * @param[out] mark (n)
 */
BIRD_API BIRD_MUST_CHECK int bird_dataset_mark_fraction(uint8_t *mark,
                                                        const bird_dataset *d,
                                                        double fraction,
                                                        uint64_t seed);

/**
 * Mark rows on these contigs (separated by commas; "chr20" is "20").
 * Errors: BIRD_EINVAL when the rows have no places, or none is marked.
 */
BIRD_API BIRD_MUST_CHECK int bird_dataset_mark_contigs(uint8_t *mark,
                                                       const bird_dataset *d,
                                                       const char *contigs);

/**
 * Mark rows that overlap a region of a BED file by at least one base.
 * Errors: as above; BIRD_EIO and BIRD_EFORMAT on the file.
 */
BIRD_API BIRD_MUST_CHECK int
bird_dataset_mark_bed(uint8_t *mark, const bird_dataset *d, const char *path);

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

/** The k that bird_dataset_mark_shared() is asked for by default: 30 up to a
 * median length of 100 bp, else 40. */
BIRD_API int bird_dataset_shared_k(const bird_dataset *d);

#endif
