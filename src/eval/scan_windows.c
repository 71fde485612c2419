/* Inputs of the evaluation of a scan: windows, TSSs, and regions.
 *
 * Windows are read from a file; or they tile the regions and are scored by the
 * intervals of a BED file or by the k-mer baseline of a model. The true TSSs
 * are those of the regions; false calls are counted per base in any scored
 * window.
 * SPDX-License-Identifier: MIT */
#include "eval/scan_eval.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/references.h"
#include "dnabird/metrics.h"
#include "dnabird/tiles.h"
#include "eval/calibrate.h"
#include "scan/source.h"
#include "seq/input.h"
#include "session/calibration_file.h"
#include "session/session.h"

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

/* The anchor of a window on the + strand (list 0) or the - strand (1). */
static int64_t anchor_on(const struct bird_scan_eval *s,
                         const struct bird_interval *w, int list)
{
    int64_t d = s->o->anchor;

    return d < 0  ? w->start + (w->end - w->start) / 2
           : list ? w->end - 1 - d
                  : w->start + d;
}

/* Add a window (strand '.': on both) if its anchor lies in the regions. */
static int scan_add(struct bird_scan_eval *s, const struct bird_interval *w,
                    double p, double probability)
{
    struct bird_scan_item x = {.start = w->start,
                               .end = w->end,
                               .p = p,
                               .probability = probability,
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
        x.anchor = anchor_on(s, w, list);
        if (!s->has_regions ||
            bird_intervals_holding(&s->regions, x.contig, x.anchor,
                                   x.anchor + 1) >= 0)
            rc = put_item(&s->items[BIRD_SCAN_STRANDED], &x);
    }
    return rc;
}

/* Bp of the widest window: only windows on shorter contigs are shorter. */
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

/* Read one line; a window without a score is counted and skipped. */
static int parse_window(struct bird_scan_eval *s, char *line, const char *path,
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
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: '%s' is not a probability", path,
                         (long long)number, f[4]);
    raw = p;
    if (n > 6 && (bird_parse_double(&raw, f[6]) || !(raw >= 0 && raw <= 1)))
        return bird_fail(
            BIRD_EFORMAT,
            "%s: line %lld: '%s' is not a raw output between 0 and 1", path,
            (long long)number, f[6]);
    w.strand = f[3][0];
    rc = bird_contigs_add(&w.contig, &s->contigs, f[0]);
    return rc ? rc : scan_add(s, &w, raw, p);
}

static int read_windows(struct bird_scan_eval *s, const char *path)
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

/* --- calibration ---------------------------------------------------------- */

/* Describe the event and the rows of a fit, for the file of the map. */
static int describe(struct bird_probability *m, const struct bird_scan_eval *s,
                    const bird_scan_files *files, int64_t n_true)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_text event = {0}, fitted = {0};
    char name[80];
    int rc = bird_text_printf(&event,
                              "a start site within %lld bp of the window's "
                              "anchor, on either strand",
                              (long long)s->o->within);

    bird_path_base(name, sizeof(name), files->windows);
    if (!rc)
        rc = bird_text_printf(
            &fitted,
            "%lld windows of a scan of %lld bp (%s), %lld of them true",
            (long long)t->n, (long long)s->scanned_bp, name, (long long)n_true);
    m->event = event.s;
    m->fitted = fitted.s;
    return rc;
}

static int fit_map(struct bird_probability *m, const struct bird_scan_eval *s,
                   const bird_scan_files *files)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_pool pool = {0};
    double *raw = bird_pool_array(&pool, t->n, sizeof(*raw));
    uint8_t *label = bird_pool_array(&pool, t->n, sizeof(*label));
    int64_t n_true = 0;
    int rc = pool.rc;

    for (int64_t i = 0; !rc && i < t->n; i++) {
        raw[i] = t->at[i].p;
        label[i] = (uint8_t)bird_scan_is_true(s, &t->at[i]);
        n_true += label[i];
    }
    if (!rc && n_true < BIRD_KNOT_POSITIVES)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: %lld windows near a start site are too few to "
                       "calibrate on: at least %d",
                       files->windows, (long long)n_true, BIRD_KNOT_POSITIVES);
    if (!rc)
        rc = bird_calibrate_feature(m, 1, raw, label, t->n);
    if (!rc)
        rc = describe(m, s, files, n_true);
    bird_pool_free(&pool);
    return rc;
}

/* Windows of another length are not those of the model. */
static int check_windows(const struct bird_scan_eval *s,
                         const bird_scan_files *files,
                         const struct bird_folder *f)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    int64_t longest = 0;

    for (int64_t i = 0; i < t->n; i++)
        if (t->at[i].end - t->at[i].start > longest)
            longest = t->at[i].end - t->at[i].start;
    if (f->window_bp && longest != f->window_bp)
        return bird_fail(BIRD_EINVAL,
                         "%s: windows of %lld bp, but %s is a model for %lld "
                         "bp: scan with the model's own window",
                         files->windows, (long long)longest, f->path,
                         (long long)f->window_bp);
    if (bird_model_labels(&f->config) != 1)
        return bird_fail(BIRD_EINVAL,
                         "%s has several labels: `dnabird evaluate "
                         "--calibrate` calibrates it on labelled bins",
                         f->path);
    return 0;
}

