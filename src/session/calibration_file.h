/**
 * calibration.safetensors of a model folder. The file has two independent parts:
 * the background of `variant` (calibration.h) and the maps to probabilities
 * (probability.h). Writing one part keeps the other.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_CALIBRATION_FILE_H
#define BIRD_SESSION_CALIBRATION_FILE_H

#include "dnabird/error.h"
#include "folder/safetensors.h"

#define BIRD_CALIBRATION_NAME "calibration.safetensors"

enum bird_calibration_part {
    BIRD_PART_BACKGROUND,
    BIRD_PART_PROBABILITY,
    BIRD_N_CALIBRATION_PART
};

/**
 * Open a file of either part: 1, or 0 when there is none.
 * Errors: BIRD_EIO; BIRD_EFORMAT not a calibration
 */
BIRD_MUST_CHECK int bird_calibration_file_open(bird_tensors **out,
                                               const char *path);

/** Does the file hold this part? */
int bird_calibration_file_has(const bird_tensors *t,
                              enum bird_calibration_part part);

/**
 * Write the tensors (n) and metadata (n_meta pairs) of one part, as
 * bird_tensors_write(). The other part is kept when the file can be read.
 * Errors: BIRD_EIO, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int
bird_calibration_file_put(const char *path, enum bird_calibration_part part,
                          const struct bird_tensor *t, int64_t n,
                          const char *const *meta, int64_t n_meta);

/**
 * Copy the parts made with the model of digest `old`, for a model of digest
 * `now` that gives the same answers. Parts made with other models are left out.
 * Without a part to copy, or without a file `from`, nothing is written.
 * Errors: those of opening and writing
 */
BIRD_MUST_CHECK int bird_calibration_file_copy(const char *to, const char *from,
                                               const char *old,
                                               const char *now);

/** Fail with a message that names the file and the command that makes this part
 *  again. */
int bird_calibration_file_fail(const char *path,
                               enum bird_calibration_part part,
                               const char *what);

/**
 * A tensor of this name, type and shape, copied to *out (free()).
 * Errors: BIRD_EFORMAT missing or of another shape; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calibration_file_take(void *out, const bird_tensors *t,
                                               const struct bird_tensor *want,
                                               const char *path,
                                               enum bird_calibration_part part);

#endif
