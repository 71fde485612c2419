/**
 * Inside bird_evaluate(): predictors, parts of the rows, their metrics.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_EVALUATING_H
#define BIRD_EVAL_EVALUATING_H

#include <stdio.h>

#include "dnabird/evaluate.h"
#include "eval/evaluate_rows.h"
#include "session/model.h"
#include "session/probability.h"
#include "track/output.h"

enum { BIRD_MAX_PREDICTOR = 4 }; /* model, two baselines, GC */

struct bird_predictor {
    const char *name;
    double *p;       /* (rows, columns) */
    int64_t columns; /* 1: of class 1, or the same for every label */
    int ranks_only;  /* 1: p is not a probability */
    int baseline;    /* its enum bird_baseline_kind; -1: none */
};

struct bird_predictors {
    struct bird_predictor at[BIRD_MAX_PREDICTOR]; /* the model first */
    int n;
    bird_baseline *baseline; /* or NULL */
};

/** Classes of the labels, for medians; empty before the first part is measured.
 */
struct bird_label_classes {
    const char **name; /* (n) borrowed from the features */
    int64_t n;
    int32_t *of_label; /* (columns) */
};

/** Replicates of measured values, or their given correlations. */
struct bird_evaluate_replicates {
    bird_dataset d; /* their columns; none without a row */
    int64_t *first; /* (columns + 1) of d, for each value; or NULL */
    double *r, *k;  /* (columns) given correlation and number; or NULL */
};

/** What lives from bird_evaluate()'s beginning to its end. */
struct bird_evaluating {
    const bird_evaluate_options *o;
    bird_metrics_options metrics; /* of o, completed */
    bird_model *model;
    struct bird_evaluate_rows rows;
    struct bird_probability map; /* raw outputs to probabilities */
    struct bird_predictors predictors;
    struct bird_label_classes classes;
    struct bird_evaluate_replicates replicates;
    bird_evaluation e; /* the result, which the caller gets */
    int64_t cap_figures, cap_values, cap_notice;
};

/** Fill v->predictors. Errors: of reading the baselines, of fitting them, of
 *  scoring; BIRD_ECANCELED */
BIRD_MUST_CHECK int bird_evaluate_predict(struct bird_evaluating *v);
void bird_predictors_free(struct bird_predictors *p);

/** Write the baselines into the model folder: after all other outputs. */
BIRD_MUST_CHECK int
bird_evaluate_keep_baselines(const struct bird_evaluating *v);

/** Metrics of all predictors on these rows (n indices), under this name. */
BIRD_MUST_CHECK int bird_evaluate_part(struct bird_evaluating *v,
                                       const char *part, const int64_t *rows,
                                       int64_t n);

/** Read the replicates that the options name. Errors: of reading; BIRD_EINVAL no
 *  measured values, or not as many as the options name */
BIRD_MUST_CHECK int bird_evaluate_open_replicates(struct bird_evaluating *v);
void bird_evaluate_free_replicates(struct bird_evaluate_replicates *r);

/** Metrics of measured values; with replicates also their ceiling. */
BIRD_MUST_CHECK int bird_evaluate_part_values(struct bird_evaluating *v,
                                              const char *part,
                                              const int64_t *rows, int64_t n);
/** e->values as lines of TSV: set, metric, value, lo, hi. */
void bird_evaluate_print_values(FILE *f, const bird_evaluation *e);
/** e->values into an object of parts. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_evaluate_put_values(json_t *parts,
                                             const bird_evaluation *e);

/** From which probability label k of predictor p counts as called. */
double bird_evaluate_threshold(const struct bird_evaluating *v, int p,
                               int64_t k);

/** Metrics of several labels as a page, with curves and distributions. */
BIRD_MUST_CHECK int bird_evaluate_print_page(FILE *f,
                                             const struct bird_evaluating *v);

/** Keep a sentence for the user. */
BIRD_MUST_CHECK int bird_evaluate_note(struct bird_evaluating *v,
                                       const char *fmt, ...) BIRD_PRINTF(2, 3);

/** Write all the files that the options ask for, or none. */
BIRD_MUST_CHECK int bird_evaluate_outs_open(struct bird_outputs *out,
                                            const bird_evaluate_options *o);
BIRD_MUST_CHECK int bird_evaluate_outs_write(struct bird_outputs *w,
                                             const struct bird_evaluating *v);

#endif
