/**
 * Byte-pair encoding from left to right, in time linear in the text.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_BPE_AUTOMATON_H
#define BIRD_TOKEN_BPE_AUTOMATON_H

#include <stdint.h>

#include "dnabird/tokenizer.h"

struct bird_vocab;
struct bird_merges;

/* Bytes after the characters of a run that must be BIRD_BPE_END. */
#define BIRD_BPE_PAD 8
#define BIRD_BPE_END 0xff

struct bird_bpe_automaton;

/**
 * Build the automaton from the merges; *out is NULL if the precondition does
 * not hold or the tables would be too large: then only the heap is exact.
 * @param unk the unknown token's id, which must not merge; -1: none
 */
BIRD_MUST_CHECK int bird_bpe_automaton_new(struct bird_bpe_automaton **out,
                                           const struct bird_vocab *v,
                                           const struct bird_merges *m,
                                           int32_t unk);
void bird_bpe_automaton_free(struct bird_bpe_automaton *c);

/** Codes by byte of the characters that merge; BIRD_BPE_END: none. */
const uint8_t *bird_bpe_code(const struct bird_bpe_automaton *c);

/** Working memory; start with {0}. */
struct bird_bpe_work {
    uint8_t *code; /* (n + BIRD_BPE_PAD) codes of the run */
    int64_t cap_code;
    uint64_t *dead; /* bits of positions where no encoding can end */
    int64_t cap_dead;
};
void bird_bpe_work_free(struct bird_bpe_work *w);

/**
 * Append the tokens of the n codes in w->code (n >= 1, padded); the first
 * character's position is `start`. Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_bpe_run(const struct bird_bpe_automaton *c,
                                 struct bird_bpe_work *w, int64_t n,
                                 int64_t start, bird_encoding *out);

#endif
