/*
 * dnabird bench variant: variants a second of `dnabird variant`, the same
 * function, opening the model included; the output goes to the null device.
 * Work is counted for whole windows, each by itself: where windows share rows
 * the rate is that of a program that computes each, and can be above that of
 * the matrix multiply.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "bench/bench.h"
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"
#include "model/stem.h"

static const char about[] =
    "Scores the alleles of a VCF again and again, as `dnabird variant` does,\n"
    "opening the model included; the output goes to the null device. Prints "
    "how\n"
    "many alleles and windows a second that is, beside the best matrix "
    "multiply.";

static const char notes[] = "windows: evaluations of the model. GFLOP/s: "
                            "multiplications and additions\n"
                            "of all windows, each computed whole; rows that "
                            "windows share are computed\n"
                            "once, so the share can be above 100 %.";

static const struct bench_column columns[] = {
    {"model", "model", -10, 0, 0},
    {"thr", "threads", 3, 0, 0},
    {"alleles", "alleles", 8, 0, 0},
    {"windows", "sequences", 9, 0, 0},
    {"best s", "best_s", 9, 4, 0},
    {"median s", "median_s", 9, 4, 0},
    {"alleles/s", "alleles_per_s", 10, 2, 0},
    {"windows/s", "windows_per_s", 10, 1, 0},
    BENCH_RATE_COLUMNS,
    {"peak MiB", "peak_mib", 9, 0, 0},
};

struct bench {
    bird_variant_options o;
    bird_variant_summary sum;
    struct bench_weights model; /* its sizes are those of the reference */
};

static int run(void *context)
{
    struct bench *m = context;

    return bird_variant_run(&m->sum, &m->o);
}

/* Operations of a window, 1e9, by the bases per token of the start of the
 * reference. */
static int count(double *out, const struct bench *m)
{
    const struct bird_config *c = &m->model.c;
    double linear, attention, bases = 1;
    int64_t vocabulary, n;
    int rc = bench_tokens(&bases, &vocabulary, m->model.folder.tokenizer,
                          m->o.params.fasta);

    n = llround((double)m->sum.window_bp / bases);
    if (!rc)
        rc = bench_count(&linear, &attention, c, n / bird_stem_pool(c) + 2, 1);
    if (!rc)
        *out = linear + attention + bench_count_stem(c, n, 0);
    return rc;
}

static int measure(json_t **row, struct bench *m, const struct bench_options *o)
{
    struct bench_body body = {.context = m, .run = run};
    const char *model = m->o.params.model;
    struct bench_times t;
    char *found = NULL;
    double gflop;
    int64_t n;
    int rc = bench_check(o);

    if (!rc && !model)
        rc = bird_default_model(&found, BIRD_MODEL_OF_ALLELES);
    if (!rc)
        rc = bench_weights_open(&m->model, model ? model : found, o);
    free(found);
    m->o.output = "/dev/null";
    m->o.format = "v";
    m->o.check_ref = BIRD_REF_SKIP;
    if (rc || (rc = bench_measure(&t, &body, &m->model.c, o)) ||
        (rc = count(&gflop, m)))
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
    bench_put(*row, "windows_per_s", (double)m->sum.n_sequence / t.best_s);
    bench_put_rate(*row, gflop * (double)m->sum.n_sequence, &t);
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
                              notes,
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
    o.precision = m.o.params.precision;
    status = show(&m, &o) ? cli_fail() : CLI_OK;
    bench_weights_free(&m.model);
    return status;
}
