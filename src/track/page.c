/* Markup and pages: escaping, numbers for people, round ticks, and the few
 * elements that the pages of this program are made of.
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
    /* Texts from outside go through bird_markup_text(): ours are short. */
    if (n < 0 || n >= (int)sizeof(line))
        m->rc = bird_fail(BIRD_EINVAL, "a piece of markup is too long");
    else
        m->rc = bird_text_put(&m->text, line, n);
}

/* Bytes of the UTF-8 character at s, 0 when it is none that XML allows. */
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

char *bird_interval(char out[BIRD_INTERVAL_SIZE], double v, double lo,
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
        /* -0 and the like */
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
        /* as many digits as tell two marks apart */
        int digits = (int)floor(log10(size)) - (int)floor(log10(step) + 1e-9);

        snprintf(out, BIRD_NUMBER_SIZE, "%.*e", digits < 0 ? 0 : digits, v);
        shorten(out);
        return out;
    }
    snprintf(out, BIRD_NUMBER_SIZE, "%.*f", v == 0 ? 0 : decimals, v);
    put_commas(out);
    return out;
}

/* --- pages --------------------------------------------------------------- */

static void put_style(struct bird_markup *m)
{
    bird_markup_put(m, "<style>\n");
    bird_svg_style(m);
    bird_markup_put(
        m, "*{box-sizing:border-box}"
           "body{margin:0;background:var(--paper);color:var(--ink);"
           "font:15px/1.5 system-ui,sans-serif}"
           "main{max-width:1120px;margin:0 auto;padding:28px 20px 60px}"
           "h1{font-size:26px;margin:0;overflow-wrap:anywhere}"
           "h2{font-size:18px;margin:38px 0 4px}"
           "p{margin:4px 0 12px;color:var(--soft);max-width:80ch}\n");
    bird_markup_put(
        m, ".tiles{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0 0}"
           ".tile{background:var(--card);border-radius:8px;padding:10px 16px;"
           "min-width:130px}"
           ".tile b{display:block;font-size:21px;font-weight:600;"
           "font-variant-numeric:tabular-nums}"
           ".tile span{color:var(--soft);font-size:13px}"
           ".figures{display:grid;gap:16px;margin-top:12px;align-items:start;"
           "grid-template-columns:repeat(auto-fit,minmax(min(420px,100%%),"
           "1fr))}"
           "figure{margin:0;padding:14px;background:var(--card);"
           "border-radius:8px;max-width:640px}"
           "figure.wide{max-width:none;margin-top:12px}\n");
    bird_markup_put(
        m, ".scroll{overflow-x:auto;margin:8px 0 18px}"
           "table{border-collapse:collapse;font-size:14px}"
           "caption{text-align:left;font-weight:600;padding:6px 0}"
           "th,td{text-align:left;padding:4px 18px 4px 0;vertical-align:top;"
           "border-bottom:1px solid var(--grid);overflow-wrap:break-word;"
           "max-width:70ch}"
           "th{font-weight:500;color:var(--soft);white-space:nowrap}"
           ".n{text-align:right;font-variant-numeric:tabular-nums;"
           "white-space:nowrap}"
           "footer{color:var(--soft);font-size:13px;margin-top:40px}"
           "summary{cursor:pointer;font-size:18px;font-weight:600;"
           "margin:30px 0 4px}\n</style>\n");
}

void bird_html_begin(struct bird_markup *m, const char *title,
                     const char *below)
{
    bird_markup_put(m, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/"
                       "xhtml\" lang=\"en\">\n<head>\n"
                       "<meta charset=\"utf-8\"/>\n"
                       "<meta http-equiv=\"Content-Security-Policy\" "
                       "content=\"default-src 'none'; style-src "
                       "'unsafe-inline'\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width, "
                       "initial-scale=1\"/>\n<title>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</title>\n");
    put_style(m);
    bird_markup_put(m, "</head>\n<body>\n<main>\n<h1>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</h1>\n");
    if (below)
        bird_html_paragraph(m, below);
}

void bird_html_end(struct bird_markup *m)
{
    bird_markup_put(m, "</main>\n</body>\n</html>\n");
}

void bird_html_paragraph(struct bird_markup *m, const char *text)
{
    bird_markup_put(m, "<p>");
    bird_markup_text(m, text);
    bird_markup_put(m, "</p>\n");
}

void bird_html_section(struct bird_markup *m, const char *title,
                       const char *note)
{
    bird_markup_put(m, "<section>\n<h2>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</h2>\n");
    if (note)
        bird_html_paragraph(m, note);
}

void bird_html_folded(struct bird_markup *m, const char *title)
{
    bird_markup_put(m, "<details>\n<summary>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</summary>\n");
}

void bird_html_open(struct bird_markup *m, const char *tag,
                    const char *class_name)
{
    bird_markup_put(m, class_name ? "<%s class=\"%s\">\n" : "<%s>\n", tag,
                    class_name);
}

void bird_html_close(struct bird_markup *m, const char *tag)
{
    bird_markup_put(m, "</%s>\n", tag);
}

void bird_html_chart(struct bird_markup *m, const struct bird_chart *c)
{
    bird_html_open(m, "figure", c->wide ? "wide" : NULL);
    bird_svg_chart(m, c);
    bird_html_close(m, "figure");
}

void bird_html_tile(struct bird_markup *m, const char *value, const char *what)
{
    bird_markup_put(m, "<div class=\"tile\"><b>");
    bird_markup_text(m, value);
    bird_markup_put(m, "</b><span>");
    bird_markup_text(m, what);
    bird_markup_put(m, "</span></div>\n");
}

/* Digits with what may stand in and around a number (an interval's dash is
 * three bytes); NA and a dot too. */
static int is_number(const char *s)
{
    return !strcmp(s, "NA") || !strcmp(s, ".") ||
           (strpbrk(s, "0123456789") &&
            s[strspn(s, "0123456789.,+-e% ()\xe2\x80\x93")] == '\0');
}

static void put_cell(struct bird_markup *m, const char *tag, const char *s,
                     int right)
{
    bird_markup_put(m, "<%s%s>", tag, right ? " class=\"n\"" : "");
    bird_markup_text(m, s);
    bird_markup_put(m, "</%s>", tag);
}

void bird_html_table(struct bird_markup *m, const char *caption)
{
    bird_markup_put(m, "<div class=\"scroll\"><table>\n");
    if (!caption)
        return;
    bird_markup_put(m, "<caption>");
    bird_markup_text(m, caption);
    bird_markup_put(m, "</caption>\n");
}

void bird_html_head(struct bird_markup *m, const char *const *cell, int64_t n,
                    int64_t n_text)
{
    bird_markup_put(m, "<tr>");
    for (int64_t i = 0; i < n; i++)
        put_cell(m, "th", cell[i], i >= n_text);
    bird_markup_put(m, "</tr>\n");
}

void bird_html_row(struct bird_markup *m, const char *const *cell, int64_t n)
{
    bird_markup_put(m, "<tr>");
    for (int64_t i = 0; i < n; i++)
        put_cell(m, "td", cell[i], cell[i] && is_number(cell[i]));
    bird_markup_put(m, "</tr>\n");
}

void bird_html_pair(struct bird_markup *m, const char *name, const char *value)
{
    bird_markup_put(m, "<tr>");
    put_cell(m, "th", name, 0);
    put_cell(m, "td", value, 0);
    bird_markup_put(m, "</tr>\n");
}

void bird_html_table_end(struct bird_markup *m)
{
    bird_markup_put(m, "</table></div>\n");
}
