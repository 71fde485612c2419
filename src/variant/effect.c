/* Effects of all frames of a change together: a frame for each shift is asked,
 * and what they answer is averaged, in the order of the shifts.
 * SPDX-License-Identifier: MIT */
#include "variant/effect.h"

#include <stdlib.h>

#include "base/mem.h"
#include "variant/effect_bins.h"
#include "variant/effect_frame.h"
#include "variant/effect_masked.h"

struct bird_effect {
    const bird_model *m;
    struct bird_effect_options o;
    struct bird_contig_cache stretch;
    struct bird_frame_effect *frame[BIRD_SHIFTS]; /* (o.n_shift) */
    int64_t n_value,
        n_strand;         /* of a place in a frame: 2 strands apart, or 1 */
    struct bird_way *way; /* (n_asked, n_shift, 2) */
    float *value;         /* (n_known, 2, n_value) means, REF's and ALT's */
    float *draw; /* (n_known, 2, n_shift, n_strand, n_value), with a bar */
    int64_t n_asked, n_known, cap_way, cap_value, cap_draw;
};

int bird_effect_new(struct bird_effect **out, const bird_model *m,
                    bird_genome *g, const struct bird_effect_options *o)
{
    struct bird_effect_options one = *o;
    int masked = bird_model_config(m)->head->masked;
    struct bird_effect *e;
    int rc = masked ? 0 : bird_model_check_scores(m);

    if (!rc)
        rc = bird_array_new(&e, 1, sizeof(*e));
    if (rc)
        return rc;
    e->m = m;
    e->o = *o;
    e->n_strand = bird_effect_strand(o) == BIRD_STRAND_EACH ? 2 : 1;
    for (int64_t k = 0; k < o->n_shift && !rc; k++) {
        one.shift_bp = o->shift[k];
        rc = bird_frame_effect_new(&e->frame[k], m, g, &e->stretch, &one);
    }
    if (rc) {
        bird_effect_free(e);
        return rc;
    }
    e->n_value = bird_effect_scales(e);
    *out = e;
    return 0;
}

void bird_effect_free(struct bird_effect *e)
{
    if (!e)
        return;
    for (int64_t k = 0; k < e->o.n_shift; k++)
        bird_frame_effect_free(e->frame[k]);
    bird_contig_cache_free(&e->stretch);
    free(e->way);
    free(e->value);
    free(e->draw);
    free(e);
}

void bird_effect_fix(struct bird_effect *e, int64_t start, int64_t end)
{
    for (int64_t k = 0; k < e->o.n_shift; k++)
        bird_frame_effect_fix(e->frame[k], start, end);
}

void bird_effect_fix_around(struct bird_effect *e, int64_t contig,
                            int64_t start, int64_t end)
{
    for (int64_t k = 0; k < e->o.n_shift; k++)
        bird_frame_effect_fix_around(e->frame[k], contig, start, end);
}

int bird_effect_region(struct bird_effect *e, struct bird_region_window *out,
                       enum bird_variant_status *status, int64_t contig,
                       int64_t start, int64_t end)
{
    return bird_frame_effect_region(e->frame[0], out, status, contig, start,
                                    end);
}

static int64_t farthest(const struct bird_effect *e)
{
    int64_t most = 0;

    for (int64_t k = 0; k < e->o.n_shift; k++)
        most = llabs(e->o.shift[k]) > most ? llabs(e->o.shift[k]) : most;
    return most;
}

int64_t bird_effect_room(const struct bird_effect *e)
{
    const struct bird_config *c = bird_model_config(e->m);
    int64_t w = e->o.window_bp, core = w;

    if (c->head->n_bin)
        core = bird_bin_effect_core(e->m, w) - c->bin_bp;
    if (e->o.n_shift > 1) /* the region is in the middle of all windows */
        core -= 2 * farthest(e);
    return core > 1 ? core : 1;
}

int64_t bird_effect_reach(const struct bird_effect *e)
{
    int twice =
        bird_model_config(e->m)->head->n_bin || e->o.tokens == BIRD_TOKENS_BOTH;

    return e->o.window_bp * (twice ? 2 : 1) + farthest(e);
}

int64_t bird_effect_features(const struct bird_effect *e)
{
    return bird_frame_effect_features(e->frame[0]);
}

void bird_effect_distance(struct bird_effect *e, int wanted)
{
    for (int64_t k = 0; k < e->o.n_shift; k++)
        bird_frame_effect_distance(e->frame[k], wanted);
}

struct bird_contig_cache *bird_effect_bases(struct bird_effect *e)
{
    return &e->stretch;
}

