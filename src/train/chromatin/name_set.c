/* Distinct names, by open addressing. SPDX-License-Identifier: MIT */
#include "train/chromatin/name_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* FNV-1a: Fowler, Noll, Vo 1991. */
static uint64_t hash(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return h;
}

/* The slot that has the name, or the free one where it goes. */
static int64_t find(const struct bird_name_set *s, const char *name)
{
    int64_t at = (int64_t)(hash(name) & (uint64_t)(s->n_slot - 1));

    while (s->slot[at] && strcmp(s->at[s->slot[at] - 1].name, name) != 0)
        at = (at + 1) & (s->n_slot - 1);
    return at;
}

/* Twice as many slots, half of them free at least. */
static int spread(struct bird_name_set *s)
{
    int32_t *old = s->slot;
    int rc = bird_array_new(&s->slot, s->n_slot ? 2 * s->n_slot : 64,
                            sizeof(*s->slot));

    if (rc)
        return rc;
    free(old);
    s->n_slot = s->n_slot ? 2 * s->n_slot : 64;
    for (int64_t i = 0; i < s->n; i++)
        s->slot[find(s, s->at[i].name)] = (int32_t)i + 1;
    return 0;
}

int bird_name_set_add(struct bird_name_set *s, const char *name)
{
    int64_t at;
    int rc = 2 * (s->n + 1) > s->n_slot ? spread(s) : 0;

    if (rc)
        return rc;
    at = find(s, name);
    if (s->slot[at]) {
        s->at[s->slot[at] - 1].count++;
        return 0;
    }
    rc = bird_array_grow(&s->at, &s->cap, s->n + 1, sizeof(*s->at));
    if (rc)
        return rc;
    s->at[s->n].name = strdup(name);
    if (!s->at[s->n].name)
        return bird_fail_memory(strlen(name));
    s->at[s->n].count = 1;
    s->slot[at] = (int32_t)++s->n;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct bird_counted_name *x = a, *y = b;

    return strcmp(x->name, y->name);
}

void bird_name_set_sort(struct bird_name_set *s)
{
    if (s->n)
        qsort(s->at, (size_t)s->n, sizeof(*s->at), by_name);
}

void bird_name_set_free(struct bird_name_set *s)
{
    for (int64_t i = 0; i < s->n; i++)
        free(s->at[i].name);
    free(s->at);
    free(s->slot);
    *s = (struct bird_name_set){0};
}
