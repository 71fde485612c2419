/**
 * Probabilities of the bins of windows.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_PREDICT_BINS_H
#define BIRD_EVAL_PREDICT_BINS_H

#include "data/bin_windows.h"
#include "session/model.h"

/** How windows are scored. */
struct bird_bin_scoring {
    const bird_model *m; /* answers in bins of the windows' size, with the
                            windows' labels */
    int both;            /* 1: the mean of both strands; 0: the + strand */
    int64_t pack_tokens; /* tokens of one forward pass, about */
    /** Called after every window and strand; nonzero ends the scoring with
     *  that code. May be NULL. */
    int (*after_row)(void *context);
    void *context;
};

/**
 * Raw outputs of the bins of windows. Those of the - strand are put into the
 * order of the + strand, and each label is replaced by its strand pair.
 * Errors: BIRD_EINVAL a window is longer than the model reads; BIRD_EFORMAT the
 * model returned NaN or infinity; of reading the reference; BIRD_ENOMEM
 *
 * @param[out] p (rows->d.n, n_label) raw outputs
 */
BIRD_MUST_CHECK int bird_bins_score(double *p, const struct bird_bin_scoring *s,
                                    const struct bird_bin_windows *w,
                                    const struct bird_bin_rows *rows);

#endif
