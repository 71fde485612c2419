/*
 * dnabird dataset chromatin: labelled bins from peaks, by
 * bird_chromatin_data_write(), or from DeepSEA's own files, by
 * bird_deepsea_data_write().
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/train.h"

static const struct opt_usage usage = {
    "dataset chromatin",
    "-f REF.fa [options] -o OUT.tsv.zst [PEAKS ...]\n"
    "       dnabird dataset chromatin --deepsea FILE.mat -o OUT.tsv.zst",
    "Makes training data for chromatin models: bins of the genome with the "
    "profiles whose peaks cover them. PEAKS are BED, narrowPeak or broadPeak "
    "files in any order, compressed or not: one per profile, or, with "
    "--name-column or --profiles, files whose column 4 names the profile.",
    "overlap: half (more than half of the bin lies in the union of the "
    "profile's peaks, as in DeepSEA), any (one base), centre (its middle "
    "base, as in Sei), or a share: at least that (0.5 as in Selene).\n"
    "--split train=a.bed,test=chr8+chr9,other=rest makes NAME.tsv.zst in the "
    "folder of -o for each part, --keep class:TF keeps the bins that have a "
    "label of that class, --mask names profile and contig, separated by a tab, "
    "where nothing is known. docs/formats.md has the files.\n"
    "--deepsea takes train.mat, valid.mat or test.mat of DeepSEA's training "
    "bundle, whose samples are sequences with the labels of 919 profiles; "
    "-f, PEAKS and what chooses bins have no meaning then.",
    0,
    INT_MAX,
    NULL};

struct request {
    bird_chromatin_data_options o;
    bird_chromatin_files files;
    bird_deepsea_options deepsea;
    struct opt_names fasta;
    int no_version;
};

static void tell(const bird_chromatin_tally *t)
{
    struct cli_text x = {.n = 0};

    for (int64_t i = 0; i < t->n_part; i++)
        cli_say("%s: %s (%s of them background), %s of %s", t->part[i].name,
                cli_count(t->part[i].n_row, "bin"),
                cli_count(t->part[i].n_background, ""),
                cli_count(t->part[i].n_label, "label"),
                cli_count(t->n_profile, "profile"));
    if (t->guess[0])
        cli_say("%s", t->guess);
    if (t->n_track > t->n_profile)
        cli_say("%s are %s: tracks of one name are joined",
                cli_count(t->n_track, "track"),
                cli_count(t->n_profile, "profile"));
    cli_put_some(&x, ", ", t->elsewhere, "bin", " in no part");
    cli_put_some(&x, ", ", t->border, "bin", " whose context crosses a border");
    cli_put_some(&x, ", ", t->excluded, "bin", " excluded");
    cli_put_some(&x, ", ", t->unknown, "bin", " with too many N");
    if (x.n)
        cli_say("left out: %s", x.s + 2);
    if (t->unknown_pairs)
        cli_say("unknown: %s of profile and contig (%s no peak here at all)",
                cli_count(t->unknown_pairs, "pair"),
                cli_count(t->without_peak, "profile has|profiles have"));
    x.n = 0;
    cli_put_some(&x, ", ", t->no_contig, "",
                 " on contigs that the reference lacks");
    cli_put_some(&x, ", ", t->behind, "", " past a contig's end");
    cli_put_some(&x, ", ", t->clipped, "", " cut at a contig's end");
    cli_put_some(&x, ", ", t->n_other, "line", " of other profiles");
    if (x.n)
        cli_say("of %s: %s", cli_count(t->n_peak, "peak"), x.s + 2);
}

static void tell_deepsea(const bird_deepsea_tally *t)
{
    cli_say("%s with %s of %s", cli_count(t->n_row, "sequence"),
            cli_count(t->n_label, "label"), cli_count(t->n_profile, "profile"));
    if (t->n_unknown)
        cli_say("%s with an N", cli_count(t->n_unknown, "sequence"));
    if (!t->n_pair)
        cli_say("an odd number of samples: not looked at for reverse "
                "complements");
    else
        cli_say("%s of the %s in the second half (%.2f %%) are the reverse "
                "complement of their counterpart in the first%s",
                cli_count(t->n_complement, ""), cli_count(t->n_pair, "sample"),
                100 * (double)t->n_complement / (double)t->n_pair,
                t->n_row < t->n_sample ? ", and left out" : "");
    if (t->n_other_labels)
        cli_warn("%s: the labels of the two strands differ",
                 cli_count(t->n_other_labels, "pair"));
}

/* Refuse options about peaks: --deepsea does not use them. */
static int check_deepsea(const struct request *q, int argc)
{
    const bird_chromatin_files *f = &q->files;
    bird_chromatin_data_options o;

    bird_chromatin_data_options_default(&o);
    o.bin = q->o.bin;
    if (argc || q->fasta.n || f->in.name_column || f->regions || f->exclude ||
        f->split || f->mask || f->overlaps || q->o.keep ||
        q->o.context != o.context || strcmp(q->o.overlap, o.overlap) != 0 ||
        q->o.background > 0 || q->o.max_n != o.max_n ||
        q->o.memory != o.memory || q->o.mask_empty != o.mask_empty ||
        q->o.seed != o.seed)
        return cli_usage("dataset chromatin: --deepsea takes --profiles, "
                         "--bin, --summary, --strand, -o and no peaks");
    if (!f->output)
        return cli_usage("dataset chromatin: --deepsea FILE.mat needs -o OUT");
    return CLI_OK;
}

