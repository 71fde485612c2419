/*
 * Pairs by key, and by count. SPDX-License-Identifier: MIT
 *
 * A count only falls after the step in which a pair comes up (its younger
 * part is made in that step alone), so a pair below the floor can be left
 * out, and the heap may hold counts that are too high: they are put right
 * when they come to the top.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "token/learn.h"

static int64_t slot_of(const struct bird_corpus *c, uint32_t key)
{
    int64_t mask = c->n_slot - 1;
    int64_t i = (int64_t)((key * 0x9e3779b97f4a7c15u) >> 32) & mask;

    while (c->slot[i].place && c->slot[i].key != key)
        i = (i + 1) & mask;
    return i;
}

struct bird_pair *bird_index_find(struct bird_corpus *c, uint32_t key)
{
    int64_t i = slot_of(c, key);

    return c->slot[i].place ? &c->slot[i] : NULL;
}

static int slots_grow(struct bird_corpus *c)
{
    struct bird_pair *old = c->slot, *slot = NULL;
    int64_t n = c->n_slot;
    int rc = bird_array_new(&slot, 2 * n, sizeof(*slot));

    if (rc)
        return rc;
    c->slot = slot;
    c->n_slot = 2 * n;
    for (int64_t i = 0; i < n; i++)
        if (old[i].place)
            slot[slot_of(c, old[i].key)] = old[i];
    free(old);
    return 0;
}

/* Does a come out of the heap before b? */
static int before(const struct bird_pair_rank *a,
                  const struct bird_pair_rank *b)
{
    return a->count != b->count ? a->count > b->count : a->key < b->key;
}

static int heap_put(struct bird_corpus *c, int64_t count, uint32_t key)
{
    struct bird_pair_rank x = {count, key};
    int64_t i = c->n_heap;
    int rc = bird_array_grow(&c->heap, &c->cap_heap, i + 1, sizeof(*c->heap));

    if (rc)
        return rc;
    for (; i > 0 && before(&x, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = x;
    c->n_heap++;
    return 0;
}

/* Let x sink from the top of the n that are there. */
static void heap_sink(struct bird_pair_rank *h, int64_t n,
                      struct bird_pair_rank x)
{
    int64_t i = 0;

    for (int64_t k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && before(&h[k + 1], &h[k]);
        if (!before(&h[k], &x))
            break;
        h[i] = h[k];
    }
    h[i] = x;
}

struct bird_pair *bird_index_best(struct bird_corpus *c)
{
    while (c->n_heap > 0) {
        struct bird_pair_rank x = c->heap[0];
        struct bird_pair *p = bird_index_find(c, x.key);

        if (p && p->count == x.count)
            return p;
        if (p)
            x.count = p->count;
        else
            x = c->heap[--c->n_heap];
        if (c->n_heap > 0)
            heap_sink(c->heap, c->n_heap, x);
    }
    return NULL;
}

int bird_index_add(struct bird_corpus *c, uint32_t key, int64_t n,
                   uint32_t **place)
{
    uint32_t *list;
    int rc;

    if (2 * (c->n_pair + 1) > c->n_slot && (rc = slots_grow(c)))
        return rc;
    list = malloc((size_t)n * sizeof(*list));
    if (!list)
        return bird_fail_memory((size_t)n * sizeof(*list));
    if ((rc = heap_put(c, n, key))) {
        free(list);
        return rc;
    }
    c->slot[slot_of(c, key)] = (struct bird_pair){n, list, (uint32_t)n, key};
    c->n_pair++;
    c->n_place += n;
    *place = list;
    return 0;
}

void bird_index_drop(struct bird_corpus *c, struct bird_pair *p)
{
    int64_t mask = c->n_slot - 1, hole = p - c->slot;

    c->n_place -= p->n;
    c->n_pair--;
    free(p->place);
    /* Move up what would not be found across the hole. */
    for (int64_t i = (hole + 1) & mask; c->slot[i].place; i = (i + 1) & mask) {
        int64_t home =
            (int64_t)((c->slot[i].key * 0x9e3779b97f4a7c15u) >> 32) & mask;

        if (((i - home) & mask) >= ((i - hole) & mask)) {
            c->slot[hole] = c->slot[i];
            hole = i;
        }
    }
    c->slot[hole].place = NULL;
}

void bird_index_clear(struct bird_corpus *c)
{
    for (int64_t i = 0; i < c->n_slot; i++) {
        free(c->slot[i].place);
        c->slot[i].place = NULL;
    }
    c->n_pair = c->n_place = c->n_heap = 0;
}

/* The pairs that begin with x, which stands at the n places. */
static int left_build(struct bird_corpus *c, uint32_t x, const uint32_t *place,
                      int64_t n)
{
    int64_t *count = c->n_after;
    int32_t length = c->length[x];
    int rc = 0;

    for (int64_t i = 0; i < n; i++) {
        uint32_t y = c->token[place[i] + length];

        if (y != BIRD_LEARN_BREAK)
            count[y]++;
    }
    for (int64_t i = 0; i < n && !rc; i++) {
        uint32_t y = c->token[place[i] + length];

        if (y != BIRD_LEARN_BREAK && !c->list_after[y] &&
            count[y] >= c->floor && length + c->length[y] <= c->max_length)
            rc = bird_index_add(c, x << 16 | y, count[y], &c->list_after[y]);
    }
    for (int64_t i = 0; i < n && !rc; i++) {
        uint32_t y = c->token[place[i] + length];

        if (y != BIRD_LEARN_BREAK && c->list_after[y])
            *c->list_after[y]++ = place[i];
    }
    for (int64_t i = 0; i < n; i++) {
        uint32_t y = c->token[place[i] + length];

        if (y != BIRD_LEARN_BREAK) {
            count[y] = 0;
            c->list_after[y] = NULL;
        }
    }
    return rc;
}

/* Places of all tokens, sorted by token: then one token after the other. */
int bird_index_build(struct bird_corpus *c)
{
    int64_t *start = NULL, total = 0;
    uint32_t *place = NULL;
    int rc = bird_array_new(&start, c->n_token + 1, sizeof(*start));

    bird_index_clear(c);
    if (rc)
        return rc;
    for (int64_t p = 1; p <= c->n;) {
        uint32_t x = c->token[p];

        if (x != BIRD_LEARN_BREAK) {
            start[x + 1]++;
            total++;
        }
        p += x == BIRD_LEARN_BREAK ? 1 : c->length[x];
    }
    place = calloc((size_t)(total ? total : 1), sizeof(*place));
    if (!place) {
        rc = bird_fail_memory((size_t)total * sizeof(*place));
        goto done;
    }
    for (int64_t x = 1; x <= c->n_token; x++)
        start[x] += start[x - 1];
    for (int64_t p = 1; p <= c->n;) {
        uint32_t x = c->token[p];

        if (x != BIRD_LEARN_BREAK)
            place[start[x]++] = (uint32_t)p;
        p += x == BIRD_LEARN_BREAK ? 1 : c->length[x];
    }
    for (int64_t x = 0; x < c->n_token && !rc; x++) {
        int64_t from = x ? start[x - 1] : 0; /* each start moved to its end */

        rc = left_build(c, (uint32_t)x, place + from, start[x] - from);
    }
done:
    free(place);
    free(start);
    return rc;
}
