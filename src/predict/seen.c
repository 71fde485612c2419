/* Rows seen before: sets of WAYS places, the place met longest ago is given
   to a new row. SPDX-License-Identifier: MIT */
#include "predict/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/rng.h"

enum { WAYS = 4 };

struct place {
    uint64_t key[2];
    int64_t row; /* its number + 1; 0: empty */
    int64_t met; /* when it was met last */
};

struct bird_seen {
    struct place *at; /* (n) */
    float *answer;    /* (n, columns) */
    int64_t n, columns, clock;
};

int bird_seen_new(struct bird_seen **out, int64_t columns)
{
    struct bird_seen *s = calloc(1, sizeof(*s));
    size_t size = (size_t)columns * sizeof(float);

    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->columns = columns;
    s->n = BIRD_SEEN_ROWS;
    while (s->n > WAYS &&
           s->n * (int64_t)(sizeof(*s->at) + size) > BIRD_SEEN_BYTES)
        s->n /= 2;
    /* calloc: pages that no row falls on are never touched */
    s->at = calloc((size_t)s->n, sizeof(*s->at));
    s->answer = calloc((size_t)s->n, size);
    if (!s->at || !s->answer) {
        int rc = bird_fail_memory((size_t)s->n * (sizeof(*s->at) + size));

        bird_seen_free(s);
        return rc;
    }
    *out = s;
    return 0;
}

void bird_seen_free(struct bird_seen *s)
{
    if (!s)
        return;
    free(s->at);
    free(s->answer);
    free(s);
}

int64_t bird_seen_capacity(const struct bird_seen *s)
{
    return s->n;
}

static void key_of(uint64_t key[2], const int32_t *ids, int64_t n)
{
    uint64_t a = bird_mix((uint64_t)n, 1), b = bird_mix((uint64_t)n, 2);

    for (int64_t i = 0; i < n; i++) {
        a = bird_mix(a, (uint32_t)ids[i]);
        b = bird_mix(b, (uint32_t)ids[i]);
    }
    key[0] = a;
    key[1] = b;
}

int64_t bird_seen_meet(struct bird_seen *s, const int32_t *ids, int64_t n,
                       int64_t row, int64_t *slot)
{
    struct place *set, *oldest;
    uint64_t key[2];

    key_of(key, ids, n);
    set = s->at + (key[0] & (uint64_t)(s->n / WAYS - 1)) * WAYS;
    oldest = set;
    for (struct place *p = set; p < set + WAYS; p++) {
        if (p->row && p->key[0] == key[0] && p->key[1] == key[1]) {
            p->met = ++s->clock;
            *slot = p - s->at;
            return p->row - 1;
        }
        if (p->met < oldest->met)
            oldest = p;
    }
    *oldest = (struct place){{key[0], key[1]}, row + 1, ++s->clock};
    *slot = oldest - s->at;
    return row;
}

const float *bird_seen_answer(const struct bird_seen *s, int64_t slot)
{
    return s->answer + slot * s->columns;
}

void bird_seen_put(struct bird_seen *s, int64_t slot, int64_t row,
                   const float *answer)
{
    if (s->at[slot].row == row + 1)
        memcpy(s->answer + slot * s->columns, answer,
               (size_t)s->columns * sizeof(*answer));
}
