/* Probability of a hidden string between its flanks, by a Markov model.
 *
 * The strings of one length are in alphabetic order, each with the length of
 * the prefix it shares with the string before, so that the chain over all
 * strings takes few more steps than there are strings. Probabilities are log2;
 * sums over strings are exact.
 * SPDX-License-Identifier: MIT */
#include "peers/markov.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dnabird/dnabird.h"

/* Strings in alphabetic order, so that neighbours share prefixes. */
struct side {
    uint8_t *code;   /* (n, m) */
    int32_t *shared; /* (n) length of the prefix shared with the string
                        before */
    int32_t *index;  /* (n) index of the string in the caller's order */
    int32_t *at;     /* (n) index here of a string of the caller's */
};

struct bird_strings {
    int64_t n;
    int m;
    struct side side[2]; /* of the strings, and of their complements */
    struct bird_pool pool;
};

/* ---- lists --------------------------------------------------------------- */

struct sorting { /* what the comparison reads */
    const uint8_t *code;
    int m;
};

static int by_code(const void *a, const void *b, void *context)
{
    const struct sorting *s = context;
    int32_t i = *(const int32_t *)a, k = *(const int32_t *)b;
    int c = memcmp(s->code + (int64_t)i * s->m, s->code + (int64_t)k * s->m,
                   (size_t)s->m);

    return c ? c : (i > k) - (i < k);
}

static int side_new(struct side *s, const uint8_t *code, int64_t n, int m,
                    struct bird_pool *pool)
{
    struct sorting by = {code, m};

    s->code = bird_pool_array(pool, n * m, 1);
    s->shared = bird_pool_array(pool, n, sizeof(*s->shared));
    s->index = bird_pool_array(pool, n, sizeof(*s->index));
    s->at = bird_pool_array(pool, n, sizeof(*s->at));
    if (pool->rc)
        return pool->rc;
    for (int64_t i = 0; i < n; i++)
        s->index[i] = (int32_t)i;
    qsort_r(s->index, (size_t)n, sizeof(*s->index), by_code, &by);
    for (int64_t i = 0; i < n; i++) {
        uint8_t *to = s->code + i * m;
        int32_t same = 0;

        memcpy(to, code + (int64_t)s->index[i] * m, (size_t)m);
        while (i && same < m && to[same] == to[same - m])
            same++;
        s->shared[i] = same;
        s->at[s->index[i]] = (int32_t)i;
    }
    return 0;
}

int bird_strings_new(struct bird_strings **out, const uint8_t *code, int64_t n,
                     int m)
{
    struct bird_strings *s;
    uint8_t *complement;
    int rc = bird_array_new(&s, 1, sizeof(*s));

    if (rc)
        return rc;
    s->n = n;
    s->m = m;
    rc = bird_array_new(&complement, n * m, 1);
    for (int64_t i = 0; !rc && i < n; i++)
        for (int j = 0; j < m; j++)
            complement[i * m + j] = (uint8_t)(3 - code[i * m + m - 1 - j]);
    if (!rc) {
        rc = side_new(&s->side[0], code, n, m, &s->pool);
        if (!rc)
            rc = side_new(&s->side[1], complement, n, m, &s->pool);
        free(complement);
    }
    if (rc)
        bird_strings_free(s);
    else
        *out = s;
    return rc;
}

int bird_strings_all(struct bird_strings **out, int m)
{
    int64_t n = INT64_C(1) << 2 * m;
    uint8_t *code;
    int rc = bird_array_new(&code, n * m, 1);

    for (int64_t i = 0; !rc && i < n; i++)
        for (int j = 0; j < m; j++)
            code[i * m + j] = (uint8_t)(i >> 2 * (m - 1 - j) & 3);
    if (!rc)
        rc = bird_strings_new(out, code, n, m);
    free(code);
    return rc;
}

void bird_strings_free(struct bird_strings *s)
{
    if (s)
        bird_pool_free(&s->pool);
    free(s);
}

