/* Effects of changes: a loop over shifts, directions and strands around one
 * kind of model.
 * SPDX-License-Identifier: MIT */
#include "variant/effect.h"

#include <stdlib.h>

#include "base/mem.h"
#include "dnabird/tiles.h"

enum { FORWARD, BACKWARD };

/* Slots of a request, the same for every shift: forward REF, ALT, then backward
 * ALT, REF. */
struct slots {
    int64_t first, n_shift;
    int both_directions;
};

struct bird_effect {
    const struct bird_effect_kind *kind;
    const bird_model *m;
    bird_genome *g;
    struct bird_effect_options o;
    struct bird_contig_cache cache;
    struct bird_effect_plan plan;
    void *state;                                      /* of the kind */
    struct bird_effect_window window[BIRD_SHIFTS][2]; /* (o.n_shift) FORWARD,
                                                         BACKWARD */
    int64_t n_value, n_strand; /* of a slot: 2 strands, or 1 */
    int distance;              /* 1: wanted */
    int64_t centre;            /* of the region for all changes, or -1 */
    struct bird_text ref;      /* bases that the latest change replaces */
    struct bird_text reverse;  /* its new bases on the minus strand */
    /* until evict(); arena: | slots | value | replicate | direction | */
    struct bird_arena arena;
    struct slots *slots; /* (n_request) */
    float *value;        /* (n_done, 2, n_value) means of REF and of ALT */
    float *replicate;    /* (n_done, 2, n_shift, n_strand, n_value), with a
                            noise bar */
    float *direction;    /* (n_strand, n_value) of the second direction */
    int64_t n_request, n_done, n_slot;
};

/* The one place that asks what kind a model is. */
static const struct bird_effect_kind *kind_of(const bird_model *m)
{
    return bird_config_answers(bird_model_config(m)) == BIRD_ANSWERS_TOKENS
               ? &bird_effect_masked
               : &bird_effect_sequence;
}

int bird_effect_is_likelihood(const bird_model *m)
{
    return kind_of(m)->likelihood;
}

int64_t bird_effect_window_bp(const bird_model *m)
{
    return kind_of(m)->window_bp(m);
}

int bird_effect_is_anchored(const bird_model *m,
                            const struct bird_effect_options *o)
{
    /* a stem reads tokens end to end, so ALT must be tokenized by itself */
    return !kind_of(m)->likelihood && !o->layout.on_grid &&
           !bird_model_config(m)->n_stem && o->tokens != BIRD_TOKENS_FREE;
}

static enum bird_strand strand_of(const struct bird_effect_options *o)
{
    return !o->minus        ? BIRD_STRAND_PLUS
           : !o->plus       ? BIRD_STRAND_MINUS
           : o->n_shift > 1 ? BIRD_STRAND_EACH
                            : BIRD_STRAND_BOTH;
}

/* --- starts of windows --------------------------------------------------- */

static int64_t moved_bases(const struct bird_change *c)
{
    return llabs(c->alt.n - (c->end - c->start));
}

int64_t bird_effect_windows(const struct bird_effect_options *o, int is_length)
{
    int64_t n = is_length ? o->n_spaced : o->n_shift_same;

    return n ? n : o->n_shift;
}

int64_t bird_effect_spaced_shift(const struct bird_effect_options *o, int64_t k,
                                 int64_t length)
{
    int64_t period = o->period_bp, step = length % period, round = 1;

    while (round * step % period) /* starts until they repeat */
        round++;
    return ((o->shift[0] + k * step + k / round) % period + period) % period;
}

/* The rule for the windows of a change: that of the plan, unless they are spaced
 * by its length. */
static struct bird_window_rule
rule_of(const struct bird_effect *e, int64_t shift, const struct bird_change *c)
{
    struct bird_window_rule rule = e->plan.rule[shift];

    if (e->o.n_spaced && moved_bases(c)) {
        rule.centred = rule.layout.on_grid;
        rule.shift_bp = bird_effect_spaced_shift(&e->o, shift, moved_bases(c));
    }
    return rule;
}

/* --- making -------------------------------------------------------------- */

