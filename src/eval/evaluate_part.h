/**
 * An evaluation being made: predictors, parts of the rows, their metrics.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_EVALUATE_PART_H
#define BIRD_TRAIN_EVALUATE_PART_H

#include <stdio.h>

#include "data/bin_windows.h"
#include "dnabird/evaluate.h"
#include "session/model.h"
#include "session/probability.h"
#include "track/output.h"

enum { BIRD_MAX_PREDICTOR = 4 }; /* model, two baselines, GC */

struct bird_predictor {
    const char *name;
    double *p;       /* (test.n, columns) */
    int64_t columns; /* 1: of class 1, or the same for every label */
    int ranks_only;
    int baseline; /* its enum bird_baseline_kind; -1: none */
};

struct bird_evaluating {
    const bird_evaluate_options *o;
    bird_metrics_options metrics;
    bird_model *model;
    bird_dataset test;
    /* Of windows of bins; else empty. */
    struct bird_bin_labels labels;
    struct bird_bin_windows windows;
    struct bird_bin_rows rows; /* but for their data set, `test` */
    int64_t columns;           /* probabilities a row */
    int multi;                 /* several labels a row */
    struct bird_probability map;
    struct bird_predictor predictor[BIRD_MAX_PREDICTOR]; /* the model first */
    int n_predictor;
    bird_baseline *baseline; /* or NULL */
    int64_t done, total;     /* sequences scored, for progress */
    int64_t cap_figures, cap_notice;
    const char **group; /* (n_group) classes of several labels */
    int64_t n_group;
    int32_t *group_of; /* (columns) */
    bird_evaluation e;
};

/** Metrics of all predictors on these rows (n indices), under this name. */
BIRD_MUST_CHECK int bird_evaluate_part(struct bird_evaluating *v,
                                       const char *part, const int64_t *rows,
                                       int64_t n);

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
