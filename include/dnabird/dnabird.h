/**
 * dnabird: DNA language models on CPUs.
 *
 * This header includes the whole public API. docs/design.md says how the
 * parts fit; tests/support/example.c is a complete program.
 *
 * Files are read and written in the locale "C": a program that calls
 * setlocale(LC_ALL, "") calls setlocale(LC_NUMERIC, "C") afterwards. Where the
 * decimal point is another character, outputs are refused (BIRD_EINVAL).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_DNABIRD_H
#define DNABIRD_DNABIRD_H

#include "dnabird/chromatin.h"
#include "dnabird/embed.h"
#include "dnabird/error.h"
#include "dnabird/features.h"
#include "dnabird/guard.h"
#include "dnabird/intervals.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"
#include "dnabird/promoter.h"
#include "dnabird/reference.h"
#include "dnabird/session.h"
#include "dnabird/tiles.h"
#include "dnabird/tokenizer.h"
#include "dnabird/track.h"
#include "dnabird/variant.h"

BIRD_BEGIN_C

/** Version of the library, as "major.minor.patch". */
BIRD_API const char *bird_version(void);

/**
 * Description of the build, one line each for compiler and libraries, BLAS (the
 * loaded one, with its file), oneDNN ("none" without it), libBigWig, libmatio,
 * and the kernels in use among those that this machine runs. No newline at the
 * end. The text is the library's, valid until the thread's next call.
 * libdnabird_train adds bird_train_features().
 */
BIRD_API const char *bird_build_features(void);

/** Takes a message for the user: without newline, valid during the call. */
typedef void bird_blas_told(const char *sentence);

/**
 * `f` is called once per process with a warning about a slow BLAS, before the
 * first model runs, if the BLAS is not OpenBLAS, BLIS, MKL or FlexiBLAS (with
 * another backend than the reference BLAS). The message has its file and its
 * measured rate. The reference BLAS takes more than 15 times as long as
 * OpenBLAS. NULL: no warning. Call it before models are opened.
 */
BIRD_API void bird_blas_watch(bird_blas_told *f);

/**
 * Check DNABIRD_ISA in the environment. Kernels are compiled once per
 * instruction set, and the fastest that the machine runs are used; DNABIRD_ISA,
 * read at the first use, selects a slower set. The library ignores an unknown
 * name; this call reports it.
 * Errors: BIRD_EINVAL it does not name a set that this build and this machine
 * run
 */
BIRD_API int bird_isa_check(void);

/**
 * Cores this process may use: the smallest of the affinity mask, the cgroup
 * quota (rounded up), SLURM_CPUS_PER_TASK and OMP_NUM_THREADS; at least 1.
 */
BIRD_API int bird_cores(void);

/**
 * Set the number of threads of the library's parallel loops (default:
 * bird_cores()). Results do not depend on it. Do not call it while another call
 * runs.
 *
 * Waiting threads spin unless OMP_WAIT_POLICY=passive is in the environment
 * when the process starts (GCC's OpenMP reads it on loading); the program
 * `dnabird` sets it itself.
 */
BIRD_API void bird_threads_set(int n_thread);

/** The current number of threads. */
BIRD_API int bird_threads(void);

BIRD_END_C

#endif
