/* Random sequence without start sites. SPDX-License-Identifier: MIT */
#include "data/decoy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char bases[] = "ACGT";

/* 0 .. 3, or -1 */
static int code(char c)
{
    switch (c | 0x20) {
    case 'a':
        return 0;
    case 'c':
        return 1;
    case 'g':
        return 2;
    case 't':
        return 3;
    default:
        return -1;
    }
}

/* The dinucleotides of a run: for each first base the second ones. */
struct walk {
    uint8_t *next[4]; /* (n[b]) */
    int64_t n[4], used[4];
};

static void swap_edges(uint8_t *a, int64_t i, int64_t j)
{
    uint8_t t = a[i];

    a[i] = a[j];
    a[j] = t;
}

/* Do the last edges lead from every base that has one to `end`? */
static int reaches(const struct walk *w, int end)
{
    for (int b = 0; b < 4; b++) {
        int at = b;

        for (int i = 0; i < 4 && at != end && w->n[at]; i++)
            at = w->next[at][w->n[at] - 1];
        if (w->n[b] && at != end)
            return 0;
    }
    return 1;
}

/* Choose last edges evenly until they are a tree towards the last base, then
 * shuffle the others: each order of edges that is an Eulerian walk. */
static void order_edges(struct walk *w, int end, struct bird_rng *r)
{
    do {
        for (int b = 0; b < 4; b++)
            if (w->n[b] && b != end)
                swap_edges(w->next[b], w->n[b] - 1,
                           (int64_t)bird_rng_below(r, (uint64_t)w->n[b]));
    } while (!reaches(w, end));
    for (int b = 0; b < 4; b++)
        for (int64_t i = w->n[b] - (b != end) - 1; i > 0; i--)
            swap_edges(w->next[b], i,
                       (int64_t)bird_rng_below(r, (uint64_t)i + 1));
}

static void shuffle_run(char *seq, int64_t n, uint8_t *edges,
                        struct bird_rng *r)
{
    struct walk w = {0};
    int at;

    for (int64_t i = 0; i + 1 < n; i++)
        w.n[code(seq[i])]++;
    for (int b = 0; b < 4; b++) {
        w.next[b] = edges;
        edges += w.n[b];
    }
    for (int64_t i = 0; i + 1 < n; i++) {
        int b = code(seq[i]);

        w.next[b][w.used[b]++] = (uint8_t)code(seq[i + 1]);
    }
    memset(w.used, 0, sizeof(w.used));
    order_edges(&w, code(seq[n - 1]), r);
    at = code(seq[0]);
    for (int64_t i = 1; i < n; i++) {
        at = w.next[at][w.used[at]++];
        seq[i] = bases[at];
    }
}

int bird_shuffle_dinucleotides(char *seq, int64_t n, struct bird_rng *r)
{
    uint8_t *edges = NULL;
    int rc = bird_array_new(&edges, n, 1);

    for (int64_t i = 0, end; !rc && i < n; i = end + 1) {
        for (end = i; end < n && code(seq[end]) >= 0; end++)
            ;
        if (end - i > 2)
            shuffle_run(seq + i, end - i, edges, r);
    }
    free(edges);
    return rc;
}

void bird_random_bases(char *seq, int64_t n, double gc, struct bird_rng *r)
{
    for (int64_t i = 0; i < n; i++) {
        int strong = bird_rng_uniform(r) < gc;
        int second = (int)bird_rng_below(r, 2);

        if (code(seq[i]) >= 0)
            seq[i] = strong ? "CG"[second] : "AT"[second];
    }
}

int bird_decoy(char *seq, int64_t n, struct bird_rng *r)
{
    if (bird_rng_below(r, 2))
        return bird_shuffle_dinucleotides(seq, n, r);
    bird_random_bases(seq, n, 0.3 + 0.4 * bird_rng_uniform(r), r);
    return 0;
}
