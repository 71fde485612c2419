/* Labels of bins, computed from peaks and start sites. SPDX-License-Identifier: MIT */
#include "data/bin_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/peaks.h"
#include "folder/feature.h"

enum { PLUS, MINUS, SORT_BYTES = 512 << 20 };

static const char *const site_name[] = {"TSS+", "TSS-"};

void bird_bin_options_default(bird_bin_options *o)
{
    *o = (bird_bin_options){.bin_bp = 200, .other_bp = 500, .mask_empty = 1};
}

void bird_bin_labels_free(struct bird_bin_labels *l)
{
    bird_reference_free(&l->ref);
    bird_features_free(&l->features);
    for (int i = PLUS; i <= MINUS; i++) {
        bird_intervals_free(&l->site[i]);
        bird_intervals_free(&l->other[i]);
    }
    bird_intervals_free(&l->exclude);
    free(l->source);
    free(l->pair);
    free(l->at);
    free(l->span);
    free(l->unknown);
    *l = (struct bird_bin_labels){0};
}

/* ---- tracks -------------------------------------------------------------- */

/* Allocate as many spans as there are peaks; merging only makes fewer. */
static int reserve_peaks(struct bird_bin_labels *l, const int64_t *n_peak)
{
    int64_t n = l->n_track * l->ref.n, sum = 0;
    int rc = bird_array_new(&l->at, n + 1, sizeof(*l->at));

    for (int64_t i = 0; !rc && i < n; i++) {
        l->at[i] = sum;
        sum += n_peak[i];
    }
    if (rc)
        return rc;
    l->at[n] = sum;
    return bird_array_new(&l->span, sum, sizeof(*l->span));
}

/* From sorted peaks to spans: peaks that overlap or touch become one. */
static int fill_spans(struct bird_bin_labels *l, struct bird_peak_sort *sort,
                      int64_t *n_span)
{
    struct bird_peak p;
    int rc;

    while ((rc = bird_peak_sort_next(sort, &p)) > 0) {
        int64_t i = p.profile * l->ref.n + p.contig;
        struct bird_span *s = l->span + l->at[i] + n_span[i];

        if (p.end > INT32_MAX)
            return bird_fail(BIRD_ERANGE, "a peak ends beyond base 2^31");
        if (n_span[i] && s[-1].end >= p.start) {
            if (p.end > s[-1].end)
                s[-1].end = (int32_t)p.end;
            continue;
        }
        *s = (struct bird_span){(int32_t)p.start, (int32_t)p.end};
        n_span[i]++;
    }
    return rc;
}

/* Move the spans together: joined peaks left gaps. */
static void close_up(struct bird_bin_labels *l, const int64_t *n_span)
{
    int64_t n = l->n_track * l->ref.n, to = 0;

    for (int64_t i = 0; i < n; i++) {
        memmove(l->span + to, l->span + l->at[i],
                (size_t)n_span[i] * sizeof(*l->span));
        l->at[i] = to;
        to += n_span[i];
    }
    l->at[n] = to;
}

static int read_tracks(struct bird_bin_labels *l, const bird_bin_files *f,
                       struct bird_peaks_in *in)
{
    const char *tmp = getenv("TMPDIR");
    int64_t *n_span = NULL;
    int rc =
        bird_peak_sort_new(&in->sort, SORT_BYTES, tmp && *tmp ? tmp : "/tmp");

    if (!rc)
        rc = bird_peaks_read(in, &f->in);
    l->n_peak = in->n_line;
    l->no_contig = in->n_contig;
    if (!rc)
        rc = reserve_peaks(l, in->n_peak);
    if (!rc)
        rc = bird_array_new(&n_span, l->n_track * l->ref.n, sizeof(*n_span));
    if (!rc)
        rc = fill_spans(l, in->sort, n_span);
    if (!rc)
        close_up(l, n_span);
    free(n_span);
    bird_peak_sort_free(in->sort);
    in->sort = NULL;
    return rc;
}

static int open_tracks(struct bird_bin_labels *l, const bird_bin_files *f,
                       struct bird_profile_list *list, struct bird_peaks_in *in)
{
    int rc;

    if (!f->in.profiles && !f->in.n_peaks)
        return 0;
    rc = bird_profile_list_open(list, &f->in);
    if (rc)
        return rc;
    l->n_track = list->features.n;
    rc = bird_features_copy(&l->features, &list->features);
    in->list = list;
    in->ref = &l->ref;
    return rc ? rc : read_tracks(l, f, in);
}

