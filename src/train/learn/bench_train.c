/* The benchmark's row that learns. SPDX-License-Identifier: MIT */
#include "dnabird/bench_train.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "predict/bench.h"
#include "train/learn/trainer.h"

struct bench {
    struct bird_trainer *l;
    struct bird_bench_batch batch;
    int32_t *label;
};

static int run_step(void *context)
{
    struct bench *m = context;
    const struct bird_noise noise = {
        .key = 1, .hidden = 0.1f, .attention = 0.1f, .classifier = 0.1f};
    struct bird_labels labels = {.class_id = m->label};
    struct bird_loss loss;
    int rc = bird_trainer_add(m->l, &loss, &m->batch.b, &labels, &noise, 1);

    if (!rc)
        bird_trainer_update(m->l, 1e-5);
    return rc;
}

static int bench_open(struct bench *m, struct bird_config *c,
                      const bird_bench_options *o)
{
    int rc = bird_bench_check(o);

    if (!rc && o->model)
        rc = bird_fail(BIRD_EINVAL, "bench: training is measured on a preset");
    if (rc || (rc = bird_bench_preset(c, o)))
        return rc;
    c->head = BIRD_HEAD_SEQUENCE;
    c->n_label = 2;
    c->random = BIRD_RANDOM_PLAN;
    rc = bird_trainer_new(&m->l, c, 0, 0);
    if (rc || (rc = bird_bench_batch_new(&m->batch, c, o)) ||
        (rc = bird_array_new(&m->label, o->sequences, sizeof(*m->label))))
        return rc;
    m->l->adam = (struct bird_adam){.kind = BIRD_ADAMW_TORCH,
                                    .beta1 = 0.9,
                                    .beta2 = 0.999,
                                    .eps = 1e-8,
                                    .weight_decay = 0.01};
    m->l->clip = 1;
    bird_params_init(m->l->theta, m->l->list, m->l->n_param, c, 1, NULL);
    for (int64_t i = 0; i < o->sequences; i++)
        m->label[i] = (int32_t)(i % 2);
    return 0;
}

int bird_bench_train(bird_bench_row *out, const bird_bench_options *o)
{
    struct bench m = {0};
    struct bird_bench_body body = {.context = &m, .run = run_step};
    struct bird_bench_work work;
    struct bird_config c;
    bird_bench_row row;
    int rc = bench_open(&m, &c, o);

    if (!rc)
        rc = bird_bench_count(&work, &c, o);
    if (!rc) {
        bird_bench_describe(&row, "train", o->preset, &c, o);
        row.gflop = 3 * (work.linear + work.attention);
        rc = bird_bench_measure(&row, &body, &c, o);
    }
    if (!rc)
        *out = row;
    bird_trainer_free(m.l);
    bird_bench_batch_free(&m.batch);
    free(m.label);
    return rc;
}
