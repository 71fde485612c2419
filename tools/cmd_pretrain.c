/*
 * dnabird pretrain: masked-language training on genomes, by bird_pretrain().
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static int watch(void *context, const bird_progress *p)
{
    const bird_pretrain_state *s = p->pretrain;

    *(int *)context = s->rank;
    if (s->rank)
        return cli_stop_asked();
    cli_progress(NULL, p);
    if (s->validated)
        cli_say("step %lld of %lld: loss %.4f, %.4f bits/base; held out: loss "
                "%.4f, %.4f bits/base, accuracy %.4f; %.0f tokens/s",
                (long long)s->step, (long long)s->steps, s->loss, s->bits,
                s->valid_loss, s->valid_bits, s->valid_accuracy,
                s->tokens_per_s);
    return cli_stop_asked();
}

static const struct opt_usage usage = {
    "pretrain",
    "[options] --steps N -o RUN ref.fa ...",
    "Trains an encoder to fill in masked tokens of genomes and leaves a model\n"
    "folder at RUN. Start from scratch with --preset or --config and\n"
    "--tokenizer, or from a model with --init.",
    "The run's checkpoint and training.tsv are in RUN; SIGTERM, SIGINT,\n"
    "SIGHUP and SIGUSR1 write a checkpoint and end with status 3; --resume\n"
    "continues. With MPI (mpirun -n N dnabird pretrain ...) the rows of a\n"
    "step are shared out.",
    0,
    INT_MAX,
    NULL};

static int parse(int *argc, char ***argv, bird_pretrain_options *o,
                 int64_t *span)
{
    bird_sample_options *s = &o->data;
    const struct opt opts[] = {
        CLI_START(&o->run),
        CLI_TOKENIZER(&o->run),
        CLI_RUN_FOLDER(&o->run, "RUN"),
        CLI_STEPS(&o->run, "updates (no default: needed)"),
        {0, "batch", OPT_COUNT, &o->batch, "TOKENS",
         "tokens of an update: as many rows as fit"},
        CLI_LENGTH(s),
        CLI_LR(&o->run),
        {0, "valid-include", OPT_TEXT, &o->valid, "BED",
         "regions held out for validation"},
        CLI_RESUME(&o->run),
        CLI_THREADS,
        CLI_SAMPLE(s),
        {0, "test-include", OPT_TEXT, &o->test, "BED",
         "regions held out and never read"},
        {0, "repeats", OPT_TEXT, &s->repeats, "BED",
         "mask of repeats: masked tokens in it count less"},
        {0, "repeat-weight", OPT_SHARE, &s->repeat_weight, "REAL",
         "weight of a masked token of a repeat, 0 to 1; with --repeats"},
        {0, "shards", OPT_TEXT, &s->shards, "DIR",
         "read token shards instead of FASTA"},
        {0, "genome-types", OPT_FLAG, &s->genome_types, NULL,
         "tokens of the first FASTA file have token type 0, those of the "
         "second type 1, and so on: the model knows which genome it reads; it "
         "needs as many types"},
        CLI_SEED(&s->seed),
        CLI_ARCHITECTURE(&o->run),
        OPT_HEADING("Learning"),
        CLI_WARMUP(&o->run, CLI_WARMUP_STEPS),
        CLI_UPDATES(&o->run),
        CLI_VALIDATE_EVERY(&o->validate_every, "a twentieth of the steps"),
        {0, "valid-tokens", OPT_SIZE, &o->valid_tokens, "TOKENS",
         "tokens of a validation"},
        CLI_CHECKPOINTS(&o->run, "every ten minutes"),
        CLI_COST(&o->run),
        CLI_RECOMPUTE(&o->run),
        OPT_FILE_ONLY,
        {0, "mask-share", OPT_SHARE, &s->mask, "REAL",
         "share of tokens to mask"},
        {0, "mask-span", OPT_SIZE, span, "INT",
         "mask spans of up to this many tokens"},
        CLI_TRAIN_SETTINGS(&o->run),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

int cmd_pretrain(int argc, char **argv)
{
    bird_pretrain_options o, fresh;
    int64_t span = 1;
    int status, rank = 0, rc;

    bird_pretrain_options_default(&fresh);
    o = fresh;
    o.data.seed = 1;
    if ((status = parse(&argc, &argv, &o, &span)) != OPT_GO)
        return status;
    if (span < 1 || span > 1000)
        return cli_usage("pretrain: mask-span is not between 1 and 1000");
    if (!o.data.repeats && o.data.repeat_weight != fresh.data.repeat_weight)
        return cli_usage("pretrain: --repeat-weight needs --repeats");
    if (!o.valid && (o.valid_tokens != fresh.valid_tokens ||
                     o.validate_every != fresh.validate_every))
        return cli_usage("pretrain: --valid-tokens and --validate-every need "
                         "--valid-include");
    o.data.fasta = (const char *const *)argv;
    o.data.n_fasta = argc;
    o.data.span = (int)span;
    o.run.command = cli_command_line();
    o.run.progress = watch;
    o.run.progress_context = &rank;
    cli_stop_listen(1);
    rc = bird_pretrain(&o);
    if (rc && *bird_last_error())
        cli_fail();
    if (rc == BIRD_ECANCELED)
        return CLI_STOPPED;
    if (!rc && !rank)
        cli_say("the model is in %s", o.run.out);
    return rc ? CLI_FAILED : CLI_OK;
}
