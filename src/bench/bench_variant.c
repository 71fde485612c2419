/* Rows of the benchmark on variants. SPDX-License-Identifier: MIT */
#include "dnabird/bench_variant.h"

#include <jansson.h>
#include <string.h>

#include "base/fail.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"

struct bench {
    bird_variant_options run;
    bird_variant_summary sum;
};

void bird_bench_variant_options_default(bird_bench_variant_options *o)
{
    *o = (bird_bench_variant_options){.way = {.max_unknown = 0.05}};
    bird_bench_options_default(&o->bench);
    o->bench.repeats = 3;
}

static int run(void *context)
{
    struct bench *m = context;

    return bird_variant_run(&m->sum, &m->run);
}

int bird_bench_variant(bird_bench_variant_row *out,
                       const bird_bench_variant_options *o)
{
    struct bench m = {0};
    struct bird_bench_body body = {.context = &m, .run = run};
    bird_bench_row row = {.tokens = 1, .sequences = 1};
    int64_t n;
    int rc = o->variants ? bird_bench_check(&o->bench)
                         : bird_fail(BIRD_EINVAL, "no VCF");

    bird_variant_options_default(&m.run);
    m.run.way = o->way;
    m.run.variants = o->variants;
    m.run.region = o->region;
    m.run.output = "/dev/null";
    m.run.format = BIRD_VARIANT_VCF;
    m.run.check_ref = BIRD_REF_SKIP;
    if (!rc)
        rc = bird_bench_measure(&row, &body, NULL, &o->bench);
    if (rc)
        return rc;
    n = m.sum.status[BIRD_VARIANT_OK] + m.sum.status[BIRD_VARIANT_SWAPPED];
    if (!n)
        return bird_fail(BIRD_EINVAL, "%s: no allele has a score%s%s",
                         o->variants, o->region ? " in " : "",
                         o->region ? o->region : "");
    *out = (bird_bench_variant_row){.threads = bird_threads(),
                                    .n_allele = n,
                                    .n_sequence = m.sum.n_sequence,
                                    .repeats = row.repeats,
                                    .best_s = row.best_s,
                                    .median_s = row.median_s,
                                    .peak_mib = row.peak_mib,
                                    .per_s = (double)n / row.best_s};
    memcpy(out->model, m.sum.model, sizeof(out->model));
    return 0;
}

int bird_bench_variant_json(char **out, const bird_bench_variant_row *r)
{
    json_t *all = json_pack(
        "[{s:s, s:i, s:I, s:I, s:I, s:f, s:f, s:f, s:f}]", "model", r->model,
        "threads", r->threads, "alleles", (json_int_t)r->n_allele, "sequences",
        (json_int_t)r->n_sequence, "repeats", (json_int_t)r->repeats, "best_s",
        r->best_s, "median_s", r->median_s, "alleles_per_s", r->per_s,
        "peak_mib", r->peak_mib);

    *out = json_dumps(all, JSON_INDENT(2));
    json_decref(all);
    return *out ? 0 : bird_fail_memory(0);
}
