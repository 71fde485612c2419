/**
 * Markup being written: text with everything escaped that came from outside,
 * and numbers for people. Shared by svg.c and html.c.
 *
 * A failure sticks: functions return nothing and do nothing once `rc` is set,
 * so that a page is written straight down and checked once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_MARKUP_H
#define BIRD_TRACK_MARKUP_H

#include <stdint.h>

#include "base/text.h"

/** Start with {0}; free `text` with bird_text_free(). */
struct bird_markup {
    struct bird_text text;
    int rc; /* the first failure: BIRD_ENOMEM */
};

/** As printf, without escaping: for our own markup and for numbers. */
void bird_markup_put(struct bird_markup *m, const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/**
 * A text from outside: & < > " ' become references, so it may stand in an
 * attribute too; bytes that are no UTF-8 and characters that XML does not
 * allow become U+FFFD. NULL is an empty text.
 */
void bird_markup_text(struct bird_markup *m, const char *s);
void bird_markup_text_n(struct bird_markup *m, const char *s, int64_t n);

/** Room for what the number functions write. */
enum { BIRD_NUMBER_SIZE = 40 };

/**
 * A number for people, some `digits` significant ones: whole numbers with
 * commas, small ones as 3e-4, NaN and infinities as "NA". Returns out.
 */
char *bird_number(char out[BIRD_NUMBER_SIZE], double v, int digits);

/**
 * Round marks for an axis: multiples of 1, 2 or 5 times a power of ten.
 *
 * @param[out] tick  (most) rising, all within lo .. hi
 * @param[out] step  their distance, for bird_tick_name()
 * @param whole  1: whole numbers only
 * @return their number; 1 .. most when lo < hi are finite, else 0
 */
int bird_ticks(double *tick, double *step, int most, double lo, double hi,
               int whole);

/** A mark's name with as many decimals as the step needs. Returns out. */
char *bird_tick_name(char out[BIRD_NUMBER_SIZE], double v, double step);

#endif
