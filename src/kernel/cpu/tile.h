/**
 * A tile of a matrix product in registers: MR rows and NR columns of sums, each
 * in an accumulator of its own that adds its terms in rising k. So a row's bits
 * do not depend on the other rows.
 *
 * Static for the reason that cpu.h gives. SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_TILE_H
#define BIRD_KERNEL_TILE_H

#include <stdint.h>
#include <string.h>

/* Floats of a vector register; vectors and rows of a tile, so that its sums, a
 * row of w and one value of x fill the registers that there are. */
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
    NR = LANES * VECTORS, /* columns of a tile */
    NR_MOST = 32,         /* of any instruction set */
    DEPTH = 768 /* terms of a sum before the next tile: 96 KiB of w at most */
};

/* What a term adds to the sums: a file may say otherwise before it includes this. */
#ifndef TILE_ADD
#define TILE_ADD(sum, a, v) ((sum) += (a) * (v))
#endif

typedef float lanes __attribute__((vector_size(sizeof(float) * LANES)));
/* the same where floats lie: at any address */
typedef float lanes_at __attribute__((vector_size(sizeof(float) * LANES),
                                      aligned(sizeof(float)), may_alias));

/** y(r, j) = sum of x(r, k) w(k, j) over k < depth, + y(r, j) where add. From
 *  one r to the next y lies ldy floats apart and x row; from one k to the next
 *  x lies step and w ldw. */
struct product_tile {
    float *y;
    const float *x, *w;
    int64_t ldy, row, step, ldw, depth;
    int add;
};

/** Rows that are a constant where this is inlined, so that sums are registers;
 *  row, step and ldw are the tile's, constants where they can be. */
static inline __attribute__((always_inline)) void
tile_sums(const struct product_tile *t, const int rows, const int64_t row,
          const int64_t step, const int64_t ldw)
{
    const float *x = t->x, *w = t->w;
    lanes sum[MR][VECTORS] = {{{0}}};

    for (int64_t k = 0; k < t->depth; k++, w += ldw, x += step) {
        lanes v[VECTORS];

#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            v[j] = *(const lanes_at *)(w + j * LANES);
#pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {
            float a = x[r * row];

#pragma GCC unroll 4
            for (int j = 0; j < VECTORS; j++)
                TILE_ADD(sum[r][j], a, v[j]);
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

/** One function for each number of rows, in name_of[rows]. */
typedef void tile_rows(const struct product_tile *t);

#define TILE_ROWS(name, n, row, step, ldw)                                     \
    static void name##_##n(const struct product_tile *t)                       \
    {                                                                          \
        tile_sums(t, n, row, step, ldw);                                       \
    }

#define TILE_SIX(name, row, step, ldw)                                         \
    TILE_ROWS(name, 1, row, step, ldw)                                         \
    TILE_ROWS(name, 2, row, step, ldw)                                         \
    TILE_ROWS(name, 3, row, step, ldw)                                         \
    TILE_ROWS(name, 4, row, step, ldw)                                         \
    TILE_ROWS(name, 5, row, step, ldw)                                         \
    TILE_ROWS(name, 6, row, step, ldw)

#if defined(__AVX512F__)
#define TILE_TABLE(name, row, step, ldw)                                       \
    TILE_SIX(name, row, step, ldw)                                             \
    TILE_ROWS(name, 7, row, step, ldw)                                         \
    TILE_ROWS(name, 8, row, step, ldw)                                         \
    TILE_ROWS(name, 9, row, step, ldw)                                         \
    TILE_ROWS(name, 10, row, step, ldw)                                        \
    TILE_ROWS(name, 11, row, step, ldw)                                        \
    TILE_ROWS(name, 12, row, step, ldw)                                        \
    static tile_rows                                                           \
        *const name##_of[MR + 1] = {NULL,     name##_1, name##_2,  name##_3,   \
                                    name##_4, name##_5, name##_6,  name##_7,   \
                                    name##_8, name##_9, name##_10, name##_11,  \
                                    name##_12};
#else
#define TILE_TABLE(name, row, step, ldw)                                       \
    TILE_SIX(name, row, step, ldw)                                             \
    static tile_rows *const name##_of[MR + 1] = {                              \
        NULL, name##_1, name##_2, name##_3, name##_4, name##_5, name##_6};
#endif

/** A tile of which y takes n columns, fewer than NR: computed in a buffer, then
 *  copied into y. */
static inline void tile_narrow(tile_rows *const *of,
                               const struct product_tile *t, int64_t rows,
                               int64_t n)
{
    float y[MR * NR] = {0};
    struct product_tile own = *t;
    size_t size = (size_t)n * sizeof(*y);

    for (int64_t r = 0; t->add && r < rows; r++)
        memcpy(y + r * NR, t->y + r * t->ldy, size);
    own.y = y;
    own.ldy = NR;
    of[rows](&own);
    for (int64_t r = 0; r < rows; r++)
        memcpy(t->y + r * t->ldy, y + r * NR, size);
}

/** All tiles of NR columns (n of them wanted) and the n_row rows from t's. */
static inline void tile_column(tile_rows *const *of, struct product_tile t,
                               int64_t n_row, int64_t n)
{
    for (int64_t r = 0; r < n_row; r += MR) {
        int64_t rows = n_row - r < MR ? n_row - r : MR;

        if (n < NR)
            tile_narrow(of, &t, rows, n);
        else
            of[rows](&t);
        t.y += MR * t.ldy;
        t.x += MR * t.row;
    }
}

#endif
