/**
 * Merges by pair, and the heap that applies them: always the pair of lowest
 * rank, leftmost first.
 *
 * Equal to the `tokenizers` library for every list of merges, even if a merge's
 * parts rank after it or two merges make the same token.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_BPE_HEAP_H
#define BIRD_TOKEN_BPE_HEAP_H

#include <stdint.h>

#include "base/map.h"

/** Merge k joins ids left[k] right[k] into product[k]; k is its rank. */
struct bird_merges {
    int32_t *left, *right, *product; /* (n) */
    int64_t n;
    struct bird_map64 rank; /* by pair */
};

/** Allocate n merges. */
BIRD_MUST_CHECK int bird_merges_new(struct bird_merges *m, int64_t n);
/** Set merge k; of two merges of the same pair the later one counts. */
BIRD_MUST_CHECK int bird_merges_set(struct bird_merges *m, int64_t k,
                                    int32_t left, int32_t right,
                                    int32_t product);
/** Rank of the merge of this pair; -1: none. */
int32_t bird_merges_find(const struct bird_merges *m, int32_t left,
                         int32_t right);
void bird_merges_free(struct bird_merges *m);

/** A token of a piece while it is merged; a doubly linked list. */
struct bird_symbol {
    int32_t id, start, prev, next;
};

/** Working memory of the heap; start with {0}. */
struct bird_bpe_heap {
    struct bird_symbol *symbol; /* (n) in: ids and starts */
    int64_t n, cap;
    uint64_t *heap; /* rank << 32 | symbol */
    int64_t n_heap, cap_heap;
};

/**
 * Apply the merges to the n symbols; afterwards the remaining n symbols are at
 * the front. n < 2^31. Memory: 16 bytes for each symbol, and at most 16 more
 * for the heap. Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_bpe_heap_merge(struct bird_bpe_heap *p,
                                        const struct bird_merges *m);
void bird_bpe_heap_free(struct bird_bpe_heap *p);

#endif
