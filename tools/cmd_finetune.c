/* dnabird finetune: learn a classification model. SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/dnabird.h"
#include "dnabird/train.h"
#include "opt.h"
#include "progress.h"

struct talk {
    struct cli_progress progress;
    int told;   /* of rows that are cut */
    int floors; /* told that they are being fitted */
};

/* The line that each validation leaves, and once what the data are like. */
static void tell(struct talk *t, const bird_finetune_state *s)
{
    struct cli_progress *p = &t->progress;

    if (!t->told && (s->train_trimmed || s->valid_trimmed)) {
        cli_progress_end(p);
        cli_say("%lld training and %lld validation rows have more than the "
                "%lld tokens that the model reads: their middle is used",
                (long long)s->train_trimmed, (long long)s->valid_trimmed,
                (long long)s->max_tokens);
    }
    if (!t->told && (s->left_out || s->never_positive))
        cli_progress_end(p);
    if (!t->told && s->left_out)
        cli_say("%s", s->left_out);
    if (!t->told && s->never_positive)
        cli_say("%s", s->never_positive);
    t->told = 1;
    if (s->validated) {
        cli_progress_end(p);
        cli_say("step %lld of %lld, epoch %.2f: loss %.4f; validation loss "
                "%.4f, AUROC %.4f, MCC %.4f%s; %.0f sequences/s",
                (long long)s->step, (long long)s->steps, s->epoch, s->loss,
                s->valid_loss, s->valid_auroc, s->valid_mcc,
                s->best ? " (best)" : "", s->rate);
    }
}

static int watch(void *context, const bird_progress *p)
{
    struct talk *t = context;

    if (p->finetune)
        tell(t, p->finetune);
    else if (!*p->unit && !t->floors++) {
        cli_progress_end(&t->progress);
        cli_say("%s on the same rows", p->what);
    }
    return cli_progress(&t->progress, p);
}

static const char about[] =
    "Trains a classification model on labelled sequences and leaves a model\n"
    "folder at DIR: CSV or TSV with columns sequence and label, FASTA with\n"
    "label=K in the descriptions, or BED with labels on a reference (-f).";

static const char chromatin_about[] =
    "Trains a model of chromatin profiles on labelled bins, as 'dataset\n"
    "chromatin' makes them, and leaves a model folder at DIR. The letters\n"
    "around each bin are cut from the reference (-f) while it trains.";

static const char chromatin_notes[] =
    "The same as 'finetune' with other defaults: a linear head on token 0,\n"
    "positives weighing 8 (both as in the paper), a strand at random. The\n"
    "best weights are those with the largest mean, over classes of profiles,\n"
    "of the median AUROC of a class; DIR/validation.tsv has the figures of\n"
    "each.\n"
    "Labels that a row does not know are left out of loss and figures; those\n"
    "known in no training row are left out of the model, and named.";

static const char notes[] =
    "The run's checkpoint and training.tsv lie in DIR; SIGTERM and SIGUSR1\n"
    "write a checkpoint and end with status 3; --resume goes on.";

struct choices { /* what OPT_INT and OPT_CHOICE write to */
    int64_t seed, split_seed, threads;
    int head, optimizer, select, no_baselines, given_strand;
    struct cli_model_choice model;
    int chromatin; /* `finetune chromatin` */
    const char *pos_weight;
};

#define N_OF(a) (int)(sizeof(a) / sizeof(*(a)))

