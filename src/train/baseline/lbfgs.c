/* L-BFGS. SPDX-License-Identifier: MIT */
#include "train/baseline/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MEMORY    10
#define ARMIJO    1e-4
#define MAX_HALVE 30

struct state {
    int64_t n, n_pair, newest;
    double *s, *y; /* (MEMORY, n) steps and changes of the gradient */
    double rho[MEMORY];
    double *g, *direction, *next, *next_g;
};

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

static int64_t slot(const struct state *t, int64_t age)
{
    return (t->newest - age + MEMORY) % MEMORY;
}

/* direction = -(inverse Hessian's estimate) g: the two-loop recursion. */
static void find_direction(struct state *t)
{
    double alpha[MEMORY], *d = t->direction;
    int64_t n = t->n;

    for (int64_t i = 0; i < n; i++)
        d[i] = -t->g[i];
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

/* A point down the direction; 0 when there is none. */
static int line_search(struct state *t, double *value, const double *x,
                       bird_objective *f, void *context)
{
    double slope = dot(t->g, t->direction, t->n), step = 1, found;

    if (!(slope < 0))
        return 0;
    for (int i = 0; i < MAX_HALVE; i++, step /= 2) {
        memcpy(t->next, x, (size_t)t->n * sizeof(*x));
        add_scaled(t->next, step, t->direction, t->n);
        found = f(context, t->next_g, t->next);
        if (isfinite(found) && found <= *value + ARMIJO * step * slope) {
            *value = found;
            return 1;
        }
    }
    return 0;
}

/* Keep the pair of this step unless it would spoil the estimate. */
static void keep_pair(struct state *t, const double *x)
{
    int64_t n = t->n, k = (t->newest + 1) % MEMORY;
    double *s = t->s + k * n, *y = t->y + k * n, sy;

    for (int64_t i = 0; i < n; i++) {
        s[i] = t->next[i] - x[i];
        y[i] = t->next_g[i] - t->g[i];
    }
    sy = dot(s, y, n);
    if (!(sy > 1e-14 * dot(y, y, n)))
        return;
    t->rho[k] = 1 / sy;
    t->newest = k;
    if (t->n_pair < MEMORY)
        t->n_pair++;
}

static int state_new(struct state *t, int64_t n)
{
    *t = (struct state){.n = n, .newest = MEMORY - 1};
    return bird_array_new(&t->s, MEMORY * n, sizeof(double)) ||
           bird_array_new(&t->y, MEMORY * n, sizeof(double)) ||
           bird_array_new(&t->g, n, sizeof(double)) ||
           bird_array_new(&t->direction, n, sizeof(double)) ||
           bird_array_new(&t->next, n, sizeof(double)) ||
           bird_array_new(&t->next_g, n, sizeof(double));
}

int bird_lbfgs_run(struct bird_lbfgs *l, double *x, int64_t n,
                   bird_objective *f, void *context)
{
    struct state t;
    double before;
    int rc = state_new(&t, n) ? BIRD_ENOMEM : 0;

    if (rc)
        goto done;
    l->value = f(context, t.g, x);
    for (l->n_step = 0; l->n_step < l->max_step; l->n_step++) {
        double size = sqrt(dot(x, x, n));

        if (sqrt(dot(t.g, t.g, n)) <= l->tolerance * (size > 1 ? size : 1))
            break;
        before = l->value;
        find_direction(&t);
        if (!line_search(&t, &l->value, x, f, context))
            break;
        keep_pair(&t, x);
        memcpy(x, t.next, (size_t)n * sizeof(*x));
        memcpy(t.g, t.next_g, (size_t)n * sizeof(*x));
        if (before - l->value <= l->decrease * fabs(before))
            break;
    }
done:
    free(t.s);
    free(t.y);
    free(t.g);
    free(t.direction);
    free(t.next);
    free(t.next_g);
    return rc;
}
