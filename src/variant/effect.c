/* Windows and changes to probabilities: the window of a change is cut, its
 * tokens and those of the changed window are made (session/anchor.h), and both
 * go to a session, which joins strands and remembers answers. A change and its
 * window each get a place, where their probabilities will be.
 * SPDX-License-Identifier: MIT */
#include "variant/effect.h"

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

struct view { /* a window on one strand */
    struct bird_text bases;
    struct bird_anchor anchor;
    struct bird_rows ref, alt;
    int trimmed;
};

enum { PLUS, MINUS };

struct bird_effect {
    struct bird_bin_effect *bins; /* NULL: one answer a window */
    const struct bird_model *m;
    bird_genome *g;
    struct bird_effect_options o;
    struct bird_contig_cache stretch;
    bird_session *session;
    int64_t n_feature;
    int64_t fixed_start, fixed_end; /* a window for all; end 0: none */
    /* the window at hand */
    int64_t contig, start, end, n_unknown;
    struct view view[2]; /* of each strand */
    int encoded;
    int64_t ref_place; /* of the window at hand; -1: not asked for yet */
    struct bird_text reverse;
    float *value; /* (n_place, n_feature) */
    int64_t n_place, cap_value;
    int64_t n_trimmed;
};

static int take(void *context, const bird_answer *a)
{
    struct bird_effect *e = context;

    memcpy(e->value + a->tag * e->n_feature, a->value,
           (size_t)e->n_feature * sizeof(*e->value));
    return 0;
}

static void name_window(void *context, int64_t tag, char *out, size_t size)
{
    const struct bird_effect *e = context;

    (void)tag;
    snprintf(out, size, "a window at or before %s:%lld-%lld",
             bird_genome_name(e->g, e->contig), (long long)e->start + 1,
             (long long)e->end);
}

int bird_effect_new(struct bird_effect **out, const struct bird_model *m,
                    bird_genome *g, const struct bird_effect_options *o)
{
    bird_session_options how = {.strand = o->plus && o->minus ? BIRD_STRAND_BOTH
                                          : o->plus           ? BIRD_STRAND_PLUS
                                                    : BIRD_STRAND_MINUS,
                                .answer = take,
                                .name = name_window};
    struct bird_effect *e;
    int rc = bird_model_check_scores(m);

    if (rc)
        return rc;
    e = calloc(1, sizeof(*e));
    if (!e)
        return bird_fail_memory(sizeof(*e));
    e->m = m;
    e->g = g;
    e->o = *o;
    if (m->folder.config.head->n_bin) {
        rc = bird_bin_effect_new(&e->bins, m, g, &e->stretch, o);
        if (rc)
            bird_effect_free(e);
        else
            *out = e;
        return rc;
    }
    e->contig = e->ref_place = -1;
    /* a stem reads tokens end to end: every allele by itself */
    if (m->folder.config.n_stem)
        e->o.anchored = 0;
    for (int s = 0; s < 2; s++) {
        e->view[s].anchor.t = m->tokenizer;
        e->view[s].anchor.max_tokens =
            bird_stem_tokens(&m->folder.config, m->folder.config.max_positions);
    }
    how.context = e;
    rc = bird_session_new(&e->session, m, &how);
    if (rc) {
        bird_effect_free(e);
        return rc;
    }
    e->n_feature = bird_session_labels(e->session);
    *out = e;
    return 0;
}

void bird_effect_free(struct bird_effect *e)
{
    if (!e)
        return;
    bird_bin_effect_free(e->bins);
    for (int s = 0; s < 2; s++) {
        bird_text_free(&e->view[s].bases);
        bird_anchor_free(&e->view[s].anchor);
        bird_rows_free(&e->view[s].ref);
        bird_rows_free(&e->view[s].alt);
    }
    bird_contig_cache_free(&e->stretch);
    bird_session_free(e->session);
    bird_text_free(&e->reverse);
    free(e->value);
    free(e);
}

void bird_effect_fix(struct bird_effect *e, int64_t start, int64_t end)
{
    e->fixed_start = start;
    e->fixed_end = end;
}

void bird_effect_fix_around(struct bird_effect *e, int64_t contig,
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
    bird_effect_fix(e, at, at + w < length ? at + w : length);
}

int64_t bird_effect_room(const struct bird_effect *e)
{
    int64_t w = e->o.window_bp, core;

    if (!e->bins)
        return w;
    core = bird_bin_effect_core(e->m, w) - e->m->folder.config.bin_bp;
    return core > 1 ? core : 1;
}

int64_t bird_effect_features(const struct bird_effect *e)
{
    return e->bins ? bird_bin_effect_features(e->bins) : e->n_feature;
}

struct bird_contig_cache *bird_effect_bases(struct bird_effect *e)
{
    return &e->stretch;
}

/* The bases of a window on both strands, where it is not at hand. */
static int fetch_window(struct bird_effect *e, int64_t contig, int64_t start,
                        int64_t end)
{
    const char *s;
    int rc;

    if (e->contig == contig && e->start == start && e->end == end)
        return 0;
    e->contig = e->ref_place = -1;
    e->encoded = 0;
    /* a little more to the left, so that the interval that is kept also serves
       what comes next and begins before this */
    rc = bird_contig_cache_get(
        &s, &e->stretch, e->g, contig,
        start > e->o.window_bp ? start - e->o.window_bp : 0, end);
    if (rc)
        return rc;
    s += start > e->o.window_bp ? e->o.window_bp : start;
    for (int k = 0; k < 2 && !rc; k++) {
        bird_text_clear(&e->view[k].bases);
        rc = bird_text_put(&e->view[k].bases, s, end - start);
    }
    if (rc)
        return rc;
    bird_reverse_complement(e->view[MINUS].bases.s, e->view[PLUS].bases.s,
                            end - start);
    e->n_unknown = bird_count_unknown(e->view[PLUS].bases.s, end - start);
    e->contig = contig;
    e->start = start;
    e->end = end;
    return 0;
}

