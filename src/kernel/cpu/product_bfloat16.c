/* The product of a linear layer in bfloat16, over weights that were packed once: as
 * product.c, with two input features side by side in the 32 bits of a float. The
 * instruction VDPBF16PS adds both terms to a float32 sum. Only processors that have the
 * instruction run this file. SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/bfloat16.h"
#include "kernel/cpu/table.h"

enum { ROWS = 192 /* of a block */ };

TILE_TABLE(pairs, t->row, 1, NR)

int64_t BIRD_FN(packed_size_bfloat16)(int64_t n_out, int64_t n_in)
{
    return (n_out + NR - 1) / NR * NR * ((n_in + 1) / 2);
}

enum { LINE = 16 /* floats of a cache line, and input features at a time */ };

/* LINE input features from k of the panel of output features from c. */
static void pack_line(float *packed, const float *w, int64_t out_step,
                      int64_t in_step, int64_t n, int64_t n_in)
{
    float line[LINE][NR] = {{0}};
    uint16_t low[LINE][NR], both[NR][2];

    n_in = n_in < LINE ? n_in : LINE;
    if (out_step == 1)
        for (int64_t k = 0; k < n_in; k++)
            memcpy(line[k], w + k * in_step, (size_t)n * sizeof(*w));
    else
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n_in; k++)
                line[k][j] = w[j * out_step + k * in_step];
    BIRD_FN(to_bfloat16)(low[0], line[0], LINE * NR);
    for (int64_t k = 0; k < n_in; k += 2, packed += NR) {
        for (int64_t j = 0; j < NR; j++) {
            both[j][0] = low[k][j];
            both[j][1] = low[k + 1][j];
        }
        memcpy(packed, both, sizeof(both));
    }
}

/* Panel after panel; in a panel, NR weights of each two input features. Weights that
 * lie output by output are read panel by panel, others row by row. */
void BIRD_FN(pack_bfloat16)(float *packed, const float *w, int64_t out_step,
                            int64_t in_step, int64_t n_out, int64_t n_in)
{
    int64_t n_panel = (n_out + NR - 1) / NR, n_line = (n_in + LINE - 1) / LINE;

    for (int64_t i = 0; i < n_panel * n_line; i++) {
        int64_t c = (out_step == 1 ? i % n_panel : i / n_line) * NR;
        int64_t k = (out_step == 1 ? i / n_panel : i % n_line) * LINE;

        pack_line(packed + c * ((n_in + 1) / 2) + k / 2 * NR,
                  w + c * out_step + k * in_step, out_step, in_step,
                  n_out - c < NR ? n_out - c : NR, n_in - k);
    }
}

void BIRD_FN(round_bfloat16)(float *y, const float *x, int64_t n)
{
    round_row(y, x, n);
}

void BIRD_FN(product_bfloat16)(float *y, int64_t ldy, const float *x,
                               int64_t ldx, const float *packed, int64_t n,
                               int64_t n_out, int64_t n_pair, int add)
{
    for (int64_t r = 0; r < n; r += ROWS)
        for (int64_t k = 0; k < n_pair; k += DEPTH)
            for (int64_t c = 0; c < n_out; c += NR) {
                struct product_tile t = {
                    .y = y + r * ldy + c,
                    .x = x + r * ldx + k,
                    .w = packed + c * n_pair + k * NR,
                    .ldy = ldy,
                    .row = ldx,
                    .depth = n_pair - k < DEPTH ? n_pair - k : DEPTH,
                    .add = add || k > 0};

                tile_column(pairs_of, t, n - r < ROWS ? n - r : ROWS,
                            n_out - c);
            }
}
