/* Linear heads on groups of rows: the rows of each bin of the sequence, or all
 * of them.
 *
 *   bins           logits(bin) = classifier(drop(mean of its rows))
 *   bins_maxmean   logits(bin) = classifier(drop([maximum, mean] of its rows))
 *   maxmean        logits      = classifier(drop([maximum, mean] of all rows))
 *
 * A row lies in the bin of its first base; special tokens lie in none. A bin
 * in which no row begins, as of words longer than a bin, has the row that
 * covers its first base. A sequence's last bin goes up to its end, so that one
 * bin may be the whole of a short sequence. docs/math/loss.md has the gradients.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "head/kind.h"
#include "model/linear.h"
#include "model/stem.h"

struct group { /* rows first .. end-1 that are no padding; the largest one of
                  each feature is found on the way */
    int64_t first, end;
};

struct groups {
    struct group *at; /* (n) */
    int64_t n, d, width;
    int32_t *top;    /* (n, d) row of the maximum; NULL: the mean alone */
    float *in, *din; /* (n, width) what the classifier reads */
    float *logits;   /* (n, n_label) */
};

static int wide(const struct bird_config *c)
{
    return c->head->wide > 1;
}

static void groups_free(struct groups *g)
{
    free(g->at);
    free(g->top);
    free(g->in);
}

static int groups_new(struct groups *g, const struct bird_config *c, int64_t n)
{
    int rc;

    *g = (struct groups){.n = n,
                         .d = c->hidden_size,
                         .width = c->hidden_size * (wide(c) ? 2 : 1)};
    rc = bird_array_new(&g->at, n, sizeof(*g->at));
    if (!rc && wide(c))
        rc = bird_array_new(&g->top, n * g->d, sizeof(*g->top));
    if (!rc)
        rc = bird_array_new(&g->in, n * (2 * g->width + c->n_label),
                            sizeof(*g->in));
    if (rc) {
        groups_free(g);
        return rc;
    }
    g->din = g->in + n * g->width;
    g->logits = g->din + n * g->width;
    return 0;
}

/* ---- which rows ---------------------------------------------------------- */

static int is_row(const struct bird_batch *b, int64_t i)
{
    return !b->mask || b->mask[i];
}

/* The rows of each bin of sequence s, whose bases rise. */
static void find_bins(struct groups *g, const struct bird_batch *b, int64_t s,
                      int64_t bin_bp)
{
    int64_t i = b->offset[s], end = b->offset[s + 1], before;

    while (i < end - 1 && b->base[i] < 0) /* [CLS] */
        i++;
    while (end > i + 1 && b->base[end - 1] < 0) /* [SEP], padding */
        end--;
    before = i;
    for (int64_t k = b->bin[s]; k < b->bin[s + 1]; k++) {
        int64_t from = (k - b->bin[s]) * bin_bp, first;
        int last = k + 1 == b->bin[s + 1]; /* with all that is left */

        for (; i < end && b->base[i] < from; i++)
            before = i;
        first = i;
        for (; i < end && (last || b->base[i] < from + bin_bp); i++)
            before = i;
        g->at[k] = first < i ? (struct group){first, i}
                             : (struct group){before, before + 1};
    }
}

static int find(struct groups *g, const struct bird_config *c,
                const struct bird_batch *b)
{
    int bins = c->head->needs == BIRD_NEEDS_BINS;

    if (bins && (!b->base || !b->bin))
        return bird_fail(BIRD_EINVAL, "a head over bins reads bases: this "
                                      "batch does not say where rows begin");
    for (int64_t s = 0; s < b->n_seq; s++)
        if (bins)
            find_bins(g, b, s, c->bin_bp);
        else
            g->at[s] = (struct group){b->offset[s], b->offset[s + 1]};
    return 0;
}

static int64_t count_groups(const struct bird_config *c,
                            const struct bird_batch *b)
{
    return c->head->needs == BIRD_NEEDS_BINS && b->bin ? b->bin[b->n_seq]
                                                       : b->n_seq;
}

/* ---- what the classifier reads, and its gradient ------------------------- */

static int64_t count_rows(const struct group *r, const struct bird_batch *b)
{
    int64_t n = 0;

    for (int64_t i = r->first; i < r->end; i++)
        n += is_row(b, i);
    return n > 0 ? n : 1;
}

/* Of equal values the first one is the maximum. */
static void take_maximum(float *out, int32_t *top, const struct group *r,
                         const float *x, const struct bird_batch *b, int64_t d)
{
    int64_t i = r->first;

    while (i < r->end - 1 && !is_row(b, i))
        i++;
    for (int64_t j = 0; j < d; j++) {
        out[j] = x[i * d + j];
        top[j] = (int32_t)i;
    }
    for (i++; i < r->end; i++)
        for (int64_t j = 0; is_row(b, i) && j < d; j++)
            if (x[i * d + j] > out[j]) {
                out[j] = x[i * d + j];
                top[j] = (int32_t)i;
            }
}

static void read_rows(struct groups *g, const float *x,
                      const struct bird_batch *b)
{
    int64_t d = g->d;

    for (int64_t k = 0; k < g->n; k++) {
        const struct group *r = &g->at[k];
        float share = 1.0f / (float)count_rows(r, b);
        float *out = g->in + k * g->width, *mean = out + g->width - d;

        if (g->top)
            take_maximum(out, g->top + k * d, r, x, b, d);
        memset(mean, 0, (size_t)d * sizeof(*mean));
        for (int64_t i = r->first; i < r->end; i++)
            for (int64_t j = 0; is_row(b, i) && j < d; j++)
                mean[j] += x[i * d + j];
        for (int64_t j = 0; j < d; j++)
            mean[j] *= share;
    }
}

