/* Calls are kept in an array of twice the number wanted; when it is full, the
 * less probable half is dropped. SPDX-License-Identifier: MIT */
#include "scan/top_calls.h"

#include <stdlib.h>

#include "base/mem.h"
#include "seq/contigs.h"

struct kept {
    bird_track_row row; /* its contig is set at the end */
    int64_t number;     /* in the order of the calls */
    int64_t contig;
};

struct bird_top_calls {
    struct bird_contigs contigs;
    struct kept *kept; /* (n) */
    int64_t n, cap, most, n_put;
};

int bird_top_calls_new(struct bird_top_calls **out, int64_t n)
{
    int rc = bird_array_new(out, 1, sizeof(**out));

    if (!rc)
        (*out)->most = n;
    return rc;
}

void bird_top_calls_free(struct bird_top_calls *t)
{
    if (!t)
        return;
    bird_contigs_free(&t->contigs);
    free(t->kept);
    free(t);
}

static int by_number(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static int by_probability(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;

    if (x->row.value != y->row.value)
        return x->row.value > y->row.value ? -1 : 1;
    return by_number(a, b);
}

static void drop_rest(struct bird_top_calls *t)
{
    if (!t->most || t->n <= t->most)
        return;
    qsort(t->kept, (size_t)t->n, sizeof(*t->kept), by_probability);
    t->n = t->most;
}

int bird_top_calls_put(struct bird_top_calls *t, const bird_track_row *row)
{
    struct kept k = {.row = *row, .number = t->n_put++};
    int rc = bird_array_grow(&t->kept, &t->cap, t->n + 1, sizeof(*t->kept));

    k.contig = bird_contigs_find_exact(&t->contigs, row->contig);
    if (!rc && k.contig < 0) {
        k.contig = t->contigs.n;
        rc = bird_contigs_append(&t->contigs, row->contig);
    }
    if (rc)
        return rc;
    t->kept[t->n++] = k;
    if (t->n / 2 >= t->most)
        drop_rest(t);
    return 0;
}

void bird_top_calls_sort(struct bird_top_calls *t, int ranked)
{
    drop_rest(t);
    if (t->n)
        qsort(t->kept, (size_t)t->n, sizeof(*t->kept),
              ranked ? by_probability : by_number);
    for (int64_t i = 0; i < t->n; i++)
        t->kept[i].row.contig = t->contigs.name[t->kept[i].contig];
}

const bird_track_row *bird_top_calls_at(const struct bird_top_calls *t,
                                        int64_t i)
{
    return i < t->n ? &t->kept[i].row : NULL;
}
