/**
 * Learning: fine-tuning and pretraining, and with them everything in
 * libdnabird_train that a program needs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TRAIN_H
#define DNABIRD_TRAIN_H

#include <stdint.h>

#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/evaluate.h"
#include "dnabird/evaluate_variants.h"
#include "dnabird/metrics.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"
#include "dnabird/report.h"
#include "dnabird/sample.h"

/** AdamW as three programs do it; docs/math/adam.md has the formulas. Muon:
 *  docs/math/muon.md. */
enum bird_optimizer {
    BIRD_OPTIMIZER_ADAMW,    /* torch.optim.AdamW */
    BIRD_OPTIMIZER_ADAMW_HF, /* transformers.AdamW up to 4.17 */
    BIRD_OPTIMIZER_BERTADAM, /* google's AdamWeightDecayOptimizer */
    BIRD_OPTIMIZER_MUON      /* of filters and the encoder's matrices; of all
                                else BIRD_OPTIMIZER_ADAMW */
};

/** What every run is given: where it starts, how it learns, what it leaves.
 *  Paths and texts are borrowed while it runs. */
typedef struct bird_train_options {
    const char *init;      /* model folder to start from, or NULL */
    const char *preset;    /* tiny, small, base; without init */
    const char *config;    /* config.json; without init and preset */
    const char *pattern;   /* attention of a preset or config, as of */
    const char *map;       /* bird_model_init(); NULL: its own, softmax */
    const char *tokenizer; /* tokenizer.json; NULL: of init */
    const char *out;       /* the run's folder, then the model */
    const char *note;      /* kept in the model: what it is for */
    const char *command;   /* kept in the model */
    bird_model_run model;  /* precision, float32 or bfloat16, is that of
                                 training; random blocks and token type are
                                 looked at by fine-tuning, pad_to is not */
    enum bird_optimizer optimizer;
    int64_t steps;             /* updates */
    int64_t pack_tokens;       /* tokens of one forward pass */
    int64_t checkpoint_every;  /* updates */
    double lr, warmup;         /* largest learning rate; share of the steps */
    double weight_decay, clip; /* 0.01, 1.0 */
    double dropout;            /* < 0: the configuration's */
    int constant;              /* no decay after the warm-up */
    int recompute;             /* keep layer inputs only */
    int centre;                /* gradients of a stem's filters and of a linear
                                  head, less their mean over inputs; Yong et
                                  al. 2020, arXiv:2004.01461 */
    int resume;                /* go on from the run's checkpoint */
    /** Or NULL; its nonzero stops the run after a checkpoint. */
    bird_progress_call *progress;
    void *progress_context;
} bird_train_options;

/* --- fine-tuning ---------------------------------------------------------- */

/** Which metric on the validation split picks the best weights. */
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
    /* Of windows of bins: those validated on, of so many; else 0. */
    int64_t valid_windows, valid_windows_all;
    /* Sentences on labels known in no training row, which the model does not
     * have, and on labels positive in none; NULL: there are none. Borrowed. */
    const char *left_out, *never_positive;
    /* Of labels with classes: the median AUROC and AUPRC of each, in words. */
    const char *medians;
    int best; /* 1 when this is the best validation so far */
} bird_finetune_state;

/** A further source of rows: a table with a label of its own. */
typedef struct bird_finetune_also {
    const char *name; /* of the label */
    const char *path; /* labelled sequences of two classes */
    double share;     /* of the updates */
    double weight;    /* of an update's gradient, against 1 for one of windows,
                      whose loss is the mean over all labels */
} bird_finetune_also;

/** What windows of bins are learned from, and how they are drawn. */
typedef struct bird_finetune_bins {
    bird_bin_files files;
    bird_bin_options labels;
    int64_t shift_bins; /* a window moved by up to so many whole bins; 0 */
    double cut;         /* share of windows of which a part alone is left, the
                           rest N; 0.25 */
    int64_t cut_least, cut_most; /* bases of that part; 300, 2000 */
    double background; /* share of bins without a label that is 1 which are
                          learned; 1 */
    const bird_finetune_also *also; /* (n_also) a row is one bin of its whole
                                       length, all other labels unknown */
    int64_t n_also;
    int64_t max_memory; /* bytes for labels and answers of validation, 12 a bin
                           and label; where all windows need more, some at even
                           distances are validated on; 2 Gi */
} bird_finetune_bins;

BIRD_API void bird_finetune_bins_default(bird_finetune_bins *b);

