/* Evaluation of a scan: its calls at every threshold, and metrics by blocks.
 *
 * The sweep over thresholds adds windows in falling order of probability. Each
 * window joins the calls that it touches (union-find), so that after all
 * windows of a probability the calls are those at that threshold, and one pass
 * covers all thresholds. The counts of a call are subtracted before the call
 * changes, and added again after. Intervals are from resamples of blocks of the
 * genome, because neighbouring windows are not independent.
 * SPDX-License-Identifier: MIT */
#include "eval/scan_eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"
#include "dnabird/tiles.h"
#include "eval/metrics.h"

/* --- calls ---------------------------------------------------------------- */

/* A run of windows with anchors first .. last, the best ones lo .. hi. */
struct call {
    int64_t first, last, lo, hi;
    double p, probability;
    int32_t contig;
    int8_t list;
};

/* The TSSs near a call's summit, or near its extent. */
struct judgement {
    int is_false, is_antisense;
    int64_t from, to; /* truth.at[from .. to-1] are near; counts_for()
                         decides for each */
};

/* 1: two items of one list, a before b, belong to one call */
static int is_joined(const struct bird_scan_eval *s,
                     const struct bird_scan_item *a,
                     const struct bird_scan_item *b)
{
    if (a->list != b->list || a->contig != b->contig)
        return 0;
    return s->o->merge ? b->start - a->start <= s->o->merge
                       : b->start <= a->end;
}

static struct call call_of(const struct bird_scan_item *x)
{
    return (struct call){.first = x->anchor,
                         .last = x->anchor,
                         .lo = x->anchor,
                         .hi = x->anchor,
                         .p = x->p,
                         .probability = x->probability,
                         .contig = x->contig,
                         .list = x->list};
}

static void join_calls(struct call *a, const struct call *b)
{
    a->first = b->first < a->first ? b->first : a->first;
    a->last = b->last > a->last ? b->last : a->last;
    if (b->p > a->p) {
        a->lo = b->lo;
        a->hi = b->hi;
        a->p = b->p;
        a->probability = b->probability;
    } else if (b->p >= a->p) {
        a->lo = b->lo < a->lo ? b->lo : a->lo;
        a->hi = b->hi > a->hi ? b->hi : a->hi;
    }
}

static int64_t summit_of(const struct call *c)
{
    return c->lo + (c->hi - c->lo) / 2;
}

/* 1: the strand of true TSS t is right for a call of that list in that mode */
static int counts_for(const struct bird_scan_eval *s, int mode, int64_t t,
                      int list)
{
    return mode == BIRD_SCAN_UNSTRANDED ||
           s->truth.at[t].strand == (list ? '-' : '+');
}

static void judge(struct judgement *out, const struct bird_scan_eval *s,
                  int mode, const struct call *c)
{
    int64_t at = summit_of(c), d = s->o->within;
    int64_t range[2] = {at - d, at + d};

    if (s->o->extent) {
        range[0] = c->first - d;
        range[1] = c->last + d;
    }
    out->is_false = !bird_intervals_start_in(&s->all, c->contig, range, 0);
    out->is_antisense = mode == BIRD_SCAN_STRANDED && !out->is_false &&
                        !bird_intervals_start_in(&s->all, c->contig, range,
                                                 c->list ? '-' : '+');
    out->from = bird_intervals_first(&s->truth, c->contig, range[0]);
    out->to = bird_intervals_first(&s->truth, c->contig, range[1] + 1);
}

/* --- thresholds ----------------------------------------------------------- */

struct sweep {
    struct bird_scan_eval *s;
    int mode;
    const struct bird_scan_items *items;
    int32_t *order;  /* items by falling p */
    int32_t *parent; /* -1: below the threshold */
    uint8_t *counted;
    struct call *call; /* of the items that are roots */
    int64_t n_false;
};

