/**
 * Effects in windows that all lie at one place around their change: what
 * variant/effect.h asks once for every shift. Models that answer in bins have
 * windows and readings of their own: variant/effect_bins.h. Masked-language
 * models have windows of which changes share more, and other values than
 * probabilities: variant/effect_masked.h.
 *
 * With BIRD_TOKENS_BOTH a change is looked at both ways where that is not the
 * same: in the window of the reference, with ALT put in, and in that of the
 * sequence with ALT, with REF put in.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_FRAME_H
#define BIRD_VARIANT_EFFECT_FRAME_H

#include "variant/effect.h"

struct bird_frame_effect;

/** Places of a change's values without and with it, until evicted; -1: none. */
struct bird_way {
    int64_t ref, alt;
};

/** Of the session: BIRD_STRAND_EACH where strands have values of their own. */
enum bird_strand bird_effect_strand(const struct bird_effect_options *o);

/**
 * Model, genome and cache, which are borrowed, must outlive it; o->shift_bp is
 * the one shift. Functions as of variant/effect.h.
 * Owner: *out is the caller's. Errors: as of bird_effect_new()
 */
BIRD_MUST_CHECK int bird_frame_effect_new(struct bird_frame_effect **out,
                                          const bird_model *m, bird_genome *g,
                                          struct bird_contig_cache *bases,
                                          const struct bird_effect_options *o);
void bird_frame_effect_free(struct bird_frame_effect *e);
void bird_frame_effect_fix(struct bird_frame_effect *e, int64_t start,
                           int64_t end);
void bird_frame_effect_fix_around(struct bird_frame_effect *e, int64_t contig,
                                  int64_t start, int64_t end);
BIRD_MUST_CHECK int bird_frame_effect_region(struct bird_frame_effect *e,
                                             struct bird_region_window *out,
                                             enum bird_variant_status *status,
                                             int64_t contig, int64_t start,
                                             int64_t end);
int64_t bird_frame_effect_features(const struct bird_frame_effect *e);
void bird_frame_effect_distance(struct bird_frame_effect *e, int wanted);

/** Ask; *all but its places, and both ways, are filled when *status is OK. */
BIRD_MUST_CHECK int bird_frame_effect_submit(struct bird_frame_effect *e,
                                             struct bird_way out[2],
                                             struct bird_request *all,
                                             enum bird_variant_status *status,
                                             const struct bird_change *c);
BIRD_MUST_CHECK int bird_frame_effect_flush(struct bird_frame_effect *e);

/** (strands, values) of a place: 2 strands of BIRD_STRAND_EACH, else 1. */
const float *bird_frame_effect_values(const struct bird_frame_effect *e,
                                      int64_t place);
void bird_frame_effect_evict(struct bird_frame_effect *e);
void bird_frame_effect_count(const struct bird_frame_effect *e,
                             bird_session_counts *out);

#endif
