/* The task of one class a row: classes exclude each other.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/metrics.h"
#include "train/finetune.h"

/* Do all rows have the same class? */
static int is_one_class(const bird_dataset *d)
{
    for (int64_t i = 1; i < d->n; i++)
        if (d->row[i].label != d->row[0].label)
            return 0;
    return 1;
}

static int check_classes(const struct bird_finetuning *f)
{
    if (is_one_class(&f->data.train))
        return bird_fail(BIRD_EINVAL,
                         "%s: all rows have one label; nothing can be learned "
                         "from that",
                         f->o.train);
    if (is_one_class(&f->data.valid) && f->o.select != BIRD_SELECT_LOSS)
        return bird_fail(BIRD_EINVAL,
                         "%s: the validation rows have one label, so that "
                         "AUROC and MCC are not defined: use --select loss or "
                         "more rows",
                         f->o.valid ? f->o.valid : f->o.train);
    return 0;
}

static int open_classes(struct bird_finetuning *f)
{
    const bird_dataset *d = &f->data.valid;
    int rc = check_classes(f);

    if (!rc)
        rc = bird_array_new(&f->valid.class_id, d->n,
                            sizeof(*f->valid.class_id));
    for (int64_t i = 0; !rc && i < d->n; i++)
        f->valid.class_id[i] = d->row[i].label;
    return rc;
}

static int pack_labels(struct bird_labels *out, const struct bird_finetuning *f)
{
    out->class_id = f->stream.class_id;
    return 1;
}

static int measure_with(bird_metrics *m, const struct bird_finetuning *f,
                        const bird_metrics_options *o)
{
    const bird_dataset *d = &f->data.valid;

    return bird_metrics_measure(m, f->valid.probability, f->valid.class_id,
                                d->n, d->n_label, o);
}

static int measure(struct bird_finetuning *f, bird_finetune_state *s)
{
    bird_metrics_options o;
    bird_metrics m;
    int rc;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    rc = measure_with(&m, f, &o);
    if (rc)
        return rc;
    s->valid_metric[0] = m.value[BIRD_AUROC];
    s->valid_metric[1] = m.value[BIRD_MCC];
    s->valid_loss = m.value[BIRD_LOG_LOSS];
    return 0;
}

static int log_metrics(const struct bird_finetuning *f)
{
    (void)f; /* training.tsv has all of them */
    return 0;
}

static int describe(json_t **out, struct bird_finetuning *f)
{
    bird_metrics m;
    int rc = measure_with(&m, f, NULL);

    if (rc)
        return rc;
    *out = json_object();
    json_object_set_new(*out, "rows", json_integer(m.n));
    for (int k = 0; k < BIRD_N_METRIC; k++)
        if (isfinite(m.value[k]))
            json_object_set_new(*out, bird_metric_name((enum bird_metric)k),
                                bird_json_metric(&m, k));
    return 0;
}

const struct bird_finetune_task bird_finetune_classes = {
    .problem = BIRD_PROBLEM_SINGLE_LABEL,
    .answers = 1,
    .metric = {"AUROC", "MCC"},
    .select = {BIRD_SELECT_AUROC, BIRD_SELECT_MCC},
    .open = open_classes,
    .labels = pack_labels,
    .measure = measure,
    .log = log_metrics,
    .describe = describe};
