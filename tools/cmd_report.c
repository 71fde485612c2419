/* dnabird report: runs, models and outputs as a page.
 * SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

enum { MOST_FILES = 64 };

static const struct opt_usage usage = {
    "report",
    "[options] RUN|FILE... > page.html",
    "Writes one HTML page about the folder of a training run (finished or "
    "not), a model folder, or output of other commands: calls and tracks of "
    "'promoter' and 'chromatin', scored alleles, metrics and predictions of "
    "'evaluate'. The columns of a file show what it contains. The page is "
    "self-contained: it fetches nothing. Its tables can be sorted.",
    NULL,
    1,
    MOST_FILES,
    "no file or folder to report on"};

static int is_folder(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Check the operands: files, and at most one folder. */
static int sort_operands(bird_report_options *o, const char *file[MOST_FILES],
                         int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (!is_folder(argv[i])) {
            file[o->n_file++] = argv[i];
            continue;
        }
        if (o->run)
            return cli_usage("report: one folder of a run or model, not also "
                             "%s",
                             argv[i]);
        o->run = argv[i];
    }
    o->file = file;
    return CLI_OK;
}

int cmd_report(int argc, char **argv)
{
    struct opt_names evaluation = {NULL, 0}, annotation = {NULL, 0};
    const char *file[MOST_FILES];
    bird_report_options o;
    int status;

    bird_report_options_default(&o);
    {
        const struct opt opts[] = {
            CLI_OUTPUT(&o.output),
            {0, "training", OPT_TEXT, &o.training, "FILE",
             "training curves (default: training.tsv of the folder)"},
            {0, "evaluation", OPT_NAMES, &evaluation, "FILE,...",
             "metrics to show as well: TSV of 'dnabird evaluate'"},
            {'r', "region", OPT_ONCE, &o.region, "REGION",
             "draw this region, as chr:start-end (default: all of "
             "a file of up to 2 Mb, else around its highest value)"},
            {0, "annotation", OPT_NAMES, &annotation, "FILE,...",
             "BED, GTF or GFF files to draw along this region"},
            {0, "multiqc", OPT_OUT, &o.multiqc, "FILE",
             "write the page's numbers for MultiQC, NAME_mqc.json"},
        };

        status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    }
    if (status != OPT_GO)
        return status;
    if ((status = sort_operands(&o, file, argc, argv)))
        return status;
    o.evaluation = evaluation.at;
    o.n_evaluation = evaluation.n;
    o.annotation = annotation.at;
    o.n_annotation = annotation.n;
    return bird_report(&o) ? cli_fail() : CLI_OK;
}