const uint8_t *bird_strings_code(const struct bird_strings *s, int64_t i)
{
    return s->side[0].code + (int64_t)s->side[0].at[i] * s->m;
}

struct bird_strings_workspace *bird_strings_workspaces(struct bird_pool *pool,
                                                       int64_t n, int m)
{
    struct bird_strings_workspace *workspace =
        bird_pool_array(pool, bird_threads(), sizeof(*workspace));

    for (int i = 0; !pool->rc && i < bird_threads(); i++) {
        struct bird_strings_workspace *r = &workspace[i];

        r->left = bird_pool_array(pool, n, sizeof(*r->left));
        r->right = bird_pool_array(pool, n, sizeof(*r->right));
        r->joint = bird_pool_array(pool, n, sizeof(*r->joint));
        r->end = bird_pool_array(pool, n, sizeof(*r->end));
        r->bases = bird_pool_array(pool, m + 1, sizeof(*r->bases));
        r->sum = bird_pool_array(pool, m + 1, sizeof(*r->sum));
    }
    return workspace;
}

/* ---- chains -------------------------------------------------------------- */

/* A position in a chain: the bases so far, of which n are known. */
struct position {
    uint64_t bases;
    int n;
};

/* log2 of the probability of the next base; advances the position. */
static double step(struct position *p, const struct bird_hidden *h, int code)
{
    int k = p->n < h->k ? p->n++ : h->k;

    p->bases = p->bases << 2 | (uint64_t)code;
    return bird_markov_log2p(h->m, k, p->bases);
}

/* Run the chain over each string of a side from a position; `end`: the
 * context after each. */
static void run_all(double *log2p, uint64_t *end, const struct bird_hidden *h,
                    const struct side *s, const struct bird_strings *list,
                    struct position from,
                    struct bird_strings_workspace *workspace)
{
    workspace->bases[0] = from.bases;
    workspace->sum[0] = 0;
    for (int64_t i = 0; i < list->n; i++) {
        const uint8_t *code = s->code + i * list->m;
        int j = s->shared[i];
        struct position p = {workspace->bases[j],
                             from.n + j < h->k ? from.n + j : h->k};

        for (; j < list->m; j++) {
            workspace->sum[j + 1] = workspace->sum[j] + step(&p, h, code[j]);
            workspace->bases[j + 1] = p.bases;
        }
        log2p[s->index[i]] = workspace->sum[list->m];
        if (end)
            end[s->index[i]] = p.bases;
    }
}

/* Run the chain from a position into the right flank: at most k bases,
 * because later bases do not depend on the string. */
static double into_flank(const struct bird_hidden *h, struct position p)
{
    const struct bird_flanks *f = &h->flanks;
    double log2p = 0;

    for (int j = 0; j < f->n_right && j < h->k; j++)
        log2p += step(&p, h, 3 - (int)(f->right >> 2 * j & 3));
    return log2p;
}

