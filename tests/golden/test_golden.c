/* Every case folder in tests/golden (or $DNABIRD_GOLDEN): forward tensors,
 * losses, gradients and optimiser steps against the reference. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "check.h"
#include "folder/config_file.h"
#include "folder/params_file.h"
#include "folder/safetensors.h"
#include "head/head.h"
#include "model/config.h"
#include "model/params.h"

struct golden {
    char name[128];
    json_t *info;
    struct bird_config c;
    bird_tensors *io;
    struct bird_param *list;
    int64_t n_param, total;
    float *theta;
    struct bird_weights w;
    struct bird_batch b;
    int64_t batch, len;
    int64_t *offset;
    int32_t *ids, *type;
    uint8_t *mask;
    double atol, rtol, grad_rtol;
    int failed;
};

static const char *golden_folder(void)
{
    static char path[1024];
    const char *own = getenv("DNABIRD_GOLDEN"), *t = getenv("BIRD_TEST_DATA");

    if (own)
        return own;
    snprintf(path, sizeof(path), "%s/golden", t ? t : "tests");
    return path;
}

static void complain(struct golden *g, const char *what, double got,
                     double allowed)
{
    fprintf(stderr, "# %s: %s: off by %.3g, allowed %.3g\n", g->name, what, got,
            allowed);
    g->failed = 1;
}

static void *ints(const bird_tensors *io, const char *name, size_t size)
{
    const struct bird_tensor *t = bird_tensors_find(io, name);
    int64_t n = t ? bird_tensor_count(t) : 0;
    int32_t v;
    void *out;

    if (!t)
        return NULL;
    cr_assert_eq(t->dtype, BIRD_I32, "%s is not I32", name);
    WORKS(bird_array_new(&out, n, size));
    for (int64_t i = 0; i < n; i++) {
        memcpy(&v, (const char *)t->data + 4 * i, 4);
        if (size == 1)
            ((uint8_t *)out)[i] = (uint8_t)v;
        else
            ((int32_t *)out)[i] = v;
    }
    return out;
}

static float *reals(const bird_tensors *io, const char *name)
{
    const struct bird_tensor *t = bird_tensors_find(io, name);
    float *out;

    if (!t)
        return NULL;
    WORKS(bird_array_new(&out, bird_tensor_count(t), 4));
    bird_tensor_to_f32(out, t);
    return out;
}

static void check_head(struct golden *g)
{
    const char *kind = json_string_value(json_object_get(g->info, "kind"));

    if (!strcmp(kind, "linear"))
        g->c.head = &bird_head_linear_pooled;
    if (!strcmp(kind, "linear"))
        g->c.n_label = bird_tensors_find(g->io, "labels")->shape[1];
}

static void load(struct golden *g, const char *folder, const char *name)
{
    char path[2048];
    json_t *config;
    bird_tensors *model;
    const char *random;

    memset(g, 0, sizeof(*g));
    snprintf(g->name, sizeof(g->name), "%.100s", name);
    snprintf(path, sizeof(path), "%s/%s/case.json", folder, name);
    WORKS(bird_json_open(&g->info, path));
    snprintf(path, sizeof(path), "%s/%s/config.json", folder, name);
    WORKS(bird_json_open(&config, path));
    WORKS(bird_config_read(&g->c, config, path));
    json_decref(config);
    random = json_string_value(json_object_get(g->info, "random_blocks"));
    g->c.pattern.random =
        !strcmp(random, "zero") ? BIRD_RANDOM_ZERO : BIRD_RANDOM_PLAN;
    g->atol = json_number_value(json_object_get(g->info, "atol"));
    g->rtol = json_number_value(json_object_get(g->info, "rtol"));
    g->grad_rtol = json_number_value(json_object_get(g->info, "grad_rtol"));
    snprintf(path, sizeof(path), "%s/%s/io.safetensors", folder, name);
    WORKS(bird_tensors_open(&g->io, path));
    check_head(g);
    WORKS(bird_params_list(&g->list, &g->n_param, &g->total, &g->c));
    WORKS(bird_array_new(&g->theta, g->total, 4));
    snprintf(path, sizeof(path), "%s/%s/model.safetensors", folder, name);
    WORKS(bird_tensors_open(&model, path));
    cr_assert_eq(
        bird_params_load(g->theta, g->list, g->n_param, model, NULL, path), 0,
        "%s: %s", name, bird_last_error());
    bird_tensors_free(model);
    WORKS(bird_weights_bind(&g->w, g->theta, g->list, g->n_param, &g->c));
}

static void load_batch(struct golden *g)
{
    const struct bird_tensor *ids = bird_tensors_find(g->io, "input_ids");

    g->batch = ids->shape[0];
    g->len = ids->shape[1];
    g->ids = ints(g->io, "input_ids", 4);
    g->type = ints(g->io, "token_type_ids", 4);
    g->mask = ints(g->io, "attention_mask", 1);
    WORKS(bird_array_new(&g->offset, g->batch + 1, 8));
    for (int64_t i = 0; i <= g->batch; i++)
        g->offset[i] = i * g->len;
    g->b = (struct bird_batch){.n_seq = g->batch,
                               .offset = g->offset,
                               .ids = g->ids,
                               .type = g->type,
                               .mask = g->mask};
}

static void unload(struct golden *g)
{
    json_decref(g->info);
    bird_tensors_free(g->io);
    bird_weights_free(&g->w);
    free(g->list);
    free(g->theta);
    free(g->offset);
    free(g->ids);
    free(g->type);
    free(g->mask);
}

/* got (batch, len, d) against the file's (batch, padded, d), where mask is 1 */
static void compare_rows(struct golden *g, const char *name, const float *got,
                         int64_t per_row)
{
    const struct bird_tensor *t = bird_tensors_find(g->io, name);
    float *want = reals(g->io, name);
    double worst = 0, allowed = 0;
    int64_t padded, d;

    if (!t)
        return;
    padded = t->n_dim == 3 ? t->shape[1] : 1;
    d = t->shape[t->n_dim - 1];
    cr_assert_eq(t->shape[0], g->batch);
    for (int64_t s = 0; s < g->batch; s++) {
        for (int64_t i = 0; i < per_row; i++) {
            if (per_row > 1 && g->mask && !g->mask[s * g->len + i])
                continue;
            for (int64_t j = 0; j < d; j++) {
                double x = (double)got[(s * per_row + i) * d + j];
                double y = (double)want[(s * padded + i) * d + j];
                double off = fabs(x - y), may = g->atol + g->rtol * fabs(y);

                if (!(off - may <= worst - allowed) || !worst)
                    worst = off, allowed = may;
            }
        }
    }
    if (!(worst <= allowed))
        complain(g, name, worst, allowed);
    free(want);
}

