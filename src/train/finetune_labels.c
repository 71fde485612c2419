/* The task of several labels a row, each 0, 1 or unknown: which labels are
 * learned, their weights, and their metrics.
 *
 * Labels that are unknown in every training row are left out of the model.
 * Notices to the caller name these, and labels that are never 1.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "eval/metrics.h"
#include "folder/feature.h"
#include "train/finetune.h"

/* --- which labels are learned --------------------------------------------- */

enum { N_NAMED = 5 }; /* labels that a notice names */

/* "2 labels WHAT: a, b" of the marked labels; nothing when there is none. */
static int name_labels(struct bird_text *t, const bird_dataset *d,
                       const uint8_t *mark, const char *what)
{
    int64_t n = 0, named = 0;
    int rc = 0;

    for (int64_t k = 0; k < d->n_label; k++)
        n += mark[k];
    if (n)
        rc = bird_text_printf(t, "%lld label%s %s: ", (long long)n,
                              n > 1 ? "s" : "", what);
    for (int64_t k = 0; !rc && k < d->n_label && named < N_NAMED; k++) {
        const char *comma = named ? ", " : "";

        if (!mark[k])
            continue;
        rc = d->label_name
                 ? bird_text_printf(t, "%s%s", comma, d->label_name[k])
                 : bird_text_printf(t, "%s%lld", comma, (long long)k);
        named++;
    }
    return rc || named == n ? rc : bird_text_printf(t, ", ...");
}

/* The labels to keep; notices of those left out and those never 1. */
static int sort_labels(struct bird_finetune_data *d, const char *path,
                       const int64_t *known, const int64_t *positive,
                       uint8_t *keep)
{
    int64_t n = d->train.n_label, left = 0;
    uint8_t *mark;
    int rc = bird_array_new(&mark, n, 1);

    if (rc)
        return rc;
    for (int64_t k = 0; k < n; k++) {
        keep[k] = known[k] > 0;
        mark[k] = !keep[k];
        left += keep[k];
    }
    if (!left)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: no label is known in any training row: nothing "
                       "can be learned from that",
                       path);
    if (!rc)
        rc = name_labels(&d->left_out, &d->train, mark,
                         "known in no training row, left out of the model");
    for (int64_t k = 0; k < n; k++)
        mark[k] = keep[k] && !positive[k];
    if (!rc)
        rc = name_labels(&d->never, &d->train, mark,
                         "positive in no training row, so the model cannot "
                         "learn this");
    free(mark);
    return rc;
}

int bird_finetune_leave_out(struct bird_finetuning *f)
{
    struct bird_finetune_data *d = &f->data;
    int64_t n = d->train.n_label;
    struct bird_pool pool = {0};
    int64_t *known = bird_pool_array(&pool, n, sizeof(*known));
    int64_t *positive = bird_pool_array(&pool, n, sizeof(*positive));
    uint8_t *keep = bird_pool_array(&pool, n, 1);
    int rc = pool.rc ? pool.rc : d->source->count(known, positive, f, 1);

    if (!rc)
        rc = sort_labels(d, f->o.train, known, positive, keep);
    if (!rc && d->left_out.n)
        rc = d->source->keep(f, keep);
    bird_pool_free(&pool);
    return rc;
}

/* --- weights and the first bias ------------------------------------------- */

/* Weights of negatives / positives of each label in the training rows. */
static int weigh_by_data(struct bird_finetuning *f)
{
    struct bird_finetune_data *d = &f->data;
    int64_t n = d->train.n_label;
    struct bird_pool pool = {0};
    int64_t *known = bird_pool_array(&pool, n, sizeof(*known));
    int64_t *positive = bird_pool_array(&pool, n, sizeof(*positive));
    int rc = pool.rc;

    if (!rc)
        rc = bird_array_new(&d->pos_weights, n, sizeof(*d->pos_weights));
    if (!rc)
        rc = d->source->count(known, positive, f, 0);
    for (int64_t k = 0; !rc && k < n; k++) {
        double pos = (double)positive[k],
               neg = (double)(known[k] - positive[k]);
        double w = pos > 0 ? neg / pos : 1;

        d->pos_weights[k] =
            (float)(w < BIRD_MOST_POS_WEIGHT ? w : BIRD_MOST_POS_WEIGHT);
        if (!(d->pos_weights[k] > 0)) /* no negatives */
            d->pos_weights[k] = 1;
    }
    bird_pool_free(&pool);
    return rc;
}

/* What --pos-weight and --label-weight call label k. */
static const char *class_name(const bird_dataset *d, int64_t k)
{
    if (d->features.n && *d->features.at[k].class_name)
        return d->features.at[k].class_name;
    if (d->features.n)
        return d->features.at[k].name;
    return d->label_name ? d->label_name[k] : "";
}

