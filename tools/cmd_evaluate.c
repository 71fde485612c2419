/*
 * dnabird evaluate: metrics of a model on labelled sequence, by
 * bird_evaluate().
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "evaluate",
    "-m MODEL --test FILE [options]",
    "Scores labelled sequences and prints accuracy, F1, MCC, AUROC, AUPRC and "
    "more with bootstrap intervals, and how well calibrated the probabilities "
    "are; also of the baselines stored in the model (regression "
    "on k-mers and on positions) and GC content alone. 'dnabird evaluate "
    "bins' evaluates a model that predicts bins, 'dnabird evaluate "
    "variants' scores of alleles, 'dnabird evaluate scan' a scan of a genome, "
    "'dnabird evaluate --mlm' a masked-language model in bits per base.",
    "CSV and TSV have the columns sequence and label, FASTA has label=K in the "
    "descriptions, BED has the label in column 5 and needs a reference (-f); "
    "labelled bins are those of 'dataset chromatin' and need their reference "
    "(-f). Sets such as all/model-k-mers are the difference between the model "
    "and its best baseline, over the same resamples: if its interval contains "
    "0, no difference is shown. The baselines read the strand given.",
    0,
    0,
    "the rows are named with --test"};

struct request {
    bird_evaluate_options o;
    int64_t k;
    int no_version, format;
};

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_evaluate_options *o = &q->o;
    const struct opt opts[] = {
        {'m', "model", OPT_MODEL, &o->model, "DIR", "model folder"},
        {0, "test", OPT_TEXT, &o->test, "FILE", "labelled sequences"},
        CLI_DATA_REFERENCE(&o->data),
        CLI_OUTPUT(&o->output),
        CLI_FORMAT(&q->format, CLI_METRIC_FORMATS),
        {0, "html", OPT_OUT, &o->html, "FILE",
         "of several labels: a page with ROC and precision-recall curves and "
         "distributions by class"},
        {0, "predictions", OPT_OUT, &o->predictions, "FILE",
         "TSV of every row's name or number, label, probability"},
        {'T', "threshold", OPT_SHARE, &o->metrics.threshold, "REAL",
         "probability from which a row is positive (default: from the model, "
         "per label, else where its raw output is 0.5)"},
        CLI_MODEL_STRAND(&o->strand),
        CLI_BOOTSTRAP(&o->metrics.n_boot,
                      "resamples of the rows; 0: no intervals (default: 1000, "
                      "but none for several labels)"),
        CLI_THREADS,
        OPT_HEADING("Rows"),
        CLI_DATA(&o->data),
        {0, "name-column", OPT_TEXT, &o->data.name, "NAME",
         "column of the row's name, for --predictions"},
        {0, "train", OPT_TEXT, &o->train, "FILE",
         "training rows of the model: all metrics again on the test rows that "
         "share no sequence and no long k-mer with them"},
        {0, "replicates", OPT_TEXT, &o->replicates, "NAMES",
         "columns of the replicates of each measured value (replicates "
         "separated by commas, values by semicolons): print the largest "
         "correlation that their noise allows"},
        {0, "replicate-correlation", OPT_TEXT, &o->replicate_correlation,
         "LIST",
         "the same from the correlation R of two replicates: for each value R, "
         "or R:K if the value is the mean of K replicates"},
        CLI_EVALUATION(o, "rows", "FILE",
                       " and choose a threshold for each label by F1; both go "
                       "into the model folder. The rows must be the model's "
                       "validation part with all negatives"),
        CLI_NO_VERSION(&q->no_version),
        OPT_FILE_ONLY,
        {0, "shared-k", OPT_SIZE, &q->k, "INT",
         "length of the k-mer that training and test rows do not share "
         "(default: 30 for rows up to 100 bp, else 40)"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static int check(const struct request *q)
{
    const bird_evaluate_options *o = &q->o;

    if (!o->test)
        return cli_usage("evaluate: no rows to evaluate on: give --test FILE");
    if (q->k > 63)
        return cli_usage("evaluate: shared-k must be between 0 and 63");
    if (o->data.values && o->data.label)
        return cli_usage("evaluate: either --values or --label-column");
    if (o->calibrate && o->raw)
        return cli_usage("evaluate: --calibrate cannot be used with --raw");
    if (o->keep_baselines && !o->baseline_train)
        return cli_usage("evaluate: --keep-baselines needs --baseline-train");
    if (!o->model)
        return cli_usage("evaluate: no model: give -m MODEL; for the shipped "
                         "one, which predicts bins, use 'evaluate bins'");
    return CLI_OK;
}

/* Is there an argument --mlm? */
static int is_mlm(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--mlm"))
            return 1;
    return 0;
}

int cmd_evaluate(int argc, char **argv)
{
    struct request q = {.k = 0};
    bird_evaluation e = {0};
    int status;

    if (is_mlm(argc, argv))
        return cmd_evaluate_mlm(argc, argv);
    bird_evaluate_options_default(&q.o);
    q.o.output = "-";
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if ((status = check(&q)) || (status = cli_model(&q.o.run, q.o.model)))
        return status;
    q.o.shared_k = (int)q.k;
    q.o.format = (enum bird_evaluate_format)cli_format(
        q.format, CLI_METRIC_FORMATS, q.o.output);
    q.o.progress = cli_progress;
    q.o.command = q.no_version ? NULL : cli_command_line();
    if (bird_evaluate(&e, &q.o))
        return cli_fail();
    cli_say_each((const char *const *)e.notice, (int)e.n_notice);
    bird_evaluation_free(&e);
    return CLI_OK;
}
