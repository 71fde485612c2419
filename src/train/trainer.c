/* One step of learning. SPDX-License-Identifier: MIT */
#include "train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "dnabird/dnabird.h"
#include "kernel/kernel.h"
#include "model/stem.h"

/* Parameters of one update task. */
#define CHUNK 65536
/* Of an entry of a direction about, at learning rate 1; 2.5 times that of Liu
 * et al.: docs/trials/stem.md. */
#define MUON_SIZE 0.5

struct bird_update { /* a chunk of one tensor */
    int64_t offset, count;
    int decay;
    int muon; /* v holds the direction of its matrix */
};

/* Tensors that this head's loss does not reach are neither updated nor
 * decayed, as torch skips parameters without gradient. */
static int is_reached(const struct bird_param *p, const struct bird_config *c)
{
    return !strstr(p->name, "pooler.") || c->head->pooler;
}

static int make_updates(struct bird_trainer *l)
{
    int64_t n = 0;
    int rc;

    for (int64_t i = 0; i < l->n_param; i++)
        n += (l->list[i].count + CHUNK - 1) / CHUNK;
    rc = bird_array_new(&l->update, n, sizeof(*l->update));
    if (rc || (rc = bird_array_new(&l->partial, n, sizeof(*l->partial))))
        return rc;
    for (int64_t i = 0; i < l->n_param; i++) {
        const struct bird_param *p = &l->list[i];

        for (int64_t j = 0; is_reached(p, &l->c) && j < p->count; j += CHUNK)
            l->update[l->n_update++] = (struct bird_update){
                p->offset + j, j + CHUNK < p->count ? CHUNK : p->count - j,
                p->decay, 0};
    }
    return 0;
}

/* Does the parameter at `offset` learn with the head? So does the pooler: a
 * masked-language model has none that was trained. */
static int is_heads(const struct bird_trainer *l, int64_t offset)
{
    const struct bird_param *p = l->list;

    while (offset >= p->offset + p->count)
        p++;
    return bird_param_is_head(p) || strstr(p->name, "pooler.");
}

void bird_trainer_freeze(struct bird_trainer *l)
{
    int64_t n = 0;

    for (int64_t i = 0; i < l->n_update; i++)
        if (is_heads(l, l->update[i].offset))
            l->update[n++] = l->update[i];
    l->n_update = n;
    l->frozen = 1;
}

static int make_blocks(struct bird_trainer *l)
{
    float **block[] = {&l->theta, &l->grad, &l->m, &l->v, &l->shadow};
    int rc = 0, n = l->shadow_decay > 0 ? 5 : 4;

    for (int i = 0; !rc && i < n; i++)
        rc = bird_array_new(block[i], l->total, sizeof(float));
    return rc;
}

int bird_trainer_new(struct bird_trainer **out, const struct bird_config *c,
                     int recompute, double shadow_decay)
{
    struct bird_trainer *l;
    int rc = bird_prob_map_check_trains(&c->map);

    if (rc)
        return rc;
    l = calloc(1, sizeof(*l));
    if (!l)
        return bird_fail_memory(sizeof(*l));
    l->c = *c;
    l->shadow_decay = shadow_decay;
    rc = bird_params_list(&l->list, &l->n_param, &l->total, c);
    if (rc || (rc = make_blocks(l)) || (rc = make_updates(l)))
        goto done;
    rc = bird_weights_bind(&l->w, l->theta, l->list, l->n_param, c);
    if (!rc)
        rc = bird_weights_bind(&l->g, l->grad, l->list, l->n_param, c);
    if (!rc)
        rc = bird_weights_bind(&l->slow, l->shadow ? l->shadow : l->theta,
                               l->list, l->n_param, c);
    if (!rc)
        rc = bird_encoder_new(&l->e, c, &l->w);
    if (!rc)
        rc = bird_tape_new(&l->tape, recompute);
done:
    if (rc)
        bird_trainer_free(l);
    else
        *out = l;
    return rc;
}

int bird_trainer_lower(struct bird_trainer *l, enum bird_precision p)
{
    int rc;

    if (p == BIRD_FLOAT32)
        return 0;
    if (p != BIRD_BFLOAT16)
        return bird_fail(BIRD_EINVAL,
                         "precision %s is for scoring: train in float32 or "
                         "bfloat16",
                         bird_precision_name(p));
    rc = bird_weights_bind(&l->low, l->theta, l->list, l->n_param, &l->c);
    if (!rc)
        rc = bird_weights_round(&l->low, &l->c);
    if (!rc)
        rc = bird_encoder_new(&l->e_low, &l->c, &l->low);
    if (rc)
        return rc;
    l->precision = p;
    l->stale = 1;
    return 0;
}