/* ---- start sites --------------------------------------------------------- */

/* The starts of a file by strand, sorted. */
static int read_sites(struct bird_intervals out[2], struct bird_bin_labels *l,
                      const char *path, const bird_transcript_filter *filter)
{
    struct bird_intervals all = {0};
    int rc = bird_intervals_read_starts(&all, &l->ref.contigs, path, filter);

    for (int64_t i = 0; !rc && i < all.n; i++)
        rc = bird_intervals_put(&out[all.at[i].strand == '-' ? MINUS : PLUS],
                                &all.at[i]);
    for (int i = PLUS; i <= MINUS; i++)
        bird_intervals_sort(&out[i]);
    bird_intervals_free(&all);
    return rc;
}

static int open_sites(struct bird_bin_labels *l, const bird_bin_files *f)
{
    int rc = 0;

    if (f->n_other && !f->sites)
        return bird_fail(BIRD_EINVAL,
                         "other start sites need start sites: give "
                         "--sites");
    if (!f->sites)
        return 0;
    rc = read_sites(l->site, l, f->sites, &f->transcripts);
    for (int64_t i = 0; !rc && i < f->n_other; i++)
        rc = read_sites(l->other, l, f->other[i], &f->transcripts);
    for (int i = PLUS; !rc && i <= MINUS; i++) {
        bird_feature x = {
            .name = site_name[i], .class_name = "TSS", .index = -1};

        if (bird_features_find(&l->features, site_name[i]) >= 0)
            return bird_fail(BIRD_EINVAL,
                             "a profile is called '%s', as are the starts",
                             site_name[i]);
        rc = bird_features_put(&l->features, &x);
    }
    return rc;
}

/* ---- which labels -------------------------------------------------------- */

/* Sources and pairs of all labels. */
static int number_labels(struct bird_bin_labels *l)
{
    int64_t n = l->n_label = l->features.n;
    int rc = bird_array_new(&l->source, n, sizeof(*l->source));

    if (!rc)
        rc = bird_array_new(&l->pair, n, sizeof(*l->pair));
    for (int64_t i = 0; !rc && i < n; i++) {
        l->source[i] = (int32_t)i; /* the starts follow the tracks */
        l->pair[i] = (int32_t)(i < l->n_track            ? i
                               : i == l->n_track + MINUS ? i - 1
                                                         : i + 1);
    }
    return rc;
}

/* Select the labels from[0 .. n-1], in this order; -1: unknown everywhere. */
static int take_labels(struct bird_bin_labels *l, const int32_t *from,
                       const bird_features *features)
{
    int64_t n = features->n;
    struct bird_bin_labels new = {0};
    int rc = bird_features_copy(&new.features, features);

    if (!rc)
        rc = bird_array_new(&new.source, n, sizeof(*new.source));
    if (!rc)
        rc = bird_array_new(&new.pair, n, sizeof(*new.pair));
    if (!rc)
        rc = bird_array_new(&new.unknown, l->ref.n * n, 1);
    if (rc) {
        bird_bin_labels_free(&new);
        return rc;
    }
    for (int64_t i = 0; i < n; i++) {
        new.source[i] = from[i] < 0 ? -1 : l->source[from[i]];
        new.pair[i] = (int32_t)i;
        for (int64_t j = 0; j < n && from[i] >= 0; j++)
            if (from[j] == l->pair[from[i]])
                new.pair[i] = (int32_t)j;
        for (int64_t c = 0; c < l->ref.n; c++)
            new.unknown[c * n + i] =
                from[i] < 0 || l->unknown[c * l->n_label + from[i]];
    }
    bird_features_free(&l->features);
    free(l->source);
    free(l->pair);
    free(l->unknown);
    l->features = new.features;
    l->source = new.source;
    l->pair = new.pair;
    l->unknown = new.unknown;
    l->n_label = n;
    return 0;
}

int bird_bin_labels_paired(const struct bird_bin_labels *l)
{
    for (int64_t i = 0; i < l->n_label; i++)
        if (l->pair[i] != i)
            return 1;
    return 0;
}

