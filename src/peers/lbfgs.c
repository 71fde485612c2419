/* L-BFGS: the direction comes from the two-loop recursion over the last ten
 * steps; the step is halved until Armijo's condition holds. liblbfgs cannot be
 * used, because it calls the objective itself: 64 regressions could not share
 * one pass over the rows.
 * SPDX-License-Identifier: MIT */
#include "peers/lbfgs.h"

#include <math.h>
#include <string.h>

#define MEMORY    10
#define ARMIJO    1e-4
#define MAX_HALVE 30

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_scaled(double *to, double a, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += a * x[i];
}

static int64_t slot(const struct bird_lbfgs *t, int64_t age)
{
    return (t->newest - age + MEMORY) % MEMORY;
}

/* direction = -(estimate of the inverse Hessian) g, by the two-loop
 * recursion. */
static void find_direction(struct bird_lbfgs *t)
{
    double alpha[MEMORY], *d = t->direction;
    int64_t n = t->n;

    for (int64_t i = 0; i < n; i++)
        d[i] = -t->best_g[i];
    for (int64_t a = 0; a < t->n_pair; a++) {
        int64_t k = slot(t, a);

        alpha[a] = t->rho[k] * dot(t->s + k * n, d, n);
        add_scaled(d, -alpha[a], t->y + k * n, n);
    }
    if (t->n_pair) {
        const double *y = t->y + t->newest * n;
        double scale = 1 / (t->rho[t->newest] * dot(y, y, n));

        for (int64_t i = 0; i < n; i++)
            d[i] *= scale;
    } else {
        double norm = sqrt(dot(d, d, n));

        for (int64_t i = 0; i < n && norm > 1; i++)
            d[i] /= norm;
    }
    for (int64_t a = t->n_pair; a-- > 0;) {
        int64_t k = slot(t, a);

        add_scaled(d, alpha[a] - t->rho[k] * dot(t->y + k * n, d, n),
                   t->s + k * n, n);
    }
}

/* Keep the pair of this step unless it would spoil the estimate. */
static void keep_pair(struct bird_lbfgs *t)
{
    int64_t n = t->n, k = (t->newest + 1) % MEMORY;
    double *s = t->s + k * n, *y = t->y + k * n, sy;

    for (int64_t i = 0; i < n; i++) {
        s[i] = t->x[i] - t->best[i];
        y[i] = t->g[i] - t->best_g[i];
    }
    sy = dot(s, y, n);
    if (!(sy > 1e-14 * dot(y, y, n)))
        return;
    t->rho[k] = 1 / sy;
    t->newest = k;
    if (t->n_pair < MEMORY)
        t->n_pair++;
}

/* The point at `length` down the direction into t->x. */
static void set_point(struct bird_lbfgs *t)
{
    memcpy(t->x, t->best, (size_t)t->n * sizeof(*t->x));
    add_scaled(t->x, t->length, t->direction, t->n);
}

/* t->x becomes the best point. */
static void accept(struct bird_lbfgs *t, double value)
{
    t->value = value;
    memcpy(t->best, t->x, (size_t)t->n * sizeof(*t->x));
    memcpy(t->best_g, t->g, (size_t)t->n * sizeof(*t->x));
}

/* Set a new direction from the best point. @return 0: the end is reached */
static int find_step(struct bird_lbfgs *t)
{
    double size = sqrt(dot(t->best, t->best, t->n));
    double steepness = sqrt(dot(t->best_g, t->best_g, t->n));

    if (t->n_step >= t->max_step ||
        steepness <= t->tolerance * (size > 1 ? size : 1))
        return 0;
    find_direction(t);
    t->slope = dot(t->best_g, t->direction, t->n);
    if (!(t->slope < 0))
        return 0;
    t->length = 1;
    t->n_halve = 0;
    set_point(t);
    return 1;
}

/* End: t->x becomes the best point. */
static int stop(struct bird_lbfgs *t)
{
    memcpy(t->x, t->best, (size_t)t->n * sizeof(*t->x));
    return 0;
}

int bird_lbfgs_step(struct bird_lbfgs *t, double value)
{
    double before = t->value;

    if (!t->begun) {
        t->begun = 1;
        accept(t, value);
        return find_step(t) ? 1 : stop(t);
    }
    if (!isfinite(value) || value > t->value + ARMIJO * t->length * t->slope) {
        if (++t->n_halve == MAX_HALVE)
            return stop(t);
        t->length /= 2;
        set_point(t);
        return 1;
    }
    keep_pair(t);
    accept(t, value);
    t->n_step++;
    if (before - value <= t->decrease * fabs(before) || !find_step(t))
        return stop(t);
    return 1;
}

int bird_lbfgs_new(struct bird_lbfgs *t, int64_t n, struct bird_pool *pool)
{
    *t = (struct bird_lbfgs){.n = n, .max_step = 500, .tolerance = 1e-5};
    t->s = bird_pool_array(pool, MEMORY * n, sizeof(double));
    t->y = bird_pool_array(pool, MEMORY * n, sizeof(double));
    t->x = bird_pool_array(pool, n, sizeof(double));
    t->g = bird_pool_array(pool, n, sizeof(double));
    t->best = bird_pool_array(pool, n, sizeof(double));
    t->best_g = bird_pool_array(pool, n, sizeof(double));
    t->direction = bird_pool_array(pool, n, sizeof(double));
    return pool->rc;
}

void bird_lbfgs_start(struct bird_lbfgs *t, double decrease)
{
    t->decrease = decrease;
    t->n_pair = t->n_step = 0;
    t->newest = MEMORY - 1;
    t->begun = 0;
}
