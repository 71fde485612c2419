/* L2-regularised logistic and linear regressions.
 *
 * Every answer is fitted with falling l2 and fitted again with the l2 of the
 * least loss on rows it was not trained on. A pass over the rows is of two
 * kinds. A single answer is summed row by row over the non-zero features, in
 * double. Many answers are fitted in blocks of 64: the dense rows are
 * multiplied with all weights in one matrix product, in float, which makes 919
 * labels feasible. Partial sums are by rows, so that results do not depend on
 * threads.
 * SPDX-License-Identifier: MIT */
#include "peers/logistic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "model/linear.h"
#include "peers/lbfgs.h"

enum {
    N_CHUNK = 32,       /* parts of the rows in a sparse pass */
    N_PART = 16,        /* parts of the features when the chunks are summed */
    PRODUCT_ROWS = 512, /* rows of a matrix product */
    WORSE_TO_END = 2,   /* values of l2 in a row that do not lower the loss */
    BLOCK = BIRD_LOGISTIC_BLOCK
};
#define DEFAULT_L2 0.01 /* when there are no held-out rows */

/* --- the design --------------------------------------------------------- */

void bird_design_free(struct bird_design *d)
{
    free(d->at);
    free(d->index);
    free(d->value);
    d->at = NULL;
    d->index = NULL;
    d->value = NULL;
    d->n_kept = 0;
}

int bird_design_keep(struct bird_design *d, int64_t max_bytes)
{
    struct bird_pool pool = {0};
    struct bird_sparse f = {bird_pool_array(&pool, d->max_row, sizeof(int32_t)),
                            bird_pool_array(&pool, d->max_row, sizeof(float)),
                            0};
    int64_t cap_index = 0, cap_value = 0, n = 0;
    int64_t max = max_bytes / (int64_t)(sizeof(int32_t) + sizeof(float));
    int rc = pool.rc;

    if (!rc)
        rc = bird_array_new(&d->at, d->n_row + 1, sizeof(*d->at));
    for (int64_t i = 0; !rc && i < d->n_row; i++) {
        d->row(d->context, &f, i);
        if (n + f.n > max)
            break;
        rc = bird_array_grow(&d->index, &cap_index, n + f.n, sizeof(int32_t));
        if (!rc)
            rc = bird_array_grow(&d->value, &cap_value, n + f.n, sizeof(float));
        if (rc)
            break;
        memcpy(d->index + n, f.index, (size_t)f.n * sizeof(int32_t));
        memcpy(d->value + n, f.value, (size_t)f.n * sizeof(float));
        n += f.n;
        d->at[i + 1] = n;
        d->n_kept = i + 1;
    }
    bird_pool_free(&pool);
    if (rc)
        bird_design_free(d);
    return rc;
}

/* Row i: from memory, or computed into scratch. */
static struct bird_sparse design_row(const struct bird_design *d, int64_t i,
                                     struct bird_sparse *scratch)
{
    if (i < d->n_kept)
        return (struct bird_sparse){d->index + d->at[i], d->value + d->at[i],
                                    d->at[i + 1] - d->at[i]};
    d->row(d->context, scratch, i);
    return *scratch;
}

/* --- what is being fitted ------------------------------------------------ */

/* The fit of one answer of the block. */
struct answer {
    struct bird_lbfgs t;
    double l2, best_l2, best_loss, loss;
    double residual, n; /* sums of the current pass; n: of the weights */
    double *best;       /* (n_feature+1) weights at best_l2 */
    int running;        /* 1: needs another evaluation */
    int walking;        /* 1: tries the next l2 of the grid */
    int worse;
};

/* The rows of a pass. */
enum rows { ROWS_ALL, ROWS_CHOOSE, ROWS_OTHERS };

struct block {
    const struct bird_logistic *m;
    int64_t first, n; /* answers first .. first+n-1 */
    struct answer a[BLOCK];
    int which[BLOCK], n_which; /* answers evaluated */
    enum rows rows;
    int gradient, stopped;
    struct bird_sparse *scratch; /* (workers) */
    struct bird_pool pool;
    /* a sparse pass */
    float *target; /* (n_row) */
    double *sum;   /* (N_CHUNK, n_feature) gradients */
    double loss[N_CHUNK], residual[N_CHUNK], known[N_CHUNK];
    /* a dense pass */
    int32_t *to; /* (n_feature) column of a feature in use; -1: none has it */
    int64_t n_use;
    int64_t *row, n_row; /* rows of the current product */
    float *x;            /* (PRODUCT_ROWS, n_use) their features */
    float *y;            /* (PRODUCT_ROWS, n) their targets */
    float *all;          /* (workers, n_answer) */
    float *w, *bias, *z; /* (n, n_use), (n), (PRODUCT_ROWS, n) */
    float *dw;           /* (n, n_use) */
};

