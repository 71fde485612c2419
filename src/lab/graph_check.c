/* The numbers that describe a graph, and whether it contains a star.
 * SPDX-License-Identifier: MIT */
#include "lab/graph_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

int64_t bird_graph_star(const struct bird_graph *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        int64_t k = 0;

        while (k < g->n && bird_bit(bird_graph_row(g, 0, i), k) &&
               bird_bit(bird_graph_row(g, 0, k), i))
            k++;
        if (k == g->n)
            return i;
    }
    return -1;
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
