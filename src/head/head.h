/**
 * Heads: hidden states to logits, their losses, and their gradients.
 *
 * A head is a row of a table (model/heads.h). A new one is a file with its row
 * and its name in the list below.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_HEAD_HEAD_H
#define BIRD_HEAD_HEAD_H

#include <stdint.h>

#include "dnabird/error.h"
#include "model/encoder.h"

/** All heads, by name: NAME is the row bird_head_NAME. */
#define BIRD_HEADS(ROW)                                                        \
    ROW(none)                                                                  \
    ROW(mlm)                                                                   \
    ROW(pretrain)                                                              \
    ROW(sequence)                                                              \
    ROW(token)                                                                 \
    ROW(span)                                                                  \
    ROW(multiple_choice)                                                       \
    ROW(linear_pooled)                                                         \
    ROW(linear_cls) ROW(mean_pooled) ROW(maxmean) ROW(bins) ROW(bins_maxmean)

#define BIRD_HEAD_DECLARE(name)                                                \
    extern const struct bird_head_row bird_head_##name;
BIRD_HEADS(BIRD_HEAD_DECLARE)

/** Row i of the table, from 0; NULL past the last. */
const struct bird_head_row *bird_head_at(int i);

/** The head of this name in dnabird.json; NULL: none has it. */
const struct bird_head_row *bird_head_by_name(const char *name);

/** The head of this name of --head; NULL: none has it. */
const struct bird_head_row *bird_head_by_option(const char *option);

/** The head that learns from masked tokens, and next sentences if asked. */
const struct bird_head_row *bird_head_masked(int next);

/** Targets of a batch; a head reads the field that it needs. For heads over bins
 *  n_seq is the number of bins of all sequences. */
struct bird_labels {
    const int32_t *class_id;   /* (n_seq) single label; -100 = none */
    const float *value;        /* (n_seq, targets) multi-label or regression;
                                 NaN = unknown, left out of the mean */
    const float *row_weight;   /* (n_seq) what a row counts, of regression:
                                 head/loss.h; NULL: 1 */
    const int32_t *token;      /* (T) of MLM, of every token, or (N) token
                                 classes; -100 = none */
    const float *token_weight; /* (as token) what each counts in the mean, 0
                                  or more; NULL: 1. Of MLM and token classes */
    const int32_t *next;       /* (n_seq) next sentence: 0 = it follows */
    float pos_weight;          /* weight of positives in BCE; 1 = none */
    const float *pos_weights;  /* (n_label) of each label instead, or NULL */
    const float
        *label_weights; /* (n_label) of the loss of each label in BCE, of
                                   mean 1, or NULL */
    const float *seed;  /* (n_seq, n_label) or NULL: a gradient of the
                                 logits that replaces the loss's (scale and
                                 the fields above are ignored; the loss is
                                 0). For heads on sequences and bins */
    float next_scale;   /* the gradient is that of next_scale * the
                                 next-sentence loss; 0: of scale * it */
};

/** A loss and its parts. */
struct bird_loss {
    double loss;      /* what is minimised */
    double mlm, next; /* its parts, of the pretraining head */
    int64_t n_token;  /* labels that the loss is a (weighted) mean over */
};

/** Tokens that a masked-language head answers for if rows hold several
 *  (bird_stem_full), and their features; start with {0}. Owner: the caller. */
struct bird_head_tokens {
    int64_t *token;
    float *full;
    int64_t cap_token, cap_full;
};
void bird_head_tokens_free(struct bird_head_tokens *t);

/**
 * Make a batch want the tokens that have a label >= 0, (T); of heads that read
 * rows alone it stays as it is. To be called before the forward pass; *b then
 * borrows from t. Errors: BIRD_ENOMEM
 * @param back  1: a backward pass follows
 */
BIRD_MUST_CHECK int bird_head_want(struct bird_head_tokens *t,
                                   struct bird_batch *b,
                                   const struct bird_config *c,
                                   const int32_t *label, int back);

/** What a head is to learn. */
struct bird_head_task {
    int64_t n_label; /* targets: bird_head_targets() */
    int64_t bin_bp;  /* bases of a bin; 0: a sequence has one answer */
    int per_base;    /* 1: each base has a class */
    enum bird_problem problem;
};

/** Targets of each answer of the head: its labels, or half of them where each
 *  target has a mean and a log variance. */
