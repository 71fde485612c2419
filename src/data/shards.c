/*
 * Token shards: rows sampled beforehand, packed into files; docs/formats.md has
 * the form.
 *
 * A folder holds tokens.json and files of rows; a file is a zstd skippable
 * frame (identity, numbers of rows, offsets of rows) and one frame for each
 * row, so that any row can be read alone. Token ids have little to compress
 * (all are about equally frequent, and the genome does not repeat itself within
 * a row), so the bytes of all ids are stored by significance: all high bytes
 * together have few values, which zstd's entropy coder uses. The number of
 * bases under a token is nearly always the length of its text; the difference
 * is stored.
 * SPDX-License-Identifier: MIT
 */
#include "data/shards.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/mem.h"

/* A digest of what the tokenizer does, independent of its file: its tokens, and
 * its encoding of all tokens in a row, which uses every merge. */
static int tokenizer_digest(char hex[65], const bird_tokenizer *t)
{
    struct bird_text all = {0}, tokens = {0};
    bird_encoding e = {0};
    int rc = 0;

    for (int64_t i = 0; !rc && i < bird_tokenizer_count(t); i++) {
        const char *token = bird_tokenizer_token(t, (int32_t)i);

        rc = bird_text_printf(&tokens, "%" PRId64 " %s\n", i,
                              token ? token : "");
        if (!rc && token && strspn(token, "ACGT") == strlen(token))
            rc = bird_text_put(&all, token, (int64_t)strlen(token));
    }
    if (!rc && bird_tokenizer_global(t))
        rc = bird_text_printf(&tokens, "global %" PRId64 "\n",
                              bird_tokenizer_global(t));
    if (!rc)
        rc = bird_text_put(&all, "NNNNNNNNNNNNRACGT", 17);
    if (!rc)
        rc = bird_tokenizer_encode(t, &e, all.s, all.n, 0);
    for (int64_t i = 0; !rc && i < e.n; i++)
        rc = bird_text_printf(&tokens, "%d %" PRId64 "\n", (int)e.ids[i],
                              e.start[i]);
    if (!rc)
        bird_sha256(hex, tokens.s, (size_t)tokens.n);
    bird_text_free(&all);
    bird_text_free(&tokens);
    bird_encoding_free(&e);
    return rc;
}

int bird_identity_of_options(json_t **out, const struct bird_sampler *s)
{
    const struct bird_sample_options *o = &s->o;
    char tokenizer[65];
    json_t *j;
    int rc = tokenizer_digest(tokenizer, s->t);

    if (rc)
        return rc;
    j = json_pack(
        "{s:s, s:s, s:I, s:I, s:f, s:b}", "tokenizer", tokenizer, "sampling",
        o->kind == BIRD_SAMPLE_DOCUMENTS ? "documents" : "windows", "length",
        (json_int_t)o->length_tok, "seed", (json_int_t)o->seed, "max_n",
        o->max_n, "next_sentence", o->next_sentence != 0);
    if (!j)
        return bird_fail_memory(0);
    *out = j;
    return 0;
}

static int digest_regions(char hex[65], const struct bird_intervals *p,
                          const struct bird_contigs *c)
{
    struct bird_text t = {0};
    int rc = bird_text_put(&t, "", 0);

    for (int64_t i = 0; !rc && i < p->n; i++)
        rc = bird_text_printf(&t, "%s %" PRId64 " %" PRId64 "\n",
                              c->name[p->at[i].contig], p->at[i].start,
                              p->at[i].end);
    if (!rc)
        bird_sha256(hex, t.s, (size_t)t.n);
    bird_text_free(&t);
    return rc;
}

static int data_digests(char reference[65], char regions[65],
                        const struct bird_sampler *s)
{
    struct bird_text t = {0};
    int rc = bird_text_put(&t, "", 0);

    for (int64_t i = 0; !rc && i < s->bases.n; i++)
        if (s->bases.contig[i].digest[0])
            rc = bird_text_printf(
                &t, "%s %" PRId64 " %s\n", s->bases.contigs.name[i],
                s->bases.contig[i].length, s->bases.contig[i].digest);
    if (!rc)
        bird_sha256(reference, t.s, (size_t)t.n);
    bird_text_free(&t);
    return rc ? rc : digest_regions(regions, &s->allowed, &s->bases.contigs);
}

