/* dnabird chromatin: profiles of a genome or of sequences.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/dnabird.h"
#include "opt.h"
#include "progress.h"

/* As the choices of --strand stand. */
static const enum bird_strand cli_strands[] = {
    BIRD_STRAND_MODEL, BIRD_STRAND_PLUS, BIRD_STRAND_BOTH};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char about[] =
    "Scores bins of a genome, of regions or of sequences with a model of "
    "chromatin profiles. in.fa is plain, gzip or bgzip, or '-' for standard "
    "input; with -r or -R it is the genome of the regions.";

static const char notes[] =
    "tsv: a line a bin, a column a feature. bedgraph, bigwig: a file a "
    "feature, in the folder -o when there are several. bed: runs of bins at "
    "or above the threshold. docs/formats.md has more.\n"
    "--features takes terms between commas: a name or a glob on names, "
    "class:DHS, cell:K562, factor:CTCF, treatment:None, index:0-124 of the "
    "catalogue, label:3 of the model, @FILE with a term a line; '^' before a "
    "term leaves out. --list prints what there is to choose from.";

struct choices {
    struct cli_model_choice model;
    int64_t threads;
    int format, strand, list, short_;
    const char *json;
};

static int parse(int argc, char **argv, bird_chromatin_options *o,
                 struct choices *c, int *first, int *status)
{
    struct opt_usage usage = {"chromatin", "[options] in.fa > out.tsv", about,
                              notes};
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &o->model, "DIR",
         "model folder; without it the one that comes with dnabird"},
        {'o', "output", OPT_OUT, &o->output, "PATH",
         "file, bgzipped when it ends in .gz; a folder for tracks of several "
         "features; without it standard output"},
        {'O', "format", OPT_CHOICE, &c->format, "tsv|bedgraph|bigwig|bed",
         "form of the output"},
        {'F', "features", OPT_TEXT, &o->features, "TERMS",
         "only these features"},
        {'l', "list", OPT_FLAG, &c->list, NULL,
         "print the (chosen) features of the model as TSV, and end"},
        {'W', "write-index", OPT_FLAG, &o->index, NULL,
         "index bgzipped output with tabix"},
        {'z', "bgzip", OPT_FLAG, &o->gz, NULL,
         "bgzip the bedGraph files of a folder"},
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "only here, as chr:start-end; several between commas or by -r again"},
        {'R', "regions-file", OPT_ONCE, &o->regions, "BED",
         "only in these regions"},
        {'c', "centre", OPT_FLAG, &o->centre, NULL,
         "one bin around the middle of each sequence or region"},
        {'T', "threshold", OPT_REAL, &o->threshold, "REAL",
         "probability from which a bin is called; < 0: the model's own of each "
         "feature, or 0.5"},
        {0, "strand", OPT_CHOICE, &c->strand, "model|given|both",
         "both: mean of both strands; model: as it says"},
        {0, "context", OPT_INT, &o->context_bp, "BP", "0: the model's"},
        {0, "bin", OPT_INT, &o->bin_bp, "BP", "0: the model's"},
        {0, "raw", OPT_FLAG, &o->raw, NULL,
         "the model's raw outputs, -T too, not calibrated probabilities"},
        {0, "max-n", OPT_REAL, &o->max_unknown, "REAL",
         "do not score bins with a larger share of unknown bases (N, other "
         "letters than A, C, G, T) around them"},
        {0, "short", OPT_CHOICE, &c->short_, "skip|score",
         "what to do with sequences shorter than the context"},
        CLI_MODEL_OPTIONS(&o->run, &c->model),
        {'t', "threads", OPT_INT, &c->threads, "INT",
         "0: the cores this process may use"},
        {0, "json", OPT_OUT, &c->json, "FILE", "summary of the run as JSON"},
        {0, "no-version", OPT_FLAG, &o->no_version, NULL,
         "no provenance lines"},
    };

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

static const char *or_dot(const char *s)
{
    return *s ? s : ".";
}

