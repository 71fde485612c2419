/* Merging the commonest pair, again and again. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "token/learn.h"

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
        bird_index_clear(c);
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
    struct bird_pair *p = bird_index_find(c, left << 16 | right);

    if (p && --p->count < c->floor)
        bird_index_drop(c, p);
}

/*
 * Join the pair wherever it still stands, from left to right, so that AAA
 * becomes AA A. The places joined are gathered at the front of the list. A
 * neighbour that was itself just made needs no fall of a count: the pair
 * between the two has fallen when the left one was joined.
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

/* The neighbours of token `made` at p, which stands at p[0]. */
struct sides {
    uint16_t before, after;
};

static struct sides sides_of(const struct bird_corpus *c, uint32_t p,
                             uint16_t made)
{
    struct sides s = {c->token[p - 1], c->token[p + c->length[made]]};

    /* A twin behind has this one before it: counted there. */
    if (s.after == made)
        s.after = BIRD_LEARN_BREAK;
    return s;
}

static int pairs_add(struct bird_corpus *c, struct sides s, uint16_t made)
{
    int32_t most = (int32_t)c->max_length - c->length[made];
    int rc = 0;

    if (s.before != BIRD_LEARN_BREAK && !c->list_before[s.before] &&
        c->n_before[s.before] >= c->floor && c->length[s.before] <= most)
        rc = bird_index_add(c, (uint32_t)s.before << 16 | made,
                            c->n_before[s.before], &c->list_before[s.before]);
    if (!rc && s.after != BIRD_LEARN_BREAK && !c->list_after[s.after] &&
        c->n_after[s.after] >= c->floor && c->length[s.after] <= most)
        rc = bird_index_add(c, (uint32_t)made << 16 | s.after,
                            c->n_after[s.after], &c->list_after[s.after]);
    return rc;
}

/* The pairs of the token just made with its neighbours, into the index. */
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

    /* Out of the index before its neighbours' counts move the slots. */
    best->place = malloc(1);
    if (!best->place) {
        best->place = place;
        return bird_fail_memory(1);
    }
    bird_index_drop(c, best);
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
    bird_progress p = {"learning", "tokens", 0, want, NULL, NULL};
    int rc;

    c->max_length = o->max_length;
    c->min_count = o->min_count > 1 ? o->min_count : 1;
    c->floor = c->n / (64 * want);
    if (c->floor < c->min_count)
        c->floor = c->min_count;
    *last_count = 0;
    if (want <= c->n_token)
        return 0;
    if ((rc = bird_index_build(c)))
        return rc;
    while (c->n_token < want) {
        struct bird_pair *best = bird_index_best(c);

        p.done = c->n_token;
        if (o->progress && o->progress(o->progress_context, &p))
            return bird_fail(BIRD_ECANCELED, "learning was stopped");
        if (!best && c->floor == c->min_count)
            return 0;
        if (!best) { /* the floor was too high: again with a lower one */
            c->floor =
                c->floor / 8 > c->min_count ? c->floor / 8 : c->min_count;
            if ((rc = bird_index_build(c)))
                return rc;
            continue;
        }
        *last_count = best->count;
        if ((rc = pair_merge(c, best)))
            return rc;
        /* Lists keep places that have gone: make them anew before they
         * take more than was promised. */
        if (c->n_place > c->n + c->n / 2 + 65536 && (rc = bird_index_build(c)))
            return rc;
    }
    return 0;
}
