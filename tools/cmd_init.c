/* dnabird init: a model folder with random weights.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/dnabird.h"
#include "opt.h"

static const char *const presets[] = {"tiny", "small", "base"};

int cmd_init(int argc, char **argv)
{
    static const char *const randoms[] = {"plan", "zero", "none", "uniform"};
    int random = -1, preset = -1, head, usual, first = 0, status = 0;
    int64_t seed = 1, pattern_seed = 0;
    const char *from = NULL;
    bird_model_init_options o;
    bird_model_grow_options grown;
    struct opt_usage usage = {
        "init", "[options] DST",
        "Makes the model folder DST: config.json, model.safetensors and\n"
        "dnabird.json, with random weights and a masked-language head or one\n"
        "for --labels, or with the weights of a model for longer sequences or\n"
        "another attention.",
        NULL};

    bird_model_init_options_default(&o);
    bird_model_grow_options_default(&grown);
    head = usual = cli_head(o.head);
    {
        const struct opt opts[] = {
            {0, "preset", OPT_CHOICE, &preset, "tiny|small|base",
             "2 layers of 64; 6 of 256; 12 of 768"},
            {0, "config", OPT_TEXT, &o.config, "FILE",
             "config.json, instead of a preset"},
            {0, "from", OPT_TEXT, &from, "MODEL",
             "this model's weights; --positions repeats its position "
             "embeddings, --widen copies its features, --block-size, "
             "--random-blocks, --pattern-seed and --attention-parts replace "
             "its own"},
            {0, "random-blocks", OPT_CHOICE, &random, "plan|zero|none|uniform",
             "of the attention; uniform is dnabird's own"},
            {0, "pattern-seed", OPT_INT, &pattern_seed, "INT",
             "of uniform random blocks: another one, other blocks; 0: with "
             "--from the model's"},
            {0, "attention-parts", OPT_TEXT, &o.parts, "LIST",
             "of global,window,random; without it all three; with --from also "
             "full. What is left out is at every length; BigBird itself, all "
             "three, attends to everything in short sequences"},
            {0, "positions", OPT_INT, &o.positions, "INT",
             "longest sequence in tokens; 0: 512 for tiny, else 4096"},
            {0, "block-size", OPT_INT, &grown.block_size, "INT",
             "of --from: tokens of a block; 0: as it has"},
            {0, "widen", OPT_INT, &grown.widen, "INT",
             "of --from: so many times its features and heads; 0: as it has"},
            {0, "tokenizer", OPT_TEXT, &o.tokenizer, "FILE",
             "tokenizer.json that goes into the folder; without it the "
             "vocabulary has 32000 ids"},
            {0, "labels", OPT_TEXT, &o.labels, "LIST",
             "a head of several labels: their names, class:name or name, or "
             "how many"},
            {0, "head", OPT_CHOICE, &head, cli_heads(),
             "of --labels: as of finetune"},
            {0, "window", OPT_INT, &o.window_bp, "BP",
             "that the model is for; 0: not said"},
            {0, "seed", OPT_INT, &seed, "INT", "of the random weights"},
        };

        if (opt_parse(&first, &status, argc, argv, opts,
                      (int)(sizeof(opts) / sizeof(*opts)), &usage))
            return status;
    }
    if (argc - first != 1)
        return cli_usage("init: one folder name is needed");
    if (seed < 0)
        return cli_usage("init: --seed is negative");
    if (pattern_seed < 0)
        return cli_usage("init: --pattern-seed is negative");
    o.pattern_seed = grown.pattern_seed = (uint64_t)pattern_seed;
    if (o.window_bp < 0)
        return cli_usage("init: --window is negative");
    if (from && (preset >= 0 || o.config || o.tokenizer))
        return cli_usage("init: --from goes without --preset, --config and "
                         "--tokenizer: the model has its own");
    if (head != usual && !o.labels)
        return cli_usage("init: --head goes with --labels");
    if (from && (o.labels || o.window_bp))
        return cli_usage("init: --from goes without --labels and --window");
    if (!from && (grown.block_size || grown.widen))
        return cli_usage("init: --block-size and --widen go with --from; else "
                         "the configuration says it");
    if (from) {
        grown.positions = o.positions;
        grown.random = random < 0 ? NULL : randoms[random];
        grown.parts = o.parts;
        return bird_model_grow(argv[first], from, &grown) ? cli_fail() : CLI_OK;
    }
    o.preset = presets[preset < 0 ? 0 : preset];
    o.random = randoms[random < 0 ? 0 : random];
    o.head = bird_head_choice(head);
    o.seed = (uint64_t)seed;
    if (bird_model_init(argv[first], &o))
        return cli_fail();
    return CLI_OK;
}
