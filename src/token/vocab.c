/* Texts by id, ids by text. SPDX-License-Identifier: MIT */
#include "token/vocab.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

static uint64_t text_hash(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)s[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

/* The slot that holds this text, or the free one where it would go. */
static int64_t slot_of(const struct bird_vocab *v, const char *text, size_t n)
{
    int64_t mask = v->n_slot - 1;
    int64_t i = (int64_t)(text_hash(text, n) & (uint64_t)mask);

    for (; v->slot[i] >= 0; i = (i + 1) & mask) {
        const char *s = v->pool.s + v->at[v->slot[i]];

        if (!strncmp(s, text, n) && !s[n])
            break;
    }
    return i;
}

static int slots_grow(struct bird_vocab *v)
{
    int64_t n = v->n_slot ? 2 * v->n_slot : 64, n_old = v->n_slot;
    int32_t *old = v->slot, *slot = NULL;
    int rc = bird_array_new(&slot, n, sizeof(*slot));

    if (rc)
        return rc;
    memset(slot, 0xff, (size_t)n * sizeof(*slot));
    v->slot = slot;
    v->n_slot = n;
    for (int64_t i = 0; i < n_old; i++)
        if (old[i] >= 0) {
            const char *s = v->pool.s + v->at[old[i]];

            slot[slot_of(v, s, strlen(s))] = old[i];
        }
    free(old);
    return 0;
}

int bird_vocab_add(struct bird_vocab *v, const char *text, int64_t id,
                   const char *path)
{
    int64_t at = v->pool.n, i;
    size_t n = strlen(text);
    int rc;

    if (id < 0 || id >= BIRD_VOCAB_MAX)
        return bird_fail(BIRD_EFORMAT,
                         "%s: token '%.40s': id %lld lies outside 0 to %d",
                         path, text, (long long)id, BIRD_VOCAB_MAX - 1);
    if (id < v->n && v->at[id] >= 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: tokens '%.40s' and '%.40s' have "
                         "the same id %lld",
                         path, v->pool.s + v->at[id], text, (long long)id);
    if (2 * (v->n_text + 1) > v->n_slot && (rc = slots_grow(v)))
        return rc;
    i = slot_of(v, text, n);
    if (v->slot[i] >= 0)
        return bird_fail(BIRD_EFORMAT, "%s: token '%.40s' is there twice", path,
                         text);
    if ((rc = bird_array_grow(&v->at, &v->cap_at, id + 1, sizeof(*v->at))) ||
        (rc = bird_text_put(&v->pool, text, (int64_t)n + 1)))
        return rc;
    while (v->n <= id)
        v->at[v->n++] = -1;
    v->at[id] = at;
    v->slot[i] = (int32_t)id;
    v->n_text++;
    return 0;
}

int32_t bird_vocab_find(const struct bird_vocab *v, const char *text, size_t n)
{
    return v->n_slot ? v->slot[slot_of(v, text, n)] : -1;
}

const char *bird_vocab_text(const struct bird_vocab *v, int64_t id)
{
    if (id < 0 || id >= v->n || v->at[id] < 0)
        return NULL;
    return v->pool.s + v->at[id];
}

void bird_vocab_free(struct bird_vocab *v)
{
    bird_text_free(&v->pool);
    free(v->at);
    free(v->slot);
    *v = (struct bird_vocab){0};
}
