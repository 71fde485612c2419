/* The cache of answers: a set-associative table with WAYS entries a set; a new
 * row replaces the least recently used entry of its set. A hash spreads rows over
 * all sets. So the sets hold only the numbers of entries, and entries are used in
 * order: memory pages are touched as rows arrive, and not all of them after some
 * thousand rows. SPDX-License-Identifier: MIT */
#include "session/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/rng.h"

enum { WAYS = 4 };

#define NO_ENTRY UINT32_MAX

struct entry {
    uint64_t key[2];
    int64_t row;  /* number of the row */
    int64_t used; /* clock of the last lookup */
};

struct bird_cache {
    uint32_t *set;    /* (n / WAYS, WAYS) entries of each set, then NO_ENTRY */
    struct entry *at; /* (n), the first `used` of them in use */
    float *answer;    /* (n, columns) */
    int64_t n, used, columns, clock;
};

int bird_cache_new(struct bird_cache **out, int64_t columns)
{
    struct bird_cache *s = calloc(1, sizeof(*s));
    size_t size = (size_t)columns * sizeof(float);

    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->columns = columns;
    s->n = BIRD_CACHE_ROWS;
    while (s->n > WAYS &&
           s->n * (int64_t)(sizeof(*s->at) + size) > BIRD_CACHE_BYTES)
        s->n /= 2;
    /* calloc: pages without a row are never touched */
    s->at = calloc((size_t)s->n, sizeof(*s->at));
    s->answer = calloc((size_t)s->n, size);
    s->set = malloc((size_t)s->n * sizeof(*s->set));
    if (!s->at || !s->answer || !s->set) {
        int rc = bird_fail_memory((size_t)s->n * (sizeof(*s->at) + size));

        bird_cache_free(s);
        return rc;
    }
    memset(s->set, 0xff, (size_t)s->n * sizeof(*s->set)); /* NO_ENTRY */
    *out = s;
    return 0;
}

void bird_cache_free(struct bird_cache *s)
{
    if (!s)
        return;
    free(s->set);
    free(s->at);
    free(s->answer);
    free(s);
}

int64_t bird_cache_capacity(const struct bird_cache *s)
{
    return s->n;
}

static void key_of(uint64_t key[2], const int32_t *ids, const int32_t *position,
                   int64_t n)
{
    uint64_t a = bird_mix((uint64_t)n, 1), b = bird_mix((uint64_t)n, 2);

    for (int64_t i = 0; i < n; i++) {
        uint64_t at = (uint64_t)(position ? position[i] : (int32_t)i);
        uint64_t token = at << 32 | (uint32_t)ids[i];

        a = bird_mix(a, token);
        b = bird_mix(b, token);
    }
    key[0] = a;
    key[1] = b;
}

int64_t bird_cache_lookup(struct bird_cache *s, const int32_t *ids,
                          const int32_t *position, int64_t n, int64_t row,
                          int64_t *slot)
{
    uint64_t key[2];
    uint32_t *set, oldest;
    int way = 0;

    key_of(key, ids, position, n);
    set = s->set + (key[0] & (uint64_t)(s->n / WAYS - 1)) * WAYS;
    oldest = set[0];
    for (; way < WAYS && set[way] != NO_ENTRY; way++) {
        struct entry *p = s->at + set[way];

        if (p->key[0] == key[0] && p->key[1] == key[1]) {
            p->used = ++s->clock;
            *slot = set[way];
            return p->row;
        }
        if (p->used < s->at[oldest].used)
            oldest = set[way];
    }
    if (way < WAYS)
        oldest = set[way] = (uint32_t)s->used++;
    s->at[oldest] = (struct entry){{key[0], key[1]}, row, ++s->clock};
    *slot = oldest;
    return row;
}

void bird_cache_clear(struct bird_cache *s)
{
    memset(s->set, 0xff, (size_t)s->n * sizeof(*s->set)); /* NO_ENTRY */
    s->used = 0;
}

const float *bird_cache_answer(const struct bird_cache *s, int64_t slot)
{
    return s->answer + slot * s->columns;
}

void bird_cache_put(struct bird_cache *s, int64_t slot, int64_t row,
                    const float *answer)
{
    if (s->at[slot].row == row)
        memcpy(s->answer + slot * s->columns, answer,
               (size_t)s->columns * sizeof(*answer));
}
