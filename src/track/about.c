/* Features of this build: compiler, libraries, and the kernel tables that this
 * machine can run. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/build_options.h"
#include "base/fail.h"
#include "dnabird/dnabird.h"
#include "kernel/blas.h"
#include "kernel/gemm_low.h"
#include "kernel/kernel.h"
#include "seq/input.h"
#include "track/writer.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

#ifdef _OPENMP
#define OPENMP "OpenMP " TEXT(_OPENMP)
#else
#define OPENMP "no OpenMP"
#endif

#ifdef HAVE_MATIO
#define MATIO "yes"
#else
#define MATIO "none"
#endif

/* "base, avx2": names of the kernel tables that this machine can run. */
static void list_tables(char *out, size_t size)
{
    const struct bird_kernels *k;
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; (k = bird_kernels_at(i)) && n < size; i++)
        n +=
            (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", k->name);
}

/* "libBigWig: yes" for each format that another library writes. */
static void list_libraries(char *out, size_t size)
{
    const struct bird_format *f;
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; (f = bird_format_at(i)) && n < size; i++)
        if (f->library)
            n += (size_t)snprintf(out + n, size - n, "%s: %s\n", f->library,
                                  f->available() ? "none" : "yes");
}

const char *bird_build_features(void)
{
    static _Thread_local char text[BIRD_BLAS_NAME + 1024];
    char tables[64], libraries[128], low[BIRD_LOW_NAME], blas[BIRD_BLAS_NAME];

    list_tables(tables, sizeof(tables));
    list_libraries(libraries, sizeof(libraries));
    bird_low_version(low);
    bird_blas_name(blas);
    snprintf(text, sizeof(text),
             "built with " COMPILER "; " OPENMP "; htslib %s"
             "; jansson " JANSSON_VERSION "; zstd " ZSTD_VERSION_STRING "\n"
             "BLAS: %s\n"
             "oneDNN: %s\n"
             "%s"
             "libmatio: " MATIO "\n"
             "kernels: %s, of %s",
             bird_htslib_version(), blas, low[0] ? low : "none", libraries,
             bird_kernels()->name, tables);
    return text;
}

int bird_isa_check(void)
{
    const char *want = getenv("DNABIRD_ISA");
    char tables[64];

    if (!want || !*want || bird_kernels_named(want))
        return 0;
    list_tables(tables, sizeof(tables));
    return bird_fail(BIRD_EINVAL,
                     "DNABIRD_ISA is '%.40s' in the environment: this build "
                     "and this machine run %s; choose one or unset it",
                     want, tables);
}
