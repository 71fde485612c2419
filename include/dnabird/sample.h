/**
 * Which rows pretraining reads: what is drawn from references, and how.
 *
 * Belongs to libdnabird_train. docs/math/pretraining-data.md says what is
 * drawn from which distribution, and where it comes from.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_SAMPLE_H
#define DNABIRD_SAMPLE_H

#include <stdint.h>

#include "dnabird/error.h"

enum bird_sample_kind {
    BIRD_SAMPLE_WINDOWS,  /* a uniform start over all allowed bases */
    BIRD_SAMPLE_DOCUMENTS /* documents of sentences, as in appendix F.1 of
                             Zaheer et al. 2020, arXiv:2007.14062 */
};

/** Paths and texts are borrowed while a function runs that takes them. */
typedef struct bird_sample_options {
    const char *const *fasta; /* (n_fasta) plain, gzip or bgzip, indexed or
                                 not; no contig twice */
    int64_t n_fasta;
    const char *include; /* a BED file, or contigs and regions between commas:
                            a row lies whole inside one of these regions
                            (merged); NULL: whole contigs */
    const char *exclude; /* BED: no row touches these; NULL: none */
    const char *held_out[2]; /* the same, each a BED file, or contigs and
                                regions between commas; NULL: none */
    enum bird_sample_kind kind;
    int64_t length_tok; /* tokens of a row at most, specials included; 512 */
    uint64_t seed;      /* 1 */
    double max_n; /* a stretch with a larger share of letters other than A, C,
                     G, T is drawn anew, and counted; 0.05 */
    int next_sentence; /* 1: rows are [CLS] A [SEP] B [SEP], B from elsewhere
                          half of the time; 0: [CLS] A [SEP] */
    double mask;       /* share of tokens to predict, 0 < mask <= 1; 0.15 */
    int span; /* 1: tokens are chosen independently; n > 1: spans of 1 .. n
                 tokens, p ~ 1 / length */
    const char *shards; /* folder of token shards instead of fasta, include
                           and exclude; NULL: tokenize on the fly */
} bird_sample_options;

/** Windows of 512 tokens and the defaults named above. */
BIRD_API void bird_sample_options_default(bird_sample_options *o);

/** Rows of a step of `batch` tokens: as many whole rows as fit, at least 1. */
static inline int64_t bird_sample_rows(int64_t batch_tok, int64_t length_tok)
{
    return batch_tok > length_tok ? batch_tok / length_tok : 1;
}

#endif
