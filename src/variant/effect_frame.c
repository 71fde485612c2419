/* Windows and changes to probabilities: the window of a change is cut, its
 * tokens and those of the changed window are made (session/anchor.h), and both
 * go to a session, which joins strands and remembers answers. A change and its
 * window each get a place, where their probabilities will be. The other way
 * round it is the same with the roles exchanged: the window is that of the
 * sequence with ALT, and what is put in is REF.
 * SPDX-License-Identifier: MIT */
#include "variant/effect_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/tiles.h"
#include "model/stem.h"
#include "seq/alphabet.h"
#include "session/session.h"
#include "variant/effect_bins.h"
#include "variant/effect_masked.h"

struct view { /* a window on one strand */
    struct bird_text bases;
    struct bird_anchor anchor;
    struct bird_rows ref, alt;
    int trimmed;
};

enum { PLUS, MINUS };

struct window { /* cut out of the reference, or of it with ALT in it */
    int64_t contig, start, end, n_unknown;
    struct view view[2]; /* of each strand */
    int encoded;
    int64_t place; /* its values'; -1: not asked for yet */
};

struct bird_frame_effect {
    struct bird_bin_effect *bins;      /* of models that answer in bins */
    struct bird_masked_effect *masked; /* of masked-language models */
    const bird_model *m;
    bird_genome *g;
    struct bird_effect_options o;
    struct bird_contig_cache *stretch;
    bird_session *session;
    int anchors;                    /* ALT is put on tokens that are there */
    int64_t n_feature, n_strand;    /* of a place: 2 where each has its own */
    int64_t fixed_start, fixed_end; /* a window for all; end 0: none */
    struct window at;               /* the window at hand */
    struct window turned;           /* and one with ALT in it */
    struct bird_text reverse;
    struct bird_text was; /* what a change replaces */
    float *value;         /* (n_place, n_strand, n_feature) */
    int64_t n_place, cap_value;
    int64_t n_trimmed;
};

static int take(void *context, const bird_answer *a)
{
    struct bird_frame_effect *e = context;

    int64_t row = a->tag * e->n_strand;

    row += e->n_strand > 1 && a->strand == '-';
    memcpy(e->value + row * e->n_feature, a->value,
           (size_t)e->n_feature * sizeof(*e->value));
    return 0;
}

static void name_window(void *context, int64_t tag, char *out, size_t size)
{
    const struct bird_frame_effect *e = context;

    (void)tag;
    snprintf(out, size, "a window at or before %s:%lld-%lld",
             bird_genome_name(e->g, e->at.contig), (long long)e->at.start + 1,
             (long long)e->at.end);
}

enum bird_strand bird_effect_strand(const struct bird_effect_options *o)
{
    return !o->minus  ? BIRD_STRAND_PLUS
           : !o->plus ? BIRD_STRAND_MINUS
           : o->each  ? BIRD_STRAND_EACH
                      : BIRD_STRAND_BOTH;
}

static void make_window(struct window *w, const bird_model *m)
{
    w->contig = w->place = -1;
    for (int s = 0; s < 2; s++) {
        w->view[s].anchor.t = bird_model_tokenizer(m);
        w->view[s].anchor.max_tokens = bird_stem_tokens(
            bird_model_config(m), bird_model_config(m)->max_positions);
    }
}

static int make(struct bird_frame_effect *e)
{
    bird_session_options how = {.strand = bird_effect_strand(&e->o),
                                .answer = take,
                                .name = name_window,
                                .context = e};
    int rc;

    if (bird_model_config(e->m)->head->n_bin)
        return bird_bin_effect_new(&e->bins, e->m, e->g, e->stretch, &e->o);
    make_window(&e->at, e->m);
    make_window(&e->turned, e->m);
    e->n_feature = 1;
    if (bird_model_config(e->m)->head->masked)
        return bird_masked_effect_new(&e->masked, e->m, &e->o);
    /* a stem reads tokens end to end: every allele by itself */
    e->anchors =
        e->o.tokens != BIRD_TOKENS_FREE && !bird_model_config(e->m)->n_stem;
    rc = bird_session_new(&e->session, e->m, &how);
    if (!rc)
        e->n_feature = bird_session_labels(e->session);
    return rc;
}

