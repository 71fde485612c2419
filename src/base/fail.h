/**
 * How the library fails: a code and one sentence, kept per thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_FAIL_H
#define BIRD_BASE_FAIL_H

#include <stddef.h>

#include "dnabird/error.h"

/**
 * Store the sentence and return the code: `return bird_fail(BIRD_EIO, ...)`.
 * @return code
 */
int bird_fail(int code, const char *fmt, ...) BIRD_PRINTF(2, 3);

/** Put "context: " before the last sentence; returns code. */
int bird_fail_in(int code, const char *fmt, ...) BIRD_PRINTF(2, 3);

/** The usual sentence for a failed allocation of `size` bytes. */
int bird_fail_memory(size_t size);

/*
 * The static analyzer sees one file at a time. Without this it follows paths on
 * which a failure returns 0.
 */
#ifdef __clang_analyzer__
#define bird_fail(code, ...)    ((void)bird_fail(code, __VA_ARGS__), (code))
#define bird_fail_in(code, ...) ((void)bird_fail_in(code, __VA_ARGS__), (code))
#define bird_fail_memory(size)  ((void)bird_fail_memory(size), BIRD_ENOMEM)
#endif

#endif
