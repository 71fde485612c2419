/**
 * What every command shares: exit statuses, messages on standard error,
 * outputs, progress. cli_options.h has the options that many commands have.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOOLS_CLI_H
#define BIRD_TOOLS_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dnabird/model.h"
#include "dnabird/progress.h"

/* Exit statuses; docs/cli.md has the same table. */
enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1, /* bad input, a value that does not fit it, a system call */
    CLI_USAGE = 2,  /* wrong use of the command line, by the options alone */
    CLI_STOPPED = 3,  /* stopped by SIGTERM/SIGUSR1, a checkpoint written */
    CLI_UNDECIDED = 4 /* `pattern check`: neither holds nor does not */
};

/** At the head of main(): what start.c watches is over. */
void cli_loaded(void);

/** "dnabird: <bird_last_error()>" to stderr; returns CLI_FAILED. */
int cli_fail(void);

/**
 * Signals that end the program (SIGTERM, SIGINT, SIGHUP, SIGPIPE) take the
 * temporary files and empty folders of the run with them.
 */
void cli_signals(void);

/**
 * From now on signals request a stop (cli_stop_asked()), so that nothing
 * half-written stays. Without `resumes`: SIGTERM, SIGINT and SIGHUP; the second one
 * kills, and cli_fail() ends the program by the signal. With `resumes`, for commands
 * that leave a checkpoint and end with CLI_STOPPED: these and SIGUSR1, any number.
 */
void cli_stop_listen(int resumes);
int cli_stop_asked(void);

/** The run keeps OUTPUT.partial, from which --resume continues; a signal's
 *  message then names it. With NULL and "-" nothing is kept. */
void cli_stop_keeps(const char *output);

/** "dnabird: <text>" to stderr; returns CLI_USAGE. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** A model folder: the name of a model that comes with dnabird is its path, where
 *  no file has this name. The text lives as long as the program. */
const char *cli_model_named(const char *folder);

/** --cell NAME: *features becomes "cell:NAME"; without NAME nothing changes.
 *  Returns OPT_GO, or CLI_USAGE beside --features. */
int cli_cell(const char **features, const char *cell);

/** --list: print the features of a model that --features chooses, as TSV. */
int cli_list_features(const char *model, const char *features,
                      const char *output);

/** Warn where a run scored nothing (n_scored is 0): the BED file of -R, or NULL,
 *  holds no region, or its n_bp bases have no window that can be scored. */
void cli_say_empty(const char *regions, int64_t n_bp, int64_t n_scored);

/** "dnabird: <text>" to stderr, for notices. With -q nothing, unless there is
 *  "warning: " in the text. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** The same with -q too: what must not be missed. Returns CLI_FAILED. */
int cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** -q was given: from now on cli_say() is silent. */
void cli_quiet(void);

/** How far a run is, on standard error (progress.c). */
enum cli_progress_mode {
    CLI_PROGRESS_AUTO, /* by DNABIRD_PROGRESS, else by what stderr is */
    CLI_PROGRESS_NEVER,
    CLI_PROGRESS_ALWAYS /* as on a terminal */
};
/** The words of --progress, in that order. */
#define CLI_PROGRESS_MODES "auto|never|always"

/** What the command line chose; opt_parse() does this for every command. */
void cli_progress_choose(enum cli_progress_mode mode);

/**
 * A bird_progress_call without a context: on a terminal a bar on one line, at
 * most five times a second; elsewhere (a batch job's log) a line after 5 s
 * and then every 30 s.
 * Gives cli_stop_asked().
 */
int cli_progress(void *unused, const bird_progress *p);

/** End the bar's line if one is begun; the functions above do so first. */
void cli_progress_end(void);

