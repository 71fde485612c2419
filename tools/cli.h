/**
 * What every command shares: exit statuses, the failure line, common options,
 * progress on a terminal.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_CLI_H
#define DNABIRD_TOOLS_CLI_H

#include <stdint.h>

/* Exit statuses; docs/cli.md has the same table. */
enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1,  /* bad input, or the system refused */
    CLI_USAGE = 2,   /* wrong use of the command line */
    CLI_STOPPED = 3  /* stopped by SIGTERM/SIGUSR1 with a checkpoint written */
};

/** "dnabird: <bird_last_error()>" to stderr; returns CLI_FAILED. */
int cli_fail(void);

/** "dnabird: <text>" to stderr; returns CLI_USAGE. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** "dnabird: <text>" to stderr, for notices. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * Progress on one line of stderr, only on a terminal (or with
 * DNABIRD_PROGRESS=1), at most five times a second: bar, rate, ETA.
 * total <= 0 when it is not known; the last call has done == total.
 */
struct cli_progress {
    const char *what, *unit; /* "scoring", "bp" */
    double start_s, last_s;
    int shown;
};
void cli_progress(struct cli_progress *p, double done, double total);
/** End the line if one was shown. */
void cli_progress_end(struct cli_progress *p);

/** The command line joined by blanks, without -t, -o, -W and their values. */
char *cli_command_line(int argc, char **argv);

/* The commands: each parses its own options and returns a cli_status. */
int cmd_promoter(int argc, char **argv);
int cmd_embed(int argc, char **argv);
int cmd_tokenizer(int argc, char **argv);
int cmd_tokenize(int argc, char **argv);
int cmd_finetune(int argc, char **argv);
int cmd_evaluate(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_dataset(int argc, char **argv);

#endif
