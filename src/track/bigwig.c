/* bigWig through libBigWig, if the build has it (Meson feature bigwig). Rows
 * are passed on by the thousand, because the library makes one block of each
 * call.
 *
 * The library writes to a stdio stream and does not report write errors. So
 * this file gives it a stream of its own, which writes to the output's
 * temporary file and keeps the first error; at the end the file's last bytes
 * are checked. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_options.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "track/writer.h"

#ifdef HAVE_BIGWIG

/* Only files are written: curl's header is not needed. */
#ifndef NOCURL
#define NOCURL
#endif
#include <bigWig.h>

#define NOTHING "/dev/null"

enum { ZOOMS = 7, ROWS = 1024 /* passed on at a time */ };

struct bigwig {
    bigWigFile_t *file;
    char *contig; /* of the rows waiting */
    uint32_t start[ROWS], end[ROWS];
    float value[ROWS];
    uint32_t n;
    int begun;     /* rows of this contig were passed on */
    int fd, error; /* of the stream; errno of the first failure, or 0 */
};

/* --- the stream ---------------------------------------------------------- */

/* Was the call interrupted, so that it is tried again? Else keep the error. */
static int interrupted(struct bigwig *b)
{
    if (errno == EINTR)
        return 1;
    if (!b->error)
        b->error = errno;
    return 0;
}

static ssize_t stream_read(void *context, char *out, size_t n)
{
    struct bigwig *b = context;
    ssize_t k;

    do
        k = read(b->fd, out, n);
    while (k < 0 && interrupted(b));
    return k;
}

/* Write everything, or return 0: stdio treats a short count as an error. */
static ssize_t stream_write(void *context, const char *s, size_t n)
{
    struct bigwig *b = context;
    size_t done = 0;

    while (done < n) {
        ssize_t k = write(b->fd, s + done, n - done);

        if (k >= 0)
            done += (size_t)k;
        else if (!interrupted(b))
            return 0;
    }
    return (ssize_t)n;
}

static int stream_seek(void *context, off64_t *at, int whence)
{
    struct bigwig *b = context;
    off64_t to = lseek64(b->fd, *at, whence);

    if (to < 0 && !b->error)
        b->error = errno;
    if (to < 0)
        return -1;
    *at = to;
    return 0;
}

/* The library crashes when it cannot open a file. So it opens a file that was
 * just opened successfully, and its stream is replaced afterwards. */
static int open_stream(struct bigwig *b, const char *path)
{
    static const cookie_io_functions_t calls = {
        .read = stream_read, .write = stream_write, .seek = stream_seek};
    FILE *stream;
    int there;

    b->fd = bird_open(path, O_RDWR | O_CREAT | O_TRUNC);
    stream = b->fd < 0 ? NULL : fopencookie(b, "w+", calls);
    if (!stream)
        return -1;
    there = bird_open(NOTHING, O_RDWR);
    if (there >= 0) {
        close(there);
        b->file = bwOpen(NOTHING, NULL, "w");
    }
    if (!b->file) {
        fclose(stream);
        return -1;
    }
    fclose(b->file->URL->x.fp);
    b->file->URL->x.fp = stream;
    return 0;
}

/* Does the file end with the magic number that the library writes last? */
static int is_finished(const struct bigwig *b)
{
    uint32_t last = 0;
    off64_t at = lseek64(b->fd, 0, SEEK_END) - (off64_t)sizeof(last);

    return at > 0 &&
           bird_read_at(b->fd, &last, sizeof(last), at) ==
               (int64_t)sizeof(last) &&
           last == BIGWIG_MAGIC;
}

/* --- the format ---------------------------------------------------------- */

static int available(void)
{
    return 0;
}

static int fail_bigwig(const struct bird_track *t)
{
    const struct bigwig *b = t->own;
    int why = b->error ? b->error : errno;

    return bird_fail(BIRD_EIO, "%s: %s", bird_output_name(t->output),
                     why ? strerror(why) : "could not be written");
}

static void free_bigwig(struct bird_track *t)
{
    struct bigwig *b = t->own;

    if (b->file) {
        b->file->isWrite = 0; /* an unfinished file: its errors do not matter */
        bwClose(b->file);
    }
    if (b->fd >= 0)
        close(b->fd);
    free(b->contig);
    free(b);
}

