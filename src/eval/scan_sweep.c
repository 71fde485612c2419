/**
 * Calls at every threshold in one pass, and the thresholds for given targets.
 *
 * Windows are taken in falling order of probability; each joins the calls it
 * touches (union-find), so that after a value of the probability the calls
 * are those of the threshold at that value. What a call adds to the counts is
 * taken back before it changes and added again after.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/scan_eval.h"

int bird_scan_joined(const struct bird_scan *s, const struct bird_scan_item *a,
                     const struct bird_scan_item *b)
{
    if (a->list != b->list || a->contig != b->contig)
        return 0;
    return s->o->merge ? b->start - a->start <= s->o->merge
                       : b->start <= a->end;
}

struct bird_scan_call bird_scan_call_of(const struct bird_scan_item *x)
{
    return (struct bird_scan_call){.first = x->anchor,
                                   .last = x->anchor,
                                   .lo = x->anchor,
                                   .hi = x->anchor,
                                   .p = x->p,
                                   .said = x->said,
                                   .contig = x->contig,
                                   .list = x->list};
}

void bird_scan_call_join(struct bird_scan_call *a,
                         const struct bird_scan_call *b)
{
    a->first = b->first < a->first ? b->first : a->first;
    a->last = b->last > a->last ? b->last : a->last;
    if (b->p > a->p) {
        a->lo = b->lo;
        a->hi = b->hi;
        a->p = b->p;
        a->said = b->said;
    } else if (b->p >= a->p) {
        a->lo = b->lo < a->lo ? b->lo : a->lo;
        a->hi = b->hi > a->hi ? b->hi : a->hi;
    }
}

int64_t bird_scan_summit(const struct bird_scan_call *c)
{
    return c->lo + (c->hi - c->lo) / 2;
}

int bird_scan_counts(const struct bird_scan *s, int mode, int64_t t, int list)
{
    return mode == BIRD_SCAN_UNSTRANDED ||
           s->truth.at[t].strand == (list ? '-' : '+');
}

void bird_scan_judge(struct bird_scan_judgement *out, const struct bird_scan *s,
                     int mode, const struct bird_scan_call *c)
{
    int64_t at = bird_scan_summit(c), d = s->o->within;
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

struct sweep {
    struct bird_scan *s;
    int mode;
    const struct bird_scan_items *items;
    int32_t *order;  /* items by falling p */
    int32_t *parent; /* -1: not yet at or above the threshold */
    uint8_t *counted;
    struct bird_scan_call *call; /* of roots */
    int64_t n_false;
};

struct key {
    double p;
    int32_t item;
};

static int by_falling_p(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->p > y->p || x->p < y->p)
        return x->p > y->p ? -1 : 1;
    return x->item < y->item ? -1 : 1;
}

static int sort_items(struct sweep *w)
{
    struct key *key;
    int64_t i;
    int rc = bird_array_new(&key, w->items->n, sizeof(*key));

    if (rc)
        return rc;
    for (i = 0; i < w->items->n; i++)
        key[i] = (struct key){w->items->at[i].p, (int32_t)i};
    qsort(key, (size_t)w->items->n, sizeof(*key), by_falling_p);
    for (i = 0; i < w->items->n; i++)
        w->order[i] = key[i].item;
    free(key);
    return 0;
}

static int32_t root(struct sweep *w, int32_t i)
{
    while (w->parent[i] != i) {
        w->parent[i] = w->parent[w->parent[i]];
        i = w->parent[i];
    }
    return i;
}

/* Add a call's share to the counts (count = 1) or take it back (0). */
static void tell(struct sweep *w, int32_t r, int count)
{
    struct bird_scan_judgement j;

    if (w->counted[r] == count)
        return;
    w->counted[r] = (uint8_t)count;
    bird_scan_judge(&j, w->s, w->mode, w->call + r);
    w->n_false += j.is_false ? (count ? 1 : -1) : 0;
}

static void join(struct sweep *w, int32_t a, int32_t b)
{
    int32_t x = root(w, a), y = root(w, b);

    if (x == y)
        return;
    tell(w, x, 0);
    tell(w, y, 0);
    bird_scan_call_join(w->call + x, w->call + y);
    w->parent[y] = x;
}

static void take(struct sweep *w, int32_t i)
{
    const struct bird_scan_item *at = w->items->at;
    int32_t k;

    w->parent[i] = i;
    w->call[i] = bird_scan_call_of(at + i);
    for (k = i - 1; k >= 0 && bird_scan_joined(w->s, at + k, at + i); k--)
        if (w->parent[k] >= 0) {
            join(w, k, i);
            break;
        }
    for (k = i + 1; k < w->items->n && bird_scan_joined(w->s, at + i, at + k);
         k++)
        if (w->parent[k] >= 0) {
            join(w, i, k);
            break;
        }
}

/* The targets are passed one by one as the threshold falls. */
static void run(struct sweep *w, double *threshold)
{
    const bird_scan_options *o = w->s->o;
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
            tell(w, root(w, w->order[m]), 1);
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

int bird_scan_choose(double *threshold, struct bird_scan *s, int mode)
{
    struct sweep w = {.s = s, .mode = mode, .items = &s->items[mode]};
    int64_t i, n = w.items->n;
    int rc;

    if (n > INT32_MAX)
        return bird_fail(BIRD_ERANGE, "too many windows: %lld", (long long)n);
    rc = bird_array_new(&w.order, n, sizeof(*w.order));
    if (!rc)
        rc = bird_array_new(&w.parent, n, sizeof(*w.parent));
    if (!rc)
        rc = bird_array_new(&w.counted, n, sizeof(*w.counted));
    if (!rc)
        rc = bird_array_new(&w.call, n, sizeof(*w.call));
    if (!rc)
        rc = sort_items(&w);
    for (i = 0; !rc && i < n; i++)
        w.parent[i] = -1;
    if (!rc)
        run(&w, threshold);
    free(w.order);
    free(w.parent);
    free(w.counted);
    free(w.call);
    return rc;
}
