/*
 * dnabird bench variant: variants a second of `dnabird variant`, the same
 * function, opening the model included; the output goes to the null device.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "base/fail.h"
#include "bench/bench.h"
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const char about[] =
    "Scores the alleles of a VCF again and again, as `dnabird variant` does,\n"
    "opening the model included; the output goes to the null device.";

static const struct bench_column columns[] = {
    {"model", "model", -10, 0, 0},
    {"thr", "threads", 3, 0, 0},
    {"alleles", "alleles", 8, 0, 0},
    {"sequences", "sequences", 9, 0, 0},
    {"best s", "best_s", 9, 4, 0},
    {"median s", "median_s", 9, 4, 0},
    {"alleles/s", "alleles_per_s", 10, 2, 0},
    {"peak MiB", "peak_mib", 9, 0, 0},
};

struct bench {
    bird_variant_options o;
    bird_variant_summary sum;
};

static int run(void *context)
{
    struct bench *m = context;

    return bird_variant_run(&m->sum, &m->o);
}

static int measure(json_t **row, struct bench *m, const struct bench_options *o)
{
    struct bench_body body = {.context = m, .run = run};
    struct bench_times t;
    int64_t n;
    int rc = bench_check(o);

    m->o.output = "/dev/null";
    m->o.format = "v";
    m->o.check_ref = BIRD_REF_SKIP;
    if (rc || (rc = bench_measure(&t, &body, NULL, o)))
        return rc;
    n = m->sum.status[BIRD_VARIANT_OK] + m->sum.status[BIRD_VARIANT_SWAPPED];
    if (!n)
        return bird_fail(BIRD_EINVAL, "%s: no allele has a score%s%s",
                         m->o.variants, m->o.region ? " in " : "",
                         m->o.region ? m->o.region : "");
    *row = json_pack("{s:s, s:i, s:I, s:I, s:I}", "model", m->sum.model,
                     "threads", bird_threads(), "alleles", (json_int_t)n,
                     "sequences", (json_int_t)m->sum.n_sequence, "repeats",
                     (json_int_t)t.repeats);
    bench_put(*row, "best_s", t.best_s);
    bench_put(*row, "median_s", t.median_s);
    bench_put(*row, "alleles_per_s", (double)n / t.best_s);
    bench_put(*row, "peak_mib", t.peak_mib);
    return 0;
}

static int show(struct bench *m, const struct bench_options *o)
{
    json_t *row = NULL;
    int rc = measure(&row, m, o);

    if (rc)
        return rc;
    if (o->json)
        return bench_print_json(json_pack("[o]", row));
    bench_print(columns, (int)(sizeof(columns) / sizeof(*columns)), row, 1);
    json_decref(row);
    return 0;
}

int cmd_bench_variant(int argc, char **argv)
{
    struct opt_usage usage = {"bench variant",
                              "[options] -m DIR -f ref.fa in.vcf",
                              about,
                              NULL,
                              1,
                              1,
                              "one VCF or BCF is needed"};
    struct bench m = {0};
    struct bench_options o;
    int status;

    bird_variant_options_default(&m.o);
    bench_options_default(&o);
    o.repeats = 3;
    {
        const struct opt opts[] = {
            CLI_VARIANT_FILES(&m.o.params),
            CLI_THREADS,
            {0, "scores", OPT_TEXT, &m.o.scores, "LIST",
             "of `dnabird variant`: a masked-language model's distance takes "
             "passes of its own"},
            {'r', "region", OPT_LIST, &m.o.region, "REGION",
             "only records here, as chr:start-end, or chr:pos for one base; "
             "several between commas"},
            BENCH_RUN_OPTIONS(&o),
            CLI_VARIANT(&m.o.params),
            BENCH_SETTINGS(&o),
        };

        status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    }
    if (status != OPT_GO)
        return status;
    m.o.variants = argv[0];
    return show(&m, &o) ? cli_fail() : CLI_OK;
}
