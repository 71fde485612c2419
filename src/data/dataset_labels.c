/*
 * Labels of a data set: values of rows, counts of known and positive labels,
 * a choice of labels.
 *
 * Rows have either a table of values, or, with many labels, the list of those
 * that are 1 and a table by contig of those that are not known.
 * SPDX-License-Identifier: MIT
 */
#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* (n_label) 1 where nothing is known: of the contig, or of all sequences. */
static const uint8_t *unknown_of(const bird_dataset *d, int64_t i)
{
    int32_t c = d->row[i].contig;

    return d->unknown + (c < 0 ? 0 : c) * d->n_label;
}

float bird_dataset_label(const bird_dataset *d, int64_t i, int64_t k)
{
    int64_t lo, hi;

    if (d->target)
        return d->target[i * d->n_label + k];
    if (unknown_of(d, i)[k])
        return NAN;
    for (lo = d->hit_at[i], hi = d->hit_at[i + 1]; lo < hi;) {
        int64_t mid = lo + (hi - lo) / 2;

        if (d->hit[mid] == k)
            return 1;
        if (d->hit[mid] < k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 0;
}

void bird_dataset_labels(float *out, const bird_dataset *d, int64_t i)
{
    const uint8_t *unknown;

    if (d->target) {
        memcpy(out, d->target + i * d->n_label,
               (size_t)d->n_label * sizeof(*out));
        return;
    }
    unknown = unknown_of(d, i);
    for (int64_t k = 0; k < d->n_label; k++)
        out[k] = unknown[k] ? NAN : 0;
    for (int64_t j = d->hit_at[i]; j < d->hit_at[i + 1]; j++)
        if (!unknown[d->hit[j]])
            out[d->hit[j]] = 1;
}

void bird_dataset_column(float *out, const bird_dataset *d, int64_t k)
{
    for (int64_t i = 0; i < d->n; i++)
        out[i] = bird_dataset_label(d, i, k);
}

void bird_dataset_scale(double *mean, double *sd, const bird_dataset *d,
                        int64_t k)
{
    double n = 0, sum = 0, square = 0;

    for (int64_t i = 0; i < d->n; i++) {
        double x = (double)bird_dataset_label(d, i, k);

        n += !isnan(x);
        sum += isnan(x) ? 0 : x;
    }
    *mean = n > 0 ? sum / n : 0;
    for (int64_t i = 0; i < d->n; i++) {
        double x = (double)bird_dataset_label(d, i, k) - *mean;

        square += isnan(x) ? 0 : x * x;
    }
    *sd = n > 0 ? sqrt(square / n) : 0;
}

int bird_dataset_classes(int32_t **out, int64_t *n, const bird_dataset *d)
{
    int64_t most = d->kind == BIRD_LABEL_BASES ? d->n_base : d->n;
    int rc = bird_array_new(out, most, sizeof(**out));

    *n = 0;
    for (int64_t i = 0; !rc && i < most; i++)
        if (!d->base_class)
            (*out)[(*n)++] = d->row[i].label;
        else if (d->base_class[i] != BIRD_NO_CLASS)
            (*out)[(*n)++] = d->base_class[i];
    return rc;
}

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

/* Rows of the table of unknown labels: contigs, or 1 without coordinates. */
static int64_t n_unknown(const bird_dataset *d)
{
    return d->n_contig ? d->n_contig : 1;
}

/* Bins of a contig know the same labels, so its bins are counted once. */
static int count_bins(int64_t *known, int64_t *positive, const bird_dataset *d)
{
    int64_t n = d->n_label, *rows;
    int rc = bird_array_new(&rows, n_unknown(d), sizeof(*rows));

    if (rc)
        return rc;
    for (int64_t i = 0; i < d->n; i++) {
        const uint8_t *unknown = unknown_of(d, i);

        rows[d->row[i].contig < 0 ? 0 : d->row[i].contig]++;
        for (int64_t j = d->hit_at[i]; j < d->hit_at[i + 1]; j++)
            positive[d->hit[j]] += !unknown[d->hit[j]];
    }
    for (int64_t c = 0; c < n_unknown(d); c++)
        for (int64_t k = 0; k < n; k++)
            known[k] += d->unknown[c * n + k] ? 0 : rows[c];
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

/* Remove columns of a table (rows, n) in place. */
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
    if (d->unknown)
        KEEP_COLUMNS(d->unknown, n_unknown(d), d->n_label, keep);
    if (d->hit_at)
        keep_hits(d, to);
    keep_names(d, keep);
    bird_features_free(&d->features);
    d->features = left;
    d->n_label = n;
    free(to);
    return 0;
}