static int write_deepsea(struct request *q, int argc)
{
    bird_deepsea_options *o = &q->deepsea;
    bird_deepsea_tally tally;
    int status = check_deepsea(q, argc);

    if (status != CLI_OK)
        return status;
    o->profiles = q->files.in.profiles;
    o->output = q->files.output;
    o->summary = q->files.summary;
    o->bin = q->o.bin;
    o->command = q->no_version ? NULL : cli_command_line();
    o->progress = cli_progress;
    cli_stop_listen(0);
    if (bird_deepsea_data_write(o, &tally))
        return cli_fail();
    tell_deepsea(&tally);
    return CLI_OK;
}

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_chromatin_data_options *o = &q->o;
    bird_chromatin_files *f = &q->files;
    const struct opt opts[] = {
        CLI_REFERENCES(&q->fasta),
        {0, "profiles", OPT_TEXT, &f->in.profiles, "TSV",
         "list of profiles: name, class, cell_type, factor, treatment, index, "
         "file, id"},
        {0, "name-column", OPT_FLAG, &f->in.name_column, NULL,
         "profiles are the distinct names in column 4 of PEAKS, sorted"},
        CLI_REGIONS(&f->regions,
                    "only bins whose context lies inside these regions"),
        {'x', "exclude", OPT_TEXT, &f->exclude, "BED",
         "no bin in these regions; the sequence around a bin may reach into "
         "them (--split keeps parts apart)"},
        {0, "split", OPT_TEXT, &f->split, "PARTS",
         "several parts, a file each: NAME=WHERE,..."},
        {'o', "output", OPT_OUT, &f->output, "FILE",
         "output file, compressed when it ends in .zst or .gz; with --split "
         "a folder"},
        {'b', "bin", OPT_COUNT, &o->bin, "BP", "bin width"},
        {0, "context", OPT_SIZE, &o->context, "BP",
         "sequence around a bin: it crosses no border, and its N are counted"},
        {0, "keep", OPT_TEXT, &o->keep, "FEATURES",
         "keep bins with a label of one of these (default: of any profile)"},
        {0, "background", OPT_SHARE, &o->background, "REAL",
         "share of the other bins to keep as well"},
        OPT_HEADING("Labels"),
        {0, "mask", OPT_TEXT, &f->mask, "TSV",
         "profile and contig where the label is unknown"},
        CLI_MAX_N(&o->max_n),
        CLI_SEED(&o->seed),
        OPT_HEADING("Output and memory"),
        {0, "summary", OPT_OUT, &f->summary, "FILE",
         "TSV of the positives of each profile"},
        {0, "overlaps", OPT_OUT, &f->overlaps, "FILE",
         "TSV of the bins that pairs of profiles share"},
        {0, "max-memory", OPT_SIZE, &o->memory, "BYTES",
         "memory to sort peaks in; more go through a temporary file"},
        CLI_NO_VERSION(&q->no_version),
        OPT_HEADING("DeepSEA's files"),
        {0, "deepsea", OPT_TEXT, &q->deepsea.mat, "FILE.mat",
         "samples of DeepSEA's train.mat, valid.mat or test.mat"},
        {0, "strand", OPT_CHOICE, &q->deepsea.drop_complements, "both|given",
         "--deepsea: given: leave out the reverse complements in the second "
         "half"},
        OPT_FILE_ONLY,
        {0, "overlap", OPT_TEXT, &o->overlap, "RULE",
         "when a bin has a label: half, any, centre, or a share"},
        {0, "no-auto-mask", OPT_CLEAR, &o->mask_empty, NULL,
         "a profile without a peak on a contig has label 0 there, not unknown"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

int cmd_dataset_chromatin(int argc, char **argv)
{
    struct request q = {0};
    bird_chromatin_tally tally;
    int status;

    bird_chromatin_data_options_default(&q.o);
    q.o.mask_empty = 1;
    bird_deepsea_options_default(&q.deepsea);
    if ((status = parse(&argc, &argv, &q)) != OPT_GO)
        return status;
    if (q.deepsea.mat)
        return write_deepsea(&q, argc);
    if (q.deepsea.drop_complements)
        return cli_usage("dataset chromatin: --strand is for --deepsea");
    if (!q.fasta.n || !q.files.output)
        return cli_usage("dataset chromatin: -f REF.fa and -o OUT are needed");
    q.files.in.peaks = (const char *const *)argv;
    q.files.in.n_peaks = argc;
    if (!q.files.in.profiles && !q.files.in.n_peaks)
        return cli_usage("dataset chromatin: no peaks: name the files, or "
                         "give --profiles");
    q.files.in.fasta = q.fasta.at;
    q.files.in.n_fasta = q.fasta.n;
    q.files.command = q.no_version ? NULL : cli_command_line();
    if (bird_chromatin_data_write(&q.files, &q.o, &tally))
        return cli_fail();
    tell(&tally);
    return CLI_OK;
}