static int list_features(const bird_chromatin_options *o)
{
    bird_features f = {0};
    uint8_t *mark = NULL;
    int status = CLI_FAILED;

    if (bird_features_open(&f, o->model)) {
        cli_fail();
        goto done;
    }
    mark = calloc((size_t)f.n + 1, 1);
    if (!mark) {
        cli_warn("out of memory");
        goto done;
    }
    if (bird_features_select(mark, &f, o->features)) {
        cli_fail();
        goto done;
    }
    puts("label\tindex\tclass\tcell_type\tfactor\ttreatment\tname");
    for (int64_t i = 0; i < f.n; i++) {
        const bird_feature *x = &f.at[i];

        if (!mark[i])
            continue;
        printf("%lld\t", (long long)i);
        if (x->index < 0)
            printf(".");
        else
            printf("%lld", (long long)x->index);
        printf("\t%s\t%s\t%s\t%s\t%s\n", or_dot(x->class_name), or_dot(x->cell),
               or_dot(x->factor), or_dot(x->treatment), x->name);
    }
    status = CLI_OK;
done:
    bird_features_free(&f);
    free(mark);
    return status;
}

static void tally(const bird_chromatin_summary *s, const char *what,
                  double seconds, double max_n)
{
    cli_say("%lld %s (%lld empty), %lld bp; %lld bins of %lld bp in %lld bp, "
            "%lld skipped for N, %lld beyond an end, %lld in sequences shorter "
            "than that, %lld cut to the model's length; %lld "
            "features, %lld rows in %lld files; %.0f bp/s",
            (long long)s->n_contig, what, (long long)s->n_empty,
            (long long)s->n_bp, (long long)s->n_bin, (long long)s->bin_bp,
            (long long)s->context_bp, (long long)(s->n_unknown - s->n_beyond),
            (long long)s->n_beyond, (long long)s->n_short,
            (long long)s->n_trimmed, (long long)s->n_feature,
            (long long)s->n_row, (long long)s->n_file,
            seconds > 0 ? (double)s->n_bp / seconds : 0);
    if (s->n_unknown)
        cli_say("bins without a value: more than %g of their %lld bp are N or "
                "lie beyond the sequence's end; --max-n 1 scores them all the "
                "same, as if N stood there",
                max_n, (long long)s->context_bp);
}

static int run(const bird_chromatin_options *o, struct cli_progress *progress,
               const char *json)
{
    bird_chromatin_summary s;
    double start = now();
    int rc = bird_chromatin_scan(&s, o);

    cli_progress_end(progress);
    if (rc)
        return cli_fail();
    if (s.notice[0])
        cli_say("%s", s.notice);
    if (s.uncalibrated[0])
        cli_say("%s", s.uncalibrated);
    if (s.build[0])
        cli_say("warning: %s", s.build);
    tally(&s, o->region || o->regions ? "regions" : "sequences", now() - start,
          o->max_unknown);
    if (json && bird_chromatin_summary_write(json, &s, now() - start))
        return cli_fail();
    return CLI_OK;
}

int cmd_chromatin(int argc, char **argv)
{
    struct cli_progress progress = {0};
    struct choices c = {0};
    bird_chromatin_options o;
    char *command;
    int first = 0, status = 0;

    bird_chromatin_options_default(&o);
    if (parse(argc, argv, &o, &c, &first, &status))
        return status;
    if (c.list)
        return list_features(&o);
    if (argc - first != 1)
        return cli_usage("chromatin: one FASTA file is needed ('-' for "
                         "standard input)");
    if (cli_threads(c.threads))
        return CLI_USAGE;
    o.fasta = argv[first];
    o.format = (enum bird_chromatin_format)c.format;
    o.strand = cli_strands[c.strand];
    o.score_short = c.short_;
    if (bird_chromatin_check(&o)) {
        cli_fail();
        return CLI_USAGE;
    }
    if (cli_output_check(c.json))
        return CLI_FAILED;
    if ((status = cli_model(&o.run, &c.model, o.model)))
        return status;
    command = cli_command_line(argc, argv);
    o.command = command;
    cli_stop_listen(0);
    o.progress = cli_progress;
    o.progress_context = &progress;
    status = run(&o, &progress, c.json);
    free(command);
    return status;
}
