/**
 * Vocabularies of whole words: a word is looked up as a whole (WordLevel) or
 * divided into the longest known pieces (WordPiece). Words of one length are
 * k-mers, taken every `stride` bases.
 *
 * In Hugging Face's format a k-mer tokenizer is a WordLevel model with a
 * pre-tokenizer that splits at white space: the caller separates the words.
 * dnabird splits sequence itself, so it needs the stride. tokenizer.json has no
 * field for it: it is the number `stride` in the tokenizer_config.json in the
 * same folder (for NAME.json: NAME_config.json).
 *
 * Source: the tokenizers library, models/wordlevel and models/wordpiece.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_WORDS_H
#define BIRD_TOKEN_WORDS_H

#include <jansson.h>

#include "token/vocab.h"

/**
 * Read the fields of a model of this type (t->model), after its vocabulary.
 * Errors: BIRD_EFORMAT no unknown token, BIRD_EUNSUPPORTED
 */
BIRD_MUST_CHECK int bird_word_model_read(bird_tokenizer *t, const json_t *model,
                                         const char *path);

/**
 * Can the text s[0 .. n) be divided into words? Errors: BIRD_EUNSUPPORTED a
 * letter beyond ASCII where words are separated from other characters, which
 * would need Unicode's tables
 */
BIRD_MUST_CHECK int bird_word_check(const bird_tokenizer *t, const char *s,
                                    int64_t n);

/**
 * Append the tokens of the word s[0 .. n), whose first byte has position `at`.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_word_encode(const bird_tokenizer *t,
                                     bird_encoding *out, const char *s,
                                     int64_t n, int64_t at);

/** Set t->kmer from the WordLevel vocabulary that was read: the common length
 *  of all tokens except the unknown and added ones; 0 if they differ.
 *  Errors: BIRD_EFORMAT no words. */
BIRD_MUST_CHECK int bird_kmer_find(bird_tokenizer *t, const char *path);

/**
 * Append the words of s[a .. b), one every t->stride bases (0: t->kmer). A tail
 * shorter than a word becomes the unknown token if words do not overlap, as in
 * scripts with range(0, n, k); otherwise its bases are part of the last words.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_kmer_encode(const bird_tokenizer *t,
                                     bird_encoding *out, const char *s,
                                     int64_t a, int64_t b);

/** How import reads a vocabulary. */
struct bird_kmer_source {
    const char *path; /* a token on each line, whose number is its id; an
                         object of tokens and ids; or a tokenizer.json */
    int64_t stride;   /* bases from the start of a word to the next */
    int special;      /* 1: [CLS] before and [SEP] after a sequence */
};

/**
 * Write tokenizer.json and tokenizer_config.json from such a vocabulary. Its
 * words are the tokens of A, C, G, T, which must have one length, and other
 * tokens of that length; the rest, including [UNK], are special tokens. Errors:
 * BIRD_EIO; BIRD_EFORMAT no k-mers or several lengths, no [UNK], or no [CLS]
 * and [SEP] if they are wanted; BIRD_EINVAL the stride
 */
BIRD_MUST_CHECK int bird_kmer_take(const char *path,
                                   const struct bird_kmer_source *from);

/**
 * Set t->stride from tokenizer_config.json in the folder of the tokenizer at
 * `path`; words of different lengths must not have one. Errors: BIRD_EIO,
 * BIRD_EFORMAT name that file and what it should hold.
 */
BIRD_MUST_CHECK int bird_kmer_stride(bird_tokenizer *t, const char *path);

#endif
