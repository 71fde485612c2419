/*
 * dnabird bench scaling: the loops of one pack of sequences are measured on one
 * core, then machines of many cores run packs in a simulation.
 *
 * A layer is a row of three loops, one after the other, as bird_parallel() runs
 * them: queries, keys and values; attention; the rest. The tasks of a loop take
 * equally long here and go to the first core that is free. Data that a loop
 * reads from memory takes at least its size over the bandwidth that is left for
 * the pack; a loop takes the longer of the two. No machine of that size is
 * needed; docs/benchmarks.md has what is assumed and left out.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm_low.h"
#include "model/linear.h"

enum { MOST_CORES = 4096 };

/* The machine that is assumed, and the pack. */
struct scaling {
    struct bench_options bench; /* of one pack */
    int64_t packs;              /* that are scored */
    int64_t group;              /* cores that share the last level of cache */
    int64_t node;               /* cores of a NUMA node */
    double memory_gb;           /* 1e9 bytes a second of a node's memory */
    double link_gb;             /* of a node, from the others' memory */
    double cache_mib;           /* of the cache that a group shares */
    double barrier_us;          /* end of a loop */
    double clock;       /* speed of a core when all work, of this one's */
    double bases_per_s; /* that one core tokenizes; 0: measured */
    double bases_per_token;
};

enum { QKV, ATTENTION, OUTPUT, N_LOOP };

struct loop {
    int64_t n_task;
    double task_s;       /* measured on one core */
    double weight_bytes; /* that every task reads */
    double row_bytes;    /* that the tasks together read and write */
};

struct pack {
    struct loop loop[N_LOOP]; /* of a layer */
    int64_t n_layer;
    double tokens, feed_s; /* to make one */
};

/* What one pack has of the machine. Rates are bytes a second. */
struct share {
    int64_t cores;      /* that work on it */
    double clock;       /* speed of a core, of the measured one's */
    double barrier_s;   /* end of a loop of several cores */
    double cache_bytes; /* weights up to this are read once a loop, others by
                           every task */
    double memory_rate; /* its share of the bandwidth of its NUMA node */
    double link_rate;   /* its share of that between nodes */
    int64_t nodes;      /* over which the weights lie evenly */
};

/* ---- measuring ----------------------------------------------------------- */

/* Times of a layer's loops from a forward pass: linear layers in proportion to their
 * work; the rest, neither linear nor attention, at the end. */
static int measure(struct pack *p, const struct bench_options *o)
{
    struct bench_weights w = {0};
    const struct bird_config *c = &w.c;
    double d, f, each, best_s, linear_s, layers;
    int64_t n = o->tokens * o->sequences, panel, tile;
    struct bird_pattern pattern;
    json_t *row = NULL;
    int rc = bench_weights_open(&w, o->model, o);

    if (!rc)
        rc = bench_forward(&row, o);
    if (rc)
        goto done;
    d = (double)c->hidden_size;
    f = (double)c->intermediate_size;
    layers = (double)c->n_layer;
    pattern = bird_pattern_of(c);
    tile = bird_pattern_is_full(&pattern, o->tokens) ? bird_attention_tile(NULL)
                                                     : c->pattern.block;
    panel = o->precision ? BIRD_LOW_ROWS : bird_packed_rows(n);
    each = o->precision == BIRD_INT8 ? 1 : o->precision ? 2 : 4;
    best_s = bench_number(row, "best_s");
    linear_s = best_s * bench_number(row, "linear_share");
    p->n_layer = c->n_layer;
    p->tokens = (double)n;
    p->loop[QKV] = (struct loop){(n + panel - 1) / panel,
                                 linear_s * 3 * d / (4 * d + 2 * f) / layers,
                                 each * 3 * d * d, 4 * 4 * d * (double)n};
    p->loop[ATTENTION] = (struct loop){
        o->sequences * c->n_head * ((o->tokens + tile - 1) / tile),
        best_s * bench_number(row, "attention_share") / layers, 0,
        4 * 4 * d * (double)n};
    p->loop[OUTPUT] = (struct loop){
        p->loop[QKV].n_task,
        best_s / layers - p->loop[QKV].task_s - p->loop[ATTENTION].task_s,
        each * (d * d + 2 * d * f), 4 * 3 * d * (double)n};
    for (int i = 0; i < N_LOOP; i++) /* a loop's time becomes a task's */
        p->loop[i].task_s =
            fmax(p->loop[i].task_s, 0) / (double)p->loop[i].n_task;
done:
    bench_weights_free(&w);
    json_decref(row);
    return rc;
}