static void make_plan(struct bird_effect_plan *p, const struct bird_effect *e)
{
    const struct bird_effect_options *o = &e->o;
    int64_t steps = e->kind->window_steps, w = o->layout.context_bp;

    *p = (struct bird_effect_plan){.m = e->m,
                                   .n_shift = o->n_shift,
                                   .used = {o->plus, o->minus},
                                   .strand = strand_of(o),
                                   .n_strand = e->n_strand,
                                   .anchored = bird_effect_is_anchored(e->m, o),
                                   .unshared = o->unshared};
    for (int64_t k = 0; k < o->n_shift; k++)
        p->rule[k] = (struct bird_window_rule){
            .layout = o->layout,
            .step_bp = o->layout.on_grid    ? o->layout.bin_bp
                       : steps && w > steps ? w / steps
                                            : 1,
            .shift_bp = o->shift[k],
            .span_bp = o->span_bp};
}

int bird_effect_new(struct bird_effect **out, const bird_model *m,
                    bird_genome *g, const struct bird_effect_options *o)
{
    const struct bird_effect_kind *kind = kind_of(m);
    struct bird_effect *e;
    int rc = kind->likelihood ? 0 : bird_model_check_answers(m);

    if (!rc)
        rc = bird_array_new(&e, 1, sizeof(*e));
    if (rc)
        return rc;
    e->kind = kind;
    e->m = m;
    e->g = g;
    e->o = *o;
    e->n_strand = strand_of(o) == BIRD_STRAND_EACH ? 2 : 1;
    e->n_value = kind->likelihood ? BIRD_LIKELIHOOD_VALUES : o->layout.n_label;
    e->distance = 1;
    e->centre = -1;
    make_plan(&e->plan, e);
    for (int64_t k = 0; k < o->n_shift; k++)
        e->window[k][FORWARD].contig = e->window[k][BACKWARD].contig = -1;
    rc = kind->make(&e->state, &e->plan);
    if (rc)
        bird_effect_free(e);
    else
        *out = e;
    return rc;
}

int bird_effect_new_empty(struct bird_effect **out, bird_genome *g)
{
    static const struct bird_effect_kind none;
    struct bird_effect *e;
    int rc = bird_array_new(&e, 1, sizeof(*e));

    if (rc)
        return rc;
    e->kind = &none; /* without windows it is never called */
    e->g = g;
    e->centre = -1;
    *out = e;
    return 0;
}

void bird_effect_free(struct bird_effect *e)
{
    if (!e)
        return;
    for (int64_t k = 0; k < e->o.n_shift; k++) {
        bird_effect_window_free(&e->window[k][FORWARD]);
        bird_effect_window_free(&e->window[k][BACKWARD]);
    }
    if (e->state)
        e->kind->free(e->state);
    bird_contig_cache_free(&e->cache);
    bird_text_free(&e->ref);
    bird_text_free(&e->reverse);
    bird_arena_free(&e->arena);
    free(e);
}

/* --- facts --------------------------------------------------------------- */

static int64_t largest_shift(const struct bird_effect *e)
{
    int64_t most = 0;

    for (int64_t k = 0; k < e->o.n_shift; k++)
        most = llabs(e->o.shift[k]) > most ? llabs(e->o.shift[k]) : most;
    return most;
}

int64_t bird_effect_max_region(const struct bird_effect *e)
{
    const struct bird_layout *l = &e->o.layout;
    int64_t n = l->on_grid ? l->core_bp - l->bin_bp : l->context_bp;

    if (e->o.n_shift > 1) /* the region is in the middle of all windows */
        n -= 2 * largest_shift(e);
    return n > 1 ? n : 1;
}

/* Windows that keep one flank of a change of length reach twice as far. */
int64_t bird_effect_reach(const struct bird_effect *e)
{
    const struct bird_layout *l = &e->o.layout;
    int twice = l->on_grid || e->o.tokens == BIRD_TOKENS_BOTH;

    return l->context_bp * (twice ? 2 : 1) + largest_shift(e);
}

