/* Processes that MPI started together. The only file that calls MPI.
 *
 * Sums of floats: a block is cut into one part a rank; every rank sends its
 * piece of each part to the part's owner, who adds the pieces in the order of
 * the ranks and hands the sum to all. MPI moves bytes and never adds, so that
 * neither its choice of algorithm nor the order of arrival shows. A rank
 * sends and receives 2 (R - 1) / R bytes for each byte of x, as a ring does.
 * SPDX-License-Identifier: MIT */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "train/comm.h"

/* Most floats of a rank's part of a block (1 MiB), and of all parts (64 MiB of
 * workspace). */
#define PART  ((int64_t)1 << 18)
#define BLOCK ((int64_t)1 << 24)

/* Floats of one task of adding. */
#define PIECE 16384

/* Bytes of one broadcast. */
#define MESSAGE ((size_t)1 << 28)

static int check(struct bird_comm *c, int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int n = 0;

    if (rc == MPI_SUCCESS)
        return 0;
    if (MPI_Error_string(rc, text, &n) != MPI_SUCCESS)
        n = 0;
    c->broken = 1;
    return bird_fail(BIRD_EIO, "MPI: %s: %.*s; another process may have died",
                     what, n, text);
}

struct adding {
    const float *part; /* (size, n) pieces in the order of the ranks */
    float *sum;        /* (n) */
    int64_t n;
    int size;
};

static void add_task(void *context, int64_t task, int worker)
{
    const struct adding *a = context;
    int64_t i0 = task * PIECE;
    int64_t i1 = i0 + PIECE < a->n ? i0 + PIECE : a->n;

    (void)worker;
    for (int64_t i = i0; i < i1; i++)
        a->sum[i] = a->part[i];
    for (int r = 1; r < a->size; r++)
        for (int64_t i = i0; i < i1; i++)
            a->sum[i] += a->part[r * a->n + i];
}

/* Sum one block of size x each floats over all ranks, in place in x. */
static int sum_block(struct bird_comm *c, float *x, int64_t each)
{
    struct adding a = {c->part, x + c->rank * each, each, c->size};
    int rc = check(c,
                   MPI_Alltoall(x, (int)each, MPI_FLOAT, c->part, (int)each,
                                MPI_FLOAT, MPI_COMM_WORLD),
                   "exchange of gradients");

    if (rc)
        return rc;
    bird_parallel((each + PIECE - 1) / PIECE, add_task, &a);
    return check(c,
                 MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, (int)each,
                               MPI_FLOAT, MPI_COMM_WORLD),
                 "exchange of sums");
}

/* What is left when a block does not divide: fewer floats than ranks. */
static int sum_rest(struct bird_comm *c, float *x, int64_t n)
{
    struct adding a = {c->part, x, n, c->size};
    int rc = check(c,
                   MPI_Allgather(x, (int)n, MPI_FLOAT, c->part, (int)n,
                                 MPI_FLOAT, MPI_COMM_WORLD),
                   "exchange of gradients");

    if (!rc)
        add_task(&a, 0, 0);
    return rc;
}

static int sum_floats(struct bird_comm *c, float *x, int64_t n)
{
    int64_t most = BLOCK / c->size < PART ? BLOCK / c->size : PART;
    int64_t done = 0;
    int rc = bird_array_grow(&c->part, &c->cap_part, most * c->size,
                             sizeof(*c->part));

    while (!rc && n - done >= c->size) {
        int64_t each = (n - done) / c->size;

        each = each < most ? each : most;
        rc = sum_block(c, x + done, each);
        done += each * c->size;
    }
    if (!rc && done < n)
        rc = sum_rest(c, x + done, n - done);
    return rc;
}

static int sum_doubles(struct bird_comm *c, double *x, int64_t n)
{
    double *all;
    int rc = bird_array_new(&all, n * c->size, sizeof(*all));

    if (rc)
        return rc;
    rc = check(c,
               MPI_Allgather(x, (int)n, MPI_DOUBLE, all, (int)n, MPI_DOUBLE,
                             MPI_COMM_WORLD),
               "exchange of metrics");
    for (int64_t i = 0; !rc && i < n; i++) {
        x[i] = all[i];
        for (int r = 1; r < c->size; r++)
            x[i] += all[r * n + i];
    }
    free(all);
    return rc;
}

static int broadcast(struct bird_comm *c, void *data, size_t size)
{
    char *at = data;
    int rc = 0;

    while (!rc && size) {
        size_t n = size < MESSAGE ? size : MESSAGE;

        rc = check(c, MPI_Bcast(at, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD),
                   "sending");
        at += n;
        size -= n;
    }
    return rc;
}

static void finish(struct bird_comm *c)
{
    if (!c->broken)
        MPI_Finalize();
}

void bird_comm_mpi_name(char *out, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n = 0;

    MPI_Get_library_version(text, &n); /* may come before MPI_Init */
    snprintf(out, size, "%.*s", (int)strcspn(text, ",\n"), text);
}

int bird_comm_mpi(struct bird_comm *out)
{
    static const struct bird_comm_kind kind = {sum_floats, sum_doubles,
                                               broadcast, finish};
    int there = 0, level = 0, rc;

    *out = (struct bird_comm){.kind = &kind};
    rc = check(out, MPI_Initialized(&there), "start");
    if (!rc && there)
        return bird_fail(BIRD_EIO, "MPI was started before: one run a process");
    if (!rc)
        rc =
            check(out, MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level),
                  "start");
    if (!rc)
        rc = check(out,
                   MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
                   "start");
    if (!rc)
        rc = check(out, MPI_Comm_rank(MPI_COMM_WORLD, &out->rank), "start");
    if (!rc)
        rc = check(out, MPI_Comm_size(MPI_COMM_WORLD, &out->size), "start");
    return rc;
}
