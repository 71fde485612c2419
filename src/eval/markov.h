/**
 * An interpolated Markov model of DNA: the probability of a base after up to
 * 12 bases, learned from both strands of training sequence.
 *
 * Letters are 0 to 3 for A, C, G, T; a string of n of them is a number of n
 * digits of base 4, the last letter lowest, so that the last k letters are its
 * remainder by 4^k. 3 - x is the complement of x.
 *
 * p_k of a base b after the context h of k bases mixes what was counted there
 * with p_{k-1} after the last k - 1 of them, down to 1/4 (MacKay and Peto 1995,
 * Natural Language Engineering 1:289, the hierarchical Dirichlet model):
 *
 *     p_k(b | h) = (c(h b) + alpha_k p_{k-1}(b | h')) / (c(h) + alpha_k)
 *
 * alpha_k is chosen, order by order, on every 32nd stretch of the training
 * sequence (fewer of a long one) with the counts of the others, by the
 * probability these stretches get. The stretches stay out of the counts.
 * docs/math/bits-per-base.md derives all of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_MARKOV_H
#define BIRD_TRAIN_MARKOV_H

#include <stdint.h>

#include "data/references.h"
#include "dnabird/error.h"
#include "dnabird/evaluate_mlm.h"

enum { BIRD_MARKOV_MAX = BIRD_MLM_MAX_ORDER };

/** Letters at the end of a hidden string that both its flanks are asked for
 *  at once (markov_string.h): 4^4 strings are tried. */
enum { BIRD_MARKOV_TAIL = 4 };

/** What a hidden string's probability is mixed from. */
enum bird_markov_part {
    BIRD_MARKOV_LEFT,
    BIRD_MARKOV_RIGHT,
    BIRD_MARKOV_JOINT,
    BIRD_N_MARKOV_PART
};

/** A count while counting (it stops at 2^32 - 1), then log2 of p. */
union bird_markov_cell {
    uint32_t count;
    float log2p;
};

struct bird_markov {
    int order;
    union bird_markov_cell *table[BIRD_MARKOV_MAX + 1]; /* [k] (4^k, 4) */
    double alpha[BIRD_MARKOV_MAX + 1];
    int64_t n_base; /* A, C, G, T counted, of one strand */
    /* of the parts, by order and length of the string (the last: and more) */
    double weight[BIRD_MARKOV_MAX + 1][BIRD_MARKOV_TAIL][BIRD_N_MARKOV_PART];
    int64_t n_held; /* words held out to choose alpha and weights, not
                       counted; 0: too few, alpha is 4, weights are 1/3 */
};

void bird_markov_free(struct bird_markov *m);

/** The last n letters. */
static inline uint64_t bird_letters_last(uint64_t letters, int n)
{
    return letters & ((UINT64_C(1) << 2 * n) - 1);
}

/** n <= 32 letters of the other strand. */
uint64_t bird_letters_turn(uint64_t letters, int n);

/** log2 p_k of the last letter after the k letters before it. */
static inline double bird_markov_log2p(const struct bird_markov *m, int k,
                                       uint64_t letters)
{
    return (double)m->table[k][bird_letters_last(letters, k + 1)].log2p;
}

/** 0 to 3, or 4 for what is no A, C, G, T (either case; U is T). */
int bird_letter_code(char letter);

/**
 * Counting, in pieces of any size; results do not depend on threads or pieces.
 * Memory: 4^(order + 2) / 3 * 4 bytes (358 MB at order 12) and 32 MB.
 */
struct bird_markov_counter;

/**
 * @param n_base letters that will come, about: how thin alpha's sample is
 * Owner: *out is the caller's. Errors: BIRD_EINVAL the order; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_markov_counter_new(struct bird_markov_counter **out,
                                            int order, int64_t n_base);
void bird_markov_counter_free(struct bird_markov_counter *c);

/** n more letters of the stretch; what is no A, C, G, T ends it. */
void bird_markov_counter_add(struct bird_markov_counter *c, const char *letters,
                             int64_t n);
/** What is added next does not follow what was added last. */
void bird_markov_counter_end(struct bird_markov_counter *c);

/** The counts of both strands, of every order; the counter is empty after it
 *  but for the words held out. */
void bird_markov_counter_take(struct bird_markov *m,
                              struct bird_markov_counter *c);

/**
 * Choose alpha and weights by the counter's held-out words, and turn counts
 * into probabilities. Errors: BIRD_ENOMEM; *out untouched.
 * Owner: *out is the caller's
 */
BIRD_MUST_CHECK int bird_markov_finish(struct bird_markov **out,
                                       struct bird_markov_counter *c);

/** Choose the weights: words (n) held out, in the order of the sequence.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_markov_weigh(struct bird_markov *m,
                                      const uint32_t *words, int64_t n);

/** Learn from areas of references. Errors: BIRD_EINVAL no base to learn from;
 *  BIRD_ENOMEM. Owner: *out is the caller's */
BIRD_MUST_CHECK int bird_markov_learn(struct bird_markov **out,
                                      const struct bird_bases *b,
                                      const struct bird_intervals *areas,
                                      int order);

#endif
