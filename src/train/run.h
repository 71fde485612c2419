/**
 * What fine-tuning and pretraining share: where a run starts, its learner, its
 * folder with checkpoint and log, and the model it leaves.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_RUN_H
#define BIRD_TRAIN_RUN_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/tokenizer.h"
#include "dnabird/train.h"
#include "folder/folder.h"
#include "train/trainer.h"

#define BIRD_RUN_CHECKPOINT "checkpoint.safetensors"
#define BIRD_RUN_LOG        "training.tsv"

/** What a run remembers beside the learner's blocks. */
struct bird_train_progress {
    int64_t step;      /* updates done */
    int64_t best_step; /* of the best validation; 0 = none yet */
    int64_t stale;     /* validations since */
    double best;       /* its metric, higher is better */
    double loss_sum;   /* of the updates since the last validation */
    int64_t loss_count;
};

/** Start with .o set, all else {0}. */
struct bird_train_run {
    const bird_train_options *o;
    struct bird_folder init; /* opened when o->init is given */
    bird_tokenizer *tokenizer;
    char *tokenizer_path; /* where it was read from */
    int new_head; /* its last layer is random: no model to start from has it */
    struct bird_trainer *l;
    struct bird_dropout_rates dropout; /* rates; the key is the step's */
    struct bird_train_progress progress;
    struct bird_text identity;  /* what makes the run the same run */
    struct bird_text attention; /* beside it, pattern and map in words: part of
                                   them stands in dnabird.json, which the
                                   identity's digest of config.json is not of */
    int lock;                   /* of the folder: its descriptor + 1, or 0 */
    double started;             /* seconds, by bird_run_clock() */
    int64_t started_step;
};

/** How updates are made: numbers within their limits. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_run_check_updates(const bird_train_options *o);

/** What every run needs is given. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_run_check(const bird_train_options *o);

/**
 * A run that is in the folder is gone on with (resume) or refused, a model
 * that no run left is never written over. Errors: BIRD_EINVAL
 */
BIRD_MUST_CHECK int bird_run_check_folder(const bird_train_options *o);

/** Open the model to start from and the tokenizer. */
BIRD_MUST_CHECK int bird_run_open(struct bird_train_run *r);

/**
 * The configuration the run starts with: of the model folder, a config.json or
 * a preset, in this order of preference. A new one gets vocabulary and special
 * ids of the tokenizer; a model's must have room for it. The head is the
 * caller's to set, and bird_config_check() to call after that.
 */
BIRD_MUST_CHECK int bird_run_config(struct bird_config *c,
                                    const struct bird_train_run *r);

/** The learner r->l, optimiser set, with first weights: random ones of this
 *  seed, over them those of the model to start from; its head is left out
 *  where it is another. @param average decay of the moving average; 0: none */
BIRD_MUST_CHECK int bird_run_learner(struct bird_train_run *r,
                                     const struct bird_config *c,
                                     double average, uint64_t seed);

/** The bias of the head's last layer, of a head that begins at random; else
 *  NULL. */
const struct bird_param *bird_run_new_bias(const struct bird_train_run *r);

/** Digests of the configuration as it will be written and of the tokenizer,
 *  for the identity. */
BIRD_MUST_CHECK int bird_run_digests(char config[65], char tokenizer[65],
                                     const struct bird_train_run *r);

/** Make the folder, once all inputs are open: from here on the run's files in
 *  it are its own to read and to write again, and other runs are kept out until
 *  bird_run_close(). Errors: BIRD_EIO, also where another run writes it;
 *  BIRD_EINVAL what is there is no such run's */
BIRD_MUST_CHECK int bird_run_begin(struct bird_train_run *r);

/** Go on from the checkpoint, if that is asked for and there is one; files
 *  that a killed run left half written are removed.
 *  Errors: BIRD_EIO, BIRD_EFORMAT cut short, of another attention or run */
BIRD_MUST_CHECK int bird_run_resume(struct bird_train_run *r);

/** Write checkpoint.safetensors: one file, whole or not at all. */
BIRD_MUST_CHECK int bird_run_save(const struct bird_train_run *r);

/**
 * Begin the log anew with this header line, or keep of it the lines up to the
 * run's step, their first column; a last line cut short is dropped.
 */
BIRD_MUST_CHECK int bird_run_log_start(const struct bird_train_run *r,
                                       const char *header);
/** Add a line. */
BIRD_MUST_CHECK int bird_run_log_add(const struct bird_train_run *r,
                                     const char *line);

/** The model folder: configuration, tokenizer, theta, and dnabird.json, whose
 *  object is freed. */
BIRD_MUST_CHECK int bird_run_write_model(const struct bird_train_run *r,
                                         json_t *meta);
void bird_run_close(struct bird_train_run *r);

/** A file's name without its folders, as JSON's text or null: a model does not
 *  tell where it was made. */
json_t *bird_run_base_name(const char *path);

/** Seconds on a clock that never jumps. */
double bird_run_clock(void);

#endif
