/* dnabird evaluate scan: figures of a scan. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/train.h"
#include "list.h"
#include "opt.h"

/* What the command line says, beside the library's own options. */
struct request {
    bird_scan_options o;
    bird_scan_files files;
    const char *other, *fasta, *targets, *choose, *thresholds, *set;
    int64_t seed;
    int score, short_;
};

/* "1,5,20" or "inf" into o->target; 0 when it is that. */
static int parse_targets(bird_scan_options *o, const char *text)
{
    int64_t n, i;
    const char **part = list_split(&n, text);
    char *end = NULL;
    int bad = !part || n > BIRD_SCAN_MAX_TARGET;

    for (i = 0; !bad && i < n; i++) {
        o->target[i] = strtod(part[i], &end);
        bad = end == part[i] || *end || !(o->target[i] >= 0);
    }
    o->n_target = bad ? 0 : (int)n;
    list_free(part);
    return bad;
}

static int run(struct request *q)
{
    const char **other = list_split(&q->files.n_other, q->other);
    const char **fasta = list_split(&q->files.n_fasta, q->fasta);
    bird_scan_result *r = malloc(sizeof(*r));
    int status = CLI_OK;

    q->files.other = other;
    q->files.fasta = fasta;
    if (!r || (q->other && !other) || (q->fasta && !fasta)) {
        cli_warn("out of memory");
        status = CLI_FAILED;
    } else if (q->thresholds &&
               bird_scan_thresholds_read(&q->o, q->thresholds)) {
        status = cli_fail();
    } else if (bird_scan_evaluate(r, &q->files, &q->o) ||
               (q->choose && bird_scan_thresholds_write(q->choose, r)) ||
               bird_scan_print(stdout, q->set, r)) {
        status = cli_fail();
    } else if (!q->thresholds && !q->choose) {
        cli_say("the thresholds were chosen on these very windows: for honest "
                "figures choose them on a validation part (--choose) and "
                "apply them (--thresholds)");
    }
    list_free(other);
    list_free(fasta);
    free(r);
    return status;
}

