/**
 * Vocabularies of whole words: a word is looked up as it stands (WordLevel) or
 * cut into the longest pieces that are there (WordPiece). Words of one length
 * are k-mers: token/kmer.h.
 *
 * Source: the tokenizers library, models/wordlevel and models/wordpiece.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_WORD_H
#define BIRD_TOKEN_WORD_H

#include <jansson.h>

#include "token/vocab.h"

/**
 * Fields of a model of this type (t->model), its vocabulary being read.
 * Errors: BIRD_EFORMAT no unknown token, BIRD_EUNSUPPORTED
 */
BIRD_MUST_CHECK int bird_word_model_read(bird_tokenizer *t, const json_t *model,
                                         const char *path);

/**
 * May the text s[0 .. n) be cut into words? Errors: BIRD_EUNSUPPORTED a letter
 * beyond ASCII where words are told from other characters: only Unicode's
 * tables know which it is
 */
BIRD_MUST_CHECK int bird_word_check(const bird_tokenizer *t, const char *s,
                                    int64_t n);

/**
 * Append the tokens of the word s[0 .. n), whose first byte has place `at`.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_word_encode(const bird_tokenizer *t,
                                     bird_encoding *out, const char *s,
                                     int64_t n, int64_t at);

#endif