int bird_bin_labels_keep(struct bird_bin_labels *l, const uint8_t *keep)
{
    bird_features left = {0};
    int32_t *from = NULL;
    int rc = bird_array_new(&from, l->n_label, sizeof(*from));

    for (int64_t i = 0; !rc && i < l->n_label; i++) {
        if (!keep[i])
            continue;
        from[left.n] = (int32_t)i;
        rc = bird_features_put(&left, &l->features.at[i]);
    }
    if (!rc)
        rc = take_labels(l, from, &left);
    bird_features_free(&left);
    free(from);
    return rc;
}

int bird_bin_labels_name(struct bird_bin_labels *l, const bird_features *model,
                         const int32_t *pair)
{
    int32_t *from = NULL;
    int64_t found = 0;
    int rc = bird_array_new(&from, model->n, sizeof(*from));

    for (int64_t i = 0; !rc && i < model->n; i++) {
        from[i] = (int32_t)bird_features_find(&l->features, model->at[i].name);
        found += from[i] >= 0;
    }
    if (!rc && !found)
        rc = bird_fail(BIRD_EINVAL,
                       "none of the model's labels ('%.60s') is "
                       "among those of the peaks and sites",
                       model->n ? model->at[0].name : "");
    if (!rc)
        rc = take_labels(l, from, model);
    for (int64_t i = 0; !rc && i < model->n; i++)
        l->pair[i] = pair ? pair[i] : (int32_t)i;
    free(from);
    return rc;
}

/* Training reads a random strand, on which the labels of a pair are swapped. */
static int check_pairs(const struct bird_bin_labels *l, const uint8_t *keep)
{
    for (int64_t i = 0; i < l->n_label; i++)
        if (keep[i] && !keep[l->pair[i]])
            return bird_fail(BIRD_EINVAL,
                             "--features takes '%s' without '%s', which it is "
                             "on the other strand: take both or neither",
                             l->features.at[i].name,
                             l->features.at[l->pair[i]].name);
    return 0;
}

/* Labels by -F. */
static int choose_labels(struct bird_bin_labels *l, const char *features)
{
    uint8_t *keep = NULL;
    int rc = features ? bird_array_new(&keep, l->n_label, 1) : 0;

    if (!rc && features)
        rc = bird_features_select(keep, &l->features, features);
    if (!rc && features)
        rc = check_pairs(l, keep);
    if (!rc && features)
        rc = bird_bin_labels_keep(l, keep);
    free(keep);
    return rc;
}

int bird_bin_labels_open(struct bird_bin_labels *l, const bird_bin_files *f,
                         const bird_bin_options *o)
{
    struct bird_profile_list list = {0};
    struct bird_peaks_in in = {0};
    int rc = bird_reference_open(&l->ref, f->in.fasta, f->in.n_fasta);

    l->site_bp = o->site_bp;
    l->other_bp = o->other_bp;
    if (!rc)
        rc = open_tracks(l, f, &list, &in);
    if (!rc)
        rc = open_sites(l, f);
    if (!rc && !l->features.n)
        rc = bird_fail(BIRD_EINVAL, "no labels: give peaks or start sites");
    if (!rc)
        rc = number_labels(l);
    if (!rc)
        rc = bird_label_masks(&l->unknown, &l->features, &l->ref, f->mask,
                              o->mask_empty ? in.n_peak : NULL, l->n_track);
    if (!rc && f->exclude) {
        rc = bird_intervals_read_merged(&l->exclude, &l->ref.contigs,
                                        f->exclude);
    }
    if (!rc)
        rc = choose_labels(l, o->features);
    bird_peaks_in_free(&in);
    bird_profile_list_free(&list);
    if (rc)
        bird_bin_labels_free(l);
    return rc;
}

/* ---- labels -------------------------------------------------------------- */

struct bin { /* of the contig */
    int64_t start, end;
};

static struct bin bin_at(const struct bird_bin_place *p, int64_t k)
{
    int64_t end = (k + 1) * p->bin;

    return (struct bin){p->start + k * p->bin,
                        p->start + (end < p->len ? end : p->len)};
}

static int is_known(const struct bird_bin_labels *l,
                    const struct bird_bin_place *p, const char *seq, int64_t k)
{
    struct bin b = bin_at(p, k);
    int64_t lo = b.start - p->start, hi = b.end - p->start, none = 0;

    if (lo < p->margin || hi > p->len - p->margin)
        return 0;
    for (int64_t i = lo; i < hi; i++)
        none += !bird_is_acgt(seq[i]);
    return 2 * none <= hi - lo &&
           !bird_intervals_touch(&l->exclude, p->contig, b.start, b.end);
}

