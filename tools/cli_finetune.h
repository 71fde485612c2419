/**
 * What the commands that fine-tune share.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOOLS_CLI_FINETUNE_H
#define BIRD_TOOLS_CLI_FINETUNE_H

#include "dnabird/train.h"

#define CHECKPOINTS                                                            \
    "The run's checkpoint and training.tsv are in DIR; SIGTERM and SIGUSR1\n"  \
    "write a checkpoint and end with status 3; --resume continues."

/* How a run learns: of a bird_finetune_options. */
#define CLI_LEARN(o, pos_weight, row)                                          \
    {0,       "epochs",                                                        \
     OPT_INT, &(o)->epochs,                                                    \
     "INT",   "passes over the " row "s, without --steps"},                    \
        {0,        "warmup",                                                   \
         OPT_REAL, &(o)->run.warmup,                                           \
         "REAL",   "warm-up: a share of the steps"},                           \
        {0,        "constant",                                                 \
         OPT_FLAG, &(o)->run.constant,                                         \
         NULL,     "no decay after the warm-up"},                              \
        {0,        "average",                                                  \
         OPT_REAL, &(o)->average,                                              \
         "REAL",   "decay of a moving average of the weights (default: off)"}, \
        {0,                                                                    \
         "pos-weight",                                                         \
         OPT_TEXT,                                                             \
         pos_weight,                                                           \
         "REAL|data|CLASS=REAL,...",                                           \
         "weight of positives of multi-label models; data: each label's "      \
         "negatives per positive, at most 100; or of labels of these "         \
         "classes"},                                                           \
        {0,        "reverse-complement",                                       \
         OPT_FLAG, &(o)->reverse_complement,                                   \
         NULL,     "a random strand for every " row},                          \
        {0,    "given-strand",          OPT_CLEAR, &(o)->reverse_complement,   \
         NULL, "every " row " as it is"},                                      \
        {0,                                                                    \
         "mutate",                                                             \
         OPT_REAL,                                                             \
         &(o)->mutate,                                                         \
         "REAL",                                                               \
         "probability of a base of a training " row " to become another one"}, \
        {0,                                                                    \
         "select",                                                             \
         OPT_CHOICE,                                                           \
         &(o)->select,                                                         \
         "auroc|mcc|loss",                                                     \
         "validation metric that selects the weights"},                        \
        {0,                                                                    \
         "min-positives",                                                      \
         OPT_INT,                                                              \
         &(o)->min_positives,                                                  \
         "INT",                                                                \
         "validation medians are over labels with at least as many "           \
         "positives, and negatives"},                                          \
        {0,       "evaluate-every",                                            \
         OPT_INT, &(o)->evaluate_every,                                        \
         "INT",   "updates (default: an epoch)"},                              \
        {0,       "checkpoint-every",                                          \
         OPT_INT, &(o)->run.checkpoint_every,                                  \
         "INT",   "updates (default: at every validation)"},                   \
        {0,                                                                    \
         "patience",                                                           \
         OPT_INT,                                                              \
         &(o)->patience,                                                       \
         "INT",                                                                \
         "stop after this many validations without a better (default: off)"},  \
        {0,         "no-baselines",                                            \
         OPT_CLEAR, &(o)->baselines,                                           \
         NULL,      "do not fit and store the k-mer baselines"},               \
        CLI_SEED(&(o)->seed), CLI_TRAIN_PRECISION(&(o)->run.model.precision)

/** Run it, told line by line. pos_weight: the text of --pos-weight. Gives the
 *  exit status. */
int cli_finetune(bird_finetune_options *o, const char *pos_weight);

#endif
