/* dnabird dataset tokens: rows for pretraining, drawn beforehand.
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "dnabird/train.h"
#include "opt.h"
#include "progress.h"

static const struct opt_usage usage = {
    "dataset tokens",
    "--tokenizer FILE (--steps N | --rows N) [options] -o DIR ref.fa...",
    "Draw and tokenize the rows that pretraining would draw from FASTA files "
    "(plain, gzip, bgzip), and keep them compressed in a folder. Pretraining "
    "from the folder sees the same batches as from the references, masks "
    "included, when tokenizer, regions, sampling, length, seed, share of N and "
    "--nsp are the same. The disk that is needed is told first.",
    "A run that was stopped is gone on with by the same command; more --steps "
    "add rows. Memory: 1/4 byte a base, and some 30 MB."};

struct request {
    bird_token_shards_options o;
    const char *out;
    int64_t seed, n_thread;
    int kind;
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

    cli_say("%s: %" PRId64 " rows, %" PRId64 " a step (%" PRId64
            " whole steps), from %" PRId64 " bases",
            folder, p->rows, p->rows_per_step, p->rows / p->rows_per_step,
            p->bases);
    if (p->rows_there)
        cli_say("%" PRId64 " rows are there already", p->rows_there);
    cli_say("about %s of disk for %" PRId64 " rows: %.0f bytes a row, the mean "
            "of %" PRId64 " rows drawn now (%.2f bp a token); %s are free",
            size_text(need, p->bytes_needed), p->rows - p->rows_there,
            p->bytes_per_row, p->rows_measured, p->bp_per_token,
            size_text(room, p->bytes_free));
    if (p->n_rich)
        cli_say("%" PRId64 " stretches with too many N were passed over for "
                "these %" PRId64 " rows",
                p->n_rich, p->rows_measured);
}

static int write_tokens(const struct request *q)
{
    struct cli_progress bar = {0};
    bird_token_shards *x = NULL;
    bird_token_shards_plan plan;
    int rc = bird_token_shards_open(&x, q->out, &q->o);

    if (!rc) {
        bird_token_shards_plan_get(x, &plan);
        tell_plan(&plan, q->out);
        rc = bird_token_shards_write(x, cli_progress, &bar);
        cli_progress_end(&bar);
    }
    bird_token_shards_free(x);
    return rc ? cli_fail() : CLI_OK;
}

static int parse(int *first, int *status, struct request *q, int argc,
                 char **argv)
{
    bird_sample_options *o = &q->o.sample;
    const struct opt opts[] = {
        {0, "tokenizer", OPT_TEXT, &q->o.tokenizer, "FILE", "tokenizer.json"},
        {'o', "output", OPT_TEXT, &q->out, "DIR", "folder of the shards"},
        {0, "steps", OPT_INT, &q->o.steps, "INT", "steps to draw rows for"},
        {0, "rows", OPT_INT, &q->o.rows, "INT",
         "rows to draw, where not by steps"},
        {0, "batch", OPT_INT, &q->o.batch_tok, "TOKENS",
         "tokens of a step: so many whole rows, one at least"},
        {0, "length", OPT_INT, &o->length_tok, "TOKENS",
         "of a row at most, special ones included"},
        {0, "sampling", OPT_CHOICE, &q->kind, "windows|documents",
         "anywhere, or the paper's documents of sentences"},
        {0, "include", OPT_TEXT, &o->include, "BED",
         "a row lies whole inside one of these regions; a BED file, or "
         "contigs and regions between commas"},
        {0, "exclude", OPT_TEXT, &o->exclude, "BED", "no row touches these"},
        {0, "valid-include", OPT_TEXT, &o->held_out[0], "BED",
         "nor these, held out for validation: a BED file, or contigs and "
         "regions"},
        {0, "test-include", OPT_TEXT, &o->held_out[1], "BED",
         "nor these; the same"},
        {0, "max-n", OPT_REAL, &o->max_n, "REAL",
         "a stretch with a larger share of N is drawn anew"},
        {0, "nsp", OPT_FLAG, &o->next_sentence, NULL,
         "rows of two parts, the second from elsewhere half of the time"},
        {0, "seed", OPT_INT, &q->seed, "INT", "of all draws"},
        {0, "file-rows", OPT_INT, &q->o.rows_per_file, "INT",
         "rows of a file; 0: as many as 16 M tokens are"},
        {'t', "threads", OPT_INT, &q->n_thread, "INT",
         "threads; 0: the cores there are"},
    };

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

int cmd_dataset_tokens(int argc, char **argv)
{
    struct request q = {.o.batch_tok = 32768};
    int first, status;

    bird_sample_options_default(&q.o.sample);
    q.seed = (int64_t)q.o.sample.seed;
    if (parse(&first, &status, &q, argc, argv))
        return status;
    if (!q.o.tokenizer || !q.out)
        return cli_usage("dataset tokens: --tokenizer FILE and -o DIR are "
                         "needed");
    if (first == argc)
        return cli_usage("dataset tokens: no FASTA file");
    if (!q.o.rows == !q.o.steps)
        return cli_usage("dataset tokens: give --steps or --rows");
    if (q.n_thread && (status = cli_threads(q.n_thread)))
        return status;
    q.o.sample.kind = (enum bird_sample_kind)q.kind;
    q.o.sample.seed = (uint64_t)q.seed;
    q.o.sample.fasta = (const char *const *)(argv + first);
    q.o.sample.n_fasta = argc - first;
    return write_tokens(&q);
}
