/**
 * Token shards: the rows that pretraining would draw, drawn beforehand.
 *
 * Rows are tokenized, not masked: masks are drawn when a row is read, so that
 * a run from shards sees the batches that a run from the references sees.
 * docs/formats.md has the files. Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOKEN_SHARDS_H
#define DNABIRD_TOKEN_SHARDS_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/progress.h"
#include "dnabird/sample.h"

typedef struct bird_token_shards_options {
    bird_sample_options sample; /* shards NULL; mask and span do not matter */
    const char *tokenizer;      /* tokenizer.json */
    int64_t rows;               /* in all; or, when 0, */
    int64_t steps;              /* whole steps */
    int64_t batch_tok;          /* tokens of a step: bird_sample_rows() */
    int64_t rows_per_file;      /* 0: as many as 16 M tokens are */
} bird_token_shards_options;

/** What is to be written, and what that is based on. */
typedef struct bird_token_shards_plan {
    int64_t rows, rows_per_step, files;
    int64_t rows_there;    /* of them lie in the folder already */
    int64_t rows_measured; /* were drawn and packed to see their size */
    double bytes_per_row;  /* their mean */
    double bp_per_token;   /* of the same rows */
    int64_t bytes_needed;  /* for what is missing */
    int64_t bytes_free;    /* on the disk of the folder, for this user */
    int64_t bases;         /* that may be drawn */
    int64_t n_rich;        /* stretches drawn for the measured rows that had
                              too many N */
} bird_token_shards_plan;

typedef struct bird_token_shards bird_token_shards;

/**
 * Read the references and what lies in the folder, and make a plan; nothing is
 * written. A folder with shards of the same tokenizer, references, regions
 * and options is gone on with: whole files are kept, and there may be more
 * rows than before.
 *
 * Owner   *out is the caller's, bird_token_shards_free(); the options are not
 *         needed any more; untouched on failure
 * Errors  BIRD_EINVAL an option, or shards of something else; those of the
 *         references, regions and tokenizer
 */
BIRD_API BIRD_MUST_CHECK int
bird_token_shards_open(bird_token_shards **out, const char *folder,
                       const bird_token_shards_options *o);
BIRD_API void bird_token_shards_plan_get(const bird_token_shards *x,
                                         bird_token_shards_plan *out);

/**
 * Write what is missing; a file appears when it is whole. A run that was
 * stopped is gone on with by the same calls.
 *
 * Errors  BIRD_EIO the disk lacks the room (before anything is written), or
 *         refuses; BIRD_ECANCELED
 *
 * @param progress of rows; or NULL
 */
BIRD_API BIRD_MUST_CHECK int
bird_token_shards_write(bird_token_shards *x, bird_progress_call *progress,
                        void *context);
BIRD_API void bird_token_shards_free(bird_token_shards *x);

#endif
