/* Folders of token shards. SPDX-License-Identifier: MIT */
#include "data/shards.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/mem.h"
#include "data/identity.h"

/* A file begins with a skippable frame: its magic number and size, then 8
   bytes of name, 64 of key, number of the first row, rows, and the offset of
   each and of the end. */
enum {
    FRAME_BYTES = 8,
    NAME_BYTES = 8,
    KEY_BYTES = 64,
    FIXED_BYTES = FRAME_BYTES + NAME_BYTES + KEY_BYTES + 16
};
static const uint32_t skippable = 0x184d2a50;
static const char file_name[] = "birdtok1";

#define FORMAT  "dnabird tokens"
#define VERSION 1

struct bird_shards {
    struct bird_shards_head head;
    char *folder;
    json_t *identity;
    int64_t n_base;
};

int bird_shards_path(char **out, const char *folder, int64_t k)
{
    char name[48];

    snprintf(name, sizeof(name), "%06" PRId64 ".tokens.zst", k);
    return bird_path_join(out, folder, name);
}

int bird_shards_key(char key[65], const json_t *identity)
{
    char *s = json_dumps(identity, JSON_COMPACT | JSON_SORT_KEYS |
                                       JSON_REAL_PRECISION(17));

    if (!s)
        return bird_fail_memory(0);
    bird_sha256(key, s, strlen(s));
    free(s);
    return 0;
}

/* ---- tokens.json --------------------------------------------------------- */

static int head_take(struct bird_shards_head *h, const json_t *j,
                     const char *path)
{
    const char *format = NULL;
    int64_t version = 0;
    int rc;

    if ((rc = bird_json_text(&format, j, "format", path)) ||
        (rc = bird_json_int(&version, j, "version", 0, INT64_MAX, path)))
        return rc;
    if (!format || strcmp(format, FORMAT) != 0)
        return bird_fail(BIRD_EFORMAT, "%s: not a description of token shards",
                         path);
    if (version != VERSION)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: version %lld of the token shards is not known "
                         "here: make them anew or take a newer program",
                         path, (long long)version);
    if ((rc = bird_json_int(&h->rows, j, "rows", 1, INT64_MAX / 2, path)) ||
        (rc = bird_json_int(&h->per_step, j, "rows_per_step", 1, INT64_MAX / 2,
                            path)) ||
        (rc = bird_json_int(&h->per_shard, j, "rows_per_shard", 1, INT32_MAX,
                            path)))
        return rc;
    if (!h->rows || !h->per_step || !h->per_shard)
        return bird_fail(BIRD_EFORMAT,
                         "%s: rows, rows_per_step or rows_per_shard is missing",
                         path);
    return 0;
}

int bird_shards_head_read(struct bird_shards_head *h, json_t **identity,
                          const char *path)
{
    struct bird_shards_head head = {0};
    json_t *j, *there;
    int rc = bird_json_open(&j, path);

    if (rc)
        return rc;
    there = json_object_get(j, "identity");
    rc = head_take(&head, j, path);
    if (!rc && !json_is_object(there))
        rc = bird_fail(BIRD_EFORMAT, "%s: no 'identity'", path);
    if (!rc)
        rc = bird_shards_key(head.key, there);
    if (!rc) {
        *h = head;
        *identity = json_incref(there);
    }
    json_decref(j);
    return rc;
}

int bird_shards_head_write(const struct bird_shards_head *h,
                           const json_t *identity, const json_t *reference,
                           const char *path)
{
    json_t *j = json_pack("{s:s, s:i, s:s, s:I, s:I, s:I, s:O, s:O}", "format",
                          FORMAT, "version", VERSION, "made_by",
                          "dnabird " BIRD_VERSION, "rows", (json_int_t)h->rows,
                          "rows_per_step", (json_int_t)h->per_step,
                          "rows_per_shard", (json_int_t)h->per_shard,
                          "identity", identity, "contigs", reference);
    int rc = j ? bird_json_write(j, path) : bird_fail_memory(0);

    json_decref(j);
    return rc;
}

/* ---- files of rows ------------------------------------------------------- */

static int64_t head_bytes(int64_t rows)
{
    return FIXED_BYTES + 8 * (rows + 1);
}

