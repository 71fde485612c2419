/* Windows of both haplotypes as tokens, and the span in which they differ.
 * SPDX-License-Identifier: MIT */
#include "variant/masked_span.h"

#include "base/order.h"
#include "token/vocab.h"

void bird_masked_strand_free(struct bird_masked_strand *v)
{
    bird_encoding_free(&v->side[BIRD_SIDE_FROM].e);
    bird_encoding_free(&v->side[BIRD_SIDE_TO].e);
    bird_text_free(&v->to);
}

int bird_masked_strand_open(struct bird_masked_strand *v,
                            const bird_tokenizer *t, const char *bases,
                            int64_t n)
{
    v->bases = bases;
    v->side[BIRD_SIDE_FROM].n_base = n;
    return bird_tokenizer_encode(t, &v->side[BIRD_SIDE_FROM].e, bases, n, 0);
}

/* Where token i ends; k-mers may overlap the next one. */
static int64_t token_end(const struct bird_masked_side *x,
                         const bird_tokenizer *t, int64_t i)
{
    int64_t end = i + 1 < x->e.n ? x->e.start[i + 1] : x->n_base;

    if (t->kmer)
        end = x->e.start[i] + t->kmer;
    return end < x->n_base ? end : x->n_base;
}

/* The span is the tokens that cover bases from .. to. */
static void cover(struct bird_masked_side *x, const bird_tokenizer *t,
                  int64_t from, int64_t to)
{
    for (x->first = 0; x->first < x->e.n && token_end(x, t, x->first) <= from;
         x->first++)
        ;
    for (x->end = x->first; x->end < x->e.n && x->e.start[x->end] < to;
         x->end++)
        ;
}

/* Does a change of length shift all words behind it? */
static int shifts_words(const bird_tokenizer *t)
{
    return t->kmer > 1 && t->stride != 1;
}

/* Both spans grow until the tokens outside of them are the same. */
static void widen(struct bird_masked_side *a, struct bird_masked_side *b)
{
    int64_t left = bird_smaller(a->first, b->first), head = 0, tail = 0;
    int64_t right = bird_smaller(a->e.n - a->end, b->e.n - b->end);

    while (head < left && a->e.ids[head] == b->e.ids[head])
        head++;
    while (tail < right &&
           a->e.ids[a->e.n - 1 - tail] == b->e.ids[b->e.n - 1 - tail])
        tail++;
    a->first = b->first = head;
    a->end = a->e.n - tail;
    b->end = b->e.n - tail;
}

int bird_masked_strand_change(struct bird_masked_strand *v,
                              const bird_tokenizer *t,
                              const struct bird_strand_change *c)
{
    struct bird_masked_side *a = &v->side[BIRD_SIDE_FROM];
    struct bird_masked_side *b = &v->side[BIRD_SIDE_TO];
    int64_t more = c->alt.n - (c->to - c->from), edge = more != 0, from, to;
    int rc;

    bird_text_clear(&v->to);
    rc = bird_text_put(&v->to, v->bases, c->from);
    if (!rc)
        rc = bird_text_put(&v->to, c->alt.s, c->alt.n);
    if (!rc)
        rc = bird_text_put(&v->to, v->bases + c->to, a->n_base - c->to);
    if (!rc)
        rc = bird_tokenizer_encode(t, &b->e, v->to.s, v->to.n, 0);
    if (rc)
        return rc;
    b->n_base = v->to.n;
    from = c->from > edge ? c->from - edge : 0;
    to = bird_smaller(c->to + edge, a->n_base);
    cover(a, t, from, to);
    cover(b, t, from, to + more);
    if (!more || !shifts_words(t))
        widen(a, b);
    return 0;
}

int64_t bird_masked_span_bases(const struct bird_masked_side *x,
                               const bird_tokenizer *t)
{
    return token_end(x, t, x->end - 1) - x->e.start[x->first];
}

int bird_masked_span_known(const struct bird_masked_side *x,
                           const bird_tokenizer *t)
{
    if (x->first >= x->end)
        return 0;
    for (int64_t i = x->first; i < x->end; i++)
        if (x->e.ids[i] == t->unk)
            return 0;
    return 1;
}
