/*
 * Files and folders that appear as a whole. Data are written under a temporary
 * name in the same folder and renamed once they are complete and on the disk,
 * so that a reader finds the old file or the new one, never a part.
 * SPDX-License-Identifier: MIT
 */
/* Low-level SHA-256 of OpenSSL: it allocates nothing. EVP creates a library
 * context, which crashes without memory (3.0). */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data_paths.h"
#include "base/fail.h"
#include "base/guard.h"
#include "base/mem.h"

static int fail_errno(const char *path)
{
    return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
}

int bird_file_exists(const char *path)
{
    struct stat st;

    if (!stat(path, &st))
        return !S_ISDIR(st.st_mode);
    return bird_errno_is_device(errno);
}

int bird_errno_is_device(int code)
{
    return code == EIO || code == ENOMEM || code == ESTALE || code == ETIMEDOUT;
}

int bird_file_is_in(const char *folder, const char *name)
{
    char path[PATH_MAX]; /* may be called without free memory */
    int n = snprintf(path, sizeof(path), "%s/%s", folder, name);

    return n > 0 && n < (int)sizeof(path) && bird_file_exists(path);
}

int bird_data_find(struct bird_text *out, const char *name)
{
    const char *const roots[] = {getenv("DNABIRD_DATA"), BIRD_INSTALLED_DATA,
                                 BIRD_SOURCE_DATA};

    for (int i = 0; i < 3; i++) {
        struct stat st;
        int rc;

        if (!roots[i] || !roots[i][0])
            continue;
        bird_text_clear(out);
        rc = bird_text_printf(out, "%s/%s", roots[i], name);
        if (rc)
            return rc;
        if (!stat(out->s, &st))
            return 1;
    }
    return 0;
}

const char *bird_data_installed(void)
{
    return BIRD_INSTALLED_DATA;
}

