/**
 * One table per command: its options, their help and their live defaults.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_OPT_H
#define DNABIRD_TOOLS_OPT_H

/*
 * A default that is not worth showing (the command works it out) is INT64_MIN,
 * NAN or NULL: the help then shows none.
 */
enum opt_type {
    OPT_FLAG,  /* int *: set to 1 */
    OPT_INT,   /* int64_t *: K, M, G allowed */
    OPT_REAL,  /* double * */
    OPT_TEXT,  /* const char **: borrowed from argv */
    OPT_OUT,   /* the same, a file that is written: bird_guard_expect() */
    OPT_LIST,  /* the same; given again it is added behind a blank */
    OPT_LINES, /* the same; given again it is added behind a line feed */
    OPT_ONCE,  /* the same, NULL at first; given again it is refused */
    OPT_CHOICE /* int *: index into the '|'-separated `argument` */
};

struct opt {
    char letter;      /* 0 when there is only the long name; not 'h' */
    const char *name; /* long name without the dashes */
    enum opt_type type;
    void *value;          /* holds the default when the table is read */
    const char *argument; /* "INT", "FILE", or "bed|bedgraph|tsv" */
    const char *help;     /* a line; a longer one is wrapped */
};

struct opt_usage {
    const char *command;  /* "promoter" */
    const char *synopsis; /* "[options] genome.fa > out.bed"; when all of it
                             stands in brackets the command may be run bare */
    const char *about;    /* a paragraph */
    const char *notes;    /* after the options, or NULL */
};

/**
 * Parse argv (argv[0] is the command's name) by the table and the options that
 * every command has, -q and --progress, which take effect at once; -h and --help print the help
 * to stdout and give 1 with *status 0; wrong use prints one line to stderr,
 * no arguments at all the help to stderr, and both give 1 with *status 2.
 * On 0 go on: *first is the first operand (operands are moved to the end).
 *
 * Long names are not abbreviated, so that a new option breaks no script. A
 * value may begin with '-': "-x -5" is the number.
 */
int opt_parse(int *first, int *status, int argc, char **argv,
              const struct opt *opts, int n_opt, const struct opt_usage *u);

#endif
