/* dnabird info: what a model folder holds. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt.h"

int cmd_info(int argc, char **argv)
{
    int verify = 0, first = 0, status = 0, rc;
    int64_t n_wrong = 0;
    char *text = NULL;
    const struct opt opts[] = {
        {0, "verify", OPT_FLAG, &verify, NULL,
         "compare the files with the stored checksums and the weights with "
         "the configuration; status 1 when something differs"},
    };
    struct opt_usage usage = {
        "info", "[options] MODEL",
        "Tells what a model folder holds: encoder, tokenizer, head, labels,\n"
        "where it comes from, its figures and its checksums.",
        NULL};

    if (opt_parse(&first, &status, argc, argv, opts, 1, &usage))
        return status;
    if (argc - first != 1)
        return cli_usage("info: one model folder is needed");
    if (verify)
        rc = bird_model_verify(&text, &n_wrong, argv[first]);
    else
        rc = bird_model_describe(&text, argv[first]);
    if (rc)
        return cli_fail();
    fputs(text, stdout);
    free(text);
    return n_wrong ? CLI_FAILED : CLI_OK;
}
