/* Many logistic regressions at once. SPDX-License-Identifier: MIT */
#include "eval/logistic_many.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/lbfgs.h"
#include "model/linear.h"

enum { STRETCH = 512 /* rows of a product */, WORSE_TO_END = 2 };
#define DEFAULT_L2 0.01 /* where nothing can be held out */

/* One answer of the block. */
struct answer {
    struct bird_lbfgs_state t;
    double l2, best_l2, best_loss, loss;
    double residual, n; /* sums of the pass at hand */
    double *best;       /* (n_feature+1) weights at best_l2 */
    int running;        /* asks for another evaluation */
    int walking;        /* goes on down the grid */
    int worse;
};

struct block {
    const struct bird_many *m;
    int64_t first, n; /* answers first .. first+n-1 */
    struct answer a[BIRD_MANY_BLOCK];
    struct bird_lbfgs options;
    int32_t *to; /* (n_feature) column of a feature in use; -1: none has it */
    int64_t n_use;
    int64_t *row, n_row;                 /* rows of the stretch at hand */
    float *x;                            /* (STRETCH, n_use) their features */
    float *y;                            /* (STRETCH, n) their targets */
    float *all;                          /* (workers, n_answer) */
    float *w, *bias, *z;                 /* (n, n_use), (n), (STRETCH, n) */
    float *dw;                           /* (n, n_use) */
    int which[BIRD_MANY_BLOCK], n_which; /* answers evaluated */
    struct bird_sparse *scratch;         /* (workers) */
    int stopped;
};

/* --- rows ---------------------------------------------------------------- */

static void fill_row(void *context, int64_t task, int worker)
{
    struct block *b = context;
    const struct bird_many *m = b->m;
    float *x = b->x + task * b->n_use;
    float *all = b->all + worker * m->n_answer;
    struct bird_sparse f;

    bird_design_row(&f, m->design, b->row[task], &b->scratch[worker]);
    memset(x, 0, (size_t)b->n_use * sizeof(*x));
    for (int64_t k = 0; k < f.n; k++)
        x[b->to[f.index[k]]] = f.value[k];
    m->target(m->context, all, b->row[task]);
    for (int i = 0; i < b->n_which; i++)
        b->y[task * b->n_which + i] = all[b->first + b->which[i]];
}

/* Which rows a pass goes over. */
enum rows { ROWS_ALL, ROWS_CHOOSE, ROWS_HELD };

static int wants(const struct bird_many *m, enum rows rows, int64_t i)
{
    return rows == ROWS_ALL    ? 1
           : rows == ROWS_HELD ? m->held[i]
                               : !m->held[i] && i % m->choose_step == 0;
}

/* --- one pass ------------------------------------------------------------ */

/* Weights of the answers evaluated, side by side. */
static void gather_weights(struct block *b)
{
    int64_t n = b->m->design->n_feature;

    for (int i = 0; i < b->n_which; i++) {
        const double *x = b->a[b->which[i]].t.x;
        float *w = b->w + i * b->n_use;

        for (int64_t j = 0; j < n; j++)
            if (b->to[j] >= 0)
                w[b->to[j]] = (float)x[j];
        b->bias[i] = (float)x[n];
    }
}

/* Loss and residual of answer i over the stretch; z becomes the residuals. */
static void judge_task(void *context, int64_t task, int worker)
{
    struct block *b = context;
    struct answer *a = &b->a[b->which[task]];

    (void)worker;
    for (int64_t r = 0; r < b->n_row; r++) {
        float *at = b->z + r * b->n_which + task;
        double z = (double)*at, y = (double)b->y[r * b->n_which + task], d;

        if (isnan(y)) {
            *at = 0;
            continue;
        }
        a->loss += (z > 0 ? z + log1p(exp(-z)) : log1p(exp(z))) - y * z;
        d = 1 / (1 + exp(-z)) - y;
        a->residual += d;
        a->n += 1;
        *at = (float)d;
    }
}

static void pass_stretch(struct block *b, int gradient)
{
    int64_t c = b->n_which;

    if (!b->n_row)
        return;
    bird_parallel(b->n_row, fill_row, b);
    bird_linear_forward(b->z, b->x,
                        &(struct bird_linear){.w = b->w, .b = b->bias},
                        (struct bird_linear_shape){b->n_row, c, b->n_use, 0});
    bird_parallel(c, judge_task, b);
    if (gradient)
        bird_linear_backward(&(struct bird_linear){.w = b->dw}, NULL, NULL,
                             b->z, b->x,
                             (struct bird_linear_shape){
                                 .n = b->n_row, .n_out = c, .n_in = b->n_use});
    b->n_row = 0;
}