int bird_identity_add_data(json_t *identity, const struct bird_sampler *s)
{
    char reference[65], regions[65];
    int rc = data_digests(reference, regions, s);

    if (rc)
        return rc;
    if (json_object_set_new(identity, "reference", json_string(reference)) ||
        json_object_set_new(identity, "regions", json_string(regions)) ||
        json_object_set_new(identity, "bases", json_integer(s->n_base)))
        return bird_fail_memory(0);
    return 0;
}

/* A value in JSON, without quotes. */
static int put_value(struct bird_text *t, const json_t *v)
{
    char *s = bird_json_dump(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    size_t n = s ? strlen(s) : 0;
    int quoted = s && s[0] == '"', rc;

    if (!s)
        return bird_fail_memory(0);
    rc = bird_text_put(t, s + quoted, (int64_t)n - 2 * quoted);
    free(s);
    return rc;
}

/* Add the mask of repeats and its weight to the identity. */
static int add_repeats(struct bird_text *t, const struct bird_sampler *s)
{
    char digest[65];
    int rc = digest_regions(digest, &s->repeats, &s->bases.contigs);

    return rc ? rc
              : bird_text_printf(t, "repeats %s\nrepeat_weight %.17g\n", digest,
                                 s->o.repeat_weight);
}

/* Which contigs have which type: the first contig of each file. */
static int add_types(struct bird_text *t, const struct bird_sampler *s)
{
    int64_t file = -1;
    int rc = bird_text_printf(t, "genome_types");

    for (int64_t i = 0; !rc && i < s->bases.n; i++) {
        if (s->bases.contig[i].file != file)
            rc = bird_text_printf(t, " %" PRId64, i);
        file = s->bases.contig[i].file;
    }
    return rc ? rc : bird_text_put(t, "\n", 1);
}

int bird_identity_text(struct bird_sampler *s, const json_t *identity)
{
    struct bird_text *t = &s->identity;
    const char *key;
    json_t *v;
    int rc = 0;

    bird_text_clear(t);
    json_object_foreach((json_t *)identity, key, v)
    {
        if (!rc)
            rc = bird_text_printf(t, "%s ", key);
        if (!rc)
            rc = put_value(t, v);
        if (!rc)
            rc = bird_text_put(t, "\n", 1);
    }
    if (!rc)
        rc = bird_text_printf(t, "mask %.17g\nspan %d\n", s->o.mask, s->o.span);
    if (!rc && s->o.genome_types)
        rc = add_types(t, s);
    return rc || !s->o.repeats ? rc : add_repeats(t, s);
}

int bird_identity_check(const json_t *there, const json_t *want,
                        const char *path)
{
    struct bird_text a = {0}, b = {0};
    const char *key;
    json_t *v, *other;
    int rc = 0;

    json_object_foreach((json_t *)want, key, v)
    {
        other = json_object_get(there, key);
        if (rc || (other && json_equal(other, v)))
            continue;
        rc = other ? put_value(&a, other) : bird_text_put(&a, "nothing", 7);
        if (!rc)
            rc = put_value(&b, v);
        if (!rc)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: made with another %s (%.70s, not %.70s): use "
                           "the same, or another folder",
                           path, key, a.s, b.s);
    }
    bird_text_free(&a);
    bird_text_free(&b);
    return rc;
}

/* ---- a row as bytes ----------------------------------------------------- */

enum {
    LEVEL = 3,
    HEAD_BYTES = 16, /* n_token, second, next, n_rich */
    BP_BYTES = 4,
    BLOCK_ROOM = 64 /* for the heads of the blocks that are ended early */
};

