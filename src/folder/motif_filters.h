/**
 * First filters of a stem that begin as motifs of transcription factors, not at
 * random (docs/math/stem.md). Source: half of the kernels from JASPAR in DanQ
 * (Quang and Xie 2016, doi:10.1093/nar/gkw226); which motifs, and how they are
 * scaled, is dnabird's own.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_MOTIF_FILTERS_H
#define BIRD_FOLDER_MOTIF_FILTERS_H

#include <stdint.h>

#include "dnabird/tokenizer.h"
#include "model/config.h"
#include "model/params.h"

/**
 * Make motifs of the first three quarters of the first layer's filters (weights of
 * A, C, G and T): the seed's motif, then always the motif least like those chosen;
 * every second one is reverse complemented. Their norm is the random filters' mean.
 * @param block   random weights of the n parameters of `list`
 * @param motifs  a file of motifs, or "jaspar": those that come with dnabird
 * Errors: BIRD_EINVAL a model without a stem on single bases; those of
 * bird_motifs_open()
 */
BIRD_MUST_CHECK int bird_motif_filters(float *block,
                                       const struct bird_param *list, int64_t n,
                                       const struct bird_config *c,
                                       const bird_tokenizer *t,
                                       const char *motifs, uint64_t seed);

#endif
