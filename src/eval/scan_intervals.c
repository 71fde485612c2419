/**
 * Predictors beside a model, on windows of their own: intervals of a BED
 * file, and the k-mer floor that is stored with a model.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/references.h"
#include "dnabird/baseline.h"
#include "dnabird/tiles.h"
#include "eval/scan_eval.h"

static double score(const struct bird_interval *x, const char *bases,
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
static int score_all(struct bird_intervals *p, const struct bird_scan *s,
                     struct bird_reference *ref)
{
    const char *bases;
    int64_t i, n = 0;
    int rc;

    for (i = 0; i < p->n; i++) {
        struct bird_interval *x = p->at + i;
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

/* One of the two. */
struct predictor {
    const struct bird_intervals *intervals;
    bird_baseline *floor;
    char *flipped; /* (window) */
};

/* The score of the interval that the window's middle lies in. */
static int add_by_interval(struct bird_scan *s, const struct bird_interval *w,
                           const struct bird_intervals *p)
{
    int64_t mid = w->start + (w->end - w->start) / 2;
    int64_t i = bird_intervals_first(p, w->contig, mid + 1) - 1;
    int inside = i >= 0 && p->at[i].contig == w->contig && p->at[i].end > mid;

    return bird_scan_add(s, w, inside ? p->at[i].score : 0, 0);
}

/* Both strands of the window, each by its own letters. */
static int add_by_floor(struct bird_scan *s, struct bird_interval *w,
                        const struct predictor *q, const char *seq)
{
    int64_t n = w->end - w->start;
    char strand = w->strand;
    double p;
    int rc = bird_baseline_score(q->floor, BIRD_BASELINE_KMER, &p, seq, n);

    w->strand = '+';
    if (!rc)
        rc = bird_scan_add(s, w, p, p);
    bird_reverse_complement(q->flipped, seq, n);
    w->strand = '-';
    if (!rc)
        rc = bird_baseline_score(q->floor, BIRD_BASELINE_KMER, &p, q->flipped,
                                 n);
    if (!rc)
        rc = bird_scan_add(s, w, p, p);
    w->strand = strand;
    return rc;
}

/* Windows over one region, the last moved inward. */
static int add_region(struct bird_scan *s, const struct bird_interval *region,
                      const struct predictor *q, const char *bases)
{
    struct bird_interval w = *region;
    int64_t length = region->end - region->start;
    int64_t n = s->o->window < length ? s->o->window : length, bad, at;
    int rc = 0;

    if (length < 1)
        return 0;
    if (n < s->o->window && !s->o->score_short) {
        s->n_unscored += 2;
        s->n_short += 2;
        return 0;
    }
    bad = unknown(bases + region->start, n);
    for (at = region->start; !rc;) {
        w.start = at;
        w.end = at + n;
        if ((double)bad > s->o->max_n * (double)n) {
            s->n_unscored += 2;
        } else {
            rc = q->floor ? add_by_floor(s, &w, q, bases + w.start)
                          : add_by_interval(s, &w, q->intervals);
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
static int list_regions(struct bird_intervals *out, struct bird_scan *s,
                        const struct bird_reference *ref)
{
    struct bird_interval x = {.strand = '.'};
    int64_t i;
    int rc = 0;

    for (i = 0; !rc && s->has_regions && i < s->regions.n; i++)
        rc = bird_intervals_put(out, s->regions.at + i);
    for (i = 0; !rc && !s->has_regions && i < ref->n; i++) {
        x.end = ref->contig[i].length;
        rc = bird_contigs_add(&x.contig, &s->contigs, ref->contigs.name[i]);
        if (!rc)
            rc = bird_intervals_put(out, &x);
    }
    return rc;
}

int bird_scan_add_predictor(struct bird_scan *s, const bird_scan_files *f)
{
    struct bird_reference ref = {0};
    struct bird_intervals p = {0}, regions = {0};
    struct predictor q = {.intervals = &p};
    const char *bases;
    int64_t i;
    int rc = bird_reference_open(&ref, f->fasta, f->n_fasta);

    if (!rc && f->floor) {
        rc = bird_baseline_open(&q.floor, f->floor);
        if (!rc)
            rc = bird_array_new(&q.flipped, s->o->window, 1);
    } else if (!rc) {
        rc = bird_intervals_read(&p, &s->contigs, f->intervals);
        if (!rc)
            rc = score_all(&p, s, &ref);
    }
    if (!rc)
        rc = list_regions(&regions, s, &ref);
    for (i = 0; !rc && i < regions.n; i++) {
        struct bird_interval *x = regions.at + i;
        int32_t c = in_reference(s, &ref, x->contig);

        if (c < 0)
            continue;
        if (x->end > ref.contig[c].length)
            x->end = ref.contig[c].length;
        rc = bird_reference_bases(&bases, &ref, c);
        if (!rc)
            rc = add_region(s, x, &q, bases);
    }
    bird_intervals_free(&p);
    bird_intervals_free(&regions);
    bird_reference_free(&ref);
    bird_baseline_free(q.floor);
    free(q.flipped);
    return rc;
}
