/* Figures of a scan, with intervals by blocks. SPDX-License-Identifier: MIT */
#include "eval/scan_eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "eval/metrics.h"
#include "eval/reliability.h"

enum { MAX_RANKING_BOOT = 200 };

void bird_scan_options_default(bird_scan_options *o)
{
    *o = (bird_scan_options){.within = 500,
                             .zone = 100,
                             .anchor = -1,
                             .window = 1000,
                             .stride = 100,
                             .max_n = 0.05,
                             .block = 100000,
                             .n_boot = 1000,
                             .level = 0.95,
                             .seed = 1,
                             .n_target = 3,
                             .target = {1, 5, 20}};
}

/* What lies in a block of the genome at one threshold. */
struct block {
    double tss, tss_scanned, found, found_scanned, n_false, bp;
};

/* Blocks that hold anything, and how often each was drawn. */
struct resample {
    int64_t n;     /* blocks in all */
    int64_t *used; /* (n_used) those with bases or TSSs */
    int64_t n_used;
    uint32_t *weight; /* (n) */
};

static int64_t block_at(const struct bird_scan *s, int32_t contig, int64_t pos)
{
    int64_t i = s->block_of[contig] + pos / s->o->block;
    int64_t last = s->block_of[contig + 1] - 1;

    return i < last ? i : last;
}

