/**
 * How good a model is on labelled sequences, beside trivial floors.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_EVALUATE_H
#define DNABIRD_EVALUATE_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/metrics.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"
#include "dnabird/session.h"

enum bird_evaluate_format {
    BIRD_EVALUATE_TSV,
    BIRD_EVALUATE_JSON,
    BIRD_EVALUATE_FEATURES /* of several labels: a line a label */
};

typedef struct bird_evaluate_options {
    const char *model; /* folder; NULL: the shipped one */
    bird_model_run run;
    const char *test;          /* labelled sequences */
    bird_dataset_options data; /* how to read them; classes come from the
                                  model, and so do a multi-label model's
                                  columns when no label is named here */
    /** Rows the model has learned from: the figures are repeated on test rows
     * that share no sequence and no k-mer with them. NULL: not. */
    const char *train;
    int shared_k; /* that k; 0: bird_dataset_shared_k() of the test rows */
    /** Fit the floors on these rows; NULL: the model's own, if it has some. */
    const char *baseline_train;
    enum bird_strand strand; /* MODEL, PLUS or BOTH */
    /** 1: the model's raw outputs, not the probabilities of its map. */
    int raw;
    /** 1: fit that map on these rows first (on the background as it is on the
     * genome, or the probabilities are not those of a genome), choose a
     * threshold for each label by F1, and put both into the model folder. */
    int calibrate;
    /** Of several labels: medians are over those with at least so many
     * positives and as many negatives; 1. */
    int64_t min_positives;
    /** Figures. n_boot < 0: 1,000, or none for several labels. threshold < 0:
     * the map's own, by label; without one where the raw output is 0.5. */
    bird_metrics_options metrics;
    /** Where to: "-" is standard output, NULL nowhere. */
    const char *output;
    enum bird_evaluate_format format; /* of output */
    const char *json;                 /* the figures as JSON besides */
    const char *html;                 /* of several labels: a page */
    const char *predictions;          /* a line a row: name (else number from
                                         1), label, probability */
    const char *command;              /* kept in the outputs, or NULL */
    bird_progress_call *progress;     /* of sequences scored; or NULL */
    void *progress_context;
} bird_evaluate_options;

BIRD_API void bird_evaluate_options_default(bird_evaluate_options *o);

/** Figures of one predictor on one part of the rows. */
typedef struct bird_figures {
    const char *part; /* "all" or "clean" */
    /** "model", "k-mers", "positions", "GC"; or "model-k-mers" etc.: the
     * model's less those of the best floor (by AUROC on these rows), with
     * intervals over common resamples */
    char predictor[24];
    /** Of several labels: its name; or "median" over those that have positives
     * and negatives (min_positives of them), "median:CLASS" over those of a
     * class: n_label of them. Else NULL. */
    const char *label;
    int64_t n_label; /* of a median */
    int ranks_only;  /* the predictor is no probability (GC share): AUROC and
                          AUPRC alone mean something */
    bird_metrics m;
} bird_figures;

/** Start with {0}; all belongs to it: bird_evaluation_free(). */
typedef struct bird_evaluation {
    bird_figures *figures; /* (n_figures) */
    int64_t n_figures;
    int64_t n_row;               /* rows of the test file */
    int64_t n_exact, n_overlap;  /* left out of "clean": the whole sequence is
                                   in train; only a k-mer of it is (on either
                                   strand) */
    int shared_k;                /* 0 without train */
    int both_strands;            /* what was done */
    int calibrated;              /* probabilities are those of a map */
    char uncalibrated[512];      /* else why not, in words */
    bird_reliability_table said; /* of several labels: all answers together */
    int64_t n_trimmed;          /* scored sequences cut to the model's length */
    char model[80], digest[65]; /* name of the folder, digest of the model */
    char **notice;              /* (n_notice) sentences for the user */
    int64_t n_notice;
    char **label_name; /* (n_label) of several labels, else NULL */
    int64_t n_label;
    char **median_name; /* (n_median) "median", "median:TF" ... */
    int64_t n_median;
    bird_features features; /* what is known of the labels; may be empty */
} bird_evaluation;

/**
 * Score the test rows and measure.
 *
 * A model of one class a row gives figures of all rows; one of several labels
 * gives figures of every label, and their median. A label without positives
 * or without negatives has no figures: a notice names it. The floors and GC
 * always see the letters as given. Files of output appear together at the
 * end.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL options, a model that does not classify, rows without
 *          labels; BIRD_EIO, BIRD_EFORMAT files; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluate(bird_evaluation *out,
                                           const bird_evaluate_options *o);
BIRD_API void bird_evaluation_free(bird_evaluation *e);

/**
 * Print as TSV: set, metric, value, lo, hi. The set is part/predictor, e.g.
 * "all/model", with ":label" behind when there are several labels. After an
 * empty line follows the reliability table of "all/model".
 * Errors: BIRD_EIO.
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluation_print(FILE *f,
                                                   const bird_evaluation *e);

#endif
