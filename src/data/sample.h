/**
 * Rows for masked-language training: drawn, tokenized and masked, each a pure
 * function of (seed, step, row), so that any step's batch can be made alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_SAMPLE_H
#define BIRD_TRAIN_SAMPLE_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/sample.h"
#include "dnabird/tokenizer.h"

/** The label of a token that is not to be predicted, and of no B. */
enum { BIRD_SAMPLE_NONE = -100 };

/** One row. The arrays are the caller's, each with room for length_tok. */
struct bird_sample_row {
    int32_t *ids;   /* (n_token) after masking */
    int32_t *type;  /* (n_token) 0, and 1 for B and the [SEP] behind it */
    int32_t *label; /* (n_token) the token's id where it is to be predicted,
                       else BIRD_SAMPLE_NONE */
    int64_t n_token;
    int64_t n_masked;  /* tokens to be predicted, at least 1 */
    int64_t masked_bp; /* bases under them */
    int64_t bp;        /* bases under all tokens */
    int64_t n_rich;    /* stretches that were drawn before and had too many N */
    int32_t next;      /* 0: B follows A, 1: it is from elsewhere;
                          BIRD_SAMPLE_NONE: there is no B */
};

/** What was given out since the sampler was opened. */
struct bird_sample_count {
    int64_t rows, tokens, bp, n_rich, masked, masked_bp;
};

struct bird_sampler;

/**
 * Read the references (or the head of the token shards).
 *
 * Memory  1/4 byte a base of the contigs in use, 24 bytes for each run of
 *         other letters and, for documents, for each of them (about one for
 *         6 kb of sequence); shards: none to speak of
 * Owner   *out is the caller's; t is borrowed until it is freed; untouched on
 *         failure
 * Errors  BIRD_EINVAL an option, a contig given twice, or nothing that may be
 *         drawn; BIRD_EUNSUPPORTED the tokenizer lacks [CLS], [SEP] or
 *         [MASK]; BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE the files; BIRD_EINVAL
 *         shards made with another tokenizer or other options
 */
BIRD_MUST_CHECK int bird_sampler_open(struct bird_sampler **out,
                                      const struct bird_sample_options *o,
                                      const bird_tokenizer *t);
void bird_sampler_free(struct bird_sampler *s);

/**
 * Make row `row` of step `step`, both from 0.
 *
 * Threads  any number of calls at once; what comes out depends on the data,
 *          the options, step and row alone
 * Errors   BIRD_EINVAL no stretch with few enough N was found; BIRD_ERANGE a
 *          row that the shards do not hold; BIRD_EIO, BIRD_EFORMAT a damaged
 *          shard; BIRD_ENOMEM. On failure the arrays' content is undefined.
 */
BIRD_MUST_CHECK int bird_sampler_row(struct bird_sampler *s, int64_t step,
                                     int64_t row, struct bird_sample_row *out);

void bird_sampler_count(const struct bird_sampler *s,
                        struct bird_sample_count *out);

/** Bases that may be drawn: A, C, G, T where rows may lie. */
int64_t bird_sampler_bases(const struct bird_sampler *s);

/** Steps there are: those whole in the shards, INT64_MAX on the fly. */
int64_t bird_sampler_steps(const struct bird_sampler *s);

/**
 * A text that two samplers share if and only if they give the same rows:
 * tokenizer, contigs, regions, options. The same for shards as for the
 * references they were made from. Lines "name value"; borrowed from s.
 */
const char *bird_sampler_identity(const struct bird_sampler *s);

#endif
