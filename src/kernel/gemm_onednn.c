/*
 * The only file that calls oneDNN; left out of builds without it. Weights are
 * reordered once into oneDNN's preferred layout; rows are converted and multiplied
 * BIRD_LOW_ROWS at a time, so that a row's result does not depend on the others.
 * In training, products with gradients use their matrices without copies.
 *
 * Where oneDNN would multiply bfloat16 by AVX512-BF16, the kernels' own product does: as
 * fast over many rows, and faster over few, as it needs no rows of zeros beside them and
 * no call's setup (docs/benchmarks.md).
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "kernel/gemm_low.h"
#include "kernel/kernel.h"

enum { R = BIRD_LOW_ROWS, LINE = 64 /* bytes of a cache line */ };

/* The engine is made at the first use and stays. */
static dnnl_engine_t engine_of_cpu(void)
{
    static dnnl_engine_t kept;
    dnnl_engine_t e = __atomic_load_n(&kept, __ATOMIC_ACQUIRE), none = NULL;

    if (e || dnnl_engine_create(&e, dnnl_cpu, 0))
        return e;
    if (!__atomic_compare_exchange_n(&kept, &none, e, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        dnnl_engine_destroy(e); /* another thread was first */
        e = none;
    }
    return e;
}

enum { SRC, WEIGHTS, DST, WORK, N_PART };

/* A matrix product that oneDNN has prepared for certain shapes. */
struct product {
    dnnl_engine_t engine;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t run;
};

static void product_free(struct product *p)
{
    if (p->run)
        dnnl_primitive_destroy(p->run);
    if (p->pd)
        dnnl_primitive_desc_destroy(p->pd);
}

/* Prepare dst = src weights, or with `add` dst += src weights; d describes the
 * three matrices. The caller gives scratch memory: threads share the weights, so
 * each thread needs its own. */
static dnnl_status_t product_new(struct product *p,
                                 const dnnl_memory_desc_t d[3], int add)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops = NULL;
    dnnl_matmul_desc_t what;
    dnnl_status_t s;

    if ((s = dnnl_matmul_desc_init(&what, &d[SRC], &d[WEIGHTS], NULL,
                                   &d[DST])) ||
        (s = dnnl_primitive_attr_create(&attr)) ||
        (s = dnnl_primitive_attr_set_scratchpad_mode(
             attr, dnnl_scratchpad_mode_user)))
        goto done;
    if (add && ((s = dnnl_post_ops_create(&ops)) ||
                (s = dnnl_post_ops_append_sum(ops, 1)) ||
                (s = dnnl_primitive_attr_set_post_ops(attr, ops))))
        goto done;
    s = dnnl_primitive_desc_create(&p->pd, &what, attr, p->engine, NULL);
    if (!s)
        s = dnnl_primitive_create(&p->run, p->pd);
done:
    if (ops)
        dnnl_post_ops_destroy(ops);
    if (attr)
        dnnl_primitive_attr_destroy(attr);
    return s;
}

static const dnnl_memory_desc_t *part_of(const struct product *p, int part)
{
    static const dnnl_query_t what[N_PART] = {
        dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md,
        dnnl_query_scratchpad_md};

    return dnnl_primitive_desc_query_md(p->pd, what[part], 0);
}

static int64_t bytes_of(const struct product *p, int part)
{
    return (int64_t)dnnl_memory_desc_get_size(part_of(p, part));
}

/* Run the product on the data at these addresses. */
static dnnl_status_t product_run(const struct product *p, dnnl_stream_t stream,
                                 void *const at[N_PART])
{
    static const int name[N_PART] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS,
                                     DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD};
    dnnl_exec_arg_t arg[N_PART] = {{0}};
    dnnl_status_t s = dnnl_success;

    for (int i = 0; !s && i < N_PART; i++) {
        arg[i].arg = name[i];
        s = dnnl_memory_create(&arg[i].memory, part_of(p, i), p->engine, at[i]);
    }
    if (!s)
        s = dnnl_primitive_execute(p->run, stream, N_PART, arg);
    if (!s)
        s = dnnl_stream_wait(stream);
    for (int i = 0; i < N_PART; i++)
        if (arg[i].memory)
            dnnl_memory_destroy(arg[i].memory);
    return s;
}

/* A stream for each call: threads share the weights, and oneDNN does not promise
 * that threads may share a stream. */
static dnnl_status_t stream_new(dnnl_stream_t *out, dnnl_engine_t e)
{
    return dnnl_stream_create(out, e, dnnl_stream_default_flags);
}

