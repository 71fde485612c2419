/* dnabird init: a model folder with random weights.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt.h"

static const char *const presets[] = {"tiny", "small", "base"};

int cmd_init(int argc, char **argv)
{
    static const char *const randoms[] = {"plan", "zero", "none", "uniform"};
    int random = 0, preset = 0, first = 0, status = 0;
    int64_t seed = 1;
    bird_model_init_options o;
    struct opt_usage usage = {
        "init", "[options] DST",
        "Makes the model folder DST: config.json, model.safetensors and\n"
        "dnabird.json, with random weights and a masked-language head, or one\n"
        "for --labels.",
        NULL};

    bird_model_init_options_default(&o);
    {
        const struct opt opts[] = {
            {0, "preset", OPT_CHOICE, &preset, "tiny|small|base",
             "2 layers of 64; 6 of 256; 12 of 768"},
            {0, "config", OPT_TEXT, &o.config, "FILE",
             "config.json, instead of a preset"},
            {0, "random-blocks", OPT_CHOICE, &random, "plan|zero|none|uniform",
             "of the attention; uniform is dnabird's own"},
            {0, "attention-parts", OPT_TEXT, &o.parts, "LIST",
             "of global,window,random; without it all three"},
            {0, "positions", OPT_INT, &o.positions, "INT",
             "longest sequence in tokens; 0: 512 for tiny, else 4096"},
            {0, "tokenizer", OPT_TEXT, &o.tokenizer, "FILE",
             "tokenizer.json that goes into the folder; without it the "
             "vocabulary has 32000 ids"},
            {0, "labels", OPT_TEXT, &o.labels, "LIST",
             "a head of several labels: their names, class:name or name, or "
             "how many"},
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
    if (o.window_bp < 0)
        return cli_usage("init: --window is negative");
    o.preset = presets[preset];
    o.random = randoms[random];
    o.seed = (uint64_t)seed;
    if (bird_model_init(argv[first], &o))
        return cli_fail();
    return CLI_OK;
}
