/**
 * An HTML report of a run, a model, or files that commands wrote.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_REPORT_H
#define DNABIRD_REPORT_H

#include <stdint.h>

#include "dnabird/error.h"

BIRD_BEGIN_C

/** Fill with bird_report_options_default(). */
typedef struct bird_report_options {
    const char *run;      /* folder of a run, or a model folder; or NULL */
    const char *training; /* TSV of its curves; NULL: training.tsv of `run` */
    /** TSV files of `dnabird evaluate`, shown with their names. */
    const char *const *evaluation; /* (n_evaluation) */
    int64_t n_evaluation;
    /** Files that commands wrote: calls, values, bins, alleles, metrics,
     *  predictions, curves. The columns of a file decide which of these it
     *  is. */
    const char *const *file; /* (n_file) */
    int64_t n_file;
    /** The region that calls, values and alleles are shown in, as
     *  chr:from-to; NULL: the whole sequence when the first file covers one
     *  stretch of up to 2 Mb, else the surroundings of its highest value. */
    const char *region;
    const char *const *annotation; /* (n_annotation) BED, GTF or GFF files,
                                      shown below the values */
    int64_t n_annotation;
    const char *output;  /* "-" is standard output */
    const char *multiqc; /* where to write the numbers for MultiQC,
                            NAME_mqc.json; or NULL */
} bird_report_options;

BIRD_API void bird_report_options_default(bird_report_options *o);

/**
 * Write an HTML page that needs no other file. For a folder it shows the curves
 * of training.tsv (every column of numbers against `step`), metrics on held-out
 * data, configuration, data and commands, as far as training.tsv, config.json
 * and dnabird.json are there. For files it shows the command, metrics, tracks
 * along the sequence, distributions, and tables. It may be called while a run
 * is writing: an incomplete last line is ignored. The page depends on these
 * files alone; all their texts are escaped.
 *
 * Errors  BIRD_EINVAL the folder is not that of a run or model, or an option is
 *         wrong; BIRD_EIO, BIRD_EFORMAT files, with the line; BIRD_ENOMEM. No
 *         file is left behind
 */
BIRD_API BIRD_MUST_CHECK int bird_report(const bird_report_options *o);

BIRD_END_C

#endif
