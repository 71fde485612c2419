/*
 * The file of --settings: a subset of TOML, a line each.
 *
 *     # comment
 *     name = "text"        # or 'text', 12, 3e-4, true, false
 *     name = ["a", "b"]    # of an option that may be given again
 *
 * Only a whole file is read: a wrong line ends the command before it begins.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/guard.h"
#include "opt_table.h"

enum value_kind { TEXT, NUMBER, BOOL, ARRAY };

/* A line that is parsed; `at` is the rest of it. */
struct line {
    const char *path;
    int number;
    char *at;
    char *name;
};

static int wrong_line(const struct line *l, const char *why)
{
    return cli_usage("%s:%d: %s", l->path, l->number, why);
}

static void skip_blanks(struct line *l)
{
    l->at += strspn(l->at, " \t\r\n");
}

/* "text" with the escapes \" \\ \n \t, or 'text' without; NULL: it does not
 * end. It is decoded in the line itself. */
static char *take_string(struct line *l)
{
    const char quote = *l->at++;
    char *begin = l->at, *to = l->at;

    for (; *l->at && *l->at != '\n' && *l->at != quote; l->at++) {
        if (quote == '"' && *l->at == '\\') {
            l->at++;
            if (!*l->at || !strchr("\"\\nt", *l->at))
                return NULL;
            *to++ = *l->at == 'n' ? '\n' : *l->at == 't' ? '\t' : *l->at;
        } else {
            *to++ = *l->at;
        }
    }
    if (*l->at != quote)
        return NULL;
    l->at++;
    *to = '\0';
    return begin;
}

/* A number, true or false: up to a blank, a comma or a comment. */
static char *take_word(struct line *l, enum value_kind *kind, char *after)
{
    char *begin = l->at;

    l->at += strcspn(l->at, " \t\r\n,]#");
    *after = *l->at;
    *l->at = '\0';
    if (!strcmp(begin, "true") || !strcmp(begin, "false"))
        *kind = BOOL;
    else if (*begin && strspn(begin, "+-.0123456789eE") == strlen(begin))
        *kind = NUMBER;
    else
        return NULL;
    return begin;
}

/* 1 if only a comment follows. */
static int at_end(struct line *l)
{
    skip_blanks(l);
    return !*l->at || *l->at == '#';
}

/* Is this an option whose values are joined? */
static int takes_many(const struct opt *o)
{
    return o->type == OPT_LIST || o->type == OPT_LINES || o->type == OPT_NAMES;
}

/* ["a", "b"]: stored one by one, or of names between commas at once. */
static int store_array(const struct opt *o, struct line *l, const char *where)
{
    char *all = opt_keep(strlen(l->at) + 1), *to = all, *s;
    int status = 0;

    l->at++;
    for (skip_blanks(l); *l->at != ']' && !status; skip_blanks(l)) {
        if ((*l->at != '"' && *l->at != '\'') || !(s = take_string(l)))
            return wrong_line(l, "an array has strings, as [\"a\", \"b\"]");
        if (o->type == OPT_NAMES)
            to += sprintf(to, "%s%s", to > all ? "," : "", s);
        else
            status = opt_store(o, s, where);
        skip_blanks(l);
        if (*l->at == ',')
            l->at++;
        else if (*l->at != ']')
            return wrong_line(l, "an array ends with ] on its line");
    }
    l->at++;
    if (!status && o->type == OPT_NAMES && to > all)
        status = opt_store(o, all, where);
    return status ? status : at_end(l) ? 0 : wrong_line(l, "text after ]");
}

static int store_flag(const struct opt *o, const char *word)
{
    *(int *)o->value = (o->type == OPT_FLAG) == !strcmp(word, "true");
    return 0;
}

/* The value after "name =". */
static int store_value(const struct opt *o, struct line *l, const char *where)
{
    enum value_kind kind = TEXT;
    char *text, after = '\0';

    if (*l->at == '[')
        return takes_many(o)
                   ? store_array(o, l, where)
                   : wrong_line(l, "an array, but the option takes one value");
    if (*l->at == '"' || *l->at == '\'')
        text = take_string(l);
    else
        text = take_word(l, &kind, &after);
    if (!text)
        return wrong_line(l, "the value is not a string in quotes, a number, "
                             "true or false");
    if (kind != TEXT) { /* what ended the word is put back */
        char *end = l->at;

        text = opt_keep_text(text);
        *end = after;
    }
    if (!at_end(l))
        return wrong_line(l, "text after the value");
    if (opt_has_value(o) == (kind == BOOL))
        return cli_usage("%s %s", where,
                         kind == BOOL ? "takes no true or false"
                                      : "is true or false");
    return kind == BOOL ? store_flag(o, text) : opt_store(o, text, where);
}