int bird_open(const char *path, int flags)
{
    int fd;

    do
        fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int64_t bird_read_at(int fd, void *out, int64_t n, int64_t at)
{
    int64_t done = 0;

    while (done < n) {
        ssize_t got =
            pread(fd, (char *)out + done, (size_t)(n - done), at + done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -1 : done;
        done += got;
    }
    return done;
}

int bird_file_read(struct bird_text *out, const char *path)
{
    char part[65536];
    ssize_t n = 1;
    int rc = bird_guard_read(path);
    int fd = rc ? -1 : bird_open(path, O_RDONLY);

    if (fd < 0)
        return rc ? rc : fail_errno(path);
    bird_text_clear(out);
    rc = bird_text_put(out, "", 0);
    while (!rc && n) {
        n = read(fd, part, sizeof(part));
        if (n >= 0)
            rc = bird_text_put(out, part, n);
        else if (errno != EINTR)
            rc = fail_errno(path);
    }
    close(fd);
    return rc;
}

int bird_mapping_open(struct bird_mapping *out, const char *path)
{
    struct stat st;
    void *p = NULL;
    int rc = bird_guard_read(path);
    /* do not wait for a pipe, which is refused below */
    int fd = rc ? -1 : bird_open(path, O_RDONLY | O_NONBLOCK);

    if (fd < 0)
        return rc ? rc : fail_errno(path);
    if (fstat(fd, &st))
        rc = fail_errno(path);
    else if (!S_ISREG(st.st_mode))
        rc = bird_fail(BIRD_EIO, "%s: not a regular file", path);
    else if (st.st_size > 0) {
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED)
            rc = fail_errno(path);
    }
    close(fd);
    if (!rc)
        *out = (struct bird_mapping){p, (size_t)st.st_size};
    return rc;
}

void bird_mapping_close(struct bird_mapping *m)
{
    if (m->data)
        munmap((void *)(uintptr_t)m->data, m->size);
    *m = (struct bird_mapping){0};
}

/* --- a stream to a descriptor ---------------------------------------------
 * Its writes continue after a signal; those of the C library fail. */

static int fd_of(void *cookie)
{
    return (int)(intptr_t)cookie;
}

static ssize_t stream_write(void *cookie, const char *data, size_t n)
{
    size_t done = 0;

    while (done < n) {
        ssize_t put = write(fd_of(cookie), data + done, n - done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return 0;
        done += (size_t)put;
    }
    return (ssize_t)n;
}

static int stream_seek(void *cookie, off64_t *at, int whence)
{
    *at = lseek(fd_of(cookie), *at, whence);
    return *at < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    return close(fd_of(cookie));
}

/* NULL with errno; a file that was created remains. */
static FILE *open_stream(int *out, const char *path, int flags)
{
    static const cookie_io_functions_t calls = {
        .write = stream_write, .seek = stream_seek, .close = stream_close};
    int fd = bird_open(path, O_WRONLY | O_CREAT | flags);
    FILE *f = fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, "w", calls);

    if (fd >= 0 && !f) {
        close(fd);
        if (flags & O_EXCL)
            unlink(path);
        errno = ENOMEM;
    }
    *out = fd;
    return f;
}

/* Does the name exist? Then it must not be removed. */
static int is_taken(const char *path)
{
    struct stat st;

    return !lstat(path, &st);
}

/* A stream to a new name: PATH.tmp and the process id, and another number
 * where a process of that id (killed, or of another machine) has used the
 * name. Digits only, by which leftover files are recognised. The name is
 * recorded before the file exists, since a signal may follow at once. */
static int open_new(struct bird_out *o, const char *path)
{
    for (int i = 0; i < 100 && !o->stream; i++) {
        char more[8] = "";
        int why;

        if (i)
            snprintf(more, sizeof(more), "%03d", i);
        free(o->temporary);
        if (asprintf(&o->temporary, "%s.tmp%ld%s", path, (long)getpid(), more) <
            0) {
            o->temporary = NULL;
            return bird_fail_memory(strlen(path));
        }
        errno = EEXIST;
        if (is_taken(o->temporary))
            continue;
        bird_leftover_file(o->temporary);
        o->stream = open_stream(&o->fd, o->temporary, O_EXCL);
        if (o->stream)
            break;
        why = errno;
        bird_leftover_keep(o->temporary);
        errno = why;
        if (why != EEXIST)
            break;
    }
    return o->stream ? 0 : fail_errno(path);
}

int bird_out_is_stdout(const char *path)
{
    return !path || !strcmp(path, "-");
}

static int open_out(struct bird_out *o, const char *path)
{
    struct stat st;
    int rc;

    if (!(o->path = strdup(path))) {
        rc = bird_fail_memory(strlen(path));
    } else if (stat(path, &st) || S_ISREG(st.st_mode)) {
        rc = open_new(o, path);
    } else { /* a device or pipe, which a rename would replace */
        o->stream = open_stream(&o->fd, path, O_TRUNC);
        rc = o->stream ? 0 : fail_errno(path);
    }
    if (rc) {
        free(o->path);
        free(o->temporary);
        *o = (struct bird_out){0};
    }
    return rc;
}

int bird_out_open(struct bird_out *o, const char *path)
{
    int rc;

    *o = (struct bird_out){0};
    if (bird_out_is_stdout(path)) {
        o->stream = stdout;
        o->fd = STDOUT_FILENO;
        return 0;
    }
    rc = bird_guard_output(path);
    return rc ? rc : open_out(o, path);
}

static int sync_fd(int fd)
{
    int bad;

    do
        bad = fsync(fd);
    while (bad && errno == EINTR);
    return bad;
}

/* Sync the file of this name to the disk; 1: failure. */
static int sync_file(const char *path)
{
    int fd = bird_open(path, O_WRONLY), bad = fd < 0 || sync_fd(fd);

    if (fd >= 0 && close(fd))
        bad = 1;
    return bad;
}

int bird_out_commit(struct bird_out *o)
{
    int bad;

    if (!o->path) {
        if (o->stream && (fflush(o->stream) || ferror(o->stream)))
            return fail_errno("standard output");
        return 0;
    }
    if (o->stream) {
        bad = fflush(o->stream) || ferror(o->stream) ||
              (o->temporary && sync_fd(o->fd));
        if (fclose(o->stream))
            bad = 1;
        o->stream = NULL;
    } else { /* the writer has closed it */
        bad = sync_file(o->temporary);
    }
    if (!bad && o->temporary)
        bird_leftover_rename(o->path);
    if (bad || (o->temporary && rename(o->temporary, o->path))) {
        fail_errno(o->path);
        bird_out_abort(o);
        return BIRD_EIO;
    }
    if (o->temporary)
        bird_leftover_keep(o->temporary);
    free(o->path);
    free(o->temporary);
    *o = (struct bird_out){0};
    return 0;
}

void bird_out_abort(struct bird_out *o)
{
    if (o->path) {
        if (o->stream)
            fclose(o->stream);
        if (o->temporary) {
            unlink(o->temporary);
            bird_leftover_keep(o->temporary);
        }
        free(o->path);
        free(o->temporary);
    }
    *o = (struct bird_out){0};
}

static int write_all(struct bird_out *o, const void *data, size_t size)
{
    int rc;

    if (size && fwrite(data, 1, size, o->stream) != size) {
        rc = fail_errno(o->path ? o->path : "standard output");
        bird_out_abort(o);
        return rc;
    }
    return bird_out_commit(o);
}

int bird_file_write(const char *path, const void *data, size_t size)
{
    struct bird_out o;
    int rc = bird_out_open(&o, path);

    return rc ? rc : write_all(&o, data, size);
}

int bird_file_write_beside(const char *path, const void *data, size_t size)
{
    struct bird_out o = {0};
    int rc = open_out(&o, path);

    return rc ? rc : write_all(&o, data, size);
}

int bird_folder_make(const char *path)
{
    struct stat st;
    int is_new = !is_taken(path), why;

    if (is_new)
        bird_leftover_folder(path);
    if (!mkdir(path, 0777))
        return 0;
    why = errno;
    if (is_new)
        bird_leftover_keep(path);
    errno = why;
    if (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode))
        return 0;
    return fail_errno(path);
}