/* Loss and residual are computed on all rows that were not trained on; with
 * many answers on the held-out rows alone. */
static int wants(const struct block *b, int64_t i)
{
    const struct bird_logistic *m = b->m;
    int chosen = !m->held[i] && i % m->choose_step == 0;

    return b->rows == ROWS_ALL      ? 1
           : b->rows == ROWS_CHOOSE ? chosen
           : m->row_targets         ? m->held[i]
                                    : !chosen;
}

/* The loss of a row: log(1 + exp(z)) - y z, or (z - y)^2 / 2. */
static double loss_of(const struct bird_logistic *m, double z, double y)
{
    if (m->linear)
        return (z - y) * (z - y) / 2;
    return (z > 0 ? z + log1p(exp(-z)) : log1p(exp(z))) - y * z;
}

/* Its derivative by z. */
static double residual_of(const struct bird_logistic *m, double z, double y)
{
    return (m->linear ? z : 1 / (1 + exp(-z))) - y;
}

static double weight_of(const struct bird_logistic *m, int64_t i)
{
    return m->row_weight ? (double)m->row_weight[i] : 1;
}

/* --- a sparse pass, of one answer ---------------------------------------- */

static void sparse_chunk(void *context, int64_t chunk, int worker)
{
    struct block *b = context;
    const struct bird_design *d = b->m->design;
    int64_t m = d->n_feature, n = (d->n_row + N_CHUNK - 1) / N_CHUNK;
    int64_t to = (chunk + 1) * n < d->n_row ? (chunk + 1) * n : d->n_row;
    double *g = b->gradient ? b->sum + chunk * m : NULL;
    const double *w = b->a[0].t.x;

    b->loss[chunk] = b->residual[chunk] = b->known[chunk] = 0;
    if (g)
        memset(g, 0, (size_t)m * sizeof(*g));
    for (int64_t i = chunk * n; i < to; i++) {
        double y = (double)b->target[i], z = w[m], r, counts;
        struct bird_sparse f;

        if (isnan(y) || !wants(b, i))
            continue;
        f = design_row(d, i, &b->scratch[worker]);
        for (int64_t k = 0; k < f.n; k++)
            z += w[f.index[k]] * (double)f.value[k];
        counts = weight_of(b->m, i);
        b->loss[chunk] += counts * loss_of(b->m, z, y);
        r = counts * residual_of(b->m, z, y);
        b->residual[chunk] += r;
        b->known[chunk] += counts;
        for (int64_t k = 0; g && k < f.n; k++)
            g[f.index[k]] += r * (double)f.value[k];
    }
}

static void sum_part(void *context, int64_t part, int worker)
{
    struct block *b = context;
    int64_t m = b->m->design->n_feature, n = (m + N_PART - 1) / N_PART;
    int64_t to = (part + 1) * n < m ? (part + 1) * n : m;

    (void)worker;
    for (int64_t j = part * n; j < to; j++) {
        double sum = 0;

        for (int64_t c = 0; c < N_CHUNK; c++)
            sum += b->sum[c * m + j];
        b->a[0].t.g[j] = sum;
    }
}

static void sparse_pass(struct block *b)
{
    struct answer *a = &b->a[0];

    bird_parallel(N_CHUNK, sparse_chunk, b);
    if (b->gradient)
        bird_parallel(N_PART, sum_part, b);
    for (int c = 0; c < N_CHUNK; c++) {
        a->loss += b->loss[c];
        a->residual += b->residual[c];
        a->n += b->known[c];
    }
}

/* --- a dense pass, of many ----------------------------------------------- */

static void fill_row(void *context, int64_t task, int worker)
{
    struct block *b = context;
    const struct bird_logistic *m = b->m;
    float *x = b->x + task * b->n_use;
    float *all = b->all + worker * m->n_answer;
    struct bird_sparse f =
        design_row(m->design, b->row[task], &b->scratch[worker]);

    memset(x, 0, (size_t)b->n_use * sizeof(*x));
    for (int64_t k = 0; k < f.n; k++)
        x[b->to[f.index[k]]] = f.value[k];
    m->row_targets(m->context, all, b->row[task]);
    for (int i = 0; i < b->n_which; i++)
        b->y[task * b->n_which + i] = all[b->first + b->which[i]];
}

/* Copy the weights of the evaluated answers into one matrix. */
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

