/* dnabird promoter: promoters of a FASTA file. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/dnabird.h"
#include "opt.h"
#include "progress.h"

static const char about[] =
    "Scores windows of the sequence on both strands and writes the promoters\n"
    "it finds. genome.fa is plain, gzip or bgzip, or '-' for standard input.";

static const char notes[] =
    "bed: contig, start, end, name, score (1000 x probability), strand,\n"
    "probability, summit (0-based). bedgraph: overlapping windows averaged,\n"
    "the larger of both strands. tsv: calls with everything known of them.\n"
    "windows: every window with its probability. docs/formats.md has more.";

struct choices {
    struct cli_model_choice model;
    int64_t threads;
    int format, strand, short_;
    const char *json;
};

static int parse(int argc, char **argv, bird_promoter_scan_options *o,
                 struct choices *c, int *first, int *status)
{
    struct opt_usage usage = {"promoter", "[options] genome.fa > out.bed",
                              about, notes};
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &o->model, "DIR",
         "model folder; without it the one that comes with dnabird"},
        {'o', "output", OPT_OUT, &o->track.path, "FILE",
         "bgzipped when it ends in .gz; without it standard output"},
        {'O', "format", OPT_CHOICE, &c->format, "bed|bedgraph|tsv|windows",
         "form of the output"},
        {'W', "write-index", OPT_FLAG, &o->track.index, NULL,
         "index the bgzipped output with tabix"},
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "only here, as chr:start-end; several between commas or by -r again"},
        {'R', "regions-file", OPT_ONCE, &o->regions, "BED",
         "only in these regions"},
        {'T', "threshold", OPT_REAL, &o->threshold, "REAL",
         "probability from which a window is called; < 0: the model's"},
        {0, "fp-per-mb", OPT_REAL, &o->fp_per_mb, "REAL",
         "threshold by the false positives per Mb that the model's table "
         "names; 0: not"},
        {0, "window", OPT_INT, &o->window_bp, "BP", "0: the model's"},
        {0, "stride", OPT_INT, &o->stride_bp, "BP", "0: the model's"},
        {0, "strand", OPT_CHOICE, &c->strand, "both|+|-", "strand to score"},
        {0, "raw", OPT_FLAG, &o->raw, NULL,
         "the model's raw outputs, -T too, not calibrated probabilities"},
        {0, "max-n", OPT_REAL, &o->max_unknown, "REAL",
         "skip windows with a larger share of unknown bases (N, other letters "
         "than A, C, G, T)"},
        {0, "short", OPT_CHOICE, &c->short_, "skip|score",
         "what to do with contigs shorter than the window"},
        CLI_MODEL_OPTIONS(&o->run, &c->model),
        {'t', "threads", OPT_INT, &c->threads, "INT",
         "0: the cores this process may use"},
        {0, "json", OPT_OUT, &c->json, "FILE", "summary of the run as JSON"},
        {0, "no-version", OPT_FLAG, &o->track.no_version, NULL,
         "no provenance lines"},
    };

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

static void tally(const bird_promoter_summary *s, const char *what,
                  double seconds)
{
    cli_say(
        "%lld %s (%lld empty), %lld bp; %lld windows of %lld bp every %lld bp, "
        "%lld scored (each strand), %lld skipped for N, %lld as shorter than "
        "the window, %lld cut to the model's length; %lld rows; %.0f bp/s",
        (long long)s->n_contig, what, (long long)s->n_empty, (long long)s->n_bp,
        (long long)s->n_window, (long long)s->window_bp,
        (long long)s->stride_bp, (long long)s->n_scored,
        (long long)s->n_unknown, (long long)s->n_short, (long long)s->n_trimmed,
        (long long)s->n_row, seconds > 0 ? (double)s->n_bp / seconds : 0);
}

int cmd_promoter(int argc, char **argv)
{
    static const enum bird_strand strands[] = {
        BIRD_STRAND_BOTH, BIRD_STRAND_PLUS, BIRD_STRAND_MINUS};
    struct cli_progress progress = {0};
    struct choices c = {0};
    bird_promoter_scan_options o;
    bird_promoter_summary s;
    char *command;
    double start = cli_now();
    int first = 0, status = 0, rc;

    bird_promoter_scan_options_default(&o);
    if (parse(argc, argv, &o, &c, &first, &status))
        return status;
    if (argc - first != 1)
        return cli_usage("promoter: one FASTA file is needed ('-' for "
                         "standard input)");
    if (cli_threads(c.threads))
        return CLI_USAGE;
    o.fasta = argv[first];
    o.strand = strands[c.strand];
    o.score_short = c.short_;
    o.track.format = c.format;
    o.track.reference = argv[first];
    if (bird_promoter_check(&o)) {
        cli_fail();
        return CLI_USAGE;
    }
    if (cli_output_check(c.json))
        return CLI_FAILED;
    if ((status = cli_model(&o.run, &c.model, o.model)))
        return status;
    command = cli_command_line(argc, argv);
    o.track.command = command;
    cli_stop_listen(0);
    o.progress = cli_progress;
    o.progress_context = &progress;
    rc = bird_promoter_scan(&s, &o);
    cli_progress_end(&progress);
    free(command);
    if (rc)
        return cli_fail();
    if (s.notice[0])
        cli_say("%s", s.notice);
    if (s.uncalibrated[0])
        cli_say("%s", s.uncalibrated);
    if (s.build[0])
        cli_say("warning: %s", s.build);
    tally(&s, o.region || o.regions ? "regions" : "sequences",
          cli_now() - start);
    if (c.json && bird_promoter_summary_write(c.json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