int bird_frame_effect_new(struct bird_frame_effect **out, const bird_model *m,
                          bird_genome *g, struct bird_contig_cache *bases,
                          const struct bird_effect_options *o)
{
    struct bird_frame_effect *e;
    int rc = bird_array_new(&e, 1, sizeof(*e));

    if (rc)
        return rc;
    e->m = m;
    e->g = g;
    e->stretch = bases;
    e->o = *o;
    e->n_strand = bird_effect_strand(o) == BIRD_STRAND_EACH ? 2 : 1;
    rc = make(e);
    if (rc)
        bird_frame_effect_free(e);
    else
        *out = e;
    return rc;
}

static void free_window(struct window *w)
{
    for (int s = 0; s < 2; s++) {
        bird_text_free(&w->view[s].bases);
        bird_anchor_free(&w->view[s].anchor);
        bird_rows_free(&w->view[s].ref);
        bird_rows_free(&w->view[s].alt);
    }
}

void bird_frame_effect_free(struct bird_frame_effect *e)
{
    if (!e)
        return;
    bird_bin_effect_free(e->bins);
    bird_masked_effect_free(e->masked);
    free_window(&e->at);
    free_window(&e->turned);
    bird_session_free(e->session);
    bird_text_free(&e->reverse);
    bird_text_free(&e->was);
    free(e->value);
    free(e);
}

void bird_frame_effect_fix(struct bird_frame_effect *e, int64_t start,
                           int64_t end)
{
    e->fixed_start = start;
    e->fixed_end = end;
}

void bird_frame_effect_fix_around(struct bird_frame_effect *e, int64_t contig,
                                  int64_t start, int64_t end)
{
    int64_t length = bird_genome_length(e->g, contig), w = e->o.window_bp;
    int64_t at = start + (end - start) / 2 - w / 2 + e->o.shift_bp;

    if (e->bins) {
        bird_bin_effect_fix(e->bins, start, end);
        return;
    }
    at = at + w > length ? length - w : at;
    at = at > 0 ? at : 0;
    bird_frame_effect_fix(e, at, at + w < length ? at + w : length);
}

int64_t bird_frame_effect_features(const struct bird_frame_effect *e)
{
    return e->bins ? bird_bin_effect_features(e->bins) : e->n_feature;
}

void bird_frame_effect_distance(struct bird_frame_effect *e, int wanted)
{
    if (e->masked)
        bird_masked_effect_distance(e->masked, wanted);
}

/* What a view of both strands needs of the plus strand's bases. */
static int turn_window(struct window *w)
{
    struct bird_text *plus = &w->view[PLUS].bases;
    int rc;

    bird_text_clear(&w->view[MINUS].bases);
    rc = bird_text_put(&w->view[MINUS].bases, plus->s, plus->n);
    if (rc)
        return rc;
    bird_reverse_complement(w->view[MINUS].bases.s, plus->s, plus->n);
    w->n_unknown = bird_count_unknown(plus->s, plus->n);
    return 0;
}

/* Bases of the reference behind those that a window has. */
static int put_bases(struct bird_frame_effect *e, struct window *w,
                     int64_t contig, int64_t start, int64_t end)
{
    /* a little more to the left, so that the interval that is kept also serves
       what comes next and begins before this */
    int64_t more = start > e->o.window_bp ? e->o.window_bp : start;
    const char *s;
    int rc =
        bird_contig_cache_get(&s, e->stretch, e->g, contig, start - more, end);

    return rc ? rc : bird_text_put(&w->view[PLUS].bases, s + more, end - start);
}

static void empty_window(struct window *w)
{
    w->contig = w->place = -1;
    w->encoded = 0;
    bird_text_clear(&w->view[PLUS].bases);
}

