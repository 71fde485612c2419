/* The task of measured values: one or several quantities a row, each known or
 * not, learned by their squared error, or each with a standard deviation by the
 * likelihood of a normal distribution.
 *
 * Each value is learned standardised: less its mean, over its standard
 * deviation, both of the training rows. dnabird.json keeps the two numbers as
 * `targets`, and a session multiplies the answers back, so that users read the
 * unit of the assay.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "eval/value_metrics.h"
#include "folder/folder.h"
#include "train/finetune.h"

/* --- standardising -------------------------------------------------------- */

/* Mean and standard deviation of value k of the rows. */
static int find_scale(struct bird_quantity *out,
                      const struct bird_finetuning *f, int64_t k)
{
    const bird_dataset *d = &f->data.train;

    bird_dataset_scale(&out->mean, &out->sd, d, k);
    if (out->sd > 0)
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: all known values of '%s' are equal; nothing can be "
                     "learned from that",
                     f->o.train,
                     d->label_name ? d->label_name[k] : "the target");
}

static void standardise(bird_dataset *d, const struct bird_quantity *q)
{
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t k = 0; k < d->n_label; k++) {
            float *x = &d->target[i * d->n_label + k];

            *x = (float)(((double)*x - q[k].mean) / q[k].sd);
        }
}

void bird_finetune_restore_unit(const struct bird_finetuning *f)
{
    const bird_dataset *d = &f->data.train;

    for (int64_t i = 0; f->data.quantity && i < d->n; i++)
        for (int64_t k = 0; k < d->n_label; k++) {
            const struct bird_quantity *q = &f->data.quantity[k];
            float *x = &d->target[i * d->n_label + k];

            *x = (float)((double)*x * q->sd + q->mean);
        }
}

/* Weights of mean 1: the rate of learning keeps its meaning. */
static void scale_weights(bird_dataset *d)
{
    double sum = 0;

    for (int64_t i = 0; i < d->n; i++)
        sum += (double)d->weight[i];
    for (int64_t i = 0; i < d->n; i++)
        d->weight[i] = (float)((double)d->weight[i] * (double)d->n / sum);
}

/* Is a correlation defined on the validation rows? */
static int check_validation(const struct bird_finetuning *f)
{
    double mean, sd = 0;

    for (int64_t k = 0; !(sd > 0) && k < f->data.valid.n_label; k++)
        bird_dataset_scale(&mean, &sd, &f->data.valid, k);
    return sd > 0 || f->o.select == BIRD_SELECT_LOSS
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s: no two values of the validation rows differ, "
                           "so that correlations are not defined: use "
                           "--select loss or more rows",
                           f->o.valid ? f->o.valid : f->o.train);
}

static int open_values(struct bird_finetuning *f)
{
    struct bird_finetune_data *d = &f->data;
    int64_t n = d->train.n_label;
    int rc = bird_array_new(&d->quantity, n, sizeof(*d->quantity));

    if (f->o.select == BIRD_SELECT_AUROC) /* the default */
        f->o.select = BIRD_SELECT_PEARSON;
    for (int64_t k = 0; !rc && k < n; k++)
        rc = find_scale(&d->quantity[k], f, k);
    if (!rc)
        rc = check_validation(f);
    if (!rc) {
        standardise(&d->train, d->quantity);
        standardise(&d->valid, d->quantity);
    }
    if (!rc && d->train.weight)
        scale_weights(&d->train);
    return rc;
}

static int point_at_values(struct bird_labels *out,
                           const struct bird_finetuning *f)
{
    out->row_weight = f->data.train.weight ? f->stream.weight : NULL;
    return bird_finetune_pack_columns(out, f);
}

/* --- metrics -------------------------------------------------------------- */

static int measure_value(struct bird_value_metrics *m,
                         const struct bird_finetuning *f, int64_t k, int n_boot)
{
    const bird_dataset *d = &f->data.valid;
    const double *answer = f->valid.probability + k;
    int has_sd = f->data.task->answers > 1;
    struct bird_value_rows r = {answer, has_sd ? answer + d->n_label : NULL,
                                d->n_label * f->data.task->answers, NULL, d->n};
    bird_metrics_options o;
    float *target;
    int rc = bird_array_new(&target, d->n, sizeof(*target));

    if (rc)
        return rc;
    bird_metrics_options_default(&o);
    o.n_boot = n_boot;
    bird_dataset_column(target, d, k);
    r.measured = target;
    rc = bird_value_metrics_measure(m, &r, &o);
    free(target);
    return rc;
}

