/* dnabird variant background: what a model's differences are measured with.
 * SPDX-License-Identifier: MIT */
#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt.h"
#include "progress.h"
#include "way.h"

static const char about[] =
    "Scores random single-base changes, or the alleles of a VCF, and keeps "
    "the\n"
    "quantiles of their differences in the model folder, from which `dnabird\n"
    "variant` takes e-values and z. Use no variants that you will ask about.";

int cmd_variant_background(int argc, char **argv)
{
    struct cli_progress progress = {0};
    struct opt_usage usage = {"variant background",
                              "[options] (-m DIR | -o FILE) -f ref.fa [in.vcf]",
                              about, NULL};
    struct way_choice c = {0};
    bird_background_options o;
    bird_background_summary s;
    const char *json = NULL;
    double start = cli_now();
    int64_t seed;
    int first = 0, status = 0, rc;

    bird_background_options_default(&o);
    seed = (int64_t)o.seed;
    {
        const struct opt opts[] = {
            WAY_OPTIONS(&o.way, &c),
            {'R', "regions-file", OPT_ONCE, &o.regions, "BED",
             "draw changes from these regions: of the training part"},
            {'n', "number", OPT_INT, &o.n, "INT", "changes to draw"},
            {0, "transitions", OPT_REAL, &o.transitions, "REAL",
             "share of A<>G and C<>T among them"},
            {0, "seed", OPT_INT, &seed, "INT", "of the draws"},
            {'o', "output", OPT_TEXT, &o.output, "FILE",
             "without it calibration.safetensors in the model folder"},
            {0, "json", OPT_OUT, &json, "FILE", "summary of the run as JSON"},
        };

        if (opt_parse(&first, &status, argc, argv, opts,
                      (int)(sizeof(opts) / sizeof(*opts)), &usage))
            return status;
    }
    if (argc - first > 1)
        return cli_usage("variant background: one VCF at most");
    if (seed < 0)
        return cli_usage("variant background: --seed is negative");
    if (way_take(&o.way, &c))
        return CLI_USAGE;
    o.seed = (uint64_t)seed;
    o.variants = first < argc ? argv[first] : NULL;
    if (o.variants && o.regions)
        return cli_usage("variant background: regions are for random changes, "
                         "not for a VCF");
    if (!o.way.model && !o.output)
        return cli_usage("variant background: a model folder (-m), in which "
                         "it is kept, or a file (-o) is needed: the shipped "
                         "model's is not replaced unasked");
    if (cli_output_check(json))
        return CLI_FAILED;
    cli_stop_listen(0);
    o.progress = cli_progress;
    o.progress_context = &progress;
    rc = bird_variant_background(&s, &o);
    cli_progress_end(&progress);
    if (rc)
        return cli_fail();
    if (s.build[0])
        cli_say("warning: %s", s.build);
    if (s.notice[0])
        cli_say("%s", s.notice);
    cli_say("%s: %lld variants of %lld features, %lld could not be scored, "
            "%lld sequences computed; %s",
            s.path, (long long)s.n, (long long)s.n_feature, (long long)s.n_left,
            (long long)s.n_sequence, s.about);
    if (json && bird_background_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
