/* Texts by id, ids by text. SPDX-License-Identifier: MIT */
#include "token/vocab.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

int bird_vocab_add(struct bird_vocab *v, const char *text, int64_t id,
                   const char *path)
{
    int64_t at = v->pool.n, n = (int64_t)strlen(text);
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
    if (bird_map_find(&v->ids, text, n))
        return bird_fail(BIRD_EFORMAT, "%s: token '%.40s' occurs twice", path,
                         text);
    if ((rc = bird_array_grow(&v->at, &v->cap_at, id + 1, sizeof(*v->at))) ||
        (rc = bird_text_put(&v->pool, text, n + 1)) ||
        (rc = bird_map_add(&v->ids, NULL, text, n, id)))
        return rc;
    while (v->n <= id)
        v->at[v->n++] = -1;
    v->at[id] = at;
    return 0;
}

int32_t bird_vocab_find(const struct bird_vocab *v, const char *text, size_t n)
{
    const int64_t *id = bird_map_find(&v->ids, text, (int64_t)n);

    return id ? (int32_t)*id : -1;
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
    bird_map_free(&v->ids);
    *v = (struct bird_vocab){0};
}
