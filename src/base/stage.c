/*
 * Folders that appear as a whole: the files are written into a temporary folder
 * beside or inside the final one, and one rename or exchange replaces it.
 * SPDX-License-Identifier: MIT
 */
#include "base/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"

static int fail_errno(const char *path)
{
    return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
}

static void forget(struct bird_stage *s)
{
    if (s->files)
        closedir(s->files);
    free(s->path);
    free(s->final);
    *s = (struct bird_stage){0};
}

static DIR *open_folder(const char *path)
{
    DIR *d;

    do
        d = opendir(path);
    while (!d && errno == EINTR);
    return d;
}

/* Call a function for each name in a folder, until it fails. */
static int each_name(const char *folder,
                     int act(int fd, const char *name, void *context),
                     void *context)
{
    DIR *d = open_folder(folder);
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

struct old { /* the folder to be replaced */
    const char *path;
    int (*may_go)(const char *name);
    int n, n_stage; /* files in it; folders that is_stage() accepts */
};

/* A folder that make_beside() made inside an empty one, by a run that was
 * killed or is still running. */
static int is_stage(const char *name)
{
    return !strncmp(name, ".tmp", 4) && name[4] &&
           !name[4 + strspn(name + 4, "0123456789")];
}

static int check_name(int fd, const char *name, void *context)
{
    struct old *o = context;
    struct stat st;

    if (is_stage(name) && !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
        S_ISDIR(st.st_mode)) {
        o->n_stage++;
        return 0;
    }
    o->n++;
    if (!o->may_go)
        return bird_fail(
            BIRD_EINVAL,
            "%s: exists already and is not empty: give another folder",
            o->path);
    if (!fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISDIR(st.st_mode) &&
        o->may_go(name))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s/%s: would be lost with the folder that is to be "
                     "replaced: move it away, or give another folder",
                     o->path, name);
}

/* A new folder beside the target, or inside it, under an unused name: one
 * that a killed run of the same process id left is skipped. */
static int make_beside(char **out, const char *final, const char *slash)
{
    enum { MOST = 100 };

    for (int i = 0; i < MOST; i++) {
        char *now;
        int why = EEXIST;

        if (asprintf(&now, "%s%s.tmp%ld%02d", final, slash, (long)getpid(), i) <
            0)
            return bird_fail_memory(strlen(final));
        if (!bird_path_exists(now)) {
            bird_leftover_folder(now); /* with the files in it */
            bird_leftover_file(now);
            if (!mkdir(now, 0777)) {
                *out = now;
                return 0;
            }
            why = errno;
            bird_leftover_keep(now);
        }
        errno = why;
        if (errno != EEXIST || i == MOST - 1) {
            int rc = fail_errno(errno == EEXIST ? now : final);

            free(now);
            return rc;
        }
        free(now);
    }
    return 0;
}

/* May the content of the target be replaced? *some: there is some. */
static int check_place(int *some, const char *path,
                       int may_go(const char *name))
{
    struct old o = {path, may_go, 0, 0};
    struct stat to, here;
    int rc = each_name(path, check_name, &o);

    *some = o.n > 0;
    if (!rc && o.n && o.n_stage)
        return bird_fail(
            BIRD_EINVAL,
            "%s: holds .tmp folders, of a run that is still running or was "
            "killed: remove them, or give another folder",
            path);
    if (!rc && o.n && !stat(path, &to) && !stat(".", &here) &&
        to.st_dev == here.st_dev && to.st_ino == here.st_ino)
        return bird_fail(BIRD_EINVAL,
                         "%s: is the current folder, which cannot be replaced: "
                         "run the command in another one",
                         path);
    return rc || !o.n ? rc : bird_guard_replace(path);
}

int bird_stage_open(struct bird_stage *s, const char *path,
                    int may_go(const char *name))
{
    size_t n = strlen(path);
    char *final, *now = NULL;
    DIR *files = NULL;
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
        rc = bird_fail(BIRD_EIO, "%s: exists and is not a folder", final);
    } else {
        rc = make_beside(&now, final, there && !some ? "/" : "");
    }
    if (!rc && !(files = open_folder(now))) {
        rc = fail_errno(now);
        rmdir(now);
        bird_leftover_keep(now);
    }
    if (rc) {
        free(final);
        free(now);
        return rc;
    }
    bird_guard_own(now);
    *s = (struct bird_stage){now, final, there && !some, some, files};
    return 0;
}

/* From now on the replaced folder's files are in the temporary folder. */
static int note_file(int fd, const char *name, void *context)
{
    char *path;

    (void)fd;
    if (asprintf(&path, "%s/%s", (const char *)context, name) < 0)
        return bird_fail_memory(strlen(name));
    bird_leftover_file(path);
    free(path);
    return 0;
}

static int remove_file(int fd, const char *name, void *context)
{
    (void)context;
    unlinkat(fd, name, 0);
    return 0;
}

/* Exchange both names at once or, if that is not possible, one after the
 * other. */
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

/* Moved last: a folder without it is not a model, so that no part of one
 * looks like a model. */
static const char last_moved[] = "config.json";

struct move {
    const char *to;
    int last; /* only that file, or all others */
};

static int move_up(int fd, const char *name, void *context)
{
    struct move *m = context;
    char *to;
    int rc = 0;

    if (m->last != !strcmp(name, last_moved))
        return 0;
    if (asprintf(&to, "%s/%s", m->to, name) < 0)
        return bird_fail_memory(strlen(name));
    if (renameat(fd, name, AT_FDCWD, to) && errno != ENOENT)
        rc = fail_errno(to);
    free(to);
    return rc;
}

static int move_all(const struct bird_stage *s)
{
    struct move others = {s->final, 0}, last = {s->final, 1};
    int rc = each_name(s->path, move_up, &others);

    return rc ? rc : each_name(s->path, move_up, &last);
}

/* Other runs may have found it empty as well: one at a time, and only the
 * first. */
static int move_there(const struct bird_stage *s)
{
    int fd, some, rc = bird_folder_lock(&fd, s->final);

    if (rc)
        return rc;
    rc = check_place(&some, s->final, NULL);
    if (!rc)
        rc = move_all(s);
    if (fd >= 0)
        close(fd);
    return rc;
}

int bird_stage_commit(struct bird_stage *s)
{
    int rc = s->replace ? each_name(s->final, note_file, s->path) : 0;

    if (!rc && s->there)
        rc = move_there(s);
    else if (!rc && (s->replace ? exchange(s->path, s->final)
                                : rename(s->path, s->final)))
        rc = fail_errno(s->final);
    if (rc)
        return rc;
    /* empty now, or the previous one */
    if ((s->there || s->replace) && !each_name(s->path, remove_file, NULL))
        rmdir(s->path);
    bird_leftover_keep(s->path);
    forget(s);
    return 0;
}

/* Is its path still the folder that was made? */
static int is_in_place(const struct bird_stage *s)
{
    struct stat made, now;

    return !fstat(dirfd(s->files), &made) && !lstat(s->path, &now) &&
           made.st_dev == now.st_dev && made.st_ino == now.st_ino;
}

void bird_stage_abort(struct bird_stage *s)
{
    struct dirent *e;

    if (s->path && is_in_place(s)) {
        rewinddir(s->files);
        while ((e = readdir(s->files)))
            remove_file(dirfd(s->files), e->d_name, NULL);
        rmdir(s->path);
    }
    if (s->path)
        bird_leftover_keep(s->path);
    forget(s);
}
