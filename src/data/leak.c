/* Test rows that share sequence with training rows. SPDX-License-Identifier: MIT
 *
 * The table holds the k-mers of the test rows, which are few; training rows
 * stream past it. Keys are whole (2 bits a base, 126 bits), so nothing is
 * marked by chance.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/dataset.h"
#include "dnabird/window.h"
#include "seq/alphabet.h"

__extension__ typedef unsigned __int128 kmer;

/* Rolls over a sequence; `filled` counts bases since the last other letter. */
struct roller {
    kmer forward, reverse, mask;
    int k, filled, both;
};

static void roller_init(struct roller *r, int k, int both)
{
    *r =
        (struct roller){.k = k, .both = both, .mask = ((kmer)1 << (2 * k)) - 1};
}

/* 1 when the k letters that end with c are a k-mer, written to *out. */
static int roll(kmer *out, struct roller *r, char c)
{
    int base = bird_base_code(c);
    kmer code = (kmer)base;

    if (base < 0) {
        r->filled = 0;
        return 0;
    }
    r->forward = (r->forward << 2 | code) & r->mask;
    r->reverse = r->reverse >> 2 | (3 - code) << (2 * (r->k - 1));
    if (++r->filled < r->k)
        return 0;
    r->filled = r->k;
    *out = r->both && r->reverse < r->forward ? r->reverse : r->forward;
    return 1;
}

/* Open addressing; a slot's key is stored plus one, 0 is empty. */
struct table {
    kmer *slot;
    uint8_t *hit;
    int64_t n_slot; /* a power of two */
};

static int64_t find(const struct table *t, kmer key)
{
    uint64_t h = bird_mix((uint64_t)key, (uint64_t)(key >> 64));
    int64_t at = (int64_t)(h & (uint64_t)(t->n_slot - 1));

    while (t->slot[at] && t->slot[at] != key + 1)
        at = (at + 1) & (t->n_slot - 1);
    return at;
}

static int table_new(struct table *t, int64_t n_key)
{
    int rc;

    for (t->n_slot = 64; t->n_slot < 2 * n_key;)
        t->n_slot *= 2;
    rc = bird_array_new(&t->slot, t->n_slot, sizeof(*t->slot));
    if (!rc)
        rc = bird_array_new(&t->hit, t->n_slot, 1);
    return rc;
}

static int mark_kmers(uint8_t *mark, const bird_dataset *test,
                      const bird_dataset *train, int k, int both)
{
    struct table t = {0};
    struct roller r;
    kmer key;
    int rc = table_new(&t, test->n_base);

    /* 0: fill with test, 1: hit by train, 2: read off for test */
    for (int pass = 0; !rc && pass < 3; pass++) {
        const bird_dataset *d = pass == 1 ? train : test;

        for (int64_t i = 0; i < d->n; i++) {
            const char *s = bird_dataset_seq(d, i);

            roller_init(&r, k, both);
            for (int64_t j = 0; j < d->row[i].len; j++) {
                int64_t at;

                if (!roll(&key, &r, s[j]))
                    continue;
                at = find(&t, key);
                if (pass == 0)
                    t.slot[at] = key + 1;
                else if (pass == 1)
                    t.hit[at] = t.slot[at] != 0;
                else if (t.hit[at])
                    mark[i] = 1;
            }
        }
    }
    free(t.slot);
    free(t.hit);
    return rc;
}

/* Whole sequences, sorted by length and letters. */
struct whole {
    const char *s;
    int64_t n, row;
};

static int by_letters(const void *a, const void *b)
{
    const struct whole *x = a, *y = b;

    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return memcmp(x->s, y->s, (size_t)x->n);
}

static void mark_equal(uint8_t *mark, const struct whole *sorted, int64_t n,
                       const char *s, int64_t len)
{
    struct whole key = {s, len, 0};
    const struct whole *found =
        bsearch(&key, sorted, (size_t)n, sizeof(key), by_letters);
    int64_t at = found ? found - sorted : n;

    if (!found || mark[found->row])
        return; /* equal rows are marked together */
    while (at > 0 && !by_letters(&sorted[at - 1], &key))
        at--;
    for (; at < n && !by_letters(&sorted[at], &key); at++)
        mark[sorted[at].row] = 1;
}

static int mark_wholes(uint8_t *mark, const bird_dataset *test,
                       const bird_dataset *train, int both)
{
    struct whole *sorted;
    char *turned = NULL;
    int64_t longest = 0;
    int rc = bird_array_new(&sorted, test->n, sizeof(*sorted));

    if (rc)
        return rc;
    for (int64_t i = 0; i < train->n; i++)
        if (train->row[i].len > longest)
            longest = train->row[i].len;
    rc = bird_array_new(&turned, longest, 1);
    for (int64_t i = 0; i < test->n; i++)
        sorted[i] =
            (struct whole){bird_dataset_seq(test, i), test->row[i].len, i};
    qsort(sorted, (size_t)test->n, sizeof(*sorted), by_letters);
    for (int64_t i = 0; !rc && i < train->n; i++) {
        const char *s = bird_dataset_seq(train, i);
        int64_t n = train->row[i].len;

        mark_equal(mark, sorted, test->n, s, n);
        if (both) {
            bird_reverse_complement(turned, s, n);
            mark_equal(mark, sorted, test->n, turned, n);
        }
    }
    free(sorted);
    free(turned);
    return rc;
}

int bird_dataset_mark_shared(uint8_t *mark, const bird_dataset *test,
                             const bird_dataset *train, int k, int both_strands)
{
    if (k < 0 || k > 63)
        return bird_fail(BIRD_EINVAL,
                         "a shared k-mer has 1 to 63 bases (0: "
                         "the whole row), not %d",
                         k);
    memset(mark, 0, (size_t)test->n);
    return k ? mark_kmers(mark, test, train, k, both_strands)
             : mark_wholes(mark, test, train, both_strands);
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

int bird_dataset_shared_k(const bird_dataset *d)
{
    int64_t *len;
    int k = 40;

    if (!d->n || bird_array_new(&len, d->n, sizeof(*len)))
        return k;
    for (int64_t i = 0; i < d->n; i++)
        len[i] = d->row[i].len;
    qsort(len, (size_t)d->n, sizeof(*len), by_length);
    k = len[d->n / 2] <= 100 ? 30 : 40;
    free(len);
    return k;
}