struct bird_low {
    enum bird_precision p;
    int64_t n_out, n_in; /* of its products */
    int transposed;      /* the weights came as (n_in, n_out) */
    int levels; /* int8: steps between a row's least and largest value */
    struct product product;
    float *own;         /* the weights for the kernels' product; or NULL, and */
    void *block;        /* the weights in oneDNN's layout */
    float *scale, *sum; /* int8: (n_out) step of a channel, and its step times
                           the sum of its weights */
};

void bird_low_free(struct bird_low *l)
{
    if (!l)
        return;
    product_free(&l->product);
    free(l->own);
    free(l->block);
    free(l->scale);
    free(l->sum);
    free(l);
}

/* Prepare the product of R rows; oneDNN chooses the layout of the weights. */
static dnnl_status_t plan(struct bird_low *l)
{
    dnnl_data_type_t in = l->p == BIRD_INT8 ? dnnl_u8 : dnnl_bf16;
    dnnl_data_type_t of = l->p == BIRD_INT8 ? dnnl_s8 : dnnl_bf16;
    dnnl_data_type_t to = l->p == BIRD_INT8 ? dnnl_s32 : dnnl_f32;
    const dnnl_dims_t a = {R, l->n_in}, b = {l->n_in, l->n_out};
    const dnnl_dims_t c = {R, l->n_out};
    dnnl_memory_desc_t d[3];
    dnnl_status_t s;

    if ((s = dnnl_memory_desc_init_by_tag(&d[SRC], 2, a, in, dnnl_ab)) ||
        (s = dnnl_memory_desc_init_by_tag(&d[WEIGHTS], 2, b, of,
                                          dnnl_format_tag_any)) ||
        (s = dnnl_memory_desc_init_by_tag(&d[DST], 2, c, to, dnnl_ab)))
        return s;
    return product_new(&l->product, d, 0);
}

static int planned(struct bird_low *l)
{
    dnnl_status_t s;

    l->product.engine = engine_of_cpu();
    if (!l->product.engine)
        return bird_fail_memory(sizeof(*l));
    s = plan(l);
    if (s == dnnl_out_of_memory)
        return bird_fail_memory(sizeof(*l));
    return s ? bird_fail(BIRD_EUNSUPPORTED,
                         "precision %s: oneDNN has no matrix product for "
                         "this processor: use float32",
                         bird_precision_name(l->p))
             : 0;
}

/* Does the kernels' own product take the place of oneDNN's? */
static int multiplies(enum bird_precision p)
{
    return p == BIRD_BFLOAT16 && bird_kernels_bfloat16(bird_kernels()) &&
           dnnl_get_effective_cpu_isa() == dnnl_cpu_isa_avx512_core_bf16;
}

void bird_low_version(char out[BIRD_LOW_NAME])
{
    const dnnl_version_t *v = dnnl_version();

    snprintf(out, BIRD_LOW_NAME, "%d.%d.%d", v->major, v->minor, v->patch);
}

int bird_low_check(char name[BIRD_LOW_NAME], enum bird_precision p)
{
    struct bird_low *l;
    int rc;

    if (name)
        *name = '\0';
    if (p == BIRD_FLOAT32)
        return 0;
    l = calloc(1, sizeof(*l));
    if (!l)
        return bird_fail_memory(sizeof(*l));
    l->p = p;
    l->n_out = l->n_in = 64; /* as good as any */
    rc = multiplies(p) ? 0 : planned(l);
    if (!rc && name)
        snprintf(name, BIRD_LOW_NAME, "%s's %s",
                 multiplies(p) ? "dnabird" : "oneDNN", bird_low_name(l));
    bird_low_free(l);
    return rc;
}

/* Reorder row-major weights of this type into the product's layout. */
static dnnl_status_t reorder(struct bird_low *l, void *rows,
                             dnnl_data_type_t type)
{
    const dnnl_dims_t b = {l->n_in, l->n_out};
    const dnnl_memory_desc_t *to = part_of(&l->product, WEIGHTS);
    dnnl_format_tag_t order = l->transposed ? dnnl_ab : dnnl_ba;
    dnnl_engine_t e = l->product.engine;
    dnnl_exec_arg_t arg[2] = {{DNNL_ARG_FROM, NULL}, {DNNL_ARG_TO, NULL}};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t move = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_desc_t d;
    dnnl_status_t s;

    if ((s = dnnl_memory_desc_init_by_tag(&d, 2, b, type, order)) ||
        (s = dnnl_memory_create(&arg[0].memory, &d, e, rows)) ||
        (s = dnnl_memory_create(&arg[1].memory, to, e, l->block)) ||
        (s = dnnl_reorder_primitive_desc_create(&pd, &d, e, to, e, NULL)) ||
        (s = dnnl_primitive_create(&move, pd)) ||
        (s = stream_new(&stream, e)) ||
        (s = dnnl_primitive_execute(move, stream, 2, arg)))
        goto done;
    s = dnnl_stream_wait(stream);
done:
    if (stream)
        dnnl_stream_destroy(stream);
    if (move)
        dnnl_primitive_destroy(move);
    if (pd)
        dnnl_primitive_desc_destroy(pd);
    for (int i = 0; i < 2; i++)
        if (arg[i].memory)
            dnnl_memory_destroy(arg[i].memory);
    return s;
}

