/* The graph of a pattern as rows of bits.
 *
 * What a block sees through t layers is the union of what those it sees in layer
 * t see through t - 1: n rows of n / 64 words a step. The chain of assumption
 * 1.2 is a Hamiltonian path, which nobody finds fast in every graph: the orders
 * that patterns have are tried, then a search with an end.
 * SPDX-License-Identifier: MIT */
#include "pattern/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"

void bird_graph_free(struct bird_graph *g)
{
    if (!g)
        return;
    free(g->bit);
    free(g);
}

static void set_bit(uint64_t *row, int64_t j)
{
    row[j / 64] |= UINT64_C(1) << (j % 64);
}

static int64_t count(const uint64_t *row, int64_t n_word)
{
    int64_t n = 0;

    for (int64_t k = 0; k < n_word; k++)
        n += __builtin_popcountll(row[k]);
    return n;
}

/* The next set bit from j on; n: none. */
static int64_t next_bit(const uint64_t *row, int64_t j, int64_t n)
{
    uint64_t w;

    if (j >= n)
        return n;
    w = row[j / 64] >> (j % 64);
    if (w)
        return j + __builtin_ctzll(w);
    for (int64_t k = j / 64 + 1; k * 64 < n; k++)
        if (row[k])
            return k * 64 + __builtin_ctzll(row[k]);
    return n;
}

/* A layer's rows, and the pairs of tokens that a head sees, on average. */
static double take_plan(struct bird_graph *g, int64_t layer,
                        const struct bird_plan *plan, int64_t len_tok)
{
    double pairs = 0;

    for (int64_t h = 0; h < plan->n_head; h++)
        for (int64_t i = 0; i < g->n; i++) {
            uint64_t *row = g->bit + (layer * g->n + i) * g->n_word;
            int64_t n, keys = 0, rows = len_tok - i * plan->block;
            const struct bird_run *run = bird_plan_row(plan, h, i, &n);

            rows = rows < plan->block ? rows : plan->block;
            for (int64_t k = 0; k < n; k++) {
                int64_t last = run[k].first + (int64_t)run[k].count;
                int64_t end = last * plan->block;

                keys += (end < len_tok ? end : len_tok) -
                        run[k].first * plan->block;
                for (int64_t j = run[k].first; j < last; j++)
                    set_bit(row, j);
            }
            pairs += (double)rows * (double)keys;
        }
    return pairs / (double)plan->n_head;
}

int bird_graph_new(struct bird_graph **out, const struct bird_pattern *p,
                   int64_t len_tok, int64_t layers)
{
    int64_t period =
        bird_pattern_is_full(p, len_tok) ? 1 : bird_pattern_period(p);
    int64_t n = p->block > 0 && len_tok > 0 ? (len_tok - 1) / p->block + 1 : 1;
    struct bird_graph *g = NULL;
    double pairs = 0;
    int rc;

    if (n > BIRD_GRAPH_MOST)
        return bird_fail(BIRD_EINVAL,
                         "%lld tokens in blocks of %lld are %lld blocks; up to "
                         "%d can be checked: take a smaller length",
                         (long long)len_tok, (long long)p->block, (long long)n,
                         BIRD_GRAPH_MOST);
    if ((rc = bird_array_new(&g, 1, sizeof(*g))))
        return rc;
    g->n = n;
    g->n_word = (n + 63) / 64;
    g->n_layer = period ? period : layers > 0 ? layers : 1;
    rc = bird_array_new(&g->bit, g->n_layer * n * g->n_word, sizeof(*g->bit));
    for (int64_t l = 0; !rc && l < g->n_layer; l++) {
        struct bird_plan *plan = NULL;

        rc = bird_plan_new(&plan, p, len_tok, l);
        if (!rc)
            pairs += take_plan(g, l, plan, len_tok);
        bird_plan_free(plan);
    }
    if (rc) {
        bird_graph_free(g);
        return rc;
    }
    g->sparsity =
        1 - pairs / (double)g->n_layer / (double)len_tok / (double)len_tok;
    *out = g;
    return 0;
}

int64_t bird_graph_blind(const struct bird_graph *g)
{
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t l = 0; l < g->n_layer; l++)
            if (!bird_bit(bird_graph_row(g, l, i), i))
                return i;
    return -1;
}

/* ---- reach --------------------------------------------------------------- */

