/**
 * Memory: aligned arrays whose size cannot overflow, growing ones, and arenas
 * of growing ones.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_MEM_H
#define BIRD_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"

/**
 * An array of n elements of `size` bytes, zeroed, aligned to 64 bytes; n = 0
 * gives a pointer that may be freed. Free with free().
 * Errors: BIRD_ENOMEM; *out is NULL, which may be freed.
 */
BIRD_MUST_CHECK int bird_array_new(void *out, int64_t n, size_t size);

/** bird_array_new() whose content is not set: pages that are never written take
 *  no memory. */
BIRD_MUST_CHECK int bird_array_uninit(void *out, int64_t n, size_t size);

/**
 * Grow the array at *array (a pointer to the array's pointer) from a capacity
 * of *cap to at least n elements, by half at a time. The old content is kept;
 * new elements are not set. Free with free(). Errors: BIRD_ENOMEM; the array is
 * unchanged.
 */
BIRD_MUST_CHECK int bird_array_grow(void *array, int64_t *cap, int64_t n,
                                    size_t size);

/** Arrays that are freed together. Start with {0}. */
struct bird_pool {
    void **at; /* (n) */
    int64_t n, cap;
    int rc; /* the first failure: check once, after all arrays */
};

/** An array as of bird_array_new(), freed with the pool; NULL if this or an
 *  earlier allocation failed: then p->rc is BIRD_ENOMEM. */
void *bird_pool_array(struct bird_pool *p, int64_t n, size_t size);
void bird_pool_free(struct bird_pool *p);

/**
 * Arrays of one owner that grow, laid end to end in one block, each on a
 * multiple of 64 bytes, in the order of their first bird_arena_grow():
 *
 *     | array 0, capacity cap[0] | array 1, capacity cap[1] | ...
 *
 * The owner keeps ordinary pointers to the arrays. When an array outgrows its
 * capacity, the block is laid out again and ALL pointers of the arena change,
 * so a copy of a pointer is good only until the next bird_arena_grow(). Arrays
 * that are read while another one grows belong in another arena. Start with
 * {0}.
 */
enum { BIRD_ARENA_ARRAYS = 16 };
struct bird_arena {
    struct {
        void *pointer; /* address of the owner's pointer */
        int64_t cap;
        size_t size; /* bytes of an element */
    } array[BIRD_ARENA_ARRAYS];
    int n;
    void *block;
};

/**
 * Grow the array whose pointer is at *array (NULL before its first call) to a
 * capacity of at least n elements of `size` bytes, by half at a time. The
 * contents of all arrays are kept; new elements are not set. Errors:
 * BIRD_ENOMEM; the arrays are unchanged.
 */
BIRD_MUST_CHECK int bird_arena_grow(struct bird_arena *a, void *array,
                                    int64_t n, size_t size);
/** Free all arrays; the owner's pointers become NULL. */
void bird_arena_free(struct bird_arena *a);

/** Release the whole pages of these bytes of a read-only file mapping: later
 *  access reads them from the file again. */
void bird_pages_release(const void *at, size_t n_byte);

#endif