void bird_trainer_free(struct bird_trainer *l)
{
    if (!l)
        return;
    bird_encoder_free(l->e);
    bird_encoder_free(l->e_low);
    bird_tape_free(l->tape);
    bird_weights_free(&l->w);
    bird_weights_free(&l->g);
    bird_weights_free(&l->slow);
    bird_weights_free(&l->low);
    free(l->theta);
    free(l->grad);
    free(l->m);
    free(l->v);
    free(l->shadow);
    free(l->dx);
    bird_head_tokens_free(&l->tokens);
    free(l->update);
    free(l->partial);
    free(l->matrix);
    bird_muon_scratch_free(l->scratch);
    free(l->list);
    free(l);
}

/* Round the weights if theta has changed since the last rounding. */
static int follow(struct bird_trainer *l)
{
    int rc = l->stale ? bird_weights_round(&l->low, &l->c) : 0;

    l->stale = rc != 0;
    return rc;
}

int bird_trainer_add(struct bird_trainer *l, struct bird_loss *loss,
                     const struct bird_batch *b,
                     const struct bird_labels *labels,
                     const struct bird_dropout_rates *dropout, float scale)
{
    int64_t size = b->offset[b->n_seq] * l->c.hidden_size;
    int lower = l->precision != BIRD_FLOAT32;
    struct bird_batch own = *b;
    const struct bird_dropout_rates none = {.key = dropout->key};
    const struct bird_weights *w = lower ? &l->low : &l->w;
    struct bird_encoder *e = lower ? l->e_low : l->e;
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_UPDATE);
    const float *x;
    int rc = bird_array_grow(&l->dx, &l->cap_dx, size, sizeof(*l->dx));

    if (!rc && lower)
        rc = follow(l);
    if (!rc && labels->token)
        rc = bird_head_want(&l->tokens, &own, &l->c, labels->token, 1);
    b = &own;
    bird_timer_enter(BIRD_PHASE_FORWARD);
    if (!rc)
        rc = bird_encoder_train_forward(e, l->tape, &x, b,
                                        l->frozen ? &none : dropout);
    bird_timer_enter(BIRD_PHASE_HEAD);
    if (!rc)
        rc = bird_head_backward(loss, l->dx, NULL, &l->g, &l->c, w, x, b,
                                labels, dropout, scale);
    bird_timer_enter(BIRD_PHASE_BACKWARD);
    if (!rc && !l->frozen)
        rc = bird_encoder_backward(e, l->tape, &l->g, l->dx, b, dropout);
    bird_timer_leave(before);
    return rc;
}

static void norm_task(void *context, int64_t task, int worker)
{
    struct bird_trainer *l = context;
    const struct bird_update *u = &l->update[task];

    (void)worker;
    l->partial[task] =
        bird_kernels()->sum_squares(l->grad + u->offset, u->count);
}

/* The average follows quickly at first, so that the random start is soon
 * forgotten: min(decay, (1 + t) / (10 + t)). */
static float shadow_rate(const struct bird_trainer *l)
{
    double early = (1.0 + (double)l->adam.t) / (10.0 + (double)l->adam.t);

    return (float)(early < l->shadow_decay ? early : l->shadow_decay);
}

static void follow_direction(float *theta, const float *d,
                             const struct bird_adam *a,
                             const struct bird_update *u)
{
    float keep = (float)(1 - (u->decay ? a->lr * a->weight_decay : 0));
    float lr = (float)a->lr;

    for (int64_t i = 0; i < u->count; i++)
        theta[i] = keep * theta[i] - lr * d[i];
}

static void update_task(void *context, int64_t task, int worker)
{
    struct bird_trainer *l = context;
    const struct bird_update *u = &l->update[task];
    float *theta = l->theta + u->offset, *g = l->grad + u->offset;
    float slow = shadow_rate(l);

    (void)worker;
    if (u->muon)
        follow_direction(theta, l->v + u->offset, &l->adam, u);
    else
        bird_kernels()->adam(theta, l->m + u->offset, l->v + u->offset, g,
                             &l->adam, u->decay, u->count);
    if (l->shadow) {
        float *s = l->shadow + u->offset;

        for (int64_t i = 0; i < u->count; i++)
            s[i] += (1 - slow) * (theta[i] - s[i]);
    }
    memset(g, 0, (size_t)u->count * sizeof(*g));
}

void bird_trainer_centre(struct bird_trainer *l)
{
    l->centre = 1;
    bird_tape_centre(l->tape);
}

