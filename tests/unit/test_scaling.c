/* bench/scaling: simulated cores against cases with known answers; and
 * bench_scaling, which feeds it. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "bench/scaling.h"
#include "dnabird/dnabird.h"

static const double NEAR = 1e-12;

static double equal(int64_t n, int64_t cores)
{
    double t[64];

    for (int i = 0; i < 64; i++)
        t[i] = 0.5;
    return bird_scaling_tasks(t, n, cores);
}

Test(scaling, equal_tasks)
{
    for (int64_t p = 1; p <= 16; p++) {
        cr_assert_float_eq(equal(p, p), 0.5, NEAR);
        cr_assert_float_eq(equal(2 * p, p), 1, NEAR);
        cr_assert_float_eq(equal(2 * p + 1, p), 1.5, NEAR);
        cr_assert_float_eq(equal(1, p), 0.5, NEAR);
    }
    cr_assert_float_eq(equal(16, BIRD_SCALING_CORES), 0.5, NEAR);
    cr_assert_float_eq(equal(0, 4), 0, NEAR);
}

/* In their order, to the first free core: 3 | 1, 1, 1 and then 2. */
Test(scaling, uneven_tasks)
{
    const double t[] = {3, 1, 1, 1, 2}, last[] = {1, 1, 4};

    cr_assert_float_eq(bird_scaling_tasks(t, 5, 1), 8, NEAR);
    cr_assert_float_eq(bird_scaling_tasks(t, 5, 2), 5, NEAR);
    cr_assert_float_eq(bird_scaling_tasks(t, 5, 3), 3, NEAR);
    /* the longest one last: better orders there are, this is the program's */
    cr_assert_float_eq(bird_scaling_tasks(last, 3, 2), 5, NEAR);
}

static struct bird_scaling_share plain(int64_t cores)
{
    return (struct bird_scaling_share){.cores = cores,
                                       .clock = 1,
                                       .memory_rate = (double)INFINITY,
                                       .link_rate = (double)INFINITY,
                                       .nodes = 1};
}

/* A chain is no faster on many cores; loops wait for each other. */
Test(scaling, chains_and_loops)
{
    const double t[] = {1, 2, 3, 4};
    const struct bird_scaling_loop chain[] = {{.task_s = t, .n_task = 1},
                                              {.task_s = t + 1, .n_task = 1},
                                              {.task_s = t + 2, .n_task = 1}};
    const struct bird_scaling_loop two[] = {{.task_s = t, .n_task = 4},
                                            {.task_s = t, .n_task = 4}};
    struct bird_scaling_pack p = {chain, 3, 0.5};
    struct bird_scaling_share s;

    for (int64_t cores = 1; cores < 9; cores++) {
        s = plain(cores);
        cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 6.5, NEAR);
    }
    p = (struct bird_scaling_pack){two, 2, 0};
    s = plain(1);
    s.barrier_s = 0.25; /* one core waits for nobody */
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 20, NEAR);
    s.cores = 4;
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 8.5, NEAR);
    s.clock = 0.5;
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 16.5, NEAR);
}

Test(scaling, memory_is_a_limit)
{
    const double t[] = {1, 1, 1, 1};
    const struct bird_scaling_loop l = {
        .task_s = t, .n_task = 4, .weight_bytes = 100, .row_bytes = 50};
    const struct bird_scaling_pack p = {&l, 1, 0};
    struct bird_scaling_share s = plain(4);

    s.memory_rate = 1000;
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 1, NEAR);
    s.memory_rate = 90; /* every task reads the weights: 450 bytes */
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 5, NEAR);
    s.cache_bytes = 100; /* once: 150 */
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 150.0 / 90, NEAR);
    s.memory_rate = (double)INFINITY;
    s.link_rate = 10; /* weights only, of which three quarters lie elsewhere */
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 1, NEAR);
    s.nodes = 4;
    cr_assert_float_eq(bird_scaling_pack_s(&p, &s), 7.5, NEAR);
}