/* "CLASS=WEIGHT": of all labels of that class. `what` is for messages. */
static int weigh_class(float *weights, const bird_dataset *d, const char *what,
                       const char *text, size_t len)
{
    const char *sign = memchr(text, '=', len);
    size_t n = sign ? (size_t)(sign - text) : len;
    char *end = NULL;
    double w = sign ? strtod(sign + 1, &end) : 0;
    int64_t found = 0;

    if (end != text + len || !(w > 0 && w <= 1e9))
        return bird_fail(BIRD_EINVAL,
                         "weight of %s '%.*s': give CLASS=WEIGHT, a "
                         "number above 0, with commas between several",
                         what, (int)len, text);
    for (int64_t k = 0; k < d->n_label; k++) {
        const char *name = class_name(d, k);

        if (strlen(name) == n && !strncmp(name, text, n)) {
            weights[k] = (float)w;
            found++;
        }
    }
    return found ? 0
                 : bird_fail(BIRD_EINVAL,
                             "weight of %s: no label is of the class "
                             "'%.*s'",
                             what, (int)n, text);
}

/* Does an entry of the text before `at` name the class of the entry there? */
static int named_before(const char *text, const char *at)
{
    const size_t n = strcspn(at, "=");

    for (; text < at; text += strcspn(text, ",") + 1)
        if (strcspn(text, "=") == n && !strncmp(text, at, n))
            return 1;
    return 0;
}

/* Set the weights that a text gives, one class after the other. */
static int weigh_classes(float *weights, const bird_dataset *d,
                         const char *what, const char *text)
{
    const char *at = text;
    int rc = 0;

    while (!rc && *at) {
        size_t len = strcspn(at, ",");

        rc = weigh_class(weights, d, what, at, len);
        if (!rc && named_before(text, at))
            rc = bird_fail(BIRD_EINVAL,
                           "weight of %s: the class of '%.*s' is given twice",
                           what, (int)len, at);
        at += len + (at[len] == ',');
    }
    return rc;
}

/* Weights by class replace those by the data, or one for all. */
int bird_finetune_weigh_classes(struct bird_finetuning *f)
{
    struct bird_finetune_data *d = &f->data;
    int64_t n = d->train.n_label;
    int rc = d->pos_weights
                 ? 0
                 : bird_array_new(&d->pos_weights, n, sizeof(*d->pos_weights));

    for (int64_t k = 0; !rc && f->o.pos_weight > 0 && k < n; k++)
        d->pos_weights[k] = (float)f->o.pos_weight;
    return rc ? rc
              : weigh_classes(d->pos_weights, &d->train, "positives",
                              f->o.pos_weight_of);
}

/* Weights of mean 1: the rate of learning keeps its meaning. */
static int weigh_labels(struct bird_finetuning *f)
{
    struct bird_finetune_data *d = &f->data;
    int64_t n = d->train.n_label;
    double sum = 0;
    int rc = bird_array_new(&d->label_weights, n, sizeof(*d->label_weights));

    for (int64_t k = 0; !rc && k < n; k++)
        d->label_weights[k] = 1;
    if (!rc)
        rc = weigh_classes(d->label_weights, &d->train, "labels",
                           f->o.label_weight_of);
    for (int64_t k = 0; !rc && k < n; k++)
        sum += (double)d->label_weights[k];
    for (int64_t k = 0; !rc && k < n; k++)
        d->label_weights[k] =
            (float)((double)d->label_weights[k] * (double)n / sum);
    return rc;
}

/* Check before the first update that the validation rows define the metric of
 * --select. */
static int check_validation(const struct bird_finetuning *f)
{
    int64_t n = f->data.valid.n_label, least = f->o.min_positives;
    struct bird_pool pool = {0};
    int64_t *known = bird_pool_array(&pool, n, sizeof(*known));
    int64_t *positive = bird_pool_array(&pool, n, sizeof(*positive));
    int rc = pool.rc, any = f->o.select == BIRD_SELECT_LOSS;

    if (!rc && !any)
        rc = bird_labels_count(known, positive, &f->data.valid);
    for (int64_t k = 0; !rc && k < n; k++)
        any |= positive[k] >= least && known[k] - positive[k] >= least;
    bird_pool_free(&pool);
    if (rc || any)
        return rc;
    return bird_fail(BIRD_EINVAL,
                     "%s: no label has %lld or more positives and negatives in "
                     "the validation rows, so that AUROC and MCC are not "
                     "defined: use --select loss, %smore rows",
                     f->o.valid ? f->o.valid : f->o.train, (long long)least,
                     least > 1 ? "a smaller --min-positives or " : "or ");
}

