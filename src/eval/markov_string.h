/**
 * What a Markov model makes of a hidden string of bases, given what stands
 * left and right of it.
 *
 * Three proper probabilities over all strings of that length, and their
 * mixture:
 *   left   from the left flank on, base after base
 *   right  the same on the other strand, from the right flank on
 *   joint  of those strings that lead from the left flank into the right one:
 *          p(left -> string -> right flank), divided by its sum over all
 *          strings. Of a string longer than BIRD_MARKOV_TAIL the last letters
 *          are found so, and those before them from the left alone.
 *   both   weights of the model times the three
 * docs/math/bits-per-base.md has the formulas.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_MARKOV_STRING_H
#define BIRD_TRAIN_MARKOV_STRING_H

#include "eval/markov.h"

/** What is seen next to a hidden string. */
struct bird_flanks {
    uint64_t left;       /* n_left letters, the nearest last */
    uint64_t right;      /* n_right letters of the other strand, the same */
    int n_left, n_right; /* 0 .. 31 */
};

/** Strings of one length, in orders that share beginnings. */
struct bird_strings;

/**
 * @param code (n, m) letters 0 .. 3
 * Owner: *out is the caller's. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_strings_new(struct bird_strings **out,
                                     const uint8_t *code, int64_t n, int m);
/** All strings of m <= 12 letters; a string's index is its number. */
BIRD_MUST_CHECK int bird_strings_all(struct bird_strings **out, int m);
void bird_strings_free(struct bird_strings *s);
int64_t bird_strings_count(const struct bird_strings *s);
/** Letters of string i; borrowed. */
const uint8_t *bird_strings_code(const struct bird_strings *s, int64_t i);

/** Room for one thread: n strings of up to m letters. Start with {0}. */
struct bird_strings_room {
    double *left, *right, *joint; /* (n) */
    uint64_t *end;                /* (n) */
    uint64_t *letters;            /* (m + 1) */
    double *sum;                  /* (m + 1) */
};
BIRD_MUST_CHECK int bird_strings_room_new(struct bird_strings_room *r,
                                          int64_t n, int m);
void bird_strings_room_free(struct bird_strings_room *r);

/** A hidden string of n letters and order k <= m->order to judge it with. */
struct bird_hidden {
    const struct bird_markov *m;
    int k, n;
    const uint8_t *code; /* (n) what it is */
    struct bird_flanks flanks;
};

/**
 * log2 of the three probabilities of the string.
 *
 * @param tail all strings of min(n, BIRD_MARKOV_TAIL) letters
 */
void bird_hidden_parts(double log2p[BIRD_N_MARKOV_PART],
                       const struct bird_hidden *h,
                       const struct bird_strings *tail,
                       struct bird_strings_room *room);

/** One predictor's answer. */
struct bird_hidden_answer {
    double log2p; /* of the string */
    int best;     /* 1: no string before it is as likely, none after it more */
};

/** log2 of the mixture of the parts. A flank of no letters tells nothing: then
 *  it is the other one's part alone. */
double bird_hidden_mix(const struct bird_hidden *h,
                       const double log2p[BIRD_N_MARKOV_PART]);

/**
 * The same among these strings of n letters alone, of which number `which` is
 * the right one: every part divided by its sum over them.
 */
void bird_hidden_among(struct bird_hidden_answer *left,
                       struct bird_hidden_answer *both,
                       const struct bird_hidden *h,
                       const struct bird_strings *words, int64_t which,
                       struct bird_strings_room *room);

#endif
