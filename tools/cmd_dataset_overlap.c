/*
 * dnabird dataset overlap: rows that share sequence with other files, by
 * bird_overlap().
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dataset.h"

static const struct opt_usage usage = {
    "dataset overlap",
    "[options] ROWS WITH...",
    "Names the rows of a table (CSV, TSV or FASTA, any labels or values) that\n"
    "share a k-mer of --length bases with other files, on either strand, and\n"
    "copies the table without them (--kept): what is left can be learned from\n"
    "when the other files are what a model is measured on.",
    "WITH: tables, FASTA files, or with -f BED files of regions. Output: "
    "number "
    "of the row (from 1), its name, the first file that has its sequence.",
    2,
    INT_MAX,
    "a table and at least one file to compare with are needed"};

static void tell(const bird_overlap_options *o, const bird_overlap_tally *t)
{
    for (int64_t i = 0; o->n_with > 1 && i < o->n_with; i++)
        cli_say("%s with %lld bp of %s", cli_count(t->n_shared[i], "row"),
                (long long)o->shared_k, o->with[i]);
    if (t->n_below)
        cli_say("warning: %s shorter than %lld bp, which cannot be compared: "
                "give a smaller --length",
                cli_count(t->n_below, "row"), (long long)o->shared_k);
    cli_say("%s of %s share %lld bp", cli_count(t->n_any, ""),
            cli_count(t->n_row, "row"), (long long)o->shared_k);
}

int cmd_dataset_overlap(int argc, char **argv)
{
    bird_overlap_options o;
    struct opt_names fasta = {0};
    bird_overlap_tally tally;
    int status;

    bird_overlap_options_default(&o);
    {
        const struct opt opts[] = {
            {0, "kept", OPT_OUT, &o.kept, "FILE",
             "the table without these rows, all columns kept"},
            {'k', "length", OPT_SIZE, &o.shared_k, "INT",
             "bases of a k-mer, 1 to 63"},
            CLI_REFERENCES(&fasta),
            {0, "margin", OPT_SIZE, &o.margin_bp, "BP",
             "bases around a region that belong to it (default: none)"},
            {0, "sequence-column", OPT_TEXT, &o.sequence, "NAME",
             "column of the sequence (default: sequence)"},
            {0, "name-column", OPT_TEXT, &o.name, "NAME",
             "column of the row's name"},
            CLI_OUTPUT(&o.output),
        };

        status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    }
    if (status != OPT_GO)
        return status;
    o.rows = argv[0];
    o.with = (const char *const *)argv + 1;
    o.n_with = argc - 1;
    o.fasta = fasta.at;
    o.n_fasta = fasta.n;
    if (bird_overlap(&o, &tally))
        return cli_fail();
    tell(&o, &tally);
    return CLI_OK;
}
