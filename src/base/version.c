/* Which build this is. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <zstd.h>

#include "base/build_options.h"
#include "dnabird/dnabird.h"

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

#ifdef HAVE_BIGWIG
#define BIGWIG "; bigWig"
#else
#define BIGWIG "; no bigWig"
#endif

const char *bird_version(void)
{
    return BIRD_VERSION;
}

const char *bird_build_features(void)
{
    return "built with " COMPILER "; " OPENMP "; jansson " JANSSON_VERSION
           "; zstd " ZSTD_VERSION_STRING BIGWIG;
}
