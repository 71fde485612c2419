/* dnabird info: what a model folder holds. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "info",
    "[options] MODEL",
    "Describes a model folder: encoder, tokenizer, head, labels, origin,\n"
    "metrics and checksums.",
    NULL,
    1,
    1,
    "one model folder is needed"};

int cmd_info(int argc, char **argv)
{
    const char *output = NULL;
    int verify = 0, status, rc;
    int64_t n_wrong = 0;
    char *text = NULL;
    const struct opt opts[] = {
        CLI_STDOUT(&output),
        {0, "verify", OPT_FLAG, &verify, NULL,
         "compare the files with their checksums and the weights with the "
         "configuration; status 1 when something differs"},
    };

    if ((status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage)) != OPT_GO)
        return status;
    rc = verify ? bird_model_verify(&text, &n_wrong, argv[0])
                : bird_model_describe(&text, argv[0]);
    if (rc)
        return cli_fail();
    fputs(text, stdout);
    free(text);
    status = cli_stdout_done(CLI_OK); /* the text is there in either case */
    return n_wrong ? CLI_FAILED : status;
}
