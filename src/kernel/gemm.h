/**
 * Matrix products, on the calling thread. The only door to the BLAS.
 *
 * A BLAS counts in 32 bits: m, n and k are BIRD_GEMM_MOST at most, and rows
 * lie BIRD_GEMM_STEP floats apart at most; preconditions, asserted. Nothing
 * comes near them: bird_config_check() bounds every size of a model (a row's
 * step is one of them), bird_batch_check() the rows of a batch.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_GEMM_H
#define BIRD_KERNEL_GEMM_H

#include <stdint.h>

#include "dnabird/error.h"

/** Rows, columns, and the length of the sums of a product at most. */
#define BIRD_GEMM_MOST INT32_MAX

/** Floats from row to row at most. OpenBLAS 0.3.21 was seen to crash in
 *  a transposed product at 2^28; 2^27 went well. */
#define BIRD_GEMM_STEP ((int64_t)1 << 27)

/** A matrix inside a larger array: ld floats from row to row. */
struct bird_matrix {
    const float *x;
    int64_t ld;
};

/** c (m, n) = alpha a (m, k) b (n, k)^T + beta c: a linear layer. */
void bird_gemm_nt(float *c, int64_t ldc, struct bird_matrix a,
                  struct bird_matrix b, int64_t m, int64_t n, int64_t k,
                  float alpha, float beta);

/** c (m, n) = alpha a (m, k) b (k, n) + beta c: back through a layer. */
void bird_gemm_nn(float *c, int64_t ldc, struct bird_matrix a,
                  struct bird_matrix b, int64_t m, int64_t n, int64_t k,
                  float alpha, float beta);

/** c (m, n) = alpha a (k, m)^T b (k, n) + beta c: gradient of weights. */
void bird_gemm_tn(float *c, int64_t ldc, struct bird_matrix a,
                  struct bird_matrix b, int64_t m, int64_t n, int64_t k,
                  float alpha, float beta);

/**
 * Switch the BLAS's own threads off: our loops are the threads; and
 * the first time, say so if it is an unknown one (blas.h). Called before the
 * first product.
 */
void bird_gemm_init(void);

/**
 * Check that a limit of the address space leaves memory for a buffer of OpenBLAS,
 * which asks for it again and again until it gets it. Called before a model's
 * first product. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_gemm_check_memory(void);

#endif
