/* Option tables: parsing, help, defaults. SPDX-License-Identifier: MIT */
#include "opt.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "progress.h"

enum {
    WIDTH = 79,
    HELP_COLUMN = 28,
    N_COMMON = 2, /* common_options() */
    N_OPT_MAX = 64 + N_COMMON,
    LONG_BASE = 256
};

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

/* The i-th word of "a|b|c" and its length; NULL when there are fewer. */
static const char *choice_word(int *n, const char *list, int i)
{
    for (; i > 0; i--) {
        list = strchr(list, '|');
        if (!list)
            return NULL;
        list++;
    }
    *n = (int)strcspn(list, "|");
    return list;
}

static void format_default(char *out, size_t size, const struct opt *o)
{
    const char *word;
    int n;

    *out = '\0';
    switch (o->type) {
    case OPT_FLAG:
        break;
    case OPT_INT:
        if (*(int64_t *)o->value != INT64_MIN)
            snprintf(out, size, " [%" PRId64 "]", *(int64_t *)o->value);
        break;
    case OPT_REAL:
        if (!isnan(*(double *)o->value))
            snprintf(out, size, " [%g]", *(double *)o->value);
        break;
    case OPT_TEXT:
    case OPT_OUT:
    case OPT_LIST:
    case OPT_LINES:
    case OPT_ONCE:
        word = *(const char **)o->value;
        if (word && *word)
            snprintf(out, size, " [%s]", word);
        break;
    case OPT_CHOICE:
        word = choice_word(&n, o->argument, *(int *)o->value);
        if (word)
            snprintf(out, size, " [%.*s]", n, word);
        break;
    }
}

