/* What a scan is evaluated on: windows, TSSs. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "eval/scan_eval.h"
#include "scan/source.h"
#include "seq/input.h"

#define POSITION_MAX ((int64_t)1 << 40)

static int by_item(const void *a, const void *b)
{
    const struct bird_scan_item *x = a, *y = b;

    int order;

    if (x->list != y->list)
        return x->list < y->list ? -1 : 1;
    order = bird_interval_compare(
        &(struct bird_interval){
            .contig = x->contig, .start = x->start, .end = x->end},
        &(struct bird_interval){
            .contig = y->contig, .start = y->start, .end = y->end});
    return order ? order : (y->p > x->p) - (y->p < x->p);
}

static int put_item(struct bird_scan_items *t, const struct bird_scan_item *x)
{
    int rc = bird_array_grow(&t->at, &t->cap, t->n + 1, sizeof(*t->at));

    if (!rc)
        t->at[t->n++] = *x;
    return rc;
}

int bird_scan_add(struct bird_scan *s, const struct bird_interval *w, double p,
                  double said)
{
    struct bird_scan_item x = {.start = w->start,
                               .end = w->end,
                               .p = p,
                               .said = said,
                               .contig = w->contig};
    int64_t n = w->end - w->start, d = s->o->anchor;
    int rc = 0, list;

    if (d >= n)
        return bird_fail(BIRD_EINVAL,
                         "the anchor at %lld lies outside a window of %lld bp",
                         (long long)d, (long long)n);
    for (list = 0; !rc && list < 2; list++) {
        if (w->strand == (list ? '+' : '-'))
            continue;
        x.list = (int8_t)list;
        x.anchor = d < 0  ? w->start + n / 2
                   : list ? w->end - 1 - d
                          : w->start + d;
        if (!s->has_regions ||
            bird_intervals_holding(&s->regions, x.contig, x.anchor,
                                   x.anchor + 1) >= 0)
            rc = put_item(&s->items[BIRD_SCAN_STRANDED], &x);
    }
    return rc;
}

/* Bp of the widest window: all are as wide but those of a shorter contig. */
static int64_t widest_of(const char *text)
{
    int64_t widest = 0;

    for (const char *s = text; s; s = strchr(s, '\n')) {
        const char *tab;
        char *end;
        int64_t start, width;

        s += *s == '\n';
        tab = *s == '#' ? NULL : strpbrk(s, "\t\n");
        if (!tab || *tab != '\t')
            continue;
        start = strtoll(tab, &end, 10);
        width = strtoll(end, &end, 10) - start;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* One line; *p is NaN-free: an unscored window is counted and passed over. */
static int parse_window(struct bird_scan *s, char *line, const char *path,
                        int64_t number)
{
    struct bird_interval w = {.strand = '.'};
    char *f[7];
    double p = 0, raw;
    int n = bird_split_tabs(f, 7, line), rc;

    if (n < 5 || bird_digits(&w.start, f[1], POSITION_MAX) ||
        bird_digits(&w.end, f[2], POSITION_MAX) || w.end <= w.start ||
        !f[3][0] || f[3][1] || !strchr("+-.", f[3][0]))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: expected contig, start, end, strand "
                         "and probability between tabs, as "
                         "`dnabird promoter -O windows` writes them",
                         path, (long long)number);
    if (!strcmp(f[4], ".") ||
        (w.end - w.start < s->widest && !s->o->score_short)) {
        s->n_unscored++;
        s->n_short += strcmp(f[4], ".") != 0 ||
                      (n > 5 && !strcmp(f[5], BIRD_STATUS_SHORT));
        return 0;
    }
    if (bird_parse_double(&p, f[4]) || !(p >= 0 && p <= 1))
        return bird_fail(BIRD_EFORMAT, "%s: line %lld: '%s' is no probability",
                         path, (long long)number, f[4]);
    raw = p;
    if (n > 6 && (bird_parse_double(&raw, f[6]) || !(raw >= 0 && raw <= 1)))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: '%s' is no raw output between 0 and 1",
                         path, (long long)number, f[6]);
    w.strand = f[3][0];
    rc = bird_contigs_add(&w.contig, &s->contigs, f[0]);
    return rc ? rc : bird_scan_add(s, &w, raw, p);
}

