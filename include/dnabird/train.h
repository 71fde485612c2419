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

BIRD_BEGIN_C

/** AdamW as three programs do it; docs/math/adam.md has the formulas. Muon:
 *  docs/math/muon.md. */
enum bird_optimizer {
    BIRD_OPTIMIZER_ADAMW,    /* torch.optim.AdamW */
    BIRD_OPTIMIZER_ADAMW_HF, /* transformers.AdamW up to 4.17 */
    BIRD_OPTIMIZER_BERTADAM, /* google's AdamWeightDecayOptimizer */
    BIRD_OPTIMIZER_MUON      /* of filters and the encoder's matrices; of all
                                else BIRD_OPTIMIZER_ADAMW */
};

/** Options of every run: where it starts, how it learns, what it writes. Paths
 *  and texts are borrowed while it runs. */
typedef struct bird_train_options {
    const char *init;      /* model folder to start from, or NULL */
    const char *preset;    /* tiny, small, base, large. One of init, preset
                              and config is given */
    const char *config;    /* config.json */
    const char *pattern;   /* attention pattern of a preset or config, as in
                              bird_model_init(); NULL: its own */
    const char *map;       /* attention map of it; NULL: softmax */
    const char *tokenizer; /* tokenizer.json; NULL: of init. Beside init, its
                              tokens have the same ids as init's */
    const char *out;       /* the run's folder, then the model */
    const char *note;      /* stored in the model: what it is for */
    const char *command;   /* stored in the model */
    bird_model_run model;  /* precision of training: float32 or bfloat16;
                              fine-tuning also reads random blocks and token
                              type; pad_to is ignored */
    enum bird_optimizer optimizer;
    int64_t steps;             /* updates */
    int64_t pack_tokens;       /* tokens of one forward pass */
    int64_t checkpoint_every;  /* updates */
    double lr, warmup;         /* largest learning rate; share of the steps */
    double weight_decay, clip; /* 0.01, 1.0 */
    double dropout;            /* -1: the configuration's */
    int constant;              /* 1: no decay after the warm-up */
    int recompute;             /* 1: keep inputs of layers alone, and compute
                                  activations again in the backward pass */
    int centre;                /* 1: subtract from the gradients of a stem's
                                  filters and of a linear head their mean over
                                  the inputs; Yong et al. 2020,
                                  arXiv:2004.01461 */
    int resume;                /* 1: go on from the run's checkpoint */
    int force;                 /* 1: start again where a run is; its checkpoint,
                                  log and model are removed. Not with resume */
    /** NULL, or called often; a nonzero result stops the run after it wrote a
     *  checkpoint. */
    bird_progress_call *progress;
    void *progress_context;
} bird_train_options;

/* --- fine-tuning ---------------------------------------------------------- */

/** Which metric on the validation split picks the best weights. */
enum bird_finetune_select {
    BIRD_SELECT_AUROC, /* of measured values: BIRD_SELECT_PEARSON */
    BIRD_SELECT_MCC,
    BIRD_SELECT_LOSS,
    BIRD_SELECT_PEARSON, /* of measured values, as the next */
    BIRD_SELECT_SPEARMAN
};

/** Loss of measured values. */
enum bird_value_loss {
    BIRD_VALUE_SQUARE,  /* squared error: a value has one answer */
    BIRD_VALUE_GAUSSIAN /* negative log likelihood of a normal distribution whose
                           mean and standard deviation are answers (Nix and
                           Weigend 1994) */
};