static void print_option(FILE *f, const struct opt *o)
{
    char text[1024], value[256];
    int n;

    if (o->letter)
        n = fprintf(f, "  -%c, --%s", o->letter, o->name);
    else
        n = fprintf(f, "      --%s", o->name);
    if (o->type != OPT_FLAG)
        n += fprintf(f, " %s", o->argument);
    if (n + 2 > HELP_COLUMN)
        fprintf(f, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(f, "%*s", HELP_COLUMN - n, "");
    format_default(value, sizeof(value), o);
    snprintf(text, sizeof(text), "%s%s", o->help, value);
    print_wrapped(f, text, HELP_COLUMN, HELP_COLUMN);
}

static void print_help(FILE *f, const struct opt *opts, int n_opt,
                       const struct opt_usage *u)
{
    const struct opt help = {'h', "help", OPT_FLAG, NULL, NULL, "this text"};

    fprintf(f, "Usage: dnabird %s %s\n\n", u->command, u->synopsis);
    print_wrapped(f, u->about, 0, 0);
    fputs("\nOptions (defaults in brackets):\n", f);
    for (int i = 0; i < n_opt; i++)
        print_option(f, &opts[i]);
    print_option(f, &help);
    if (u->notes) {
        fputc('\n', f);
        print_wrapped(f, u->notes, 0, 0);
    }
}

/* May the command be run without arguments: is nothing outside brackets? */
static int runs_bare(const char *synopsis)
{
    int depth = 0;

    for (; *synopsis && *synopsis != '>'; synopsis++) {
        if (*synopsis == '[')
            depth++;
        else if (*synopsis == ']')
            depth--;
        else if (*synopsis != ' ' && !depth)
            return 0;
    }
    return 1;
}

static int parse_int(int64_t *out, const char *s)
{
    static const char unit[] = "kmg";
    char *end;
    long long v;
    int64_t product, scale = 1;

    errno = 0;
    v = strtoll(s, &end, 10);
    if (end == s || errno)
        return -1;
    if (*end) {
        const char *u = strchr(unit, *end | 0x20);

        if (!u || end[1])
            return -1;
        for (; u >= unit; u--)
            scale *= 1000;
    }
    if (__builtin_mul_overflow((int64_t)v, scale, &product))
        return -1;
    *out = product;
    return 0;
}

static int parse_real(double *out, const char *s)
{
    char *end;
    double v = strtod(s, &end);

    if (end == s || *end || !isfinite(v))
        return -1;
    *out = v;
    return 0;
}

static int parse_choice(int *out, const char *list, const char *s)
{
    const char *word;
    int n;

    for (int i = 0; (word = choice_word(&n, list, i)); i++) {
        if (strlen(s) == (size_t)n && !strncmp(word, s, (size_t)n)) {
            *out = i;
            return 0;
        }
    }
    return -1;
}

/* Add to a list; what is joined lives as long as the program. */
static int append(const char **list, char between, const char *s)
{
    static struct joined {
        struct joined *next;
        char text[];
    } * all;
    struct joined *j;
    size_t n;

    if (!*list) {
        *list = s;
        return 0;
    }
    n = strlen(*list) + strlen(s) + 2;
    j = malloc(sizeof(*j) + n);
    if (!j)
        return -1;
    snprintf(j->text, n, "%s%c%s", *list, between, s);
    j->next = all;
    all = j;
    *list = j->text;
    return 0;
}

/* Store one option's value; 0, or CLI_USAGE after a line to stderr. */
static int store(const struct opt *o, const char *s, const char *command)
{
    switch (o->type) {
    case OPT_FLAG:
        *(int *)o->value = 1;
        return 0;
    case OPT_INT:
        if (!parse_int(o->value, s))
            return 0;
        return cli_usage("%s: --%s: '%s' is not a whole number", command,
                         o->name, s);
    case OPT_REAL:
        if (!parse_real(o->value, s))
            return 0;
        return cli_usage("%s: --%s: '%s' is not a number", command, o->name, s);
    case OPT_ONCE:
        if (*(const char **)o->value)
            return cli_usage("%s: --%s is given twice: join the two into one",
                             command, o->name);
        *(const char **)o->value = s;
        return 0;
    case OPT_TEXT:
    case OPT_OUT:
        *(const char **)o->value = s;
        return 0;
    case OPT_LIST:
    case OPT_LINES:
        if (!append(o->value, o->type == OPT_LIST ? ' ' : '\n', s))
            return 0;
        return cli_usage("%s: out of memory", command);
    case OPT_CHOICE:
        if (!parse_choice(o->value, o->argument, s))
            return 0;
        return cli_usage("%s: --%s: '%s' is not one of %s", command, o->name, s,
                         o->argument);
    }
    return CLI_USAGE;
}

/* What getopt wants, made from a table. */
struct getopt_tables {
    char letters[2 * N_OPT_MAX + 4];
    struct option names[N_OPT_MAX + 2];
};

static void make_tables(struct getopt_tables *t, const struct opt *opts,
                        int n_opt)
{
    char *p = t->letters;

    *p++ = ':'; /* getopt says which: ':' no value, '?' unknown */
    *p++ = 'h';
    for (int i = 0; i < n_opt; i++) {
        int has = opts[i].type != OPT_FLAG;

        t->names[i] = (struct option){opts[i].name, has, NULL, LONG_BASE + i};
        if (opts[i].letter) {
            *p++ = opts[i].letter;
            if (has)
                *p++ = ':';
        }
    }
    *p = '\0';
    t->names[n_opt] = (struct option){"help", no_argument, NULL, 'h'};
    t->names[n_opt + 1] = (struct option){NULL, 0, NULL, 0};
}

static const struct opt *find_opt(int c, const struct opt *opts, int n_opt)
{
    if (c >= LONG_BASE)
        return &opts[c - LONG_BASE];
    for (int i = 0; i < n_opt; i++)
        if (opts[i].letter == c)
            return &opts[i];
    return NULL;
}

/* A long name cut short, which getopt takes and we do not? */
static int is_abbreviation(const char *arg, const char *name)
{
    return strncmp(arg, "--", 2) != 0 || strcspn(arg + 2, "=") != strlen(name);
}

static int say_wrong(int c, char **argv, const struct opt *opts, int n_opt,
                     const char *command)
{
    const char *arg = argv[optind - 1], *near = NULL;
    char word[64];

    if (c == ':' && optopt >= LONG_BASE)
        return cli_usage("%s: --%s wants a value", command,
                         opts[optopt - LONG_BASE].name);
    if (c == ':')
        return cli_usage("%s: -%c wants a value", command, optopt);
    if (optopt >= LONG_BASE || (optopt == 'h' && !strncmp(arg, "--", 2)))
        return cli_usage("%s: '%s': this option takes no value", command, arg);
    if (optopt)
        return cli_usage("%s: there is no option -%c; see 'dnabird %s --help'",
                         command, optopt, command);
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    near = cli_nearest(word, &opts[0].name, n_opt, sizeof(*opts));
    if (near)
        return cli_usage("%s: there is no option --%s; did you mean --%s?",
                         command, word, near);
    return cli_usage("%s: there is no option --%s; see 'dnabird %s --help'",
                     command, word, command);
}

/*
 * One run over argv. Looking for -h comes first and stores nothing, so that
 * the help shows the defaults whatever stands beside it.
 */
static int scan(int *status, int argc, char **argv, const struct opt *opts,
                int n_opt, const struct opt_usage *u, int storing)
{
    struct getopt_tables t;
    int c;

    make_tables(&t, opts, n_opt);
    optind = 0, opterr = 0;
    while ((c = getopt_long(argc, argv, t.letters, t.names, NULL)) != -1) {
        const struct opt *o = NULL;

        if (c == 'h') {
            *status = CLI_OK;
            print_help(stdout, opts, n_opt, u);
            return 1;
        }
        if (!storing)
            continue;
        if (c != '?' && c != ':')
            o = find_opt(c, opts, n_opt);
        if (!o) {
            *status = say_wrong(c, argv, opts, n_opt, u->command);
            return 1;
        }
        if (c >= LONG_BASE) {
            int back = o->type != OPT_FLAG && optarg == argv[optind - 1];

            if (is_abbreviation(argv[optind - 1 - back], o->name)) {
                *status =
                    cli_usage("%s: '%s' is cut short; the option is --%s",
                              u->command, argv[optind - 1 - back], o->name);
                return 1;
            }
        }
        *status = store(o, optarg, u->command);
        if (*status)
            return 1;
    }
    return 0;
}

/* Outputs are announced: refused now, if they are one, and not after hours. */
static int expect_outputs(const struct opt *opts, int n_opt)
{
    for (int i = 0; i < n_opt; i++)
        if (opts[i].type == OPT_OUT &&
            bird_guard_expect(*(const char **)opts[i].value))
            return cli_fail();
    return CLI_OK;
}

/* What every command has besides its own. */
static void common_options(struct opt out[N_COMMON], int *quiet, int *progress)
{
    const struct opt opts[N_COMMON] = {
        {'q', "quiet", OPT_FLAG, quiet, NULL,
         "no notices, no progress: warnings and failures"},
        {0, "progress", OPT_CHOICE, progress, CLI_PROGRESS_MODES,
         "auto: a bar on a terminal, elsewhere a line every 30 s; always: a "
         "bar"},
    };

    memcpy(out, opts, sizeof(opts));
}

int opt_parse(int *first, int *status, int argc, char **argv,
              const struct opt *own, int n_own, const struct opt_usage *u)
{
    struct opt opts[N_OPT_MAX];
    char **copy; /* getopt moves words about: each scan starts afresh */
    int stop, quiet = 0, progress = CLI_PROGRESS_AUTO, n_opt = n_own + N_COMMON;

    if (n_opt > N_OPT_MAX) {
        *status = cli_usage("%s: too many options in its table", u->command);
        return 1;
    }
    if (n_own)
        memcpy(opts, own, (size_t)n_own * sizeof(*own));
    common_options(opts + n_own, &quiet, &progress);
    if (argc <= 1 && !runs_bare(u->synopsis)) {
        print_help(stderr, opts, n_opt, u);
        *status = CLI_USAGE;
        return 1;
    }
    copy = malloc(((size_t)argc + 1) * sizeof(*copy));
    if (!copy) {
        *status = cli_usage("%s: out of memory", u->command);
        return 1;
    }
    memcpy(copy, argv, ((size_t)argc + 1) * sizeof(*copy));
    stop = scan(status, argc, copy, opts, n_opt, u, 0) ||
           scan(status, argc, argv, opts, n_opt, u, 1) ||
           (*status = expect_outputs(opts, n_opt)) != CLI_OK;
    free(copy);
    if (stop)
        return stop;
    *first = optind;
    cli_progress_choose(quiet ? CLI_PROGRESS_NEVER
                              : (enum cli_progress_mode)progress);
    if (quiet)
        cli_quiet();
    return 0;
}
