/* Row of the benchmark: a scan of a genome, part by part.
 * SPDX-License-Identifier: MIT */
#include "dnabird/bench_scan.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"
#include "model/params.h"
#include "seq/alphabet.h"

/* Bases whose tokens tell how long windows are. */
enum { SAMPLE = 1000000 };

struct bench {
    bird_promoter_scan_options scan;
    bird_promoter_summary sum;
    struct bird_model model;
    double second[BIRD_PHASES], total; /* of the best run that counts */
    double peak_mib; /* of the first, before the reference takes memory */
    int64_t n_run;
};

static const char *const part_name[BIRD_SCAN_PARTS] = {
    "encoder", "head", "idle", "read", "tokenize", "write", "open", "rest"};
static const enum bird_phase phase_of[BIRD_SCAN_PARTS] = {
    BIRD_PHASE_ENCODER,  BIRD_PHASE_HEAD,  BIRD_PHASE_WAIT, BIRD_PHASE_READ,
    BIRD_PHASE_TOKENIZE, BIRD_PHASE_WRITE, BIRD_PHASE_OPEN, BIRD_PHASE_REST};

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
    double start = bird_bench_now(), total;
    int rc;

    bird_timer_start(bird_bench_clock_id());
    rc = bird_promoter_scan(&m->sum, &m->scan);
    total = bird_bench_now() - start;
    if (!m->n_run)
        m->peak_mib = bird_bench_peak_mib();
    if (m->n_run++ < 2 || total < m->total) {
        m->total = total;
        for (int i = 0; i < BIRD_PHASES; i++)
            m->second[i] = bird_timer_seconds((enum bird_phase)i);
    }
    return rc;
}

/*
 * Useful operations of n sequences of one length that are read at token 0
 * alone. All layers but the last are counted as those of bird_bench_forward().
 * The last needs keys and values of all N rows, 2 N (2 D^2), and for each
 * sequence, of length L, query, output and feed-forward of a row,
 * 2 (2 D^2 + 2 D F), and that row's attention over all L keys, 4 D L: a global
 * row sees all.
 */
static int add_work(double *gflop, struct bird_config c, int64_t len)
{
    double d = (double)c.hidden_size, f = (double)c.intermediate_size;
    bird_bench_options o = {.tokens = len, .sequences = 1};
    struct bird_bench_work work;
    double n = (double)len;
    int rc;

    c.n_layer--;
    if ((rc = bird_bench_count(&work, &c, &o)))
        return rc;
    *gflop += work.linear + work.attention +
              1e-9 * (4 * n * d * d + 4 * n * d + 4 * (d * d + d * f));
    return 0;
}

/* Tokens and work of the windows computed, by the mean of windows cut from the
 * start of the file, both strands: what a window takes varies little. */
static int count_work(bird_bench_scan_row *r, const struct bench *m)
{
    const struct bird_config *c = &m->model.folder.config;
    int64_t window = m->sum.window_bp, n = 0, n_token = 0;
    int64_t pad_to = m->scan.run.pad_to;
    struct bird_text s = {0};
    bird_encoding e = {0};
    int rc = bird_bench_letters(&s, m->scan.fasta, SAMPLE);

    for (int strand = 0; !rc && strand < 2; strand++) {
        for (int64_t i = 0; !rc && (!i || i + window <= s.n); i += window) {
            int64_t bp = s.n < window ? s.n : window, len;

            rc = bird_tokenizer_encode(m->model.tokenizer, &e, s.s + i, bp, 1);
            len = e.n < c->max_positions ? e.n : c->max_positions;
            len = len > pad_to ? len : pad_to;
            if (!rc)
                rc = add_work(&r->gflop, *c, len);
            n_token += len;
            n++;
        }
        bird_reverse_complement(s.s, s.s, s.n);
    }
    r->gflop *= n ? (double)r->n_computed / (double)n : 0;
    r->n_token = n ? (n_token * r->n_computed + n / 2) / n : 0;
    bird_encoding_free(&e);
    bird_text_free(&s);
    return rc;
}

