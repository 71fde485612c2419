/* The rows of a fine-tuning run: read, split, checked, and labels weighed.
 *
 * Labels that no training row knows are left out of the model, those that none
 * has as positive are named; both go to the caller as sentences.
 * SPDX-License-Identifier: MIT */
#include "train/finetune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "model/feature.h"

/* --- train and validation ------------------------------------------------- */

/* Validation rows: their own file, or held out by a hash of the sequence. */
static int split(struct bird_finetuning *f)
{
    bird_dataset all = f->train;
    uint8_t *mark = NULL;
    int rc;

    if (f->o.valid) {
        bird_dataset_options o = f->o.data;

        if (all.kind == BIRD_LABEL_CLASS) { /* numbered as in train */
            o.class_name = (const char *const *)all.label_name;
            o.n_class = all.n_label;
        }
        if (all.hit_at) { /* the same labels in the same order */
            o.label_name = (const char *const *)all.label_name;
            o.n_label_name = all.n_label;
            o.context_bp = all.row[0].len;
        }
        return bird_dataset_open(&f->valid, f->o.valid, &o);
    }
    rc = bird_array_new(&mark, all.n, 1);
    if (rc)
        return rc;
    rc = bird_dataset_mark_fraction(mark, &all, f->o.valid_fraction,
                                    f->o.split_seed);
    if (!rc)
        rc = bird_dataset_cut(&f->valid, &all, mark, 1);
    if (!rc)
        rc = bird_dataset_cut(&f->train, &all, mark, 0);
    if (!rc)
        bird_dataset_free(&all);
    free(mark);
    return rc;
}

/* Do all rows have the same class? */
static int is_one_class(const bird_dataset *d)
{
    for (int64_t i = 1; i < d->n; i++)
        if (d->row[i].label != d->row[0].label)
            return 0;
    return d->kind == BIRD_LABEL_CLASS;
}

static int check_classes(const struct bird_finetuning *f)
{
    const char *valid = f->o.valid ? f->o.valid : f->o.train;

    if (is_one_class(&f->train))
        return bird_fail(BIRD_EINVAL,
                         "%s: all rows have one label; nothing can be learned "
                         "from that",
                         f->o.train);
    if (is_one_class(&f->valid) && f->o.select != BIRD_SELECT_LOSS)
        return bird_fail(BIRD_EINVAL,
                         "%s: the validation rows have one label, so that "
                         "AUROC and MCC are not defined: use --select loss or "
                         "more rows",
                         valid);
    return 0;
}

static int same_labels(const bird_dataset *valid, const bird_dataset *train)
{
    if (valid->kind != train->kind || valid->n_label > train->n_label ||
        !valid->label_name != !train->label_name)
        return 0;
    if (valid->kind != BIRD_LABEL_MULTI)
        return 1;
    for (int64_t i = 0; i < valid->n_label && valid->label_name; i++)
        if (strcmp(valid->label_name[i], train->label_name[i]) != 0)
            return 0;
    return valid->n_label == train->n_label;
}

/* --- labels --------------------------------------------------------------- */

enum { N_NAMED = 5 }; /* labels that a notice names */

/* "2 labels WHAT: a, b" of the marked labels; nothing when there is none. */
static int name_labels(struct bird_text *t, const bird_dataset *d,
                       const uint8_t *mark, const char *what)
{
    int64_t n = 0, told = 0;
    int rc = 0;

    for (int64_t k = 0; k < d->n_label; k++)
        n += mark[k];
    if (n)
        rc = bird_text_printf(t, "%lld label%s %s: ", (long long)n,
                              n > 1 ? "s" : "", what);
    for (int64_t k = 0; !rc && k < d->n_label && told < N_NAMED; k++) {
        const char *comma = told ? ", " : "";

        if (!mark[k])
            continue;
        rc = d->label_name
                 ? bird_text_printf(t, "%s%s", comma, d->label_name[k])
                 : bird_text_printf(t, "%s%lld", comma, (long long)k);
        told++;
    }
    return rc || told == n ? rc : bird_text_printf(t, ", ...");
}

/* Marks from counts: labels to keep, to leave out, never seen as 1. */
int bird_finetune_sort_labels(struct bird_finetuning *f, const int64_t *known,
                              const int64_t *positive, uint8_t *keep)
{
    int64_t n = f->train.n_label, left = 0;
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
                       f->o.train);
    if (!rc)
        rc = name_labels(&f->left_out, &f->train, mark,
                         "known in no training row, left out of the model");
    for (int64_t k = 0; k < n; k++)
        mark[k] = keep[k] && !positive[k];
    if (!rc)
        rc = name_labels(&f->never, &f->train, mark,
                         "positive in no training row, so that the model "
                         "learns only to say no");
    free(mark);
    return rc;
}

