/**
 * What scoring would do on machines of many cores: every task of one pack of
 * sequences is measured on one core of this machine, then its task graph is
 * run by a simulation (docs/benchmarks.md has the assumptions).
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BENCH_SCALING_H
#define DNABIRD_BENCH_SCALING_H

#include "dnabird/bench.h"

/** The machine that is assumed. Fill with bird_bench_scaling_default(). */
typedef struct bird_bench_scaling_options {
    bird_bench_options bench; /* model, tokens, sequences: of one pack;
                                 precision, repeats, cpu_time */
    int64_t packs;            /* that are scored */
    int64_t group;            /* cores that share the last level of cache */
    int64_t node;             /* cores of a NUMA node */
    double memory_gb;         /* 1e9 bytes a second of a node's memory */
    double link_gb;           /* of a node, from the others' memory */
    double cache_mib;         /* of the cache that a group shares */
    double barrier_us;        /* end of a loop */
    double clock;             /* speed of a core when all work, of this one's */
    double bases_per_s;       /* that one core tokenizes; 0: measured */
    double bases_per_token;
} bird_bench_scaling_options;

BIRD_API void bird_bench_scaling_default(bird_bench_scaling_options *o);

/** What most holds a row back. */
enum bird_scaling_bound {
    BIRD_BOUND_CORES,   /* nothing else: more cores are more packs */
    BIRD_BOUND_TASKS,   /* tasks of a loop do not divide evenly, barriers */
    BIRD_BOUND_MEMORY,  /* bandwidth of a node, or between nodes */
    BIRD_BOUND_FEEDING, /* reading and tokenizing */
    BIRD_BOUNDS
};
BIRD_API const char *bird_scaling_bound_name(enum bird_scaling_bound b);

typedef struct bird_bench_scaling_row {
    int64_t cores, nodes;
    int64_t group; /* cores of a pack: 1, in rounds as the program now does;
                       or a group, each taking the next pack when it is free */
    double pack_s; /* one pack on its cores */
    double per_s;  /* tokens */
    double faster; /* times as many as one core scores */
    double share;  /* faster / cores */
    enum bird_scaling_bound bound;
} bird_bench_scaling_row;

/**
 * Two rows for each number of cores: a pack a core, a pack a group.
 * Errors: those of bird_bench_forward(); BIRD_EINVAL sizes or rates that none
 * can be, cores that make no whole groups or nodes
 *
 * @param[out] out  (2 n)
 * @param cores     (n) each from 1 to 4096
 */
BIRD_API BIRD_MUST_CHECK int
bird_bench_scaling(bird_bench_scaling_row *out, const int64_t *cores, int64_t n,
                   const bird_bench_scaling_options *o);

/** n rows as a JSON array. Owner: *out is the caller's, free(). Errors:
 *  BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int
bird_bench_scaling_json(char **out, const bird_bench_scaling_row *row,
                        int64_t n);

#endif
