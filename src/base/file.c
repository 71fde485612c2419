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

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <linux/magic.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/data_paths.h"
#include "base/fail.h"
#include "base/guard.h"
#include "base/mem.h"

static int fail_errno(const char *path)
{
    return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
}

int bird_fail_to_make(const char *path)
{
    return bird_fail(BIRD_EIO, "%s: %s%s", path, strerror(errno),
                     errno == ENOENT ? ": make its folder first" : "");
}

int bird_file_exists(const char *path)
{
    struct stat st;

    if (!stat(path, &st))
        return !S_ISDIR(st.st_mode);
    return bird_errno_is_device(errno);
}

int bird_file_is_stream(const char *path)
{
    struct stat st;

    return !strcmp(path, "-") ||
           (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

int bird_path_ends(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    if (n > 3 && !strcasecmp(path + n - 3, ".gz"))
        n -= 3;
    else if (n > 4 && (!strcasecmp(path + n - 4, ".bgz") ||
                       !strcasecmp(path + n - 4, ".zst")))
        n -= 4;
    return n >= m && !strncasecmp(path + n - m, ending, m);
}

int bird_file_is_proc(const char *path)
{
    struct statfs fs;

    return !statfs(path, &fs) && fs.f_type == PROC_SUPER_MAGIC;
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
    struct stat st;
    int rc;

    if (roots[0] && roots[0][0]) {
        bird_text_clear(out);
        if ((rc = bird_text_printf(out, "%s/.", roots[0])))
            return rc;
        if (stat(out->s, &st)) /* also a file, or a folder closed to us */
            return bird_fail(BIRD_EINVAL,
                             "DNABIRD_DATA is '%s' in the environment: %s: "
                             "correct it or unset it",
                             roots[0], strerror(errno));
    }
    for (int i = 0; i < 3; i++) {
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

void bird_take_mode(int fd, const char *path)
{
    struct stat st;

    if (!stat(path, &st) && S_ISREG(st.st_mode)) /* some file systems refuse */
        (void)fchmod(fd, (st.st_mode & 0777) | S_IRUSR | S_IWUSR);
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

int bird_path_exists(const char *path)
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
        if (bird_path_exists(o->temporary))
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
    if (!o->stream)
        return bird_fail_to_make(path);
    bird_take_mode(o->fd, path);
    return 0;
}

int bird_out_is_stdout(const char *path)
{
    return !path || !strcmp(path, "-");
}

const char *bird_out_name(const char *path)
{
    return bird_out_is_stdout(path) ? "standard output" : path;
}

static int open_out(struct bird_out *o, const char *path)
{
    struct stat st;
    int rc;

    if (!*path) { /* fails now, and not when the file gets its name */
        errno = ENOENT;
        return fail_errno(path);
    }
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

int bird_numbers_check(void)
{
    const char *point = nl_langinfo(RADIXCHAR);

    if (!strcmp(point, "."))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "this process's locale writes 0%s5 for a half, which no "
                     "reader of the output expects: call "
                     "setlocale(LC_NUMERIC, \"C\") first",
                     point);
}

int bird_out_open(struct bird_out *o, const char *path)
{
    int rc;

    *o = (struct bird_out){0};
    if ((rc = bird_numbers_check()))
        return rc;
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
    int is_new = !bird_path_exists(path), why;

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
    size_t end = strlen(path), start, n;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        ;
    n = end - start;
    if (n >= size) /* keep characters of UTF-8 whole */
        for (n = size - 1; n > 0 && (path[start + n] & 0xc0) == 0x80; n--)
            ;
    snprintf(out, size, "%.*s", (int)n, path + start);
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