/* Loss and residual of answer i over the rows; z becomes the residuals. */
static void judge_task(void *context, int64_t task, int worker)
{
    struct block *b = context;
    struct answer *a = &b->a[b->which[task]];

    (void)worker;
    for (int64_t r = 0; r < b->n_row; r++) {
        float *at = b->z + r * b->n_which + task;
        double z = (double)*at, y = (double)b->y[r * b->n_which + task], d;
        double counts = weight_of(b->m, b->row[r]);

        if (isnan(y)) {
            *at = 0;
            continue;
        }
        a->loss += counts * loss_of(b->m, z, y);
        d = counts * residual_of(b->m, z, y);
        a->residual += d;
        a->n += counts;
        *at = (float)d;
    }
}

static void multiply_rows(struct block *b)
{
    int64_t c = b->n_which;

    if (!b->n_row)
        return;
    bird_parallel(b->n_row, fill_row, b);
    bird_linear_forward(b->z, b->x,
                        &(struct bird_linear){.w = b->w, .b = b->bias},
                        (struct bird_linear_shape){b->n_row, c, b->n_use, 0});
    bird_parallel(c, judge_task, b);
    if (b->gradient)
        bird_linear_backward(&(struct bird_linear){.w = b->dw}, NULL, NULL,
                             b->z, b->x,
                             (struct bird_linear_shape){
                                 .n = b->n_row, .n_out = c, .n_in = b->n_use});
    b->n_row = 0;
}

static void dense_pass(struct block *b)
{
    const struct bird_design *d = b->m->design;

    gather_weights(b);
    memset(b->dw, 0, (size_t)(b->n_which * b->n_use) * sizeof(*b->dw));
    for (int64_t i = 0; i < d->n_row; i++) {
        if (!wants(b, i))
            continue;
        b->row[b->n_row++] = i;
        if (b->n_row == PRODUCT_ROWS)
            multiply_rows(b);
    }
    multiply_rows(b);
    for (int i = 0; b->gradient && i < b->n_which; i++) {
        double *g = b->a[b->which[i]].t.g;

        for (int64_t j = 0; j < d->n_feature; j++)
            g[j] = b->to[j] < 0 ? 0 : (double)b->dw[i * b->n_use + b->to[j]];
    }
}

/* --- fitting ------------------------------------------------------------- */

/* Sums of loss (and gradient) of the answers in `which` at their points. */
static void pass(struct block *b, enum rows rows, int gradient)
{
    b->rows = rows;
    b->gradient = gradient;
    for (int i = 0; i < b->n_which; i++) {
        struct answer *a = &b->a[b->which[i]];

        a->loss = a->residual = a->n = 0;
    }
    if (b->m->row_targets)
        dense_pass(b);
    else if (b->n_which)
        sparse_pass(b);
}

/* Objective and gradient from the sums, and a step of L-BFGS. */
static void step_task(void *context, int64_t task, int worker)
{
    struct block *b = context;
    struct answer *a = &b->a[b->which[task]];
    int64_t n = b->m->design->n_feature;
    double count = a->n > 0 ? a->n : 1, penalty = 0;

    (void)worker;
    for (int64_t j = 0; j < n; j++) {
        double x = a->t.x[j];

        a->t.g[j] = a->t.g[j] / count + a->l2 * x;
        penalty += x * x;
    }
    a->t.g[n] = a->residual / count;
    a->running = bird_lbfgs_step(&a->t, a->loss / count + a->l2 / 2 * penalty);
}

static int is_stopped(struct block *b)
{
    if (!b->stopped && b->m->stop)
        b->stopped = b->m->stop(b->m->stop_context);
    return b->stopped;
}

/* Minimise all answers with `running` set, from their current weights. */
static void fit(struct block *b, enum rows rows, double decrease)
{
    for (int i = 0; i < b->n; i++)
        if (b->a[i].running)
            bird_lbfgs_start(&b->a[i].t, decrease);
    for (;;) {
        b->n_which = 0;
        for (int i = 0; i < b->n; i++)
            if (b->a[i].running)
                b->which[b->n_which++] = i;
        if (!b->n_which || is_stopped(b))
            return;
        pass(b, rows, 1);
        bird_parallel(b->n_which, step_task, b);
    }
}

/* Fit one l2 for all answers with `walking` set. */
static void try_strength(struct block *b, double l2)
{
    int64_t n = b->m->design->n_feature + 1;
    int any = 0;

    for (int i = 0; i < b->n; i++) {
        b->a[i].l2 = l2;
        any |= b->a[i].running = b->a[i].walking;
    }
    if (!any || b->stopped)
        return;
    fit(b, ROWS_CHOOSE, b->m->choose_decrease);
    b->n_which = 0;
    for (int i = 0; i < b->n; i++)
        if (b->a[i].walking)
            b->which[b->n_which++] = i;
    pass(b, ROWS_OTHERS, 0);
    for (int i = 0; i < b->n_which; i++) {
        struct answer *a = &b->a[b->which[i]];
        double loss = a->n > 0 ? a->loss / a->n : (double)NAN;

        a->worse = loss < a->best_loss ? 0 : a->worse + 1;
        if (!a->worse) {
            a->best_loss = loss;
            a->best_l2 = l2;
            memcpy(a->best, a->t.x, (size_t)n * sizeof(*a->best));
        }
        if (isnan(loss) || a->worse == WORSE_TO_END)
            a->walking = 0;
    }
}

