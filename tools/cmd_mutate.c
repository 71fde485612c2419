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
    "[options] -f ref.fa (-r REGION > out.tsv | -R BED -o table.tsv.gz)",
    "In-silico saturation mutagenesis: scores every single-base change of a\n"
    "region. Writes a matrix, a track of the largest change of each base, or\n"
    "a heat map with the sequence; for the regions of a BED file (-R) a table\n"
    "with a row for each allele, which `dnabird variant --table` reads.",
    NULL,
    0,
    0,
    "the reference is given with -f, the region with -r or -R"};

/* The scores in the order of the words of --scores. */
static const int scores[] = {-1,
                             BIRD_SCORE_DIFF,
                             BIRD_SCORE_LOGIT,
                             BIRD_SCORE_E,
                             BIRD_SCORE_Z,
                             BIRD_SCORE_DEEPSEA,
                             BIRD_SCORE_LLR,
                             BIRD_SCORE_DISTANCE,
                             BIRD_SCORE_DISTANCE_E,
                             BIRD_SCORE_DISTANCE_Z,
                             BIRD_SCORE_SD,
                             BIRD_SCORE_AGREEMENT,
                             BIRD_SCORE_LOGIT_SD,
                             BIRD_SCORE_DISTANCE_SD};

static int parse(int *argc, char ***argv, bird_mutate_options *o, int *score,
                 int *list, const char **json)
{
    struct opt_usage u = usage;
    const char *cell = NULL;
    int status;
    const struct opt opts[] = {
        CLI_VARIANT_FILES(&o->params),
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "chr:start-end; several separated by commas, or -r again; a picture "
         "shows one"},
        CLI_REGIONS(&o->regions,
                    "these regions, merged and sorted, each base in a window "
                    "of its own; a table, unless -O or -o say otherwise"),
        CLI_OUTPUT(&o->output),
        CLI_TRACK_FORMAT(&o->format, BIRD_TRACK_MUTATE),
        {'F', "features", OPT_ONCE, &o->features, "TERMS",
         "only these features; a picture shows one, tracks of several are "
         "files in a folder, one for each"},
        CLI_CELL(&cell),
        CLI_LIST(list),
        {0, "scores", OPT_CHOICE, score,
         "auto|diff|logit|e|z|deepsea_effect|llr|distance|distance_e|"
         "distance_z|sd|agreement|logit_sd|distance_sd",
         "score to write; auto: diff, or llr of a masked-language model"},
        {0, "centre", OPT_CHOICE, &o->each, "region|base",
         "base: a window around every base, as in `dnabird variant`; region: "
         "one around the region, not with -R or for tables"},
        {0, "motifs", OPT_TEXT, &o->motifs, "FILE|jaspar|none",
         "mark these motifs in a picture: a file in TRANSFAC's, JASPAR's or "
         "MEME's format, or JASPAR 2024's of vertebrates"},
        CLI_THREADS,
        CLI_VARIANT(&o->params),
        OPT_HEADING("Output"),
        CLI_INDEX(&o->index),
        CLI_JSON(json),
        CLI_NO_VERSION(&o->no_version),
        OPT_HEADING("Large inputs"),
        CLI_SHARD(&o->shard,
                  "write the I-th of N parts of a table, of about the same "
                  "number of bases; only the first has the header, and `cat` "
                  "of all in order is the table"),
        CLI_RESUME_FILE(o, "table"),
        OPT_FILE_ONLY,
        {0, "track", OPT_CHOICE, &o->mean, "largest|mean",
         "value of a base in a track: the largest, or the mean, of its three "
         "changes"},
        {0, "motif-p", OPT_REAL, &o->motif_p, "REAL",
         "largest p-value of a motif's hit"},
    };

    u.notes = bird_track_formats_about(BIRD_TRACK_MUTATE);
    status = opt_parse(argc, argv, opts, N_OPT(opts), &u);
    return status == OPT_GO ? cli_cell(&o->features, cell) : status;
}

int cmd_mutate(int argc, char **argv)
{
    const char *json = NULL;
    bird_mutate_options o;
    bird_mutate_summary s;
    double start = cli_now();
    int status, score = 0, list = 0;

    bird_mutate_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &score, &list, &json)) != OPT_GO)
        return status;
    if (list)
        return cli_list_features(o.params.model
                                     ? o.params.model
                                     : cli_model_named(BIRD_MODEL_OF_ALLELES),
                                 o.features, o.output);
    if ((!o.region && !o.regions) || !o.params.fasta)
        return cli_usage("mutate: a reference (-f) and a region (-r) are "
                         "needed, or regions of a BED file (-R)");
    o.score = scores[score];
    o.command = cli_command_line();
    o.progress = cli_progress;
    o.params.tell = cli_tell;
    o.tell = cli_tell;
    cli_stop_listen(0);
    cli_stop_keeps(o.output);
    if (bird_mutate_run(&s, &o))
        return cli_fail();
    if (s.build[0])
        cli_say("warning: %s", s.build);
    cli_say_each((const char *[]){s.notice}, 1);
    if (s.n_resumed)
        cli_say("continued after %s of the interrupted run",
                cli_count(s.n_resumed, "base"));
    cli_say("%s, %s scored, %s; %s", cli_count(s.n_base, "base"),
            cli_count(s.n_scored, ""), cli_count(s.n_feature, "feature"),
            cli_count(s.n_sequence, "model evaluation"));
    cli_say_empty(o.regions, s.n_base, s.n_scored);
    if (json && bird_mutate_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
