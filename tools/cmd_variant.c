/* dnabird variant: what alleles do. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt.h"
#include "progress.h"
#include "way.h"

/* What a run has said and shown so far. */
struct talk {
    struct cli_progress progress;
    char last[600];
};

static void tell(void *context, const char *sentence)
{
    struct talk *t = context;

    cli_progress_end(&t->progress);
    cli_say("%s", sentence);
    snprintf(t->last, sizeof(t->last), "%s", sentence);
}

static const char about[] =
    "Scores every allele of a VCF or BCF ('-': standard input) and writes it\n"
    "annotated, or as a table. Alleles that cannot be scored say why.\n"
    "'dnabird variant background' makes a model's e-values and z.";

static const char notes[] =
    "-O v|z|u|b: VCF, bgzipped VCF, uncompressed BCF, BCF; without -O the\n"
    "output's name tells. Fields, columns and STATUS: docs/formats.md; what\n"
    "the numbers are: docs/math/variant-scores.md.";

struct choices {
    struct way_choice way;
    int format, check_ref;
    const char *json;
};

static int parse(int argc, char **argv, bird_variant_options *o,
                 struct choices *c, int *first, int *status)
{
    struct opt_usage usage = {
        "variant", "[options] -f ref.fa in.vcf -o out.vcf.gz", about, notes};
    const struct opt opts[] = {
        WAY_OPTIONS(&o->way, &c->way),
        {'o', "output", OPT_OUT, &o->output, "FILE",
         "without it standard output"},
        {'O', "format", OPT_CHOICE, &c->format,
         "auto|" BIRD_VARIANT_FORMAT_NAMES, "form of the output"},
        {'W', "write-index", OPT_FLAG, &o->index, NULL,
         "index the compressed output"},
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "only records here, as chr:start-end, or chr:pos for one base; "
         "several between commas or by -r again"},
        {'R', "regions-file", OPT_ONCE, &o->regions, "BED",
         "only records in these regions"},
        {0, "check-ref", OPT_CHOICE, &c->check_ref, "error|warn|skip|swap",
         "where REF is not what the reference has: stop; go on without "
         "scores, with a warning or silently; or score the ALT that the "
         "reference has, the sign turned"},
        {0, "contig-map", OPT_TEXT, &o->contig_map, "FILE",
         "lines of a VCF's contig name and the reference's"},
        {0, "features", OPT_TEXT, &o->features, "LIST",
         "scores of these features too: names, classes, cell types, factors, "
         "globs, label:I"},
        {0, "scores", OPT_TEXT, &o->scores, "LIST",
         "of p_ref, p_alt, diff, logit, e, z, deepsea_effect; without it all "
         "but the last of one feature, diff of several"},
        {0, "top", OPT_INT, &o->top, "INT",
         "features with the largest differences that the summary names"},
        {0, "long", OPT_FLAG, &o->long_rows, NULL,
         "of -O tsv: a row an allele and feature"},
        {0, "prefix", OPT_TEXT, &o->prefix, "WORD",
         "of VCF's fields; without it BIRD: models with a prefix each stand "
         "side by side"},
        {0, "kipoi-name", OPT_TEXT, &o->kipoi, "NAME",
         "of -O kipoi: what stands before the columns, as DeepSEA/predict"},
        {0, "drop-genotypes", OPT_FLAG, &o->drop_genotypes, NULL,
         "write no samples"},
        {0, "resume", OPT_FLAG, &o->resume, NULL,
         "go on where an interrupted run stopped (FILE.partial)"},
        {0, "json", OPT_OUT, &c->json, "FILE", "summary of the run as JSON"},
        {0, "no-version", OPT_FLAG, &o->no_version, NULL,
         "no provenance lines"},
    };

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

static void tally(const bird_variant_summary *s, double seconds)
{
    char text[512];
    size_t n = 0;

    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        if (s->status[i] && n < sizeof(text))
            n += (size_t)snprintf(text + n, sizeof(text) - n, ", %s %lld",
                                  bird_variant_status_name(i),
                                  (long long)s->status[i]);
    if (s->n_outside && n < sizeof(text))
        snprintf(text + n, sizeof(text) - n, ", outside the regions %lld",
                 (long long)s->n_outside);
    cli_say(
        "%lld records%s, %lld alleles%s; windows of %lld bp: %lld sequences "
        "computed, %lld windows known already, %lld alleles encoded "
        "freely, %lld sequences cut to the model's length; %.1f alleles/s",
        (long long)s->n_record, s->by_index ? " read by the index" : "",
        (long long)s->n_allele, s->n_record ? text : "",
        (long long)s->window_bp, (long long)s->n_sequence,
        (long long)s->n_cached, (long long)s->n_free, (long long)s->n_trimmed,
        seconds > 0 ? (double)(s->n_allele - s->n_resumed_allele) / seconds
                    : 0);
    if (s->n_moved || s->n_cut)
        cli_say("at the ends of contigs: %lld alleles in a window that was "
                "moved, %lld in one as short as the contig%s%s",
                (long long)s->n_moved, (long long)s->n_cut,
                s->n_cut && s->calibrated ? ", without e and z" : "",
                s->n_cut ? " (SHORT=1)" : "");
}

static void say(struct talk *t, const bird_variant_summary *s, double seconds)
{
    char names[600];

    /* more may have been met since they were told */
    snprintf(names, sizeof(names), "contig names: %s in the reference",
             s->contigs);
    if (s->contigs[0] && strcmp(names, t->last) != 0)
        tell(t, names);
    if (s->notice[0])
        cli_say("%s", s->notice);
    if (s->n_resumed)
        cli_say("%lld records were there already", (long long)s->n_resumed);
    tally(s, seconds);
}

int cmd_variant(int argc, char **argv)
{
    struct talk talk = {0};
    struct choices c = {0};
    bird_variant_options o;
    bird_variant_summary s;
    char *command;
    double start = cli_now();
    int first = 0, status = 0, rc;

    if (argc > 1 && !strcmp(argv[1], "background"))
        return cmd_variant_background(argc - 1, argv + 1);
    bird_variant_options_default(&o);
    if (parse(argc, argv, &o, &c, &first, &status))
        return status;
    if (argc - first != 1)
        return cli_usage("variant: one VCF or BCF is needed ('-' for standard "
                         "input)");
    if (way_take(&o.way, &c.way))
        return CLI_USAGE;
    o.variants = argv[first];
    o.format = c.format - 1;
    o.check_ref = (enum bird_ref_policy)c.check_ref;
    if (cli_output_check(c.json))
        return CLI_FAILED;
    if (bird_variant_check(&o)) {
        cli_fail();
        return CLI_USAGE;
    }
    command = cli_command_line(argc, argv);
    o.command = command;
    o.progress = cli_progress;
    o.progress_context = &talk.progress;
    o.tell = tell;
    o.tell_context = &talk;
    rc = bird_variant_run(&s, &o);
    cli_progress_end(&talk.progress);
    free(command);
    if (rc)
        return cli_fail();
    say(&talk, &s, cli_now() - start);
    if (c.json && bird_variant_summary_write(c.json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
