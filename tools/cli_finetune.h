/**
 * What the commands that fine-tune share.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOOLS_CLI_FINETUNE_H
#define BIRD_TOOLS_CLI_FINETUNE_H

#include "dnabird/train.h"

#define CHECKPOINTS                                                            \
    "The run's checkpoint and training.tsv are in DIR; SIGTERM, SIGINT,\n"     \
    "SIGHUP and SIGUSR1 write a checkpoint and end with status 3; --resume\n"  \
    "continues."

/* clang-format off */
/* How a run learns: of a bird_finetune_options. */
#define CLI_EPOCHS(o, row)                                                     \
    {0, "epochs", OPT_SIZE, &(o)->epochs, "INT",                                \
     "passes over the " row "s, without --steps"}
#define CLI_LEARN(o, pos_weight, row)                                          \
    CLI_STEPS(&(o)->run, "updates (default: by --epochs)"),                    \
    CLI_WARMUP(&(o)->run, "warm-up: a share of the steps"),                    \
    CLI_UPDATES(&(o)->run),                                                    \
    {0, "average", OPT_REAL, &(o)->average, "REAL",                            \
     "decay of a moving average of the weights (default: off)"},               \
    {0, "pos-weight", OPT_TEXT, pos_weight, "REAL|data|CLASS=REAL,...",        \
     "weight of positives (multi-label models) or of classes of bases: a "      \
     "number; data: negatives per positive of each label, at most 100; or "    \
     "numbers for these classes"},                                                      \
    {0, "label-weight", OPT_TEXT, &(o)->label_weight_of, "CLASS=REAL,...",     \
     "multi-label models: weight of the loss of the labels of a class; "        \
     "others: 1"},                                                \
    {0, "strand", OPT_CHOICE, &(o)->reverse_complement, "given|both",          \
     "strand of a " row ": the given one, or one of both at random"},          \
    {0, "freeze", OPT_FLAG, &(o)->freeze, NULL,                                \
     "learn the head alone, on the encoder as it is: a linear probe"},         \
    {0, "mutate", OPT_SHARE, &(o)->mutate, "REAL",                              \
     "probability of a base of a training " row " to become another one"},     \
    CLI_SEED(&(o)->seed),                                                      \
    OPT_HEADING("Validation and checkpoints"),                                 \
    {0, "select", OPT_CHOICE, &(o)->select, "auroc|mcc|loss|pearson|spearman", \
     "validation metric that selects the weights; of measured values the "     \
     "default is pearson"},                                                    \
    {0, "min-positives", OPT_SIZE, &(o)->min_positives, "INT",                  \
     "medians of validation are over labels with at least as many positives "  \
     "and as many negatives"},                                                 \
    CLI_VALIDATE_EVERY(&(o)->evaluate_every, "an epoch"),                      \
    CLI_CHECKPOINTS(&(o)->run, "at every validation"),                         \
    {0, "patience", OPT_SIZE, &(o)->patience, "INT",                           \
     "stop after this many validations without an improvement (default: "      \
     "off)"},                                                                  \
    CLI_RESUME(&(o)->run),                                                     \
    {0, "no-baselines", OPT_CLEAR, &(o)->baselines, NULL,                      \
     "do not fit and store the k-mer baselines"},                              \
    CLI_COST(&(o)->run), CLI_RECOMPUTE(&(o)->run),                             \
    CLI_RANDOM_BLOCKS(&(o)->run.model.blocks),                                 \
    CLI_TOKEN_TYPE(&(o)->run.model.token_type)
/* clang-format on */

/** Run it, and print a line for each validation. pos_weight: the text of --pos-weight. Gives the
 *  exit status. */
int cli_finetune(bird_finetune_options *o, const char *pos_weight);

#endif
