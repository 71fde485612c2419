/* The benchmark's row that learns: masked tokens on a preset.
 * SPDX-License-Identifier: MIT */
#include "dnabird/bench_train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "dnabird/tokenizer.h"
#include "train/trainer.h"

/* Tokens with a loss, of a hundred; bases that tell a token's length. */
#define LABELLED 15
#define BASES    10000000

struct bench {
    struct bird_trainer *l;
    struct bird_bench_batch batch;
    int32_t *label;
    int64_t n_label;
    double bases_per_token; /* NaN: no tokenizer */
    struct bird_trainer_times now, best;
    double best_s;
    bird_bench_low low;
};

/* The gradient of the batch, added to that of the learner. */
static int add(struct bench *m, struct bird_loss *loss)
{
    const struct bird_noise noise = {
        .key = 1, .hidden = 0.1f, .attention = 0.1f, .classifier = 0.1f};
    struct bird_labels labels = {.token = m->label};

    return bird_trainer_add(m->l, loss, &m->batch.b, &labels, &noise, 1);
}

/* One step; the parts of the fastest are kept. */
static int run_step(void *context)
{
    struct bench *m = context;
    double start = bird_bench_now();
    struct bird_loss loss;
    int rc;

    m->now = (struct bird_trainer_times){.now = bird_bench_now};
    rc = add(m, &loss);
    if (rc)
        return rc;
    bird_trainer_update(m->l, 1e-5);
    start = bird_bench_now() - start;
    if (start < m->best_s) {
        m->best = m->now;
        m->best_s = start;
    }
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
    size_t size = (size_t)m->l->total * sizeof(float);
    double square[2] = {0}, wrong = 0, most = 0;
    struct bird_loss loss;
    float *g;
    int rc = bird_array_new(&g, m->l->total, sizeof(*g));

    for (int i = 0; !rc && i < 2; i++) {
        m->l->precision = p[i];
        rc = add(m, &loss);
        m->low.loss[i] = loss.loss;
        if (!i)
            memcpy(g, m->l->grad, size);
        for (int64_t k = 0; i && k < m->l->total; k++) {
            double e = (double)m->l->grad[k] - (double)g[k];

            square[0] += (double)g[k] * (double)g[k];
            square[1] += (double)m->l->grad[k] * (double)m->l->grad[k];
            wrong += e * e;
            most = fabs(e) > most ? fabs(e) : most;
        }
        memset(m->l->grad, 0, size);
    }
    free(g);
    for (int i = 0; i < 2; i++)
        m->low.norm[i] = sqrt(square[i]);
    m->low.error_rms = sqrt(wrong / square[0]);
    m->low.error_max = most;
    return rc;
}

static int lower(struct bench *m, enum bird_precision p)
{
    int rc = bird_trainer_lower(m->l, p);

    if (rc)
        return rc;
    m->low.precision = p;
    m->low.weights_mib = (double)bird_weights_low_bytes(&m->l->low) / (1 << 20);
    snprintf(m->low.product, sizeof(m->low.product), "%s",
             bird_weights_low_name(&m->l->low));
    return compare(m);
}

/* The vocabulary, and bases a token, of the tokenizer that is given. */
static int measure_tokenizer(struct bench *m, struct bird_config *c,
                             const bird_bench_options *o)
{
    struct bird_text s = {0};
    bird_tokenizer *t = NULL;
    bird_encoding e = {0};
    int rc;

    m->bases_per_token = (double)NAN;
    if (!o->tokenizer)
        return 0;
    rc = bird_tokenizer_open(&t, o->tokenizer);
    if (!rc)
        rc = bird_bench_letters(&s, o->fasta, BASES);
    if (!rc)
        rc = bird_tokenizer_encode(t, &e, s.s, s.n, 0);
    if (!rc) {
        c->vocab_size = bird_tokenizer_count(t);
        m->bases_per_token = e.n ? (double)s.n / (double)e.n : (double)NAN;
    }
    bird_encoding_free(&e);
    bird_tokenizer_free(t);
    bird_text_free(&s);
    return rc;
}