/* Seconds to tokenize a pack. */
static int feeding(struct pack *p, const struct scaling *s)
{
    struct bench_options o = s->bench;
    double rate = s->bases_per_s;
    json_t *row = NULL;
    int rc = 0;

    o.tokens = 2000000;
    if (rate == 0) {
        rc = bench_tokenize(&row, &o);
        rate = bench_number(row, "per_s");
        json_decref(row);
    }
    p->feed_s = p->tokens * s->bases_per_token / rate;
    return rc;
}

/* ---- simulating ---------------------------------------------------------- */

/* Seconds of one pack. */
static double pack_s(const struct pack *p, const struct share *s)
{
    double elsewhere = (double)(s->nodes - 1) / (double)s->nodes, sum = 0;

    for (int i = 0; i < N_LOOP; i++) {
        const struct loop *l = p->loop + i;
        int64_t rounds = (l->n_task + s->cores - 1) / s->cores;
        double weights =
            l->weight_bytes *
            (l->weight_bytes <= s->cache_bytes ? 1 : (double)l->n_task);
        double t = (double)rounds * l->task_s / s->clock;

        t = fmax(t, (weights + l->row_bytes) / s->memory_rate);
        t = fmax(t, weights * elsewhere / s->link_rate);
        sum += t + (s->cores > 1 ? s->barrier_s : 0);
    }
    return sum * (double)p->n_layer;
}

/*
 * Seconds of n packs on n_group groups, if one thread makes each pack in feed_s.
 * rounds = 1: it makes a pack for every group, then all are computed, and so on; 0:
 * it makes packs meanwhile, and the next one goes to the first free group, the one
 * that took the pack n_group before.
 */
static double queue_s(double pack_s, double feed_s, int64_t n, int64_t n_group,
                      int rounds)
{
    double free_at[MOST_CORES] = {0}, end = 0;

    for (int64_t i = 0; rounds && i < n; i += n_group)
        end += (double)(n - i < n_group ? n - i : n_group) * feed_s + pack_s;
    for (int64_t i = 0; !rounds && i < n; i++) {
        double *at = free_at + i % n_group;

        end = *at = fmax(*at, (double)(i + 1) * feed_s) + pack_s;
    }
    return end;
}

/* What a pack of `group` cores has when all cores work. */
static struct share share_of(const struct scaling *o, int64_t cores,
                             int64_t group)
{
    int64_t node = cores < o->node ? cores : o->node;
    int64_t cached = cores < o->group ? cores : o->group;
    int64_t packs = node / group;

    return (struct share){.cores = group,
                          .clock = cores > 1 ? o->clock : 1,
                          .barrier_s = 1e-6 * o->barrier_us,
                          .cache_bytes = o->cache_mib * (1 << 20) *
                                         (double)group / (double)cached,
                          .memory_rate = 1e9 * o->memory_gb / (double)packs,
                          .link_rate = 1e9 * o->link_gb / (double)packs,
                          .nodes = cores / node};
}

/* What most holds a row back: its packs cannot be made faster; memory costs
 * over 5 %; loops do not divide evenly; or nothing but the cores. */
static const char *bound_of(const struct scaling *o, const struct pack *p,
                            struct share h, double all_s)
{
    double real = pack_s(p, &h), ideal;
    int64_t group = h.cores;

    if ((double)o->packs * p->feed_s > 0.9 * all_s)
        return "feeding";
    h.memory_rate = h.link_rate = (double)INFINITY;
    ideal = pack_s(p, &h);
    if (ideal < 0.95 * real)
        return "memory";
    h.cores = 1;
    return pack_s(p, &h) / (double)group < 0.95 * ideal ? "tasks" : "cores";
}

/* Seconds of all packs on these cores, one pack per group of cores. Adds a row,
 * compared with one core's seconds, unless rows is NULL. */
