/**
 * What every command shares: exit statuses, what goes to standard error,
 * checks of outputs. progress.h tells how far a run is.
 *
 * The same letters everywhere: -m --model, -f --reference, -o --output,
 * -O --format, -r --region, -R --regions-file, -t --threads,
 * -W --write-index; without a letter --seed, --precision, --json,
 * --no-version. -q --quiet and --progress are opt_parse()'s, of every command.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_CLI_H
#define DNABIRD_TOOLS_CLI_H

#include <stddef.h>
#include <stdint.h>

/* Exit statuses; docs/cli.md has the same table. */
enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1, /* bad input, or the system refused */
    CLI_USAGE = 2,  /* wrong use of the command line */
    CLI_STOPPED = 3 /* stopped by SIGTERM/SIGUSR1 with a checkpoint written */
};

/** "dnabird: <bird_last_error()>" to stderr; returns CLI_FAILED. */
int cli_fail(void);

/**
 * Signals that end the program (SIGTERM, SIGINT, SIGHUP, SIGPIPE) take the
 * temporary files and empty folders of the run with them.
 */
void cli_signals(void);

/**
 * From now on signals ask for an end, so that nothing half-written stays; a
 * command's watch hands on cli_stop_asked(). Without `resumes`, SIGTERM,
 * SIGINT and SIGHUP: the second one kills, and cli_fail() ends the program by
 * the signal. With it, of commands that leave a checkpoint and end with
 * CLI_STOPPED, SIGTERM, SIGINT and SIGUSR1, as often as they come.
 */
void cli_stop_listen(int resumes);
int cli_stop_asked(void);

/** "dnabird: <text>" to stderr; returns CLI_USAGE. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** "dnabird: <text>" to stderr, for notices. With -q nothing, unless there is
 *  "warning: " in the text. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** The same with -q too: what must not be missed. Returns CLI_FAILED. */
int cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** -q was given: from now on cli_say() is silent. */
void cli_quiet(void);

/** Seconds since some moment, by a clock that only goes forward. */
double cli_now(void);

/**
 * "dnabird promoter ..." for provenance lines: the command line joined by
 * blanks, less the options that cannot change a result (-t, -o, -W, -q, their
 * long names, --json, --progress) and their values; a blank or control character inside
 * an argument is printed as '_'.
 * Owner: the caller, free(); NULL when out of memory.
 *
 * @param argv as the command got it: argv[0] is the command's name
 */
char *cli_command_line(int argc, char **argv);

/**
 * Can a file be written there at the end of a run? Asked at its start.
 * Returns 0, or CLI_FAILED after a line to stderr. NULL and "-" are fine.
 */
int cli_output_check(const char *path);

/**
 * Check -t and hand it to the library; 0 keeps the library's own choice.
 * Returns 0, or CLI_USAGE after a line to stderr.
 */
int cli_threads(int64_t n_thread);

/**
 * The nearest of n names for "did you mean"; NULL when none is near.
 * `stride` is the distance from one name's pointer to the next, in bytes;
 * a NULL name is passed over.
 */
const char *cli_nearest(const char *word, const char *const *names, int n,
                        size_t stride);

/**
 * Flush and close stdout at the end of the run: a full disk turns CLI_OK into
 * CLI_FAILED with a line on stderr. Returns the status to exit with.
 */
int cli_finish(int status);

/* The commands: each parses its own options and returns a cli_status. */
int cmd_promoter(int argc, char **argv);
int cmd_chromatin(int argc, char **argv);
int cmd_mutate(int argc, char **argv);
int cmd_variant(int argc, char **argv);
/* `variant background`: argv[0] is "background". */
int cmd_variant_background(int argc, char **argv);
int cmd_embed(int argc, char **argv);
int cmd_tokenizer(int argc, char **argv);
int cmd_tokenize(int argc, char **argv);
int cmd_pretrain(int argc, char **argv);
int cmd_finetune(int argc, char **argv);
int cmd_evaluate(int argc, char **argv);
/* `evaluate scan`: argv[0] is "scan". */
int cmd_evaluate_scan(int argc, char **argv);
/* `evaluate` with --mlm among its options. */
int cmd_evaluate_mlm(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_dataset(int argc, char **argv);
/* `dataset tokens`: argv[0] is "tokens". */
int cmd_dataset_tokens(int argc, char **argv);
/* `dataset chromatin`: argv[0] is "chromatin". */
int cmd_dataset_chromatin(int argc, char **argv);

/** For -O: "auto" and the names of a command's formats, '|' between them, in
 *  out, which is returned. The choice, less 1, is what
 *  bird_track_format_name() takes. */
enum { CLI_FORMATS = 160 };
const char *cli_formats(char out[CLI_FORMATS], int command);
#define CLI_FORMAT_HELP                                                        \
    "output format; auto: by the output's name, else the first"

#endif
