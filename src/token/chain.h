/**
 * Byte-pair encoding from left to right, in time linear in the text.
 *
 * Where every merge's parts rank before it and no token is made in two ways,
 * a row of tokens is the encoding of its text if and only if each token
 * encodes to itself and so does each pair of neighbours. So the encoding is
 * found by taking the longest token that fits behind the last one and going
 * back where none fits; docs/math/tokenizer.md has the argument. The idea is
 * that of the `bpe` crate of github/rust-gems (H. van Antwerpen and
 * A. Neubeck, 2024).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_CHAIN_H
#define BIRD_TOKEN_CHAIN_H

#include <stdint.h>

#include "dnabird/tokenizer.h"

struct bird_vocab;
struct bird_merges;

/* Bytes after the letters of a run that must be BIRD_CHAIN_END. */
#define BIRD_CHAIN_PAD 8
#define BIRD_CHAIN_END 0xff

/** A token of the chain, numbered by rank: letters first, then products. */
struct bird_link {
    uint64_t ahead;       /* bits by the next three letters: may they follow? */
    int32_t left, right;  /* its parts; a letter is its own */
    int32_t prefix;       /* longest token that begins it, -1: none */
    int32_t length;       /* in letters; 0: never comes up */
    uint16_t first, last; /* early link at its begin, at its end */
};

struct bird_chain {
    uint8_t code[256]; /* of the letters that merge; BIRD_CHAIN_END: none */
    int32_t n_letter, n_link;
    struct bird_link *link; /* (n_link) */
    int32_t *id;            /* (n_link) in the vocabulary */
    int32_t *next;  /* (n_node << shift) child << 1 | whether it is a token */
    int32_t *token; /* (n_node) the link that ends at this node, or -1 */
    int64_t n_node;
    int shift;
    struct bird_head {
        int32_t node, token;
    } * head;        /* by the first eight letters when all have codes < 4 */
    int32_t n_early; /* the first links, whose meetings are tabulated: */
    int64_t early_words; /* of a row */
    uint64_t *early;     /* (n_early, early_words) bits: may they meet? */
    uint64_t *pair; /* open addressing: left, right, product + 1; 0: free */
    uint64_t *seen; /* bits: may this pair be in the table? */
    int64_t n_pair;
};

/**
 * Build it from the merges; *out is NULL where the precondition does not hold
 * or the tables would be too large: then only the plain way is exact.
 * @param unk the unknown token's id, which must not merge; -1: none
 */
BIRD_MUST_CHECK int bird_chain_new(struct bird_chain **out,
                                   const struct bird_vocab *v,
                                   const struct bird_merges *m, int32_t unk);
void bird_chain_free(struct bird_chain *c);

/** Working memory; start with {0}. */
struct bird_chain_work {
    uint8_t *code; /* (n + BIRD_CHAIN_PAD) the run */
    int64_t cap_code;
    uint64_t *dead; /* bits of places where no encoding can end */
    int64_t cap_dead;
};
void bird_chain_work_free(struct bird_chain_work *w);

/**
 * Append the tokens of the n codes in w->code (n >= 1, padded); the first
 * letter's position is `start`. Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_chain_run(const struct bird_chain *c,
                                   struct bird_chain_work *w, int64_t n,
                                   int64_t start, bird_encoding *out);

#endif
