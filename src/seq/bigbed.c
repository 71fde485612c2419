/*
 * bigBed, block by block in the order of its index. Each interval becomes a
 * line of BED, so that all readers of BED read bigBed, in the memory of one
 * block.
 *
 * libBigWig is not used, since it prints and crashes on many damaged files. All
 * numbers of the file are checked against its size before use.
 * SPDX-License-Identifier: MIT
 */
#include "seq/bigbed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fail.h"
#include "base/mem.h"

enum {
    HEADER_BYTES = 64,
    CONTIGS_MAGIC = 0x78ca8c91,
    CONTIGS_BYTES = 32,
    INDEX_MAGIC = 0x2468ace0,
    INDEX_BYTES = 48,
    MAX_DEPTH = 32,        /* levels of a tree */
    MAX_KEY = 1 << 16,     /* largest length of a contig's name */
    MAX_BLOCK = 256 << 20, /* unpacked */
    MAX_RATIO = 1032,      /* of deflate, zlib.net/zlib_tech.html */
    ITEM_BYTES = 12        /* contig, start, end of an interval */
};

struct node {
    unsigned char *items;
    int64_t n, next;
    int leaf;
};

/* Traversal of a tree's leaf items in order. */
struct walk {
    int64_t leaf_bytes, inner_bytes; /* bytes of an item; a child's offset is
                                        at its end */
    struct node node[MAX_DEPTH];
    int depth;
    int64_t
        met; /* bytes of nodes so far: more than the file's size mean a cycle */
};

struct bird_bigbed {
    char *path;
    int fd, swapped; /* the file's byte order is not little-endian */
    int64_t size;
    char **contig; /* (n_contig) names by number; NULL: unused number */
    int64_t n_contig;
    struct walk index;
    int64_t block_bytes;           /* largest unpacked block; 0: not
                                      compressed */
    unsigned char *packed, *block; /* (cap_packed), (cap_block) */
    int64_t cap_packed, cap_block;
    int64_t at, n_block; /* next byte, bytes in the block */
    int64_t n, n_read;   /* intervals in the file; returned so far */
};

static int fail_damaged(const struct bird_bigbed *b)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: the bigBed file is damaged or cut short: fetch or "
                     "write it again",
                     b->path);
}

/* A number of n bytes; -1 if it does not fit int64_t. */
static int64_t number(const struct bird_bigbed *b, const unsigned char *p,
                      int n)
{
    uint64_t v = 0;

    for (int i = 0; i < n; i++)
        v = v << 8 | p[b->swapped ? i : n - 1 - i];
    return v > INT64_MAX ? -1 : (int64_t)v;
}