/** A sentence that is put together. */
struct cli_text {
    char s[2048];
    size_t n;
};
void cli_put(struct cli_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** before, cli_count(n, noun), after; of 0 nothing. */
void cli_put_some(struct cli_text *t, const char *before, int64_t n,
                  const char *noun, const char *after);

/**
 * "1 window", "12,345 windows", "2 bp": a number with its noun. Of a noun with
 * a bar, "entry|entries", the part before the bar is the singular; with "" the number
 * alone. Good until eight calls later.
 */
const char *cli_count(int64_t n, const char *noun);

/** "20.3 kb/s", "850 B/s": a rate with a prefix; bases ("b") without one are
 *  "850 bp/s". Good as cli_count(). */
const char *cli_rate(double n, double seconds, const char *unit);

/** Say it: a bird_message_call, whose context is not looked at. */
void cli_tell(void *context, const char *sentence);

/** Say those that are not "". */
void cli_say_each(const char *const *sentences, int n);

/** Seconds of a monotonic clock. */
double cli_now(void);

/** The program's arguments, once, at its start. */
void cli_begin(int argc, char **argv);

/**
 * "dnabird promoter ..." for provenance lines: the command line joined by
 * blanks, less the options that cannot change a result (-t, -o, -W, -q, their
 * long names, --json, --progress) and their values; a blank or control
 * character inside an argument is printed as '_'. What a file of --settings
 * set follows in brackets. Lives as long as the program, which ends when memory
 * is out.
 */
const char *cli_command_line(void);

/** For cli_command_line(): a file of --settings set this option to this value,
 *  as it is written in the file. Ends the program when memory is out. */
void cli_setting(const char *name, const char *value);

/** Is something there that is not a file: a device, a pipe? */
int cli_is_special(const char *path);

/** An output that is plain text: a name that ends in .gz or the like is refused.
 *  Returns CLI_OK, or CLI_FAILED after a line to stderr. */
int cli_check_text(const char *path);

/**
 * Can a file be written there at the end of a run? Asked at its start.
 * Returns 0, or CLI_FAILED after a line to stderr. NULL and "-" are fine.
 */
int cli_output_check(const char *path);

/**
 * From now on standard output is this file. The file appears when the program
 * ends with CLI_OK, and not otherwise. NULL and "-" change nothing. Returns 0, or
 * CLI_FAILED after a line to stderr. Once a run.
 */
int cli_stdout_to(const char *path);

/** Flush standard output and, with status CLI_OK, put the file of
 *  cli_stdout_to() in its place; cli_finish() does it for most. Returns the
 *  status to go on with. */
int cli_stdout_done(int status);

/**
 * The folder that a command makes: its last operand, which -o names as well.
 * Of n operands before it. NULL after a line to stderr.
 */
const char *cli_folder(const char *command, const char *output, int argc,
                       char **argv, int n);

/** Tell the library a number of threads; 0 keeps the library's own choice.
 * Returns 0, or CLI_USAGE after a line to stderr. */
int cli_threads(int64_t n_thread);

/** The heads that a model can be given: "sequence|pooled|...". */
const char *cli_heads(void);

/** Check the options of a model run, and print on stderr what was assumed
 * (NULL: the shipped one). Returns 0, or the status to exit with. */
int cli_model(const bird_model_run *run, const char *folder);

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

/* The commands: each parses its own options and returns a cli_status.
 * argv[0] is the last word of the command's name. */
int cmd_bench(int argc, char **argv);
int cmd_bench_bins(int argc, char **argv);
int cmd_bench_scaling(int argc, char **argv);
int cmd_bench_scan(int argc, char **argv);
int cmd_bench_stem(int argc, char **argv);
int cmd_bench_variant(int argc, char **argv);
int cmd_chromatin(int argc, char **argv);
int cmd_dataset_chromatin(int argc, char **argv);
int cmd_dataset_promoters(int argc, char **argv);
int cmd_dataset_repeats(int argc, char **argv);
int cmd_dataset_overlap(int argc, char **argv);
int cmd_dataset_rows(int argc, char **argv);
int cmd_dataset_tokens(int argc, char **argv);
int cmd_dataset_bins(int argc, char **argv);
int cmd_evaluate_bins(int argc, char **argv);
int cmd_embed(int argc, char **argv);
int cmd_evaluate(int argc, char **argv);
int cmd_evaluate_mlm(int argc, char **argv);
int cmd_evaluate_scan(int argc, char **argv);
int cmd_evaluate_variants(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_finetune(int argc, char **argv);
int cmd_finetune_chromatin(int argc, char **argv);
int cmd_finetune_bins(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_models(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_attribute(int argc, char **argv);
int cmd_mutate(int argc, char **argv);
int cmd_pattern_check(int argc, char **argv);
int cmd_pattern_copy(int argc, char **argv);
int cmd_pattern_learn(int argc, char **argv);
int cmd_pattern_show(int argc, char **argv);
int cmd_pretrain(int argc, char **argv);
int cmd_promoter(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_tokenize(int argc, char **argv);
int cmd_tokenizer_kmer(int argc, char **argv);
int cmd_tokenizer_train(int argc, char **argv);
int cmd_variant(int argc, char **argv);
int cmd_variant_background(int argc, char **argv);

/** The format of CLI_FORMAT(&chosen, words), as its index in `words`: where -O is
 *  "auto", the word that the output's name ends in, else the first. */
int cli_format(int chosen, const char *words, const char *output);

/** For -O: "auto" and the names of a command's formats, '|' between them; of
 *  an enum bird_track_command. */
const char *cli_formats(int command);

#endif
