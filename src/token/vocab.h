/**
 * Tokens and their ids, merges, and a complete tokenizer.json.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_VOCAB_H
#define BIRD_TOKEN_VOCAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "dnabird/tokenizer.h"
#include "token/bpe_heap.h"
#include "token/rules.h"

/* Limit of the largest id + 1, and so of the memory that a file can request. */
#define BIRD_VOCAB_MAX (1 << 22)

/** Texts by id and ids by text. */
struct bird_vocab {
    struct bird_text pool; /* all texts, each NUL-terminated */
    int64_t *at;           /* (n) offset in the pool, -1: no such id */
    int64_t n, cap_at;
    struct bird_map ids; /* by text */
};

/**
 * Errors  BIRD_EFORMAT the text or the id exists already; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_vocab_add(struct bird_vocab *v, const char *text,
                                   int64_t id, const char *path);
/** Id of n bytes of text; -1: none. */
int32_t bird_vocab_find(const struct bird_vocab *v, const char *text, size_t n);
/** Text of an id, or NULL. */
const char *bird_vocab_text(const struct bird_vocab *v, int64_t id);
void bird_vocab_free(struct bird_vocab *v);

/** A token that is cut out of the raw text first. */
struct bird_added {
    char *text;
    size_t n;
    int32_t id;
};

struct bird_bpe_automaton;

enum bird_token_model {
    BIRD_MODEL_BPE,
    BIRD_MODEL_WORD_LEVEL,
    BIRD_MODEL_WORD_PIECE
};

struct bird_tokenizer {
    enum bird_token_model model;
    char *prefix;            /* WordPiece: prefix of a word's later pieces */
    int64_t letters_max;     /* WordPiece: a longer word is unknown */
    struct bird_vocab vocab; /* with the added tokens */
    struct bird_merges merges;
    int32_t letter[128]; /* id of an ASCII character, -1: none */
    int32_t unk;         /* -1: unknown characters are dropped */
    int fuse_unk;
    int64_t kmer, stride;     /* k and stride of a vocabulary of k-mers, in
                                 bp; else 0 */
    int32_t *kmer_id;         /* (4^kmer) ids of words of A, C, G, T; or NULL */
    int kmer_other;           /* 1: some words have other characters */
    struct bird_added *added; /* longest first */
    int64_t n_added;
    uint8_t added_first[256]; /* does an added token begin with this byte? */
    struct bird_rules normal, split;
    int32_t *before, *after; /* ids that the post-processor adds */
    int64_t n_before, n_after;
    struct bird_bpe_automaton *automaton; /* NULL: only the heap is exact */
};

/** Grow the arrays of an encoding for one more token. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_encoding_grow(bird_encoding *out);
/** Append a token; memory is grown only when it is full, as encoding calls this
 *  for every token. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK static inline int bird_encoding_add(bird_encoding *out,
                                                    int32_t id, int64_t start)
{
    if (out->n >= out->cap_ids || out->n >= out->cap_start) {
        int rc = bird_encoding_grow(out);

        if (rc)
            return rc;
    }
    out->ids[out->n] = id;
    out->start[out->n++] = start;
    return 0;
}

/** Read tokenizer.json from n bytes of text, which messages call `path`. The
 *  stride of k-mers stays 0, which encodes as if it were k. */
BIRD_MUST_CHECK int bird_tokenizer_parse(bird_tokenizer **out, const char *text,
                                         size_t n, const char *path);

#endif
