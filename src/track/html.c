/* HTML pages: head, style, and the few elements that this program's pages use.
 * A small script sorts tables that have a head; without the script, and on
 * paper, the tables are complete. The page's content security policy names the
 * script's digest, so that the browser runs no other script.
 * SPDX-License-Identifier: MIT */
#include "track/page.h"

#include <string.h>

#include "base/file.h"

/* It has no '<' and '&', so that it is valid in HTML and in XML. A column of
 * numbers (class n) is sorted from its largest; other cells stay last. */
static const char script[] =
    "'use strict';\n"
    "document.querySelectorAll('thead').forEach(function(h){\n"
    "var head=Array.from(h.rows[0].cells),body=h.parentNode.tBodies[0];\n"
    "function key(row,i,n){var s=row.cells[i].textContent.trim();\n"
    "if(!n)return s;s=parseFloat(s.replace(/,/g,''));return isNaN(s)?null:s}\n"
    "if(!body)return;\n"
    "head.forEach(function(th,i){\n"
    "var b=document.createElement('button'),n=th.className==='n';\n"
    "b.type='button';b.textContent=th.textContent;\n"
    "th.textContent='';th.appendChild(b);\n"
    "b.addEventListener('click',function(){\n"
    "var was=th.getAttribute('aria-sort'),up=was?was==='descending':!n;\n"
    "Array.from(body.rows).map(function(r){return [key(r,i,n),r]})\n"
    ".sort(function(x,y){var a=x[0],b=y[0],c;\n"
    "if(a===null||b===null)return (a===null?1:0)-(b===null?1:0);\n"
    "c=n?a-b:a.localeCompare(b,undefined,{numeric:true});\n"
    "return up?c:-c}).forEach(function(x){body.appendChild(x[1])});\n"
    "head.forEach(function(c){c.removeAttribute('aria-sort')});\n"
    "th.setAttribute('aria-sort',up?'ascending':'descending')})})});\n"
    "addEventListener('beforeprint',function(){\n"
    "document.querySelectorAll('details').forEach(function(d){d.open=true})});"
    "\n";

/* --- the head ------------------------------------------------------------ */

static int hex_digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The script's SHA-256 in base 64, as the policy names it. */
static void put_digest(struct bird_markup *m)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                                "uvwxyz0123456789+/";
    unsigned byte[33] = {0};
    char hex[65];

    bird_sha256(hex, script, sizeof(script) - 1);
    for (int i = 0; i < 32; i++)
        byte[i] =
            (unsigned)(16 * hex_digit(hex[2 * i]) + hex_digit(hex[2 * i + 1]));
    for (int i = 0; i < 33; i += 3) {
        unsigned v = byte[i] << 16 | byte[i + 1] << 8 | byte[i + 2];

        bird_markup_put(m, "%c%c%c", digit[v >> 18], digit[v >> 12 & 63],
                        digit[v >> 6 & 63]);
        bird_markup_put(m, "%c", i < 30 ? digit[v & 63] : '=');
    }
}

static void put_layout(struct bird_markup *m)
{
    bird_markup_put(
        m, "*{box-sizing:border-box}"
           "body{margin:0;background:var(--paper);color:var(--ink);"
           "font:15px/1.5 system-ui,sans-serif}"
           "main{max-width:1120px;margin:0 auto;padding:28px 20px 60px}"
           "h1{font-size:26px;margin:0;overflow-wrap:anywhere}"
           "h2{font-size:18px;margin:38px 0 4px;overflow-wrap:anywhere}"
           "h3{font-size:15px;margin:22px 0 2px;overflow-wrap:anywhere}"
           "p{margin:4px 0 12px;color:var(--soft);max-width:80ch;"
           "overflow-wrap:anywhere}\n"
           ":focus-visible{outline:2px solid var(--c0);outline-offset:2px}\n");
    bird_markup_put(
        m, ".tiles{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0 14px}"
           ".tile{background:var(--card);border-radius:8px;padding:10px 16px;"
           "min-width:130px}"
           ".tile b{display:block;font-size:21px;font-weight:600;"
           "font-variant-numeric:tabular-nums;overflow-wrap:anywhere}"
           ".tile span{color:var(--soft);font-size:13px}"
           ".figures{display:grid;gap:16px;margin-top:12px;align-items:start;"
           "grid-template-columns:repeat(auto-fit,minmax(min(420px,100%%),"
           "1fr))}"
           "figure{margin:0;padding:14px;background:var(--card);"
           "border-radius:8px;max-width:540px}"
           "figure.wide{max-width:none;margin-top:12px;overflow-x:auto}"
           "figure.wide .pic{min-width:960px}\n");
}

