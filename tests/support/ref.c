/* Kernels as plain formulas in double. SPDX-License-Identifier: MIT */
#include "ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void ref_fill(float *x, int64_t n, struct bird_rng *r, double size)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(size * bird_rng_normal(r));
}

float *ref_floats(int64_t n)
{
    float *x;

    if (bird_array_new(&x, n, sizeof(*x)))
        abort();
    return x;
}

float *ref_normal(int64_t n, uint64_t seed, double size)
{
    struct bird_rng r;
    float *x = ref_floats(n);

    bird_rng_init(&r, seed, 0, 0);
    ref_fill(x, n, &r, size);
    return x;
}

double *ref_doubles(int64_t n)
{
    double *x;

    if (bird_array_new(&x, n, sizeof(*x)))
        abort();
    return x;
}

double *ref_copy(const float *x, int64_t n)
{
    double *y = ref_doubles(n);

    for (int64_t i = 0; i < n; i++)
        y[i] = (double)x[i];
    return y;
}

double *ref_mask(const struct bird_kernels *k, struct bird_dropout drop,
                 int64_t row0, int64_t n, int64_t d)
{
    double *keep;
    float *one;

    if (bird_array_new(&one, n * d, sizeof(*one)))
        abort();
    for (int64_t i = 0; i < n * d; i++)
        one[i] = 1;
    k->dropout(one, drop, row0, n, d);
    keep = ref_copy(one, n * d);
    free(one);
    return keep;
}

double ref_act(double u, enum bird_act act)
{
    switch (act) {
    case BIRD_GELU_TANH:
        return 0.5 * u *
               (1 + tanh(sqrt(2 / M_PI) * (u + 0.044715 * u * u * u)));
    case BIRD_GELU_ERF:
        return 0.5 * u * (1 + erf(u / sqrt(2)));
    case BIRD_GELU_10:
        return fmax(-10, fmin(10, 0.5 * u * (1 + erf(u / sqrt(2)))));
    case BIRD_GELU_QUICK:
        return u / (1 + exp(-1.702 * u));
    case BIRD_RELU:
        return u > 0 ? u : 0;
    case BIRD_RELU2:
        return u > 0 ? u * u : 0;
    case BIRD_RELU6:
        return fmax(0, fmin(6, u));
    case BIRD_LEAKY_RELU:
        return u > 0 ? u : 0.01 * u;
    case BIRD_SILU:
        return u / (1 + exp(-u));
    case BIRD_MISH:
        return u * tanh(log1p(exp(u)));
    case BIRD_SIGMOID:
        return 1 / (1 + exp(-u));
    case BIRD_LINEAR:
        return u;
    case BIRD_LAPLACE:
        return 0.5 * (1 + erf((u - 0.707107) / (0.282095 * sqrt(2))));
    case BIRD_TANH:
        return tanh(u);
    }
    return (double)NAN;
}

struct act_point {
    double u;
    enum bird_act act;
};

static double act_value(void *context)
{
    const struct act_point *p = context;

    return ref_act(p->u, p->act);
}

double ref_act_slope(double u, enum bird_act act)
{
    struct act_point p = {u, act};

    /* where there is a corner, differences are wrong beside it */
    if (act == BIRD_RELU)
        return u > 0;
    if (act == BIRD_RELU2)
        return u > 0 ? 2 * u : 0;
    if (act == BIRD_RELU6)
        return u > 0 && u < 6;
    if (act == BIRD_LEAKY_RELU)
        return u > 0 ? 1 : 0.01;
    if (act == BIRD_GELU_10)
        return u > 10 ? 0 : ref_act_slope(u, BIRD_GELU_ERF);
    return ref_slope(act_value, &p, &p.u, 1e-5);
}

void ref_layernorm(double *y, const double *z, const double *gain,
                   const double *beta, double eps, int64_t d)
{
    double mean = 0, var = 0;

    for (int64_t j = 0; j < d; j++)
        mean += z[j] / (double)d;
    for (int64_t j = 0; j < d; j++)
        var += (z[j] - mean) * (z[j] - mean) / (double)d;
    for (int64_t j = 0; j < d; j++)
        y[j] = gain[j] * (z[j] - mean) / sqrt(var + eps) + beta[j];
}

void ref_softmax(double *p, const double *w, int64_t n)
{
    double top = -(double)INFINITY, sum = 0;

    for (int64_t j = 0; j < n; j++)
        if (!w || w[j] > 0)
            top = fmax(top, p[j]);
    for (int64_t j = 0; j < n; j++) {
        p[j] = !w ? exp(p[j] - top) : w[j] > 0 ? w[j] * exp(p[j] - top) : 0;
        sum += p[j];
    }
    for (int64_t j = 0; j < n; j++)
        p[j] /= sum;
}

static double weight_of(const double *w, int64_t j)
{
    return w ? w[j] : 1;
}

/* The threshold of the Euclidean projection of z onto the simplex, each entry
 * counted w times: of all entries that are to stay, the smallest decides. */
static double projection_threshold(const double *z, const double *w, int64_t n)
{
    double least = (double)INFINITY, threshold = 0;

    for (int64_t j = 0; j < n; j++) {
        double many = 0, sum = 0;

        if (!(weight_of(w, j) > 0))
            continue;
        for (int64_t i = 0; i < n; i++)
            if (z[i] >= z[j] && weight_of(w, i) > 0) {
                many += weight_of(w, i);
                sum += weight_of(w, i) * z[i];
            }
        if (1 + many * z[j] > sum && z[j] < least) {
            least = z[j];
            threshold = (sum - 1) / many;
        }
    }
    return threshold;
}

