/* bigWig through libBigWig. SPDX-License-Identifier: MIT */
#include "track/bigwig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_options.h"
#include "base/fail.h"
#include "base/guard.h"
#include "base/mem.h"

#ifdef HAVE_BIGWIG

/* Files alone are written: curl's header is not needed. */
#ifndef NOCURL
#define NOCURL
#endif
#include <bigWig.h>

enum { ZOOMS = 7, ROWS = 1024 /* handed over at a time */ };

struct bird_bigwig {
    bigWigFile_t *file;
    char *path, *temporary;
    char *contig; /* of the rows waiting */
    uint32_t start[ROWS], end[ROWS];
    float value[ROWS];
    uint32_t n;
    int begun; /* rows of this contig were handed over */
};

int bird_bigwig_available(void)
{
    return 1;
}

static int fail_bigwig(const struct bird_bigwig *b)
{
    return bird_fail(BIRD_EIO, "%s: %s", b->path,
                     errno ? strerror(errno) : "could not be written");
}

void bird_bigwig_free(struct bird_bigwig *b)
{
    if (!b)
        return;
    if (b->file)
        bwClose(b->file);
    if (b->temporary) {
        unlink(b->temporary);
        bird_leftover_keep(b->temporary);
    }
    free(b->path);
    free(b->temporary);
    free(b->contig);
    free(b);
}

static int write_header(struct bird_bigwig *b, const char *const *name,
                        const int64_t *length, int64_t n)
{
    uint32_t *bp;
    int rc = bird_array_new(&bp, n, sizeof(*bp));

    if (rc)
        return rc;
    for (int64_t i = 0; !rc && i < n; i++) {
        if (length[i] > UINT32_MAX)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: %s has %lld bp: bigWig counts to 2^32", b->path,
                           name[i], (long long)length[i]);
        bp[i] = (uint32_t)length[i];
    }
    errno = 0;
    if (!rc && bwCreateHdr(b->file, ZOOMS))
        rc = fail_bigwig(b);
    if (!rc) {
        b->file->cl = bwCreateChromList(name, bp, n);
        if (!b->file->cl || bwWriteHdr(b->file))
            rc = fail_bigwig(b);
    }
    free(bp);
    return rc;
}

/* libBigWig crashes where it cannot open a file: tried here first. */
static int can_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    return fd >= 0 && !close(fd);
}

int bird_bigwig_open(struct bird_bigwig **out, const char *path,
                     const char *const *name, const int64_t *length,
                     int64_t n_contig)
{
    struct bird_bigwig *b;
    int rc = bird_guard_output(path);

    if (rc || (rc = bird_array_new(&b, 1, sizeof(*b))))
        return rc;
    b->path = strdup(path);
    if (asprintf(&b->temporary, "%s.tmp%ld", path, (long)getpid()) < 0)
        b->temporary = NULL;
    if (!b->path || !b->temporary) {
        rc = bird_fail_memory(strlen(path));
    } else {
        bird_leftover_file(b->temporary);
        errno = 0;
        if (can_create(b->temporary))
            b->file = bwOpen(b->temporary, NULL, "w");
        rc = b->file ? write_header(b, name, length, n_contig) : fail_bigwig(b);
    }
    if (rc)
        bird_bigwig_free(b);
    else
        *out = b;
    return rc;
}

/* Hand the waiting rows over. */
static int flush(struct bird_bigwig *b)
{
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
    return bad ? fail_bigwig(b) : 0;
}

int bird_bigwig_put(struct bird_bigwig *b, const char *contig, int64_t start,
                    int64_t end, float value)
{
    int rc = 0;

    if (b->n == ROWS || !b->contig || strcmp(b->contig, contig) != 0)
        rc = flush(b);
    if (!rc && (!b->contig || strcmp(b->contig, contig) != 0)) {
        free(b->contig);
        b->contig = strdup(contig);
        b->begun = 0;
        if (!b->contig)
            rc = bird_fail_memory(strlen(contig));
    }
    if (rc)
        return rc;
    b->start[b->n] = (uint32_t)start;
    b->end[b->n] = (uint32_t)end;
    b->value[b->n++] = value;
    return 0;
}

int bird_bigwig_close(struct bird_bigwig *b)
{
    int rc = flush(b);

    if (!rc) {
        errno = 0;
        bwClose(b->file); /* tells nothing; a full disk shows in errno */
        b->file = NULL;
        if (errno == ENOSPC || errno == EIO || errno == EDQUOT ||
            rename(b->temporary, b->path))
            rc = fail_bigwig(b);
    }
    if (!rc) {
        bird_leftover_keep(b->temporary);
        free(b->temporary);
        b->temporary = NULL;
    }
    bird_bigwig_free(b);
    return rc;
}

#else

int bird_bigwig_available(void)
{
    return 0;
}

int bird_bigwig_open(struct bird_bigwig **out, const char *path,
                     const char *const *name, const int64_t *length,
                     int64_t n_contig)
{
    (void)out, (void)name, (void)length, (void)n_contig;
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: this build has no bigWig: write bedGraph and use "
                     "bedGraphToBigWig, or build with libBigWig",
                     path);
}

int bird_bigwig_put(struct bird_bigwig *b, const char *contig, int64_t start,
                    int64_t end, float value)
{
    (void)b, (void)contig, (void)start, (void)end, (void)value;
    return BIRD_EUNSUPPORTED;
}

int bird_bigwig_close(struct bird_bigwig *b)
{
    (void)b;
    return BIRD_EUNSUPPORTED;
}

void bird_bigwig_free(struct bird_bigwig *b)
{
    (void)b;
}

#endif