/** Where a run is, as bird_progress.finetune after every step. */
typedef struct bird_finetune_state {
    int64_t step, steps; /* updates done, updates in all */
    double epoch;        /* passes over the training rows */
    double loss;         /* mean since the last validation */
    double rate;         /* sequences a second, of this process */
    int validated; /* 1: this step validated, and the next lines are new */
    double valid_loss, valid_metric[2];
    const char *metric[2]; /* names of valid_metric: "AUROC", "MCC"; of measured
                              values "Pearson", "Spearman"; static */
    int64_t train_trimmed, valid_trimmed; /* rows of more than max_tokens */
    int64_t max_tokens;                   /* that the model reads */
    /* Windows of bins that a validation scores, and all in the file; else 0. */
    int64_t valid_windows, valid_windows_all;
    /* Notices of labels that no training row knows, which are left out of the
     * model, and of labels that are positive in none; NULL: none. Borrowed. */
    const char *left_out, *never_positive;
    /* Median AUROC and AUPRC of each class of labels, in words; or NULL. */
    const char *medians;
    int best; /* 1 when this is the best validation so far */
} bird_finetune_state;

/** A further source of rows: a table with a label of its own. */
typedef struct bird_finetune_also {
    const char *name; /* of the label */
    const char *path; /* labelled sequences of two classes, or with values */
    int values;    /* 1: column `name` has measured values or NA. The label of
                         a row is the share of the known rows with a smaller
                         value (those with the same count half), 0 to 1 */
    double share;  /* of the updates */
    double weight; /* of an update's gradient; an update of windows has 1,
                      and its loss is the mean over all labels */
} bird_finetune_also;

/** Windows of bins: their labels, and how training changes them. */
typedef struct bird_finetune_bins {
    bird_bin_files files;
    bird_bin_options labels;
    int64_t shift_bins; /* a window moves by up to so many whole bins; 0 */
    double cut; /* share of windows that keep only a part, the rest N; 0.25 */
    int64_t cut_least, cut_most; /* bases of that part; 300, 2000 */
    double background; /* share of the bins without a positive label that are
                          learned; 1 */
    double decoys;     /* share of windows whose sequence becomes one without a
                      start site (data/decoy.h); all other labels of these are
                      unknown; 0 */
    const bird_finetune_also *also; /* (n_also) tables learned beside windows:
                                       a row is one bin of its whole length,
                                       all other labels are unknown */
    int64_t n_also;
    /** (n_teacher) folders of models with bins of this size. Their mean answers
     * to a training window, both strands, are learned in the place of the known
     * labels with the same names: sigmoid of the mean of their log odds.
     * Validation keeps the labels of the files. NULL: none */
    const char *const *teacher;
    int64_t n_teacher;
    int64_t max_memory; /* bytes for labels and probabilities of validation, 12
                           a bin and label; 2 Gi. Where all windows need more,
                           windows at even distances are validated */
} bird_finetune_bins;

BIRD_API void bird_finetune_bins_default(bird_finetune_bins *b);

typedef struct bird_finetune_options {
    /** steps > 0 overrides epochs; 0. pack_tokens 8192, lr 3e-4, warmup 0.1 as
     * a share of the steps; checkpoints at every validation, and every
     * checkpoint_every > 0 updates.
     * Progress: "training" counts steps; "validating" counts rows or windows,
     * and ignores the result; "fitting the baselines" comes after the model is
     * written: a run stopped there leaves a model without baselines. */
    bird_train_options run;
    const char *train, *valid; /* files; valid NULL: valid_fraction */
    bird_dataset_options data; /* how to read them; per_base and n_vocab come
                                  from head and tokenizer */
    /** NULL, or train and valid are BED files of windows, the head is one over
     * bins, and data, valid_fraction, window_bp and stride_bp are ignored. */
    const bird_finetune_bins *bins;
    double valid_fraction; /* held out of train by hash; 0.1 */
    uint64_t split_seed;   /* of that hash; 1 */
    const char *head;      /* of bird_head_choice(); "sequence". "token" learns
                              a class for each base; a token learns the rarest
                              one of its bases (docs/math/loss.md) */
    enum bird_finetune_select select;
    enum bird_value_loss loss; /* of measured values; BIRD_VALUE_SQUARE */
    int64_t epochs;            /* 10 */
    int64_t batch;             /* sequences an update; 64 */
    int64_t evaluate_every;    /* updates; 0: an epoch's worth */
    int64_t patience;          /* stop after so many validations without a
                                  better one; 0: never */
    uint64_t seed;             /* 1 */
    double average;    /* decay of a moving average of weights; 0: off */
    double pos_weight; /* weight of positives of several labels; 1;
                                  0: negatives / positives of each label, at
                                  most 100. Classes of bases: weight of all but
                                  the most frequent; 0: its bases per base of
                                  the class, at most 100 */
    const char *pos_weight_of;   /* "CLASS=WEIGHT,...": for the labels of these
                                  classes instead, of labels without classes
                                  for those of these names; NULL */
    const char *label_weight_of; /* "CLASS=WEIGHT,...": weight of the loss of
                                    these labels (others: 1), for models of
                                    several labels; NULL */
    int64_t min_positives;  /* medians leave out labels with fewer positives
                                  or negatives in valid; 1 */
    int reverse_complement; /* 1: a random strand for every row */
    int64_t shift_bp;       /* rows move by up to so many bases: rows of a
                                  table rotate, windows move on the contig; 0 */
    double mutate; /* probability of a base to become another, 0 to 0.75; 0 */
    int freeze;    /* 1: learn the head and the pooler alone, on the encoder as
                      it is and without its dropout: a linear probe. Not with
                      Muon, which learns the encoder */
    int baselines; /* 1: fit and store the baselines; of windows that of k-mers
                      alone, on a part of the bins; 1 */
    int64_t window_bp, stride_bp; /* of scans, stored in the model; 0: none */
} bird_finetune_options;

