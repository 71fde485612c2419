/**
 * Sequence motifs: counts of bases by position become scores with p-values.
 *
 * The score of a word is the sum over its positions of
 *
 *     log2((n_b + q_b) / (n + 1) / q_b)
 *
 * where n_b of n counted bases are b and q_b = 1/4 is the background frequency
 * (a pseudocount of 1 distributed by q, as in matrix-scan), each rounded to
 * 1/100 bit. The p-value of a score is the fraction of all words of that width
 * with the same or a higher score. It is counted, not estimated: exact for the
 * rounded scores.
 * Source: Staden 1989, Comput. Appl. Biosci. 5:89 (the distribution, position by
 * position); Turatsinze et al. 2008, doi:10.1038/nprot.2008.97 (matrix-scan).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_MOTIF_H
#define BIRD_SEQ_MOTIF_H

#include <stdint.h>

#include "dnabird/error.h"

enum {
    BIRD_MOTIF_WIDTH = 64, /* positions at most */
    BIRD_MOTIF_UNIT = 100  /* scores per bit: scores are integers */
};

/** P-values above this are not stored: they are reported as 1. */
#define BIRD_MOTIF_MOST_P 0.05

struct bird_motif {
    char id[32], name[64]; /* "MA0114.5", "HNF4A" */
    int width;
    int32_t score[BIRD_MOTIF_WIDTH][4]; /* score of A, C, G, T */
    int32_t most;                       /* the highest score */
    double *tail; /* (n_tail) p-values of most, most - 1 ... */
    int64_t n_tail;
};

struct bird_motifs {
    struct bird_motif *at;
    int64_t n, cap;
    char *name; /* name of the file, without folders */
};

/** Make scores and p-values of a motif from counts of its bases: (width, 4).
 *  Owner: m->tail. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_motif_prepare(struct bird_motif *m,
                                       double count[BIRD_MOTIF_WIDTH][4]);

/**
 * Read motifs in TRANSFAC's format, JASPAR's (">MA0004.1 Arnt" and a line of
 * counts for each base) or MEME's (probabilities, which become counts by the
 * matrix's nsites, or 20; its background is not used), plain or compressed.
 * Start with {0}.
 * Owner   *out is the caller's, bird_motifs_free(), on failure too
 * Errors  BIRD_EFORMAT with the line; BIRD_EIO; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_motifs_read(struct bird_motifs *out, const char *path);
void bird_motifs_free(struct bird_motifs *m);

/** The same, but "jaspar" names the motifs that come with dnabird.
 *  Errors: BIRD_EIO they are not installed */
BIRD_MUST_CHECK int bird_motifs_open(struct bird_motifs *out, const char *path);

/** The score of `width` upper-case bases or, on strand '-', of their reverse
 *  complement; INT32_MIN: a character other than A, C, G, T. */
int32_t bird_motif_score(const struct bird_motif *m, const char *bases,
                         char strand);

/** The lowest score with a p-value of at most most_p, which is at most
 *  BIRD_MOTIF_MOST_P; above m->most if there is none. */
int32_t bird_motif_least(const struct bird_motif *m, double most_p);

/** Its p-value on one strand; 1 above BIRD_MOTIF_MOST_P. */
double bird_motif_p(const struct bird_motif *m, int32_t score);

/** A match of a motif: bases start .. start + width of the sequence. */
struct bird_motif_hit {
    int64_t start;
    const struct bird_motif *motif;
    double p;
    int32_t score;
    char strand;
};

/**
 * Where to search: motifs that overlap from .. to, which may extend beyond it.
 */
struct bird_motif_range {
    const char *bases; /* (n), upper case */
    int64_t n, from, to;
    double most_p; /* largest p-value */
};

/**
 * Matches in a range, the lowest p-value first. Of matches that share more than
 * half of the shorter one's bases only the first is kept, so that one motif
 * represents its family.
 * @param[out] out  (*n) matches; the caller's, free()
 * Errors: BIRD_EINVAL most_p above BIRD_MOTIF_MOST_P; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_motifs_find(struct bird_motif_hit **out, int64_t *n,
                                     const struct bird_motifs *m,
                                     const struct bird_motif_range *r);

#endif