static void write_head(unsigned char *out, const struct bird_shards_head *h,
                       int64_t k, const int64_t *size)
{
    int64_t n = bird_shards_rows_of(h, k), at = head_bytes(n);

    bird_put_bytes(out, skippable, 4);
    bird_put_bytes(out + 4, (uint64_t)(at - FRAME_BYTES), 4);
    out += FRAME_BYTES;
    memcpy(out, file_name, NAME_BYTES);
    memcpy(out + NAME_BYTES, h->key, KEY_BYTES);
    out += NAME_BYTES + KEY_BYTES;
    bird_put_bytes(out, (uint64_t)(k * h->per_shard), 8);
    bird_put_bytes(out + 8, (uint64_t)n, 8);
    out += 16;
    for (int64_t i = 0; i <= n; i++) {
        bird_put_bytes(out + 8 * i, (uint64_t)at, 8);
        at += i < n ? size[i] : 0;
    }
}

int bird_shards_write_file(const struct bird_shards_head *h, const char *folder,
                           int64_t k, const struct bird_text *rows,
                           const int64_t *size)
{
    int64_t n = head_bytes(bird_shards_rows_of(h, k));
    unsigned char *head = NULL;
    struct bird_out o = {0};
    char *path = NULL;
    int rc = bird_array_new(&head, n, 1);

    if (!rc)
        rc = bird_shards_path(&path, folder, k);
    if (!rc)
        rc = bird_out_open(&o, path);
    if (rc)
        goto done;
    write_head(head, h, k, size);
    if (fwrite(head, 1, (size_t)n, o.stream) != (size_t)n ||
        fwrite(rows->s, 1, (size_t)rows->n, o.stream) != (size_t)rows->n)
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    if (!rc)
        rc = bird_out_commit(&o);
done:
    bird_out_abort(&o);
    free(path);
    free(head);
    return rc;
}

/* A file open for reading, and where its rows are. */
struct shard {
    char *path;
    int fd;
    int64_t n;
};

static void shard_close(struct shard *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
}

static int read_at(const struct shard *f, void *out, int64_t n, int64_t at)
{
    char *to = out;

    while (n > 0) {
        ssize_t got = pread(f->fd, to, (size_t)n, at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bird_fail(BIRD_EIO, "%s: %s", f->path, strerror(errno));
        if (!got)
            return bird_fail(BIRD_EFORMAT,
                             "%s: cut short: make the token shards again",
                             f->path);
        to += got;
        at += got;
        n -= got;
    }
    return 0;
}

/* Open file k and see that it is the one that h means. */
static int shard_open(struct shard *f, const struct bird_shards_head *h,
                      const char *folder, int64_t k)
{
    unsigned char head[FIXED_BYTES];
    int64_t n = bird_shards_rows_of(h, k);
    int rc;

    *f = (struct shard){.fd = -1, .n = n};
    if ((rc = bird_shards_path(&f->path, folder, k)))
        return rc;
    if (!(rc = bird_guard_read(f->path)))
        f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (!rc && f->fd < 0)
        rc = bird_fail(BIRD_EIO, "%s: %s: make the token shards again", f->path,
                       strerror(errno));
    if (!rc)
        rc = read_at(f, head, FIXED_BYTES, 0);
    if (!rc && (bird_take_bytes(head, 4) != skippable ||
                memcmp(head + FRAME_BYTES, file_name, NAME_BYTES) != 0))
        rc = bird_fail(BIRD_EFORMAT, "%s: not a token shard", f->path);
    if (!rc &&
        (memcmp(head + FRAME_BYTES + NAME_BYTES, h->key, KEY_BYTES) != 0 ||
         bird_take_bytes(head + FIXED_BYTES - 16, 8) !=
             (uint64_t)(k * h->per_shard) ||
         bird_take_bytes(head + FIXED_BYTES - 8, 8) != (uint64_t)n))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: it belongs to another set of token shards: make "
                       "them again",
                       f->path);
    if (rc)
        shard_close(f);
    return rc;
}

