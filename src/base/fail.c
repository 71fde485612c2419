/*
 * The last error's sentence. Kept per thread and of bounded length, so that to
 * fail needs no memory and no lock.
 * SPDX-License-Identifier: MIT
 */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __clang_analyzer__ /* what fail.h tells the analyzer of the callers */
#undef bird_fail
#undef bird_fail_in
#undef bird_fail_memory
#endif

static _Thread_local char message[2048];

const char *bird_last_error(void)
{
    return message;
}

/* A sentence is one line whatever names and values are in it, and moves no
 * cursor of a terminal. */
static void keep_to_a_line(void)
{
    for (char *s = message; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 0x7f)
            *s = ' ';
}

int bird_fail(int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    keep_to_a_line();
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
    keep_to_a_line();
    n = strlen(message);
    snprintf(message + n, sizeof(message) - n, ": %s", old);
    return code;
}

int bird_fail_memory(size_t size)
{
    return bird_fail(BIRD_ENOMEM, "out of memory asking for %zu bytes", size);
}
