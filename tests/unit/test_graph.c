/* pattern: the graph of a pattern, against slow counts; what the O(n) paper
 * predicts by counting, and its contextual mapping built from plans.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "graphs.h"
#include "lab/chain.h"
#include "lab/copying.h"
#include "lab/graph_check.h"

static int64_t steps(const struct bird_graph *g)
{
    int64_t s = 0;

    cr_assert_eq(bird_graph_steps(&s, g), 0);
    return s;
}

static int64_t steps_of(const struct bird_graph *g, int64_t i)
{
    int64_t s = 0;

    cr_assert_eq(bird_graph_steps_of(&s, g, i), 0);
    return s;
}

/* ---- what the paper predicts, by counting -------------------------------- */

/* Yun et al. 2020, eq. 4 to 6 with n = 256, w = 16; its table 1 has these
 * without decimals. */
Test(graph, sparsities_of_the_paper)
{
    static const struct {
        const char *text;
        double percent;
    } rows[] = {{"strided,block=1,heads=union", 87.61},
                {"strided,block=1,heads=multihead", 93.61},
                {"strided,block=1,heads=sequential", 93.61},
                {"fixed,block=1,heads=union", 87.89},
                {"fixed,block=1,heads=multihead", 93.57},
                {"fixed,block=1,heads=sequential", 93.57},
                {"star,block=1", 86.38}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        struct bird_graph *g = graph(rows[k].text, 256, 4, 4);

        cr_assert_float_eq(100 * g->sparsity, rows[k].percent, 0.005, "%s: %g",
                           rows[k].text, 100 * g->sparsity);
        bird_graph_free(g);
    }
}

/* Corollary 2: O(n) connections. Keys a token sees on average, of n = 1,024 and of
 * four times as many: the same, and with w = sqrt n twice as many. */
Test(graph, connections_by_length)
{
    static const struct {
        const char *text[2];
        double keys, times;
    } rows[] = {
        {{"window,block=1,width=16", NULL}, 32.7, 1},
        {{"star,block=1,width=16", NULL}, 35.0, 1},
        {{"bigbird,block=1,n_random=3", NULL}, 10, 1},
        {{"etc,block=1,global=16,width=3", NULL}, 38.6, 1},
        {{"strided,block=1,width=32", "strided,block=1,width=64"}, 63.7, 2},
        {{"fixed,block=1,width=32", "fixed,block=1,width=64"}, 63, 2},
        {{"full,block=1", NULL}, 1024, 4},
        {{"full,block=64,causal=yes", NULL}, 512.5, 4}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        double keys[2];

        for (int i = 0; i < 2; i++) {
            int64_t n = i ? 4096 : 1024;
            const char *text = rows[k].text[i && rows[k].text[1]];
            struct bird_graph *g = graph(text, n, 1, 1);

            keys[i] = (1 - g->sparsity) * (double)n;
            bird_graph_free(g);
        }
        cr_assert_float_eq(keys[0], rows[k].keys, 0.05, "%s: %g",
                           rows[k].text[0], keys[0]);
        cr_assert_float_eq(keys[1] / keys[0], rows[k].times, 0.02, "%s: %g",
                           rows[k].text[0], keys[1] / keys[0]);
    }
}

/* How much of the task of 256 tokens is within reach after so many causal
 * layers, in per cent, and how often an answer is right if a guess among 128
 * symbols is made of the others. */
static double copied(const char *text, int64_t n_head, int64_t layers,
                     double *right)
{
    struct bird_graph *g = graph(text, 256, n_head, layers);
    bird_copying_task task;
    double reach;

    bird_copying_task_default(&task);
    cr_assert_eq(bird_copying_reach(&reach, g, &task, layers), 0);
    bird_graph_free(g);
    *right = bird_copying_counted(reach, &task);
    return reach;
}

