/**
 * Learn a classification model from labelled sequences.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_FINETUNE_H
#define DNABIRD_FINETUNE_H

#include <stdint.h>

#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/optimizer.h"
#include "dnabird/progress.h"

/** Which figure on the validation split picks the best weights. */
enum bird_finetune_select {
    BIRD_SELECT_AUROC,
    BIRD_SELECT_MCC,
    BIRD_SELECT_LOSS
};

/** Where a run is, as bird_progress.finetune after every step. */
typedef struct bird_finetune_state {
    int64_t step, steps; /* updates done, updates in all */
    double epoch;        /* passes over the training rows */
    double loss;         /* mean since the last validation */
    double rate;         /* sequences a second, of this process */
    int validated;       /* 1 when the following are new */
    double valid_loss, valid_auroc, valid_mcc;
    int64_t train_trimmed, valid_trimmed; /* rows with more tokens than ... */
    int64_t max_tokens;                   /* ... these, which the model reads */
    /* Sentences on labels known in no training row, which the model does not
     * have, and on labels positive in none; NULL: there are none. Borrowed. */
    const char *left_out, *never_positive;
    int best; /* 1 when this is the best validation so far */
} bird_finetune_state;

typedef struct bird_finetune_options {
    const char *train, *valid; /* files; valid NULL: valid_fraction */
    bird_dataset_options data; /* how to read them */
    double valid_fraction;     /* held out of train by hash; 0.1 */
    uint64_t split_seed;       /* of that hash; 1 */
    const char *init;          /* model folder to start from, or NULL */
    const char *preset;        /* tiny, small, base; without init */
    bird_model_run run;        /* random blocks and token type of the model;
                                  precision, float32 or bfloat16, is that of
                                  training; pad_to is not looked at */
    const char *config;        /* config.json; without init and preset */
    const char *tokenizer;     /* tokenizer.json; NULL: of init */
    const char *out;           /* the run's folder, then the model */
    const char *note;          /* kept in the model: what it is for */
    const char *command;       /* kept in the model */
    const char *head;          /* of bird_head_choice(); "sequence" */
    enum bird_optimizer optimizer;
    enum bird_finetune_select select;
    int64_t epochs, steps;     /* steps > 0 overrides epochs; 10, 0 */
    int64_t batch;             /* sequences an update; 64 */
    int64_t pack_tokens;       /* tokens of one forward pass; 8192 */
    int64_t evaluate_every;    /* updates; 0: an epoch's worth */
    int64_t checkpoint_every;  /* updates; 0: at every validation */
    int64_t patience;          /* validations without a better; 0: all */
    uint64_t seed;             /* 1 */
    double lr, warmup;         /* 3e-4; share of the steps, 0.1 */
    double weight_decay, clip; /* 0.01, 1.0 */
    double dropout;            /* < 0: the configuration's */
    double average;            /* moving average of weights; 0 = off */
    double pos_weight;         /* of multi-label positives; 1; 0: a label's
                                     negatives by its positives, at most 100 */
    int constant;              /* no decay after the warm-up */
    int reverse_complement;    /* a strand at random for every row */
    int64_t shift_bp;          /* rows moved by up to so much, what leaves
                                     at one end coming in at the other; 0 */
    double mutate;             /* probability of another base, 0 to 0.75; 0 */
    int recompute;             /* keep layer inputs only */
    int resume;                /* go on from the run's checkpoint */
    int baselines;             /* fit and store the floors; 1 */
    int64_t window_bp, stride_bp; /* kept in the model; 0 = not given */
    /** Or NULL. "training" of steps, whose nonzero stops the run after a
     * checkpoint; "validating" of rows, whose answer is not looked at;
     * "fitting the floors", when the model is written: it then stays without
     * them. */
    bird_progress_call *progress;
    void *progress_context;
} bird_finetune_options;

BIRD_API void bird_finetune_options_default(bird_finetune_options *o);

/**
 * Train, validate, stop early, and leave a model folder at o->out.
 *
 * Every choice is a function of (seed, step, row): a run stopped at any
 * moment and resumed ends with the same bytes in model.safetensors,
 * config.json and tokenizer.json as one never stopped. checkpoint.safetensors
 * and training.tsv lie in the folder while and after it runs.
 *
 * Source   optimiser and schedule as transformers' Trainer: no decay on
 *          LayerNorm and biases, linear warm-up and decay, clipped norm
 * Errors   BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT files; BIRD_ECANCELED
 *          stopped by progress, a checkpoint was written
 */
BIRD_API BIRD_MUST_CHECK int bird_finetune(const bird_finetune_options *o);

#endif