static void put_tables(struct bird_markup *m)
{
    bird_markup_put(
        m, ".scroll{overflow-x:auto;margin:8px 0 18px}"
           "table{border-collapse:collapse;font-size:14px}"
           "caption{text-align:left;font-weight:600;padding:6px 0;"
           "white-space:nowrap}"
           "th,td{text-align:left;padding:4px 18px 4px 0;vertical-align:top;"
           "border-bottom:1px solid var(--grid);overflow-wrap:break-word;"
           "max-width:70ch}"
           "td.w{overflow-wrap:anywhere}"
           "th{font-weight:500;color:var(--soft);white-space:nowrap}"
           ".n{text-align:right;font-variant-numeric:tabular-nums;"
           "white-space:nowrap}\n");
    bird_markup_put(
        m, "th button{font:inherit;color:inherit;background:none;border:0;"
           "padding:0;cursor:pointer}"
           "th button::after{content:'\\2195';opacity:.45;padding-left:3px}"
           "th[aria-sort] button{color:var(--ink)}"
           "th[aria-sort] button::after{content:'\\2193';opacity:1}"
           "th[aria-sort=ascending] button::after{content:'\\2191'}"
           "footer{color:var(--soft);font-size:13px;margin-top:40px}"
           "summary{cursor:pointer;margin:30px 0 4px}"
           "summary h2,summary h3{display:inline;margin:0}\n");
}

/* Paper does not scroll: wide parts get the width of the page, with their names
 * above them. */
static void put_media(struct bird_markup *m)
{
    bird_markup_put(m, "@media (max-width:600px){main{padding:16px 10px 40px}"
                       "figure{padding:8px}.tile{flex:1 1 40%%}}\n"
                       "@media print{main{max-width:none;padding:0}"
                       "body{font-size:10pt}.scroll,figure.wide,.lanes{"
                       "overflow:visible}figure.wide .pic{min-width:0}"
                       "figure,.tile,.lanes{border:1px solid var(--line);"
                       "break-inside:avoid}tr,.tiles{break-inside:avoid}"
                       "h2,h3,h2+p,caption{break-after:avoid}"
                       "th button::after{content:none}"
                       ".lanes{display:block}.lanes .names{position:static;"
                       "width:auto;border:0}"
                       ".lanes .names div{display:inline-block;"
                       "height:auto!important}"
                       ".lanes svg{width:100%%!important;"
                       "height:auto!important}}\n");
}

static void put_lanes(struct bird_markup *m)
{
    bird_markup_put(
        m, ".lanes{display:flex;align-items:flex-start;overflow-x:auto;"
           "background:var(--card);border-radius:8px;margin:12px 0 18px}"
           ".lanes .names{position:sticky;left:0;flex:0 0 132px;width:132px;"
           "background:var(--card);border-right:1px solid var(--line);"
           "font-size:12px;line-height:1.25}"
           ".lanes .names div{padding:3px 6px 0 8px;overflow:hidden;"
           "overflow-wrap:anywhere}"
           ".lanes .names b{font-weight:500;display:-webkit-box;"
           "-webkit-box-orient:vertical;overflow:hidden}"
           ".lanes .names span{display:block;color:var(--soft)}"
           ".lanes svg{flex:none;max-width:none}\n");
}

void bird_html_begin(struct bird_markup *m, const char *title,
                     const char *below)
{
    bird_markup_put(m, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/"
                       "xhtml\" lang=\"en\">\n<head>\n"
                       "<meta charset=\"utf-8\"/>\n"
                       "<meta http-equiv=\"Content-Security-Policy\" "
                       "content=\"default-src 'none'; style-src "
                       "'unsafe-inline'; script-src 'sha256-");
    put_digest(m);
    bird_markup_put(m, "'\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width, "
                       "initial-scale=1\"/>\n<title>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</title>\n<style>\n");
    bird_svg_style(m);
    put_layout(m);
    put_tables(m);
    put_lanes(m);
    put_media(m);
    bird_markup_put(m, "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</h1>\n");
    if (below)
        bird_html_paragraph(m, below);
    bird_markup_put(m, "</header>\n");
}

