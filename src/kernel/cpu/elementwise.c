/*
 * Embedding, bias, dropout, sums, AdamW: one pass over memory each, since they
 * are bound by it. Loops are plain C that the compiler turns into vector code.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"

void BIRD_FN(embed_forward)(float *x, const int32_t *ids, const int32_t *t,
                            int64_t pos0, const float *word, const float *type,
                            const float *position, float scale, int64_t n,
                            int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        const float *w = word + ids[i] * d, *p = position + (pos0 + i) * d;
        const float *ty = type + (t ? t[i] : 0) * d;
        float *y = x + i * d;

#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            y[j] = w[j] * scale + ty[j] + p[j];
    }
}

void BIRD_FN(dropout)(float *x, struct bird_dropout drop, int64_t row0,
                      int64_t n, int64_t d)
{
    uint32_t limit = drop_limit(drop.p);
    float keep = 1.0f / (1.0f - drop.p);

    if (drop.p <= 0)
        return;
    for (int64_t i = 0; i < n; i++) {
        uint32_t key = drop_key(drop, row0 + i);
        float *y = x + i * d;

#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            y[j] *= drop_scale(key, j, limit, keep);
    }
}

void BIRD_FN(add_bias)(float *x, const float *bias, int64_t n, int64_t ld,
                       int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        float *y = x + i * ld;

#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            y[j] += bias[j];
    }
}

void BIRD_FN(column_sum)(float *sum, const float *x, int64_t n, int64_t ld,
                         int64_t c0, int64_t c1)
{
    for (int64_t i = 0; i < n; i++) {
        const float *r = x + i * ld;

#pragma omp simd
        for (int64_t j = c0; j < c1; j++)
            sum[j] += r[j];
    }
}

void BIRD_FN(add)(float *y, const float *x, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        y[i] += x[i];
}

double BIRD_FN(sum_squares)(const float *x, int64_t n)
{
    double s = 0;

#pragma omp simd reduction(+ : s)
    for (int64_t i = 0; i < n; i++)
        s += (double)x[i] * (double)x[i];
    return s;
}

/*
 * With g the gradient: m = b1 m + (1-b1) g, v = b2 v + (1-b2) g^2, then
 *   torch   theta *= 1 - lr wd first; theta -= lr/c1 m / (sqrt(v/c2) + eps)
 *   HF      theta -= lr sqrt(c2)/c1 m / (sqrt(v) + eps); theta *= 1 - lr wd
 *   google  theta -= lr (m / (sqrt(v) + eps) + wd theta)
 * with c = 1 - b^t.
 */
void BIRD_FN(adam)(float *theta, float *m, float *v, const float *grad,
                   const struct bird_adam *a, int decay, int64_t n)
{
    double c1 = 1 - pow(a->beta1, (double)a->t);
    double c2 = 1 - pow(a->beta2, (double)a->t);
    double wd = decay ? a->weight_decay : 0;
    float b1 = (float)a->beta1, b2 = (float)a->beta2, eps = (float)a->eps;
    float scale = (float)a->grad_scale;
    float n1 = (float)(1 - a->beta1), n2 = (float)(1 - a->beta2);
    float before = 1, after = 1, size = (float)a->lr, root = 1, pull = 0;

    if (a->kind == BIRD_ADAMW_TORCH) {
        before = (float)(1 - a->lr * wd);
        size = (float)(a->lr / c1);
        root = (float)(1 / sqrt(c2));
    } else if (a->kind == BIRD_ADAMW_HF) {
        after = (float)(1 - a->lr * wd);
        size = (float)(a->lr * sqrt(c2) / c1);
    } else {
        pull = (float)(a->lr * wd);
    }
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        float g = grad[i] * scale, x = theta[i] * before;

        m[i] = b1 * m[i] + n1 * g;
        v[i] = b2 * v[i] + n2 * g * g;
        x = x - size * m[i] / (sqrtf(v[i]) * root + eps) - pull * x;
        theta[i] = x * after;
    }
}
