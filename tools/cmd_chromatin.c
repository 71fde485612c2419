/*
 * dnabird chromatin: profiles of a genome or of sequences, by
 * bird_chromatin_scan(); --list prints the features of a model.
 * SPDX-License-Identifier: MIT
 */
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "chromatin",
    "[options] in.fa > out.tsv",
    "Scores bins of a genome, of regions or of sequences with a model of "
    "chromatin profiles. in.fa is plain, gzip or bgzip, or '-' for standard "
    "input; with -r or -R it is the genome of the regions.",
    "Tracks of several features are files of the folder -o.\n"
    "--features takes terms separated by commas: a name or a glob on names, "
    "class:DHS, cell:K562, factor:CTCF, treatment:None, index:0-124 of the "
    "catalogue, label:3 of the model, @FILE with a term per line; '^' before "
    "a term excludes it. --list prints what there is to choose from.",
    0,
    1,
    "one FASTA file is needed ('-' for standard input)"};

static int parse(int *argc, char ***argv, bird_chromatin_options *o, int *list,
                 const char **json)
{
    struct opt_usage u = usage;
    struct cli_text notes = {.n = 0};
    const char *cell = NULL;
    int status;
    const struct opt opts[] = {
        CLI_MODEL(&o->model),
        {'o', "output", OPT_OUT, &o->output, "PATH",
         "output file, bgzipped when it ends in .gz, or a folder for tracks "
         "of several features (default: standard output)"},
        CLI_TRACK_FORMAT(&o->format, BIRD_TRACK_CHROMATIN),
        CLI_REGION(&o->region),
        CLI_REGIONS(&o->regions, "only these regions"),
        CLI_FEATURES(&o->features),
        CLI_CELL(&cell),
        CLI_LIST(list),
        {'c', "centre", OPT_FLAG, &o->centre, NULL,
         "one bin at the middle of each sequence or region"},
        {'T', "threshold", OPT_SHARE, &o->threshold, "REAL",
         "calls: probability from which a bin is called (default: from the "
         "model, "
         "per feature, or 0.5)"},
        CLI_MODEL_STRAND(&o->strand),
        CLI_THREADS,
        OPT_HEADING("Bins"),
        {'b', "bin", OPT_SIZE, &o->bin_bp, "BP",
         "bin width (default: from the model)"},
        {0, "context", OPT_SIZE, &o->context_bp, "BP",
         "sequence around a bin, the bin included (default: from the model)"},
        CLI_MAX_N(&o->max_unknown),
        CLI_SHORT(&o->score_short),
        CLI_MIN_LENGTH(&o->min_length),
        OPT_HEADING("Model"),
        CLI_RAW(&o->raw),
        CLI_RUN(&o->run),
        OPT_HEADING("Output"),
        CLI_INDEX(&o->index),
        {'z', "compress", OPT_FLAG, &o->gz, NULL,
         "bgzip the text files of a folder"},
        CLI_SHARD(&o->shard,
                  "write the I-th of N parts of about the same number of "
                  "bases; only the first part has the header, and `cat` of all "
                  "parts in order is the output without --shard"),
        CLI_JSON(json),
        CLI_NO_VERSION(&o->no_version),
    };

    cli_put(&notes, "%s %s", bird_track_formats_about(BIRD_TRACK_CHROMATIN),
            usage.notes);
    u.notes = notes.s;
    status = opt_parse(argc, argv, opts, N_OPT(opts), &u);
    return status == OPT_GO ? cli_cell(&o->features, cell) : status;
}

static void tell(const bird_chromatin_summary *s, const char *what,
                 double seconds, double max_n)
{
    const int64_t left = s->n_unknown + s->n_short;
    struct cli_text t = {.n = 0};

    cli_put(&t, "%s", cli_count(s->n_contig, what));
    cli_put_some(&t, " (", s->n_empty, "", " empty)");
    cli_put(&t, ", %s: scored %s of %s in %s of context",
            cli_count(s->n_bp, "bp"), cli_count(s->n_bins - left, "bin"),
            cli_count(s->bin_bp, "bp"), cli_count(s->context_bp, "bp"));
    cli_put_some(&t, "; skipped ", s->n_short, "bin",
                 s->own_bins
                     ? " of sequences shorter than a bin or --min-length"
                     : " of sequences shorter than the context");
    cli_put_some(&t, "; cut ", s->n_trimmed, "sequence",
                 " to the model's length");
    cli_put(&t, "; wrote %s of %s to %s (%s)", cli_count(s->n_row, "row"),
            cli_count(s->n_feature, "feature"), cli_count(s->n_file, "file"),
            cli_rate((double)s->n_bp, seconds, "b"));
    cli_say("%s", t.s);
    if (s->n_unknown && s->own_bins)
        cli_say("%s not scored: over %g %% of %s bases are N (--max-n 1 scores "
                "them)",
                cli_count(s->n_unknown, "bin"), 100 * max_n,
                s->n_unknown == 1 ? "its" : "their");
    else if (s->n_unknown)
        cli_say("%s not scored: over %g %% of %s %s-bp context is N or past "
                "the sequence end (--max-n 1 scores them, padded with N)",
                cli_count(s->n_unknown, "bin"), 100 * max_n,
                s->n_unknown == 1 ? "its" : "their",
                cli_count(s->context_bp, ""));
}

static int run(const bird_chromatin_options *o, const char *json)
{
    bird_chromatin_summary s;
    double start = cli_now();

    if (bird_chromatin_scan(&s, o))
        return cli_fail();
    cli_say_each((const char *[]){s.notice, s.uncalibrated}, 2);
    if (s.build[0])
        cli_say("warning: %s", s.build);
    tell(&s, o->region || o->regions ? "region" : "sequence", cli_now() - start,
         o->max_unknown);
    cli_say_empty(o->regions, s.n_bp, s.n_bins - s.n_unknown - s.n_short);
    if (json && bird_chromatin_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}

int cmd_chromatin(int argc, char **argv)
{
    const char *json = NULL;
    bird_chromatin_options o;
    int status, list = 0;

    bird_chromatin_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &list, &json)) != OPT_GO)
        return status;
    if (list)
        return cli_list_features(o.model, o.features, o.output);
    if (argc != 1)
        return cli_usage("chromatin: %s", usage.wants);
    o.fasta = argv[0];
    if (bird_chromatin_check(&o)) {
        cli_fail();
        return CLI_USAGE;
    }
    if ((status = cli_model(&o.run, o.model)))
        return status;
    o.command = cli_command_line();
    o.progress = cli_progress;
    cli_stop_listen(0);
    return run(&o, json);
}
