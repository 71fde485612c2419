/*
 * Random numbers: xoshiro256** seeded by splitmix64 from (seed, stream, index).
 * The index replaces a running state, so that any thread can make any number.
 * SPDX-License-Identifier: MIT
 */
#include "base/rng.h"

#include <math.h>
#include <string.h>

static uint64_t finalize(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

uint64_t bird_mix(uint64_t a, uint64_t b)
{
    return finalize(a * 0x9e3779b97f4a7c15ULL + finalize(b + 0x9e3779b9ULL));
}

uint64_t bird_mix_bytes(uint64_t a, const void *data, int64_t n)
{
    const char *s = data;
    int64_t i = 0;

    a = bird_mix(a, (uint64_t)n);
    for (; i < n; i += 8) {
        uint64_t word = 0;

        memcpy(&word, s + i, (size_t)(n - i < 8 ? n - i : 8));
        a = bird_mix(a, word);
    }
    return a;
}

void bird_rng_init(struct bird_rng *r, uint64_t seed, uint64_t stream,
                   uint64_t index)
{
    uint64_t x = bird_mix(bird_mix(seed, stream), index);

    for (int i = 0; i < 4; i++) {
        x += 0x9e3779b97f4a7c15ULL;
        r->s[i] = finalize(x);
    }
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t bird_rng_next(struct bird_rng *r)
{
    uint64_t *s = r->s, out = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return out;
}

uint64_t bird_rng_below(struct bird_rng *r, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

    do
        x = bird_rng_next(r);
    while (x >= limit);
    return x % n;
}

double bird_rng_uniform(struct bird_rng *r)
{
    return (double)(bird_rng_next(r) >> 11) * 0x1p-53;
}

double bird_rng_normal(struct bird_rng *r)
{
    double u = 1.0 - bird_rng_uniform(r), v = bird_rng_uniform(r);

    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}
