/* Names that may not repeat: open addressing, at most half full.
   SPDX-License-Identifier: MIT */
#include "seq/name_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"

enum { FIRST_SLOTS = 64 };

void bird_name_set_free(struct bird_name_set *s)
{
    bird_text_free(&s->names);
    free(s->slot);
    *s = (struct bird_name_set){0};
}

static const char *name_at(const struct bird_name_set *s, int64_t place)
{
    return s->names.s + place - 1 + sizeof(int64_t);
}

/* Where the name is, or where it would go. */
static int64_t find(const struct bird_name_set *s, const char *name)
{
    uint64_t hash = bird_mix_bytes(0, name, (int64_t)strlen(name));
    int64_t i = (int64_t)(hash & (uint64_t)(s->n_slot - 1));

    while (s->slot[i] && strcmp(name_at(s, s->slot[i]), name) != 0)
        i = (i + 1) & (s->n_slot - 1);
    return i;
}

static int grow(struct bird_name_set *s)
{
    struct bird_name_set wider = *s;
    int64_t *slot;
    int rc;

    if (2 * (s->n + 1) <= s->n_slot)
        return 0;
    wider.n_slot = s->n_slot ? 2 * s->n_slot : FIRST_SLOTS;
    rc = bird_array_new(&slot, wider.n_slot, sizeof(*slot));
    if (rc)
        return rc;
    wider.slot = slot;
    for (int64_t i = 0; i < s->n_slot; i++)
        if (s->slot[i])
            wider.slot[find(&wider, name_at(s, s->slot[i]))] = s->slot[i];
    free(s->slot);
    s->slot = slot;
    s->n_slot = wider.n_slot;
    return 0;
}

int bird_name_set_add(struct bird_name_set *s, const char *file,
                      const char *name, int64_t line)
{
    int64_t i, place = s->names.n + 1, first;
    int rc = grow(s);

    if (rc)
        return rc;
    i = find(s, name);
    if (s->slot[i]) {
        memcpy(&first, s->names.s + s->slot[i] - 1, sizeof(first));
        return bird_fail(BIRD_EFORMAT,
                         "%s: two records are named '%s' (lines %lld and "
                         "%lld): rename or remove one",
                         file, name, (long long)first, (long long)line);
    }
    rc = bird_text_put(&s->names, (const char *)&line, sizeof(line));
    if (!rc)
        rc = bird_text_put(&s->names, name, (int64_t)strlen(name) + 1);
    if (rc)
        return rc;
    s->slot[i] = place;
    s->n++;
    return 0;
}