/** The defaults named above. */
BIRD_API void bird_finetune_options_default(bird_finetune_options *o);

/**
 * Train a model on labelled sequences: train, validate, stop early, and write a
 * model folder at o->run.out.
 *
 * Every random choice is a function of (seed, step, row): a run that is stopped
 * at any moment and resumed ends with the same bytes in model.safetensors,
 * config.json and tokenizer.json as one never stopped. The folder also has
 * checkpoint.safetensors and training.tsv, while the run lasts and after it.
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
    int updated;         /* 1: a step has just ended; the numbers are of it */
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
     * Progress counts steps, and is reported after every pack. */
    bird_train_options run;
    bird_sample_options data; /* references, sampling, masking; seed too */
    const char *valid;        /* held out for validation: a BED file, or
                                 regions and contigs separated by commas; NULL */
    const char *test;       /* held out and not read, in the same forms; NULL */
    int64_t batch;          /* tokens an update, of all processes; 32768 */
    int64_t validate_every; /* updates; 0: a twentieth of the steps */
    int64_t valid_tokens;   /* tokens of a validation; 65536 */
} bird_pretrain_options;

/** data.length_tok is 0: the longest the model reads. */
BIRD_API void bird_pretrain_options_default(bird_pretrain_options *o);

/**
 * Pretrain an encoder on reference genomes and write a model folder at
 * o->run.out: a masked-language head, or with data.next_sentence the
 * pretraining head.
 *
 * Every random choice is a function of (seed, step, row): a run that is stopped
 * at any moment and resumed ends with the same bytes in model.safetensors,
 * config.json and tokenizer.json as one never stopped, for any number of
 * threads. The folder also has checkpoint.safetensors and training.tsv, while
 * the run lasts and after it. In a build with MPI, mpirun shares the rows of a
 * step among its processes; the first process writes.
 *
 * Source   Zaheer et al. 2020, arXiv:2007.14062, appendix F.1, for the
 *          objective; docs/math/distributed.md for several processes
 * Errors   BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT files; BIRD_ERANGE the
 *          loss is not a number; BIRD_ECANCELED stopped by progress, a
 *          checkpoint was written. Of several processes one has the message,
 *          the others an empty one
 */
BIRD_API BIRD_MUST_CHECK int bird_pretrain(const bird_pretrain_options *o);

/** What libdnabird_train was built with: "MPI: " and its name, or "MPI: none";
 *  bird_build_features() has the rest. The library owns the text, which is valid
 *  until the thread's next call. */
BIRD_API const char *bird_train_features(void);

BIRD_END_C

#endif
