/*
 * Help texts, and the same tables as TSV for programs.
 *
 * A table with groups has two helps: -h shows the rows before the first
 * heading, --help=all every group, so that the first fits a screen.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt_table.h"

enum { WIDTH = 79, HELP_COLUMN = 28 };

/* Words of text from column `at` on, later lines indented by `indent`. */
static void print_wrapped(FILE *f, const char *text, int at, int indent)
{
    int start = 1;

    while (*text) {
        int n = (int)strcspn(text, " \n");

        if (!start && at + 1 + n > WIDTH) {
            fprintf(f, "\n%*s", indent, "");
            at = indent, start = 1;
        }
        if (n) {
            fprintf(f, "%s%.*s", start ? "" : " ", n, text);
            at += n + !start, start = 0;
        }
        text += n;
        if (*text == '\n') {
            fprintf(f, "\n%*s", text[1] == '\n' ? 0 : indent, "");
            at = indent, start = 1;
            text++;
            while (*text == ' ') { /* a line's own indent is kept */
                fputc(*text++, f);
                at++;
            }
        } else if (*text) {
            text++;
        }
    }
    fputc('\n', f);
}

static void format_default(char *out, size_t size, const struct opt *o)
{
    const char *word;
    int n;

    *out = '\0';
    switch (o->type) {
    case OPT_FLAG:
    case OPT_CLEAR:
    case OPT_THREADS:
    case OPT_NAMES:
    case OPT_GROUP:
    case OPT_SETTINGS:
        break;
    case OPT_INT:
    case OPT_SIZE:
    case OPT_COUNT:
        if (*(int64_t *)o->value != INT64_MIN)
            snprintf(out, size, "%" PRId64, *(int64_t *)o->value);
        break;
    case OPT_REAL:
        if (!isnan(*(double *)o->value))
            snprintf(out, size, "%g", *(double *)o->value);
        break;
    case OPT_SHARE:
        if (opt_is_share(*(double *)o->value))
            snprintf(out, size, "%g", *(double *)o->value);
        break;
    case OPT_TEXT:
    case OPT_MODEL:
    case OPT_OUT:
    case OPT_STDOUT:
    case OPT_RESULT:
    case OPT_LIST:
    case OPT_LINES:
    case OPT_ONCE:
    case OPT_WORD:
        word = *(const char **)o->value;
        if (!word && o->type == OPT_WORD && !strncmp(o->argument, "auto|", 5))
            word = "auto";
        snprintf(out, size, "%s", word ? word : "");
        break;
    case OPT_STRAND: /* every list of words has a default */
        snprintf(out, size, "%s",
                 opt_strand_word((int)*(enum bird_strand *)o->value));
        break;
    case OPT_CHOICE:
        word = opt_choice_word(&n, o->argument, *(int *)o->value);
        snprintf(out, size, "%.*s", word ? n : 0, word ? word : "");
        break;
    }
}

/* A setting is printed as in a file: "name = ARGUMENT". */
static void print_option(FILE *f, const struct opt *o, int is_setting)
{
    char text[1024], value[256];
    int n;

    if (is_setting)
        n = fprintf(f, "  %s", o->name);
    else if (o->letter)
        n = fprintf(f, "  -%c, --%s", o->letter, o->name);
    else
        n = fprintf(f, "      --%s", o->name);
    if (is_setting)
        n += fprintf(f, " = %s", opt_has_value(o) ? o->argument : "true|false");
    else if (opt_has_value(o))
        n += fprintf(f, " %s", o->argument);
    if (n + 2 > HELP_COLUMN)
        fprintf(f, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(f, "%*s", HELP_COLUMN - n, "");
    format_default(value, sizeof(value), o);
    snprintf(text, sizeof(text),
             *value && !strstr(o->help, "default:") ? "%s (default: %s)" : "%s",
             o->help, value);
    print_wrapped(f, text, HELP_COLUMN, HELP_COLUMN);
}

/* -h: no row of a table, for getopt_long() has it by itself. */
static const struct opt help_plain = {'h',  "help", OPT_FLAG,
                                      NULL, NULL,   "this text"};
static const struct opt help_of_groups = {
    'h',  "help", OPT_FLAG,
    NULL, NULL,   "the common options; --help=all: all options, by group"};

static const struct opt *help_row(const struct opt_table *t)
{
    for (int i = 0; i < t->n; i++)
        if (opt_is_heading(&t->row[i]))
            return &help_of_groups;
    return &help_plain;
}

void opt_print_help(FILE *f, const struct opt_table *t, int all)
{
    const struct opt_usage *u = t->usage;
    const struct opt *o = t->row, *end = t->row + t->n, *help = help_row(t);
    const struct opt *settings = t->row + opt_first_setting(t);

    fprintf(f, "Usage: dnabird %s %s\n\n", u->command, u->synopsis);
    print_wrapped(f, u->about, 0, 0);
    fputs("\nOptions:\n", f);
    for (; o < end && !opt_is_heading(o); o++)
        print_option(f, o, 0);
    print_option(f, help, 0);
    for (; all && o < end; o++) {
        if (opt_is_heading(o))
            fprintf(f, "\n%s:\n", o->help);
        else
            print_option(f, o, o > settings);
    }
    if (u->notes) {
        fputc('\n', f);
        print_wrapped(f, u->notes, 0, 0);
    }
}

static void print_row(const struct opt *o, const char *command,
                      const char *group)
{
    char value[256];

    format_default(value, sizeof(value), o);
    printf("%s\t%c\t%s\t%s\t%s\t%s\t%s\n", command, o->letter ? o->letter : '.',
           o->name, opt_has_value(o) ? o->argument : ".", *value ? value : ".",
           o->help, group);
}

void opt_print_tsv(const struct opt_table *t, int settings)
{
    const struct opt *help = settings ? NULL : help_row(t);
    const char *group = "Options";

    for (int i = 0, at = opt_first_setting(t); i < t->n; i++) {
        if (opt_is_heading(&t->row[i])) {
            if (help) /* it ends the common options, as in the help */
                print_row(help, t->usage->command, group);
            help = NULL;
            group = t->row[i].help;
        } else if ((i > at) == settings) {
            print_row(&t->row[i], t->usage->command, group);
        }
    }
    if (help)
        print_row(help, t->usage->command, group);
}

/* A text as one field: its line feeds are "\n". */
static void print_field(const char *text, char end)
{
    for (; text && *text; text++) {
        if (*text == '\n' || *text == '\\')
            printf("\\%c", *text == '\n' ? 'n' : '\\');
        else
            putchar(*text);
    }
    putchar(end);
}

void opt_print_usage(const struct opt_usage *u)
{
    printf("%d-", u->least);
    if (u->most != INT_MAX)
        printf("%d", u->most);
    putchar('\t');
    print_field(u->synopsis, '\t');
    print_field(u->about, '\t');
    print_field(u->notes, '\n');
}
