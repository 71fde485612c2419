/**
 * Several processes that train one model: their ranks, sums over all of them,
 * and failures of any of them.
 *
 * Sums are made in the order of the ranks, so that they do not depend on which
 * rank is first. A single process is rank 0 of 1, and its sums are its own
 * values. Every rank makes the same calls in the same order, from one thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_COMM_H
#define BIRD_TRAIN_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"

struct bird_comm;

/** How processes reach each other. */
struct bird_comm_kind {
    int (*sum_floats)(struct bird_comm *c, float *x, int64_t n);
    int (*sum_doubles)(struct bird_comm *c, double *x, int64_t n);
    int (*broadcast)(struct bird_comm *c, void *data, size_t size);
    void (*close)(struct bird_comm *c);
};

struct bird_comm {
    int rank, size;
    const struct bird_comm_kind *kind; /* NULL: a single process */
    int broken;  /* 1: a call failed, and others may wait for it forever */
    float *part; /* workspace of sum_floats */
    int64_t cap_part;
};

/**
 * The processes that mpirun (or srun) started together, or a single process.
 * Owner: *out is the caller's, bird_comm_close()
 * Errors: BIRD_EUNSUPPORTED started as one of several, but this build has no
 * MPI; BIRD_EIO MPI could not be started
 */
BIRD_MUST_CHECK int bird_comm_open(struct bird_comm **out);
/** NULL is fine. After a failed call MPI is not finalized, so that the launcher
 *  ends the other processes when this one ends. */
void bird_comm_close(struct bird_comm *c);

/** The sum of x over all ranks; all ranks get the same bytes. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_comm_sum_floats(struct bird_comm *c, float *x,
                                         int64_t n);
BIRD_MUST_CHECK int bird_comm_sum_doubles(struct bird_comm *c, double *x,
                                          int64_t n);

/** Copy bytes of rank 0 to all ranks. */
BIRD_MUST_CHECK int bird_comm_broadcast(struct bird_comm *c, void *data,
                                        size_t size);

/**
 * 0 if rc is 0 on every rank. Otherwise a failed rank gets its own status back,
 * with its message, and the others get BIRD_EIO with an empty message. Of
 * several failed ranks the lowest keeps its message.
 */
BIRD_MUST_CHECK int bird_comm_agree(struct bird_comm *c, int rc);

/**
 * bird_comm_sum_doubles() of x, unless rc is not 0 on a rank: then that rank gets
 * its status back, and the others BIRD_EIO with an empty message. x[0] is not
 * summed: it becomes the number of failed ranks.
 */
BIRD_MUST_CHECK int bird_comm_sum_or_fail(struct bird_comm *c, int rc,
                                          double *x, int64_t n);

/** The name of MPI's library and its version, at most size bytes. In builds
 *  with MPI alone. */
void bird_comm_mpi_name(char *out, size_t size);

/** The processes that MPI started. In builds with MPI alone. */
BIRD_MUST_CHECK int bird_comm_mpi(struct bird_comm *out);

#endif
