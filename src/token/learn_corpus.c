/*
 * Learning merges: repeatedly, the most frequent pair becomes a token.
 *
 * An index holds the positions of each pair. A count only decreases after the
 * step in which a pair first occurs (its later part is made only in that step),
 * so a pair below the cutoff can be left out, and the heap may hold counts that
 * are too high: they are corrected at the top. So the cost of a merge is its
 * number of positions, not the length of the text.
 * SPDX-License-Identifier: MIT
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

static struct bird_pair *index_find(struct bird_corpus *c, uint32_t key)
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

/* Does the heap return a before b? */
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

/* Sift x down from the top of the heap of n entries. */
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

static struct bird_pair *index_best(struct bird_corpus *c)
{
    while (c->n_heap > 0) {
        struct bird_pair_rank x = c->heap[0];
        struct bird_pair *p = index_find(c, x.key);

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

static int index_add(struct bird_corpus *c, uint32_t key, int64_t n,
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

static void index_drop(struct bird_corpus *c, struct bird_pair *p)
{
    int64_t mask = c->n_slot - 1, hole = p - c->slot;

    c->n_place -= p->n;
    c->n_pair--;
    free(p->place);
    /* Move entries that would not be found across the free slot. */
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

static void index_clear(struct bird_corpus *c)
{
    for (int64_t i = 0; i < c->n_slot; i++) {
        free(c->slot[i].place);
        c->slot[i].place = NULL;
    }
    c->n_pair = c->n_place = c->n_heap = 0;
}

/* Index the pairs that begin with x, which is at the n positions. */
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
            count[y] >= c->cutoff && length + c->length[y] <= c->max_length)
            rc = index_add(c, x << 16 | y, count[y], &c->list_after[y]);
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

/* Positions of all tokens, sorted by token; then index one token after the
 * other. */
static int index_build(struct bird_corpus *c)
{
    int64_t *start = NULL, total = 0;
    uint32_t *place = NULL;
    int rc = bird_array_new(&start, c->n_token + 1, sizeof(*start));

    index_clear(c);
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
        int64_t from = x ? start[x - 1] : 0; /* each start has moved to its
                                                end */

        rc = left_build(c, (uint32_t)x, place + from, start[x] - from);
    }
done:
    free(place);
    free(start);
    return rc;
}

int bird_corpus_new(struct bird_corpus *c, int64_t n)
{
    int64_t v = BIRD_LEARN_MAX;
    int rc;

    c->n = n;
    c->n_slot = 1024;
    (void)((rc = bird_array_new(&c->token, n + 2, sizeof(*c->token))) ||
           (rc = bird_array_new(&c->length, v, sizeof(*c->length))) ||
           (rc = bird_array_new(&c->left, v, sizeof(*c->left))) ||
           (rc = bird_array_new(&c->right, v, sizeof(*c->right))) ||
           (rc = bird_array_new(&c->slot, c->n_slot, sizeof(*c->slot))) ||
           (rc = bird_array_new(&c->n_before, v, sizeof(*c->n_before))) ||
           (rc = bird_array_new(&c->n_after, v, sizeof(*c->n_after))) ||
           (rc = bird_array_new(&c->list_before, v, sizeof(*c->list_before))) ||
           (rc = bird_array_new(&c->list_after, v, sizeof(*c->list_after))));
    if (rc)
        return rc;
    c->token[0] = c->token[n + 1] = BIRD_LEARN_BREAK;
    for (c->n_token = 0; c->n_token < BIRD_LEARN_LETTERS; c->n_token++) {
        c->length[c->n_token] = 1;
        c->left[c->n_token] = c->right[c->n_token] = (uint16_t)c->n_token;
    }
    return 0;
}

void bird_corpus_free(struct bird_corpus *c)
{
    if (c->slot)
        index_clear(c);
    free(c->token);
    free(c->length);
    free(c->left);
    free(c->right);
    free(c->slot);
    free(c->heap);
    free(c->n_before);
    free(c->n_after);
    free(c->list_before);
    free(c->list_after);
    *c = (struct bird_corpus){0};
}

static void count_fall(struct bird_corpus *c, uint32_t left, uint32_t right)
{
    struct bird_pair *p = index_find(c, left << 16 | right);

    if (p && --p->count < c->cutoff)
        index_drop(c, p);
}

/*
 * Join the pair wherever it still occurs, from left to right, so that AAA
 * becomes AA A. The joined positions are collected at the front of the list. A
 * neighbour that was itself just made needs no smaller count: the count of the
 * pair between the two decreased when the left one was joined.
 */
static int64_t places_join(struct bird_corpus *c, uint32_t *place, int64_t n,
                           uint32_t key, uint16_t made)
{
    uint16_t *token = c->token, left = (uint16_t)(key >> 16);
    uint16_t right = (uint16_t)key;
    int64_t nl = c->length[left], length = nl + c->length[right], kept = 0;

    for (int64_t i = 0; i < n; i++) {
        uint16_t *p = token + place[i], before = p[-1], after;

        if (p[0] != left || p[nl] != right)
            continue;
        after = p[length];
        if (before != BIRD_LEARN_BREAK && before != made)
            count_fall(c, before, left);
        if (after != BIRD_LEARN_BREAK)
            count_fall(c, right, after);
        p[nl] = BIRD_LEARN_BREAK;
        p[0] = p[length - 1] = made;
        place[kept++] = place[i];
    }
    return kept;
}

/* The neighbours of a token `made` that begins at position p. */
struct sides {
    uint16_t before, after;
};

static struct sides sides_of(const struct bird_corpus *c, uint32_t p,
                             uint16_t made)
{
    struct sides s = {c->token[p - 1], c->token[p + c->length[made]]};

    /* If the next token is `made` too, it counts this one as its left
     * neighbour. */
    if (s.after == made)
        s.after = BIRD_LEARN_BREAK;
    return s;
}

static int pairs_add(struct bird_corpus *c, struct sides s, uint16_t made)
{
    int32_t most = (int32_t)c->max_length - c->length[made];
    int rc = 0;

    if (s.before != BIRD_LEARN_BREAK && !c->list_before[s.before] &&
        c->n_before[s.before] >= c->cutoff && c->length[s.before] <= most)
        rc = index_add(c, (uint32_t)s.before << 16 | made,
                       c->n_before[s.before], &c->list_before[s.before]);
    if (!rc && s.after != BIRD_LEARN_BREAK && !c->list_after[s.after] &&
        c->n_after[s.after] >= c->cutoff && c->length[s.after] <= most)
        rc = index_add(c, (uint32_t)made << 16 | s.after, c->n_after[s.after],
                       &c->list_after[s.after]);
    return rc;
}

/* Index the pairs of the new token with its neighbours. */
static int pairs_make(struct bird_corpus *c, const uint32_t *place, int64_t n,
                      uint16_t made)
{
    int rc = 0;

    for (int64_t i = 0; i < n; i++) {
        struct sides s = sides_of(c, place[i], made);

        if (s.before != BIRD_LEARN_BREAK)
            c->n_before[s.before]++;
        if (s.after != BIRD_LEARN_BREAK)
            c->n_after[s.after]++;
    }
    for (int64_t i = 0; i < n && !rc; i++)
        rc = pairs_add(c, sides_of(c, place[i], made), made);
    for (int64_t i = 0; i < n && !rc; i++) {
        struct sides s = sides_of(c, place[i], made);

        if (s.before != BIRD_LEARN_BREAK && c->list_before[s.before])
            *c->list_before[s.before]++ =
                place[i] - (uint32_t)c->length[s.before];
        if (s.after != BIRD_LEARN_BREAK && c->list_after[s.after])
            *c->list_after[s.after]++ = place[i];
    }
    for (int64_t i = 0; i < n; i++) {
        struct sides s = sides_of(c, place[i], made);

        if (s.before != BIRD_LEARN_BREAK) {
            c->n_before[s.before] = 0;
            c->list_before[s.before] = NULL;
        }
        if (s.after != BIRD_LEARN_BREAK) {
            c->n_after[s.after] = 0;
            c->list_after[s.after] = NULL;
        }
    }
    return rc;
}

static int pair_merge(struct bird_corpus *c, struct bird_pair *best)
{
    uint32_t key = best->key, *place = best->place;
    uint16_t made = (uint16_t)c->n_token;
    int64_t n = best->n;
    int rc;

    /* Remove it from the index before its neighbours' counts move the slots. */
    best->place = malloc(1);
    if (!best->place) {
        best->place = place;
        return bird_fail_memory(1);
    }
    index_drop(c, best);
    c->left[made] = (uint16_t)(key >> 16);
    c->right[made] = (uint16_t)key;
    c->length[made] = c->length[key >> 16] + c->length[key & 0xffff];
    c->n_token++;
    n = places_join(c, place, n, key, made);
    rc = pairs_make(c, place, n, made);
    free(place);
    return rc;
}

int bird_corpus_learn(struct bird_corpus *c, int64_t want,
                      const bird_learn_options *o, int64_t *last_count)
{
    bird_progress p = {"learning", "tokens", 0, want, NULL, NULL, 0};
    int rc;

    c->max_length = o->max_length;
    c->min_count = o->min_count > 1 ? o->min_count : 1;
    c->cutoff = c->n / (64 * want);
    if (c->cutoff < c->min_count)
        c->cutoff = c->min_count;
    *last_count = 0;
    if (want <= c->n_token)
        return 0;
    if ((rc = index_build(c)))
        return rc;
    while (c->n_token < want) {
        struct bird_pair *best = index_best(c);

        p.done = c->n_token;
        if (o->progress && o->progress(o->progress_context, &p))
            return bird_fail(BIRD_ECANCELED, "learning was stopped");
        if (!best && c->cutoff == c->min_count)
            return 0;
        if (!best) { /* the cutoff was too high: repeat with a lower one */
            c->cutoff =
                c->cutoff / 8 > c->min_count ? c->cutoff / 8 : c->min_count;
            if ((rc = index_build(c)))
                return rc;
            continue;
        }
        *last_count = best->count;
        if ((rc = pair_merge(c, best)))
            return rc;
        /* Lists keep outdated positions: rebuild them before they exceed the
         * promised memory. */
        if (c->n_place > c->n + c->n / 2 + 65536 && (rc = index_build(c)))
            return rc;
    }
    return 0;
}
