/* dnabird report: a run as a page. SPDX-License-Identifier: MIT */
#include "cli.h"
#include "dnabird/train.h"
#include "list.h"
#include "opt.h"

static const char about[] =
    "Writes one HTML page of a run, at any time while it goes on, or of a "
    "model: the curves of training.tsv, held-out figures, data and commands, "
    "configuration. The page stands alone: no script, nothing fetched.";

int cmd_report(int argc, char **argv)
{
    bird_report_options o;
    const char *files = NULL, **list;
    int first = 0, status = 0;

    bird_report_options_default(&o);
    const struct opt opts[] = {
        {'o', "output", OPT_OUT, &o.output, "FILE", "where to"},
        {0, "training", OPT_TEXT, &o.training, "FILE",
         "the curves' table; else training.tsv of the folder"},
        {0, "evaluation", OPT_TEXT, &files, "FILE,...",
         "figures to show as well: TSV of 'dnabird evaluate'"},
    };
    const struct opt_usage usage = {"report", "[options] RUN > run.html", about,
                                    NULL};

    if (opt_parse(&first, &status, argc, argv, opts, 3, &usage))
        return status;
    if (argc - first != 1)
        return cli_usage("report: one folder of a run or model is needed");
    o.run = argv[first];
    list = list_split(&o.n_evaluation, files);
    if (files && !list) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    o.evaluation = list;
    status = bird_report(&o) ? cli_fail() : CLI_OK;
    list_free(list);
    return status;
}
