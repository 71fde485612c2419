/*
 * The block index of a bgzip file, which is checked against the file before
 * htslib uses it: bgzf_useek() ends the process if a block is shorter than the
 * index says. Layout: htslib's bgzf.c, bgzf_index_dump(); blocks: section 4.1 of
 * the SAM specification.
 * SPDX-License-Identifier: MIT
 */
#include "seq/gzi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum { HEAD_BYTES = 18, CLOSING_BYTES = 28 };

static const unsigned char closing_block[CLOSING_BYTES] = {
    0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C',
    2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,   0};

static uint64_t little_endian(const void *bytes, int n)
{
    const unsigned char *b = bytes;
    uint64_t v = 0;

    for (int i = n - 1; i >= 0; i--)
        v = v << 8 | b[i];
    return v;
}

/* Read n bytes of the file at an offset: 1, or 0 if they do not exist. */
static int bytes_at(const struct bird_gzi *z, void *out, int64_t n, int64_t at)
{
    return at >= 0 && bird_read_at(z->fd, out, n, at) == n;
}

/* Read the offsets of blocks. The file omits those of the first block, (0, 0).
 * @return as bird_gzi_open() */
static int take_offsets(struct bird_gzi *z, const struct bird_text *t,
                        int64_t size)
{
    uint64_t n = t->n >= 8 ? little_endian(t->s, 8) : UINT64_MAX;
    int rc;

    if (n > (uint64_t)t->n / 16 || t->n != 8 + 16 * (int64_t)n)
        return 0;
    rc = bird_array_new(&z->at, 2 * ((int64_t)n + 1), sizeof(*z->at));
    if (rc)
        return rc;
    for (int64_t i = 1; i <= (int64_t)n; i++) {
        const char *entry = t->s + 8 + 16 * (i - 1);
        int64_t *at = z->at + 2 * i;

        at[0] = (int64_t)little_endian(entry, 8);
        at[1] = (int64_t)little_endian(entry + 8, 8);
        if (at[0] <= at[-2] || at[1] < at[-1] || at[0] > size - CLOSING_BYTES)
            return 0;
    }
    z->n = (int64_t)n + 1;
    return 1;
}

int bird_gzi_open(struct bird_gzi *z, const char *path, const char *gzi)
{
    struct bird_text text = {0};
    struct bird_gzi fresh = {.fd = bird_open(path, O_RDONLY)};
    unsigned char last[CLOSING_BYTES];
    struct stat st;
    int rc;

    if (fresh.fd < 0 || fstat(fresh.fd, &st)) {
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    } else if (!bytes_at(&fresh, last, CLOSING_BYTES,
                         st.st_size - CLOSING_BYTES) ||
               memcmp(last, closing_block, CLOSING_BYTES) != 0) {
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: the bgzip file is cut short (its closing block is "
                       "missing): fetch or write it again",
                       path);
    } else {
        /* an unreadable index counts as no index */
        rc = bird_file_read(&text, gzi)
                 ? 0
                 : take_offsets(&fresh, &text, st.st_size);
    }
    bird_text_free(&text);
    if (rc == 1) {
        *z = fresh;
        return 1;
    }
    free(fresh.at);
    if (fresh.fd >= 0)
        close(fresh.fd);
    return rc;
}

void bird_gzi_close(struct bird_gzi *z)
{
    if (z->n)
        close(z->fd);
    free(z->at);
    *z = (struct bird_gzi){0};
}

int bird_gzi_holds(const struct bird_gzi *z, int64_t offset)
{
    unsigned char head[HEAD_BYTES], size[4];
    int64_t low = 0, high = z->n, block, bytes;

    if (!z->n)
        return 1;
    while (high - low > 1) { /* the last block that begins at or before this
                                byte */
        int64_t mid = low + (high - low) / 2;

        if (z->at[2 * mid + 1] <= offset)
            low = mid;
        else
            high = mid;
    }
    block = z->at[2 * low];
    if (!bytes_at(z, head, HEAD_BYTES, block) ||
        memcmp(head, closing_block, 4) != 0 || memcmp(head + 12, "BC", 2) != 0)
        return 0;
    bytes = (int64_t)little_endian(head + 16, 2) + 1;
    return bytes_at(z, size, 4, block + bytes - 4) &&
           offset - z->at[2 * low + 1] <= (int64_t)little_endian(size, 4);
}