int64_t bird_effect_features(const struct bird_effect *e)
{
    return e->kind->likelihood ? 1 : e->n_value;
}

int64_t bird_effect_n_statistic(const struct bird_effect *e)
{
    return e->n_value;
}

void bird_effect_set_distance(struct bird_effect *e, int wanted)
{
    e->distance = wanted;
}

struct bird_contig_cache *bird_effect_cache(struct bird_effect *e)
{
    return &e->cache;
}

/* --- windows ------------------------------------------------------------- */

static struct bird_haplotype haplotype(struct bird_effect *e, int64_t contig,
                                       const struct bird_change *c)
{
    return (struct bird_haplotype){.genome = e->g,
                                   .cache = &e->cache,
                                   .contig = contig,
                                   .change = c,
                                   .ahead_bp = e->o.layout.context_bp};
}

void bird_effect_set_region(struct bird_effect *e, int64_t start, int64_t end)
{
    e->centre = start + (end - start) / 2;
}

static int has_many_n(const struct bird_effect *e,
                      const struct bird_effect_window *w)
{
    return (double)w->n_unknown > e->o.max_unknown * (double)w->n_inside;
}

int bird_effect_region(struct bird_effect *e, struct bird_region_window *out,
                       enum bird_variant_status *status, int64_t contig,
                       int64_t start, int64_t end)
{
    const struct bird_window_rule *rule = &e->plan.rule[0];
    struct bird_effect_window *w = &e->window[0][FORWARD];
    struct bird_haplotype h = haplotype(e, contig, NULL);
    struct bird_change c = {.contig = contig, .start = start, .end = end};
    int64_t length = bird_genome_length(e->g, contig);
    struct bird_window_position at;
    int rc;

    bird_effect_set_region(e, start, end);
    at = bird_effect_window_place(rule, &c, e->centre, length);
    *status = BIRD_VARIANT_TOO_LONG;
    if (!bird_effect_window_holds(rule, &at, &c))
        return 0;
    rc = bird_effect_window_fetch(w, &h, &at);
    if (rc)
        return rc;
    *status = has_many_n(e, w) ? BIRD_VARIANT_MANY_N : BIRD_VARIANT_OK;
    *out = (struct bird_region_window){
        .start = at.start,
        .end = at.end,
        .bases = w->bases[BIRD_PLUS_STRAND].s,
        .bins = bird_effect_window_bins(rule, at.start, &c, length)};
    return 0;
}

/* --- submitting ---------------------------------------------------------- */

/* Is the change in the window, and can the window of `to` be scored? On a grid
 * the kind answers the latter. */
static int fits(const struct bird_window_rule *rule,
                const struct bird_window_position *at,
                const struct bird_change *c)
{
    int64_t n = at->end - at->start + c->alt.n - (c->end - c->start);

    return bird_effect_window_holds(rule, at, c) &&
           (rule->layout.on_grid ||
            (c->alt.n <= rule->layout.context_bp && n > 0));
}

/* The change on the bases of each strand of its window. */
static int place_on_strands(struct bird_effect *e, struct bird_effect_input *in)
{
    const struct bird_effect_window *w = in->window;
    const struct bird_text *alt = &in->change->alt;
    int64_t from = in->change->start - w->start, n = w->end - w->start;
    int64_t to = in->change->end - w->start;
    int rc;

    bird_text_clear(&e->reverse);
    rc = bird_text_put(&e->reverse, alt->s, alt->n);
    if (rc)
        return rc;
    bird_reverse_complement(e->reverse.s, e->reverse.s, alt->n);
    in->strand[BIRD_PLUS_STRAND] = (struct bird_strand_change){from, to, *alt};
    in->strand[BIRD_MINUS_STRAND] =
        (struct bird_strand_change){n - to, n - from, e->reverse};
    return 0;
}

/* One direction in the window of one shift; *r collects what is to be known of
 * the change. On a grid the window of ALT has N beyond the contig's ends, and
 * only that of the reference is judged by its N and by the contig's length. */
