/* The chain of assumption 1.2, and the numbers that describe a graph.
 *
 * The chain is a Hamiltonian path, and no fast search finds one in every graph:
 * the orders that patterns have are tried first, then a search in depth that
 * gives up after a number of steps.
 * SPDX-License-Identifier: MIT */
#include "lab/graph_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

/* ---- the chain ----------------------------------------------------------- */

/* A search in depth. Block k may follow v where k sees v: on (n, n_word) has a
 * row of those for each v. */
struct chain {
    const struct bird_graph *g;
    uint64_t *on, *left; /* blocks that are not in the chain */
    int64_t *tried; /* (n) successors of the last try, times n, plus block */
    int32_t *order;
    int64_t budget;
};

/* Does k see v in some layer? */
static int follows(const struct bird_graph *g, int64_t k, int64_t v)
{
    for (int64_t l = 0; l < g->n_layer; l++)
        if (bird_bit(bird_graph_row(g, l, k), v))
            return 1;
    return 0;
}

static int64_t successors(const struct chain *c, int64_t v)
{
    int64_t n = 0;

    for (int64_t w = 0; w < c->g->n_word; w++)
        n += __builtin_popcountll(c->on[v * c->g->n_word + w] & c->left[w]);
    return n;
}

/* Of blocks that may follow (from NULL: of all) the next one to try, by successors
 * and number; -1: none is left. */
static int64_t next_try(struct chain *c, const uint64_t *from, int64_t tried)
{
    int64_t n = c->g->n, best = -1;

    for (int64_t j = bird_bits_next(c->left, 0, n); j < n;
         j = bird_bits_next(c->left, j + 1, n)) {
        int64_t key;

        if (from && !bird_bit(from, j))
            continue;
        c->budget--;
        key = successors(c, j) * n + j;
        if (key > tried && (best < 0 || key < best))
            best = key;
    }
    return best;
}

static enum bird_chain search_chain(struct chain *c)
{
    int64_t n = c->g->n, d = 0;

    c->tried[0] = -1;
    while (c->budget > 0) {
        const uint64_t *from =
            d ? c->on + c->order[d - 1] * c->g->n_word : NULL;
        int64_t key = next_try(c, from, c->tried[d]);

        if (key < 0) { /* back */
            if (!d--)
                return BIRD_CHAIN_NONE;
            bird_bits_set(c->left, c->order[d]);
            continue;
        }
        c->tried[d] = key;
        c->order[d] = (int32_t)(key % n);
        c->left[key % n / 64] &= ~(UINT64_C(1) << (key % n % 64));
        if (++d == n)
            return BIRD_CHAIN_FOUND;
        c->tried[d] = -1;
    }
    return BIRD_CHAIN_UNKNOWN;
}

static int find_chain(enum bird_chain *found, int32_t *order,
                      const struct bird_graph *g)
{
    struct chain c = {.g = g, .order = order, .budget = INT64_C(4) << 20};
    int64_t ends = 0, starts = 0;
    int rc = bird_array_new(&c.on, g->n * g->n_word, sizeof(*c.on));

    if (!rc)
        rc = bird_array_new(&c.left, g->n_word, sizeof(*c.left));
    if (!rc)
        rc = bird_array_new(&c.tried, g->n, sizeof(*c.tried));
    for (int64_t k = 0; !rc && k < g->n; k++) {
        int64_t sees = 0;

        bird_bits_set(c.left, k);
        for (int64_t v = 0; v < g->n; v++)
            if (v != k && follows(g, k, v)) {
                bird_bits_set(c.on + v * g->n_word, k);
                sees++;
            }
        starts += !sees;
    }
    for (int64_t v = 0; !rc && v < g->n; v++)
        ends += !bird_bits_count(c.on + v * g->n_word, g->n_word);
    if (!rc) /* two that follow nothing, or that nothing follows */
        *found = starts > 1 || ends > 1 ? BIRD_CHAIN_NONE : search_chain(&c);
    free(c.on);
    free(c.left);
    free(c.tried);
    return rc;
}

int bird_graph_chain(enum bird_chain *found, int32_t *order,
                     const struct bird_graph *g)
{
    for (int back = 0; back < 2; back++) {
        int64_t i = 1;

        while (i < g->n && (back ? follows(g, i - 1, i) : follows(g, i, i - 1)))
            i++;
        if (i < g->n)
            continue;
        for (i = 0; i < g->n; i++)
            order[i] = (int32_t)(back ? g->n - 1 - i : i);
        *found = BIRD_CHAIN_FOUND;
        return 0;
    }
    return find_chain(found, order, g);
}

/* ---- figures ------------------------------------------------------------- */

static int mean_hops(struct bird_graph_figures *out, const struct bird_graph *g)
{
    struct bird_graph_search q = {0};
    double sum = 0, n = 0, all = (double)g->n * (double)(g->n - 1);
    int rc = bird_graph_search_new(&q, g);

    for (int64_t i = 0; !rc && i < g->n; i++) {
        int64_t m = bird_graph_distances(&q, g, i);

        for (int64_t k = 1; k < m; k++)
            sum += q.at[q.queue[k]];
        n += (double)(m - 1);
    }
    out->hops = n > 0 ? sum / n : 0;
    out->reached = all > 0 ? n / all : 1;
    bird_graph_search_free(&q);
    return rc;
}

