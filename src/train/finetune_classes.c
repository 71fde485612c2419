/* The task of one class a row, or a base: classes exclude each other.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "data/dataset.h"
#include "eval/metrics.h"
#include "train/finetune.h"

/* Are all classes the same one? */
static int is_one_class(const int32_t *class_id, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (class_id[i] != class_id[0])
            return 0;
    return 1;
}

static int check_train(const struct bird_finetuning *f)
{
    int32_t *class_id = NULL;
    int64_t n;
    int rc = bird_dataset_classes(&class_id, &n, &f->data.train);

    if (!rc && is_one_class(class_id, n))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: all %s have one label; nothing can be learned "
                       "from that",
                       f->o.train, f->data.train.base_class ? "bases" : "rows");
    free(class_id);
    return rc;
}

static int open_classes(struct bird_finetuning *f)
{
    struct bird_finetune_validation *v = &f->valid;
    int rc = check_train(f);

    if (!rc)
        rc = bird_dataset_classes(&v->class_id, &v->n, &f->data.valid);
    if (!rc && is_one_class(v->class_id, v->n) &&
        f->o.select != BIRD_SELECT_LOSS)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: the validation rows have one label, so that "
                       "AUROC and MCC are not defined: use --select loss or "
                       "more rows",
                       f->o.valid ? f->o.valid : f->o.train);
    if (!rc && v->n < 1)
        rc =
            bird_fail(BIRD_EINVAL, "%s: no class of a validation base is known",
                      f->o.valid ? f->o.valid : f->o.train);
    return rc;
}

static int pack_labels(struct bird_labels *out, const struct bird_finetuning *f)
{
    if (f->data.train.base_class)
        return bird_finetune_pack_tokens(out, f);
    out->class_id = f->stream.class_id;
    return 1;
}

static int measure_with(bird_metrics *m, const struct bird_finetuning *f,
                        const bird_metrics_options *o)
{
    return bird_metrics_measure(m, f->valid.probability, f->valid.class_id,
                                f->valid.n, f->data.valid.n_label, o);
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
    int per_base = f->data.valid.base_class != NULL;
    bird_metrics_options o;
    bird_metrics m;
    int rc;

    bird_metrics_options_default(&o);
    if (per_base) /* the bases of a row are no independent sample */
        o.n_boot = 0;
    rc = measure_with(&m, f, &o);
    if (rc)
        return rc;
    *out = json_object();
    json_object_set_new(*out, per_base ? "bases" : "rows", json_integer(m.n));
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
