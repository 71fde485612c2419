/* dnabird pattern show, check, copy and learn: which keys each query attends to,
 * and what a model learns with such a pattern.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/pattern.h"

/* Words for -O, of show and of check. */
#define SHOWN   "text|tsv|svg"
#define CHECKED "text|json"

/* clang-format off */
#define PATTERN(q)                                                             \
    {'m', "model", OPT_MODEL, &(q)->model, "DIR",                               \
     "model folder whose pattern is taken (default: none, bigbird)"},          \
    {0, "pattern", OPT_TEXT, &(q)->pattern, "NAME[,OPTION=VALUE...]",          \
     "attention pattern, as of init; over the model's"},                       \
    {0, "length", OPT_SIZE, &(q)->length, "INT",                               \
     "tokens of the sequence (default: as many as the model reads, else 512)"},\
    {0, "heads", OPT_SIZE, &(q)->heads, "INT", "heads, without a model"}
/* clang-format on */

static int write_text(char *text)
{
    fputs(text, stdout);
    free(text);
    return cli_stdout_done(CLI_OK);
}

int cmd_pattern_show(int argc, char **argv)
{
    static const struct opt_usage usage = {
        "pattern show",
        "[options]",
        "Shows which blocks of keys the blocks of queries see in one layer: a\n"
        "row of queries a line ('#' seen, a digit: counted so often), a table\n"
        "of runs, or a picture.",
        NULL,
        0,
        0,
        NULL};
    const char *output = NULL;
    bird_pattern_query q;
    int format = 0, status;
    char *text = NULL;
    const struct opt opts[] = {
        CLI_STDOUT(&output),
        CLI_FORMAT(&format, SHOWN),
        PATTERN(&q),
        {0, "layer", OPT_SIZE, &q.layer, "INT",
         "this layer, from 0 (default: the first)"},
        {0, "head", OPT_SIZE, &q.head, "INT",
         "this head, from 0 (default: what any head sees)"},
    };

    bird_pattern_query_default(&q);
    if ((status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage)) != OPT_GO)
        return status;
    format = cli_format(format, SHOWN, output);
    if (bird_pattern_show(&text, &q, (enum bird_pattern_format)format))
        return cli_fail();
    return write_text(text);
}

int cmd_pattern_check(int argc, char **argv)
{
    static const struct opt_usage usage = {
        "pattern check",
        "[options]",
        "Checks assumption 1 of Yun et al. 2020 (every block sees itself; an\n"
        "order in which each sees the one before; each sees all after s\n"
        "layers) and measures the pattern's graph. Status 1 where it does not\n"
        "hold, 4 where that is not decided.",
        NULL,
        0,
        0,
        NULL};
    const char *output = NULL;
    bird_pattern_query q;
    bird_pattern_assessment found;
    int format = 0, status;
    const struct opt opts[] = {
        CLI_STDOUT(&output),
        CLI_FORMAT(&format, CHECKED),
        PATTERN(&q),
        {0, "layers", OPT_SIZE, &q.layers, "INT",
         "layers to examine of a pattern that differs in each (default: the "
         "model's, else 1)"},
    };

    bird_pattern_query_default(&q);
    q.layers = 0;
    if ((status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage)) != OPT_GO)
        return status;
    if (bird_pattern_assess(&found, &q))
        return cli_fail();
    if (cli_format(format, CHECKED, output))
        fprintf(stdout, "%s\n", found.json);
    else
        fputs(found.text, stdout);
    free(found.text);
    free(found.json);
    status = cli_stdout_done(CLI_OK);
    return found.holds > 0   ? status
           : found.holds < 0 ? CLI_UNDECIDED
                             : CLI_FAILED;
}

/* clang-format off */
#define TASK(t)                                                                \
    {0, "symbols", OPT_SIZE, &(t)->symbols, "INT", "number of different symbols"},       \
    {0, "length", OPT_SIZE, &(t)->length, "INT",                               \
     "symbols of s; a row has 2 x (INT + 1) tokens"},                          \
    CLI_SEED(&(t)->seed)
/* clang-format on */