void bird_html_end(struct bird_markup *m)
{
    bird_markup_put(m, "</main>\n<script>");
    if (!m->rc)
        m->rc = bird_text_put(&m->text, script, sizeof(script) - 1);
    bird_markup_put(m, "</script>\n</body>\n</html>\n");
}

/* --- elements ------------------------------------------------------------ */

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

void bird_html_heading(struct bird_markup *m, const char *title)
{
    bird_markup_put(m, "<h3>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</h3>\n");
}

void bird_html_folded(struct bird_markup *m, const char *title)
{
    bird_markup_put(m, "<details>\n<summary><h2>");
    bird_markup_text(m, title);
    bird_markup_put(m, "</h2></summary>\n");
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

/* Parts wider than the screen can be scrolled by the keyboard. */
void bird_html_open_scroll(struct bird_markup *m, const char *tag,
                           const char *class_name, const char *name)
{
    bird_markup_put(m, "<%s class=\"%s\" tabindex=\"0\" role=\"group\"", tag,
                    class_name);
    bird_markup_put(m, " aria-label=\"");
    bird_markup_text(m, name);
    bird_markup_put(m, "\">\n");
}

void bird_html_chart(struct bird_markup *m, const struct bird_chart *c)
{
    if (c->wide)
        bird_html_open_scroll(m, "figure", "wide", c->title);
    else
        bird_html_open(m, "figure", NULL);
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

/* --- tables -------------------------------------------------------------- */

/* Is it digits and the characters of numbers and intervals (an en dash is three
 * bytes), NA, or a dot? */
static int is_number(const char *s)
{
    return !strcmp(s, "NA") || !strcmp(s, ".") ||
           (strpbrk(s, "0123456789") &&
            s[strspn(s, "0123456789.,+-e% ()\xe2\x80\x93")] == '\0');
}

static void put_cell(struct bird_markup *m, const char *tag,
                     const char *attributes, const char *s)
{
    bird_markup_put(m, "<%s%s>", tag, attributes);
    bird_markup_text(m, s);
    bird_markup_put(m, "</%s>", tag);
}

void bird_html_table(struct bird_markup *m, const char *caption)
{
    m->in_body = 0;
    bird_html_open_scroll(m, "div", "scroll", caption ? caption : "table");
    bird_markup_put(m, "<table>\n");
    if (!caption)
        return;
    bird_markup_put(m, "<caption>");
    bird_markup_text(m, caption);
    bird_markup_put(m, "</caption>\n");
}

void bird_html_head(struct bird_markup *m, const char *const *cell, int64_t n,
                    int64_t n_text)
{
    bird_markup_put(m, "<thead><tr>");
    for (int64_t i = 0; i < n; i++)
        put_cell(m, "th",
                 i >= n_text ? " scope=\"col\" class=\"n\"" : " scope=\"col\"",
                 cell[i]);
    bird_markup_put(m, "</tr></thead>\n");
}

static void begin_row(struct bird_markup *m)
{
    if (!m->in_body)
        bird_markup_put(m, "<tbody>\n");
    m->in_body = 1;
    bird_markup_put(m, "<tr>");
}

void bird_html_row(struct bird_markup *m, const char *const *cell, int64_t n)
{
    begin_row(m);
    for (int64_t i = 0; i < n; i++)
        put_cell(m, "td", cell[i] && is_number(cell[i]) ? " class=\"n\"" : "",
                 cell[i]);
    bird_markup_put(m, "</tr>\n");
}

void bird_html_pair(struct bird_markup *m, const char *name, const char *value)
{
    begin_row(m);
    put_cell(m, "th", " scope=\"row\"", name);
    put_cell(m, "td", " class=\"w\"", value);
    bird_markup_put(m, "</tr>\n");
}

void bird_html_table_end(struct bird_markup *m)
{
    bird_markup_put(m, m->in_body ? "</tbody>\n" : "");
    m->in_body = 0;
    bird_markup_put(m, "</table></div>\n");
}