/* Bases of each bin that lie in the track's spans, into sum (n). */
static void cover(int32_t *sum, const struct bird_bin_labels *l, int32_t track,
                  const struct bird_bin_place *p)
{
    const int64_t *at = l->at + track * l->ref.n + p->contig;
    int64_t lo = at[0], hi = at[1], n = bird_bin_place_count(p);

    memset(sum, 0, (size_t)n * sizeof(*sum));
    while (lo < hi) { /* the first span that ends after the start */
        int64_t mid = lo + (hi - lo) / 2;

        if (l->span[mid].end <= p->start)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < at[1] && l->span[lo].start < p->start + p->len; lo++) {
        int64_t from = l->span[lo].start - p->start;
        int64_t to = l->span[lo].end - p->start;

        from = from > 0 ? from : 0;
        to = to < p->len ? to : p->len;
        for (int64_t k = from / p->bin; from < to; k++) {
            int64_t end = (k + 1) * p->bin < to ? (k + 1) * p->bin : to;

            sum[k] += (int32_t)(end - from);
            from = end;
        }
    }
}

static int has_start(const struct bird_intervals *s, int32_t contig,
                     struct bin b)
{
    int64_t i = bird_intervals_first(s, contig, b.start);

    return i < s->n && s->at[i].contig == contig && s->at[i].start < b.end;
}

static float site_label(const struct bird_bin_labels *l, int strand,
                        int32_t contig, struct bin b)
{
    struct bin near = {b.start - l->site_bp, b.end + l->site_bp};
    struct bin wide = {b.start - l->other_bp, b.end + l->other_bp};

    if (has_start(&l->site[strand], contig, near))
        return 1;
    return has_start(&l->other[strand], contig, wide) ? NAN : 0;
}

int bird_bin_labels_fill(float *out, const struct bird_bin_labels *l,
                         const struct bird_bin_place *p, const char *seq,
                         char strand)
{
    int64_t n = bird_bin_place_count(p), m = l->n_label;
    int reverse = strand == '-';
    int32_t *sum = NULL, source;
    uint8_t *known = NULL;
    int rc = bird_array_new(&sum, n, sizeof(*sum));

    if (!rc)
        rc = bird_array_new(&known, n, 1);
    for (int64_t k = 0; !rc && k < n; k++)
        known[k] = (uint8_t)is_known(l, p, seq, k);
    for (int64_t i = 0; !rc && i < m; i++) {
        float *to = out + (reverse ? l->pair[i] : i);
        int unknown = l->unknown[p->contig * m + i];

        source = l->source[i];
        if (!unknown && source < l->n_track)
            cover(sum, l, source, p);
        for (int64_t k = 0; k < n; k++) {
            struct bin b = bin_at(p, k);
            float *at = to + (reverse ? n - 1 - k : k) * m;

            *at =
                unknown || !known[k] ? NAN
                : source < l->n_track
                    ? (float)(2 * sum[k] > b.end - b.start)
                    : site_label(l, source - (int32_t)l->n_track, p->contig, b);
        }
    }
    free(sum);
    free(known);
    return rc;
}

static int put_intervals(struct bird_text *t, const struct bird_intervals *s)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->n; i++)
        rc = bird_text_printf(t, "%d:%lld-%lld ", (int)s->at[i].contig,
                              (long long)s->at[i].start,
                              (long long)s->at[i].end);
    return rc ? rc : bird_text_put(t, "\n", 1);
}

int bird_bin_labels_text(struct bird_text *t, const struct bird_bin_labels *l)
{
    int64_t n = l->n_track * l->ref.n;
    int rc = 0;

    for (int64_t i = 0; !rc && i < l->n_label; i++)
        rc = bird_text_printf(t, "%s %d %d\n", l->features.at[i].name,
                              (int)l->source[i], (int)l->pair[i]);
    if (!rc && l->at)
        rc = bird_text_put(t, l->at, (n + 1) * (int64_t)sizeof(*l->at));
    if (!rc && l->at)
        rc = bird_text_put(t, l->span, l->at[n] * (int64_t)sizeof(*l->span));
    for (int i = PLUS; !rc && i <= MINUS; i++) {
        rc = put_intervals(t, &l->site[i]);
        if (!rc)
            rc = put_intervals(t, &l->other[i]);
    }
    if (!rc)
        rc = put_intervals(t, &l->exclude);
    return rc ? rc : bird_text_put(t, l->unknown, l->ref.n * l->n_label);
}
