/*
 * The row of training: a step of masked-language training on a preset, that is
 * forward with dropout, the output layer and loss of 15 % of the tokens,
 * backward, and an AdamW update.
 *
 * The work counted is three times the forward pass's, output layer included:
 * backward has two products for each one. What is executed twice is counted
 * beside it: the scores of attention, which backward computes again, and with
 * recompute the linear layers but the product with W2, of all layers but the
 * last; attention is kept.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "head/head.h"
#include "train/trainer.h"

/* Tokens with a loss, of a hundred. */
enum { LABELLED = 15 };

static const struct {
    const char *name;
    enum bird_phase phase;
} parts[] = {{"forward", BIRD_PHASE_FORWARD},
             {"head_and_loss", BIRD_PHASE_HEAD},
             {"backward", BIRD_PHASE_BACKWARD},
             {"again", BIRD_PHASE_RECOMPUTE},
             {"update", BIRD_PHASE_UPDATE}};
enum { N_PART = sizeof(parts) / sizeof(*parts) };

struct bench {
    struct bird_trainer *l;
    struct bench_batch batch;
    int32_t *label;
    int64_t n_label;
    double bases_per_token;      /* NaN: no tokenizer */
    double part[N_PART], best_s; /* of the fastest step */
    double loss[2], norm[2];     /* in float32, and as it is measured */
    double error[2];             /* of the gradient: rms as a share, most */
};

/* The gradient of the batch, added to that of the learner. */
static int add(struct bench *m, struct bird_loss *loss)
{
    const struct bird_dropout_rates dropout = {
        .key = 1, .hidden = 0.1f, .attention = 0.1f, .classifier = 0.1f};
    struct bird_labels labels = {.token = m->label};

    return bird_trainer_add(m->l, loss, &m->batch.b, &labels, &dropout, 1);
}

/* One step; the parts of the fastest are kept. */
static int run_step(void *context)
{
    struct bench *m = context;
    double start = bench_now(), s;
    struct bird_loss loss;
    int rc;

    bench_phases();
    if ((rc = add(m, &loss)))
        return rc;
    bird_trainer_update(m->l, 1e-5);
    s = bench_now() - start;
    for (int i = 0; i < N_PART && s < m->best_s; i++)
        m->part[i] = bird_timer_seconds(parts[i].phase);
    m->best_s = fmin(m->best_s, s);
    return 0;
}

/* The same in float32, on the same learner. */
static int run_plain(void *context)
{
    struct bench *m = context;
    enum bird_precision p = m->l->precision;
    struct bird_loss loss;
    int rc;

    m->l->precision = BIRD_FLOAT32;
    rc = add(m, &loss);
    m->l->precision = p;
    if (!rc)
        bird_trainer_update(m->l, 1e-5);
    return rc;
}

/* How far loss and gradient are from float32's, at the first weights. */
static int compare(struct bench *m)
{
    const enum bird_precision p[2] = {BIRD_FLOAT32, m->l->precision};
    int64_t n = m->l->total;
    struct bird_loss loss;
    float *g = NULL;
    int rc = 0;

    for (int i = 0; !rc && i < 2; i++) {
        m->l->precision = p[i];
        rc = add(m, &loss);
        m->loss[i] = loss.loss;
        m->norm[i] = sqrt(bird_kernels()->sum_squares(m->l->grad, n));
        if (i)
            bench_error(m->error, m->l->grad, g, n);
        else if (!rc && !(rc = bird_array_new(&g, n, sizeof(*g))))
            memcpy(g, m->l->grad, (size_t)n * sizeof(*g));
        memset(m->l->grad, 0, (size_t)n * sizeof(*g));
    }
    free(g);
    return rc;
}

static int make_labels(struct bench *m, const struct bench_options *o,
                       const struct bird_config *c)
{
    int64_t n = o->tokens * o->sequences;
    int rc = bird_array_new(&m->label, n, sizeof(*m->label));

    for (int64_t i = 0; !rc && i < n; i++) {
        uint64_t r = bird_mix(3, (uint64_t)i);

        /* the first one always: a short batch has a loss too */
        m->label[i] = i && r % 100 >= LABELLED
                          ? -100
                          : (int32_t)(r / 100 % (uint64_t)c->vocab_size);
        m->n_label += m->label[i] >= 0;
    }
    return rc;
}

