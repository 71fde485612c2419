/* Windows, global blocks and random ones as rising lists.
 * SPDX-License-Identifier: MIT */
#include "pattern/rows.h"

#include <stdlib.h>

#include "base/mem.h"

int64_t bird_shape_row(int32_t *list, int64_t i, int64_t n_block,
                       const struct bird_shape *s)
{
    int whole = i < s->first || i >= n_block - s->last;
    int64_t n = 0, near = whole ? n_block : s->near;
    int64_t from = i - near > 0 ? i - near : 0;
    int64_t to = i + near < n_block ? i + near : n_block - 1;
    int64_t last = n_block - s->last > to ? n_block - s->last : to + 1;

    for (int64_t j = 0; j < s->first && j < from; j++)
        list[n++] = (int32_t)j;
    for (int64_t j = from; j <= to; j++)
        list[n++] = (int32_t)j;
    /* global blocks at the start that lie behind the window */
    for (int64_t j = to + 1; j < s->first && j < last; j++)
        list[n++] = (int32_t)j;
    for (int64_t j = last; j < n_block; j++)
        list[n++] = (int32_t)j;
    return n;
}

void bird_row_insert(int32_t *list, int64_t n, int32_t block)
{
    while (n > 0 && list[n - 1] > block) {
        list[n] = list[n - 1];
        n--;
    }
    list[n] = block;
}

int bird_random_rows_new(struct bird_random_rows *d, int64_t n)
{
    int rc = bird_array_new(&d->block, n, sizeof(*d->block));

    d->n = n;
    return rc ? rc : bird_array_new(&d->moved, n, sizeof(*d->moved));
}

void bird_random_rows_free(struct bird_random_rows *d)
{
    free(d->block);
    free(d->moved);
    *d = (struct bird_random_rows){0};
}

int64_t bird_random_rows_add(int32_t *list, const struct bird_random_rows *d,
                             const struct bird_uniform *u)
{
    int64_t n = u->n_fixed, m = bird_uniform_row(d->block, d->moved, d->n, u);

    for (int64_t k = 0; k < m; k++, n++)
        bird_row_insert(list, n, d->block[k]);
    return n;
}