int bird_folder_lock(int *fd, const char *path)
{
    *fd = bird_open(path, O_RDONLY | O_DIRECTORY);
    if (*fd < 0) /* a folder may be writable and not readable */
        return errno == EACCES ? 0 : fail_errno(path);
    if (!flock(*fd, LOCK_EX | LOCK_NB))
        return 0;
    if (errno == EWOULDBLOCK) {
        close(*fd);
        *fd = -1;
        return bird_fail(BIRD_EIO,
                         "%s: another run is writing it: let it end, or give "
                         "another folder",
                         path);
    }
    close(*fd);
    *fd = -1;
    return 0;
}

void bird_path_base(char *out, size_t size, const char *path)
{
    size_t end = strlen(path), start;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        ;
    snprintf(out, size, "%.*s", (int)(end - start), path + start);
}

int bird_path_join(char **out, const char *folder, const char *name)
{
    char *s;

    if (asprintf(&s, "%s/%s", folder, name) < 0)
        return bird_fail_memory(strlen(folder) + strlen(name));
    *out = s;
    return 0;
}

static void finish_sha256(char hex[65], SHA256_CTX *x)
{
    unsigned char sum[SHA256_DIGEST_LENGTH];

    SHA256_Final(sum, x);
    for (int i = 0; i < SHA256_DIGEST_LENGTH; i++)
        snprintf(hex + 2 * i, 3, "%02x", sum[i]);
}

void bird_sha256(char hex[65], const void *data, size_t size)
{
    SHA256_CTX x;

    SHA256_Init(&x);
    SHA256_Update(&x, data, size);
    finish_sha256(hex, &x);
}

/* In pieces, so that a large file is never in memory as a whole. */
int bird_file_sha256(char hex[65], const char *path)
{
    const size_t piece = (size_t)1 << 22;
    struct bird_mapping m = {0};
    SHA256_CTX x;
    int rc = bird_mapping_open(&m, path);

    if (rc)
        return rc;
    SHA256_Init(&x);
    for (size_t i = 0; i < m.size; i += piece) {
        const char *data = (const char *)m.data + i;
        size_t size = m.size - i < piece ? m.size - i : piece;

        SHA256_Update(&x, data, size);
        bird_pages_release(data, size);
    }
    finish_sha256(hex, &x);
    bird_mapping_close(&m);
    return 0;
}

/* ---- folders ------------------------------------------------------------- */

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
        if (!is_taken(now)) {
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
    int rc = each_name(path, check_name, &o);

    *some = o.n > 0;
    if (!rc && o.n && o.n_stage)
        return bird_fail(BIRD_EINVAL,
                         "%s: holds .tmp folders, of a run that goes on or was "
                         "killed: remove them, or give another folder",
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
        rc = bird_fail(BIRD_EIO, "%s: is there and no folder", final);
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
