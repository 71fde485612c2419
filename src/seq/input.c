/* Reading through htslib's BGZF, which also reads plain text and gzip; zstd is
   unpacked on top of it. SPDX-License-Identifier: MIT */
#include "seq/input.h"

#include <errno.h>
#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "seq/bigbed.h"

enum { LINE_MAX_BYTES = 16 << 20, PART_BYTES = 65536 };

const char *bird_htslib_version(void)
{
    return hts_version();
}

void bird_input_hush(void)
{
    hts_set_log_level(HTS_LOG_OFF);
}

struct bird_unzst {
    ZSTD_DStream *z;
    ZSTD_inBuffer in;
    int inside; /* inside a frame: the file must not end here */
    unsigned char part[65536];
};

/* Does the file begin with this number of four bytes, in either byte order? */
static int begins_with(hFILE *h, uint32_t magic, int either_order)
{
    unsigned char first[4];
    uint32_t v = 0;

    if (hpeek(h, first, 4) != 4)
        return 0;
    for (int i = 3; i >= 0; i--)
        v = v << 8 | first[i];
    return v == magic || (either_order && v == __builtin_bswap32(magic));
}

/* Magic numbers: zstd (RFC 8878) and UCSC's formats,
 * genome.ucsc.edu/FAQ/FAQformat.html and Kent et al. 2010. */
static const uint32_t zstd = 0xfd2fb528, values = 0x888ffc26,
                      twobit = 0x1a412743, xz = 0x587a37fd;

/* The first three bytes of bzip2. */
static int is_bzip2(hFILE *h)
{
    char first[3];

    return hpeek(h, first, 3) == 3 && !memcmp(first, "BZh", 3);
}

/* Formats that no command reads, and the tool that converts each. */
static int refuse(const struct bird_source_file *o)
{
    if (begins_with(o->file, twobit, 1))
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: a 2bit file, which is not read: convert it with "
                         "twoBitToFa, then bgzip",
                         o->name);
    if (is_bzip2(o->file) || begins_with(o->file, xz, 0))
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: compressed by %s, which is not read: decompress "
                         "it, then bgzip",
                         o->name, is_bzip2(o->file) ? "bzip2" : "xz");
    if (begins_with(o->file, values, 1))
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: a bigWig file, which holds values and not "
                         "intervals: call peaks, or give BED",
                         o->name);
    return 0;
}

static int open_zstd(struct bird_unzst **out)
{
    struct bird_unzst *u;
    int rc = bird_array_new(&u, 1, sizeof(*u));

    if (rc)
        return rc;
    u->z = ZSTD_createDStream();
    if (!u->z) {
        free(u);
        return bird_fail_memory(ZSTD_DStreamInSize());
    }
    u->in.src = u->part;
    *out = u;
    return 0;
}

int bird_hfile_open(struct bird_source_file *out, const char *path)
{
    int is_stdin = !strcmp(path, "-");
    const char *name = is_stdin ? "standard input" : path;
    struct stat st;
    int fd, rc = bird_guard_input(path);

    if (rc)
        return rc;
    bird_input_hush();
    fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                  : bird_open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st))
        rc = bird_fail(BIRD_EIO, "%s: %s", name, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        rc = bird_fail(BIRD_EIO, "%s: is a folder, not a file", name);
    else if (!(out->file = hdopen(fd, "r")))
        rc = bird_fail_memory(sizeof(*out->file));
    if (rc) {
        if (fd >= 0)
            close(fd);
        return rc;
    }
    out->name = name;
    out->size = S_ISREG(st.st_mode) ? st.st_size : 0;
    out->is_file = S_ISREG(st.st_mode) && !is_stdin;
    return 0;
}

int bird_hfile_open_memory(struct bird_source_file *out, const char *name,
                           const void *data, int64_t n)
{
    char *copy;

    if (n < 0)
        return bird_fail(BIRD_EINVAL, "%s: %lld bytes in memory", name,
                         (long long)n);
    bird_input_hush();
    copy = malloc(n ? (size_t)n : 1); /* htslib frees it on closing */
    if (!copy)
        return bird_fail_memory((size_t)n);
    if (n > 0)
        memcpy(copy, data, (size_t)n);
    *out = (struct bird_source_file){.name = name, .size = n};
    out->file = hopen("mem:", "r:", copy, (size_t)n);
    if (!out->file) {
        free(copy);
        return bird_fail_memory((size_t)n);
    }
    return 0; // NOLINT(clang-analyzer-unix.Malloc)
}

