/* Markup: escaped text, numbers for readers, round tick marks.
 * SPDX-License-Identifier: MIT */
#include "track/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

/* --- markup -------------------------------------------------------------- */

void bird_markup_put(struct bird_markup *m, const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    int n;

    if (m->rc)
        return;
    va_start(ap, fmt);
    n = vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    /* text from outside goes through bird_markup_text(); this program's own is
       short */
    if (n < 0 || n >= (int)sizeof(line))
        m->rc = bird_fail(BIRD_EINVAL, "a piece of markup is too long");
    else
        m->rc = bird_text_put(&m->text, line, n);
}

/* Bytes of the UTF-8 character at s; 0: not a character that XML allows. */
static int character(const unsigned char *s, int64_t n)
{
    int more = s[0] < 0x80             ? 0
               : (s[0] & 0xe0) == 0xc0 ? 1
               : (s[0] & 0xf0) == 0xe0 ? 2
               : (s[0] & 0xf8) == 0xf0 ? 3
                                       : -1;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t c = s[0];

    if (more < 0 || more >= n)
        return 0;
    if (more)
        c &= 0x3fu >> more;
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ||
        c == 0xfffe || c == 0xffff || (c >= 0x7f && c < 0xa0) ||
        (c < 0x20 && c != '\t' && c != '\n'))
        return 0;
    return more + 1;
}

void bird_markup_text_n(struct bird_markup *m, const char *s, int64_t n)
{
    int64_t i = 0;

    while (!m->rc && i < n) {
        int size = character((const unsigned char *)s + i, n - i);
        const char *as = !size          ? "\xef\xbf\xbd"
                         : s[i] == '&'  ? "&amp;"
                         : s[i] == '<'  ? "&lt;"
                         : s[i] == '>'  ? "&gt;"
                         : s[i] == '"'  ? "&quot;"
                         : s[i] == '\'' ? "&#39;"
                                        : NULL;

        if (as)
            m->rc = bird_text_put(&m->text, as, (int64_t)strlen(as));
        else
            m->rc = bird_text_put(&m->text, s + i, size);
        i += size ? size : 1;
    }
}

void bird_markup_text(struct bird_markup *m, const char *s)
{
    if (s)
        bird_markup_text_n(m, s, (int64_t)strlen(s));
}

/* Commas between the thousands of the whole part, in place. */
static void put_commas(char s[BIRD_NUMBER_SIZE])
{
    size_t start = s[0] == '-', digits = strspn(s + start, "0123456789");

    if (digits < 5 || s[start + digits] == 'e')
        return;
    for (size_t i = digits; i > 3; i -= 3) {
        char *at = s + start + i - 3;

        if (strlen(s) + 2 > BIRD_NUMBER_SIZE)
            return;
        memmove(at + 1, at, strlen(at) + 1);
        *at = ',';
    }
}

/* "3.0e-04" as "3e-4". */
static void shorten(char *s)
{
    char *e = strchr(s, 'e'), *end, *from;

    if (!e)
        return;
    end = e;
    if (memchr(s, '.', (size_t)(e - s))) {
        while (end[-1] == '0')
            end--;
        end -= end[-1] == '.';
    }
    from = e + 1;
    *end++ = 'e';
    if (*from == '-')
        *end++ = '-';
    from++;
    from += strspn(from, "0") - (strspn(from, "0") == strlen(from));
    memmove(end, from, strlen(from) + 1);
}

char *bird_number(char out[BIRD_NUMBER_SIZE], double v, int digits)
{
    double size = fabs(v);
    int whole;

    if (!isfinite(v))
        return memcpy(out, "NA", 3);
    if (v == 0)
        return memcpy(out, "0", 2);
    whole = (int)floor(log10(size)) + 1; /* digits before the point */
    if (size >= 1e15 || size < 1e-3) {
        snprintf(out, BIRD_NUMBER_SIZE, "%.*e", digits - 1, v);
        shorten(out);
        return out;
    }
    if (v == floor(v) || whole >= digits)
        snprintf(out, BIRD_NUMBER_SIZE, "%.0f", v);
    else
        snprintf(out, BIRD_NUMBER_SIZE, "%.*f", digits - whole, v);
    put_commas(out);
    return out;
}

char *bird_interval_text(char out[BIRD_INTERVAL_SIZE], double v, double lo,
                         double hi)
{
    char a[BIRD_NUMBER_SIZE], b[BIRD_NUMBER_SIZE];

    bird_number(out, v, 4);
    if (!isnan(lo) && !isnan(hi))
        snprintf(out + strlen(out), BIRD_INTERVAL_SIZE - strlen(out),
                 " (%s \xe2\x80\x93 %s)", bird_number(a, lo, 4),
                 bird_number(b, hi, 4));
    return out;
}

int bird_ticks(double *tick, double *step, int most, double lo, double hi,
               int whole)
{
    static const double round[] = {1, 2, 5, 10, 20};
    double rough, ten;
    int n = 0;

    if (!isfinite(lo) || !isfinite(hi) || !(lo < hi) || !isfinite(hi - lo) ||
        most < 1)
        return 0;
    rough = (hi - lo) / most;
    ten = pow(10, floor(log10(rough)));
    if (!(ten > 0))
        return 0;
    for (int i = 0; i < 5; i++) {
        double first, at = round[i] * ten;

        if (whole && at < 1)
            at = 1;
        first = ceil(lo / at - 1e-9);
        n = (int)(floor(hi / at + 1e-9) - first) + 1;
        *step = at;
        if (n > most)
            continue;
        for (int k = 0; k < n; k++)
            tick[k] = (first + k) * at;
        /* no sign before a number that is rounded to 0 */
        for (int k = 0; k < n; k++)
            tick[k] = fabs(tick[k]) < 1e-9 * at ? 0 : tick[k];
        break;
    }
    if (n < 1 || n > most)
        return 0;
    return n;
}

char *bird_tick_name(char out[BIRD_NUMBER_SIZE], double v, double step)
{
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    double size = fabs(v);

    if (v != 0 && (step < 1e-3 || size >= 1e7)) {
        /* enough digits to distinguish two marks */
        int digits = (int)floor(log10(size)) - (int)floor(log10(step) + 1e-9);

        snprintf(out, BIRD_NUMBER_SIZE, "%.*e", digits < 0 ? 0 : digits, v);
        shorten(out);
        return out;
    }
    snprintf(out, BIRD_NUMBER_SIZE, "%.*f", v == 0 ? 0 : decimals, v);
    put_commas(out);
    return out;
}
