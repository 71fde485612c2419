/* Finding things in raw text. SPDX-License-Identifier: MIT */
#include <string.h>

#include "token/steps.h"

/*
 * A run of at least `least` letters covers one of every `least` places, so
 * only those are looked at until one hits.
 */
static int run_next(const struct bird_find *f, const char *s, int64_t n,
                    int64_t from, int64_t *start, int64_t *end)
{
    char x = f->text[0];
    int64_t i = from;

    while (i <= n - f->least) {
        int64_t hit = i + f->least - 1, a = hit, b = hit + 1;

        if (s[hit] != x) {
            i = hit + 1;
            continue;
        }
        while (a > i && s[a - 1] == x)
            a--;
        while (b < n && s[b] == x)
            b++;
        if (b - a >= f->least) {
            *start = a;
            *end = b;
            return 1;
        }
        i = b + 1;
    }
    return 0;
}

int bird_find_next(const struct bird_find *f, const char *s, int64_t n,
                   int64_t from, int64_t *start, int64_t *end)
{
    const char *p;

    if (f->least)
        return run_next(f, s, n, from, start, end);
    if (from >= n)
        return 0;
    p = f->n == 1 ? memchr(s + from, f->text[0], (size_t)(n - from))
                  : memmem(s + from, (size_t)(n - from), f->text, f->n);
    if (!p)
        return 0;
    *start = p - s;
    *end = *start + (int64_t)f->n;
    return 1;
}

int bird_space_at(const char *s, int64_t n)
{
    const uint8_t *p = (const uint8_t *)s;
    uint32_t c;

    if (n >= 1 && (p[0] == ' ' || (p[0] >= '\t' && p[0] <= '\r')))
        return 1;
    if (n >= 2 && p[0] == 0xc2 && (p[1] == 0x85 || p[1] == 0xa0))
        return 2;
    if (n < 3 || p[0] < 0xe1 || p[0] > 0xe3)
        return 0;
    c = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    if (c == 0xe19a80 || (c >= 0xe28080 && c <= 0xe2808a) || c == 0xe280a8 ||
        c == 0xe280a9 || c == 0xe280af || c == 0xe2819f || c == 0xe38080)
        return 3;
    return 0;
}

int bird_char_at(const char *s, int64_t n)
{
    const uint8_t *p = (const uint8_t *)s;
    int need = p[0] < 0xc2 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if (need == 1 || p[0] > 0xf4 || need > n)
        return 1;
    for (int i = 1; i < need; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 1;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 1;
    return need;
}