/* The bases of a window on both strands, where it is not at hand. */
static int fetch_window(struct bird_frame_effect *e, int64_t contig,
                        int64_t start, int64_t end)
{
    struct window *w = &e->at;
    int rc;

    if (w->contig == contig && w->start == start && w->end == end)
        return 0;
    empty_window(w);
    rc = put_bases(e, w, contig, start, end);
    if (!rc)
        rc = turn_window(w);
    if (rc)
        return rc;
    w->contig = contig;
    w->start = start;
    w->end = end;
    return 0;
}

/* Is this strand one of those in use? */
static int is_used(const struct bird_frame_effect *e, int s)
{
    return s == MINUS ? e->o.minus : e->o.plus;
}

/* Tokenize a window on the strands in use. */
static int encode(struct bird_frame_effect *e, struct window *w)
{
    int rc = 0;

    if (e->masked && !w->encoded) {
        rc = bird_masked_effect_open(e->masked, w->view[PLUS].bases.s,
                                     w->view[MINUS].bases.s, w->end - w->start);
        e->at.encoded = e->turned.encoded = 0; /* it has one of both */
    }
    for (int s = 0; s < 2 && !rc && !w->encoded && !e->masked; s++)
        if (is_used(e, s))
            rc = bird_anchor_ref(&w->view[s].anchor, &w->view[s].ref,
                                 &w->view[s].trimmed, w->view[s].bases.s,
                                 w->end - w->start);
    w->encoded = !rc;
    return rc;
}

/* A new place, and the session is given what its values are of. */
static int give(struct bird_frame_effect *e, int64_t *place,
                const struct bird_rows *plus, const struct bird_rows *minus)
{
    int rc = bird_array_grow(&e->value, &e->cap_value,
                             (e->n_place + 1) * e->n_strand * e->n_feature,
                             sizeof(*e->value));

    if (rc)
        return rc;
    *place = e->n_place++;
    if (e->o.plus && e->o.minus)
        return bird_session_add_rows(e->session, plus, minus, *place);
    return bird_session_add_rows(e->session, e->o.plus ? plus : minus, NULL,
                                 *place);
}

/* A window without a change. */
static int give_window(struct bird_frame_effect *e, struct window *w,
                       int64_t *place)
{
    int rc = 0;

    if (w->place < 0) {
        for (int s = 0; s < 2; s++)
            e->n_trimmed += is_used(e, s) && w->view[s].trimmed;
        rc = give(e, &w->place, &w->view[PLUS].ref, &w->view[MINUS].ref);
    }
    *place = w->place;
    return rc;
}

/* The change on one strand: its place in that strand's bases. */
static int encode_change(struct bird_frame_effect *e, struct window *w,
                         struct bird_anchored *what,
                         const struct bird_change *c, int s)
{
    int64_t from = c->start - w->start, to = c->end - w->start;
    int64_t n = w->end - w->start;
    const char *alt = c->alt.s;
    int rc = 0;

    if (s == MINUS) {
        int64_t old = from;

        from = n - to;
        to = n - old;
        bird_text_clear(&e->reverse);
        rc = bird_text_put(&e->reverse, c->alt.s, c->alt.n);
        if (!rc)
            bird_reverse_complement(e->reverse.s, e->reverse.s, c->alt.n);
        alt = e->reverse.s;
    }
    return rc ? rc
              : bird_anchor_alt(&w->view[s].anchor, &w->view[s].alt, what,
                                e->anchors, from, to, alt, c->alt.n);
}

/* Tokenize the changed window; *fits 0: the model cannot see the change. */
static int encode_changes(struct bird_frame_effect *e, struct window *w,
                          struct bird_request *r, int *fits,
                          const struct bird_change *c)
{
    struct bird_anchored what = {0};
    int rc = encode(e, w);

    *fits = 1;
    for (int s = 0; s < 2 && !rc && *fits; s++) {
        if (!is_used(e, s))
            continue;
        rc = encode_change(e, w, &what, c, s);
        if (rc)
            break;
        *fits = what.fits;
        r->free |= what.free;
        if (what.n_changed > r->n_changed)
            r->n_changed = what.n_changed;
        e->n_trimmed += what.trimmed;
    }
    return rc;
}

