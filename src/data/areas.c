/* Where rows may lie: intervals, documents. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/sampler.h"
#include "dnabird/window.h"

/* lo .. hi, both included. */
static int64_t between(struct bird_rng *r, int64_t lo, int64_t hi)
{
    return lo + (int64_t)bird_rng_below(r, (uint64_t)(hi - lo + 1));
}

/* ---- documents ----------------------------------------------------------- */

/* The sentences of document i, one after the other: start with
   document_begin, then each call of sentence_next adds one. */
struct sentences {
    struct bird_rng r;
    int64_t left;   /* sentences to come */
    int64_t at;     /* bp before the next one */
    int64_t length; /* bp there are */
};

static void document_begin(struct sentences *x, uint64_t seed, int64_t i,
                           int64_t length)
{
    *x = (struct sentences){.length = length};
    bird_rng_init(&x->r, seed, BIRD_STREAM_DOCUMENT, (uint64_t)i);
    x->left = between(&x->r, BIRD_SENTENCES_MIN, BIRD_SENTENCES_MAX);
}

/* 1 with x->at moved behind the sentence, 0 at the end of the document. */
static int sentence_next(struct sentences *x)
{
    if (!x->left || x->at >= x->length)
        return 0;
    x->left--;
    x->at += between(&x->r, BIRD_SENTENCE_MIN, BIRD_SENTENCE_MAX);
    if (x->at > x->length)
        x->at = x->length;
    return 1;
}

/* One pass over an interval: documents from a random start to its end. */
static int add_pass(struct bird_sampler *s, const struct bird_place *p,
                    int64_t pass)
{
    int64_t at = p->start, limit = (p->end - p->start) / 10;
    struct sentences x;
    struct bird_rng r;
    int rc = 0;

    if (limit > BIRD_PASS_START)
        limit = BIRD_PASS_START;
    bird_rng_init(&r, s->o.seed, BIRD_STREAM_PASS, (uint64_t)pass);
    for (at += between(&r, 0, limit); !rc && at < p->end; at += x.at) {
        document_begin(&x, s->o.seed, s->n_document, p->end - at);
        while (sentence_next(&x))
            ;
        rc = bird_array_grow(&s->document, &s->cap_document, s->n_document + 1,
                             sizeof(*s->document));
        if (!rc)
            s->document[s->n_document++] =
                (struct bird_document){at, p->contig, (int32_t)x.at};
    }
    return rc;
}

static int make_documents(struct bird_sampler *s)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->allowed.n; i++)
        for (int64_t k = 0; !rc && k < BIRD_PASSES; k++)
            rc = add_pass(s, s->allowed.at + i, i * BIRD_PASSES + k);
    if (!rc)
        rc = bird_array_new(&s->sum, s->n_document + 1, sizeof(*s->sum));
    for (int64_t i = 0; !rc && i < s->n_document; i++)
        s->sum[i + 1] = s->sum[i] + s->document[i].length;
    return rc;
}

/* ---- intervals ----------------------------------------------------------- */

/* Take away what is held out for other purposes. */
static int hold_out(struct bird_sampler *s, const char *text)
{
    struct bird_places cut = {0};
    int rc;

    if (!text)
        return 0;
    rc = bird_places_check_named(&s->bases.contigs, text);
    if (!rc)
        rc = bird_places_read_named(&cut, &s->bases.contigs, text);
    bird_places_merge(&cut);
    if (!rc)
        rc = bird_places_subtract(&s->allowed, &cut);
    bird_places_free(&cut);
    return rc;
}

static int count_bases(struct bird_sampler *s)
{
    for (int64_t i = 0; i < s->allowed.n; i++) {
        const struct bird_place *p = s->allowed.at + i;

        s->n_base += p->end - p->start -
                     bird_bases_unknown(&s->bases, p->contig, p->start, p->end);
    }
    if (s->n_base)
        return 0;
    return bird_fail(BIRD_EINVAL, "no A, C, G or T lies where rows may lie: "
                                  "check the references and regions");
}

int bird_areas_open(struct bird_sampler *s, const struct bird_sample_options *o)
{
    struct bird_bases_source source = {o->fasta, o->n_fasta, o->include,
                                       o->exclude};
    int rc = bird_bases_open(&s->bases, &s->allowed, &source);

    for (int i = 0; !rc && i < 2; i++)
        rc = hold_out(s, o->held_out[i]);
    if (rc || (rc = count_bases(s)))
        return rc;
    if (o->kind == BIRD_SAMPLE_DOCUMENTS)
        return make_documents(s);
    return bird_places_sum(&s->sum, &s->allowed, 1);
}

