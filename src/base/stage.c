/* Folders as a whole. SPDX-License-Identifier: MIT */
#include "base/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/guard.h"
#include "base/leftover.h"

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

/* Do something with each name in a folder, until it fails. */
static int each_name(const char *folder,
                     int act(int fd, const char *name, void *context),
                     void *context)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    int rc = 0;

    if (!d)
        return fail_errno(folder);
    while (!rc && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = act(dirfd(d), e->d_name, context);
    closedir(d);
    return rc;
}

struct old { /* a folder that is to be replaced */
    const char *path;
    int (*may_go)(const char *name);
    int n; /* files in it */
};

static int check_name(int fd, const char *name, void *context)
{
    struct old *o = context;
    struct stat st;

    o->n++;
    if (!o->may_go)
        return bird_fail(BIRD_EINVAL,
                         "%s: is there already, and not empty: give another "
                         "folder",
                         o->path);
    if (!fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISDIR(st.st_mode) &&
        o->may_go(name))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s/%s: would be lost with the folder that is to be "
                     "replaced: move it away, or give another folder",
                     o->path, name);
}

/* A new folder beside the place, or in it, under a name nobody has: one that
 * a killed run of the same number left is passed over. */
static int make_beside(char **out, const char *final, const char *slash)
{
    enum { MOST = 100 };

    for (int i = 0; i < MOST; i++) {
        char *now;

        if (asprintf(&now, "%s%s.tmp%ld%02d", final, slash, (long)getpid(), i) <
            0)
            return bird_fail_memory(strlen(final));
        if (!mkdir(now, 0777)) {
            *out = now;
            return 0;
        }
        if (errno != EEXIST || i == MOST - 1) {
            int rc = fail_errno(errno == EEXIST ? now : final);

            free(now);
            return rc;
        }
        free(now);
    }
    return 0;
}

/* What stands in the place may go? *some: there is something. */
static int check_place(int *some, const char *path,
                       int may_go(const char *name))
{
    struct old o = {path, may_go, 0};
    int rc = each_name(path, check_name, &o);

    *some = o.n > 0;
    return rc || !o.n ? rc : bird_guard_replace(path);
}

int bird_stage_open(struct bird_stage *s, const char *path,
                    int may_go(const char *name))
{
    size_t n = strlen(path);
    char *final, *now = NULL;
    struct stat st;
    int there = !stat(path, &st) && S_ISDIR(st.st_mode), some = 0;
    int rc = there ? check_place(&some, path, may_go) : 0;

    if (rc)
        return rc;
    while (n > 1 && path[n - 1] == '/')
        n--;
    final = there ? realpath(path, NULL) : strndup(path, n);
    if (!final && there) {
        rc = fail_errno(path);
    } else if (!final) {
        rc = bird_fail_memory(n);
    } else if (!there && !lstat(final, &st)) {
        rc = bird_fail(BIRD_EIO, "%s: is there and no folder", final);
    } else {
        rc = make_beside(&now, final, there && !some ? "/" : "");
    }
    if (rc) {
        free(final);
        free(now);
        return rc;
    }
    bird_leftover_folder(now); /* with the files in it */
    bird_leftover_file(now);
    bird_guard_own(now);
    *s = (struct bird_stage){now, final, there && !some, some};
    return 0;
}

static int forget_file(int fd, const char *name, void *context)
{
    char *path;

    (void)fd;
    if (asprintf(&path, "%s/%s", (const char *)context, name) < 0)
        return bird_fail_memory(strlen(name));
    bird_leftover_keep(path);
    free(path);
    return 0;
}

static int remove_file(int fd, const char *name, void *context)
{
    (void)context;
    unlinkat(fd, name, 0);
    return 0;
}

/* Both names change at once, or, where that cannot be, one after the other. */
static int exchange(const char *a, const char *b)
{
    char *aside;
    int bad;

    if (!renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (asprintf(&aside, "%s.old", a) < 0)
        return -1;
    bad = rename(b, aside);
    if (!bad && (bad = rename(a, b)) != 0) {
        int why = errno;

        if (rename(aside, b))
            why = errno;
        errno = why;
    } else if (!bad) {
        bad = rename(aside, a);
    }
    free(aside);
    return bad ? -1 : 0;
}

static int move_up(int fd, const char *name, void *context)
{
    char *to;
    int rc = 0;

    if (asprintf(&to, "%s/%s", (const char *)context, name) < 0)
        return bird_fail_memory(strlen(name));
    if (renameat(fd, name, AT_FDCWD, to) && errno != ENOENT)
        rc = fail_errno(to);
    free(to);
    return rc;
}

int bird_stage_commit(struct bird_stage *s)
{
    int rc = each_name(s->path, forget_file, s->path);

    if (!rc && s->there)
        rc = each_name(s->path, move_up, s->final);
    else if (!rc && (s->replace ? exchange(s->path, s->final)
                                : rename(s->path, s->final)))
        rc = fail_errno(s->final);
    if (rc)
        return rc;
    /* empty now, or the one that was there */
    if ((s->there || s->replace) && !each_name(s->path, remove_file, NULL))
        rmdir(s->path);
    bird_leftover_keep(s->path);
    forget(s);
    return 0;
}

void bird_stage_abort(struct bird_stage *s)
{
    if (s->path && !each_name(s->path, remove_file, NULL))
        rmdir(s->path);
    if (s->path)
        bird_leftover_keep(s->path);
    forget(s);
}
