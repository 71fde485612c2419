/*
 * Sorted peaks to labelled bins.
 *
 * The sweep builds the union of a profile's peaks by itself: a peak adds only
 * the bases beyond the largest end of the profile's earlier peaks. Such pieces
 * are disjoint, so that the overlaps of one profile's pieces with a bin add up.
 * SPDX-License-Identifier: MIT
 */
#include "data/peaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"

struct bird_bin_sweep {
    struct bird_peak_sort *peaks;
    int64_t bin, n_profile;
    struct bird_overlap_rule rule;
    int64_t *reached;        /* (n_profile) end of its union so far */
    int64_t *overlap;        /* (n_profile) with the bin at hand */
    struct bird_peak *piece; /* (n_piece) that end in or after the bin */
    int64_t n_piece, cap_piece;
    int32_t *label; /* (n_profile) */
    struct bird_peak next;
    int more; /* `next` holds a peak */
    int32_t contig;
    int64_t number; /* of the bin at hand */
};

int bird_overlap_parse(struct bird_overlap_rule *out, const char *text,
                       int64_t bin)
{
    struct bird_overlap_rule r = {0, bin, 0};
    double share;

    if (!strcmp(text, "half"))
        r.least = bin / 2 + 1;
    else if (!strcmp(text, "any"))
        r.least = 1;
    else if (!strcmp(text, "centre") || !strcmp(text, "center"))
        r = (struct bird_overlap_rule){bin / 2, bin / 2 + 1, 1};
    else if (!bird_parse_double(&share, text) && share > 0 && share <= 1)
        /* 0.7 of 10 is 7: not the 8 that the last bit would make of it */
        r.least = (int64_t)ceil(share * (double)bin - 1e-9 * (double)bin);
    else
        return bird_fail(BIRD_EINVAL,
                         "overlap '%.40s': it is half, any, centre or a share "
                         "above 0 and up to 1",
                         text);
    if (r.least < 1)
        r.least = 1;
    *out = r;
    return 0;
}

/* The next peak into s->next. */
static int advance(struct bird_bin_sweep *s)
{
    int rc = bird_peak_sort_next(s->peaks, &s->next);

    s->more = rc > 0;
    return rc < 0 ? rc : 0;
}

int bird_bin_sweep_new(struct bird_bin_sweep **out,
                       struct bird_peak_sort *peaks, int64_t bin,
                       int64_t n_profile, const struct bird_overlap_rule *rule)
{
    struct bird_bin_sweep *s;
    int rc = bird_array_new(&s, 1, sizeof(*s));

    if (rc)
        return rc;
    *s = (struct bird_bin_sweep){.peaks = peaks,
                                 .bin = bin,
                                 .n_profile = n_profile,
                                 .rule = *rule,
                                 .contig = -1};
    rc = bird_array_new(&s->reached, n_profile, sizeof(*s->reached));
    if (!rc)
        rc = bird_array_new(&s->overlap, n_profile, sizeof(*s->overlap));
    if (!rc)
        rc = bird_array_new(&s->label, n_profile, sizeof(*s->label));
    if (!rc)
        rc = advance(s);
    if (rc)
        bird_bin_sweep_free(s);
    else
        *out = s;
    return rc;
}

void bird_bin_sweep_free(struct bird_bin_sweep *s)
{
    if (!s)
        return;
    free(s->reached);
    free(s->overlap);
    free(s->piece);
    free(s->label);
    free(s);
}

/* Peaks that begin before `end` become pieces. */
static int take_peaks(struct bird_bin_sweep *s, int64_t end)
{
    int rc = 0;

    while (!rc && s->more && s->next.contig == s->contig &&
           s->next.start < end) {
        struct bird_peak p = s->next;
        int64_t *reached = &s->reached[p.profile];

        if (p.start < *reached)
            p.start = *reached;
        if (p.end > p.start) {
            rc = bird_array_grow(&s->piece, &s->cap_piece, s->n_piece + 1,
                                 sizeof(*s->piece));
            if (rc)
                return rc;
            s->piece[s->n_piece++] = p;
            *reached = p.end;
        }
        rc = advance(s);
    }
    return rc;
}

/* Labels of the bin at hand; pieces that end in it are dropped. */
static int64_t measure(struct bird_bin_sweep *s)
{
    int64_t start = s->number * s->bin, left = 0, n = 0;
    int64_t lo = start + s->rule.lo, hi = start + s->rule.hi;

    for (int64_t i = 0; i < s->n_piece; i++) {
        const struct bird_peak *p = &s->piece[i];
        int64_t from = p->start > lo ? p->start : lo;
        int64_t to = p->end < hi ? p->end : hi, *sum = &s->overlap[p->profile];

        if (to > from) {
            if (*sum < s->rule.least && *sum + to - from >= s->rule.least)
                s->label[n++] = p->profile;
            *sum += to - from;
        }
    }
    for (int64_t i = 0; i < s->n_piece; i++) {
        s->overlap[s->piece[i].profile] = 0;
        if (s->piece[i].end > start + s->bin)
            s->piece[left++] = s->piece[i];
    }
    s->n_piece = left;
    bird_sort_int32(s->label, n);
    return n;
}

int bird_bin_sweep_next(struct bird_bin_sweep *s, struct bird_labelled_bin *out)
{
    int64_t n = 0;
    int rc;

    while (!n) {
        if (!s->n_piece) {
            if (!s->more)
                return 0;
            if (s->next.contig != s->contig)
                memset(s->reached, 0,
                       (size_t)s->n_profile * sizeof(*s->reached));
            s->contig = s->next.contig;
            s->number = s->next.start / s->bin;
        }
        rc = take_peaks(s, (s->number + 1) * s->bin);
        if (rc)
            return rc;
        n = measure(s);
        *out = (struct bird_labelled_bin){s->contig, s->number++, s->label, n};
    }
    return 1;
}
