/* Linear layers cut into tasks. SPDX-License-Identifier: MIT */
#include "model/linear.h"

#include "base/parallel.h"
#include "kernel/gemm.h"
#include "kernel/kernel.h"

int64_t bird_panel_rows(int64_t n)
{
    int64_t quarter = (n / 4 + 63) / 64 * 64;

    return quarter < 64 ? 64 : quarter > 512 ? 512 : quarter;
}

/* A layer this wide (the output layer) has few rows and far larger weights:
 * each of its tasks takes all rows, and its own part of the weights. */
#define WIDE         8192
#define WIDE_OUT     512 /* output features of a task */
#define WIDE_COLUMNS 384 /* input features of a task on the way back */

struct panels {
    struct bird_product p;
    int64_t rows;
};

struct slices {
    struct bird_product p;
    int64_t width;
};

/* Rows of panel `task` of n. */
static int64_t panel_size(int64_t n, int64_t panel, int64_t task)
{
    int64_t r = task * panel;

    return r + panel < n ? panel : n - r;
}

static void forward_task(void *context, int64_t task, int worker)
{
    const struct panels *l = context;
    const struct bird_product *p = &l->p;
    int64_t r = task * l->rows, m = panel_size(p->n, l->rows, task);

    (void)worker;
    bird_gemm_nt(p->y + r * p->ldy, p->ldy,
                 (struct bird_matrix){p->x + r * p->ldx, p->ldx},
                 (struct bird_matrix){p->w, p->n_in}, m, p->n_out, p->n_in, 1,
                 0);
    if (p->bias)
        bird_kernels()->add_bias(p->y + r * p->ldy, p->bias, m, p->ldy,
                                 p->n_out);
}

static void slice_task(void *context, int64_t task, int worker)
{
    const struct slices *l = context;
    const struct bird_product *p = &l->p;
    int64_t c0 = task * l->width;
    int64_t c = c0 + l->width < p->n_out ? l->width : p->n_out - c0;
    float *y = p->y + c0;

    (void)worker;
    bird_gemm_nt(y, p->ldy, (struct bird_matrix){p->x, p->ldx},
                 (struct bird_matrix){p->w + c0 * p->n_in, p->n_in}, p->n, c,
                 p->n_in, 1, 0);
    if (p->bias)
        bird_kernels()->add_bias(y, p->bias + c0, p->n, p->ldy, c);
}

void bird_linear_slices(const struct bird_product *p, int64_t width)
{
    struct slices l = {*p, width};

    bird_parallel((p->n_out + width - 1) / width, slice_task, &l);
}

void bird_linear_forward(float *y, int64_t ldy, const float *x, int64_t ldx,
                         const float *w, const float *bias, int64_t n,
                         int64_t n_out, int64_t n_in)
{
    struct panels l = {.p = {.y = y,
                             .x = x,
                             .w = w,
                             .bias = bias,
                             .ldy = ldy,
                             .ldx = ldx,
                             .n = n,
                             .n_out = n_out,
                             .n_in = n_in},
                       .rows = bird_panel_rows(n)};

    if (n_out >= WIDE)
        bird_linear_slices(&l.p, WIDE_OUT);
    else
        bird_parallel((n + l.rows - 1) / l.rows, forward_task, &l);
}

/* The product of a weight's gradient packs all of x, so there are few and wide
 * tasks. */
int64_t bird_weight_stretch(int64_t n_out)
{
    int64_t half = (n_out / 2 + 63) / 64 * 64;

    return half < 128 ? 128 : half > 384 ? 384 : half;
}

struct back {
    float *dw, *db, *dx;
    const float *w, *dy, *x;
    struct bird_linear_shape s;
    int64_t n_stretch, n_input, panel;
};

static void weight_task(const struct back *k, int64_t task)
{
    int64_t size = bird_weight_stretch(k->s.n_out), c0 = task * size,
            ld = k->s.n_out;
    int64_t c1 = c0 + size < ld ? c0 + size : ld, in = k->s.n_in;

    bird_gemm_tn(k->dw + c0 * in, in, (struct bird_matrix){k->dy + c0, ld},
                 (struct bird_matrix){k->x, in}, c1 - c0, in, k->s.n, 1, 1);
    if (k->db)
        bird_kernels()->column_sum(k->db, k->dy, k->s.n, ld, c0, c1);
}

static void input_task(const struct back *k, int64_t task)
{
    int64_t r = task * k->panel, out = k->s.n_out, in = k->s.n_in;

    bird_gemm_nn(k->dx + r * in, in, (struct bird_matrix){k->dy + r * out, out},
                 (struct bird_matrix){k->w, in},
                 panel_size(k->s.n, k->panel, task), in, out, 1,
                 k->s.add ? 1 : 0);
}

static void wide_input_task(const struct back *k, int64_t task)
{
    int64_t c0 = task * WIDE_COLUMNS, in = k->s.n_in, out = k->s.n_out;
    int64_t c = c0 + WIDE_COLUMNS < in ? WIDE_COLUMNS : in - c0;

    bird_gemm_nn(k->dx + c0, in, (struct bird_matrix){k->dy, out},
                 (struct bird_matrix){k->w + c0, in}, k->s.n, c, out, 1,
                 k->s.add ? 1 : 0);
}

/* The long tasks first, so that the threads end together. */
static void backward_task(void *context, int64_t task, int worker)
{
    const struct back *k = context;

    (void)worker;
    if (k->s.n_out >= WIDE && task < k->n_input)
        wide_input_task(k, task);
    else if (k->s.n_out >= WIDE)
        weight_task(k, task - k->n_input);
    else if (task < k->n_stretch)
        weight_task(k, task);
    else
        input_task(k, task - k->n_stretch);
}

void bird_linear_backward(const struct bird_linear *g, float *dx,
                          const struct bird_linear *w, const float *dy,
                          const float *x, struct bird_linear_shape shape)
{
    int64_t size = bird_weight_stretch(shape.n_out),
            panel = bird_panel_rows(shape.n);
    struct back k = {.dw = g->w,
                     .db = g->b,
                     .dx = dx,
                     .w = w ? w->w : NULL,
                     .dy = dy,
                     .x = x,
                     .s = shape,
                     .n_stretch = (shape.n_out + size - 1) / size,
                     .panel = panel};

    if (!dx)
        k.n_input = 0;
    else if (shape.n_out >= WIDE)
        k.n_input = (shape.n_in + WIDE_COLUMNS - 1) / WIDE_COLUMNS;
    else
        k.n_input = (shape.n + panel - 1) / panel;
    bird_parallel(k.n_stretch + k.n_input, backward_task, &k);
}
