/**
 * A fine-tuning run: its options, the data, the stream of training rows, the
 * last validation, and the state that checkpoints keep (train/run.h).
 *
 * Two tables hold all that differs between runs:
 *   bird_finetune_source  where rows come from: labelled sequences
 *                         (finetune_rows.c), sequences with a class for each
 *                         base (finetune_bases.c), or windows of bins
 *                         (finetune_bins.c)
 *   bird_finetune_task    what is learned: one class a row or a base
 *                         (finetune_classes.c), several labels, each 0, 1 or
 *                         unknown (finetune_labels.c), or measured values
 *                         (finetune_values.c)
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_FINETUNE_H
#define BIRD_TRAIN_FINETUNE_H

#include "data/bin_windows.h"
#include "data/dataset.h"
#include "folder/folder.h"
#include "session/pack.h"
#include "train/run.h"

/** A training row; its arrays are borrowed until the next one. */
struct bird_train_row {
    const char *seq;
    int64_t len, before; /* before: as in struct bird_binned */
    const float *value;  /* (n_answer, n_label); NULL: the row has a class */
    int64_t n_answer;    /* bins of a window; else 1 */
    int32_t class_id;
    const uint8_t *base_class; /* (len) classes of bases, or NULL */
    float weight;              /* of the row's loss (measured values); else 1 */
};

struct bird_finetuning;

/** An endless stream of training rows: epoch after epoch, each in an order of
 *  its own. Row k is a function of the seed, the stream's number and k. */
struct bird_row_stream {
    int64_t n;     /* rows of an epoch */
    int64_t batch; /* rows of an update */
    double share;  /* of the updates; stream 0 gets what the others leave */
    double weight; /* of an update's gradient */
    /** Read row i, changed at random by r. */
    int (*sample)(struct bird_train_row *out, struct bird_finetuning *f,
                  const struct bird_row_stream *s, int64_t i,
                  struct bird_rng *r);
    const bird_dataset *table;
    int64_t only_label; /* >= 0: rows of two classes, which are this label's 0
                           and 1, or of one value, which is its target; all
                           other labels are unknown */
    int64_t *order, epoch; /* (n) rows of this epoch; -1: none yet */
    int64_t n_update;      /* updates made of it so far */
    uint64_t number;       /* of the stream, from 0 */
};

enum { BIRD_MAX_ALSO = 16 };

/** Where rows come from. Every function returns 0 or an error. */
struct bird_finetune_source {
    const char *unit; /* that a validation counts */
    /** The bias of a new head begins at this many times the odds of each
     *  label; 0: at 0, unless gradients are centred. */
    double start_odds;
    /** Read the files into f->data, all but its source and task. */
    int (*open)(struct bird_finetuning *f);
    /** Check the lengths of rows once the model is known. */
    int (*check)(struct bird_finetuning *f);
    /** Sample a training row; as in struct bird_row_stream. */
    int (*sample)(struct bird_train_row *out, struct bird_finetuning *f,
                  const struct bird_row_stream *s, int64_t i,
                  struct bird_rng *r);
    /** Add a row's tokens to the pack. */
    int (*pack)(struct bird_finetuning *f, const struct bird_train_row *row);
    /** In how many training rows or bins each label is known, and is 1.
     *  @param every 1: all of them; 0: as many as are learned from */
    int (*count)(int64_t *known, int64_t *positive,
                 const struct bird_finetuning *f, int every);
    /** Leave labels out of the data; keep (n_label). */
    int (*keep)(struct bird_finetuning *f, const uint8_t *keep);
    /** Digests of the training and the validation data. */
    int (*digest)(char train[65], char valid[65],
                  const struct bird_finetuning *f);
    /** Add this source's options to f->run.identity. */
    int (*identify)(struct bird_finetuning *f);
    /** Answers for the validation rows, (valid.n, task->answers n_label).
     *  @param after_row called after each unit */
    int (*predict)(double *p, const struct bird_finetuning *f,
                   const bird_model *m, int (*after_row)(void *context),
                   void *context);
    /** NULL: there are no baselines of such answers. */
    int (*fit_baseline)(bird_baseline **out, const struct bird_finetuning *f,
                        const bird_baseline_options *o);
    /** Add genome, layout and labels to dnabird.json. */
    int (*describe)(json_t *meta, const struct bird_finetuning *f);
};

extern const struct bird_finetune_source bird_finetune_from_rows;
extern const struct bird_finetune_source bird_finetune_from_bases;
extern const struct bird_finetune_source bird_finetune_from_windows;

