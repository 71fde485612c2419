/* dnabird evaluate: figures of a model. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/train.h"
#include "opt.h"
#include "progress.h"

/* As the choices of --strand stand. */
static const enum bird_strand cli_strands[] = {
    BIRD_STRAND_MODEL, BIRD_STRAND_PLUS, BIRD_STRAND_BOTH};

static const char about[] =
    "Scores labelled sequences and prints accuracy, F1, MCC, AUROC, AUPRC and "
    "more with bootstrap intervals, and how well calibrated the probabilities "
    "are; beside them the trivial floors stored in the model (logistic "
    "regression on k-mers and on positions) and GC content alone. "
    "'dnabird evaluate scan' measures a scan of a genome, 'dnabird evaluate "
    "--mlm' a masked-language model in bits per base.";

static const char notes[] =
    "CSV and TSV have columns sequence and label, FASTA label=K in the "
    "descriptions, BED labels in column 5 on a reference (-f); labelled bins "
    "are those of 'dataset chromatin', with their reference (-f). Set "
    "all/model-k-mers and the like is the model less its best floor, over the "
    "same resamples: an interval that holds 0 claims nothing. The floors see "
    "the strand given.";

struct choices { /* what OPT_INT and OPT_CHOICE write to */
    int64_t seed, threads, k;
    int strand, format, no_version;
    struct cli_model_choice model;
};

static int parse(int *status, int argc, char **argv, bird_evaluate_options *o,
                 struct choices *c)
{
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &o->model, "MODEL",
         "model folder; else the one that comes with dnabird"},
        {0, "test", OPT_TEXT, &o->test, "FILE", "labelled sequences"},
        {0, "data-format", OPT_TEXT, &o->data.format, "FORM",
         "csv, tsv, fasta, bed or bins; else by the file itself"},
        {0, "sequence-column", OPT_TEXT, &o->data.sequence, "NAME",
         "column of the sequence"},
        {0, "label-column", OPT_TEXT, &o->data.label, "NAME",
         "column of the label; several by commas; else label, or the columns "
         "a multi-label model was trained on"},
        {0, "name-column", OPT_TEXT, &o->data.name, "NAME",
         "column of the row's name, for --predictions"},
        {'f', "reference", OPT_TEXT, &o->data.reference, "FASTA",
         "genome of BED rows and of labelled bins; of these several with "
         "commas"},
        {0, "train-data", OPT_TEXT, &o->train, "FILE",
         "rows the model was trained on: all figures again on the test rows "
         "that share no sequence and no long k-mer with them"},
        {'k', "shared-k", OPT_INT, &c->k, "INT",
         "that k; 0: 30 for rows up to 100 bp, else 40"},
        {0, "baseline-train", OPT_TEXT, &o->baseline_train, "FILE",
         "fit the floors on these rows instead of taking the model's"},
        {0, "strand", OPT_CHOICE, &c->strand, "model|given|both",
         "both: mean of the probabilities of both strands; model: as it says"},
        {0, "raw", OPT_FLAG, &o->raw, NULL,
         "the model's raw outputs in place of calibrated probabilities"},
        {0, "calibrate", OPT_FLAG, &o->calibrate, NULL,
         "calibrate the model on these rows, which are its validation part "
         "with all of the background, and choose thresholds of its labels by "
         "F1; both go into the model folder"},
        {0, "threshold", OPT_REAL, &o->metrics.threshold, "REAL",
         "positive from this probability on; < 0: the model's own of each "
         "label, else where its raw output is 0.5"},
        {0, "bootstrap", OPT_INT, &o->metrics.n_boot, "INT",
         "resamples of the rows; 0: no intervals; -1: 1000, but none for "
         "several labels"},
        {0, "seed", OPT_INT, &c->seed, "INT", "seed of the resamples"},
        {'o', "output", OPT_OUT, &o->output, "FILE", "where to"},
        {'O', "format", OPT_CHOICE, &c->format, "tsv|json|features",
         "form of -o; features: of several labels, a line a label"},
        {0, "min-positives", OPT_INT, &o->min_positives, "INT",
         "medians over labels with at least so many positives, and negatives"},
        {0, "json", OPT_OUT, &o->json, "FILE", "the figures as JSON besides"},
        {0, "html", OPT_OUT, &o->html, "FILE",
         "of several labels: a page with ROC and precision-recall curves and "
         "distributions by class"},
        {0, "predictions", OPT_OUT, &o->predictions, "FILE",
         "TSV of every row's name or number, label, probability"},
        {0, "no-version", OPT_FLAG, &c->no_version, NULL,
         "no version and command in the outputs"},
        CLI_MODEL_OPTIONS(&o->run, &c->model),
        {'t', "threads", OPT_INT, &c->threads, "INT",
         "0: the cores this process may use"},
    };
    const struct opt_usage usage = {
        "evaluate", "[-m MODEL] --test FILE [options]", about, notes};
    int first;

    if (opt_parse(&first, status, argc, argv, opts,
                  (int)(sizeof(opts) / sizeof(*opts)), &usage))
        return 1;
    if (first < argc) {
        *status = cli_usage("evaluate: '%s' is one argument too many; the "
                            "rows are named with --test",
                            argv[first]);
        return 1;
    }
    return 0;
}

