/*
 * dnabird finetune: train a classifier on labelled sequence, by
 * bird_finetune(); finetune chromatin: the same on labelled bins, with the
 * defaults of the paper.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_finetune.h"
#include "cli_options.h"
#include "dnabird/train.h"

/* Notices that were printed. */
struct told {
    int rows; /* facts about the data */
    int baselines;
};

/* Facts about the data, once, and a line for each validation. */
static void tell(struct told *t, const bird_finetune_state *s)
{
    if (!t->rows && (s->train_trimmed || s->valid_trimmed))
        cli_say("%s and %s have more than the %lld tokens that the model "
                "reads: their middle is used",
                cli_count(s->train_trimmed, "training row"),
                cli_count(s->valid_trimmed, "validation row"),
                (long long)s->max_tokens);
    if (!t->rows && s->valid_windows < s->valid_windows_all)
        cli_say("--max-memory does not hold the answers of %s: validating on "
                "%lld of them, at even distances",
                cli_count(s->valid_windows_all, "validation window"),
                (long long)s->valid_windows);
    if (!t->rows)
        cli_say_each((const char *[]){s->left_out, s->never_positive}, 2);
    t->rows = 1;
    if (s->validated)
        cli_say("step %lld of %lld, epoch %.2f: loss %.4f; validation loss "
                "%.4f, %s %.4f, %s %.4f%s; %.0f sequences/s",
                (long long)s->step, (long long)s->steps, s->epoch, s->loss,
                s->valid_loss, s->metric[0], s->valid_metric[0], s->metric[1],
                s->valid_metric[1], s->best ? " (best)" : "", s->rate);
    if (s->validated && s->medians)
        cli_say("median AUROC / AUPRC: %s", s->medians);
}

static int watch(void *context, const bird_progress *p)
{
    struct told *t = context;

    if (p->finetune)
        tell(t, p->finetune);
    else if (!*p->unit && !t->baselines++)
        cli_say("%s on the same rows", p->what);
    return cli_progress(NULL, p);
}

static const struct opt_usage usage = {
    "finetune",
    "[options] --train FILE -o DIR",
    "Trains a classification model on labelled sequences and leaves a model\n"
    "folder at DIR: CSV or TSV with columns sequence and label, FASTA with\n"
    "label=K in the descriptions, or BED with labels on a reference (-f).\n"
    "With --head token each base has a label.",
    CHECKPOINTS,
    0,
    0,
    "the rows are named with --train"};

static const struct opt_usage chromatin_usage = {
    "finetune chromatin",
    "[options] --train BINS -f FASTA -o DIR",
    "Trains a model of chromatin profiles on labelled bins, as 'dataset\n"
    "chromatin' makes them, and leaves a model folder at DIR. The sequence\n"
    "around each bin is cut from the reference (-f) while it trains.",
    "The same as 'finetune' with other defaults: a linear head on token 0,\n"
    "positives weighing 8 (both as in the paper), a random strand. The best\n"
    "weights are those with the largest mean, over classes of profiles, of\n"
    "the median AUROC of a class; DIR/validation.tsv has the metrics of\n"
    "each.\n"
    "Labels that a row does not know are left out of loss and metrics; those\n"
    "known in no training row are left out of the model, and "
    "named.\n" CHECKPOINTS,
    0,
    0,
    "the rows are named with --train"};

/* The rows and their labels. */
/* clang-format off */
#define DATA_OPTIONS(o)                                                        \
    {0, "train", OPT_TEXT, &(o)->train, "FILE", "training rows"},              \
    {0, "valid", OPT_TEXT, &(o)->valid, "FILE",                                \
     "validation rows (default: a share of --train)"}
#define DATA_MORE(o)                                                           \
    OPT_HEADING("Rows"),                                                       \
    {0, "valid-fraction", OPT_SHARE, &(o)->valid_fraction, "REAL",              \
     "that share, chosen by a hash of the sequence (labelled bins: by blocks "  \
     "of 1 Mb)"},                                                               \
    CLI_DATA(&(o)->data),                                                      \
    {0, "context", OPT_SIZE, &(o)->data.context_bp, "BP",                      \
     "sequence around a labelled bin (default: as the bins were made)"},       \
    {0, "weight-column", OPT_TEXT, &(o)->data.weight, "NAME",                  \
     "measured values: column of the rows' weights, such as numbers of "        \
     "replicates"},                                                \
    {0, "error-column", OPT_TEXT, &(o)->data.error, "NAME",                    \
     "measured values: column of standard errors x; weights 1 / x^2"},                   \
    {'F', "features", OPT_ONCE, &(o)->data.features, "TERMS",                  \
     "learn only these labels of labelled bins"},                              \
    {0, "window", OPT_SIZE, &(o)->window_bp, "BP",                             \
     "window width of a scan, kept in the model (default: none)"},             \
    {0, "stride", OPT_SIZE, &(o)->stride_bp, "BP",                             \
     "stride of a scan, kept in the model (default: none)"}
