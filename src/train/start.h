/**
 * Where a run starts: configuration, tokenizer and first weights, from a model
 * folder, a config.json or a preset.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_START_H
#define BIRD_TRAIN_START_H

#include "dnabird/error.h"
#include "dnabird/optimizer.h"
#include "dnabird/tokenizer.h"
#include "model/folder.h"
#include "train/trainer.h"

/** One of the first three, in this order of preference. */
struct bird_start {
    const struct bird_folder *init; /* an opened model folder, or NULL */
    const char *config;             /* path of a config.json, or NULL */
    const char *preset;             /* tiny, small, base */
    double dropout;                 /* instead of its own; < 0: its own */
};

/**
 * Path of the tokenizer: the one asked for, or that of the folder `init`.
 * Owner: *path is the caller's, free().
 */
BIRD_MUST_CHECK int bird_start_tokenizer(char **path, const char *tokenizer,
                                         const char *init);

/**
 * The configuration a run starts with. A new one gets vocabulary and special
 * ids of the tokenizer; a model's must have room for it. The head is the
 * caller's to set, and bird_config_check() to call after that.
 */
BIRD_MUST_CHECK int bird_start_config(struct bird_config *c,
                                      const struct bird_start *s,
                                      const bird_tokenizer *t);

/** First weights: random ones of this seed, over them those of s->init; its
 *  head is left out where it is another. */
BIRD_MUST_CHECK int bird_start_weights(struct bird_trainer *l,
                                       const struct bird_start *s,
                                       uint64_t seed);

/** Adam as each of the programs runs it by default: betas 0.9 and 0.999, eps
 *  1e-8 (torch) or 1e-6. */
struct bird_adam bird_start_adam(enum bird_optimizer kind, double weight_decay);

/** Dropout rates of a configuration; the key is the step's. */
struct bird_noise bird_start_noise(const struct bird_config *c);

/** SHA-256 of the configuration as it will be written. */
BIRD_MUST_CHECK int bird_config_digest(char hex[65],
                                       const struct bird_config *c);

#endif