/* Takes the file over, also on failure. */
static int attach(struct bird_input *in, const struct bird_source_file *o)
{
    struct bird_input fresh = {.size = o->size};
    int is_zstd = begins_with(o->file, zstd, 0), rc = refuse(o);

    fresh.is_bigbed = begins_with(o->file, BIRD_BIGBED_MAGIC, 1);
    if (!rc && !(fresh.name = strdup(o->name)))
        rc = bird_fail_memory(strlen(o->name));
    if (rc) {
        hclose_abruptly(o->file);
        return rc;
    }
    errno = 0;
    fresh.fp = bgzf_hopen(o->file, "r");
    if (!fresh.fp) {
        rc = bird_fail(BIRD_EIO, "%s: %s", o->name,
                       errno ? strerror(errno) : "cannot be read");
        hclose_abruptly(o->file);
        free(fresh.name);
        return rc;
    }
    if (is_zstd && open_zstd(&fresh.zst)) {
        bird_input_close(&fresh);
        return BIRD_ENOMEM;
    }
    *in = fresh;
    return 0;
}

int bird_input_open(struct bird_input *in, const char *path)
{
    struct bird_source_file o;
    int rc = bird_hfile_open(&o, path);

    *in = (struct bird_input){0};
    return rc ? rc : attach(in, &o);
}

int bird_input_open_memory(struct bird_input *in, const char *name,
                           const void *data, int64_t n)
{
    struct bird_source_file o;
    int rc = bird_hfile_open_memory(&o, name, data, n);

    *in = (struct bird_input){0};
    return rc ? rc : attach(in, &o);
}

void bird_input_close(struct bird_input *in)
{
    if (in->fp && bgzf_close(in->fp))
        errno = 0; /* only read: nothing is lost */
    if (in->zst)
        ZSTD_freeDStream(in->zst->z);
    free(in->zst);
    free(in->name);
    *in = (struct bird_input){0};
}

static int fail_read(const struct bird_input *in)
{
    unsigned code = in->fp->errcode;

    if (code & (BGZF_ERR_ZLIB | BGZF_ERR_HEADER | BGZF_ERR_CRC))
        return bird_fail(BIRD_EFORMAT,
                         "%s: the compressed data are damaged or cut short: "
                         "fetch or write the file again",
                         in->name);
    if (bird_input_kind(in) != BIRD_INPUT_PLAIN)
        return bird_fail(BIRD_EFORMAT,
                         "%s: the compressed file is cut short: fetch or "
                         "write it again",
                         in->name);
    return bird_fail(BIRD_EIO, "%s: %s", in->name,
                     errno ? strerror(errno) : "cannot be read");
}

/* Bytes of the file, unpacked by htslib if it can. */
static int read_through(struct bird_input *in, void *out, int64_t cap,
                        int64_t *n_out)
{
    ssize_t n;

    errno = 0;
    n = bgzf_read(in->fp, out, (size_t)cap);
    if (n < 0)
        return fail_read(in);
    /* a bgzip file ends with an empty block; without it, a file that was cut
     * between two blocks would look whole */
    if (!n && bird_input_kind(in) == BIRD_INPUT_BGZIP && in->fp->no_eof_block)
        return bird_fail(BIRD_EFORMAT,
                         "%s: the bgzip file is cut short (its closing block "
                         "is missing): fetch or write it again",
                         in->name);
    *n_out = n;
    return 0;
}

static int read_zstd(struct bird_input *in, void *out, int64_t cap,
                     int64_t *n_out)
{
    struct bird_unzst *u = in->zst;
    ZSTD_outBuffer to = {out, (size_t)cap, 0};
    int64_t n;
    int rc;

    while (!to.pos && cap) {
        size_t left, before = u->in.pos;

        if (u->in.pos == u->in.size) {
            if ((rc = read_through(in, u->part, sizeof(u->part), &n)))
                return rc;
            u->in.size = (size_t)n;
            u->in.pos = before = 0;
            if (!n && u->inside)
                return bird_fail(BIRD_EFORMAT,
                                 "%s: the zstd file is cut short: fetch or "
                                 "write it again",
                                 in->name);
            if (!n)
                break;
        }
        left = ZSTD_decompressStream(u->z, &to, &u->in);
        if (ZSTD_isError(left))
            return bird_fail(BIRD_EFORMAT, "%s: zstd: %s", in->name,
                             ZSTD_getErrorName(left));
        if (to.pos || u->in.pos != before)
            u->inside = left != 0;
    }
    *n_out = (int64_t)to.pos;
    return 0;
}

int bird_input_read(struct bird_input *in, void *out, int64_t cap,
                    int64_t *n_out)
{
    return in->zst ? read_zstd(in, out, cap, n_out)
                   : read_through(in, out, cap, n_out);
}

enum bird_input_kind bird_input_kind(const struct bird_input *in)
{
    int kind = bgzf_compression(in->fp);

    return in->zst     ? BIRD_INPUT_ZSTD
           : kind == 2 ? BIRD_INPUT_BGZIP
           : kind == 1 ? BIRD_INPUT_GZIP
                       : BIRD_INPUT_PLAIN;
}

