/* Names of the files of several features: safe characters, no two alike, and as
 * many open files as there are features. SPDX-License-Identifier: MIT */
#include "track/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum { OTHER_FILES = 64 }; /* other open files of the process */

/* A name with characters that are safe in any file system and shell. */
static int file_name(struct bird_text *out, const struct bird_format *f,
                     const char *folder, int gz, const char *name)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                               "VWXYZ0123456789.+-";
    const char *suffix = f->suffixes;
    int64_t at;
    int rc;

    bird_text_clear(out);
    rc = bird_text_printf(out, "%s/", folder);
    at = out->n;
    if (!rc)
        rc = bird_text_printf(out, "%s", name);
    for (; !rc && at < out->n; at++)
        if (!strchr(safe, out->s[at]))
            out->s[at] = '_';
    return rc ? rc
              : bird_text_printf(
                    out, "%.*s%s", (int)strcspn(suffix, " "), suffix,
                    gz && f->container == BIRD_BY_NAME ? ".gz" : "");
}

/* Raise the limit of open files. */
static int allow_files(int64_t n)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur == RLIM_INFINITY ||
        (int64_t)r.rlim_cur >= n)
        return 0;
    r.rlim_cur = r.rlim_max == RLIM_INFINITY || (int64_t)r.rlim_max >= n
                     ? (rlim_t)n
                     : r.rlim_max;
    if ((int64_t)r.rlim_cur >= n && !setrlimit(RLIMIT_NOFILE, &r))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%lld files are to be written at once, but the system "
                     "allows fewer (ulimit -n): choose fewer features",
                     (long long)n);
}

/* Check that no two features share a file. */
static int check_names(char *const *path, int64_t n)
{
    const char **sorted;
    int rc = bird_array_new(&sorted, n, sizeof(*sorted));

    if (rc)
        return rc;
    memcpy((void *)sorted, path, (size_t)n * sizeof(*sorted));
    bird_texts_sort(sorted, n);
    for (int64_t i = 1; !rc && i < n; i++)
        if (!strcmp(sorted[i - 1], sorted[i]))
            rc = bird_fail(BIRD_EINVAL,
                           "%s: two features would be written there: choose "
                           "one of them",
                           sorted[i]);
    free((void *)sorted);
    return rc;
}

/* The folder of n files. A new one of a file's name is a mistake, and so is a
 * file that is there. */
static int make_folder(const char *path, const struct bird_format *f, int64_t n)
{
    const int is_stdout = bird_out_is_stdout(path);
    struct stat st;

    if (is_stdout ||
        (stat(path, &st) ? bird_format_ends(f, path) : !S_ISDIR(st.st_mode)))
        return bird_fail(BIRD_EINVAL,
                         "%s: tracks of %lld features are files of a folder: "
                         "choose one feature (-F), or name a folder (-o)",
                         bird_out_name(path), (long long)n);
    return bird_folder_make(path);
}

void bird_track_paths_free(char **path, int64_t n)
{
    for (int64_t i = 0; path && i < n; i++)
        free(path[i]);
    free((void *)path);
}

int bird_track_paths(char ***out, const struct bird_format *f,
                     const char *output, int gz, const char *const *name,
                     int64_t n)
{
    struct bird_text text = {0};
    char **path = NULL;
    /* a foreign writer opens its file once more */
    int rc =
        allow_files(n * (f->container == BIRD_FOREIGN ? 2 : 1) + OTHER_FILES);

    if (!rc && n > 1)
        rc = make_folder(output, f, n);
    if (!rc)
        rc = bird_array_new((void *)&path, n, sizeof(*path));
    for (int64_t i = 0; !rc && i < n; i++) {
        if (n > 1)
            rc = file_name(&text, f, output, gz, name[i]);
        path[i] = rc ? NULL : strdup(n > 1 ? text.s : output ? output : "-");
        if (!rc && !path[i])
            rc = bird_fail_memory(0);
    }
    bird_text_free(&text);
    if (!rc)
        rc = check_names(path, n);
    if (rc)
        bird_track_paths_free(path, n);
    else
        *out = path;
    return rc;
}
