/**
 * May these two tokens stand side by side? The inner test of the chain.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_CHAIN_PAIR_H
#define BIRD_TOKEN_CHAIN_PAIR_H

#include <string.h>

#include "token/chain.h"

#define BIRD_LINK_BITS 21
/* Bits of the sieve before the pair table: small enough for the L1 cache. */
#define BIRD_SEEN_BITS 18

/** Eight codes < 4 in bytes, first letter lowest, to 16 bits. */
static inline uint32_t bird_chain_pack(uint64_t x)
{
    x = (x | x >> 6) & 0x000f000f000f000fu;
    x = (x | x >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((x | x >> 24) & 0xffff);
}

static inline uint64_t bird_pair_hash(int32_t a, int32_t b)
{
    return ((uint64_t)(uint32_t)a << BIRD_LINK_BITS | (uint32_t)b) *
           0x9e3779b97f4a7c15u;
}

/** The product of two links, or INT32_MAX. */
static inline int32_t bird_chain_product(const struct bird_chain *c, int32_t a,
                                         int32_t b)
{
    uint64_t h = bird_pair_hash(a, b), s = h >> (64 - BIRD_SEEN_BITS);
    uint64_t key = (uint64_t)(uint32_t)a << BIRD_LINK_BITS | (uint32_t)b;
    int64_t mask = c->n_pair - 1;

    if (!(c->seen[s >> 6] >> (s & 63) & 1))
        return INT32_MAX;
    for (int64_t i = (int64_t)(h >> 24) & mask; c->pair[i]; i = (i + 1) & mask)
        if (c->pair[i] >> BIRD_LINK_BITS == key)
            return (int32_t)(c->pair[i] & ((1u << BIRD_LINK_BITS) - 1)) - 1;
    return INT32_MAX;
}

/**
 * Undo the merges inside a and b, youngest first, and see whether a merge
 * across the border would have come before the one undone. Of two of equal
 * rank the right one is the younger, since the left one merges first.
 * @param limit only products below this count
 */
static inline int bird_chain_fits_below(const struct bird_chain *c, int32_t a,
                                        int32_t b, int32_t limit)
{
    for (;;) {
        if (bird_chain_product(c, a, b) < limit)
            return 0;
        if (a > b && a >= c->n_letter) {
            limit = a;
            a = c->link[a].right;
        } else if (b >= c->n_letter) {
            limit = b + 1;
            b = c->link[b].left;
        } else {
            return 1; /* two letters */
        }
    }
}

/**
 * Can any token at all stand behind this one, where these codes follow? Asked
 * before a token is taken, it spares most ways back.
 */
static inline int bird_chain_goes_on(const struct bird_link *x,
                                     const uint8_t *next)
{
    uint32_t y;

    memcpy(&y, next, sizeof(y));
    if (y & 0xfcfcfcu)
        return 1;
    return x->ahead >> ((y | y >> 6 | y >> 12) & 63) & 1;
}

/*
 * What the early merges do at the border is known beforehand: it depends on
 * the early links at a's end and b's begin alone. The later merges are undone
 * as above until both sides are early.
 */
static inline int bird_chain_fits(const struct bird_chain *c, int32_t a,
                                  int32_t b)
{
    int32_t limit = INT32_MAX, y = c->link[b].first;

    if (!(c->early[c->link[a].last * c->early_words + (y >> 6)] >> (y & 63) &
          1))
        return 0;
    for (;;) {
        if (bird_chain_product(c, a, b) < limit)
            return 0;
        if (a > b) {
            if (a < c->n_early)
                return 1;
            limit = a;
            a = c->link[a].right;
        } else {
            if (b < c->n_early)
                return 1;
            limit = b + 1;
            b = c->link[b].left;
        }
    }
}

#endif
