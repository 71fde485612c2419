/**
 * Several processes that train one model: who they are, sums over all of
 * them, and whether all are well.
 *
 * Sums are made in the order of the ranks, so that they do not depend on who
 * arrives first. A process alone is rank 0 of 1: its sums are its own. Every
 * rank makes the same calls in the same order, from one thread.
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
    const struct bird_comm_kind *kind; /* NULL: a process alone */
    int broken;  /* a call failed: the others may wait for ever */
    float *part; /* room of sum_floats */
    int64_t cap_part;
};

/**
 * The processes that mpirun (or srun) started together, or this one alone.
 * Owner: *out is the caller's, bird_comm_close()
 * Errors: BIRD_EUNSUPPORTED started as one of several, but this build has no
 * MPI; BIRD_EIO MPI could not be started
 */
BIRD_MUST_CHECK int bird_comm_open(struct bird_comm **out);
/** NULL is fine. After a failed call the launcher is not told that all is well,
 *  so that the end of this process ends the others. */
void bird_comm_close(struct bird_comm *c);

/** x[i] of all ranks added up, on all ranks the same bytes. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_comm_sum_floats(struct bird_comm *c, float *x,
                                         int64_t n);
BIRD_MUST_CHECK int bird_comm_sum_doubles(struct bird_comm *c, double *x,
                                          int64_t n);

/** Bytes of rank 0 to all. */
BIRD_MUST_CHECK int bird_comm_broadcast(struct bird_comm *c, void *data,
                                        size_t size);

/**
 * 0 if every rank brought 0. Where one did not, it gets its own status back,
 * with its sentence, and the others get BIRD_EIO and the sentence "".
 * Of several that fail, the one with the lowest rank keeps its sentence.
 */
BIRD_MUST_CHECK int bird_comm_agree(struct bird_comm *c, int rc);

/**
 * bird_comm_sum_doubles() of x, unless a rank brings a status: then it gets
 * that back, and the others BIRD_EIO and the sentence "". x[0] is not summed:
 * it becomes the number of ranks that brought one.
 */
BIRD_MUST_CHECK int bird_comm_sum_or_fail(struct bird_comm *c, int rc,
                                          double *x, int64_t n);

/** The name of MPI's library and its version, at most size bytes. In builds
 *  with MPI alone. */
void bird_comm_mpi_name(char *out, size_t size);

/** The processes that MPI started. In builds with MPI alone. */
BIRD_MUST_CHECK int bird_comm_mpi(struct bird_comm *out);

#endif
