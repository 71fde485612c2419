/* dnabird export: a model folder written anew. SPDX-License-Identifier: MIT */
#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt.h"

int cmd_export(int argc, char **argv)
{
    struct opt_usage usage = {
        "export", "[options] SRC DST",
        "Writes the model folder SRC as the folder DST: float32 and plain, as\n"
        "transformers opens it, or small for shipping.",
        NULL};
    bird_export_options o;
    int first = 0, status = 0, precision = 0;

    bird_export_options_default(&o);
    {
        const struct opt opts[] = {
            {0, "weights", OPT_CHOICE, &precision, "float32|bfloat16",
             "how the weights are stored"},
            {0, "compress", OPT_FLAG, &o.compress, NULL,
             "weights compressed with zstd; transformers does not open them"},
            {0, "thresholds", OPT_TEXT, &o.thresholds, "FILE",
             "of 'evaluate scan --choose': kept in the model"},
            {0, "default-fp-per-mb", OPT_REAL, &o.default_rate, "REAL",
             "the rate whose threshold is the model's default"},
            {0, "facts", OPT_TEXT, &o.facts, "JSON",
             "fields for dnabird.json, over those that are there"},
            {0, "force", OPT_FLAG, &o.force, NULL,
             "replace the model that is in DST, the whole folder"},
        };

        if (opt_parse(&first, &status, argc, argv, opts,
                      (int)(sizeof(opts) / sizeof(*opts)), &usage))
            return status;
    }
    if (argc - first != 2)
        return cli_usage("export: two folders are needed");
    o.bf16 = precision == 1;
    if (bird_export(argv[first], argv[first + 1], &o))
        return cli_fail();
    return CLI_OK;
}
