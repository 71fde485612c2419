/* Bytes of a track to their place. SPDX-License-Identifier: MIT */
#include "track/sink.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/file.h"
#include "track/index.h"

enum { ZSTD_LEVEL = 6 };

struct bird_sink {
    struct bird_out out;
    BGZF *gz; /* NULL: plain or zstd, through out.stream */
    ZSTD_CCtx *zst;
    char *name;
    int index;
};

int bird_sink_is_gz(const char *path)
{
    size_t n = strlen(path);

    return (n > 3 && !strcmp(path + n - 3, ".gz")) ||
           (n > 4 && !strcmp(path + n - 4, ".bgz"));
}

static int is_zst(const char *path)
{
    size_t n = strlen(path);

    return n > 4 && !strcmp(path + n - 4, ".zst");
}

static int fail_sink(const struct bird_sink *s)
{
    return bird_fail(BIRD_EIO, "%s: %s", s->name,
                     errno ? strerror(errno) : "could not be written");
}

static int open_gz(struct bird_sink *s)
{
    int fd, rc;

    errno = 0;
    fd = dup(fileno(s->out.stream));
    s->gz = fd < 0 ? NULL : bgzf_dopen(fd, "w");
    if (s->gz)
        return 0;
    rc = fail_sink(s);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int open_zst(struct bird_sink *s)
{
    s->zst = ZSTD_createCCtx();
    if (!s->zst)
        return bird_fail_memory(ZSTD_CStreamOutSize());
    ZSTD_CCtx_setParameter(s->zst, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(s->zst, ZSTD_c_checksumFlag, 1);
    return 0;
}

/* Through zstd to the stream; `last` ends the frame. */
static int put_zst(struct bird_sink *s, const void *data, size_t n, int last)
{
    ZSTD_inBuffer in = {data, n, 0};
    char part[16384];
    size_t left;

    do {
        ZSTD_outBuffer out = {part, sizeof(part), 0};

        left = ZSTD_compressStream2(s->zst, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return bird_fail(BIRD_EIO, "%s: zstd: %s", s->name,
                             ZSTD_getErrorName(left));
        if (fwrite(part, 1, out.pos, s->out.stream) != out.pos)
            return fail_sink(s);
    } while (last ? left > 0 : in.pos < in.size);
    return 0;
}

int bird_sink_open(struct bird_sink **out, const char *path, int index)
{
    struct bird_sink *s;
    int plain = bird_out_is_stdout(path), rc;

    if (index && (plain || !bird_sink_is_gz(path)))
        return bird_fail(BIRD_EINVAL,
                         "%s: only a bgzipped file takes an index; give it a "
                         "name that ends in .gz",
                         plain ? "standard output" : path);
    s = calloc(1, sizeof(*s));
    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->index = index;
    s->name = strdup(plain ? "standard output" : path);
    rc = s->name ? bird_out_open(&s->out, plain ? "-" : path)
                 : bird_fail_memory(plain ? 0 : strlen(path));
    if (!rc && index && !s->out.temporary)
        rc = bird_fail(BIRD_EINVAL, "%s: not a regular file: takes no index",
                       path);
    if (!rc && !plain && bird_sink_is_gz(path))
        rc = open_gz(s);
    else if (!rc && !plain && is_zst(path))
        rc = open_zst(s);
    if (rc)
        bird_sink_free(s);
    else
        *out = s;
    return rc;
}

int bird_sink_put(struct bird_sink *s, const void *data, int64_t n)
{
    errno = 0;
    if (s->zst)
        return put_zst(s, data, (size_t)n, 0);
    if (s->gz ? bgzf_write(s->gz, data, (size_t)n) != n
              : fwrite(data, 1, (size_t)n, s->out.stream) != (size_t)n)
        return fail_sink(s);
    return 0;
}

int bird_sink_close(struct bird_sink *s, int64_t largest_bp)
{
    const char *kind = bird_hts_index_kind(BIRD_INDEX_BED, largest_bp);
    char *index = NULL;
    int rc = 0, bad = 0;

    errno = 0;
    if (s->gz && bgzf_close(s->gz))
        rc = fail_sink(s);
    s->gz = NULL;
    if (s->zst)
        rc = put_zst(s, "", 0, 1);
    if (!rc && s->index)
        bad = bird_hts_index_build(&index, s->out.temporary, s->name,
                                   BIRD_INDEX_BED, largest_bp);
    if (!rc)
        rc = bird_out_commit(&s->out);
    if (!rc && index)
        bad = bird_hts_index_name(index, s->name, kind);
    if (index && (rc || bad))
        unlink(index);
    if (!rc && bad)
        rc = bird_hts_index_lost(s->name, bad);
    free(index);
    bird_sink_free(s);
    return rc;
}

void bird_sink_free(struct bird_sink *s)
{
    if (!s)
        return;
    if (s->gz)
        bgzf_close(s->gz);
    ZSTD_freeCCtx(s->zst);
    bird_out_abort(&s->out);
    free(s->name);
    free(s);
}
