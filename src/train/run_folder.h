/**
 * The folder of a run: what may lie there before it begins, its log, and what
 * a killed one left.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_RUN_FOLDER_H
#define BIRD_TRAIN_RUN_FOLDER_H

#include <jansson.h>
#include <stdint.h>

#include "dnabird/error.h"

#define BIRD_RUN_CHECKPOINT "checkpoint.safetensors"
#define BIRD_RUN_LOG        "training.tsv"

/**
 * A run that is there is gone on with (resume) or refused, a model that no run
 * left is never written over. Errors: BIRD_EINVAL
 */
BIRD_MUST_CHECK int bird_run_check(const char *folder, int resume);

/** Make the folder, once all inputs are open: from here on the run's files in
 *  it are its own to read and to write again. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_run_begin(const char *folder);

/** Remove temporary files (NAME.tmp and a number) that a killed run left. */
void bird_run_sweep(const char *folder);

/**
 * Begin the log anew with this header line, or keep of it the lines up to a
 * step, their first column; a last line cut short is dropped.
 */
BIRD_MUST_CHECK int bird_run_log_start(const char *folder, const char *header,
                                       int64_t step);

/** Add a line. */
BIRD_MUST_CHECK int bird_run_log_add(const char *folder, const char *line);

/** A file's name without its folders, as JSON's text or null: a model does not
 *  tell where it was made. */
json_t *bird_run_base_name(const char *path);

/** Seconds on a clock that never jumps. */
double bird_run_clock(void);

#endif
