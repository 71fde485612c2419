/**
 * Assertions about status codes and their sentences.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_CHECK_H
#define BIRD_TEST_CHECK_H

#include <criterion/criterion.h>
#include <string.h>

#include "dnabird/error.h"

/** The last sentence holds `part`. */
#define SAYS(part)                                                             \
    cr_assert(strstr(bird_last_error(), part), "'%s' does not say '%s'",       \
              bird_last_error(), part)

/** The expression is `code`, and its sentence holds `part`. */
#define FAILS(code, expression, part)                                          \
    do {                                                                       \
        cr_assert_eq(expression, code, "%s", bird_last_error());               \
        SAYS(part);                                                            \
    } while (0)

#define WORKS(expression) cr_assert_eq(expression, 0, "%s", bird_last_error())

#endif
