/**
 * Random sequence without biology, so that a model learns that base composition
 * alone is no signal.
 *
 * Sources  exact shuffles that keep dinucleotides: Altschul and Erickson 1985,
 *          Mol. Biol. Evol. 2:526 (a random Eulerian walk)
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_DECOY_H
#define BIRD_DATA_DECOY_H

#include <stdint.h>

#include "base/rng.h"
#include "dnabird/error.h"

/**
 * Shuffle each run of A, C, G, T (either case) so that it keeps its first and
 * last base and the number of each dinucleotide; other characters stay. All
 * walks along the run's dinucleotides that the method gives have the same
 * probability. The case of letters is that of the places they came from in a
 * walk, not kept by place.
 * Errors: BIRD_ENOMEM. seq is then unchanged or partly shuffled
 */
BIRD_MUST_CHECK int bird_shuffle_dinucleotides(char *seq, int64_t n,
                                               struct bird_rng *r);

/** Replace A, C, G and T by independent bases with this share of G and C. */
void bird_random_bases(char *seq, int64_t n, double gc, struct bird_rng *r);

/** Replace a sequence by a decoy: evenly its own shuffle, or random bases with
 *  a share of G+C drawn evenly from 30 to 70 %. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_decoy(char *seq, int64_t n, struct bird_rng *r);

#endif
