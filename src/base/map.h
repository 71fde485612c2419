/**
 * The hash table of the project: keys to integers, over htslib's khash. A map
 * of bytes (names, sequences, rows of tokens) copies its keys; a map of 64-bit
 * integers (k-mers, pairs) holds them. No result depends on the order in a
 * table.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_MAP_H
#define BIRD_BASE_MAP_H

#include <stdint.h>

#include "dnabird/error.h"

/** Bytes to int64_t. Start with {0}; bird_map_free(). */
struct bird_map {
    struct kh_bytes_s *table; /* NULL: empty */
    struct bird_map_block *keys;
};

void bird_map_free(struct bird_map *m);

/** Number of keys. */
int64_t bird_map_count(const struct bird_map *m);

/** The value of the key of n bytes, to read and to write, valid until the next
 *  add; NULL: no such key. */
int64_t *bird_map_find(const struct bird_map *m, const void *key, int64_t n);

/**
 * Add a key with this value; an existing key keeps its value. Memory: the key,
 * and 24 to 60 bytes.
 * @param[out] at the value that the key now has, valid until the next add: *at
 * != value means that the key existed. Or NULL.
 * Errors: BIRD_ENOMEM, also for more than 2^30 keys; the map is unchanged
 */
BIRD_MUST_CHECK int bird_map_add(struct bird_map *m, int64_t **at,
                                 const void *key, int64_t n, int64_t value);

/** uint64_t to int64_t, likewise. Memory: 16 to 42 bytes a key. */
struct bird_map64 {
    struct kh_words_s *table; /* NULL: empty */
};

void bird_map64_free(struct bird_map64 *m);
int64_t bird_map64_count(const struct bird_map64 *m);
int64_t *bird_map64_find(const struct bird_map64 *m, uint64_t key);
BIRD_MUST_CHECK int bird_map64_add(struct bird_map64 *m, int64_t **at,
                                   uint64_t key, int64_t value);

#endif
