/*
 * dnabird dataset promoters: labelled promoter windows cut from a genome, by
 * bird_promoter_data_write().
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "dataset promoters",
    "-f REF.fa -p TSS [options] -o OUT.tsv.gz",
    "Cuts labelled sequences from a genome: windows around start sites (label "
    "1) and windows away from them (label 0). Columns: sequence, label, chrom, "
    "start, end, strand, kind. The same seed gives the same rows.",
    "With --kind paper the defaults are 8,000 bp, the TSS at 5,000, no N, and "
    "one negative per positive: cut into 20 pieces, 12 of them replaced by "
    "random bases (--negatives random) or permuted (--negatives permuted).\n"
    "The strand opposite to a TSS is neither positive nor negative without "
    "antisense-share.",
    0,
    0,
    NULL};

/* The command line: the library's options and what only the command needs. */
struct request {
    bird_promoter_options o;
    bird_promoter_files files;
    struct opt_names fasta, other;
    const char *path;
    int kind;
};

static void tell(const bird_promoter_tally *t, const char *path)
{
    const int64_t *kind = t->stratum;
    struct cli_text x = {.n = 0};

    cli_say("%s: %s of %s, %s", strcmp(path, "-") ? path : "standard output",
            cli_count(t->positive, "positive"), cli_count(t->used, "TSS|TSSs"),
            cli_count(t->negative, "negative"));
    if (kind[0] + kind[1] + kind[2] + kind[3])
        cli_say("negatives: %s background, %s CpG island, %s near a TSS, %s "
                "antisense",
                cli_count(kind[BIRD_STRATUM_BACKGROUND], ""),
                cli_count(kind[BIRD_STRATUM_ISLAND], ""),
                cli_count(kind[BIRD_STRATUM_NEAR], ""),
                cli_count(kind[BIRD_STRATUM_ANTISENSE], ""));
    cli_put_some(&x, ", ", t->repeated, "TSS|TSSs", " given more than once");
    cli_put_some(&x, ", ", t->elsewhere, "TSS|TSSs", " outside the regions");
    cli_put_some(&x, ", ", t->no_contig, "TSS|TSSs",
                 " on contigs that the reference lacks");
    cli_put_some(&x, ", ", t->outside, "window", " across a border");
    cli_put_some(&x, ", ", t->unknown, "window", " with too many N");
    if (x.n)
        cli_say("left out: %s", x.s + 2);
}

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_promoter_options *o = &q->o;
    bird_promoter_files *f = &q->files;
    const struct opt opts[] = {
        CLI_REFERENCES(&q->fasta),
        {'p', "sites", OPT_TEXT, &f->tss, "FILE",
         "start sites that are the positives: BED6, or transcripts in GTF or "
         "GFF3"},
        {'a', "other-sites", OPT_NAMES, &q->other, "FILES",
         "further start sites: negatives keep their distance from them; "
         "several separated by commas"},
        CLI_REGIONS(&f->regions, "only windows inside these regions"),
        {'x', "exclude", OPT_TEXT, &f->exclude, "BED", "never these regions"},
        {'o', "output", OPT_OUT, &q->path, "FILE",
         "TSV, compressed when it ends in .gz"},
        {0, "kind", OPT_CHOICE, &q->kind, "scan|paper",
         "windows for scanning, or the 8 kb of the paper"},
        {'w', "window", OPT_SIZE, &o->window, "BP", "window width"},
        {0, "negatives", OPT_CHOICE, &o->negatives, "genomic|random|permuted",
         "genomic windows, or positives with pieces replaced"},
        {0, "ratio", OPT_REAL, &o->ratio, "REAL", "negatives per positive"},
        CLI_SEED(&o->seed),
        OPT_HEADING("Windows"),
        {0, "anchor", OPT_INT, &o->anchor, "BP",
         "from the 5' end of a window to the TSS"},
        CLI_MAX_N(&o->max_n),
        CLI_TRANSCRIPTS(&f->transcripts),
        OPT_FILE_ONLY,
        {0, "jitter", OPT_SIZE, &o->jitter, "BP",
         "largest distance of the TSS from the anchor"},
        {0, "copies", OPT_COUNT, &o->copies, "INT", "windows per TSS"},
        {0, "away", OPT_SIZE, &o->away, "BP",
         "least distance of a negative's anchor from a TSS"},
        {0, "islands", OPT_TEXT, &f->islands, "BED", "CpG islands"},
        {0, "island-share", OPT_SHARE, &o->island, "REAL",
         "share of negatives in CpG islands"},
        {0, "near-share", OPT_SHARE, &o->near_share, "REAL",
         "share of negatives near a TSS"},
        {0, "near", OPT_SIZE, &o->near, "BP",
         "near-share: largest distance from a TSS"},
        {0, "antisense-share", OPT_SHARE, &o->antisense, "REAL",
         "share of negatives opposite to a TSS"},
        {0, "pieces", OPT_COUNT, &o->pieces, "INT", "pieces of a positive"},
        {0, "replaced", OPT_SIZE, &o->replaced, "INT",
         "pieces of a positive that are replaced in its negative"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

/* Does the command line ask for the paper's set? Its defaults come first. */
static int asks_paper(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--kind=paper") ||
            (!strcmp(argv[i], "--kind") && i + 1 < argc &&
             !strcmp(argv[i + 1], "paper")))
            return 1;
    return 0;
}

int cmd_dataset_promoters(int argc, char **argv)
{
    const int paper = asks_paper(argc, argv);
    struct request q = {.kind = paper};
    bird_promoter_tally tally;
    int status;

    bird_promoter_options_default(&q.o);
    if (q.kind)
        bird_promoter_options_paper(&q.o);
    q.kind = 0;
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if (q.kind && !paper)
        return cli_usage("dataset promoters: give --kind paper on the command "
                         "line: the defaults of other options follow from it");
    if (!q.fasta.n || !q.files.tss || !q.path)
        return cli_usage("dataset promoters: -f REF.fa, -p TSS and -o "
                         "FILE are needed");
    q.files.fasta = q.fasta.at;
    q.files.n_fasta = q.fasta.n;
    q.files.other = q.other.at;
    q.files.n_other = q.other.n;
    if (bird_promoter_data_write(q.path, &q.files, &q.o, &tally))
        return cli_fail();
    tell(&tally, q.path);
    return CLI_OK;
}
