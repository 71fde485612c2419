/*
 * A row of a token shard as bytes.
 *
 * Token ids have little to compress (all are about equally frequent, and the
 * genome does not repeat itself within a row), so the bytes of all ids that
 * weigh the same stand together: the high ones come in few values, which
 * zstd's entropy coder uses. The bases under a token are its letters nearly
 * always; what is stored is the difference.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/shards.h"

enum {
    LEVEL = 3,
    HEAD_BYTES = 16, /* n_token, second, next, n_rich */
    BP_BYTES = 4,
    BLOCK_ROOM = 64 /* for the heads of the blocks that are ended early */
};

/* Bytes that an id of this vocabulary needs. */
static int id_bytes(const struct bird_sample_words *w)
{
    return w->n <= 1 << 8 ? 1 : w->n <= 1 << 16 ? 2 : w->n <= 1 << 24 ? 3 : 4;
}

static int64_t raw_bytes(const struct bird_sample_words *w, int64_t n_token)
{
    return HEAD_BYTES + n_token * (id_bytes(w) + BP_BYTES);
}

static void write_raw(unsigned char *out, const struct bird_drawn *d,
                      const struct bird_sample_words *w)
{
    bird_put_bytes(out, (uint64_t)d->n_token, 4);
    bird_put_bytes(out + 4, (uint64_t)d->second, 4);
    bird_put_bytes(out + 8, (uint32_t)d->next, 4);
    bird_put_bytes(out + 12, (uint64_t)d->n_rich, 4);
    out += HEAD_BYTES;
    for (int k = 0; k < id_bytes(w); k++)
        for (int64_t i = 0; i < d->n_token; i++)
            *out++ = (unsigned char)((uint32_t)d->ids[i] >> 8 * k);
    for (int k = 0; k < BP_BYTES; k++)
        for (int64_t i = 0; i < d->n_token; i++) {
            uint32_t odd = (uint32_t)(d->bp[i] - w->letters[d->ids[i]]);

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

/* Each stretch of n_stretch becomes blocks of its own, since zstd has one
   table of codes a block. */
static int compress(struct bird_text *out, size_t bound,
                    const struct bird_shard_packer *p, const int64_t *stretch,
                    int n_stretch)
{
    ZSTD_outBuffer to = {out->s + out->n, bound, 0};
    ZSTD_inBuffer from = {p->raw.s, 0, 0};
    size_t left = 0;

    for (int k = 0; k < n_stretch; k++)
        from.size += (size_t)stretch[k];
    left = ZSTD_CCtx_setPledgedSrcSize(p->z, from.size);
    from.size = 0;
    for (int k = 0; k < n_stretch && !ZSTD_isError(left); k++) {
        from.size += (size_t)stretch[k];
        left = ZSTD_compressStream2(
            p->z, &to, &from, k + 1 < n_stretch ? ZSTD_e_flush : ZSTD_e_end);
    }
    if (left) {
        ZSTD_CCtx_reset(p->z, ZSTD_reset_session_only);
        return bird_fail(BIRD_ENOMEM, "zstd: %s",
                         ZSTD_isError(left) ? ZSTD_getErrorName(left)
                                            : "too little room");
    }
    out->n += (int64_t)to.pos;
    return 0;
}

int bird_shard_pack(struct bird_text *out, struct bird_shard_packer *p,
                    const struct bird_drawn *d,
                    const struct bird_sample_words *w)
{
    int64_t n = raw_bytes(w, d->n_token), stretch[1 + 4 + 1] = {HEAD_BYTES};
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
        stretch[1 + k] = d->n_token;
    stretch[1 + bytes] = BP_BYTES * d->n_token;
    return compress(out, bound, p, stretch, 2 + bytes);
}

void bird_shard_packer_free(struct bird_shard_packer *p)
{
    bird_text_free(&p->raw);
    ZSTD_freeCCtx(p->z);
    *p = (struct bird_shard_packer){0};
}

static int is_row(const struct bird_drawn *d, int64_t length_tok)
{
    if (d->n_token < 3 || d->n_token > length_tok || d->second > d->n_token)
        return 0;
    if (d->next == BIRD_SAMPLE_NONE)
        return d->second == d->n_token;
    return (d->next == 0 || d->next == 1) && d->second >= 3 &&
           d->second <= d->n_token - 2;
}

static int read_raw(struct bird_drawn *d, const unsigned char *in, int64_t n,
                    int64_t length_tok, const struct bird_sample_words *w)
{
    int bytes = id_bytes(w), wrong = n < HEAD_BYTES;

    if (!wrong) {
        d->n_token = (int64_t)bird_take_bytes(in, 4);
        d->second = (int64_t)bird_take_bytes(in + 4, 4);
        d->next = (int32_t)(uint32_t)bird_take_bytes(in + 8, 4);
        d->n_rich = (int64_t)bird_take_bytes(in + 12, 4);
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
                (int32_t)((uint32_t)odd + (uint32_t)w->letters[d->ids[i]]);
            wrong = d->bp[i] < 0;
        }
    }
    return wrong ? bird_fail(BIRD_EFORMAT, "it is no row of tokens") : 0;
}

int bird_shard_unpack(struct bird_drawn *d, const void *frame, int64_t size,
                      int64_t length_tok, const struct bird_sample_words *w)
{
    unsigned long long n = ZSTD_getFrameContentSize(frame, (size_t)size);
    unsigned char *raw = NULL;
    size_t got;
    int rc;

    if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN ||
        n > (unsigned long long)raw_bytes(w, length_tok))
        return bird_fail(BIRD_EFORMAT, "it is no row of tokens");
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