/* Fit the model's calibration map on the windows (option calibrate), and
 * apply it. All windows of the scan are used, so that the share of positives
 * is that of a genome; the event is that of the calls. */
static int calibrate(struct bird_scan_eval *s, const bird_scan_files *files)
{
    struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_probability m = {0};
    struct bird_probability_settings way = {0};
    struct bird_folder f = {0};
    char *path = NULL;
    int rc = bird_folder_open_intact(&f, files->model), found = 0;

    if (!rc)
        rc = check_windows(s, files, &f);
    way.window_bp = f.window_bp;
    memcpy(way.digest, f.digest, sizeof(way.digest));
    if (!rc)
        rc = bird_path_join(&path, f.path, BIRD_CALIBRATION_NAME);
    if (!rc && files->calibrate) {
        rc = fit_map(&m, s, files);
        if (!rc)
            rc = bird_calibrate_write(&m, &way, path);
    } else if (!rc) {
        found = bird_probability_read(&m, path, 1);
        rc = found < 0 ? found : 0;
        if (!found || (found > 0 && strcmp(m.settings.digest, f.digest) != 0))
            rc = bird_fail(BIRD_EINVAL,
                           "%s: the model is not calibrated: --calibrate on "
                           "its validation part first",
                           f.path);
    }
    for (int64_t i = 0; !rc && i < t->n; i++)
        t->at[i].probability = bird_probability_of(&m, 0, t->at[i].p);
    free(path);
    bird_probability_free(&m);
    bird_folder_free(&f);
    return rc;
}

/* --- windows by intervals, or by a baseline ------------------------------- */