static int read_windows(struct bird_scan *s, const char *path)
{
    struct bird_text text = {0};
    char *rest, *line;
    int64_t i;
    int rc = bird_read_file(&text, path);

    rest = rc ? NULL : text.s;
    s->widest = rc ? 0 : widest_of(text.s);
    for (i = 1; !rc && (line = bird_next_line(&rest)); i++)
        if (*line && *line != '#')
            rc = parse_window(s, line, path, i);
    bird_text_free(&text);
    return rc;
}

/* Without a file of regions each contig that has windows is one. */
static int whole_contigs(struct bird_scan *s)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_interval x = {.end = POSITION_MAX, .strand = '.'};
    int64_t i;
    int rc = 0;

    for (i = 0; !rc && i < t->n; i++) {
        if (i && t->at[i].contig == t->at[i - 1].contig)
            continue;
        x.contig = t->at[i].contig;
        rc = bird_intervals_put(&s->regions, &x);
    }
    bird_intervals_sort(&s->regions);
    bird_intervals_merge(&s->regions);
    return rc;
}

/* Bases of the regions in any scored window. */
static int cover(struct bird_scan *s)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_intervals *c = &s->covered, out = {0};
    int64_t i;
    int rc = 0;

    for (i = 0; !rc && i < t->n; i++) {
        const struct bird_scan_item *x = t->at + i;
        struct bird_interval *last = c->n ? c->at + c->n - 1 : NULL;

        if (last && last->contig == x->contig && x->start >= last->start &&
            x->start <= last->end)
            last->end = x->end > last->end ? x->end : last->end;
        else
            rc = bird_intervals_put(c,
                                    &(struct bird_interval){.start = x->start,
                                                            .end = x->end,
                                                            .contig = x->contig,
                                                            .strand = '.'});
    }
    bird_intervals_sort(c);
    bird_intervals_merge(c);
    /* c and regions = c less (c less regions) */
    for (i = 0; !rc && i < c->n; i++)
        rc = bird_intervals_put(&out, c->at + i);
    if (!rc)
        rc = bird_intervals_subtract(&out, &s->regions);
    if (!rc)
        rc = bird_intervals_subtract(c, &out);
    bird_intervals_free(&out);
    for (i = 0; !rc && i < c->n; i++)
        s->scanned_bp += c->at[i].end - c->at[i].start;
    return rc;
}

/* True TSSs of the regions, and which of them lie in a scanned window. */
static int settle_truth(struct bird_scan *s)
{
    struct bird_intervals *t = &s->truth;
    int64_t i, n = 0;
    int rc;

    for (i = 0; i < t->n; i++)
        if (bird_intervals_holding(&s->regions, t->at[i].contig, t->at[i].start,
                                   t->at[i].end) >= 0)
            t->at[n++] = t->at[i];
    t->n = n;
    rc = bird_array_new(&s->tss_scanned, n, 1);
    for (i = 0; !rc && i < n; i++)
        s->tss_scanned[i] =
            bird_intervals_holding(&s->covered, t->at[i].contig, t->at[i].start,
                                   t->at[i].end) >= 0;
    return rc;
}