/* Means over the values. */
static int measure(struct bird_finetuning *f, bird_finetune_state *s)
{
    double sum[BIRD_N_VALUE_METRIC] = {0};
    int64_t known[BIRD_N_VALUE_METRIC] = {0};
    int loss = f->data.task->answers > 1 ? BIRD_NLL : BIRD_MEAN_SQUARE;
    int rc = 0;

    for (int64_t k = 0; !rc && k < f->data.train.n_label; k++) {
        struct bird_value_metrics m;

        rc = measure_value(&m, f, k, 0);
        for (int i = 0; !rc && i < BIRD_N_VALUE_METRIC; i++) {
            known[i] += !isnan(m.value[i]);
            sum[i] += isnan(m.value[i]) ? 0 : m.value[i];
        }
    }
    s->valid_metric[0] = sum[BIRD_PEARSON] / (double)known[BIRD_PEARSON];
    s->valid_metric[1] = sum[BIRD_RANKED] / (double)known[BIRD_RANKED];
    s->valid_loss = sum[loss] / (double)known[loss];
    return rc;
}

/* A line of validation.tsv, in the unit of the value. */
static int log_value(struct bird_text *t, const struct bird_finetuning *f,
                     int64_t k)
{
    static const enum bird_value_metric column[] = {
        BIRD_PEARSON,   BIRD_RANKED,   BIRD_MEAN_SQUARE,
        BIRD_WITHIN_SD, BIRD_SQUARE_Z, BIRD_NLL};
    const bird_dataset *d = &f->data.train;
    double sd = f->data.quantity[k].sd;
    struct bird_value_metrics m;
    int rc = measure_value(&m, f, k, 0);

    if (rc)
        return rc;
    m.value[BIRD_MEAN_SQUARE] *= sd * sd; /* in the unit of the value */
    m.value[BIRD_NLL] += log(sd);
    rc = d->label_name ? bird_text_printf(t, "%s", d->label_name[k])
                       : bird_text_printf(t, "%lld", (long long)k);
    if (!rc)
        rc = bird_text_printf(t, "\t%lld", (long long)m.n);
    for (int i = 0; !rc && i < (f->data.task->answers > 1 ? 6 : 3); i++)
        rc = bird_finetune_put_metric(t, "\t", m.value[column[i]]);
    return rc ? rc : bird_text_put(t, "\n", 1);
}

static int log_metrics(const struct bird_finetuning *f)
{
    struct bird_text t = {0};
    char *path = NULL;
    int rc = bird_path_join(&path, f->run.o->out, "validation.tsv");

    if (!rc)
        rc = bird_text_printf(
            &t, "value\trows\tpearson\tspearman\tmse%s\n",
            f->data.task->answers > 1 ? "\twithin_sd\tmean_z2\tnll" : "");
    for (int64_t k = 0; !rc && k < f->data.train.n_label; k++)
        rc = log_value(&t, f, k);
    if (!rc)
        rc = bird_file_write(path, t.s, (size_t)t.n);
    bird_text_free(&t);
    free(path);
    return rc;
}

static json_t *describe_value(const struct bird_value_metrics *m)
{
    json_t *j = json_pack("{s:I}", "rows", (json_int_t)m->n);

    for (int i = 0; i < BIRD_NLL; i++)
        if (i != BIRD_MEAN_SQUARE && !isnan(m->value[i])) /* without unit */
            json_object_set_new(
                j, bird_value_metric_name((enum bird_value_metric)i),
                json_pack("{s:f, s:f, s:f}", "value", m->value[i], "lo",
                          m->lo[i], "hi", m->hi[i]));
    return j;
}

static int describe(json_t **out, struct bird_finetuning *f)
{
    enum { N_BOOT = 1000 };
    const bird_dataset *d = &f->data.train;
    json_t *all = json_object();
    int rc = 0;

    for (int64_t k = 0; !rc && k < d->n_label; k++) {
        struct bird_value_metrics m;

        rc = measure_value(&m, f, k, N_BOOT);
        if (!rc &&
            json_object_set_new(all, d->label_name ? d->label_name[k] : "value",
                                describe_value(&m)))
            rc = bird_fail_memory(0);
    }
    if (rc)
        json_decref(all);
    else
        *out = all;
    return rc;
}

const struct bird_finetune_task bird_finetune_values = {
    .problem = BIRD_PROBLEM_REGRESSION,
    .answers = 1,
    .metric = {"Pearson", "Spearman"},
    .select = {BIRD_SELECT_PEARSON, BIRD_SELECT_SPEARMAN},
    .open = open_values,
    .labels = point_at_values,
    .measure = measure,
    .log = log_metrics,
    .describe = describe};

const struct bird_finetune_task bird_finetune_gaussian = {
    .problem = BIRD_PROBLEM_GAUSSIAN,
    .answers = 2,
    .metric = {"Pearson", "Spearman"},
    .select = {BIRD_SELECT_PEARSON, BIRD_SELECT_SPEARMAN},
    .open = open_values,
    .labels = point_at_values,
    .measure = measure,
    .log = log_metrics,
    .describe = describe};
