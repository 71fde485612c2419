/* What every command that runs a model shares. SPDX-License-Identifier: MIT */
#include "cli_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_model(bird_model_run *run, const struct cli_model_choice *choice,
              const char *folder)
{
    static const enum bird_blocks blocks[] = {
        BIRD_BLOCKS_AS_MODEL, BIRD_BLOCKS_PLAN, BIRD_BLOCKS_ZERO,
        BIRD_BLOCKS_NONE};
    char *notice = NULL;

    run->blocks = blocks[choice->random];
    run->precision = (enum bird_precision)choice->precision;
    if (run->pad_to < 0)
        return cli_usage("--pad-to is negative");
    if (run->token_type < -1)
        return cli_usage("--token-type is negative");
    if (!folder)
        return 0;
    if (bird_model_notice(&notice, folder, run))
        return cli_fail();
    if (notice)
        cli_say("%s", notice);
    free(notice);
    return 0;
}

const char *cli_heads(void)
{
    static char text[128];
    int n = 0;

    for (int i = 0; bird_head_choice(i) && n < (int)sizeof(text); i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", i ? "|" : "",
                      bird_head_choice(i));
    return text;
}

int cli_head(const char *name)
{
    int i = 0;

    while (bird_head_choice(i) && strcmp(bird_head_choice(i), name) != 0)
        i++;
    return i;
}
