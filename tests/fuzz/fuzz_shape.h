/**
 * Text that a target writes by a grammar, the bytes being its choices.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_FUZZ_SHAPE_H
#define BIRD_TEST_FUZZ_SHAPE_H

#include "fuzz_help.h"

#include "base/text.h"

struct shape {
    struct choices c;
    struct bird_text out;
};

static inline void put(struct shape *s, const char *text)
{
    MUST(!bird_text_put(&s->out, text, (int64_t)strlen(text)));
}

/** One of some texts. */
static inline void put_one(struct shape *s, const char *const *texts, int n)
{
    put(s, texts[choose(&s->c, n)]);
}
#define ONE_OF(s, ...)                                                         \
    put_one(                                                                   \
        s, (const char *const[]){__VA_ARGS__},                                 \
        (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

#endif
