/* dnabird dataset: labelled data from a genome. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "dnabird/train.h"
#include "list.h"
#include "opt.h"

enum { KIND_SCAN, KIND_PAPER };

static void tell(const bird_promoter_tally *t, const char *path)
{
    cli_say("%s: %" PRId64 " positives of %" PRId64 " TSSs, %" PRId64
            " negatives",
            strcmp(path, "-") ? path : "standard output", t->positive, t->used,
            t->negative);
    if (t->stratum[0] + t->stratum[1] + t->stratum[2] + t->stratum[3])
        cli_say("negatives: %" PRId64 " background, %" PRId64
                " CpG island, %" PRId64 " near a TSS, %" PRId64 " antisense",
                t->stratum[BIRD_STRATUM_BACKGROUND],
                t->stratum[BIRD_STRATUM_ISLAND], t->stratum[BIRD_STRATUM_NEAR],
                t->stratum[BIRD_STRATUM_ANTISENSE]);
    cli_say("left out: %" PRId64 " TSSs outside the regions, %" PRId64
            " on contigs of no reference; %" PRId64
            " windows over a border, %" PRId64 " with too many N",
            t->elsewhere, t->no_contig, t->outside, t->unknown);
}

/* What the command line says, beside the library's own options. */
struct request {
    bird_promoter_options o, scan;
    bird_promoter_files files;
    const char *fasta, *other, *path;
    int64_t seed;
    int kind, negatives;
};

static int write_set(struct request *q)
{
    const char **fasta = NULL, **other = NULL;
    bird_promoter_tally tally;
    int status = CLI_OK;

    fasta = list_split(&q->files.n_fasta, q->fasta);
    if (q->other)
        other = list_split(&q->files.n_other, q->other);
    if (!fasta || (q->other && !other)) {
        list_free(fasta);
        list_free(other);
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    q->files.fasta = fasta;
    q->files.other = other;
    if (bird_promoter_data_write(q->path, &q->files, &q->o, &tally))
        status = cli_fail();
    else
        tell(&tally, q->path);
    list_free(fasta);
    list_free(other);
    return status;
}

static int parse(struct request *q, int *status, int argc, char **argv)
{
    bird_promoter_options *o = &q->o;
    const struct opt opts[] = {
        {'f', "reference", OPT_TEXT, &q->fasta, "FILES",
         "reference FASTA; several with commas"},
        {'p', "tss", OPT_TEXT, &q->files.tss, "FILE",
         "start sites that are the positives: BED6, or transcripts in GTF or "
         "GFF3"},
        {'a', "away-from", OPT_TEXT, &q->other, "FILES",
         "further start sites that negatives keep away from; several with "
         "commas"},
        {0, "feature", OPT_TEXT, &q->files.transcripts.feature, "TYPES",
         "features of GTF or GFF3 that start at a start site [transcript, in "
         "GFF3 mRNA too]"},
        {0, "attribute", OPT_LINES, &q->files.transcripts.attributes,
         "KEY=VALUE", "only those with this attribute; given again: with all"},
        {'R', "regions-file", OPT_ONCE, &q->files.regions, "BED",
         "windows lie whole inside these regions"},
        {'x', "exclude", OPT_TEXT, &q->files.exclude, "BED",
         "no window touches these"},
        {'o', "output", OPT_OUT, &q->path, "FILE",
         "TSV, compressed when it ends in .gz"},
        {'k', "kind", OPT_CHOICE, &q->kind, "scan|paper",
         "windows for scanning, or the 8 kb of the paper"},
        {'n', "negatives", OPT_CHOICE, &q->negatives, "genomic|random|permuted",
         "genomic windows, or positives with pieces replaced"},
        {'w', "window", OPT_INT, &o->window, "INT", "bp of a row"},
        {0, "anchor", OPT_INT, &o->anchor, "INT",
         "bp from the 5' end to the TSS"},
        {0, "jitter", OPT_INT, &o->jitter, "INT",
         "the TSS lies up to so many bp off the anchor"},
        {0, "copies", OPT_INT, &o->copies, "INT", "windows a TSS"},
        {0, "ratio", OPT_REAL, &o->ratio, "REAL", "negatives a positive"},
        {0, "away", OPT_INT, &o->away, "INT",
         "least bp from a negative's anchor to a TSS"},
        {0, "islands", OPT_TEXT, &q->files.islands, "BED", "CpG islands"},
        {0, "island-share", OPT_REAL, &o->island, "REAL",
         "share of negatives in CpG islands"},
        {0, "near-share", OPT_REAL, &o->near_share, "REAL",
         "share of negatives near a TSS"},
        {0, "near", OPT_INT, &o->near, "INT", "how many bp that means"},
        {0, "antisense-share", OPT_REAL, &o->antisense, "REAL",
         "share of negatives opposite to a TSS"},
        {0, "max-n", OPT_REAL, &o->max_n, "REAL",
         "largest share of N in a row"},
        {0, "pieces", OPT_INT, &o->pieces, "INT", "pieces of a positive"},
        {0, "replaced", OPT_INT, &o->replaced, "INT",
         "pieces of it that are replaced"},
        {0, "seed", OPT_INT, &q->seed, "INT", "seed of all draws"},
    };
    const struct opt_usage usage = {
        "dataset promoters", "-f REF.fa -p TSS [options] -o OUT.tsv.gz",
        "Cut labelled sequences from a genome: windows around start sites "
        "(label 1) and windows that are none (label 0). Columns: sequence, "
        "label, chrom, start, end, strand, kind. The same seed gives the same "
        "rows.",
        "With -k paper the defaults are 8,000 bp, the TSS at 5,000, no N, and "
        "one negative a positive: cut into 20 pieces, 12 of them replaced by "
        "random bases (-n random) or among each other (-n permuted).\n"
        "The strand opposite to a TSS is neither positive nor negative "
        "without --antisense-share."};
    int first;

    if (opt_parse(&first, status, argc, argv, opts,
                  (int)(sizeof(opts) / sizeof(*opts)), &usage))
        return 1;
    if (first < argc) {
        *status = cli_usage("dataset promoters: '%s' is one argument too many",
                            argv[first]);
        return 1;
    }
    return 0;
}

/* Does the command line ask for the paper's set? Its defaults come first. */
static int asks_paper(int argc, char **argv)
{
    int i, yes = 0;

    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--kind=paper") || !strcmp(argv[i], "-kpaper"))
            yes = 1;
        if (i + 1 < argc && !strcmp(argv[i + 1], "paper") &&
            (!strcmp(argv[i], "-k") || !strcmp(argv[i], "--kind")))
            yes = 1;
    }
    return yes;
}

