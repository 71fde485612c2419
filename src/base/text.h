/**
 * A growing string, and numbers parsed from text.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_TEXT_H
#define BIRD_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"

/**
 * Is it a control character, which could end a line or column or control a
 * terminal? Unlike iscntrl(), the same in every locale; UTF-8 characters
 * contain none.
 */
static inline int bird_is_control(char c)
{
    return (unsigned char)c < 32 || c == 127;
}

/** Replace every such character of s with `by`, so that a name fits on one
 *  line. */
static inline void bird_replace_control(char *s, char by)
{
    for (; *s; s++)
        if (bird_is_control(*s))
            *s = by;
}

/** NUL-terminated after the first append; start with {0}. */
struct bird_text {
    char *s;
    int64_t n, cap;
};

void bird_text_free(struct bird_text *t);
void bird_text_clear(struct bird_text *t);

/** Append; BIRD_ENOMEM on failure. */
BIRD_MUST_CHECK int bird_text_put(struct bird_text *t, const void *s,
                                  int64_t n);
BIRD_MUST_CHECK int bird_text_printf(struct bird_text *t, const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/** How many fields a line has between its tabs. */
int64_t bird_count_fields(const char *line);

/**
 * A whole number with an optional K, M or G (powers of 1000) after it.
 * Errors: BIRD_EINVAL any other text, or a number that does not fit.
 */
BIRD_MUST_CHECK int bird_parse_int(int64_t *out, const char *s);

/** A finite number, locale "C". Errors: BIRD_EINVAL. */
BIRD_MUST_CHECK int bird_parse_double(double *out, const char *s);

/** Sort n texts by their bytes; those that differ, in front: how many. */
void bird_texts_sort(const char **text, int64_t n);
int64_t bird_texts_unique(const char **text, int64_t n);

#endif
