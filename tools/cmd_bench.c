/* dnabird bench: how fast this machine runs a model, beside the best that its
 * matrix product gives. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/bench.h"
#include "dnabird/bench_train.h"
#include "dnabird/dnabird.h"

static const char about[] =
    "Measures one thing, or without an argument a set of rows. Each row has\n"
    "its own reference, taken in turns with it: the best cblas_sgemm over the\n"
    "shapes of the encoder's linear layers, on the same number of threads.";

static const char notes[] =
    "Operations are counted from the configuration: linear layers, and\n"
    "attention over the keys that the plan lists. linear, attention, rest:\n"
    "shares of the time. docs/benchmarks.md says more. 'dnabird bench "
    "scan',\n"
    "'... scaling' and '... variant' have options of their own.";

typedef int measure(bird_bench_row *out, const bird_bench_options *o);

static const struct {
    const char *name;
    measure *run;
} kinds[] = {
    {"forward", bird_bench_forward},     {"linear", bird_bench_linear},
    {"attention", bird_bench_attention}, {"train", bird_bench_train},
    {"tokenize", bird_bench_tokenize},
};

static const struct {
    measure *run;
    const char *preset;
    int64_t tokens, sequences;
} rows[] = {
    {bird_bench_forward, "base", 512, 8},
    {bird_bench_forward, "base", 1024, 4},
    {bird_bench_forward, "base", 4096, 1},
    {bird_bench_forward, "base", 60, 64},
    {bird_bench_linear, "base", 4096, 1},
    {bird_bench_attention, "base", 4096, 1},
    {bird_bench_forward, "small", 4096, 1},
    {bird_bench_train, "small", 1024, 4},
    {bird_bench_forward, "base", 32768, 1},
};

enum { N_KIND = sizeof(kinds) / sizeof(*kinds) };
enum { N_ROW = sizeof(rows) / sizeof(*rows) };

struct choices {
    int64_t tokens, sequences; /* INT64_MIN: not given */
    int preset, json, precision;
};

