/*
 * dnabird bench: how fast this machine runs a model, compared with the rate of
 * its matrix product. Each kind of measurement is a row of a table here and
 * a function that fills a JSON object; `scan`, `variant` and `scaling` have
 * options, and files, of their own.
 * SPDX-License-Identifier: MIT
 */
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"

static const char about[] =
    "Measures one thing, or without an argument a set of rows. Each row has "
    "its own reference, measured in alternation with it: the best cblas_sgemm "
    "over the shapes of the encoder's linear layers, on the same number of "
    "threads.";

static const char notes[] =
    "Operations are counted from the configuration: linear layers, and\n"
    "attention over the keys that the plan lists. linear, attention, rest:\n"
    "shares of the time. Details: docs/benchmarks.md. 'dnabird bench "
    "scan',\n"
    "'... scaling' and '... variant' have options of their own.";

typedef int measure(json_t **row, const struct bench_options *o);

static const struct {
    const char *name;
    measure *run;
} kinds[] = {
    {"forward", bench_forward},     {"linear", bench_linear},
    {"attention", bench_attention}, {"train", bench_train},
    {"tokenize", bench_tokenize},
};

enum { BASE, SMALL }; /* of bench_presets */
static const struct {
    measure *run;
    int preset;
    int64_t tokens, sequences;
} rows[] = {
    {bench_forward, BASE, 512, 8},   {bench_forward, BASE, 1024, 4},
    {bench_forward, BASE, 4096, 1},  {bench_forward, BASE, 60, 64},
    {bench_linear, BASE, 4096, 1},   {bench_attention, BASE, 4096, 1},
    {bench_forward, SMALL, 4096, 1}, {bench_train, SMALL, 1024, 4},
    {bench_forward, BASE, 32768, 1},
};

static const struct bench_column columns[] = {
    {"row", "name", -10, 0, 0},
    {"model", "model", -8, 0, 0},
    {"tokens", "tokens", 7, 0, 0},
    {"seqs", "sequences", 5, 0, 0},
    {"thr", "threads", 3, 0, 0},
    {"best s", "best_s", 8, 4, 0},
    {"median s", "median_s", 8, 4, 0},
    {"GFLOP", "gflop", 8, 1, 0},
    BENCH_RATE_COLUMNS,
    {"tokens/s", "per_s", 9, 0, 0},
    {"linear", "linear_share", 6, 1, '%'},
    {"attn", "attention_share", 6, 1, '%'},
    {"rest", "rest_share", 6, 1, '%'},
    {"peak MiB", "peak_mib", 8, 0, 0},
};

enum { N_KIND = sizeof(kinds) / sizeof(*kinds) };
enum { N_ROW = sizeof(rows) / sizeof(*rows) };
enum { N_COLUMN = sizeof(columns) / sizeof(*columns) };

static int parse(int *argc, char ***argv, struct bench_options *o)
{
    struct opt_usage usage = {"bench",
                              "[forward|linear|attention|train|tokenize|scan|"
                              "variant|scaling|stem|bins] [options]",
                              about,
                              notes,
                              0,
                              1,
                              "one thing at a time"};
    const struct opt opts[] = {
        BENCH_MODEL_OPTIONS(o),
        {0, "length", OPT_COUNT, &o->tokens, "INT",
         "tokens of a sequence, 4096; of tokenize: bp at most, 10M"},
        {0, "sequences", OPT_COUNT, &o->sequences, "INT",
         "sequences of a pack, 1"},
        {0, "precision", OPT_CHOICE, &o->precision, "float32|bfloat16|int8",
         "arithmetic precision of linear layers, for forward, linear and train "
         "(not int8); compared with float32"},
        {0, "attention-map", OPT_TEXT, &o->map, "NAME[:PARAMETER]",
         "of attention: this map of scores, compared with softmax (default: "
         "of the model)"},
        {'f', "reference", OPT_TEXT, &o->fasta, "FASTA",
         "sequence for tokenize and for bases per token; without it random "
         "bases"},
        {0, "tokenizer", OPT_TEXT, &o->tokenizer, "FILE",
         "of train: tokenizer.json whose bases per token are measured, and "
         "whose vocabulary the model has, 32,000 without it"},
        {0, "recompute", OPT_FLAG, &o->recompute, NULL,
         "of train: keep the inputs of layers only and run each again in the "
         "backward pass"},
        BENCH_THREADS(&o->threads),
        BENCH_RUN_OPTIONS(o),
        BENCH_SETTINGS(o),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

/* Time per token of the longest row against the one of 4,096 tokens. */
static void compare(const json_t *all)
{
    const json_t *longest = json_array_get(all, N_ROW - 1);
    const json_t *r = json_array_get(all, 2);

    printf("time per token at %.0f tokens / at %.0f: %.3f\n",
           bench_number(longest, "tokens"), bench_number(r, "tokens"),
           bench_number(r, "per_s") / bench_number(longest, "per_s"));
}

/* One row, or with run NULL all of the table. */
static int run_rows(const struct bench_options *given, measure *run)
{
    struct bench_options o = *given;
    json_t *all = json_array();
    int status = CLI_OK;

    for (int i = 0; status == CLI_OK && i < (run ? 1 : N_ROW); i++) {
        json_t *row = NULL;

        if (!run) {
            o.preset = rows[i].preset;
            o.tokens = rows[i].tokens;
            o.sequences = rows[i].sequences;
        }
        status = (run ? run : rows[i].run)(&row, &o) ? cli_fail() : CLI_OK;
        if (status == CLI_OK && !o.json)
            bench_print(columns, N_COLUMN, row, !i);
        json_array_append_new(all, row);
    }
    if (status == CLI_OK && !run && !o.json)
        compare(all);
    if (status == CLI_OK && o.json)
        return bench_print_json(all) ? cli_fail() : CLI_OK;
    json_decref(all);
    return status;
}

/* Options that the kind does not have. */
static int check(const struct bench_options *o, measure *run)
{
    if (run != bench_train && (o->recompute || o->tokenizer))
        return cli_usage("bench: --recompute and --tokenizer belong to train");
    if (o->precision && run && run != bench_forward && run != bench_linear &&
        run != bench_train)
        return cli_usage("bench: --precision belongs to forward, linear and "
                         "train");
    if (o->map && run != bench_attention)
        return cli_usage("bench: --attention-map belongs to attention");
    return cli_threads(o->threads) ? CLI_USAGE : CLI_OK;
}

int cmd_bench(int argc, char **argv)
{
    struct bench_options o, plain;
    measure *run = NULL;
    int status, kind;

    bench_options_default(&o);
    plain = o;
    o.tokens = o.sequences = INT64_MIN; /* not given */
    if ((status = parse(&argc, &argv, &o)) != OPT_GO)
        return status;
    for (kind = 0; argc && kind < N_KIND; kind++)
        if (!strcmp(argv[0], kinds[kind].name))
            break;
    if (kind == N_KIND)
        return cli_usage("bench: cannot measure '%s': use forward, linear, "
                         "attention, train, tokenize, scan, variant, scaling, "
                         "stem or bins",
                         argv[0]);
    run = argc ? kinds[kind].run : NULL;
    if ((status = check(&o, run)))
        return status;
    if (!run && (o.model || o.preset || o.precision || o.tokens != INT64_MIN ||
                 o.sequences != INT64_MIN))
        run = bench_forward;
    if (o.tokens == INT64_MIN)
        o.tokens = run == bench_tokenize ? 10000000 : plain.tokens;
    if (o.sequences == INT64_MIN)
        o.sequences = plain.sequences;
    return run_rows(&o, run);
}