static int make_labels(struct bench *m, const bird_bench_options *o,
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

static int bench_open(struct bench *m, struct bird_config *c,
                      const bird_bench_options *o)
{
    int rc = bird_bench_check(o);

    m->best_s = (double)INFINITY;
    if (!rc && o->model)
        rc = bird_fail(BIRD_EINVAL, "bench: training is measured on a preset");
    if (rc || (rc = bird_bench_preset(c, o)) ||
        (rc = measure_tokenizer(m, c, o)))
        return rc;
    c->head = bird_head_masked(0);
    c->random = BIRD_RANDOM_PLAN;
    rc = bird_trainer_new(&m->l, c, o->recompute, 0);
    if (rc || (rc = bird_bench_batch_new(&m->batch, c, o)) ||
        (rc = make_labels(m, o, c)))
        return rc;
    m->now.now = bird_bench_now;
    bird_trainer_watch(m->l, &m->now);
    m->l->adam = (struct bird_adam){.kind = BIRD_ADAMW_TORCH,
                                    .beta1 = 0.9,
                                    .beta2 = 0.999,
                                    .eps = 1e-8,
                                    .weight_decay = 0.01};
    m->l->clip = 1;
    bird_params_init(m->l->theta, m->l->list, m->l->n_param, c, 1, NULL);
    return o->precision ? lower(m, o->precision) : 0;
}

/* Operations, 1e9: useful ones, and those executed. */
static void count_work(bird_bench_row *row, const struct bird_bench_work *w,
                       const struct bird_config *c, const struct bench *m,
                       int recompute)
{
    double d = (double)c->hidden_size, v = (double)c->vocab_size;
    double head = 2e-9 * (double)m->n_label * (d * d + d * v);
    double f = (double)c->intermediate_size;
    /* all layers but the last, without the product with W2 and attention */
    double again = (double)(c->n_layer - 1) / (double)c->n_layer * w->linear *
                   (4 * d + f) / (4 * d + 2 * f);

    row->gflop = 3 * (w->linear + w->attention + head);
    /* half of attention is its scores */
    row->train.executed =
        row->gflop + w->attention / 2 + (recompute ? again : 0);
}

static void finish(bird_bench_row *row, struct bench *m)
{
    bird_bench_training *t = &row->train;
    const struct bird_trainer_times *s = &m->best;

    m->low.float32_s = row->low.float32_s;
    m->low.speedup = row->low.speedup;
    row->low = m->low;
    t->executed_share =
        row->sgemm > 0 ? t->executed / row->best_s / row->sgemm : (double)NAN;
    t->bases_per_token = m->bases_per_token;
    t->bp_per_s = row->per_s * m->bases_per_token;
    t->part[BIRD_PART_FORWARD] = s->forward / m->best_s;
    t->part[BIRD_PART_HEAD] = s->head / m->best_s;
    t->part[BIRD_PART_BACKWARD] = (s->backward - s->again) / m->best_s;
    t->part[BIRD_PART_AGAIN] = s->again / m->best_s;
    t->part[BIRD_PART_UPDATE] = s->update / m->best_s;
    t->part[BIRD_PART_REST] = 1;
    for (int i = 0; i < BIRD_PART_REST; i++)
        t->part[BIRD_PART_REST] -= t->part[i];
}

int bird_bench_train(bird_bench_row *out, const bird_bench_options *o)
{
    struct bench m = {0};
    struct bird_bench_body body = {.context = &m,
                                   .run = run_step,
                                   .plain = o->precision ? run_plain : NULL};
    struct bird_bench_work work;
    struct bird_config c;
    bird_bench_row row;
    int rc = bench_open(&m, &c, o);

    if (!rc)
        rc = bird_bench_count(&work, &c, o);
    if (!rc) {
        bird_bench_describe(&row, "train", o->preset, &c, o);
        row.train.labelled = m.n_label;
        row.train.vocabulary = c.vocab_size;
        count_work(&row, &work, &c, &m, o->recompute);
        rc = bird_bench_measure(&row, &body, &c, o);
    }
    if (!rc) {
        finish(&row, &m);
        *out = row;
    }
    bird_trainer_free(m.l);
    bird_bench_batch_free(&m.batch);
    free(m.label);
    return rc;
}
