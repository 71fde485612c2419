/**
 * Rows for masked-language training: their positions, tokens and masks.
 *
 * A row lies in one allowed interval, or in one document, which is an interval
 * of sentences. On either strand the interval is read from its 5' end on that
 * strand; `from` counts from there.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_SAMPLER_H
#define BIRD_DATA_SAMPLER_H

#include <stdint.h>

#include "base/rng.h"
#include "base/text.h"
#include "data/references.h"
#include "dnabird/error.h"
#include "dnabird/sample.h"
#include "dnabird/tokenizer.h"
#include "seq/intervals.h"

/** The label of a token that is not to be predicted, and of rows without B. */
enum { BIRD_SAMPLE_NONE = -100 };

/** One row. The arrays are the caller's, each of length_tok elements. */
struct bird_sample_row {
    int32_t *ids;   /* (n_token) after masking */
    int32_t *type;  /* (n_token) 0; 1 for B and its [SEP]; or the type of
                       the genome */
    int32_t *label; /* (n_token) the token's id where it is to be predicted,
                       else BIRD_SAMPLE_NONE */
    float *weight;  /* (n_token) weight of a token in the loss, 1 without a
                       mask of repeats; NULL: not wanted */
    int64_t n_token;
    int64_t n_masked;        /* tokens to be predicted, at least 1 */
    int64_t masked_bp;       /* bases under them */
    double masked_weight;    /* sum of the weights of these tokens; n_masked
                                without weights */
    double masked_weight_bp; /* sum of weight x bases of these tokens */
    int64_t bp;              /* bases under all tokens */
    int64_t n_rich;          /* intervals that were replaced for too many N */
    int32_t next;            /* 0: B follows A, 1: B is from elsewhere;
                          BIRD_SAMPLE_NONE: the row has no B */
};

struct bird_sampler;

/**
 * Read the references (or the head of the token shards).
 *
 * Memory  1/4 byte a base of the contigs in use, 24 bytes for each run of
 *         other bases and, for documents, for each of them (about one for
 *         6 kb of sequence); shards: none to speak of
 * Owner   *out is the caller's; t is borrowed until it is freed; untouched on
 *         failure
 * Errors  BIRD_EINVAL an option, a contig given twice, or no base to sample
 *         from; BIRD_EUNSUPPORTED the tokenizer lacks [CLS], [SEP] or
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
 * Threads  any number of calls at once; the row depends on the data, the
 *          options, step and row number alone
 * Errors   BIRD_EINVAL no interval with few enough N was found; BIRD_ERANGE a
 *          row that the shards do not hold; BIRD_EIO, BIRD_EFORMAT a damaged
 *          shard; BIRD_ENOMEM. On failure the arrays' content is undefined.
 */
BIRD_MUST_CHECK int bird_sampler_row(struct bird_sampler *s, int64_t step,
                                     int64_t row, struct bird_sample_row *out);

/** Bases that rows are sampled from: A, C, G, T in the allowed intervals. */
int64_t bird_sampler_bases(const struct bird_sampler *s);

/** Number of steps: complete ones in the shards; INT64_MAX on the fly. */
int64_t bird_sampler_steps(const struct bird_sampler *s);

/**
 * A text that two samplers share if and only if they give the same rows:
 * tokenizer, contigs, regions, options. The same for shards as for the
 * references they were made from. Lines "name value"; borrowed from s.
 */
const char *bird_sampler_identity(const struct bird_sampler *s);

struct bird_shards;

/** Numbers of independent random streams, mixed into the seed. */
enum bird_sample_stream {
    BIRD_STREAM_ROW = 1,
    BIRD_STREAM_MASK,
    BIRD_STREAM_PASS,
    BIRD_STREAM_DOCUMENT,
    BIRD_STREAM_PROBE
};

/** Sizes of documents; Zaheer et al. 2020, appendix F.1. */
enum {
    BIRD_PASSES = 10,        /* over each allowed interval */
    BIRD_PASS_START = 5000,  /* bp before its first document, at most */
    BIRD_SENTENCES_MIN = 50, /* of a document */
    BIRD_SENTENCES_MAX = 100,
    BIRD_SENTENCE_MIN = 500, /* bp */
    BIRD_SENTENCE_MAX = 1000
};

struct bird_document {
    int64_t start;
    int32_t contig, length; /* bp; the last of a pass is cut at the end */
};

/** Facts about the vocabulary, computed once. */
struct bird_vocab_stats {
    int64_t n; /* size of the vocabulary */
    int32_t cls, sep, mask;
    int64_t n_global;
    int32_t *global;        /* (n_global) global tokens before [CLS] */
    int32_t *global_rising; /* (n_global) the same by id */
    uint8_t *special;       /* (n) 1: never masked */
    int32_t *n_base;        /* (n) of the token's text */
    double bp;              /* bases of a token, measured on the data */
};

struct bird_sampler {
    struct bird_sample_options o; /* its paths are no longer valid */
    const bird_tokenizer *t;
    struct bird_vocab_stats words;
    struct bird_packed_reference bases;
    struct bird_intervals allowed;
    struct bird_intervals repeats; /* merged; none without a mask */
    int64_t *sum; /* (n + 1) bp before each interval or document */
    struct bird_document *document; /* (n_document) or NULL: windows */
    int64_t n_document, cap_document;
    struct bird_shards *shards; /* NULL: on the fly */
    int64_t n_base;
    struct bird_text identity;
};

/** Start of a row. */
struct bird_sample_position {
    int64_t interval;   /* index of the interval or document */
    int64_t start, end; /* of the interval on its contig */
    int64_t from;       /* bp from the interval's 5' end */
    int32_t contig;
    char strand; /* '+' or '-' */
};

/** Bases from the position to the end of its interval. */
static inline int64_t bird_position_left(const struct bird_sample_position *x)
{
    return x->end - x->start - x->from;
}
/** Sample a position with `need` bases up to the end of its interval, or the
 *  start of an interval that is shorter. */
void bird_position_sample(struct bird_sample_position *out,
                          const struct bird_sampler *s, struct bird_rng *r,
                          int64_t need);
/** End of A when A and B together have `span` >= 2 bases: at least an eighth
 *  of them from either end, and at the end of a sentence where there is one. */
int64_t bird_position_cut(const struct bird_sample_position *x,
                          const struct bird_sampler *s, struct bird_rng *r,
                          int64_t span);

/** A row before it is masked, as token shards store it. */
struct bird_sampled_row {
    int32_t *ids, *bp; /* (n_token) token, and bases under it; the caller's */
    float *weight;     /* (n_token) as in a row, the caller's; or NULL */
    int64_t n_token;
    int64_t second; /* index of B's first token; n_token: no B */
    int32_t type;   /* of the tokens before B */
    int64_t n_rich;
    int32_t next;
};

/** Sample and tokenize a row; fills what d->ids and d->bp point to. */
BIRD_MUST_CHECK int bird_row_sample(struct bird_sampled_row *d,
                                    const struct bird_sampler *s, int64_t step,
                                    int64_t row);

/* masks.c */

/**
 * Choose the tokens to predict; out->label may be d->bp and out->ids d->ids.
 * Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_row_mask(struct bird_sample_row *out,
                                  const struct bird_sampled_row *d,
                                  const struct bird_sampler *s, int64_t step,
                                  int64_t row);

#endif
