/**
 * One table per command: its options, their help and their live defaults.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOOLS_OPT_H
#define BIRD_TOOLS_OPT_H

#include <stdint.h>

/*
 * The help shows no default of INT64_MIN, NAN or NULL (the command computes it),
 * and none where the help text itself has "default:".
 */
enum opt_type {
    OPT_FLAG,     /* int *: set to 1 */
    OPT_CLEAR,    /* int *: set to 0 */
    OPT_INT,      /* int64_t *: K, M, G allowed */
    OPT_SIZE,     /* the same or uint64_t *, not negative */
    OPT_COUNT,    /* the same, above 0 */
    OPT_REAL,     /* double * */
    OPT_SHARE,    /* double *, 0 to 1; a default outside means none given */
    OPT_TEXT,     /* const char **: borrowed from argv */
    OPT_MODEL,    /* the same, a model folder or the name of a shipped model */
    OPT_OUT,      /* the same, a file that is written: bird_guard_expect() */
    OPT_STDOUT,   /* the same, where standard output goes: cli_stdout_to() */
    OPT_RESULT,   /* the same, written at the end: checked now */
    OPT_LIST,     /* OPT_TEXT; given again it is appended after a blank */
    OPT_LINES,    /* the same, after a line feed */
    OPT_ONCE,     /* OPT_TEXT, NULL at first; given again it is refused */
    OPT_NAMES,    /* struct opt_names *: cut at the commas */
    OPT_CHOICE,   /* int * or enum *: index into the '|'-separated `argument` */
    OPT_WORD,     /* const char **: one of them itself; "auto" is NULL */
    OPT_STRAND,   /* enum bird_strand *: "both", "model", "given" or "+", "-" */
    OPT_THREADS,  /* NULL: a number of threads, passed to the library */
    OPT_GROUP,    /* a heading: -h leaves out the rows from the first one on */
    OPT_SETTINGS, /* a heading: the rows below it are names for the file of
                     --settings, no options; the last group of a table */
};

/* Rows of the last two types. */
#define OPT_HEADING(text)                                                      \
    {                                                                          \
        0, NULL, OPT_GROUP, NULL, NULL, text                                   \
    }
#define OPT_FILE_ONLY                                                          \
    {                                                                          \
        0, NULL, OPT_SETTINGS, NULL, NULL,                                     \
            "Settings (not options: for the file of --settings)"               \
    }

struct opt {
    char letter;      /* 0 when there is only the long name; not 'h' */
    const char *name; /* long name without the dashes */
    enum opt_type type;
    void *value;          /* holds the default when the table is read */
    const char *argument; /* "INT", "FILE", or "bed|bedgraph|tsv" */
    const char *help;     /* a line; a longer one is wrapped */
};

/** Names between commas; they live as long as the program. */
struct opt_names {
    const char **at;
    int64_t n;
};

struct opt_usage {
    const char *command;  /* "promoter" */
    const char *synopsis; /* "[options] genome.fa > out.bed"; when all of it
                             is in brackets the command runs without arguments */
    const char *about;    /* a paragraph */
    const char *notes;    /* after the options, or NULL */
    int least, most;      /* operands; most 0: none */
    const char *wants; /* message for any other number of operands; or NULL */
};

#define N_OPT(opts) ((int)(sizeof(opts) / sizeof(*(opts))))

/** What opt_parse() returns when the command is to run: no cli_status. */
enum { OPT_GO = -1 };

/**
 * Parse argv (argv[0] is the command's name) by the table and the options that
 * every command has: -q, --progress and --settings, which take effect at once.
 *
 * The file of --settings sets options by their long names and the rows below
 * OPT_FILE_ONLY, a line each, in a subset of TOML: name = value, # comment. A
 * value is a string, a number, true or false, or, of an option that may be
 * given again, an array of strings on one line. The command line wins.
 *
 * Gives OPT_GO, and argc and argv are the operands (which are moved to the
 * end). Else the status to exit with: -h prints the help to stdout, --help=all
 * with every group, --options and --setting-names the table as TSV, --usage
 * the texts of `u`; wrong use prints one line to stderr, no arguments at all
 * the help to stderr.
 *
 * Long names are not abbreviated, so that a new option breaks no script. A
 * value may begin with '-': "-x -5" is the number.
 */
int opt_parse(int *argc, char ***argv, const struct opt *opts, int n_opt,
              const struct opt_usage *u);

/** Cut at the commas; NULL: no names. Ends the program when memory is out. */
struct opt_names opt_split(const char *text);

#endif
