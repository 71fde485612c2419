/*
 * Matrix products; no other file calls cblas_sgemm. A product runs on the
 * calling thread, since the loops above are parallel. All arrays are row-major.
 * SPDX-License-Identifier: MIT
 */
#include "kernel/gemm.h"

#include <assert.h>
#if __has_include(<cblas.h>)
#include <cblas.h>
#else
#include <mkl_cblas.h>
#endif

static void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, float *c, int64_t ldc,
                 struct bird_matrix a, struct bird_matrix b, int64_t m,
                 int64_t n, int64_t k, float alpha, float beta)
{
    assert(m <= BIRD_GEMM_MOST && n <= BIRD_GEMM_MOST && k <= BIRD_GEMM_MOST);
    assert(a.ld <= BIRD_GEMM_STEP && b.ld <= BIRD_GEMM_STEP &&
           ldc <= BIRD_GEMM_STEP);
    if (m > 0 && n > 0)
        cblas_sgemm(CblasRowMajor, ta, tb, (int)m, (int)n, (int)k, alpha, a.x,
                    (int)a.ld, b.x, (int)b.ld, beta, c, (int)ldc);
}

void bird_gemm_nt(float *c, int64_t ldc, struct bird_matrix a,
                  struct bird_matrix b, int64_t m, int64_t n, int64_t k,
                  float alpha, float beta)
{
    gemm(CblasNoTrans, CblasTrans, c, ldc, a, b, m, n, k, alpha, beta);
}

void bird_gemm_nn(float *c, int64_t ldc, struct bird_matrix a,
                  struct bird_matrix b, int64_t m, int64_t n, int64_t k,
                  float alpha, float beta)
{
    gemm(CblasNoTrans, CblasNoTrans, c, ldc, a, b, m, n, k, alpha, beta);
}

void bird_gemm_tn(float *c, int64_t ldc, struct bird_matrix a,
                  struct bird_matrix b, int64_t m, int64_t n, int64_t k,
                  float alpha, float beta)
{
    gemm(CblasTrans, CblasNoTrans, c, ldc, a, b, m, n, k, alpha, beta);
}
