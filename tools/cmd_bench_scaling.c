/* dnabird bench scaling: what many cores should give.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/bench_scaling.h"

static const char about[] =
    "Measures every task of one pack of sequences on one core, then simulates\n"
    "machines of many cores that score packs: a pack a core in rounds, as "
    "now,\n"
    "and a pack for each group of cores that share a cache.";

static const char notes[] =
    "The machine is assumed: bandwidths, cache and clock are to be set to\n"
    "those of the one in question. docs/benchmarks.md has what is left out.";

struct choices {
    int64_t *cores;
    int64_t n;
    const char *list;
    int preset, precision, json;
};

static int parse(int *argc, char ***argv, bird_bench_scaling_options *o,
                 struct choices *c)
{
    struct opt_usage usage = {
        "bench scaling", "[options]", about, notes, 0, 0, NULL};
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &o->bench.model, "DIR",
         "model folder, instead of a preset"},
        {0, "preset", OPT_CHOICE, &c->preset, "base|small|tiny",
         "shape of a model with random weights"},
        {0, "tokens", OPT_INT, &o->bench.tokens, "INT", "of a sequence"},
        {0, "sequences", OPT_INT, &o->bench.sequences, "INT",
         "of a pack; the program fills packs up to 4,096 tokens"},
        CLI_PRECISION(&c->precision),
        {0, "cores", OPT_TEXT, &c->list, "LIST",
         "numbers of cores, between commas"},
        {0, "packs", OPT_INT, &o->packs, "INT", "that are scored"},
        {0, "group", OPT_INT, &o->group, "INT",
         "cores that share a cache, and in the second row of each a pack"},
        {0, "node", OPT_INT, &o->node, "INT", "cores of a NUMA node"},
        {0, "memory", OPT_REAL, &o->memory_gb, "GB/S",
         "bandwidth of a node's memory"},
        {0, "link", OPT_REAL, &o->link_gb, "GB/S",
         "bandwidth of a node from the others' memory"},
        {0, "cache", OPT_REAL, &o->cache_mib, "MIB",
         "cache that a group shares: weights that fit are read once a loop"},
        {0, "barrier", OPT_REAL, &o->barrier_us, "US",
         "what the end of a loop of several cores takes"},
        {0, "clock", OPT_REAL, &o->clock, "REAL",
         "speed of a core when all work, of this one's"},
        {0, "bases-per-s", OPT_REAL, &o->bases_per_s, "REAL",
         "that one core tokenizes; 0: measured with the model's tokenizer, "
         "of a preset with the shipped one's"},
        {0, "bases-per-token", OPT_REAL, &o->bases_per_token, "REAL",
         "that its vocabulary has"},
        {0, "repeats", OPT_INT, &o->bench.repeats, "INT",
         "passes, of which each task's shortest time counts"},
        {0, "cpu-time", OPT_FLAG, &o->bench.cpu_time, NULL,
         "time of the processor, not of the clock"},
        {0, "json", OPT_FLAG, &c->json, NULL, "rows as JSON"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static int read_cores(struct choices *c)
{
    struct opt_names part = opt_split(c->list);
    int bad = 0;

    c->n = part.n;
    c->cores = calloc((size_t)c->n + 1, sizeof(*c->cores));
    for (int64_t i = 0; c->cores && !bad && i < c->n; i++) {
        char *end;

        errno = 0;
        c->cores[i] = strtoll(part.at[i], &end, 10);
        bad = errno || end == part.at[i] || *end;
    }
    if (!c->cores)
        bad = 1;
    return bad ? cli_usage("bench scaling: --cores takes numbers between "
                           "commas, not '%s'",
                           c->list)
               : CLI_OK;
}

static void show(const bird_bench_scaling_row *r, int64_t n)
{
    printf("%6s %5s %10s %9s %12s %10s %7s  %s\n", "cores", "nodes",
           "pack cores", "pack ms", "tokens/s", "times one", "share",
           "held back by");
    for (int64_t i = 0; i < n; i++, r++)
        printf("%6lld %5lld %10lld %9.2f %12.0f %10.2f %6.1f%%  %s\n",
               (long long)r->cores, (long long)r->nodes, (long long)r->group,
               1e3 * r->pack_s, r->per_s, r->faster, 100 * r->share,
               bird_scaling_bound_name(r->bound));
}

static int run(const bird_bench_scaling_options *o, const struct choices *c)
{
    bird_bench_scaling_row *row =
        calloc((size_t)(c->n > 0 ? c->n : 1), 2 * sizeof(*row));
    char *text = NULL;
    int status = CLI_OK;

    if (!row) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    if (bird_bench_scaling(row, c->cores, c->n, o) ||
        (c->json && bird_bench_scaling_json(&text, row, 2 * c->n)))
        status = cli_fail();
    else if (c->json)
        puts(text);
    else
        show(row, 2 * c->n);
    free(text);
    free(row);
    return status;
}

int cmd_bench_scaling(int argc, char **argv)
{
    static const char *const presets[] = {"base", "small", "tiny"};
    struct choices c = {.list = "1,2,8,64,128"};
    bird_bench_scaling_options o;
    int status;

    bird_bench_scaling_default(&o);
    if ((status = parse(&argc, &argv, &o, &c)) != OPT_GO)
        return status;
    o.bench.preset = presets[c.preset];
    o.bench.precision = (enum bird_precision)c.precision;
    status = read_cores(&c);
    if (!status)
        status = run(&o, &c);
    free(c.cores);
    return status;
}
