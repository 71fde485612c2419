/**
 * Bases to tokens, by a Hugging Face tokenizer.json: byte-pair encoding, or
 * vocabularies of whole words and k-mers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOKENIZER_H
#define DNABIRD_TOKENIZER_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/progress.h"

typedef struct bird_tokenizer bird_tokenizer;

/** Tokens of one text. Start with {0}; arrays grow and are the caller's. */
typedef struct bird_encoding {
    int32_t *ids;   /* (n) */
    int64_t *start; /* (n) first byte of the token in the text, in bp; a
                       special token has the position where it is */
    int64_t n, cap_ids, cap_start;
} bird_encoding;

/**
 * Open a tokenizer.json.
 *
 * Owner   *out is the caller's, bird_tokenizer_free(); untouched on failure
 * Errors  BIRD_EIO, BIRD_EFORMAT; BIRD_EUNSUPPORTED names what the file asks
 *         for that is not there
 */
BIRD_API BIRD_MUST_CHECK int bird_tokenizer_open(bird_tokenizer **out,
                                                 const char *path);
BIRD_API void bird_tokenizer_free(bird_tokenizer *t);

/** Size of the vocabulary: largest id + 1. */
BIRD_API int64_t bird_tokenizer_count(const bird_tokenizer *t);
/** Text of a token, borrowed from t; NULL when no token has this id. */
BIRD_API const char *bird_tokenizer_token(const bird_tokenizer *t, int32_t id);
/** Id of a token's text, e.g. "[MASK]"; -1 when there is none. */
BIRD_API int32_t bird_tokenizer_id(const bird_tokenizer *t, const char *token);

/** Bases of a k-mer, and from k-mer to k-mer; 0 when tokens come from
 *  merges. */
BIRD_API int64_t bird_tokenizer_kmer(const bird_tokenizer *t);
BIRD_API int64_t bird_tokenizer_stride(const bird_tokenizer *t);

/** Global tokens of a text at most. */
#define BIRD_GLOBAL_MAX 4096
/** Global tokens that stand before all else of a text: how many of [G1], [G2],
 *  ... the post-processor begins with. */
BIRD_API int64_t bird_tokenizer_global(const bird_tokenizer *t);

/**
 * Encode n bytes of text; the encoding is overwritten.
 *
 * Threads  any number of calls at once on one tokenizer
 * Errors   BIRD_ENOMEM
 *
 * @param special 1 adds what the post-processor adds ([CLS] x [SEP])
 */
BIRD_API BIRD_MUST_CHECK int bird_tokenizer_encode(const bird_tokenizer *t,
                                                   bird_encoding *out,
                                                   const char *text, int64_t n,
                                                   int special);
BIRD_API void bird_encoding_free(bird_encoding *e);

/**
 * Path of the file beside a tokenizer that says what tokenizer.json has no
 * place for: "tokenizer_config.json" of "tokenizer.json". The stride of a
 * vocabulary of k-mers is there.
 * Owner: *out is the caller's, free(). Errors: BIRD_ENOMEM.
 */
BIRD_API BIRD_MUST_CHECK int bird_tokenizer_config(char **out,
                                                   const char *path);

/**
 * Write a vocabulary of all k-mers over A, C, G, T, in Hugging Face's form (a
 * WordLevel model of words that are separated), and the file beside it with
 * `stride`, the bases from the start of a word to that of the next: 1 to k.
 * [UNK] [CLS] [SEP] [PAD] [MASK] have ids 0 to 4; a k-mer with another character
 * is [UNK]. Of a text of n bases come floor((n - k) / stride) + 1 words, and
 * an [UNK] for a tail where stride is k.
 * @param global  global tokens before [CLS], 0 to BIRD_GLOBAL_MAX
 * Errors: BIRD_EINVAL, BIRD_EIO, BIRD_ENOMEM.
 */
#define BIRD_WORD_MAX 8
BIRD_API BIRD_MUST_CHECK int bird_kmer_write(const char *path, int k,
                                             int stride, int64_t global);

/** How a vocabulary is learned; fill with bird_learn_options_default(). */
typedef struct bird_learn_options {
    int64_t vocab; /* tokens in all, specials and single characters included */
    int64_t max_length; /* of a token, in bp */
    int64_t min_count;  /* a pair seen less often is not merged */
    int64_t max_memory; /* bytes; above it a sample is learned from */
    uint64_t seed;      /* of that sample */
    int64_t global;     /* tokens [G1], ... before [CLS], beside `vocab` */
    int both_strands;   /* 1: learn from the reverse complement as well */
    bird_progress_call *progress; /* of tokens; or NULL */
    void *progress_context;
} bird_learn_options;

/** 32,000 tokens of at most 64 bp, pairs seen twice, 2 GB, seed 1. */
BIRD_API void bird_learn_options_default(bird_learn_options *o);

/** What was learned from, and what came out. */
typedef struct bird_learn_report {
    int64_t bases;      /* A, C, G, T given */
    int64_t bases_used; /* less than bases: a sample of windows */
    int64_t tokens;     /* size of the vocabulary */
    int64_t last_count; /* of the pair merged last, 0: no merge */
    int64_t rest;       /* tokens of the text at the end */
} bird_learn_report;

/**
 * Byte-pair encoding from sequence: the pair of neighbours seen most often
 * becomes a token, again and again; of two pairs seen equally often the one
 * with the smaller left id, then the smaller right id. A pair's count is the
 * number of places where it occurs, overlapping ones (AAA) too.
 *
 * Sequence is cut at every character but A, C, G, T (either case), so no token
 * holds N; [UNK] [CLS] [SEP] [PAD] [MASK] - A C G N T have ids 0 to 10. The
 * reverse strand is not added unless asked for.
 *
 * Memory   BIRD_LEARN_BYTES a base (twice that with both strands) and some
 *          80 MiB; where max_memory does not hold all bases, windows of
 *          64 kb are drawn by the seed
 * Threads  one; the result depends on the sequence and the options alone
 * Source   Sennrich, Haddow, Birch 2016, arXiv:1508.07909
 */
typedef struct bird_learner bird_learner;
#define BIRD_LEARN_BYTES 12

/** Owner   *out is the caller's, bird_learner_free()
 *  Errors  BIRD_EINVAL names the option; BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int bird_learner_new(bird_learner **out,
                                              const bird_learn_options *o);
BIRD_API void bird_learner_free(bird_learner *l);

/** n more bases of the record. Errors: BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_learner_add(bird_learner *l,
                                              const char *bases, int64_t n);
/** The record ends: what is added next does not join it. */
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

#endif
