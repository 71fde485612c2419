/* Bytes of a track to their place. SPDX-License-Identifier: MIT */
#include "track/sink.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/file.h"

enum { CSI_SHIFT = 14, ZSTD_LEVEL = 6 };
static const int64_t tbi_limit_bp = (int64_t)1 << 29;

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
    int plain = !path || !strcmp(path, "-"), rc;

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

/* htslib does not tell a refusal by the system from lines out of order. */
static int is_system(int code)
{
    return code == ENOSPC || code == EIO || code == EDQUOT || code == EFBIG ||
           code == EACCES || code == EROFS || code == ENOMEM || code == ENOENT;
}

/* Index the file under its temporary name; *out is the index' one. */
static int build_index(char **out, const struct bird_sink *s, const char *kind)
{
    enum htsLogLevel level = hts_get_log_level();
    int got, rc = 0;

    if (asprintf(out, "%s.%s", s->out.temporary, kind) < 0) {
        *out = NULL;
        return bird_fail_memory(strlen(s->name));
    }
    hts_set_log_level(HTS_LOG_OFF); /* we say it ourselves */
    errno = 0;
    got = tbx_index_build3(s->out.temporary, *out,
                           !strcmp(kind, "csi") ? CSI_SHIFT : 0, 0,
                           &tbx_conf_bed);
    hts_set_log_level(level);
    if (got && is_system(errno))
        rc = bird_fail(BIRD_EIO, "%s.%s: %s", s->name, kind, strerror(errno));
    else if (got)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: cannot be indexed; does a contig come twice in "
                       "the input? Write without an index, then sort",
                       s->name);
    return rc;
}

/* Give the index its name; an index of the other kind would shadow it. */
static int name_index(const char *temporary, const char *name, const char *kind)
{
    const char *other = strcmp(kind, "csi") ? "csi" : "tbi";
    char *to = NULL, *old = NULL;
    int rc = 0;

    if (asprintf(&to, "%s.%s", name, kind) < 0 ||
        asprintf(&old, "%s.%s", name, other) < 0)
        rc = bird_fail_memory(strlen(name));
    else if (rename(temporary, to))
        rc = bird_fail(BIRD_EIO, "%s: %s", to, strerror(errno));
    else
        unlink(old);
    free(to);
    free(old);
    return rc;
}

int bird_sink_close(struct bird_sink *s, int64_t largest_bp)
{
    const char *kind = largest_bp > tbi_limit_bp ? "csi" : "tbi";
    char *index = NULL;
    int rc = 0;

    errno = 0;
    if (s->gz && bgzf_close(s->gz))
        rc = fail_sink(s);
    s->gz = NULL;
    if (s->zst)
        rc = put_zst(s, "", 0, 1);
    if (!rc && s->index)
        rc = build_index(&index, s, kind);
    if (!rc)
        rc = bird_out_commit(&s->out);
    if (!rc && index && (rc = name_index(index, s->name, kind)))
        unlink(s->name);
    if (rc && index)
        unlink(index);
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