static int sort_items(struct sweep *w, struct bird_pool *pool)
{
    int64_t n = w->items->n;
    double *p = bird_pool_array(pool, n, sizeof(*p));
    struct bird_ranks by = {w->order, bird_pool_array(pool, n, 1), 0};

    if (pool->rc)
        return pool->rc;
    for (int64_t i = 0; i < n; i++)
        p[i] = w->items->at[i].p;
    return bird_rank_rows(&by, p, 1, n);
}

static int32_t root_of(struct sweep *w, int32_t i)
{
    while (w->parent[i] != i) {
        w->parent[i] = w->parent[w->parent[i]];
        i = w->parent[i];
    }
    return i;
}

/* Add a call to the counts (count = 1) or subtract it (0). */
static void count_call(struct sweep *w, int32_t r, int count)
{
    struct judgement j;

    if (w->counted[r] == count)
        return;
    w->counted[r] = (uint8_t)count;
    judge(&j, w->s, w->mode, w->call + r);
    w->n_false += j.is_false ? (count ? 1 : -1) : 0;
}

static void join(struct sweep *w, int32_t a, int32_t b)
{
    int32_t x = root_of(w, a), y = root_of(w, b);

    if (x == y)
        return;
    count_call(w, x, 0);
    count_call(w, y, 0);
    join_calls(w->call + x, w->call + y);
    w->parent[y] = x;
}

static void take(struct sweep *w, int32_t i)
{
    const struct bird_scan_item *at = w->items->at;
    int32_t k;

    w->parent[i] = i;
    w->call[i] = call_of(at + i);
    for (k = i - 1; k >= 0 && is_joined(w->s, at + k, at + i); k--)
        if (w->parent[k] >= 0) {
            join(w, k, i);
            break;
        }
    for (k = i + 1; k < w->items->n && is_joined(w->s, at + i, at + k); k++)
        if (w->parent[k] >= 0) {
            join(w, i, k);
            break;
        }
}

/* Targets are exceeded one after the other as the threshold falls. */
static void sweep(struct sweep *w, double *threshold)
{
    const bird_evaluate_scan_options *o = w->s->o;
    const struct bird_scan_item *at = w->items->at;
    double mb = (double)w->s->scanned_bp / 1e6, p;
    int over[BIRD_SCAN_MAX_TARGET] = {0}, n_over = 0, t;
    int64_t i, k, m;

    for (t = 0; t < o->n_target; t++)
        threshold[t] = (double)INFINITY;
    for (i = 0; i < w->items->n && n_over < o->n_target; i = k) {
        p = at[w->order[i]].p;
        if (!(p > 0))
            break;
        for (k = i; k < w->items->n && at[w->order[k]].p >= p; k++)
            take(w, w->order[k]);
        for (m = i; m < k; m++)
            count_call(w, root_of(w, w->order[m]), 1);
        for (t = 0; t < o->n_target; t++) {
            if (over[t])
                continue;
            if ((double)w->n_false > o->target[t] * mb) {
                over[t] = 1;
                n_over++;
            } else {
                threshold[t] = p;
            }
        }
    }
}

/* The thresholds for the targets of s->o. */
static int choose_thresholds(double *threshold, struct bird_scan_eval *s,
                             int mode)
{
    struct sweep w = {.s = s, .mode = mode, .items = &s->items[mode]};
    struct bird_pool pool = {0};
    int64_t i, n = w.items->n;
    int rc;

    if (n > INT32_MAX)
        return bird_fail(BIRD_ERANGE, "too many windows: %lld", (long long)n);
    w.order = bird_pool_array(&pool, n, sizeof(*w.order));
    w.parent = bird_pool_array(&pool, n, sizeof(*w.parent));
    w.counted = bird_pool_array(&pool, n, sizeof(*w.counted));
    w.call = bird_pool_array(&pool, n, sizeof(*w.call));
    rc = pool.rc;
    if (!rc)
        rc = sort_items(&w, &pool);
    for (i = 0; !rc && i < n; i++)
        w.parent[i] = -1;
    if (!rc)
        sweep(&w, threshold);
    bird_pool_free(&pool);
    return rc;
}

enum { MAX_RANKING_BOOT = 200 };