static int promoters(int argc, char **argv)
{
    struct request q = {0};
    int status;

    bird_promoter_options_default(&q.o);
    if (asks_paper(argc, argv))
        bird_promoter_options_paper(&q.o);
    q.negatives = (int)q.o.negatives;
    q.seed = (int64_t)q.o.seed;
    if (parse(&q, &status, argc, argv))
        return status;
    if (!q.fasta || !q.files.tss || !q.path)
        return cli_usage("dataset promoters: -f REF.fa, -p TSS and -o FILE "
                         "are needed");
    q.o.negatives = (enum bird_promoter_negatives)q.negatives;
    q.o.seed = (uint64_t)q.seed;
    return write_set(&q);
}

int cmd_dataset(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "promoters"))
        return promoters(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "chromatin"))
        return cmd_dataset_chromatin(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "tokens"))
        return cmd_dataset_tokens(argc - 1, argv + 1);
    if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
        puts("Usage: dnabird dataset promoters|chromatin|tokens [options]\n\n"
             "  promoters    labelled promoter windows from a genome\n"
             "  chromatin    labelled bins from peak files\n"
             "  tokens       rows for pretraining, tokenized beforehand\n\n"
             "'dnabird dataset promoters --help' tells the options of one.");
        return CLI_OK;
    }
    if (argc > 1)
        return cli_usage("there is no dataset '%s'; 'dnabird dataset --help' "
                         "lists them",
                         argv[1]);
    return cli_usage("which dataset? 'dnabird dataset --help' lists them");
}