static double simulate(json_t *rows, const struct scaling *o,
                       const struct pack *p, int64_t cores, int64_t group,
                       double alone_s)
{
    struct share h = share_of(o, cores, group);
    double one = pack_s(p, &h), all_s;
    int rounds = group == 1; /* otherwise feeding takes a part of all cores */
    json_t *row;

    all_s = queue_s(one + (rounds ? 0 : p->feed_s / (double)group), p->feed_s,
                    o->packs, cores / group, rounds);
    if (!rows)
        return all_s;
    row = json_pack("{s:I, s:I, s:I}", "cores", (json_int_t)cores, "nodes",
                    (json_int_t)h.nodes, "cores_of_a_pack", (json_int_t)group);
    bench_put(row, "pack_s", one);
    bench_put(row, "tokens_per_s", p->tokens * (double)o->packs / all_s);
    bench_put(row, "times_one_core", alone_s / all_s);
    bench_put(row, "share", alone_s / all_s / (double)cores);
    json_object_set_new(row, "bound", json_string(bound_of(o, p, h, all_s)));
    json_array_append_new(rows, row);
    return all_s;
}

static int check(const int64_t *cores, int64_t n, const struct scaling *o)
{
    const double rate[] = {o->memory_gb, o->link_gb, o->clock,
                           o->bases_per_token};

    for (size_t i = 0; i < sizeof(rate) / sizeof(*rate); i++)
        if (!(rate[i] > 0) || isinf(rate[i]))
            return bird_fail(BIRD_EINVAL, "scaling: rates must be above 0");
    if (!(o->cache_mib >= 0) || !(o->barrier_us >= 0) || isinf(o->barrier_us) ||
        !(o->bases_per_s >= 0))
        return bird_fail(BIRD_EINVAL, "scaling: cache, barrier and bases a "
                                      "second must not be negative");
    if (o->packs < 1 || o->packs > 1000000)
        return bird_fail(BIRD_EINVAL, "scaling: packs: 1 to 1000000");
    if (o->group < 1 || o->node < o->group || o->node % o->group)
        return bird_fail(BIRD_EINVAL,
                         "scaling: a NUMA node must be whole groups of cores, "
                         "not %lld of %lld",
                         (long long)o->node, (long long)o->group);
    for (int64_t i = 0; i < n; i++)
        if (cores[i] < 1 || cores[i] > MOST_CORES ||
            (cores[i] > o->group && cores[i] % o->group) ||
            (cores[i] > o->node && cores[i] % o->node))
            return bird_fail(BIRD_EINVAL,
                             "scaling: %lld cores: 1 to %d, in whole groups of "
                             "%lld and nodes of %lld",
                             (long long)cores[i], MOST_CORES,
                             (long long)o->group, (long long)o->node);
    return 0;
}

