/**
 * What the tests of seq share: files in three forms, random letters.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TESTS_SEQ_HELP_H
#define BIRD_TESTS_SEQ_HELP_H

#include <htslib/bgzf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dnabird/dnabird.h"
#include "temp.h"

/* mode "wu" plain, "wg" gzip, "w" bgzip. */
static inline const char *file_with(const char *name, const char *mode,
                                    const void *data, int64_t n)
{
    const char *path = path_of(name);
    BGZF *f = bgzf_open(path, mode);

    cr_assert(f);
    cr_assert_eq(bgzf_write(f, data, (size_t)n), n);
    cr_assert_eq(bgzf_close(f), 0);
    return path;
}

static inline int64_t file_size(const char *path)
{
    struct stat st;

    cr_assert_eq(stat(path, &st), 0);
    return st.st_size;
}

/* n letters that no short period describes. */
static inline char *letters_new(int64_t n)
{
    char *s = malloc((size_t)n + 1);
    uint32_t state = 12345;

    cr_assert(s);
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        s[i] = "ACGT"[state >> 30];
    }
    s[n] = '\0';
    return s;
}

/* ">name\n" and the letters in lines of `width`. */
static inline char *fasta_new(const char *name, const char *seq, int64_t width)
{
    size_t n = strlen(seq);
    char *s = malloc(2 * n + strlen(name) + 4), *q = s;

    cr_assert(s);
    q += sprintf(q, ">%s\n", name);
    for (size_t i = 0; i < n; i += (size_t)width)
        q += sprintf(q, "%.*s\n", (int)width, seq + i);
    return s;
}

#endif
