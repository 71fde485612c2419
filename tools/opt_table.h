/**
 * What the files of the option parser share: opt.c (the command line),
 * opt_file.c (--settings), opt_value.c (texts to values), opt_help.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOOLS_OPT_TABLE_H
#define BIRD_TOOLS_OPT_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "opt.h"

/** Rows of a table, headings included, of one command. N_OPT_MAX at most. */
struct opt_table {
    const struct opt *row;
    int n;
    const struct opt_usage *usage;
};
enum { N_OPT_MAX = 96 };

/** 1 for OPT_GROUP and OPT_SETTINGS: a row without a value. */
int opt_is_heading(const struct opt *o);
/** 0 for flags. */
int opt_has_value(const struct opt *o);
/** Index of the first row that only a file sets; n when there is none. */
int opt_first_setting(const struct opt_table *t);
/** The i-th word of "a|b|c" and its length; NULL when there are fewer. */
const char *opt_choice_word(int *n, const char *list, int i);
int opt_is_share(double x);

/** The word of a strand's default: "model" or "both". */
const char *opt_strand_word(int strand);

/** Memory for n bytes that lives as long as the program, and is not a leak.
 *  Ends the program when memory is out. */
void *opt_keep(size_t n);
/** A copy of the text, kept likewise. */
char *opt_keep_text(const char *s);

/** Store a value's text; 0, or CLI_USAGE after a line to stderr, which begins
 *  with `where`: "promoter: --stride", "run.toml:3: stride". */
int opt_store(const struct opt *o, const char *text, const char *where);

/** The common rows, or with `all` every group and the settings. */
void opt_print_help(FILE *f, const struct opt_table *t, int all);
/** For programs: command, letter, long name, argument, default, help, group.
 *  The options, or the settings. */
void opt_print_tsv(const struct opt_table *t, int settings);
/** For programs: least and most operands (no number: any), synopsis, about,
 *  notes. */
void opt_print_usage(const struct opt_usage *u);

/** Read the files of --settings, a path a line, into the rows that the command
 *  line did not give: given[i] is 1 where it gave row i. A name stands in one
 *  file only. OPT_GO, or a status. */
int opt_read_settings(const struct opt_table *t, const char *paths,
                      const char *given);

#endif
