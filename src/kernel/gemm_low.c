/*
 * Lower precision without oneDNN: the names of precisions, and in a build that
 * has no oneDNN the functions of gemm_low.h, which refuse. gemm_onednn.c has
 * those that multiply.
 * SPDX-License-Identifier: MIT
 */
#include "kernel/gemm_low.h"

#include "base/fail.h"

const char *bird_precision_name(enum bird_precision p)
{
    return p == BIRD_BFLOAT16 ? "bfloat16"
           : p == BIRD_INT8   ? "int8"
                              : "float32";
}

#ifndef BIRD_ONEDNN
int bird_low_check(char name[BIRD_LOW_NAME], enum bird_precision p)
{
    if (name)
        *name = '\0';
    if (p == BIRD_FLOAT32)
        return 0;
    return bird_fail(BIRD_EUNSUPPORTED,
                     "precision %s: this build has no oneDNN: install 2.x "
                     "(Debian: libdnnl-dev) and build again with "
                     "-Donednn=enabled, or use float32",
                     bird_precision_name(p));
}

void bird_low_version(char out[BIRD_LOW_NAME])
{
    *out = '\0';
}

int bird_low_new(struct bird_low **out, enum bird_precision p, const float *w,
                 int64_t n_out, int64_t n_in)
{
    (void)out, (void)w, (void)n_out, (void)n_in;
    return bird_low_check(NULL, p);
}

int bird_low_new_transposed(struct bird_low **out, const float *w,
                            int64_t n_out, int64_t n_in)
{
    return bird_low_new(out, BIRD_BFLOAT16, w, n_out, n_in);
}

int bird_low_set(struct bird_low *l, const float *w)
{
    (void)l, (void)w;
    return bird_low_check(NULL, BIRD_BFLOAT16);
}

void bird_low_free(struct bird_low *l)
{
    (void)l; /* there is none */
}

int bird_low_product(float *c, int64_t ldc, const struct bird_low *l,
                     struct bird_matrix a, const float *bias, int64_t m,
                     float *scratch)
{
    (void)c, (void)ldc, (void)l, (void)a, (void)bias, (void)m, (void)scratch;
    return BIRD_EUNSUPPORTED;
}

int bird_low_add(float *c, int64_t ldc, const struct bird_low *l,
                 struct bird_matrix a, int64_t m, float *scratch)
{
    (void)c, (void)ldc, (void)l, (void)a, (void)m, (void)scratch;
    return BIRD_EUNSUPPORTED;
}

int bird_low_outer(const struct bird_outer *o)
{
    (void)o;
    return BIRD_EUNSUPPORTED;
}

int64_t bird_low_scratch(const struct bird_low *l)
{
    (void)l;
    return 0;
}

int bird_low_any_rows(const struct bird_low *l)
{
    (void)l;
    return 0;
}

int64_t bird_low_bytes(const struct bird_low *l)
{
    (void)l;
    return 0;
}

const char *bird_low_name(const struct bird_low *l)
{
    (void)l;
    return "";
}
#endif