static int open_labels(struct bird_finetuning *f)
{
    const bird_dataset *d = &f->data.train;
    struct bird_finetune_validation *v = &f->valid;
    int rc = check_validation(f);

    if (!rc)
        rc = bird_array_new(&v->group_of, d->n_label, sizeof(*v->group_of));
    if (!rc)
        rc = bird_array_new(&v->metrics, d->n_label, sizeof(*v->metrics));
    if (!rc && d->features.n)
        rc = bird_features_classes(&v->group, &v->n_group, v->group_of,
                                   &d->features);
    else
        v->n_group = 1;
    if (!rc && f->o.label_weight_of)
        rc = weigh_labels(f);
    if (!rc && !(f->o.pos_weight > 0))
        rc = weigh_by_data(f);
    return rc || !f->o.pos_weight_of ? rc : bird_finetune_weigh_classes(f);
}

int bird_finetune_start_bias(struct bird_finetuning *f)
{
    const struct bird_finetune_data *d = &f->data;
    struct bird_trainer *l = f->run.l;
    const struct bird_param *p = bird_run_new_bias(&f->run);
    double start = d->source->start_odds;
    int64_t n = d->train.n_label;
    struct bird_pool pool = {0};
    int64_t *known, *positive;
    int rc;

    if (!(start > 0 || f->run.o->centre) || !p ||
        d->task->problem != BIRD_PROBLEM_MULTI_LABEL || p->count != n)
        return 0;
    known = bird_pool_array(&pool, n, sizeof(*known));
    positive = bird_pool_array(&pool, n, sizeof(*positive));
    rc = pool.rc ? pool.rc : d->source->count(known, positive, f, 0);
    for (int64_t k = 0; !rc && k < n; k++) {
        double weight =
            d->pos_weights ? (double)d->pos_weights[k] : f->o.pos_weight;
        double odds = ((double)positive[k] + 0.5) /
                      ((double)(known[k] - positive[k]) + 0.5);

        if (start > 0)
            weight *= start;
        if (known[k])
            l->theta[p->offset + k] = (float)log(weight * odds);
    }
    bird_trainer_start_shadow(l);
    bird_pool_free(&pool);
    return rc;
}

int bird_finetune_pack_columns(struct bird_labels *out,
                               const struct bird_finetuning *f)
{
    const struct bird_finetune_stream *s = &f->stream;
    int known = 0;

    for (int64_t i = 0; !known && i < s->n_value; i++)
        known = !isnan(s->value[i]);
    out->value = s->value;
    return known;
}

/* --- metrics -------------------------------------------------------------- */

/* The metric `what` of every label with enough positives and negatives. */
static void column_of(double *out, const struct bird_finetuning *f,
                      enum bird_metric what)
{
    int64_t least = f->o.min_positives;

