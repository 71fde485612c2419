/*
 * dnabird import: a Hugging Face model as a model folder of ours, by
 * bird_import().
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options.h"

static const struct opt_usage usage = {
    "import",
    "[options] SRC DST",
    "Imports the model folder SRC, as it comes from Hugging Face, as the new\n"
    "folder DST. All commands open such a folder as it is; an imported one\n"
    "opens faster and keeps the options given here.",
    "Weights are read from model.safetensors, from several files with an\n"
    "index, or from pytorch_model.bin, as float32, float16 or bfloat16.\n"
    "docs/public-models.md names public models, step by step.",
    1,
    2,
    "two folders are needed: SRC and DST"};

static int parse(int *argc, char ***argv, bird_import_options *o,
                 const char **output)
{
    const struct opt opts[] = {
        CLI_FOLDER(output),
        CLI_RANDOM_BLOCKS(&o->run.blocks),
        CLI_TOKEN_TYPE(&o->run.token_type),
        {'s', "stride", OPT_SIZE, &o->kmer_stride, "INT",
         "make tokenizer.json from a vocabulary of k-mers, one every INT "
         "bases (default: off)"},
        {'v', "vocab", OPT_TEXT, &o->vocab, "FILE",
         "that vocabulary, a token per line or JSON (default: vocab.txt or "
         "vocab.json of SRC)"},
        {0, "no-special", OPT_FLAG, &o->no_special, NULL,
         "no [CLS] and [SEP] around a sequence of k-mers"},
        {0, "weights", OPT_CHOICE, &o->bf16, "float32|bfloat16",
         "how the weights are stored"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

/* Files of a model of dnabird that other models do not have. */
static void tell_left_out(const char *from)
{
    static const char *const file[] = {"calibration.safetensors",
                                       "selftest.tsv"};
    char path[4096];

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", from, file[i]);
        if (!access(path, F_OK))
            cli_say("%s was not copied, so that the copy's answers may differ: "
                    "'dnabird export' copies a model of dnabird whole",
                    path);
    }
}

int cmd_import(int argc, char **argv)
{
    const char *output = NULL;
    bird_import_options o;
    bird_import_summary s;
    int status;

    bird_import_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &output)) != OPT_GO)
        return status;
    output = cli_folder("import", output, argc, argv, 1);
    if (!output)
        return CLI_USAGE;
    if ((o.vocab || o.no_special) && !o.kmer_stride)
        return cli_usage("import: --vocab and --no-special belong to "
                         "--stride");
    if ((status = cli_model(&o.run, argv[0])))
        return status;
    if (bird_import(&s, argv[0], output, &o))
        return cli_fail();
    cli_say("%s: %s in %s of %s; %s", argv[0],
            cli_count(s.n_param, "parameter"), cli_count(s.n_tensor, "tensor"),
            s.weights, cli_count(s.n_token, "token"));
    cli_say_each((const char *[]){s.notice}, 1);
    tell_left_out(argv[0]);
    return CLI_OK;
}
