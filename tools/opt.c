/*
 * The command line of a command, by its table of options.
 *
 * A table's rows become getopt_long()'s two tables, and getopt_long() runs
 * twice over argv: first only to find -h, so that the help shows the defaults
 * whatever other options are given, then to store the values. Then the file of
 * --settings sets what the command line did not. Two rules are not getopt's:
 * long names are not abbreviated, and a wrong name is answered with the
 * nearest one.
 * SPDX-License-Identifier: MIT
 */
#include "opt.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt_table.h"

enum { LONG_BASE = 256 };

/* 1 if the command runs without arguments: the synopsis has everything in
 * brackets. */
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

/* What getopt wants, made from a table. */
struct getopt_tables {
    char letters[2 * N_OPT_MAX + 4];
    struct option names[N_OPT_MAX + 2];
};

static void make_tables(struct getopt_tables *g, const struct opt_table *t)
{
    const int n = opt_first_setting(t);
    struct option *name = g->names;
    char *p = g->letters;

    *p++ = ':'; /* getopt says which: ':' no value, '?' unknown */
    *p++ = 'h';
    for (int i = 0; i < n; i++) {
        const struct opt *o = &t->row[i];
        int has = opt_has_value(o);

        if (opt_is_heading(o))
            continue;
        *name++ = (struct option){o->name, has, NULL, LONG_BASE + i};
        if (o->letter) {
            *p++ = o->letter;
            if (has)
                *p++ = ':';
        }
    }
    *p = '\0';
    *name++ = (struct option){"help", optional_argument, NULL, 'h'};
    *name = (struct option){NULL, 0, NULL, 0};
}

static const struct opt *find_opt(int c, const struct opt_table *t)
{
    if (c >= LONG_BASE)
        return &t->row[c - LONG_BASE];
    for (int i = 0; i < t->n; i++)
        if (t->row[i].letter == c)
            return &t->row[i];
    return NULL;
}

/* 1 for a shortened long name: getopt accepts it, this program does not. */
static int is_abbreviation(const char *arg, const char *name)
{
    return strncmp(arg, "--", 2) != 0 || strcspn(arg + 2, "=") != strlen(name);
}

static int say_unknown(const char *word, const struct opt_table *t)
{
    const char *command = t->usage->command, *near;
    const int n = opt_first_setting(t);

    for (int i = n + 1; i < t->n; i++)
        if (!strcmp(word, t->row[i].name))
            return cli_usage("%s: '%s' is a setting, not an option: write "
                             "'%s = ...' into a file and name it with "
                             "--settings",
                             command, word, word);
    near = n ? cli_nearest(word, &t->row[0].name, n, sizeof(*t->row)) : NULL;
    if (near)
        return cli_usage("%s: there is no option --%s; did you mean --%s?",
                         command, word, near);
    return cli_usage("%s: there is no option --%s; see 'dnabird %s --help'",
                     command, word, command);
}

static int say_wrong(int c, char **argv, const struct opt_table *t)
{
    const char *arg = argv[optind - 1], *command = t->usage->command;
    char word[64];

    if (c == ':' && optopt >= LONG_BASE)
        return cli_usage("%s: --%s wants a value", command,
                         t->row[optopt - LONG_BASE].name);
    if (c == ':')
        return cli_usage("%s: -%c wants a value", command, optopt);
    if (optopt >= LONG_BASE)
        return cli_usage("%s: '%s': this option takes no value", command, arg);
    if (optopt)
        return cli_usage("%s: there is no option -%c; see 'dnabird %s --help'",
                         command, optopt, command);
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    return say_unknown(word, t);
}

/* -h, --help, --help=all */
static int help(const struct opt_table *t)
{
    if (optarg && strcmp(optarg, "all") != 0)
        return cli_usage("%s: '--help=%s': only --help=all takes a value",
                         t->usage->command, optarg);
    opt_print_help(stdout, t, optarg != NULL);
    return CLI_OK;
}

/* One run over argv: OPT_GO, or a status. given[i] is set to 1 where row i is
 * given. Without `given` only -h is looked for. */
static int scan(int argc, char **argv, const struct opt_table *t, char *given)
{
    struct getopt_tables g;
    char where[128];
    int c, status;

    make_tables(&g, t);
    optind = 0, opterr = 0;
    while ((c = getopt_long(argc, argv, g.letters, g.names, NULL)) != -1) {
        const struct opt *o = NULL;
        const char *arg = argv[optind - 1];

        if (c == 'h')
            return help(t);
        if (!given)
            continue;
        if (c != '?' && c != ':')
            o = find_opt(c, t);
        if (!o)
            return say_wrong(c, argv, t);
        if (opt_has_value(o) && optarg == arg && optind > 1)
            arg = argv[optind - 2];
        if (c >= LONG_BASE && is_abbreviation(arg, o->name))
            return cli_usage("%s: '%s' is cut short; the option is --%s",
                             t->usage->command, arg, o->name);
        snprintf(where, sizeof(where), "%s: --%s", t->usage->command, o->name);
        status = opt_store(o, optarg, where);
        if (status)
            return status;
        given[o - t->row] = 1;
    }
    return OPT_GO;
}

static int is_output(const struct opt *o)
{
    return o->type == OPT_OUT || o->type == OPT_STDOUT || o->type == OPT_RESULT;
}

/* Where the option writes; of --output standard output is the default. */
static int is_to_stdout(const struct opt *o)
{
    const char *path = *(const char **)o->value;

    return path ? !strcmp(path, "-") : !strcmp(o->name, "output");
}

