/* dnabird dataset chromatin: labelled bins from peaks.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/train.h"
#include "list.h"
#include "opt.h"

static void tell(const bird_chromatin_tally *t)
{
    for (int64_t i = 0; i < t->n_part; i++)
        cli_say("%s: %lld bins (%lld of them background), %lld labels of %lld "
                "profiles",
                t->part[i].name, (long long)t->part[i].n_bin,
                (long long)t->part[i].n_background,
                (long long)t->part[i].n_label, (long long)t->n_profile);
    if (t->guess[0])
        cli_say("%s", t->guess);
    if (t->n_track > t->n_profile)
        cli_say("%lld tracks are %lld profiles: tracks of one name are joined",
                (long long)t->n_track, (long long)t->n_profile);
    cli_say("left out: %lld bins in no part, %lld whose context crosses a "
            "border, %lld excluded, %lld with too many N",
            (long long)t->elsewhere, (long long)t->border,
            (long long)t->excluded, (long long)t->unknown);
    if (t->masked)
        cli_say("not known: %lld pairs of profile and contig (%lld profiles "
                "have no peak here at all)",
                (long long)t->masked, (long long)t->without_peak);
    if (t->no_contig + t->behind + t->clipped + t->n_other)
        cli_say("of %lld peaks %lld lie on contigs of no reference, %lld "
                "behind a contig's end, %lld were cut there; %lld lines are "
                "of other profiles",
                (long long)t->n_peak, (long long)t->no_contig,
                (long long)t->behind, (long long)t->clipped,
                (long long)t->n_other);
}

static const char about[] =
    "Makes training data of chromatin models: bins of the genome with the "
    "profiles whose peaks cover them. PEAKS are BED, narrowPeak or broadPeak "
    "files in any order, compressed or not: one a profile, or, with "
    "--name-column or --profiles, files whose column 4 names the profile.";

static const char notes[] =
    "--overlap: half (more than half of the bin lies in the union of the "
    "profile's peaks, as in DeepSEA), any (one base), centre (its middle "
    "base, as in Sei), or a share: at least that (0.5 as in Selene).\n"
    "--split train=a.bed,test=chr8+chr9,other=rest makes NAME.tsv.zst in the "
    "folder of -o for each part, --keep class:TF keeps the bins that have a "
    "label of that class, --mask names profile and contig, with a tab between "
    "them, where nothing is known. docs/formats.md has the files.";

struct request {
    bird_chromatin_data_options o;
    bird_chromatin_files files;
    const char *fasta;
    int64_t seed;
    int no_auto_mask, no_version;
};

static int parse(struct request *q, int *first, int *status, int argc,
                 char **argv)
{
    bird_chromatin_data_options *o = &q->o;
    bird_chromatin_files *f = &q->files;
    const struct opt opts[] = {
        {'f', "reference", OPT_TEXT, &q->fasta, "FILES",
         "reference FASTA; several with commas"},
        {'p', "profiles", OPT_TEXT, &f->profiles, "TSV",
         "list of profiles: name, class, cell_type, factor, treatment, index, "
         "file, id"},
        {0, "name-column", OPT_FLAG, &f->name_column, NULL,
         "profiles are the distinct names in column 4 of PEAKS, sorted"},
        {'R', "regions-file", OPT_ONCE, &f->regions, "BED",
         "bins whose context lies whole inside these regions"},
        {'x', "exclude", OPT_TEXT, &f->exclude, "BED",
         "leave out bins that touch these"},
        {0, "split", OPT_TEXT, &f->split, "PARTS",
         "several parts, a file each: NAME=WHERE,..."},
        {'o', "output", OPT_OUT, &f->output, "FILE",
         "the data set, compressed when it ends in .zst or .gz; with --split "
         "a folder"},
        {'b', "bin", OPT_INT, &o->bin, "BP", "width of a bin"},
        {0, "context", OPT_INT, &o->context, "BP",
         "around the bin: clear of borders, and where N are counted"},
        {0, "overlap", OPT_TEXT, &o->overlap, "RULE",
         "when a bin has a label: half, any, centre, or a share"},
        {'k', "keep", OPT_TEXT, &o->keep, "FEATURES",
         "keep bins with a label of one of these; else of any profile"},
        {0, "background", OPT_REAL, &o->background, "REAL",
         "share of the other bins kept besides"},
        {0, "max-n", OPT_REAL, &o->max_n, "REAL",
         "largest share of N in the context"},
        {0, "mask", OPT_TEXT, &f->mask, "TSV",
         "profile and contig where nothing is known"},
        {0, "no-auto-mask", OPT_FLAG, &q->no_auto_mask, NULL,
         "no peak of a profile on a contig means 0, not unknown"},
        {0, "summary", OPT_OUT, &f->summary, "FILE",
         "TSV of the positives of each profile"},
        {0, "overlaps", OPT_OUT, &f->overlaps, "FILE",
         "TSV of the bins that pairs of profiles share"},
        {0, "max-memory", OPT_INT, &o->memory, "BYTES",
         "to sort peaks in; more go through a temporary file"},
        {0, "seed", OPT_INT, &q->seed, "INT", "of the background"},
        {0, "no-version", OPT_FLAG, &q->no_version, NULL,
         "no version and command in the header"},
    };
    const struct opt_usage usage = {
        "dataset chromatin", "-f REF.fa [options] -o OUT.tsv.zst [PEAKS ...]",
        about, notes};

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

int cmd_dataset_chromatin(int argc, char **argv)
{
    struct request q = {0};
    bird_chromatin_tally tally;
    const char **fasta;
    char *command;
    int first, status = CLI_OK;

    bird_chromatin_data_options_default(&q.o);
    q.seed = (int64_t)q.o.seed;
    if (parse(&q, &first, &status, argc, argv))
        return status;
    if (!q.fasta || !q.files.output)
        return cli_usage("dataset chromatin: -f REF.fa and -o OUT are needed");
    q.files.peaks = (const char *const *)argv + first;
    q.files.n_peaks = argc - first;
    if (!q.files.profiles && !q.files.n_peaks)
        return cli_usage("dataset chromatin: no peaks: name the files, or "
                         "give --profiles");
    fasta = list_split(&q.files.n_fasta, q.fasta);
    command = cli_command_line(argc + 1, argv - 1); /* "dataset" before it */
    if (!fasta || !command) {
        cli_warn("out of memory");
        status = CLI_FAILED;
    } else {
        q.o.mask_empty = !q.no_auto_mask;
        q.o.seed = (uint64_t)q.seed;
        q.files.fasta = fasta;
        q.files.command = q.no_version ? NULL : command;
        if (bird_chromatin_data_write(&q.files, &q.o, &tally))
            status = cli_fail();
        else
            tell(&tally);
    }
    list_free(fasta);
    free(command);
    return status;
}
