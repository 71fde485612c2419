/**
 * A run or a model as one page to read.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_REPORT_H
#define DNABIRD_REPORT_H

#include <stdint.h>

#include "dnabird/error.h"

/** Fill with bird_report_options_default(). */
typedef struct bird_report_options {
    const char *run;      /* folder of a run, or a model folder */
    const char *training; /* TSV of the curves; NULL: training.tsv of run */
    /** TSV files of `dnabird evaluate`, shown under their names. */
    const char *const *evaluation; /* (n_evaluation) */
    int64_t n_evaluation;
    const char *output; /* "-" is standard output */
} bird_report_options;

BIRD_API void bird_report_options_default(bird_report_options *o);

/**
 * Write an HTML page that stands alone: the curves of training.tsv (every
 * column of numbers against `step`), metrics on held-out data,
 * configuration, data and commands, from what is there of training.tsv,
 * config.json and dnabird.json. It may be called while the run goes on: a
 * last line cut short is left out. The page is a function of these files
 * alone; all texts of theirs are escaped.
 *
 * Errors  BIRD_EINVAL the folder holds nothing of a run or model; BIRD_EIO,
 *         BIRD_EFORMAT files; BIRD_ENOMEM. No file is left behind
 */
BIRD_API BIRD_MUST_CHECK int bird_report(const bird_report_options *o);

#endif
