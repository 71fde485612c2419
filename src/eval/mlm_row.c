/* A window becomes tokens, some of them hidden. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "eval/mlm.h"

void bird_mlm_row_free(struct bird_mlm_row *r)
{
    free(r->letters);
    free(r->covered);
    free(r->hidden);
    free(r->score);
    bird_encoding_free(&r->encoding);
    *r = (struct bird_mlm_row){0};
}

/* bp from token i to the next one; the special ones have none. */
static int64_t token_bp(const struct bird_mlm_row *r, int64_t i)
{
    const bird_encoding *e = &r->encoding;

    return (i + 1 < e->n ? e->start[i + 1] : r->n_bp) - e->start[i];
}

/* More tokens than the model reads: the last ones before the special tokens
 * at the end are dropped, and their bases with them. */
static void cut_row(struct bird_mlm_row *r, int64_t most)
{
    bird_encoding *e = &r->encoding;
    int64_t n_end = 0, keep;

    if (e->n <= most)
        return;
    while (n_end < e->n && e->start[e->n - 1 - n_end] == r->n_bp)
        n_end++;
    keep = most - n_end;
    r->n_bp = e->start[keep];
    for (int64_t i = 0; i < n_end; i++) {
        e->ids[keep + i] = e->ids[e->n - n_end + i];
        e->start[keep + i] = r->n_bp;
    }
    e->n = most;
    r->is_cut = 1;
}

/* Which of n tokens are hidden: mask * n of them, rounded, at least one, drawn
 * without replacement. Fills chosen (n_chosen) with rising numbers. */
static int64_t choose(int32_t *chosen, int64_t n, double mask,
                      struct bird_rng *rng)
{
    int64_t n_chosen = (int64_t)floor(mask * (double)n + 0.5), n_in = 0;

    if (n_chosen < 1)
        n_chosen = n > 0;
    /* Each token with the probability that it is among those still to be
     * drawn (Knuth, TAOCP 2, 3.4.2, algorithm S). */
    for (int64_t i = 0; i < n; i++)
        if ((int64_t)bird_rng_below(rng, (uint64_t)(n - i)) < n_chosen - n_in)
            chosen[n_in++] = (int32_t)i;
    return n_in;
}

static enum bird_mlm_class class_of(const char *raw, int64_t n)
{
    int64_t lower = 0;

    for (int64_t i = 0; i < n; i++)
        lower += raw[i] >= 'a';
    return 2 * lower > n ? BIRD_MLM_REPEAT : BIRD_MLM_NONREPEAT;
}

/* Is the token's text what stands there? */
static int check_text(const struct bird_mlm_row *r,
                      const struct bird_mlm_evaluating *v, int32_t id,
                      int64_t start)
{
    int64_t n = v->vocab.length[id];

    if (!memcmp(bird_tokenizer_token(v->model.tokenizer, id),
                r->letters + start, (size_t)n))
        return 0;
    return bird_fail(BIRD_EFORMAT,
                     "%s: token %d is not the text it stands for: such a "
                     "tokenizer cannot be evaluated",
                     v->model.folder.path, id);
}

/* Hide token i. One with letters other than A, C, G, T is not scored. */
static int hide(struct bird_mlm_row *r, const struct bird_mlm_evaluating *v,
                const char *raw, int64_t i)
{
    int32_t id = r->encoding.ids[i];
    int64_t start = r->encoding.start[i], n = token_bp(r, i);

    r->encoding.ids[i] = v->vocab.mask_id;
    memset(r->covered + start, 1, (size_t)n);
    if (id >= v->vocab.n || v->vocab.length[id] != n) {
        r->n_unknown++;
        return 0;
    }
    r->hidden[r->n_hidden++] =
        (struct bird_mlm_hidden){.at = (int32_t)i,
                                 .id = id,
                                 .start = (int32_t)start,
                                 .n = (int32_t)n,
                                 .part = class_of(raw + start, n)};
    return check_text(r, v, id, start);
}

static int hide_some(struct bird_mlm_row *r,
                     const struct bird_mlm_evaluating *v, const char *raw)
{
    const struct bird_mlm_window *w = &r->window;
    const char *name = v->reference.contigs.name[w->contig];
    int32_t *place, *chosen = NULL;
    struct bird_rng rng;
    int64_t n = 0, n_chosen;
    int rc = bird_array_new(&place, r->encoding.n, sizeof(*place));

    if (!rc)
        rc = bird_array_new(&chosen, r->encoding.n, sizeof(*chosen));
    for (int64_t i = 0; !rc && i < r->encoding.n; i++)
        if (token_bp(r, i) > 0)
            place[n++] = (int32_t)i;
    r->n_token = n;
    bird_rng_init(&rng, v->o->seed, bird_mlm_name_hash(name),
                  (uint64_t)w->start);
    n_chosen = rc ? 0 : choose(chosen, n, v->o->mask, &rng);
    if (!rc)
        rc = bird_array_grow(&r->hidden, &r->cap_hidden, n_chosen,
                             sizeof(*r->hidden));
    for (int64_t i = 0; !rc && i < n_chosen; i++)
        rc = hide(r, v, raw, place[chosen[i]]);
    free(place);
    free(chosen);
    return rc;
}

int bird_mlm_row_make(struct bird_mlm_row *r,
                      const struct bird_mlm_evaluating *v, const char *raw)
{
    int64_t n = r->window.end - r->window.start;
    int rc = bird_array_grow(&r->letters, &r->cap_letters, n, 1);

    if (!rc)
        rc = bird_array_grow(&r->covered, &r->cap_covered, n, 1);
    if (rc)
        return rc;
    r->n_bp = n;
    r->n_token = r->n_hidden = r->n_unknown = 0;
    r->is_cut = r->has_lower = 0;
    memset(r->covered, 0, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        r->letters[i] = bird_mlm_upper(raw[i]);
        r->has_lower |= raw[i] >= 'a';
    }
    rc = bird_tokenizer_encode(v->model.tokenizer, &r->encoding, r->letters, n,
                               1);
    if (rc)
        return rc;
    cut_row(r, v->model.folder.config.max_positions);
    rc = hide_some(r, v, raw);
    if (!rc)
        rc = bird_array_grow(&r->score, &r->cap_score,
                             r->n_hidden * v->n_predictor * BIRD_MLM_N_SCORE,
                             sizeof(*r->score));
    return rc;
}