/* Windows of masked-language models begin at multiples of W / GRID, so that
 * neighbouring changes share one. */
enum { GRID = 16 };

/* Where the window of a change lies on a contig of this length, and whether it
 * is where and as long as it should be; 0: none holds it. */
static int place_window(struct window *at, struct bird_request *a,
                        const struct bird_frame_effect *e,
                        const struct bird_change *c, int64_t length)
{
    int64_t w = e->o.window_bp, n = c->end - c->start, left;
    int64_t middle = n > w / 2 ? c->start + n / 2 : c->start;
    int64_t step = e->masked && w > GRID ? w / GRID : 1;
    int64_t base = (w + step - 1) / step * step; /* nothing is negative then */

    if (n > w || c->alt.n > w)
        return 0;
    left = (middle - w / 2 + base + step / 2) / step * step - base;
    left += e->o.shift_bp;
    a->cut |= length < w;
    a->moved |= length >= w && !e->fixed_end && (left < 0 || left + w > length);
    if (left + w > length)
        left = length - w;
    at->start = left > 0 ? left : 0;
    at->end = at->start + w < length ? at->start + w : length;
    if (e->fixed_end) {
        at->start = e->fixed_start;
        at->end = e->fixed_end + length - bird_genome_length(e->g, c->contig);
    }
    return at->start <= c->start && c->end <= at->end &&
           at->end - at->start - n + c->alt.n > 0;
}

/* A change in a window that is at hand. */
static int submit_in(struct bird_frame_effect *e, struct window *w,
                     struct bird_request *r, enum bird_variant_status *status,
                     const struct bird_change *c)
{
    int64_t n_changed = r->n_changed;
    int fits, rc;

    *status = BIRD_VARIANT_MANY_N;
    if ((double)w->n_unknown > e->o.max_unknown * (double)(w->end - w->start))
        return 0;
    *status = BIRD_VARIANT_TOO_LONG;
    if (e->masked) {
        rc = encode(e, w);
        if (!rc)
            rc = bird_masked_effect_submit(e->masked, r, status,
                                           c->start - w->start,
                                           c->end - w->start, &c->alt);
        if (r->n_changed < n_changed)
            r->n_changed = n_changed;
        return rc;
    }
    if ((rc = encode_changes(e, w, r, &fits, c)) || !fits)
        return rc;
    *status = BIRD_VARIANT_OK;
    rc = give(e, &r->alt, &w->view[PLUS].alt, &w->view[MINUS].alt);
    return rc ? rc : give_window(e, w, &r->ref);
}

/* The change back: of what ALT became to what the reference has. */
static int turn_change(struct bird_frame_effect *e, struct bird_change *back,
                       const struct bird_change *c)
{
    const char *s;
    int rc = bird_contig_cache_get(&s, e->stretch, e->g, c->contig, c->start,
                                   c->end);

    bird_text_clear(&e->was);
    if (!rc)
        rc = bird_text_put(&e->was, s, c->end - c->start);
    *back = (struct bird_change){.contig = c->contig,
                                 .start = c->start,
                                 .end = c->start + c->alt.n,
                                 .alt = e->was};
    return rc;
}

/* The change the other way round: from ALT's window to REF. */
static int submit_turned(struct bird_frame_effect *e, struct bird_request *out,
                         enum bird_variant_status *status,
                         const struct bird_change *c)
{
    struct window *w = &e->turned;
    int64_t more = c->alt.n - (c->end - c->start);
    struct bird_change back;
    int rc = turn_change(e, &back, c);

    if (rc)
        return rc;
    empty_window(w);
    *status = BIRD_VARIANT_TOO_LONG;
    if (!place_window(w, out, e, &back,
                      bird_genome_length(e->g, c->contig) + more))
        return 0;
    rc = put_bases(e, w, c->contig, w->start, c->start);
    if (!rc)
        rc = bird_text_put(&w->view[PLUS].bases, c->alt.s, c->alt.n);
    if (!rc)
        rc = put_bases(e, w, c->contig, c->end, w->end - more);
    if (!rc)
        rc = turn_window(w);
    return rc ? rc : submit_in(e, w, out, status, &back);
}

