/* Effects by models of labels (variant/effect_kind.h): the probabilities of a
 * window, or on a grid the mean log odds of the bins around the change.
 *
 * Each haplotype of a change has a slot. A slot is a weighted sum over the bins
 * of one or two windows: on a grid, where all windows have the same length, a
 * change of length moves one flank, so there are two windows with ALT, one that
 * keeps the start of REF's window and one that keeps its end, and the slot has
 * the mean of both. Without a grid the window with ALT covers the same interval
 * of the reference, and its one answer is the value of the slot.
 * docs/math/variant-scores.md.
 *
 * Answers are added to the slots as they come, so no answer is kept but those
 * of the latest windows of each shift: the next changes are often in the same
 * windows, and windows spaced by the length of a change are the moved windows of
 * the shift before.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/stem.h"
#include "session/session.h"
#include "variant/effect_kind.h"
#include "variant/log_odds.h"

/* The bins of an answer that are added to a slot. */
struct reading {
    struct bird_bin_range bins;
    int64_t row, next; /* row of `sum`; next reading of the same answer, -1:
                          none */
    double weight;
    int64_t from_strand; /* answers of earlier strands were added already */
};

struct bounds {        /* of a window */
    int64_t haplotype; /* 0: the reference; else the number of a change */
    int64_t contig, start, end; /* contig -1: none */
};

/* A window that was submitted, with its answer: later changes read it too. */
struct kept {
    struct bounds at;
    int64_t tag;     /* of its answer; -1: complete */
    int64_t n_known; /* strands whose answer came, + first */
    float *answer;   /* (n_strand, bins of a window, labels) */
};
enum {
    KEPT_REFERENCE, /* the window of the reference, and the one with ALT */
    KEPT_ALT,
    KEPT_REFERENCE_MOVED, /* of a change of length: which keep the other flank */
    KEPT_ALT_MOVED,
    N_KEPT
};

/* A window as tokens on one strand, without and with the change. */
struct tokens {
    struct bird_anchor anchor;
    struct bird_rows from, to;
    int trimmed; /* 1: `from` has more tokens than the model reads */
};

/* The tokens of the window at hand in one direction. */
struct window_tokens {
    int64_t version; /* of the window */
    struct tokens strand[2];
};

/* The windows of one shift. */
struct shift {
    struct window_tokens tokens[2]; /* forward, backward; without a grid */
    struct kept kept[N_KEPT];
};

/* What lasts until evict(). arena: | first_reading | reading | sum | */
struct slots {
    struct bird_arena arena;
    int64_t *first_reading; /* (n_tag) of each answer */
    struct reading *reading;
    double *sum; /* (n_slot, n_shift, n_strand, labels) log odds, or
                    probabilities */
    int64_t n_tag, n_reading;
};

struct sequence_effect {
    const struct bird_effect_plan *plan;
    int on_grid;
    int64_t n_label, n_bin_all; /* bins of a window with its margins */
    int64_t first_bin;          /* of an answer: those of the margin lack */
    bird_session *session;
    struct shift shift[BIRD_SHIFTS]; /* (plan->n_shift) */
    struct shift *at;                /* of the input at hand */
    struct bird_text bases;
    const char *contig;    /* and start of the latest window, for messages */
    int64_t start, change; /* change: number of the latest one, from 1 */
    struct slots s;
    int64_t n_trimmed;
};

/* --- answers ------------------------------------------------------------- */

/* p: values from bin e->first_bin on */
static void add_bins(struct sequence_effect *e, const struct reading *r,
                     int64_t strand, const float *p)
{
    int64_t n = e->n_label;
    double *sum = e->s.sum + (r->row * e->plan->n_strand + strand) * n;
    double share = r->weight / (double)(r->bins.end - r->bins.first);

    for (int64_t k = r->bins.first - e->first_bin;
         k < r->bins.end - e->first_bin; k++)
        for (int64_t j = 0; j < n; j++)
            sum[j] += share * (e->on_grid ? bird_log_odds((double)p[k * n + j])
                                          : (double)p[k * n + j]);
}