int cmd_pattern_copy(int argc, char **argv)
{
    static const struct opt_usage usage = {
        "pattern copy",
        "[options]",
        "Writes rows of the copying task of Yun et al. 2020: 0, s, 0, and s\n"
        "again, as numbers of symbols with tabs between them; s is random.\n"
        "A model that predicts the next token has to find s again.",
        NULL,
        0,
        0,
        NULL};
    const char *output = NULL;
    int64_t rows = 100000, from = 0, n;
    bird_copying_task task;
    int32_t *ids;
    int status;
    const struct opt opts[] = {
        CLI_STDOUT(&output),
        {'n', "number", OPT_SIZE, &rows, "INT", "number of rows"},
        TASK(&task),
        OPT_FILE_ONLY,
        {0, "first-row", OPT_SIZE, &from, "INT",
         "number of the first row (default: 0)"},
    };

    bird_copying_task_default(&task);
    if ((status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage)) != OPT_GO)
        return status;
    if (bird_copying_tokens(&n, &task))
        return cli_fail();
    if (rows > INT64_MAX - from)
        return cli_usage("pattern copy: first-row and --number are too large");
    ids = malloc((size_t)n * sizeof(*ids));
    if (!ids)
        return cli_usage("pattern copy: out of memory");
    for (int64_t row = from; row < from + rows && !ferror(stdout); row++) {
        bird_copying_row(ids, &task, row);
        for (int64_t i = 0; i < n; i++)
            printf("%d%c", (int)ids[i], i + 1 < n ? '\t' : '\n');
    }
    free(ids);
    return cli_stdout_done(CLI_OK);
}

static int watch(void *context, const bird_progress *p)
{
    cli_progress(context, p);
    return cli_stop_asked();
}

int cmd_pattern_learn(int argc, char **argv)
{
    static const struct opt_usage usage = {
        "pattern learn",
        "[options] --pattern NAME,block=1,causal=yes -o RUN",
        "Trains an encoder with this pattern to copy (pattern copy), and "
        "prints\n"
        "how many answers of unseen rows are right, and how many counting the\n"
        "symbols would get right. Defaults are the sizes of Yun et al. 2020, "
        "table 1.",
        "The run's checkpoint and training.tsv are in RUN; SIGTERM, SIGINT,\n"
        "SIGHUP and SIGUSR1 write a checkpoint and end with status 3; "
        "--resume\ncontinues.",
        0,
        0,
        NULL};
    bird_pattern_learn_options o;
    bird_pattern_learned got;
    int status, rc;
    const struct opt opts[] = {
        {0, "pattern", OPT_TEXT, &o.pattern, "NAME[,OPTION=VALUE...]",
         "attention pattern, as of init, that sees no later token"},
        {0, "attention-map", OPT_TEXT, &o.map, "NAME[:PARAMETER]",
         "map of attention scores to probabilities, as of init"},
        {0, "layers", OPT_SIZE, &o.layers, "INT", "layers of the encoder"},
        {0, "heads", OPT_SIZE, &o.heads, "INT", "heads of a layer"},
        {'o', "output", OPT_TEXT, &o.run.out, "RUN", "folder of the run"},
        TASK(&o.task),
        CLI_STEPS(&o.run, "updates"),
        {0, "batch", OPT_SIZE, &o.batch, "ROWS", "rows of an update"},
        CLI_LR(&o.run),
        CLI_THREADS,
        OPT_HEADING("Learning"),
        CLI_WARMUP(&o.run, CLI_WARMUP_STEPS),
        CLI_UPDATES(&o.run),
        CLI_VALIDATE_EVERY(&o.validate_every, "a twentieth of the steps"),
        CLI_CHECKPOINTS(&o.run, "every ten minutes"),
        CLI_RESUME(&o.run),
        CLI_COST(&o.run),
        OPT_FILE_ONLY,
        CLI_CLIP(&o.run),
        {0, "hidden", OPT_SIZE, &o.hidden, "INT", "features of a token"},
        {0, "intermediate", OPT_SIZE, &o.intermediate, "INT",
         "features between the linear layers"},
        {0, "train-rows", OPT_SIZE, &o.train_rows, "INT", "training rows"},
        {0, "valid-rows", OPT_SIZE, &o.valid_rows, "INT", "validation rows"},
        {0, "test-rows", OPT_SIZE, &o.test_rows, "INT",
         "test rows, scored once at the end"},
        {0, "enough", OPT_REAL, &o.enough, "PERCENT",
         "stop when this share of the answers of a validation is right"},
    };

    bird_pattern_learn_default(&o);
    if ((status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage)) != OPT_GO)
        return status;
    if (!o.pattern || !o.run.out)
        return cli_usage("pattern learn: --pattern and -o are needed");
    o.run.progress = watch;
    cli_stop_listen(1);
    rc = bird_pattern_learn(&got, &o);
    if (rc)
        cli_fail();
    if (rc == BIRD_ECANCELED)
        return CLI_STOPPED;
    if (rc)
        return CLI_FAILED;
    printf("pattern\tlayers\tsteps\tsparsity_percent\treach_percent\t"
           "counted_percent\tvalid_percent\ttest_percent\n"
           "%s\t%lld\t%lld\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n",
           o.pattern, (long long)o.layers, (long long)got.steps, got.sparsity,
           got.reach, got.counted, got.valid, got.right);
    return cli_stdout_done(CLI_OK);
}
