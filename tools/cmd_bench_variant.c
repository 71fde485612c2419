/* dnabird bench variant: variants a second. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "dnabird/bench_variant.h"
#include "opt.h"
#include "way.h"

static const char about[] =
    "Scores the alleles of a VCF again and again, as `dnabird variant` does,\n"
    "opening the model included; the output goes to the null device.";

static void show(const bird_bench_variant_row *r)
{
    printf("%-10s %3s %8s %9s %9s %9s %10s %9s\n", "model", "thr", "alleles",
           "sequences", "best s", "median s", "alleles/s", "peak MiB");
    printf("%-10.10s %3d %8lld %9lld %9.4f %9.4f %10.2f %9.0f\n", r->model,
           r->threads, (long long)r->n_allele, (long long)r->n_sequence,
           r->best_s, r->median_s, r->per_s, r->peak_mib);
}

int cmd_bench_variant(int argc, char **argv)
{
    struct opt_usage usage = {"bench variant",
                              "[options] -m DIR -f ref.fa in.vcf", about, NULL};
    struct way_choice c = {0};
    bird_bench_variant_options o;
    bird_bench_variant_row row;
    char *text = NULL;
    int json = 0, first = 0, status = 0;

    bird_bench_variant_options_default(&o);
    {
        const struct opt opts[] = {
            WAY_OPTIONS(&o.way, &c),
            {'r', "region", OPT_LIST, &o.region, "REGION",
             "only records here, as chr:start-end, or chr:pos for one base; "
             "several between commas"},
            {0, "repeats", OPT_INT, &o.bench.repeats, "INT", "runs at most"},
            {0, "seconds", OPT_REAL, &o.bench.seconds, "REAL",
             "after which a row begins no other run"},
            {0, "cpu-time", OPT_FLAG, &o.bench.cpu_time, NULL,
             "time of the processor, not of the clock: for a machine that "
             "does other things as well; with -t 1"},
            {0, "json", OPT_FLAG, &json, NULL, "the row as JSON"},
        };

        if (opt_parse(&first, &status, argc, argv, opts,
                      (int)(sizeof(opts) / sizeof(*opts)), &usage))
            return status;
    }
    if (argc - first != 1)
        return cli_usage("bench variant: one VCF or BCF is needed");
    if (way_take(&o.way, &c))
        return CLI_USAGE;
    o.variants = argv[first];
    if (bird_bench_variant(&row, &o))
        return cli_fail();
    if (json) {
        if (bird_bench_variant_json(&text, &row))
            return cli_fail();
        puts(text);
        free(text);
    } else {
        show(&row);
    }
    return CLI_OK;
}
