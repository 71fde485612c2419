/**
 * The part of a run that fine-tuning and pretraining share: the model it starts
 * from, its trainer, its folder with checkpoint and log, and the model it
 * writes.
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

/** The state of a run in its checkpoints, beside the trainer's blocks. */
struct bird_train_progress {
    int64_t step;      /* updates done */
    int64_t best_step; /* of the best validation; 0 = none yet */
    int64_t stale;     /* validations since best_step */
    double best;       /* metric of the best validation; higher is better */
    double loss_sum;   /* of the updates since the last validation */
    int64_t loss_count;
    /* Of the rows of pretraining, all processes together. -1: begun by a version
     * that did not keep it. */
    int64_t bp,
        n_rich; /* bases under them; positions replaced for too many N */
};

/** Start with .o set, all else {0}. */
struct bird_train_run {
    const bird_train_options *o;
    struct bird_folder init; /* opened when o->init is given */
    bird_tokenizer *tokenizer;
    char *tokenizer_path; /* of the tokenizer's file */
    int new_head; /* 1: o->init lacks the head's last layer: random weights */
    struct bird_trainer *l;
    struct bird_dropout_rates dropout; /* rates; the key is the step's */
    struct bird_train_progress progress;
    struct bird_text identity;  /* all that decides the result: a checkpoint of
                                   another identity is refused */
    struct bird_text attention; /* pattern and map in words, compared too: the
                                   identity has a digest of config.json alone,
                                   and part of them is in dnabird.json */
    char start[65]; /* digest of the weights of o->init, compared too; or "" */
    int lock;       /* file descriptor of the folder's lock + 1, or 0 */
    double started; /* seconds, by bird_run_clock() */
    int64_t started_step;
};

/** Check the numbers of updates against their limits. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_run_check_updates(const bird_train_options *o);

/** Check that all that a run needs is given. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_run_check(const bird_train_options *o);

/**
 * Check the folder: a run in it may only be resumed, and a model without a run
 * is never overwritten. Errors: BIRD_EINVAL
 */
BIRD_MUST_CHECK int bird_run_check_folder(const bird_train_options *o);

/** Open the model to start from and the tokenizer. */
BIRD_MUST_CHECK int bird_run_open(struct bird_train_run *r);

/**
 * The configuration the run starts with: that of the model folder, a config.json
 * or a preset, in this order of preference. A new one gets vocabulary and special
 * ids of the tokenizer; that of a model must be large enough for them. The caller
 * sets the head, and calls bird_config_check() after that.
 */
BIRD_MUST_CHECK int bird_run_config(struct bird_config *c,
                                    const struct bird_train_run *r);

/** Make the trainer r->l, with its optimiser and first weights: random ones of
 *  this seed, replaced by those of the model to start from; a head of another
 *  kind is not taken. @param average decay of the moving average; 0: none */
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

/** Make the folder, once all inputs are open, and lock it against other runs
 *  until bird_run_close(). Errors: BIRD_EIO, also where another run has the lock;
 *  BIRD_EINVAL the folder has files of something else */
BIRD_MUST_CHECK int bird_run_begin(struct bird_train_run *r);

/** With o->resume, go on from the checkpoint if there is one; temporary files of
 *  a killed run are removed. Errors: BIRD_EIO; BIRD_EFORMAT a checkpoint that is
 *  truncated, or of another attention, run or model to start from */
BIRD_MUST_CHECK int bird_run_resume(struct bird_train_run *r);

/** Write checkpoint.safetensors, atomically. */
BIRD_MUST_CHECK int bird_run_save(const struct bird_train_run *r);

/**
 * Begin a new log with this header line, or keep its lines up to the run's step,
 * which is their first column; an incomplete last line is dropped.
 */
BIRD_MUST_CHECK int bird_run_log_start(const struct bird_train_run *r,
                                       const char *header);
/** Add a line. */
BIRD_MUST_CHECK int bird_run_log_add(const struct bird_train_run *r,
                                     const char *line);

/** Write the model folder: configuration, tokenizer, theta, and dnabird.json.
 *  Owner: meta is freed. */
BIRD_MUST_CHECK int bird_run_write_model(const struct bird_train_run *r,
                                         json_t *meta);
void bird_run_close(struct bird_train_run *r);

/** A file's name without its folders as a JSON string, or null: models must not
 *  contain paths of the machine they were made on. */
json_t *bird_run_base_name(const char *path);

/** Seconds on a clock that never jumps. */
double bird_run_clock(void);

#endif