/* Leave labels known in no training row out of train and valid, and note them,
 * and those never positive, for the caller of the run. */
static int leave_out_labels(struct bird_finetuning *f)
{
    int64_t n = f->train.n_label;
    struct bird_pool pool = {0};
    int64_t *known = bird_pool_array(&pool, n, sizeof(*known));
    int64_t *positive = bird_pool_array(&pool, n, sizeof(*positive));
    uint8_t *keep = bird_pool_array(&pool, n, 1);
    int rc = pool.rc;

    if (!rc)
        rc = bird_labels_count(known, positive, &f->train);
    if (!rc)
        rc = bird_finetune_sort_labels(f, known, positive, keep);
    if (!rc && f->left_out.n) {
        rc = bird_labels_keep(&f->train, keep);
        if (!rc)
            rc = bird_labels_keep(&f->valid, keep);
    }
    bird_pool_free(&pool);
    return rc;
}

/* A rare label would otherwise outweigh all others. */
#define MAX_POS_WEIGHT 100

/* Training rows, or bins, that know each label, and those where it is 1. */
static int count_labels(const struct bird_finetuning *f, int64_t *known,
                        int64_t *positive)
{
    return f->o.bins
               ? bird_bin_windows_count(known, positive, &f->train_windows,
                                        f->o.bins->background)
               : bird_labels_count(known, positive, &f->train);
}

/* A head over bins begins at this many times the odds of a label. From the odds
 * themselves, and from 10 times, it learns less in as many updates: measured in
 * docs/models/stem.md. */
#define START_ODDS 3.0

int bird_finetune_start_bias(struct bird_finetuning *f)
{
    struct bird_trainer *l = f->run.l;
    const struct bird_param *p = bird_run_new_bias(&f->run);
    int64_t n = f->train.n_label;
    struct bird_pool pool = {0};
    int64_t *known, *positive;
    int rc;

    if (!(f->o.bins || f->run.o->centre) || !p ||
        f->train.kind != BIRD_LABEL_MULTI || p->count != n)
        return 0;
    known = bird_pool_array(&pool, n, sizeof(*known));
    positive = bird_pool_array(&pool, n, sizeof(*positive));
    rc = pool.rc ? pool.rc : count_labels(f, known, positive);
    for (int64_t k = 0; !rc && k < n; k++) {
        double weight =
            f->pos_weights ? (double)f->pos_weights[k] : f->o.pos_weight;
        double odds = ((double)positive[k] + 0.5) /
                      ((double)(known[k] - positive[k]) + 0.5);

        if (f->o.bins)
            weight *= START_ODDS;
        if (known[k])
            l->theta[p->offset + k] = (float)log(weight * odds);
    }
    bird_trainer_start_shadow(l);
    bird_pool_free(&pool);
    return rc;
}

/* negatives / positives of each label of the training rows */
static int weigh(struct bird_finetuning *f)
{
    int64_t n = f->train.n_label;
    struct bird_pool pool = {0};
    int64_t *known = bird_pool_array(&pool, n, sizeof(*known));
    int64_t *positive = bird_pool_array(&pool, n, sizeof(*positive));
    int rc = pool.rc;

    if (!rc)
        rc = bird_array_new(&f->pos_weights, n, sizeof(*f->pos_weights));
    if (!rc)
        rc = count_labels(f, known, positive);
    for (int64_t k = 0; !rc && k < n; k++) {
        double pos = (double)positive[k],
               neg = (double)(known[k] - positive[k]);
        double w = pos > 0 ? neg / pos : 1;

        f->pos_weights[k] = (float)(w < MAX_POS_WEIGHT ? w : MAX_POS_WEIGHT);
        if (!(f->pos_weights[k] > 0)) /* no negative: nothing to weigh */
            f->pos_weights[k] = 1;
    }
    bird_pool_free(&pool);
    return rc;
}

