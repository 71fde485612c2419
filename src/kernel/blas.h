/**
 * Which BLAS multiplies: the one that the process loaded, not the one it was
 * linked with. On Debian libblas.so.3 is any of several, and a preloaded library
 * comes first. Meson compiles blas.c alone,
 * with -DBIRD_BLAS_PROBE, into a program that judges a candidate.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_BLAS_H
#define BIRD_KERNEL_BLAS_H

/** Bytes of bird_blas_name() at most, with the last 0. */
enum { BIRD_BLAS_NAME = 4096 + 512 };

/** Its name, version and kernel set, and the file that was loaded, links
 *  followed: "OpenBLAS 0.3.21 ... Haswell MAX_THREADS=64, /usr/lib/...".
 *  Returns 1 for OpenBLAS, BLIS, MKL, or FlexiBLAS with any backend but the
 *  reference BLAS; 0 for others, and for a static one, which cannot be
 *  identified. */
int bird_blas_name(char out[BIRD_BLAS_NAME]);

#endif
