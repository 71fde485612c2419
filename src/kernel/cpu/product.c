/* The product of a linear layer, y = x W^T, over weights that were packed once.
 *
 * A tile of MR rows and NR output features lives in registers while k runs over
 * DEPTH input features; tiles of one panel of weights follow each other, so
 * that the panel is read from the nearest cache. Each sum has an accumulator of
 * its own and adds its terms in rising k, so that a row's bits are a function
 * of that row and the weights alone: neither its place nor the rows beside it
 * enter. No library that was measured promises this for every processor
 * (docs/design.md). SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"

/* Floats of a vector register; vectors and rows of a tile, so that its sums, a
 * row of weights and one value of x fill the registers that there are. */
#if defined(__AVX512F__)
enum { LANES = 16, VECTORS = 2, MR = 12 };
#elif defined(__AVX2__)
enum { LANES = 8, VECTORS = 2, MR = 6 };
#elif defined(__aarch64__)
enum { LANES = 4, VECTORS = 4, MR = 6 };
#else
enum { LANES = 4, VECTORS = 2, MR = 6 };
#endif

enum {
    NR = LANES * VECTORS, /* output features of a panel of weights */
    DEPTH = 768,          /* input features of a pass: a panel is 96 KiB */
    ROWS = 96,            /* rows that stay near while all panels pass */
    LINE = 16             /* floats of a cache line */
};

typedef float lanes __attribute__((vector_size(sizeof(float) * LANES)));
/* the same where floats lie: at any address, and floats all the same */
typedef float lanes_at __attribute__((vector_size(sizeof(float) * LANES),
                                      aligned(sizeof(float)), may_alias));

/* What a tile reads and writes: its first row and feature. */
struct tile {
    float *y;
    const float *x, *w; /* w: DEPTH or fewer times NR, packed */
    int64_t ldy, ldx, depth;
    int add; /* to the sums of the features before */
};

/* `rows` is a constant where this is inlined, so that sums are registers. */
static inline __attribute__((always_inline)) void multiply(const struct tile *t,
                                                           const int rows)
{
    const float *x = t->x, *w = t->w;
    lanes sum[MR][VECTORS] = {{{0}}};

    for (int64_t k = 0; k < t->depth; k++, w += NR) {
        lanes v[VECTORS];

#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            v[j] = *(const lanes_at *)(w + j * LANES);
#pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {
            float a = x[r * t->ldx + k];

#pragma GCC unroll 4
            for (int j = 0; j < VECTORS; j++)
                sum[r][j] += a * v[j];
        }
    }
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++) {
            lanes_at *y = (lanes_at *)(t->y + r * t->ldy + j * LANES);

            if (t->add)
                *y += (lanes_at)sum[r][j];
            else
                *y = (lanes_at)sum[r][j];
        }
}

typedef void multiply_rows(const struct tile *t);

#define ROWS_OF(n)                                                             \
    static void multiply_##n(const struct tile *t)                             \
    {                                                                          \
        multiply(t, n);                                                        \
    }
ROWS_OF(1)
ROWS_OF(2)
ROWS_OF(3)
ROWS_OF(4)
ROWS_OF(5)
ROWS_OF(6)
#if defined(__AVX512F__)
ROWS_OF(7)
ROWS_OF(8)
ROWS_OF(9)
ROWS_OF(10)
ROWS_OF(11)
ROWS_OF(12)
#endif

static multiply_rows *const multiply_of[MR + 1] = {
    NULL,       multiply_1, multiply_2, multiply_3,  multiply_4,  multiply_5,
    multiply_6,
#if defined(__AVX512F__)
    multiply_7, multiply_8, multiply_9, multiply_10, multiply_11, multiply_12,
#endif
};

/* A tile of fewer features than a panel has: beside y, then into it. */
static void multiply_narrow(const struct tile *t, int64_t rows, int64_t n)
{
    float y[MR * NR];
    struct tile own = *t;
    size_t size = (size_t)n * sizeof(*y);

    memset(y, 0, sizeof(y));
    for (int64_t r = 0; t->add && r < rows; r++)
        memcpy(y + r * NR, t->y + r * t->ldy, size);
    own.y = y;
    own.ldy = NR;
    multiply_of[rows](&own);
    for (int64_t r = 0; r < rows; r++)
        memcpy(t->y + r * t->ldy, y + r * NR, size);
}

int64_t BIRD_FN(packed_size)(int64_t n_out, int64_t n_in)
{
    return (n_out + NR - 1) / NR * NR * n_in;
}

/* Panel after panel; in a panel, NR weights of each input feature. */
void BIRD_FN(pack)(float *packed, const float *w, int64_t n_out, int64_t n_in)
{
    for (int64_t c = 0; c < n_out; c += NR, packed += NR * n_in) {
        int64_t n = n_out - c < NR ? n_out - c : NR;

        if (n < NR)
            memset(packed, 0, (size_t)(NR * n_in) * sizeof(*packed));
        for (int64_t k0 = 0; k0 < n_in; k0 += LINE)
            for (int64_t j = 0; j < n; j++)
                for (int64_t k = k0; k < k0 + LINE && k < n_in; k++)
                    packed[k * NR + j] = w[(c + j) * n_in + k];
    }
}

void BIRD_FN(product)(float *y, int64_t ldy, const float *x, int64_t ldx,
                      const float *packed, int64_t n, int64_t n_out,
                      int64_t n_in)
{
    for (int64_t r0 = 0; r0 < n; r0 += ROWS)
        for (int64_t k = 0; k < n_in; k += DEPTH)
            for (int64_t c = 0; c < n_out; c += NR) {
                int64_t end = n - r0 < ROWS ? n : r0 + ROWS;
                struct tile t = {.w = packed + c * n_in + k * NR,
                                 .ldy = ldy,
                                 .ldx = ldx,
                                 .depth = n_in - k < DEPTH ? n_in - k : DEPTH,
                                 .add = k > 0};

                for (int64_t r = r0; r < end; r += MR) {
                    int64_t rows = end - r < MR ? end - r : MR;

                    t.y = y + r * ldy + c;
                    t.x = x + r * ldx + k;
                    if (n_out - c < NR)
                        multiply_narrow(&t, rows, n_out - c);
                    else
                        multiply_of[rows](&t);
                }
            }
}