/* Quantize the weights: integers q with w = scale q, one scale for each output
 * channel. */
static int round_weights(struct bird_low *l, int8_t *q, const float *w)
{
    int rc = bird_array_new(&l->scale, l->n_out, sizeof(*l->scale));

    if (!rc)
        rc = bird_array_new(&l->sum, l->n_out, sizeof(*l->sum));
    if (!rc)
        bird_kernels()->quantize_weights(q, l->scale, l->sum, w, l->n_out,
                                         l->n_in);
    return rc;
}

static int fill(struct bird_low *l, const float *w)
{
    int8_t *q = NULL;
    dnnl_status_t s;
    int rc;

    if (l->own) {
        bird_kernels()->pack_bfloat16(l->own, w, l->transposed ? 1 : l->n_in,
                                      l->transposed ? l->n_out : 1, l->n_out,
                                      l->n_in);
        return 0;
    }
    if (l->p == BIRD_BFLOAT16) {
        s = reorder(l, (void *)(uintptr_t)w, dnnl_f32); /* only read */
        return s ? bird_fail_memory((size_t)bytes_of(&l->product, WEIGHTS)) : 0;
    }
    rc = bird_array_new(&q, l->n_out * l->n_in, sizeof(*q));
    if (!rc)
        rc = round_weights(l, q, w);
    if (!rc && reorder(l, q, dnnl_s8))
        rc = bird_fail_memory((size_t)bytes_of(&l->product, WEIGHTS));
    free(q);
    return rc;
}

static int64_t lines(int64_t n_byte)
{
    return (n_byte + LINE - 1) / LINE * LINE;
}

/* Without VNNI oneDNN adds pairs of products in 16 bits, with saturation:
 * 2 * 127 * 127 still fits, 2 * 255 * 127 does not. */
static int levels_of_cpu(void)
{
    dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();

    return isa == dnnl_cpu_isa_avx512_core_vnni ||
                   isa == dnnl_cpu_isa_avx512_core_bf16 ||
                   isa == dnnl_cpu_isa_avx512_core_amx ||
                   isa == dnnl_cpu_isa_avx2_vnni
               ? 255
               : 127;
}

/* Largest number of features for which 255 * 127 times that number fits 32 bits. */
enum { WIDEST = 66311 };

static int make(struct bird_low *l, const float *w)
{
    int rc;

    if (l->p == BIRD_INT8 && l->n_in > WIDEST)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "precision int8: a layer of %lld features: at most "
                         "%d: use bfloat16 or float32",
                         (long long)l->n_in, WIDEST);
    if (multiplies(l->p)) {
        rc = bird_array_uninit(
            &l->own, bird_kernels()->packed_size_bfloat16(l->n_out, l->n_in),
            sizeof(*l->own));
        return rc ? rc : fill(l, w);
    }
    rc = planned(l);
    if (rc)
        return rc;
    l->block =
        aligned_alloc(LINE, (size_t)lines(bytes_of(&l->product, WEIGHTS)));
    if (!l->block)
        return bird_fail_memory((size_t)bytes_of(&l->product, WEIGHTS));
    return fill(l, w);
}

static int low_new(struct bird_low **out, const struct bird_low *shape,
                   const float *w)
{
    struct bird_low *l = calloc(1, sizeof(*l));
    int rc;

    if (!l)
        return bird_fail_memory(sizeof(*l));
    *l = *shape;
    l->levels = levels_of_cpu();
    rc = make(l, w);
    if (rc)
        bird_low_free(l);
    else
        *out = l;
    return rc;
}

int bird_low_new(struct bird_low **out, enum bird_precision p, const float *w,
                 int64_t n_out, int64_t n_in)
{
    return low_new(out,
                   &(struct bird_low){.p = p, .n_out = n_out, .n_in = n_in}, w);
}

int bird_low_new_transposed(struct bird_low **out, const float *w,
                            int64_t n_out, int64_t n_in)
{
    return low_new(
        out,
        &(struct bird_low){
            .p = BIRD_BFLOAT16, .n_out = n_in, .n_in = n_out, .transposed = 1},
        w);
}

