/* Linear layers cut into tasks, in float32 and in bfloat16.
 *
 * Rows are cut into panels, and a weight's gradient by output features; both
 * cuts are functions of the sizes alone, so results do not depend on threads.
 * Forward and backward tasks of a layer share one parallel loop: neither
 * gradient waits for the other.
 * SPDX-License-Identifier: MIT */
#include "model/linear.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "kernel/kernel.h"

int64_t bird_panel_rows(int64_t n)
{
    int64_t quarter = (n / 4 + 63) / 64 * 64;

    return quarter < 64 ? 64 : quarter > 512 ? 512 : quarter;
}

/* Rows of a panel at most: all weights are read once a panel, and its rows and
 * what becomes of them stay near the core. TILE: a multiple of the rows of
 * every table's tiles. */
enum { PACKED_ROWS = 192, TILE = 12 };

int64_t bird_packed_rows(int64_t n)
{
    int64_t threads = bird_parallel_worker() < 0 ? bird_threads() : 1;
    int64_t round = threads * PACKED_ROWS;
    int64_t n_panel = (n + round - 1) / round * threads;
    int64_t rows = n_panel ? (n + n_panel - 1) / n_panel : 1;

    return (rows + TILE - 1) / TILE * TILE;
}

/* A layer this wide (the output layer) has few rows and far larger weights:
 * each of its tasks takes all rows, and its own part of the weights. */
#define WIDE         8192
#define WIDE_OUT     512 /* output features of a task, whole panels of them */
#define WIDE_COLUMNS 384 /* input features of a backward task */

/* A layer cut into tasks: of rows, and of output features where it is wide. */
struct forward {
    float *y;
    const float *x;
    const struct bird_linear *w;
    struct bird_linear_shape s;
    int64_t rows, columns;
};

/* Rows of panel `task` of n. */
static int64_t panel_size(int64_t n, int64_t panel, int64_t task)
{
    int64_t r = task * panel;

    return r + panel < n ? panel : n - r;
}

static void forward_task(void *context, int64_t task, int worker)
{
    const struct forward *p = context;
    int64_t out = p->s.n_out, in = p->s.n_in;
    int64_t n_block = (p->s.n + p->rows - 1) / p->rows;
    int64_t r = task % n_block, c0 = task / n_block * p->columns;
    int64_t m = panel_size(p->s.n, p->rows, r);
    int64_t c = c0 + p->columns < out ? p->columns : out - c0;
    float *y = p->y + r * p->rows * out + c0;
    const float *x = p->x + r * p->rows * in;

    (void)worker;
    if (p->w->packed)
        bird_kernels()->product(y, out, x, in, p->w->packed + c0 * in, m, c,
                                in);
    else
        bird_gemm_nt(y, out, (struct bird_matrix){x, in},
                     (struct bird_matrix){p->w->w + c0 * in, in}, m, c, in, 1,
                     0);
    if (p->w->b)
        bird_kernels()->add_bias(y, p->w->b + c0, m, out, c);
}

void bird_linear_forward(float *y, const float *x, const struct bird_linear *w,
                         struct bird_linear_shape s)
{
    int wide = s.n_out >= WIDE;
    struct forward p = {.y = y,
                        .x = x,
                        .w = w,
                        .s = s,
                        .rows = w->packed ? bird_packed_rows(s.n)
                                : wide    ? s.n
                                          : bird_panel_rows(s.n),
                        .columns = wide ? WIDE_OUT : s.n_out};

    if (s.n > 0)
        bird_parallel((s.n + p.rows - 1) / p.rows *
                          ((s.n_out + p.columns - 1) / p.columns),
                      forward_task, &p);
}

/* The product of a weight's gradient packs all of x, so there are few and wide
 * tasks. */
static int64_t weight_columns(int64_t n_out)
{
    int64_t half = (n_out / 2 + 63) / 64 * 64;

    return half < 128 ? 128 : half > 384 ? 384 : half;
}

struct back {
    float *dw, *db, *dx;
    const float *w, *dy, *x;
    struct bird_linear_shape s;
    int64_t n_weight, n_input, panel;
};

static void weight_task(const struct back *k, int64_t task)
{
    int64_t size = weight_columns(k->s.n_out), c0 = task * size,
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
    else if (task < k->n_weight)
        weight_task(k, task);
    else
        input_task(k, task - k->n_weight);
}

void bird_linear_backward(const struct bird_linear *g, float *dx,
                          const struct bird_linear *w, const float *dy,
                          const float *x, struct bird_linear_shape shape)
{
    int64_t size = weight_columns(shape.n_out),
            panel = bird_panel_rows(shape.n);
    struct back k = {.dw = g->w,
                     .db = g->b,
                     .dx = dx,
                     .w = w ? w->w : NULL,
                     .dy = dy,
                     .x = x,
                     .s = shape,
                     .n_weight = g->w ? (shape.n_out + size - 1) / size : 0,
                     .panel = panel};

    if (!dx)
        k.n_input = 0;
    else if (shape.n_out >= WIDE)
        k.n_input = (shape.n_in + WIDE_COLUMNS - 1) / WIDE_COLUMNS;
    else
        k.n_input = (shape.n + panel - 1) / panel;
    bird_parallel(k.n_weight + k.n_input, backward_task, &k);
}

enum { LINE = 64 /* bytes of a cache line */ };

struct low_pass {
    const struct bird_linear_args *args;
    float *y;                /* forward: y, else NULL */
    uint16_t *dy, *x;        /* backward: rounded rows */
    float *scratch;          /* one part a worker */
    int64_t part;            /* floats of it */
    int64_t panel, n_weight; /* rows of a task; tasks of weights */
    int failed;              /* a product did, in any task */
};