Test(graph, what_copying_reaches)
{
    static const struct {
        const char *text;
        double reach[4]; /* of 1 to 4 layers */
        double one;      /* accuracy of one layer */
    } rows[] = {
        {"strided,block=1,causal=yes", {0, 0, 100, 100}, 0.78},
        {"strided,block=1,causal=yes,heads=multihead", {0, 0, 100, 100}, 0.78},
        {"strided,block=1,causal=yes,heads=sequential", {0, 0, 100, 100}, 0.78},
        {"fixed,block=1,causal=yes", {6.3, 100, 100, 100}, 7.03},
        {"fixed,block=1,causal=yes,heads=multihead",
         {6.3, 100, 100, 100},
         7.03},
        {"fixed,block=1,causal=yes,heads=sequential", {0, 100, 100, 100}, 0.78},
        {"star,block=1,causal=yes", {0, 0, 0, 0}, 0.78}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
        for (int64_t l = 1; l <= 4; l++) {
            double right, reach = copied(rows[k].text, 4, l, &right);

            cr_assert_float_eq(reach, rows[k].reach[l - 1], 0.01, "%s, %d: %g",
                               rows[k].text, (int)l, reach);
            if (l == 1)
                cr_assert_float_eq(right, rows[k].one, 0.005, "%s: %g",
                                   rows[k].text, right);
        }
}

/* Evenly drawn pairs, 90 % left out: with lists by head 34.8 % of one layer's
 * answers, the mean of 400 draws (one head alone: 10.7 %). */
Test(graph, what_copying_reaches_at_random)
{
    double sum[2] = {0}, square[2] = {0}, n = 400;

    for (int seed = 1; seed <= 400; seed++) {
        char text[80];

        snprintf(text, sizeof(text),
                 "random,block=1,sparsity=90,causal=yes,seed=%d", seed);
        for (int k = 0; k < 2; k++) {
            double right;

            copied(text, k ? 1 : 4, 1, &right);
            sum[k] += right / n;
            square[k] += right * right / n;
        }
    }
    cr_assert_float_eq(sum[0], 34.8, 0.6, "%g", sum[0]);
    cr_assert_float_eq(sqrt(square[0] - sum[0] * sum[0]), 4.1, 0.6);
    cr_assert_float_eq(sum[1], 10.7, 0.4, "%g", sum[1]);
}

/* ---- assumption 1 -------------------------------------------------------- */

/* Equation 4 has s = 3 at its borders, not 2; the others as the paper says. */
Test(graph, assumption_1_of_the_patterns)
{
    static const struct {
        const char *text;
        int64_t len, s, first;
    } rows[] = {{"strided,block=1", 256, 3, 3},
                {"fixed,block=1", 256, 2, 2},
                {"fixed,block=1,heads=sequential", 256, 2, 2},
                {"star,block=1", 256, 2, 2},
                {"star,block=1,relay=first", 256, 2, 1},
                {"window,block=1,width=8", 256, 32, 32},
                {"window,block=16,width=1", 250, 15, 15},
                {"bigbird,block=16,random=none", 512, 2, 1},
                {"full", 100, 1, 1}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        struct bird_graph *g = graph(rows[k].text, rows[k].len, 4, 2);
        enum bird_chain found;
        enum bird_no_chain why;
        int32_t order[512];

        cr_assert_eq(bird_graph_blind(g), -1);
        cr_assert_eq(steps(g), rows[k].s, "%s: %d", rows[k].text,
                     (int)steps(g));
        cr_assert_eq(steps_of(g, 0), rows[k].first, "%s: %d", rows[k].text,
                     (int)steps_of(g, 0));
        cr_assert_eq(bird_graph_chain(&found, &why, order, g), 0);
        cr_assert_eq(found, BIRD_CHAIN_FOUND);
        check_chain(g, order);
        bird_graph_free(g);
    }
}

/* Patterns that must be refused: each of the three, by itself. */
Test(graph, patterns_that_assumption_1_refuses)
{
    struct bird_graph *g = graph("random,block=1,sparsity=100", 40, 2, 3);
    enum bird_chain found;
    enum bird_no_chain why;
    int32_t order[64];

    cr_assert_eq(g->n_layer, 3);
    cr_assert_eq(bird_graph_blind(g), -1);
    cr_assert_eq(steps(g), BIRD_GRAPH_NEVER);
    cr_assert_eq(steps_of(g, 0), BIRD_GRAPH_NEVER);
    cr_assert_eq(bird_graph_chain(&found, &why, order, g), 0);
    cr_assert_eq(found, BIRD_CHAIN_NONE);
    memset(g->bit, 0, (size_t)(g->n_layer * g->n * g->n_word) * 8);
    cr_assert_eq(bird_graph_blind(g), 0);
    bird_graph_free(g);

    /* causal: the first token never sees the last; the chain is there */
    g = graph("strided,block=1,width=4,causal=yes", 40, 2, 1);
    cr_assert_eq(steps(g), BIRD_GRAPH_NEVER);
    cr_assert_eq(steps_of(g, 0), BIRD_GRAPH_NEVER);
    cr_assert_gt(steps_of(g, 39), 0);
    cr_assert_eq(bird_graph_chain(&found, &why, order, g), 0);
    cr_assert_eq(found, BIRD_CHAIN_FOUND);
    check_chain(g, order);
    bird_graph_free(g);

    /* a star of single rays: all is seen in two layers, and no chain goes
     * through its middle more than once */
    g = graph("random,block=1,sparsity=100", 9, 1, 1);
    for (int i = 0; i < 9; i++) {
        g->bit[i] |= 1;
        g->bit[0] |= UINT64_C(1) << i;
    }
    cr_assert_eq(steps(g), 2);
    cr_assert_eq(bird_graph_chain(&found, &why, order, g), 0);
    cr_assert_eq(found, BIRD_CHAIN_NONE);
    bird_graph_free(g);
}

/* Steps of drawn pairs against a slow walk, layers being different. */
Test(graph, steps_equal_a_slow_walk)
{
    for (int seed = 0; seed < 6; seed++) {
        char text[80];
        struct bird_graph *g;
        int64_t want = BIRD_GRAPH_NEVER, first = BIRD_GRAPH_NEVER;
        int8_t s[50][50], next[50][50];

        snprintf(text, sizeof(text), "random,block=1,sparsity=96,seed=%d",
                 seed);
        g = graph(text, 50, 1, 3);
        for (int i = 0; i < 50; i++)
            for (int j = 0; j < 50; j++)
                s[i][j] = i == j;
        for (int64_t t = 0; t < 60; t++) {
            int64_t sum = 0, row = 0;

            memset(next, 0, sizeof(next));
            for (int i = 0; i < 50; i++)
                for (int j = 0; j < 50; j++)
                    if (bird_bit(bird_graph_row(g, t % 3, i), j))
                        for (int k = 0; k < 50; k++)
                            next[i][k] |= s[j][k];
            memcpy(s, next, sizeof(s));
            for (int i = 0; i < 2500; i++)
                sum += s[i / 50][i % 50];
            for (int j = 0; j < 50; j++)
                row += s[0][j];
            if (sum == 2500 && want < 0)
                want = t + 1;
            if (row == 50 && first < 0)
                first = t + 1;
        }
        cr_assert_eq(steps(g), want);
        cr_assert_eq(steps_of(g, 0), first);
        bird_graph_free(g);
    }
}

/* ---- figures ------------------------------------------------------------- */

/* All eigenvalues of a symmetric matrix by Jacobi's rotations, in place; the
 * second largest. */
static double second_of(double *a, int n)
{
    double most = -2, second = -2;

    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double t, c, s, theta;

                if (fabs(a[p * n + q]) < 1e-300)
                    continue;
                theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                t = (theta >= 0 ? 1 : -1) /
                    (fabs(theta) + sqrt(theta * theta + 1));
                c = 1 / sqrt(t * t + 1);
                s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];

                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];

                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
            }
    for (int i = 0; i < n; i++) {
        double v = a[i * n + i];

        if (v > most)
            second = most, most = v;
        else if (v > second)
            second = v;
    }
    return second;
}