/* ---- spots --------------------------------------------------------------- */

/* Where the sentences of the spot's document begin, in bp from its 5' end on
   the spot's strand, and where the last one ends; returns their number. */
static int64_t find_borders(int64_t border[BIRD_SENTENCES_MAX + 1],
                            const struct bird_sampler *s,
                            const struct bird_spot *x)
{
    int64_t length = x->end - x->start, n = 0, swap;
    struct sentences y;

    document_begin(&y, s->o.seed, x->area, length);
    border[0] = 0;
    while (sentence_next(&y))
        border[++n] = y.at;
    if (x->strand == '+')
        return n;
    for (int64_t i = 0; i <= n / 2; i++) {
        swap = length - border[i];
        border[i] = length - border[n - i];
        border[n - i] = swap;
    }
    return n;
}

/* From the base that was drawn back to its sentence; where that leaves too
   little room, any sentence that leaves enough, or the first. */
static void move_to_sentence(struct bird_spot *x, const struct bird_sampler *s,
                             struct bird_rng *r, int64_t need)
{
    int64_t border[BIRD_SENTENCES_MAX + 1], n = find_borders(border, s, x);
    int64_t k = 0, fit = 1, length = x->end - x->start;

    while (k + 1 < n && border[k + 1] <= x->from)
        k++;
    while (fit < n && border[fit] <= length - need)
        fit++;
    if (border[k] > length - need)
        k = (int64_t)bird_rng_below(r, (uint64_t)fit);
    x->from = border[k];
}

void bird_spot_draw(struct bird_spot *out, const struct bird_sampler *s,
                    struct bird_rng *r, int64_t need)
{
    int64_t n = s->document ? s->n_document : s->allowed.n;
    int64_t at = (int64_t)bird_rng_below(r, (uint64_t)s->sum[n]), length;

    *out = (struct bird_spot){.strand = bird_rng_next(r) >> 63 ? '-' : '+'};
    out->from = bird_sum_find(&out->area, s->sum, n, at);
    if (s->document) {
        const struct bird_document *d = s->document + out->area;

        out->contig = d->contig;
        out->start = d->start;
        out->end = d->start + d->length;
        move_to_sentence(out, s, r, need);
        return;
    }
    out->contig = s->allowed.at[out->area].contig;
    out->start = s->allowed.at[out->area].start;
    out->end = s->allowed.at[out->area].end;
    length = out->end - out->start;
    if (length <= need)
        out->from = 0;
    else if (out->from > length - need)
        out->from = between(r, 0, length - need);
}

int64_t bird_spot_cut(const struct bird_spot *x, const struct bird_sampler *s,
                      struct bird_rng *r, int64_t span)
{
    /* neither part so short that nothing can be told from it */
    int64_t lo = span / 8 > 1 ? span / 8 : 1, hi = span - lo;
    int64_t border[BIRD_SENTENCES_MAX + 1], n = 0, m = 0;

    if (s->document)
        n = find_borders(border, s, x);
    for (int64_t i = 0; i < n; i++)
        if (border[i] >= x->from + lo && border[i] <= x->from + hi)
            border[m++] = border[i] - x->from;
    return m ? border[bird_rng_below(r, (uint64_t)m)] : between(r, lo, hi);
}

/* The n letters from the spot on as they lie on the contig. */
static int64_t spot_start(const struct bird_spot *x, int64_t n)
{
    return x->strand == '+' ? x->start + x->from : x->end - x->from - n;
}

void bird_spot_letters(char *out, const struct bird_sampler *s,
                       const struct bird_spot *x, int64_t n)
{
    int64_t start = spot_start(x, n);

    bird_bases_get(out, &s->bases, x->contig, start, start + n);
    if (x->strand == '-')
        bird_reverse_complement(out, out, n);
}

int bird_spot_rich(const struct bird_sampler *s, const struct bird_spot *x,
                   int64_t n)
{
    int64_t start = spot_start(x, n);
    int64_t unknown =
        bird_bases_unknown(&s->bases, x->contig, start, start + n);

    return (double)unknown > s->o.max_n * (double)n;
}
