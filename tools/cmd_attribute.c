/*
 * dnabird attribute: attributions of every base of a region by the backward
 * pass, by bird_attribute_run().
 * SPDX-License-Identifier: MIT
 */
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "attribute",
    "[options] -f ref.fa -r REGION > out.tsv",
    "Computes from the gradient of the model how much each base of a region\n"
    "contributes to the log odds of one feature. This needs a few passes for\n"
    "each window, while `dnabird mutate` needs three for each base. Writes a\n"
    "table, a track, or a logo.",
    NULL,
    0,
    0,
    "the reference is given with -f, the region with -r"};

static int parse(int *argc, char ***argv, bird_attribute_options *o,
                 const char **json)
{
    struct opt_usage u = usage;
    const struct opt opts[] = {
        CLI_MODEL(&o->params.model),
        CLI_REFERENCE(&o->params.fasta),
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "chr:start-end; several separated by commas, or -r again; a picture "
         "shows one"},
        CLI_REGIONS(&o->regions, "attribute these regions"),
        CLI_OUTPUT(&o->output),
        CLI_TRACK_FORMAT(&o->format, BIRD_TRACK_ATTRIBUTE),
        {'F', "features", OPT_ONCE, &o->features, "TERM",
         "the feature; needed if the model has several"},
        {0, "method", OPT_CHOICE, &o->method, "gradient|integrated",
         "the gradient at the sequence, or its mean along the line from a "
         "mean base to the sequence"},
        {0, "steps", OPT_SIZE, &o->steps, "INT",
         "--method integrated: points on that line, each of which costs a "
         "pass forward and a pass back (default: 32)"},
        CLI_THREADS,
        CLI_VARIANT_WINDOW(&o->params),
        {0, "shifts", OPT_INT, &o->params.shift_bp, "BP",
         "move the window to the right (default: none)"},
        OPT_HEADING("Output"),
        CLI_INDEX(&o->index),
        CLI_JSON(json),
        CLI_NO_VERSION(&o->no_version),
    };

    u.notes = bird_track_formats_about(BIRD_TRACK_ATTRIBUTE);
    return opt_parse(argc, argv, opts, N_OPT(opts), &u);
}

static void tell(const bird_attribute_summary *s)
{
    if (s->build[0])
        cli_say("warning: %s", s->build);
    cli_say_each((const char *[]){s->notice}, 1);
    cli_say("%s, %s with a value; %s forward, %s back",
            cli_count(s->n_base, "base"), cli_count(s->n_scored, ""),
            cli_count(s->n_forward, "pass|passes"),
            cli_count(s->n_backward, ""));
    if (!s->n_forward)
        return; /* of no window are there log odds */
    if (s->steps)
        cli_say("log odds %.4g, of the baseline %.4g; attributions of the "
                "window add up to %.4g: completeness error %.3g %%",
                s->at, s->at_baseline, s->sum, 100 * s->completeness);
    else
        cli_say("log odds %.4g", s->at);
}

int cmd_attribute(int argc, char **argv)
{
    const char *json = NULL;
    bird_attribute_options o;
    bird_attribute_summary s;
    double start = cli_now();
    int status;

    bird_attribute_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &json)) != OPT_GO)
        return status;
    if ((!o.region && !o.regions) || !o.params.fasta)
        return cli_usage("attribute: a reference (-f) and a region (-r or -R) "
                         "are needed");
    o.command = cli_command_line();
    o.progress = cli_progress;
    cli_stop_listen(0);
    if (bird_attribute_run(&s, &o))
        return cli_fail();
    tell(&s);
    cli_say_empty(o.regions, s.n_base, s.n_scored);
    if (json && bird_attribute_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