/* Hops by Floyd and Warshall, triangles one by one, eigenvalues by rotations. */
static void slow_figures(struct bird_graph_figures *f,
                         const struct bird_graph *g)
{
    enum { FAR = 1 << 20, MOST = 70 };
    static int d[MOST * MOST];
    static double a[MOST * MOST];
    double pairs = 0, root[MOST] = {0};
    int n = (int)g->n;

    cr_assert_leq(n, MOST);
    memset(f, 0, sizeof(*f));
    for (int i = 0; i < n * n; i++) {
        int sees = bird_bit(bird_graph_row(g, 0, i / n), i % n);

        d[i] = i / n == i % n ? 0 : sees ? 1 : FAR;
        a[i] = sees || bird_bit(bird_graph_row(g, 0, i % n), i / n);
    }
    for (int i = 0; i < n; i++) {
        double tri = 0, deg = -1;

        for (int j = 0; j < n; j++)
            deg += a[i * n + j];
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                tri += j != k && j != i && k != i && a[i * n + j] > 0 &&
                       a[i * n + k] > 0 && a[j * n + k] > 0;
        f->clustering += deg > 1 ? tri / (deg * (deg - 1)) / n : 0;
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n * n; i++)
            if (d[i / n * n + k] + d[k * n + i % n] < d[i])
                d[i] = d[i / n * n + k] + d[k * n + i % n];
    for (int i = 0; i < n * n; i++)
        if (d[i] > 0 && d[i] < FAR) {
            f->hops += d[i];
            pairs++;
        }
    f->reached = pairs / (n * (n - 1.0));
    f->hops = pairs > 0 ? f->hops / pairs : 0;
    for (int i = 0; i < n * n; i++)
        root[i / n] += a[i];
    for (int i = 0; i < n * n; i++)
        a[i] /= sqrt(root[i / n] * root[i % n]);
    f->gap = 1 - second_of(a, n);
}

