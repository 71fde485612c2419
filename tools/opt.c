/*
 * Option tables: parsing, help, defaults.
 *
 * A table's rows become getopt_long()'s two, which are run over argv twice:
 * once for -h alone, so that the help shows defaults whatever stands beside
 * it, and once to store. What getopt leaves open is decided here: long names
 * are not abbreviated, and a wrong one names its nearest.
 * SPDX-License-Identifier: MIT
 */
#include "opt.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"

enum { WIDTH = 79, HELP_COLUMN = 28, N_OPT_MAX = 80, LONG_BASE = 256 };

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

static int is_share(double x)
{
    return x >= 0 && x <= 1;
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
        break;
    case OPT_INT:
    case OPT_SIZE:
        if (*(int64_t *)o->value != INT64_MIN)
            snprintf(out, size, "%" PRId64, *(int64_t *)o->value);
        break;
    case OPT_REAL:
        if (!isnan(*(double *)o->value))
            snprintf(out, size, "%g", *(double *)o->value);
        break;
    case OPT_SHARE:
        if (is_share(*(double *)o->value))
            snprintf(out, size, "%g", *(double *)o->value);
        break;
    case OPT_TEXT:
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
    case OPT_STRAND: /* a default stands in every list */
        snprintf(out, size, "%s",
                 *(enum bird_strand *)o->value == BIRD_STRAND_MODEL ? "model"
                                                                    : "both");
        break;
    case OPT_CHOICE:
        word = choice_word(&n, o->argument, *(int *)o->value);
        snprintf(out, size, "%.*s", word ? n : 0, word ? word : "");
        break;
    }
}

/* The words of --strand; a command has some of them. */
static const struct strand {
    const char *word;
    enum bird_strand strand;
} strands[] = {{"both", BIRD_STRAND_BOTH},
               {"model", BIRD_STRAND_MODEL},
               {"given", BIRD_STRAND_PLUS},
               {"+", BIRD_STRAND_PLUS},
               {"-", BIRD_STRAND_MINUS}};

static int has_value(const struct opt *o)
{
    return o->type != OPT_FLAG && o->type != OPT_CLEAR;
}