static void fit_block(struct block *b, float *weight, double *l2)
{
    const struct bird_logistic *m = b->m;
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
    fit(b, ROWS_ALL, m->fit_decrease);
    for (int i = 0; i < b->n; i++) {
        const struct answer *a = &b->a[i];

        for (int64_t j = 0; j < n; j++)
            weight[(b->first + i) * n + j] = (float)a->t.x[j];
        l2[b->first + i] = a->best_l2;
    }
}

/* --- memory --------------------------------------------------------------- */

/* Features that occur in a row: with joined strands half of the k-mers never
 * do. */
static void find_used(struct block *b)
{
    const struct bird_design *d = b->m->design;

    memset(b->to, 0xff, (size_t)d->n_feature * sizeof(*b->to));
    for (int64_t i = 0; i < d->n_row; i++) {
        struct bird_sparse f = design_row(d, i, &b->scratch[0]);

        for (int64_t k = 0; k < f.n; k++)
            b->to[f.index[k]] = 0;
    }
    for (int64_t j = 0; j < d->n_feature; j++)
        if (!b->to[j])
            b->to[j] = (int32_t)b->n_use++;
    if (!b->n_use) /* rows without a single k-mer */
        b->n_use = 1;
}

static int dense_new(struct block *b, int64_t n)
{
    struct bird_pool *p = &b->pool;

    b->to = bird_pool_array(p, b->m->design->n_feature, sizeof(*b->to));
    if (p->rc)
        return p->rc;
    find_used(b);
    b->row = bird_pool_array(p, PRODUCT_ROWS, sizeof(*b->row));
    b->x = bird_pool_array(p, PRODUCT_ROWS * b->n_use, sizeof(float));
    b->y = bird_pool_array(p, PRODUCT_ROWS * n, sizeof(float));
    b->z = bird_pool_array(p, PRODUCT_ROWS * n, sizeof(float));
    b->all = bird_pool_array(p, bird_threads() * b->m->n_answer, sizeof(float));
    b->w = bird_pool_array(p, n * b->n_use, sizeof(float));
    b->dw = bird_pool_array(p, n * b->n_use, sizeof(float));
    b->bias = bird_pool_array(p, n, sizeof(float));
    return p->rc;
}

static int block_new(struct block *b, int64_t n)
{
    const struct bird_design *d = b->m->design;
    struct bird_pool *p = &b->pool;
    int rc;

    b->scratch = bird_pool_array(p, bird_threads(), sizeof(*b->scratch));
    for (int i = 0; !p->rc && i < bird_threads(); i++) {
        b->scratch[i].index = bird_pool_array(p, d->max_row, sizeof(int32_t));
        b->scratch[i].value = bird_pool_array(p, d->max_row, sizeof(float));
    }
    for (int64_t i = 0; !p->rc && i < n; i++) {
        b->a[i].best = bird_pool_array(p, d->n_feature + 1, sizeof(double));
        rc = bird_lbfgs_new(&b->a[i].t, d->n_feature + 1, p);
        if (rc)
            return rc;
    }
    if (p->rc || b->m->row_targets)
        return p->rc ? p->rc : dense_new(b, n);
    b->target = bird_pool_array(p, d->n_row, sizeof(*b->target));
    b->sum = bird_pool_array(p, N_CHUNK * d->n_feature, sizeof(*b->sum));
    return p->rc;
}

int bird_logistic_fit(float *weight, double *l2, const struct bird_logistic *m)
{
    int64_t most = m->row_targets ? BLOCK : 1;
    struct block *b;
    int rc = bird_array_new(&b, 1, sizeof(*b));

    if (rc)
        return rc;
    b->m = m;
    rc = block_new(b, m->n_answer < most ? m->n_answer : most);
    for (b->first = 0; !rc && b->first < m->n_answer; b->first += b->n) {
        b->n = m->n_answer - b->first < most ? m->n_answer - b->first : most;
        if (!m->row_targets && !is_stopped(b))
            m->answer_targets(m->context, b->target, b->first);
        fit_block(b, weight, l2);
        if (b->stopped)
            rc = bird_fail(BIRD_ECANCELED, "stopped");
    }
    bird_pool_free(&b->pool);
    free(b);
    return rc;
}