/* clang-format on */

static int parse(int *argc, char ***argv, bird_finetune_options *o,
                 const char **pos_weight, const struct opt_usage *u)
{
    const struct opt opts[] = {
        DATA_OPTIONS(o),
        CLI_DATA_REFERENCE(&o->data),
        CLI_START(&o->run),
        CLI_RUN_FOLDER(&o->run, "DIR"),
        CLI_HEAD(&o->head),
        CLI_EPOCHS(o, "row"),
        {0, "batch", OPT_COUNT, &o->batch, "INT", "sequences per update"},
        CLI_LR(&o->run),
        CLI_THREADS,
        DATA_MORE(o),
        {0, "shift", OPT_SIZE, &o->shift_bp, "BP",
         "rotate a training row by up to this many bases"},
        CLI_ARCHITECTURE(&o->run),
        CLI_TOKENIZER(&o->run),
        OPT_HEADING("Learning"),
        {0, "loss", OPT_CHOICE, &o->loss, "square|gaussian",
         "of measured values: the squared error, or the likelihood of a normal "
         "distribution, of which the model predicts mean and standard "
         "deviation"},
        CLI_LEARN(o, pos_weight, "row"),
        OPT_FILE_ONLY,
        {0, "split-seed", OPT_SIZE, &o->split_seed, "INT",
         "seed of the hash of --valid-fraction"},
        CLI_TRAIN_SETTINGS(&o->run),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), u);
}

/* A number, "data", or weights of classes. */
static int parse_pos_weight(bird_finetune_options *o, const char *s)
{
    char *end;

    o->pos_weight = 0;
    if (!strcmp(s, "data"))
        return CLI_OK;
    o->pos_weight = 1;
    if (strchr(s, '=')) {
        o->pos_weight_of = s;
        return CLI_OK;
    }
    o->pos_weight = strtod(s, &end);
    if (end == s || *end || !(o->pos_weight > 0) || o->pos_weight > 1e9)
        return cli_usage("finetune: --pos-weight is a number above 0, or "
                         "data, or CLASS=NUMBER");
    return CLI_OK;
}

int cli_finetune(bird_finetune_options *o, const char *pos_weight)
{
    static struct told told; /* one run a process */
    int status, rc;

    if ((status = parse_pos_weight(o, pos_weight)) ||
        (status = cli_model(&o->run.model, o->run.init)))
        return status;
    o->run.command = cli_command_line();
    o->run.progress = watch;
    o->run.progress_context = &told;
    cli_stop_listen(1);
    rc = bird_finetune(o);
    if (rc)
        cli_fail();
    if (rc == BIRD_ECANCELED)
        return CLI_STOPPED;
    if (!rc)
        cli_say("the model is in %s", o->run.out);
    return rc ? CLI_FAILED : CLI_OK;
}

static int run(int argc, char **argv, bird_finetune_options *o,
               const char *pos_weight, const struct opt_usage *u)
{
    const double share = o->valid_fraction;
    int status = parse(&argc, &argv, o, &pos_weight, u);

    if (status == OPT_GO && o->valid && o->valid_fraction != share)
        return cli_usage("%s: either --valid or --valid-fraction", u->command);
    if (status == OPT_GO && o->data.values && o->data.label)
        return cli_usage("%s: either --values or --label-column", u->command);
    return status == OPT_GO ? cli_finetune(o, pos_weight) : status;
}

int cmd_finetune(int argc, char **argv)
{
    bird_finetune_options o;

    bird_finetune_options_default(&o);
    o.seed = o.split_seed = 1;
    return run(argc, argv, &o, "1", &usage);
}

int cmd_finetune_chromatin(int argc, char **argv)
{
    bird_finetune_options o;

    bird_finetune_options_default(&o);
    o.seed = o.split_seed = 1;
    o.head = "cls";
    o.reverse_complement = 1;
    o.data.format = "bins";
    return run(argc, argv, &o, "8", &chromatin_usage); /* Zaheer et al. 2020 */
}