Test(graph, figures_equal_slow_ones)
{
    static const char *const texts[] = {
        "strided,block=1,width=5",
        "fixed,block=1,width=5,causal=yes",
        "star,block=1,width=2",
        "window,block=1,width=2",
        "random,block=1,sparsity=93,seed=2",
        "random,block=1,sparsity=100",
        "bigbird,block=1,random=uniform,n_random=2",
        "full,block=1"};

    for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
        struct bird_graph *g = graph(texts[k], 70, 1, 1);
        struct bird_graph_figures got, want;

        cr_assert_eq(bird_graph_measure(&got, g), 0);
        slow_figures(&want, g);
        cr_assert_float_eq(got.hops, want.hops, 1e-9, "%s: %g, not %g",
                           texts[k], got.hops, want.hops);
        cr_assert_float_eq(got.reached, want.reached, 1e-9, "%s", texts[k]);
        cr_assert_float_eq(got.clustering, want.clustering, 1e-9, "%s: %g, %g",
                           texts[k], got.clustering, want.clustering);
        cr_assert_float_eq(got.gap, want.gap, 1e-6, "%s: %g, not %g", texts[k],
                           got.gap, want.gap);
        bird_graph_free(g);
    }
}

Test(graph, figures_of_graphs_that_are_known)
{
    struct bird_graph *g = graph("full,block=1", 100, 1, 1);
    struct bird_graph_figures f;
    struct bird_pattern p;

    cr_assert_eq(bird_graph_measure(&f, g), 0);
    cr_assert_float_eq(f.hops, 1, 1e-12);
    cr_assert_float_eq(f.clustering, 1, 1e-12);
    cr_assert_float_eq(f.gap, 1, 1e-6);
    cr_assert_float_eq(g->sparsity, 0, 1e-12);
    bird_graph_free(g);
    g = graph("window,block=1", 1, 1, 1);
    cr_assert_eq(bird_graph_measure(&f, g), 0);
    cr_assert_float_eq(f.gap, 1, 1e-12);
    cr_assert_eq(steps(g), 1);
    cr_assert_eq(steps_of(g, 0), 1);
    bird_graph_free(g);
    /* a partial block: 3 of 5 blocks of 4, the last of 2 tokens */
    g = graph("window,block=4", 18, 1, 1);
    cr_assert_float_eq(
        g->sparsity,
        1 - (4 * 8 + 4 * 12 + 4 * 12 + 4 * 10 + 2 * 6) / (18.0 * 18), 1e-12);
    bird_graph_free(g);

    bird_pattern_default(&p);
    p.block = 1;
    p.n_head = 1;
    p.max_positions = 1 << 20;
    g = NULL;
    cr_assert_eq(bird_graph_new(&g, &p, BIRD_GRAPH_MOST + 1, 1), BIRD_EINVAL);
    cr_assert_null(g);
}