typedef struct bird_finetune_options {
    /** steps > 0 overrides epochs; 0. pack_tokens 8192, lr 3e-4, warmup 0.1 as
     * a share of the steps; checkpoints at every validation, and every
     * checkpoint_every > 0 updates.
     * Progress: "training" of steps; "validating" of rows, whose answer is
     * not looked at; "fitting the baselines", when the model is written: it
     * then stays without them. */
    bird_train_options run;
    const char *train, *valid; /* files; valid NULL: valid_fraction */
    bird_dataset_options data; /* how to read them */
    /** Or NULL. Else train and valid are BED files of windows, head is one
     * over bins, and data, valid_fraction, window_bp and stride_bp are not
     * looked at. */
    const bird_finetune_bins *bins;
    double valid_fraction; /* held out of train by hash; 0.1 */
    uint64_t split_seed;   /* of that hash; 1 */
    const char *head;      /* of bird_head_choice(); "sequence" */
    enum bird_finetune_select select;
    int64_t epochs;            /* 10 */
    int64_t batch;             /* sequences an update; 64 */
    int64_t evaluate_every;    /* updates; 0: an epoch's worth */
    int64_t patience;          /* validations without a better; 0: all */
    uint64_t seed;             /* 1 */
    double average;            /* moving average of weights; 0 = off */
    double pos_weight;         /* of multi-label positives; 1; 0: a label's
                               negatives by its positives, at most 100 */
    const char *pos_weight_of; /* "CLASS=WEIGHT,..." of labels of some classes
                                  instead; NULL */
    int64_t min_positives;     /* medians are over labels with at least as many
                              positives, and negatives, in valid; 1 */
    int reverse_complement;    /* a strand at random for every row */
    int64_t shift_bp; /* rows moved by up to so much, what leaves at one
                               end coming in at the other; 0 */
    double mutate;    /* probability of another base, 0 to 0.75; 0 */
    int baselines;    /* fit and store the baselines, of windows that of k-mers
                         on a part of the bins; 1 */
    int64_t window_bp, stride_bp; /* kept in the model; 0 = not given */
} bird_finetune_options;

/** The defaults named above. */
BIRD_API void bird_finetune_options_default(bird_finetune_options *o);

/**
 * Learn a classification model from labelled sequences: train, validate, stop
 * early, and leave a model folder at o->run.out.
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

/* --- pretraining ---------------------------------------------------------- */

/** Where a run is, as bird_progress.pretrain. */
typedef struct bird_pretrain_state {
    int64_t step, steps; /* updates done, updates in all */
    int64_t pack, packs; /* of the step under way, of this process */
    int updated;         /* 1: a step was just done, and the numbers are its */
    double loss;         /* mean over the masked tokens, nats */
    double next_loss;    /* mean over the pairs, nats; NaN without --nsp */
    double bits;         /* bits per base under the masked tokens */
    double lr, norm;     /* learning rate; gradient before clipping */
    double tokens_per_s, bp_per_s; /* of the step, of all processes */
    double left_s;                 /* seconds left at the rate so far */
    int validated;                 /* 1 when the following are new */
    double valid_loss, valid_bits, valid_accuracy;
    int rank, ranks; /* of this process, among those that train together */
} bird_pretrain_state;

typedef struct bird_pretrain_options {
    /** steps must be given. pack_tokens 4096, lr 1e-4; warmup a share of the
     * steps, or, from 1 on, steps: 0.1; checkpoint_every 0: every ten minutes.
     * Progress: of steps, told between packs and after every step. */
    bird_train_options run;
    bird_sample_options data; /* references, sampling, masking; seed too */
    const char *valid;        /* held out for validation: a BED file, or
                                 regions and contigs between commas; NULL */
    const char *test;         /* held out and never read; NULL */
    int64_t batch;            /* tokens an update, of all processes; 32768 */
    int64_t validate_every;   /* updates; 0: a twentieth of the steps */
    int64_t valid_tokens;     /* tokens of a validation; 65536 */
} bird_pretrain_options;

/** data.length_tok is 0: the longest the model reads. */
BIRD_API void bird_pretrain_options_default(bird_pretrain_options *o);

/**
 * Pretrain an encoder on reference genomes and leave a model folder at
 * o->run.out: a masked-language head, or with data.next_sentence the
 * pretraining head.
 *
 * Every choice is a function of (seed, step, row): a run stopped at any
 * moment and resumed ends with the same bytes in model.safetensors,
 * config.json and tokenizer.json as one never stopped, for any number of
 * threads. checkpoint.safetensors and training.tsv lie in the folder while
 * and after it runs. Started by mpirun, in a build that has MPI, the rows of
 * a step are shared out to the processes; the first one writes.
 *
 * Source   Zaheer et al. 2020, arXiv:2007.14062, appendix F.1, for the
 *          objective; docs/math/distributed.md for several processes
 * Errors   BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT files; BIRD_ERANGE the
 *          loss is not a number; BIRD_ECANCELED stopped by progress, a
 *          checkpoint was written. Of several processes one has the sentence,
 *          the others an empty one
 */
BIRD_API BIRD_MUST_CHECK int bird_pretrain(const bird_pretrain_options *o);

/** What libdnabird_train holds beside bird_build_features(): "MPI: " and its
 *  name, or "MPI: none". The text is the library's, until the thread's next
 *  call. */
BIRD_API const char *bird_train_features(void);

#endif