/* The threshold t with sum w [z - t]+^e = 1, by Newton's steps: the sum is
 * convex in t, so from the left they come nearer and never pass. */
static double power_threshold(const double *z, const double *w, double e,
                              int64_t n)
{
    double top = -(double)INFINITY, t;

    for (int64_t j = 0; j < n; j++)
        top = weight_of(w, j) > 0 ? fmax(top, z[j]) : top;
    for (t = top - 1;;) {
        double sum = 0, slope = 0, next;

        for (int64_t j = 0; j < n; j++)
            if (z[j] > t && weight_of(w, j) > 0) {
                double part = weight_of(w, j) * pow(z[j] - t, e);

                sum += part;
                slope += e * part / (z[j] - t);
            }
        next = t + (sum - 1) / slope;
        if (!(next > t))
            return t;
        t = next;
    }
}

static void ref_entmax(double *p, const double *w, double alpha, double factor,
                       int64_t n)
{
    double e = 1 / (alpha - 1), t;

    for (int64_t j = 0; j < n; j++)
        p[j] *= factor * (alpha - 1);
    t = alpha == 2 ? projection_threshold(p, w, n)
                   : power_threshold(p, w, e, n);
    for (int64_t j = 0; j < n; j++)
        p[j] = p[j] > t && weight_of(w, j) > 0
                   ? weight_of(w, j) * pow(p[j] - t, e)
                   : 0;
}

void ref_map(double *p, const double *w, const struct bird_prob_map *map,
             int64_t n)
{
    double most = map->kind == BIRD_PROB_TOP       ? (double)map->keys
                  : map->kind == BIRD_PROB_HARDMAX ? 1
                                                   : (double)INFINITY;
    double *s = ref_doubles(n), *left = ref_doubles(n);

    memcpy(s, p, (size_t)n * sizeof(*s));
    for (int64_t j = 0; j < n; j++) {
        double larger = 0;

        for (int64_t i = 0; i < n && most < (double)INFINITY; i++)
            larger += s[i] > s[j] ? weight_of(w, i) : 0;
        left[j] = larger < most ? weight_of(w, j) : 0;
    }
    if (map->kind == BIRD_PROB_ENTMAX)
        ref_entmax(p, w, (double)map->alpha, (double)map->factor, n);
    else
        ref_softmax(p, left, n);
    free(s), free(left);
}

void ref_attention(double *out, int64_t ld_out, const double *q,
                   const double *k, const double *v,
                   const struct ref_attention *a)
{
    double *p = ref_doubles(a->len);

    for (int64_t i = 0; i < a->len; i++) {
        for (int64_t j = 0; j < a->len; j++) {
            p[j] = a->mask && !a->mask[j] ? a->penalty : 0;
            for (int64_t c = 0; c < a->dim; c++)
                p[j] += a->scale * q[i * a->ld + c] * k[j * a->ld + c];
        }
        ref_map(p, a->times + i * a->len, &a->map, a->len);
        for (int64_t c = 0; c < a->dim; c++) {
            double sum = 0;

            for (int64_t j = 0; j < a->len; j++)
                sum += p[j] * (a->keep ? a->keep[i * a->len + j] : 1) *
                       v[j * a->ld + c];
            out[i * ld_out + c] =
                a->zero_masked && a->mask && !a->mask[i] ? 0 : sum;
        }
    }
    free(p);
}

double *ref_times(const struct bird_plan *plan, int64_t head, int64_t len,
                  const int32_t *position)
{
    double *times = ref_doubles(len * len);

    for (int64_t i = 0; i < len; i++) {
        int64_t n = 0;
        const struct bird_run *run =
            plan ? bird_plan_row(plan, head,
                                 (position ? position[i] : i) / plan->block, &n)
                 : NULL;

        for (int64_t j = 0; j < len; j++) {
            times[i * len + j] = !plan;
            for (int64_t r = 0; r < n && !(plan->causal && j > i); r++) {
                int64_t at =
                    (position ? position[j] : j) / plan->block - run[r].first;

                if (at >= 0 && at < run[r].count)
                    times[i * len + j] += run[r].times;
            }
        }
    }
    return times;
}

void ref_adam(double *theta, double *m, double *v, double grad,
              const struct bird_adam *a, int decay)
{
    double g = grad * a->grad_scale, wd = decay ? a->weight_decay : 0;
    double c1 = 1 - pow(a->beta1, (double)a->t);
    double c2 = 1 - pow(a->beta2, (double)a->t);

    *m = a->beta1 * *m + (1 - a->beta1) * g;
    *v = a->beta2 * *v + (1 - a->beta2) * g * g;
    switch (a->kind) {
    case BIRD_ADAMW_TORCH:
        *theta *= 1 - a->lr * wd;
        *theta -= a->lr / c1 * *m / (sqrt(*v) / sqrt(c2) + a->eps);
        break;
    case BIRD_ADAMW_HF:
        *theta -= a->lr * sqrt(c2) / c1 * *m / (sqrt(*v) + a->eps);
        *theta -= a->lr * wd * *theta;
        break;
    case BIRD_ADAM_GOOGLE:
        *theta -= a->lr * (*m / (sqrt(*v) + a->eps) + wd * *theta);
        break;
    }
}

double ref_slope(ref_function *f, void *context, double *x, double step)
{
    double kept = *x, up, down;

    *x = kept + step;
    up = f(context);
    *x = kept - step;
    down = f(context);
    *x = kept;
    return (up - down) / (2 * step);
}
