/* The product of a linear layer, y = x W^T, over weights that were packed once.
 *
 * Tiles of one panel of weights follow each other, so that the panel is read
 * from the nearest cache; rows come in blocks that stay in the next one while
 * all panels pass. What decides a row's bits is said in tile.h; no library that
 * was measured promises as much on every processor (docs/design.md).
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"
#include "kernel/cpu/tile.h"

enum {
    ROWS = 192, /* of a block */
    LINE = 16   /* floats of a cache line */
};

TILE_TABLE(packed, t->row, 1, NR)

int64_t BIRD_FN(packed_size)(int64_t n_out, int64_t n_in)
{
    return (n_out + NR - 1) / NR * NR * n_in;
}

/* Panel after panel; in a panel, NR weights of each input feature. */
void BIRD_FN(pack)(float *packed, const float *w, int64_t ldw, int64_t n_out,
                   int64_t n_in)
{
    for (int64_t c = 0; c < n_out; c += NR, packed += NR * n_in) {
        int64_t n = n_out - c < NR ? n_out - c : NR;

        if (n < NR)
            memset(packed, 0, (size_t)(NR * n_in) * sizeof(*packed));
        for (int64_t k0 = 0; k0 < n_in; k0 += LINE)
            for (int64_t j = 0; j < n; j++)
                for (int64_t k = k0; k < k0 + LINE && k < n_in; k++)
                    packed[k * NR + j] = w[(c + j) * ldw + k];
    }
}

void BIRD_FN(product)(float *y, int64_t ldy, const float *x, int64_t ldx,
                      const float *packed, int64_t n, int64_t n_out,
                      int64_t n_in)
{
    for (int64_t r = 0; r < n; r += ROWS)
        for (int64_t k = 0; k < n_in; k += DEPTH)
            for (int64_t c = 0; c < n_out; c += NR) {
                struct product_tile t = {.y = y + r * ldy + c,
                                         .x = x + r * ldx + k,
                                         .w = packed + c * n_in + k * NR,
                                         .ldy = ldy,
                                         .row = ldx,
                                         .depth = n_in - k < DEPTH ? n_in - k
                                                                   : DEPTH,
                                         .add = k > 0};

                tile_column(packed_of, t, n - r < ROWS ? n - r : ROWS,
                            n_out - c);
            }
}