static int take(void *context, const bird_answer *a)
{
    struct sequence_effect *e = context;
    int64_t strand = e->plan->n_strand > 1 && a->strand == '-';
    int64_t n = a->n_bin * e->n_label;

    if (e->on_grid) /* the same of all windows */
        e->first_bin = a->first_bp / a->bin_bp;
    for (int64_t i = e->s.first_reading[a->tag]; i >= 0;
         i = e->s.reading[i].next)
        if (strand >= e->s.reading[i].from_strand)
            add_bins(e, &e->s.reading[i], strand, a->value);
    for (int64_t k = 0; k < e->plan->n_shift * N_KEPT; k++) {
        struct kept *kept = &e->shift[k / N_KEPT].kept[k % N_KEPT];

        if (kept->tag != a->tag)
            continue;
        memcpy(kept->answer + strand * e->n_bin_all * e->n_label, a->value,
               (size_t)n * sizeof(*a->value));
        kept->n_known = strand + 1;
    }
    return 0;
}

static void name_window(void *context, int64_t tag, char *out, size_t size)
{
    const struct sequence_effect *e = context;

    (void)tag;
    snprintf(out, size, "a window at or before %s:%lld", e->contig,
             (long long)e->start + 1);
}

/* The row of `sum` that a slot has for a shift. */
static int64_t row_of(const struct sequence_effect *e, int64_t slot,
                      int64_t shift)
{
    return slot * e->plan->n_shift + shift;
}

static void values(float *out, const void *effect, int64_t shift, int64_t slot)
{
    const struct sequence_effect *e = effect;
    int64_t n = e->plan->n_strand * e->n_label;
    const double *sum = e->s.sum + row_of(e, slot, shift) * n;

    for (int64_t i = 0; i < n; i++)
        out[i] = (float)(e->on_grid ? 1 / (1 + exp(-sum[i])) : sum[i]);
}

/* --- making -------------------------------------------------------------- */

static void forget(struct kept *k)
{
    k->at.contig = k->tag = -1;
    k->n_known = 0;
}

static void free_shift(struct shift *at)
{
    for (int d = 0; d < 2; d++)
        for (int s = 0; s < 2; s++) {
            bird_anchor_free(&at->tokens[d].strand[s].anchor);
            bird_rows_free(&at->tokens[d].strand[s].from);
            bird_rows_free(&at->tokens[d].strand[s].to);
        }
    for (int k = 0; k < N_KEPT; k++)
        free(at->kept[k].answer);
}

static void free_effect(void *effect)
{
    struct sequence_effect *e = effect;

    if (!e)
        return;
    bird_session_free(e->session);
    for (int64_t k = 0; k < e->plan->n_shift; k++)
        free_shift(&e->shift[k]);
    bird_text_free(&e->bases);
    bird_arena_free(&e->s.arena);
    free(e);
}

static int make_shift(struct shift *at, const struct sequence_effect *e)
{
    const struct bird_config *c = bird_model_config(e->plan->m);
    int rc = 0;

    for (int d = 0; d < 2; d++)
        for (int s = 0; s < 2; s++) {
            struct bird_anchor *a = &at->tokens[d].strand[s].anchor;

            a->t = bird_model_tokenizer(e->plan->m);
            a->max_tokens = bird_stem_tokens(c, c->max_positions);
        }
    for (int k = 0; k < N_KEPT && !rc; k++) {
        forget(&at->kept[k]);
        rc = bird_array_new(&at->kept[k].answer,
                            e->plan->n_strand * e->n_bin_all * e->n_label,
                            sizeof(*at->kept[k].answer));
    }
    return rc;
}

static int make(void **out, const struct bird_effect_plan *plan)
{
    const struct bird_layout *l = &plan->rule[0].layout;
    bird_session_options o = {.strand = plan->strand,
                              .answer = take,
                              .name = name_window,
                              .margin_bp = l->on_grid ? l->margin_bp : 0};
    struct sequence_effect *e;
    int rc = bird_array_new(&e, 1, sizeof(*e));

    if (rc)
        return rc;
    e->plan = plan;
    e->on_grid = l->on_grid;
    e->n_label = l->n_label;
    e->n_bin_all = l->context_bp / l->bin_bp;
    o.context = e;
    rc = bird_session_new(&e->session, plan->m, &o);
    for (int64_t k = 0; k < plan->n_shift && !rc; k++)
        rc = make_shift(&e->shift[k], e);
    if (rc)
        free_effect(e);
    else
        *out = e;
    return rc;
}

