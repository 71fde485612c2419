/**
 * Intervals of a BED file as a predictor, on windows of its own.
 * SPDX-License-Identifier: MIT
 */
#include "base/fail.h"
#include "train/reference.h"
#include "train/scan_eval.h"

static double score(const struct bird_place *x, const char *bases,
                    enum bird_scan_score how)
{
    double n = (double)(x->end - x->start), c = 0, g = 0, cpg = 0, r;
    int64_t i;

    for (i = x->start; i < x->end; i++) {
        c += bases[i] == 'C';
        g += bases[i] == 'G';
        cpg += i + 1 < x->end && bases[i] == 'C' && bases[i + 1] == 'G';
    }
    switch (how) {
    case BIRD_SCORE_LENGTH:
        return n / (n + 1000);
    case BIRD_SCORE_CPG:
        return cpg / (cpg + 100);
    case BIRD_SCORE_OBSERVED:
        r = c * g > 0 ? cpg * n / (c * g) : 0;
        return r / (r + 1);
    case BIRD_SCORE_COLUMN:
        break;
    }
    r = x->score / 1000;
    return r < 0 ? 0 : r > 1 ? 1 : r;
}

/* Contig of the scan in the reference; -1: it has none of that name. */
static int32_t in_reference(const struct bird_scan *s,
                            const struct bird_reference *ref, int32_t contig)
{
    return bird_contigs_find(&ref->contigs, s->contigs.name[contig]);
}

/* Keep and score those in the reference. */
static int score_all(struct bird_places *p, const struct bird_scan *s,
                     struct bird_reference *ref)
{
    const char *bases;
    int64_t i, n = 0;
    int rc;

    for (i = 0; i < p->n; i++) {
        struct bird_place *x = p->at + i;
        int32_t c = in_reference(s, ref, x->contig);

        if (c < 0 || x->end > ref->contig[c].length)
            continue;
        rc = bird_reference_bases(&bases, ref, c);
        if (rc)
            return rc;
        x->score = score(x, bases, s->o->score);
        p->at[n++] = *x;
    }
    p->n = n;
    return 0;
}

/* Other letters than A, C, G, T among n. */
static int64_t unknown(const char *s, int64_t n)
{
    int64_t i, k = 0;

    for (i = 0; i < n; i++)
        k += !bird_is_acgt(s[i]);
    return k;
}

/* Windows over one region, the last moved inward. */
static int add_region(struct bird_scan *s, const struct bird_place *region,
                      const struct bird_places *p, const char *bases)
{
    struct bird_place w = *region;
    int64_t i, mid, n = s->o->window, bad, at;
    double value;
    int rc = 0;

    if (region->end - region->start < n)
        return 0;
    bad = unknown(bases + region->start, n);
    for (at = region->start; !rc;) {
        w.start = at;
        w.end = at + n;
        if ((double)bad > s->o->max_n * (double)n) {
            s->n_unscored += 2;
        } else {
            mid = w.start + n / 2;
            i = bird_places_from(p, w.contig, mid + 1) - 1;
            value = i >= 0 && p->at[i].contig == w.contig && p->at[i].end > mid
                        ? p->at[i].score
                        : 0;
            rc = bird_scan_add(s, &w, value);
        }
        if (w.end == region->end)
            break;
        at += s->o->stride;
        if (at + n > region->end)
            at = region->end - n;
        bad += unknown(bases + w.end, at + n - w.end);
        bad -= unknown(bases + w.start, at - w.start);
    }
    return rc;
}

/* The regions; without a file of them the whole contigs. */
static int list_regions(struct bird_places *out, struct bird_scan *s,
                        const struct bird_reference *ref)
{
    struct bird_place x = {.strand = '.'};
    int64_t i;
    int rc = 0;

    for (i = 0; !rc && s->has_regions && i < s->regions.n; i++)
        rc = bird_places_put(out, s->regions.at + i);
    for (i = 0; !rc && !s->has_regions && i < ref->n; i++) {
        x.end = ref->contig[i].length;
        rc = bird_contigs_add(&x.contig, &s->contigs, ref->contigs.name[i]);
        if (!rc)
            rc = bird_places_put(out, &x);
    }
    return rc;
}

int bird_scan_add_intervals(struct bird_scan *s, const bird_scan_files *f)
{
    struct bird_reference ref = {0};
    struct bird_places p = {0}, regions = {0};
    const char *bases;
    int64_t i;
    int rc = bird_reference_open(&ref, f->fasta, f->n_fasta);

    if (!rc)
        rc = bird_places_read(&p, &s->contigs, f->intervals);
    if (!rc)
        rc = score_all(&p, s, &ref);
    if (!rc)
        rc = list_regions(&regions, s, &ref);
    for (i = 0; !rc && i < regions.n; i++) {
        struct bird_place *x = regions.at + i;
        int32_t c = in_reference(s, &ref, x->contig);

        if (c < 0)
            continue;
        if (x->end > ref.contig[c].length)
            x->end = ref.contig[c].length;
        rc = bird_reference_bases(&bases, &ref, c);
        if (!rc)
            rc = add_region(s, x, &p, bases);
    }
    bird_places_free(&p);
    bird_places_free(&regions);
    bird_reference_free(&ref);
    return rc;
}
