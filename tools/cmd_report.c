/* dnabird report: a run as a page. SPDX-License-Identifier: MIT */
#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "report",
    "[options] RUN > run.html",
    "Writes one HTML page of a run, at any time while it goes on, or of a "
    "model: training curves, metrics on held-out data, data and commands, "
    "configuration. The page is self-contained: no script, nothing fetched.",
    NULL,
    1,
    1,
    "one folder of a run or model is needed"};

int cmd_report(int argc, char **argv)
{
    struct opt_names files = {NULL, 0};
    bird_report_options o;
    int status;

    bird_report_options_default(&o);
    {
        const struct opt opts[] = {
            CLI_OUTPUT(&o.output),
            {0, "training", OPT_TEXT, &o.training, "FILE",
             "training curves (default: training.tsv of the folder)"},
            {0, "evaluation", OPT_NAMES, &files, "FILE,...",
             "metrics to show as well: TSV of 'dnabird evaluate'"},
        };

        status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    }
    if (status != OPT_GO)
        return status;
    o.run = argv[0];
    o.evaluation = files.at;
    o.n_evaluation = files.n;
    return bird_report(&o) ? cli_fail() : CLI_OK;
}
