/*
 * Maps over khash: open addressing, quadratic probing, at most 77 % full. This
 * file adds hashes that an input cannot easily collide, copies of the keys, and
 * messages.
 * SPDX-License-Identifier: MIT
 */
#include "base/map.h"

#include <htslib/khash.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/rng.h"

enum { BLOCK = 1 << 16, MOST = 1 << 30 };

/* Copies of keys, end to end; a block never moves. */
struct bird_map_block {
    struct bird_map_block *next;
    size_t used, size;
    char bytes[];
};

struct key {
    const char *bytes;
    uint32_t n, hash;
};

static inline int same(struct key a, struct key b)
{
    return a.hash == b.hash && a.n == b.n && !memcmp(a.bytes, b.bytes, a.n);
}

#define hash_of_key(k)  ((k).hash)
#define hash_of_word(k) ((khint_t)bird_mix(0, (k)))
#define same_word(a, b) ((a) == (b))
/* NOLINTBEGIN(clang-analyzer-core.*): the analyzer assumes impossible empty
 * tables */
KHASH_INIT(bytes, struct key, int64_t, 1, hash_of_key, same)
KHASH_INIT(words, uint64_t, int64_t, 1, hash_of_word, same_word)
/* NOLINTEND(clang-analyzer-core.*) */

static struct key key_of(const void *bytes, int64_t n)
{
    return (struct key){bytes, (uint32_t)n,
                        (uint32_t)bird_mix_bytes(0, bytes, n)};
}

void bird_map_free(struct bird_map *m)
{
    kh_destroy(bytes, m->table);
    for (struct bird_map_block *b = m->keys, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *m = (struct bird_map){0};
}

int64_t bird_map_count(const struct bird_map *m)
{
    return m->table ? kh_size(m->table) : 0;
}

int64_t *bird_map_find(const struct bird_map *m, const void *key, int64_t n)
{
    khint_t i;

    if (!m->table || n > UINT32_MAX)
        return NULL;
    i = kh_get(bytes, m->table, key_of(key, n));
    return i == kh_end(m->table) ? NULL : &kh_value(m->table, i);
}

/* A copy of the key's bytes; NULL: out of memory. */
static const char *keep(struct bird_map *m, const char *bytes, size_t n)
{
    struct bird_map_block *b = m->keys;

    if (!b || n > b->size - b->used) {
        size_t size = n > BLOCK ? n : BLOCK;

        b = malloc(sizeof(*b) + size);
        if (!b)
            return NULL;
        *b = (struct bird_map_block){.next = m->keys, .size = size};
        m->keys = b;
    }
    memcpy(b->bytes + b->used, bytes, n);
    b->used += n;
    return b->bytes + b->used - n;
}

int bird_map_add(struct bird_map *m, int64_t **at, const void *key, int64_t n,
                 int64_t value)
{
    int64_t *found = bird_map_find(m, key, n);
    int put = 0;

    if (!found) {
        struct key k;
        khint_t i;

        if (n > UINT32_MAX || bird_map_count(m) >= MOST ||
            (!m->table && !(m->table = kh_init(bytes))))
            return bird_fail_memory((size_t)n);
        k = key_of(key, n);
        if (!(k.bytes = keep(m, key, (size_t)n)))
            return bird_fail_memory((size_t)n);
        i = kh_put(bytes, m->table, k, &put);
        if (put < 0)
            return bird_fail_memory((size_t)n);
        found = &kh_value(m->table, i);
        *found = value; /* NOLINT(clang-analyzer-core.NullDereference) */
    }
    if (at)
        *at = found;
    return 0;
}

void bird_map64_free(struct bird_map64 *m)
{
    kh_destroy(words, m->table);
    m->table = NULL;
}

int64_t bird_map64_count(const struct bird_map64 *m)
{
    return m->table ? kh_size(m->table) : 0;
}

int64_t *bird_map64_find(const struct bird_map64 *m, uint64_t key)
{
    khint_t i;

    if (!m->table)
        return NULL;
    i = kh_get(words, m->table, key);
    return i == kh_end(m->table) ? NULL : &kh_value(m->table, i);
}

int bird_map64_add(struct bird_map64 *m, int64_t **at, uint64_t key,
                   int64_t value)
{
    int put = 0;
    khint_t i;

    if (bird_map64_count(m) >= MOST ||
        (!m->table && !(m->table = kh_init(words))))
        return bird_fail_memory(sizeof(key));
    i = kh_put(words, m->table, key, &put);
    if (put < 0)
        return bird_fail_memory(sizeof(key));
    if (put)
        kh_value(m->table, i) = value;
    if (at)
        *at = &kh_value(m->table, i);
    return 0;
}