static int parse(struct request *q, int *first, int *status, int argc,
                 char **argv)
{
    bird_scan_options *o = &q->o;
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &q->files.model, "DIR",
         "probabilities by the calibration of this model, of the raw outputs "
         "of the windows"},
        {0, "calibrate", OPT_FLAG, &q->files.calibrate, NULL,
         "fit that calibration on these windows, a validation part, and put "
         "it into the model folder"},
        {'p', "tss", OPT_TEXT, &q->files.truth, "FILE",
         "true start sites: BED6, or transcripts in GTF or GFF3"},
        {'a', "annotated", OPT_TEXT, &q->other, "FILES",
         "further start sites that excuse a call; several with commas"},
        {0, "feature", OPT_TEXT, &q->files.transcripts.feature, "TYPES",
         "features of GTF or GFF3 that start at a start site [transcript, in "
         "GFF3 mRNA too]"},
        {0, "attribute", OPT_LINES, &q->files.transcripts.attributes,
         "KEY=VALUE", "only those with this attribute; given again: with all"},
        {'R', "regions-file", OPT_ONCE, &q->files.regions, "BED",
         "only windows and start sites in these regions count"},
        {'c', "choose", OPT_OUT, &q->choose, "FILE",
         "choose thresholds here and write them"},
        {'T', "thresholds", OPT_TEXT, &q->thresholds, "FILE",
         "apply thresholds that were chosen elsewhere"},
        {0, "fp-per-mb", OPT_TEXT, &q->targets, "LIST",
         "false calls per Mb to choose for; inf calls all above 0"},
        {'s', "set", OPT_TEXT, &q->set, "NAME", "first column of the figures"},
        {0, "within", OPT_INT, &o->within, "INT",
         "bp between a summit and its start site"},
        {0, "zone", OPT_INT, &o->zone, "INT",
         "bp around a positive window's anchor"},
        {0, "anchor", OPT_INT, &o->anchor, "INT",
         "bp from a window's 5' end to its anchor; -1 is the middle"},
        {0, "extent", OPT_FLAG, &o->extent, NULL,
         "measure distances to a call's whole extent, not to its summit"},
        {0, "merge", OPT_INT, &o->merge, "INT",
         "merge windows that start so near; 0: that overlap or touch"},
        {'i', "intervals", OPT_TEXT, &q->files.intervals, "BED",
         "evaluate these intervals instead of windows; needs -f"},
        {0, "floor", OPT_TEXT, &q->files.floor, "FILE",
         "evaluate the k-mer floor of a model, its baseline.safetensors; "
         "needs -f"},
        {'f', "reference", OPT_TEXT, &q->fasta, "FILES",
         "reference FASTA of --intervals; several with commas"},
        {0, "score", OPT_CHOICE, &q->score, "length|cpg|observed|column",
         "an interval's score: length, number of CpG, CpG observed/expected, "
         "column 5"},
        {'w', "window", OPT_INT, &o->window, "INT", "bp of --intervals"},
        {0, "stride", OPT_INT, &o->stride, "INT", "bp of --intervals"},
        {0, "max-n", OPT_REAL, &o->max_n, "REAL",
         "share of unknown bases (N, other letters than A, C, G, T) that "
         "--intervals allows"},
        {0, "short", OPT_CHOICE, &q->short_, "skip|score",
         "what to do with contigs shorter than the window"},
        {0, "block", OPT_INT, &o->block, "INT", "bp of a resampled block"},
        {0, "bootstrap", OPT_INT, &o->n_boot, "INT",
         "resamples of the blocks; 0: no intervals of confidence"},
        {0, "seed", OPT_INT, &q->seed, "INT", "seed of the resamples"},
    };
    const struct opt_usage usage = {
        "evaluate scan", "-p TSS [options] windows.tsv.gz",
        "Recall of start sites at given numbers of false calls per Mb, and "
        "AUROC and average precision by window, of what `dnabird promoter -O "
        "windows` wrote. A call is a run of windows at or above a threshold; "
        "its summit is its best window's anchor.",
        "Stranded figures ask for a call on the strand of the start site; for "
        "the unstranded the larger probability of both strands counts. False "
        "is a call without a start site (-p or -a) within 500 bp of its "
        "summit, on either strand. Thresholds are of the raw output (last "
        "column of the windows); a probability is right when of the windows "
        "that say p a share p has a start site that near: the rows "
        "'reliability'."};

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

int cmd_evaluate_scan(int argc, char **argv)
{
    struct request q = {.targets = "1,5,20", .set = "all"};
    int first, status;

    bird_scan_options_default(&q.o);
    q.seed = (int64_t)q.o.seed;
    if (parse(&q, &first, &status, argc, argv))
        return status;
    if (first < argc)
        q.files.windows = argv[first++];
    if (first < argc)
        return cli_usage("evaluate scan: '%s' is one argument too many",
                         argv[first]);
    if (!q.files.truth ||
        !!q.files.windows + !!q.files.intervals + !!q.files.floor != 1)
        return cli_usage("evaluate scan: -p TSS and one of a file of "
                         "windows, --intervals and --floor are needed");
    if (!q.files.windows && !q.fasta)
        return cli_usage("evaluate scan: --intervals and --floor need the "
                         "reference (-f)");
    if (q.files.model && !q.files.windows)
        return cli_usage("evaluate scan: -m is for windows, not for "
                         "--intervals and --floor");
    if (q.files.calibrate && !q.files.model)
        return cli_usage("evaluate scan: --calibrate needs the model folder "
                         "to put it into (-m)");
    if (q.choose && q.thresholds)
        return cli_usage("evaluate scan: either --choose or --thresholds");
    if (parse_targets(&q.o, q.targets))
        return cli_usage("evaluate scan: --fp-per-mb takes 1 to %d numbers "
                         "between commas, not '%s'",
                         BIRD_SCAN_MAX_TARGET, q.targets);
    q.o.score = (enum bird_scan_score)q.score;
    q.o.score_short = q.short_;
    q.o.seed = (uint64_t)q.seed;
    return run(&q);
}
