/*
 * dnabird dataset repeats: a mask of a genome's repeats, by
 * bird_repeats_write().
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "dataset repeats",
    "[options] [-o OUT.bed] ref.fa...",
    "Writes as BED which bases of a genome (FASTA: plain, gzip, bgzip) are "
    "repeats: those in a k-mer of -k bases that occurs at least --min-count "
    "times in the genome, on either strand. For pretrain --repeats and "
    "evaluate "
    "--mlm --repeats, where a genome's repeats are not in lower case; lower "
    "case is read as upper case.",
    "Give the whole genome: counts in a part of it are lower. Memory: 3/8 "
    "byte per base, and a table of 10 bytes for two to four times as many "
    "k-mers as there are bases, --max-memory at most; with less memory the "
    "genome is read more often and the mask is the same.",
    1,
    INT_MAX,
    "no FASTA file"};

int cmd_dataset_repeats(int argc, char **argv)
{
    bird_repeats_options o;
    bird_repeats_tally t;
    int64_t min_count;
    const struct opt opts[] = {
        {'k', "length", OPT_COUNT, &o.k, "INT", "bases of a k-mer, 8 to 31"},
        {0, "min-count", OPT_COUNT, &min_count, "INT",
         "k-mers that occur at least so often are repeats"},
        {0, "max-memory", OPT_SIZE, &o.max_memory, "BYTES",
         "memory for the table of k-mers"},
        CLI_OUTPUT(&o.output),
    };
    int status;

    bird_repeats_options_default(&o);
    min_count = o.more_than + 1;
    status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    if (status != OPT_GO)
        return status;
    if (min_count < 2 || min_count > UINT16_MAX)
        return cli_usage("dataset repeats: --min-count must be 2 to 65535, got "
                         "%lld",
                         (long long)min_count);
    o.more_than = min_count - 1;
    o.fasta = (const char *const *)argv;
    o.n_fasta = argc;
    o.progress = cli_progress;
    if (bird_repeats_write(&o, &t))
        return cli_fail();
    cli_say("%lld of %s are repeats (%.2f %%), in %s", (long long)t.n_repeat,
            cli_count(t.n_base, "base"),
            100 * (double)t.n_repeat / (double)t.n_base,
            cli_count(t.n_interval, "interval"));
    return CLI_OK;
}
