/**
 * Normalised text that remembers where each byte came from.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOKEN_NORMAL_H
#define BIRD_TOKEN_NORMAL_H

#include <stdint.h>

#include "base/text.h"
#include "token/steps.h"

/** Bytes at .. next span's at come from `from` on, or all from `from`. */
struct bird_span {
    int64_t at, from;
    int step; /* 1 or 0 */
};

struct bird_spans {
    struct bird_span *span;
    int64_t n, cap;
};

/** Start with {0}; made anew by each bird_normal_run, memory is reused. */
struct bird_normal {
    const char *s; /* (n) the text; byte i is byte i + shift of the spans */
    int64_t n, shift;
    struct bird_text own[2]; /* where s lies when it is not the raw text */
    struct bird_spans spans[2];
    int use; /* the pair in use */
};

/**
 * Run the steps over raw[0 .. n), whose first byte has position `base`. The
 * raw text is copied only when something in it changes.
 * Errors: BIRD_ENOMEM; BIRD_EUNSUPPORTED change of case beyond ASCII.
 */
BIRD_MUST_CHECK int bird_normal_run(struct bird_normal *t,
                                    const struct bird_steps *steps,
                                    const char *raw, int64_t n, int64_t base);

/** Turn n increasing places in t->s into positions, in place. */
void bird_normal_positions(const struct bird_normal *t, int64_t *place,
                           int64_t n);
void bird_normal_free(struct bird_normal *t);

#endif