static int write_header(const struct bird_track *t, struct bigwig *b,
                        const char **name, uint32_t *bp)
{
    const bird_genome *g = t->extra.genome;
    int64_t n = 0;

    for (int64_t i = 0; i < bird_genome_count(g); i++) {
        int64_t length = bird_genome_length(g, i);

        if (!length) /* readers refuse an interval of no bases */
            continue;
        name[n] = bird_genome_name(g, i);
        if (length > UINT32_MAX)
            return bird_fail(
                BIRD_EINVAL, "%s: %s has %lld bp: bigWig counts to 2^32",
                bird_output_name(t->output), name[n], (long long)length);
        bp[n++] = (uint32_t)length;
    }
    if (!n) /* the library divides by their number */
        return bird_fail(BIRD_EINVAL, "%s: bigWig needs a contig with bases",
                         bird_output_name(t->output));
    errno = 0;
    if (open_stream(b, bird_output_temporary(t->output)) ||
        bwCreateHdr(b->file, ZOOMS))
        return fail_bigwig(t);
    b->file->cl = bwCreateChromList(name, bp, n);
    return b->file->cl && !bwWriteHdr(b->file) && !b->error ? 0
                                                            : fail_bigwig(t);
}

static int begin(struct bird_track *t)
{
    int64_t n = bird_genome_count(t->extra.genome);
    struct bigwig *b;
    const char **name = NULL;
    uint32_t *bp = NULL;
    int rc = bird_array_new(&b, 1, sizeof(*b));

    if (rc)
        return rc;
    b->fd = -1;
    t->own = b;
    rc = bird_array_new(&name, n, sizeof(*name));
    if (!rc)
        rc = bird_array_new(&bp, n, sizeof(*bp));
    if (!rc)
        rc = write_header(t, b, name, bp);
    free((void *)name);
    free(bp);
    return rc;
}

/* Pass the waiting rows on to the library. */
static int flush(struct bird_track *t)
{
    struct bigwig *b = t->own;
    const char *contig[ROWS];
    int bad;

    if (!b->n)
        return 0;
    errno = 0;
    if (b->begun) {
        bad = bwAppendIntervals(b->file, b->start, b->end, b->value, b->n);
    } else {
        for (uint32_t i = 0; i < b->n; i++)
            contig[i] = b->contig;
        bad = bwAddIntervals(b->file, contig, b->start, b->end, b->value, b->n);
    }
    b->begun = 1;
    b->n = 0;
    return bad || b->error ? fail_bigwig(t) : 0;
}

static int put(struct bird_track *t, const bird_track_row *r,
               const struct bird_cell *cell)
{
    struct bigwig *b = t->own;
    int next = !b->contig || strcmp(b->contig, r->contig) != 0;
    int rc = b->n == ROWS || next ? flush(t) : 0;

    (void)cell;
    if (!rc && next) {
        free(b->contig);
        b->contig = strdup(r->contig);
        b->begun = 0;
        if (!b->contig)
            rc = bird_fail_memory(strlen(r->contig));
    }
    if (rc)
        return rc;
    b->start[b->n] = (uint32_t)r->start;
    b->end[b->n] = (uint32_t)r->end;
    b->value[b->n++] = (float)r->value;
    return 0;
}

static int end(struct bird_track *t)
{
    struct bigwig *b = t->own;
    int rc = flush(t);

    if (rc)
        return rc;
    errno = 0;
    if (fflush(b->file->URL->x.fp) || b->error)
        return fail_bigwig(t); /* before the library reads it again */
    bwClose(b->file);
    b->file = NULL;
    rc = b->error || !is_finished(b) ? fail_bigwig(t) : 0;
    if (close(b->fd) && !rc)
        rc = fail_bigwig(t);
    b->fd = -1;
    return rc;
}

#else

static int available(void)
{
    return bird_fail(BIRD_EUNSUPPORTED,
                     "this build has no bigWig: write bedGraph and use "
                     "bedGraphToBigWig, or build with libBigWig");
}

#endif

const struct bird_format bird_format_bigwig = {
    .name = "bigwig",
    .suffixes = ".bw .bigwig",
    .about = "the same in an indexed binary file",
    .commands =
        BIRD_WRITES(BIRD_TRACK_PROMOTER) | BIRD_WRITES(BIRD_TRACK_CHROMATIN) |
        BIRD_WRITES(BIRD_TRACK_MUTATE) | BIRD_WRITES(BIRD_TRACK_ATTRIBUTE),
    .content = BIRD_CONTENT_SEGMENTS,
    .container = BIRD_FOREIGN,
    .join = BIRD_JOIN_NONE,
    .library = "libBigWig",
    .available = available,
    .needs_contigs = 1,
#ifdef HAVE_BIGWIG
    .begin = begin,
    .put = put,
    .end = end,
    .free = free_bigwig,
#endif
};