/* log2 of the sum of numbers whose log2 are x. */
static double log2_sum(const double *x, int64_t n)
{
    double most = x[0], sum = 0;

    for (int64_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (int64_t i = 0; i < n; i++)
        sum += exp2(x[i] - most);
    return most + log2(sum);
}

static struct position left_position(const struct bird_hidden *h)
{
    return (struct position){h->flanks.left, h->flanks.n_left};
}

static struct position right_position(const struct bird_hidden *h)
{
    return (struct position){h->flanks.right, h->flanks.n_right};
}

/* Fill joint[] from left[] and end[]; n_known: known bases before the right
 * flank. */
static void join(const struct bird_hidden *h, int64_t n, int n_known,
                 struct bird_strings_workspace *workspace)
{
    for (int64_t i = 0; i < n; i++)
        workspace->joint[i] =
            workspace->left[i] +
            into_flank(h, (struct position){workspace->end[i], n_known});
}

/* ---- answers ------------------------------------------------------------- */

void bird_hidden_parts(double log2p[BIRD_N_MARKOV_PART],
                       const struct bird_hidden *h,
                       const struct bird_strings *tail,
                       struct bird_strings_workspace *workspace)
{
    struct position left = left_position(h), right = right_position(h);
    double head = 0, rest = 0;
    int64_t which = 0;
    int i;

    for (i = 0; i < h->n - tail->m; i++)
        head += step(&left, h, h->code[i]);
    run_all(workspace->left, workspace->end, h, &tail->side[0], tail, left,
            workspace);
    join(h, tail->n, left.n + tail->m, workspace);
    for (; i < h->n; i++)
        which = which << 2 | h->code[i];
    for (i = h->n - 1; i >= 0; i--)
        rest += step(&right, h, 3 - h->code[i]);
    log2p[BIRD_MARKOV_LEFT] = head + workspace->left[which];
    log2p[BIRD_MARKOV_RIGHT] = rest;
    log2p[BIRD_MARKOV_JOINT] =
        head + workspace->joint[which] - log2_sum(workspace->joint, tail->n);
}

double bird_hidden_mix(const struct bird_hidden *h,
                       const double log2p[BIRD_N_MARKOV_PART])
{
    int length = h->n < BIRD_MARKOV_TAIL ? h->n : BIRD_MARKOV_TAIL;
    const double *weight = h->m->weight[h->k][length - 1];
    double most = log2p[0], sum = 0;

    if (!h->flanks.n_right)
        return log2p[BIRD_MARKOV_LEFT];
    if (!h->flanks.n_left)
        return log2p[BIRD_MARKOV_RIGHT];
    for (int i = 1; i < BIRD_N_MARKOV_PART; i++)
        most = log2p[i] > most ? log2p[i] : most;
    for (int i = 0; i < BIRD_N_MARKOV_PART; i++)
        sum += weight[i] * exp2(log2p[i] - most);
    return most + log2(sum);
}

static int is_best(const double *x, int64_t n, int64_t which)
{
    for (int64_t i = 0; i < n; i++)
        if (i < which ? x[i] >= x[which] : x[i] > x[which])
            return 0;
    return 1;
}

void bird_hidden_among(struct bird_hidden_answer *left,
                       struct bird_hidden_answer *both,
                       const struct bird_hidden *h,
                       const struct bird_strings *words, int64_t which,
                       struct bird_strings_workspace *workspace)
{
    double sum[BIRD_N_MARKOV_PART];
    int64_t n = words->n;

    run_all(workspace->left, workspace->end, h, &words->side[0], words,
            left_position(h), workspace);
    run_all(workspace->right, NULL, h, &words->side[1], words,
            right_position(h), workspace);
    join(h, n, h->flanks.n_left + words->m, workspace);
    sum[BIRD_MARKOV_LEFT] = log2_sum(workspace->left, n);
    sum[BIRD_MARKOV_RIGHT] = log2_sum(workspace->right, n);
    sum[BIRD_MARKOV_JOINT] = log2_sum(workspace->joint, n);
    left->log2p = workspace->left[which] - sum[BIRD_MARKOV_LEFT];
    left->best = is_best(workspace->left, n, which);
    for (int64_t i = 0; i < n; i++) {
        double part[BIRD_N_MARKOV_PART] = {
            [BIRD_MARKOV_LEFT] = workspace->left[i] - sum[BIRD_MARKOV_LEFT],
            [BIRD_MARKOV_RIGHT] = workspace->right[i] - sum[BIRD_MARKOV_RIGHT],
            [BIRD_MARKOV_JOINT] = workspace->joint[i] - sum[BIRD_MARKOV_JOINT]};

        workspace->joint[i] = bird_hidden_mix(h, part);
    }
    both->log2p = workspace->joint[which];
    both->best = is_best(workspace->joint, n, which);
}
