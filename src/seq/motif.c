/* Scores of motifs, their p-values, and hits. The libraries that compute exact p-values of such
 * scores (MOODS, TFM-Pvalue) are parts of C++ programs, none is packaged for
 * C; the distribution itself takes a few lines. SPDX-License-Identifier: MIT */
#include "seq/motif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "seq/alphabet.h"

static const double share[4] = {0.25, 0.25, 0.25, 0.25};

/* --- scores and their p-values -------------------------------------------- */

/* Scores from counts of bases. */
static void score_counts(struct bird_motif *m,
                         double count[BIRD_MOTIF_WIDTH][4])
{
    for (int i = 0; i < m->width; i++) {
        const double *c = count[i];
        double n = c[0] + c[1] + c[2] + c[3] + 1;

        for (int b = 0; b < 4; b++)
            m->score[i][b] = (int32_t)lrint(
                BIRD_MOTIF_UNIT * log2((c[b] + share[b]) / n / share[b]));
    }
}

static void bounds(const struct bird_motif *m, int i, int32_t *lo, int32_t *hi)
{
    *lo = *hi = m->score[i][0];
    for (int b = 1; b < 4; b++) {
        *lo = m->score[i][b] < *lo ? m->score[i][b] : *lo;
        *hi = m->score[i][b] > *hi ? m->score[i][b] : *hi;
    }
}

/* The score distribution of random words, position by position, and then its
 * upper tail. */
static int count_tail(struct bird_motif *m)
{
    double *now, *next, *block = NULL, sum = 0;
    int64_t range = 1, n = 1;
    int32_t lo, hi;
    int rc;

    m->most = 0;
    for (int i = 0; i < m->width; i++) {
        bounds(m, i, &lo, &hi);
        range += hi - lo;
        m->most += hi;
    }
    rc = bird_array_new(&block, 2 * range, sizeof(*block));
    if (rc)
        return rc;
    now = block;
    next = block + range;
    now[0] = 1; /* now[k]: the lowest score so far plus k */
    for (int i = 0; i < m->width; i++) {
        double *swap = now;

        bounds(m, i, &lo, &hi);
        memset(next, 0, (size_t)(n + hi - lo) * sizeof(*next));
        for (int b = 0; b < 4; b++) {
            double *at = next + (m->score[i][b] - lo);

            for (int64_t k = 0; k < n; k++)
                at[k] += share[b] * now[k];
        }
        n += hi - lo;
        now = next;
        next = swap;
    }
    for (m->n_tail = 0; m->n_tail < n; m->n_tail++) {
        sum += now[n - 1 - m->n_tail];
        if (sum > BIRD_MOTIF_MOST_P)
            break;
        next[m->n_tail] = sum;
    }
    rc = bird_array_new(&m->tail, m->n_tail, sizeof(*m->tail));
    if (!rc && m->n_tail)
        memcpy(m->tail, next, (size_t)m->n_tail * sizeof(*next));
    free(block);
    return rc;
}

int bird_motif_prepare(struct bird_motif *m, double count[BIRD_MOTIF_WIDTH][4])
{
    score_counts(m, count);
    return count_tail(m);
}

double bird_motif_p(const struct bird_motif *m, int32_t score)
{
    int64_t k = (int64_t)m->most - score;

    return k < 0 ? 0 : k < m->n_tail ? m->tail[k] : 1;
}

int32_t bird_motif_least(const struct bird_motif *m, double most_p)
{
    int64_t k = 0;

    while (k < m->n_tail && m->tail[k] <= most_p)
        k++;
    return (int32_t)(m->most - k + 1);
}

int32_t bird_motif_score(const struct bird_motif *m, const char *bases,
                         char strand)
{
    int32_t s = 0;

    for (int i = 0; i < m->width; i++) {
        int b = bird_base_code(bases[strand == '-' ? m->width - 1 - i : i]);

        if (b < 0)
            return INT32_MIN;
        s += m->score[i][strand == '-' ? 3 - b : b];
    }
    return s;
}

/* --- hits ----------------------------------------------------------------- */

struct hits {
    struct bird_motif_hit *at;
    int64_t n, cap;
};

static int by_p(const void *a, const void *b)
{
    const struct bird_motif_hit *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->motif != y->motif)
        return x->motif < y->motif ? -1 : 1;
    return x->strand - y->strand;
}

static int find_motif(struct hits *h, const struct bird_motif *m,
                      const struct bird_motif_range *r)
{
    int32_t least = bird_motif_least(m, r->most_p);
    int64_t i = r->from - m->width + 1 > 0 ? r->from - m->width + 1 : 0;

    for (; i < r->to && i + m->width <= r->n; i++)
        for (int k = 0; k < 2; k++) {
            char strand = k ? '-' : '+';
            int32_t s = bird_motif_score(m, r->bases + i, strand);
            int rc;

            if (s < least)
                continue;
            rc = bird_array_grow(&h->at, &h->cap, h->n + 1, sizeof(*h->at));
            if (rc)
                return rc;
            h->at[h->n++] =
                (struct bird_motif_hit){i, m, bird_motif_p(m, s), s, strand};
        }
    return 0;
}

static int share_half(const struct bird_motif_hit *a,
                      const struct bird_motif_hit *b)
{
    int64_t wa = a->motif->width, wb = b->motif->width;
    int64_t from = a->start > b->start ? a->start : b->start;
    int64_t to = a->start + wa < b->start + wb ? a->start + wa : b->start + wb;

    return 2 * (to - from) > (wa < wb ? wa : wb);
}

int bird_motifs_find(struct bird_motif_hit **out, int64_t *n,
                     const struct bird_motifs *m,
                     const struct bird_motif_range *r)
{
    struct hits h = {0};
    int64_t kept = 0;
    int rc = 0;

    if (!(r->most_p > 0 && r->most_p <= BIRD_MOTIF_MOST_P))
        return bird_fail(BIRD_EINVAL,
                         "a p-value of motifs is above 0 and at most %g",
                         BIRD_MOTIF_MOST_P);
    for (int64_t i = 0; i < m->n && !rc; i++)
        rc = find_motif(&h, &m->at[i], r);
    if (h.n)
        qsort(h.at, (size_t)h.n, sizeof(*h.at), by_p);
    for (int64_t i = 0; i < h.n; i++) {
        int taken = 0;

        for (int64_t j = 0; j < kept && !taken; j++)
            taken = share_half(&h.at[i], &h.at[j]);
        if (!taken)
            h.at[kept++] = h.at[i];
    }
    if (rc) {
        free(h.at);
        return rc;
    }
    *out = h.at;
    *n = kept;
    return 0;
}
