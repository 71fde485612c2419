/**
 * An interpolated Markov model of DNA: the probability of a base after up to
 * 12 bases, learned from both strands of training sequence; and of a hidden
 * string of bases, given what lies left and right of it.
 *
 * Bases are 0 to 3 for A, C, G, T; a word of n of them is a number of n digits
 * in base 4, the last one lowest, so that the last k bases are its remainder
 * by 4^k. 3 - x is the complement of x.
 *
 * p_k of a base b after the context h of k bases mixes what was counted there
 * with p_{k-1} after the last k - 1 of them, down to 1/4 (MacKay and Peto 1995,
 * Natural Language Engineering 1:289, the hierarchical Dirichlet model):
 *
 *     p_k(b | h) = (c(h b) + alpha_k p_{k-1}(b | h')) / (c(h) + alpha_k)
 *
 * alpha_k is chosen, order by order, on every 32nd block of the training
 * sequence (fewer of a long one) with the counts of the others, by the
 * probability these blocks get. They stay out of the counts.
 *
 * A hidden string has three proper probabilities over all strings of its
 * length, and their mixture:
 *   left   from the left flank on, base after base
 *   right  the same on the other strand, from the right flank on
 *   joint  of those strings that lead from the left flank into the right one:
 *          p(left -> string -> right flank), divided by its sum over all
 *          strings. Of a string longer than BIRD_MARKOV_TAIL the last bases
 *          are found so, and those before them from the left alone.
 *   both   weights of the model times the three
 * docs/math/bits-per-base.md derives all of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PEERS_MARKOV_H
#define BIRD_PEERS_MARKOV_H

#include <stdint.h>

#include "base/mem.h"
#include "data/references.h"
#include "dnabird/error.h"
#include "dnabird/evaluate.h"
#include "seq/alphabet.h"

enum { BIRD_MARKOV_MAX = BIRD_MLM_MAX_ORDER };

/** Bases at the end of a hidden string whose probability given both flanks
 *  is computed exactly, by summing over 4^4 strings. */
enum { BIRD_MARKOV_TAIL = 4 };

/** Parts of the mixture for a hidden string. */
enum bird_markov_part {
    BIRD_MARKOV_LEFT,
    BIRD_MARKOV_RIGHT,
    BIRD_MARKOV_JOINT,
    BIRD_N_MARKOV_PART
};

/** While counting a count, which saturates at 2^32 - 1; then log2 of p. */
union bird_markov_cell {
    uint32_t count;
    float log2p;
};

/** Add `by` to the count, which saturates. */
static inline void bird_markov_count(union bird_markov_cell *c, uint32_t by)
{
    c->count = c->count > UINT32_MAX - by ? UINT32_MAX : c->count + by;
}

struct bird_markov {
    int order;
    union bird_markov_cell *table[BIRD_MARKOV_MAX + 1]; /* [k] (4^k, 4) */
    double alpha[BIRD_MARKOV_MAX + 1];
    int64_t n_base; /* A, C, G, T counted, of one strand */
    /* weights of the parts, by order and by length of the string (the last:
     * this length and more) */
    double weight[BIRD_MARKOV_MAX + 1][BIRD_MARKOV_TAIL][BIRD_N_MARKOV_PART];
    int64_t n_held; /* words held out to choose alpha and weights, not
                       counted; 0: too few, alpha is 4, weights are 1/3 */
};

void bird_markov_free(struct bird_markov *m);

/** The last n bases. */
static inline uint64_t bird_last_bases(uint64_t word, int n)
{
    return word & ((UINT64_C(1) << 2 * n) - 1);
}

/** The reverse complement of n <= 32 bases. */
uint64_t bird_reverse_word(uint64_t word, int n);

/** log2 p_k of the last base after the k bases before it. */
static inline double bird_markov_log2p(const struct bird_markov *m, int k,
                                       uint64_t word)
{
    return (double)m->table[k][bird_last_bases(word, k + 1)].log2p;
}

/** 0 to 3; -1: not A, C, G, T (upper or lower case; U is T). */
static inline int bird_markov_code(char base)
{
    return bird_base_code((char)bird_letter_fold[(unsigned char)base]);
}

/* --- learning ------------------------------------------------------------- */

/**
 * Counts words. Bases are added in pieces; results do not depend on threads or
 * on the size of the pieces.
 * Memory: 4^(order + 2) / 3 * 4 bytes (358 MB at order 12) and 32 MB.
 */
struct bird_markov_counter;