static void add_rows(float *dx, const struct groups *g,
                     const struct bird_batch *b)
{
    int64_t d = g->d;

    for (int64_t k = 0; k < g->n; k++) {
        const struct group *r = &g->at[k];
        const float *din = g->din + k * g->width, *mean = din + g->width - d;
        float share = 1.0f / (float)count_rows(r, b);

        for (int64_t j = 0; g->top && j < d; j++)
            dx[g->top[k * d + j] * d + j] += din[j];
        for (int64_t i = r->first; i < r->end; i++)
            for (int64_t j = 0; is_row(b, i) && j < d; j++)
                dx[i * d + j] += share * mean[j];
    }
}

/* ---- the rows of the table ----------------------------------------------- */

static int begin(struct groups *g, const struct bird_config *c, const float *x,
                 const struct bird_batch *b)
{
    int rc = groups_new(g, c, count_groups(c, b));

    if (rc)
        return rc;
    rc = find(g, c, b);
    if (rc)
        groups_free(g);
    else
        read_rows(g, x, b);
    return rc;
}

static int forward(float *logits, float *next, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b)
{
    struct groups g;
    int rc = begin(&g, c, x, b);

    (void)next;
    if (rc)
        return rc;
    bird_linear_forward(
        logits, g.in, &w->classifier,
        (struct bird_linear_shape){g.n, c->n_label, g.width, 0});
    groups_free(&g);
    return 0;
}

static int backward(struct bird_loss *out, float *dx, float *logits,
                    const struct bird_head_pass *p)
{
    const struct bird_config *c = p->c;
    struct bird_dropout drop = bird_dropout_at(
        p->dropout, p->dropout->classifier, c->n_layer, BIRD_SITE_HEAD_OUT);
    struct bird_linear_shape shape;
    struct groups g;
    int rc = begin(&g, c, p->x, p->b);

    if (rc)
        return rc;
    shape = (struct bird_linear_shape){g.n, c->n_label, g.width, 0};
    bird_kernels()->dropout(g.in, drop, 0, g.n, g.width);
    bird_linear_forward(g.logits, g.in, &p->w->classifier, shape);
    if (logits)
        memcpy(logits, g.logits, (size_t)(g.n * c->n_label) * sizeof(*logits));
    rc = bird_labels_loss(out, g.logits, p);
    if (!rc) {
        bird_linear_backward(&p->grad->classifier, g.din, &p->w->classifier,
                             g.logits, g.in, shape);
        bird_kernels()->dropout(g.din, drop, 0, g.n, g.width);
        add_rows(dx, &g, p->b);
    }
    groups_free(&g);
    return rc;
}

static int64_t count_bins(const struct bird_config *c, int64_t len)
{
    return len > 0 ? (len + c->bin_bp - 1) / c->bin_bp : 1;
}

static int check_bins(const struct bird_config *c, const char *path)
{
    int64_t pool = bird_stem_pool(c);

    if (c->bin_bp < 1)
        return bird_fail(BIRD_EINVAL,
                         "%s: a head over bins, but no width of a bin "
                         "('bin_bp')",
                         path);
    if (c->bin_bp % pool)
        return bird_fail(BIRD_EINVAL,
                         "%s: a bin of %lld bp is not a multiple of the %lld "
                         "tokens that the stem makes one row of",
                         path, (long long)c->bin_bp, (long long)pool);
    return 0;
}

static int read_bins(struct bird_config *c, const json_t *meta,
                     const char *path)
{
    return bird_json_int(&c->bin_bp, meta, "bin_bp", 1, INT32_MAX, path);
}

static int write_bins(json_t *meta, const struct bird_config *c)
{
    return json_object_set_new(meta, "bin_bp", json_integer(c->bin_bp))
               ? bird_fail_memory(0)
               : 0;
}

const struct bird_head_row bird_head_bins = {
    .name = "bins",
    .option = "bins",
    .about = "linear on the mean of each bin's rows",
    .needs = BIRD_NEEDS_BINS,
    .check = check_bins,
    .read = read_bins,
    .write = write_bins,
    .tensors = bird_head_add_classifier,
    .n_bin = count_bins,
    .forward = forward,
    .backward = backward};

const struct bird_head_row bird_head_bins_maxmean = {
    .name = "bins_maxmean",
    .option = "bins-maxmean",
    .about = "linear on the maximum and the mean of each bin's rows",
    .needs = BIRD_NEEDS_BINS,
    .check = check_bins,
    .read = read_bins,
    .write = write_bins,
    .wide = 2,
    .tensors = bird_head_add_classifier,
    .n_bin = count_bins,
    .forward = forward,
    .backward = backward};

const struct bird_head_row bird_head_maxmean = {
    .name = "maxmean",
    .option = "maxmean",
    .about = "linear on the maximum and the mean of all tokens",
    .needs = BIRD_NEEDS_MEAN,
    .wide = 2,
    .exclusive = 1,
    .tensors = bird_head_add_classifier,
    .forward = forward,
    .backward = backward};
