/* Rows and columns whose index passes 2^31: everything is computed twice, at
 * the beginning of its arrays and far back in them, and must be the same. The
 * arrays are address space alone: pages that nobody touches take no memory,
 * so that each test needs a few MiB. The tasks of a layer are static, hence
 * the two files of code.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "tiny.h"

/* after the headers that they include */
#include "model/encoder.c"
#include "model/linear.c"

enum {
    PANEL = 64,
    ROWS = 150, /* two panels and a bit */
    N_SEQ = 2,
    CUT = 20 /* rows of the first sequence: full attention */
};

/* A row whose number times 2 passes 2^31, and the first of a panel. */
static const int64_t far_row = ((int64_t)1 << 30) + 64 * PANEL;

/* Floats from row to row: row 64 lies at 2^31. The largest vocabulary is half
 * of it; BIRD_GEMM_STEP is the end. */
static const int64_t far_step = (int64_t)1 << 25;

/* Address space for n values of four bytes; given back at the process's end,
 * and each test is one. */
static void *space(int64_t n)
{
    void *p = mmap(NULL, (size_t)n * 4, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        cr_skip_test("%lld GiB of address space are refused (ulimit -v, "
                     "vm.overcommit_memory)",
                     (long long)(n >> 28));
    madvise(p, (size_t)n * 4, MADV_NOHUGEPAGE);
    return p;
}

static void fill(float *x, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (float)(seed >> 40) / (float)(1 << 23) - 1;
    }
}

/* n rows of d values, `step` apart. */
static void fill_rows(float *x, int64_t n, int64_t step, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        fill(x + i * step, d, (uint64_t)(i + 1));
}

static void equal_rows(const float *a, int64_t lda, const float *b, int64_t ldb,
                       int64_t n, int64_t d, const char *what)
{
    int nonzero = 0;

    for (int64_t i = 0; i < n; i++) {
        cr_assert_eq(memcmp(a + i * lda, b + i * ldb, (size_t)d * sizeof(*a)),
                     0, "%s: row %lld differs far back", what, (long long)i);
        for (int64_t j = 0; j < d; j++)
            nonzero |= a[i * lda + j] != 0;
    }
    cr_assert(nonzero, "%s: nothing was computed", what);
}

/* What a layer and its embeddings make of ROWS rows from row `base`. */
struct made {
    float *x, *qkv, *ctx, *u, *y, *again, *u_again, *h, *z, *stat;
};

static void layer_at(struct made *m, struct tiny *t, int64_t base)
{
    int64_t d = t->c.hidden_size, f = t->c.intermediate_size, n = base + ROWS;
    int64_t offset[N_SEQ + 1] = {base, base + CUT, base + ROWS};
    struct bird_batch b = {.n_seq = N_SEQ, .offset = offset};
    int32_t *ids = space(n);
    struct bird_encoder *e;

    *m = (struct made){.x = space(n * d),
                       .qkv = space(n * 3 * d),
                       .ctx = space(n * d),
                       .u = space(n * f),
                       .y = space(n * d),
                       .again = space(n * d),
                       .u_again = space(n * f),
                       .h = space(n * f),
                       .z = space(n * d),
                       .stat = space(n * 2)};
    for (int64_t i = 0; i < ROWS; i++)
        ids[base + i] = (int32_t)(1 + i * 7 % (t->c.vocab_size - 1));
    b.ids = ids;
    WORKS(bird_encoder_new(&e, &t->c, &t->w));
    WORKS(bird_encoder_prepare(e, &b, 0));
    e->panel = PANEL;
    bird_embed(e, m->x, m->z, m->stat, &b, NULL);
    struct bird_activations s = {.qkv = m->qkv, .ctx = m->ctx, .u = m->u};
    struct pass p = {.e = e,
                     .w = &t->w.layer[0],
                     .s = &s,
                     .b = &b,
                     .x = m->x,
                     .y = m->y,
                     .dropout = &no_dropout,
                     .n = n};
    struct projection q = {e, &t->w.layer[0].qkv, m->qkv, m->x, n, 0, &b};

    for (int64_t i = base / PANEL; i * PANEL < n; i++)
        qkv_task(&q, i, 0);
    bird_layer_attend(e, 0, &s, &b);
    for (int64_t i = base / PANEL; i * PANEL < n; i++)
        output_task(&p, i, 0);
    s.u = m->u_again;
    p.y = m->again;
    p.z = m->h;
    for (int64_t i = base / PANEL; i * PANEL < n; i++)
        again_task(&p, i, 0);
    bird_encoder_free(e);
}

