/* The tables learned beside windows of bins.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/metrics.h"
#include "folder/feature.h"
#include "train/finetune.h"

static int check_table(const bird_finetune_also *a)
{
    if (!(a->share > 0))
        return bird_fail(BIRD_EINVAL,
                         "%s: the share of the updates must be "
                         "above 0",
                         a->path);
    if (!(a->weight > 0) || !isfinite(a->weight))
        return bird_fail(BIRD_EINVAL,
                         "%s: the weight must be above 0 and finite", a->path);
    return 0;
}

int bird_finetune_check_also(const bird_finetune_bins *b)
{
    double sum = 0;
    int rc = 0;

    if (b->n_also > BIRD_MAX_ALSO)
        return bird_fail(BIRD_EINVAL, "at most %d further tables",
                         BIRD_MAX_ALSO);
    for (int64_t i = 0; !rc && i < b->n_also; i++) {
        rc = check_table(&b->also[i]);
        sum += b->also[i].share;
    }
    if (rc || sum < 1)
        return rc;
    return bird_fail(BIRD_EINVAL,
                     "the shares of further tables are %g together: they must "
                     "be below 1",
                     sum);
}

/* Leave out rows whose value is not known. */
static void keep_known(bird_dataset *d)
{
    int64_t n = 0;

    for (int64_t i = 0; i < d->n; i++)
        if (!isnan(d->target[i])) {
            d->row[n] = d->row[i];
            d->line[n] = d->line[i];
            d->target[n++] = d->target[i];
        }
    d->n = n;
}

/* A value becomes the share of the rows with a smaller one, rows with the same
 * value counting half: a target of the sigmoid and the loss that all labels of
 * bins have, and the same whatever the unit. */
static int rank_values(bird_dataset *d)
{
    struct bird_pool pool = {0};
    double *value = bird_pool_array(&pool, d->n, sizeof(*value));
    struct bird_ranks by = {.order =
                                bird_pool_array(&pool, d->n, sizeof(*by.order)),
                            .tied = bird_pool_array(&pool, d->n, 1)};
    int rc = pool.rc;

    for (int64_t i = 0; !rc && i < d->n; i++)
        value[i] = (double)d->target[i];
    if (!rc)
        rc = bird_rank_rows(&by, value, 1, d->n);
    for (int64_t from = 0, to; !rc && from < d->n; from = to) {
        for (to = from + 1; to < d->n && by.tied[to]; to++)
            ;
        for (int64_t i = from; i < to; i++)
            d->target[by.order[i]] =
                (float)(1 - (double)(from + to) / 2 / (double)d->n);
    }
    bird_pool_free(&pool);
    return rc;
}

/* Measured values, in the column that the label is named after. */
static int open_values(bird_dataset *d, const bird_finetune_also *a)
{
    const bird_dataset_options o = {.values = a->name};
    int rc = bird_dataset_open(d, a->path, &o);

    if (rc)
        return rc;
    keep_known(d);
    return rank_values(d);
}

/* Rows of two classes. */
static int open_classes(bird_dataset *d, const bird_finetune_also *a)
{
    const bird_dataset_options plain = {0};
    int rc = bird_dataset_open(d, a->path, &plain);

    if (rc ||
        (d->kind == BIRD_LABEL_CLASS && d->n_label == 2 && !d->label_name))
        return rc;
    return bird_fail(BIRD_EINVAL,
                     "%s: rows beside windows have a label 0 "
                     "or 1",
                     a->path);
}

/* Rows, and their label. */
static int open_table(bird_dataset *d, const bird_finetune_also *a,
                      bird_features *list)
{
    bird_feature x = {.name = a->name, .class_name = "sequence", .index = -1};
    int rc = a->values ? open_values(d, a) : open_classes(d, a);

    if (rc)
        return rc;
    if (!d->n)
        return bird_fail(BIRD_EINVAL, "%s: no rows", a->path);
    if (bird_features_find(list, a->name) >= 0)
        return bird_fail(
            BIRD_EINVAL,
            "%s: label '%s' exists already: give the table another name",
            a->path, a->name);
    return bird_features_put(list, &x);
}

/* The labels of the tables follow those of windows, where they are unknown. */
int bird_finetune_open_also(struct bird_finetuning *f)
{
    struct bird_bin_labels *l = &f->data.windows.labels;
    const bird_finetune_bins *b = f->o.bins;
    bird_features all = {0};
    int64_t n = l->n_label;
    int32_t *pair = NULL;
    int rc;

    if (!b->n_also)
        return 0;
    rc = bird_features_copy(&all, &l->features);
    for (int64_t i = 0; !rc && i < b->n_also; i++)
        rc = open_table(&f->data.windows.also[i], &b->also[i], &all);
    if (!rc)
        rc = bird_array_new(&pair, all.n, sizeof(*pair));
    for (int64_t i = 0; !rc && i < all.n; i++)
        pair[i] = i < n ? l->pair[i] : (int32_t)i;
    if (!rc)
        rc = bird_bin_labels_name(l, &all, pair);
    bird_features_free(&all);
    free(pair);
    return rc;
}

int bird_finetune_identify_also(struct bird_finetuning *f)
{
    const bird_finetune_bins *b = f->o.bins;
    struct bird_text *to = &f->run.identity;
    char hex[65];
    int rc = 0;

    for (int64_t i = 0; !rc && i < b->n_also; i++) {
        rc = bird_finetune_digest(hex, &f->data.windows.also[i]);
        if (!rc)
            rc = bird_text_printf(to, " %s=%.16s:%.17g", b->also[i].name, hex,
                                  b->also[i].share);
        if (!rc && b->also[i].weight != 1)
            rc = bird_text_printf(to, ":%.17g", b->also[i].weight);
    }
    return rc;
}