void bird_evaluate_scan_options_default(bird_evaluate_scan_options *o)
{
    *o = (bird_evaluate_scan_options){.within = 500,
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

/* --- metrics with intervals by blocks ------------------------------------- */

/* Counts in a block of the genome at one threshold. */
struct block {
    double tss, tss_scanned, found, found_scanned, n_false, bp;
};

/* Blocks with bases or TSSs, and how often each is in the resample. */
struct resample {
    int64_t n;     /* number of all blocks */
    int64_t *used; /* (n_used) blocks with bases or TSSs */
    int64_t n_used;
    uint32_t *weight; /* (n) */
};

static int64_t block_at(const struct bird_scan_eval *s, int32_t contig,
                        int64_t pos)
{
    int64_t i = s->block_of[contig] + pos / s->o->block;
    int64_t last = s->block_of[contig + 1] - 1;

    return i < last ? i : last;
}

static void fill_ground(struct block *b, const struct bird_scan_eval *s)
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

static void judge_call(const struct bird_scan_eval *s, bird_scan_point *p,
                       int mode, const struct call *c, uint8_t *found,
                       struct block *b)
{
    struct judgement j;
    int64_t t;

    judge(&j, s, mode, c);
    p->n_call++;
    p->call_probability += c->probability;
    p->n_false += j.is_false;
    p->n_antisense += j.is_antisense;
    if (j.is_false)
        b[block_at(s, c->contig, summit_of(c))].n_false += 1;
    for (t = j.from; t < j.to; t++)
        if (counts_for(s, mode, t, c->list))
            found[t] = 1;
}

/* Calls at p->threshold, counted in p and in the blocks. */
static int count_calls(const struct bird_scan_eval *s, bird_scan_point *p,
                       int mode, struct block *b)
{
    const struct bird_scan_items *items = &s->items[mode];
    const struct bird_scan_item *last = NULL;
    struct call c = {0}, one;
    uint8_t *found;
    int64_t i;
    int rc = bird_array_new(&found, s->truth.n, 1);

    p->threshold_probability = (double)NAN;

    if (rc)
        return rc;
    for (i = 0; i < items->n; i++) {
        const struct bird_scan_item *x = items->at + i;

        if (!(x->p > 0 && x->p >= p->threshold))
            continue;
        one = call_of(x);
        if (isnan(p->threshold_probability) ||
            x->probability < p->threshold_probability)
            p->threshold_probability = x->probability;
        if (last && is_joined(s, last, x)) {
            join_calls(&c, &one);
        } else {
            if (last)
                judge_call(s, p, mode, &c, found, b);
            c = one;
        }
        last = x;
    }
    if (last)
        judge_call(s, p, mode, &c, found, b);
    p->call_probability = ratio(p->call_probability, (double)p->n_call);
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

static void resample_blocks(struct resample *r,
                            const bird_evaluate_scan_options *o, int64_t boot)
{
    struct bird_rng rng;
    int64_t i;

    memset(r->weight, 0, (size_t)r->n * sizeof(*r->weight));
    bird_rng_init(&rng, o->seed, 1, (uint64_t)boot);
    for (i = 0; i < r->n_used; i++)
        r->weight[r->used[bird_rng_below(&rng, (uint64_t)r->n_used)]]++;
}

/* Percentiles of the values that are defined; sorts v. */
static void set_interval(bird_estimate *f, double *v, int64_t n, double level)
{
    int64_t i, m = 0;
    double tail = (1 - level) / 2;

    f->lo = f->hi = (double)NAN;
    for (i = 0; i < n; i++)
        if (!isnan(v[i]))
            v[m++] = v[i];
    if (!m)
        return;
    qsort(v, (size_t)m, sizeof(*v), bird_by_double);
    f->lo = v[(int64_t)floor(tail * (double)(m - 1))];
    f->hi = v[(int64_t)ceil((1 - tail) * (double)(m - 1))];
}

/* The three rates of a point with weights of blocks (NULL: 1 each). */
static void rates(double v[3], const struct block *b, int64_t n,
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

static int measure_point(bird_scan_point *p, const struct bird_scan_eval *s,
                         int mode, struct resample *r)
{
    bird_estimate *f[3] = {&p->recall, &p->recall_all, &p->false_per_mb};
    int64_t n = s->o->n_boot;
    struct bird_pool pool = {0};
    struct block *b = bird_pool_array(&pool, r->n, sizeof(*b));
    double v[3], *boot = bird_pool_array(&pool, 3 * n, sizeof(*boot));
    int rc = pool.rc;

    if (rc)
        goto done;
    fill_ground(b, s);
    rc = count_calls(s, p, mode, b);
    if (rc)
        goto done;
    rates(v, b, r->n, NULL);
    for (int k = 0; k < 3; k++)
        f[k]->value = v[k];
    for (int64_t i = 0; i < n; i++) {
        resample_blocks(r, s->o, i);
        rates(v, b, r->n, r->weight);
        for (int k = 0; k < 3; k++)
            boot[k * n + i] = v[k];
    }
    for (int k = 0; k < 3; k++)
        set_interval(f[k], boot + k * n, n, s->o->level);
done:
    bird_pool_free(&pool);
    return rc;
}

int bird_scan_is_true(const struct bird_scan_eval *s,
                      const struct bird_scan_item *x)
{
    int64_t near[2] = {x->anchor - s->o->within, x->anchor + s->o->within};

    return bird_intervals_start_in(&s->all, x->contig, near, 0);
}

/* 1 positive, 0 negative, -1 left out. */
static int label_of(const struct bird_scan_eval *s,
                    const struct bird_scan_item *x)
{
    int64_t zone[2] = {x->anchor - s->o->zone, x->anchor + s->o->zone};

    if (bird_intervals_start_in(&s->truth, x->contig, zone,
                                x->list ? '-' : '+'))
        return 1;
    return bird_scan_is_true(s, x) ? -1 : 0;
}

static int boot_ranking(bird_scan_result *out, const struct bird_scan_eval *s,
                        const struct bird_ranking *rank, const int32_t *block,
                        struct resample *r)
{
    struct bird_pool pool = {0};
    uint32_t *weight = bird_pool_array(&pool, rank->n, sizeof(*weight));
    int64_t n =
        s->o->n_boot < MAX_RANKING_BOOT ? s->o->n_boot : MAX_RANKING_BOOT;
    double *v = bird_pool_array(&pool, 2 * n, sizeof(*v));
    int rc = pool.rc;

    if (rc)
        goto done;
    for (int64_t i = 0; i < rank->n; i++)
        weight[i] = 1;
    out->auroc.value = bird_ranking_auroc(rank, weight, 0, 1);
    out->auprc.value = bird_ranking_auprc(rank, weight, 0, 1);
    for (int64_t k = 0; k < n; k++) {
        resample_blocks(r, s->o, k);
        for (int64_t i = 0; i < rank->n; i++)
            weight[i] = r->weight[block[i]];
        v[k] = bird_ranking_auroc(rank, weight, 0, 1);
        v[n + k] = bird_ranking_auprc(rank, weight, 0, 1);
    }
    set_interval(&out->auroc, v, n, s->o->level);
    set_interval(&out->auprc, v + n, n, s->o->level);
done:
    bird_pool_free(&pool);
    return rc;
}

static int rank_windows(bird_scan_result *out, const struct bird_scan_eval *s,
                        struct resample *r)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_metrics_options o = {.threshold = 0.5, .reliability_bins = 10};
    struct bird_ranking rank = {0};
    struct bird_pool pool = {0};
    double *p = bird_pool_array(&pool, t->n, sizeof(*p));
    int32_t *label = bird_pool_array(&pool, t->n, sizeof(*label));
    int32_t *block = bird_pool_array(&pool, t->n, sizeof(*block));
    int64_t n = 0;
    int rc = pool.rc;

    for (int64_t i = 0; !rc && i < t->n; i++) {
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
    bird_pool_free(&pool);
    return rc;
}

/* A number of bp, so that sums do not overflow. */
static int is_in(int64_t bp, int64_t least)
{
    return bp >= least && bp <= BIRD_WINDOW_MAX;
}

static int check_options(const bird_evaluate_scan_options *o,
                         const bird_scan_files *f)
{
    int t;

    if (f->model && !f->windows)
        return bird_fail(BIRD_EINVAL,
                         "a calibration map is for a model's windows, "
                         "not for intervals or a baseline");
    if (f->calibrate && !f->model)
        return bird_fail(BIRD_EINVAL,
                         "no model folder to write the calibration map into");
    if (!!f->windows + !!f->intervals + !!f->baseline != 1)
        return bird_fail(BIRD_EINVAL,
                         "give one of windows, intervals and baseline");
    if (!f->truth)
        return bird_fail(BIRD_EINVAL, "no file of true start sites is given");
    if (!is_in(o->within, 0) || !is_in(o->zone, 0) || !is_in(o->merge, 0) ||
        !is_in(o->block, 1) || !is_in(o->window, 1) || !is_in(o->stride, 1) ||
        !(o->max_n >= 0 && o->max_n <= 1))
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

/* Select the blocks with a base or TSS, which are resampled. */
static int find_blocks(struct resample *r, const struct bird_scan_eval *s,
                       struct bird_pool *pool)
{
    struct block *b;

    r->n = s->block_of[s->contigs.n];
    b = bird_pool_array(pool, r->n, sizeof(*b));
    r->used = bird_pool_array(pool, r->n, sizeof(*r->used));
    r->weight = bird_pool_array(pool, r->n, sizeof(*r->weight));
    if (pool->rc)
        return pool->rc;
    fill_ground(b, s);
    for (int64_t i = 0; i < r->n; i++)
        if (b[i].bp > 0 || b[i].tss > 0)
            r->used[r->n_used++] = i;
    return 0;
}

static int measure_mode(bird_scan_result *out, struct bird_scan_eval *s,
                        int mode, struct resample *r)
{
    double threshold[BIRD_SCAN_MAX_TARGET];
    int t, rc = 0;

    if (s->o->given)
        memcpy(threshold, s->o->threshold[mode], sizeof(threshold));
    else
        rc = choose_thresholds(threshold, s, mode);
    for (t = 0; !rc && t < s->o->n_target; t++) {
        out->point[mode][t].target = s->o->target[t];
        out->point[mode][t].threshold = threshold[t];
        rc = measure_point(&out->point[mode][t], s, mode, r);
    }
    return rc;
}

int bird_scan_evaluate(bird_scan_result *out, const bird_scan_files *files,
                       const bird_evaluate_scan_options *o)
{
    bird_scan_result res = {0};
    struct bird_scan_eval s;
    struct resample r = {0};
    struct bird_pool pool = {0};
    int64_t i;
    int mode, rc = check_options(o, files);

    if (!rc)
        rc = bird_scan_open(&s, files, o);
    if (rc)
        return rc;
    res.n_window = s.items[BIRD_SCAN_STRANDED].n;
    res.n_unscored = s.n_unscored;
    res.n_short = s.n_short;
    res.scanned_bp = s.scanned_bp;
    res.n_tss = s.truth.n;
    res.n_tss_repeated = s.truth.repeated;
    for (i = 0; i < s.truth.n; i++)
        res.n_tss_scanned += s.tss_scanned[i];
    res.n_target = o->n_target;
    res.is_probability = !files->intervals;
    for (i = 0; i < res.n_window; i++) {
        const struct bird_scan_item *x = s.items[BIRD_SCAN_STRANDED].at + i;

        bird_reliability_add(&res.reliability, x->probability,
                             bird_scan_is_true(&s, x));
    }
    rc = find_blocks(&r, &s, &pool);
    if (!rc)
        rc = rank_windows(&res, &s, &r);
    for (mode = 0; !rc && mode < BIRD_SCAN_N_MODE; mode++)
        rc = measure_mode(&res, &s, mode, &r);
    bird_pool_free(&pool);
    bird_scan_free(&s);
    if (!rc)
        *out = res;
    return rc;
}
