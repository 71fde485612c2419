/*
 * dnabird evaluate scan: recall and false calls per Mb of a genome scan, by
 * bird_scan_evaluate().
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "evaluate scan",
    "-p TSS [options] windows.tsv.gz",
    "Evaluates the output of `dnabird promoter -O windows`: recall of start "
    "sites at given numbers of false calls per Mb, and AUROC and average "
    "precision by window. A call is a run of windows at or above a threshold; "
    "its summit is its best window's anchor.",
    "Stranded metrics need a call on the strand of the start site; for the "
    "unstranded ones the larger probability of both strands counts. A call is "
    "false if no start site (-p or -a) lies within --within of its summit, on "
    "either strand. Thresholds are of the raw output (last column of the "
    "windows). The rows 'reliability' compare probabilities with the share of "
    "windows that have a start site within --within of their anchor.",
    0,
    1,
    "give one file of windows"};

static const char usual_targets[] = "1,5,20";

/* The command line: the library's options and what only the command needs. */
struct request {
    bird_evaluate_scan_options o;
    bird_scan_files files;
    struct opt_names other, fasta;
    const char *targets, *choose, *thresholds, *set, *output;
};

/* Parse "1,5,20" or "inf" into o->target; returns 0 on success. */
static int parse_targets(bird_evaluate_scan_options *o, const char *text)
{
    struct opt_names part = opt_split(text);

    if (part.n > BIRD_SCAN_MAX_TARGET)
        return -1;
    o->n_target = (int)part.n;
    for (int i = 0; i < o->n_target; i++) {
        char *end;

        o->target[i] = strtod(part.at[i], &end);
        if (end == part.at[i] || *end || !(o->target[i] >= 0))
            return -1;
    }
    return 0;
}

