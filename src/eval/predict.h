/**
 * Raw outputs of a model for rows of a table and for the bins of windows.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_PREDICT_H
#define BIRD_EVAL_PREDICT_H

#include "data/bin_windows.h"
#include "dnabird/dataset.h"
#include "session/session.h"

/** How rows or windows are scored. */
struct bird_scoring {
    const bird_model *m;
    const char *file;        /* of the rows, for messages */
    enum bird_strand strand; /* PLUS, or BOTH: the mean */
    int64_t pack_tokens;     /* of windows: tokens of a forward pass, about */
    /** Called after every row, or window and strand; nonzero ends the scoring
     *  with that code. May be NULL. */
    int (*after_row)(void *context);
    void *context;
    int64_t n_trimmed; /* out: strands of rows cut to the model's length */
};

/** Score the rows of a table. Errors: those of the session
 *  @param[out] p (d->n, bird_model_labels) raw outputs */
BIRD_MUST_CHECK int bird_score_rows(double *p, struct bird_scoring *s,
                                    const bird_dataset *d);

/**
 * Score the bases of rows by a model that classifies tokens: a base has the
 * answer of the token that covers it, of k-mers of the one that begins there, or
 * last before it. The rows are read as they are, on one strand.
 * Errors: BIRD_ERANGE a row is longer than the model reads; BIRD_EFORMAT the
 * model returned NaN or infinity; BIRD_ENOMEM
 *
 * @param d  of kind BASES
 * @param[out] p (bases whose class is known, bird_model_labels) probabilities, in
 * the order of bird_dataset_classes()
 */
BIRD_MUST_CHECK int bird_score_bases(double *p, const struct bird_scoring *s,
                                     const bird_dataset *d);

/**
 * Score the bins of windows by a model that predicts bins of their size, with
 * their labels. The outputs of the - strand are put into the order of the +
 * strand, and each label is replaced by its strand pair.
 * Errors: BIRD_EINVAL a window is longer than the model reads; BIRD_EFORMAT the
 * model returned NaN or infinity; of reading the reference; BIRD_ENOMEM
 *
 * @param[out] p (rows->d.n, n_label) raw outputs
 */
BIRD_MUST_CHECK int bird_score_windows(double *p, const struct bird_scoring *s,
                                       const struct bird_bin_windows *w,
                                       const struct bird_bin_rows *rows);

#endif
