/* Simulated cores. SPDX-License-Identifier: MIT */
#include "bench/scaling.h"

#include <assert.h>

/* The first of those that are free earliest. */
static int64_t earliest(const double *free_at, int64_t n)
{
    int64_t best = 0;

    for (int64_t i = 1; i < n; i++)
        if (free_at[i] < free_at[best])
            best = i;
    return best;
}

double bird_scaling_tasks(const double *task_s, int64_t n, int64_t cores)
{
    double free_at[BIRD_SCALING_CORES] = {0}, end = 0;

    assert(cores >= 1 && cores <= BIRD_SCALING_CORES);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = earliest(free_at, cores);

        free_at[k] += task_s[i];
        end = free_at[k] > end ? free_at[k] : end;
    }
    return end;
}

static double longer(double a, double b)
{
    return a > b ? a : b;
}

double bird_scaling_pack_s(const struct bird_scaling_pack *p,
                           const struct bird_scaling_share *s)
{
    double sum = p->serial_s / s->clock;
    double elsewhere = (double)(s->nodes - 1) / (double)s->nodes;

    for (int64_t i = 0; i < p->n_loop; i++) {
        const struct bird_scaling_loop *l = p->loop + i;
        double weights =
            l->weight_bytes *
            (l->weight_bytes <= s->cache_bytes ? 1 : (double)l->n_task);
        double t = bird_scaling_tasks(l->task_s, l->n_task, s->cores);

        t = longer(t / s->clock, (weights + l->row_bytes) / s->memory_rate);
        t = longer(t, weights * elsewhere / s->link_rate);
        sum += t + (s->cores > 1 ? s->barrier_s : 0);
    }
    return sum;
}

static double in_rounds(double pack_s, double feed_s, int64_t n,
                        int64_t n_group)
{
    double end = 0;

    for (int64_t i = 0; i < n; i += n_group)
        end += (double)(n - i < n_group ? n - i : n_group) * feed_s + pack_s;
    return end;
}

double bird_scaling_queue(double pack_s, double feed_s, int64_t n,
                          int64_t n_group, int rounds)
{
    double free_at[BIRD_SCALING_CORES] = {0}, end = 0;

    assert(n_group >= 1 && n_group <= BIRD_SCALING_CORES);
    if (rounds)
        return in_rounds(pack_s, feed_s, n, n_group);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = earliest(free_at, n_group);

        free_at[k] = longer(free_at[k], (double)(i + 1) * feed_s) + pack_s;
        end = longer(end, free_at[k]);
    }
    return end;
}