int64_t bird_input_tell(const struct bird_input *in)
{
    return htell(in->fp->fp);
}

/* ---- lines --------------------------------------------------------------- */

/* @param path of a file on disk, or NULL */
static int begin(struct bird_lines *l, int rc, const char *path)
{
    if (rc)
        return rc;
    rc = bird_array_new(&l->part, PART_BYTES, 1);
    if (!rc && l->in.is_bigbed && path)
        rc = bird_bigbed_open(&l->bigbed, path);
    else if (!rc && l->in.is_bigbed)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: bigBed is read from a file only: name the file",
                       l->in.name);
    if (rc)
        bird_lines_close(l);
    return rc;
}

int bird_lines_open(struct bird_lines *l, const char *path)
{
    int rc;

    *l = (struct bird_lines){0};
    rc = bird_input_open(&l->in, path);
    return begin(l, rc, strcmp(path, "-") && l->in.size ? path : NULL);
}

int bird_lines_open_memory(struct bird_lines *l, const char *name,
                           const void *data, int64_t n)
{
    *l = (struct bird_lines){0};
    return begin(l, bird_input_open_memory(&l->in, name, data, n), NULL);
}

void bird_lines_close(struct bird_lines *l)
{
    bird_input_close(&l->in);
    bird_bigbed_free(l->bigbed);
    free(l->part);
    bird_text_free(&l->text);
    *l = (struct bird_lines){0};
}

static int line_check(const struct bird_lines *l)
{
    const struct bird_text *t = &l->text;

    if (t->n > LINE_MAX_BYTES)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld is over 16 MiB: not a table of text",
                         l->in.name, (long long)l->line);
    if (t->n && memchr(t->s, '\0', (size_t)t->n))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld holds binary data: not text",
                         l->in.name, (long long)l->line);
    return 0;
}

int bird_lines_next(struct bird_lines *l)
{
    struct bird_text *out = &l->text;
    int some = 0, rc;

    l->line++;
    if (l->bigbed)
        return bird_bigbed_next(out, l->bigbed);
    bird_text_clear(out);
    if ((rc = bird_text_put(out, "", 0)))
        return rc;
    for (;;) {
        const char *p = l->part + l->at, *lf;
        int64_t k;

        if (l->at == l->n) {
            l->at = l->n = 0;
            rc = bird_input_read(&l->in, l->part, PART_BYTES, &l->n);
            if (rc)
                return rc;
            if (!l->n)
                break;
            continue;
        }
        some = 1;
        lf = memchr(p, '\n', (size_t)(l->n - l->at));
        k = lf ? lf - p : l->n - l->at;
        if ((rc = bird_text_put(out, p, k)) || (rc = line_check(l)))
            return rc;
        l->at += lf ? k + 1 : k;
        if (lf)
            break;
    }
    if (out->n && out->s[out->n - 1] == '\r')
        out->s[--out->n] = '\0';
    return some;
}

/* ---- whole files --------------------------------------------------------- */

int bird_read_file(struct bird_text *out, const char *path)
{
    char part[PART_BYTES];
    struct bird_input in = {0};
    int64_t n = 1;
    int rc = bird_input_open(&in, path);

    bird_text_clear(out);
    if (rc)
        return rc;
    rc = bird_text_put(out, "", 0);
    while (!rc && n) {
        rc = bird_input_read(&in, part, sizeof(part), &n);
        if (!rc)
            rc = bird_text_put(out, part, n);
    }
    if (!rc && !out->n)
        rc = bird_fail(BIRD_EFORMAT, "%s: the file is empty", in.name);
    if (!rc && memchr(out->s, 0, (size_t)out->n))
        rc = bird_fail(BIRD_EFORMAT, "%s: a binary file, not text", in.name);
    bird_input_close(&in);
    if (rc)
        bird_text_clear(out);
    return rc;
}

char *bird_next_line(char **rest)
{
    char *line = *rest, *end;

    if (!line || !*line)
        return NULL;
    end = strchr(line, '\n');
    *rest = end ? end + 1 : NULL;
    if (!end)
        end = line + strlen(line);
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

int bird_split_tabs(char **field, int max, char *line)
{
    int n = 0;

    while (n < max) {
        field[n++] = line;
        line = strchr(line, '\t');
        if (!line)
            break;
        *line++ = '\0';
    }
    return n;
}

int bird_digits(int64_t *out, const char *s, int64_t max)
{
    int64_t v = 0;

    if (!*s)
        return BIRD_EINVAL;
    for (; *s; s++) {
        if (*s < '0' || *s > '9' || v > (max - (*s - '0')) / 10)
            return BIRD_EINVAL;
        v = v * 10 + (*s - '0');
    }
    *out = v;
    return 0;
}
