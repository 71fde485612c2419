/*
 * Splitting a data set by share, contigs or regions, and finding test rows that
 * share sequence with training rows.
 *
 * For the latter a table holds the k-mers of the test rows, which are few;
 * training rows stream past it. Keys are whole (2 bits a base, 126 bits), so no
 * row is marked because of a hash collision.
 * SPDX-License-Identifier: MIT
 */
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "dnabird/tiles.h"
#include "folder/feature.h"
#include "seq/alphabet.h"

static uint64_t hash_bases(const char *s, int64_t n)
{
    uint64_t h = (uint64_t)n, word = 0;

    for (int64_t i = 0; i < n; i++) {
        word = word << 8 | (unsigned char)s[i];
        if (i % 8 == 7 || i == n - 1) {
            h = bird_mix(h, word);
            word = 0;
        }
    }
    return h;
}

/* Of bins of several labels, which share bases with their neighbours, whole
 * blocks of a contig. */
enum { BLOCK_BP = 1000000 };

/* Is the block of a contig that holds this position held out? */
static int is_held(const bird_dataset *d, int64_t contig, int64_t at,
                   double fraction, uint64_t seed)
{
    const char *name = d->contig_name[contig];
    uint64_t h = hash_bases(name, (int64_t)strlen(name));

    h = bird_mix(bird_mix(seed, h), (uint64_t)(at / BLOCK_BP));
    return (double)(h >> 11) * 0x1p-53 < fraction;
}

static int has_blocks(const bird_dataset *d)
{
    return d->kind == BIRD_LABEL_MULTI && d->n_contig;
}

void bird_dataset_mark_near(uint8_t *mark, const bird_dataset *d,
                            double fraction, uint64_t seed)
{
    for (int64_t i = 0; has_blocks(d) && i < d->n; i++) {
        const bird_row *r = &d->row[i];
        int64_t from = r->start - r->len + 1, to = r->start + r->len - 1;

        /* a row is of the block in which it begins */
        from = from > 0 ? from / BLOCK_BP : 0;
        for (int64_t k = from; !mark[i] && k <= to / BLOCK_BP; k++)
            mark[i] =
                (uint8_t)is_held(d, r->contig, k * BLOCK_BP, fraction, seed);
    }
}

int bird_dataset_mark_fraction(uint8_t *mark, const bird_dataset *d,
                               double fraction, uint64_t seed)
{
    struct bird_text reverse = {0};

    if (!(fraction >= 0 && fraction <= 1))
        return bird_fail(BIRD_EINVAL, "a share of the rows is 0 to 1, not %g",
                         fraction);
    for (int64_t i = 0; i < d->n; i++) {
        const char *s = bird_dataset_seq(d, i);
        int64_t n = d->row[i].len;
        uint64_t both, h;

        if (has_blocks(d)) {
            mark[i] = (uint8_t)is_held(d, d->row[i].contig, d->row[i].start,
                                       fraction, seed);
            continue;
        }
        if (bird_array_grow(&reverse.s, &reverse.cap, n, 1)) {
            bird_text_free(&reverse);
            return BIRD_ENOMEM;
        }
        bird_reverse_complement(reverse.s, s, n);
        /* A sum is the same for both strands. */
        both = hash_bases(s, n) + hash_bases(reverse.s, n);
        h = bird_mix(seed, both);
        mark[i] = (double)(h >> 11) * 0x1p-53 < fraction;
    }
    bird_text_free(&reverse);
    return 0;
}

static int copy_strings(char ***out, char *const *from, int64_t n)
{
    int rc;

    if (!from)
        return 0;
    rc = bird_array_new(out, n, sizeof(**out));
    for (int64_t i = 0; !rc && i < n; i++) {
        (*out)[i] = strdup(from[i]);
        if (!(*out)[i])
            rc = bird_fail_memory(strlen(from[i]));
    }
    return rc;
}

/* Labelled bins share their bases: these are copied as a whole. */
static int shares_bases(const bird_dataset *d)
{
    return d->hit_at && d->n_contig;
}

/* Allocate the kept rows, their bases and names. */
static int make_room(struct bird_dataset *o, const bird_dataset *d,
                     const uint8_t *mark, int keep)
{
    int64_t n = 0, n_base = 0, n_text = 0, n_hit = 0;
    int64_t n_unknown = (d->n_contig ? d->n_contig : 1) * d->n_label;

    for (int64_t i = 0; i < d->n; i++) {
        if ((mark[i] != 0) != (keep != 0))
            continue;
        n++;
        n_base += d->row[i].len;
        n_hit += d->hit_at ? d->hit_at[i + 1] - d->hit_at[i] : 0;
        if (d->row[i].name >= 0)
            n_text += (int64_t)strlen(bird_dataset_name(d, i)) + 1;
    }
    o->kind = d->kind;
    o->ids = d->ids;
    if (shares_bases(d))
        n_base = d->n_base;
    if (bird_array_new(&o->row, n, sizeof(*o->row)) ||
        bird_array_new(&o->bases, n_base, 1) ||
        (d->base_class && bird_array_new(&o->base_class, n_base, 1)) ||
        (d->line && bird_array_new(&o->line, n, sizeof(*o->line))) ||
        bird_array_new(&o->text, n_text, 1) ||
        (d->target &&
         bird_array_new(&o->target, n * d->n_label, sizeof(*o->target))) ||
        (d->weight && bird_array_new(&o->weight, n, sizeof(*o->weight))) ||
        (d->hit_at && (bird_array_new(&o->hit_at, n + 1, sizeof(*o->hit_at)) ||
                       bird_array_new(&o->hit, n_hit, sizeof(*o->hit)) ||
                       bird_array_new(&o->unknown, n_unknown, 1) ||
                       bird_array_new(&o->contig_length, d->n_contig,
                                      sizeof(*o->contig_length)))) ||
        bird_features_copy(&o->features, &d->features))
        return BIRD_ENOMEM;
    if (shares_bases(d)) {
        memcpy(o->bases, d->bases, (size_t)n_base);
        memcpy(o->contig_length, d->contig_length,
               (size_t)d->n_contig * sizeof(*o->contig_length));
        o->n_base = n_base;
    }
    if (d->unknown)
        memcpy(o->unknown, d->unknown, (size_t)n_unknown);
    o->n_label = d->n_label;
    if (copy_strings(&o->label_name, d->label_name, d->n_label))
        return BIRD_ENOMEM;
    if (d->n_contig &&
        copy_strings(&o->contig_name, d->contig_name, d->n_contig))
        return BIRD_ENOMEM;
    o->n_contig = d->n_contig;
    return 0;
}