int bird_low_set(struct bird_low *l, const float *w)
{
    assert(l->p == BIRD_BFLOAT16);
    return fill(l, w);
}

/* The destination of a product. */
struct target {
    float *c;
    int64_t ldc;
    const float *bias; /* or NULL */
    int add;           /* 1: add to c (bfloat16 only) */
};

/* Rows of the kernels' own product at a time. */
enum { OWN_ROWS = 192 };

static int64_t pairs_of(const struct bird_low *l)
{
    return (l->n_in + 1) / 2;
}

/* The kernels' own product. Rows are rounded first: those of a convolution overlap, and
 * are one run of numbers. */
static void multiply_own(const struct target *t, const struct bird_low *l,
                         struct bird_matrix a, int64_t m, float *scratch)
{
    const struct bird_kernels *k = bird_kernels();
    int64_t pairs = pairs_of(l), in = l->n_in;
    int run = a.ld < in && a.ld % 2 == 0 && in % 2 == 0;

    for (int64_t r = 0; r < m; r += OWN_ROWS) {
        int64_t rows = m - r < OWN_ROWS ? m - r : OWN_ROWS;
        const float *x = a.x + r * a.ld;
        float *c = t->c + r * t->ldc;

        if (run)
            k->round_bfloat16(scratch, x, (rows - 1) * a.ld + in);
        for (int64_t i = 0; !run && i < rows; i++)
            k->round_bfloat16(scratch + i * pairs, x + i * a.ld, in);
        k->product_bfloat16(c, t->ldc, scratch, run ? a.ld / 2 : pairs, l->own,
                            rows, l->n_out, pairs, t->add);
        if (t->bias)
            k->add_bias(c, t->bias, rows, t->ldc, l->n_out);
    }
}

/* Layout of the scratch memory, in this order: converted rows; oneDNN's
 * scratchpad; step and smallest value of each row; a result that cannot be
 * written directly into c. */
static int64_t rows_bytes(const struct bird_low *l)
{
    return lines(R * l->n_in * (l->p == BIRD_INT8 ? 1 : 2));
}

int64_t bird_low_scratch(const struct bird_low *l)
{
    if (!l)
        return 0;
    if (l->own)
        return OWN_ROWS * pairs_of(l) + LINE;
    return (rows_bytes(l) + lines(bytes_of(&l->product, WORK)) +
            lines(2 * R * (int64_t)sizeof(float)) + LINE +
            R * l->n_out * (int64_t)sizeof(float)) /
           (int64_t)sizeof(float);
}

/* Addresses of a product's parts in the scratch memory. */
struct workspace {
    void *rows, *work;
    float *step, *least, *result;
};

static struct workspace workspace_in(float *scratch, const struct bird_low *l)
{
    char *p = (char *)(((uintptr_t)scratch + LINE - 1) / LINE * LINE);
    struct workspace r = {.rows = p, .work = p + rows_bytes(l)};

    p += rows_bytes(l) + lines(bytes_of(&l->product, WORK));
    r.step = (float *)(void *)p;
    r.least = r.step + R;
    r.result = (float *)(void *)(p + lines(2 * R * (int64_t)sizeof(float)));
    return r;
}

/* Convert at most R rows of a into the workspace, and fill up with rows of
 * zeros. */
static void convert(const struct bird_low *l, const struct workspace *r,
                    struct bird_matrix a, int64_t m)
{
    const struct bird_kernels *k = bird_kernels();
    int64_t in = l->n_in;
    int64_t width = l->p == BIRD_INT8 ? 1 : (int64_t)sizeof(uint16_t);

    if (l->p == BIRD_INT8)
        k->quantize_rows(r->rows, r->step, r->least, a.x, m, a.ld, in,
                         l->levels);
    else
        for (int64_t i = 0; i < m; i++)
            k->to_bfloat16((uint16_t *)r->rows + i * in, a.x + i * a.ld, in);
    memset((char *)r->rows + m * in * width, 0, (size_t)((R - m) * in * width));
}

/* The product of the block of rows from row i lies in `from`: c and bias. */
static void finish(const struct bird_low *l, const struct workspace *r,
                   const struct target *t, int64_t i, const float *from,
                   int64_t m)
{
    const struct bird_kernels *k = bird_kernels();
    int64_t n = l->n_out, ldc = t->ldc;
    float *c = t->c + i * ldc;

    if (l->p == BIRD_INT8) {
        const struct bird_scales s = {r->step, r->least, l->scale, l->sum,
                                      t->bias};

        k->dequantize_rows(c, ldc, from, &s, m, n);
        return;
    }
    for (int64_t j = 0; t->add && j < m; j++)
        k->add(c + j * ldc, from + j * n, n);
    for (int64_t j = 0; !t->add && c != from && j < m; j++)
        memcpy(c + j * ldc, from + j * n, (size_t)n * sizeof(*c));
    if (t->bias)
        k->add_bias(c, t->bias, m, ldc, n);
}