/* Token 0 alone, as heads on one vector a sequence ask for it. */
static void check_first(struct golden *g, struct bird_encoder *e,
                        const float *x)
{
    int64_t d = g->c.hidden_size;
    double worst = 0;
    float *first;

    WORKS(bird_array_new(&first, g->batch * d, 4));
    WORKS(bird_encoder_forward_first(e, first, &g->b));
    for (int64_t i = 0; i < g->batch * d; i++) {
        double off =
            fabs((double)first[i] - (double)x[i / d * g->len * d + i % d]);

        worst = !(off <= worst) ? off : worst;
    }
    if (!(worst <= 1e-5))
        complain(g, "token 0 alone", worst, 1e-5);
    free(first);
}

static void check_forward(struct golden *g)
{
    int64_t n = g->batch * g->len, d = g->c.hidden_size;
    int64_t columns = bird_head_columns(&g->c);
    int64_t rows = bird_head_per_token(&g->c) ? n : g->batch;
    struct bird_encoder *e;
    float *x, *states, *logits, *next, *pooled;
    char name[64];

    WORKS(bird_encoder_new(&e, &g->c, &g->w));
    WORKS(bird_array_new(&x, n * d, 4));
    WORKS(bird_array_new(&states, (g->c.n_layer + 1) * n * d, 4));
    WORKS(bird_array_new(&logits, rows * columns, 4));
    WORKS(bird_array_new(&next, g->batch * 2, 4));
    WORKS(bird_array_new(&pooled, g->batch * d, 4));
    WORKS(bird_encoder_forward(e, x, states, &g->b));
    for (int64_t l = 0; l <= g->c.n_layer; l++) {
        snprintf(name, sizeof(name), "hidden_states.%lld", (long long)l);
        compare_rows(g, name, states + l * n * d, g->len);
    }
    compare_rows(g, "last_hidden_state", x, g->len);
    check_first(g, e, x);
    cr_assert_eq(bird_head_pool(pooled, &g->c, &g->w, x, &g->b),
                 g->c.head->no_pooler ? BIRD_EINVAL : 0);
    compare_rows(g, "pooler_output", pooled, 1);
    WORKS(bird_head_forward(logits, next, &g->c, &g->w, x, &g->b));
    compare_rows(g, "logits", logits, bird_head_per_token(&g->c) ? g->len : 1);
    compare_rows(g, "seq_relationship_logits", next, 1);
    if (g->c.head == &bird_head_linear_pooled) {
        compare_rows(g, "logits_pooled", logits, 1);
        g->c.head = &bird_head_linear_cls;
        WORKS(bird_head_forward(logits, next, &g->c, &g->w, x, &g->b));
        compare_rows(g, "logits_cls", logits, 1);
        g->c.head = &bird_head_linear_pooled;
    }
    free(x);
    free(states);
    free(logits);
    free(next);
    free(pooled);
    bird_encoder_free(e);
}

