/* Pages. SPDX-License-Identifier: MIT */
#include "track/html.h"

#include <string.h>

#include "track/svg.h"

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
           ".wide{grid-column:1/-1;max-width:none}\n");
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

void bird_html_section_end(struct bird_markup *m)
{
    bird_markup_put(m, "</section>\n");
}

void bird_html_folded(struct bird_markup *m, const char *title)
{
    bird_markup_put(m, "<details>\n<summary>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</summary>\n");
}

void bird_html_folded_end(struct bird_markup *m)
{
    bird_markup_put(m, "</details>\n");
}

void bird_html_figures(struct bird_markup *m)
{
    bird_markup_put(m, "<div class=\"figures\">\n");
}

void bird_html_figures_end(struct bird_markup *m)
{
    bird_markup_put(m, "</div>\n");
}

void bird_html_figure(struct bird_markup *m, int wide)
{
    bird_markup_put(m, "<figure%s>\n", wide ? " class=\"wide\"" : "");
}

void bird_html_figure_end(struct bird_markup *m)
{
    bird_markup_put(m, "</figure>\n");
}

void bird_html_tiles(struct bird_markup *m)
{
    bird_markup_put(m, "<div class=\"tiles\">\n");
}

void bird_html_tile(struct bird_markup *m, const char *value, const char *what)
{
    bird_markup_put(m, "<div class=\"tile\"><b>");
    bird_markup_text(m, value);
    bird_markup_put(m, "</b><span>");
    bird_markup_text(m, what);
    bird_markup_put(m, "</span></div>\n");
}

void bird_html_tiles_end(struct bird_markup *m)
{
    bird_markup_put(m, "</div>\n");
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
