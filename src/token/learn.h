/**
 * Learning merges: the text as tokens, and an index of its pairs.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_LEARN_H
#define BIRD_TOKEN_LEARN_H

#include <stdint.h>

#include "dnabird/tokenizer.h"

/* Tokens 0 to 3 are A, C, G, T; products follow in the order of merging. */
#define BIRD_LEARN_LETTERS 4
/* Specials, '-' and bases before the first product in the vocabulary. */
#define BIRD_LEARN_FIRST 11
#define BIRD_LEARN_MAX   65000

/** A pair that can be merged. */
struct bird_pair {
    int64_t count;   /* number of positions now */
    uint32_t *place; /* (n) positions when it first occurred, ascending */
    uint32_t n;
    uint32_t key; /* left << 16 | right */
};

struct bird_pair_rank {
    int64_t count; /* count when it was inserted: at least the current one */
    uint32_t key;
};

/**
 * The text and its pairs.
 *
 * token[p] and token[q] hold a token at p .. q (at both ends, to find it from
 * either side); the values between them must never be taken for tokens. BREAK
 * separates pieces and is at both ends of the text.
 */
struct bird_corpus {
    uint16_t *token;
    int64_t n;
    int32_t *length;        /* (n_token) length of a token in bases */
    uint16_t *left, *right; /* (n_token) its parts */
    int64_t n_token;
    int64_t cutoff; /* less frequent pairs are not in the index */
    int64_t max_length, min_count;

    struct bird_pair *slot; /* open addressing; positions NULL: free */
    int64_t n_slot, n_pair;
    struct bird_pair_rank *heap;
    int64_t n_heap, cap_heap;
    int64_t n_place; /* positions in all lists */

    int64_t *n_before, *n_after; /* (BIRD_LEARN_MAX) counts by neighbour, all
                                    zero */
    uint32_t **list_before, **list_after;
};
#define BIRD_LEARN_BREAK 0xffff

/** Allocate n bases and the vocabulary; the caller fills token[1 .. n]. */
BIRD_MUST_CHECK int bird_corpus_new(struct bird_corpus *c, int64_t n);
void bird_corpus_free(struct bird_corpus *c);

/**
 * Merge until there are `want` tokens or no pair is left; *last_count is the
 * count of the last merged pair.
 * Errors: BIRD_ENOMEM; BIRD_ECANCELED.
 */
BIRD_MUST_CHECK int bird_corpus_learn(struct bird_corpus *c, int64_t want,
                                      const bird_learn_options *o,
                                      int64_t *last_count);

#endif