/* One loss and gradient; grad (total) is zeroed first. */
static struct bird_loss run_backward(struct golden *g, float *grad,
                                     int recompute)
{
    int64_t n = g->batch * g->len;
    struct bird_labels l = {.pos_weight = 1};
    struct bird_dropout_rates dropout = {0};
    struct bird_weights gw;
    struct bird_encoder *e;
    struct bird_tape *tape;
    struct bird_loss loss;
    const struct bird_tensor *t = bird_tensors_find(g->io, "labels");
    const float *x;
    float *dx;
    void *labels;

    labels = t->dtype == BIRD_I32 ? ints(g->io, "labels", 4)
                                  : (void *)reals(g->io, "labels");
    if (t->dtype != BIRD_I32)
        l.value = labels;
    else if (bird_head_per_token(&g->c))
        l.token = labels;
    else
        l.class_id = labels;
    l.next = ints(g->io, "next_sentence_label", 4);
    if (g->c.head == &bird_head_linear_pooled ||
        g->c.head == &bird_head_linear_cls)
        l.pos_weight = 8; /* the case's text says so */
    memset(grad, 0, (size_t)g->total * sizeof(*grad));
    WORKS(bird_weights_bind(&gw, grad, g->list, g->n_param, &g->c));
    WORKS(bird_encoder_new(&e, &g->c, &g->w));
    WORKS(bird_tape_new(&tape, recompute));
    WORKS(bird_array_new(&dx, n * g->c.hidden_size, 4));
    WORKS(bird_encoder_train_forward(e, tape, &x, &g->b, &dropout));
    cr_assert_eq(bird_head_backward(&loss, dx, NULL, &gw, &g->c, &g->w, x,
                                    &g->b, &l, &dropout, 1),
                 0, "%s: %s", g->name, bird_last_error());
    WORKS(bird_encoder_backward(e, tape, &gw, dx, &g->b, &dropout));
    free(dx);
    free(labels);
    free((void *)(uintptr_t)l.next);
    bird_tape_free(tape);
    bird_encoder_free(e);
    bird_weights_free(&gw);
    return loss;
}

static void check_loss(struct golden *g, const char *name, double got)
{
    float *want = reals(g->io, name);

    if (want && !(fabs(got - (double)*want) <= 1e-5 * fabs((double)*want)))
        complain(g, name, fabs(got - (double)*want),
                 1e-5 * fabs((double)*want));
    free(want);
}