Test(scaling, packs_in_a_queue)
{
    /* nothing to make: n packs on g groups */
    for (int rounds = 0; rounds < 2; rounds++) {
        cr_assert_float_eq(bird_scaling_queue(2, 0, 12, 4, rounds), 6, NEAR);
        cr_assert_float_eq(bird_scaling_queue(2, 0, 13, 4, rounds), 8, NEAR);
        /* one group: made and computed, or made while it computes */
        cr_assert_float_eq(bird_scaling_queue(2, 1, 5, 1, rounds),
                           rounds ? 15 : 11, NEAR);
    }
    /* more groups than can be fed: the maker decides */
    cr_assert_float_eq(bird_scaling_queue(2, 1, 50, 40, 0), 52, NEAR);
    cr_assert_float_eq(bird_scaling_queue(2, 1, 50, 25, 1), 54, NEAR);
}

/* ---- fed with measured times --------------------------------------------- */

static bird_bench_scaling_options tiny(void)
{
    bird_bench_scaling_options o;

    bird_bench_scaling_default(&o);
    o.bench.preset = "tiny";
    o.bench.tokens = 200;
    o.bench.sequences = 3;
    o.bench.repeats = 2;
    o.bases_per_s = 1e8;
    o.packs = 512;
    return o;
}

Test(scaling, rows_of_a_measured_pack)
{
    const int64_t cores[] = {1, 4, 64, 128};
    bird_bench_scaling_options o = tiny();
    bird_bench_scaling_row r[8];

    bird_threads_set(2);
    cr_assert_eq(bird_bench_scaling(r, cores, 4, &o), 0, "%s",
                 bird_last_error());
    cr_assert_eq(bird_threads(), 2, "as before");
    cr_assert_float_eq(r[0].faster, 1, 1e-9);
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(r[i].cores, cores[i / 2]);
        cr_assert_eq(r[i].group, i % 2 == 0         ? 1
                                 : cores[i / 2] < 8 ? cores[i / 2]
                                                    : 8);
        cr_assert_eq(r[i].nodes, i < 6 ? 1 : 2);
        cr_assert_gt(r[i].faster, 0);
        cr_assert_leq(r[i].faster, 1.001 * (double)cores[i / 2]);
        cr_assert_float_eq(r[i].share, r[i].faster / (double)r[i].cores, 1e-9);
    }
    cr_assert_leq(r[5].pack_s, r[4].pack_s); /* eight cores, and one */
}

Test(scaling, a_slow_maker_and_slow_memory_show)
{
    const int64_t cores = 64;
    bird_bench_scaling_options o = tiny();
    bird_bench_scaling_row r[2];

    o.bases_per_s = 1e3;
    cr_assert_eq(bird_bench_scaling(r, &cores, 1, &o), 0);
    cr_assert_eq(r[1].bound, BIRD_BOUND_FEEDING);
    cr_assert_float_eq(r[1].per_s, 1e3 / o.bases_per_token, 0.05 * r[1].per_s);
    o = tiny();
    o.memory_gb = 1e-3;
    cr_assert_eq(bird_bench_scaling(r, &cores, 1, &o), 0);
    cr_assert_eq(r[0].bound, BIRD_BOUND_MEMORY);
    cr_assert_eq(r[1].bound, BIRD_BOUND_MEMORY);
}

static void refused(bird_bench_scaling_options o, int64_t cores,
                    const char *part)
{
    bird_bench_scaling_row r[2];

    cr_assert_eq(bird_bench_scaling(r, &cores, 1, &o), BIRD_EINVAL);
    cr_assert(strstr(bird_last_error(), part), "%s", bird_last_error());
}

Test(scaling, what_no_machine_is)
{
    bird_bench_scaling_options o = tiny();

    refused(o, 0, "0 cores");
    refused(o, 12, "12 cores");
    refused(o, 96, "96 cores");
    refused(o, 8192, "8192 cores");
    o.group = 6;
    refused(o, 6, "not 64 of 6");
    o = tiny();
    o.memory_gb = 0;
    refused(o, 8, "above 0");
    o = tiny();
    o.clock = (double)NAN;
    refused(o, 8, "above 0");
    o = tiny();
    o.packs = 0;
    refused(o, 8, "packs");
    o = tiny();
    o.bench.preset = "huge";
    refused(o, 8, "huge");
}
