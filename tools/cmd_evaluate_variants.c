/*
 * dnabird evaluate variants: scores of alleles compared with measured effects, by
 * bird_evaluate_variants().
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "evaluate variants",
    "--scores NAME[,NAME...] --measured COLUMN [options] SCORED",
    "Compares scores of alleles with measured effects: rank correlation, AUROC "
    "and average precision for every element, their mean, and all alleles "
    "together, with bootstrap intervals; single bases, changes of several "
    "bases, and insertions and deletions separately. SCORED is a VCF, a BCF or "
    "a table (columns CHROM, POS, REF and ALT, separated by tabs) of 'dnabird "
    "variant' or another program.",
    "Columns are those of a table, or INFO fields. With -f baselines are "
    "evaluated too: nearness to the middle of the element, change of G+C "
    "and of CpG, transversion, change of motif matches; with -m also the "
    "k-mer baseline of a model. "
    "spearman_abs compares sizes of scores and effects; AUROC and average "
    "precision rank by the size of the score, unless --signed is given. The "
    "metrics of a score that is the same for all alleles are NA.",
    0,
    1,
    "give one file of scored alleles"};

struct request {
    bird_variants_options o;
    struct opt_names scores;
    int no_version;
};

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_variants_options *o = &q->o;
    const struct opt opts[] = {
        {0, "scores", OPT_NAMES, &q->scores, "NAMES",
         "columns of scores; several separated by commas; * ? [ ] choose "
         "columns of numbers"},
        {0, "measured", OPT_TEXT, &o->measured, "COLUMN",
         "column of the measured effect"},
        {0, "measured-in", OPT_TEXT, &o->measured_in, "FILE",
         "VCF, BCF or table with the measured effects (default: SCORED); "
         "alleles are matched by contig, POS, REF and ALT"},
        {0, "label-column", OPT_TEXT, &o->labels, "COLUMN",
         "column of 1 (positive) and 0, instead of --min-effect"},
        {0, "min-effect", OPT_REAL, &o->min_effect, "REAL",
         "effects of a larger size are positives (default: no AUROC)"},
        {'R', "regions-file", OPT_ONCE, &o->elements_bed, "BED",
         "elements are these intervals; alleles outside are left out"},
        CLI_REFERENCE(&o->fasta),
        {0, "motifs", OPT_TEXT, &o->motifs, "FILE|jaspar|none",
         "motifs of the baseline 'motif': a file in TRANSFAC's, JASPAR's or "
         "MEME's format, those of JASPAR 2024 that come with dnabird, or no "
         "such baseline"},
        CLI_OUTPUT(&o->output),
        {0, "html", OPT_OUT, &o->html, "FILE",
         "a page with the tables, scores against effects and both along the "
         "elements"},
        {0, "json", OPT_OUT, &o->json, "FILE", "write the metrics as JSON"},
        CLI_THREADS,
        OPT_HEADING("Metrics"),
        {0, "groups", OPT_TEXT, &o->groups, "TSV",
         "element and group: elements of one group count once in the mean"},
        {0, "signed", OPT_FLAG, &o->signed_scores, NULL,
         "AUROC and average precision by score, not by its size"},
        CLI_BOOTSTRAP(&o->n_boot,
                      "resamples of alleles and groups; 0: no intervals"),
        CLI_SEED(&o->seed),
        CLI_NO_VERSION(&q->no_version),
        OPT_HEADING("Baseline of a model"),
        {'m', "model", OPT_MODEL, &o->model, "DIR",
         "evaluate the k-mer baseline of this model folder too; needs -f"},
        {'F', "features", OPT_ONCE, &o->features, "TERMS",
         "also the k-mer baseline of each of these labels: names, class:DHS, "
         "globs"},
        OPT_FILE_ONLY,
        {0, "p-column", OPT_TEXT, &o->p_column, "COLUMN", "column of p-values"},
        {0, "max-p", OPT_REAL, &o->max_p, "REAL",
         "positives have a p-value below it, where there is a column of them"},
        {0, "barcodes", OPT_TEXT, &o->barcodes, "COLUMN",
         "column of the number of barcodes"},
        {0, "min-barcodes", OPT_REAL, &o->min_barcodes, "REAL",
         "leave out alleles with fewer barcodes (default: none)"},
        {0, "element", OPT_TEXT, &o->element, "COLUMN",
         "column of the element's name (default: the contig)"},
        {0, "min-alleles", OPT_SIZE, &o->min_alleles, "INT",
         "elements with fewer alleles of a class have no metrics"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static int check(const struct request *q)
{
    const bird_variants_options *o = &q->o;

    if (!o->scored || !q->scores.n)
        return cli_usage("evaluate variants: a file of scored alleles and "
                         "--scores NAME are needed");
    if (!o->measured && !o->labels)
        return cli_usage("evaluate variants: no measured effects: give "
                         "--measured COLUMN or --label-column COLUMN");
    if (o->labels && o->min_effect >= 0)
        return cli_usage("evaluate variants: either --label-column or "
                         "--min-effect");
    if (o->min_effect < 0 && (o->min_effect > -1 || o->min_effect < -1))
        return cli_usage("evaluate variants: --min-effect is 0 or more: it is "
                         "the size of an effect");
    if (o->p_column && o->min_effect < 0)
        return cli_usage("evaluate variants: p-column needs "
                         "--min-effect, which defines the positives");
    if (o->min_barcodes > 0 && !o->barcodes)
        return cli_usage("evaluate variants: min-barcodes needs barcodes");
    if (o->element && o->elements_bed)
        return cli_usage("evaluate variants: either element or -R");
    if (o->model && !o->fasta)
        return cli_usage("evaluate variants: the k-mer baseline (-m) needs the "
                         "reference (-f)");
    if (o->features && !o->model)
        return cli_usage("evaluate variants: -F chooses among the labels of "
                         "the k-mer baseline: give -m DIR");
    if (o->min_alleles < 2)
        return cli_usage("evaluate variants: min-alleles is 2 or more");
    return CLI_OK;
}

int cmd_evaluate_variants(int argc, char **argv)
{
    struct request q = {.no_version = 0};
    bird_variants_evaluation e = {0};
    char *save = NULL, *line;
    int status;

    bird_variants_options_default(&q.o);
    q.o.output = "-";
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    q.o.scored = argc ? argv[0] : NULL;
    if ((status = check(&q)))
        return status;
    q.o.score = q.scores.at;
    q.o.n_score = q.scores.n;
    q.o.progress = cli_progress;
    q.o.command = q.no_version ? NULL : cli_command_line();
    if (bird_evaluate_variants(&e, &q.o)) {
        status = cli_fail();
    } else {
        line = e.notice ? strtok_r(e.notice, "\n", &save) : NULL;
        for (; line; line = strtok_r(NULL, "\n", &save))
            cli_say("%s", line);
    }
    bird_variants_evaluation_free(&e);
    return status;
}
