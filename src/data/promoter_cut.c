/**
 * Windows of a promoter set: where they may lie, which negatives are drawn.
 *
 * A negative is drawn again and again, from one generator that is a function
 * of (seed, row), until a window of its stratum passes: whole inside a
 * region, few N, no TSS too near.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/promoter_data.h"
#include "dnabird/window.h"

#define MAX_DRAWS 100000

void bird_cut_place(struct bird_cut *c, int64_t pos, int64_t offset,
                    int64_t window)
{
    c->start = c->strand == '-' ? pos - (window - 1 - offset) : pos - offset;
}

int64_t bird_cut_base(const struct bird_cut *c, int64_t offset, int64_t window)
{
    return c->strand == '-' ? c->start + window - 1 - offset
                            : c->start + offset;
}

int bird_promoter_set_fits(const struct bird_promoter_set *s,
                           const struct bird_cut *c)
{
    return c->start >= 0 &&
           bird_places_holding(&s->regions, c->contig, c->start,
                               c->start + s->o->window) >= 0;
}

int bird_promoter_set_fetch(struct bird_promoter_set *s, int *clean,
                            const struct bird_cut *c)
{
    const char *bases;
    int64_t i, n = s->o->window, unknown = 0;
    int rc = bird_reference_bases(&bases, &s->ref, c->contig);

    if (rc)
        return rc;
    bases += c->start;
    for (i = 0; i < n; i++)
        unknown += !bird_is_acgt(bases[i]);
    if (c->strand == '-')
        bird_reverse_complement(s->seq, bases, n);
    else
        memcpy(s->seq, bases, (size_t)n);
    *clean = (double)unknown <= s->o->max_n * (double)n;
    return 0;
}

/* Keep the sites on contigs of the reference and inside the regions. */
static void keep_inside(struct bird_promoter_set *s)
{
    struct bird_places *t = &s->tss;
    int64_t i, n = 0;

    s->tally.n_tss = t->n;
    for (i = 0; i < t->n; i++) {
        if (t->at[i].contig >= s->ref.n)
            s->tally.no_contig++;
        else if (bird_places_holding(&s->regions, t->at[i].contig,
                                     t->at[i].start, t->at[i].end) < 0)
            s->tally.elsewhere++;
        else
            t->at[n++] = t->at[i];
    }
    t->n = n;
}

static int read_regions(struct bird_promoter_set *s,
                        const bird_promoter_files *f)
{
    int64_t *length = NULL, i;
    int rc = bird_array_new(&length, s->ref.n, sizeof(*length));

    for (i = 0; !rc && i < s->ref.n; i++)
        length[i] = s->ref.contig[i].length;
    if (!rc)
        rc = f->regions
                 ? bird_places_read(&s->regions, &s->ref.contigs, f->regions)
                 : bird_places_whole(&s->regions, length, s->ref.n);
    if (!rc)
        rc = bird_places_limit(&s->regions, &s->ref.contigs, length, s->ref.n,
                               f->exclude);
    free(length);
    return rc;
}

static int read_islands(struct bird_promoter_set *s, const char *path)
{
    struct bird_places *p = &s->islands;
    int64_t i, n = 0;
    int rc = bird_places_read(p, &s->ref.contigs, path);

    if (rc)
        return rc;
    for (i = 0; i < p->n; i++)
        if (bird_places_holding(&s->regions, p->at[i].contig, p->at[i].start,
                                p->at[i].end) >= 0)
            p->at[n++] = p->at[i];
    p->n = n;
    bird_places_merge(p);
    rc = bird_places_sum(&s->island_sum, p, 1);
    if (!rc && !p->n)
        rc = bird_fail(BIRD_EINVAL, "%s: no island lies in the regions", path);
    return rc;
}

int bird_promoter_set_open(struct bird_promoter_set *s,
                           const bird_promoter_files *f,
                           const bird_promoter_options *o)
{
    int64_t i;
    int rc;

    *s = (struct bird_promoter_set){.o = o};
    rc = bird_reference_open(&s->ref, f->fasta, f->n_fasta);
    if (!rc)
        rc = read_regions(s, f);
    if (!rc)
        rc = bird_places_read_tss(&s->tss, &s->ref.contigs, f->tss,
                                  &f->transcripts);
    if (!rc)
        rc = bird_places_read_tss(&s->all, &s->ref.contigs, f->tss,
                                  &f->transcripts);
    for (i = 0; !rc && i < f->n_other; i++)
        rc = bird_places_read_tss(&s->all, &s->ref.contigs, f->other[i],
                                  &f->transcripts);
    if (!rc)
        rc = bird_places_sum(&s->region_sum, &s->regions, o->window);
    if (!rc && o->negatives == BIRD_NEGATIVES_GENOMIC && o->island > 0.0)
        rc = read_islands(s, f->islands);
    if (!rc)
        rc = bird_array_new(&s->seq, o->window, 1);
    if (rc)
        bird_promoter_set_free(s);
    else
        keep_inside(s);
    return rc;
}

void bird_promoter_set_free(struct bird_promoter_set *s)
{
    bird_places_free(&s->tss);
    bird_places_free(&s->all);
    bird_places_free(&s->regions);
    bird_places_free(&s->islands);
    bird_reference_free(&s->ref);
    bird_text_free(&s->line);
    free(s->region_sum);
    free(s->island_sum);
    free(s->positive);
    free(s->seq);
    *s = (struct bird_promoter_set){0};
}

