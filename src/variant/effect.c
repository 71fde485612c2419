/* Windows and changes to probabilities. SPDX-License-Identifier: MIT */
#include "variant/effect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/tiles.h"
#include "head/head.h"
#include "seq/alphabet.h"
#include "session/anchor.h"
#include "session/known.h"
#include "session/score.h"

struct pending { /* a sequence given to the scorer */
    int64_t place;
    int second; /* the other strand's value is there already */
};

struct view { /* a window on one strand */
    struct bird_anchor anchor;
    struct bird_rows rows;
    int trimmed;
};

enum { PLUS, MINUS };
enum { NOTE_CHANGED, NOTE_FREE, NOTE_MISFIT };

struct bird_effect {
    const struct bird_opened *m;
    bird_genome *g;
    struct bird_effect_options o;
    struct bird_stretch stretch;
    struct bird_scorer *scorer;
    struct bird_known *known;
    int64_t n_feature, column;      /* first column that is a feature */
    int64_t fixed_start, fixed_end; /* a window for all; end 0: none */
    /* the window at hand */
    int64_t contig, start, end, n_unknown;
    struct bird_text letters[2]; /* of each strand */
    struct view view[2];
    int encoded;
    struct bird_text key, flipped;
    struct bird_rows rows;
    struct pending *queue; /* at .. n-1 are with the scorer */
    int64_t at, n, cap;
    struct bird_effect_tally tally;
};

static int take(void *context, int64_t index, const float *p)
{
    struct bird_effect *e = context;
    const struct pending *q = &e->queue[e->at++];
    float *v = bird_known_values(e->known, q->place);

    (void)index;
    for (int64_t i = 0; i < e->n_feature; i++) {
        float x = p[e->column + i];

        if (!isfinite(x))
            return bird_fail(BIRD_EFORMAT,
                             "%s: what it says of a window is no number: "
                             "damaged weights?",
                             e->m->folder.path);
        v[i] = q->second ? 0.5f * (v[i] + x) : x;
    }
    return 0;
}

static int check_model(const struct bird_opened *m)
{
    const struct bird_config *c = &m->folder.config;

    if (bird_head_per_token(c) || c->head == BIRD_HEAD_NONE)
        return bird_fail(BIRD_EINVAL,
                         "%s has no head that scores sequences: fine-tune one",
                         m->folder.path);
    if (c->problem == BIRD_PROBLEM_REGRESSION)
        return bird_fail(BIRD_EINVAL,
                         "%s learned a quantity: this command takes a model "
                         "of probabilities",
                         m->folder.path);
    return 0;
}

int bird_effect_new(struct bird_effect **out, const struct bird_opened *m,
                    bird_genome *g, const struct bird_effect_options *o)
{
    struct bird_effect *e;
    int rc = check_model(m);

    if (rc)
        return rc;
    e = calloc(1, sizeof(*e));
    if (!e)
        return bird_fail_memory(sizeof(*e));
    e->m = m;
    e->g = g;
    e->o = *o;
    e->contig = -1;
    for (int s = 0; s < 2; s++) {
        e->view[s].anchor.t = m->tokenizer;
        e->view[s].anchor.max_tokens = m->folder.config.max_positions;
    }
    rc = bird_scorer_new(&e->scorer, &m->folder.config, &m->w, m->tokenizer,
                         take, e);
    if (!rc) {
        e->n_feature = bird_scorer_columns(e->scorer);
        if (e->n_feature == 2 &&
            m->folder.config.problem != BIRD_PROBLEM_MULTI_LABEL)
            e->column = e->n_feature = 1;
        rc = bird_known_new(&e->known, e->n_feature, o->limit_bytes);
    }
    if (rc)
        bird_effect_free(e);
    else
        *out = e;
    return rc;
}

void bird_effect_free(struct bird_effect *e)
{
    if (!e)
        return;
    for (int s = 0; s < 2; s++) {
        bird_text_free(&e->letters[s]);
        bird_anchor_free(&e->view[s].anchor);
        bird_rows_free(&e->view[s].rows);
    }
    bird_stretch_free(&e->stretch);
    bird_scorer_free(e->scorer);
    bird_known_free(e->known);
    bird_text_free(&e->key);
    bird_text_free(&e->flipped);
    bird_rows_free(&e->rows);
    free(e->queue);
    free(e);
}

void bird_effect_fix(struct bird_effect *e, int64_t start, int64_t end)
{
    e->fixed_start = start;
    e->fixed_end = end;
}

int64_t bird_effect_features(const struct bird_effect *e)
{
    return e->n_feature;
}

struct bird_stretch *bird_effect_letters(struct bird_effect *e)
{
    return &e->stretch;
}

/* The letters of a window on both strands, where it is not at hand. */
static int look_at(struct bird_effect *e, int64_t contig, int64_t start,
                   int64_t end)
{
    const char *s;
    int rc;

    if (e->contig == contig && e->start == start && e->end == end)
        return 0;
    e->contig = -1;
    e->encoded = 0;
    /* a little more to the left, so that the stretch that is kept also serves
       what comes next and begins before this */
    rc = bird_stretch_get(&s, &e->stretch, e->g, contig,
                          start > e->o.window_bp ? start - e->o.window_bp : 0,
                          end);
    if (rc)
        return rc;
    s += start > e->o.window_bp ? e->o.window_bp : start;
    for (int k = 0; k < 2 && !rc; k++) {
        bird_text_clear(&e->letters[k]);
        rc = bird_text_put(&e->letters[k], s, end - start);
    }
    if (rc)
        return rc;
    bird_reverse_complement(e->letters[MINUS].s, e->letters[PLUS].s,
                            end - start);
    e->n_unknown = bird_letters_unknown(e->letters[PLUS].s, end - start);
    e->contig = contig;
    e->start = start;
    e->end = end;
    return 0;
}

