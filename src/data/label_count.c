/* What the rows know of the labels. SPDX-License-Identifier: MIT */
#include "data/label_count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void count_table(int64_t *known, int64_t *positive,
                        const bird_dataset *d)
{
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t k = 0; k < d->n_label; k++) {
            float t = d->target[i * d->n_label + k];

            known[k] += !isnan(t);
            positive[k] += t > 0;
        }
}

/* Bins of a contig know the same labels, so its bins are counted once. */
static int count_bins(int64_t *known, int64_t *positive, const bird_dataset *d)
{
    int64_t n = d->n_label, *rows;
    int rc = bird_array_new(&rows, d->n_contig, sizeof(*rows));

    if (rc)
        return rc;
    for (int64_t i = 0; i < d->n; i++) {
        const uint8_t *masked = d->masked + d->row[i].contig * n;

        rows[d->row[i].contig]++;
        for (int64_t j = d->hit_at[i]; j < d->hit_at[i + 1]; j++)
            positive[d->hit[j]] += !masked[d->hit[j]];
    }
    for (int64_t c = 0; c < d->n_contig; c++)
        for (int64_t k = 0; k < n; k++)
            known[k] += d->masked[c * n + k] ? 0 : rows[c];
    free(rows);
    return 0;
}

int bird_labels_count(int64_t *known, int64_t *positive, const bird_dataset *d)
{
    memset(known, 0, (size_t)d->n_label * sizeof(*known));
    memset(positive, 0, (size_t)d->n_label * sizeof(*positive));
    if (!d->target)
        return count_bins(known, positive, d);
    count_table(known, positive, d);
    return 0;
}

/* Columns of a table (rows, n) that stay, moved up in place. */
#define KEEP_COLUMNS(x, rows, n, keep)                                         \
    do {                                                                       \
        int64_t at_ = 0;                                                       \
        for (int64_t i_ = 0; i_ < (rows); i_++)                                \
            for (int64_t k_ = 0; k_ < (n); k_++)                               \
                if ((keep)[k_])                                                \
                    (x)[at_++] = (x)[i_ * (n) + k_];                           \
    } while (0)

/* The labels that are 1, by their new numbers. */
static void keep_hits(bird_dataset *d, const int32_t *to)
{
    int64_t n = 0, from = 0;

    for (int64_t i = 0; i < d->n; i++) {
        int64_t end = d->hit_at[i + 1];

        for (; from < end; from++)
            if (to[d->hit[from]] >= 0)
                d->hit[n++] = to[d->hit[from]];
        d->hit_at[i + 1] = n;
    }
}

static void keep_names(bird_dataset *d, const uint8_t *keep)
{
    int64_t n = 0;

    for (int64_t k = 0; d->label_name && k < d->n_label; k++)
        if (keep[k])
            d->label_name[n++] = d->label_name[k];
        else
            free(d->label_name[k]);
}

int bird_labels_keep(bird_dataset *d, const uint8_t *keep)
{
    bird_features left = {0};
    int32_t *to;
    int64_t n = 0;
    int rc = bird_array_new(&to, d->n_label, sizeof(*to));

    for (int64_t k = 0; !rc && k < d->n_label; k++) {
        to[k] = keep[k] ? (int32_t)n++ : -1;
        if (keep[k] && d->features.n)
            rc = bird_features_put(&left, &d->features.at[k]);
    }
    if (rc) {
        bird_features_free(&left);
        free(to);
        return rc;
    }
    if (d->target)
        KEEP_COLUMNS(d->target, d->n, d->n_label, keep);
    if (d->masked)
        KEEP_COLUMNS(d->masked, d->n_contig, d->n_label, keep);
    if (d->hit_at)
        keep_hits(d, to);
    keep_names(d, keep);
    bird_features_free(&d->features);
    d->features = left;
    d->n_label = n;
    free(to);
    return 0;
}