/* What is learned from, and what is to learn. */
static int data_options(struct opt *out, bird_finetune_options *o,
                        struct choices *c)
{
    const struct opt opts[] = {
        {0, "train", OPT_TEXT, &o->train, "FILE", "training rows"},
        {0, "valid", OPT_TEXT, &o->valid, "FILE",
         "validation rows; without it a share of --train is held out"},
        {0, "valid-fraction", OPT_REAL, &o->valid_fraction, "REAL",
         "that share, by a hash of the letters"},
        {0, "split-seed", OPT_INT, &c->split_seed, "INT", "of that hash"},
        {0, "data-format", OPT_TEXT, &o->data.format, "FORM",
         "csv, tsv, fasta, bed or bins; else by the file itself"},
        {0, "sequence-column", OPT_TEXT, &o->data.sequence, "NAME",
         "column of the sequence"},
        {0, "label-column", OPT_TEXT, &o->data.label, "NAME",
         "column of the label; several by commas: a multi-label model"},
        {'f', "reference", OPT_TEXT, &o->data.reference, "FASTA",
         "genome of BED rows and of labelled bins; of these several with "
         "commas"},
        {0, "context", OPT_INT, &o->data.context_bp, "BP",
         "letters around a labelled bin; 0: what the bins were made for"},
        {0, "features", OPT_TEXT, &o->data.features, "TERMS",
         "learn only these labels of labelled bins"},
        {0, "init", OPT_TEXT, &o->run.init, "MODEL", "start from this model"},
        {0, "preset", OPT_TEXT, &o->run.preset, "NAME",
         "start from scratch: tiny, small or base"},
        {0, "config", OPT_TEXT, &o->run.config, "FILE",
         "start from scratch with this config.json"},
        CLI_MODEL_KIND_OPTIONS(&o->run.model, &c->model),
        {0, "tokenizer", OPT_TEXT, &o->run.tokenizer, "FILE",
         "tokenizer.json; else that of --init"},
        {'o', "output", OPT_TEXT, &o->run.out, "DIR",
         "the run, then the model"},
        {0, "head", OPT_CHOICE, &c->head, cli_heads(),
         "that of transformers, or a linear one on pooler, token 0 or the mean "
         "of all tokens"},
    };

    (void)c;
    memcpy(out, opts, sizeof(opts));
    return N_OF(opts);
}

/* How it learns. */
static int learning_options(struct opt *out, bird_finetune_options *o,
                            struct choices *c)
{
    const struct opt opts[] = {
        {0, "epochs", OPT_INT, &o->epochs, "INT", "passes over the rows"},
        {0, "steps", OPT_INT, &o->run.steps, "INT",
         "updates, instead of epochs"},
        {0, "batch", OPT_INT, &o->batch, "INT", "sequences an update"},
        {0, "pack-tokens", OPT_INT, &o->run.pack_tokens, "INT",
         "tokens of one forward pass: memory"},
        {0, "lr", OPT_REAL, &o->run.lr, "REAL", "largest learning rate"},
        {0, "warmup", OPT_REAL, &o->run.warmup, "REAL", "share of the steps"},
        {0, "constant", OPT_FLAG, &o->run.constant, NULL,
         "no decay after the warm-up"},
        {0, "optimizer", OPT_CHOICE, &c->optimizer, "adamw|adamw-hf|bertadam",
         "torch's AdamW, transformers 4.17's, google's"},
        {0, "weight-decay", OPT_REAL, &o->run.weight_decay, "REAL",
         "not on biases and LayerNorm"},
        {0, "clip", OPT_REAL, &o->run.clip, "REAL",
         "largest norm of the gradient; 0: none"},
        {0, "dropout", OPT_REAL, &o->run.dropout, "REAL",
         "instead of the configuration's; < 0: that one"},
        {0, "average", OPT_REAL, &o->average, "REAL",
         "decay of a moving average of the weights; 0: none"},
        {0, "pos-weight", OPT_TEXT, &c->pos_weight, "REAL|data",
         "weight of positives of multi-label models; data: each label's "
         "negatives by its positives, at most 100"},
        {0, "reverse-complement", OPT_FLAG, &o->reverse_complement, NULL,
         "a strand at random for every row"},
        {0, "given-strand", OPT_FLAG, &c->given_strand, NULL,
         "every row as it stands"},
        {0, "mutate", OPT_REAL, &o->mutate, "REAL",
         "probability of a base of a training row to become another one"},
        {0, "shift", OPT_INT, &o->shift_bp, "BP",
         "move a training row by up to so many letters; what leaves at one "
         "end comes in at the other"},
        {0, "select", OPT_CHOICE, &c->select, "auroc|mcc|loss",
         "which validation figure picks the weights"},
        {0, "evaluate-every", OPT_INT, &o->evaluate_every, "INT",
         "updates; 0: an epoch"},
        {0, "checkpoint-every", OPT_INT, &o->run.checkpoint_every, "INT",
         "updates, besides at validations; 0: no more"},
        {0, "patience", OPT_INT, &o->patience, "INT",
         "stop after so many validations without a better; 0: never"},
    };

    (void)c;
    memcpy(out, opts, sizeof(opts));
    return N_OF(opts);
}

