/* Sequences to token rows, end to end. Arrays only grow, so that after the
 * first packs nothing is allocated. A sequence that is too long loses tokens at
 * both ends evenly, because the answer is about its middle.
 * SPDX-License-Identifier: MIT */
#include "session/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "model/stem.h"
#include "session/layout.h"

void bird_pack_free(struct bird_pack *p)
{
    free(p->ids);
    free(p->position);
    free(p->offset);
    free(p->token);
    free(p->base);
    free(p->bin);
    free(p->mask);
    bird_encoding_free(&p->encoding);
    *p = (struct bird_pack){0};
}

void bird_pack_clear(struct bird_pack *p)
{
    p->n_seq = p->n_tok = p->n_row = p->n_based = 0;
    p->positions = 0;
}

int bird_pack_add_ids(struct bird_pack *p, const int32_t *ids,
                      const int32_t *position, int64_t n)
{
    int64_t full = p->pad_to > n ? p->pad_to : n;
    int64_t rows = p->c && p->c->n_stem ? bird_stem_rows(p->c, ids, n) : full;
    int rc =
        bird_array_grow(&p->ids, &p->cap_ids, p->n_tok + full, sizeof(*p->ids));

    if (rc ||
        (rc = bird_array_grow(&p->position, &p->cap_position, p->n_tok + full,
                              sizeof(*p->position))) ||
        (rc = bird_array_grow(&p->offset, &p->cap_offset, p->n_seq + 2,
                              sizeof(*p->offset))) ||
        (rc = bird_array_grow(&p->token, &p->cap_token, p->n_seq + 2,
                              sizeof(*p->token))))
        return rc;
    if (p->pad_to &&
        (rc = bird_array_grow(&p->mask, &p->cap_mask, p->n_tok + full, 1)))
        return rc;
    if (n)
        memcpy(p->ids + p->n_tok, ids, (size_t)n * sizeof(*ids));
    for (int64_t i = n; i < full; i++)
        p->ids[p->n_tok + i] = p->pad_id;
    for (int64_t i = 0; p->pad_to && i < full; i++)
        p->mask[p->n_tok + i] = i < n;
    for (int64_t i = 0; i < full; i++)
        p->position[p->n_tok + i] =
            position && i < n ? position[i] : (int32_t)i;
    p->positions |= position != NULL;
    p->offset[0] = p->token[0] = 0;
    p->n_tok += full;
    p->n_row += rows;
    p->offset[++p->n_seq] = p->n_row;
    p->token[p->n_seq] = p->n_tok;
    return 0;
}

/* Keep the middle tokens of the text, so that max_len remain with the special
 * ones. */
static void trim(bird_encoding *e, const bird_encoding *plain, int64_t max_len)
{
    int64_t special = e->n - plain->n, keep = max_len - special, first, head;

    for (head = 0; head < special && plain->n > 0; head++)
        if (e->ids[head] == plain->ids[0])
            break;
    first = (plain->n - keep) / 2;
    memmove(e->ids + head, e->ids + head + first,
            (size_t)keep * sizeof(*e->ids));
    memmove(e->ids + head + keep, e->ids + head + plain->n,
            (size_t)(special - head) * sizeof(*e->ids));
    e->n = max_len;
}

int bird_pack_encode(struct bird_pack *p, const bird_tokenizer *t,
                     const char *text, int64_t n, int64_t max_len)
{
    bird_encoding *e = &p->encoding, plain = {0};
    int rc = bird_tokenizer_encode(t, e, text, n, 1);

    if (!rc && e->n > max_len) {
        rc = bird_tokenizer_encode(t, &plain, text, n, 0);
        if (!rc && e->n - plain.n > max_len)
            rc = bird_fail(BIRD_EINVAL,
                           "the model reads %lld tokens, but the special ones "
                           "alone are %lld",
                           (long long)max_len, (long long)(e->n - plain.n));
        if (!rc) {
            trim(e, &plain, max_len);
            p->n_trimmed++;
        }
        bird_encoding_free(&plain);
    }
    return rc;
}

int bird_pack_add(struct bird_pack *p, const bird_tokenizer *t,
                  const char *text, int64_t n, int64_t max_len)
{
    int rc = bird_pack_encode(p, t, text, n, max_len);

    return rc ? rc : bird_pack_add_ids(p, p->encoding.ids, NULL, p->encoding.n);
}

/* Number of bins of these bases, short bins at both ends included. */
static int64_t count_bins(const struct bird_binned *s,
                          const struct bird_config *c)
{
    return bird_config_bins(c, s->before + s->len);
}

/* Where row `row` of the encoded sequence begins; -1: a special token, which
 * has no bases. */
static int32_t base_of(const struct bird_pack *p, int64_t row,
                       const struct bird_binned *s)
{
    const bird_encoding *e = &p->encoding;
    int64_t i = bird_stem_token(p->c, e->ids, e->n, row);
    int64_t next = i + 1 < e->n ? e->start[i + 1] : s->len;

    return next > e->start[i] ? (int32_t)(e->start[i] + s->before) : -1;
}

int bird_pack_add_bins(struct bird_pack *p, const bird_tokenizer *t,
                       const struct bird_binned *s)
{
    const bird_encoding *e = &p->encoding;
    int64_t first = p->n_row, rows;
    int rc = bird_tokenizer_encode(t, &p->encoding, s->seq, s->len, 1);

    if (rc)
        return rc;
    rows = bird_stem_rows(p->c, e->ids, e->n);
    if (rows > p->c->max_positions)
        return bird_fail(BIRD_EINVAL,
                         "a window of %lld bp is %lld rows, but the model "
                         "reads %lld: use shorter windows",
                         (long long)s->len, (long long)rows,
                         (long long)p->c->max_positions);
    rc =
        bird_array_grow(&p->base, &p->cap_base, first + rows, sizeof(*p->base));
    if (!rc)
        rc = bird_array_grow(&p->bin, &p->cap_bin, p->n_seq + 2,
                             sizeof(*p->bin));
    if (!rc)
        rc = bird_pack_add_ids(p, e->ids, NULL, e->n);
    if (rc)
        return rc;
    for (int64_t i = 0; i < rows; i++)
        p->base[first + i] = base_of(p, i, s);
    p->bin[0] = 0;
    p->bin[p->n_seq] = p->bin[p->n_seq - 1] + count_bins(s, p->c);
    p->n_based++;
    return 0;
}

struct bird_batch bird_pack_batch(const struct bird_pack *p)
{
    int based = p->n_seq > 0 && p->n_based == p->n_seq;

    return (struct bird_batch){.n_seq = p->n_seq,
                               .offset = p->offset,
                               .token = p->c && p->c->n_stem ? p->token : NULL,
                               .base = based ? p->base : NULL,
                               .bin = based ? p->bin : NULL,
                               .ids = p->ids,
                               .mask = p->pad_to ? p->mask : NULL,
                               .position = p->positions ? p->position : NULL};
}