static int open_trainer(struct bench *m, struct bird_config *c,
                        const struct bench_options *o)
{
    int rc = bench_check(o);

    if (!rc && o->model)
        rc = bird_fail(BIRD_EINVAL, "bench: training is measured on a preset");
    if (!rc)
        rc = bench_preset(c, o);
    if (!rc && o->tokenizer)
        rc = bench_tokens(&m->bases_per_token, &c->vocab_size, o->tokenizer,
                          o->fasta);
    if (rc)
        return rc;
    c->head = bird_head_masked(0);
    c->pattern.random = BIRD_RANDOM_PLAN;
    rc = bird_trainer_new(&m->l, c, o->recompute, 0);
    if (rc || (rc = bench_batch_new(&m->batch, c, o)) ||
        (rc = make_labels(m, o, c)))
        return rc;
    m->l->adam = (struct bird_adam){.kind = BIRD_ADAMW_TORCH,
                                    .beta1 = 0.9,
                                    .beta2 = 0.999,
                                    .eps = 1e-8,
                                    .weight_decay = 0.01};
    m->l->clip = 1;
    bird_params_init(m->l->theta, m->l->list, m->l->n_param, c, 1, NULL);
    if (!o->precision)
        return 0;
    rc = bird_trainer_lower(m->l, (enum bird_precision)o->precision);
    return rc ? rc : compare(m);
}

/* Shares of the fastest step; null when the build has no timers. */
static json_t *parts_of(const struct bench *m)
{
    json_t *list = BIRD_TIMER_ON ? json_object() : json_null();
    double rest = 1;

    for (int i = 0; i < N_PART && BIRD_TIMER_ON; i++) {
        bench_put(list, parts[i].name, m->part[i] / m->best_s);
        rest -= m->part[i] / m->best_s;
    }
    bench_put(list, "rest", rest);
    return list;
}

static int fill(json_t **row, const struct bench *m,
                const struct bird_config *c, const struct bench_options *o,
                const struct bench_times *t)
{
    double d = (double)c->hidden_size, v = (double)c->vocab_size;
    double head = 2e-9 * (double)m->n_label * (d * d + d * v);
    double f = (double)c->intermediate_size;
    double linear, attention, useful, executed;
    int rc = bench_count(&linear, &attention, c, o->tokens, o->sequences);

    if (rc)
        return rc;
    useful = 3 * (linear + attention + head);
    executed = useful + attention / 2; /* half of it is its scores */
    if (o->recompute &&
        c->n_layer) /* all layers but the last, without the product with W2 */
        executed += (double)(c->n_layer - 1) / (double)c->n_layer * linear *
                    (4 * d + f) / (4 * d + 2 * f);
    *row = bench_row("train", c, o, t, useful);
    json_object_set_new(*row, "parts", parts_of(m));
    json_object_set_new(*row, "labelled", json_integer(m->n_label));
    json_object_set_new(*row, "vocabulary", json_integer(c->vocab_size));
    bench_put(*row, "executed_gflop", executed);
    bench_put(*row, "executed_share_of_sgemm", executed / t->best_s / t->sgemm);
    bench_put(*row, "bases_per_token", m->bases_per_token);
    bench_put(*row, "bp_per_s",
              bench_number(*row, "per_s") * m->bases_per_token);
    if (!o->precision)
        return 0;
    bench_put_low(*row, &m->l->low, o, t, m->error);
    bench_put(*row, "loss", m->loss[1]);
    bench_put(*row, "float32_loss", m->loss[0]);
    bench_put(*row, "gradient_norm", m->norm[1]);
    bench_put(*row, "float32_gradient_norm", m->norm[0]);
    return 0;
}

int bench_train(json_t **row, const struct bench_options *o)
{
    struct bench m = {.best_s = (double)INFINITY,
                      .bases_per_token = (double)NAN};
    struct bench_body body = {.context = &m, .run = run_step};
    struct bench_times t;
    struct bird_config c;
    int rc = open_trainer(&m, &c, o);

    if (o->precision)
        body.part[BENCH_PLAIN] = run_plain;
    if (!rc)
        rc = bench_measure(&t, &body, &c, o);
    if (!rc)
        rc = fill(row, &m, &c, o, &t);
    bird_trainer_free(m.l);
    bench_batch_free(&m.batch);
    free(m.label);
    return rc;
}
