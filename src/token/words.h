/**
 * Vocabularies of whole words: a word is looked up as it is (WordLevel) or
 * cut into the longest pieces that are there (WordPiece). Words of one length
 * are k-mers, taken every `stride` bases.
 *
 * In Hugging Face's form a k-mer tokenizer is a WordLevel model behind a
 * pre-tokenizer that cuts at white space: the caller writes the words apart.
 * dnabird cuts sequence itself, so it has to know the stride. tokenizer.json
 * has no place for it: it is the number `stride` in the tokenizer_config.json
 * beside it (beside NAME.json: NAME_config.json).
 *
 * Source: the tokenizers library, models/wordlevel and models/wordpiece.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_WORDS_H
#define BIRD_TOKEN_WORDS_H

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

/** Set t->kmer from a WordLevel vocabulary read already: the length that all
 *  tokens but the unknown and the added ones have; 0 when they differ.
 *  Errors: BIRD_EFORMAT no words. */
BIRD_MUST_CHECK int bird_kmer_find(bird_tokenizer *t, const char *path);

/**
 * Append the words of s[a .. b), one every t->stride bases (0: t->kmer). A tail
 * shorter than a word is the unknown token where words do not overlap, as in
 * scripts that cut range(0, n, k); else its bases are in the last words
 * already. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_kmer_encode(const bird_tokenizer *t,
                                     bird_encoding *out, const char *s,
                                     int64_t a, int64_t b);

/** What import makes of a vocabulary. */
struct bird_kmer_source {
    const char *path; /* a token a line, whose number is its id; an object of
                         tokens and ids; or a tokenizer.json */
    int64_t stride;   /* bases from word to word */
    int special;      /* 1: [CLS] before and [SEP] after a sequence */
};

/**
 * Write tokenizer.json and the file beside it from such a vocabulary. Its words
 * are the tokens of A, C, G, T alone, which must have one length, and others of
 * that length; the rest are special tokens, [UNK] among them.
 * Errors: BIRD_EIO; BIRD_EFORMAT no k-mers, or of several lengths, no [UNK], or
 * no [CLS] and [SEP] where they are asked for; BIRD_EINVAL the stride
 */
BIRD_MUST_CHECK int bird_kmer_take(const char *path,
                                   const struct bird_kmer_source *from);

/** Set t->stride from the file beside the tokenizer at `path`, which must not
 *  state one for words whose lengths differ. Errors: BIRD_EIO, BIRD_EFORMAT
 *  name that file and what it should say. */
BIRD_MUST_CHECK int bird_kmer_stride(bird_tokenizer *t, const char *path);

#endif
