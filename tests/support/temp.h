/**
 * A folder of a test's own and paths in it, for TestSuite(x, .init = folder_new,
 * .fini = folder_remove), and paths of the tests' data.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_TEMP_H
#define BIRD_TEST_TEMP_H

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "check.h"

/* The small model that most tests score with, and a vocabulary of words. */
#define DATA_MODEL "data/model"
#define DATA_WORDS "golden/t_bpe_tiny/tokenizer.json"

static char folder[64];

__attribute__((format(printf, 1, 2))) static inline void
shell(const char *format, ...)
{
    char command[16384];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof(command), format, args);
    va_end(args);
    cr_assert_eq(system(command), 0, "%s", command);
}

static inline void folder_new(void)
{
    snprintf(folder, sizeof(folder), "/tmp/bird_test_XXXXXX");
    cr_assert(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
}

static inline void folder_remove(void)
{
    shell("chmod -R u+w %s; rm -rf %s", folder, folder);
}

/* A path in the folder; 64 of them live at once. */
static inline const char *path_of(const char *name)
{
    static char paths[64][256];
    static int k;

    k = (k + 1) % 64;
    snprintf(paths[k], sizeof(paths[k]), "%s/%s", folder, name);
    return paths[k];
}

/* A path in tests/; 64 of them live at once. */
__attribute__((format(printf, 1, 2))) static inline const char *
tests_path(const char *format, ...)
{
    static char paths[64][1024];
    static int k;
    va_list args;
    int n;

    k = (k + 1) % 64;
    n = snprintf(paths[k], sizeof(paths[k]), "%s/", getenv("BIRD_TEST_DATA"));
    va_start(args, format);
    vsnprintf(paths[k] + n, sizeof(paths[k]) - (size_t)n, format, args);
    va_end(args);
    return paths[k];
}

static inline const char *golden(const char *name)
{
    return tests_path("golden/%s", name);
}

static inline int files_in(const char *path)
{
    DIR *d = opendir(path);
    int n = -2; /* . and .. */

    cr_assert(d, "%s", path);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static inline const char *file_text(const char *name, const char *text)
{
    const char *path = path_of(name);

    WORKS(bird_file_write(path, text, strlen(text)));
    return path;
}

#endif