/* Neighbours (n, n_word) of layer 0 without directions, none its own. */
static void neighbours(uint64_t *bit, const struct bird_graph *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        const uint64_t *row = bird_graph_row(g, 0, i);

        for (int64_t j = bird_bits_next(row, 0, g->n); j < g->n;
             j = bird_bits_next(row, j + 1, g->n))
            if (i != j) {
                bird_bits_set(bit + i * g->n_word, j);
                bird_bits_set(bit + j * g->n_word, i);
            }
    }
}

static double mean_clustering(const uint64_t *bit, const struct bird_graph *g)
{
    double sum = 0;

    for (int64_t i = 0; i < g->n; i++) {
        const uint64_t *row = bit + i * g->n_word;
        double d = (double)bird_bits_count(row, g->n_word), pairs = 0;

        for (int64_t j = bird_bits_next(row, 0, g->n); j < g->n;
             j = bird_bits_next(row, j + 1, g->n))
            for (int64_t w = 0; w < g->n_word; w++)
                pairs += __builtin_popcountll(row[w] & bit[j * g->n_word + w]);
        sum += d > 1 ? pairs / (d * (d - 1)) : 0;
    }
    return sum / (double)g->n;
}

/* y = D^-1/2 (A + I) D^-1/2 x; root: square roots of the degrees. */
static void multiply(double *y, const double *x, const uint64_t *bit,
                     const double *root, const struct bird_graph *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        const uint64_t *row = bit + i * g->n_word;
        double sum = x[i] / root[i];

        for (int64_t j = bird_bits_next(row, 0, g->n); j < g->n;
             j = bird_bits_next(row, j + 1, g->n))
            sum += x[j] / root[j];
        y[i] = sum / root[i];
    }
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Take what m unit vectors have of x out of it, twice, for rounding; its norm. */
static double clear_of(double *x, const double *v, int64_t m, int64_t n)
{
    for (int64_t k = 0; k < 2 * m; k++) {
        const double *u = v + k % m * n;
        double part = dot(x, u, n);

        for (int64_t i = 0; i < n; i++)
            x[i] -= part * u[i];
    }
    return sqrt(dot(x, x, n));
}

/* How many eigenvalues of the tridiagonal matrix are greater than x. */
static int64_t greater(const double *a, const double *b, int64_t m, double x)
{
    double d = 1;
    int64_t n = 0;

    for (int64_t i = 0; i < m; i++) {
        d = a[i] - x - (i ? b[i - 1] * b[i - 1] / d : 0);
        if (d == 0)
            d = 1e-300;
        n += d > 0;
    }
    return n;
}

/* The largest eigenvalue but the first, whose vector is known, by Lanczos'
 * method: at most so many steps, which for the ends of a spectrum are plenty. */
enum { STEPS = 300 };

static int second_eigenvalue(double *out, const uint64_t *bit,
                             const struct bird_graph *g)
{
    int64_t n = g->n, most = n - 1 < STEPS ? n - 1 : STEPS, m = 0;
    double *v = NULL, *x = NULL, *root = NULL, a[STEPS], b[STEPS], lo = -1;
    double hi = 1 + 1e-9, norm = 0;
    struct bird_rng r;
    int rc = bird_array_new(&v, (most + 2) * n, sizeof(*v));

    if (!rc)
        rc = bird_array_new(&x, n, sizeof(*x));
    if (!rc)
        rc = bird_array_new(&root, n, sizeof(*root));
    bird_rng_init(&r, 1, 0, 0);
    for (int64_t i = 0; !rc && i < n; i++) {
        root[i] =
            sqrt((double)bird_bits_count(bit + i * g->n_word, g->n_word) + 1);
        norm += root[i] * root[i];
        x[i] = bird_rng_normal(&r);
    }
    for (int64_t i = 0; !rc && i < n; i++)
        v[i] = root[i] / sqrt(norm); /* of the eigenvalue 1 */
    for (norm = rc ? 0 : clear_of(x, v, 1, n); m < most && norm > 1e-10; m++) {
        double *u = v + (m + 1) * n;

        for (int64_t i = 0; i < n; i++)
            u[i] = x[i] / norm;
        multiply(x, u, bit, root, g);
        a[m] = dot(x, u, n);
        norm = clear_of(x, v, m + 2, n);
        b[m] = norm;
    }
    for (int k = 0; k < 60; k++) {
        double mid = (lo + hi) / 2;

        *(greater(a, b, m, mid) ? &lo : &hi) = mid;
    }
    *out = m ? (lo + hi) / 2 : 0;
    free(v);
    free(x);
    free(root);
    return rc;
}

int bird_graph_measure(struct bird_graph_figures *out,
                       const struct bird_graph *g)
{
    uint64_t *bit = NULL;
    double second = 0;
    int rc = bird_array_new(&bit, g->n * g->n_word, sizeof(*bit));

    if (!rc)
        rc = mean_hops(out, g);
    if (!rc) {
        neighbours(bit, g);
        out->clustering = mean_clustering(bit, g);
        rc = second_eigenvalue(&second, bit, g);
    }
    out->gap = 1 - second;
    free(bit);
    return rc;
}
