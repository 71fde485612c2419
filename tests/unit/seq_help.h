/**
 * What the tests of seq share: a folder of their own, files in three forms.
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

#include "check.h"
#include "dnabird/dnabird.h"

static char folder[64];

static inline void folder_new(void)
{
    snprintf(folder, sizeof(folder), "/tmp/bird_seq_XXXXXX");
    cr_assert(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
}

static inline void folder_remove(void)
{
    char command[256];

    snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", folder,
             folder);
    cr_assert_eq(system(command), 0);
}

/* A path in the folder; sixteen of them live at once. */
static inline const char *path_of(const char *name)
{
    static char paths[16][256];
    static int k;

    k = (k + 1) % 16;
    snprintf(paths[k], sizeof(paths[k]), "%s/%s", folder, name);
    return paths[k];
}

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

static inline const char *file_text(const char *name, const char *text)
{
    return file_with(name, "wu", text, (int64_t)strlen(text));
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
