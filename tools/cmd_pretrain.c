/* dnabird pretrain: masked-language training on genomes.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/dnabird.h"
#include "dnabird/train.h"
#include "opt.h"
#include "progress.h"

struct watching {
    struct cli_progress progress;
    int rank;
};

static int watch(void *context, const bird_progress *p)
{
    const bird_pretrain_state *s = p->pretrain;
    struct watching *w = context;

    w->rank = s->rank;
    if (s->rank)
        return cli_stop_asked();
    cli_progress(&w->progress, p);
    if (s->validated) {
        cli_progress_end(&w->progress);
        cli_say("step %lld of %lld: loss %.4f, %.4f bits/base; held out: loss "
                "%.4f, %.4f bits/base, %.4f of the tokens right; %.0f tokens/s",
                (long long)s->step, (long long)s->steps, s->loss, s->bits,
                s->valid_loss, s->valid_bits, s->valid_accuracy,
                s->tokens_per_s);
    }
    return cli_stop_asked();
}

static const char about[] =
    "Trains an encoder to fill in masked tokens of genomes and leaves a model\n"
    "folder at RUN. Start anew with --preset or --config and --tokenizer, or\n"
    "go on from a model with --init.";

static const char notes[] =
    "The run's checkpoint and training.tsv lie in RUN; SIGTERM and SIGUSR1\n"
    "write a checkpoint and end with status 3; --resume goes on. With MPI\n"
    "(mpirun -n N dnabird pretrain ...) the rows of a step are shared out.";

struct choices { /* what OPT_INT and OPT_CHOICE write to */
    int64_t seed, span, threads;
    int kind, schedule, optimizer, precision;
};

static int parse(int argc, char **argv, bird_pretrain_options *o,
                 struct choices *c, int *status)
{
    struct opt_usage usage = {
        "pretrain", "[options] --steps N -o RUN ref.fa ...", about, notes};
    int first;
    const struct opt opts[] = {
        {0, "preset", OPT_TEXT, &o->run.preset, "NAME",
         "start from scratch: tiny, small or base"},
        {0, "config", OPT_TEXT, &o->run.config, "FILE",
         "start from scratch with this config.json"},
        {0, "init", OPT_TEXT, &o->run.init, "MODEL", "go on from this model"},
        {0, "tokenizer", OPT_TEXT, &o->run.tokenizer, "FILE",
         "tokenizer.json; else that of --init"},
        {'o', "output", OPT_TEXT, &o->run.out, "RUN",
         "the run, then the model"},
        {0, "steps", OPT_INT, &o->run.steps, "INT", "updates"},
        {0, "batch", OPT_INT, &o->batch, "TOKENS",
         "of an update: as many rows as fit"},
        {0, "length", OPT_INT, &o->data.length_tok, "TOKENS",
         "of a row; 0: the longest the model reads"},
        {0, "pack-tokens", OPT_INT, &o->run.pack_tokens, "TOKENS",
         "of one forward pass, at least a row: memory"},
        {0, "sampling", OPT_CHOICE, &c->kind, "windows|documents",
         "rows from anywhere, or from documents of sentences"},
        {0, "nsp", OPT_FLAG, &o->data.next_sentence, NULL,
         "learn next sentence as well"},
        {0, "mask", OPT_REAL, &o->data.mask, "REAL",
         "share of tokens to predict"},
        {0, "span", OPT_INT, &c->span, "INT",
         "mask spans of up to so many tokens"},
        {0, "max-n", OPT_REAL, &o->data.max_n, "REAL",
         "largest share of letters other than A, C, G, T"},
        {0, "include", OPT_TEXT, &o->data.include, "BED",
         "learn from these regions only; a BED file, or contigs and regions "
         "between commas"},
        {0, "exclude", OPT_TEXT, &o->data.exclude, "BED", "never touch these"},
        {0, "valid-include", OPT_TEXT, &o->valid, "BED",
         "held out for validation: a BED file, or contigs and regions"},
        {0, "test-include", OPT_TEXT, &o->test, "BED",
         "held out and never read; the same"},
        {0, "valid-tokens", OPT_INT, &o->valid_tokens, "TOKENS",
         "of a validation"},
        {0, "validate-every", OPT_INT, &o->validate_every, "INT",
         "updates; 0: a twentieth of the steps"},
        {0, "shards", OPT_TEXT, &o->data.shards, "DIR",
         "read token shards instead of FASTA"},
        {0, "lr", OPT_REAL, &o->run.lr, "REAL", "largest learning rate"},
        {0, "warmup", OPT_REAL, &o->run.warmup, "REAL",
         "share of the steps; 1 and more: steps"},
        {0, "schedule", OPT_CHOICE, &c->schedule, "linear|constant",
         "after the warm-up"},
        {0, "optimizer", OPT_CHOICE, &c->optimizer, "adamw|adamw-hf|bertadam",
         "torch's AdamW, transformers 4.17's, google's"},
        {0, "weight-decay", OPT_REAL, &o->run.weight_decay, "REAL",
         "not on biases and LayerNorm"},
        {0, "clip", OPT_REAL, &o->run.clip, "REAL",
         "largest norm of the gradient; 0: none"},
        {0, "dropout", OPT_REAL, &o->run.dropout, "REAL",
         "instead of the configuration's; < 0: that one"},
        {0, "recompute", OPT_FLAG, &o->run.recompute, NULL,
         "less memory, a third more work"},
        CLI_TRAIN_PRECISION_OPTION(&c->precision),
        {0, "checkpoint-every", OPT_INT, &o->run.checkpoint_every, "INT",
         "updates; 0: ten minutes"},
        {0, "seed", OPT_INT, &c->seed, "INT", "of everything random"},
        {0, "note", OPT_TEXT, &o->run.note, "TEXT", "kept in the model"},
        {0, "resume", OPT_FLAG, &o->run.resume, NULL,
         "go on from the checkpoint in RUN, if there is one"},
        {'t', "threads", OPT_INT, &c->threads, "INT",
         "0: the cores this process may use"},
    };

