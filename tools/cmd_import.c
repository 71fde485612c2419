/* dnabird import: a model of others as a folder of ours.
 * SPDX-License-Identifier: MIT */
#include "cli.h"
#include "cli_model.h"
#include "dnabird/dnabird.h"
#include "opt.h"

static const char about[] =
    "Takes the model folder SRC, as it comes from Hugging Face, over as the\n"
    "new folder DST. All commands open such a folder as it is; taken over it\n"
    "opens faster and keeps what is decided here.";

static const char notes[] =
    "Weights are read from model.safetensors, from several files with an\n"
    "index, or from pytorch_model.bin, as float32, float16 or bfloat16.\n"
    "docs/public-models.md names public models, step by step.";

static void tell(const bird_import_summary *s, const char *from)
{
    cli_say("%s: %lld parameters in %lld tensors of %s; %lld tokens", from,
            (long long)s->n_param, (long long)s->n_tensor, s->weights,
            (long long)s->n_token);
    if (s->notice[0])
        cli_say("%s", s->notice);
}

int cmd_import(int argc, char **argv)
{
    struct opt_usage usage = {"import", "[options] SRC DST", about, notes};
    bird_import_options o;
    bird_import_summary s;
    int first = 0, status = 0, bf16 = 0;
    struct cli_model_choice model = {0};

    bird_import_options_default(&o);
    {
        const struct opt opts[] = {
            {0, "random-blocks", OPT_CHOICE, &model.random,
             "model|plan|zero|none",
             "random blocks of sparse attention, kept in DST; model: by the "
             "release that wrote config.json"},
            {0, "token-type", OPT_INT, &o.run.token_type, "INT",
             "type of every token, of a model with several, kept in DST"},
            {0, "kmer-stride", OPT_INT, &o.kmer_stride, "INT",
             "the vocabulary is one of k-mers, one every INT bases: "
             "tokenizer.json is made of it; 0: not"},
            {0, "vocab", OPT_TEXT, &o.vocab, "FILE",
             "that vocabulary, a token a line or JSON; without it SRC's "
             "vocab.txt or vocab.json"},
            {0, "no-special", OPT_FLAG, &o.no_special, NULL,
             "no [CLS] and [SEP] around a sequence of k-mers"},
            {0, "weights", OPT_CHOICE, &bf16, "float32|bfloat16",
             "how the weights are stored"},
        };

        if (opt_parse(&first, &status, argc, argv, opts,
                      (int)(sizeof(opts) / sizeof(*opts)), &usage))
            return status;
    }
    if (argc - first != 2)
        return cli_usage("import: two folders are needed");
    if (o.kmer_stride < 0)
        return cli_usage("import: --kmer-stride is negative");
    if ((o.vocab || o.no_special) && !o.kmer_stride)
        return cli_usage("import: --vocab and --no-special belong to "
                         "--kmer-stride");
    o.bf16 = bf16 == 1;
    if ((status = cli_model(&o.run, &model, argv[first])))
        return status;
    if (bird_import(&s, argv[first], argv[first + 1], &o))
        return cli_fail();
    tell(&s, argv[first]);
    return CLI_OK;
}