static int read_at(const struct bird_bigbed *b, void *out, int64_t n,
                   int64_t at)
{
    if (at < 0 || n < 0 || n > b->size || at > b->size - n)
        return fail_damaged(b);
    for (int64_t done = 0; done < n;) {
        ssize_t got = pread(b->fd, (char *)out + done, (size_t)(n - done),
                            (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bird_fail(BIRD_EIO, "%s: %s", b->path, strerror(errno));
        if (!got)
            return fail_damaged(b);
        done += got;
    }
    return 0;
}

/* ---- trees --------------------------------------------------------------- */

static void walk_end(struct walk *w)
{
    while (w->depth)
        free(w->node[--w->depth].items);
}

/* Enter the node at an offset: leaf or not, an unused byte, number of items. */
static int walk_down(struct walk *w, const struct bird_bigbed *b, int64_t at)
{
    unsigned char head[4];
    struct node x = {0};
    int64_t bytes;
    int rc = read_at(b, head, 4, at);

    if (rc)
        return rc;
    x.leaf = head[0] != 0;
    x.n = number(b, head + 2, 2);
    bytes = x.n * (x.leaf ? w->leaf_bytes : w->inner_bytes);
    w->met += 4 + bytes;
    if (w->depth == MAX_DEPTH || w->met > b->size)
        return fail_damaged(b);
    if (x.n && !(rc = bird_array_new(&x.items, bytes, 1)))
        rc = read_at(b, x.items, bytes, at + 4);
    if (rc)
        free(x.items);
    else
        w->node[w->depth++] = x;
    return rc;
}

/* The next item of a leaf: 1, 0 at the end, or an error. */
static int walk_next(const unsigned char **item, struct walk *w,
                     const struct bird_bigbed *b)
{
    while (w->depth) {
        struct node *x = &w->node[w->depth - 1];
        int rc;

        if (x->next == x->n) {
            free(x->items);
            w->depth--;
        } else if (x->leaf) {
            *item = x->items + x->next++ * w->leaf_bytes;
            return 1;
        } else {
            const unsigned char *end = x->items + ++x->next * w->inner_bytes;

            if ((rc = walk_down(w, b, number(b, end - 8, 8))) < 0)
                return rc;
        }
    }
    return 0;
}

/* ---- opening ------------------------------------------------------------- */

static int take_contig(struct bird_bigbed *b, const unsigned char *item,
                       int64_t key)
{
    int64_t i = number(b, item + key, 4);

    if (i >= b->n_contig || b->contig[i] || !*item)
        return fail_damaged(b);
    b->contig[i] = strndup((const char *)item, (size_t)key);
    return b->contig[i] ? 0 : bird_fail_memory((size_t)key);
}

static int read_contigs(struct bird_bigbed *b, int64_t at)
{
    unsigned char head[CONTIGS_BYTES];
    const unsigned char *item;
    struct walk w = {0};
    int64_t key;
    int rc = read_at(b, head, CONTIGS_BYTES, at);

    if (rc)
        return rc;
    key = number(b, head + 8, 4);
    b->n_contig = number(b, head + 16, 8);
    if (number(b, head, 4) != CONTIGS_MAGIC || key < 1 || key > MAX_KEY ||
        number(b, head + 12, 4) != 8 || b->n_contig < 0 ||
        b->n_contig > b->size / (key + 8)) {
        b->n_contig = 0;
        return fail_damaged(b);
    }
    rc = bird_array_new(&b->contig, b->n_contig, sizeof(*b->contig));
    if (rc) {
        b->n_contig = 0;
        return rc;
    }
    w.leaf_bytes = w.inner_bytes = key + 8;
    rc = walk_down(&w, b, at + CONTIGS_BYTES);
    while (!rc && (rc = walk_next(&item, &w, b)) > 0)
        rc = take_contig(b, item, key);
    walk_end(&w);
    return rc;
}

static int open_index(struct bird_bigbed *b, int64_t at)
{
    unsigned char head[INDEX_BYTES];
    int rc = read_at(b, head, INDEX_BYTES, at);

    if (rc)
        return rc;
    if (number(b, head, 4) != INDEX_MAGIC)
        return fail_damaged(b);
    b->index.leaf_bytes = 32;
    b->index.inner_bytes = 24;
    return b->n ? walk_down(&b->index, b, at + INDEX_BYTES) : 0;
}

static int read_header(struct bird_bigbed *b)
{
    unsigned char head[HEADER_BYTES], count[8];
    int rc = read_at(b, head, HEADER_BYTES, 0);

    if (rc)
        return rc;
    b->swapped = number(b, head, 4) != BIRD_BIGBED_MAGIC;
    if (number(b, head, 4) != BIRD_BIGBED_MAGIC)
        return bird_fail(BIRD_EFORMAT, "%s: not a bigBed file", b->path);
    b->block_bytes = number(b, head + 52, 4);
    if (b->block_bytes > MAX_BLOCK)
        return fail_damaged(b);
    rc = read_at(b, count, 8, number(b, head + 16, 8));
    if (!rc && (b->n = number(b, count, 8)) < 0)
        rc = fail_damaged(b);
    if (!rc)
        rc = read_contigs(b, number(b, head + 8, 8));
    return rc ? rc : open_index(b, number(b, head + 24, 8));
}

static int open_file(struct bird_bigbed *b)
{
    struct stat st;

    b->fd = open(b->path, O_RDONLY | O_CLOEXEC);
    if (b->fd < 0 || fstat(b->fd, &st))
        return bird_fail(BIRD_EIO, "%s: %s", b->path, strerror(errno));
    b->size = st.st_size;
    return read_header(b);
}

int bird_bigbed_open(struct bird_bigbed **out, const char *path)
{
    struct bird_bigbed *b;
    int rc = bird_array_new(&b, 1, sizeof(*b));

    if (rc)
        return rc;
    *b = (struct bird_bigbed){.path = strdup(path), .fd = -1};
    rc = b->path ? open_file(b) : bird_fail_memory(strlen(path));
    if (rc)
        bird_bigbed_free(b);
    else
        *out = b;
    return rc;
}

void bird_bigbed_free(struct bird_bigbed *b)
{
    if (!b)
        return;
    if (b->fd >= 0)
        close(b->fd);
    walk_end(&b->index);
    for (int64_t i = 0; i < b->n_contig; i++)
        free(b->contig[i]);
    free(b->contig);
    free(b->packed);
    free(b->block);
    free(b->path);
    free(b);
}

/* ---- reading ------------------------------------------------------------- */

/* Read a block of data and unpack it into b->block. */
static int read_block(struct bird_bigbed *b, int64_t at, int64_t n)
{
    int64_t most = b->block_bytes ? b->block_bytes : n;
    uLongf got = (uLongf)most;
    int rc;

    if (n < 1 || n > b->size || n > MAX_BLOCK)
        return fail_damaged(b);
    /* do not allocate a claimed size for a few bytes */
    if (most / MAX_RATIO > n)
        got = (uLongf)(most = n * MAX_RATIO);
    if ((rc = bird_array_grow(&b->packed, &b->cap_packed, n, 1)) ||
        (rc = bird_array_grow(&b->block, &b->cap_block, most, 1)) ||
        (rc = read_at(b, b->block_bytes ? b->packed : b->block, n, at)))
        return rc;
    if (b->block_bytes &&
        uncompress(b->block, &got, b->packed, (uLong)n) != Z_OK)
        return fail_damaged(b);
    if (!got)
        return fail_damaged(b);
    b->at = 0;
    b->n_block = (int64_t)got;
    return 0;
}

int bird_bigbed_next(struct bird_text *line, struct bird_bigbed *b)
{
    const unsigned char *item, *s, *end;
    int64_t contig;
    int rc;

    bird_text_clear(line);
    while (b->at == b->n_block) {
        if ((rc = walk_next(&item, &b->index, b)) < 0)
            return rc;
        if (!rc)
            return b->n_read == b->n ? 0 : fail_damaged(b);
        rc = read_block(b, number(b, item + 16, 8), number(b, item + 24, 8));
        if (rc)
            return rc;
    }
    s = b->block + b->at;
    end = b->n_block - b->at > ITEM_BYTES
              ? memchr(s + ITEM_BYTES, 0,
                       (size_t)(b->n_block - b->at - ITEM_BYTES))
              : NULL;
    contig = end ? number(b, s, 4) : b->n_contig;
    if (contig >= b->n_contig || !b->contig[contig] || b->n_read++ == b->n)
        return fail_damaged(b);
    b->at = end + 1 - b->block;
    rc = bird_text_printf(
        line, "%s\t%lld\t%lld%s%s", b->contig[contig],
        (long long)number(b, s + 4, 4), (long long)number(b, s + 8, 4),
        s[ITEM_BYTES] ? "\t" : "", (const char *)s + ITEM_BYTES);
    return rc ? rc : 1;
}
