/**
 * Inside bird_evaluate_mlm(): windows, their hidden tokens, predictors, and the
 * sums over the tokens of every window.
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

/** Scores of a predictor that are summed over hidden tokens. */
enum bird_mlm_score {
    BIRD_MLM_SCORE_BITS,
    BIRD_MLM_SCORE_RIGHT, /* 1: the token has the largest probability; NaN:
                             not known */
    BIRD_MLM_SCORE_LENGTH_BITS,
    BIRD_MLM_SCORE_LENGTH_RIGHT,
    BIRD_MLM_N_SCORE
};

/** Tokens of one length of A, C, G, T. */
struct bird_mlm_words {
    int32_t *id;                  /* (n) rising */
    struct bird_strings *strings; /* their bases, in that order */
    int64_t n;
};

struct bird_mlm_vocab {
    int32_t mask_id;
    int64_t n_special; /* special tokens that the tokenizer adds to a
                          sequence */
    int64_t n;         /* size of the vocabulary */
    int32_t *length;   /* (n) bp of a token of A, C, G, T; else 0 */
    int32_t *number;   /* (n) index among the tokens of its length */
    int32_t longest;
    struct bird_mlm_words *words; /* (longest + 1) by length */
    int64_t most;                 /* largest number of tokens of one length */
    struct bird_pool pool;
};

/** Errors: BIRD_EINVAL there is no [MASK], tokens overlap, or no token is of
 *  bases. */
BIRD_MUST_CHECK int bird_mlm_vocab_new(struct bird_mlm_vocab *v,
                                       const bird_tokenizer *t,
                                       const char *path);
void bird_mlm_vocab_free(struct bird_mlm_vocab *v);

struct bird_mlm_window {
    int64_t start, end;
    int32_t contig, interval; /* indices in `reference` and `intervals` */
};

/** Held-out sequence, and the bases of one interval. */
struct bird_mlm_sequence {
    struct bird_reference reference;
    struct bird_intervals intervals;
    struct bird_intervals repeats; /* merged; empty: lower case marks repeats */
    uint8_t *has_case; /* (reference.n) 1: a window of the contig has lower
                          case */
    int32_t current;   /* the interval whose sequence is in `bases`; -1: none */
    char *bases;       /* as in the file, lower case kept */
    int64_t cap_bases;
};

/** Start with {.sequence.current = -1}. */
struct bird_mlm_evaluating {
    const bird_mlm_options *o;
    bird_model *model;
    struct bird_mlm_vocab vocab;
    struct bird_mlm_sequence sequence;
    struct bird_mlm_window *window; /* (n_window) in order */
    int64_t n_window, cap_window;
    struct bird_markov *markov; /* NULL: none */
    int n_predictor; /* model, uniform, Markov models from the left (one an
                        order), from both sides */
    double *sum;     /* (n_window) rows of sums */
    FILE *tokens;    /* or NULL */
    struct bird_text notice;
    bird_mlm_evaluation e; /* the result, which the caller gets */
    int64_t cap_figures;
};

/** The largest number of tokens that the model reads. */
static inline int64_t bird_mlm_most_tokens(const struct bird_mlm_evaluating *v)
{
    const struct bird_config *c = bird_model_config(v->model);

    return bird_stem_tokens(c, c->max_positions);
}

/** Bases of the window as in the file; borrowed until the next call. */
BIRD_MUST_CHECK int bird_mlm_bases(const char **out,
                                   struct bird_mlm_evaluating *v,
                                   const struct bird_mlm_window *w);

/** Fill v->window from the intervals. Errors: BIRD_EINVAL there is no
 *  window; those of reading. */
BIRD_MUST_CHECK int bird_mlm_find_windows(struct bird_mlm_evaluating *v);

/** A hidden token. */
struct bird_mlm_hidden {
    int32_t at;       /* index among the row's tokens */
    int32_t id;       /* the token before it became [MASK] */
    int32_t start, n; /* its bases in the window */
    enum bird_mlm_class part;
};

/** A tokenized window with hidden tokens. Start with {0}. */
struct bird_mlm_row {
    struct bird_mlm_window window;
    char *bases;                    /* (n_bp) upper case */
    uint8_t *covered;               /* (n_bp) 1: a base of a hidden token */
    bird_encoding encoding;         /* hidden tokens have the id of [MASK] */
    struct bird_mlm_hidden *hidden; /* (n_hidden) the tokens that are scored */
    double *score; /* (n_hidden, n_predictor, BIRD_MLM_N_SCORE) */
    int64_t n_bp, n_token, n_hidden, n_unknown;
    int64_t cap_bases, cap_covered, cap_hidden, cap_score;
    int is_cut, has_lower;
    int rc;
};
void bird_mlm_row_free(struct bird_mlm_row *r);

/** Make the row of the window r->window, whose bases are `raw`. Any number
 *  of threads may call it for other rows. Errors: BIRD_ENOMEM; BIRD_EFORMAT
 *  the text of a token differs from the bases that became the token. */
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

/** Learn the baselines; v->markov stays NULL when no training sequence is
 *  given. */
BIRD_MUST_CHECK int bird_mlm_learn(struct bird_mlm_evaluating *v);

/** The predictors: the model and the baselines, with a workspace for every
 *  thread. */
struct bird_mlm_predictors;
BIRD_MUST_CHECK int
bird_mlm_predictors_new(struct bird_mlm_predictors **out,
                        const struct bird_mlm_evaluating *v);
void bird_mlm_predictors_free(struct bird_mlm_predictors *p);
/** Fill the scores of all predictors in n rows. */
BIRD_MUST_CHECK int bird_mlm_predict(struct bird_mlm_predictors *p,
                                     struct bird_mlm_row *rows, int64_t n);

/** The name of predictor p. */
void bird_mlm_predictor_name(char out[24], const struct bird_mlm_evaluating *v,
                             int p);
/** Number of doubles of a window's sums: for every class the tokens, their
 *  bases, and the scores of every predictor. */
int64_t bird_mlm_stride(const struct bird_mlm_evaluating *v);
/** Add the scores of a row to the sums of its window. */
void bird_mlm_add_row(struct bird_mlm_evaluating *v, int64_t window,
                      const struct bird_mlm_row *r);
/** All metrics from the sums, with intervals. Errors: BIRD_EINVAL no token was
 *  scored; BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_mlm_measure(struct bird_mlm_evaluating *v);

/** Add a sentence to the notice for the user. */
#define bird_mlm_note(v, ...) bird_text_printf(&(v)->notice, __VA_ARGS__)

#endif