/* The case lists gradients that are zero in theory (attention key biases):
 * the reference's values are rounding noise, and so are ours. */
static int is_noise(const struct golden *g, const char *prefix,
                    const char *name)
{
    const json_t *o = json_object_get(g->info, "gradients"), *list, *v;
    size_t i;

    list = json_object_get(
        json_object_get(o, prefix),
        "gradient_is_exactly_zero_in_theory(pure rounding noise)");
    for (i = 0; i < json_array_size(list); i++) {
        v = json_array_get(list, i);
        if (!strcmp(json_string_value(v), name))
            return 1;
    }
    return 0;
}

static int64_t check_gradients(struct golden *g, const char *prefix,
                               const float *grad)
{
    int64_t found = 0;
    char name[256];

    for (int64_t i = 0; i < g->n_param; i++) {
        const struct bird_param *p = &g->list[i];
        double worst = 0, most = 0;
        float *want;

        snprintf(name, sizeof(name), "%s%s", prefix, p->name);
        want = reals(g->io, name);
        for (int64_t j = 0; j < p->count; j++) {
            double w = want ? (double)want[j] : 0;
            double off = fabs((double)grad[p->offset + j] - w);

            most = fabs(w) > most ? fabs(w) : most;
            worst = !(off <= worst) ? off : worst;
        }
        /* parameters that the file lists no gradient for have none */
        if (is_noise(g, prefix, p->name) && worst <= 1e-6)
            worst = 0;
        if (!(worst <= g->grad_rtol * most + 1e-7))
            complain(g, name, worst, g->grad_rtol * most + 1e-7);
        found += want != NULL;
        free(want);
    }
    return found;
}

/* After t steps on the same batch; key biases are rounding noise. */
static void check_parameters(struct golden *g, const char *prefix,
                             const float *theta, double lr, int64_t steps)
{
    char name[256];

    for (int64_t i = 0; i < g->n_param; i++) {
        const struct bird_param *p = &g->list[i];
        int64_t far = 0;
        double worst = 0;
        float *want;

        snprintf(name, sizeof(name), "%s%s", prefix, p->name);
        want = reals(g->io, name);
        if (!want || strstr(name, "self.key.bias")) {
            free(want);
            continue;
        }
        for (int64_t j = 0; j < p->count; j++) {
            double off = fabs((double)theta[p->offset + j] - (double)want[j]);

            far += !(off <= 2e-5);
            worst = !(off <= worst) ? off : worst;
        }
        if (!(worst <= lr * (double)steps * 2))
            complain(g, name, worst, lr * (double)steps * 2);
        if (far * 1000 > p->count)
            complain(g, name, (double)far / (double)p->count, 0.001);
        free(want);
    }
}

static void adam_all(struct golden *g, float *m, float *v, const float *grad,
                     const struct bird_adam *a)
{
    for (int64_t i = 0; i < g->n_param; i++) {
        const struct bird_param *p = &g->list[i];
        int64_t o = p->offset;

        if (strstr(p->name, "pooler") && g->c.head == &bird_head_mlm)
            continue; /* no gradient: neither updated nor decayed */
        bird_kernels()->adam(g->theta + o, m + o, v + o, grad + o, a, p->decay,
                             p->count);
    }
}

static void check_optimizer(struct golden *g, float *grad,
                            enum bird_adam_kind kind, const char *label)
{
    json_t *o = json_object_get(g->info, "optimizer");
    json_t *h = json_object_get(o, "hyperparameters"), *losses;
    struct bird_adam a = {.kind = kind, .grad_scale = 1};
    float *m, *v, *start;
    char name[128];

