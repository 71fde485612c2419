/**
 * The rows of pretraining: how they are sampled from references, and token
 * shards, which are rows sampled beforehand.
 *
 * Belongs to libdnabird_train. docs/math/pretraining-data.md has the
 * distributions and their sources; docs/formats.md has the files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_SAMPLE_H
#define DNABIRD_SAMPLE_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/progress.h"

BIRD_BEGIN_C

enum bird_sample_kind {
    BIRD_SAMPLE_WINDOWS,  /* a uniform start over all allowed bases */
    BIRD_SAMPLE_DOCUMENTS /* documents of sentences, as in appendix F.1 of
                             Zaheer et al. 2020, arXiv:2007.14062 */
};

/** Paths and texts are borrowed for the call. */
typedef struct bird_sample_options {
    const char *const *fasta; /* (n_fasta) plain, gzip or bgzip, indexed or
                                 not; no contig twice */
    int64_t n_fasta;
    const char *include;     /* a BED file, or contigs and regions separated by
                            commas: every row lies inside one of these regions
                            (merged); NULL: whole contigs */
    const char *exclude;     /* no row overlaps these, given as `include` is;
                                NULL: none */
    const char *held_out[2]; /* no row overlaps these either: a BED file, or
                                contigs and regions separated by commas, of
                                which at least one begins on a contig of
                                the references; NULL: none */
    enum bird_sample_kind kind;
    int64_t length_tok; /* most tokens of a row, special ones included; 512 */
    uint64_t seed;      /* 1 */
    double max_n; /* an interval with a larger share of characters other than A,
                     C, G, T is replaced by another one, and counted; 0.05 */
    int next_sentence; /* 1: rows are [CLS] A [SEP] B [SEP], B from elsewhere
                          half of the time; 0: [CLS] A [SEP] */
    double mask;       /* share of tokens to predict, 0 < mask <= 1; 0.15 */
    int span; /* 1: tokens are chosen independently; n > 1: spans of 1 .. n
                 tokens, p ~ 1 / length */
    const char *repeats;  /* BED: a token with more than half of its bases in
                             these has repeat_weight; NULL: none. Not with
                             shards, whose rows have no coordinates */
    double repeat_weight; /* in the loss, 0 to 1; 0.1 */
    const char *shards;   /* folder of token shards instead of fasta, include
                           and exclude; NULL: tokenize on the fly */
    int genome_types;     /* 1: all tokens of a row have the type i of the file
                         fasta[i] that the row is from, for models of several
                         genomes; 0: types tell A and B apart. Not with
                         next_sentence or shards */
} bird_sample_options;

/** Windows of 512 tokens and the defaults named above. */
BIRD_API void bird_sample_options_default(bird_sample_options *o);

/** Rows of a step of batch_tok tokens: as many whole rows as fit, at least 1. */
static inline int64_t bird_sample_rows(int64_t batch_tok, int64_t length_tok)
{
    return batch_tok > length_tok ? batch_tok / length_tok : 1;
}

/* ---- token shards ------------------------------------------------------
 *
 * Their rows are tokenized and not yet masked: tokens are masked when a row is
 * read, so that a run from shards has the same batches as a run from the
 * references.
 */

typedef struct bird_token_shards_options {
    bird_sample_options sample; /* shards NULL; mask and span do not matter */
    const char *tokenizer;      /* tokenizer.json */
    int64_t rows;               /* in all; or, when 0, */
    int64_t steps;              /* whole steps */
    int64_t batch_tok;          /* tokens of a step: bird_sample_rows() */
    int64_t rows_per_file;      /* 0: as many as 16 M tokens are */
} bird_token_shards_options;

/** What is to be written, and the measurements behind the estimate. */
typedef struct bird_token_shards_plan {
    int64_t rows, rows_per_step, files;
    int64_t rows_there;    /* already in the folder */
    int64_t rows_measured; /* sampled and packed to estimate the size */
    double bytes_per_row;  /* mean of the measured rows */
    double bp_per_token;   /* of the measured rows */
    int64_t bytes_needed;  /* for the rows that are missing */
    int64_t bytes_free;    /* on the disk of the folder, for this user */
    int64_t bases;         /* that rows may be sampled from */
    int64_t n_rich;        /* intervals with too many N that were replaced
                              while the rows were measured */
} bird_token_shards_plan;

typedef struct bird_token_shards bird_token_shards;

/**
 * Read the references and the folder, and make a plan; nothing is written.
 * Shards in the folder that have the same tokenizer, references, regions and
 * options are continued: complete files are kept, and there may be more rows
 * than before.
 *
 * Owner   *out is the caller's, bird_token_shards_free(); the options need not
 *         outlive the call; untouched on failure
 * Errors  BIRD_EINVAL an option, or shards made with other options; those of
 *         the references, regions and tokenizer
 */
BIRD_API BIRD_MUST_CHECK int
bird_token_shards_open(bird_token_shards **out, const char *folder,
                       const bird_token_shards_options *o);
BIRD_API void bird_token_shards_plan_get(const bird_token_shards *x,
                                         bird_token_shards_plan *out);

/**
 * Write what is missing; a file gets its name when it is complete. The same
 * calls continue a run that was stopped.
 *
 * Errors  BIRD_EIO the disk lacks the space (before anything is written), a
 *         write fails, or another run writes to the folder; BIRD_EINVAL other
 *         rows were written there meanwhile; BIRD_ECANCELED
 *
 * @param progress counts rows; or NULL
 */
BIRD_API BIRD_MUST_CHECK int
bird_token_shards_write(bird_token_shards *x, bird_progress_call *progress,
                        void *context);
BIRD_API void bird_token_shards_free(bird_token_shards *x);

/* ---- repeats -----------------------------------------------------------
 *
 * A mask of repeats by counting k-mers, for genomes whose repeats are not in
 * lower case.
 */

typedef struct bird_repeats_options {
    const char *const *fasta; /* (n_fasta) the genome; plain, gzip, bgzip */
    int64_t n_fasta;
    int64_t k;          /* bases of a k-mer, 8 to 31; 20 */
    int64_t more_than;  /* k-mers that occur more often are repeats; 3 */
    int64_t max_memory; /* bytes for the table of k-mers; 1 Gi */
    const char *output; /* BED, .gz and .zst compressed; "-": standard output */
    bird_progress_call
        *progress; /* counts bases, twice in each pass; or NULL */
    void *progress_context;
} bird_repeats_options;

BIRD_API void bird_repeats_options_default(bird_repeats_options *o);

typedef struct bird_repeats_tally {
    int64_t n_base;   /* A, C, G, T in either case */
    int64_t n_repeat; /* bases of these in the mask */
    int64_t n_interval, passes;
} bird_repeats_tally;

/**
 * Write the bases that are covered by a k-mer that occurs more than more_than
 * times in the genome. A k-mer and its reverse complement are one, and each
 * position counts once. k-mers have A, C, G, T alone and lie within a contig.
 *
 * Memory  3/8 byte a base, and 10 bytes for two to four times as many k-mers as
 *         there are bases, at most max_memory: where that is too little, the
 *         k-mers are counted in several passes, which takes longer
 * Errors  BIRD_EINVAL an option, a contig given twice, no base; BIRD_EIO,
 *         BIRD_EFORMAT files; BIRD_ECANCELED; BIRD_ENOMEM. No output file is
 *         left behind.
 *
 * @param tally NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int bird_repeats_write(const bird_repeats_options *o,
                                                bird_repeats_tally *tally);

BIRD_END_C

#endif
