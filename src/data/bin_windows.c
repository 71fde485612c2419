/* Windows of bins, read on demand. SPDX-License-Identifier: MIT */
#include "data/bin_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/augment.h"
#include "data/decoy.h"
#include "dnabird/tiles.h"
#include "folder/feature.h"

void bird_bin_windows_free(struct bird_bin_windows *w)
{
    free(w->at);
    *w = (struct bird_bin_windows){0};
}

static int add_window(struct bird_bin_windows *w, const bird_region *r,
                      const char *path)
{
    const struct bird_reference *ref = &w->labels->ref;
    struct bird_bin_window x = {.contig =
                                    bird_contigs_find(&ref->contigs, r->contig),
                                .start = r->start,
                                .end = r->end};
    int rc;

    if (x.contig < 0 || x.contig >= ref->n)
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld: the reference has no contig '%.80s'",
                         path, (long long)r->line, r->contig);
    if (x.start >= ref->contig[x.contig].length)
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld: the window lies beyond %s, which has "
                         "%lld bp",
                         path, (long long)r->line, r->contig,
                         (long long)ref->contig[x.contig].length);
    if (x.start % w->bin)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: the start %lld is not a multiple of "
                         "the bin of %lld bp",
                         path, (long long)r->line, (long long)x.start,
                         (long long)w->bin);
    if (x.end - x.start <= 2 * w->margin || x.end - x.start > INT32_MAX / 2)
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld: a window of %lld bp, with margins of "
                         "%lld bp",
                         path, (long long)r->line, (long long)(x.end - x.start),
                         (long long)w->margin);
    rc = bird_array_grow(&w->at, &w->cap, w->n + 1, sizeof(*w->at));
    if (!rc)
        w->at[w->n++] = x;
    return rc;
}

int bird_bin_windows_open(struct bird_bin_windows *w,
                          struct bird_bin_labels *labels, const char *path,
                          const bird_bin_options *o)
{
    bird_regions list = {0};
    int rc;

    *w = (struct bird_bin_windows){
        .labels = labels, .bin = o->bin_bp, .margin = o->margin_bp};
    if (w->bin >= 1 && w->margin % w->bin)
        return bird_fail(BIRD_EINVAL,
                         "a margin of %lld bp is not a multiple of the bin of "
                         "%lld bp",
                         (long long)w->margin, (long long)w->bin);
    if (w->bin < 1 || w->margin < 0 || w->bin > INT32_MAX / 2)
        return bird_fail(BIRD_EINVAL, "a bin is 1 bp or more, a margin 0 or "
                                      "more");
    rc = bird_regions_read_bed(&list, path);
    for (int64_t i = 0; !rc && i < list.n; i++)
        rc = add_window(w, &list.at[i], path);
    bird_regions_free(&list);
    if (!rc && !w->n)
        rc = bird_fail(BIRD_EINVAL, "%s: no window", path);
    if (rc)
        bird_bin_windows_free(w);
    return rc;
}

