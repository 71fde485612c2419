/**
 * Runs and what they wrote as one page to read.
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
    const char *run;      /* folder of a run, or a model folder; or NULL */
    const char *training; /* TSV of its curves; NULL: training.tsv of run */
    /** TSV files of `dnabird evaluate`, shown under their names. */
    const char *const *evaluation; /* (n_evaluation) */
    int64_t n_evaluation;
    /** Files that commands wrote: calls, values, bins, alleles, metrics,
     *  predictions, curves; which of these each is, its columns tell. */
    const char *const *file; /* (n_file) */
    int64_t n_file;
    /** Of calls, values and alleles: what is drawn along the sequence, as
     *  chr:from-to; NULL: all where the first file is of one piece of up to
     *  2 Mb, else what is around its highest value. */
    const char *region;
    const char *const *annotation; /* (n_annotation) BED, GTF or GFF beside */
    int64_t n_annotation;
    const char *output;  /* "-" is standard output */
    const char *multiqc; /* its numbers for MultiQC, NAME_mqc.json; or NULL */
} bird_report_options;

BIRD_API void bird_report_options_default(bird_report_options *o);

/**
 * Write an HTML page that stands alone. Of a folder: the curves of training.tsv
 * (every column of numbers against `step`), metrics on held-out data,
 * configuration, data and commands, from what is there of training.tsv,
 * config.json and dnabird.json. Of files: what was asked, figures, pictures
 * along the sequence and of distributions, tables. It may be called while the run goes on: a
 * last line cut short is left out. The page is a function of these files
 * alone; all texts of theirs are escaped.
 *
 * Errors  BIRD_EINVAL the folder holds nothing of a run or model, an option;
 *         BIRD_EIO, BIRD_EFORMAT files, with the line; BIRD_ENOMEM. No file is
 *         left behind
 */
BIRD_API BIRD_MUST_CHECK int bird_report(const bird_report_options *o);

#endif
