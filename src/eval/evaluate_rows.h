/**
 * The labelled rows of an evaluation: rows of a table, their bases, or bins of
 * windows on a reference. `evaluate` and `evaluate bins` differ here alone: everything else
 * reads the labels in `d`, and asks this module for probabilities and bases.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_EVALUATE_ROWS_H
#define BIRD_EVAL_EVALUATE_ROWS_H

#include "data/bin_windows.h"
#include "dnabird/evaluate.h"
#include "eval/predict.h"

/** Start with {0}. */
struct bird_evaluate_rows {
    bird_dataset d; /* labels; bins and bases have no sequence here */
    /** Of a model that classifies tokens: the rows of the table, whose bases with
     * a known class are the rows of d, 72 bytes each; else empty. */
    bird_dataset bases;
    int64_t columns; /* labels or values of a row */
    int64_t answers; /* for a row: one for each column, then, of values,
                        standard deviations where the model has them */
    int64_t outputs; /* of the model; more than answers where rows have some of
                        its values alone */
    int multi;       /* 1: several labels a row, each independent of the others;
                        0: one class a row */
    int measured;    /* 1: measured values, as several labels, not classes */
    /* private */
    const bird_evaluate_options *o;
    const bird_model *m;
    const char **label_name; /* (outputs) the model's; NULL: it has none */
    int64_t *value_of; /* (columns) which of the model's values; NULL: all, in
                          its order */
    bird_dataset_options how; /* a table is read */
    struct bird_text label_columns;
    struct bird_bin_labels labels;
    struct bird_bin_windows windows;
    struct bird_bin_rows bins; /* its data set is `d` */
};

/**
 * Read the rows that the options name, with the labels that the model gives.
 * Owner: bird_evaluate_rows_free(), after failure too; options and model are
 * borrowed.
 * Errors: BIRD_EINVAL the model is for the other command, or rows without its
 * labels; those of the files
 */
BIRD_MUST_CHECK int bird_evaluate_rows_open(struct bird_evaluate_rows *t,
                                            const bird_model *m,
                                            const bird_evaluate_options *o);
void bird_evaluate_rows_free(struct bird_evaluate_rows *t);

/** Calls of after_row() in bird_evaluate_rows_score(). */
int64_t bird_evaluate_rows_passes(const struct bird_evaluate_rows *t,
                                  int both_strands);

/** Raw outputs of the model, p (d.n, answers) of (d.n, outputs) allocated.
 *  Errors: those of bird_score_rows() and bird_score_windows() */
BIRD_MUST_CHECK int
bird_evaluate_rows_score(double *p, struct bird_scoring *s,
                         const struct bird_evaluate_rows *t);

/** Fit the baselines on another file of the same kind, labelled as the rows.
 *  Owner: *out is the caller's. Errors: of reading, of bird_baseline_fit() */
BIRD_MUST_CHECK int bird_evaluate_rows_fit(bird_baseline **out,
                                           struct bird_evaluate_rows *t,
                                           const char *path,
                                           const bird_baseline_options *o);

/** Errors: BIRD_EFORMAT the baseline, read from path, does not answer such
 *  rows */
BIRD_MUST_CHECK int
bird_evaluate_rows_check_baseline(const struct bird_evaluate_rows *t,
                                  const bird_baseline *b, const char *path);

/** Called with rows that have bases; the first is row `first` of all rows. */
typedef int bird_evaluate_rows_call(void *context, const bird_dataset *d,
                                    int64_t first);

/** Call for all rows, part by part. The bases of a bin are those that the
 *  baseline sees (NULL: three times a bin's). Errors: of reading the reference,
 *  of the call; BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_evaluate_rows_each(const struct bird_evaluate_rows *t,
                                            const bird_baseline *b,
                                            bird_evaluate_rows_call *call,
                                            void *context);

#endif
