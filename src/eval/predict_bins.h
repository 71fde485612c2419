/**
 * Probabilities of the bins of windows.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_PREDICT_BINS_H
#define BIRD_EVAL_PREDICT_BINS_H

#include "data/bin_windows.h"
#include "session/model.h"

/** What scores, and how. */
struct bird_bin_scoring {
    const bird_model *m; /* with a head over bins of the windows' width
                                   and the windows' labels */
    int both;            /* the mean of both strands, else '+' alone */
    int64_t pack_tokens; /* of one forward pass */
    /** Called after every window and strand; nonzero ends the work with that
     *  code. NULL: nobody is told. */
    int (*after_row)(void *context);
    void *context;
};

/**
 * On the other strand bins come in reverse order, and labels change places with
 * their pairs. Errors: BIRD_EINVAL a window is longer than the model reads;
 * BIRD_EFORMAT the model returned NaN or infinity; of reading the reference;
 * BIRD_ENOMEM
 *
 * @param[out] p (rows->d.n, n_label) raw outputs
 */
BIRD_MUST_CHECK int bird_bins_score(double *p, const struct bird_bin_scoring *s,
                                    const struct bird_bin_windows *w,
                                    const struct bird_bin_rows *rows);

#endif