static int submit_direction(struct bird_effect *e, struct bird_request *r,
                            enum bird_variant_status *status,
                            struct bird_effect_input *in)
{
    const struct bird_window_rule rule = rule_of(e, in->shift, in->change);
    struct bird_effect_window *w = &e->window[in->shift][in->backward];
    struct bird_window_position at = bird_effect_window_place(
        &rule, in->change, e->centre, bird_haplotype_length(in->from));
    int judged = !in->backward || !rule.layout.on_grid;
    struct bird_effect_submitted got;
    int rc;

    *status = BIRD_VARIANT_TOO_LONG;
    if (!fits(&rule, &at, in->change))
        return 0;
    rc = bird_effect_window_fetch(w, in->from, &at);
    if (rc)
        return rc;
    *status = BIRD_VARIANT_MANY_N;
    if (judged && has_many_n(e, w))
        return 0;
    in->window = w;
    in->distance = e->distance;
    rc = place_on_strands(e, in);
    if (!rc)
        rc = e->kind->submit(e->state, &got, in);
    if (rc)
        return rc;
    *status = got.status;
    if (got.n_changed > r->n_changed)
        r->n_changed = got.n_changed;
    r->tokenized_alone |= got.tokenized_alone;
    r->moved |= at.moved;
    r->cut |= judged && at.cut;
    return 0;
}

/* The same change from the haplotype with ALT to the reference. */
static int reverse_change(struct bird_effect *e, struct bird_change *back,
                          const struct bird_change *c)
{
    struct bird_haplotype h = haplotype(e, c->contig, NULL);
    int rc;

    bird_text_clear(&e->ref);
    rc = bird_haplotype_put(&e->ref, &h, c->start, c->end);
    *back = (struct bird_change){.contig = c->contig,
                                 .start = c->start,
                                 .end = c->start + c->alt.n,
                                 .alt = e->ref};
    return rc;
}

/* Does the second direction differ? Where ALT is tokenized by itself and has
 * as many bases as REF, both windows are the same in both directions. */
static int has_backward(const struct bird_effect *e,
                        const struct bird_change *c)
{
    return e->o.tokens == BIRD_TOKENS_BOTH &&
           (bird_effect_is_anchored(e->m, &e->o) ||
            c->alt.n != c->end - c->start);
}

/* Both directions in the window of one shift. */
static int submit_shift(struct bird_effect *e, int64_t shift,
                        struct bird_request *r,
                        enum bird_variant_status *status,
                        const struct bird_change *c)
{
    struct bird_haplotype reference = haplotype(e, c->contig, NULL);
    struct bird_haplotype changed = haplotype(e, c->contig, c);
    struct bird_effect_input in = {.from = &reference,
                                   .to = &changed,
                                   .change = c,
                                   .shift = shift,
                                   .slot = e->n_slot};
    struct bird_change back;
    int rc = submit_direction(e, r, status, &in);

    if (rc || *status != BIRD_VARIANT_OK || !r->both_directions)
        return rc;
    rc = reverse_change(e, &back, c);
    in = (struct bird_effect_input){.from = &changed,
                                    .to = &reference,
                                    .change = &back,
                                    .backward = 1,
                                    .shift = shift,
                                    .slot = e->n_slot + 2};
    return rc ? rc : submit_direction(e, r, status, &in);
}

int bird_effect_submit(struct bird_effect *e, struct bird_request *out,
                       enum bird_variant_status *status,
                       const struct bird_change *c)
{
    int64_t n_shift = bird_effect_windows(&e->o, moved_bases(c) > 0);
    struct bird_request r = {
        .ref = 2 * e->n_request,
        .alt = 2 * e->n_request + 1,
        .n_replicate = bird_effect_replicates(e) ? n_shift * e->n_strand : 0,
        .both_directions = has_backward(e, c)};
    int rc = bird_arena_grow(&e->arena, &e->slots, e->n_request + 1,
                             sizeof(*e->slots));

    if (!rc)
        rc = bird_change_class(&r.change_class, c, &e->cache, e->g);
    *status = BIRD_VARIANT_OK;
    for (int64_t k = 0; k < n_shift && !rc && *status == BIRD_VARIANT_OK; k++)
        rc = submit_shift(e, k, &r, status, c);
    if (!rc && *status == BIRD_VARIANT_OK) {
        e->slots[e->n_request++] =
            (struct slots){e->n_slot, n_shift, r.both_directions};
        *out = r;
    }
    e->n_slot += r.both_directions
                     ? 4
                     : 2; /* some may be filled, whatever the status is */
    return rc;
}