static int multiply(const struct target *t, const struct bird_low *l,
                    struct bird_matrix a, int64_t m, float *scratch)
{
    struct workspace r;
    dnnl_stream_t stream = NULL;
    int bad, direct = !t->add && t->ldc == l->n_out;

    if (l->own) {
        multiply_own(t, l, a, m, scratch);
        return 0;
    }
    r = workspace_in(scratch, l);
    bad = stream_new(&stream, l->product.engine) != dnnl_success;
    for (int64_t i = 0; !bad && i < m; i += R) {
        int64_t rows = m - i < R ? m - i : R;
        float *to = rows == R && direct ? t->c + i * t->ldc : r.result;
        void *const at[N_PART] = {r.rows, l->block, to, r.work};

        convert(l, &r, (struct bird_matrix){a.x + i * a.ld, a.ld}, rows);
        bad = product_run(&l->product, stream, at) != dnnl_success;
        if (!bad)
            finish(l, &r, t, i, to, rows);
    }
    if (stream)
        dnnl_stream_destroy(stream);
    return bad ? BIRD_ENOMEM : 0;
}

int bird_low_product(float *c, int64_t ldc, const struct bird_low *l,
                     struct bird_matrix a, const float *bias, int64_t m,
                     float *scratch)
{
    return multiply(&(struct target){c, ldc, bias, 0}, l, a, m, scratch);
}

int bird_low_add(float *c, int64_t ldc, const struct bird_low *l,
                 struct bird_matrix a, int64_t m, float *scratch)
{
    assert(l->p == BIRD_BFLOAT16);
    return multiply(&(struct target){c, ldc, NULL, 1}, l, a, m, scratch);
}

/* c += a^T b; oneDNN reads a with swapped strides, without a copy. */
static dnnl_status_t plan_outer(struct product *p, const struct bird_outer *o)
{
    const dnnl_dims_t size[] = {{o->m, o->k}, {o->k, o->n}, {o->m, o->n}};
    const dnnl_dims_t step[] = {{1, o->lda}, {o->ldb, 1}, {o->ldc, 1}};
    dnnl_memory_desc_t d[3];
    dnnl_status_t s = dnnl_success;

    for (int i = 0; !s && i < 3; i++)
        s = dnnl_memory_desc_init_by_strides(
            &d[i], 2, size[i], i == DST ? dnnl_f32 : dnnl_bf16, step[i]);
    return s ? s : product_new(p, d, 1);
}

int bird_low_outer(const struct bird_outer *o)
{
    struct product p = {.engine = engine_of_cpu()};
    void *at[N_PART] = {(void *)(uintptr_t)o->a, /* only read */
                        (void *)(uintptr_t)o->b, o->c, NULL};
    dnnl_status_t s = p.engine ? plan_outer(&p, o) : dnnl_out_of_memory;
    dnnl_stream_t stream = NULL;

    if (!s) {
        at[WORK] = aligned_alloc(LINE, (size_t)lines(bytes_of(&p, WORK) + 1));
        s = at[WORK] ? stream_new(&stream, p.engine) : dnnl_out_of_memory;
    }
    if (!s)
        s = product_run(&p, stream, at);
    if (stream)
        dnnl_stream_destroy(stream);
    product_free(&p);
    free(at[WORK]);
    return s ? BIRD_ENOMEM : 0;
}

int bird_low_any_rows(const struct bird_low *l)
{
    return l && l->own;
}

int64_t bird_low_bytes(const struct bird_low *l)
{
    if (!l)
        return 0;
    if (l->own)
        return bird_kernels()->packed_size_bfloat16(l->n_out, l->n_in) *
               (int64_t)sizeof(*l->own);
    return bytes_of(&l->product, WEIGHTS) +
           (l->scale ? 2 * l->n_out * (int64_t)sizeof(float) : 0);
}

const char *bird_low_name(const struct bird_low *l)
{
    const char *name = NULL;

    if (multiplies(l->p))
        return "avx512_bf16";
    if (dnnl_primitive_desc_query(l->product.pd, dnnl_query_impl_info_str, 0,
                                  (void *)&name))
        return "oneDNN";
    return name;
}
