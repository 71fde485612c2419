/**
 * Which BLAS multiplies. It is judged by what the process has loaded, not by
 * what it was linked with: on Debian libblas.so.3 is any of several, and a
 * library that was preloaded comes before all. Meson compiles blas.c alone,
 * with -DBIRD_BLAS_PROBE, into a program that judges a candidate.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_BLAS_H
#define BIRD_KERNEL_BLAS_H

/** Bytes of bird_blas_name() at most, with the last 0. */
enum { BIRD_BLAS_NAME = 4096 + 512 };

/** Its name, version and kernel set, and the file that was loaded, links
 *  followed: "OpenBLAS 0.3.21 ... Haswell MAX_THREADS=64, /usr/lib/...".
 *  Returns 1 when it is a known one, that is OpenBLAS, BLIS, MKL, or FlexiBLAS
 *  with another library behind it than the reference BLAS; 0 when it is none of
 *  these, or was linked statically: then nothing is known of it. */
int bird_blas_name(char out[BIRD_BLAS_NAME]);

#endif
