/*
 * dnabird embed: hidden states, pooled vectors and logits of sequences, by
 * bird_embed_write().
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "embed",
    "[options] -o FILE (in.fa | -R BED -f FASTA | --ids FILE)",
    "Writes the encoder's output for each sequence: a record of in.fa\n"
    "('-' for standard input), an interval of -R (reverse complement for\n"
    "strand '-'), or a line of token ids (special tokens included).",
    "Rows of all sequences follow each other; offset [n_seq + 1] has the "
    "first\n"
    "row of each. last_hidden_state and hidden_states.K are [tokens, "
    "features],\n"
    "pooler_output is [n_seq, features], logits have a row per token or, of a\n"
    "classifier, a row per sequence. A .npy file holds one tensor and no\n"
    "offset; a .tsv file one with a row per sequence, the name first, as\n"
    "pandas.read_csv(sep='\\t', index_col=0, quoting=3, na_filter=False) and\n"
    "anndata.read_csv() read it. A sequence longer than the model reads is an\n"
    "error.",
    0,
    1,
    "one input is needed: a FASTA file, -R with -f, or --ids"};

static int parse(int *argc, char ***argv, bird_embed_options *o,
                 const char **layer)
{
    const struct opt opts[] = {
        CLI_MODEL(&o->model),
        {'o', "output", OPT_OUT, &o->output, "FILE",
         "name.safetensors, or name.npy or name.tsv for exactly one tensor"},
        CLI_REGIONS(&o->regions, "embed these intervals"),
        CLI_REFERENCE(&o->reference),
        {0, "ids", OPT_TEXT, &o->ids, "FILE",
         "token ids separated by blanks, a line per sequence; '-' for "
         "standard input"},
        {0, "layer", OPT_TEXT, layer, "last|all|none|inputs|K",
         "hidden states: 0 the embeddings, 1 the first layer and so on; "
         "inputs: what transformers takes as inputs_embeds, such as the rows "
         "of a stem (default: last; in a .npy only when nothing else is asked "
         "for)"},
        {0, "mean", OPT_FLAG, &o->mean, NULL,
         "mean over a sequence of the last hidden state as well (in a .tsv "
         "unless something else is asked for)"},
        {0, "pooled", OPT_FLAG, &o->pooled, NULL, "pooler_output as well"},
        {0, "logits", OPT_FLAG, &o->logits, NULL,
         "logits of the model's head as well"},
        CLI_RUN(&o->run),
        CLI_THREADS,
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static int parse_layer(int64_t *out, const char *s)
{
    char *end;

    if (!s)
        *out = BIRD_EMBED_DEFAULT;
    else if (!strcmp(s, "last"))
        *out = BIRD_EMBED_LAST;
    else if (!strcmp(s, "all"))
        *out = BIRD_EMBED_ALL;
    else if (!strcmp(s, "none"))
        *out = BIRD_EMBED_NONE;
    else if (!strcmp(s, "inputs"))
        *out = BIRD_EMBED_INPUTS;
    else if (*s < '0' || *s > '9' || (*out = strtol(s, &end, 10), *end))
        return cli_usage(
            "embed: --layer %s: last, all, none, inputs or a number", s);
    return CLI_OK;
}

int cmd_embed(int argc, char **argv)
{
    const char *layer = NULL;
    bird_embed_options o;
    bird_embed_summary s;
    int status;

    bird_embed_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &layer)) != OPT_GO)
        return status;
    if (argc + !!o.regions + !!o.ids != 1)
        return cli_usage("embed: %s", usage.wants);
    if (!o.regions != !o.reference)
        return cli_usage("embed: -R and -f belong together");
    if (!o.output)
        return cli_usage(
            "embed: -o FILE is needed, *.safetensors, *.npy or *.tsv");
    if ((status = parse_layer(&o.layer, layer)))
        return status;
    o.fasta = argc ? argv[0] : NULL;
    if ((status = cli_model(&o.run, o.model)))
        return status;
    o.progress = cli_progress;
    if (bird_embed_write(&s, &o))
        return cli_fail();
    cli_say("%s, %s; %s, %s", cli_count(s.n_seq, "sequence"),
            cli_count(s.n_tok, "token"), cli_count(s.n_tensor, "tensor"),
            cli_count(s.n_byte, "byte"));
    return CLI_OK;
}
