/*
 * Growing strings, always NUL-terminated, and numbers parsed from text that
 * must hold nothing else.
 * SPDX-License-Identifier: MIT
 */
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

void bird_text_free(struct bird_text *t)
{
    free(t->s);
    *t = (struct bird_text){0};
}

void bird_text_clear(struct bird_text *t)
{
    t->n = 0;
    if (t->s)
        t->s[0] = '\0';
}

int bird_text_put(struct bird_text *t, const void *s, int64_t n)
{
    int rc = bird_array_grow(&t->s, &t->cap, t->n + n + 1, 1);

    if (rc)
        return rc;
    if (n)
        memcpy(t->s + t->n, s, (size_t)n);
    t->n += n;
    t->s[t->n] = '\0';
    return 0;
}

int64_t bird_count_fields(const char *line)
{
    int64_t n = 1;

    for (; *line; line++)
        n += *line == '\t';
    return n;
}

int bird_text_printf(struct bird_text *t, const char *fmt, ...)
{
    va_list ap;
    int n, rc;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) /* the C library allocates memory for a long line, too */
        return errno == ENOMEM ? bird_fail_memory(0)
                               : bird_fail(BIRD_EINVAL, "bad format");
    rc = bird_array_grow(&t->s, &t->cap, t->n + n + 1, 1);
    if (rc)
        return rc;
    va_start(ap, fmt);
    rc = vsnprintf(t->s + t->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    if (rc != n) {
        t->s[t->n] = '\0';
        return bird_fail_memory((size_t)n);
    }
    t->n += n;
    return 0;
}

int bird_parse_int(int64_t *out, const char *s)
{
    char *end;
    long long v;
    int64_t unit = 1, product;

    errno = 0;
    v = strtoll(s, &end, 10);
    if (end != s && *end) {
        unit = *end == 'K' || *end == 'k'   ? 1000
               : *end == 'M' || *end == 'm' ? 1000000
               : *end == 'G' || *end == 'g' ? 1000000000
                                            : 0;
        end++;
    }
    if (end == s || *end || errno || !unit ||
        __builtin_mul_overflow((int64_t)v, unit, &product))
        return bird_fail(BIRD_EINVAL, "'%s' is not a whole number", s);
    *out = product;
    return 0;
}

int bird_parse_double(double *out, const char *s)
{
    char *end;
    double v;

    errno = 0;
    v = strtod(s, &end);
    if (end == s || *end || !isfinite(v))
        return bird_fail(BIRD_EINVAL, "'%s' is not a number", s);
    *out = v;
    return 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void bird_texts_sort(const char **text, int64_t n)
{
    if (n > 0)
        qsort((void *)text, (size_t)n, sizeof(*text), by_bytes);
}

int64_t bird_texts_unique(const char **text, int64_t n)
{
    int64_t k = 0;

    bird_texts_sort(text, n);
    for (int64_t i = 0; i < n; i++)
        if (!k || strcmp(text[i], text[k - 1]) != 0)
            text[k++] = text[i];
    return k;
}
