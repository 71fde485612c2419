/**
 * Arrays of MATLAB's .mat files, v5 and v7.3 (HDF5), through libmatio, read in
 * slabs of rows. In a build without it everything is refused.
 *
 * MATLAB's arrays are column-major: of an array (n, c, l) the n values of one
 * column lie side by side, and one row's values are n apart.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_LAB_MAT_IN_H
#define BIRD_LAB_MAT_IN_H

#include <stdint.h>

#include "dnabird/error.h"

/** Start with {0}. */
struct bird_mat {
    char *path;
    void *file;    /* mat_t */
    int64_t bytes; /* of the file */
};

/** Start with {0}. */
struct bird_mat_array {
    const struct bird_mat *mat;
    const char *name; /* borrowed */
    void *variable;   /* matvar_t */
    int rank;
    int64_t dim[3];     /* as MATLAB counts them; 1 beyond the rank */
    int64_t size;       /* bytes of a value in the file's type */
    int64_t chunk_rows; /* rows of a chunk of HDF5; 1: there are none */
};

/** Values in a slab that are neither 0 nor 1. */
enum { BIRD_MAT_OTHER = 2 };

/**
 * Errors: BIRD_EIO missing, unreadable; BIRD_EFORMAT no .mat file;
 * BIRD_EUNSUPPORTED a build without libmatio
 */
BIRD_MUST_CHECK int bird_mat_open(struct bird_mat *m, const char *path);
/** Safe on a zeroed one. Arrays are closed before. */
void bird_mat_close(struct bird_mat *m);

/**
 * Look up an array of 2 or 3 dimensions: 1, or 0 where the file has none of
 * this name. Errors: BIRD_EFORMAT it is not an array of real numbers, or
 * claims more values than the file can hold, compressed as tightly as may be
 */
BIRD_MUST_CHECK int bird_mat_array_open(struct bird_mat_array *a,
                                        const struct bird_mat *m,
                                        const char *name);
/** Safe on a zeroed one. */
void bird_mat_array_close(struct bird_mat_array *a);

/** Bytes that a row of a slab takes. */
int64_t bird_mat_row_bytes(const struct bird_mat_array *a);

/**
 * Rows first .. first + n into slab, which has room for n of them: a byte a
 * value, 0, 1 or BIRD_MAT_OTHER, column by column (n values each).
 * Errors: BIRD_EFORMAT they cannot be read
 */
BIRD_MUST_CHECK int bird_mat_read(uint8_t *slab, const struct bird_mat_array *a,
                                  int64_t first, int64_t n);

/**
 * How many rows a slab has that keeps to so many bytes: whole chunks of both
 * arrays, else of the first, as far as one fits, so that each chunk is
 * decompressed once. At least 1, at most the rows that there are.
 */
int64_t bird_mat_slab_rows(const struct bird_mat_array *x,
                           const struct bird_mat_array *y, int64_t bytes);

#endif
