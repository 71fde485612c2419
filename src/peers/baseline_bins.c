/* The k-mer baseline of bins.
 *
 * There are many windows, which may overlap: a sample of their bins becomes
 * rows with bases, which are fitted as any rows. Labels that belong to a strand
 * need the k-mers of that strand; for other labels k-mers are joined with their
 * reverse complements.
 * SPDX-License-Identifier: MIT */
#include "peers/baseline.h"

int bird_baseline_fit_bins(bird_baseline **out,
                           const struct bird_bin_windows *w,
                           const bird_baseline_options *o)
{
    enum { LONGEST = 5 }; /* 1,344 weights a label; 6: 5,440 */
    bird_baseline_options own = *o;
    bird_dataset d = {0};
    int rc = bird_bin_rows_sample(&d, w, BIRD_BASELINE_BINS, o->seed);

    own.k_max = LONGEST;
    own.context_bp = bird_baseline_bin_context(w);
    own.canonical = !bird_bin_labels_paired(w->labels);
    if (!rc)
        rc = bird_bin_rows_bases(&d, w, own.context_bp);
    if (!rc)
        rc = bird_baseline_fit(out, &d, &own);
    bird_dataset_free(&d);
    return rc;
}
