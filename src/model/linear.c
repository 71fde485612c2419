/* Linear layers cut into tasks. SPDX-License-Identifier: MIT */
#include "model/linear.h"

#include "base/parallel.h"
#include "kernel/gemm.h"
#include "kernel/kernel.h"

/* Output features of one weight-gradient task. */
#define FEATURES 128

int64_t bird_panel_rows(int64_t n)
{
    int64_t quarter = (n / 4 + 63) / 64 * 64;

    return quarter < 64 ? 64 : quarter > 512 ? 512 : quarter;
}

struct linear {
    float *y, *db;
    const float *x, *w, *bias, *dy;
    int64_t ldy, ldx, n, n_out, n_in, panel;
    float beta;
};

static int64_t panel_count(const struct linear *l)
{
    return (l->n + l->panel - 1) / l->panel;
}

static int64_t panel_size(const struct linear *l, int64_t task)
{
    int64_t r = task * l->panel;

    return r + l->panel < l->n ? l->panel : l->n - r;
}

static void forward_task(void *context, int64_t task, int worker)
{
    const struct linear *l = context;
    int64_t r = task * l->panel, m = panel_size(l, task);

    (void)worker;
    bird_gemm_nt(l->y + r * l->ldy, l->ldy,
                 (struct bird_matrix){l->x + r * l->ldx, l->ldx},
                 (struct bird_matrix){l->w, l->n_in}, m, l->n_out, l->n_in, 1,
                 0);
    if (l->bias)
        bird_kernels()->add_bias(l->y + r * l->ldy, l->bias, m, l->ldy,
                                 l->n_out);
}

void bird_linear_forward(float *y, int64_t ldy, const float *x, int64_t ldx,
                         const float *w, const float *bias, int64_t n,
                         int64_t n_out, int64_t n_in)
{
    struct linear l = {.y = y,
                       .x = x,
                       .w = w,
                       .bias = bias,
                       .ldy = ldy,
                       .ldx = ldx,
                       .n = n,
                       .n_out = n_out,
                       .n_in = n_in,
                       .panel = bird_panel_rows(n)};

    bird_parallel(panel_count(&l), forward_task, &l);
}

static void input_task(void *context, int64_t task, int worker)
{
    const struct linear *l = context;
    int64_t r = task * l->panel;

    (void)worker;
    bird_gemm_nn(l->y + r * l->n_in, l->n_in,
                 (struct bird_matrix){l->dy + r * l->ldy, l->ldy},
                 (struct bird_matrix){l->w, l->n_in}, panel_size(l, task),
                 l->n_in, l->n_out, 1, l->beta);
}

void bird_linear_backward_input(float *dx, float beta, const float *dy,
                                int64_t lddy, const float *w, int64_t n,
                                int64_t n_out, int64_t n_in)
{
    struct linear l = {.y = dx,
                       .dy = dy,
                       .w = w,
                       .ldy = lddy,
                       .n = n,
                       .n_out = n_out,
                       .n_in = n_in,
                       .beta = beta,
                       .panel = bird_panel_rows(n)};

    bird_parallel(panel_count(&l), input_task, &l);
}

static void weight_task(void *context, int64_t task, int worker)
{
    const struct linear *l = context;
    int64_t c0 = task * FEATURES;
    int64_t c1 = c0 + FEATURES < l->n_out ? c0 + FEATURES : l->n_out;

    (void)worker;
    bird_gemm_tn(
        l->y + c0 * l->n_in, l->n_in, (struct bird_matrix){l->dy + c0, l->ldy},
        (struct bird_matrix){l->x, l->ldx}, c1 - c0, l->n_in, l->n, 1, 1);
    if (l->db)
        bird_kernels()->column_sum(l->db, l->dy, l->n, l->ldy, c0, c1);
}

void bird_linear_backward_weight(float *dw, float *db, const float *dy,
                                 int64_t lddy, const float *x, int64_t ldx,
                                 int64_t n, int64_t n_out, int64_t n_in)
{
    struct linear l = {.y = dw,
                       .db = db,
                       .dy = dy,
                       .ldy = lddy,
                       .x = x,
                       .ldx = ldx,
                       .n = n,
                       .n_out = n_out,
                       .n_in = n_in};

    bird_parallel((n_out + FEATURES - 1) / FEATURES, weight_task, &l);
}
