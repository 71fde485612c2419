/*
 * dnabird dataset bins: windows for models that predict bins, by
 * bird_bin_split_write().
 * SPDX-License-Identifier: MIT
 */
#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "dataset bins",
    "-f REF.fa [options] -o DIR",
    "Cuts a genome into the windows that 'finetune bins' and 'evaluate bins' "
    "read, a BED file for each part of a split. No labels are written: they "
    "are made when a window is read.",
    "--split train=a.bed,valid=chr8+chr9,test=rest makes DIR/NAME.bed of each "
    "part. Windows begin at multiples of a bin; by default those less their "
    "margins lie end to end. With shifted windows the setting "
    "border keeps parts apart: a margin and the largest shift, or more.",
    0,
    0,
    NULL};

struct request {
    bird_bin_split o;
    struct opt_names fasta;
};

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_bin_split *o = &q->o;
    const struct opt opts[] = {
        CLI_REFERENCES(&q->fasta),
        {0, "split", OPT_TEXT, &o->split, "PARTS",
         "parts, a file each: NAME=WHERE,... (default: all=rest)"},
        {'x', "exclude", OPT_TEXT, &o->exclude, "BED", "never these regions"},
        {'o', "output", OPT_TEXT, &o->output, "DIR", "folder of NAME.bed"},
        {'b', "bin", OPT_COUNT, &o->bin_bp, "BP", "bin width"},
        {'w', "window", OPT_COUNT, &o->window_bp, "BP", "window width"},
        {0, "margin", OPT_SIZE, &o->margin_bp, "BP",
         "bases at both ends of a window that are context only"},
        {'s', "stride", OPT_SIZE, &o->stride_bp, "BP",
         "from window to window (default: a window less its margins)"},
        CLI_MAX_N(&o->max_n),
        OPT_FILE_ONLY,
        {0, "border", OPT_SIZE, &o->border_bp, "BP",
         "distance of a window from the end of a part inside a contig "
         "(default: none)"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

int cmd_dataset_bins(int argc, char **argv)
{
    struct request q = {.fasta = {0}};
    bird_bin_split_tally t;
    int status;

    bird_bin_split_default(&q.o);
    q.o.stride_bp = INT64_MIN;
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if (!q.fasta.n || !q.o.output)
        return cli_usage("dataset bins: -f REF.fa and -o DIR are needed");
    if (q.o.stride_bp == INT64_MIN)
        q.o.stride_bp = 0;
    q.o.fasta = q.fasta.at;
    q.o.n_fasta = q.fasta.n;
    if (bird_bin_split_write(&q.o, &t))
        return cli_fail();
    for (int64_t i = 0; i < t.n_part; i++)
        cli_say("%s: %s (left out: %s too short, %s with too many N)",
                t.part[i].name, cli_count(t.part[i].n_window, "window"),
                cli_count(t.part[i].n_short, "region"),
                cli_count(t.part[i].n_unknown, "window"));
    return CLI_OK;
}