static int parse(int *argc, char ***argv, bird_bench_options *o,
                 struct choices *c)
{
    struct opt_usage usage = {"bench",
                              "[forward|linear|attention|train|tokenize|scan|"
                              "variant|scaling] [options]",
                              about,
                              notes,
                              0,
                              1,
                              "one thing at a time"};
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &o->model, "DIR",
         "model folder, instead of a preset"},
        {0, "preset", OPT_CHOICE, &c->preset, "base|small|tiny",
         "shape of a model with random weights"},
        {0, "tokens", OPT_INT, &c->tokens, "INT",
         "of a sequence, 4096; of tokenize: bp at most, 10M"},
        {0, "sequences", OPT_INT, &c->sequences, "INT", "packed together, 1"},
        {0, "precision", OPT_CHOICE, &c->precision, "float32|bfloat16|int8",
         "of forward, linear and train (not int8): what linear layers multiply "
         "in; beside it the same in float32"},
        {'f', "reference", OPT_TEXT, &o->fasta, "FASTA",
         "sequence for tokenize and for bases per token; without it random "
         "bases"},
        {0, "tokenizer", OPT_TEXT, &o->tokenizer, "FILE",
         "of train: tokenizer.json whose bases per token are measured, and "
         "whose vocabulary the model has, 32,000 without it"},
        {0, "recompute", OPT_FLAG, &o->recompute, NULL,
         "of train: keep the inputs of layers only and run each again on the "
         "way back"},
        {0, "repeats", OPT_INT, &o->repeats, "INT", "runs at most"},
        {0, "seconds", OPT_REAL, &o->seconds, "REAL",
         "after which a row begins no other run"},
        CLI_THREADS,
        {0, "cpu-time", OPT_FLAG, &o->cpu_time, NULL,
         "time of the processor, not of the clock: for a machine that does "
         "other things as well; with -t 1"},
        {0, "json", OPT_FLAG, &c->json, NULL, "rows as JSON"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static void heading(void)
{
    printf("%-10s %-8s %7s %5s %3s %8s %8s %8s %8s %8s %6s %9s %6s %6s %6s "
           "%8s\n",
           "row", "model", "tokens", "seqs", "thr", "best s", "median s",
           "GFLOP", "GFLOP/s", "sgemm", "share", "tokens/s", "linear", "attn",
           "rest", "peak MiB");
}

/* A percentage, or a dash. */
static void percent(double x)
{
    if (isnan(x))
        printf(" %6s", "-");
    else
        printf(" %5.1f%%", 100 * x);
}

/* What a row of training tells besides, indented below it. */
static void training(const bird_bench_training *t)
{
    static const char *const part[] = {"forward", "head and loss", "backward",
                                       "again",   "update",        "rest"};

    printf("  executed %.1f GFLOP with what is done again:", t->executed);
    percent(t->executed_share);
    printf(" of sgemm\n  ");
    for (int i = 0; i < BIRD_N_PART; i++)
        printf("%s%s %.1f%%", i ? ", " : "", part[i], 100 * t->part[i]);
    printf("\n  %lld tokens with a loss over %lld", (long long)t->labelled,
           (long long)t->vocabulary);
    if (!isnan(t->bases_per_token))
        printf("; %.3f bases per token: %.0f bp/s", t->bases_per_token,
               t->bp_per_s);
    printf("\n");
}

/* What a row in lower precision tells besides. */
static void lower(const bird_bench_row *r)
{
    const bird_bench_low *l = &r->low;

    printf("  %s by oneDNN's %s: float32 %.4f s, %.2f times as fast\n",
           bird_precision_name(l->precision), l->product, l->float32_s,
           l->speedup);
    if (r->train.labelled) {
        printf("  loss %.6f, in float32 %.6f; gradient's norm %.6g, in float32 "
               "%.6g; gradient off by %.2g of its size (rms); %.0f MiB of "
               "weights beside float32's\n",
               l->loss[1], l->loss[0], l->norm[1], l->norm[0], l->error_rms,
               l->weights_mib);
        return;
    }
    printf("  hidden states off by %.2g of their size (rms), %.2g at most; "
           "%.0f MiB of weights beside float32's\n",
           l->error_rms, l->error_max, l->weights_mib);
}

static void line(const bird_bench_row *r)
{
    printf("%-10s %-8s %7lld %5lld %3d %8.4f %8.4f %8.1f %8.1f %8.1f", r->name,
           r->model, (long long)r->tokens, (long long)r->sequences, r->threads,
           r->best_s, r->median_s, r->gflop, r->gflops, r->sgemm);
    percent(r->share);
    printf(" %9.0f", r->per_s);
    percent(r->linear_share);
    percent(r->attention_share);
    percent(r->rest_share);
    printf(" %8.0f\n", r->peak_mib);
    if (r->train.labelled)
        training(&r->train);
    if (r->low.precision)
        lower(r);
    fflush(stdout);
}

static int show(const bird_bench_row *r, int json, int index)
{
    char *s = NULL;

    if (!json) {
        if (!index)
            heading();
        line(r);
        return CLI_OK;
    }
    if (bird_bench_json(&s, r))
        return cli_fail();
    printf("%s%s", index ? ",\n" : "[\n", s);
    free(s);
    return CLI_OK;
}

/* Time per token of the longest row against the one of 4,096 tokens. */
static void compare(const bird_bench_row *all)
{
    const bird_bench_row *longest = &all[N_ROW - 1], *r = NULL;

    for (int i = 0; i < N_ROW - 1; i++)
        if (!strcmp(all[i].name, "forward") && all[i].tokens == 4096 &&
            !strcmp(all[i].model, longest->model))
            r = &all[i];
    if (r)
        printf("time per token at %lld tokens / at %lld: %.3f\n",
               (long long)longest->tokens, (long long)r->tokens,
               r->per_s / longest->per_s);
}

static int run_rows(const bird_bench_options *given, int json)
{
    bird_bench_row all[N_ROW];
    bird_bench_options o = *given;
    int status = CLI_OK;

    for (int i = 0; status == CLI_OK && i < N_ROW; i++) {
        o.preset = rows[i].preset;
        o.tokens = rows[i].tokens;
        o.sequences = rows[i].sequences;
        status = rows[i].run(&all[i], &o) ? cli_fail() : show(&all[i], json, i);
    }
    if (status == CLI_OK && json)
        puts("\n]");
    else if (status == CLI_OK)
        compare(all);
    return status;
}

static int run_one(measure *run, const bird_bench_options *o, int json)
{
    bird_bench_row r;
    int status = run(&r, o) ? cli_fail() : show(&r, json, 0);

    if (status == CLI_OK && json)
        puts("\n]");
    return status;
}

int cmd_bench(int argc, char **argv)
{
    static const char *const presets[] = {"base", "small", "tiny"};
    struct choices c = {.tokens = INT64_MIN, .sequences = INT64_MIN};
    bird_bench_options o;
    measure *run = NULL;
    int status;

    bird_bench_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &c)) != OPT_GO)
        return status;
    for (int i = 0; argc && i < N_KIND; i++)
        if (!strcmp(argv[0], kinds[i].name))
            run = kinds[i].run;
    if (argc && !run)
        return cli_usage(
            "bench: '%s' is nothing it measures: forward, "
            "linear, attention, train, tokenize, scan, variant or scaling",
            argv[0]);
    o.preset = presets[c.preset];
    if (run == bird_bench_tokenize)
        o.tokens = 10000000;
    if (run != bird_bench_train && (o.recompute || o.tokenizer))
        return cli_usage("bench: --recompute and --tokenizer belong to train");
    o.precision = (enum bird_precision)c.precision;
    if (o.precision && run && run != bird_bench_forward &&
        run != bird_bench_linear && run != bird_bench_train)
        return cli_usage("bench: --precision belongs to forward, linear and "
                         "train");
    if (!run && (o.model || c.preset || c.precision || c.tokens != INT64_MIN ||
                 c.sequences != INT64_MIN))
        run = bird_bench_forward;
    if (c.tokens != INT64_MIN)
        o.tokens = c.tokens;
    if (c.sequences != INT64_MIN)
        o.sequences = c.sequences;
    return run ? run_one(run, &o, c.json) : run_rows(&o, c.json);
}
