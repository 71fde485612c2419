/**
 * Options of every command that runs a model, and the notice it begins with.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_CLI_MODEL_H
#define DNABIRD_TOOLS_CLI_MODEL_H

#include "dnabird/model.h"

/* clang-format off */
/** Rows of an option table: `run` is the bird_model_run they fill, `choice`
 *  the int of --random-blocks, of which cli_model() takes over the rest. */
#define CLI_MODEL_KIND_OPTIONS(run, choice)                                    \
    {0, "random-blocks", OPT_CHOICE, choice, "model|plan|zero|none",           \
     "random blocks of sparse attention: as the model folder says, the "       \
     "seeded plan, block 0, or none"},                                         \
    {0, "token-type", OPT_INT, &(run)->token_type, "INT",                      \
     "type of every token, of a model with several; -1: the model's"}
#define CLI_MODEL_OPTIONS(run, choice)                                         \
    CLI_MODEL_KIND_OPTIONS(run, choice),                                       \
    {0, "pad-to", OPT_INT, &(run)->pad_to, "INT",                              \
     "fill sequences up to so many tokens with masked padding, as scripts do " \
     "that pad batches; 0: not"}
/* clang-format on */

/**
 * Take over --random-blocks and check the others; then tell on stderr what
 * was assumed of the model (NULL: the shipped one). Returns 0, or the status
 * to exit with after a line to stderr.
 */
int cli_model(bird_model_run *run, int choice, const char *folder);

#endif
