/**
 * Random numbers as a pure function of (seed, stream, index).
 *
 * xoshiro256** (Blackman and Vigna 2018, arXiv:1805.01407), its state filled
 * by splitmix64 from the three words. No global state.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_RNG_H
#define BIRD_BASE_RNG_H

#include <stdint.h>

struct bird_rng {
    uint64_t s[4];
};

/** A generator for this (seed, stream, index), e.g. (seed, step, row). */
void bird_rng_init(struct bird_rng *r, uint64_t seed, uint64_t stream,
                   uint64_t index);

/** 64 random bits. */
uint64_t bird_rng_next(struct bird_rng *r);

/** Uniform in 0 .. n-1 without bias; n >= 1. */
uint64_t bird_rng_below(struct bird_rng *r, uint64_t n);

/** Uniform in [0, 1) with 53 bits. */
double bird_rng_uniform(struct bird_rng *r);

/** Standard normal (Box-Muller, one value a call). */
double bird_rng_normal(struct bird_rng *r);

/** Mix one word into another (splitmix64's finalizer). */
uint64_t bird_mix(uint64_t a, uint64_t b);

/** Mix n bytes, eight at a time, and n itself into a. Different byte orders
 *  give different results: not for files that other machines read. */
uint64_t bird_mix_bytes(uint64_t a, const void *data, int64_t n);

#endif