/* Two rows for each number of cores: a pack a core, a pack a group. */
static int run(json_t *rows, const int64_t *cores, int64_t n,
               const struct scaling *o)
{
    struct pack p;
    double alone_s;
    int rc = check(cores, n, o);

    bird_threads_set(1);
    if (rc || (rc = measure(&p, &o->bench)) || (rc = feeding(&p, o)))
        return rc;
    alone_s = simulate(NULL, o, &p, 1, 1, 0);
    for (int64_t i = 0; i < n; i++) {
        simulate(rows, o, &p, cores[i], 1, alone_s);
        simulate(rows, o, &p, cores[i],
                 cores[i] < o->group ? cores[i] : o->group, alone_s);
    }
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static const char about[] =
    "Measures the loops of one pack of sequences on one core, then simulates\n"
    "machines of many cores that score packs: a pack a core in rounds, as "
    "now,\n"
    "and a pack for each group of cores that share a cache.";

static const char notes[] =
    "The machine is assumed: bandwidths, cache and clock are to be set to\n"
    "those of the one in question. docs/benchmarks.md has what is left out.";

static const struct bench_column columns[] = {
    {"cores", "cores", 6, 0, 0},
    {"nodes", "nodes", 5, 0, 0},
    {"pack cores", "cores_of_a_pack", 10, 0, 0},
    {"pack ms", "pack_s", 9, 2, 'm'},
    {"tokens/s", "tokens_per_s", 12, 0, 0},
    {"times one", "times_one_core", 10, 2, 0},
    {"share", "share", 7, 1, '%'},
    {" held back by", "bound", -1, 0, 0},
};

static int parse(int *argc, char ***argv, struct scaling *o, const char **cores)
{
    struct opt_usage usage = {
        "bench scaling", "[options]", about, notes, 0, 0, NULL};
    const struct opt opts[] = {
        BENCH_MODEL_OPTIONS(&o->bench),
        {0, "length", OPT_COUNT, &o->bench.tokens, "INT",
         "tokens of a sequence"},
        {0, "sequences", OPT_COUNT, &o->bench.sequences, "INT",
         "sequences of a pack; the program fills packs up to 4,096 tokens"},
        CLI_PRECISION(&o->bench.precision),
        {0, "cores", OPT_TEXT, cores, "LIST",
         "numbers of cores, separated by commas"},
        BENCH_RUN_OPTIONS(&o->bench),
        BENCH_SETTINGS(&o->bench),
        {0, "packs", OPT_COUNT, &o->packs, "INT", "number of packs to score"},
        {0, "group", OPT_COUNT, &o->group, "INT",
         "cores that share a cache, and in the second row of each a pack"},
        {0, "node", OPT_COUNT, &o->node, "INT", "cores of a NUMA node"},
        {0, "memory", OPT_REAL, &o->memory_gb, "GB/S",
         "bandwidth of a node's memory"},
        {0, "link", OPT_REAL, &o->link_gb, "GB/S",
         "bandwidth of a node from the memory of other nodes"},
        {0, "cache", OPT_REAL, &o->cache_mib, "MIB",
         "cache that a group shares: weights that fit are read once a loop"},
        {0, "barrier", OPT_REAL, &o->barrier_us, "US",
         "time to end a loop of several cores"},
        {0, "clock", OPT_REAL, &o->clock, "REAL",
         "speed of a core when all work, relative to this core's"},
        {0, "bases-per-s", OPT_REAL, &o->bases_per_s, "REAL",
         "bases that one core tokenizes in a second (default: measured with "
         "the model's tokenizer, of a preset with the shipped one's)"},
        {0, "bases-per-token", OPT_REAL, &o->bases_per_token, "REAL",
         "bases per token of its vocabulary"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

/* Numbers between commas; *out is the caller's. */
static int read_cores(int64_t **out, int64_t *n, const char *list)
{
    struct opt_names part = opt_split(list);
    int bad = bird_array_new(out, part.n, sizeof(**out));

    *n = part.n;
    for (int64_t i = 0; !bad && i < *n; i++) {
        char *end;

        errno = 0;
        (*out)[i] = strtoll(part.at[i], &end, 10);
        bad = errno || end == part.at[i] || *end;
    }
    return bad ? cli_usage("bench scaling: --cores takes numbers between "
                           "commas, not '%s'",
                           list)
               : CLI_OK;
}

int cmd_bench_scaling(int argc, char **argv)
{
    const char *list = "1,2,8,64,128";
    struct scaling o = {.packs = 10000,
                        .group = 8,
                        .node = 64,
                        .memory_gb = 200,
                        .link_gb = 50,
                        .cache_mib = 32,
                        .barrier_us = 5,
                        .clock = 1,
                        .bases_per_token = 4};
    int64_t *cores = NULL, n = 0;
    json_t *rows;
    int status;

    bench_options_default(&o.bench);
    o.bench.tokens = 512;
    o.bench.sequences = 8;
    if ((status = parse(&argc, &argv, &o, &list)) != OPT_GO)
        return status;
    rows = json_array();
    status = read_cores(&cores, &n, list);
    if (!status && run(rows, cores, n, &o))
        status = cli_fail();
    if (!status && o.bench.json) {
        status = bench_print_json(rows) ? cli_fail() : CLI_OK;
        rows = NULL;
    }
    for (size_t i = 0; !status && i < json_array_size(rows); i++)
        bench_print(columns, (int)(sizeof(columns) / sizeof(*columns)),
                    json_array_get(rows, i), !i);
    json_decref(rows);
    free(cores);
    return status;
}
