/* Values by key. SPDX-License-Identifier: MIT */
#include "session/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"

struct entry {
    uint64_t hash;
    int64_t key, n_key;
    int32_t note[BIRD_KNOWN_NOTES];
};

/* One generation: open addressing over entries in the order they came. */
struct generation {
    struct entry *entry; /* (n) */
    char *keys;
    float *value;   /* (n, n_value) */
    int64_t *table; /* (n_table) entry + 1, 0: free; n_table a power of 2 */
    int64_t n, n_keys, n_table, cap_entry, cap_keys, cap_value;
};

struct bird_known {
    struct generation young, old;
    int64_t n_value, limit;
};

int bird_known_new(struct bird_known **out, int64_t n_value,
                   int64_t limit_bytes)
{
    struct bird_known *k = calloc(1, sizeof(*k));

    if (!k)
        return bird_fail_memory(sizeof(*k));
    k->n_value = n_value;
    k->limit = limit_bytes;
    *out = k;
    return 0;
}

static void generation_free(struct generation *g)
{
    free(g->entry);
    free(g->keys);
    free(g->value);
    free(g->table);
    *g = (struct generation){0};
}

void bird_known_free(struct bird_known *k)
{
    if (!k)
        return;
    generation_free(&k->young);
    generation_free(&k->old);
    free(k);
}

static uint64_t hash_of(const void *key, int64_t n)
{
    const unsigned char *s = key;
    uint64_t h = (uint64_t)n;

    for (; n >= 8; s += 8, n -= 8) {
        uint64_t word;

        memcpy(&word, s, 8);
        h = bird_mix(h, word);
    }
    while (n-- > 0)
        h = bird_mix(h, *s++);
    return h;
}

/* The cell of the table that has this key, or the free one where it goes. */
static int64_t cell_of(const struct generation *g, uint64_t hash,
                       const void *key, int64_t n)
{
    int64_t mask = g->n_table - 1, at = (int64_t)hash & mask;

    for (; g->table[at]; at = (at + 1) & mask) {
        const struct entry *e = &g->entry[g->table[at] - 1];

        if (e->hash == hash && e->n_key == n &&
            !memcmp(g->keys + e->key, key, (size_t)n))
            break;
    }
    return at;
}

/* Keep the table at most half full. */
static int reserve_table(struct generation *g)
{
    struct generation n = *g;
    int rc;

    if (2 * (g->n + 1) <= g->n_table)
        return 0;
    n.n_table = g->n_table ? 2 * g->n_table : 64;
    rc = bird_array_new(&n.table, n.n_table, sizeof(*n.table));
    if (rc)
        return rc;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t at = (int64_t)n.entry[i].hash & (n.n_table - 1);

        while (n.table[at])
            at = (at + 1) & (n.n_table - 1);
        n.table[at] = i + 1;
    }
    free(g->table);
    *g = n;
    return 0;
}

static int put(struct bird_known *k, const struct entry *e, const void *key)
{
    struct generation *g = &k->young;
    int rc = reserve_table(g);

    if (!rc)
        rc = bird_array_grow(&g->entry, &g->cap_entry, g->n + 1,
                             sizeof(*g->entry));
    if (!rc)
        rc = bird_array_grow(&g->keys, &g->cap_keys, g->n_keys + e->n_key, 1);
    if (!rc)
        rc = bird_array_grow(&g->value, &g->cap_value, (g->n + 1) * k->n_value,
                             sizeof(*g->value));
    if (rc)
        return rc;
    g->table[cell_of(g, e->hash, key, e->n_key)] = g->n + 1;
    g->entry[g->n] = *e;
    g->entry[g->n].key = g->n_keys;
    memcpy(g->keys + g->n_keys, key, (size_t)e->n_key);
    g->n_keys += e->n_key;
    memset(g->value + g->n * k->n_value, 0,
           (size_t)k->n_value * sizeof(*g->value));
    g->n++;
    return 0;
}

int bird_known_find(struct bird_known *k, int64_t *place, int *fresh,
                    const void *key, int64_t n)
{
    struct entry e = {.hash = hash_of(key, n), .n_key = n};
    int64_t old = 0, at;
    int rc;

    if (k->young.n_table) {
        at = k->young.table[cell_of(&k->young, e.hash, key, n)];
        if (at) {
            *place = at - 1;
            *fresh = 0;
            return 0;
        }
    }
    if (k->old.n_table)
        old = k->old.table[cell_of(&k->old, e.hash, key, n)];
    if (old)
        e = k->old.entry[old - 1];
    if ((rc = put(k, &e, key)))
        return rc;
    *place = k->young.n - 1;
    *fresh = !old;
    if (old)
        memcpy(bird_known_values(k, *place),
               k->old.value + (old - 1) * k->n_value,
               (size_t)k->n_value * sizeof(float));
    return 0;
}

float *bird_known_values(struct bird_known *k, int64_t place)
{
    return k->young.value + place * k->n_value;
}

int32_t *bird_known_notes(struct bird_known *k, int64_t place)
{
    return k->young.entry[place].note;
}

void bird_known_turn(struct bird_known *k)
{
    struct generation *g = &k->young;
    int64_t bytes = g->n * (int64_t)sizeof(*g->entry) + g->n_keys +
                    g->n * k->n_value * (int64_t)sizeof(*g->value) +
                    g->n_table * (int64_t)sizeof(*g->table);

    if (bytes <= k->limit)
        return;
    generation_free(&k->old);
    k->old = k->young;
    k->young = (struct generation){0};
}
