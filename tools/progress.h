/**
 * How far a run is, on standard error: the one place where it is written.
 *
 * On a terminal a bar on one line, at most five times a second; elsewhere (a
 * batch job's log) a line every 30 s. --progress, -q and DNABIRD_PROGRESS
 * choose (docs/cli.md).
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_PROGRESS_H
#define DNABIRD_TOOLS_PROGRESS_H

#include "dnabird/train.h"
#include "dnabird/progress.h"

enum cli_progress_mode {
    CLI_PROGRESS_AUTO, /* by DNABIRD_PROGRESS, else by what stderr is */
    CLI_PROGRESS_NEVER,
    CLI_PROGRESS_ALWAYS /* as on a terminal */
};
/** The words of --progress, in that order. */
#define CLI_PROGRESS_MODES "auto|never|always"

/** What the command line chose; opt_parse() does this for every command. */
void cli_progress_choose(enum cli_progress_mode mode);

/** A part of a run ("training", "validating"), in the order they are met. */
struct cli_progress_part {
    char what[24];
    double start_s, first; /* rates count from there, not from 0: a run that
                              goes on has its first units already */
    double done;
};

/** Of a run; start with {0}. */
struct cli_progress {
    struct cli_progress_part part[4];
    int n_part;
    double last_s; /* when something was written, or could have been first */
    int shown;     /* a line of a terminal is begun */
    bird_pretrain_state update; /* the one done last, of a pretraining */
};

/** A bird_progress_call with a struct cli_progress; gives cli_stop_asked(). */
int cli_progress(void *context, const bird_progress *p);

/** End the line if one is begun: before anything else goes to stderr. */
void cli_progress_end(struct cli_progress *b);

#endif
