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

/** A pair that may still be merged. */
struct bird_pair {
    int64_t count;   /* places where it is now */
    uint32_t *place; /* (n) where it stood when it came up, ascending */
    uint32_t n;
    uint32_t key; /* left << 16 | right */
};

struct bird_pair_rank {
    int64_t count; /* when it was put in: at least the count now */
    uint32_t key;
};

/**
 * The text and its pairs.
 *
 * token[p] and token[q] hold a token at p .. q (both ends, so
 * that it is found from either side); between them is what no list may
 * take for a token again. BREAK separates pieces and is at both ends of
 * the text.
 */
struct bird_corpus {
    uint16_t *token;
    int64_t n;
    int32_t *length;        /* (n_token) of a token in bases */
    uint16_t *left, *right; /* (n_token) its parts */
    int64_t n_token;
    int64_t cutoff; /* pairs seen less often are not in the index */
    int64_t max_length, min_count;

    struct bird_pair *slot; /* open addressing; place NULL: free */
    int64_t n_slot, n_pair;
    struct bird_pair_rank *heap;
    int64_t n_heap, cap_heap;
    int64_t n_place; /* in all lists */

    int64_t *n_before, *n_after; /* (BIRD_LEARN_MAX) by neighbour, zero */
    uint32_t **list_before, **list_after;
};
#define BIRD_LEARN_BREAK 0xffff

/** Room for n bases and the vocabulary; the caller fills token[1 .. n]. */
BIRD_MUST_CHECK int bird_corpus_new(struct bird_corpus *c, int64_t n);
void bird_corpus_free(struct bird_corpus *c);

/**
 * Merge until there are `want` tokens or no pair is left; *last_count is the
 * count of the pair merged last.
 * Errors: BIRD_ENOMEM; BIRD_ECANCELED.
 */
BIRD_MUST_CHECK int bird_corpus_learn(struct bird_corpus *c, int64_t want,
                                      const bird_learn_options *o,
                                      int64_t *last_count);

#endif
