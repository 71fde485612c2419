/* Several processes, or one: all that does not call MPI.
 *
 * A single process has no others to reach: its sums are its own values. The
 * variables of the launcher decide whether there are several.
 * SPDX-License-Identifier: MIT */
#include "train/comm.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/train.h"

/* Number of processes, from the variables of the launcher: Open MPI's mpirun,
 * and launchers that use PMI (MPICH, Slurm's srun --mpi=pmi2). */
static int launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *s = getenv(names[i]);

        if (s && *s)
            return (int)strtol(s, NULL, 10);
    }
    return getenv("PMIX_RANK") ? 2 : 1;
}

const char *bird_train_features(void)
{
#ifdef BIRD_MPI
    static _Thread_local char text[256] = "MPI: ";

    bird_comm_mpi_name(text + 5, sizeof(text) - 5);
    return text;
#else
    return "MPI: none";
#endif
}

int bird_comm_open(struct bird_comm **out)
{
    struct bird_comm *c;
    int rc = 0;

#ifndef BIRD_MPI
    if (launched() > 1)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "started as one of several processes, but this build "
                         "has no MPI: configure it with -Dmpi=enabled");
#endif
    c = calloc(1, sizeof(*c));
    if (!c)
        return bird_fail_memory(sizeof(*c));
    c->size = 1;
#ifdef BIRD_MPI
    if (launched() > 1)
        rc = bird_comm_mpi(c);
#endif
    if (rc)
        free(c);
    else
        *out = c;
    return rc;
}

void bird_comm_close(struct bird_comm *c)
{
    if (!c)
        return;
    if (c->kind)
        c->kind->close(c);
    free(c->part);
    free(c);
}

int bird_comm_sum_floats(struct bird_comm *c, float *x, int64_t n)
{
    return c->kind ? c->kind->sum_floats(c, x, n) : 0;
}

int bird_comm_sum_doubles(struct bird_comm *c, double *x, int64_t n)
{
    return c->kind ? c->kind->sum_doubles(c, x, n) : 0;
}

int bird_comm_broadcast(struct bird_comm *c, void *data, size_t size)
{
    return c->kind ? c->kind->broadcast(c, data, size) : 0;
}

int bird_comm_agree(struct bird_comm *c, int rc)
{
    double *bad;
    int first = 0, lost;

    if (c->size == 1)
        return rc;
    lost = bird_array_new(&bad, c->size, sizeof(*bad));
    if (lost)
        return lost;
    bad[c->rank] = rc != 0;
    lost = bird_comm_sum_doubles(c, bad, c->size);
    while (first < c->size && !(bad[first] > 0))
        first++;
    free(bad);
    if (lost)
        return rc ? rc : lost;
    if (first == c->rank || first == c->size)
        return rc;
    return bird_fail(rc ? rc : BIRD_EIO, "%s", "");
}

int bird_comm_sum_or_fail(struct bird_comm *c, int rc, double *x, int64_t n)
{
    int lost;

    x[0] = rc != 0;
    lost = bird_comm_sum_doubles(c, x, n);
    if (rc || lost)
        return rc ? rc : lost;
    return x[0] > 0 ? bird_fail(BIRD_EIO, "%s", "") : 0;
}
