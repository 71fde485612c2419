/* dnabird mutate: every change of a region. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt.h"
#include "progress.h"
#include "way.h"

static const char about[] =
    "Scores every single-base change of a region: a matrix, the largest "
    "change\n"
    "of each base as a track, or a heat map with the sequence.";

struct choices {
    struct way_choice way;
    int format, centre, score;
    const char *json;
};

static int parse(int argc, char **argv, bird_mutate_options *o,
                 struct choices *c, int *first, int *status)
{
    char formats[CLI_FORMATS];
    struct opt_usage usage = {"mutate",
                              "[options] -f ref.fa -r REGION > out.tsv", about,
                              bird_track_formats_about(BIRD_TRACK_MUTATE)};
    const struct opt opts[] = {
        WAY_OPTIONS(&o->way, &c->way),
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "chr:start-end; several between commas or by -r again, but for a "
         "picture"},
        {'o', "output", OPT_OUT, &o->output, "FILE",
         "without it standard output"},
        {'O', "format", OPT_CHOICE, &c->format,
         cli_formats(formats, BIRD_TRACK_MUTATE), CLI_FORMAT_HELP},
        {0, "centre", OPT_CHOICE, &c->centre, "region|base",
         "one window around the region, or one around every base, as `dnabird "
         "variant` has"},
        {0, "features", OPT_TEXT, &o->features, "LIST",
         "of a model of several; a track and a picture show one"},
        {0, "score", OPT_CHOICE, &c->score, "diff|logit|e|z|deepsea_effect",
         "what the numbers are"},
        {0, "json", OPT_OUT, &c->json, "FILE", "summary of the run as JSON"},
        {0, "no-version", OPT_FLAG, &o->no_version, NULL,
         "no provenance lines"},
    };

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

int cmd_mutate(int argc, char **argv)
{
    struct cli_progress progress = {0};
    struct choices c = {0};
    bird_mutate_options o;
    bird_mutate_summary s;
    char *command;
    double start = cli_now();
    int first = 0, status = 0, rc;

    bird_mutate_options_default(&o);
    if (parse(argc, argv, &o, &c, &first, &status))
        return status;
    if (first < argc)
        return cli_usage("mutate: '%s': the reference is given with -f, the "
                         "region with -r",
                         argv[first]);
    if (!o.region || !o.way.fasta)
        return cli_usage("mutate: a reference (-f) and a region (-r) are "
                         "needed");
    if (way_take(&o.way, &c.way))
        return CLI_USAGE;
    o.format = bird_track_format_name(BIRD_TRACK_MUTATE, c.format - 1);
    o.each = c.centre;
    o.score = BIRD_SCORE_DIFF + c.score;
    if (cli_output_check(c.json))
        return CLI_FAILED;
    command = cli_command_line(argc, argv);
    o.command = command;
    cli_stop_listen(0);
    o.progress = cli_progress;
    o.progress_context = &progress;
    rc = bird_mutate_run(&s, &o);
    cli_progress_end(&progress);
    free(command);
    if (rc)
        return cli_fail();
    if (s.build[0])
        cli_say("warning: %s", s.build);
    if (s.notice[0])
        cli_say("%s", s.notice);
    cli_say("%lld bases, %lld scored, %lld features, %lld sequences computed",
            (long long)s.n_base, (long long)s.n_scored, (long long)s.n_feature,
            (long long)s.n_sequence);
    if (c.json && bird_mutate_summary_write(c.json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