/* --- tokens of a window without a grid ----------------------------------- */

static int tokenize_window(struct window_tokens *t,
                           const struct bird_effect_plan *plan,
                           const struct bird_effect_window *w)
{
    int rc = 0;

    if (t->version == w->version)
        return 0;
    for (int s = 0; s < 2 && !rc; s++)
        if (plan->used[s])
            rc = bird_anchor_ref(&t->strand[s].anchor, &t->strand[s].from,
                                 &t->strand[s].trimmed, w->bases[s].s,
                                 w->end - w->start);
    t->version = rc ? 0 : w->version;
    return rc;
}

/* The tokens of both haplotypes; status is TOO_LONG when the model cannot read
 * the change. */
static int tokenize(struct sequence_effect *e,
                    struct bird_effect_submitted *out,
                    const struct bird_effect_input *in)
{
    struct window_tokens *t = &e->at->tokens[in->backward];
    int rc = tokenize_window(t, e->plan, in->window);

    for (int s = 0; s < 2 && !rc && out->status == BIRD_VARIANT_OK; s++) {
        const struct bird_strand_change *c = &in->strand[s];
        struct bird_anchored how = {0};

        if (!e->plan->used[s])
            continue;
        rc = bird_anchor_alt(&t->strand[s].anchor, &t->strand[s].to, &how,
                             e->plan->anchored, c->from, c->to, c->alt.s,
                             c->alt.n);
        if (rc)
            break;
        if (!how.fits)
            out->status = BIRD_VARIANT_TOO_LONG;
        out->tokenized_alone |= how.free;
        if (how.n_changed > out->n_changed)
            out->n_changed = how.n_changed;
        e->n_trimmed += how.trimmed;
    }
    return rc;
}

/* --- submitting ---------------------------------------------------------- */

/* Two empty slots. */
static int new_slots(struct sequence_effect *e, int64_t slot, int64_t shift)
{
    int64_t n = e->plan->n_strand * e->n_label;
    int rc = bird_arena_grow(&e->s.arena, &e->s.sum, row_of(e, slot + 2, 0) * n,
                             sizeof(*e->s.sum));

    for (int k = 0; k < 2 && !rc; k++)
        memset(e->s.sum + row_of(e, slot + k, shift) * n, 0,
               (size_t)n * sizeof(*e->s.sum));
    return rc;
}

static int add_reading(struct sequence_effect *e, int64_t tag,
                       const struct reading *r)
{
    int rc = bird_arena_grow(&e->s.arena, &e->s.reading, e->s.n_reading + 1,
                             sizeof(*e->s.reading));

    if (rc)
        return rc;
    e->s.reading[e->s.n_reading] = *r;
    e->s.reading[e->s.n_reading].next = e->s.first_reading[tag];
    e->s.first_reading[tag] = e->s.n_reading++;
    return 0;
}

/* A new answer, with its first reading. */
static int new_tag(struct sequence_effect *e, int64_t *tag,
                   const struct reading *r)
{
    int rc = bird_arena_grow(&e->s.arena, &e->s.first_reading, e->s.n_tag + 1,
                             sizeof(*e->s.first_reading));

    if (rc)
        return rc;
    *tag = e->s.n_tag++;
    e->s.first_reading[*tag] = -1;
    return add_reading(e, *tag, r);
}

/* Read a window that was submitted before: its known values now, the others when
 * they are answered. */
static int read_kept(struct sequence_effect *e, const struct kept *k,
                     const struct reading *r)
{
    struct reading rest = *r;

    for (int64_t s = 0; s < k->n_known; s++)
        add_bins(e, r, s, k->answer + s * e->n_bin_all * e->n_label);
    rest.from_strand = k->n_known;
    return k->n_known < e->plan->n_strand ? add_reading(e, k->tag, &rest) : 0;
}

