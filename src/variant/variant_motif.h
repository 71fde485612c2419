/**
 * The score `motif` in the options and in the outputs of `dnabird variant`.
 * variant/motif_change.h defines it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_MOTIF_H
#define BIRD_VARIANT_VARIANT_MOTIF_H

#include "dnabird/variant.h"
#include "track/writer.h"
#include "variant/variant_score.h"

/** Is this word of --scores, of n characters, the score `motif`? */
int bird_motif_is_name(const char *word, size_t n);

/** 1: `motif` is the only score that the options name: no model is needed. */
int bird_motif_is_only_score(const bird_variant_options *o);

/** 1: the options want the score `motif`: --scores names it, or --motifs is
 *  given without --scores. */
int bird_motif_is_wanted(const bird_variant_options *o);

/** 1: the options leave the choice of scores to a model that has a weight of
 *  motifs, and the format can hold the score `motif`. */
int bird_motif_is_default(const bird_variant_options *o,
                          enum bird_content content);

/** Check the options of a run with this format. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_motif_check(const bird_variant_options *o,
                                     enum bird_content content);

/** The columns of an allele's motif change; the last one needs a model. */
enum { BIRD_MOTIF_COLUMNS = 7 };
const struct bird_column *bird_motif_column(int k);

/** Fill the cell of column k, whose values are missing before. Motifs agree with
 *  the difference of this feature; -1: of the selected one where it is largest. */
void bird_motif_cell(struct bird_cell *out, int k,
                     const struct bird_selected_scores *s,
                     const struct bird_allele_result *o, int64_t feature);

#endif