/* "CLASS=WEIGHT": of all labels of that class. */
static int weigh_class(struct bird_finetuning *f, const char *text, size_t len)
{
    const bird_features *list = &f->train.features;
    const char *sign = memchr(text, '=', len);
    size_t n = sign ? (size_t)(sign - text) : len;
    double w = sign ? strtod(sign + 1, NULL) : 0;
    int64_t found = 0;

    if (!(w > 0 && w <= 1e9))
        return bird_fail(BIRD_EINVAL,
                         "weight of positives '%.*s': it is CLASS=WEIGHT, a "
                         "number above 0",
                         (int)len, text);
    for (int64_t k = 0; k < list->n; k++)
        if (strlen(list->at[k].class_name) == n &&
            !strncmp(list->at[k].class_name, text, n)) {
            f->pos_weights[k] = (float)w;
            found++;
        }
    return found ? 0
                 : bird_fail(BIRD_EINVAL,
                             "weight of positives: no label is of the class "
                             "'%.*s'",
                             (int)n, text);
}

/* Weights by class, over one for all or those by the data. */
static int weigh_classes(struct bird_finetuning *f)
{
    const char *at = f->o.pos_weight_of;
    int64_t n = f->train.n_label;
    int rc = f->pos_weights
                 ? 0
                 : bird_array_new(&f->pos_weights, n, sizeof(*f->pos_weights));

    for (int64_t k = 0; !rc && f->o.pos_weight > 0 && k < n; k++)
        f->pos_weights[k] = (float)f->o.pos_weight;
    while (!rc && *at) {
        size_t len = strcspn(at, ",");

        rc = weigh_class(f, at, len);
        at += len + (at[len] == ',');
    }
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
    if (!rc && !(f->o.pos_weight > 0))
        rc = weigh(f);
    return rc || !f->o.pos_weight_of ? rc : weigh_classes(f);
}

/* --- all of it ------------------------------------------------------------ */

int bird_finetune_open_data(struct bird_finetuning *f)
{
    int rc = bird_dataset_open(&f->train, f->o.train, &f->o.data);

    if (rc || (rc = split(f)))
        return rc;
    if (f->train.kind == BIRD_LABEL_NONE)
        return bird_fail(BIRD_EINVAL, "%s: no labels to learn from",
                         f->o.train);
    if (f->valid.n < 1 || f->train.n < 1)
        return bird_fail(BIRD_EINVAL, "%s: %s rows are left after the split",
                         f->o.train,
                         f->valid.n < 1 ? "no validation" : "no training");
    if (!same_labels(&f->valid, &f->train))
        return bird_fail(BIRD_EINVAL, "%s: its labels are not those of %s",
                         f->o.valid, f->o.train);
    if ((rc = check_classes(f)))
        return rc;
    if (f->train.kind == BIRD_LABEL_MULTI && (rc = leave_out_labels(f)))
        return rc;
    if ((rc = bird_array_new(&f->valid_class, f->valid.n,
                             sizeof(*f->valid_class))) ||
        (rc = bird_array_new(&f->probability, f->valid.n * f->train.n_label,
                             sizeof(*f->probability))))
        return rc;
    for (int64_t i = 0; i < f->valid.n; i++)
        f->valid_class[i] = f->valid.row[i].label;
    f->valid.n_label = f->train.n_label;
    return f->train.kind == BIRD_LABEL_MULTI ? bird_finetune_prepare_labels(f)
                                             : 0;
}

/* Of labelled bins: where their sequence lies, their labels, what is known. */
static int bins_digest(struct bird_text *t, const bird_dataset *d)
{
    int64_t size = (int64_t)sizeof(*d->hit_at);
    int rc = bird_text_put(t, d->hit_at, (d->n + 1) * size);

    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = bird_text_put(t, &d->row[i].at, size);
    if (!rc)
        rc = bird_text_put(t, d->hit,
                           d->hit_at[d->n] * (int64_t)sizeof(*d->hit));
    return rc ? rc : bird_text_put(t, d->masked, d->n_contig * d->n_label);
}

/* SHA-256 of sequences, their borders and labels. */
int bird_finetune_digest(char hex[65], const bird_dataset *d)
{
    struct bird_text t = {0};
    int rc;

    bird_sha256(hex, d->bases, (size_t)d->n_base);
    rc = bird_text_put(&t, hex, 64);
    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = bird_text_printf(&t, " %lld:%d", (long long)d->row[i].len,
                              (int)d->row[i].label);
    if (!rc && d->target)
        rc = bird_text_put(&t, d->target,
                           d->n * d->n_label * (int64_t)sizeof(*d->target));
    if (!rc && d->hit_at)
        rc = bins_digest(&t, d);
    if (!rc)
        bird_sha256(hex, t.s, (size_t)t.n);
    bird_text_free(&t);
    return rc;
}