/** Words held out, in the order of the sequence. */
struct bird_markov_held {
    uint32_t *word; /* (n) */
    int64_t n;
};

/**
 * @param n_base number of bases to come, about: decides which share of the
 * blocks is held out to choose alpha
 * Owner: *out is the caller's. Errors: BIRD_EINVAL the order; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_markov_counter_new(struct bird_markov_counter **out,
                                            int order, int64_t n_base);
void bird_markov_counter_free(struct bird_markov_counter *c);

/** Add n bases to the current run; a base other than A, C, G, T ends it. */
void bird_markov_counter_add(struct bird_markov_counter *c, const char *bases,
                             int64_t n);
/** End the current run: the next bases do not follow the last ones. */
void bird_markov_counter_end(struct bird_markov_counter *c);

/** Move the counts of both strands and every order to *m. The counter keeps
 *  only the held-out words, which are returned. */
struct bird_markov_held bird_markov_take(struct bird_markov *m,
                                         struct bird_markov_counter *c);

/**
 * Choose alpha and weights by the counter's held-out words, and turn counts
 * into probabilities. Errors: BIRD_ENOMEM; *out untouched.
 * Owner: *out is the caller's
 */
BIRD_MUST_CHECK int bird_markov_finish(struct bird_markov **out,
                                       struct bird_markov_counter *c);

/** Learn from intervals of references. Errors: BIRD_EINVAL no base to learn
 *  from; BIRD_ENOMEM. Owner: *out is the caller's */
BIRD_MUST_CHECK int bird_markov_learn(struct bird_markov **out,
                                      const struct bird_packed_reference *b,
                                      const struct bird_intervals *intervals,
                                      int order);

/* --- hidden strings ------------------------------------------------------- */

/** The known bases on both sides of a hidden string. */
struct bird_flanks {
    uint64_t left;  /* n_left bases, the nearest last */
    uint64_t right; /* n_right bases of the other strand, the nearest last */
    int n_left, n_right; /* 0 .. 31 */
};

/** Strings of one length, sorted so that neighbours share prefixes. */
struct bird_strings;

/**
 * @param code (n, m) bases 0 .. 3
 * Owner: *out is the caller's. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_strings_new(struct bird_strings **out,
                                     const uint8_t *code, int64_t n, int m);
/** All strings of m <= 12 bases; a string's index is its number. */
BIRD_MUST_CHECK int bird_strings_all(struct bird_strings **out, int m);
void bird_strings_free(struct bird_strings *s);
/** Bases of string i; borrowed. */
const uint8_t *bird_strings_code(const struct bird_strings *s, int64_t i);

/** Workspace of one thread. */
struct bird_strings_workspace {
    double *left, *right, *joint; /* (n) */
    uint64_t *end;                /* (n) */
    uint64_t *bases;              /* (m + 1) */
    double *sum;                  /* (m + 1) */
};
/** A workspace for every thread, for n strings of up to m bases. The pool
 *  owns it; NULL or incomplete when the pool's rc is set. */
struct bird_strings_workspace *bird_strings_workspaces(struct bird_pool *pool,
                                                       int64_t n, int m);

/** A hidden string of n bases, and the order k <= m->order of its predictor. */
struct bird_hidden {
    const struct bird_markov *m;
    int k, n;
    const uint8_t *code; /* (n) its true bases */
    struct bird_flanks flanks;
};

/**
 * log2 of the three probabilities of the string.
 *
 * @param tail all strings of min(n, BIRD_MARKOV_TAIL) bases
 */
void bird_hidden_parts(double log2p[BIRD_N_MARKOV_PART],
                       const struct bird_hidden *h,
                       const struct bird_strings *tail,
                       struct bird_strings_workspace *workspace);

/** One predictor's answer. */
struct bird_hidden_answer {
    double log2p; /* of the string */
    int best; /* 1: it has the largest probability, and is the first of equal
                 ones */
};

/** log2 of the mixture of the parts. When a flank has no bases it is the
 *  part of the other flank alone. */
double bird_hidden_mix(const struct bird_hidden *h,
                       const double log2p[BIRD_N_MARKOV_PART]);

/**
 * Predictions among these strings of n bases, of which string `which` is the
 * true one: every part is divided by its sum over the strings.
 */
void bird_hidden_among(struct bird_hidden_answer *left,
                       struct bird_hidden_answer *both,
                       const struct bird_hidden *h,
                       const struct bird_strings *words, int64_t which,
                       struct bird_strings_workspace *workspace);

#endif
