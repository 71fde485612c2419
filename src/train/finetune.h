/**
 * A fine-tuning run: its data, its learner, where it is.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_FINETUNE_H
#define BIRD_TRAIN_FINETUNE_H

#include "data/bin_windows.h"
#include "dnabird/tiles.h"
#include "session/pack.h"
#include "train/run.h"

/** A training row as it is learned from; borrowed until the next one. */
struct bird_train_row {
    const char *seq;
    int64_t len, before; /* before: as in struct bird_binned */
    const float *value;  /* (n_bin, n_label), of several labels; else NULL */
    int64_t n_bin;       /* answers: 1 but for bins */
    int32_t class_id;    /* of one class a row */
};

struct bird_finetuning;

/** Rows that an update may be made of. Each source has an order of its own,
 *  epoch after epoch; row k of its stream is a function of the seed and k. */
struct bird_row_source {
    int64_t n;     /* rows of an epoch */
    int64_t batch; /* rows of an update */
    double share;  /* of the updates; that of the first is the rest */
    double weight; /* of an update's gradient */
    /** Row i as r draws it. */
    int (*draw)(struct bird_train_row *out, struct bird_finetuning *f,
                struct bird_row_source *s, int64_t i, struct bird_rng *r);
    bird_dataset *table;              /* of tables; else NULL */
    struct bird_bin_windows *windows; /* of windows; else NULL */
    int64_t label;         /* the one label of a table beside windows */
    int64_t *order, epoch; /* (n) rows of this epoch; -1: none */
    int64_t n_update;      /* updates it had before the one at hand */
    uint64_t number;       /* of the source, from 0 */
};

enum { BIRD_MAX_ALSO = 16 };

struct bird_finetuning {
    bird_finetune_options o;
    struct bird_train_run run;
    bird_dataset train, valid;
    int64_t steps, warmup_steps, evaluate_every;
    int64_t train_trimmed, valid_trimmed; /* rows, as they are in the file */
    struct bird_text left_out; /* notice of labels left out, or empty */
    struct bird_text never;    /* of labels that are 1 in no training row */
    struct bird_row_source source[1 + BIRD_MAX_ALSO]; /* (n_source) */
    int64_t n_source, n_counted; /* updates that n_update of them count */
    struct bird_pack pack;
    int64_t n_value, cap_class, cap_value, cap_changed, cap_one;
    int32_t *class_id; /* (pack.n_seq) of the rows in the pack */
    float *value;      /* (n_value) labels of the rows in the pack */
    float *one;        /* (n_label) labels of the row at hand */
    /* Of windows; else empty. */
    struct bird_bin_labels labels;
    struct bird_bin_windows train_windows, valid_windows;
    int64_t valid_all;               /* validation windows of the file */
    struct bird_bin_rows valid_rows; /* but for their data set, `valid` */
    struct bird_bin_drawn drawn;
    bird_dataset also[BIRD_MAX_ALSO];
    struct bird_text medians; /* of the last validation, in words */
    float *pos_weights;       /* (n_label) by the data, or NULL */
    int32_t *valid_group;     /* (n_label) class of each of several labels */
    const char **group;       /* (n_group) names of those classes */
    int64_t n_group;
    bird_metrics *figures; /* (n_label) of the last validation, of several */
    char *changed;         /* bases of a row */
    double *probability;   /* (valid.n, columns) */
    int32_t *valid_class;  /* (valid.n) */
};

/** Read, split and check the rows, weigh labels. Errors: those of reading;
 *  BIRD_EINVAL nothing can be learned from them */
BIRD_MUST_CHECK int bird_finetune_open_data(struct bird_finetuning *f);

/** The same of windows of bins: f->train has their labels and no rows, f->valid
 *  the bins of which something is known. */
BIRD_MUST_CHECK int bird_finetune_open_bins(struct bird_finetuning *f);

/** The model reads all windows whole, and their ends lie between rows of its
 *  stem. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_finetune_check_windows(struct bird_finetuning *f);

/** The windows' part of the identity. */
BIRD_MUST_CHECK int bird_finetune_identify_bins(struct bird_finetuning *f);

/** What dnabird.json says of a model of bins. */
BIRD_MUST_CHECK int
bird_finetune_describe_bins(json_t *meta, const struct bird_finetuning *f);

/** A new head of labels of bins, or one whose gradients are centred, begins at
 *  each label's log odds: a step of Adam is so small that it would take most of
 *  a short run to get there. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_finetune_start_bias(struct bird_finetuning *f);

/** Labels known in no training row, of these counts (train.n_label), in
 *  words; keep (n_label) the others. Errors: BIRD_EINVAL none is left */
BIRD_MUST_CHECK int bird_finetune_sort_labels(struct bird_finetuning *f,
                                              const int64_t *known,
                                              const int64_t *positive,
                                              uint8_t *keep);

/** Weights of positives and classes of several labels. */
BIRD_MUST_CHECK int bird_finetune_prepare_labels(struct bird_finetuning *f);

/** Make the sources of rows. */
BIRD_MUST_CHECK int bird_finetune_open_rows(struct bird_finetuning *f);

/** Share of the updates that are made of the training rows, or windows, and not
 *  of tables beside them. */
double bird_finetune_own_share(const struct bird_finetuning *f);

/** The source of update number `step`, its n_update up to date. */
struct bird_row_source *bird_finetune_source(struct bird_finetuning *f,
                                             int64_t step);

/** Row k of the source's stream into the pack, and its labels. */
BIRD_MUST_CHECK int bird_finetune_add_row(struct bird_finetuning *f,
                                          struct bird_row_source *s, int64_t k);

/** The labels of the pack; 0 when nothing is known of it. */
int bird_finetune_pack_labels(struct bird_labels *labels,
                              const struct bird_finetuning *f);

/** Empty the pack. */
void bird_finetune_clear_pack(struct bird_finetuning *f);

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
