/**
 * How well a masked-language model fills in hidden sequence: bits per base,
 * beside Markov models that are asked for the same bases.
 *
 * Windows of held-out sequence are tokenized, a share of their tokens is
 * hidden, and every predictor gives the hidden tokens probabilities.
 * docs/math/bits-per-base.md says what is divided by what, and derives the
 * baselines. Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_EVALUATE_MLM_H
#define DNABIRD_EVALUATE_MLM_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"

/** Largest order of a Markov baseline. */
#define BIRD_MLM_MAX_ORDER 12

/** Paths and texts are borrowed while bird_evaluate_mlm() runs. */
typedef struct bird_mlm_options {
    const char *model;        /* folder with a masked-language head */
    bird_model_run run;       /* pad_to is not looked at */
    const char *const *fasta; /* (n_fasta) held-out sequence */
    int64_t n_fasta;
    const char *regions; /* BED, or regions between commas: windows lie whole
                            inside one of them (merged); NULL: contigs */
    /** What the Markov baselines learn from. Neither given: there are none;
     *  regions alone: of `fasta`. */
    const char *const *train_fasta; /* (n_train_fasta) */
    int64_t n_train_fasta;
    const char *train_regions;
    /** Windows: context_bp bp each, stride_bp apart (0: context_bp); or, with
     *  context_bp 0, length_tok tokens with the special ones (0: as many as
     *  the model reads), one behind the other. */
    int64_t context_bp, stride_bp, length_tok;
    int64_t windows; /* at most so many, drawn by the seed; 0: all */
    double max_n;    /* windows with a larger share of other letters than A, C,
                        G, T are left out and counted; 0.05 */
    double mask;     /* share of a window's tokens that is hidden; 0.15 */
    uint64_t seed;   /* of masks, drawn windows and resamples; 1 */
    int order[BIRD_MLM_MAX_ORDER]; /* (n_order) of the Markov baselines,
                                      rising, 1 to 12; 3, 4 .. 12 */
    int n_order;
    int by_contig;       /* 1: figures of every contig besides */
    int64_t n_boot;      /* resamples of the windows; 0: no intervals; 1000 */
    double level;        /* of the percentile intervals; 0.95 */
    const char *output;  /* TSV; "-" is standard output; NULL: nowhere */
    const char *json;    /* the figures and the run as JSON */
    const char *tokens;  /* TSV of every hidden token */
    const char *command; /* kept in the outputs, or NULL */
    bird_progress_call *progress; /* of windows scored; or NULL */
    void *progress_context;
} bird_mlm_options;

BIRD_API void bird_mlm_options_default(bird_mlm_options *o);

/** By lower case in the reference; more than half of a token's bases. */
enum bird_mlm_class {
    BIRD_MLM_ALL,
    BIRD_MLM_REPEAT,    /* repeat-masked */
    BIRD_MLM_NONREPEAT, /* not, on a contig that has lower case */
    BIRD_MLM_N_CLASS
};
BIRD_API const char *bird_mlm_class_name(enum bird_mlm_class c);

enum bird_mlm_metric {
    BIRD_MLM_BITS_PER_BASE,  /* bits of the hidden tokens / bases in them */
    BIRD_MLM_BITS_PER_TOKEN, /* the same bits / hidden tokens */
    BIRD_MLM_ACCURACY,       /* share of hidden tokens given most */
    /* The same where the token's length is told: among the vocabulary's tokens
     * of that length, whose probabilities are made to sum to 1. */
    BIRD_MLM_BITS_GIVEN_LENGTH, /* per base */
    BIRD_MLM_ACCURACY_GIVEN_LENGTH,
    /* The model's bits per base less this predictor's; below 0 the model is
     * better. Intervals are of the difference, over common resamples. */
    BIRD_MLM_MODEL_LESS,
    BIRD_MLM_MODEL_LESS_GIVEN_LENGTH,
    BIRD_MLM_BASES_PER_TOKEN, /* of hidden tokens: predictor "tokens" */
    BIRD_MLM_N_METRIC
};
BIRD_API const char *bird_mlm_metric_name(enum bird_mlm_metric m);

typedef struct bird_mlm_figure {
    const char *set; /* "all", or a contig's name; belongs to the evaluation */
    enum bird_mlm_class part;
    char predictor[24]; /* "model", "uniform", "markov_left_3",
                           "markov_both_3" .., "tokens" */
    enum bird_mlm_metric metric;
    double value, lo, hi;              /* NaN: not defined; no intervals */
    int64_t n_window, n_token, n_base; /* hidden tokens of the class, their
                                          bases, windows that have some */
} bird_mlm_figure;

/** Start with {0}; all belongs to it: bird_mlm_evaluation_free(). */
typedef struct bird_mlm_evaluation {
    bird_mlm_figure *figures; /* (n_figures) */
    int64_t n_figures;
    char **set_name; /* (n_set) */
    int64_t n_set;
    int64_t n_window;       /* windows scored */
    int64_t n_rich;         /* left out: too many other letters */
    int64_t n_not_drawn;    /* not among those drawn */
    int64_t rest_bp;        /* bases of the regions that fill no window */
    int64_t n_cut;          /* windows of more tokens than the model reads: cut
                               at their end */
    int64_t n_token, n_bp;  /* of the windows, special tokens apart */
    int64_t n_hidden;       /* tokens hidden */
    int64_t n_unknown;      /* of them not scored: other letters in them */
    int64_t n_class_window; /* windows on contigs with lower case */
    int64_t n_trained;      /* windows that touch what the baselines learned
                               from */
    int64_t train_bp;       /* bases that the baselines learned from */
    char model[80], digest[65];
    char *notice; /* sentences for the user, each ended by '\n'; or NULL */
} bird_mlm_evaluation;

/**
 * Evaluate a masked-language model.
 *
 * Which tokens are hidden is a function of (seed, contig, place of the
 * window) and its tokens; all of them become [MASK]. Files of output appear
 * together at the end.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Memory   the model's; for order k 4^(k+2) / 3 * 4 bytes (358 MB at 12) and a
 *          quarter byte a training base; a contig of held-out sequence
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL options, a model without a masked-language head, a
 *          tokenizer without [MASK] or with overlapping tokens, no window;
 *          BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE files; BIRD_ENOMEM;
 *          BIRD_ECANCELED
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluate_mlm(bird_mlm_evaluation *out,
                                               const bird_mlm_options *o);
BIRD_API void bird_mlm_evaluation_free(bird_mlm_evaluation *e);

/** Print as TSV with a header line: set, class, predictor, metric, value, lo,
 *  hi, windows, tokens, bases. Errors: BIRD_EIO. */
BIRD_API BIRD_MUST_CHECK int
bird_mlm_evaluation_print(FILE *f, const bird_mlm_evaluation *e);

#endif