Test(far, a_layer_of_rows_far_back)
{
    struct bird_config c;
    struct made near, far;
    struct tiny t;
    int64_t d, f, r = far_row;

    tiny_config(&c, &bird_head_none);
    c.max_positions = ROWS;
    tiny_init(&t, &c, 1);
    d = c.hidden_size, f = c.intermediate_size;
    layer_at(&near, &t, 0);
    layer_at(&far, &t, r);
    equal_rows(near.x, d, far.x + r * d, d, ROWS, d, "embedding");
    equal_rows(near.z, d, far.z + r * d, d, ROWS, d, "its sum");
    equal_rows(near.stat, 2, far.stat + r * 2, 2, ROWS, 2, "its mean");
    equal_rows(near.qkv, 3 * d, far.qkv + r * 3 * d, 3 * d, ROWS, 3 * d, "qkv");
    equal_rows(near.ctx, d, far.ctx + r * d, d, ROWS, d, "attention");
    equal_rows(near.u, f, far.u + r * f, f, ROWS, f, "feed-forward");
    equal_rows(near.u, f, far.u_again + r * f, f, ROWS, f, "and again");
    equal_rows(near.y, d, far.y + r * d, d, ROWS, d, "output");
    equal_rows(near.again, d, far.again + r * d, d, ROWS, d, "output again");
    equal_rows(near.h, f, far.h + r * f, f, ROWS, f, "feed-forward again");
    tiny_free(&t);
}

enum { IN = 24, OUT = 40 };

/* A linear layer and its way back, one panel of rows from `base`. */
static void linear_at(float **y, float **dx, const struct bird_linear *layer,
                      int64_t base)
{
    float *x = space((base + PANEL) * IN), *dy = space((base + PANEL) * OUT);
    struct forward l = {.x = x,
                        .w = layer,
                        .s = {base + PANEL, OUT, IN, 0},
                        .rows = PANEL,
                        .columns = OUT};
    struct back k = {.w = layer->w,
                     .dy = dy,
                     .s = {base + PANEL, OUT, IN, 0},
                     .panel = PANEL};

    *y = l.y = space((base + PANEL) * OUT);
    *dx = k.dx = space((base + PANEL) * IN);
    fill(x + base * IN, PANEL * IN, 3);
    fill(dy + base * OUT, PANEL * OUT, 4);
    forward_task(&l, base / PANEL, 0);
    input_task(&k, base / PANEL);
}

Test(far, a_linear_layer_of_rows_far_back)
{
    float w[OUT * IN], *y[2], *dx[2];
    float *packed = space(bird_kernels()->packed_size(OUT, IN));
    int64_t r = far_row;

    fill(w, OUT * IN, 5);
    bird_kernels()->pack(packed, w, IN, OUT, IN);
    for (int i = 0; i < 2; i++) {
        struct bird_linear l = {.w = w, .b = w, .packed = i ? packed : NULL};

        linear_at(&y[0], &dx[0], &l, 0);
        linear_at(&y[1], &dx[1], &l, r);
        equal_rows(y[0], OUT, y[1] + r * OUT, OUT, PANEL, OUT, "forward");
        equal_rows(dx[0], IN, dx[1] + r * IN, IN, PANEL, IN, "back");
    }
}

/* The largest vocabulary, 300 features: its last words. */
Test(far, the_last_words_of_a_large_vocabulary)
{
    const int64_t n_word = 1 << 24, d = 300, last = n_word / 512 - 1;
    float *w = space(n_word * d), *y = space(n_word * 2), x[2 * 300];
    float few[2 * 512];
    struct bird_linear layer = {.w = w}, end = {.w = w + last * 512 * d};
    struct forward l = {y, x, &layer, {2, n_word, d, 0}, 2, 512};
    struct forward k = {few, x, &end, {2, 512, d, 0}, 2, 512};

    fill(x, 2 * d, 6);
    fill(w + last * 512 * d, 512 * d, 7);
    forward_task(&l, last, 0);
    forward_task(&k, 0, 0);
    equal_rows(few, 512, y + last * 512, n_word, 2, 512, "logits");

    for (int i = 0; bird_kernels_at(i); i++) {
        const int32_t ids[2] = {(int32_t)n_word - 1, (int32_t)n_word - 2};
        float zero[300] = {0}, got[2 * 300];

        bird_kernels_at(i)->embed_forward(got, ids, NULL, n_word - 2, w, zero,
                                          w, 1, 2, d);
        for (int64_t j = 0; j < d; j++)
            cr_assert_eq(got[j],
                         w[(n_word - 1) * d + j] + w[(n_word - 2) * d + j]);
    }
}

enum { M = 70, N = 90, K = 80, BESIDE = 96 };

