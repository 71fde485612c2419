/**
 * A fine-tuning run: its data, its learner, where it is.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_FINETUNE_H
#define BIRD_TRAIN_FINETUNE_H

#include "dnabird/window.h"
#include "session/pack.h"
#include "train/run.h"

struct bird_finetuning {
    bird_finetune_options o;
    struct bird_train_run run;
    bird_dataset train, valid;
    int64_t steps, warmup_steps, evaluate_every;
    int64_t train_trimmed, valid_trimmed; /* rows, as they are in the file */
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
    char *changed;         /* bases of a row */
    double *probability;   /* (valid.n, columns) */
    int32_t *valid_class;  /* (valid.n) */
};

/** Read, split and check the rows, weigh labels. Errors: those of reading;
 *  BIRD_EINVAL nothing can be learned from them */
BIRD_MUST_CHECK int bird_finetune_open_data(struct bird_finetuning *f);

/** SHA-256 of sequences, their borders and labels. */
BIRD_MUST_CHECK int bird_finetune_digest(char hex[65], const bird_dataset *d);

/** Probabilities of the validation rows into f->probability. */
BIRD_MUST_CHECK int bird_finetune_predict(struct bird_finetuning *f,
                                          const struct bird_weights *w);

/** Metrics of each of several labels into f->figures, from f->probability.
 *  @param[out] s auroc: mean over classes of the median over their labels */
BIRD_MUST_CHECK int bird_finetune_measure_labels(struct bird_finetuning *f,
                                                 bird_finetune_state *s);

/** f->figures as validation.tsv. */
BIRD_MUST_CHECK int bird_finetune_log_labels(const struct bird_finetuning *f);

/** Write the best validation's weights, config.json, tokenizer.json,
 *  dnabird.json and baseline.safetensors. */
BIRD_MUST_CHECK int bird_finetune_finish(struct bird_finetuning *f);

#endif
