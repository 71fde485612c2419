/*
 * The last error's sentence. Each thread has its own, of bounded length: a
 * failure needs no memory and no lock.
 * SPDX-License-Identifier: MIT
 */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#ifdef __clang_analyzer__ /* fail.h defines it for the static analyzer, which
                             sees the callers */
#undef bird_fail
#undef bird_fail_in
#undef bird_fail_memory
#endif

/* Two paths of the largest length, and a sentence about them. */
static _Thread_local char message[16384];

/* A name may hold a line feed or a terminal's escape sequence. */
static void one_line(char *s)
{
    for (; *s; s++)
        if (bird_is_control(*s) && *s != '\t')
            *s = '?';
}

const char *bird_last_error(void)
{
    return message;
}

int bird_fail(int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    one_line(message);
    return code;
}

int bird_fail_in(int code, const char *fmt, ...)
{
    char old[sizeof(message)];
    va_list ap;
    size_t n;

    memcpy(old, message, sizeof(old));
    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    n = strlen(message);
    snprintf(message + n, sizeof(message) - n, ": %s", old);
    one_line(message);
    return code;
}

int bird_fail_memory(size_t size)
{
    return bird_fail(BIRD_ENOMEM, "out of memory asking for %zu bytes", size);
}