static void print_option(FILE *f, const struct opt *o)
{
    char text[1024], value[256];
    int n;

    if (o->letter)
        n = fprintf(f, "  -%c, --%s", o->letter, o->name);
    else
        n = fprintf(f, "      --%s", o->name);
    if (has_value(o))
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

static const struct opt help_option = {'h',  "help", OPT_FLAG,
                                       NULL, NULL,   "this text"};

static void print_help(FILE *f, const struct opt *opts, int n_opt,
                       const struct opt_usage *u)
{
    fprintf(f, "Usage: dnabird %s %s\n\n", u->command, u->synopsis);
    print_wrapped(f, u->about, 0, 0);
    fputs("\nOptions:\n", f);
    for (int i = 0; i < n_opt; i++)
        print_option(f, &opts[i]);
    print_option(f, &help_option);
    if (u->notes) {
        fputc('\n', f);
        print_wrapped(f, u->notes, 0, 0);
    }
}

/* For programs: command, letter, long name, argument, default, help. */
static void print_tsv(const struct opt *opts, int n_opt, const char *command)
{
    char value[256];

    for (const struct opt *o = opts; o < opts + n_opt; o++) {
        format_default(value, sizeof(value), o);
        printf("%s\t%c\t%s\t%s\t%s\t%s\n", command, o->letter ? o->letter : '.',
               o->name, has_value(o) ? o->argument : ".", *value ? value : ".",
               o->help);
    }
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

/* For programs: least and most operands (no number: any), synopsis, about,
 * notes. */
static void print_usage_tsv(const struct opt_usage *u)
{
    printf("%d-", u->least);
    if (u->most != INT_MAX)
        printf("%d", u->most);
    putchar('\t');
    print_field(u->synopsis, '\t');
    print_field(u->about, '\t');
    print_field(u->notes, '\n');
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

/* Memory for n bytes that lives as long as the program, and is not a leak. */
static void *keep(size_t n)
{
    static struct kept {
        struct kept *next;
        max_align_t at[];
    } * all;
    struct kept *k = calloc(1, sizeof(*k) + n);

    if (!k)
        exit(cli_warn("out of memory"));
    k->next = all;
    all = k;
    return k->at;
}

static void append(const char **list, char between, const char *s)
{
    size_t n = *list ? strlen(*list) + strlen(s) + 2 : 0;
    char *joined = n ? keep(n) : NULL;

    if (joined)
        snprintf(joined, n, "%s%c%s", *list, between, s);
    *list = joined ? joined : s;
}

struct opt_names opt_split(const char *text)
{
    struct opt_names names = {NULL, 0};
    size_t count = 1;
    char *at;

    if (!text)
        return names;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    names.at = keep(count * sizeof(*names.at));
    at = memcpy(keep(strlen(text) + 1), text, strlen(text) + 1);
    for (; at; at = strchr(at, ',')) {
        if (names.n)
            *at++ = '\0';
        names.at[names.n++] = at;
    }
    return names;
}

/* Was this value given before? A run reads its options once. */
static int is_given(const void *value)
{
    static const void *given[16];
    static size_t n;

    for (size_t i = 0; i < n; i++)
        if (given[i] == value)
            return 1;
    if (n < sizeof(given) / sizeof(*given))
        given[n++] = value;
    return 0;
}

static int store_real(const struct opt *o, const char *s, const char *command)
{
    double x;

    if (parse_real(&x, s))
        return cli_usage("%s: --%s: '%s' is not a number", command, o->name, s);
    if (o->type == OPT_SHARE && !is_share(x))
        return cli_usage("%s: --%s must lie between 0 and 1, got %s", command,
                         o->name, s);
    *(double *)o->value = x;
    return CLI_OK;
}

static int store_number(const struct opt *o, const char *s, const char *command)
{
    int64_t n;

    if (o->type == OPT_REAL || o->type == OPT_SHARE)
        return store_real(o, s, command);
    if (parse_int(&n, s))
        return cli_usage("%s: --%s: '%s' is not a whole number", command,
                         o->name, s);
    if (o->type == OPT_THREADS)
        return cli_threads(n);
    if (o->type == OPT_SIZE && n < 0)
        return cli_usage("%s: --%s is negative", command, o->name);
    *(int64_t *)o->value = n;
    return CLI_OK;
}

static int store_choice(const struct opt *o, const char *s, const char *command)
{
    int i, k = 0;

    if (parse_choice(&i, o->argument, s))
        return cli_usage("%s: --%s: '%s' is not one of %s", command, o->name, s,
                         o->argument);
    if (o->type == OPT_CHOICE) {
        *(int *)o->value = i;
    } else if (o->type == OPT_WORD) {
        *(const char **)o->value = strcmp(s, "auto") != 0 ? s : NULL;
    } else {
        while (strcmp(strands[k].word, s) != 0)
            k++;
        *(enum bird_strand *)o->value = strands[k].strand;
    }
    return CLI_OK;
}

/* Store one option's value; 0, or CLI_USAGE after a line to stderr. */
static int store(const struct opt *o, const char *s, const char *command)
{
    switch (o->type) {
    case OPT_FLAG:
    case OPT_CLEAR:
        *(int *)o->value = o->type == OPT_FLAG;
        break;
    case OPT_INT:
    case OPT_SIZE:
    case OPT_REAL:
    case OPT_SHARE:
    case OPT_THREADS:
        return store_number(o, s, command);
    case OPT_ONCE:
        if (*(const char **)o->value)
            return cli_usage("%s: --%s is given twice: join the two into one",
                             command, o->name);
        *(const char **)o->value = s;
        break;
    case OPT_TEXT:
    case OPT_OUT:
    case OPT_STDOUT:
    case OPT_RESULT:
        *(const char **)o->value = s;
        break;
    case OPT_LIST:
    case OPT_LINES:
        append(o->value, o->type == OPT_LIST ? ' ' : '\n', s);
        break;
    case OPT_NAMES:
        if (is_given(o->value))
            return cli_usage("%s: --%s: give all of them at once, separated "
                             "by commas",
                             command, o->name);
        *(struct opt_names *)o->value = opt_split(s);
        break;
    case OPT_CHOICE:
    case OPT_WORD:
    case OPT_STRAND:
        return store_choice(o, s, command);
    }
    return CLI_OK;
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
        int has = has_value(&opts[i]);

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

/* One run over argv: OPT_GO, or a status. Without `storing` -h is looked for.
 */
static int scan(int argc, char **argv, const struct opt *opts, int n_opt,
                const struct opt_usage *u, int storing)
{
    struct getopt_tables t;
    int c, status;

    make_tables(&t, opts, n_opt);
    optind = 0, opterr = 0;
    while ((c = getopt_long(argc, argv, t.letters, t.names, NULL)) != -1) {
        const struct opt *o = NULL;
        const char *arg = argv[optind - 1];

        if (c == 'h') {
            print_help(stdout, opts, n_opt, u);
            return CLI_OK;
        }
        if (!storing)
            continue;
        if (c != '?' && c != ':')
            o = find_opt(c, opts, n_opt);
        if (!o)
            return say_wrong(c, argv, opts, n_opt, u->command);
        if (has_value(o) && optarg == arg && optind > 1)
            arg = argv[optind - 2];
        if (c >= LONG_BASE && is_abbreviation(arg, o->name))
            return cli_usage("%s: '%s' is cut short; the option is --%s",
                             u->command, arg, o->name);
        status = store(o, optarg, u->command);
        if (status)
            return status;
    }
    return OPT_GO;
}

/* Outputs are announced: refused now, if they are one, and not after hours. */
static int expect_outputs(const struct opt *opts, int n_opt)
{
    for (const struct opt *o = opts; o < opts + n_opt; o++) {
        if (o->type != OPT_OUT && o->type != OPT_STDOUT &&
            o->type != OPT_RESULT)
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
    if (n >= u->least && n <= u->most)
        return OPT_GO;
    if (u->most)
        return cli_usage("%s: %s", u->command, u->wants);
    return cli_usage("%s: unexpected argument '%s'%s%s", u->command, *operand,
                     u->wants ? "; " : "", u->wants ? u->wants : "");
}

/* Help and wrong use first, then the values: OPT_GO, or a status. */
static int parse(int *argc, char ***argv, const struct opt *opts, int n_opt,
                 const struct opt_usage *u)
{
    const size_t size = ((size_t)*argc + 1) * sizeof(**argv);
    char **copy = malloc(size); /* getopt moves words about */
    int status;

    if (!copy)
        return cli_warn("out of memory");
    memcpy(copy, *argv, size);
    status = scan(*argc, copy, opts, n_opt, u, 0);
    free(copy);
    if (status == OPT_GO)
        status = scan(*argc, *argv, opts, n_opt, u, 1);
    if (status == OPT_GO)
        status = expect_outputs(opts, n_opt);
    *argc -= optind;
    *argv += optind;
    return status;
}

int opt_parse(int *argc, char ***argv, const struct opt *own, int n_own,
              const struct opt_usage *u)
{
    int quiet = 0, progress = CLI_PROGRESS_AUTO, n_opt = n_own, status;
    struct opt opts[N_OPT_MAX];
    const struct opt common[] = {
        {'q', "quiet", OPT_FLAG, &quiet, NULL,
         "no notices and no progress; warnings and errors are still shown"},
        {0, "progress", OPT_CHOICE, &progress, CLI_PROGRESS_MODES,
         "auto: a bar on a terminal, elsewhere a line every 30 s; always: a "
         "bar"},
    };

    if (n_own + N_OPT(common) > N_OPT_MAX)
        return cli_usage("%s: too many options in its table", u->command);
    if (n_own)
        memcpy(opts, own, (size_t)n_own * sizeof(*own));
    memcpy(opts + n_own, common, sizeof(common));
    n_opt += N_OPT(common);
    if (*argc <= 1 && !runs_bare(u->synopsis)) {
        print_help(stderr, opts, n_opt, u);
        return CLI_USAGE;
    }
    if (*argc == 2 && !strcmp((*argv)[1], "--options")) {
        print_tsv(opts, n_opt, u->command);
        print_tsv(&help_option, 1, u->command);
        return CLI_OK;
    }
    if (*argc == 2 && !strcmp((*argv)[1], "--usage")) {
        print_usage_tsv(u);
        return CLI_OK;
    }
    status = parse(argc, argv, opts, n_opt, u);
    if (status == OPT_GO)
        cli_progress_choose(quiet ? CLI_PROGRESS_NEVER
                                  : (enum cli_progress_mode)progress);
    if (status == OPT_GO && quiet)
        cli_quiet();
    return status == OPT_GO ? check_operands(*argc, *argv, u) : status;
}
