/*
 * dnabird finetune bins: train a model that answers every bin of a long
 * window, by bird_finetune().
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_finetune.h"
#include "cli_options.h"

static const struct opt_usage usage = {
    "finetune bins",
    "[options] --train BED --valid BED -f FASTA [--peaks FILES] [--sites "
    "FILE] -o DIR",
    "Trains a model that answers every bin of a long window, and leaves a\n"
    "model folder at DIR. Windows are those of 'dataset bins'; their sequence\n"
    "is cut from the reference and their labels are made from peaks and start\n"
    "sites each time a window is sampled, so a shift moves its labels too.",
    "A bin has the label of a profile where more than half of it lies in the\n"
    "union of the profile's peaks, TSS+ and TSS- where a start lies in it. A\n"
    "label is unknown, and left out of loss and metrics, where --mask names\n"
    "it, where more than half of the bin is N, in --exclude, and in the\n"
    "margin.\n"
    "--also NAME=FILE:SHARE[,WEIGHT] makes this share of the updates of a\n"
    "table (columns sequence and label, 0 or 1): a row is one bin of its\n"
    "whole length, with one label of its own, NAME. Its gradient is\n"
    "multiplied by WEIGHT (default: 1): one label alone has a larger one\n"
    "than the mean over hundreds. --also-values does the same with the\n"
    "measured values in column NAME (NA: not measured). Its answer is the\n"
    "share of the table's rows that have a smaller value.\n" CHECKPOINTS,
    0,
    0,
    "the windows are named with --train"};

enum { MAX_ALSO = 16 };

struct request {
    bird_finetune_options o;
    bird_finetune_bins b;
    struct opt_names fasta, peaks, other, teacher;
    const char *pos_weight, *also, *also_values;
    char *tables[2]; /* copies of `also` and `also_values`, cut up */
    bird_finetune_also table[MAX_ALSO];
};

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_finetune_options *o = &q->o;
    bird_finetune_bins *b = &q->b;
    const struct opt opts[] = {
        {0, "train", OPT_TEXT, &o->train, "BED", "training windows"},
        {0, "valid", OPT_TEXT, &o->valid, "BED", "validation windows"},
        CLI_BINS(&q->fasta, &q->peaks, &q->other, &b->files),
        CLI_START(&o->run),
        CLI_RUN_FOLDER(&o->run, "DIR"),
        CLI_EPOCHS(o, "window"),
        CLI_THREADS,
        OPT_HEADING("Windows and labels"),
        CLI_BINS_UNKNOWN(&q->other, &b->files),
        CLI_TRANSCRIPTS(&b->files.transcripts),
        {'F', "features", OPT_ONCE, &b->labels.features, "TERMS",
         "learn only these labels"},
        {'b', "bin", OPT_COUNT, &b->labels.bin_bp, "BP", "bases of an answer"},
        {0, "margin", OPT_SIZE, &b->labels.margin_bp, "BP",
         "bases at both ends of a window that are context only (default: "
         "none)"},
        {0, "shift", OPT_SIZE, &o->shift_bp, "BP",
         "move a window by up to this many bases, bins and labels with it"},
        {0, "background", OPT_SHARE, &b->background, "REAL",
         "share of the bins without any positive label to learn from"},
        {0, "also", OPT_LINES, &q->also, "NAME=FILE:SHARE[,WEIGHT]",
         "learn this table too; may be given again"},
        {0, "also-values", OPT_LINES, &q->also_values,
         "NAME=FILE:SHARE[,WEIGHT]",
         "learn the measured values in column NAME of this table too, as their "
         "ranks; may be given again"},
        {0, "teacher", OPT_NAMES, &q->teacher, "MODELS",
         "learn the mean answers of these models in the place of labels; "
         "several separated by commas (default: none)"},
        CLI_ARCHITECTURE(&o->run),
        CLI_TOKENIZER(&o->run),
        {0, "head", OPT_WORD, &o->head, "bins|bins-maxmean",
         "what a bin's answer is computed from: the mean of its rows, or their "
         "maximum and mean"},
        OPT_HEADING("Learning"),
        {0, "batch", OPT_COUNT, &o->batch, "INT", "windows per update"},
        CLI_LR(&o->run),
        CLI_LEARN(o, &q->pos_weight, "window"),
        {0, "max-memory", OPT_SIZE, &b->max_memory, "BYTES",
         "memory for labels and answers of validation, 12 bytes a bin and "
         "label; windows that it does not hold are left out, at even "
         "distances"},
        OPT_FILE_ONLY,
        {0, "cut", OPT_SHARE, &b->cut, "REAL",
         "share of the windows of which only a part is kept and the rest "
         "becomes N"},
        {0, "cut-least", OPT_SIZE, &b->cut_least, "BP",
         "shortest part that is kept"},
        {0, "cut-most", OPT_SIZE, &b->cut_most, "BP",
         "longest part that is kept"},
        {0, "shift-bins", OPT_SIZE, &b->shift_bins, "INT",
         "move a window also by up to this many whole bins (default: none)"},
        {0, "decoys", OPT_SHARE, &b->decoys, "REAL",
         "share of the windows that become random sequence without a start "
         "site (default: none)"},
        CLI_BINS_SETTINGS(&b->files, &b->labels, ""),
        CLI_TRAIN_SETTINGS(&o->run),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

/* "NAME=FILE:SHARE[,WEIGHT]", in place. */
static int parse_table(bird_finetune_also *a, char *text)
{
    char *file = strchr(text, '='), *share = strrchr(text, ':'), *end;

    if (!file || file == text || !share || share < file + 2)
        return 1;
    *file = *share = '\0';
    *a = (bird_finetune_also){text, file + 1, 0, strtod(share + 1, &end), 1};
    if (end == share + 1)
        return 1;
    if (*end == ',') {
        share = end;
        a->weight = strtod(share + 1, &end);
    }
    return end == share + 1 || *end;
}

/* The tables of an option; *copy keeps their texts. */
static int parse_tables(struct request *q, char **copy, const char *text,
                        int values)
{
    const char *option = values ? "--also-values" : "--also";
    char *save = NULL;

    if (!text)
        return CLI_OK;
    *copy = strdup(text);
    if (!*copy)
        return cli_usage("finetune bins: out of memory");
    for (char *line = strtok_r(*copy, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        bird_finetune_also *a = &q->table[q->b.n_also];

        if (q->b.n_also++ == MAX_ALSO)
            return cli_usage("finetune bins: %d tables at most", MAX_ALSO);
        if (parse_table(a, line))
            return cli_usage("finetune bins: %s is NAME=FILE:SHARE or "
                             "NAME=FILE:SHARE,WEIGHT: a share of the updates",
                             option);
        a->values = values;
    }
    return CLI_OK;
}

static int parse_also(struct request *q)
{
    int status = parse_tables(q, &q->tables[0], q->also, 0);

    if (!status)
        status = parse_tables(q, &q->tables[1], q->also_values, 1);
    q->b.also = q->table; /* texts live as long as the program */
    return status;
}

int cmd_finetune_bins(int argc, char **argv)
{
    static struct request q;
    int status;

    bird_finetune_options_default(&q.o);
    bird_finetune_bins_default(&q.b);
    q.o.seed = q.o.split_seed = 1;
    q.o.head = "bins";
    q.o.reverse_complement = 1;
    q.o.batch = 8;
    q.o.min_positives = 10;
    q.b.labels.mask_empty = 1;
    q.pos_weight = "1";
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if (!q.fasta.n || !q.o.train || !q.o.valid)
        return cli_usage("finetune bins: --train BED, --valid BED and -f FASTA "
                         "are needed");
    if ((status = parse_also(&q)))
        return status;
    for (int64_t i = 0; i < q.teacher.n; i++)
        q.teacher.at[i] = cli_model_named(q.teacher.at[i]);
    q.b.teacher = q.teacher.at;
    q.b.n_teacher = q.teacher.n;
    q.b.files.in.fasta = q.fasta.at;
    q.b.files.in.n_fasta = q.fasta.n;
    q.b.files.in.peaks = q.peaks.at;
    q.b.files.in.n_peaks = q.peaks.n;
    q.b.files.other = q.other.at;
    q.b.files.n_other = q.other.n;
    q.o.bins = &q.b;
    return cli_finetune(&q.o, q.pos_weight);
}
