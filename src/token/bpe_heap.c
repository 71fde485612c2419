/*
 * Merges by rank with a heap: always the pair of lowest rank, leftmost first.
 * O(n log n), and equal to the `tokenizers` library for every list of merges.
 * It serves vocabularies that the automaton (bpe_automaton.c) cannot hold.
 * SPDX-License-Identifier: MIT
 */
#include "token/bpe_heap.h"

#include <stdlib.h>

#include "base/mem.h"

int bird_merges_new(struct bird_merges *m, int64_t n)
{
    int rc;

    m->n = n;
    (void)((rc = bird_array_new(&m->left, n, sizeof(*m->left))) ||
           (rc = bird_array_new(&m->right, n, sizeof(*m->right))) ||
           (rc = bird_array_new(&m->product, n, sizeof(*m->product))));
    return rc;
}

static inline uint64_t pair_key(int32_t left, int32_t right)
{
    return (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
}

int bird_merges_set(struct bird_merges *m, int64_t k, int32_t left,
                    int32_t right, int32_t product)
{
    int64_t *rank;
    int rc = bird_map64_add(&m->rank, &rank, pair_key(left, right), k);

    if (rc)
        return rc;
    *rank = k;
    m->left[k] = left;
    m->right[k] = right;
    m->product[k] = product;
    return 0;
}

int32_t bird_merges_find(const struct bird_merges *m, int32_t left,
                         int32_t right)
{
    const int64_t *rank = bird_map64_find(&m->rank, pair_key(left, right));

    return rank ? (int32_t)*rank : -1;
}

void bird_merges_free(struct bird_merges *m)
{
    free(m->left);
    free(m->right);
    free(m->product);
    bird_map64_free(&m->rank);
    *m = (struct bird_merges){0};
}

static void heap_up(uint64_t *h, int64_t i)
{
    uint64_t x = h[i];

    for (; i > 0 && h[(i - 1) / 2] > x; i = (i - 1) / 2)
        h[i] = h[(i - 1) / 2];
    h[i] = x;
}

static void heap_down(uint64_t *h, int64_t n, int64_t i)
{
    uint64_t x = h[i];

    for (int64_t c; (c = 2 * i + 1) < n; i = c) {
        c += c + 1 < n && h[c + 1] < h[c];
        if (h[c] >= x)
            break;
        h[i] = h[c];
    }
    h[i] = x;
}

/* Put the pair that begins at symbol i on the heap, if it can merge. */
static int heap_put(struct bird_bpe_heap *p, const struct bird_merges *m,
                    int32_t i, int up)
{
    const struct bird_symbol *s = &p->symbol[i];
    int32_t k;
    int rc;

    if (s->next < 0)
        return 0;
    k = bird_merges_find(m, s->id, p->symbol[s->next].id);
    if (k < 0)
        return 0;
    if ((rc = bird_array_grow(&p->heap, &p->cap_heap, p->n_heap + 1,
                              sizeof(*p->heap))))
        return rc;
    p->heap[p->n_heap] = (uint64_t)k << 32 | (uint32_t)i;
    if (up)
        heap_up(p->heap, p->n_heap);
    p->n_heap++;
    return 0;
}

/* Join symbol i and the next into `product`. */
static int symbol_join(struct bird_bpe_heap *p, const struct bird_merges *m,
                       int32_t i, int32_t product)
{
    struct bird_symbol *s = p->symbol;
    int32_t next = s[i].next;
    int rc;

    s[i].id = product;
    s[i].next = s[next].next;
    s[next].id = -1; /* removed */
    if (s[i].next >= 0)
        s[s[i].next].prev = i;
    if (s[i].prev >= 0 && (rc = heap_put(p, m, s[i].prev, 1)))
        return rc;
    return heap_put(p, m, i, 1);
}

int bird_bpe_heap_merge(struct bird_bpe_heap *p, const struct bird_merges *m)
{
    struct bird_symbol *s = p->symbol;
    int64_t n = 0;
    int rc;

    p->n_heap = 0;
    for (int64_t i = 0; i < p->n; i++) {
        s[i].prev = (int32_t)i - 1;
        s[i].next = i + 1 < p->n ? (int32_t)i + 1 : -1;
    }
    for (int64_t i = 0; i < p->n; i++)
        if ((rc = heap_put(p, m, (int32_t)i, 0)))
            return rc;
    for (int64_t i = p->n_heap / 2; i-- > 0;)
        heap_down(p->heap, p->n_heap, i);
    while (p->n_heap > 0) {
        int32_t i = (int32_t)(uint32_t)p->heap[0], k = -1;
        int32_t product = m->product[p->heap[0] >> 32];

        p->heap[0] = p->heap[--p->n_heap];
        if (p->n_heap > 0)
            heap_down(p->heap, p->n_heap, 0);
        /* An entry is stale unless the pair at its position now makes this
         * token. */
        if (s[i].id >= 0 && s[i].next >= 0)
            k = bird_merges_find(m, s[i].id, s[s[i].next].id);
        if (k >= 0 && m->product[k] == product &&
            (rc = symbol_join(p, m, i, product)))
            return rc;
    }
    for (int64_t i = 0; i < p->n; i++)
        if (s[i].id >= 0)
            s[n++] = s[i];
    p->n = n;
    return 0;
}

void bird_bpe_heap_free(struct bird_bpe_heap *p)
{
    free(p->symbol);
    free(p->heap);
    *p = (struct bird_bpe_heap){0};
}
