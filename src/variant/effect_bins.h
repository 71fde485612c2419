/**
 * Effects by models that answer in bins, behind variant/effect_frame.h: a window with
 * REF and with ALT, read in the bins around the change.
 *
 * The window of a change begins at a multiple of a bin of its contig, so that
 * its bins are those of a scan, and has N beyond the contig's ends. A change of
 * length moves one flank, so there are two windows with ALT: L keeps the
 * window's start, R its end. Of each label the log odds of the bins that
 * overlap REF +- span are averaged, in the margins none; ALT's are the mean of
 * those of L and R. docs/math/variant-scores.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_BINS_H
#define BIRD_VARIANT_EFFECT_BINS_H

#include "variant/effect_frame.h"

struct bird_bin_effect;

/** What a window of these models holds besides: bases in which a change may
 *  lie, W less the margins. */
int64_t bird_bin_effect_core(const bird_model *m, int64_t window_bp);

/**
 * Functions as of variant/effect_frame.h, which calls them. The cache is borrowed.
 * Errors: BIRD_EINVAL W less the margins is no whole number of bins; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_bin_effect_new(struct bird_bin_effect **out,
                                        const bird_model *m, bird_genome *g,
                                        struct bird_contig_cache *bases,
                                        const struct bird_effect_options *o);
void bird_bin_effect_free(struct bird_bin_effect *e);
void bird_bin_effect_fix(struct bird_bin_effect *e, int64_t start, int64_t end);
/** bird_effect_region() of the region that is fixed. */
BIRD_MUST_CHECK int bird_bin_effect_region(struct bird_bin_effect *e,
                                           struct bird_region_window *out,
                                           enum bird_variant_status *status,
                                           int64_t contig);
int64_t bird_bin_effect_features(const struct bird_bin_effect *e);
BIRD_MUST_CHECK int bird_bin_effect_submit(struct bird_bin_effect *e,
                                           struct bird_way out[2],
                                           struct bird_request *all,
                                           enum bird_variant_status *status,
                                           const struct bird_change *c);
BIRD_MUST_CHECK int bird_bin_effect_flush(struct bird_bin_effect *e);
const float *bird_bin_effect_values(const struct bird_bin_effect *e,
                                    int64_t place);
void bird_bin_effect_evict(struct bird_bin_effect *e);
void bird_bin_effect_count(const struct bird_bin_effect *e,
                           bird_session_counts *out);

#endif
