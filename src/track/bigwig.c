/* bigWig through libBigWig, where it is there (Meson feature bigwig). The
 * library writes a file of its own: the output's temporary one. Rows are
 * handed over by the thousand, as it makes a block of what comes at once.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_options.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "track/writer.h"

#ifdef HAVE_BIGWIG

/* Files alone are written: curl's header is not needed. */
#ifndef NOCURL
#define NOCURL
#endif
#include <bigWig.h>

enum { ZOOMS = 7, ROWS = 1024 /* handed over at a time */ };

struct bigwig {
    bigWigFile_t *file;
    char *contig; /* of the rows waiting */
    uint32_t start[ROWS], end[ROWS];
    float value[ROWS];
    uint32_t n;
    int begun; /* rows of this contig were handed over */
};

static int available(void)
{
    return 0;
}

static int fail_bigwig(const struct bird_track *t)
{
    return bird_fail(BIRD_EIO, "%s: %s", bird_output_name(t->output),
                     errno ? strerror(errno) : "could not be written");
}

static void free_bigwig(struct bird_track *t)
{
    struct bigwig *b = t->own;

    if (b->file)
        bwClose(b->file);
    free(b->contig);
    free(b);
}

/* libBigWig crashes where it cannot open a file: tried here first. */
static int can_create(const char *path)
{
    int fd = bird_open(path, O_WRONLY | O_CREAT);

    return fd >= 0 && !close(fd);
}

static int write_header(const struct bird_track *t, struct bigwig *b,
                        const char **name, uint32_t *bp)
{
    const bird_genome *g = t->extra.genome;
    int64_t n = bird_genome_count(g);

    for (int64_t i = 0; i < n; i++) {
        int64_t length = bird_genome_length(g, i);

        name[i] = bird_genome_name(g, i);
        if (length > UINT32_MAX)
            return bird_fail(
                BIRD_EINVAL, "%s: %s has %lld bp: bigWig counts to 2^32",
                bird_output_name(t->output), name[i], (long long)length);
        bp[i] = (uint32_t)length;
    }
    errno = 0;
    if (!can_create(bird_output_temporary(t->output)))
        return fail_bigwig(t);
    b->file = bwOpen(bird_output_temporary(t->output), NULL, "w");
    if (!b->file || bwCreateHdr(b->file, ZOOMS))
        return fail_bigwig(t);
    b->file->cl = bwCreateChromList(name, bp, n);
    return b->file->cl && !bwWriteHdr(b->file) ? 0 : fail_bigwig(t);
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

/* Hand the waiting rows over. */
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
    return bad ? fail_bigwig(t) : 0;
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
    bwClose(b->file); /* no result; a full disk shows in errno */
    b->file = NULL;
    return errno == ENOSPC || errno == EIO || errno == EDQUOT ? fail_bigwig(t)
                                                              : 0;
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
    .commands = BIRD_WRITES(BIRD_TRACK_CHROMATIN) |
                BIRD_WRITES(BIRD_TRACK_MUTATE) |
                BIRD_WRITES(BIRD_TRACK_ATTRIBUTE),
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
