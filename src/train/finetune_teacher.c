/* Teachers: models whose answers take the place of the labels of windows
 * (distillation; Hinton, Vinyals & Dean 2015, arXiv:1503.02531, of independent
 * labels, at temperature 1). The target of a label is the sigmoid of the mean of
 * the teachers' log odds: the geometric mean of their odds.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "folder/feature.h"
#include "head/head.h"
#include "session/session.h"
#include "train/finetune.h"
#include "variant/log_odds.h"

struct bird_teacher {
    bird_model *model;
    bird_session *session;
    int32_t *label; /* (columns) of the windows; -1: none has this name */
    float *answer;  /* (bins, columns) to the window at hand */
    int64_t columns, cap_answer;
};

/* Which label of the windows each answer is. */
static int match_labels(struct bird_finetune_windows *w, struct bird_teacher *t)
{
    bird_features names = {0};
    int64_t found = 0;
    int rc = bird_model_features(&names, t->model);

    if (!rc)
        rc = bird_array_new(&t->label, t->columns, sizeof(*t->label));
    for (int64_t i = 0; !rc && i < t->columns; i++) {
        t->label[i] =
            (int32_t)bird_features_find(&w->labels.features, names.at[i].name);
        if (t->label[i] >= 0) {
            w->n_answer[t->label[i]]++;
            found++;
        }
    }
    bird_features_free(&names);
    if (rc || found)
        return rc;
    return bird_fail(BIRD_EINVAL,
                     "%s: no label of the windows has a name of this teacher's "
                     "labels",
                     bird_model_path(t->model));
}

static int check_teacher(const struct bird_teacher *t,
                         const struct bird_bin_windows *w)
{
    const struct bird_config *c = bird_model_config(t->model);

    if (!bird_head_has_bins(c) || c->bin_bp != w->bin)
        return bird_fail(
            BIRD_EINVAL,
            "%s: a teacher answers bins of %lld bp, as the windows "
            "have",
            bird_model_path(t->model), (long long)w->bin);
    if (bird_head_activation(c) == BIRD_ACTIVATE_SIGMOID)
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: a teacher gives each label a probability",
                     bird_model_path(t->model));
}

static int open_teacher(struct bird_teacher *t, const char *folder,
                        struct bird_finetune_windows *w)
{
    bird_model_run run;
    const struct bird_model_use use = {.run = &run, .identify = 1};
    const bird_session_options both = {.strand = BIRD_STRAND_BOTH};
    int rc;

    bird_model_run_default(&run);
    rc = bird_model_open_for(&t->model, folder, &use);
    if (!rc)
        rc = check_teacher(t, &w->train);
    if (!rc)
        rc = bird_session_new(&t->session, t->model, &both);
    if (rc)
        return rc;
    t->columns = bird_session_labels(t->session);
    return match_labels(w, t);
}

int bird_finetune_open_teachers(struct bird_finetuning *f)
{
    const bird_finetune_bins *b = f->o.bins;
    struct bird_finetune_windows *w = &f->data.windows;
    int rc = bird_array_new(&w->teacher, b->n_teacher, sizeof(*w->teacher));

    if (!rc)
        rc = bird_array_new(&w->n_answer, w->labels.n_label,
                            sizeof(*w->n_answer));
    for (int64_t i = 0; !rc && i < b->n_teacher; i++)
        rc = open_teacher(&w->teacher[w->n_teacher++], b->teacher[i], w);
    return rc;
}

void bird_finetune_free_teachers(struct bird_finetune_windows *w)
{
    for (int64_t i = 0; i < w->n_teacher; i++) {
        bird_session_free(w->teacher[i].session);
        bird_model_close(w->teacher[i].model);
        free(w->teacher[i].label);
        free(w->teacher[i].answer);
    }
    free(w->teacher);
    free(w->log_odds);
    free(w->n_answer);
}

int bird_finetune_identify_teachers(struct bird_finetuning *f)
{
    const struct bird_finetune_windows *w = &f->data.windows;
    int rc = 0;

    for (int64_t i = 0; !rc && i < w->n_teacher; i++)
        rc = bird_text_printf(
            &f->run.identity, "%s%.16s",
            i ? "," : " teachers=", bird_model_digest(w->teacher[i].model));
    return rc;
}

/* Add one teacher's log odds to the sums of the labels that it has. */
static int ask(struct bird_finetune_windows *w, struct bird_teacher *t)
{
    const struct bird_bin_sample *d = &w->sample;
    int64_t n_label = w->labels.n_label;
    int64_t size = bird_session_size(t->session, d->len);
    int rc =
        bird_array_grow(&t->answer, &t->cap_answer, size, sizeof(*t->answer));

    if (!rc && size != d->bins * t->columns)
        rc =
            bird_fail(BIRD_EINVAL,
                      "%s: a window of %lld bp has %lld bins for this teacher, "
                      "not %lld",
                      bird_model_path(t->model), (long long)d->len,
                      (long long)(size / t->columns), (long long)d->bins);
    if (!rc)
        rc = bird_session_score(t->session, (const char *const[]){d->seq},
                                &d->len, 1, t->answer);
    for (int64_t i = 0; !rc && i < size; i++) {
        int32_t k = t->label[i % t->columns];

        if (k >= 0)
            w->log_odds[i / t->columns * n_label + k] +=
                bird_log_odds((double)t->answer[i]);
    }
    return rc;
}

int bird_finetune_teach(struct bird_finetune_windows *w)
{
    struct bird_bin_sample *d = &w->sample;
    int64_t n_label = w->labels.n_label, n = d->bins * n_label;
    int rc;

    if (!w->n_teacher)
        return 0;
    rc = bird_array_grow(&w->log_odds, &w->cap_log_odds, n,
                         sizeof(*w->log_odds));
    for (int64_t i = 0; !rc && i < n; i++)
        w->log_odds[i] = 0;
    for (int64_t i = 0; !rc && i < w->n_teacher; i++)
        rc = ask(w, &w->teacher[i]);
    for (int64_t i = 0; !rc && i < n; i++) {
        int32_t of = w->n_answer[i % n_label];

        if (!isnan(d->label[i]) && of)
            d->label[i] = (float)(1 / (1 + exp(-w->log_odds[i] / of)));
    }
    return rc;
}
