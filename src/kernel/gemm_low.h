/**
 * Linear layers in lower precision: weights rounded and reordered once, rows
 * converted as they come. Only this module calls oneDNN; without oneDNN no
 * such weights can be made. docs/math/precision.md has the formulas and their errors.
 *
 * oneDNN's products take BIRD_LOW_ROWS rows at a time, the last ones padded with
 * rows of zeros: a row's result is a function of that row and the weights alone,
 * not of the other rows. The kernels' own product in bfloat16 needs no padding.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_GEMM_LOW_H
#define BIRD_KERNEL_GEMM_LOW_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "kernel/gemm.h"

/** The weights of one linear layer, ready for products. */
struct bird_low;

/** Rows of one product: few enough that a layer's rows stay in the cache, as
 *  fast as more (measured from 32 to 256). */
enum { BIRD_LOW_ROWS = 32 };

/** Bytes of a product's name at most. */
enum { BIRD_LOW_NAME = 48 };

/** oneDNN's version as it runs, "2.7.2"; "" in a build without it. */
void bird_low_version(char out[BIRD_LOW_NAME]);

/**
 * Weights w (n_out, n_in) in precision p, bfloat16 or int8; w is not needed
 * afterwards. Call it inside a task of bird_parallel(): oneDNN plans for the
 * threads it finds.
 *
 * Owner: *out is the caller's, bird_low_free().
 * Errors: BIRD_EUNSUPPORTED built without oneDNN, or oneDNN has no such
 * product for this processor; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_low_new(struct bird_low **out, enum bird_precision p,
                                 const float *w, int64_t n_out, int64_t n_in);
void bird_low_free(struct bird_low *l);

/**
 * The same weights for the backward pass of their layer, in bfloat16: products of
 * a (m, n_out) with w, that is c (m, n_in) = a w. Errors: as bird_low_new()
 */
BIRD_MUST_CHECK int bird_low_new_transposed(struct bird_low **out,
                                            const float *w, int64_t n_out,
                                            int64_t n_in);

/** Other weights of the same shape in place of the old, in bfloat16. In a task,
 *  as bird_low_new(). Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_low_set(struct bird_low *l, const float *w);

/**
 * c (m, n_out; ldc) = a (m, n_in) w^T + bias (n_out, or NULL), summed in
 * float32 (int8: in whole numbers). c overlaps neither a nor scratch. Threads
 * may share l. Call it inside a task of bird_parallel().
 *
 * Errors: BIRD_ENOMEM, without a sentence: oneDNN keeps no details
 * @param scratch bird_low_scratch() floats
 */
BIRD_MUST_CHECK int bird_low_product(float *c, int64_t ldc,
                                     const struct bird_low *l,
                                     struct bird_matrix a, const float *bias,
                                     int64_t m, float *scratch);

/** bird_low_product() added to c, in bfloat16: c += a w^T. */
BIRD_MUST_CHECK int bird_low_add(float *c, int64_t ldc,
                                 const struct bird_low *l, struct bird_matrix a,
                                 int64_t m, float *scratch);

/** c (m, n; ldc) += a (k, m; lda)^T b (k, n; ldb): the gradient of weights.
 *  a and b in bfloat16, as kernels' to_bfloat16() makes it. */
struct bird_outer {
    float *c;
    const uint16_t *a, *b;
    int64_t ldc, lda, ldb, m, n, k;
};

/**
 * That product, summed in float32 in an order that m, n and k decide. Call it
 * inside a task of bird_parallel().
 * Errors: BIRD_ENOMEM, without a sentence, as bird_low_product()
 */
BIRD_MUST_CHECK int bird_low_outer(const struct bird_outer *o);

/** Floats of scratch that a product needs. NULL: 0. */
int64_t bird_low_scratch(const struct bird_low *l);

/** 1 if products of l take any number of rows alike; 0 if they take BIRD_LOW_ROWS at a
 *  time, also where there are fewer. NULL: 0. */
int bird_low_any_rows(const struct bird_low *l);

/** Bytes that the weights take. NULL: 0. */
int64_t bird_low_bytes(const struct bird_low *l);

/** What multiplies: oneDNN's name, e.g. "brg:avx512_core_bf16", or "avx512_bf16", the
 *  kernels' own. Borrowed from l. */
const char *bird_low_name(const struct bird_low *l);

/**
 * Can this build, on this processor, multiply in precision p? float32: yes.
 * Errors: as bird_low_new()
 *
 * @param[out] name  what multiplies, and whose it is; or NULL
 */
BIRD_MUST_CHECK int bird_low_check(char name[BIRD_LOW_NAME],
                                   enum bird_precision p);

#endif
