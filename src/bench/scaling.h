/**
 * What a machine of many cores would make of packs whose tasks were measured
 * on one: list scheduling, limits of memory, a queue. A function of its
 * arguments alone; no clock, no threads.
 *
 * A pack is a row of loops, one after the other, as bird_parallel() runs
 * them: the tasks of a loop are handed in their order to the first core that
 * is free, and the loop ends with its last task. Data that a loop reads from
 * memory takes at least its size over the bandwidth that is left for the pack;
 * a loop takes the longer of the two.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_SCALING_H
#define BIRD_PREDICT_SCALING_H

#include <stdint.h>

/** Cores, and groups of them, at most. */
enum { BIRD_SCALING_CORES = 4096 };

struct bird_scaling_loop {
    const double *task_s; /* (n_task) measured on one core */
    int64_t n_task;
    double weight_bytes; /* that every task reads */
    double row_bytes;    /* that the tasks together read and write */
};

struct bird_scaling_pack {
    const struct bird_scaling_loop *loop; /* (n_loop) */
    int64_t n_loop;
    double serial_s; /* between the loops, on one core */
};

/** What one pack has of the machine. Rates are bytes a second, INFINITY where
 *  they are no limit. */
struct bird_scaling_share {
    int64_t cores;      /* that work on it */
    double clock;       /* speed of a core, of the measured one's */
    double barrier_s;   /* end of a loop of several cores */
    double cache_bytes; /* weights up to this are read once a loop, others by
                           every task */
    double memory_rate; /* its share of the bandwidth of its NUMA node */
    double link_rate;   /* its share of that between nodes */
    int64_t nodes;      /* over which the weights lie evenly */
};

/** Seconds until `cores` of them have done n tasks, list scheduling; cores in
 *  1 .. BIRD_SCALING_CORES. */
double bird_scaling_tasks(const double *task_s, int64_t n, int64_t cores);

/** Seconds of one pack. */
double bird_scaling_pack_s(const struct bird_scaling_pack *p,
                           const struct bird_scaling_share *s);

/**
 * Seconds of n packs on n_group groups, 1 .. BIRD_SCALING_CORES, when one
 * thread makes packs of feed_s each. rounds = 1: it makes one for every group,
 * then all are computed, then it goes on; 0: it goes on meanwhile, and the
 * first free group takes the next pack.
 */
double bird_scaling_queue(double pack_s, double feed_s, int64_t n,
                          int64_t n_group, int rounds);

#endif