/* The kept window of these bounds, of any shift; NULL: none. */
static const struct kept *find_kept(const struct sequence_effect *e,
                                    const struct bounds *b)
{
    for (int64_t i = 0; i < e->plan->n_shift * N_KEPT && !e->plan->unshared;
         i++) {
        const struct kept *k = &e->shift[i / N_KEPT].kept[i % N_KEPT];

        if (k->at.contig == b->contig && k->at.haplotype == b->haplotype &&
            k->at.start == b->start && k->at.end == b->end)
            return k;
    }
    return NULL;
}

/* Keep the answer of this tag when it comes. */
static void keep(struct kept *k, const struct bounds *b, int64_t tag)
{
    k->at = *b;
    k->tag = tag;
    k->n_known = 0;
}

/* Hand tokens of both strands to the session. */
static int add_tokens(struct sequence_effect *e, const struct bird_rows *plus,
                      const struct bird_rows *minus, int64_t tag)
{
    const int *used = e->plan->used;
    int rc = bird_session_add_rows(
        e->session, used[BIRD_PLUS_STRAND] ? plus : minus,
        used[BIRD_PLUS_STRAND] && used[BIRD_MINUS_STRAND] ? minus : NULL, tag);

    return rc || !e->plan->unshared ? rc : bird_session_flush(e->session);
}

/* Hand the bases of a window on a grid to the session. */
static int add_bases(struct sequence_effect *e, const char *s, int64_t n,
                     int64_t tag)
{
    int rc = bird_session_add(e->session, s, n, tag);

    return rc || !e->plan->unshared ? rc : bird_session_flush(e->session);
}

/* Add the window of haplotype `from` to a slot. */
static int read_from(struct sequence_effect *e,
                     const struct bird_effect_input *in,
                     const struct reading *r)
{
    const struct bird_effect_window *w = in->window;
    struct tokens *t = e->at->tokens[in->backward].strand;
    struct bounds b = {.haplotype = in->backward ? e->change : 0,
                       .contig = w->contig,
                       .start = w->start,
                       .end = w->end};
    const struct kept *k = find_kept(e, &b);
    int64_t tag;
    int rc;

    if (k)
        return read_kept(e, k, r);
    if ((rc = new_tag(e, &tag, r)))
        return rc;
    keep(&e->at->kept[in->backward ? KEPT_ALT : KEPT_REFERENCE], &b, tag);
    if (e->on_grid)
        return add_bases(e, w->bases[BIRD_PLUS_STRAND].s, w->end - w->start,
                         tag);
    for (int s = 0; s < 2; s++)
        e->n_trimmed += e->plan->used[s] && t[s].trimmed;
    return add_tokens(e, &t[BIRD_PLUS_STRAND].from, &t[BIRD_MINUS_STRAND].from,
                      tag);
}

/* Add a window of haplotype `to` that begins at `start` to a slot, on a
 * grid. */
static int read_bins_to(struct sequence_effect *e,
                        const struct bird_effect_input *in, int64_t start,
                        const struct reading *r)
{
    int64_t w = in->window->end - in->window->start, tag;
    struct bounds b = {.haplotype = in->backward ? 0 : e->change,
                       .contig = in->to->contig,
                       .start = start,
                       .end = start + w};
    const struct kept *k = find_kept(e, &b);
    int rc;

    if (k)
        return read_kept(e, k, r);
    bird_text_clear(&e->bases);
    rc = bird_haplotype_put(&e->bases, in->to, start, start + w);
    if (!rc)
        rc = new_tag(e, &tag, r);
    if (!rc && start != in->window->start)
        keep(&e->at->kept[in->backward ? KEPT_REFERENCE_MOVED : KEPT_ALT_MOVED],
             &b, tag);
    else if (!rc)
        keep(&e->at->kept[in->backward ? KEPT_REFERENCE : KEPT_ALT], &b, tag);
    return rc ? rc : add_bases(e, e->bases.s, w, tag);
}