    if (opt_parse(&first, status, argc, argv, opts,
                  (int)(sizeof(opts) / sizeof(*opts)), &usage))
        return 1;
    o->data.fasta = (const char *const *)argv + first;
    o->data.n_fasta = argc - first;
    return 0;
}

/* Values that the library's types cannot hold. */
static int check(const struct choices *c)
{
    if (c->seed < 0)
        return cli_usage("pretrain: --seed is negative");
    if (c->span < 1 || c->span > 1000)
        return cli_usage("pretrain: --span is not between 1 and 1000");
    return cli_threads(c->threads);
}

int cmd_pretrain(int argc, char **argv)
{
    struct watching w = {0};
    struct choices c = {.seed = 1, .span = 1};
    bird_pretrain_options o;
    char *command;
    int status = 0, rc;

    bird_pretrain_options_default(&o);
    if (parse(argc, argv, &o, &c, &status))
        return status;
    status = check(&c);
    if (status)
        return status;
    o.data.seed = (uint64_t)c.seed;
    o.data.span = (int)c.span;
    o.data.kind = (enum bird_sample_kind)c.kind;
    o.run.optimizer = (enum bird_optimizer)c.optimizer;
    o.run.constant = c.schedule;
    o.run.model.precision = (enum bird_precision)c.precision;
    command = cli_command_line(argc, argv);
    o.run.command = command;
    o.run.progress = watch;
    o.run.progress_context = &w;
    cli_stop_listen(1);
    rc = bird_pretrain(&o);
    cli_progress_end(&w.progress);
    free(command);
    if (rc && *bird_last_error())
        cli_fail();
    if (rc == BIRD_ECANCELED)
        return CLI_STOPPED;
    if (!rc && !w.rank)
        cli_say("the model is in %s", o.run.out);
    return rc ? CLI_FAILED : CLI_OK;
}