/* Refuse a second option that writes to standard output: a reader could not tell
 * one from the other. */
static int check_standard_output(const struct opt_table *t)
{
    const struct opt *first = NULL;

    for (const struct opt *o = t->row; o < t->row + t->n; o++) {
        if (!is_output(o) || !is_to_stdout(o))
            continue;
        if (first)
            return cli_usage("%s: --%s and --%s both write to standard output: "
                             "give one of them a file",
                             t->usage->command, first->name, o->name);
        first = o;
    }
    return OPT_GO;
}

/* Announce the outputs, so that an output that is also an input is refused now
 * and not after hours. */
static int expect_outputs(const struct opt_table *t)
{
    for (const struct opt *o = t->row; o < t->row + t->n; o++) {
        if (!is_output(o))
            continue;
        if (bird_guard_expect(*(const char **)o->value))
            return cli_fail();
        if (o->type == OPT_RESULT && cli_output_check(*(const char **)o->value))
            return CLI_FAILED;
        if (o->type == OPT_STDOUT && cli_stdout_to(*(const char **)o->value))
            return CLI_FAILED;
    }
    return OPT_GO;
}

static int check_operands(int n, char **operand, const struct opt_usage *u)
{
    for (int i = 0; i < n; i++)
        if (!*operand[i])
            return cli_usage("%s: argument %d is empty", u->command, i + 1);
    if (n >= u->least && n <= u->most)
        return OPT_GO;
    if (u->most)
        return cli_usage("%s: %s", u->command, u->wants);
    return cli_usage("%s: unexpected argument '%s'%s%s", u->command, *operand,
                     u->wants ? "; " : "", u->wants ? u->wants : "");
}

/* Help and wrong use first, then the values: OPT_GO, or a status. `settings`
 * is where the row of --settings puts its value. */
static int parse(int *argc, char ***argv, const struct opt_table *t,
                 const char **settings)
{
    const size_t size = ((size_t)*argc + 1) * sizeof(**argv);
    char **copy = malloc(size); /* getopt moves words about */
    char given[N_OPT_MAX] = {0};
    int status;

    if (!copy)
        return cli_warn("out of memory");
    memcpy(copy, *argv, size);
    status = scan(*argc, copy, t, NULL);
    free(copy);
    if (status == OPT_GO)
        status = scan(*argc, *argv, t, given);
    if (status == OPT_GO && *settings)
        status = opt_read_settings(t, *settings, given);
    if (status == OPT_GO)
        status = check_standard_output(t);
    if (status == OPT_GO)
        status = expect_outputs(t);
    *argc -= optind;
    *argv += optind;
    return status;
}

/* The rows of a command and, before those that only a file sets, the rows that
 * every command has; their number. */
static int join_rows(struct opt *rows, const struct opt_table *own,
                     const struct opt *general, int n_general)
{
    const struct opt heading = OPT_HEADING("General");
    const int at = opt_first_setting(own);
    int n = at, has_groups = 0;

    for (int i = 0; i < at; i++) {
        rows[i] = own->row[i];
        has_groups |= rows[i].type == OPT_GROUP;
    }
    if (has_groups)
        rows[n++] = heading;
    for (int i = 0; i < n_general; i++)
        rows[n++] = general[i];
    for (int i = at; i < own->n; i++)
        rows[n++] = own->row[i];
    return n;
}

/* Asked for by programs, in one word: 1 when it was, and is printed. */
static int print_for_programs(int argc, char **argv, const struct opt_table *t)
{
    if (argc != 2)
        return 0;
    if (!strcmp(argv[1], "--options"))
        opt_print_tsv(t, 0);
    else if (!strcmp(argv[1], "--setting-names"))
        opt_print_tsv(t, 1);
    else if (!strcmp(argv[1], "--usage"))
        opt_print_usage(t->usage);
    else
        return 0;
    return 1;
}

int opt_parse(int *argc, char ***argv, const struct opt *own, int n_own,
              const struct opt_usage *u)
{
    int quiet = 0, progress = CLI_PROGRESS_AUTO, status;
    const char *settings = NULL;
    struct opt rows[N_OPT_MAX];
    const struct opt general[] = {
        {'q', "quiet", OPT_FLAG, &quiet, NULL,
         "no notices and no progress; warnings and errors are still shown"},
        {0, "progress", OPT_CHOICE, &progress, CLI_PROGRESS_MODES,
         "auto: a bar on a terminal, elsewhere a line, the first after 5 "
         "s, then every 30 s; always: a "
         "bar"},
        {0, "settings", OPT_LINES, &settings, "FILE",
         "read options from this file, a line 'name = value' each; the command "
         "line wins"},
    };
    const struct opt_table mine = {own, n_own, u};
    struct opt_table t = {rows, 0, u};

    if (n_own + N_OPT(general) + 1 > N_OPT_MAX)
        return cli_usage("%s: too many options in its table", u->command);
    t.n = join_rows(rows, &mine, general, N_OPT(general));
    if (*argc <= 1 && !runs_bare(u->synopsis)) {
        opt_print_help(stderr, &t, 0);
        return CLI_USAGE;
    }
    if (print_for_programs(*argc, *argv, &t))
        return CLI_OK;
    status = parse(argc, argv, &t, &settings);
    if (status == OPT_GO)
        cli_progress_choose(quiet ? CLI_PROGRESS_NEVER
                                  : (enum cli_progress_mode)progress);
    if (status == OPT_GO && quiet)
        cli_quiet();
    return status == OPT_GO ? check_operands(*argc, *argv, u) : status;
}