/** What is learned of a row. Every function returns 0 or an error. */
struct bird_finetune_task {
    enum bird_problem problem;
    int answers; /* of the head, for each label */
    const char
        *metric[2]; /* metrics of a validation, in addition to the loss */
    enum bird_finetune_select select[2]; /* that choose by them */
    /** Check the labels and make what training and validation need of them. */
    int (*open)(struct bird_finetuning *f);
    /** Point at the labels of the rows in the pack. @return 0 when none of
     *  them is known */
    int (*labels)(struct bird_labels *out, const struct bird_finetuning *f);
    /** Metrics of f->valid.probability into the valid_ fields of *s. */
    int (*measure)(struct bird_finetuning *f, bird_finetune_state *s);
    /** After the best validation so far: write validation.tsv. */
    int (*log)(const struct bird_finetuning *f);
    /** The same metrics as an object for dnabird.json. */
    int (*describe)(json_t **out, struct bird_finetuning *f);
};

extern const struct bird_finetune_task bird_finetune_classes;
extern const struct bird_finetune_task bird_finetune_labels;
extern const struct bird_finetune_task bird_finetune_values;
extern const struct bird_finetune_task bird_finetune_gaussian;
/** Measured values of the training rows in their unit again, for a baseline. */
void bird_finetune_restore_unit(const struct bird_finetuning *f);

/** Windows of bins and the tables learned beside them; all {0} when rows are
 *  labelled sequences. */
struct bird_finetune_windows {
    struct bird_bin_labels labels;
    struct bird_bin_windows train, valid;
    int64_t valid_all;               /* validation windows in the file */
    struct bird_bin_rows valid_rows; /* but for their data set, data.valid */
    struct bird_bin_sample sample;   /* the current window */
    bird_dataset also[BIRD_MAX_ALSO];
    struct bird_teacher *teacher; /* (n_teacher) finetune_teacher.c */
    double *log_odds;             /* (bins, n_label) sum of the teachers' */
    int32_t *n_answer;            /* (n_label) teachers that have the label */
    int64_t n_teacher, cap_log_odds;
};

/** What is read once, before the first update. */
struct bird_finetune_data {
    const struct bird_finetune_source *source;
    const struct bird_finetune_task *task;
    bird_dataset train; /* of windows: names of labels and contigs, and n
                           windows without a row */
    bird_dataset valid; /* rows, or the bins of which a label is known */
    struct bird_finetune_windows windows;
    int64_t bin_bp;  /* bases of a bin; 0: a row has one answer */
    int64_t n_valid; /* units of a validation: rows, or windows */
    int64_t train_trimmed, valid_trimmed; /* rows longer than the model reads */
    struct bird_text left_out; /* notice of labels left out, or empty */
    struct bird_text never;    /* notice of labels that are never 1 */
    float *pos_weights;   /* (n_label) weights of positives, or of classes of
                           bases; or NULL */
    float *label_weights; /* (n_label) of the loss of each label, of mean 1; or
                             NULL */
    int64_t *class_count; /* (n_label) training bases of each class, of bases;
                             else NULL */
    struct bird_quantity *quantity; /* (n_label) of measured values, or NULL */
};

/** The streams that training rows are sampled from, and the pack being filled.
 *  */
struct bird_finetune_stream {
    struct bird_row_stream row[1 + BIRD_MAX_ALSO]; /* (n) */
    int64_t n, n_counted; /* updates up to which .n_update counts */
    struct bird_pack pack;
    int64_t n_value, cap_class, cap_value, cap_weight, cap_changed;
    int64_t cap_token, cap_token_weight, cap_turned;
    int32_t *class_id;   /* (pack.n_seq) of the rows in the pack */
    int32_t *token;      /* (pack.n_tok) classes of tokens, -100: none; NULL but
                          with classes of bases */
    float *token_weight; /* (pack.n_tok) by pos_weights; NULL without these */
    float *value;        /* (n_value) labels of the rows in the pack */
    float *weight;       /* (pack.n_seq) what these rows count */
    float *one;          /* (n_label) labels of the row at hand */
    char *changed;       /* bases of the row at hand */
    struct bird_ids ids; /* of the row at hand, with the option ids */
    uint8_t *turned;     /* classes of its bases, on the other strand */
};

/** The last validation. */
struct bird_finetune_validation {
    double *probability; /* (valid.n, task->answers n_label): the answers for
                              all labels, then further ones; of classes of
                              bases (n, bird_model_labels()) */
    int32_t *class_id;   /* (n) of one class a row, or a base */
    int64_t n;
    bird_metrics *metrics; /* (n_label) of several labels; else NULL */
    const char **group;    /* (n_group) classes of labels, "TF" ..., or NULL */
    int64_t n_group;
    int32_t *group_of;        /* (n_label) */
    struct bird_text medians; /* of each class of labels, in words */
};

struct bird_finetuning {
    bird_finetune_options o;
    struct bird_finetune_data data;
    int64_t steps, warmup_steps, evaluate_every; /* updates */
    struct bird_train_run run;
    struct bird_finetune_stream stream;
    struct bird_finetune_validation valid;
};

/* --- data ----------------------------------------------------------------- */

/** Leave out labels that are unknown in every training row. Notices about
 *  these, and about labels that are never 1, go into f->data. Errors:
 *  BIRD_EINVAL no label is left */
