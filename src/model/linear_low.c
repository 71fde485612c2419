/* Linear layers in bfloat16, cut into tasks. SPDX-License-Identifier: MIT */
#include "model/linear_low.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "kernel/kernel.h"

enum { LINE = 64 /* bytes of a cache line */ };

struct pass {
    const struct bird_linear_way *way;
    float *y;                /* the way there: y, else NULL */
    uint16_t *dy, *x;        /* the way back: rounded rows */
    float *scratch;          /* one stretch a worker */
    int64_t stretch;         /* floats of it */
    int64_t panel, n_weight; /* rows of a task; tasks of weights */
    int failed;              /* a product did, in any task */
};

void bird_linear_room_free(struct bird_linear_room *r)
{
    free(r->block);
    *r = (struct bird_linear_room){0};
}

static int64_t whole_lines(int64_t n_byte)
{
    return (n_byte + LINE - 1) / LINE * LINE;
}

/* Cut the room into rounded rows (none on the way there) and scratch. */
static int lay_out(struct pass *p, struct bird_linear_room *room,
                   const struct bird_low *l)
{
    const struct bird_linear_shape *s = &p->way->s;
    int64_t width = (int64_t)sizeof(uint16_t);
    int64_t dy = p->y ? 0 : whole_lines(s->n * s->n_out * width);
    int64_t x = p->y ? 0 : whole_lines(s->n * s->n_in * width);
    int64_t own = whole_lines(bird_low_scratch(l) * (int64_t)sizeof(float));
    int64_t need = dy + x + own * bird_threads();

    if (need > room->cap) {
        bird_linear_room_free(room);
        if (bird_array_new(&room->block, need, 1))
            return BIRD_ENOMEM;
        room->cap = need;
    }
    p->dy = (uint16_t *)(void *)room->block;
    p->x = (uint16_t *)(void *)(room->block + dy);
    p->scratch = (float *)(void *)(room->block + dy + x);
    p->stretch = own / (int64_t)sizeof(float);
    p->panel = bird_panel_rows(s->n);
    return 0;
}

/* Rows of panel `task`, from *r on. */
static int64_t rows_of(const struct pass *p, int64_t *r, int64_t task)
{
    int64_t n = p->way->s.n;

    *r = task * p->panel;
    return *r + p->panel < n ? p->panel : n - *r;
}

static int64_t panels(const struct pass *p)
{
    return (p->way->s.n + p->panel - 1) / p->panel;
}

static void note(struct pass *p, int rc)
{
    if (rc)
        __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
}

static int outcome(const struct pass *p)
{
    return p->failed ? bird_fail(BIRD_ENOMEM, "oneDNN could not compute a "
                                              "product: out of memory")
                     : 0;
}

static void forward_task(void *context, int64_t task, int worker)
{
    struct pass *p = context;
    const struct bird_linear_way *k = p->way;
    int64_t out = k->s.n_out, in = k->s.n_in, r, m = rows_of(p, &r, task);

    note(p, bird_low_product(p->y + r * out, out, k->w->low,
                             (struct bird_matrix){k->x + r * in, in}, k->w->b,
                             m, p->scratch + worker * p->stretch));
}

int bird_linear_low_forward(struct bird_linear_room *room, float *y,
                            const float *x, const struct bird_linear *w,
                            struct bird_linear_shape s)
{
    const struct bird_linear_way way = {.w = w, .x = x, .s = s};
    struct pass p = {.way = &way, .y = y};
    int rc = lay_out(&p, room, w->low);

    if (rc)
        return rc;
    bird_parallel(panels(&p), forward_task, &p);
    return outcome(&p);
}

static void round_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_linear_way *k = p->way;
    int64_t out = k->s.n_out, in = k->s.n_in, r, m = rows_of(p, &r, task);

    (void)worker;
    bird_kernels()->to_bfloat16(p->dy + r * out, k->dy + r * out, m * out);
    bird_kernels()->to_bfloat16(p->x + r * in, k->x + r * in, m * in);
}

static void weight_task(struct pass *p, int64_t task)
{
    const struct bird_linear_way *k = p->way;
    int64_t size = bird_weight_stretch(k->s.n_out), c0 = task * size;
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

static void input_task(struct pass *p, int64_t task, int worker)
{
    const struct bird_linear_way *k = p->way;
    float *scratch = p->scratch + worker * p->stretch;
    int64_t out = k->s.n_out, in = k->s.n_in, r, m = rows_of(p, &r, task);
    struct bird_matrix dy = {k->dy + r * out, out};
    float *dx = k->dx + r * in;

    note(p, k->s.add
                ? bird_low_add(dx, in, k->w->back, dy, m, scratch)
                : bird_low_product(dx, in, k->w->back, dy, NULL, m, scratch));
}

/* The long tasks first, so that the threads end together. */
static void backward_task(void *context, int64_t task, int worker)
{
    struct pass *p = context;

    if (task < p->n_weight)
        weight_task(p, task);
    else
        input_task(p, task - p->n_weight, worker);
}

int bird_linear_low_backward(struct bird_linear_room *room,
                             const struct bird_linear_way *way)
{
    int64_t size = bird_weight_stretch(way->s.n_out);
    struct pass p = {.way = way, .n_weight = (way->s.n_out + size - 1) / size};
    int rc = lay_out(&p, room, way->w->back);

    if (rc)
        return rc;
    bird_parallel(panels(&p), round_task, &p);
    bird_parallel(p.n_weight + panels(&p), backward_task, &p);
    return outcome(&p);
}