/* Encode the window at hand on the strands in use. */
static int encode(struct bird_effect *e)
{
    int rc = 0;

    for (int s = 0; s < 2 && !rc && !e->encoded; s++)
        if (s ? e->o.minus : e->o.plus)
            rc = bird_anchor_ref(&e->view[s].anchor, &e->view[s].rows,
                                 &e->view[s].trimmed, e->letters[s].s,
                                 e->end - e->start);
    e->encoded = !rc;
    return rc;
}

static int give(struct bird_effect *e, const struct bird_rows *r, int64_t place,
                int second)
{
    int rc;

    if (e->at == e->n)
        e->at = e->n = 0;
    rc = bird_array_grow(&e->queue, &e->cap, e->n + 1, sizeof(*e->queue));
    if (rc)
        return rc;
    e->queue[e->n++] = (struct pending){place, second};
    e->tally.n_sequence++;
    return bird_scorer_add_ids(e->scorer, r->ids, r->position, r->n);
}

static int put_key(struct bird_effect *e, const struct bird_change *c)
{
    int64_t where[5] = {e->contig, e->start, e->end, 0, 0};
    int rc;

    bird_text_clear(&e->key);
    if (c) {
        where[3] = c->start;
        where[4] = c->end;
    }
    rc = bird_text_put(&e->key, where, c ? sizeof(where) : 3 * sizeof(*where));
    return rc || !c ? rc : bird_text_put(&e->key, c->alt.s, c->alt.n);
}

/* The window at hand without a change. */
static int ask_ref(struct bird_effect *e, int64_t *place)
{
    int fresh = 0, rc = put_key(e, NULL);

    if (!rc)
        rc = bird_known_find(e->known, place, &fresh, e->key.s, e->key.n);
    if (rc || !fresh) {
        e->tally.n_again += !rc;
        return rc;
    }
    rc = encode(e);
    for (int s = 0; s < 2 && !rc; s++)
        if (s ? e->o.minus : e->o.plus) {
            e->tally.n_trimmed += e->view[s].trimmed;
            rc = give(e, &e->view[s].rows, *place, s && e->o.plus);
        }
    return rc;
}

/* The change on one strand: its place in that strand's letters. */
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
        bird_text_clear(&e->flipped);
        rc = bird_text_put(&e->flipped, c->alt.s, c->alt.n);
        if (!rc)
            bird_reverse_complement(e->flipped.s, e->flipped.s, c->alt.n);
        alt = e->flipped.s;
    }
    return rc ? rc
              : bird_anchor_alt(&e->view[s].anchor, &e->rows, what,
                                e->o.anchored, from, to, alt, c->alt.n);
}

static int give_change(struct bird_effect *e, int64_t place,
                       const struct bird_change *c)
{
    struct bird_anchored what = {0};
    int32_t *note = bird_known_notes(e->known, place);
    int rc = encode(e);

    for (int s = 0; s < 2 && !rc && !note[NOTE_MISFIT]; s++) {
        if (!(s ? e->o.minus : e->o.plus))
            continue;
        rc = encode_change(e, &what, c, s);
        if (rc)
            break;
        note[NOTE_MISFIT] = !what.fits;
        note[NOTE_FREE] |= what.free;
        if (what.n_changed > note[NOTE_CHANGED])
            note[NOTE_CHANGED] = (int32_t)what.n_changed;
        e->tally.n_trimmed += what.trimmed;
        if (what.fits)
            rc = give(e, &e->rows, place, s && e->o.plus);
    }
    return rc;
}

/* Where the window of a change lies, and whether it is where and as long as it
 * should be; 0: none holds it. */
static int place_window(int64_t *start, int64_t *end, struct bird_asked *a,
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

int bird_effect_ask(struct bird_effect *e, struct bird_asked *out,
                    enum bird_variant_status *status,
                    const struct bird_change *c)
{
    int64_t start, end;
    struct bird_asked a = {0};
    const int32_t *note;
    int fresh = 0, rc;

    *status = BIRD_VARIANT_TOO_LONG;
    if (!place_window(&start, &end, &a, e, c))
        return 0;
    if ((rc = look_at(e, c->contig, start, end)))
        return rc;
    *status = BIRD_VARIANT_MANY_N;
    if ((double)e->n_unknown > e->o.max_unknown * (double)(end - start))
        return 0;
    rc = put_key(e, c);
    if (!rc)
        rc = bird_known_find(e->known, &a.alt, &fresh, e->key.s, e->key.n);
    if (!rc && fresh)
        rc = give_change(e, a.alt, c);
    e->tally.n_again += !fresh;
    if (rc)
        return rc;
    note = bird_known_notes(e->known, a.alt);
    *status = note[NOTE_MISFIT] ? BIRD_VARIANT_TOO_LONG : BIRD_VARIANT_OK;
    a.n_changed = note[NOTE_CHANGED];
    a.free = note[NOTE_FREE];
    if (*status == BIRD_VARIANT_OK)
        rc = ask_ref(e, &a.ref);
    if (!rc)
        *out = a;
    return rc;
}

int bird_effect_settle(struct bird_effect *e)
{
    return bird_scorer_flush(e->scorer);
}

const float *bird_effect_values(const struct bird_effect *e, int64_t place)
{
    return bird_known_values(e->known, place);
}

void bird_effect_turn(struct bird_effect *e)
{
    bird_known_turn(e->known);
}

void bird_effect_count(const struct bird_effect *e,
                       struct bird_effect_tally *out)
{
    *out = e->tally;
}