/* Takes "name =" off the line; 0, or a status. */
static int take_name(struct line *l)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t n = strspn(l->at, letters);

    l->name = l->at;
    l->at += n;
    l->at += strspn(l->at, " \t");
    if (!n || *l->at != '=')
        return wrong_line(l, "a line is 'name = value'");
    l->at++;
    l->name[n] = '\0';
    skip_blanks(l);
    return 0;
}

/* The row of a name; -1 after a line to stderr. */
static int find_row(const struct opt_table *t, const struct line *l)
{
    const char *near;

    for (int i = 0; i < t->n; i++)
        if (t->row[i].name && strcmp(l->name, "settings") != 0 &&
            !strcmp(t->row[i].name, l->name))
            return i;
    if (!strcmp(l->name, "settings")) {
        cli_usage("%s:%d: a settings file names no other one: give "
                  "--settings again on the command line",
                  l->path, l->number);
        return -1;
    }
    near = cli_nearest(l->name, &t->row[0].name, t->n, sizeof(*t->row));
    cli_usage("%s:%d: '%s' has no option or setting '%s'%s%s%s", l->path,
              l->number, t->usage->command, l->name,
              near ? "; did you mean '" : "", near ? near : "",
              near ? "'?" : "");
    return -1;
}

/* Does the command line set what this row sets? Two rows may: --a, --no-a. */
static int is_given(const struct opt_table *t, const char *given, int row)
{
    for (int i = 0; i < t->n; i++)
        if (given[i] && (i == row || (t->row[row].value &&
                                      t->row[i].value == t->row[row].value)))
            return 1;
    return 0;
}

/* A copy for the values, which live as long as the program. */
static int store_line(const struct opt_table *t, struct line *l,
                      const char *given, char *seen)
{
    char where[512], *begin, *end, *value;
    int row, status;

    l->at = opt_keep_text(l->at);
    if ((status = take_name(l)))
        return status;
    row = find_row(t, l);
    if (row < 0)
        return CLI_USAGE;
    if (seen[row])
        return wrong_line(l, "this name has a line already");
    seen[row] = 1;
    if (is_given(t, given, row))
        return 0;
    begin = l->at;
    value = opt_keep_text(begin);
    snprintf(where, sizeof(where), "%s:%d: %s", l->path, l->number, l->name);
    status = store_value(&t->row[row], l, where);
    end = value + (l->at - begin); /* a comment begins here */
    while (end > value && strchr(" \t\r\n", end[-1]))
        end--;
    *end = '\0';
    if (!status)
        cli_setting(l->name, value);
    return status;
}

static int read_file(const struct opt_table *t, const char *path,
                     const char *given, char *seen)
{
    struct line l = {path, 0, NULL, NULL};
    FILE *f = strcmp(path, "-") != 0 ? fopen(path, "r") : stdin;
    char *text = NULL;
    size_t size = 0;
    ssize_t n;
    int status = 0;

    if (!f)
        return cli_warn("%s: %s", path, strerror(errno));
    if (f != stdin && bird_guard_input(path)) {
        fclose(f);
        return cli_fail();
    }
    errno = 0;
    while (!status && (n = getline(&text, &size, f)) >= 0) {
        l.number++;
        l.at = text;
        if (strlen(text) != (size_t)n)
            status = wrong_line(&l, "a NUL byte");
        else if (!at_end(&l))
            status = store_line(t, &l, given, seen);
    }
    if (!status && ferror(f))
        status = cli_warn("%s: %s", path, strerror(errno));
    free(text);
    if (f != stdin)
        fclose(f);
    return status;
}

int opt_read_settings(const struct opt_table *t, const char *paths,
                      const char *given)
{
    char seen[N_OPT_MAX] = {0}, *save = NULL;
    char *list = opt_keep_text(paths);
    int status = 0;

    for (char *path = strtok_r(list, "\n", &save); path && !status;
         path = strtok_r(NULL, "\n", &save))
        status = read_file(t, path, given, seen);
    return status ? status : OPT_GO;
}
