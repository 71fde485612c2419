/* Fine-tuning of several labels: their weights, their figures.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "eval/metrics.h"
#include "model/feature.h"
#include "train/finetune.h"

/* A rare label would otherwise outweigh all others. */
#define MAX_POS_WEIGHT 100

/* negatives / positives of each label of the training rows */
static int weigh(struct bird_finetuning *f)
{
    int64_t n = f->train.n_label, *known = NULL, *positive = NULL;
    int rc = bird_array_new(&f->pos_weights, n, sizeof(*f->pos_weights));

    if (!rc)
        rc = bird_array_new(&known, n, sizeof(*known));
    if (!rc)
        rc = bird_array_new(&positive, n, sizeof(*positive));
    if (!rc)
        rc = bird_labels_count(known, positive, &f->train);
    for (int64_t k = 0; !rc && k < n; k++) {
        double pos = (double)positive[k],
               neg = (double)(known[k] - positive[k]);
        double w = pos > 0 ? neg / pos : 1;

        f->pos_weights[k] = (float)(w < MAX_POS_WEIGHT ? w : MAX_POS_WEIGHT);
        if (!(f->pos_weights[k] > 0)) /* no negative: nothing to weigh */
            f->pos_weights[k] = 1;
    }
    free(known);
    free(positive);
    return rc;
}

int bird_finetune_prepare_labels(struct bird_finetuning *f)
{
    const bird_dataset *d = &f->train;
    int rc =
        bird_array_new(&f->valid_group, d->n_label, sizeof(*f->valid_group));

    if (!rc)
        rc = bird_array_new(&f->figures, d->n_label, sizeof(*f->figures));
    if (!rc && d->features.n)
        rc = bird_features_classes(&f->group, &f->n_group, f->valid_group,
                                   &d->features);
    else
        f->n_group = 1;
    return rc || f->o.pos_weight > 0 ? rc : weigh(f);
}

/* The figure `what` of every label. */
static void column_of(double *out, const struct bird_finetuning *f,
                      enum bird_metric what)
{
    for (int64_t k = 0; k < f->train.n_label; k++)
        out[k] = f->figures[k].value[what];
}

static double mean_known(const double *x, int64_t n)
{
    double sum = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            sum += x[i];
            known++;
        }
    return known ? sum / (double)known : (double)NAN;
}

int bird_finetune_measure_labels(struct bird_finetuning *f,
                                 bird_finetune_state *s)
{
    const bird_dataset *d = &f->valid;
    int64_t n_label = d->n_label;
    struct bird_pool pool = {0};
    float *target = bird_pool_array(&pool, d->n, sizeof(*target));
    double *value = bird_pool_array(&pool, n_label, sizeof(*value));
    double *scratch = bird_pool_array(&pool, n_label, sizeof(*scratch));
    double *median = bird_pool_array(&pool, f->n_group, sizeof(*median));
    bird_metrics_options o;
    int rc = pool.rc;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    for (int64_t k = 0; !rc && k < n_label; k++) {
        bird_dataset_column(target, d, k);
        rc = bird_metrics_measure_label(&f->figures[k], f->probability + k,
                                        n_label, target, d->n, &o);
    }
    if (rc)
        goto done;
    column_of(value, f, BIRD_AUROC);
    for (int64_t g = 0; g < f->n_group; g++)
        median[g] =
            bird_group_median(NULL, scratch, value, f->valid_group, n_label, g);
    s->valid_auroc = mean_known(median, f->n_group);
    column_of(value, f, BIRD_MCC);
    s->valid_mcc = mean_known(value, n_label);
    column_of(value, f, BIRD_LOG_LOSS);
    s->valid_loss = mean_known(value, n_label);
done:
    bird_pool_free(&pool);
    return rc;
}

static int put_number(struct bird_text *t, double x, const char *end)
{
    return isnan(x) ? bird_text_printf(t, "NA%s", end)
                    : bird_text_printf(t, "%.6f%s", x, end);
}

int bird_finetune_log_labels(const struct bird_finetuning *f)
{
    const bird_dataset *d = &f->train;
    struct bird_text t = {0};
    char *path = NULL;
    int rc = bird_path_join(&path, f->o.out, "validation.tsv");

    if (!rc)
        rc = bird_text_printf(&t, "label\tclass\trows\tpositives\tauroc\t"
                                  "auprc\n");
    for (int64_t k = 0; !rc && k < d->n_label; k++) {
        const bird_metrics *m = &f->figures[k];
        const char *group = f->group ? f->group[f->valid_group[k]] : "";

        rc = d->label_name ? bird_text_printf(&t, "%s\t", d->label_name[k])
                           : bird_text_printf(&t, "%lld\t", (long long)k);
        if (!rc)
            rc = bird_text_printf(&t, "%s\t%lld\t%lld\t", *group ? group : ".",
                                  (long long)m->n, (long long)m->n_positive);
        if (!rc)
            rc = put_number(&t, m->value[BIRD_AUROC], "\t");
        if (!rc)
            rc = put_number(&t, m->value[BIRD_AUPRC], "\n");
    }
    if (!rc)
        rc = bird_file_write(path, t.s, (size_t)t.n);
    bird_text_free(&t);
    free(path);
    return rc;
}

/* Median AUROC and AUPRC of a class, and over how many labels. */
static int describe_group(json_t *out, const struct bird_finetuning *f,
                          double *scratch, int64_t g)
{
    int64_t n = f->train.n_label, known = 0;
    const char *name = f->group && *f->group[g] ? f->group[g] : "labels";
    double *value, auroc, auprc;
    json_t *o;
    int rc = bird_array_new(&value, n, sizeof(*value));

    if (rc)
        return rc;
    column_of(value, f, BIRD_AUROC);
    auroc = bird_group_median(&known, scratch, value, f->valid_group, n, g);
    column_of(value, f, BIRD_AUPRC);
    auprc = bird_group_median(NULL, scratch, value, f->valid_group, n, g);
    free(value);
    if (!known)
        return 0;
    o = json_pack("{s:I, s:f, s:f}", "labels", (json_int_t)known,
                  "median_auroc", auroc, "median_auprc", auprc);
    return json_object_set_new(out, name, o) ? bird_fail_memory(0) : 0;
}

int bird_finetune_describe_labels(json_t **out, const struct bird_finetuning *f)
{
    json_t *o = json_pack("{s:I}", "rows", (json_int_t)f->valid.n);
    double *scratch = NULL;
    int rc = o ? 0 : bird_fail_memory(0);

    if (!rc)
        rc = bird_array_new(&scratch, f->train.n_label, sizeof(*scratch));
    for (int64_t g = 0; !rc && g < f->n_group; g++)
        rc = describe_group(o, f, scratch, g);
    free(scratch);
    if (rc)
        json_decref(o);
    else
        *out = o;
    return rc;
}