/* All three products, the matrices' rows `step` floats apart. */
static void products(float *c[3], int64_t step)
{
    float *a = space(N * step), *b = space(N * step);
    struct bird_matrix p = {a, step}, q = {b, step};

    for (int i = 0; i < 3; i++)
        c[i] = space(M * step);
    fill_rows(a, N, step, N);
    fill_rows(b, N, step, N);
    bird_gemm_nt(c[0], step, p, q, M, N, K, 1, 0);
    bird_gemm_nn(c[1], step, p, q, M, N, K, 1, 0);
    bird_gemm_tn(c[2], step, p, q, M, N, K, 1, 0);
}

Test(far, products_of_rows_far_apart)
{
    float *near[3], *far[3];

    products(near, BESIDE);
    products(far, far_step);
    for (int i = 0; i < 3; i++)
        equal_rows(near[i], BESIDE, far[i], far_step, M, N, "product");
}

/* Before any token is looked at: there are none here. */
Test(far, a_batch_of_more_rows_than_a_product_takes)
{
    const int64_t half = (int64_t)1 << 30;
    int64_t offset[] = {0, half, 2 * half};
    struct bird_batch b = {.n_seq = 2, .offset = offset};
    struct bird_config c;

    tiny_config(&c, &bird_head_none);
    FAILS(BIRD_ERANGE, bird_batch_check(&b, &c),
          "a batch of 2147483648 tokens: at most "
          "2147483647 at once");
    offset[2]--; /* now a sequence is what is wrong */
    FAILS(BIRD_ERANGE, bird_batch_check(&b, &c), "sequence 1 has");
}

/* Kernels whose rows may lie apart. */
static void row_kernels(const struct bird_kernels *k, float **y, float *sum,
                        uint8_t *q, int64_t step)
{
    float bias[N], scale[N], least[M], size[M];
    const struct bird_scales s = {size, least, scale, bias, bias};
    int32_t whole[M * N];

    *y = space(M * 2 * step);
    fill(bias, N, 8);
    fill(scale, N, 9);
    fill_rows(*y, M, step, N);
    k->add_bias(*y, bias, M, step, N);
    memset(sum, 0, N * sizeof(*sum));
    k->column_sum(sum, *y, M, step, 0, N);
    k->quantize_rows(q, size, least, *y, M, step, N, 255);
    for (int i = 0; i < M * N; i++)
        whole[i] = q[i];
    k->dequantize_rows(*y + M * step, step, whole, &s, M, N);
}

Test(far, kernels_of_rows_far_apart)
{
    const struct bird_kernels *k;

    for (int i = 0; (k = bird_kernels_at(i)); i++) {
        float *near, *far, sum[2][N];
        uint8_t q[2][M * N];

        row_kernels(k, &near, sum[0], q[0], BESIDE);
        row_kernels(k, &far, sum[1], q[1], far_step);
        equal_rows(near, BESIDE, far, far_step, 2 * M, N, k->name);
        equal_rows(sum[0], N, sum[1], N, 1, N, k->name);
        cr_assert_arr_eq(q[0], q[1], M * N);
    }
}

enum { LEN = 100, DIM = 8 };

/* One head, there and back; rows `step` floats apart. The arrays are out, q k
 * v, dout, and dq dk dv. */
static void attend(const struct bird_kernels *k, float *at[4], int64_t step)
{
    float *scratch = space(bird_attention_scratch_back(LEN, DIM, 64));

    for (int i = 0; i < 4; i++)
        at[i] = space(LEN * step);
    const struct bird_attention_args a = {.q = at[1],
                                          .k = at[1] + DIM,
                                          .v = at[1] + 2 * DIM,
                                          .ld = step,
                                          .len = LEN,
                                          .dim = DIM,
                                          .scale = 0.3f};

    fill_rows(at[1], LEN, step, 3 * DIM);
    fill_rows(at[2], LEN, step, DIM);
    for (int64_t r = 0; r < LEN; r += 64)
        k->attention_forward(at[0], step, &a, r, r + 64 < LEN ? r + 64 : LEN,
                             scratch);
    k->attention_backward(at[3], at[3] + DIM, at[3] + 2 * DIM, at[2], step, &a,
                          scratch);
}

Test(far, attention_of_rows_far_apart)
{
    const struct bird_kernels *k;

    for (int i = 0; (k = bird_kernels_at(i)); i++) {
        float *near[4], *far[4];

        attend(k, near, 32);
        attend(k, far, far_step);
        equal_rows(near[0], 32, far[0], far_step, LEN, DIM, "context");
        equal_rows(near[3], 32, far[3], far_step, LEN, 3 * DIM, "back");
    }
}
