/**
 * A vocabulary of k-mers as tokenizer.json.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_KMER_WRITE_H
#define BIRD_TOKEN_KMER_WRITE_H

#include <stdint.h>

#include "dnabird/error.h"

/**
 * Read a vocabulary, a token a line (its number is its id) or a JSON object of
 * tokens and ids, and write it as a tokenizer.json: whole words, of which the
 * tokenizers library cuts text at white space.
 *
 * @param[out] k     letters of its k-mers: all tokens of A, C, G, T alone
 *                   have this length
 * @param special 1: [CLS] before and [SEP] after a sequence
 * Errors: BIRD_EIO; BIRD_EFORMAT no k-mers, or of several lengths; no [UNK],
 * or no [CLS] and [SEP] where they are asked for
 */
BIRD_MUST_CHECK int bird_kmer_write(const char *path, int64_t *k,
                                    const char *vocab, int special);

#endif