/* Store and load n bytes of x, lowest first. */
static void put_bytes(unsigned char *out, uint64_t x, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t take_bytes(const unsigned char *in, int n)
{
    uint64_t x = 0;

    for (int i = 0; i < n; i++)
        x |= (uint64_t)in[i] << 8 * i;
    return x;
}

/* Bytes that an id of this vocabulary needs. */
static int id_bytes(const struct bird_vocab_stats *w)
{
    return w->n <= 1 << 8 ? 1 : w->n <= 1 << 16 ? 2 : w->n <= 1 << 24 ? 3 : 4;
}

static int64_t raw_bytes(const struct bird_vocab_stats *w, int64_t n_token)
{
    return HEAD_BYTES + n_token * (id_bytes(w) + BP_BYTES);
}

static void write_raw(unsigned char *out, const struct bird_sampled_row *d,
                      const struct bird_vocab_stats *w)
{
    put_bytes(out, (uint64_t)d->n_token, 4);
    put_bytes(out + 4, (uint64_t)d->second, 4);
    put_bytes(out + 8, (uint32_t)d->next, 4);
    put_bytes(out + 12, (uint64_t)d->n_rich, 4);
    out += HEAD_BYTES;
    for (int k = 0; k < id_bytes(w); k++)
        for (int64_t i = 0; i < d->n_token; i++)
            *out++ = (unsigned char)((uint32_t)d->ids[i] >> 8 * k);
    for (int k = 0; k < BP_BYTES; k++)
        for (int64_t i = 0; i < d->n_token; i++) {
            uint32_t odd = (uint32_t)(d->bp[i] - w->n_base[d->ids[i]]);

            *out++ = (unsigned char)(odd >> 8 * k);
        }
}

static int packer_open(struct bird_shard_packer *p)
{
    if (p->z)
        return 0;
    p->z = ZSTD_createCCtx();
    if (!p->z ||
        ZSTD_isError(
            ZSTD_CCtx_setParameter(p->z, ZSTD_c_compressionLevel, LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(p->z, ZSTD_c_checksumFlag, 1)))
        return bird_fail_memory(0);
    return 0;
}

/* Compress the n_part parts of p->raw to blocks of their own, since zstd has one
   table of codes a block. */
static int compress(struct bird_text *out, size_t bound,
                    const struct bird_shard_packer *p, const int64_t *part,
                    int n_part)
{
    ZSTD_outBuffer to = {out->s + out->n, bound, 0};
    ZSTD_inBuffer from = {p->raw.s, 0, 0};
    size_t left = 0;

    for (int k = 0; k < n_part; k++)
        from.size += (size_t)part[k];
    left = ZSTD_CCtx_setPledgedSrcSize(p->z, from.size);
    from.size = 0;
    for (int k = 0; k < n_part && !ZSTD_isError(left); k++) {
        from.size += (size_t)part[k];
        left = ZSTD_compressStream2(p->z, &to, &from,
                                    k + 1 < n_part ? ZSTD_e_flush : ZSTD_e_end);
    }
    if (left) {
        ZSTD_CCtx_reset(p->z, ZSTD_reset_session_only);
        return bird_fail(BIRD_ENOMEM, "zstd: %s",
                         ZSTD_isError(left) ? ZSTD_getErrorName(left)
                                            : "the output buffer is too small");
    }
    out->n += (int64_t)to.pos;
    return 0;
}

int bird_shard_pack(struct bird_text *out, struct bird_shard_packer *p,
                    const struct bird_sampled_row *d,
                    const struct bird_vocab_stats *w)
{
    int64_t n = raw_bytes(w, d->n_token), part[1 + 4 + 1] = {HEAD_BYTES};
    size_t bound = ZSTD_compressBound((size_t)n) + BLOCK_ROOM;
    int rc = bird_array_grow(&p->raw.s, &p->raw.cap, n, 1), bytes = id_bytes(w);

    if (!rc)
        rc = bird_array_grow(&out->s, &out->cap, out->n + (int64_t)bound, 1);
    if (!rc)
        rc = packer_open(p);
    if (rc)
        return rc;
    write_raw((unsigned char *)p->raw.s, d, w);
    for (int k = 0; k < bytes; k++)
        part[1 + k] = d->n_token;
    part[1 + bytes] = BP_BYTES * d->n_token;
    return compress(out, bound, p, part, 2 + bytes);
}

void bird_shard_packer_free(struct bird_shard_packer *p)
{
    bird_text_free(&p->raw);
    ZSTD_freeCCtx(p->z);
    *p = (struct bird_shard_packer){0};
}

static int is_row(const struct bird_sampled_row *d, int64_t length_tok)
{
    if (d->n_token < 3 || d->n_token > length_tok || d->second > d->n_token)
        return 0;
    if (d->next == BIRD_SAMPLE_NONE)
        return d->second == d->n_token;
    return (d->next == 0 || d->next == 1) && d->second >= 3 &&
           d->second <= d->n_token - 2;
}

static int read_raw(struct bird_sampled_row *d, const unsigned char *in,
                    int64_t n, int64_t length_tok,
                    const struct bird_vocab_stats *w)
{
    int bytes = id_bytes(w), wrong = n < HEAD_BYTES;

    if (!wrong) {
        d->n_token = (int64_t)take_bytes(in, 4);
        d->second = (int64_t)take_bytes(in + 4, 4);
        d->next = (int32_t)(uint32_t)take_bytes(in + 8, 4);
        d->n_rich = (int64_t)take_bytes(in + 12, 4);
        wrong = !is_row(d, length_tok) || n != raw_bytes(w, d->n_token);
    }
    in += HEAD_BYTES;
    for (int64_t i = 0; !wrong && i < d->n_token; i++) {
        uint64_t id = 0, odd = 0;

        for (int k = 0; k < bytes; k++)
            id |= (uint64_t)in[k * d->n_token + i] << 8 * k;
        for (int k = 0; k < BP_BYTES; k++)
            odd |= (uint64_t)in[(bytes + k) * d->n_token + i] << 8 * k;
        wrong = id >= (uint64_t)w->n;
        if (!wrong) {
            d->ids[i] = (int32_t)id;
            d->bp[i] =
                (int32_t)((uint32_t)odd + (uint32_t)w->n_base[d->ids[i]]);
            wrong = d->bp[i] < 0;
        }
    }
    return wrong ? bird_fail(BIRD_EFORMAT, "it is not a row of tokens") : 0;
}

int bird_shard_unpack(struct bird_sampled_row *d, const void *frame,
                      int64_t size, int64_t length_tok,
                      const struct bird_vocab_stats *w)
{
    unsigned long long n = ZSTD_getFrameContentSize(frame, (size_t)size);
    unsigned char *raw = NULL;
    size_t got;
    int rc;

    if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN ||
        n > (unsigned long long)raw_bytes(w, length_tok))
        return bird_fail(BIRD_EFORMAT, "it is not a row of tokens");
    rc = bird_array_new(&raw, (int64_t)n, 1);
    if (rc)
        return rc;
    got = ZSTD_decompress(raw, (size_t)n, frame, (size_t)size);
    if (ZSTD_isError(got) || got != n)
        rc = bird_fail(BIRD_EFORMAT, "it is damaged (%s)",
                       ZSTD_isError(got) ? ZSTD_getErrorName(got) : "short");
    else
        rc = read_raw(d, raw, (int64_t)n, length_tok, w);
    free(raw);
    return rc;
}

/* ---- folders ------------------------------------------------------------ */

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

/* folder/000017.tokens.zst; *out is the caller's, free(). */
static int bird_shards_path(char **out, const char *folder, int64_t k)
{
    char name[48];

    snprintf(name, sizeof(name), "%06" PRId64 ".tokens.zst", k);
    return bird_path_join(out, folder, name);
}

int bird_shards_key(char key[65], const json_t *identity)
{
    char *s = bird_json_dump(identity, JSON_COMPACT | JSON_SORT_KEYS |
                                           JSON_REAL_PRECISION(17));

    if (!s)
        return bird_fail_memory(0);
    bird_sha256(key, s, strlen(s));
    free(s);
    return 0;
}

/* ---- tokens.json -------------------------------------------------------- */

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

/* ---- files of rows ------------------------------------------------------ */

static int64_t head_bytes(int64_t rows)
{
    return FIXED_BYTES + 8 * (rows + 1);
}

static void write_head(unsigned char *out, const struct bird_shards_head *h,
                       int64_t k, const int64_t *size)
{
    int64_t n = bird_shards_rows_of(h, k), at = head_bytes(n);

    put_bytes(out, skippable, 4);
    put_bytes(out + 4, (uint64_t)(at - FRAME_BYTES), 4);
    out += FRAME_BYTES;
    memcpy(out, file_name, NAME_BYTES);
    memcpy(out + NAME_BYTES, h->key, KEY_BYTES);
    out += NAME_BYTES + KEY_BYTES;
    put_bytes(out, (uint64_t)(k * h->per_shard), 8);
    put_bytes(out + 8, (uint64_t)n, 8);
    out += 16;
    for (int64_t i = 0; i <= n; i++) {
        put_bytes(out + 8 * i, (uint64_t)at, 8);
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
    int64_t got = bird_read_at(f->fd, out, n, at);

    if (got < 0)
        return bird_fail(BIRD_EIO, "%s: %s", f->path, strerror(errno));
    if (got < n)
        return bird_fail(BIRD_EFORMAT,
                         "%s: cut short: make the token shards again", f->path);
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
        f->fd = bird_open(f->path, O_RDONLY);
    if (!rc && f->fd < 0)
        rc = bird_fail(BIRD_EIO, "%s: %s: remake the token shards", f->path,
                       strerror(errno));
    if (!rc)
        rc = read_at(f, head, FIXED_BYTES, 0);
    if (!rc && (take_bytes(head, 4) != skippable ||
                memcmp(head + FRAME_BYTES, file_name, NAME_BYTES) != 0))
        rc = bird_fail(BIRD_EFORMAT, "%s: not a token shard", f->path);
    if (!rc &&
        (memcmp(head + FRAME_BYTES + NAME_BYTES, h->key, KEY_BYTES) != 0 ||
         take_bytes(head + FIXED_BYTES - 16, 8) !=
             (uint64_t)(k * h->per_shard) ||
         take_bytes(head + FIXED_BYTES - 8, 8) != (uint64_t)n))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: belongs to another set of token shards: remake the "
                       "token shards",
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
        (fstat(f.fd, &st) || take_bytes(last, 8) != (uint64_t)st.st_size))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: cut short: make the token shards again", f.path);
    shard_close(&f);
    return rc;
}

/* ---- reading ------------------------------------------------------------ */

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

static int read_frame(struct bird_sampled_row *d, const struct shard *f,
                      const struct bird_sampler *s, int64_t i)
{
    /* the largest size of a row, and of its zstd frame */
    int64_t most = 16 + 8 * s->o.length_tok + 65536, from, size;
    unsigned char offset[16], *frame = NULL;
    int rc = read_at(f, offset, 16, FIXED_BYTES + 8 * i);

    if (rc)
        return rc;
    from = (int64_t)take_bytes(offset, 8);
    size = (int64_t)take_bytes(offset + 8, 8);
    if (from < head_bytes(f->n) || size < from || size - from > most)
        return bird_fail(BIRD_EFORMAT,
                         "%s: row %lld is not in the file: make the token "
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

int bird_shards_row(struct bird_sampled_row *d, const struct bird_shards *x,
                    const struct bird_sampler *s, int64_t step, int64_t row)
{
    const struct bird_shards_head *h = &x->head;
    struct shard f;
    int64_t i;
    int rc;

    if (row >= h->per_step)
        return bird_fail(BIRD_ERANGE,
                         "%s: has %lld rows per step: use the batch that the "
                         "token shards were made for, or a smaller one",
                         x->folder, (long long)h->per_step);
    if (step >= h->rows / h->per_step + 1 ||
        (i = step * h->per_step + row) >= h->rows)
        return bird_fail(BIRD_ERANGE,
                         "%s: has rows for %lld steps, but step %lld is "
                         "needed: make more token shards, or train fewer steps",
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
