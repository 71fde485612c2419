/* Gradients of a toy model against differences of the loss in double.
 * SPDX-License-Identifier: MIT */
#include "gradient.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "ref.h"

/* What gradients are added to. Every addition rounds by its last digit: a
 * larger number would hide small gradients. */
static const float ADDED_TO = 0.5f;

struct ref_model tiny_model(struct tiny *t)
{
    return (struct ref_model){&t->c, &t->w, t->theta,
                              ref_copy(t->theta, t->total), bird_kernels()};
}

struct along { /* the loss at theta + step * direction of one tensor */
    struct ref_model m;
    struct tiny *t;
    const struct bird_dropout_rates *dropout;
    const struct bird_param *p;
    const float *direction;
    double step;
};

static double loss_along(void *context)
{
    struct along *a = context;
    double *x = a->m.theta + a->p->offset, loss;

    for (int64_t j = 0; j < a->p->count; j++)
        x[j] += a->step * (double)a->direction[j];
    loss = ref_loss(&a->m, &a->t->b, &a->t->labels, a->dropout);
    for (int64_t j = 0; j < a->p->count; j++)
        x[j] = (double)a->t->theta[a->p->offset + j];
    return loss;
}

/* Along a random direction and two axes of every tensor. */
static void check_tensor(struct along *a, const char *what, struct bird_rng *r)
{
    int64_t n = a->p->count;
    const float *g = a->t->grad + a->p->offset;
    float *v;
    double norm = 0;

    WORKS(bird_array_new(&v, n, 4));
    a->direction = v;
    for (int64_t j = 0; j < n; j++)
        norm += ((double)g[j] - (double)ADDED_TO) *
                ((double)g[j] - (double)ADDED_TO);
    norm = sqrt(norm);
    for (int pass = 0; pass < 3; pass++) {
        double got = 0, want;

        if (!pass) {
            ref_fill(v, n, r, 1);
        } else {
            memset(v, 0, (size_t)n * 4);
            v[bird_rng_below(r, (uint64_t)n)] = 1;
        }
        a->step = 0;
        want = ref_slope(loss_along, a, &a->step, 1e-5);
        for (int64_t j = 0; j < n; j++)
            got += ((double)g[j] - (double)ADDED_TO) * (double)v[j];
        /* ADDED_TO + g has 24 bits, and float sums lose a few more */
        cr_assert_float_eq(got, want, 1e-4 * norm + 1e-6 * sqrt((double)n) * 4,
                           "%s: %s (pass %d): %.8g, not %.8g", what, a->p->name,
                           pass, got, want);
    }
    free(v);
}

void gradient_check(const struct bird_config *c,
                    const struct bird_dropout_rates *dropout, float pos_weight,
                    const char *what)
{
    struct tiny t;
    struct along a = {.t = &t, .dropout = dropout};
    struct bird_rng r;
    double got, want;
    int64_t n;

    bird_rng_init(&r, 3, 0, 0);
    tiny_init(&t, c, 11);
    t.labels.pos_weight = pos_weight;
    a.m = tiny_model(&t);
    for (int64_t i = 0; i < t.total; i++)
        t.grad[i] = ADDED_TO;
    got = tiny_pass(&t, dropout, 0);
    want = ref_loss(&a.m, &t.b, &t.labels, dropout);
    cr_assert_float_eq(got, want, 2e-5 * (1 + fabs(want)),
                       "%s: loss %g, not %g", what, got, want);
    /* The formulas touch no memory of the product: where every access is checked,
     * one tensor is enough. */
    n = getenv("BIRD_TEST_SHORT") ? 1 : t.n_param;
    for (int64_t i = 0; i < n; i++) {
        a.p = t.list + i;
        check_tensor(&a, what, &r);
    }
    free(a.m.theta);
    tiny_free(&t);
}

void gradient_check_head(const struct bird_config *c, float pos_weight,
                         const char *what)
{
    struct bird_dropout_rates dropout = {.key = 5};

    gradient_check(c, &dropout, pos_weight, what);
    dropout = (struct bird_dropout_rates){17, 0.3f, 0.2f, 0.4f};
    gradient_check(c, &dropout, pos_weight, what);
}

void gradient_check_threads(struct tiny *t, int n)
{
    struct bird_dropout_rates dropout = {23, 0.3f, 0.3f, 0.3f};
    float *kept = ref_floats(t->total);
    double loss = 0;

    for (int i = 0; i < n; i++) {
        double got;

        bird_threads_set(1 + i / 2);
        memset(t->grad, 0, (size_t)t->total * sizeof(float));
        got = tiny_pass(t, &dropout, i % 2);
        if (!i) {
            loss = got;
            memcpy(kept, t->grad, (size_t)t->total * sizeof(float));
        }
        cr_assert(isfinite(got));
        cr_assert_eq(got, loss);
        cr_assert_arr_eq(t->grad, kept, (size_t)t->total * sizeof(float));
    }
    free(kept);
}