/* ---- lemma 7: a contextual mapping --------------------------------------- */

enum { TOKENS = 5, LEVELS = 4, INPUTS = 1024 }; /* at most */

/* Do the layers of a plan see `to` from `from`? */
static int sees(const struct bird_graph *g, int64_t layer, int64_t from,
                int64_t to)
{
    return bird_bit(bird_graph_row(g, layer, from), to);
}

/* Hard attention: the largest or least id that token k sees. */
static int64_t extreme(const struct bird_graph *g, int64_t layer,
                       const int64_t *id, int64_t k, int largest)
{
    int64_t v = id[k];

    for (int64_t j = 0; j < g->n; j++)
        if (sees(g, layer, k, j) && (largest ? id[j] > v : id[j] < v))
            v = id[j];
    return v;
}

/* The constants of sections D.1 and E.2 of the paper, d features on a grid of
 * delta, in units of delta. All have delta^-d = LEVELS. */
struct constants {
    int64_t gap;  /* Delta = 1 + 1 / delta + ... of d terms: from the ids of a
                    place of the order to those of the next */
    int64_t far;  /* 2 s n delta^(-n d - 1), of the layers that spread */
    int64_t most; /* n delta^(-n d), above all ids before those */
};

static struct constants constants(int64_t n, int64_t s, int64_t d)
{
    int64_t inverse = d == 1 ? LEVELS : 2; /* of delta */
    struct constants c = {.gap = d == 1 ? 4 : 2 + 4, .most = n * inverse};

    for (int64_t i = 0; i < n * d; i++)
        c.most *= inverse;
    c.far = 2 * s * c.most;
    return c;
}

/* The proof's construction: positions put the tokens of the chain into intervals
 * of their own, the first one's above all; then, value by value, the token that
 * has it is moved by delta^-d times the spread of what it sees, in the layers
 * that are its turn (p layers a value, the one that sees the chain's token before
 * acts), to `moved`; then s layers add what is largest in sight. How many layers
 * it took. */
static int64_t lemma_7(int64_t *id, int64_t *moved, const struct bird_graph *g,
                       const int32_t *order, int64_t s, int64_t d)
{
    int64_t layer = 0, p = g->n_layer, n = g->n;
    struct constants c = constants(n, s, d);

    for (int64_t i = 0; i < n; i++)
        id[order[i]] += c.gap * (i ? i - 1 : n - 1);
    for (int64_t v = 0; v < LEVELS * (n - 1); v++)
        for (int64_t l = 0; l < p; l++, layer++) {
            int64_t i = v / LEVELS + 1, k = order[i];

            if (id[k] == c.gap * (i - 1) + v % LEVELS &&
                sees(g, layer, k, order[i - 1]))
                id[k] += LEVELS * (extreme(g, layer, id, k, 1) -
                                   extreme(g, layer, id, k, 0));
        }
    memcpy(moved, id, (size_t)n * sizeof(*id));
    for (int64_t t = 0; t < s; t++, layer++) {
        int64_t next[TOKENS];

        for (int64_t k = 0; k < n; k++)
            next[k] = id[k] + c.far * extreme(g, t, id, k, 1);
        memcpy(id, next, (size_t)n * sizeof(*next));
    }
    return layer;
}

/* What the proof says of them: before the last s layers ids are below `most`, and
 * the last token's is the largest; after them they lie in the interval of that
 * one, and each is its own id modulo `far` (E.2.5). */
