/**
 * What happens to the text before the merges: normalizers, pre-tokenizers.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_STEPS_H
#define BIRD_TOKEN_STEPS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"

/** A text to find, or a run of one letter. */
struct bird_find {
    char *text;
    size_t n;
    int64_t least; /* 0: this very text; else >= least times text[0] */
};

/**
 * The first match in s[from .. n): *start, *end; 1 when there is one.
 * Matches do not overlap, a run is taken whole.
 */
int bird_find_next(const struct bird_find *f, const char *s, int64_t n,
                   int64_t from, int64_t *start, int64_t *end);

enum bird_step_kind {
    BIRD_STEP_STRIP,   /* white space off the ends: left, right */
    BIRD_STEP_REPLACE, /* each match of find by content */
    BIRD_STEP_LOWER,   /* ASCII letters */
    BIRD_STEP_UPPER,
    BIRD_STEP_SPLIT,      /* at each match; keep: it is an own piece */
    BIRD_STEP_WORDS,      /* runs of word characters, runs of others */
    BIRD_STEP_WHITE_SPACE /* what stands between white space */
};

struct bird_step {
    enum bird_step_kind kind;
    int left, right, keep;
    struct bird_find find;
    char *content;
    size_t n_content;
};

struct bird_steps {
    struct bird_step *step;
    int64_t n, cap;
};

/**
 * Read the `normalizer` or `pre_tokenizer` section; null gives no step.
 * Errors: BIRD_EUNSUPPORTED, BIRD_EFORMAT name path and field; BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_steps_read_normalizer(struct bird_steps *out,
                                               const json_t *section,
                                               const char *path);
BIRD_MUST_CHECK int bird_steps_read_split(struct bird_steps *out,
                                          const json_t *section,
                                          const char *path);
void bird_steps_free(struct bird_steps *s);

/** Bytes of the white space character at s (Unicode White_Space), 0: none. */
int bird_space_at(const char *s, int64_t n);

/** Bytes of the UTF-8 character at s, n >= 1; a byte that is none is 1. */
int bird_char_at(const char *s, int64_t n);

#endif