/* Are there to be both ways? With tokens that no change anchors, a window and
 * the one that has as many bases of ALT in it are the same either way. */
static int is_turned(const struct bird_frame_effect *e,
                     const struct bird_change *c)
{
    return e->o.tokens == BIRD_TOKENS_BOTH &&
           (e->anchors || c->alt.n != c->end - c->start);
}

static int submit(struct bird_frame_effect *e, struct bird_way out[2],
                  struct bird_request *all, enum bird_variant_status *status,
                  const struct bird_change *c)
{
    struct bird_request r = {.change_class = bird_change_class(c)};
    struct window at;
    int rc;

    *status = BIRD_VARIANT_TOO_LONG;
    if (!place_window(&at, &r, e, c, bird_genome_length(e->g, c->contig)))
        return 0;
    rc = fetch_window(e, c->contig, at.start, at.end);
    if (!rc)
        rc = submit_in(e, &e->at, &r, status, c);
    out[0] = (struct bird_way){r.ref, r.alt};
    out[1] = (struct bird_way){-1, -1};
    if (!rc && *status == BIRD_VARIANT_OK && is_turned(e, c)) {
        rc = submit_turned(e, &r, status, c);
        out[1] = (struct bird_way){r.alt, r.ref};
        r.turned = 1;
    }
    *all = r;
    return rc;
}

int bird_frame_effect_submit(struct bird_frame_effect *e,
                             struct bird_way out[2], struct bird_request *all,
                             enum bird_variant_status *status,
                             const struct bird_change *c)
{
    return e->bins ? bird_bin_effect_submit(e->bins, out, all, status, c)
                   : submit(e, out, all, status, c);
}

int bird_frame_effect_region(struct bird_frame_effect *e,
                             struct bird_region_window *out,
                             enum bird_variant_status *status, int64_t contig,
                             int64_t start, int64_t end)
{
    int rc;

    bird_frame_effect_fix_around(e, contig, start, end);
    if (e->bins)
        return bird_bin_effect_region(e->bins, out, status, contig);
    *status = BIRD_VARIANT_TOO_LONG;
    if (start < e->fixed_start || end > e->fixed_end)
        return 0; /* --shift moved the window */
    rc = fetch_window(e, contig, e->fixed_start, e->fixed_end);
    if (rc)
        return rc;
    *status = (double)e->at.n_unknown >
                      e->o.max_unknown * (double)(e->at.end - e->at.start)
                  ? BIRD_VARIANT_MANY_N
                  : BIRD_VARIANT_OK;
    *out = (struct bird_region_window){.start = e->at.start,
                                       .end = e->at.end,
                                       .bases = e->at.view[PLUS].bases.s,
                                       .n_bin = 1};
    return 0;
}

int bird_frame_effect_flush(struct bird_frame_effect *e)
{
    return e->bins     ? bird_bin_effect_flush(e->bins)
           : e->masked ? bird_masked_effect_flush(e->masked)
                       : bird_session_flush(e->session);
}

const float *bird_frame_effect_values(const struct bird_frame_effect *e,
                                      int64_t place)
{
    return e->bins     ? bird_bin_effect_values(e->bins, place)
           : e->masked ? bird_masked_effect_values(e->masked, place)
                       : e->value + place * e->n_strand * e->n_feature;
}

void bird_frame_effect_evict(struct bird_frame_effect *e)
{
    if (e->bins)
        bird_bin_effect_evict(e->bins);
    if (e->masked)
        bird_masked_effect_evict(e->masked);
    e->n_place = 0;
    e->at.place = -1;
}

void bird_frame_effect_count(const struct bird_frame_effect *e,
                             bird_session_counts *out)
{
    if (e->bins) {
        bird_bin_effect_count(e->bins, out);
        return;
    }
    if (e->masked) {
        bird_masked_effect_count(e->masked, out);
        return;
    }
    bird_session_count(e->session, out);
    out->n_trimmed = e->n_trimmed;
}