static void check_ids(const int64_t *id, const int64_t *moved, int64_t last,
                      int64_t n, int64_t s, int64_t d)
{
    struct constants c = constants(n, s, d);
    int64_t power = 1;

    for (int64_t t = 0; t < s; t++)
        cr_assert(!__builtin_mul_overflow(power, c.far, &power));
    for (int64_t k = 0; k < n; k++) {
        cr_assert(moved[k] >= 0 && moved[k] < c.most);
        cr_assert_leq(moved[k], moved[last]);
        cr_assert_eq(id[k] / power, moved[last]);
        cr_assert_eq(id[k] % c.far, moved[k]);
    }
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Different ids of all tokens of all inputs. */
static int64_t n_distinct(const struct bird_graph *g, const int32_t *order,
                          int64_t s, int64_t d, int64_t *layers)
{
    static int64_t id[INPUTS * TOKENS];
    int64_t n = 1, inputs = (int64_t)1 << (2 * g->n);

    for (int64_t x = 0; x < inputs; x++) {
        int64_t *own = id + x * g->n, moved[TOKENS];

        for (int64_t k = 0; k < g->n; k++)
            own[k] = x >> (2 * k) & 3;
        *layers = lemma_7(own, moved, g, order, s, d);
        if (steps(g) == s)
            check_ids(own, moved, order[g->n - 1], g->n, s, d);
    }
    qsort(id, (size_t)(inputs * g->n), sizeof(*id), by_value);
    for (int64_t i = 1; i < inputs * g->n; i++)
        n += id[i] != id[i - 1];
    return n;
}

/* All tokens of all inputs, 1,024 of four tokens and 5,120 of five, get ids of
 * their own, in as many layers as the lemma says: p (n - 1) / delta^d + s, with
 * one feature on a grid of 1/4 and with two on one of 1/2. The star of four
 * tokens sees everything, that of five does not. */
Test(graph, a_contextual_mapping_from_plans)
{
    static const struct {
        const char *text;
        int64_t n, s, layers;
    } rows[] = {{"window,block=1,width=1", 4, 3, 15},
                {"strided,block=1,width=2,heads=sequential", 4, 2, 26},
                {"fixed,block=1,width=2,heads=sequential", 4, 2, 26},
                {"star,block=1,width=1", 4, 1, 13},
                {"full,block=1", 4, 1, 13},
                {"star,block=1,width=1", 5, 2, 18},
                {"strided,block=1,width=2,heads=sequential", 5, 2, 34}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        struct bird_graph *g = graph(rows[k].text, rows[k].n, 2, 2);
        enum bird_chain found;
        enum bird_no_chain why;
        int32_t order[TOKENS];
        int64_t layers;

        cr_assert_eq(bird_graph_chain(&found, &why, order, g), 0);
        cr_assert_eq(found, BIRD_CHAIN_FOUND);
        cr_assert_eq(steps(g), rows[k].s, "%s: %d", rows[k].text,
                     (int)steps(g));
        for (int64_t d = 1; d <= 2; d++) {
            cr_assert_eq(n_distinct(g, order, rows[k].s, d, &layers),
                         rows[k].n << (2 * rows[k].n), "%s", rows[k].text);
            cr_assert_eq(layers, rows[k].layers, "%s: %d", rows[k].text,
                         (int)layers);
        }
        bird_graph_free(g);
    }
}

/* Where the assumption fails the construction does, too: two pairs of tokens
 * that never meet. */
Test(graph, no_contextual_mapping_without_the_assumption)
{
    static const int32_t order[] = {0, 1, 2, 3};
    struct bird_graph *g = graph("random,block=1,sparsity=100", 4, 1, 1);
    enum bird_chain found;
    enum bird_no_chain why;
    int32_t none[4];
    int64_t layers;

    g->bit[0] |= 2, g->bit[1] |= 1, g->bit[2] |= 8, g->bit[3] |= 4;
    cr_assert_eq(bird_graph_chain(&found, &why, none, g), 0);
    cr_assert_eq(found, BIRD_CHAIN_NONE);
    cr_assert_eq(steps(g), BIRD_GRAPH_NEVER);
    cr_assert_lt(n_distinct(g, order, 3, 1, &layers), 1024);
    bird_graph_free(g);
}