    for (int64_t k = 0; k < f->data.train.n_label; k++) {
        const bird_metrics *m = &f->valid.metrics[k];
        int too_few = least > 1 &&
                      (m->n_positive < least || m->n - m->n_positive < least);

        out[k] = too_few ? (double)NAN : m->value[what];
    }
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

/* "DHS 0.8100 / 0.3000 (125)": medians of AUROC and AUPRC of each class, and
 * over how many labels. */
static int print_medians(struct bird_finetuning *f, const double *auroc,
                         double *value, double *scratch)
{
    struct bird_finetune_validation *v = &f->valid;
    int64_t n = f->data.train.n_label, known = 0;
    int rc = 0;

    bird_text_clear(&v->medians);
    column_of(value, f, BIRD_AUPRC);
    for (int64_t g = 0; !rc && v->group && g < v->n_group; g++) {
        double auprc =
            bird_group_median(&known, scratch, value, v->group_of, n, g);

        if (known)
            rc = bird_text_printf(&v->medians, "%s%s %.4f / %.4f (%lld)",
                                  v->medians.n ? ", " : "",
                                  *v->group[g] ? v->group[g] : "labels",
                                  auroc[g], auprc, (long long)known);
    }
    return rc;
}

/* AUROC of the state: the mean over classes of the median over their labels. */
static int measure(struct bird_finetuning *f, bird_finetune_state *s)
{
    struct bird_finetune_validation *v = &f->valid;
    const bird_dataset *d = &f->data.valid;
    int64_t n_label = d->n_label;
    struct bird_pool pool = {0};
    float *target = bird_pool_array(&pool, d->n, sizeof(*target));
    double *value = bird_pool_array(&pool, n_label, sizeof(*value));
    double *scratch = bird_pool_array(&pool, n_label, sizeof(*scratch));
    double *median = bird_pool_array(&pool, v->n_group, sizeof(*median));
    bird_metrics_options o;
    int rc = pool.rc;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    for (int64_t k = 0; !rc && k < n_label; k++) {
        bird_dataset_column(target, d, k);
        rc = bird_metrics_measure_label(&v->metrics[k], v->probability + k,
                                        n_label, target, d->n, &o);
        /* the average precision without negatives is 1 and means nothing */
        if (!rc && isnan(v->metrics[k].value[BIRD_AUROC]))
            v->metrics[k].value[BIRD_AUPRC] = (double)NAN;
    }
    if (rc)
        goto done;
    column_of(value, f, BIRD_AUROC);
    for (int64_t g = 0; g < v->n_group; g++)
        median[g] =
            bird_group_median(NULL, scratch, value, v->group_of, n_label, g);
    s->valid_metric[0] = mean_known(median, v->n_group);
    rc = print_medians(f, median, value, scratch);
    s->medians = v->medians.s;
    column_of(value, f, BIRD_MCC);
    s->valid_metric[1] = mean_known(value, n_label);
    column_of(value, f, BIRD_LOG_LOSS);
    s->valid_loss = mean_known(value, n_label);
    if (isnan(
            s->valid_loss)) { /* too few positives; the loss is known anyway */
        for (int64_t k = 0; k < n_label; k++)
            value[k] = v->metrics[k].value[BIRD_LOG_LOSS];
        s->valid_loss = mean_known(value, n_label);
    }
done:
    bird_pool_free(&pool);
    return rc;
}

static int log_metrics(const struct bird_finetuning *f)
{
    const struct bird_finetune_validation *v = &f->valid;
    const bird_dataset *d = &f->data.train;
    struct bird_text t = {0};
    char *path = NULL;
    int rc = bird_path_join(&path, f->run.o->out, "validation.tsv");

    if (!rc)
        rc = bird_text_printf(&t, "label\tclass\trows\tpositives\tauroc\t"
                                  "auprc\n");
    for (int64_t k = 0; !rc && k < d->n_label; k++) {
        const bird_metrics *m = &v->metrics[k];
        const char *group = v->group ? v->group[v->group_of[k]] : "";

        rc = d->label_name ? bird_text_printf(&t, "%s\t", d->label_name[k])
                           : bird_text_printf(&t, "%lld\t", (long long)k);
        if (!rc)
            rc = bird_text_printf(&t, "%s\t%lld\t%lld\t", *group ? group : ".",
                                  (long long)m->n, (long long)m->n_positive);
        if (!rc)
            rc = bird_finetune_put_metric(&t, "", m->value[BIRD_AUROC]);
        if (!rc)
            rc = bird_finetune_put_metric(&t, "\t", m->value[BIRD_AUPRC]);
        if (!rc)
            rc = bird_text_put(&t, "\n", 1);
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
    const struct bird_finetune_validation *v = &f->valid;
    int64_t n = f->data.train.n_label, known = 0;
    const char *name = v->group && *v->group[g] ? v->group[g] : "labels";
    double *value, auroc, auprc;
    json_t *o;
    int rc = bird_array_new(&value, n, sizeof(*value));

    if (rc)
        return rc;
    column_of(value, f, BIRD_AUROC);
    auroc = bird_group_median(&known, scratch, value, v->group_of, n, g);
    column_of(value, f, BIRD_AUPRC);
    auprc = bird_group_median(NULL, scratch, value, v->group_of, n, g);
    free(value);
    if (!known)
        return 0;
    o = json_pack("{s:I, s:f, s:f}", "labels", (json_int_t)known,
                  "median_auroc", auroc, "median_auprc", auprc);
    return json_object_set_new(out, name, o) ? bird_fail_memory(0) : 0;
}

/* Medians of each class, as an object. */
static int describe(json_t **out, struct bird_finetuning *f)
{
    bird_finetune_state state;
    double *scratch = NULL;
    json_t *o;
    int rc = measure(f, &state);

    if (rc)
        return rc;
    o = json_pack("{s:I}", "rows", (json_int_t)f->data.valid.n);
    rc = o ? 0 : bird_fail_memory(0);
    if (!rc)
        rc = bird_array_new(&scratch, f->data.train.n_label, sizeof(*scratch));
    for (int64_t g = 0; !rc && g < f->valid.n_group; g++)
        rc = describe_group(o, f, scratch, g);
    free(scratch);
    if (rc)
        json_decref(o);
    else
        *out = o;
    return rc;
}

const struct bird_finetune_task bird_finetune_labels = {
    .problem = BIRD_PROBLEM_MULTI_LABEL,
    .answers = 1,
    .metric = {"AUROC", "MCC"},
    .select = {BIRD_SELECT_AUROC, BIRD_SELECT_MCC},
    .open = open_labels,
    .labels = bird_finetune_pack_columns,
    .measure = measure,
    .log = log_metrics,
    .describe = describe};
