/**
 * k-mer vocabularies: words of k bases, taken every `stride` bases.
 *
 * In Hugging Face's form a k-mer tokenizer is a WordLevel model behind a
 * pre-tokenizer that cuts at white space: the caller writes the words apart.
 * dnabird cuts sequence itself, so it has to know the stride. tokenizer.json
 * has no place for it: it is the number `stride` in the tokenizer_config.json
 * beside it (beside NAME.json: NAME_config.json).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_KMER_H
#define BIRD_TOKEN_KMER_H

#include "dnabird/tokenizer.h"

/** Set t->kmer from a vocabulary read already: the length that all tokens but
 *  the added ones have. Errors: BIRD_EUNSUPPORTED, BIRD_EFORMAT. */
BIRD_MUST_CHECK int bird_kmer_find(bird_tokenizer *t, const char *path);

/** Set t->stride from the file beside the tokenizer at `path`. Errors:
 *  BIRD_EIO, BIRD_EFORMAT name that file and what it should say. */
BIRD_MUST_CHECK int bird_kmer_stride(bird_tokenizer *t, const char *path);

#endif
