/* The graph of a pattern as rows of bits.
 *
 * A block sees through t layers the union of what the blocks that it sees in
 * layer t see through t - 1 layers: n rows of n / 64 words a step.
 * SPDX-License-Identifier: MIT */
#include "pattern/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

void bird_graph_free(struct bird_graph *g)
{
    if (!g)
        return;
    free(g->bit);
    free(g);
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
                    bird_bits_set(row, j);
            }
            pairs += (double)rows * (double)keys;
            if (plan->causal && bird_bit(row, i)) /* later tokens of its own */
                pairs -= (double)rows * (double)(rows - 1) / 2;
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
        for (int64_t j = bird_bits_next(row, 0, g->n); j < g->n;
             j = bird_bits_next(row, j + 1, g->n))
            for (int64_t k = 0; k < w; k++)
                s[k] |= from[j * w + k];
        changed |= memcmp(s, from + i * w, (size_t)w * sizeof(*s)) != 0;
    }
    return changed;
}

static int is_all(const uint64_t *rows, const struct bird_graph *g, int64_t i)
{
    return bird_bits_count(rows + i * g->n_word, g->n_word) == g->n;
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
        bird_bits_set(a + i * g->n_word, i);
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
        bird_bits_set(out + i * g->n_word, i);
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

int64_t bird_graph_distances(struct bird_graph_search *q,
                             const struct bird_graph *g, int64_t from)
{
    int32_t *at = q->at, *queue = q->queue;
    uint64_t *seen = q->seen;
    int64_t n = 1;

    for (int64_t i = 0; i < g->n; i++)
        at[i] = -1;
    memset(seen, 0, (size_t)g->n_word * sizeof(*seen));
    bird_bits_set(seen, from);
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

int bird_graph_search_new(struct bird_graph_search *s,
                          const struct bird_graph *g)
{
    int rc = bird_array_new(&s->at, g->n, sizeof(*s->at));

    if (!rc)
        rc = bird_array_new(&s->queue, g->n, sizeof(*s->queue));
    return rc ? rc : bird_array_new(&s->seen, g->n_word, sizeof(*s->seen));
}

void bird_graph_search_free(struct bird_graph_search *s)
{
    free(s->at);
    free(s->queue);
    free(s->seen);
}

int bird_graph_steps_of(int64_t *s, const struct bird_graph *g, int64_t i)
{
    struct bird_graph_search q = {0};
    int64_t n;
    int rc;

    if (g->n_layer > 1 || bird_graph_blind(g) >= 0)
        return walk(s, g, i);
    rc = bird_graph_search_new(&q, g);
    if (!rc) {
        n = bird_graph_distances(&q, g, i);
        *s = n < g->n ? BIRD_GRAPH_NEVER : q.at[q.queue[n - 1]];
        if (g->n == 1)
            *s = 1; /* still a layer */
    }
    bird_graph_search_free(&q);
    return rc;
}

int bird_graph_describe(struct bird_text *t, const struct bird_graph *g,
                        const struct bird_pattern *p, int64_t n_layer)
{
    int causal = bird_pattern_is_causal(p);
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
