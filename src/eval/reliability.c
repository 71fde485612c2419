/* Said and come true, by bins. SPDX-License-Identifier: MIT */
#include "eval/reliability.h"

#include <math.h>

static const double edge[BIRD_RELIABILITY_BINS + 1] = {
    0,   0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3,
    0.4, 0.5,   0.6,   0.7,  0.8,  0.9, 1};

void bird_reliability_add(bird_reliability_table *t, double p, int came_true)
{
    int k = BIRD_RELIABILITY_BINS - 1;

    while (k > 0 && p < edge[k])
        k--;
    t->n++;
    t->squares += (p - came_true) * (p - came_true);
    t->bin[k].lo = edge[k];
    t->bin[k].hi = edge[k + 1];
    t->bin[k].n++;
    t->bin[k].mean_probability += p;
    t->bin[k].observed += came_true;
}

double bird_reliability_error(const bird_reliability_table *t)
{
    double sum = 0;

    for (int k = 0; k < BIRD_RELIABILITY_BINS; k++)
        sum += fabs(t->bin[k].mean_probability - t->bin[k].observed);
    return t->n ? sum / (double)t->n : (double)NAN;
}

double bird_reliability_brier(const bird_reliability_table *t)
{
    return t->n ? t->squares / (double)t->n : (double)NAN;
}

void bird_reliability_print(FILE *f, const char *name,
                            const bird_reliability_table *t)
{
    for (int k = 0; k < BIRD_RELIABILITY_BINS; k++) {
        const bird_reliability *b = &t->bin[k];

        if (b->n)
            fprintf(f, "%s\t%g\t%g\t%lld\t%.6g\t%.6g\n", name, b->lo, b->hi,
                    (long long)b->n, b->mean_probability / (double)b->n,
                    b->observed / (double)b->n);
    }
}
