/**
 * An evaluation of a masked-language model being made: its windows, what is
 * hidden in them, who predicts, and the sums of every window.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_MLM_H
#define BIRD_EVAL_MLM_H

#include "base/text.h"
#include "data/references.h"
#include "dnabird/evaluate.h"
#include "model/stem.h"
#include "peers/markov.h"
#include "session/model.h"

/** What is summed of a predictor over hidden tokens. */
enum bird_mlm_score {
    BIRD_MLM_SCORE_BITS,
    BIRD_MLM_SCORE_RIGHT, /* 1: nothing got more; NaN: not known */
    BIRD_MLM_SCORE_LENGTH_BITS,
    BIRD_MLM_SCORE_LENGTH_RIGHT,
    BIRD_MLM_N_SCORE
};

/** Tokens of one length that are made of A, C, G, T. */
struct bird_mlm_words {
    int32_t *id;                  /* (n) rising */
    struct bird_strings *strings; /* the same ones, in that order */
    int64_t n;
};

struct bird_mlm_vocab {
    int32_t mask_id;
    int64_t n_special; /* tokens that the tokenizer puts around a text */
    int64_t n;         /* size of the vocabulary */
    int32_t *length;   /* (n) bp of a token of A, C, G, T; else 0 */
    int32_t *number;   /* (n) its number among those of its length */
    int32_t longest;
    struct bird_mlm_words *words; /* (longest + 1) by length */
    int64_t most;                 /* of them of one length */
    struct bird_pool pool;
};

/** Errors: BIRD_EINVAL no [MASK], tokens that overlap, none of bases. */
BIRD_MUST_CHECK int bird_mlm_vocab_new(struct bird_mlm_vocab *v,
                                       const bird_tokenizer *t,
                                       const char *path);
void bird_mlm_vocab_free(struct bird_mlm_vocab *v);

struct bird_mlm_window {
    int64_t start, end;
    int32_t contig, interval; /* of `reference`, of `intervals` */
};

struct bird_mlm_evaluating {
    const bird_mlm_options *o;
    bird_model *model;
    struct bird_mlm_vocab vocab;
    struct bird_reference reference;
    struct bird_intervals intervals;
    struct bird_intervals repeats; /* merged, where a mask is given */
    int32_t held_interval;         /* whose sequence is in `bases`; -1: none */
    char *bases;                   /* as they stand in the file */
    int64_t cap_bases;
    struct bird_mlm_window *window; /* (n_window) in order */
    int64_t n_window, cap_window;
    struct bird_markov *markov; /* NULL: none */
    int n_predictor;            /* model, uniform, left of every order, both */
    double *sum;                /* (n_window) rows of sums */
    uint8_t *has_case; /* (reference.n) a window there has lower case */
    struct bird_text notice;
    FILE *tokens; /* or NULL */
    int64_t cap_figures;
    bird_mlm_evaluation e;
};

/** Tokens that the model reads at most. */
static inline int64_t bird_mlm_most_tokens(const struct bird_mlm_evaluating *v)
{
    const struct bird_config *c = bird_model_config(v->model);

    return bird_stem_tokens(c, c->max_positions);
}

/** Bases of the window as they stand; borrowed until the next call. */
BIRD_MUST_CHECK int bird_mlm_bases(const char **out,
                                   struct bird_mlm_evaluating *v,
                                   const struct bird_mlm_window *w);

/** Fill v->window from the intervals by the options. Errors: BIRD_EINVAL there is
 *  none; those of reading. */
BIRD_MUST_CHECK int bird_mlm_find_windows(struct bird_mlm_evaluating *v);

/** A hidden token. */
struct bird_mlm_hidden {
    int32_t at;       /* among the row's tokens */
    int32_t id;       /* what it was */
    int32_t start, n; /* its bases in the window */
    enum bird_mlm_class part;
};

/** A window tokenized, with tokens hidden. Start with {0}. */
struct bird_mlm_row {
    struct bird_mlm_window window;
    char *bases;                    /* (n_bp) upper case */
    uint8_t *covered;               /* (n_bp) 1: under a hidden token */
    bird_encoding encoding;         /* ids with [MASK] in them */
    struct bird_mlm_hidden *hidden; /* (n_hidden) those that are scored */
    double *score; /* (n_hidden, n_predictor, BIRD_MLM_N_SCORE) */
    int64_t n_bp, n_token, n_hidden, n_unknown;
    int64_t cap_bases, cap_covered, cap_hidden, cap_score;
    int is_cut, has_lower;
    int rc;
};
void bird_mlm_row_free(struct bird_mlm_row *r);

/** Make the row of a window; r->window is set, `raw` its bases. For any
 *  number of threads. Errors: BIRD_ENOMEM; BIRD_EFORMAT a token whose text is
 *  not what it stands for. */
BIRD_MUST_CHECK int bird_mlm_row_make(struct bird_mlm_row *r,
                                      const struct bird_mlm_evaluating *v,
                                      const char *raw);

/** Scores of predictor p for the row's hidden token i. */
static inline double *bird_mlm_score_at(const struct bird_mlm_row *r,
                                        const struct bird_mlm_evaluating *v,
                                        int64_t i, int p)
{
    return r->score + (i * v->n_predictor + p) * BIRD_MLM_N_SCORE;
}

/** Learn the baselines; v->markov stays NULL when nothing says from what. */
BIRD_MUST_CHECK int bird_mlm_learn(struct bird_mlm_evaluating *v);

/** The model and the baselines, with a workspace for every thread. */
struct bird_mlm_predictors;
BIRD_MUST_CHECK int
bird_mlm_predictors_new(struct bird_mlm_predictors **out,
                        const struct bird_mlm_evaluating *v);
void bird_mlm_predictors_free(struct bird_mlm_predictors *p);
/** Fill the scores of all predictors in n rows. */
BIRD_MUST_CHECK int bird_mlm_predict(struct bird_mlm_predictors *p,
                                     struct bird_mlm_row *rows, int64_t n);

/** What a predictor is called. */
void bird_mlm_predictor_name(char out[24], const struct bird_mlm_evaluating *v,
                             int p);
/** Doubles a window's sums take: for every class tokens, bases, and every
 *  predictor's scores. */
int64_t bird_mlm_stride(const struct bird_mlm_evaluating *v);
/** Add a row to the sums of its window. */
void bird_mlm_add_row(struct bird_mlm_evaluating *v, int64_t window,
                      const struct bird_mlm_row *r);
/** All metrics from the sums, with intervals. Errors: BIRD_EINVAL no token was
 *  scored; BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_mlm_measure(struct bird_mlm_evaluating *v);

/** A sentence for the user. */
#define bird_mlm_note(v, ...) bird_text_printf(&(v)->notice, __VA_ARGS__)

#endif
