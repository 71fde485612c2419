/* The table of heads, and what all of them share.
 *
 * A configuration points at the row of its head (model/heads.h), and the
 * functions here call through it. Each row is in the file of its head.
 * SPDX-License-Identifier: MIT */
#include "head/head.h"

#include <string.h>

#include "base/fail.h"
#include "base/timer.h"
#include "head/kind.h"
#include "head/loss.h"

#define ROW_OF(name) &bird_head_##name,
static const struct bird_head_row *const rows[] = {BIRD_HEADS(ROW_OF)};

const struct bird_head_row *bird_head_at(int i)
{
    return i < (int)(sizeof(rows) / sizeof(*rows)) ? rows[i] : NULL;
}

const struct bird_head_row *bird_head_by_name(const char *name)
{
    int i = 0;

    while (bird_head_at(i) && strcmp(rows[i]->name, name) != 0)
        i++;
    return bird_head_at(i);
}

const struct bird_head_row *bird_head_by_option(const char *option)
{
    int i = 0;

    if (!option)
        return NULL;
    while (bird_head_at(i) &&
           (!rows[i]->option || strcmp(rows[i]->option, option) != 0))
        i++;
    return bird_head_at(i);
}

const char *bird_head_choice(int i)
{
    for (int k = 0; bird_head_at(k); k++)
        if (rows[k]->option && !i--)
            return rows[k]->option;
    return NULL;
}

const struct bird_head_row *bird_head_masked(int next)
{
    return next ? &bird_head_pretrain : &bird_head_mlm;
}

int bird_head_choose(struct bird_config *c, const char *option,
                     const struct bird_head_task *task)
{
    const struct bird_head_row *h = bird_head_by_option(option);

    if (!h)
        return bird_fail(BIRD_EINVAL, "unknown head '%.40s'",
                         option ? option : "");
    if (!h->n_bin != !task->bin_bp)
        return bird_fail(BIRD_EINVAL,
                         h->n_bin ? "--head %s learns from windows of bins"
                                  : "windows of bins are learned by --head "
                                    "bins or bins-maxmean, not %s",
                         option);
    if (!task->per_base != !bird_head_classifies_tokens(h))
        return bird_fail(BIRD_EINVAL,
                         "--head %s does not learn from rows with %s", option,
                         task->per_base ? "a class for each base"
                                        : "an answer for each row");
    if (!h->exclusive && task->problem == BIRD_PROBLEM_SINGLE_LABEL)
        return bird_fail(BIRD_EINVAL,
                         "--head %s learns several labels a row; one class a "
                         "row needs --head sequence",
                         option);
    c->head = h;
    c->n_label =
        task->n_label * (task->problem == BIRD_PROBLEM_GAUSSIAN ? 2 : 1);
    c->bin_bp = task->bin_bp;
    c->problem = task->problem;
    return 0;
}

int64_t bird_head_targets(const struct bird_config *c)
{
    return c->problem == BIRD_PROBLEM_GAUSSIAN ? c->n_label / 2 : c->n_label;
}

int64_t bird_head_columns(const struct bird_config *c)
{
    if (!c->head->forward)
        return 0;
    return c->head->masked ? c->vocab_size : c->n_label;
}

int bird_head_per_token(const struct bird_config *c)
{
    return c->head->needs == BIRD_NEEDS_ALL;
}

int bird_head_classifies_tokens(const struct bird_head_row *h)
{
    return h->needs == BIRD_NEEDS_ALL && h->exclusive;
}

int bird_head_scores(const struct bird_config *c)
{
    return c->head->forward && c->head->needs != BIRD_NEEDS_ALL;
}

int bird_head_has_labels(const struct bird_config *c)
{
    return c->head->forward && !c->head->masked;
}

int bird_head_has_bins(const struct bird_config *c)
{
    return c->head->needs == BIRD_NEEDS_BINS;
}

enum bird_activation bird_head_activation(const struct bird_config *c)
{
    if (c->problem == BIRD_PROBLEM_REGRESSION ||
        c->problem == BIRD_PROBLEM_GAUSSIAN)
        return BIRD_ACTIVATE_NOTHING;
    return c->head->exclusive && c->problem != BIRD_PROBLEM_MULTI_LABEL &&
                   c->n_label > 1
               ? BIRD_ACTIVATE_SOFTMAX
               : BIRD_ACTIVATE_SIGMOID;
}