int bird_shards_check_file(const struct bird_shards_head *h, const char *folder,
                           int64_t k)
{
    unsigned char last[8];
    struct shard f;
    struct stat st;
    int rc = shard_open(&f, h, folder, k);

    if (rc)
        return rc;
    rc = read_at(&f, last, 8, FIXED_BYTES + 8 * f.n);
    if (!rc &&
        (fstat(f.fd, &st) || bird_take_bytes(last, 8) != (uint64_t)st.st_size))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: cut short: make the token shards again", f.path);
    shard_close(&f);
    return rc;
}

/* ---- reading ------------------------------------------------------------- */

int bird_shards_open(struct bird_shards **out, const char *folder,
                     const json_t *options)
{
    struct bird_shards *x = NULL;
    char *path = NULL;
    int rc = bird_array_new(&x, 1, sizeof(*x));

    if (!rc)
        rc = bird_path_join(&path, folder, BIRD_SHARDS_JSON);
    if (!rc)
        rc = bird_shards_head_read(&x->head, &x->identity, path);
    if (!rc)
        rc = bird_identity_check(x->identity, options, path);
    if (!rc)
        rc =
            bird_json_int(&x->n_base, x->identity, "bases", 1, INT64_MAX, path);
    if (!rc && !(x->folder = strdup(folder)))
        rc = bird_fail_memory(strlen(folder));
    for (int64_t k = 0; !rc && k < bird_shards_files(&x->head); k++)
        rc = bird_shards_check_file(&x->head, folder, k);
    free(path);
    if (rc)
        bird_shards_free(x);
    else
        *out = x;
    return rc;
}

void bird_shards_free(struct bird_shards *x)
{
    if (!x)
        return;
    json_decref(x->identity);
    free(x->folder);
    free(x);
}

static int read_frame(struct bird_drawn *d, const struct shard *f,
                      const struct bird_sampler *s, int64_t i)
{
    /* what a row can take at most, and what zstd adds to it */
    int64_t most = 16 + 8 * s->o.length_tok + 65536, from, size;
    unsigned char offset[16], *frame = NULL;
    int rc = read_at(f, offset, 16, FIXED_BYTES + 8 * i);

    if (rc)
        return rc;
    from = (int64_t)bird_take_bytes(offset, 8);
    size = (int64_t)bird_take_bytes(offset + 8, 8);
    if (from < head_bytes(f->n) || size < from || size - from > most)
        return bird_fail(BIRD_EFORMAT,
                         "%s: row %lld of it lies nowhere: make the token "
                         "shards again",
                         f->path, (long long)i);
    size -= from;
    rc = bird_array_new(&frame, size, 1);
    if (!rc)
        rc = read_at(f, frame, size, from);
    if (!rc &&
        (rc = bird_shard_unpack(d, frame, size, s->o.length_tok, &s->words)))
        rc = bird_fail_in(rc, "%s: row %lld of it", f->path, (long long)i);
    free(frame);
    return rc;
}

int bird_shards_row(struct bird_drawn *d, const struct bird_shards *x,
                    const struct bird_sampler *s, int64_t step, int64_t row)
{
    const struct bird_shards_head *h = &x->head;
    struct shard f;
    int64_t i;
    int rc;

    if (row >= h->per_step)
        return bird_fail(BIRD_ERANGE,
                         "%s: holds %lld rows a step: use the batch that the "
                         "token shards were made for, or a smaller one",
                         x->folder, (long long)h->per_step);
    if (step >= h->rows / h->per_step + 1 ||
        (i = step * h->per_step + row) >= h->rows)
        return bird_fail(BIRD_ERANGE,
                         "%s: holds rows for %lld steps; step %lld was asked "
                         "for: make more token shards, or train fewer steps",
                         x->folder, (long long)bird_shards_steps(x),
                         (long long)step + 1);
    rc = shard_open(&f, h, x->folder, i / h->per_shard);
    if (rc)
        return rc;
    rc = read_frame(d, &f, s, i % h->per_shard);
    shard_close(&f);
    return rc;
}

int64_t bird_shards_bases(const struct bird_shards *x)
{
    return x->n_base;
}

int64_t bird_shards_steps(const struct bird_shards *x)
{
    return x->head.rows / x->head.per_step;
}

const json_t *bird_shards_identity(const struct bird_shards *x)
{
    return x->identity;
}
