/**
 * Matrix products, on the calling thread. The only door to the BLAS.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_GEMM_H
#define BIRD_KERNEL_GEMM_H

#include <stdint.h>

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
 * Keep the BLAS's own threads out of the way: our loops are the threads.
 * Called once before the first product.
 */
void bird_gemm_init(void);

/** Name and configuration of the BLAS, for --version. */
const char *bird_gemm_name(void);

#endif
