/* Muon's direction. SPDX-License-Identifier: MIT */
#include "train/muon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/gemm.h"
#include "kernel/kernel.h"

#define MOMENTUM 0.95F
/* Steps, and the polynomial a z + b z^3 + c z^5 of singular values z: from
 * (0, 1] they come to about 0.7 to 1.2. */
#define STEPS  5
#define COEF_A 3.4445F
#define COEF_B (-4.7750F)
#define COEF_C 2.0315F
#define TINY   1e-7

struct bird_muon_scratch {
    float *block;
    int64_t each, square; /* floats of a worker; of a Gram matrix */
};

static int64_t least(const struct bird_muon_matrix *x)
{
    return x->rows < x->cols ? x->rows : x->cols;
}

int bird_muon_scratch_new(struct bird_muon_scratch **out,
                          const struct bird_muon_matrix *list, int64_t n,
                          int workers)
{
    struct bird_muon_scratch *s = calloc(1, sizeof(*s));
    int64_t whole = 0;
    int rc;

    if (!s)
        return bird_fail_memory(sizeof(*s));
    for (int64_t i = 0; i < n; i++) {
        int64_t side = least(list + i), size = list[i].rows * list[i].cols;

        if (side * side > s->square)
            s->square = side * side;
        if (size > whole)
            whole = size;
    }
    s->each = whole + 2 * s->square;
    rc = bird_array_new(&s->block, s->each * workers, sizeof(float));
    if (rc)
        bird_muon_scratch_free(s);
    else
        *out = s;
    return rc;
}

void bird_muon_scratch_free(struct bird_muon_scratch *s)
{
    if (!s)
        return;
    free(s->block);
    free(s);
}

/* y = a z + (b A + c A^2) z with A the Gram matrix of z's shorter side. gram
 * and p are (side, side). */
static void step(float *y, const float *z, float *gram, float *p, int64_t rows,
                 int64_t cols)
{
    int wide = rows <= cols;
    int64_t side = wide ? rows : cols;
    struct bird_matrix mz = {z, cols}, mg = {gram, side}, mp = {p, side};

    if (wide)
        bird_gemm_nt(gram, side, mz, mz, side, side, cols, 1, 0);
    else
        bird_gemm_tn(gram, side, mz, mz, side, side, rows, 1, 0);
    memcpy(p, gram, (size_t)(side * side) * sizeof(*p));
    /* gram is symmetric up to rounding */
    bird_gemm_nn(p, side, mg, mg, side, side, side, COEF_C, COEF_B);
    memcpy(y, z, (size_t)(rows * cols) * sizeof(*y));
    if (wide)
        bird_gemm_nn(y, cols, mp, mz, rows, cols, side, 1, COEF_A);
    else
        bird_gemm_nn(y, cols, mz, mp, rows, cols, side, 1, COEF_A);
}

void bird_muon_direction(float *d, float *m, const float *g, double grad_scale,
                         const struct bird_muon_matrix *x,
                         struct bird_muon_scratch *s, int worker)
{
    int64_t n = x->rows * x->cols;
    float *y = s->block + s->each * worker,
          *gram = y + (s->each - 2 * s->square), *p = gram + s->square, *z = d;
    double norm;
    float scale;

    for (int64_t i = 0; i < n; i++) {
        float now = g[i] * (float)grad_scale;

        m[i] = MOMENTUM * m[i] + now;
        d[i] = now + MOMENTUM * m[i];
    }
    norm = sqrt(bird_kernels()->sum_squares(d, n));
    scale = (float)(1 / (norm + TINY));
    for (int64_t i = 0; i < n; i++)
        d[i] *= scale;
    for (int i = 0; i < STEPS; i++) {
        float *old = z;

        step(y, z, gram, p, x->rows, x->cols);
        z = y;
        y = old;
    }
    for (int64_t i = 0; i < n; i++)
        d[i] = x->size * z[i];
}