BIRD_MUST_CHECK int bird_finetune_leave_out(struct bird_finetuning *f);

/** A rare label or class would otherwise outweigh all others. */
#define BIRD_MOST_POS_WEIGHT 100

/** Weights f->o.pos_weight_of into f->data.pos_weights, by the classes of the
 *  labels' features, or by the labels' names where they have none. Errors:
 *  BIRD_EINVAL a text that is no weight, no such class; BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_finetune_weigh_classes(struct bird_finetuning *f);

/** Point at the labels or values of the rows in the pack; an unknown one has no
 *  gradient: bird_finetune_task.labels. */
int bird_finetune_pack_columns(struct bird_labels *out,
                               const struct bird_finetuning *f);

/** Start the bias of a new head at start_odds (or 1) times the odds of each label:
 *  Adam's steps are so small that a short run would spend most updates on it.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_finetune_start_bias(struct bird_finetuning *f);

/** Tables learned beside windows: check the options; read the tables, whose labels
 *  follow those of windows; add them to f->run.identity. Errors: BIRD_EINVAL, and those
 *  of reading */
BIRD_MUST_CHECK int bird_finetune_check_also(const bird_finetune_bins *b);
BIRD_MUST_CHECK int bird_finetune_open_also(struct bird_finetuning *f);
BIRD_MUST_CHECK int bird_finetune_identify_also(struct bird_finetuning *f);

/** Models whose answers take the place of labels. Errors: BIRD_EINVAL a model
 *  with other bins or labels, or without probabilities; those of opening */
BIRD_MUST_CHECK int bird_finetune_open_teachers(struct bird_finetuning *f);
BIRD_MUST_CHECK int bird_finetune_identify_teachers(struct bird_finetuning *f);
void bird_finetune_free_teachers(struct bird_finetune_windows *w);

/** Replace the known labels of w->sample by the teachers' mean answers, but those
 *  that no teacher has. Errors: those of the session */
BIRD_MUST_CHECK int bird_finetune_teach(struct bird_finetune_windows *w);

/** Functions that sources of rows share: see struct bird_finetune_source. */
BIRD_MUST_CHECK int bird_finetune_open_rows(struct bird_finetuning *f);
BIRD_MUST_CHECK int bird_finetune_digest_rows(char train[65], char valid[65],
                                              const struct bird_finetuning *f);
BIRD_MUST_CHECK int bird_finetune_identify_rows(struct bird_finetuning *f);

/** Point at the classes of the tokens in the pack: bird_finetune_task.labels.
 *  @return 0 when none of them is known */
int bird_finetune_pack_tokens(struct bird_labels *out,
                              const struct bird_finetuning *f);

/** SHA-256 of sequences, their borders and labels. */
BIRD_MUST_CHECK int bird_finetune_digest(char hex[65], const bird_dataset *d);

/** A number of dnabird.json. */
struct bird_finetune_fact {
    const char *key;
    int64_t value;
};

/** Add n numbers, the strands, and the contigs of d to dnabird.json. */
BIRD_MUST_CHECK int
bird_finetune_describe_genome(json_t *meta, const bird_dataset *d,
                              const struct bird_finetune_fact *fact, int n);

/* --- the stream of training rows ------------------------------------------ */

BIRD_MUST_CHECK int bird_finetune_open_stream(struct bird_finetuning *f);
void bird_finetune_free_stream(struct bird_finetune_stream *s);

/** A row of s->table, changed as the options say: bird_row_stream.sample. */
BIRD_MUST_CHECK int bird_finetune_sample_table(struct bird_train_row *out,
                                               struct bird_finetuning *f,
                                               const struct bird_row_stream *s,
                                               int64_t i, struct bird_rng *r);

/** Share of the updates that stream 0 gets. */
double bird_finetune_own_share(const struct bird_finetuning *f);

/** The stream of update number `step`, its n_update up to date. */
struct bird_row_stream *bird_finetune_stream_of(struct bird_finetuning *f,
                                                int64_t step);

/** Add row k of a stream to the pack, with its labels. */
BIRD_MUST_CHECK int bird_finetune_add_row(struct bird_finetuning *f,
                                          struct bird_row_stream *s, int64_t k);

/** Empty the pack. */
void bird_finetune_clear_pack(struct bird_finetuning *f);

/* --- validation and the model --------------------------------------------- */

/** Probabilities of the validation rows into f->valid.probability. */
BIRD_MUST_CHECK int bird_finetune_predict(struct bird_finetuning *f,
                                          const struct bird_weights *w);

/** Append a metric of a log, after `before`; "NA" where it is not defined. */
BIRD_MUST_CHECK int bird_finetune_put_metric(struct bird_text *t,
                                             const char *before, double x);

/** Write the best validation's weights, config.json, tokenizer.json,
 *  dnabird.json and baseline.safetensors. */
BIRD_MUST_CHECK int bird_finetune_finish(struct bird_finetuning *f);

#endif
