/* Windows with REF and ALT through a model that answers in bins. What is read
 * of an answer is summed up when it comes, so that no bins are kept but those
 * of the window at hand without a change, which others may ask for.
 * SPDX-License-Identifier: MIT */
#include "variant/effect_bins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "seq/alphabet.h"
#include "session/session.h"
#include "variant/variant_score.h"

struct reading { /* the bins first .. end-1 of an answer, into a place */
    int64_t first, end, place, next; /* next of the same answer; -1: none */
    double weight;
    int64_t from; /* the first strand that is still to come */
};

struct bird_bin_effect {
    const bird_model *m;
    bird_genome *g;
    struct bird_contig_cache *cache;
    struct bird_effect_options o;
    int64_t bin, margin, n_feature, n_strand; /* 2: each by itself */
    bird_session *session;
    int64_t fixed_start, fixed_end; /* the region of all changes; end 0: none */
    /* the window at hand */
    int64_t contig, start, n_unknown, n_inside;
    char *seq, *alt; /* (W) with REF, and with ALT */
    float *bins;     /* (n_strand, W / bin, features) of REF, when known */
    int known;       /* so many strands of them are: the + first */
    int64_t ref_tag; /* or the answer that they will be; -1: not asked for */
    int64_t *chain;  /* (n_tag) first reading of each answer */
    struct reading *reading;
    double *sum;  /* (n_place, n_strand, features) mean log odds */
    float *value; /* the same as probabilities, after a flush */
    int64_t n_tag, n_reading, n_place;
    int64_t cap_chain, cap_reading, cap_sum, cap_value;
};

int64_t bird_bin_effect_core(const bird_model *m, int64_t window_bp)
{
    const json_t *margin = json_object_get(bird_model_meta(m), "margin_bp");
    int64_t bin = bird_model_config(m)->bin_bp, n = json_integer_value(margin);

    return window_bp - 2 * ((n + bin - 1) / bin * bin);
}

/* --- answers ------------------------------------------------------------- */

static void read_bins(struct bird_bin_effect *e, const struct reading *r,
                      int64_t strand, const float *p)
{
    double *sum = e->sum + (r->place * e->n_strand + strand) * e->n_feature;
    double share = r->weight / (double)(r->end - r->first);

    for (int64_t k = r->first; k < r->end; k++)
        for (int64_t j = 0; j < e->n_feature; j++)
            sum[j] += share * bird_score_logit((double)p[k * e->n_feature + j]);
}

static int take(void *context, const bird_answer *a)
{
    struct bird_bin_effect *e = context;
    int64_t strand = e->n_strand > 1 && a->strand == '-';

    for (int64_t i = e->chain[a->tag]; i >= 0; i = e->reading[i].next)
        if (strand >= e->reading[i].from)
            read_bins(e, &e->reading[i], strand, a->value);
    if (a->tag == e->ref_tag) {
        int64_t n = e->o.window_bp / e->bin * e->n_feature;

        memcpy(e->bins + strand * n, a->value, (size_t)n * sizeof(*e->bins));
        e->known = (int)strand + 1;
    }
    return 0;
}

static void name_window(void *context, int64_t tag, char *out, size_t size)
{
    const struct bird_bin_effect *e = context;

    (void)tag;
    snprintf(out, size, "a window at or before %s:%lld",
             bird_genome_name(e->g, e->contig), (long long)e->start + 1);
}

/* --- making -------------------------------------------------------------- */

static int check(const bird_model *m, const struct bird_effect_options *o)
{
    int64_t core = bird_bin_effect_core(m, o->window_bp);
    int64_t bin = bird_model_config(m)->bin_bp, margin = 0;
    int rc = bird_model_check_scores(m);

    if (!rc)
        rc = bird_json_int(&margin, bird_model_meta(m), "margin_bp", 0,
                           INT32_MAX, bird_model_path(m));
    if (rc || (core >= bin && core % bin == 0))
        return rc;
    return bird_fail(BIRD_EINVAL,
                     "%s: --window: %lld bp less margins of %lld bp at both "
                     "ends is no whole number of bins of %lld bp",
                     bird_model_path(m), (long long)o->window_bp,
                     (long long)(o->window_bp - core) / 2, (long long)bin);
}