/* S^t from S^(t-1), of n rows; 1: something changed. */
static int step(uint64_t *to, const uint64_t *from, const struct bird_graph *g,
                int64_t layer)
{
    int64_t w = g->n_word;
    int changed = 0;

    for (int64_t i = 0; i < g->n; i++) {
        const uint64_t *row = bird_graph_row(g, layer, i);
        uint64_t *s = to + i * w;

        memset(s, 0, (size_t)w * sizeof(*s));
        for (int64_t j = next_bit(row, 0, g->n); j < g->n;
             j = next_bit(row, j + 1, g->n))
            for (int64_t k = 0; k < w; k++)
                s[k] |= from[j * w + k];
        changed |= memcmp(s, from + i * w, (size_t)w * sizeof(*s)) != 0;
    }
    return changed;
}

static int is_all(const uint64_t *rows, const struct bird_graph *g, int64_t i)
{
    return count(rows + i * g->n_word, g->n_word) == g->n;
}

/* Until block `one`, or with -1 each, sees all, or nothing changes any more. */
static int walk(int64_t *out, const struct bird_graph *g, int64_t one)
{
    uint64_t *a = NULL, *b = NULL, *other;
    int64_t same = 0, first = one < 0 ? 0 : one,
            last = one < 0 ? g->n : one + 1;
    int rc = bird_array_new(&a, g->n * g->n_word, sizeof(*a));

    *out = BIRD_GRAPH_NEVER;
    if (!rc)
        rc = bird_array_new(&b, g->n * g->n_word, sizeof(*b));
    for (int64_t i = 0; !rc && i < g->n; i++)
        set_bit(a + i * g->n_word, i);
    /* without its own bits a row might come and go: an end for those, too */
    for (int64_t t = 0; !rc && same < g->n_layer && t < 4 * g->n + 4; t++) {
        int64_t i = first;

        same = step(b, a, g, t) ? 0 : same + 1;
        other = a, a = b, b = other;
        while (i < last && is_all(a, g, i))
            i++;
        if (i == last) {
            *out = t + 1;
            break;
        }
    }
    free(a);
    free(b);
    return rc;
}

int bird_graph_reach(uint64_t *out, const struct bird_graph *g, int64_t t)
{
    size_t size = (size_t)(g->n * g->n_word) * sizeof(*out);
    uint64_t *a = NULL;
    int rc = bird_array_new(&a, g->n * g->n_word, sizeof(*a));

    if (rc)
        return rc;
    memset(out, 0, size);
    for (int64_t i = 0; i < g->n; i++)
        set_bit(out + i * g->n_word, i);
    for (int64_t k = 0; k < t; k++) {
        memcpy(a, out, size);
        step(out, a, g, k);
    }
    free(a);
    return 0;
}

int bird_graph_steps(int64_t *s, const struct bird_graph *g)
{
    return walk(s, g, -1);
}

/* Layers that are all the same: breadth first, each row once. Distances of what
 * is reached into at (n), others stay -1; how many are. */
static int64_t breadth_first(int32_t *at, int32_t *queue, uint64_t *seen,
                             const struct bird_graph *g, int64_t from)
{
    int64_t n = 1;

    for (int64_t i = 0; i < g->n; i++)
        at[i] = -1;
    memset(seen, 0, (size_t)g->n_word * sizeof(*seen));
    set_bit(seen, from);
    at[from] = 0;
    queue[0] = (int32_t)from;
    for (int64_t k = 0; k < n; k++) {
        const uint64_t *row = bird_graph_row(g, 0, queue[k]);

        for (int64_t w = 0; w < g->n_word; w++) {
            uint64_t news = row[w] & ~seen[w];

            seen[w] |= news;
            for (; news; news &= news - 1) {
                int64_t j = w * 64 + __builtin_ctzll(news);

                at[j] = at[queue[k]] + 1;
                queue[n++] = (int32_t)j;
            }
        }
    }
    return n;
}

struct search {
    int32_t *at, *queue;
    uint64_t *seen;
};

static int search_new(struct search *s, const struct bird_graph *g)
{
    int rc = bird_array_new(&s->at, g->n, sizeof(*s->at));

    if (!rc)
        rc = bird_array_new(&s->queue, g->n, sizeof(*s->queue));
    return rc ? rc : bird_array_new(&s->seen, g->n_word, sizeof(*s->seen));
}

static void search_free(struct search *s)
{
    free(s->at);
    free(s->queue);
    free(s->seen);
}

