/* Looking at what a pickle held. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/pickle.h"

void bird_pickle_free(struct bird_pickle *p)
{
    for (int64_t i = 0; i < p->n; i++)
        free(p->value[i].item);
    free(p->value);
    *p = (struct bird_pickle){0};
}

const struct bird_pickle_value *
bird_pickle_item(const struct bird_pickle *p, const struct bird_pickle_value *v,
                 int64_t i)
{
    return v->item && i < v->n ? &p->value[v->item[i]] : NULL;
}

int bird_pickle_is(const struct bird_pickle_value *v, const char *s)
{
    return v && v->kind == BIRD_PICKLE_TEXT && (size_t)v->n == strlen(s) &&
           !memcmp(v->text, s, (size_t)v->n);
}

const char *bird_pickle_kind_name(const struct bird_pickle_value *v)
{
    static const char *const names[] = {
        [BIRD_PICKLE_NONE] = "None",
        [BIRD_PICKLE_BOOL] = "a truth value",
        [BIRD_PICKLE_INT] = "a number",
        [BIRD_PICKLE_BIG] = "a number",
        [BIRD_PICKLE_TEXT] = "a text",
        [BIRD_PICKLE_TUPLE] = "a tuple",
        [BIRD_PICKLE_LIST] = "a list",
        [BIRD_PICKLE_DICT] = "a dictionary",
        [BIRD_PICKLE_GLOBAL] = "a class",
        [BIRD_PICKLE_CALL] = "a tensor or parameter",
        [BIRD_PICKLE_PERSISTENT] = "a storage",
    };

    return v ? names[v->kind] : "nothing";
}