/* Both strands of a window become one, of the larger probability. */
static int join_strands(struct bird_scan *s)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    int64_t i = 0, k, half = 0;
    int rc = 0;

    while (half < t->n && !t->at[half].list)
        half++;
    for (k = half; !rc && (i < half || k < t->n);) {
        struct bird_scan_item x, y;
        int c = 0;

        if (i < half)
            x = t->at[i];
        if (k < t->n) {
            y = t->at[k];
            y.list = 0;
        }
        if (i < half && k < t->n) {
            x.p = y.p = 0;
            c = by_item(&x, &y);
            x.p = t->at[i].p;
            y.p = t->at[k].p;
        } else {
            c = i < half ? -1 : 1;
        }
        i += c <= 0;
        k += c >= 0;
        if (c > 0 || (!c && y.p > x.p))
            x = y;
        rc = put_item(&s->items[BIRD_SCAN_UNSTRANDED], &x);
    }
    return rc;
}

/* Blocks are counted through the contigs, each as long as what it holds. */
static int count_blocks(struct bird_scan *s)
{
    int64_t i, n, *of;
    int rc = bird_array_new(&of, s->contigs.n + 1, sizeof(*of));

    if (rc)
        return rc;
    for (i = 0; i < s->covered.n; i++) {
        const struct bird_interval *x = s->covered.at + i;

        n = (x->end - 1) / s->o->block + 1;
        of[x->contig + 1] = n > of[x->contig + 1] ? n : of[x->contig + 1];
    }
    for (i = 0; i < s->truth.n; i++) {
        const struct bird_interval *x = s->truth.at + i;

        n = x->start / s->o->block + 1;
        of[x->contig + 1] = n > of[x->contig + 1] ? n : of[x->contig + 1];
    }
    /* A window's anchor may lie where the region has no covered base. */
    for (i = 0; i < s->contigs.n; i++)
        of[i + 1] += of[i] + 1;
    s->block_of = of;
    return 0;
}

static int read_tss(struct bird_scan *s, const bird_scan_files *f)
{
    int64_t i;
    int rc = bird_intervals_read_starts(&s->truth, &s->contigs, f->truth,
                                        &f->transcripts);

    if (!rc)
        rc = bird_intervals_read_starts(&s->all, &s->contigs, f->truth,
                                        &f->transcripts);
    for (i = 0; !rc && i < f->n_other; i++)
        rc = bird_intervals_read_starts(&s->all, &s->contigs, f->other[i],
                                        &f->transcripts);
    return rc;
}

int bird_scan_open(struct bird_scan *s, const bird_scan_files *f,
                   const bird_scan_options *o)
{
    struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    int rc = 0;

    *s = (struct bird_scan){.o = o, .has_regions = f->regions != NULL};
    if (f->regions)
        rc = bird_intervals_read(&s->regions, &s->contigs, f->regions);
    bird_intervals_merge(&s->regions);
    if (!rc)
        rc = read_tss(s, f);
    if (!rc)
        rc = f->windows ? read_windows(s, f->windows)
                        : bird_scan_add_predictor(s, f);
    if (!rc && !t->n)
        rc = bird_fail(BIRD_EINVAL, "%s: no scored window lies in the regions",
                       f->windows     ? f->windows
                       : f->intervals ? f->intervals
                                      : f->floor);
    if (!rc)
        qsort(t->at, (size_t)t->n, sizeof(*t->at), by_item);
    if (!rc && !f->regions)
        rc = whole_contigs(s);
    if (!rc)
        rc = cover(s);
    if (!rc)
        rc = settle_truth(s);
    if (!rc && f->model)
        rc = bird_scan_calibrate(s, f);
    if (!rc)
        rc = join_strands(s);
    if (!rc)
        rc = count_blocks(s);
    if (rc)
        bird_scan_free(s);
    return rc;
}

void bird_scan_free(struct bird_scan *s)
{
    int mode;

    bird_contigs_free(&s->contigs);
    bird_intervals_free(&s->regions);
    bird_intervals_free(&s->truth);
    bird_intervals_free(&s->all);
    bird_intervals_free(&s->covered);
    for (mode = 0; mode < BIRD_SCAN_N_MODE; mode++)
        free(s->items[mode].at);
    free(s->tss_scanned);
    free(s->block_of);
    *s = (struct bird_scan){0};
}
