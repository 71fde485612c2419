/* A process alone. SPDX-License-Identifier: MIT */
#include "train/comm.h"

static int sum_floats(struct bird_comm *c, float *x, int64_t n)
{
    (void)c, (void)x, (void)n;
    return 0;
}

static int sum_doubles(struct bird_comm *c, double *x, int64_t n)
{
    (void)c, (void)x, (void)n;
    return 0;
}

static int broadcast(struct bird_comm *c, void *data, size_t size)
{
    (void)c, (void)data, (void)size;
    return 0;
}

static int barrier(struct bird_comm *c)
{
    (void)c;
    return 0;
}

static void nothing(struct bird_comm *c)
{
    (void)c;
}

int bird_comm_single(struct bird_comm *out)
{
    static const struct bird_comm_kind kind = {sum_floats, sum_doubles,
                                               broadcast, barrier, nothing};

    *out = (struct bird_comm){.size = 1, .kind = &kind};
    return 0;
}