static int run(struct request *q, bird_scan_result *r)
{
    if (q->thresholds && bird_scan_thresholds_read(&q->o, q->thresholds))
        return cli_fail();
    if (bird_scan_evaluate(r, &q->files, &q->o) ||
        (q->choose && bird_scan_thresholds_write(q->choose, r)))
        return cli_fail();
    if (bird_scan_print(stdout, q->set, r))
        return cli_fail();
    if (!r->n_tss)
        cli_say("no start site of %s lies in the regions, or on a contig with "
                "scored windows: do the names of the contigs agree?",
                q->files.truth);
    if (r->n_tss_repeated)
        cli_say("left out: %s given more than once",
                cli_count(r->n_tss_repeated, "TSS|TSSs"));
    if (!q->thresholds && !q->choose)
        cli_say("the thresholds were chosen on these very windows: for honest "
                "metrics choose them on a validation part (--choose) and "
                "apply them (--thresholds)");
    return CLI_OK;
}

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_evaluate_scan_options *o = &q->o;
    bird_scan_files *f = &q->files;
    const struct opt opts[] = {
        {'p', "sites", OPT_TEXT, &f->truth, "FILE",
         "true start sites: BED6, or transcripts in GTF or GFF3"},
        {'a', "other-sites", OPT_NAMES, &q->other, "FILES",
         "further start sites: calls near them are not false; several "
         "separated by commas"},
        CLI_REGIONS(&f->regions,
                    "only windows and start sites in these regions"),
        CLI_STDOUT(&q->output),
        {0, "choose", OPT_OUT, &q->choose, "FILE",
         "choose thresholds on these windows and write them"},
        {0, "thresholds", OPT_TEXT, &q->thresholds, "FILE",
         "apply the thresholds of --choose"},
        {0, "fp-per-mb", OPT_TEXT, &q->targets, "LIST",
         "false calls per Mb to choose for, without --thresholds; inf calls "
         "all "
         "above 0"},
        {'m', "model", OPT_MODEL, &f->model, "DIR",
         "apply the calibration of this model to the raw outputs of the "
         "windows"},
        {0, "calibrate", OPT_FLAG, &f->calibrate, NULL,
         "fit that calibration on these windows, the model's validation part, "
         "and store it in the model folder"},
        {0, "bootstrap", OPT_SIZE, &o->n_boot, "INT",
         "resamples of the blocks; 0: no intervals"},
        {0, "set", OPT_TEXT, &q->set, "NAME", "first column of the output"},
        OPT_HEADING("Calls"),
        {0, "within", OPT_SIZE, &o->within, "BP",
         "largest distance between a summit and its start site"},
        CLI_TRANSCRIPTS(&f->transcripts),
        {0, "anchor", OPT_INT, &o->anchor, "BP",
         "from a window's 5' end to its anchor (default: the middle)"},
        CLI_SEED(&o->seed),
        OPT_HEADING("Intervals and baselines instead of windows"),
        {'i', "intervals", OPT_TEXT, &f->intervals, "BED",
         "evaluate these intervals instead of windows; needs -f"},
        {0, "baseline", OPT_TEXT, &f->baseline, "FILE",
         "evaluate the k-mer baseline of a model, its baseline.safetensors; "
         "needs -f"},
        CLI_REFERENCES(&q->fasta),
        {0, "scores", OPT_CHOICE, &o->score, "length|cpg|observed|column",
         "an interval's score: length, number of CpG, CpG observed/expected, "
         "column 5"},
        {'w', "window", OPT_COUNT, &o->window, "BP",
         "window width of --intervals"},
        {'s', "stride", OPT_COUNT, &o->stride, "BP",
         "bp from window to window of --intervals"},
        CLI_MAX_N(&o->max_n),
        CLI_SHORT(&o->score_short),
        OPT_FILE_ONLY,
        {0, "zone", OPT_SIZE, &o->zone, "BP",
         "a window whose anchor lies within BP of a start site is positive"},
        {0, "extent", OPT_FLAG, &o->extent, NULL,
         "measure distances to a call's whole interval, not to its summit"},
        {0, "merge", OPT_SIZE, &o->merge, "BP",
         "merge windows that start within BP of each other (default: windows "
         "that overlap or touch)"},
        {0, "block", OPT_COUNT, &o->block, "BP", "width of a resampled block"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static int check(struct request *q)
{
    const bird_scan_files *f = &q->files;
    bird_evaluate_scan_options usual;

    if (!f->truth || !!f->windows + !!f->intervals + !!f->baseline != 1)
        return cli_usage("evaluate scan: -p TSS and one of a file of "
                         "windows, --intervals and --baseline are needed");
    if (!f->windows && !q->fasta.n)
        return cli_usage("evaluate scan: --intervals and --baseline need the "
                         "reference (-f)");
    if (f->model && !f->windows)
        return cli_usage("evaluate scan: -m is for windows, not for "
                         "--intervals and --baseline");
    if (f->windows && q->fasta.n)
        return cli_usage("evaluate scan: -f is for --intervals and "
                         "--baseline, not for windows");
    bird_evaluate_scan_options_default(&usual);
    if (!f->intervals && q->o.score != usual.score)
        return cli_usage("evaluate scan: --scores is for --intervals");
    if (f->windows &&
        (q->o.window != usual.window || q->o.stride != usual.stride ||
         q->o.max_n != usual.max_n))
        return cli_usage("evaluate scan: --window, --stride and --max-n are "
                         "for --intervals and --baseline, not for windows");
    if (f->calibrate && !f->model)
        return cli_usage("evaluate scan: --calibrate needs the model folder "
                         "to put it into (-m)");
    if (q->choose && q->thresholds)
        return cli_usage("evaluate scan: either --choose or --thresholds");
    if (q->thresholds && q->targets != usual_targets)
        return cli_usage("evaluate scan: the file of --thresholds has the "
                         "numbers of false calls per Mb: leave out "
                         "--fp-per-mb");
    if (parse_targets(&q->o, q->targets))
        return cli_usage("evaluate scan: --fp-per-mb takes 1 to %d numbers "
                         "separated by commas, not '%s'",
                         BIRD_SCAN_MAX_TARGET, q->targets);
    return CLI_OK;
}

int cmd_evaluate_scan(int argc, char **argv)
{
    struct request q = {.targets = usual_targets, .set = "all"};
    bird_scan_result *r;
    int status;

    bird_evaluate_scan_options_default(&q.o);
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    q.files.windows = argc ? argv[0] : NULL;
    if ((status = check(&q)))
        return status;
    q.files.other = q.other.at;
    q.files.n_other = q.other.n;
    q.files.fasta = q.fasta.at;
    q.files.n_fasta = q.fasta.n;
    r = malloc(sizeof(*r));
    if (!r)
        return cli_warn("out of memory");
    status = run(&q, r);
    free(r);
    return status;
}