int bird_effect_submit(struct bird_effect *e, struct bird_request *out,
                       enum bird_variant_status *status,
                       const struct bird_change *c)
{
    int64_t n = e->o.n_shift;
    struct bird_request all = {0};
    struct bird_way *way;
    int rc = bird_array_grow(&e->way, &e->cap_way, (e->n_asked + 1) * n * 2,
                             sizeof(*e->way));

    if (rc)
        return rc;
    way = e->way + e->n_asked * n * 2;
    for (int64_t k = 0; k < n; k++) {
        struct bird_request one = {0};

        rc =
            bird_frame_effect_submit(e->frame[k], way + 2 * k, &one, status, c);
        if (rc || *status != BIRD_VARIANT_OK)
            return rc;
        all.n_changed =
            one.n_changed > all.n_changed ? one.n_changed : all.n_changed;
        all.free |= one.free;
        all.turned |= one.turned;
        all.moved |= one.moved;
        all.cut |= one.cut;
        all.change_class = one.change_class;
    }
    all.ref = 2 * e->n_asked;
    all.alt = all.ref + 1;
    e->n_asked++;
    *out = all;
    return 0;
}

/* The draws of one side of a change: values of a frame, of both ways their
 * mean. Exchanged ways have the same mean, to the last bit. */
static void fill_draws(float *out, const struct bird_effect *e,
                       const struct bird_way *way, int side)
{
    int64_t n = e->n_strand * e->n_value;

    for (int64_t k = 0; k < e->o.n_shift; k++, way += 2, out += n) {
        const float *a = bird_frame_effect_values(
            e->frame[k], side ? way[0].alt : way[0].ref);
        const float *b = way[1].ref < 0
                             ? a
                             : bird_frame_effect_values(
                                   e->frame[k], side ? way[1].alt : way[1].ref);

        for (int64_t i = 0; i < n; i++)
            out[i] = a == b ? a[i] : (float)(((double)a[i] + (double)b[i]) / 2);
    }
}

static void fill_mean(float *out, const struct bird_effect *e,
                      const float *draw)
{
    int64_t n = e->o.n_shift * e->n_strand;

    for (int64_t i = 0; i < e->n_value; i++) {
        double sum = 0;

        for (int64_t k = 0; k < n; k++)
            sum += (double)draw[k * e->n_value + i];
        out[i] = (float)(sum / (double)n);
    }
}

int bird_effect_flush(struct bird_effect *e)
{
    int64_t f = e->n_value, n = e->o.n_shift * e->n_strand * f;
    int rc = 0;

    for (int64_t k = 0; k < e->o.n_shift && !rc; k++)
        rc = bird_frame_effect_flush(e->frame[k]);
    if (!rc)
        rc = bird_array_grow(&e->value, &e->cap_value, e->n_asked * 2 * f,
                             sizeof(*e->value));
    if (!rc && n > f)
        rc = bird_array_grow(&e->draw, &e->cap_draw, e->n_asked * 2 * n,
                             sizeof(*e->draw));
    for (int64_t i = 2 * e->n_known; i < 2 * e->n_asked && !rc; i++) {
        const struct bird_way *way = e->way + i / 2 * e->o.n_shift * 2;

        fill_draws(n > f ? e->draw + i * n : e->value + i * f, e, way, i % 2);
        if (n > f)
            fill_mean(e->value + i * f, e, e->draw + i * n);
    }
    if (!rc)
        e->n_known = e->n_asked;
    return rc;
}

const float *bird_effect_values(const struct bird_effect *e, int64_t place)
{
    return e->value + place * e->n_value;
}

int64_t bird_effect_draws(const struct bird_effect *e)
{
    int64_t n = e->o.n_shift * e->n_strand;

    return n > 1 ? n : 0;
}

const float *bird_effect_draw(const struct bird_effect *e, int64_t place)
{
    return e->draw + place * e->o.n_shift * e->n_strand * e->n_value;
}

int64_t bird_effect_scales(const struct bird_effect *e)
{
    return bird_model_config(e->m)->head->masked ? BIRD_MASKED_VALUES
                                                 : bird_effect_features(e);
}

void bird_effect_scaled(float *out, const struct bird_effect *e,
                        const struct bird_request *r)
{
    const float *ref = bird_effect_values(e, r->ref);
    const float *alt = bird_effect_values(e, r->alt);

    for (int64_t i = 0; i < bird_effect_scales(e); i++)
        out[i] = (float)((double)alt[i] - (double)ref[i]);
    if (bird_model_config(e->m)
            ->head->masked) /* of both, not their difference */
        out[BIRD_MASKED_DISTANCE] = alt[BIRD_MASKED_DISTANCE];
}

void bird_effect_evict(struct bird_effect *e)
{
    for (int64_t k = 0; k < e->o.n_shift; k++)
        bird_frame_effect_evict(e->frame[k]);
    e->n_asked = e->n_known = 0;
}

void bird_effect_count(const struct bird_effect *e, bird_session_counts *out)
{
    *out = (bird_session_counts){0};
    for (int64_t k = 0; k < e->o.n_shift; k++) {
        bird_session_counts one = {0};

        bird_frame_effect_count(e->frame[k], &one);
        out->n_evaluated += one.n_evaluated;
        out->n_cached += one.n_cached;
        out->n_trimmed += one.n_trimmed;
    }
}