static int64_t below(struct bird_rng *r, int64_t n)
{
    return (int64_t)bird_rng_below(r, (uint64_t)n);
}

/* Draw a place by the stratum's rule; what it must not touch comes later. */
static void draw(const struct bird_promoter_set *s, struct bird_cut *c,
                 enum bird_promoter_stratum stratum, struct bird_rng *r)
{
    const bird_promoter_options *o = s->o;
    const struct bird_place *t;
    int64_t i, d;

    c->strand = below(r, 2) ? '+' : '-';
    if (stratum == BIRD_STRATUM_BACKGROUND) {
        d = below(r, s->region_sum[s->regions.n]);
        d = bird_sum_find(&i, s->region_sum, s->regions.n, d);
        c->contig = s->regions.at[i].contig;
        c->start = s->regions.at[i].start + d;
        return;
    }
    if (stratum == BIRD_STRATUM_ISLAND) {
        d = below(r, s->island_sum[s->islands.n]);
        d = bird_sum_find(&i, s->island_sum, s->islands.n, d);
        c->contig = s->islands.at[i].contig;
        bird_cut_place(c, s->islands.at[i].start + d, o->anchor, o->window);
        return;
    }
    t = s->tss.at + below(r, s->tss.n);
    c->contig = t->contig;
    if (stratum == BIRD_STRATUM_ANTISENSE) {
        c->strand = t->strand == '+' ? '-' : '+';
        d = below(r, 2 * o->jitter + 1) - o->jitter;
    } else {
        d = o->away + o->jitter + 1;
        d += below(r, o->near - d + 1);
        if (below(r, 2))
            d = -d;
    }
    bird_cut_place(c, t->start + d, o->anchor, o->window);
}

/* Is the anchor far enough from every start site that matters? */
static int is_away(const struct bird_promoter_set *s, const struct bird_cut *c,
                   enum bird_promoter_stratum stratum)
{
    int64_t pos = bird_cut_base(c, s->o->anchor, s->o->window);
    int64_t d = s->o->away + s->o->jitter, range[2] = {pos - d, pos + d};

    return !bird_places_start_in(&s->all, c->contig, range,
                                 stratum == BIRD_STRATUM_ANTISENSE ? c->strand
                                                                   : 0);
}

static enum bird_promoter_stratum pick(const bird_promoter_options *o,
                                       struct bird_rng *r)
{
    double u = bird_rng_uniform(r);

    if (u < o->island)
        return BIRD_STRATUM_ISLAND;
    if (u < o->island + o->near_share)
        return BIRD_STRATUM_NEAR;
    if (u < o->island + o->near_share + o->antisense)
        return BIRD_STRATUM_ANTISENSE;
    return BIRD_STRATUM_BACKGROUND;
}

int bird_promoter_set_negative(struct bird_promoter_set *s,
                               struct bird_cut *out,
                               enum bird_promoter_stratum *stratum, int64_t row)
{
    struct bird_rng r;
    struct bird_cut c;
    int i, rc, clean = 0;

    bird_rng_init(&r, s->o->seed, STREAM_GENOMIC, (uint64_t)row);
    *stratum = pick(s->o, &r);
    for (i = 0; i < MAX_DRAWS; i++) {
        draw(s, &c, *stratum, &r);
        if (!bird_promoter_set_fits(s, &c) || !is_away(s, &c, *stratum))
            continue;
        rc = bird_promoter_set_fetch(s, &clean, &c);
        if (rc)
            return rc;
        if (clean) {
            *out = c;
            return 0;
        }
    }
    return bird_fail(BIRD_EINVAL,
                     "no window for a negative was found in %d draws: the "
                     "regions are too small, or too full of N or of TSSs",
                     MAX_DRAWS);
}

int bird_promoter_set_replace(struct bird_promoter_set *s, int64_t row)
{
    static const char base[4] = {'A', 'C', 'G', 'T'};
    int64_t n = s->o->pieces, m = s->o->replaced, len = s->o->window / n;
    int64_t i, k, *p;
    struct bird_rng r;
    char *spare;
    int rc = bird_array_new(&p, n, sizeof(*p));

    if (!rc)
        rc = bird_array_new(&spare, len, 1);
    else
        return rc;
    if (rc) {
        free(p);
        return rc;
    }
    bird_rng_init(&r, s->o->seed, STREAM_REPLACED, (uint64_t)row);
    for (i = 0; i < n; i++)
        p[i] = i;
    for (i = 0; i < m; i++) {
        int64_t x = p[i];

        k = i + below(&r, n - i);
        p[i] = p[k];
        p[k] = x;
    }
    /* p is a random order already: passing each piece on to the next is a
     * random permutation of one cycle, so that every piece moves. */
    memcpy(spare, s->seq + p[m - 1] * len, (size_t)len);
    for (i = m - 1; i >= 0; i--) {
        char *to = s->seq + p[i] * len;

        if (s->o->negatives == BIRD_NEGATIVES_RANDOM)
            for (k = 0; k < len; k++)
                to[k] = base[below(&r, 4)];
        else
            memcpy(to, i ? s->seq + p[i - 1] * len : spare, (size_t)len);
    }
    free(spare);
    free(p);
    return 0;
}
