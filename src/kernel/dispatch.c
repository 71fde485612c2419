/*
 * Choose a copy of the kernels. The same C source is compiled for each instruction
 * set; the first use chooses the largest set that the processor has, so one
 * program runs on all machines.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"

extern const struct bird_kernels bird_kernels_base;
#ifdef BIRD_SIMD
extern const struct bird_kernels bird_kernels_avx2, bird_kernels_avx512;
#endif

const struct bird_kernels *bird_kernels_at(int i)
{
    const struct bird_kernels *list[4] = {&bird_kernels_base};
    int n = 1;

#ifdef BIRD_SIMD
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        list[n++] = &bird_kernels_avx2;
    if (n == 2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list[n++] = &bird_kernels_avx512;
#endif
    return i >= 0 && i < n ? list[i] : NULL;
}

const struct bird_kernels *bird_kernels_named(const char *name)
{
    const struct bird_kernels *k;

    for (int i = 0; (k = bird_kernels_at(i)); i++)
        if (!strcmp(name, k->name))
            return k;
    return NULL;
}

static const struct bird_kernels *choose(void)
{
    const char *want = getenv("DNABIRD_ISA");
    const struct bird_kernels *best = want ? bird_kernels_named(want) : NULL;
    int last = 0;

    while (bird_kernels_at(last + 1))
        last++;
    return best ? best : bird_kernels_at(last);
}

const struct bird_kernels *bird_kernels(void)
{
    static const struct bird_kernels *chosen;
    const struct bird_kernels *k = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);

    if (!k) {
        k = choose();
        __atomic_store_n(&chosen, k, __ATOMIC_RELEASE);
    }
    return k;
}

int bird_kernels_bfloat16(const struct bird_kernels *k)
{
#ifdef BIRD_AVX512_BF16
    return k->attention_bfloat16 && __builtin_cpu_supports("avx512bf16");
#else
    (void)k;
    return 0;
#endif
}

bird_attention_function *bird_attention_low(const struct bird_kernels *k)
{
    return bird_kernels_bfloat16(k) ? k->attention_bfloat16
                                    : k->attention_forward;
}

bird_attention_back_function *
bird_attention_back_low(const struct bird_kernels *k)
{
    return bird_kernels_bfloat16(k) ? k->attention_backward_bfloat16
                                    : k->attention_backward;
}

int64_t bird_attention_tile(const struct bird_plan *plan)
{
    return plan ? plan->block : 64;
}

enum { QUERIES = 64, NARROW = 32 }; /* as in cpu/attention.c */

int64_t bird_attention_scratch(int64_t len, int64_t dim, int64_t tile)
{
    int64_t rows = len + tile * len; /* column weights, then p of one tile;
                                           maps turn 16 rows of it behind: with
                                           few queries or 64, as `columns` has */
    int64_t columns = len + QUERIES * (len + dim) + NARROW * len;
    int64_t low =
        2 * QUERIES * (dim + NARROW); /* attention_bfloat16()'s sums and
                                                   queries */

    columns = low > columns ? low : columns;
    return rows > columns ? rows : columns;
}

int64_t bird_attention_rounded(int64_t len, int64_t dim)
{
    int64_t pairs = (dim + 1) / 2,
            values = (dim + NARROW - 1) / NARROW * NARROW;

    return (len + 1) / 2 * (4 * pairs + values);
}

int64_t bird_attention_scratch_back(int64_t len, int64_t dim, int64_t tile)
{
    /* and dropped p and dp of the tile, and its dout, whose rows may have gaps */
    int64_t rows = tile > QUERIES ? tile : QUERIES;

    int64_t plain = bird_attention_scratch(len, dim, tile) +
                    rows * (2 * len + dim + NARROW);
    /* of attention_backward_bfloat16(): keys and values, queries and gradients in two
       orders each, and four matrices of scores, one with half the floats */
    int64_t width = (dim + NARROW - 1) / NARROW * NARROW;
    int64_t low = (len + 1) * (dim + 1 + width / 2) +
                  QUERIES * (dim + 1 + 2 * width) +
                  (len + 1) * (1 + QUERIES * 7 / 2);

    return plain > low ? plain : low;
}