/* How the run goes. */
static int run_options(struct opt *out, bird_finetune_options *o,
                       struct choices *c)
{
    const struct opt opts[] = {
        {0, "seed", OPT_INT, &c->seed, "INT", "of everything random"},
        {0, "recompute", OPT_FLAG, &o->run.recompute, NULL,
         "less memory, a third more work"},
        CLI_TRAIN_PRECISION_OPTION(&c->model.precision),
        {0, "no-baselines", OPT_FLAG, &c->no_baselines, NULL,
         "do not fit and store the k-mer floors"},
        {0, "window", OPT_INT, &o->window_bp, "BP",
         "kept in the model: window of a scan"},
        {0, "stride", OPT_INT, &o->stride_bp, "BP",
         "kept in the model: stride of a scan"},
        {0, "note", OPT_TEXT, &o->run.note, "TEXT", "kept in the model"},
        {0, "resume", OPT_FLAG, &o->run.resume, NULL,
         "go on from the checkpoint in DIR, if there is one"},
        {'t', "threads", OPT_INT, &c->threads, "INT",
         "0: the cores this process may use"},
    };

    (void)c;
    memcpy(out, opts, sizeof(opts));
    return N_OF(opts);
}

static int parse(int argc, char **argv, bird_finetune_options *o,
                 struct choices *c, int *status)
{
    struct opt_usage usage = {c->chromatin ? "finetune chromatin" : "finetune",
                              c->chromatin
                                  ? "[options] --train BINS -f FASTA -o DIR"
                                  : "[options] --train FILE -o DIR",
                              c->chromatin ? chromatin_about : about,
                              c->chromatin ? chromatin_notes : notes};
    struct opt opts[64];
    int first, n = data_options(opts, o, c);

    n += learning_options(opts + n, o, c);
    n += run_options(opts + n, o, c);
    if (opt_parse(&first, status, argc, argv, opts, n, &usage))
        return 1;
    if (first < argc) {
        *status = cli_usage("%s: '%s' is one argument too many; the "
                            "rows are named with --train",
                            usage.command, argv[first]);
        return 1;
    }
    return 0;
}

/* A number, or "data". */
static int parse_pos_weight(double *out, const char *s)
{
    char *end;

    if (!strcmp(s, "data")) {
        *out = 0;
        return 0;
    }
    *out = strtod(s, &end);
    if (end == s || *end || !(*out > 0) || *out > 1e9)
        return cli_usage("finetune: --pos-weight is a number above 0, or "
                         "data");
    return 0;
}

/* What the words and numbers of the command line mean. */
static int settle(bird_finetune_options *o, const struct choices *c)
{
    if (c->seed < 0 || c->split_seed < 0)
        return cli_usage("finetune: a seed is negative");
    if (parse_pos_weight(&o->pos_weight, c->pos_weight))
        return CLI_USAGE;
    o->seed = (uint64_t)c->seed;
    o->split_seed = (uint64_t)c->split_seed;
    o->head = bird_head_choice(c->head);
    o->run.optimizer = (enum bird_optimizer)c->optimizer;
    o->select = (enum bird_finetune_select)c->select;
    o->baselines = !c->no_baselines;
    if (c->given_strand)
        o->reverse_complement = 0;
    return cli_threads(c->threads);
}

int cmd_finetune(int argc, char **argv)
{
    struct talk talk = {0};
    struct choices c = {.seed = 1, .split_seed = 1, .pos_weight = "1"};
    bird_finetune_options o;
    char *command;
    int status = 0, rc;

    bird_finetune_options_default(&o);
    if (argc > 1 && !strcmp(argv[1], "chromatin")) {
        c.chromatin = 1;
        c.pos_weight = "8"; /* Zaheer et al. 2020 */
        c.head = cli_head("cls");
        o.reverse_complement = 1;
        o.data.format = "bins";
    }
    if (parse(argc - c.chromatin, argv + c.chromatin, &o, &c, &status))
        return status;
    if (settle(&o, &c))
        return CLI_USAGE;
    if ((status = cli_model(&o.run.model, &c.model, o.run.init)))
        return status;
    command = cli_command_line(argc, argv);
    o.run.command = command;
    o.run.progress = watch;
    o.run.progress_context = &talk;
    cli_stop_listen(1);
    rc = bird_finetune(&o);
    cli_progress_end(&talk.progress);
    free(command);
    if (rc == BIRD_ECANCELED) {
        cli_fail();
        return CLI_STOPPED;
    }
    if (rc)
        return cli_fail();
    cli_say("the model is in %s", o.run.out);
    return CLI_OK;
}