static int fill(bird_bench_scan_row *r, const struct bench *m,
                const bird_bench_row *b)
{
    double left = m->total;
    int rc;

    *r =
        (bird_bench_scan_row){.precision = m->scan.run.precision,
                              .threads = bird_threads(),
                              .n_bp = m->sum.n_bp,
                              .n_scored_bp = m->sum.n_scored * m->sum.window_bp,
                              .n_scored = m->sum.n_scored,
                              .n_unknown = m->sum.n_unknown,
                              .n_computed = m->sum.n_scored - m->sum.n_repeated,
                              .n_row = m->sum.n_row,
                              .repeats = b->repeats,
                              .best_s = b->best_s,
                              .median_s = b->median_s,
                              .timed = BIRD_TIMER_ON,
                              .sgemm = b->sgemm,
                              .peak_mib = m->peak_mib};
    if ((rc = count_work(r, m)))
        return rc;
    memcpy(r->model, m->sum.model, sizeof(r->model));
    r->weights_mib =
        (double)(bird_params_count(m->model.list, m->model.n_param) *
                     (int64_t)sizeof(float) +
                 bird_weights_low_bytes(&m->model.w)) /
        (1 << 20);
    for (int i = 0; i < BIRD_SCAN_PARTS; i++) {
        r->part[i] = m->second[phase_of[i]] / m->total;
        if (i != BIRD_SCAN_IDLE)
            left -= m->second[phase_of[i]];
    }
    r->part[BIRD_SCAN_IDLE] = left / m->total;
    r->bp_per_s = (double)r->n_bp / r->best_s;
    r->scored_bp_per_s = (double)r->n_scored_bp / r->best_s;
    r->windows_per_s = (double)r->n_scored / r->best_s;
    r->gflops = r->gflop / r->best_s;
    r->share = r->gflops / r->sgemm;
    r->encoder_share =
        r->timed ? r->share / r->part[BIRD_SCAN_ENCODER] : (double)NAN;
    return rc;
}

/* Regions of the first max_bp bases of the file; *out is the caller's. */
static int first_bases(struct bird_text *out, const char *fasta, int64_t max_bp)
{
    bird_genome *g = NULL;
    int rc = bird_genome_open(&g, fasta);

    for (int64_t i = 0; !rc && max_bp > 0 && i < bird_genome_count(g); i++) {
        int64_t n = bird_genome_length(g, i);

        n = n < max_bp ? n : max_bp;
        max_bp -= n;
        if (n)
            rc = bird_text_printf(out, "%s{%s}:1-%lld", out->n ? "," : "",
                                  bird_genome_name(g, i), (long long)n);
    }
    bird_genome_free(g);
    return rc;
}

int bird_bench_scan(bird_bench_scan_row *out, const bird_bench_scan_options *o)
{
    struct bench m = {.scan = o->scan};
    struct bird_bench_body body = {.context = &m, .run = run};
    bird_bench_row b = {.tokens = 1, .sequences = 1};
    struct bird_text regions = {0};
    bird_bench_scan_row row;
    int rc = bird_bench_check(&o->bench);

    if (!rc &&
        (o->max_bp < 0 || (o->max_bp && (o->scan.region || o->scan.regions))))
        rc = bird_fail(BIRD_EINVAL,
                       "bench: at most %lld bases: 0 or more, of a whole file",
                       (long long)o->max_bp);
    if (!rc && o->max_bp)
        rc = first_bases(&regions, o->scan.fasta, o->max_bp);
    if (rc)
        return rc;
    if (regions.n)
        m.scan.region = regions.s;
    if (!m.scan.track.path)
        m.scan.track.path = "/dev/null";
    rc = bird_model_open_as(&m.model, o->scan.model, "promoter", 1);
    if (!rc)
        rc = bird_model_prepare(&m.model, &o->scan.run);
    if (!rc)
        rc = bird_bench_measure(&b, &body, &m.model.folder.config, &o->bench);
    if (!rc && !m.sum.n_scored)
        rc = bird_fail(BIRD_EINVAL, "%s: no window was scored", o->scan.fasta);
    if (!rc)
        rc = fill(&row, &m, &b);
    if (!rc)
        *out = row;
    bird_model_drop(&m.model);
    bird_text_free(&regions);
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
        "s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:o, s:f, s:f}",
        "name", "scan", "model", r->model, "precision",
        bird_precision_name(r->precision), "threads", r->threads, "bp",
        (json_int_t)r->n_bp, "scored_bp", (json_int_t)r->n_scored_bp, "windows",
        (json_int_t)r->n_scored, "skipped_unknown", (json_int_t)r->n_unknown,
        "computed", (json_int_t)r->n_computed, "tokens", (json_int_t)r->n_token,
        "rows", (json_int_t)r->n_row, "repeats", (json_int_t)r->repeats,
        "best_s", r->best_s, "median_s", r->median_s, "bp_per_s", r->bp_per_s,
        "scored_bp_per_s", r->scored_bp_per_s, "windows_per_s",
        r->windows_per_s, "parts", r->timed ? parts_of(r) : json_null(),
        "gflop", r->gflop, "gflop_per_s", r->gflops, "sgemm_gflop_per_s",
        r->sgemm, "share_of_sgemm", r->share, "encoder_share_of_sgemm",
        r->timed ? json_real(r->encoder_share) : json_null(), "peak_mib",
        r->peak_mib, "weights_mib", r->weights_mib);
    char *s = o ? json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;

    json_decref(o);
    if (!s)
        return bird_fail_memory(0);
    *out = s;
    return 0;
}