static void fill_ground(struct block *b, const struct bird_scan *s)
{
    int64_t i, from, to;

    for (i = 0; i < s->covered.n; i++) {
        const struct bird_interval *x = s->covered.at + i;

        for (from = x->start; from < x->end; from = to) {
            to = (from / s->o->block + 1) * s->o->block;
            to = to < x->end ? to : x->end;
            b[block_at(s, x->contig, from)].bp += (double)(to - from);
        }
    }
    for (i = 0; i < s->truth.n; i++) {
        const struct bird_interval *x = s->truth.at + i;
        struct block *at = b + block_at(s, x->contig, x->start);

        at->tss += 1;
        at->tss_scanned += s->tss_scanned[i];
    }
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

static void judge_call(const struct bird_scan *s, bird_scan_point *p, int mode,
                       const struct bird_scan_call *c, uint8_t *found,
                       struct block *b)
{
    struct bird_scan_judgement j;
    int64_t t;

    bird_scan_judge(&j, s, mode, c);
    p->n_call++;
    p->call_said += c->said;
    p->n_false += j.is_false;
    p->n_antisense += j.is_antisense;
    if (j.is_false)
        b[block_at(s, c->contig, bird_scan_summit(c))].n_false += 1;
    for (t = j.from; t < j.to; t++)
        if (bird_scan_counts(s, mode, t, c->list))
            found[t] = 1;
}

/* Calls at p->threshold, counted in p and in the blocks. */
static int count_calls(const struct bird_scan *s, bird_scan_point *p, int mode,
                       struct block *b)
{
    const struct bird_scan_items *items = &s->items[mode];
    const struct bird_scan_item *last = NULL;
    struct bird_scan_call c = {0}, one;
    uint8_t *found;
    int64_t i;
    int rc = bird_array_new(&found, s->truth.n, 1);

    p->threshold_said = (double)NAN;

    if (rc)
        return rc;
    for (i = 0; i < items->n; i++) {
        const struct bird_scan_item *x = items->at + i;

        if (!(x->p > 0 && x->p >= p->threshold))
            continue;
        one = bird_scan_call_of(x);
        if (isnan(p->threshold_said) || x->said < p->threshold_said)
            p->threshold_said = x->said;
        if (last && bird_scan_joined(s, last, x)) {
            bird_scan_call_join(&c, &one);
        } else {
            if (last)
                judge_call(s, p, mode, &c, found, b);
            c = one;
        }
        last = x;
    }
    if (last)
        judge_call(s, p, mode, &c, found, b);
    p->call_said = ratio(p->call_said, (double)p->n_call);
    for (i = 0; i < s->truth.n; i++) {
        struct block *at =
            b + block_at(s, s->truth.at[i].contig, s->truth.at[i].start);

        p->n_found += found[i];
        at->found += found[i];
        at->found_scanned += found[i] && s->tss_scanned[i];
    }
    free(found);
    return 0;
}

static void draw(struct resample *r, const bird_scan_options *o, int64_t boot)
{
    struct bird_rng rng;
    int64_t i;

    memset(r->weight, 0, (size_t)r->n * sizeof(*r->weight));
    bird_rng_init(&rng, o->seed, 1, (uint64_t)boot);
    for (i = 0; i < r->n_used; i++)
        r->weight[r->used[bird_rng_below(&rng, (uint64_t)r->n_used)]]++;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Percentiles of the values that are defined; v is sorted. */
static void interval(bird_figure *f, double *v, int64_t n, double level)
{
    int64_t i, m = 0;
    double tail = (1 - level) / 2;

    f->lo = f->hi = (double)NAN;
    for (i = 0; i < n; i++)
        if (!isnan(v[i]))
            v[m++] = v[i];
    if (!m)
        return;
    qsort(v, (size_t)m, sizeof(*v), by_value);
    f->lo = v[(int64_t)floor(tail * (double)(m - 1))];
    f->hi = v[(int64_t)ceil((1 - tail) * (double)(m - 1))];
}

/* The three figures of a point under weights (NULL: 1 each). */
static void figures(double v[3], const struct block *b, int64_t n,
                    const uint32_t *weight)
{
    struct block t = {0};
    int64_t i;

    for (i = 0; i < n; i++) {
        double w = weight ? (double)weight[i] : 1;

        t.tss += w * b[i].tss;
        t.tss_scanned += w * b[i].tss_scanned;
        t.found += w * b[i].found;
        t.found_scanned += w * b[i].found_scanned;
        t.n_false += w * b[i].n_false;
        t.bp += w * b[i].bp;
    }
    v[0] = ratio(t.found_scanned, t.tss_scanned);
    v[1] = ratio(t.found, t.tss);
    v[2] = ratio(t.n_false, t.bp / 1e6);
}

static int measure_point(bird_scan_point *p, const struct bird_scan *s,
                         int mode, struct resample *r)
{
    bird_figure *f[3] = {&p->recall, &p->recall_all, &p->false_per_mb};
    double v[3], *boot = NULL;
    struct block *b;
    int64_t i, n = s->o->n_boot;
    int k, rc = bird_array_new(&b, r->n, sizeof(*b));

    if (!rc)
        rc = bird_array_new(&boot, 3 * n, sizeof(*boot));
    if (!rc) {
        fill_ground(b, s);
        rc = count_calls(s, p, mode, b);
    }
    if (!rc) {
        figures(v, b, r->n, NULL);
        for (k = 0; k < 3; k++)
            f[k]->value = v[k];
        for (i = 0; i < n; i++) {
            draw(r, s->o, i);
            figures(v, b, r->n, r->weight);
            for (k = 0; k < 3; k++)
                boot[k * n + i] = v[k];
        }
        for (k = 0; k < 3; k++)
            interval(f[k], boot + k * n, n, s->o->level);
        free(b);
    }
    free(boot);
    return rc;
}

int bird_scan_is_true(const struct bird_scan *s, const struct bird_scan_item *x)
{
    int64_t near[2] = {x->anchor - s->o->within, x->anchor + s->o->within};

    return bird_intervals_start_in(&s->all, x->contig, near, 0);
}

/* 1 positive, 0 negative, -1 left out. */
static int label_of(const struct bird_scan *s, const struct bird_scan_item *x)
{
    int64_t zone[2] = {x->anchor - s->o->zone, x->anchor + s->o->zone};

    if (bird_intervals_start_in(&s->truth, x->contig, zone,
                                x->list ? '-' : '+'))
        return 1;
    return bird_scan_is_true(s, x) ? -1 : 0;
}

static int boot_ranking(bird_scan_result *out, const struct bird_scan *s,
                        const struct bird_ranking *rank, const int32_t *block,
                        struct resample *r)
{
    int64_t i, k, n = s->o->n_boot;
    uint32_t *weight;
    double *v = NULL;
    int rc = bird_array_new(&weight, rank->n, sizeof(*weight));

    n = n < MAX_RANKING_BOOT ? n : MAX_RANKING_BOOT;
    if (rc)
        return rc;
    rc = bird_array_new(&v, 2 * n, sizeof(*v));
    for (i = 0; i < rank->n; i++)
        weight[i] = 1;
    out->auroc.value = bird_ranking_auroc(rank, weight, 0, 1);
    out->auprc.value = bird_ranking_auprc(rank, weight, 0, 1);
    for (k = 0; !rc && k < n; k++) {
        draw(r, s->o, k);
        for (i = 0; i < rank->n; i++)
            weight[i] = r->weight[block[i]];
        v[k] = bird_ranking_auroc(rank, weight, 0, 1);
        v[n + k] = bird_ranking_auprc(rank, weight, 0, 1);
    }
    if (!rc) {
        interval(&out->auroc, v, n, s->o->level);
        interval(&out->auprc, v + n, n, s->o->level);
    }
    free(weight);
    free(v);
    return rc;
}

static int rank_windows(bird_scan_result *out, const struct bird_scan *s,
                        struct resample *r)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_metrics_options o = {.threshold = 0.5, .n_bin = 10};
    struct bird_ranking rank = {0};
    double *p = NULL;
    int32_t *label = NULL, *block = NULL;
    int64_t i, n = 0;
    int rc;

    rc = bird_array_new(&p, t->n, sizeof(*p));
    if (!rc)
        rc = bird_array_new(&label, t->n, sizeof(*label));
    if (!rc)
        rc = bird_array_new(&block, t->n, sizeof(*block));
    for (i = 0; !rc && i < t->n; i++) {
        const struct bird_scan_item *x = t->at + i;
        int y = label_of(s, x);

        if (y < 0)
            continue;
        p[n] = x->p;
        label[n] = y;
        block[n++] = (int32_t)block_at(s, x->contig, x->anchor);
        out->n_positive += y;
        out->n_negative += !y;
    }
    if (!rc)
        rc = bird_ranking_new(&rank, p, label, n, 2, &o);
    if (!rc)
        rc = boot_ranking(out, s, &rank, block, r);
    bird_ranking_free(&rank);
    free(p);
    free(label);
    free(block);
    return rc;
}

static int check(const bird_scan_options *o, const bird_scan_files *f)
{
    int t;

    if (f->model && !f->windows)
        return bird_fail(BIRD_EINVAL, "a model's map is for its windows, not "
                                      "for intervals or a floor");
    if (f->calibrate && !f->model)
        return bird_fail(BIRD_EINVAL, "no model folder to put the map into");
    if (!!f->windows + !!f->intervals + !!f->floor != 1)
        return bird_fail(BIRD_EINVAL,
                         "give one of windows, intervals and floor");
    if (!f->truth)
        return bird_fail(BIRD_EINVAL, "no file of true start sites is given");
    if (o->within < 0 || o->zone < 0 || o->merge < 0 || o->block < 1 ||
        o->window < 1 || o->stride < 1 || !(o->max_n >= 0 && o->max_n <= 1))
        return bird_fail(BIRD_EINVAL, "within, zone, merge, block, window, "
                                      "stride or share of N out of range");
    if (o->n_boot < 0 || o->n_boot > 1000000 || !(o->level > 0 && o->level < 1))
        return bird_fail(BIRD_EINVAL, "resamples or level out of range");
    if (o->n_target < 0 || o->n_target > BIRD_SCAN_MAX_TARGET)
        return bird_fail(BIRD_EINVAL, "at most %d targets",
                         BIRD_SCAN_MAX_TARGET);
    for (t = 0; t < o->n_target; t++)
        if (!(o->target[t] >= 0))
            return bird_fail(BIRD_EINVAL,
                             "%g false calls per Mb: a target is "
                             "0 or more",
                             o->target[t]);
    return 0;
}

/* Blocks with any base or TSS take part in the resampling. */
static int find_blocks(struct resample *r, const struct bird_scan *s)
{
    struct block *b;
    int64_t i;
    int rc;

    r->n = s->block_of[s->contigs.n];
    rc = bird_array_new(&b, r->n, sizeof(*b));
    if (rc)
        return rc;
    rc = bird_array_new(&r->used, r->n, sizeof(*r->used));
    if (!rc)
        rc = bird_array_new(&r->weight, r->n, sizeof(*r->weight));
    if (!rc) {
        fill_ground(b, s);
        for (i = 0; i < r->n; i++)
            if (b[i].bp > 0 || b[i].tss > 0)
                r->used[r->n_used++] = i;
    }
    free(b);
    return rc;
}

static int measure_mode(bird_scan_result *out, struct bird_scan *s, int mode,
                        struct resample *r)
{
    double threshold[BIRD_SCAN_MAX_TARGET];
    int t, rc = 0;

    if (s->o->given)
        memcpy(threshold, s->o->threshold[mode], sizeof(threshold));
    else
        rc = bird_scan_choose(threshold, s, mode);
    for (t = 0; !rc && t < s->o->n_target; t++) {
        out->point[mode][t].target = s->o->target[t];
        out->point[mode][t].threshold = threshold[t];
        rc = measure_point(&out->point[mode][t], s, mode, r);
    }
    return rc;
}

int bird_scan_evaluate(bird_scan_result *out, const bird_scan_files *files,
                       const bird_scan_options *o)
{
    bird_scan_result res = {0};
    struct bird_scan s;
    struct resample r = {0};
    int64_t i;
    int mode, rc = check(o, files);

    if (!rc)
        rc = bird_scan_open(&s, files, o);
    if (rc)
        return rc;
    res.n_window = s.items[BIRD_SCAN_STRANDED].n;
    res.n_unscored = s.n_unscored;
    res.n_short = s.n_short;
    res.scanned_bp = s.scanned_bp;
    res.n_tss = s.truth.n;
    for (i = 0; i < s.truth.n; i++)
        res.n_tss_scanned += s.tss_scanned[i];
    res.n_target = o->n_target;
    res.is_probability = !files->intervals;
    for (i = 0; i < res.n_window; i++) {
        const struct bird_scan_item *x = s.items[BIRD_SCAN_STRANDED].at + i;

        bird_reliability_add(&res.said, x->said, bird_scan_is_true(&s, x));
    }
    rc = find_blocks(&r, &s);
    if (!rc)
        rc = rank_windows(&res, &s, &r);
    for (mode = 0; !rc && mode < BIRD_SCAN_N_MODE; mode++)
        rc = measure_mode(&res, &s, mode, &r);
    free(r.used);
    free(r.weight);
    bird_scan_free(&s);
    if (!rc)
        *out = res;
    return rc;
}