void bird_head_add_classifier(struct bird_param_list *l,
                              const struct bird_config *c)
{
    int64_t wide = c->head->wide > 1 ? c->head->wide : 1;

    bird_params_add_linear(l, c->n_label, wide * c->hidden_size, "classifier");
}

int bird_head_forward(float *logits, float *next, const struct bird_config *c,
                      const struct bird_weights *w, const float *x,
                      const struct bird_batch *b)
{
    enum bird_phase before;
    int rc;

    if (!c->head->forward)
        return bird_fail(BIRD_EINVAL, "the model has no head: fine-tune one");
    before = bird_timer_enter(BIRD_PHASE_HEAD);
    rc = c->head->forward(logits, next, c, w, x, b);
    bird_timer_leave(before);
    return rc;
}

int bird_head_next(float *next, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b)
{
    if (!c->head->next)
        return bird_fail(BIRD_EINVAL, "the model has no next-sentence head");
    return bird_next_forward(next, c, w, x, b);
}

/* c->problem, or the problem that fits the labels of the batch. */
static enum bird_problem problem_of(const struct bird_config *c,
                                    const struct bird_labels *l)
{
    if (c->problem != BIRD_PROBLEM_UNSET)
        return c->problem;
    if (l->class_id)
        return BIRD_PROBLEM_SINGLE_LABEL;
    return c->n_label == 1 && c->head->exclusive ? BIRD_PROBLEM_REGRESSION
                                                 : BIRD_PROBLEM_MULTI_LABEL;
}

int bird_labels_loss(struct bird_loss *out, float *logits,
                     const struct bird_head_pass *p)
{
    const struct bird_config *c = p->c;
    const struct bird_labels *l = p->labels;
    struct bird_label_weights weight = {l->pos_weight > 0 ? l->pos_weight : 1,
                                        l->pos_weights, l->label_weights,
                                        c->n_label};
    enum bird_problem problem = problem_of(c, l);
    int64_t n = c->head->n_bin ? p->b->bin[p->b->n_seq] : p->b->n_seq;
    const struct bird_loss_values values = {l->value, l->row_weight, n,
                                            bird_head_targets(c)};
    struct bird_mean mean = {0};
    int rc = 0;

    if (l->seed) {
        memcpy(logits, l->seed, (size_t)(n * c->n_label) * sizeof(*logits));
        out->n_token = n;
        return 0;
    }
    if (problem == BIRD_PROBLEM_SINGLE_LABEL && l->class_id)
        rc = bird_loss_cross_entropy(&mean, logits, l->class_id, n, c->n_label,
                                     p->scale);
    else if (problem == BIRD_PROBLEM_MULTI_LABEL && l->value)
        bird_loss_binary(&mean, logits, l->value, n * c->n_label, &weight,
                         p->scale);
    else if (problem == BIRD_PROBLEM_REGRESSION && l->value)
        bird_loss_square(&mean, logits, &values, p->scale);
    else if (problem == BIRD_PROBLEM_GAUSSIAN && l->value)
        bird_loss_gaussian(&mean, logits, &values, p->scale);
    else
        rc = bird_fail(BIRD_EINVAL, "the batch has no labels of the kind this "
                                    "head learns from");
    if (!rc && !mean.n)
        rc = bird_fail(BIRD_EINVAL, "the batch has no known label");
    if (rc)
        return rc;
    out->loss = mean.loss;
    out->n_token = mean.n;
    return 0;
}

int bird_head_backward(struct bird_loss *out, float *dx, float *logits,
                       const struct bird_weights *grad,
                       const struct bird_config *c,
                       const struct bird_weights *w, const float *x,
                       const struct bird_batch *b,
                       const struct bird_labels *labels,
                       const struct bird_dropout_rates *dropout, float scale)
{
    static const struct bird_dropout_rates no_dropout = {0};
    static const struct bird_weights no_gradient = {0};
    struct bird_head_pass p = {
        grad ? grad : &no_gradient,      w,    c, x, b, labels,
        dropout ? dropout : &no_dropout, scale};
    int64_t n = b->offset[b->n_seq] * c->hidden_size;

    if (!c->head->backward)
        return bird_fail(BIRD_EINVAL, "the model has no head: fine-tune one");
    *out = (struct bird_loss){0};
    memset(dx, 0, (size_t)n * sizeof(*dx));
    return c->head->backward(out, dx, logits, &p);
}
