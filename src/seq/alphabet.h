/**
 * Sequence characters: those that a FASTA line may hold, case folding and
 * complement.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_ALPHABET_H
#define BIRD_SEQ_ALPHABET_H

#include <stdint.h>

/** Upper case with U as T of IUPAC's nucleotide codes, X and the gaps '-',
 *  '.' and '*'; 0 for any other byte. */
extern const unsigned char bird_letter_fold[256];

/** The same for all characters A to Z, which `tokenize` accepts. */
extern const unsigned char bird_letter_any[256];

/** The character itself for A to Z and the gaps; 0 for any other byte. */
extern const unsigned char bird_letter_same[256];

/** 0 to 3 for A, C, G, T; -1 for any other character. */
static inline int bird_base_code(char c)
{
    switch (c) {
    case 'A':
        return 0;
    case 'C':
        return 1;
    case 'G':
        return 2;
    case 'T':
        return 3;
    default:
        return -1;
    }
}

/** Is the byte white space, which is allowed between bases? */
static inline int bird_is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' ||
           c == '\f';
}

/** Number of characters other than A, C, G, T and U, in either case: the
 *  unknown bases that --max-n counts. */
int64_t bird_count_unknown(const char *seq, int64_t n);

/** Advice for a character that is not a nucleotide code, from the n bytes of
 *  FASTA text around it, with or without header lines: part of a message. */
const char *bird_bases_advice(const char *text, int64_t n);

#endif
