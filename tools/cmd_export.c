/* dnabird export: rewrite a model folder. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "export",
    "[options] SRC DST",
    "Writes the model folder SRC as the folder DST: float32 and plain, as\n"
    "transformers opens it, or small for shipping.",
    NULL,
    1,
    2,
    "two folders are needed: SRC and DST"};

static int has(const char *folder, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return !access(path, F_OK);
}

/* What is of other weights than the copy's. */
static void tell_left_out(const char *from, const char *to)
{
    static const char *const file[][2] = {
        {"calibration.safetensors",
         "evaluate --calibrate' or 'evaluate bins --calibrate', 'variant "
         "background"},
        {"selftest.tsv", "export --selftest FASTA"}};

    for (int i = 0; i < 2; i++)
        if (has(from, file[i][0]) && !has(to, file[i][0]))
            cli_say("%s: %s was not copied, as the copy's answers differ: "
                    "recreate it with '%s'",
                    to, file[i][0], file[i][1]);
}

/* What transformers computes otherwise; a compressed model is not for it. */
static int tell_transformers(const char *folder, const bird_export_options *o)
{
    char *notice = NULL;

    if (o->compress)
        return 0;
    if (bird_model_notice_transformers(&notice, folder))
        return -1;
    if (notice)
        cli_say("%s: %s", folder, notice);
    free(notice);
    return 0;
}

int cmd_export(int argc, char **argv)
{
    const char *output = NULL;
    bird_export_options o;
    double rate = (double)NAN;
    int status;

    bird_export_options_default(&o);
    {
        const struct opt opts[] = {
            CLI_FOLDER(&output),
            {0, "weights", OPT_CHOICE, &o.bf16, "float32|bfloat16",
             "how the weights are stored"},
            {0, "compress", OPT_FLAG, &o.compress, NULL,
             "weights compressed with zstd; transformers does not open them"},
            {0, "encoder-only", OPT_FLAG, &o.encoder_only, NULL,
             "the plain BigBird, without stem and head, for inputs_embeds of "
             "transformers ('embed --layer inputs')"},
            {0, "thresholds", OPT_TEXT, &o.thresholds, "FILE",
             "thresholds to store in the model, from 'evaluate scan --choose'"},
            {0, "fp-per-mb", OPT_REAL, &rate, "REAL",
             "false positives per Mb of the model's default threshold, one of "
             "those of --thresholds (default: 5)"},
            {0, "facts", OPT_TEXT, &o.facts, "JSON",
             "fields for dnabird.json; they replace those there"},
            {0, "selftest", OPT_TEXT, &o.selftest, "FASTA",
             "store the model's predictions for 100 pieces of this file, and "
             "for 20 changes in it, for 'info --selftest'"},
            {0, "force", OPT_FLAG, &o.force, NULL,
             "replace the model in DST, the whole folder"},
        };

        status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    }
    if (status != OPT_GO)
        return status;
    if (!isnan(rate) && !o.thresholds)
        return cli_usage("export: --fp-per-mb chooses one of the thresholds of "
                         "a file: give --thresholds too");
    if (!isnan(rate))
        o.default_rate = rate;
    if (o.encoder_only && o.selftest)
        return cli_usage("export: --selftest is of whole models, not of "
                         "--encoder-only");
    if (o.encoder_only && o.thresholds)
        return cli_usage("export: --encoder-only leaves out the head that "
                         "--thresholds are about");
    output = cli_folder("export", output, argc, argv, 1);
    if (!output)
        return CLI_USAGE;
    if (bird_export(argv[0], output, &o))
        return cli_fail();
    if (o.selftest && bird_variant_selftest_write(output, o.selftest))
        return cli_fail();
    if (tell_transformers(output, &o))
        return cli_fail();
    if (!o.encoder_only)
        tell_left_out(argv[0], output);
    return CLI_OK;
}
