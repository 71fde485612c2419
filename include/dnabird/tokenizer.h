/**
 * Bases to tokens with a Hugging Face tokenizer.json: byte-pair encoding, or
 * vocabularies of whole words and k-mers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOKENIZER_H
#define DNABIRD_TOKENIZER_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/progress.h"

BIRD_BEGIN_C

typedef struct bird_tokenizer bird_tokenizer;

/** Tokens of one text. Start with {0}; the growing arrays are the caller's. */
typedef struct bird_encoding {
    int32_t *ids;   /* (n) */
    int64_t *start; /* (n) position of the token's first byte in the text, in
                       bp; for a special token the position where it was
                       added */
    int64_t n, cap_ids, cap_start;
} bird_encoding;

/**
 * Open a tokenizer.json.
 *
 * Owner   *out is the caller's, bird_tokenizer_free(); untouched on failure
 * Errors  BIRD_EIO, BIRD_EFORMAT; BIRD_EUNSUPPORTED names the unsupported
 *         feature
 */
BIRD_API BIRD_MUST_CHECK int bird_tokenizer_open(bird_tokenizer **out,
                                                 const char *path);
BIRD_API void bird_tokenizer_free(bird_tokenizer *t);

/** Size of the vocabulary: largest id + 1. */
BIRD_API int64_t bird_tokenizer_count(const bird_tokenizer *t);
/** Text of a token, borrowed from t; NULL: no such id. */
BIRD_API const char *bird_tokenizer_token(const bird_tokenizer *t, int32_t id);
/** Id of a token's text, for instance "[MASK]"; -1: none. */
BIRD_API int32_t bird_tokenizer_id(const bird_tokenizer *t, const char *token);

/** Bases of a k-mer, and their stride in bp; 0: tokens come from merges. */
BIRD_API int64_t bird_tokenizer_kmer(const bird_tokenizer *t);
BIRD_API int64_t bird_tokenizer_stride(const bird_tokenizer *t);

/** Largest number of global tokens. */
#define BIRD_GLOBAL_MAX 4096
/** Global tokens in front of a text: the number of [G1], [G2], ... with which
 *  the post-processor begins. */
BIRD_API int64_t bird_tokenizer_global(const bird_tokenizer *t);

/**
 * Encode n bytes of text; the encoding is overwritten.
 *
 * Threads  any number of calls at once on one tokenizer
 * Errors   BIRD_ENOMEM
 *
 * @param special 1: with the post-processor's tokens ([CLS] x [SEP])
 */
BIRD_API BIRD_MUST_CHECK int bird_tokenizer_encode(const bird_tokenizer *t,
                                                   bird_encoding *out,
                                                   const char *text, int64_t n,
                                                   int special);
BIRD_API void bird_encoding_free(bird_encoding *e);

/**
 * Path of the file with settings for which tokenizer.json has no field, such as
 * the stride of k-mers: "tokenizer_config.json" for "tokenizer.json".
 * Owner: *out is the caller's, free(). Errors: BIRD_ENOMEM.
 */
BIRD_API BIRD_MUST_CHECK int bird_tokenizer_config(char **out,
                                                   const char *path);

/**
 * Write a vocabulary of all k-mers over A, C, G, T, in Hugging Face's form (a
 * WordLevel model of separated words), and tokenizer_config.json with `stride`,
 * the bases from the start of a word to the start of the next: 1 to k. [UNK]
 * [CLS] [SEP] [PAD] [MASK] have ids 0 to 4; a k-mer with another character is
 * [UNK]. A text of n bases gives floor((n - k) / stride) + 1 words, and an
 * [UNK] for a tail if stride is k.
 * @param global  global tokens before [CLS], 0 to BIRD_GLOBAL_MAX
 * Errors: BIRD_EINVAL, BIRD_EIO, BIRD_ENOMEM.
 */
#define BIRD_WORD_MAX 8
BIRD_API BIRD_MUST_CHECK int bird_kmer_write(const char *path, int k,
                                             int stride, int64_t global);

/** Options of learning a vocabulary; fill with bird_learn_options_default(). */
typedef struct bird_learn_options {
    int64_t vocab;      /* number of tokens, including special tokens and single
                      characters */
    int64_t max_length; /* longest token, bp */
    int64_t min_count;  /* a less frequent pair is not merged */
    int64_t max_memory; /* bytes; above it only a sample is used */
    uint64_t seed;      /* of that sample */
    int64_t global;     /* tokens [G1], ... before [CLS], in addition to
                           `vocab` */
    int both_strands;   /* 1: learn from the reverse complement, too */
    bird_progress_call *progress; /* of tokens; or NULL */
    void *progress_context;
} bird_learn_options;

/** 32,000 tokens of at most 64 bp, pairs seen twice, 2 GB, seed 1. */
BIRD_API void bird_learn_options_default(bird_learn_options *o);

/** Input and result of learning. */
typedef struct bird_learn_report {
    int64_t bases;      /* A, C, G, T added */
    int64_t bases_used; /* bases used; fewer than `bases`: a sample of
                           windows */
    int64_t tokens;     /* size of the vocabulary */
    int64_t last_count; /* count of the last merged pair, 0: no merge */
    int64_t rest;       /* tokens of the text at the end */
} bird_learn_report;

/**
 * Byte-pair encoding: repeatedly, the most frequent pair of neighbours becomes
 * a token; of two equally frequent pairs the one with the smaller left id, then
 * the smaller right id. A pair's count is the number of positions where it
 * occurs, including overlapping ones (AAA).
 *
 * Sequence is divided at every character except A, C, G, T (either case), so no
 * token contains N; [UNK] [CLS] [SEP] [PAD] [MASK] - A C G N T have ids 0 to
 * 10. The reverse strand is added only on request.
 *
 * Memory   BIRD_LEARN_BYTES a base (twice that with both strands) and some
 *          80 MiB; if the bases do not fit into max_memory, windows of 64 kb
 *          are sampled by the seed
 * Threads  one; the result depends only on the sequence and the options
 * Source   Sennrich, Haddow, Birch 2016, arXiv:1508.07909
 */
typedef struct bird_learner bird_learner;
#define BIRD_LEARN_BYTES 12

/** Owner   *out is the caller's, bird_learner_free()
 *  Errors  BIRD_EINVAL names the option; BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int bird_learner_new(bird_learner **out,
                                              const bird_learn_options *o);
BIRD_API void bird_learner_free(bird_learner *l);

/** Add n bases of the record. Errors: BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_learner_add(bird_learner *l,
                                              const char *bases, int64_t n);
/** End the record: bases that are added later are not joined to it. */
BIRD_API BIRD_MUST_CHECK int bird_learner_end(bird_learner *l);

/**
 * Learn, once, after the last record.
 *
 * Errors  BIRD_ENOMEM; BIRD_ECANCELED
 */
BIRD_API BIRD_MUST_CHECK int bird_learner_run(bird_learner *l);
BIRD_API void bird_learner_report(const bird_learner *l,
                                  bird_learn_report *out);

/** Write the tokenizer.json. Errors: BIRD_EIO, BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_learner_write(const bird_learner *l,
                                                const char *path);

BIRD_END_C

#endif