/* Add all windows of haplotype `to` to a slot. */
static int read_to(struct sequence_effect *e,
                   const struct bird_effect_input *in, struct reading *r)
{
    const struct bird_change *c = in->change;
    int64_t more = c->alt.n - (c->end - c->start), tag;
    int64_t n = e->on_grid && more ? 2 : 1;
    const struct tokens *t = e->at->tokens[in->backward].strand;
    int rc = 0;

    r->weight = 1.0 / (double)n;
    for (int64_t k = 0; k < n && !rc && e->on_grid; k++)
        rc = read_bins_to(e, in, in->window->start + k * more, r);
    if (e->on_grid)
        return rc;
    rc = new_tag(e, &tag, r);
    return rc ? rc
              : add_tokens(e, &t[BIRD_PLUS_STRAND].to, &t[BIRD_MINUS_STRAND].to,
                           tag);
}

/* Do all windows of `to` on a grid hold the new bases? */
static int fits_grid(const struct bird_effect_input *in)
{
    const struct bird_effect_window *w = in->window;
    const struct bird_change *c = in->change;
    int64_t more = c->alt.n - (c->end - c->start);

    return c->start >= w->start + more && c->start + c->alt.n <= w->end;
}

/* Do all bins that are read lie outside the margins? (No, for bases inserted after a
 * contig that ends where the core begins.) */
static int fits_core(const struct sequence_effect *e,
                     const struct bird_bin_range *bins)
{
    const struct bird_layout *l = &e->plan->rule[0].layout;
    int64_t margin = l->margin_bp / l->bin_bp;

    return bins->first >= margin && bins->end <= e->n_bin_all - margin;
}

static int submit(void *effect, struct bird_effect_submitted *out,
                  const struct bird_effect_input *in)
{
    struct sequence_effect *e = effect;
    const struct bird_change *c = in->change;
    int64_t n = c->end - c->start;
    struct reading r = {.bins = bird_effect_window_bins(
                            &e->plan->rule[in->shift], in->window->start, c,
                            bird_haplotype_length(in->from))};
    int rc = 0;

    *out = (struct bird_effect_submitted){.status = BIRD_VARIANT_OK};
    e->at = &e->shift[in->shift];
    e->change += !in->backward && !in->shift; /* the first one of a change */
    e->contig = bird_genome_name(in->from->genome, in->from->contig);
    e->start = in->window->start;
    if (!e->on_grid) {
        rc = tokenize(e, out, in);
    } else {
        out->tokenized_alone = 1;
        out->n_changed = c->alt.n > n ? c->alt.n : n;
        if (!fits_grid(in) || !fits_core(e, &r.bins))
            out->status = BIRD_VARIANT_TOO_LONG;
    }
    if (rc || out->status != BIRD_VARIANT_OK)
        return rc;
    rc = new_slots(e, in->slot, in->shift);
    r.row = row_of(e, in->slot + 1, in->shift);
    if (!rc)
        rc = read_to(e, in, &r);
    r.row = row_of(e, in->slot, in->shift);
    r.weight = 1;
    return rc ? rc : read_from(e, in, &r);
}

static int flush(void *effect)
{
    struct sequence_effect *e = effect;

    return bird_session_flush(e->session);
}

/* A complete answer on a grid is kept. Without a grid the session has a cache,
 * and counts what it takes from there. */
static void evict(void *effect)
{
    struct sequence_effect *e = effect;

    e->s.n_tag = e->s.n_reading = 0;
    for (int64_t k = 0; k < e->plan->n_shift * N_KEPT; k++) {
        struct kept *kept = &e->shift[k / N_KEPT].kept[k % N_KEPT];

        kept->tag = -1;
        if (!e->on_grid || kept->n_known < e->plan->n_strand)
            forget(kept);
    }
}

static void count(bird_session_counts *out, const void *effect)
{
    const struct sequence_effect *e = effect;

    bird_session_count(e->session, out);
    out->n_trimmed += e->n_trimmed;
}

const struct bird_effect_kind bird_effect_sequence = {
    .window_bp = bird_model_window,
    .make = make,
    .free = free_effect,
    .submit = submit,
    .flush = flush,
    .values = values,
    .evict = evict,
    .count = count,
};