static int by_place(const void *a, const void *b)
{
    const struct bird_bin_window *x = a, *y = b;

    if (x->contig != y->contig)
        return x->contig < y->contig ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

int bird_bin_windows_shared(int64_t *out, const struct bird_bin_windows *w)
{
    struct bird_bin_window *at;
    int64_t reach = 0;
    int rc = bird_array_new(&at, w->n, sizeof(*at));

    *out = 0;
    if (rc)
        return rc;
    memcpy(at, w->at, (size_t)w->n * sizeof(*at));
    qsort(at, (size_t)w->n, sizeof(*at), by_place);
    for (int64_t i = 0; i < w->n; i++) {
        int64_t from = at[i].start + w->margin, to = at[i].end - w->margin;

        if (!i || at[i].contig != at[i - 1].contig)
            reach = 0;
        if (reach > from)
            *out += ((reach < to ? reach : to) - from) / w->bin;
        reach = to > reach ? to : reach;
    }
    free(at);
    return 0;
}

/* ---- a window as it is read ---------------------------------------------- */

void bird_bin_sample_free(struct bird_bin_sample *d)
{
    free(d->seq);
    free(d->copy);
    free(d->label);
    *d = (struct bird_bin_sample){0};
}

/* The forward strand of d->place; N beyond the ends of the contig. */
static int fetch(struct bird_bin_sample *d, const struct bird_bin_windows *w)
{
    struct bird_reference *ref = &w->labels->ref;
    const struct bird_bin_place *p = &d->place;
    int64_t length = ref->contig[p->contig].length, end = p->start + p->len;
    int64_t from = p->start > 0 ? p->start : 0,
            to = end < length ? end : length;
    const char *bases;
    int rc = bird_array_grow(&d->seq, &d->cap_seq, p->len, 1);

    if (!rc)
        rc = bird_reference_bases(&bases, ref, p->contig);
    if (rc)
        return rc;
    d->len = p->len;
    memset(d->seq, 'N', (size_t)p->len);
    if (to > from)
        memcpy(d->seq + (from - p->start), bases + from, (size_t)(to - from));
    return 0;
}

static int label(struct bird_bin_sample *d, const struct bird_bin_windows *w)
{
    int rc = bird_array_grow(&d->label, &d->cap_label,
                             d->bins * w->labels->n_label, sizeof(*d->label));

    return rc ? rc
              : bird_bin_labels_fill(d->label, w->labels, &d->place, d->seq,
                                     d->strand);
}

static void place(struct bird_bin_sample *d, const struct bird_bin_windows *w,
                  int64_t i, char strand)
{
    const struct bird_bin_window *x = &w->at[i];

    d->place = (struct bird_bin_place){x->contig, x->start, x->end - x->start,
                                       w->bin, w->margin};
    d->strand = strand;
    d->bins = bird_bin_place_count(&d->place);
    d->before = strand == '-' ? d->bins * w->bin - d->place.len : 0;
}

static void to_strand(struct bird_bin_sample *d)
{
    if (d->strand == '-')
        bird_reverse_complement(d->seq, d->seq, d->len);
}

int bird_bin_windows_get(struct bird_bin_sample *d,
                         const struct bird_bin_windows *w, int64_t i,
                         char strand, int labels)
{
    int rc;

    place(d, w, i, strand);
    rc = fetch(d, w);
    if (!rc && labels)
        rc = label(d, w);
    if (!rc)
        to_strand(d);
    return rc;
}

/* Keep a part of the sequence; the rest becomes N. */
static void cut(struct bird_bin_sample *d, const struct bird_bin_change *c,
                struct bird_rng *r)
{
    int64_t len =
        c->cut_least +
        (int64_t)bird_rng_below(r, (uint64_t)(c->cut_most - c->cut_least + 1));
    int64_t from;

    if (len >= d->len)
        return;
    from = (int64_t)bird_rng_below(r, (uint64_t)(d->len - len + 1));
    memset(d->seq, 'N', (size_t)from);
    memset(d->seq + from + len, 'N', (size_t)(d->len - from - len));
}

/* Of the bins without a positive label only a share stays known. */
static void thin(struct bird_bin_sample *d, int64_t n_label, double share,
                 struct bird_rng *r)
{
    for (int64_t k = 0; k < d->bins; k++) {
        float *y = d->label + k * n_label;
        int any = 0;

        for (int64_t i = 0; !any && i < n_label; i++)
            any = y[i] > 0;
        if (any || bird_rng_uniform(r) < share)
            continue;
        for (int64_t i = 0; i < n_label; i++)
            y[i] = NAN;
    }
}

static int64_t either_side(int64_t most, struct bird_rng *r)
{
    return most > 0 ? (int64_t)bird_rng_below(r, 2 * (uint64_t)most + 1) - most
                    : 0;
}

static int mutate(struct bird_bin_sample *d, double rate, struct bird_rng *r)
{
    const struct bird_augmentation how = {.mutate = rate};
    char *was = d->seq;
    int64_t cap = d->cap_seq;
    int rc = bird_array_grow(&d->copy, &d->cap_copy, d->len, 1);

    if (rc)
        return rc;
    bird_augment(d->copy, d->seq, d->len, &how, r);
    d->seq = d->copy;
    d->cap_seq = d->cap_copy;
    d->copy = was;
    d->cap_copy = cap;
    return 0;
}

/* A decoy has no start site; nothing is known of other labels. */
static void label_decoy(struct bird_bin_sample *d,
                        const struct bird_bin_labels *l)
{
    const struct bird_bin_place *p = &d->place;

    for (int64_t k = 0; k < d->bins; k++) {
        int64_t at = (d->strand == '-' ? d->bins - 1 - k : k) * p->bin;
        int outside = at < p->margin || at + p->bin > p->len - p->margin;

        for (int64_t i = 0; i < l->n_label; i++)
            d->label[k * l->n_label + i] =
                l->source[i] < l->n_track || outside ? NAN : 0;
    }
}

int bird_bin_windows_sample(struct bird_bin_sample *d,
                            const struct bird_bin_windows *w, int64_t i,
                            const struct bird_bin_change *change,
                            struct bird_rng *r)
{
    int minus = change->strand && bird_rng_below(r, 2);
    int decoy = 0, rc;

    place(d, w, i, minus ? '-' : '+');
    d->place.start += either_side(change->shift_bins, r) * w->bin;
    d->place.start += either_side(change->shift_bp, r);
    rc = fetch(d, w);
    if (rc)
        return rc;
    if (change->decoys > 0 && bird_rng_uniform(r) < change->decoys) {
        decoy = 1;
        rc = bird_decoy(d->seq, d->len, r);
    }
    if (rc)
        return rc;
    if (change->cut > 0 && bird_rng_uniform(r) < change->cut)
        cut(d, change, r);
    rc = label(d, w);
    if (!rc && decoy)
        label_decoy(d, w->labels);
    if (!rc && change->mutate > 0)
        rc = mutate(d, change->mutate, r);
    if (rc)
        return rc;
    to_strand(d);
    if (change->background < 1)
        thin(d, w->labels->n_label, change->background, r);
    return 0;
}

/* Count labels y of a bin; bins without a positive label go to background. */
static void count_bin(int64_t *known, int64_t *background, int64_t *positive,
                      const float *y, int64_t n)
{
    int any = 0;

    for (int64_t i = 0; i < n; i++) {
        any |= y[i] > 0;
        positive[i] += y[i] > 0;
    }
    for (int64_t i = 0; i < n; i++)
        (any ? known : background)[i] += !isnan(y[i]);
}

int bird_bin_windows_count(int64_t *known, int64_t *positive,
                           const struct bird_bin_windows *w, double background)
{
    int64_t n = w->labels->n_label, *other = NULL;
    struct bird_bin_sample d = {0};
    int rc = bird_array_new(&other, n, sizeof(*other));

    memset(known, 0, (size_t)n * sizeof(*known));
    memset(positive, 0, (size_t)n * sizeof(*positive));
    for (int64_t i = 0; !rc && i < w->n; i++) {
        rc = bird_bin_windows_get(&d, w, i, '+', 1);
        for (int64_t k = 0; !rc && k < d.bins; k++)
            count_bin(known, other, positive, d.label + k * n, n);
    }
    for (int64_t i = 0; !rc && i < n; i++)
        known[i] += (int64_t)ceil(background * (double)other[i]);
    free(other);
    bird_bin_sample_free(&d);
    return rc;
}

/* ---- rows ---------------------------------------------------------------- */

void bird_bin_rows_free(struct bird_bin_rows *r)
{
    bird_dataset_free(&r->d);
    free(r->first);
    free(r->row);
    *r = (struct bird_bin_rows){0};
}

struct making {
    struct bird_bin_rows *r;
    const struct bird_bin_windows *w;
    struct bird_bin_sample sample;
    int64_t window, cap_row, cap_target;
    int is_sample;        /* 1: a random choice of the bins */
    int strands;          /* 1: each bin on a random strand */
    int64_t left, wanted; /* bins not yet visited; of these to be chosen */
    struct bird_rng rng;
};

/* Is bin k of the window outside the margins? */
static int is_inside(const struct bird_bin_windows *w,
                     const struct bird_bin_window *x, int64_t k)
{
    int64_t len = x->end - x->start;
    int64_t end = (k + 1) * w->bin < len ? (k + 1) * w->bin : len;

    return k * w->bin >= w->margin && end <= len - w->margin;
}

static int64_t bins_inside(const struct bird_bin_windows *w,
                           const struct bird_bin_window *x)
{
    int64_t n = 0;

    for (int64_t k = 0; k * w->bin < x->end - x->start; k++)
        n += is_inside(w, x, k);
    return n;
}

/* Is bin k in the sample? All samples of one size are equally likely (Knuth, The Art
 * of Computer Programming 2, section 3.4.2, algorithm S). */
static int takes(struct making *m, int64_t k)
{
    int yes;

    if (!m->is_sample)
        return 1;
    if (!is_inside(m->w, &m->w->at[m->window], k))
        return 0;
    yes = (int64_t)bird_rng_below(&m->rng, (uint64_t)m->left--) < m->wanted;
    m->wanted -= yes;
    return yes;
}

/* Write labels y as on a strand. @return the strand */
static char put_labels(float *out, struct making *m, const float *y)
{
    const struct bird_bin_labels *l = m->w->labels;
    int minus = m->strands && bird_rng_below(&m->rng, 2);

    for (int64_t i = 0; i < l->n_label; i++)
        out[minus ? l->pair[i] : i] = y[i];
    return !m->strands ? '.' : minus ? '-' : '+';
}

/* Make a row of bin k of the current window, if one of its labels is known. */
static int add_row(struct making *m, int64_t k)
{
    bird_dataset *d = &m->r->d;
    int64_t n = d->n_label, i = 0;
    const float *y = m->sample.label + k * n;
    const struct bird_bin_place *p = &m->sample.place;
    int64_t start = p->start + k * p->bin, end = start + p->bin;
    char strand;
    int rc;

    while (i < n && isnan(y[i]))
        i++;
    if (i == n)
        return 0;
    rc = bird_array_grow(&d->row, &m->cap_row, d->n + 1, sizeof(*d->row));
    if (!rc)
        rc = bird_array_grow(&d->target, &m->cap_target, (d->n + 1) * n,
                             sizeof(*d->target));
    if (rc)
        return rc;
    if (end > p->start + p->len)
        end = p->start + p->len;
    strand = put_labels(d->target + d->n * n, m, y);
    m->r->row[m->r->first[m->window] + k] = d->n;
    d->row[d->n++] = (struct bird_row){.len = end - start,
                                       .name = -1,
                                       .start = start,
                                       .end = end,
                                       .contig = p->contig,
                                       .label = -1,
                                       .strand = strand};
    return 0;
}

static int add_windows(struct making *m)
{
    struct bird_bin_rows *r = m->r;
    const struct bird_bin_windows *w = m->w;
    int rc = 0;

    for (int64_t i = 0; !rc && i < w->n; i++) {
        rc = bird_bin_windows_get(&m->sample, w, i, '+', 1);
        m->window = i;
        for (int64_t k = 0; !rc && k < m->sample.bins; k++) {
            r->row[r->first[i] + k] = -1;
            if (takes(m, k))
                rc = add_row(m, k);
        }
    }
    return rc;
}

int bird_bin_labels_head(bird_dataset *d, const struct bird_bin_labels *l)
{
    int rc = bird_array_new(&d->label_name, l->n_label, sizeof(*d->label_name));

    d->kind = BIRD_LABEL_MULTI;
    d->n_label = l->n_label;
    for (int64_t i = 0; !rc && i < l->n_label; i++)
        if (!(d->label_name[i] = strdup(l->features.at[i].name)))
            rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_array_new(&d->contig_name, l->ref.n, sizeof(*d->contig_name));
    if (!rc)
        rc = bird_array_new(&d->contig_length, l->ref.n,
                            sizeof(*d->contig_length));
    for (int64_t i = 0; !rc && i < l->ref.n; i++, d->n_contig++) {
        d->contig_length[i] = l->ref.contig[i].length;
        if (!(d->contig_name[i] = strdup(l->ref.contigs.name[i])))
            rc = bird_fail_memory(0);
    }
    return rc ? rc : bird_features_copy(&d->features, &l->features);
}

static int make_rows(struct making *m)
{
    const struct bird_bin_windows *w = m->w;
    struct bird_bin_rows *r = m->r;
    int rc = bird_array_new(&r->first, w->n + 1, sizeof(*r->first));

    for (int64_t i = 0; !rc && i < w->n; i++)
        r->first[i + 1] =
            r->first[i] + (w->at[i].end - w->at[i].start + w->bin - 1) / w->bin;
    if (!rc)
        rc = bird_array_new(&r->row, r->first[w->n], sizeof(*r->row));
    if (!rc)
        rc = bird_bin_labels_head(&r->d, w->labels);
    if (!rc)
        rc = add_windows(m);
    bird_bin_sample_free(&m->sample);
    if (!rc && !r->d.n)
        rc = bird_fail(BIRD_EINVAL, "no label is known in any bin of the "
                                    "windows");
    return rc;
}

int bird_bin_rows_new(struct bird_bin_rows *out,
                      const struct bird_bin_windows *w)
{
    struct bird_bin_rows r = {0};
    struct making m = {.r = &r, .w = w};
    int rc = make_rows(&m);

    if (rc)
        bird_bin_rows_free(&r);
    else
        *out = r;
    return rc;
}

int bird_bin_rows_sample(bird_dataset *out, const struct bird_bin_windows *w,
                         int64_t most, uint64_t seed)
{
    enum { STREAM_BINS = 1 };
    struct bird_bin_rows r = {0};
    struct making m = {.r = &r,
                       .w = w,
                       .is_sample = 1,
                       .strands = bird_bin_labels_paired(w->labels),
                       .wanted = most};
    int rc;

    bird_rng_init(&m.rng, seed, STREAM_BINS, 0);
    m.left = bird_bin_windows_bins(w);
    rc = make_rows(&m);
    if (!rc) {
        *out = r.d;
        r.d = (bird_dataset){0};
    }
    bird_bin_rows_free(&r);
    return rc;
}

int bird_bin_rows_bases(bird_dataset *d, const struct bird_bin_windows *w,
                        int64_t context_bp)
{
    struct bird_reference *ref = &w->labels->ref;
    char *all = NULL;
    int rc = bird_array_new(&all, d->n * context_bp, 1);

    for (int64_t i = 0; !rc && i < d->n; i++) {
        const bird_row *r = &d->row[i];
        char *to = all + i * context_bp;
        int64_t start = r->start - (context_bp - (r->end - r->start)) / 2;
        int64_t length = ref->contig[r->contig].length;
        int64_t from = start > 0 ? start : 0;
        int64_t end = start + context_bp < length ? start + context_bp : length;
        const char *bases;

        memset(to, 'N', (size_t)context_bp);
        rc = bird_reference_bases(&bases, ref, r->contig);
        if (!rc && end > from)
            memcpy(to + (from - start), bases + from, (size_t)(end - from));
        if (!rc && r->strand == '-')
            bird_reverse_complement(to, to, context_bp);
    }
    if (rc) {
        free(all);
        return rc;
    }
    for (int64_t i = 0; i < d->n; i++) {
        d->row[i].at = i * context_bp;
        d->row[i].len = context_bp;
    }
    free(d->bases);
    d->bases = all;
    d->n_base = d->n * context_bp;
    return 0;
}

int64_t bird_bin_windows_bins(const struct bird_bin_windows *w)
{
    int64_t n = 0;

    for (int64_t i = 0; i < w->n; i++)
        n += bins_inside(w, &w->at[i]);
    return n;
}

/* The i-th of n windows at even distances among all: the middle of its share.
 */
static int64_t even(const struct bird_bin_windows *w, int64_t i, int64_t n)
{
    return (2 * i + 1) * w->n / (2 * n);
}

void bird_bin_windows_thin(struct bird_bin_windows *w, int64_t most)
{
    int64_t sum = bird_bin_windows_bins(w), n = w->n;

    /* Windows of one length need one pass, or two because of rounding. */
    while (sum > most && n > 1) {
        int64_t fit = (int64_t)((double)n * ((double)most / (double)sum));

        n = fit < 1 ? 1 : fit < n ? fit : n - 1;
        sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += bins_inside(w, &w->at[even(w, i, n)]);
    }
    for (int64_t i = 0; n < w->n && i < n; i++)
        w->at[i] = w->at[even(w, i, n)]; /* even() >= i */
    w->n = n;
}

int bird_bin_windows_digest(char hex[65], const struct bird_bin_windows *w)
{
    struct bird_text t = {0};
    struct bird_bin_sample d = {0};
    int rc = bird_text_printf(&t, "%lld %lld\n", (long long)w->bin,
                              (long long)w->margin);

    for (int64_t i = 0; !rc && i < w->n; i++) {
        rc = bird_bin_windows_get(&d, w, i, '+', 0);
        if (rc)
            break;
        bird_sha256(hex, d.seq, (size_t)d.len);
        rc = bird_text_printf(&t, "%d:%lld-%lld %s\n", (int)w->at[i].contig,
                              (long long)w->at[i].start,
                              (long long)w->at[i].end, hex);
    }
    if (!rc)
        rc = bird_bin_labels_text(&t, w->labels);
    if (!rc)
        bird_sha256(hex, t.s, (size_t)t.n);
    bird_bin_sample_free(&d);
    bird_text_free(&t);
    return rc;
}
