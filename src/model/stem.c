/* The rows that tokens become.
 * SPDX-License-Identifier: MIT */
#include "model/stem.h"

#include "model/config.h"

int64_t bird_stem_pool(const struct bird_config *c)
{
    int64_t pool = 1;

    for (int64_t i = 0; i < c->n_stem; i++)
        pool *= c->stem[i].pool;
    return pool;
}

/* Rows of special tokens before and behind those of the stem. */
static void ends(const struct bird_config *c, const int32_t *ids, int64_t n,
                 int64_t *before, int64_t *behind)
{
    *before = n > 0 && c->cls_id >= 0 && ids[0] == c->cls_id;
    *behind = n > *before && c->sep_id >= 0 && ids[n - 1] == c->sep_id;
}

int64_t bird_stem_rows(const struct bird_config *c, const int32_t *ids,
                       int64_t n)
{
    int64_t before, behind, pool = bird_stem_pool(c);

    if (!c->n_stem)
        return n;
    ends(c, ids, n, &before, &behind);
    return before + (n - before - behind + pool - 1) / pool + behind;
}

int64_t bird_stem_token(const struct bird_config *c, const int32_t *ids,
                        int64_t n, int64_t row)
{
    int64_t before, behind, at;

    if (!c->n_stem)
        return row;
    ends(c, ids, n, &before, &behind);
    at = row < before ? row : before + (row - before) * bird_stem_pool(c);
    return at < n - behind ? at : n - behind;
}

int64_t bird_stem_tokens(const struct bird_config *c, int64_t max_rows)
{
    return max_rows < 2 ? max_rows : (max_rows - 2) * bird_stem_pool(c) + 2;
}