int bird_bin_effect_new(struct bird_bin_effect **out, const bird_model *m,
                        bird_genome *g, struct bird_contig_cache *bases,
                        const struct bird_effect_options *o)
{
    bird_session_options how = {
        .strand = bird_effect_strand(o), .answer = take, .name = name_window};
    struct bird_bin_effect *e;
    int rc = check(m, o);

    if (!rc)
        rc = bird_array_new(&e, 1, sizeof(*e));
    if (rc)
        return rc;
    *e = (struct bird_bin_effect){.m = m,
                                  .g = g,
                                  .cache = bases,
                                  .o = *o,
                                  .bin = bird_model_config(m)->bin_bp,
                                  .n_strand =
                                      how.strand == BIRD_STRAND_EACH ? 2 : 1,
                                  .contig = -1,
                                  .ref_tag = -1};
    e->margin = (o->window_bp - bird_bin_effect_core(m, o->window_bp)) / 2;
    how.context = e;
    rc = bird_session_new(&e->session, m, &how);
    if (!rc) {
        e->n_feature = bird_session_labels(e->session);
        rc = bird_array_new(&e->seq, 2 * o->window_bp, 1);
    }
    if (!rc)
        rc = bird_array_new(
            &e->bins, e->n_strand * (o->window_bp / e->bin) * e->n_feature,
            sizeof(*e->bins));
    if (rc) {
        bird_bin_effect_free(e);
        return rc;
    }
    e->alt = e->seq + o->window_bp;
    *out = e;
    return 0;
}

void bird_bin_effect_free(struct bird_bin_effect *e)
{
    if (!e)
        return;
    bird_session_free(e->session);
    free(e->seq);
    free(e->bins);
    free(e->chain);
    free(e->reading);
    free(e->sum);
    free(e->value);
    free(e);
}

void bird_bin_effect_fix(struct bird_bin_effect *e, int64_t start, int64_t end)
{
    e->fixed_start = start;
    e->fixed_end = end;
}

int64_t bird_bin_effect_features(const struct bird_bin_effect *e)
{
    return e->n_feature;
}

/* --- windows ------------------------------------------------------------- */

/* Bases of the contig at hand, N beyond it. */
static int copy_bases(struct bird_bin_effect *e, char *out, int64_t from,
                      int64_t to)
{
    int64_t length = bird_genome_length(e->g, e->contig);
    int64_t a = from > 0 ? from : 0, b = to < length ? to : length;
    const char *bases;
    int rc;

    memset(out, 'N', (size_t)(to - from));
    if (a >= b)
        return 0;
    /* what comes next begins a little before this, or after */
    rc = bird_contig_cache_get(&bases, e->cache, e->g, e->contig,
                               a > e->o.window_bp ? a - e->o.window_bp : 0, b);
    if (!rc)
        memcpy(out + (a - from),
               bases + (a > e->o.window_bp ? e->o.window_bp : a),
               (size_t)(b - a));
    return rc;
}

/* The window around the first base, or around what is fixed or too long. */
static int64_t place_window(const struct bird_bin_effect *e,
                            const struct bird_change *c)
{
    int64_t w = e->o.window_bp, at = c->start, left;

    if (e->fixed_end)
        at = e->fixed_start + (e->fixed_end - e->fixed_start) / 2;
    else if (c->end - c->start > (w - 2 * e->margin - e->bin) / 2)
        at = c->start + (c->end - c->start) / 2;
    left = at - w / 2 + e->bin / 2; /* to the nearest multiple */
    left -= ((left % e->bin) + e->bin) % e->bin;
    return left + e->o.shift_bp;
}

static int fetch_window(struct bird_bin_effect *e, int64_t contig,
                        int64_t start)
{
    int64_t length = bird_genome_length(e->g, contig), end;
    int rc;

    if (e->contig == contig && e->start == start)
        return 0;
    e->contig = contig;
    e->start = start;
    e->known = 0;
    e->ref_tag = -1;
    end = start + e->o.window_bp;
    rc = copy_bases(e, e->seq, start, end);
    e->n_inside = (end < length ? end : length) - (start > 0 ? start : 0);
    e->n_unknown = bird_count_unknown(e->seq, e->o.window_bp) -
                   (e->o.window_bp - e->n_inside);
    if (rc)
        e->contig = -1;
    return rc;
}

/* The bins to read of a window that begins at `start` of a contig of this
 * length: those that overlap what is replaced +- span, of the contig and
 * outside of the margins; 0: the change does not lie among these. */
static int find_bins(struct reading *r, const struct bird_bin_effect *e,
                     const struct bird_change *c, int64_t start, int64_t length)
{
    int64_t end = c->end > c->start ? c->end : c->start + 1;
    int64_t lo = start + e->margin;
    int64_t hi = start + e->o.window_bp - e->margin;

    if (c->start < lo || c->end > hi)
        return 0;
    lo = lo > 0 ? lo : 0;
    hi = hi < length ? hi : length;
    lo = c->start - e->o.span_bp > lo ? c->start - e->o.span_bp : lo;
    hi = end + e->o.span_bp < hi ? end + e->o.span_bp : hi;
    if (lo >= hi) /* bases put in behind the last */
        lo = hi - 1;
    r->first = (lo - start) / e->bin;
    r->end = (hi - start + e->bin - 1) / e->bin;
    return 1;
}

