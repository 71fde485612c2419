/*
 * dnabird init: a model folder with random weights, or with those of a model
 * that is made longer, wider or sparser.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli.h"
#include "cli_options.h"

static const struct opt_usage usage = {
    "init",
    "[options] DST",
    "Makes the model folder DST: config.json, model.safetensors and\n"
    "dnabird.json, with random weights and a masked-language head or one\n"
    "for --labels, or with the weights of a model for longer sequences or\n"
    "another attention.",
    NULL,
    0,
    1,
    "one folder name is needed"};

struct request {
    bird_model_init_options o;
    bird_model_grow_options grown;
    const char *from, *output, *random, *preset, *head;
    int64_t pattern_seed; /* -1: not given */
};

static int parse(int *argc, char ***argv, struct request *q)
{
    const struct opt opts[] = {
        CLI_FOLDER(&q->output),
        {0, "preset", OPT_WORD, &q->preset, "tiny|small|base|large",
         "2 layers of 64; 6 of 256; 12 of 768; 24 of 1024 (default: tiny)"},
        {0, "config", OPT_TEXT, &q->o.config, "FILE",
         "config.json, instead of a preset"},
        {0, "from", OPT_MODEL, &q->from, "MODEL",
         "start from this model's weights, and change what is given of "
         "--positions, --layers, --pattern, --random-blocks, "
         "--attention-parts and --attention-map, block-size, widen and "
         "pattern-seed"},
        {0, "tokenizer", OPT_TEXT, &q->o.tokenizer, "FILE",
         "tokenizer.json for the folder (default: none, and 32,000 ids)"},
        {0, "labels", OPT_TEXT, &q->o.labels, "LIST",
         "a head of several labels: their names, class:name or name, or "
         "their number"},
        {0, "head", OPT_WORD, &q->head, cli_heads(),
         "head of --labels, as in finetune (default: cls)"},
        {'b', "bin", OPT_COUNT, &q->o.bin_bp, "BP",
         "bases of an answer, of --head bins"},
        {'w', "window", OPT_SIZE, &q->o.window_bp, "BP",
         "window width the model is made for (default: none)"},
        {0, "positions", OPT_SIZE, &q->o.positions, "INT",
         "longest sequence in tokens (default: 512 for tiny, else 4096)"},
        CLI_SEED(&q->o.seed),
        OPT_HEADING("Encoder"),
        {0, "layers", OPT_SIZE, &q->o.layers, "INT",
         "layers of the encoder; with --from, layers are added up to this "
         "number (default: of the preset, config.json or model)"},
        {0, "stem", OPT_TEXT, &q->o.stem, "LAYERS",
         "convolutions before the encoder: KERNELxCHANNELS[/POOL][+], "
         "separated by commas, as 15x192/4,5x128; + adds the layer's input "
         "(default: none)"},
        {0, "motifs", OPT_TEXT, &q->o.motifs, "jaspar|FILE",
         "begin three quarters of the stem's first filters as motifs of this "
         "file (TRANSFAC, JASPAR, MEME), the rest at random; jaspar: those "
         "that come with dnabird (default: all at random)"},
        {0, "branch-scale", OPT_REAL, &q->o.branch_scale, "REAL",
         "multiply every branch of a layer (--from: of an added layer) by a "
         "learned number that starts at this (default: none)"},
        OPT_HEADING("Attention"),
        {0, "pattern", OPT_TEXT, &q->o.pattern, "NAME[,OPTION=VALUE...]",
         "attention pattern: bigbird (width, first and last: other windows "
         "and global blocks), full, window (width=N: blocks to either side), "
         "etc (global=N tokens before [CLS], width, n_random), strided, fixed, "
         "star or random, with block=N, width=N, "
         "heads=union|multihead|sequential, relay=first, sparsity=PERCENT, "
         "seed=N; causal=yes of all but bigbird and etc; "
         "docs/math/pattern.md"},
        {0, "random-blocks", OPT_WORD, &q->random, "plan|zero|none|uniform",
         "random blocks of bigbird; uniform is dnabird's own"},
        {0, "attention-parts", OPT_TEXT, &q->o.parts, "LIST",
         "some of global,window,random; with --from also full (default: all "
         "three, with full attention in short sequences, as in BigBird; with "
         "fewer parts, short sequences lack them, too)"},
        {0, "attention-map", OPT_TEXT, &q->o.map, "NAME[:PARAMETER]",
         "map of attention scores to probabilities: softmax, topk:KEYS, "
         "sparsemax, entmax:ALPHA, sparselin:LAMBDA or hardmax, which cannot "
         "be trained (default: softmax; with --from, from the model)"},
        {0, "pattern-seed", OPT_SIZE, &q->pattern_seed, "INT",
         "random seed of random blocks: bigbird's uniform ones, and those of "
         "the pattern random (default: 0; with --from, from the model)"},
        {0, "block-size", OPT_SIZE, &q->grown.block_size, "INT",
         "--from: tokens of a block (default: from the model)"},
        {0, "widen", OPT_SIZE, &q->grown.widen, "INT",
         "--from: multiply features and heads, as copies (default: off)"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

static int check(const struct request *q)
{
    const bird_model_init_options *o = &q->o;
    bird_model_init_options d;

    bird_model_init_options_default(&d);
    if (q->from && (q->preset || o->config || o->tokenizer))
        return cli_usage(
            "init: --from cannot be used with --preset, --config and "
            "--tokenizer: the model has its own");
    if (q->preset && o->config)
        return cli_usage("init: --preset and --config each choose the encoder: "
                         "give one of them");
    if (q->head && !o->labels)
        return cli_usage("init: --head needs --labels");
    if (q->from && (o->labels || o->window_bp || o->stem || o->motifs ||
                    o->seed != d.seed))
        return cli_usage(
            "init: --from cannot be used with --labels, --window, --stem, "
            "--motifs and --seed");
    if (o->bin_bp != d.bin_bp && (!q->head || strncmp(q->head, "bins", 4) != 0))
        return cli_usage("init: --bin is for --head bins and bins-maxmean");
    if (o->motifs && (!o->stem || !o->tokenizer))
        return cli_usage("init: --motifs needs --stem and --tokenizer");
    if (q->pattern_seed >= 0 && o->pattern && strstr(o->pattern, ",seed="))
        return cli_usage("init: --pattern has a seed already: leave out "
                         "--pattern-seed");
    if (q->from && !q->pattern_seed)
        return cli_usage("init: with --from, --pattern-seed 0 is the model's "
                         "own seed: --pattern NAME,seed=0 sets 0");
    if (!q->from && (q->grown.block_size || q->grown.widen))
        return cli_usage("init: --block-size and --widen need --from; "
                         "otherwise config.json has them");
    return CLI_OK;
}

int cmd_init(int argc, char **argv)
{
    struct request q = {0};
    int status;

    bird_model_init_options_default(&q.o);
    bird_model_grow_options_default(&q.grown);
    q.o.seed = 1;
    q.pattern_seed = -1;
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    q.output = cli_folder("init", q.output, argc, argv, 0);
    if (!q.output || check(&q))
        return CLI_USAGE;
    q.o.pattern_seed = q.pattern_seed > 0 ? (uint64_t)q.pattern_seed : 0;
    if (q.from) {
        q.grown.pattern_seed = q.o.pattern_seed;
        q.grown.positions = q.o.positions;
        q.grown.pattern = q.o.pattern;
        q.grown.random = q.random;
        q.grown.map = q.o.map;
        q.grown.parts = q.o.parts;
        q.grown.layers = q.o.layers;
        q.grown.branch_scale = q.o.branch_scale;
        return bird_model_grow(q.output, q.from, &q.grown) ? cli_fail()
                                                           : CLI_OK;
    }
    q.o.preset = q.preset ? q.preset : "tiny";
    q.o.random = q.random;
    if (q.head)
        q.o.head = q.head;
    return bird_model_init(q.output, &q.o) ? cli_fail() : CLI_OK;
}
