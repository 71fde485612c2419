/* Counts to probabilities, and learning from FASTA. SPDX-License-Identifier:
 * MIT */
#include "eval/markov.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/references.h"
#include "eval/markov_count.h"

enum {
    MIN_HELD = 256,      /* fewer words choose nothing */
    MAX_TRIED = 1 << 17, /* words that choose */
    N_ALPHA = 27         /* 2^-3, 2^-2.5 .. 2^10 */
};

void bird_markov_free(struct bird_markov *m)
{
    if (!m)
        return;
    for (int k = 0; k <= BIRD_MARKOV_MAX; k++)
        free(m->table[k]);
    free(m);
}

/* Counts of a word, and of its context with any base. */
struct seen {
    double word, context;
};

static struct seen look_up(const struct bird_markov *m, int k, uint64_t letters)
{
    uint64_t word = bird_letters_last(letters, k + 1);
    const union bird_markov_cell *row = m->table[k] + (word & ~UINT64_C(3));
    struct seen s = {(double)m->table[k][word].count, 0};

    for (int b = 0; b < 4; b++)
        s.context += (double)row[b].count;
    return s;
}

/* ---- alpha --------------------------------------------------------------- */

/* Order k alone: the alpha under which the words are likeliest, given the
 * lower order's probabilities of them. */
static double choose(const struct seen *seen, const double *lower, int64_t n)
{
    double best = 0, best_bits = (double)INFINITY;

    for (int j = 0; j < N_ALPHA; j++) {
        double alpha = exp2(-3 + 0.5 * j), bits = 0;

        for (int64_t i = 0; i < n; i++)
            bits -= log2((seen[i].word + alpha * lower[i]) /
                         (seen[i].context + alpha));
        if (bits < best_bits) {
            best_bits = bits;
            best = alpha;
        }
    }
    return best;
}

/* Every order after the one below it. p (n) is room. */
static void choose_all(struct bird_markov *m,
                       const struct bird_markov_counter *c, struct seen *seen,
                       double *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        p[i] = 0.25;
    for (int k = 0; k <= m->order; k++) {
        for (int64_t i = 0; i < n; i++)
            seen[i] = look_up(m, k, c->held[i * c->n_held / n]);
        m->alpha[k] = choose(seen, p, n);
        for (int64_t i = 0; i < n; i++)
            p[i] = (seen[i].word + m->alpha[k] * p[i]) /
                   (seen[i].context + m->alpha[k]);
    }
}

static int choose_alpha(struct bird_markov *m,
                        const struct bird_markov_counter *c)
{
    int64_t n = c->n_held < MAX_TRIED ? c->n_held : MAX_TRIED;
    struct seen *seen = NULL;
    double *p = NULL;
    int rc;

    for (int k = 0; k <= m->order; k++)
        m->alpha[k] = 4;
    if (n < MIN_HELD)
        return 0;
    m->n_held = c->n_held;
    rc = bird_array_new(&seen, n, sizeof(*seen));
    if (!rc)
        rc = bird_array_new(&p, n, sizeof(*p));
    if (!rc)
        choose_all(m, c, seen, p, n);
    free(seen);
    free(p);
    return rc;
}

/* ---- probabilities ------------------------------------------------------- */

struct mixing {
    struct bird_markov *m;
    int k;
};

/* 4^6 contexts a task, or all there are. */
static int64_t context_count(int k)
{
    return INT64_C(1) << 2 * (k < 6 ? k : 6);
}

static void mix(void *context, int64_t task, int worker)
{
    struct mixing *x = context;
    int k = x->k;
    double alpha = x->m->alpha[k];
    int64_t n = context_count(k);

    (void)worker;
    for (int64_t i = task * n; i < (task + 1) * n; i++) {
        union bird_markov_cell *row = x->m->table[k] + 4 * i;
        double total = alpha;

        for (int b = 0; b < 4; b++)
            total += (double)row[b].count;
        for (int b = 0; b < 4; b++) {
            uint64_t word = (uint64_t)(4 * i + b);
            double lower =
                k ? exp2(bird_markov_log2p(x->m, k - 1, word)) : 0.25;

            row[b].log2p =
                (float)log2(((double)row[b].count + alpha * lower) / total);
        }
    }
}

int bird_markov_finish(struct bird_markov **out, struct bird_markov_counter *c)
{
    struct bird_markov *m = calloc(1, sizeof(*m));
    struct mixing x = {.m = m};
    int rc;

    if (!m)
        return bird_fail_memory(sizeof(*m));
    bird_markov_counter_take(m, c);
    rc = choose_alpha(m, c);
    if (rc) {
        bird_markov_free(m);
        return rc;
    }
    for (x.k = 0; x.k <= m->order; x.k++)
        bird_parallel((INT64_C(1) << 2 * x.k) / context_count(x.k), mix, &x);
    rc = bird_markov_weigh(m, c->held, m->n_held);
    if (rc)
        bird_markov_free(m);
    else
        *out = m;
    return rc;
}

/* ---- FASTA --------------------------------------------------------------- */

enum { PIECE = 1 << 20 }; /* letters fetched at a time */

static void add_area(struct bird_markov_counter *c, const struct bird_bases *b,
                     const struct bird_interval *p, char *piece)
{
    for (int64_t at = p->start; at < p->end; at += PIECE) {
        int64_t end = at + PIECE < p->end ? at + PIECE : p->end;

        bird_bases_get(piece, b, p->contig, at, end);
        bird_markov_counter_add(c, piece, end - at);
    }
    bird_markov_counter_end(c);
}

static int count_areas(struct bird_markov_counter **out,
                       const struct bird_bases *b,
                       const struct bird_intervals *areas, int order)
{
    int64_t n = 0;
    char *piece;
    int rc = bird_array_new(&piece, PIECE, 1);

    for (int64_t i = 0; i < areas->n; i++)
        n += areas->at[i].end - areas->at[i].start;
    if (!rc)
        rc = bird_markov_counter_new(out, order, n);
    for (int64_t i = 0; !rc && i < areas->n; i++)
        add_area(*out, b, areas->at + i, piece);
    free(piece);
    return rc;
}

int bird_markov_learn(struct bird_markov **out, const struct bird_bases *b,
                      const struct bird_intervals *areas, int order)
{
    struct bird_markov_counter *c = NULL;
    int rc = count_areas(&c, b, areas, order);

    if (!rc && !c->n_base)
        rc = bird_fail(BIRD_EINVAL, "no A, C, G or T to learn a Markov model "
                                    "from: check the references and regions "
                                    "of training");
    if (!rc)
        rc = bird_markov_finish(out, c);
    bird_markov_counter_free(c);
    return rc;
}