/* Mean loss (and gradient) of the answers in `which` at their points. */
static void pass(struct block *b, enum rows rows, int gradient)
{
    const struct bird_design *d = b->m->design;

    gather_weights(b);
    for (int i = 0; i < b->n_which; i++) {
        struct answer *a = &b->a[b->which[i]];

        a->loss = a->residual = a->n = 0;
    }
    memset(b->dw, 0, (size_t)(b->n_which * b->n_use) * sizeof(*b->dw));
    for (int64_t i = 0; i < d->n_row; i++) {
        if (!wants(b->m, rows, i))
            continue;
        b->row[b->n_row++] = i;
        if (b->n_row == STRETCH)
            pass_stretch(b, gradient);
    }
    pass_stretch(b, gradient);
}

/* The objective of answer `which[i]` after a pass. */
static double objective(struct block *b, int i)
{
    struct answer *a = &b->a[b->which[i]];
    int64_t n = b->m->design->n_feature;
    double count = a->n > 0 ? a->n : 1, penalty = 0;

    for (int64_t j = 0; j < n; j++) {
        double x = a->t.x[j];
        int32_t to = b->to[j];

        a->t.g[j] =
            (to < 0 ? 0 : (double)b->dw[i * b->n_use + to] / count) + a->l2 * x;
        penalty += x * x;
    }
    a->t.g[n] = a->residual / count;
    return a->loss / count + a->l2 / 2 * penalty;
}

static void step_task(void *context, int64_t task, int worker)
{
    struct block *b = context;
    struct answer *a = &b->a[b->which[task]];

    (void)worker;
    a->running = bird_lbfgs_step(&a->t, objective(b, (int)task));
}

/* --- fitting ------------------------------------------------------------- */

/* Minimise all answers with `running` set, from where they are. */
static void fit(struct block *b, enum rows rows, double decrease)
{
    b->options.decrease = decrease;
    for (int i = 0; i < b->n; i++)
        if (b->a[i].running)
            bird_lbfgs_restart(&b->a[i].t);
    for (;;) {
        b->n_which = 0;
        for (int i = 0; i < b->n; i++)
            if (b->a[i].running)
                b->which[b->n_which++] = i;
        b->stopped =
            b->stopped || (b->m->stop && b->m->stop(b->m->stop_context));
        if (!b->n_which || b->stopped)
            return;
        pass(b, rows, 1);
        bird_parallel(b->n_which, step_task, b);
    }
}

static void keep_best(struct block *b, struct answer *a)
{
    a->best_l2 = a->l2;
    memcpy(a->best, a->t.x,
           (size_t)(b->m->design->n_feature + 1) * sizeof(*a->best));
}

/* One strength for all answers that still walk. */
static void try_strength(struct block *b, double l2)
{
    int any = 0;

    for (int i = 0; i < b->n; i++) {
        b->a[i].l2 = l2;
        any |= b->a[i].running = b->a[i].walking;
    }
    if (!any || b->stopped)
        return;
    fit(b, ROWS_CHOOSE, 1e-4);
    b->n_which = 0;
    for (int i = 0; i < b->n; i++)
        if (b->a[i].walking)
            b->which[b->n_which++] = i;
    pass(b, ROWS_HELD, 0);
    for (int i = 0; i < b->n_which; i++) {
        struct answer *a = &b->a[b->which[i]];
        double loss = a->n > 0 ? a->loss / a->n : (double)NAN;

        a->worse = loss < a->best_loss ? 0 : a->worse + 1;
        if (!a->worse) {
            a->best_loss = loss;
            keep_best(b, a);
        }
        if (isnan(loss) || a->worse == WORSE_TO_END)
            a->walking = 0;
    }
}