int bird_bin_effect_region(struct bird_bin_effect *e,
                           struct bird_region_window *out,
                           enum bird_variant_status *status, int64_t contig)
{
    struct bird_change c = {
        .contig = contig, .start = e->fixed_start, .end = e->fixed_end};
    struct reading r = {0};
    int rc = fetch_window(e, contig, place_window(e, &c));

    if (rc)
        return rc;
    *status = BIRD_VARIANT_TOO_LONG;
    if (!find_bins(&r, e, &c, e->start, bird_genome_length(e->g, contig)))
        return 0;
    *status = (double)e->n_unknown > e->o.max_unknown * (double)e->n_inside
                  ? BIRD_VARIANT_MANY_N
                  : BIRD_VARIANT_OK;
    *out = (struct bird_region_window){.start = e->start,
                                       .end = e->start + e->o.window_bp,
                                       .bases = e->seq,
                                       .first_bin = r.first,
                                       .n_bin = r.end - r.first};
    return 0;
}

/* The bases of the contig with ALT in it from `start` on; *fits 0: ALT reaches
 * beyond them. */
static int make_alt(struct bird_bin_effect *e, int *fits,
                    const struct bird_change *c, int64_t start)
{
    int64_t n = c->alt.n, left = c->start - start;
    int64_t right = e->o.window_bp - left - n;
    int rc;

    *fits = left >= 0 && right >= 0;
    if (!*fits)
        return 0;
    rc = copy_bases(e, e->alt, start, c->start);
    if (n)
        memcpy(e->alt + left, c->alt.s, (size_t)n);
    return rc ? rc : copy_bases(e, e->alt + left + n, c->end, c->end + right);
}

/* --- asking -------------------------------------------------------------- */

static int new_place(struct bird_bin_effect *e, int64_t *place)
{
    int64_t f = e->n_strand * e->n_feature;
    int rc = bird_array_grow(&e->sum, &e->cap_sum, (e->n_place + 1) * f,
                             sizeof(*e->sum));

    if (rc)
        return rc;
    memset(e->sum + e->n_place * f, 0, (size_t)f * sizeof(*e->sum));
    *place = e->n_place++;
    return 0;
}

/* Also read this of the answer of that number. */
static int add_reading(struct bird_bin_effect *e, int64_t tag,
                       const struct reading *r)
{
    int rc = bird_array_grow(&e->reading, &e->cap_reading, e->n_reading + 1,
                             sizeof(*e->reading));

    if (rc)
        return rc;
    e->reading[e->n_reading] = *r;
    e->reading[e->n_reading].next = e->chain[tag];
    e->chain[tag] = e->n_reading++;
    return 0;
}

/* Ask for a window, for one or two readings: an answer may come at once. */
static int give(struct bird_bin_effect *e, const char *seq,
                const struct reading *r, const struct reading *also)
{
    int64_t tag = e->n_tag;
    int rc =
        bird_array_grow(&e->chain, &e->cap_chain, tag + 1, sizeof(*e->chain));

    if (rc)
        return rc;
    e->chain[e->n_tag++] = -1;
    rc = add_reading(e, tag, r);
    if (!rc && also)
        rc = add_reading(e, tag, also);
    return rc ? rc : bird_session_add(e->session, seq, e->o.window_bp, tag);
}

/* Also read the window at hand, which was asked for, or is known. */
static int read_ref(struct bird_bin_effect *e, const struct reading *r)
{
    struct reading rest = *r;

    for (int64_t k = 0; k < e->known; k++)
        read_bins(e, r, k,
                  e->bins + k * (e->o.window_bp / e->bin) * e->n_feature);
    rest.from = e->known;
    return e->known < e->n_strand ? add_reading(e, e->ref_tag, &rest) : 0;
}

static int give_ref(struct bird_bin_effect *e, struct reading *r)
{
    int rc = new_place(e, &r->place);

    r->weight = 1;
    if (rc)
        return rc;
    if (e->known || e->ref_tag >= 0)
        return read_ref(e, r);
    e->ref_tag = e->n_tag;
    return give(e, e->seq, r, NULL);
}

/* The change the other way round: from the contig with ALT in it. */
struct back {
    struct reading r; /* of its window, which begins at `start` */
    int64_t start;
    int shared; /* so does the window at hand: what they have in common is asked
                   for once */
};

/* *fits 0: not all of its windows hold it. */
static int find_back(struct back *b, int *fits, struct bird_bin_effect *e,
                     const struct bird_change *c)
{
    int64_t more = c->alt.n - (c->end - c->start);
    struct bird_change back = {
        .contig = c->contig, .start = c->start, .end = c->start + c->alt.n};

    b->start = place_window(e, &back);
    b->shared = b->start == e->start;
    b->r.weight = 1;
    *fits = find_bins(&b->r, e, &back, b->start,
                      bird_genome_length(e->g, e->contig) + more) &&
            c->start >= b->start - more &&
            c->end <= b->start + e->o.window_bp - (more > 0 ? more : 0);
    return *fits ? new_place(e, &b->r.place) : 0;
}