/* Is there an argument --mlm? */
static int is_mlm(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--mlm"))
            return 1;
    return 0;
}

static int check(const bird_evaluate_options *o, const struct choices *c)
{
    if (!o->test)
        return cli_usage("evaluate: no rows to evaluate on: give --test FILE");
    if (c->seed < 0)
        return cli_usage("evaluate: the seed is negative");
    if (c->k < 0 || c->k > 63)
        return cli_usage("evaluate: --shared-k lies in 0 to 63");
    if (o->min_positives < 1)
        return cli_usage("evaluate: --min-positives is 1 or more");
    if (o->metrics.n_boot < -1)
        return cli_usage("evaluate: --bootstrap is -1, 0 or more");
    if (!(o->metrics.threshold <= 1))
        return cli_usage("evaluate: --threshold lies in 0 to 1");
    if (o->calibrate && (o->raw || !o->model))
        return cli_usage("evaluate: --calibrate needs a model folder (-m), "
                         "and goes without --raw");
    return cli_threads(c->threads);
}

static int run(const bird_evaluate_options *o, struct cli_progress *progress)
{
    bird_evaluation e = {0};
    int rc = bird_evaluate(&e, o);

    cli_progress_end(progress);
    if (rc)
        return cli_fail();
    for (int64_t i = 0; i < e.n_notice; i++)
        cli_say("%s", e.notice[i]);
    bird_evaluation_free(&e);
    return CLI_OK;
}

int cmd_evaluate(int argc, char **argv)
{
    struct cli_progress progress = {0};
    struct choices c = {0};
    bird_evaluate_options o;
    char *command;
    int status = CLI_OK;

    if (argc > 1 && !strcmp(argv[1], "scan"))
        return cmd_evaluate_scan(argc - 1, argv + 1);
    if (is_mlm(argc, argv))
        return cmd_evaluate_mlm(argc, argv);
    bird_evaluate_options_default(&o);
    o.output = "-";
    c.seed = (int64_t)o.metrics.seed;
    if (parse(&status, argc, argv, &o, &c))
        return status;
    status = check(&o, &c);
    if (!status)
        status = cli_model(&o.run, &c.model, o.model);
    if (status)
        return status;
    o.metrics.seed = (uint64_t)c.seed;
    o.shared_k = (int)c.k;
    o.strand = cli_strands[c.strand];
    o.format = (enum bird_evaluate_format)c.format;
    o.progress = cli_progress;
    o.progress_context = &progress;
    command = cli_command_line(argc, argv);
    if (!command) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    o.command = c.no_version ? NULL : command;
    status = run(&o, &progress);
    free(command);
    return status;
}
