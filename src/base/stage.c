/* Folders as a whole. SPDX-License-Identifier: MIT */
#include "base/stage.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

static int fail_errno(const char *path)
{
    return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
}

static void forget(struct bird_stage *s)
{
    free(s->path);
    free(s->final);
    *s = (struct bird_stage){0};
}

int bird_stage_open(struct bird_stage *s, const char *path)
{
    size_t n = strlen(path);
    char *final, *now = NULL;
    struct stat st;
    int there = !stat(path, &st) && S_ISDIR(st.st_mode), rc = 0;

    while (n > 1 && path[n - 1] == '/')
        n--;
    final = strndup(path, n);
    if (!final || asprintf(&now, "%s%s.tmp%ld", final, there ? "/" : "",
                           (long)getpid()) < 0) {
        now = NULL;
        rc = bird_fail_memory(n);
    } else if (!there && !lstat(final, &st)) {
        rc = bird_fail(BIRD_EIO, "%s: is there and no folder", final);
    } else if (mkdir(now, 0777)) {
        rc = fail_errno(final);
    }
    if (rc) {
        free(final);
        free(now);
        return rc;
    }
    *s = (struct bird_stage){now, final, there};
    return 0;
}

static int each_file(const struct bird_stage *s,
                     int act(const struct bird_stage *, const char *, void *),
                     void *context)
{
    DIR *d = opendir(s->path);
    struct dirent *e;
    int rc = 0;

    if (!d)
        return fail_errno(s->path);
    while (!rc && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = act(s, e->d_name, context);
    closedir(d);
    return rc;
}

static int move(const struct bird_stage *s, const char *name)
{
    char *from = NULL, *to = NULL;
    int rc = 0;

    if (asprintf(&from, "%s/%s", s->path, name) < 0) {
        from = NULL;
        rc = bird_fail_memory(strlen(name));
    } else if (asprintf(&to, "%s/%s", s->final, name) < 0) {
        to = NULL;
        rc = bird_fail_memory(strlen(name));
    } else if (rename(from, to) && errno != ENOENT) {
        rc = fail_errno(to);
    }
    free(from);
    free(to);
    return rc;
}

static int move_unless(const struct bird_stage *s, const char *name, void *last)
{
    return strcmp(name, last) ? move(s, name) : 0;
}

int bird_stage_commit(struct bird_stage *s, const char *last)
{
    int rc = 0;

    if (!s->there) {
        if (rename(s->path, s->final))
            return fail_errno(s->final);
    } else {
        rc = each_file(s, move_unless, (void *)(uintptr_t)last);
        if (!rc)
            rc = move(s, last);
        if (!rc && rmdir(s->path))
            rc = fail_errno(s->path);
    }
    if (!rc)
        forget(s);
    return rc;
}

static int remove_file(const struct bird_stage *s, const char *name,
                       void *context)
{
    char *path;

    (void)context;
    if (asprintf(&path, "%s/%s", s->path, name) < 0)
        return bird_fail_memory(strlen(name));
    unlink(path);
    free(path);
    return 0;
}

void bird_stage_abort(struct bird_stage *s)
{
    if (s->path && !each_file(s, remove_file, NULL))
        rmdir(s->path);
    forget(s);
}
