/*
 * dnabird mutate: in-silico saturation mutagenesis of a region, by
 * bird_mutate_run().
 * SPDX-License-Identifier: MIT
 */
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "mutate",
    "[options] -f ref.fa -r REGION > out.tsv",
    "In-silico saturation mutagenesis: scores every single-base change of a\n"
    "region. Writes a matrix, the largest change of each base as a track, or\n"
    "a heat map with the sequence.",
    NULL,
    0,
    0,
    "the reference is given with -f, the region with -r"};

static int parse(int *argc, char ***argv, bird_mutate_options *o, int *score,
                 const char **json)
{
    struct opt_usage u = usage;
    const struct opt opts[] = {
        CLI_VARIANT(&o->params),
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "chr:start-end; several separated by commas, or -r again; one for a "
         "picture"},
        CLI_OUTPUT(&o->output),
        CLI_TRACK_FORMAT(&o->format, BIRD_TRACK_MUTATE),
        {0, "centre", OPT_CHOICE, &o->each, "region|base",
         "one window around the region, or one around every base, as in "
         "`dnabird variant`"},
        {'F', "features", OPT_TEXT, &o->features, "TERMS",
         "only these features; a track and a picture show one"},
        {0, "score", OPT_CHOICE, score, "diff|logit|e|z|deepsea_effect",
         "score to write"},
        CLI_JSON(json),
        CLI_NO_VERSION(&o->no_version),
    };

    u.notes = bird_track_formats_about(BIRD_TRACK_MUTATE);
    return opt_parse(argc, argv, opts, N_OPT(opts), &u);
}

int cmd_mutate(int argc, char **argv)
{
    const char *json = NULL;
    bird_mutate_options o;
    bird_mutate_summary s;
    double start = cli_now();
    int status, score = 0;

    bird_mutate_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &score, &json)) != OPT_GO)
        return status;
    if (!o.region || !o.params.fasta)
        return cli_usage("mutate: a reference (-f) and a region (-r) are "
                         "needed");
    o.score = BIRD_SCORE_DIFF + score;
    o.command = cli_command_line();
    o.progress = cli_progress;
    cli_stop_listen(0);
    if (bird_mutate_run(&s, &o))
        return cli_fail();
    if (s.build[0])
        cli_say("warning: %s", s.build);
    cli_say_each((const char *[]){s.notice}, 1);
    cli_say("%s, %s scored, %s; %s", cli_count(s.n_base, "base"),
            cli_count(s.n_scored, ""), cli_count(s.n_feature, "feature"),
            cli_count(s.n_sequence, "model evaluation"));
    if (json && bird_mutate_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
