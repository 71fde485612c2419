/**
 * dnabird: DNA language models on CPUs.
 *
 * This header includes the whole public API. docs/design.md says how the
 * parts fit; tests/support/example.c is a complete program.
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

/** Version of the library, as "major.minor.patch". */
BIRD_API const char *bird_version(void);

/**
 * What the build holds, a line each of: compiler and libraries, BLAS, oneDNN
 * ("none" without it), libBigWig, libmatio, and the kernels in use among those
 * that this machine runs. No newline at the end. The BLAS is the one that was
 * loaded, with its file. The text is the library's, until the thread's next
 * call. libdnabird_train adds bird_train_features().
 */
BIRD_API const char *bird_build_features(void);

/** Takes a sentence for the user: no newline, valid during the call. */
typedef void bird_blas_told(const char *sentence);

/**
 * `f` is called once in the process's life, when the first model is about to
 * run on a BLAS that is none of OpenBLAS, BLIS, MKL and FlexiBLAS (with more
 * than the reference BLAS behind it): with its file and the rate that it was
 * just measured at. The reference BLAS takes more than 15 times as long as
 * OpenBLAS. NULL:
 * nobody is told. Call it before models are opened.
 */
BIRD_API void bird_blas_watch(bird_blas_told *f);

/**
 * Kernels are compiled once per instruction set, and the fastest that the
 * machine runs are used; DNABIRD_ISA in the environment, read at the first
 * use, names a slower set. The library itself passes over a name that it does
 * not know; this tells.
 * Errors: BIRD_EINVAL it names none that this build and this machine run
 */
BIRD_API int bird_isa_check(void);

/**
 * Cores this process may use: the smallest of the affinity mask, the cgroup
 * quota (rounded up) and SLURM_CPUS_PER_TASK; at least 1.
 */
BIRD_API int bird_cores(void);

/**
 * Threads that the library's parallel loops use (default: bird_cores()).
 * Results do not depend on it. Not to be called while another call runs.
 *
 * Threads that wait spin unless the environment says OMP_WAIT_POLICY=passive
 * before the process starts (GCC's OpenMP reads it on loading); the program
 * `dnabird` sees to that itself.
 */
BIRD_API void bird_threads_set(int n_thread);

/** The number that bird_threads_set() holds. */
BIRD_API int bird_threads(void);

#endif