static void fit_block(struct block *b, float *weight, double *l2)
{
    const struct bird_many *m = b->m;
    int64_t n = m->design->n_feature + 1;

    for (int i = 0; i < b->n; i++) {
        struct answer *a = &b->a[i];

        a->best_l2 = m->l2 > 0 ? m->l2 : DEFAULT_L2;
        a->best_loss = (double)INFINITY;
        a->walking = !(m->l2 > 0);
        a->worse = 0;
        memset(a->best, 0, (size_t)n * sizeof(*a->best));
        memset(a->t.x, 0, (size_t)n * sizeof(*a->t.x));
    }
    for (int k = 0; k < m->n_grid; k++)
        try_strength(b, m->grid[k]);
    for (int i = 0; i < b->n; i++) {
        struct answer *a = &b->a[i];

        a->l2 = a->best_l2;
        a->running = 1;
        memcpy(a->t.x, a->best, (size_t)n * sizeof(*a->best));
    }
    fit(b, ROWS_ALL, 1e-6);
    for (int i = 0; i < b->n; i++) {
        const struct answer *a = &b->a[i];

        for (int64_t j = 0; j < n; j++)
            weight[(b->first + i) * n + j] = (float)a->t.x[j];
        l2[b->first + i] = a->best_l2;
    }
}

/* --- room ---------------------------------------------------------------- */

/* Features that any row has: of strands joined half of them are never there. */
static int find_used(struct block *b)
{
    const struct bird_design *d = b->m->design;
    struct bird_sparse f;
    int rc = bird_array_new(&b->to, d->n_feature, sizeof(*b->to));

    if (rc)
        return rc;
    memset(b->to, 0xff, (size_t)d->n_feature * sizeof(*b->to));
    for (int64_t i = 0; i < d->n_row; i++) {
        bird_design_row(&f, d, i, &b->scratch[0]);
        for (int64_t k = 0; k < f.n; k++)
            b->to[f.index[k]] = 0;
    }
    for (int64_t j = 0; j < d->n_feature; j++)
        if (!b->to[j])
            b->to[j] = (int32_t)b->n_use++;
    if (!b->n_use) /* rows without a single k-mer */
        b->n_use = 1;
    return 0;
}

static int block_new(struct block *b, const struct bird_many *m)
{
    const struct bird_design *d = m->design;
    int64_t n = m->n_answer < BIRD_MANY_BLOCK ? m->n_answer : BIRD_MANY_BLOCK;
    int64_t workers = bird_threads();
    int bad;

    b->m = m;
    b->options = (struct bird_lbfgs){.max_step = 500, .tolerance = 1e-5};
    bad = bird_array_new(&b->scratch, workers, sizeof(*b->scratch));
    for (int64_t i = 0; !bad && i < workers; i++)
        bad = bird_sparse_new(&b->scratch[i], d->max_row);
    if (bad || find_used(b))
        return BIRD_ENOMEM;
    bad = bird_array_new(&b->row, STRETCH, sizeof(*b->row)) ||
          bird_array_new(&b->x, STRETCH * b->n_use, sizeof(float)) ||
          bird_array_new(&b->y, STRETCH * n, sizeof(float)) ||
          bird_array_new(&b->z, STRETCH * n, sizeof(float)) ||
          bird_array_new(&b->all, workers * m->n_answer, sizeof(float)) ||
          bird_array_new(&b->w, n * b->n_use, sizeof(float)) ||
          bird_array_new(&b->dw, n * b->n_use, sizeof(float)) ||
          bird_array_new(&b->bias, n, sizeof(float));
    for (int64_t i = 0; !bad && i < n; i++)
        bad = bird_array_new(&b->a[i].best, d->n_feature + 1, sizeof(double)) ||
              bird_lbfgs_state_new(&b->a[i].t, &b->options, d->n_feature + 1);
    return bad ? BIRD_ENOMEM : 0;
}

static void block_free(struct block *b)
{
    for (int i = 0; i < BIRD_MANY_BLOCK; i++) {
        free(b->a[i].best);
        bird_lbfgs_state_free(&b->a[i].t);
    }
    for (int i = 0; b->scratch && i < bird_threads(); i++)
        bird_sparse_free(&b->scratch[i]);
    free(b->scratch);
    free(b->to);
    free(b->row);
    free(b->x);
    free(b->y);
    free(b->z);
    free(b->all);
    free(b->w);
    free(b->dw);
    free(b->bias);
    free(b);
}

int bird_many_fit(float *weight, double *l2, const struct bird_many *m)
{
    struct block *b;
    int rc = bird_array_new(&b, 1, sizeof(*b));

    if (rc)
        return rc;
    rc = block_new(b, m);
    for (b->first = 0; !rc && b->first < m->n_answer; b->first += b->n) {
        b->n = m->n_answer - b->first < BIRD_MANY_BLOCK ? m->n_answer - b->first
                                                        : BIRD_MANY_BLOCK;
        fit_block(b, weight, l2);
        if (b->stopped)
            rc = bird_fail(BIRD_ECANCELED, "stopped");
    }
    block_free(b);
    return rc;
}
