/*
 * dnabird evaluate bins: metrics of a model that predicts bins, by
 * bird_evaluate().
 * SPDX-License-Identifier: MIT
 */
#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "evaluate bins",
    "-m MODEL --windows BED -f FASTA [--peaks FILES] [--sites FILE] [options]",
    "Scores the bins of windows and prints AUROC, AUPRC and more of each "
    "label, with medians by class. Labels are made from peaks and start sites "
    "as in 'finetune bins'; labels of the model without data are unknown.",
    "Bins of which no label is known (N, --exclude, the margin) are left out. "
    "Windows are those of 'dataset bins', each bin in one of them.",
    0,
    0,
    "the windows are named with --windows"};

struct request {
    bird_evaluate_options o;
    bird_bin_files files;
    struct opt_names fasta, peaks, other;
    int no_version, format;
};

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_evaluate_options *o = &q->o;
    const struct opt opts[] = {
        {'m', "model", OPT_MODEL, &o->model, "DIR", "model folder"},
        {0, "windows", OPT_TEXT, &o->test, "BED", "windows to score"},
        CLI_BINS(&q->fasta, &q->peaks, &q->other, &q->files),
        CLI_OUTPUT(&o->output),
        CLI_FORMAT(&q->format, CLI_METRIC_FORMATS),
        {0, "html", OPT_OUT, &o->html, "FILE",
         "a page with ROC and precision-recall curves and distributions by "
         "class"},
        {0, "predictions", OPT_OUT, &o->predictions, "FILE",
         "TSV of every bin's interval, label, probability"},
        CLI_THREADS,
        OPT_HEADING("Windows and labels"),
        CLI_BINS_UNKNOWN(&q->other, &q->files),
        CLI_TRANSCRIPTS(&q->files.transcripts),
        {0, "margin", OPT_SIZE, &o->bin.margin_bp, "BP",
         "bases at both ends of a window that are context only (default: from "
         "the model)"},
        CLI_EVALUATION(o, "bins", "BED",
                       ", all bins of the genome's validation part; the maps "
                       "go into the model folder"),
        {'T', "threshold", OPT_SHARE, &o->metrics.threshold, "REAL",
         "probability from which a bin is positive (default: from the model, "
         "per label, else where its raw output is 0.5)"},
        CLI_MODEL_STRAND(&o->strand),
        CLI_BOOTSTRAP(&o->metrics.n_boot,
                      "resamples of the bins; 0: no intervals (default: 0)"),
        CLI_NO_VERSION(&q->no_version),
        OPT_FILE_ONLY,
        CLI_BINS_SETTINGS(&q->files, &o->bin, " (default: from the model)"),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static int check(const struct request *q)
{
    const bird_evaluate_options *o = &q->o;

    if (!o->model || !o->test || !q->fasta.n)
        return cli_usage("evaluate bins: -m MODEL, --windows BED and -f FASTA "
                         "are needed");
    if (o->calibrate && o->raw)
        return cli_usage(
            "evaluate bins: --calibrate cannot be used with --raw");
    if (o->keep_baselines && !o->baseline_train)
        return cli_usage("evaluate bins: --keep-baselines needs "
                         "--baseline-train");
    return CLI_OK;
}

int cmd_evaluate_bins(int argc, char **argv)
{
    struct request q = {.no_version = 0};
    bird_evaluation e = {0};
    int status;

    bird_evaluate_options_default(&q.o);
    q.o.output = "-";
    q.o.bin.mask_empty = 1;
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if ((status = check(&q)) || (status = cli_model(&q.o.run, q.o.model)))
        return status;
    q.files.in.fasta = q.fasta.at;
    q.files.in.n_fasta = q.fasta.n;
    q.files.in.peaks = q.peaks.at;
    q.files.in.n_peaks = q.peaks.n;
    q.files.other = q.other.at;
    q.files.n_other = q.other.n;
    q.o.bins = &q.files;
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
