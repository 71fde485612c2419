/* dnabird embed: hidden states, pooled vectors and logits of sequences.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/dnabird.h"
#include "opt.h"
#include "progress.h"

static const char about[] =
    "Writes what the encoder makes of each sequence: of a record of in.fa\n"
    "('-' for standard input), of an interval of -R (reverse complement for\n"
    "strand '-'), or of a line of token ids (special tokens included).";

static const char notes[] =
    "Rows of all sequences lie end to end; offset [n_seq + 1] says where each\n"
    "begins. last_hidden_state and hidden_states.K are [tokens, features],\n"
    "pooler_output is [n_seq, features], logits have a row a token or, of a\n"
    "classifier, a row a sequence. A .npy file holds one tensor and no\n"
    "offset. A sequence longer than the model reads is an error.";

struct choices {
    const char *layer;
    int64_t threads;
    struct cli_model_choice model;
};

static int parse(int argc, char **argv, bird_embed_options *o,
                 struct choices *c, int *first, int *status)
{
    struct opt_usage usage = {
        "embed", "[options] -o FILE (in.fa | -R BED -f FASTA | --ids FILE)",
        about, notes};
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &o->model, "DIR",
         "model folder; without it the one that comes with dnabird"},
        {'o', "output", OPT_OUT, &o->output, "FILE",
         "name.safetensors, or name.npy for exactly one tensor"},
        {'R', "regions-file", OPT_ONCE, &o->regions, "BED",
         "embed these intervals"},
        {'f', "reference", OPT_TEXT, &o->reference, "FASTA",
         "what -R refers to"},
        {0, "ids", OPT_TEXT, &o->ids, "FILE",
         "token ids between blanks, a line a sequence; '-' for standard "
         "input"},
        {0, "layer", OPT_TEXT, &c->layer, "last|all|none|K",
         "hidden states: 0 the embeddings, 1 the first layer and so on; "
         "without it the last, in a .npy only when nothing else is asked for"},
        {0, "pooled", OPT_FLAG, &o->pooled, NULL, "pooler_output as well"},
        {0, "logits", OPT_FLAG, &o->logits, NULL,
         "what the model's head says as well"},
        CLI_MODEL_OPTIONS(&o->run, &c->model),
        {'t', "threads", OPT_INT, &c->threads, "INT",
         "0: the cores this process may use"},
    };

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

static int layer(int64_t *out, const char *s)
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
    else if (*s < '0' || *s > '9' || (*out = strtol(s, &end, 10), *end))
        return cli_usage("embed: --layer %s: last, all, none or a number", s);
    return 0;
}

int cmd_embed(int argc, char **argv)
{
    struct cli_progress progress = {0};
    struct choices c = {0};
    bird_embed_options o;
    bird_embed_summary s;
    int first = 0, status = 0, rc;

    bird_embed_options_default(&o);
    if (parse(argc, argv, &o, &c, &first, &status))
        return status;
    if ((argc - first) + !!o.regions + !!o.ids != 1)
        return cli_usage("embed: one input is needed: a FASTA file, -R with "
                         "-f, or --ids");
    if (!o.regions != !o.reference)
        return cli_usage("embed: -R and -f belong together");
    if (!o.output)
        return cli_usage("embed: -o FILE is needed, *.safetensors or *.npy");
    if (layer(&o.layer, c.layer) || cli_threads(c.threads))
        return CLI_USAGE;
    o.fasta = first < argc ? argv[first] : NULL;
    if ((status = cli_model(&o.run, &c.model, o.model)))
        return status;
    o.progress = cli_progress;
    o.progress_context = &progress;
    rc = bird_embed_write(&s, &o);
    cli_progress_end(&progress);
    if (rc)
        return cli_fail();
    cli_say("%lld sequences, %lld tokens; %lld tensors, %lld bytes",
            (long long)s.n_seq, (long long)s.n_tok, (long long)s.n_tensor,
            (long long)s.n_byte);
    return CLI_OK;
}
