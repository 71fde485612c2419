/* Tokens of a changed sequence, anchored on the tokens of the reference
 * (anchor.h). The reference is encoded once; each change encodes only the span
 * that it covers, and the tokens of both flanks are copied.
 * SPDX-License-Identifier: MIT */
#include "session/anchor.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "token/vocab.h"

void bird_rows_free(struct bird_rows *r)
{
    free(r->ids);
    free(r->position);
    *r = (struct bird_rows){0};
}

void bird_anchor_free(struct bird_anchor *a)
{
    bird_encoding_free(&a->ref);
    bird_encoding_free(&a->alt);
    bird_text_free(&a->work);
}

/* Append n tokens at positions `at`, `at` + 1 ...; positions stop at `last`. */
static int put(struct bird_rows *r, const int32_t *ids, int64_t n, int64_t at,
               int64_t last)
{
    int rc = bird_array_grow(&r->ids, &r->cap_ids, r->n + n, sizeof(*r->ids));

    if (!rc)
        rc = bird_array_grow(&r->position, &r->cap_position, r->n + n,
                             sizeof(*r->position));
    for (int64_t i = 0; !rc && i < n; i++) {
        r->ids[r->n] = ids[i];
        r->position[r->n++] = (int32_t)(at + i < last ? at + i : last);
    }
    return rc;
}

/* The middle tokens of an encoding, as many as the model reads. */
static int choose(int64_t *from, int64_t *to, const struct bird_anchor *a,
                  const bird_encoding *e)
{
    int64_t special = a->t->n_before + a->t->n_after;
    int64_t keep = a->max_tokens - special;

    if (keep < 1)
        return bird_fail(BIRD_EINVAL,
                         "the model reads %lld tokens, but the special ones "
                         "alone are %lld",
                         (long long)a->max_tokens, (long long)special);
    *from = e->n > keep ? (e->n - keep) / 2 : 0;
    *to = e->n > keep ? *from + keep : e->n;
    return 0;
}

/* Tokens from .. to-1 of an encoding between the special tokens. */
static int put_whole(const struct bird_anchor *a, struct bird_rows *out,
                     const bird_encoding *e, int64_t from, int64_t to)
{
    const bird_tokenizer *t = a->t;
    int64_t at = t->n_before, n = to - from;
    int rc;

    out->n = 0;
    rc = put(out, t->before, t->n_before, 0, at);
    if (!rc)
        rc = put(out, e->ids + from, n, at, at + n);
    return rc ? rc : put(out, t->after, t->n_after, at + n, INT32_MAX);
}

int bird_anchor_ref(struct bird_anchor *a, struct bird_rows *out, int *trimmed,
                    const char *text, int64_t n)
{
    int rc = bird_tokenizer_encode(a->t, &a->ref, text, n, 0);

    if (!rc)
        rc = choose(&a->from, &a->to, a, &a->ref);
    if (rc)
        return rc;
    a->text = text;
    a->n = n;
    *trimmed = a->to - a->from < a->ref.n;
    return put_whole(a, out, &a->ref, a->from, a->to);
}

/* End of token i of ref in bases; a k-mer may overlap the next one. */
static int64_t token_end(const struct bird_anchor *a, int64_t i)
{
    int64_t end = i + 1 < a->ref.n ? a->ref.start[i + 1] : a->n;

    if (a->t->kmer)
        end = a->ref.start[i] + a->t->kmer;
    return end < a->n ? end : a->n;
}

/* The tokens i .. j-1 that cover bases start .. end-1. */
static void touched(int64_t *i, int64_t *j, const struct bird_anchor *a,
                    int64_t start, int64_t end)
{
    if (start == end) { /* an insertion: cover the bases on both sides */
        start -= start > 0;
        end += end < a->n;
    }
    for (*i = 0; *i < a->ref.n && token_end(a, *i) <= start; ++*i)
        ;
    for (*j = *i; *j < a->ref.n && a->ref.start[*j] < end; ++*j)
        ;
}

/* Bases first .. last-1 of the sequence, with the change. */
static int splice(struct bird_anchor *a, int64_t first, int64_t last,
                  int64_t start, int64_t end, const char *alt, int64_t n_alt)
{
    int rc;

    bird_text_clear(&a->work);
    rc = bird_text_put(&a->work, a->text + first, start - first);
    if (!rc)
        rc = bird_text_put(&a->work, alt, n_alt);
    return rc ? rc : bird_text_put(&a->work, a->text + end, last - end);
}

static int put_free(struct bird_anchor *a, struct bird_rows *out,
                    struct bird_anchored *what, int64_t start, int64_t end,
                    const char *alt, int64_t n_alt)
{
    const bird_encoding *r = &a->ref, *e = &a->alt;
    int64_t from = 0, to = 0, head = 0, tail = 0, least;
    int rc = splice(a, 0, a->n, start, end, alt, n_alt);

    if (!rc)
        rc = bird_tokenizer_encode(a->t, &a->alt, a->work.s, a->work.n, 0);
    if (!rc)
        rc = choose(&from, &to, a, e);
    if (rc)
        return rc;
    least = r->n < e->n ? r->n : e->n;
    while (head < least && r->ids[head] == e->ids[head])
        head++;
    while (tail < least - head &&
           r->ids[r->n - 1 - tail] == e->ids[e->n - 1 - tail])
        tail++;
    what->fits = 1;
    what->free = 1;
    what->trimmed = to - from < e->n;
    what->n_changed = (r->n > e->n ? r->n : e->n) - head - tail;
    return put_whole(a, out, e, from, to);
}

int bird_anchor_alt(struct bird_anchor *a, struct bird_rows *out,
                    struct bird_anchored *what, int anchored, int64_t start,
                    int64_t end, const char *alt, int64_t n_alt)
{
    const bird_tokenizer *t = a->t;
    int64_t i, j, at, n;
    int rc;

    *what = (struct bird_anchored){0};
    touched(&i, &j, a, start, end);
    if (!anchored || i == j)
        return put_free(a, out, what, start, end, alt, n_alt);
    rc = splice(a, a->ref.start[i] < start ? a->ref.start[i] : start,
                token_end(a, j - 1) > end ? token_end(a, j - 1) : end, start,
                end, alt, n_alt);
    if (!rc)
        rc = bird_tokenizer_encode(t, &a->alt, a->work.s, a->work.n, 0);
    if (rc)
        return rc;
    what->n_changed = j - i > a->alt.n ? j - i : a->alt.n;
    if (what->n_changed > BIRD_ANCHOR_MOST)
        return put_free(a, out, what, start, end, alt, n_alt);
    if (i < a->from || j > a->to)
        return 0;
    what->fits = 1;
    n = t->n_before - a->from; /* the position of token k is n + k */
    at = n + a->to;
    out->n = 0;
    rc = put(out, t->before, t->n_before, 0, t->n_before);
    if (!rc)
        rc = put(out, a->ref.ids + a->from, i - a->from, t->n_before, at);
    if (!rc)
        rc = put(out, a->alt.ids, a->alt.n, n + i, n + j - 1);
    if (!rc)
        rc = put(out, a->ref.ids + j, a->to - j, n + j, at);
    return rc ? rc : put(out, t->after, t->n_after, at, INT32_MAX);
}
