/**
 * Options of every command that runs a model, and the notice it begins with.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_CLI_MODEL_H
#define DNABIRD_TOOLS_CLI_MODEL_H

#include "dnabird/model.h"

/** What the texts of choices are read into before they are a run. */
struct cli_model_choice {
    int random, precision;
};

/** What --precision takes, in the order of enum bird_precision. */
#define CLI_PRECISIONS "float32|bfloat16|int8"

/** The same of commands that train. */
#define CLI_TRAIN_PRECISIONS "float32|bfloat16"

/* clang-format off */
/** --precision of commands that score; `c` is the int that it fills. */
#define CLI_PRECISION_OPTION(c)                                                \
    {0, "precision", OPT_CHOICE, c, CLI_PRECISIONS,                            \
     "what the encoder's linear layers multiply in; all but float32 need "     \
     "oneDNN"}

/** --precision of commands that train. */
#define CLI_TRAIN_PRECISION_OPTION(c)                                          \
    {0, "precision", OPT_CHOICE, c, CLI_TRAIN_PRECISIONS,                      \
     "what the encoder's linear layers multiply in; bfloat16 needs oneDNN. "   \
     "Weights, gradients and moments are float32 in either"}

/** Rows of an option table: `run` is the bird_model_run they fill, `choice`
 *  the cli_model_choice, which cli_model() takes over. */
#define CLI_MODEL_KIND_OPTIONS(run, choice)                                    \
    {0, "random-blocks", OPT_CHOICE, &(choice)->random,                        \
     "model|plan|zero|none",                                                   \
     "random blocks of sparse attention: as the model folder says, the "       \
     "seeded plan, block 0, or none"},                                         \
    {0, "token-type", OPT_INT, &(run)->token_type, "INT",                      \
     "type of every token, of a model with several; -1: the model's"}
#define CLI_MODEL_OPTIONS(run, choice)                                         \
    CLI_MODEL_KIND_OPTIONS(run, choice),                                       \
    {0, "pad-to", OPT_INT, &(run)->pad_to, "INT",                              \
     "fill sequences up to so many tokens with masked padding, as scripts do " \
     "that pad batches; 0: not"},                                              \
    CLI_PRECISION_OPTION(&(choice)->precision)
/* clang-format on */

/**
 * Take over the choices and check the others; then tell on stderr what was
 * assumed of the model (NULL: the shipped one). Returns 0, or the status
 * to exit with after a line to stderr.
 */
int cli_model(bird_model_run *run, const struct cli_model_choice *choice,
              const char *folder);

/** The heads that a model can be given, "sequence|pooled|...". */
const char *cli_heads(void);
/** Place of a head among them. */
int cli_head(const char *name);

#endif
