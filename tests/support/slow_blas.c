/* A BLAS that nobody knows, with the one function that the library takes: as
 * slow as the reference BLAS. SPDX-License-Identifier: MIT */
#include <stdint.h>

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc);

enum { TURNED = 112 }; /* CblasTrans; order is always by rows */

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc)
{
    (void)order;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;

            for (int64_t l = 0; l < k; l++)
                sum += a[ta == TURNED ? l * lda + i : i * lda + l] *
                       b[tb == TURNED ? j * ldb + l : l * ldb + j];
            c[i * ldc + j] =
                alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
        }
}