    snprintf(name, sizeof(name), "%s_losses before step 1,2,3 and after step 3",
             label);
    losses = json_object_get(o, name);
    a.lr = json_number_value(json_object_get(h, "lr"));
    a.beta1 = json_number_value(json_object_get(h, "beta1"));
    a.beta2 = json_number_value(json_object_get(h, "beta2"));
    a.eps = json_number_value(json_object_get(h, "eps"));
    a.weight_decay = json_number_value(json_object_get(h, "weight_decay"));
    WORKS(bird_array_new(&m, g->total, 4));
    WORKS(bird_array_new(&v, g->total, 4));
    WORKS(bird_array_new(&start, g->total, 4));
    memcpy(start, g->theta, (size_t)g->total * 4);
    for (a.t = 1; a.t <= 4; a.t++) {
        double want = json_number_value(json_array_get(losses, a.t - 1));
        struct bird_loss l = run_backward(g, grad, 1);

        if (!(fabs(l.loss - want) <= 1e-4 * want))
            complain(g, name, fabs(l.loss - want), 1e-4 * want);
        if (a.t == 4)
            break;
        adam_all(g, m, v, grad, &a);
        snprintf(name, sizeof(name), "%s%d.", label, (int)a.t);
        if (a.t != 2)
            check_parameters(g, name, g->theta, a.lr, a.t);
    }
    memcpy(g->theta, start, (size_t)g->total * 4);
    free(m);
    free(v);
    free(start);
}

static void check_learning(struct golden *g)
{
    float *grad, *again;
    struct bird_loss l;
    int64_t found;

    if (!bird_tensors_find(g->io, "labels"))
        return;
    WORKS(bird_array_new(&grad, g->total, 4));
    WORKS(bird_array_new(&again, g->total, 4));
    l = run_backward(g, grad, 0);
    check_loss(g, "loss", l.loss);
    check_loss(g, "loss_mlm", l.mlm);
    check_loss(g, "loss_nsp", l.next);
    run_backward(g, again, 1);
    if (memcmp(grad, again, (size_t)g->total * 4))
        complain(g, "recomputed gradients differ", 1, 0);
    if (g->c.head == &bird_head_linear_pooled) {
        check_loss(g, "loss_pooled", l.loss);
        found = check_gradients(g, "grad_pooled.", grad);
        g->c.head = &bird_head_linear_cls;
        l = run_backward(g, grad, 0);
        check_loss(g, "loss_cls", l.loss);
        found *= check_gradients(g, "grad_cls.", grad);
        cr_assert_gt(found, 0);
    } else if (json_object_get(g->info, "gradients")) {
        found = check_gradients(g, "grad.", grad);
        cr_assert_gt(found, 0);
    }
    if (json_object_get(g->info, "optimizer")) {
        check_optimizer(g, grad, BIRD_ADAMW_TORCH, "adamw");
        check_optimizer(g, grad, BIRD_ADAM_GOOGLE, "bertadam");
    }
    free(grad);
    free(again);
}

Test(golden, every_case_folder)
{
    const char *folder = golden_folder();
    DIR *d = opendir(folder);
    struct dirent *f;
    int cases = 0, failed = 0;

    cr_assert_not_null(d, "%s", folder);
    while ((f = readdir(d))) {
        char path[2048];
        struct golden g;

        snprintf(path, sizeof(path), "%s/%s/io.safetensors", folder, f->d_name);
        if (f->d_name[0] == '.' || !bird_file_exists(path))
            continue;
        load(&g, folder, f->d_name);
        load_batch(&g);
        check_forward(&g);
        WORKS(bird_weights_prepare(&g.w, &g.c, BIRD_FLOAT32, 0));
        check_forward(&g);       /* as the commands compute */
        bird_weights_free(&g.w); /* learning is over weights as they are */
        WORKS(bird_weights_bind(&g.w, g.theta, g.list, g.n_param, &g.c));
        check_learning(&g);
        fprintf(stderr, "# %-32s %s\n", g.name, g.failed ? "FAILED" : "ok");
        failed += g.failed;
        cases++;
        unload(&g);
    }
    closedir(d);
    cr_assert_gt(cases, 0, "no case in %s", folder);
    cr_assert_eq(failed, 0, "%d of %d cases failed", failed, cases);
}