/* Is this strand one of those in use? */
static int is_used(const struct bird_effect *e, int s)
{
    return s == MINUS ? e->o.minus : e->o.plus;
}

/* Tokenize the window at hand on the strands in use. */
static int encode(struct bird_effect *e)
{
    int rc = 0;

    for (int s = 0; s < 2 && !rc && !e->encoded; s++)
        if (is_used(e, s))
            rc = bird_anchor_ref(&e->view[s].anchor, &e->view[s].ref,
                                 &e->view[s].trimmed, e->view[s].bases.s,
                                 e->end - e->start);
    e->encoded = !rc;
    return rc;
}

/* A new place, and the session is given what its values are of. */
static int give(struct bird_effect *e, int64_t *place,
                const struct bird_rows *plus, const struct bird_rows *minus)
{
    int rc =
        bird_array_grow(&e->value, &e->cap_value,
                        (e->n_place + 1) * e->n_feature, sizeof(*e->value));

    if (rc)
        return rc;
    *place = e->n_place++;
    if (e->o.plus && e->o.minus)
        return bird_session_add_rows(e->session, plus, minus, *place);
    return bird_session_add_rows(e->session, e->o.plus ? plus : minus, NULL,
                                 *place);
}

/* The window at hand without a change. */
static int give_ref(struct bird_effect *e, int64_t *place)
{
    int rc = 0;

    if (e->ref_place < 0) {
        for (int s = 0; s < 2; s++)
            e->n_trimmed += is_used(e, s) && e->view[s].trimmed;
        rc = give(e, &e->ref_place, &e->view[PLUS].ref, &e->view[MINUS].ref);
    }
    *place = e->ref_place;
    return rc;
}

/* The change on one strand: its place in that strand's bases. */
static int encode_change(struct bird_effect *e, struct bird_anchored *what,
                         const struct bird_change *c, int s)
{
    int64_t from = c->start - e->start, to = c->end - e->start;
    int64_t n = e->end - e->start;
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
              : bird_anchor_alt(&e->view[s].anchor, &e->view[s].alt, what,
                                e->o.anchored, from, to, alt, c->alt.n);
}

/* Tokenize the changed window; *fits 0: the model cannot see the change. */
static int encode_changes(struct bird_effect *e, struct bird_request *r,
                          int *fits, const struct bird_change *c)
{
    struct bird_anchored what = {0};
    int rc = encode(e);

    *fits = 1;
    for (int s = 0; s < 2 && !rc && *fits; s++) {
        if (!is_used(e, s))
            continue;
        rc = encode_change(e, &what, c, s);
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

/* Where the window of a change lies, and whether it is where and as long as it
 * should be; 0: none holds it. */
static int place_window(int64_t *start, int64_t *end, struct bird_request *a,
                        const struct bird_effect *e,
                        const struct bird_change *c)
{
    int64_t length = bird_genome_length(e->g, c->contig), w = e->o.window_bp;
    int64_t n = c->end - c->start, left;
    int64_t middle = n > w / 2 ? c->start + n / 2 : c->start;

    if (n > w || c->alt.n > w)
        return 0;
    left = middle - w / 2 + e->o.shift_bp;
    a->cut = length < w;
    a->moved = !a->cut && !e->fixed_end && (left < 0 || left + w > length);
    if (left + w > length)
        left = length - w;
    *start = left > 0 ? left : 0;
    *end = *start + w < length ? *start + w : length;
    if (e->fixed_end) {
        *start = e->fixed_start;
        *end = e->fixed_end;
    }
    return *start <= c->start && c->end <= *end &&
           *end - *start - n + c->alt.n > 0;
}

int bird_effect_submit(struct bird_effect *e, struct bird_request *out,
                       enum bird_variant_status *status,
                       const struct bird_change *c)
{
    struct bird_request r = {0};
    int64_t start, end;
    int fits, rc;

    if (e->bins)
        return bird_bin_effect_submit(e->bins, out, status, c);
    *status = BIRD_VARIANT_TOO_LONG;
    if (!place_window(&start, &end, &r, e, c))
        return 0;
    if ((rc = fetch_window(e, c->contig, start, end)))
        return rc;
    *status = BIRD_VARIANT_MANY_N;
    if ((double)e->n_unknown > e->o.max_unknown * (double)(end - start))
        return 0;
    *status = BIRD_VARIANT_TOO_LONG;
    if ((rc = encode_changes(e, &r, &fits, c)) || !fits)
        return rc;
    *status = BIRD_VARIANT_OK;
    rc = give(e, &r.alt, &e->view[PLUS].alt, &e->view[MINUS].alt);
    if (!rc)
        rc = give_ref(e, &r.ref);
    if (!rc)
        *out = r;
    return rc;
}

int bird_effect_flush(struct bird_effect *e)
{
    return e->bins ? bird_bin_effect_flush(e->bins)
                   : bird_session_flush(e->session);
}

const float *bird_effect_values(const struct bird_effect *e, int64_t place)
{
    return e->bins ? bird_bin_effect_values(e->bins, place)
                   : e->value + place * e->n_feature;
}

void bird_effect_evict(struct bird_effect *e)
{
    if (e->bins)
        bird_bin_effect_evict(e->bins);
    e->n_place = 0;
    e->ref_place = -1;
}

void bird_effect_count(const struct bird_effect *e, bird_session_counts *out)
{
    if (e->bins) {
        bird_bin_effect_count(e->bins, out);
        return;
    }
    bird_session_count(e->session, out);
    out->n_trimmed = e->n_trimmed;
}