static double interval_score(const struct bird_interval *x, const char *bases,
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

/* Index in the reference of a contig of the scan; -1: there is none of this
 * name. */
static int32_t in_reference(const struct bird_scan_eval *s,
                            const struct bird_reference *ref, int32_t contig)
{
    return bird_contigs_find(&ref->contigs, s->contigs.name[contig]);
}

/* Keep the parts of the intervals on contigs of the reference, and score
 * them. */
static int score_all(struct bird_intervals *p, const struct bird_scan_eval *s,
                     struct bird_reference *ref)
{
    const char *bases;
    int64_t i, n = 0;
    int rc;

    for (i = 0; i < p->n; i++) {
        struct bird_interval x = p->at[i];
        int32_t c = in_reference(s, ref, x.contig);

        if (c < 0 || x.start >= ref->contig[c].length)
            continue;
        if (x.end > ref->contig[c].length)
            x.end = ref->contig[c].length;
        rc = bird_reference_bases(&bases, ref, c);
        if (rc)
            return rc;
        x.score = interval_score(&x, bases, s->o->score);
        p->at[n++] = x;
    }
    p->n = n;
    return bird_intervals_reach(p);
}

/* Number of bases other than A, C, G, T among n. */
static int64_t unknown(const char *s, int64_t n)
{
    int64_t i, k = 0;

    for (i = 0; i < n; i++)
        k += !bird_is_acgt(s[i]);
    return k;
}

/* The predictor of windows: intervals, or a baseline. */
struct predictor {
    const struct bird_intervals *intervals;
    bird_baseline *baseline;
    char *flipped; /* (window) */
};

/* The largest score of the intervals that hold a base; 0: none does. */
static double score_at(const struct bird_intervals *p, int32_t contig,
                       int64_t pos)
{
    int64_t i = bird_intervals_first(p, contig, pos + 1) - 1;
    double best = 0;

    for (; i >= 0 && p->at[i].contig == contig && p->reach[i] > pos; i--)
        if (p->at[i].end > pos && p->at[i].score > best)
            best = p->at[i].score;
    return best;
}

/* Score a window, on each strand by the intervals that hold its anchor. */
static int add_by_interval(struct bird_scan_eval *s,
                           const struct bird_interval *w,
                           const struct bird_intervals *p)
{
    struct bird_interval x = *w;
    int rc = 0;

    for (int list = 0; !rc && list < 2; list++) {
        x.strand = list ? '-' : '+';
        rc = scan_add(s, &x, score_at(p, w->contig, anchor_on(s, w, list)), 0);
    }
    return rc;
}

/* Score both strands of a window, each by its own bases. */
static int add_by_baseline(struct bird_scan_eval *s, struct bird_interval *w,
                           const struct predictor *q, const char *seq)
{
    int64_t n = w->end - w->start;
    char strand = w->strand;
    double p;
    int rc = bird_baseline_score(q->baseline, BIRD_BASELINE_KMER, &p, seq, n);

    w->strand = '+';
    if (!rc)
        rc = scan_add(s, w, p, p);
    bird_reverse_complement(q->flipped, seq, n);
    w->strand = '-';
    if (!rc)
        rc = bird_baseline_score(q->baseline, BIRD_BASELINE_KMER, &p,
                                 q->flipped, n);
    if (!rc)
        rc = scan_add(s, w, p, p);
    w->strand = strand;
    return rc;
}

/* Tile one region; the last window is shifted inward. */
static int add_region(struct bird_scan_eval *s,
                      const struct bird_interval *region,
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
            rc = q->baseline ? add_by_baseline(s, &w, q, bases + w.start)
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

/* The regions; without a file whole contigs. */
static int list_regions(struct bird_intervals *out, struct bird_scan_eval *s,
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

/* Add the windows of the predictor. */
static int add_predictor(struct bird_scan_eval *s, const bird_scan_files *f)
{
    struct bird_reference ref = {0};
    struct bird_intervals p = {0}, regions = {0};
    struct predictor q = {.intervals = &p};
    const char *bases;
    int64_t i;
    int rc = bird_reference_open(&ref, f->fasta, f->n_fasta);

    if (!rc && f->baseline) {
        rc = bird_baseline_open(&q.baseline, f->baseline);
        if (!rc && (bird_baseline_columns(q.baseline) != 1 ||
                    bird_baseline_context(q.baseline)))
            rc = bird_fail(
                BIRD_EINVAL,
                "%s: a baseline of %lld labels%s: a scan needs one "
                "of one label, of windows",
                f->baseline, (long long)bird_baseline_columns(q.baseline),
                bird_baseline_context(q.baseline) ? ", of bins" : "");
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
    bird_baseline_free(q.baseline);
    free(q.flipped);
    return rc;
}

/* --- all of it ------------------------------------------------------------ */

/* Without a file of regions each contig with windows is a region. */
static int whole_contigs(struct bird_scan_eval *s)
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

/* A file of windows joined twice would count each of its calls twice. */
static int check_repeats(const struct bird_scan_eval *s, const char *path)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];

    for (int64_t i = 1; i < t->n; i++) {
        struct bird_scan_item x = t->at[i];

        x.p = t->at[i - 1].p;
        if (!by_item(&x, t->at + i - 1))
            return bird_fail(BIRD_EFORMAT,
                             "%s: the window %s:%lld-%lld is given twice", path,
                             s->contigs.name[x.contig], (long long)x.start + 1,
                             (long long)x.end);
    }
    return 0;
}

/* Bases of the regions in any scored window. */
static int cover(struct bird_scan_eval *s)
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
    /* intersection of c and regions = c minus (c minus regions) */
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

/* Keep the true TSSs of the regions, and mark those in a scanned window. */
static int settle_truth(struct bird_scan_eval *s)
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

/* Both strands of a window become one, with the larger probability. */
static int join_strands(struct bird_scan_eval *s)
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

/* Number the blocks contig by contig; a contig is as long as its last base
 * in use. */
static int count_blocks(struct bird_scan_eval *s)
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
    /* the anchor of a window may lie outside the covered bases */
    for (i = 0; i < s->contigs.n; i++)
        of[i + 1] += of[i] + 1;
    s->block_of = of;
    return 0;
}

static int read_tss(struct bird_scan_eval *s, const bird_scan_files *f)
{
    int64_t i;
    int rc = bird_intervals_read_starts(&s->truth, &s->contigs, f->truth,
                                        &f->transcripts);

    for (i = 0; !rc && i < s->truth.n; i++) /* a pipe is read once */
        rc = bird_intervals_put(&s->all, &s->truth.at[i]);
    for (i = 0; !rc && i < f->n_other; i++) /* a call near any of them is not
                                               false */
        rc = bird_intervals_read_starts(
            &s->all, &s->contigs, f->other[i],
            &(bird_transcript_filter){.feature = f->transcripts.feature});
    return rc;
}

int bird_scan_open(struct bird_scan_eval *s, const bird_scan_files *f,
                   const bird_evaluate_scan_options *o)
{
    struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    int rc = 0;

    *s = (struct bird_scan_eval){.o = o, .has_regions = f->regions != NULL};
    if (f->regions)
        rc = bird_intervals_read(&s->regions, &s->contigs, f->regions);
    bird_intervals_merge(&s->regions);
    if (!rc)
        rc = read_tss(s, f);
    if (!rc)
        rc = f->windows ? read_windows(s, f->windows) : add_predictor(s, f);
    if (!rc && !t->n)
        rc = bird_fail(BIRD_EINVAL, "%s: no scored window lies in the regions",
                       f->windows     ? f->windows
                       : f->intervals ? f->intervals
                                      : f->baseline);
    if (!rc)
        qsort(t->at, (size_t)t->n, sizeof(*t->at), by_item);
    if (!rc && f->windows)
        rc = check_repeats(s, f->windows);
    if (!rc && !f->regions)
        rc = whole_contigs(s);
    if (!rc)
        rc = cover(s);
    if (!rc)
        rc = settle_truth(s);
    if (!rc && f->model)
        rc = calibrate(s, f);
    if (!rc)
        rc = join_strands(s);
    if (!rc)
        rc = count_blocks(s);
    if (rc)
        bird_scan_free(s);
    return rc;
}

void bird_scan_free(struct bird_scan_eval *s)
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
    *s = (struct bird_scan_eval){0};
}