int bird_graph_steps_of(int64_t *s, const struct bird_graph *g, int64_t i)
{
    struct search q = {0};
    int64_t n;
    int rc;

    if (g->n_layer > 1 || bird_graph_blind(g) >= 0)
        return walk(s, g, i);
    rc = search_new(&q, g);
    if (!rc) {
        n = breadth_first(q.at, q.queue, q.seen, g, i);
        *s = n < g->n ? BIRD_GRAPH_NEVER : q.at[q.queue[n - 1]];
        if (g->n == 1)
            *s = 1; /* a layer all the same */
    }
    search_free(&q);
    return rc;
}

/* ---- the chain ----------------------------------------------------------- */

/* A search in depth. Block k may follow v where k sees v: on (n, n_word) has a
 * row of those for each v. */
struct chain {
    const struct bird_graph *g;
    uint64_t *on, *left; /* blocks that are not in the chain */
    int64_t *tried; /* (n) ways on from the last try, times n, plus block */
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

static int64_t ways_on(const struct chain *c, int64_t v)
{
    int64_t n = 0;

    for (int64_t w = 0; w < c->g->n_word; w++)
        n += __builtin_popcountll(c->on[v * c->g->n_word + w] & c->left[w]);
    return n;
}

/* Of blocks that may follow (from NULL: of all) the next one to try, by ways on
 * and number; -1: none is left. */
static int64_t next_try(struct chain *c, const uint64_t *from, int64_t tried)
{
    int64_t n = c->g->n, best = -1;

    for (int64_t j = next_bit(c->left, 0, n); j < n;
         j = next_bit(c->left, j + 1, n)) {
        int64_t key;

        if (from && !bird_bit(from, j))
            continue;
        c->budget--;
        key = ways_on(c, j) * n + j;
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
            set_bit(c->left, c->order[d]);
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

        set_bit(c.left, k);
        for (int64_t v = 0; v < g->n; v++)
            if (v != k && follows(g, k, v)) {
                set_bit(c.on + v * g->n_word, k);
                sees++;
            }
        starts += !sees;
    }
    for (int64_t v = 0; !rc && v < g->n; v++)
        ends += !count(c.on + v * g->n_word, g->n_word);
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
    struct search q = {0};
    double sum = 0, n = 0, all = (double)g->n * (double)(g->n - 1);
    int rc = search_new(&q, g);

    for (int64_t i = 0; !rc && i < g->n; i++) {
        int64_t m = breadth_first(q.at, q.queue, q.seen, g, i);

        for (int64_t k = 1; k < m; k++)
            sum += q.at[q.queue[k]];
        n += (double)(m - 1);
    }
    out->hops = n > 0 ? sum / n : 0;
    out->reached = all > 0 ? n / all : 1;
    search_free(&q);
    return rc;
}

/* Neighbours (n, n_word) of layer 0 without directions, none its own. */
static void neighbours(uint64_t *bit, const struct bird_graph *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        const uint64_t *row = bird_graph_row(g, 0, i);

        for (int64_t j = next_bit(row, 0, g->n); j < g->n;
             j = next_bit(row, j + 1, g->n))
            if (i != j) {
                set_bit(bit + i * g->n_word, j);
                set_bit(bit + j * g->n_word, i);
            }
    }
}

static double mean_clustering(const uint64_t *bit, const struct bird_graph *g)
{
    double sum = 0;

    for (int64_t i = 0; i < g->n; i++) {
        const uint64_t *row = bit + i * g->n_word;
        double d = (double)count(row, g->n_word), pairs = 0;

        for (int64_t j = next_bit(row, 0, g->n); j < g->n;
             j = next_bit(row, j + 1, g->n))
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

        for (int64_t j = next_bit(row, 0, g->n); j < g->n;
             j = next_bit(row, j + 1, g->n))
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
        root[i] = sqrt((double)count(bit + i * g->n_word, g->n_word) + 1);
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

int bird_graph_describe(struct bird_text *t, const struct bird_graph *g,
                        const struct bird_pattern *p, int64_t n_layer)
{
    int causal = p->own[BIRD_OWN_CAUSAL] != 0;
    const char *who = causal ? "the last token" : "token 0";
    int64_t s = 0;
    int rc = bird_graph_steps_of(&s, g, causal ? g->n - 1 : 0);

    if (!rc && s == BIRD_GRAPH_NEVER)
        rc = bird_text_printf(t, "%s never sees every token", who);
    else if (!rc)
        rc = bird_text_printf(t, "%s sees every token after %lld layer%s", who,
                              (long long)s, s == 1 ? "" : "s");
    if (!rc && n_layer > 0)
        rc = bird_text_printf(t, "; the model has %lld", (long long)n_layer);
    return rc;
}
