/*
 * dnabird evaluate --mlm: bits per base of a masked-language model, by
 * bird_evaluate_mlm().
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "evaluate --mlm",
    "-m MODEL -f REF.fa [options]",
    "Masks tokens of held-out sequence and prints how many bits per base a "
    "masked-language model needs for them, overall and for repeat-masked and "
    "other sequence, with bootstrap intervals over windows; for comparison, on "
    "the "
    "same tokens, 2 bits a base and Markov models learned from the training "
    "sequence: left to right, and from both sides.",
    "All hidden tokens become [MASK]. Metrics given the length are among the "
    "vocabulary's tokens of the hidden token's length: there the model and "
    "the Markov models, which get the length, answer the same question. "
    "docs/math/bits-per-base.md defines the metrics.",
    0,
    0,
    "sequence is named with -f"};

struct request {
    bird_mlm_options o;
    struct opt_names fasta, train_fasta, orders;
    int mlm, no_version;
};

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_mlm_options *o = &q->o;
    const struct opt opts[] = {
        {0, "mlm", OPT_FLAG, &q->mlm, NULL, "evaluate a masked-language model"},
        {'m', "model", OPT_MODEL, &o->model, "DIR",
         "model folder with a masked-language head"},
        CLI_REFERENCES(&q->fasta),
        {'R', "regions-file", OPT_ONCE, &o->regions, "REGIONS",
         "only these regions: a BED file, or regions separated by commas"},
        {0, "train-ref", OPT_NAMES, &q->train_fasta, "FILES",
         "FASTA that the Markov models learn from (default: -f, with "
         "--train-regions)"},
        {0, "train-regions", OPT_TEXT, &o->train_regions, "REGIONS",
         "only these regions: a BED file, or regions separated by commas"},
        {'n', "number", OPT_SIZE, &o->windows, "INT",
         "number of random windows (default: all windows)"},
        CLI_OUTPUT(&o->output),
        {0, "json", OPT_OUT, &o->json, "FILE", "write the metrics as JSON"},
        {0, "predictions", OPT_OUT, &o->tokens, "FILE",
         "TSV of every hidden token and its bits"},
        CLI_THREADS,
        OPT_HEADING("Windows"),
        {'w', "window", OPT_SIZE, &o->context_bp, "BP",
         "window width in bp (default: by tokens)"},
        {0, "length", OPT_SIZE, &o->length_tok, "INT",
         "window width in tokens, special ones included (default: as many as "
         "the model reads)"},
        {0, "row", OPT_SIZE, &o->row_tok, "INT",
         "tokens that the model reads at a time, special ones included: "
         "windows "
         "are cut into rows, with the same hidden tokens (default: a window)"},
        {'s', "stride", OPT_SIZE, &o->stride_bp, "BP",
         "bp from window to window of --window (default: its width)"},
        CLI_MAX_N(&o->max_n),
        OPT_HEADING("Metrics"),
        {0, "order", OPT_NAMES, &q->orders, "LIST",
         "orders of the Markov models, separated by commas (default: 3 to "
         "12)"},
        {0, "repeats", OPT_TEXT, &o->repeats, "BED",
         "mask of repeats, for metrics in and outside of them (default: lower "
         "case)"},
        {0, "by-contig", OPT_FLAG, &o->by_contig, NULL,
         "metrics of every contig as well"},
        {0, "bootstrap", OPT_SIZE, &o->n_boot, "INT",
         "resamples of the windows; 0: no intervals"},
        CLI_SEED(&o->seed),
        CLI_NO_VERSION(&q->no_version),
        OPT_HEADING("Model"),
        CLI_PRECISION(&o->run.precision),
        CLI_RANDOM_BLOCKS(&o->run.blocks),
        CLI_TOKEN_TYPE(&o->run.token_type),
        OPT_FILE_ONLY,
        {0, "mask-share", OPT_SHARE, &o->mask, "REAL",
         "share of a window's tokens that is masked"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

/* Parse "3,6,12" into o->order; returns 0 on success. */
static int parse_orders(bird_mlm_options *o, const struct opt_names *text)
{
    o->n_order = (int)text->n;
    if (text->n > BIRD_MLM_MAX_ORDER)
        return -1;
    for (int i = 0; i < o->n_order; i++) {
        char *end;
        long k = strtol(text->at[i], &end, 10);

        if (end == text->at[i] || *end || k < 1 || k > BIRD_MLM_MAX_ORDER ||
            (i && k <= o->order[i - 1]))
            return -1;
        o->order[i] = (int)k;
    }
    return 0;
}

static int check(struct request *q)
{
    bird_mlm_options *o = &q->o;

    if (!o->model)
        return cli_usage("evaluate --mlm: no model: give -m MODEL");
    if (!q->fasta.n)
        return cli_usage("evaluate --mlm: no held-out sequence: give -f "
                         "REF.fa");
    if (o->context_bp && o->length_tok)
        return cli_usage("evaluate --mlm: either --window or --length");
    if (o->stride_bp && !o->context_bp)
        return cli_usage("evaluate --mlm: --stride needs --window");
    if (!(o->mask > 0 && o->mask <= 1))
        return cli_usage("evaluate --mlm: mask-share is above 0 and at most 1");
    if (parse_orders(o, &q->orders))
        return cli_usage("evaluate --mlm: --order takes numbers from 1 to %d, "
                         "rising, separated by commas",
                         BIRD_MLM_MAX_ORDER);
    return CLI_OK;
}

int cmd_evaluate_mlm(int argc, char **argv)
{
    struct request q = {.orders = opt_split("3,4,5,6,7,8,9,10,11,12")};
    bird_mlm_evaluation e = {0};
    char *save = NULL, *line;
    int status;

    bird_mlm_options_default(&q.o);
    q.o.output = "-";
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if ((status = check(&q)) || (status = cli_model(&q.o.run, q.o.model)))
        return status;
    q.o.fasta = q.fasta.at;
    q.o.n_fasta = q.fasta.n;
    q.o.train_fasta = q.train_fasta.at;
    q.o.n_train_fasta = q.train_fasta.n;
    q.o.progress = cli_progress;
    q.o.command = q.no_version ? NULL : cli_command_line();
    if (bird_evaluate_mlm(&e, &q.o)) {
        status = cli_fail();
    } else {
        line = e.notice ? strtok_r(e.notice, "\n", &save) : NULL;
        for (; line; line = strtok_r(NULL, "\n", &save))
            cli_say("%s", line);
    }
    bird_mlm_evaluation_free(&e);
    return status;
}