/* Both windows with ALT of a change of length, or the one. That which keeps the
 * start may be the window of the change back. */
static int give_alt(struct bird_bin_effect *e, struct reading *r, int *fits,
                    const struct bird_change *c, const struct back *b)
{
    int64_t more = c->alt.n - (c->end - c->start);
    int n = more ? 2 : 1, rc = new_place(e, &r->place);

    *fits = 1;
    r->weight = 1.0 / n;
    for (int k = 0; !rc && *fits && k < n; k++) {
        rc = make_alt(e, fits, c, e->start + k * more);
        if (!rc && *fits)
            rc = give(e, e->alt, r, b && b->shared && !k ? &b->r : NULL);
    }
    return rc;
}

/* What is left to ask for of the change back: its window, and those of the
 * reference that keep its start and its end. */
static int give_back(struct bird_bin_effect *e, struct bird_way *out, int *fits,
                     const struct bird_change *c, const struct back *b)
{
    int64_t more = c->alt.n - (c->end - c->start), end;
    struct reading r = b->r;
    int rc = b->shared ? 0 : make_alt(e, fits, c, b->start);

    end = b->start + e->o.window_bp;
    if (!rc && *fits && !b->shared)
        rc = give(e, e->alt, &b->r, NULL);
    if (rc || !*fits || (rc = new_place(e, &r.place)))
        return rc;
    *out = (struct bird_way){.ref = r.place, .alt = b->r.place};
    r.weight = 0.5;
    if (b->shared)
        rc = read_ref(e, &r);
    else if (!(rc = copy_bases(e, e->alt, b->start, end)))
        rc = give(e, e->alt, &r, NULL);
    if (!rc)
        rc = copy_bases(e, e->alt, b->start - more, end - more);
    return rc ? rc : give(e, e->alt, &r, NULL);
}

int bird_bin_effect_submit(struct bird_bin_effect *e, struct bird_way out[2],
                           struct bird_request *all,
                           enum bird_variant_status *status,
                           const struct bird_change *c)
{
    int64_t length = bird_genome_length(e->g, c->contig), n = c->end - c->start;
    struct bird_request a = {.free = 1,
                             .cut = length < e->o.window_bp,
                             .change_class = bird_change_class(c)};
    struct reading r = {0};
    struct back b = {.shared = 0};
    int turned = e->o.tokens == BIRD_TOKENS_BOTH && c->alt.n != n, fits = 1;
    int rc = fetch_window(e, c->contig, place_window(e, c));

    if (rc)
        return rc;
    *status = BIRD_VARIANT_TOO_LONG;
    if (!find_bins(&r, e, c, e->start, length))
        return 0;
    *status = BIRD_VARIANT_MANY_N;
    if ((double)e->n_unknown > e->o.max_unknown * (double)e->n_inside)
        return 0;
    *status = BIRD_VARIANT_TOO_LONG;
    if (turned)
        rc = find_back(&b, &fits, e, c);
    if (!rc && fits)
        rc = give_alt(e, &r, &fits, c, turned ? &b : NULL);
    if (rc || !fits)
        return rc;
    out[0].alt = r.place;
    rc = give_ref(e, &r);
    if (rc)
        return rc;
    out[0].ref = r.place;
    out[1] = (struct bird_way){-1, -1};
    if (turned)
        rc = give_back(e, &out[1], &fits, c, &b);
    if (rc || !fits)
        return rc;
    a.turned = turned;
    a.n_changed = c->alt.n > n ? c->alt.n : n;
    *status = BIRD_VARIANT_OK;
    *all = a;
    return 0;
}

int bird_bin_effect_flush(struct bird_bin_effect *e)
{
    int64_t n = e->n_place * e->n_strand * e->n_feature;
    int rc = bird_session_flush(e->session);

    if (!rc)
        rc = bird_array_grow(&e->value, &e->cap_value, n, sizeof(*e->value));
    for (int64_t i = 0; !rc && i < n; i++)
        e->value[i] = (float)(1 / (1 + exp(-e->sum[i])));
    return rc;
}

const float *bird_bin_effect_values(const struct bird_bin_effect *e,
                                    int64_t place)
{
    return e->value + place * e->n_strand * e->n_feature;
}

void bird_bin_effect_evict(struct bird_bin_effect *e)
{
    e->n_place = e->n_reading = e->n_tag = 0;
    e->ref_tag = -1;
}

void bird_bin_effect_count(const struct bird_bin_effect *e,
                           bird_session_counts *out)
{
    bird_session_count(e->session, out);
}