void bird_linear_workspace_free(struct bird_linear_workspace *r)
{
    free(r->block);
    *r = (struct bird_linear_workspace){0};
}

static int64_t whole_lines(int64_t n_byte)
{
    return (n_byte + LINE - 1) / LINE * LINE;
}

/* Cut the workspace into rounded rows (none forward) and scratch. */
static int reserve(struct low_pass *p, struct bird_linear_workspace *space,
                   const struct bird_low *l)
{
    const struct bird_linear_shape *s = &p->args->s;
    int64_t width = (int64_t)sizeof(uint16_t);
    int64_t dy = p->y ? 0 : whole_lines(s->n * s->n_out * width);
    int64_t x = p->y ? 0 : whole_lines(s->n * s->n_in * width);
    int64_t own = whole_lines(bird_low_scratch(l) * (int64_t)sizeof(float));
    int64_t need = dy + x + own * bird_threads();

    if (need > space->cap) {
        bird_linear_workspace_free(space);
        if (bird_array_new(&space->block, need, 1))
            return BIRD_ENOMEM;
        space->cap = need;
    }
    p->dy = (uint16_t *)(void *)space->block;
    p->x = (uint16_t *)(void *)(space->block + dy);
    p->scratch = (float *)(void *)(space->block + dy + x);
    p->part = own / (int64_t)sizeof(float);
    p->panel = bird_panel_rows(s->n);
    return 0;
}

/* Rows of panel `task`, from *r on. */
static int64_t low_rows(const struct low_pass *p, int64_t *r, int64_t task)
{
    int64_t n = p->args->s.n;

    *r = task * p->panel;
    return *r + p->panel < n ? p->panel : n - *r;
}

static int64_t count_panels(const struct low_pass *p)
{
    return (p->args->s.n + p->panel - 1) / p->panel;
}

static void note(struct low_pass *p, int rc)
{
    if (rc)
        __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
}

static int status(const struct low_pass *p)
{
    return p->failed ? bird_fail(BIRD_ENOMEM, "oneDNN could not compute a "
                                              "product: out of memory")
                     : 0;
}

static void low_forward_task(void *context, int64_t task, int worker)
{
    struct low_pass *p = context;
    const struct bird_linear_args *k = p->args;
    int64_t out = k->s.n_out, in = k->s.n_in, r, m = low_rows(p, &r, task);

    note(p, bird_low_product(p->y + r * out, out, k->w->low,
                             (struct bird_matrix){k->x + r * in, in}, k->w->b,
                             m, p->scratch + worker * p->part));
}

int bird_linear_low_forward(struct bird_linear_workspace *space, float *y,
                            const float *x, const struct bird_linear *w,
                            struct bird_linear_shape s)
{
    const struct bird_linear_args args = {.w = w, .x = x, .s = s};
    struct low_pass p = {.args = &args, .y = y};
    int rc = reserve(&p, space, w->low);

    if (rc)
        return rc;
    bird_parallel(count_panels(&p), low_forward_task, &p);
    return status(&p);
}

static void round_task(void *context, int64_t task, int worker)
{
    const struct low_pass *p = context;
    const struct bird_linear_args *k = p->args;
    int64_t out = k->s.n_out, in = k->s.n_in, r, m = low_rows(p, &r, task);

    (void)worker;
    bird_kernels()->to_bfloat16(p->dy + r * out, k->dy + r * out, m * out);
    bird_kernels()->to_bfloat16(p->x + r * in, k->x + r * in, m * in);
}

static void low_weight_task(struct low_pass *p, int64_t task)
{
    const struct bird_linear_args *k = p->args;
    int64_t size = weight_columns(k->s.n_out), c0 = task * size;
    int64_t out = k->s.n_out, in = k->s.n_in;
    int64_t c1 = c0 + size < out ? c0 + size : out;

    note(p, bird_low_outer(&(struct bird_outer){.c = k->g->w + c0 * in,
                                                .a = p->dy + c0,
                                                .b = p->x,
                                                .ldc = in,
                                                .lda = out,
                                                .ldb = in,
                                                .m = c1 - c0,
                                                .n = in,
                                                .k = k->s.n}));
    if (k->g->b)
        bird_kernels()->column_sum(k->g->b, k->dy, k->s.n, out, c0, c1);
}

static void low_input_task(struct low_pass *p, int64_t task, int worker)
{
    const struct bird_linear_args *k = p->args;
    float *scratch = p->scratch + worker * p->part;
    int64_t out = k->s.n_out, in = k->s.n_in, r, m = low_rows(p, &r, task);
    struct bird_matrix dy = {k->dy + r * out, out};
    float *dx = k->dx + r * in;

    note(p, k->s.add
                ? bird_low_add(dx, in, k->w->back, dy, m, scratch)
                : bird_low_product(dx, in, k->w->back, dy, NULL, m, scratch));
}

/* The long tasks first, so that the threads end together. */
static void low_backward_task(void *context, int64_t task, int worker)
{
    struct low_pass *p = context;

    if (task < p->n_weight)
        low_weight_task(p, task);
    else
        low_input_task(p, task - p->n_weight, worker);
}

int bird_linear_low_backward(struct bird_linear_workspace *space,
                             const struct bird_linear_args *args)
{
    int64_t size = weight_columns(args->s.n_out);
    struct low_pass p = {.args = args,
                         .n_weight = (args->s.n_out + size - 1) / size};
    int rc = reserve(&p, space, args->w->back);

    if (rc)
        return rc;
    bird_parallel(count_panels(&p), round_task, &p);
    bird_parallel(p.n_weight + count_panels(&p), low_backward_task, &p);
    return status(&p);
}
