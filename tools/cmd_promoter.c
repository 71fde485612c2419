/*
 * dnabird promoter: promoters of a FASTA file, by bird_promoter_scan().
 * SPDX-License-Identifier: MIT
 */
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "promoter",
    "[options] genome.fa > out.bed",
    "Scores windows of the sequence on both strands and writes the promoters\n"
    "it finds. genome.fa is plain, gzip or bgzip, or '-' for standard input.",
    NULL,
    1,
    1,
    "one FASTA file is needed ('-' for standard input)"};

static int parse(int *argc, char ***argv, bird_promoter_scan_options *o,
                 const char **json)
{
    struct opt_usage u = usage;
    const struct opt opts[] = {
        CLI_START_MODEL(&o->model),
        CLI_OUTPUT(&o->track.path),
        CLI_TRACK_FORMAT(&o->track.format, BIRD_TRACK_PROMOTER),
        CLI_REGION(&o->region),
        CLI_REGIONS(&o->regions, "only these regions"),
        {'T', "threshold", OPT_SHARE, &o->threshold, "REAL",
         "calls: probability from which a window is called (default: from the "
         "model; "
         "the shipped model's is that of 5 false calls per Mb on its "
         "validation part)"},
        {0, "fp-per-mb", OPT_REAL, &o->fp_per_mb, "REAL",
         "calls, instead of -T: false positives per Mb, by the model's table "
         "(default: off)"},
        {0, "merge", OPT_SIZE, &o->merge_bp, "BP",
         "calls: merge windows that start within BP of each other (default: "
         "the "
         "model's; without one, windows that overlap or touch)"},
        {0, "top", OPT_SIZE, &o->top, "N",
         "only the N most probable calls of both strands together (default: "
         "all)"},
        {0, "sort", OPT_CHOICE, &o->sort, "position|probability",
         "order of the calls"},
        CLI_STRAND(&o->strand),
        {0, "one-pass", OPT_FLAG, &o->one_pass, NULL,
         "models that predict bins: predict both strands from the sequence as "
         "given alone, without the mean with its reverse complement: half the "
         "work; calls then need -T"},
        CLI_THREADS,
        OPT_HEADING("Windows"),
        CLI_WINDOW(&o->window_bp),
        CLI_STRIDE(&o->stride_bp),
        CLI_MAX_N(&o->max_unknown),
        CLI_SHORT(&o->score_short),
        CLI_MIN_LENGTH(&o->min_length),
        OPT_HEADING("Model"),
        CLI_RAW(&o->raw),
        CLI_RUN(&o->run),
        OPT_HEADING("Output"),
        CLI_GENES(&o->genes),
        CLI_INDEX(&o->track.index),
        CLI_SHARD(&o->shard,
                  "write the I-th of N parts of about the same number of "
                  "bases; only the first part has the header, and `cat` of all "
                  "parts in order is the output without --shard"),
        CLI_JSON(json),
        CLI_NO_VERSION(&o->track.no_version),
    };

    u.notes = bird_track_formats_about(BIRD_TRACK_PROMOTER);
    return opt_parse(argc, argv, opts, N_OPT(opts), &u);
}

static const char *what_of(const bird_promoter_summary *s)
{
    return s->bin_bp ? "bin" : "window";
}

static void tell(const bird_promoter_summary *s, const char *what,
                 int64_t min_length, double seconds)
{
    struct cli_text t = {.n = 0};

    cli_put(&t, "%s", cli_count(s->n_contig, what));
    cli_put_some(&t, " (", s->n_empty, "", " empty)");
    cli_put(&t, ", %s: scored %s of %s%s", cli_count(s->n_bp, "bp"),
            cli_count(s->n_scored / s->n_strand, what_of(s)),
            cli_count(s->bin_bp ? s->bin_bp : s->window_bp, "bp"),
            s->n_strand > 1 ? " on both strands" : "");
    cli_put_some(&t, "; skipped ", s->n_unknown, what_of(s),
                 " with too many N");
    cli_put_some(&t, "; skipped ", s->n_short, what_of(s),
                 s->bin_bp    ? " on contigs shorter than a bin or --min-length"
                 : min_length ? " on contigs shorter than the window or "
                                "--min-length"
                              : " on contigs shorter than the window");
    cli_put_some(&t, "; cut ", s->n_trimmed, "sequence",
                 " to the model's length");
    cli_put(&t, "; wrote %s (%s)", cli_count(s->n_row, "row"),
            cli_rate((double)s->n_bp, seconds, "b"));
    cli_say("%s", t.s);
}

int cmd_promoter(int argc, char **argv)
{
    bird_promoter_scan_options o;
    bird_promoter_summary s;
    const char *json = NULL;
    double start = cli_now();
    int status;

    bird_promoter_scan_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &json)) != OPT_GO)
        return status;
    o.fasta = o.track.reference = argv[0];
    if (bird_promoter_check(&o)) {
        cli_fail();
        return CLI_USAGE;
    }
    if ((status = cli_model(&o.run, o.model)))
        return status;
    o.track.command = cli_command_line();
    o.progress = cli_progress;
    cli_stop_listen(0);
    if (bird_promoter_scan(&s, &o))
        return cli_fail();
    cli_say_each((const char *[]){s.notice, s.uncalibrated}, 2);
    if (s.build[0])
        cli_say("warning: %s", s.build);
    tell(&s, o.region || o.regions ? "region" : "sequence", o.min_length,
         cli_now() - start);
    cli_say_empty(o.regions, s.n_bp, s.n_scored);
    if (json && bird_promoter_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
