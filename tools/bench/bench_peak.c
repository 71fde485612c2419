/*
 * The processor's own rate: multiply-adds on registers alone, which no memory and
 * no library slows down, in the instructions that the kernels use. Each loop has
 * more independent sums than a sum takes cycles times units that can begin one.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/parallel.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"
#include "kernel/kernel.h"

#if defined(__x86_64__) && defined(BIRD_SIMD)
#include <immintrin.h>
#define BENCH_X86
#endif

/* Turns of a loop, some milliseconds; sums, that fit into the 16 and 32
 * registers; and loops that are timed. */
enum { TURNS = 1 << 20, SUMS_AVX2 = 12, SUMS_AVX512 = 16, ROUNDS = 4 };

/* Operations, 1e9, of a loop of TURNS; the sums stay in registers. */
typedef double loop(void);

static double count(int sums, int operations)
{
    return 1e-9 * TURNS * sums * operations;
}

#ifdef BENCH_X86
/* The compiler cannot tell what x is, so it computes every sum. Stack frames of
 * AddressSanitizer are not aligned as these vectors are. */
#define BENCH_LOOP(name, isa, vector, sums, zero, step, operations)            \
    __attribute__((target(isa), no_sanitize("address"))) static double name(   \
        void)                                                                  \
    {                                                                          \
        vector sum[sums], x = zero();                                          \
                                                                               \
        for (int k = 0; k < (sums); k++)                                       \
            sum[k] = zero();                                                   \
        for (int i = 0; i < TURNS; i++) {                                      \
            __asm__ volatile("" : "+v"(x));                                    \
            _Pragma("GCC unroll 16") for (int k = 0; k < (sums); k++) sum[k] = \
                step(sum[k], x);                                               \
        }                                                                      \
        for (int k = 0; k < (sums); k++)                                       \
            __asm__ volatile("" : : "v"(sum[k]));                              \
        return count(sums, operations);                                        \
    }
#define BENCH_FMA256(s, x) _mm256_fmadd_ps(x, x, s)
#define BENCH_FMA512(s, x) _mm512_fmadd_ps(x, x, s)
#define BENCH_BF16(s, x)   _mm512_dpbf16_ps(s, (__m512bh)(x), (__m512bh)(x))
#define BENCH_INT8(s, x)   _mm512_dpbusd_epi32(s, x, x)

/* 8 and 16 products of float32, 32 of bfloat16, 64 of bytes; and as many sums */
BENCH_LOOP(float_avx2, "avx2,fma", __m256, SUMS_AVX2, _mm256_setzero_ps,
           BENCH_FMA256, 16)
BENCH_LOOP(float_avx512, "avx512f", __m512, SUMS_AVX512, _mm512_setzero_ps,
           BENCH_FMA512, 32)
BENCH_LOOP(bfloat16_avx512, "avx512f,avx512bw,avx512vl,avx512bf16", __m512,
           SUMS_AVX512, _mm512_setzero_ps, BENCH_BF16, 64)
BENCH_LOOP(int8_avx512, "avx512f,avx512vnni", __m512i, SUMS_AVX512,
           _mm512_setzero_si512, BENCH_INT8, 128)
#endif

/* The loop of a precision, in the instruction set of the kernels; NULL: none. */
static loop *choose(enum bird_precision p)
{
#ifdef BENCH_X86
    int wide = !strcmp(bird_kernels()->name, "avx512");

    if (p == BIRD_FLOAT32)
        return wide                                    ? float_avx512
               : !strcmp(bird_kernels()->name, "avx2") ? float_avx2
                                                       : NULL;
    if (p == BIRD_BFLOAT16 && wide && __builtin_cpu_supports("avx512bf16"))
        return bfloat16_avx512;
    if (p == BIRD_INT8 && wide && __builtin_cpu_supports("avx512vnni"))
        return int8_avx512;
#else
    (void)p;
    (void)count;
#endif
    return NULL;
}

static void loop_task(void *context, int64_t task, int worker)
{
    loop *const *f = context;

    (void)task;
    (void)worker;
    (*f)();
}

void bench_peak(double *best, int precision)
{
    loop *f = choose((enum bird_precision)precision);
    int64_t threads = bird_threads();

    for (int i = 0; f && i < ROUNDS; i++) {
        double work = f(), rate, start = bench_now();

        bird_parallel(threads, loop_task, &f);
        rate = work * (double)threads / (bench_now() - start);
        *best = !(*best >= rate) ? rate : *best;
    }
}
