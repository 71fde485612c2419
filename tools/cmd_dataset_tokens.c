/*
 * dnabird dataset tokens: rows for pretraining, sampled in advance, by
 * bird_token_shards_write().
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "dataset tokens",
    "--tokenizer FILE (--steps N | -n N) [options] -o DIR ref.fa...",
    "Samples and tokenizes the rows that pretraining would sample from FASTA "
    "files (plain, gzip, bgzip), and writes them compressed into a folder. "
    "Pretraining "
    "from the folder sees the same batches as from the references, masks "
    "included, when tokenizer, regions, sampling, length, seed, share of N and "
    "--nsp are the same. The disk space needed is printed first.",
    "The same command continues an interrupted run; more --steps add rows. "
    "Memory: 1/4 byte per base, and some 30 MB.",
    1,
    INT_MAX,
    "no FASTA file"};

struct request {
    bird_token_shards_options o;
    const char *out;
};

/* Bytes for people, in powers of 1000. */
static const char *size_text(char text[32], int64_t bytes)
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
    double x = (double)bytes;
    int k = 0;

    while (x >= 1000.0 && k < 4) {
        x /= 1000.0;
        k++;
    }
    snprintf(text, 32, "%.*f %s", k ? 1 : 0, x, unit[k]);
    return text;
}

static void tell_plan(const bird_token_shards_plan *p, const char *folder)
{
    char need[32], room[32];

    cli_say("%s: %s, %s a step (%s), from %s", folder,
            cli_count(p->rows, "row"), cli_count(p->rows_per_step, ""),
            cli_count(p->rows / p->rows_per_step, "whole step"),
            cli_count(p->bases, "base"));
    if (p->rows_there)
        cli_say("continued after %s of an earlier run",
                cli_count(p->rows_there, "row"));
    cli_say("about %s of disk for %s: %.0f bytes a row, the mean of %s "
            "sampled now (%.2f bp per token); %s are free",
            size_text(need, p->bytes_needed),
            cli_count(p->rows - p->rows_there, "row"), p->bytes_per_row,
            cli_count(p->rows_measured, "row"), p->bp_per_token,
            size_text(room, p->bytes_free));
    if (p->n_rich)
        cli_say("%s with too many N passed over for these %s",
                cli_count(p->n_rich, "position"),
                cli_count(p->rows_measured, "row"));
}

static int write_tokens(const struct request *q)
{
    bird_token_shards *x = NULL;
    bird_token_shards_plan plan;
    int rc = bird_token_shards_open(&x, q->out, &q->o);

    if (!rc) {
        bird_token_shards_plan_get(x, &plan);
        tell_plan(&plan, q->out);
        rc = bird_token_shards_write(x, cli_progress, NULL);
    }
    bird_token_shards_free(x);
    return rc ? cli_fail() : CLI_OK;
}

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_sample_options *s = &q->o.sample;
    const struct opt opts[] = {
        {0, "tokenizer", OPT_TEXT, &q->o.tokenizer, "FILE", "tokenizer.json"},
        {'o', "output", OPT_TEXT, &q->out, "DIR", "folder of the shards"},
        {0, "steps", OPT_SIZE, &q->o.steps, "INT",
         "number of steps to sample rows for (no default: this or --number)"},
        {'n', "number", OPT_SIZE, &q->o.rows, "INT",
         "number of rows to sample (no default: this or --steps)"},
        {0, "batch", OPT_COUNT, &q->o.batch_tok, "TOKENS",
         "tokens of a step: as many whole rows, one at least"},
        CLI_LENGTH(s),
        CLI_SEED(&s->seed),
        CLI_THREADS,
        CLI_SAMPLE(s),
        {0, "valid-include", OPT_TEXT, &s->held_out[0], "BED",
         "never these either: held out for validation"},
        {0, "test-include", OPT_TEXT, &s->held_out[1], "BED",
         "never these either: held out for testing"},
        {0, "file-rows", OPT_SIZE, &q->o.rows_per_file, "INT",
         "rows of a file (default: those of 16 M tokens)"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

int cmd_dataset_tokens(int argc, char **argv)
{
    struct request q = {.o.batch_tok = 32768};
    int status;

    bird_sample_options_default(&q.o.sample);
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if (!q.o.tokenizer || !q.out)
        return cli_usage("dataset tokens: --tokenizer FILE and -o DIR are "
                         "needed");
    if (!q.o.rows == !q.o.steps)
        return cli_usage("dataset tokens: give --steps or --number");
    q.o.sample.fasta = (const char *const *)argv;
    q.o.sample.n_fasta = argc;
    return write_tokens(&q);
}
