/* Row of the benchmark: a scan of a genome, part by part.
 * SPDX-License-Identifier: MIT */
#include "dnabird/bench_scan.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parallel.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"
#include "session/probe.h"

struct bench {
    bird_promoter_scan_options scan;
    struct bird_probe probe;
    bird_promoter_summary sum;
    double second[BIRD_SCAN_PARTS], total; /* of the best run that counts */
    double peak_mib; /* of the first, before the reference takes memory */
    int64_t n_run;
};

static const char *const part_name[BIRD_SCAN_PARTS] = {
    "encoder", "head",  "idle", "read", "tokenize",
    "pack",    "write", "open", "rest"};

const char *bird_scan_part_name(enum bird_scan_part p)
{
    return (unsigned)p < BIRD_SCAN_PARTS ? part_name[p] : "";
}

void bird_bench_scan_options_default(bird_bench_scan_options *o)
{
    *o = (bird_bench_scan_options){0};
    bird_promoter_scan_options_default(&o->scan);
    bird_bench_options_default(&o->bench);
    o->bench.repeats = 3;
}

/* One scan. The first is a warm-up if another follows (bench.h). */
static int run(void *context)
{
    struct bench *m = context;
    double total = 0;
    int rc;

    bird_probe_start(&m->probe, BIRD_SCAN_REST);
    rc = bird_promoter_scan_probed(&m->sum, &m->scan, &m->probe);
    bird_probe_enter(&m->probe, BIRD_SCAN_REST);
    for (int i = 0; i < BIRD_SCAN_PARTS; i++)
        total += m->probe.second[i];
    if (!m->n_run)
        m->peak_mib = bird_bench_peak_mib();
    if (m->n_run++ < 2 || total < m->total) {
        memcpy(m->second, m->probe.second, sizeof(m->second));
        m->total = total;
    }
    return rc;
}

/*
 * Useful operations of a pass that is read at token 0 alone. All layers but
 * the last are counted as those of bird_bench_forward(). The last needs keys
 * and values of all N rows, 2 N (2 D^2), and for each sequence, of length L,
 * query, output and feed-forward of a row, 2 (2 D^2 + 2 D F), and that row's
 * attention over all L keys, 4 D L: a global row sees all.
 */
static int count_work(double *gflop, const struct bird_probe *p)
{
    struct bird_config c = p->c;
    double d = (double)c.hidden_size, f = (double)c.intermediate_size;

    c.n_layer--;
    *gflop = 0;
    for (int64_t len = 1; len <= p->longest && p->length; len++) {
        bird_bench_options o = {.tokens = len, .sequences = p->length[len]};
        double n = (double)(len * o.sequences);
        struct bird_bench_work work;
        int rc;

        if (!o.sequences)
            continue;
        if ((rc = bird_bench_count(&work, &c, &o)))
            return rc;
        *gflop += work.linear + work.attention;
        *gflop += 1e-9 * (4 * n * d * d + 4 * n * d +
                          4 * (double)o.sequences * (d * d + d * f));
    }
    return 0;
}

static int fill(bird_bench_scan_row *r, const struct bench *m,
                const bird_bench_row *b)
{
    const struct bird_probe *p = &m->probe;
    int rc = count_work(&r->gflop, p);

    *r =
        (bird_bench_scan_row){.precision = m->scan.run.precision,
                              .threads = bird_threads(),
                              .n_bp = p->n_bp,
                              .n_scored_bp = p->n_scored_bp,
                              .n_scored = m->sum.n_scored,
                              .n_unknown = m->sum.n_unknown,
                              .n_computed = m->sum.n_scored - m->sum.n_repeated,
                              .n_row = m->sum.n_row,
                              .repeats = b->repeats,
                              .best_s = b->best_s,
                              .median_s = b->median_s,
                              .gflop = r->gflop,
                              .sgemm = b->sgemm,
                              .peak_mib = m->peak_mib};
    memcpy(r->model, m->sum.model, sizeof(r->model));
    r->weights_mib = (double)p->weights_bytes / (1 << 20);
    for (int64_t len = 1; p->length && len <= p->longest; len++)
        r->n_token += len * p->length[len];
    for (int i = 0; i < BIRD_SCAN_PARTS; i++)
        r->part[i] = m->second[i] / m->total;
    r->bp_per_s = (double)r->n_bp / r->best_s;
    r->scored_bp_per_s = (double)r->n_scored_bp / r->best_s;
    r->windows_per_s = (double)r->n_scored / r->best_s;
    r->gflops = r->gflop / r->best_s;
    r->share = r->gflops / r->sgemm;
    r->encoder_share = r->share / r->part[BIRD_SCAN_ENCODER];
    return rc;
}

int bird_bench_scan(bird_bench_scan_row *out, const bird_bench_scan_options *o)
{
    struct bench m = {.scan = o->scan,
                      .probe = {.now = bird_bench_now, .max_bp = o->max_bp}};
    struct bird_bench_body body = {.context = &m, .run = run};
    bird_bench_row b = {.tokens = 1, .sequences = 1};
    bird_bench_scan_row row;
    int rc = bird_bench_check(&o->bench);

    if (!rc &&
        (o->max_bp < 0 || (o->max_bp && (o->scan.region || o->scan.regions))))
        rc = bird_fail(BIRD_EINVAL,
                       "bench: at most %lld bases: 0 or more, of a whole file",
                       (long long)o->max_bp);
    if (rc)
        return rc;
    if (!m.scan.track.path)
        m.scan.track.path = "/dev/null";
    /* the reference is asked after the first run, which fills in probe.c */
    rc = bird_bench_measure(&b, &body, &m.probe.c, &o->bench);
    if (!rc && !m.sum.n_scored)
        rc = bird_fail(BIRD_EINVAL, "%s: no window was scored", o->scan.fasta);
    if (!rc)
        rc = fill(&row, &m, &b);
    if (!rc)
        *out = row;
    bird_probe_free(&m.probe);
    return rc;
}

static json_t *parts_of(const bird_bench_scan_row *r)
{
    json_t *o = json_object();

    for (int i = 0; i < BIRD_SCAN_PARTS; i++)
        json_object_set_new(o, part_name[i], json_real(r->part[i]));
    return o;
}

int bird_bench_scan_json(char **out, const bird_bench_scan_row *r)
{
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, "
        "s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
        "name", "scan", "model", r->model, "precision",
        bird_precision_name(r->precision), "threads", r->threads, "bp",
        (json_int_t)r->n_bp, "scored_bp", (json_int_t)r->n_scored_bp, "windows",
        (json_int_t)r->n_scored, "skipped_unknown", (json_int_t)r->n_unknown,
        "computed", (json_int_t)r->n_computed, "tokens", (json_int_t)r->n_token,
        "rows", (json_int_t)r->n_row, "repeats", (json_int_t)r->repeats,
        "best_s", r->best_s, "median_s", r->median_s, "bp_per_s", r->bp_per_s,
        "scored_bp_per_s", r->scored_bp_per_s, "windows_per_s",
        r->windows_per_s, "parts", parts_of(r), "gflop", r->gflop,
        "gflop_per_s", r->gflops, "sgemm_gflop_per_s", r->sgemm,
        "share_of_sgemm", r->share, "encoder_share_of_sgemm", r->encoder_share,
        "peak_mib", r->peak_mib, "weights_mib", r->weights_mib);
    char *s = o ? json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;

    json_decref(o);
    if (!s)
        return bird_fail_memory(0);
    *out = s;
    return 0;
}