/* --- values -------------------------------------------------------------- */

/* The values of REF or ALT in every window, means of both directions. They are
 * the same when REF and ALT are exchanged, to the last bit. */
static void fill_replicates(float *out, const struct bird_effect *e,
                            const struct slots *s, int is_alt)
{
    int64_t n = e->n_strand * e->n_value;

    for (int64_t k = 0; k < s->n_shift; k++, out += n) {
        e->kind->values(out, e->state, k, s->first + is_alt);
        if (!s->both_directions)
            continue;
        e->kind->values(e->direction, e->state, k, s->first + 3 - is_alt);
        for (int64_t i = 0; i < n; i++)
            out[i] = (float)(((double)out[i] + (double)e->direction[i]) / 2);
    }
}

static void fill_mean(float *out, const struct bird_effect *e,
                      const float *replicate, int64_t n_shift)
{
    int64_t n = n_shift * e->n_strand;

    for (int64_t i = 0; i < e->n_value; i++) {
        double sum = 0;

        for (int64_t k = 0; k < n; k++)
            sum += (double)replicate[k * e->n_value + i];
        out[i] = (float)(sum / (double)n);
    }
}

int bird_effect_flush(struct bird_effect *e)
{
    int64_t f = e->n_value, n = e->o.n_shift * e->n_strand * f;
    int rc = e->state ? e->kind->flush(e->state) : 0;

    if (!rc)
        rc = bird_arena_grow(&e->arena, &e->value, e->n_request * 2 * f,
                             sizeof(*e->value));
    if (!rc)
        rc = bird_arena_grow(&e->arena, &e->direction, e->n_strand * f,
                             sizeof(*e->direction));
    if (!rc && n > f)
        rc = bird_arena_grow(&e->arena, &e->replicate, e->n_request * 2 * n,
                             sizeof(*e->replicate));
    for (int64_t i = 2 * e->n_done; i < 2 * e->n_request && !rc; i++) {
        fill_replicates(n > f ? e->replicate + i * n : e->value + i * f, e,
                        &e->slots[i / 2], i % 2);
        if (n > f)
            fill_mean(e->value + i * f, e, e->replicate + i * n,
                      e->slots[i / 2].n_shift);
    }
    if (!rc)
        e->n_done = e->n_request;
    return rc;
}

const float *bird_effect_values(const struct bird_effect *e, int64_t number)
{
    return e->value + number * e->n_value;
}

int64_t bird_effect_replicates(const struct bird_effect *e)
{
    int64_t n = e->o.n_shift * e->n_strand;

    return n > 1 ? n : 0;
}

const float *bird_effect_replicate_values(const struct bird_effect *e,
                                          int64_t number)
{
    return e->replicate + number * e->o.n_shift * e->n_strand * e->n_value;
}

void bird_effect_statistics(float *out, const struct bird_effect *e,
                            const struct bird_request *r)
{
    const float *ref = bird_effect_values(e, r->ref);
    const float *alt = bird_effect_values(e, r->alt);

    for (int64_t i = 0; i < e->n_value; i++)
        out[i] = (float)((double)alt[i] - (double)ref[i]);
    if (e->kind->likelihood) /* REF and ALT have the same */
        out[BIRD_STATE_DISTANCE] = alt[BIRD_STATE_DISTANCE];
}

void bird_effect_evict(struct bird_effect *e)
{
    if (e->state)
        e->kind->evict(e->state);
    e->n_request = e->n_done = e->n_slot = 0;
}

void bird_effect_count(const struct bird_effect *e, bird_session_counts *out)
{
    *out = (bird_session_counts){0};
    if (e->state)
        e->kind->count(out, e->state);
}
