/* Whole files, atomically. SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/guard.h"
#include "base/leftover.h"

static int fail_errno(const char *path)
{
    return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
}

int bird_file_exists(const char *path)
{
    struct stat st;

    return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

int bird_file_read(struct bird_text *out, const char *path)
{
    char part[65536];
    size_t n;
    int rc = bird_guard_read(path);
    FILE *f = rc ? NULL : fopen(path, "rb");

    if (!f)
        return rc ? rc : fail_errno(path);
    bird_text_clear(out);
    rc = bird_text_put(out, "", 0);
    while (!rc && (n = fread(part, 1, sizeof(part), f)) > 0)
        rc = bird_text_put(out, part, (int64_t)n);
    if (!rc && ferror(f))
        rc = fail_errno(path);
    fclose(f);
    return rc;
}

int bird_mapping_open(struct bird_mapping *out, const char *path)
{
    struct stat st;
    void *p = NULL;
    int rc = bird_guard_read(path);
    int fd = rc ? -1 : open(path, O_RDONLY | O_CLOEXEC);

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

void bird_mapping_forget(const struct bird_mapping *m, const void *data,
                         size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t begin = (size_t)((const char *)data - (const char *)m->data);
    size_t end = (begin + size) / page * page;

    begin = (begin + page - 1) / page * page;
    if (begin < end) /* a hint: nothing depends on it */
        madvise((char *)(uintptr_t)m->data + begin, end - begin, MADV_DONTNEED);
}

void bird_mapping_close(struct bird_mapping *m)
{
    if (m->data)
        munmap((void *)(uintptr_t)m->data, m->size);
    *m = (struct bird_mapping){0};
}

/* A stream to a name that nothing has: PATH.tmp and the process, with a number
 * behind it where a process of that id (killed, or of another machine) has
 * taken that. Digits alone, by which leftovers are known. */
static int open_new(struct bird_out *o, const char *path)
{
    for (int i = 0; i < 100 && !o->stream; i++) {
        char more[8] = "";

        if (i)
            snprintf(more, sizeof(more), "%03d", i);
        free(o->temporary);
        if (asprintf(&o->temporary, "%s.tmp%ld%s", path, (long)getpid(), more) <
            0) {
            o->temporary = NULL;
            return bird_fail_memory(strlen(path));
        }
        o->stream = fopen(o->temporary, "wbxe");
        if (o->stream)
            bird_leftover_file(o->temporary);
        else if (errno != EEXIST)
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
    } else { /* a device or pipe, which a rename would take away */
        o->stream = fopen(path, "wbe");
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
        return 0;
    }
    rc = bird_guard_output(path);
    return rc ? rc : open_out(o, path);
}

int bird_out_commit(struct bird_out *o)
{
    int bad;

    if (!o->path) {
        if (o->stream && (fflush(o->stream) || ferror(o->stream)))
            return fail_errno("standard output");
        return 0;
    }
    bad = fflush(o->stream) || ferror(o->stream) ||
          (o->temporary && fsync(fileno(o->stream)));
    if (fclose(o->stream))
        bad = 1;
    o->stream = NULL;
    if (bad || (o->temporary && rename(o->temporary, o->path))) {
        fail_errno(o->path);
        bird_out_abort(o);
        return BIRD_EIO;
    }
    if (o->temporary)
        bird_leftover_rename(o->temporary, o->path);
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

    if (!mkdir(path, 0777)) {
        bird_leftover_folder(path);
        return 0;
    }
    if (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode))
        return 0;
    return fail_errno(path);
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

static void hex_digits(char hex[65], const unsigned char *sum, unsigned n)
{
    for (unsigned i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", i < n ? sum[i] : 0);
}

void bird_sha256(char hex[65], const void *data, size_t size)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned n = 0;

    if (!EVP_Digest(data, size, sum, &n, EVP_sha256(), NULL))
        n = 0;
    hex_digits(hex, sum, n);
}

/* Piece by piece, so that a large file is never in memory as a whole. */
int bird_file_sha256(char hex[65], const char *path)
{
    const size_t piece = (size_t)1 << 22;
    unsigned char sum[EVP_MAX_MD_SIZE];
    struct bird_mapping m = {0};
    EVP_MD_CTX *x = EVP_MD_CTX_new();
    unsigned n = 0;
    int rc = x ? bird_mapping_open(&m, path) : bird_fail_memory(0);
    int ok = !rc && EVP_DigestInit_ex(x, EVP_sha256(), NULL);

    for (size_t i = 0; ok && i < m.size; i += piece) {
        const char *data = (const char *)m.data + i;
        size_t size = m.size - i < piece ? m.size - i : piece;

        ok = EVP_DigestUpdate(x, data, size);
        bird_mapping_forget(&m, data, size);
    }
    ok = ok && EVP_DigestFinal_ex(x, sum, &n);
    if (ok)
        hex_digits(hex, sum, n);
    else if (!rc)
        rc = bird_fail(BIRD_EIO, "%s: no SHA-256 could be made", path);
    bird_mapping_close(&m);
    EVP_MD_CTX_free(x);
    return rc;
}
