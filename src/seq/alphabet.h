/**
 * Sequence letters: what may stand in a FASTA line, folding and complement.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_ALPHABET_H
#define BIRD_SEQ_ALPHABET_H

#include <stdint.h>

/** Upper case with U as T; 0 for a byte that is no sequence letter. */
extern const unsigned char bird_letter_fold[256];

/** The letter itself; 0 for a byte that is no sequence letter. */
extern const unsigned char bird_letter_same[256];

/** Is the byte white space that may stand between sequence letters? */
static inline int bird_is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' ||
           c == '\f';
}

/** How many of n letters are N or n. */
int64_t bird_letters_unknown(const char *seq, int64_t n);

#endif
