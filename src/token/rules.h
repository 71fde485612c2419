/**
 * Changes of the text before the merges: normalizers and pre-tokenizers as
 * rules, their patterns, and normalised text with the origin of each byte.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_RULES_H
#define BIRD_TOKEN_RULES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

/** A text to find, or a run of one character. */
struct bird_text_pattern {
    char *text;
    size_t n;
    int64_t least; /* 0: exactly this text; else text[0] at least this many
                      times */
};

/**
 * Find the first match in s[from .. n): *start, *end; returns 1, or 0: none.
 * Matches do not overlap, and a run matches as a whole.
 */
int bird_text_pattern_next(const struct bird_text_pattern *f, const char *s,
                           int64_t n, int64_t from, int64_t *start,
                           int64_t *end);

enum bird_rule_kind {
    BIRD_RULE_STRIP,   /* strip white space at the ends: left, right */
    BIRD_RULE_REPLACE, /* replace each match of find by content */
    BIRD_RULE_LOWER,   /* ASCII letters */
    BIRD_RULE_UPPER,
    BIRD_RULE_SPLIT,      /* split at each match; keep: the match is a piece */
    BIRD_RULE_WORDS,      /* split into runs of word characters and runs of
                             others */
    BIRD_RULE_WHITE_SPACE /* split at white space */
};

struct bird_rule {
    enum bird_rule_kind kind;
    int left, right, keep;
    struct bird_text_pattern pattern;
    char *content;
    size_t n_content;
};

struct bird_rules {
    struct bird_rule *rule;
    int64_t n, cap;
};

/**
 * Read the `normalizer` or `pre_tokenizer` section; null means no step.
 * Errors: BIRD_EUNSUPPORTED, BIRD_EFORMAT name path and field; BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_rules_read_normalizer(struct bird_rules *out,
                                               const json_t *section,
                                               const char *path);
BIRD_MUST_CHECK int bird_rules_read_pretokenizer(struct bird_rules *out,
                                                 const json_t *section,
                                                 const char *path);
void bird_rules_free(struct bird_rules *s);

/** Length in bytes of the white space character at s (Unicode White_Space), 0:
 *  none. */
int bird_space_at(const char *s, int64_t n);

/**
 * Length in bytes of the UTF-8 character at s, n >= 1; an invalid byte has 1.
 */
int bird_char_at(const char *s, int64_t n);

/** Bytes at .. next span's at come from `from` on, or all from `from`. */
struct bird_position_run {
    int64_t at, from;
    int step; /* 1 or 0 */
};

struct bird_position_runs {
    struct bird_position_run *span;
    int64_t n, cap;
};

/**
 * Start with {0}; each bird_normal_run() overwrites it and reuses its memory.
 */
struct bird_normal {
    const char *s; /* (n) the text; byte i is byte i + shift of the spans */
    int64_t n, shift;
    struct bird_text own[2]; /* where s lies when it is not the raw text */
    struct bird_position_runs spans[2];
    int use; /* the pair in use */
};

/**
 * Apply the steps to raw[0 .. n), whose first byte has position `base`. The raw
 * text is copied only if it changes.
 * Errors: BIRD_ENOMEM; BIRD_EUNSUPPORTED a change of case beyond ASCII.
 */
BIRD_MUST_CHECK int bird_normal_run(struct bird_normal *t,
                                    const struct bird_rules *rules,
                                    const char *raw, int64_t n, int64_t base);

/** Convert n ascending byte offsets in t->s into positions, in place. */
void bird_normal_positions(const struct bird_normal *t, int64_t *place,
                           int64_t n);
void bird_normal_free(struct bird_normal *t);

#endif