/* Filters that read rows, and a linear head; the table's are centred where it
 * is at hand. */
static int is_centred(const struct bird_trainer *l, const struct bird_param *p)
{
    int first = !strcmp(p->name, "stem.0.weight");

    if (p->kind != BIRD_PARAM_WEIGHT)
        return 0;
    if (first && bird_stem_table_size(&l->c))
        return 0;
    return !strncmp(p->name, "stem.", 5) ||
           !strcmp(p->name, "classifier.weight") ||
           !strcmp(p->name, "classifier.out_proj.weight");
}

static void centre_task(void *context, int64_t task, int worker)
{
    const struct bird_trainer *l = context;
    const struct bird_param *p = &l->list[task];
    int64_t n = p->count / p->shape[0];

    (void)worker;
    for (int64_t i = 0; is_centred(l, p) && i < p->shape[0]; i++) {
        float *g = l->grad + p->offset + i * n;
        double mean = 0;

        for (int64_t j = 0; j < n; j++)
            mean += (double)g[j];
        mean /= (double)n;
        for (int64_t j = 0; j < n; j++)
            g[j] -= (float)mean;
    }
}

/* Rank of the inputs of a matrix, at most. The inputs of a stem's first layer
 * are words, which span fewer directions than the layer has columns. */
static int64_t inputs_of(const struct bird_trainer *l,
                         const struct bird_param *p)
{
    int64_t n = p->count / p->shape[0];

    if (!strcmp(p->name, "stem.0.weight") && l->c.vocab_size < l->c.hidden_size)
        n = n / l->c.hidden_size * l->c.vocab_size;
    return n;
}

static void use_muon(struct bird_trainer *l, const struct bird_param *p)
{
    int64_t inputs = inputs_of(l, p),
            most = inputs > p->shape[0] ? inputs : p->shape[0];

    l->matrix[l->n_matrix++] = (struct bird_muon_matrix){
        p->offset, p->shape[0], p->count / p->shape[0],
        (float)(MUON_SIZE * sqrt((double)most))};
    for (int64_t i = 0; i < l->n_update; i++)
        if (l->update[i].offset >= p->offset &&
            l->update[i].offset < p->offset + p->count)
            l->update[i].muon = 1;
}

int bird_trainer_muon(struct bird_trainer *l)
{
    int rc = bird_array_new(&l->matrix, l->n_param, sizeof(*l->matrix));

    for (int64_t i = 0; !rc && i < l->n_param; i++) {
        const struct bird_param *p = &l->list[i];

        if (p->kind == BIRD_PARAM_WEIGHT && !bird_param_is_head(p) &&
            is_reached(p, &l->c))
            use_muon(l, p);
    }
    return rc ? rc
              : bird_muon_scratch_new(&l->scratch, l->matrix, l->n_matrix,
                                      bird_threads());
}

static void direction_task(void *context, int64_t task, int worker)
{
    const struct bird_trainer *l = context;
    const struct bird_muon_matrix *x = &l->matrix[task];

    bird_muon_direction(l->v + x->offset, l->m + x->offset, l->grad + x->offset,
                        l->adam.grad_scale, x, l->scratch, worker);
}

double bird_trainer_update(struct bird_trainer *l, double lr)
{
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_UPDATE);
    double sum = 0, norm;

    if (l->centre)
        bird_parallel(l->n_param, centre_task, l);

    bird_parallel(l->n_update, norm_task, l);
    for (int64_t i = 0; i < l->n_update; i++)
        sum += l->partial[i];
    norm = sqrt(sum);
    if (!isfinite(norm))
        goto done;
    l->adam.grad_scale = 1;
    if (l->clip > 0 && norm > l->clip)
        l->adam.grad_scale = l->clip / (norm + 1e-6);
    l->adam.lr = lr;
    l->adam.t++;
    bird_parallel(l->n_matrix, direction_task, l);
    bird_parallel(l->n_update, update_task, l);
    l->stale = 1;
done:
    bird_timer_leave(before);
    return norm;
}

void bird_trainer_start_shadow(struct bird_trainer *l)
{
    if (l->shadow)
        memcpy(l->shadow, l->theta, (size_t)l->total * sizeof(float));
}

double bird_schedule(double lr, int64_t step, int64_t warmup, int64_t total,
                     int constant)
{
    if (step < warmup)
        return lr * (double)step / (double)warmup;
    if (constant || total <= warmup)
        return lr;
    return step >= total
               ? 0
               : lr * (double)(total - step) / (double)(total - warmup);
}