/* Labels of row i of d as those of the next row of o. */
static void copy_hits(struct bird_dataset *o, const bird_dataset *d, int64_t i)
{
    int64_t n = d->hit_at[i + 1] - d->hit_at[i];

    memcpy(o->hit + o->hit_at[o->n], d->hit + d->hit_at[i],
           (size_t)n * sizeof(*o->hit));
    o->hit_at[o->n + 1] = o->hit_at[o->n] + n;
}

int bird_dataset_cut(bird_dataset *out, const bird_dataset *d,
                     const uint8_t *mark, int keep)
{
    struct bird_dataset o = {0};

    if (make_room(&o, d, mark, keep)) {
        o.n_contig = o.contig_name ? d->n_contig : 0;
        bird_dataset_free(&o);
        return BIRD_ENOMEM;
    }
    for (int64_t i = 0; i < d->n; i++) {
        struct bird_row *r = &o.row[o.n];

        if ((mark[i] != 0) != (keep != 0))
            continue;
        *r = d->row[i];
        if (d->hit_at)
            copy_hits(&o, d, i);
        if (!shares_bases(d)) {
            r->at = o.n_base;
            memcpy(o.bases + o.n_base, bird_dataset_seq(d, i), (size_t)r->len);
            if (d->base_class)
                memcpy(o.base_class + o.n_base, bird_dataset_base_class(d, i),
                       (size_t)r->len);
            o.n_base += r->len;
        }
        if (r->name >= 0) {
            size_t n = strlen(bird_dataset_name(d, i)) + 1;

            r->name = o.n_text;
            memcpy(o.text + o.n_text, bird_dataset_name(d, i), n);
            o.n_text += (int64_t)n;
        }
        if (d->line)
            o.line[o.n] = d->line[i];
        if (d->weight)
            o.weight[o.n] = d->weight[i];
        if (d->target)
            memcpy(o.target + o.n * d->n_label, d->target + i * d->n_label,
                   sizeof(float) * (size_t)d->n_label);
        o.n++;
    }
    *out = o;
    return 0;
}

/* ---- shared sequence ---------------------------------------------------- */

__extension__ typedef unsigned __int128 kmer;

/* A rolling k-mer; `filled` counts bases since the last that is not A, C, G, T. */
struct roller {
    kmer forward, reverse, mask;
    int k, filled, both;
};

static void roller_init(struct roller *r, int k, int both)
{
    *r =
        (struct roller){.k = k, .both = both, .mask = ((kmer)1 << (2 * k)) - 1};
}

/* 1 when the k bases that end with c are a k-mer, written to *out. */
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

/* Whole sequences, sorted by length and bases. */
struct whole {
    const char *s;
    int64_t n, row;
};

static int by_bases(const void *a, const void *b)
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
        bsearch(&key, sorted, (size_t)n, sizeof(key), by_bases);
    int64_t at = found ? found - sorted : n;

    if (!found || mark[found->row])
        return; /* equal rows are marked together */
    while (at > 0 && !by_bases(&sorted[at - 1], &key))
        at--;
    for (; at < n && !by_bases(&sorted[at], &key); at++)
        mark[sorted[at].row] = 1;
}

static int mark_wholes(uint8_t *mark, const bird_dataset *test,
                       const bird_dataset *train, int both)
{
    struct whole *sorted;
    char *reverse = NULL;
    int64_t longest = 0;
    int rc = bird_array_new(&sorted, test->n, sizeof(*sorted));

    if (rc)
        return rc;
    for (int64_t i = 0; i < train->n; i++)
        if (train->row[i].len > longest)
            longest = train->row[i].len;
    rc = bird_array_new(&reverse, longest, 1);
    for (int64_t i = 0; i < test->n; i++)
        sorted[i] =
            (struct whole){bird_dataset_seq(test, i), test->row[i].len, i};
    qsort(sorted, (size_t)test->n, sizeof(*sorted), by_bases);
    for (int64_t i = 0; !rc && i < train->n; i++) {
        const char *s = bird_dataset_seq(train, i);
        int64_t n = train->row[i].len;

        mark_equal(mark, sorted, test->n, s, n);
        if (both) {
            bird_reverse_complement(reverse, s, n);
            mark_equal(mark, sorted, test->n, reverse, n);
        }
    }
    free(sorted);
    free(reverse);
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
