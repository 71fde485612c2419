/**
 * Bases to tokens: byte-pair encoding from a Hugging Face tokenizer.json.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOKENIZER_H
#define DNABIRD_TOKENIZER_H

#include <stdint.h>

#include "dnabird/error.h"

typedef struct bird_tokenizer bird_tokenizer;

/** Tokens of one text. Start with {0}; arrays grow and are the caller's. */
typedef struct bird_encoding {
    int32_t *ids;   /* (n) */
    int64_t *start; /* (n) first byte of the token in the text, in bp; a
                       special token has the position where it stands */
    int64_t n, cap_ids, cap_start;
} bird_encoding;

/**
 * Open a tokenizer.json.
 *
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

#endif
