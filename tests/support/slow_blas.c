/* A BLAS that nobody knows, with the one function that the library takes: as
 * slow as the reference BLAS. With -DAS_... it shows what tells others apart.
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(AS_FLEXIBLAS)
int flexiblas_current_backend(char *name, size_t most);

int flexiblas_current_backend(char *name, size_t most)
{
    const char *backend = getenv("FLEXIBLAS");

    return snprintf(name, most, "%s", backend ? backend : "");
}
#elif defined(AS_BLIS)
const char *bli_info_get_version_str(void);

const char *bli_info_get_version_str(void)
{
    return "0.9.0";
}
#elif defined(AS_MKL)
void MKL_Get_Version_String(char *text, int most);

void MKL_Get_Version_String(char *text, int most)
{
    snprintf(text, (size_t)most, "oneAPI of a test ");
}
#endif

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
