/**
 * A fine-tuning run: its data, its learner, where it is.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_FINETUNE_H
#define BIRD_TRAIN_FINETUNE_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/finetune.h"
#include "dnabird/metrics.h"
#include "dnabird/tiles.h"
#include "dnabird/tokenizer.h"
#include "session/pack.h"
#include "train/checkpoint.h"
#include "train/trainer.h"

struct bird_finetuning {
    bird_finetune_options o;
    bird_dataset train, valid;
    bird_tokenizer *tokenizer;
    char *tokenizer_path; /* where it was read from */
    struct bird_trainer *l;
    struct bird_noise noise; /* rates; the key is the step's */
    struct bird_train_progress progress;
    int64_t steps, warmup_steps, evaluate_every;
    int64_t train_trimmed, valid_trimmed; /* rows, as they stand in the file */
    struct bird_text identity;
    struct bird_text left_out; /* notice of labels left out, or empty */
    struct bird_text never;    /* of labels that are 1 in no training row */
    int64_t *order;            /* (train.n) rows of this epoch */
    int64_t epoch;             /* that `order` is of; -1 = none */
    struct bird_pack pack;
    int64_t *picked; /* (pack.n_seq) rows in the pack */
    int64_t cap_picked, cap_class, cap_value, cap_changed;
    int32_t *class_id;
    float *value;
    float *pos_weights;   /* (n_label) by the data, or NULL */
    int32_t *valid_group; /* (n_label) class of each of several labels */
    const char **group;   /* (n_group) names of those classes */
    int64_t n_group;
    bird_metrics *figures; /* (n_label) of the last validation, of several */
    char *changed;         /* letters of a row */
    double *probability;   /* (valid.n, columns) */
    int32_t *valid_class;  /* (valid.n) */
    double started;        /* seconds */
    int64_t started_step;
};

/** Train, validate and keep checkpoints until the end or a stop. */
BIRD_MUST_CHECK int bird_finetune_loop(struct bird_finetuning *f);

/** Figures of each of several labels into f->figures, from f->probability.
 *  @param[out] s auroc: mean over classes of the median over their labels */
BIRD_MUST_CHECK int bird_finetune_measure_labels(struct bird_finetuning *f,
                                                 bird_finetune_state *s);

/** f->figures as validation.tsv. */
BIRD_MUST_CHECK int bird_finetune_log_labels(const struct bird_finetuning *f);

/** f->figures as an object: medians of each class. Owner: the caller. */
BIRD_MUST_CHECK int
bird_finetune_describe_labels(json_t **out, const struct bird_finetuning *f);

/**
 * Leave labels known in no training row out of train and valid, and note
 * them, and those never positive, for the caller of the run.
 * Errors: BIRD_EINVAL no label is left; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_finetune_leave_out(struct bird_finetuning *f);

/** Weights of positives by the data, and classes of several labels. */
BIRD_MUST_CHECK int bird_finetune_prepare_labels(struct bird_finetuning *f);

/** Probabilities of the validation rows into f->probability. */
BIRD_MUST_CHECK int bird_finetune_predict(struct bird_finetuning *f,
                                          const struct bird_weights *w);

/** The averaged (or plain) weights as best.safetensors. */
BIRD_MUST_CHECK int bird_finetune_keep_best(const struct bird_finetuning *f);

/** One line of training.tsv. */
BIRD_MUST_CHECK int bird_finetune_log(const struct bird_finetuning *f,
                                      const bird_finetune_state *s);

/** checkpoint.safetensors. */
BIRD_MUST_CHECK int bird_finetune_checkpoint(const struct bird_finetuning *f);

/** Go on from the run's checkpoint, if there is one. */
BIRD_MUST_CHECK int bird_finetune_resume(struct bird_finetuning *f);

/** Begin training.tsv anew, or cut it back to the checkpoint. */
BIRD_MUST_CHECK int bird_finetune_log_start(const struct bird_finetuning *f);

/** Sequences a second since the run (or its resumption) began. */
double bird_finetune_rate(const struct bird_finetuning *f);

#endif