int64_t bird_head_targets(const struct bird_config *c);

/** Give a configuration the head with this name of --head, for this task.
 *  Errors: BIRD_EINVAL no such head, or the head cannot learn the task */
BIRD_MUST_CHECK int bird_head_choose(struct bird_config *c, const char *option,
                                     const struct bird_head_task *task);

/** Columns of the logits. Rows: the batch's wanted tokens of MLM where rows
 *  hold several, else N for MLM and token heads, the bins of
 *  all sequences for heads over bins, else n_seq. */
int64_t bird_head_columns(const struct bird_config *c);

/** 1 when logits have a row per token, 0 when one per sequence. */
int bird_head_per_token(const struct bird_config *c);

/** 1 when the head gives each token one of several classes. */
int bird_head_classifies_tokens(const struct bird_head_row *h);

/** 1 when sequences get answers (so not hidden states, nor one a token). */
int bird_head_scores(const struct bird_config *c);

/** 1 when answers are values of labels (so not hidden states, nor words). */
int bird_head_has_labels(const struct bird_config *c);

/** 1 when a sequence gets an answer for each bin of c->bin_bp bases. */
int bird_head_has_bins(const struct bird_config *c);

/** What the head reads: BIRD_NEEDS_FIRST can do without the rows of other
 *  tokens (bird_encoder_forward_first). */
static inline enum bird_head_needs bird_head_needs(const struct bird_config *c)
{
    return c->head->needs;
}

/** The function from logits to answers. */
enum bird_activation {
    BIRD_ACTIVATE_NOTHING, /* quantities */
    BIRD_ACTIVATE_SIGMOID, /* labels, independent */
    BIRD_ACTIVATE_SOFTMAX  /* classes that exclude each other */
};
enum bird_activation bird_head_activation(const struct bird_config *c);

/**
 * Logits from hidden states x: (N, D), or (n_seq, D) with a batch of one row
 * a sequence where the head needs token 0 alone.
 * @param[out] logits (rows, columns); @param[out] next (n_seq, 2) logits of
 * the next-sentence head, or NULL
 * Errors: BIRD_ENOMEM; BIRD_EINVAL the model has no head, or reads tokens and
 * the batch wants none
 */
BIRD_MUST_CHECK int bird_head_forward(float *logits, float *next,
                                      const struct bird_config *c,
                                      const struct bird_weights *w,
                                      const float *x,
                                      const struct bird_batch *b);

/** Logits of the next-sentence head alone, (n_seq, 2). Errors: as above. */
BIRD_MUST_CHECK int bird_head_next(float *next, const struct bird_config *c,
                                   const struct bird_weights *w, const float *x,
                                   const struct bird_batch *b);

/** tanh(pooler(token 0)) of every sequence, (n_seq, D). */
BIRD_MUST_CHECK int bird_head_pool(float *pooled, const struct bird_config *c,
                                   const struct bird_weights *w, const float *x,
                                   const struct bird_batch *b);

/**
 * Loss of a batch and its backward pass: adds to the gradients of the head's
 * parameters and writes dx (N, D). The output layer of MLM is computed on
 * labelled rows alone.
 * @param[out] logits (rows, columns) of sequence heads, or NULL
 * @param grad  NULL: dx alone; of heads on sequences and bins
 * @param dropout  NULL = no dropout
 * @param scale  the gradient is that of scale * loss
 * Errors: BIRD_ENOMEM; BIRD_EINVAL no label at all, or none of the kind the
 * head needs; BIRD_ERANGE a label that is not a class
 */
BIRD_MUST_CHECK int
bird_head_backward(struct bird_loss *out, float *dx, float *logits,
                   const struct bird_weights *grad, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b, const struct bird_labels *labels,
                   const struct bird_dropout_rates *dropout, float scale);

/**
 * What MLM and token heads make of labelled tokens, without gradients: in
 * the order of their rows, -log p of the label in nats, and the most probable
 * id. The output layer is computed on labelled rows alone.
 * @param[out] nll, best (n) of the n tokens whose label is >= 0; best or NULL
 * Errors: BIRD_EINVAL another head, or no label; BIRD_ERANGE a label that is
 * no class; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_head_nll(double *nll, int32_t *best,
                                  const struct bird_config *c,
                                  const struct bird_weights *w, const float *x,
                                  const struct bird_batch *b,
                                  const int32_t *label);

#endif
