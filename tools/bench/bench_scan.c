/*
 * dnabird bench scan: bases a second of `dnabird promoter`, the same function:
 * from opening the model to the last row written, in alternation with the reference.
 * A build with timers (-Dtimer=true) reports the time of each part. Useful work
 * is counted for windows from the start of the file, whose mean stands for all.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const char about[] = "Does what `dnabird promoter` does, opening the "
                            "model included; its output\n"
                            "goes to the null device. Prints how many bases a "
                            "second that is, beside the\n"
                            "best matrix multiply, and in a build with timers "
                            "what the time goes to.";

static const char notes[] =
    "bp: bases read; scored bp: bases of scored windows or bins, each strand\n"
    "counted; windows overlap. docs/benchmarks.md says how parts are measured.";

static const struct {
    const char *name;
    enum bird_phase phase;
} parts[] = {{"encoder", BIRD_PHASE_ENCODER},   {"head", BIRD_PHASE_HEAD},
             {"idle", BIRD_PHASE_WAIT},         {"read", BIRD_PHASE_READ},
             {"tokenize", BIRD_PHASE_TOKENIZE}, {"write", BIRD_PHASE_WRITE},
             {"open", BIRD_PHASE_OPEN},         {"rest", BIRD_PHASE_REST}};
enum { ENCODER, HEAD, IDLE, N_PART = 8 };

struct scan {
    bird_promoter_scan_options o;
    struct bench_options bench;
    int64_t max_bp;
    bird_promoter_summary sum;
    struct bench_weights model;
    double part[N_PART], total; /* of the best run that counts */
    double peak_mib; /* of the first, before the reference takes memory */
    int64_t n_run;
};

/* One scan. The first is a warm-up if another follows. What is left of the
 * time is threads that wait for the slowest. */
static int run(void *context)
{
    struct scan *m = context;
    double start = bench_now(), total, left;
    int rc;

    bench_phases();
    rc = bird_promoter_scan(&m->sum, &m->o);
    left = total = bench_now() - start;
    if (!m->n_run)
        m->peak_mib = bench_peak_mib();
    if (m->n_run++ > 1 && total >= m->total)
        return rc;
    m->total = total;
    for (int i = 0; i < N_PART; i++) {
        m->part[i] = bird_timer_seconds(parts[i].phase) / total;
        left -= i == IDLE ? 0 : m->part[i] * total;
    }
    m->part[IDLE] = left / total;
    return rc;
}

/*
 * Useful operations, 1e9, of a window of `len` tokens that is read at token 0
 * alone. All layers but the last are counted as those of bench_forward(). The
 * last needs keys and values of all L rows, 2 L (2 D^2), and of one row query,
 * output and feed-forward, 2 (2 D^2 + 2 D F), and attention over all L keys,
 * 4 D L: a global row sees all.
 */
static int count_work(double *gflop, struct bird_config c, int64_t len)
{
    double d = (double)c.hidden_size, f = (double)c.intermediate_size;
    double n = (double)len, linear, attention;
    int rc;

    c.n_layer--;
    rc = bench_count(&linear, &attention, &c, len, 1);
    *gflop = linear + attention +
             1e-9 * (4 * n * d * d + 4 * n * d + 4 * (d * d + d * f));
    return rc;
}

/* Tokens of a window, by the bases per token of the start of the file, two
 * special ones included. */
static int count_tokens(int64_t *len, const struct scan *m)
{
    double bases = 1;
    int64_t vocabulary;
    int rc = bench_tokens(&bases, &vocabulary, m->model.folder.tokenizer,
                          m->o.fasta);

    *len = 2 + llround((double)m->sum.window_bp / bases);
    if (!m->model.c.n_stem && *len > m->model.c.max_positions)
        *len = m->model.c.max_positions;
    if (*len < m->o.run.pad_to)
        *len = m->o.run.pad_to;
    return rc;
}

static json_t *parts_of(const struct scan *m)
{
    json_t *o = BIRD_TIMER_ON ? json_object() : json_null();

    for (int i = 0; i < N_PART && BIRD_TIMER_ON; i++)
        bench_put(o, parts[i].name, m->part[i]);
    return o;
}

static int fill(json_t **out, const struct scan *m, const struct bench_times *t)
{
    const bird_promoter_summary *s = &m->sum;
    int64_t computed = s->n_scored - s->n_repeated;
    int64_t row_bp = s->bin_bp ? s->bin_bp : s->window_bp;
    double scored = (double)s->n_scored, weights;
    double gflop = (double)NAN; /* of a stem and of bins it is not counted */
    int64_t len;
    json_t *row, *rest;
    int rc = count_tokens(&len, m);

    if (!rc && !m->model.c.n_stem && !m->model.c.head->n_bin)
        rc = count_work(&gflop, m->model.c, len);
    if (rc)
        return rc;
    row = json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I}", "name", "scan",
                    "model", s->model, "precision",
                    bird_precision_name(m->o.run.precision), "threads",
                    bird_threads(), "bp", (json_int_t)s->n_bp, "windows",
                    (json_int_t)s->n_scored, "repeats", (json_int_t)t->repeats);
    bench_put(row, "best_s", t->best_s);
    bench_put(row, "median_s", t->median_s);
    bench_put(row, "bp_per_s", (double)s->n_bp / t->best_s);
    bench_put(row, "scored_bp_per_s", scored * (double)row_bp / t->best_s);
    bench_put(row, "windows_per_s", scored / t->best_s);
    bench_put_rate(row, gflop * (double)computed, t);
    bench_put(row, "peak_mib", m->peak_mib);
    weights = (double)(bird_params_count(m->model.list, m->model.n_param) *
                           (int64_t)sizeof(float) +
                       bird_weights_low_bytes(&m->model.w));
    bench_put(row, "weights_mib", weights / (1 << 20));
    json_object_update(
        row,
        rest = json_pack("{s:I, s:I, s:I, s:o, s:I, s:o}", "scored_bp",
                         (json_int_t)(s->n_scored * row_bp), "skipped_unknown",
                         (json_int_t)s->n_unknown, "computed",
                         (json_int_t)computed, "tokens",
                         s->bin_bp ? json_null() : json_integer(len * computed),
                         "rows", (json_int_t)s->n_row, "parts", parts_of(m)));
    json_decref(rest);
    bench_put(row, "encoder_share_of_sgemm",
              BIRD_TIMER_ON
                  ? bench_number(row, "share_of_sgemm") / m->part[ENCODER]
                  : (double)NAN);
    *out = row;
    return 0;
}

int bench_first_bases(struct bird_text *out, const char *fasta, int64_t max_bp)
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

static int measure(json_t **row, struct scan *m)
{
    struct bench_body body = {.context = m, .run = run};
    struct bird_text regions = {0};
    struct bench_times t;
    char *found = NULL;
    int rc = bench_check(&m->bench);

    if (!rc && m->max_bp)
        rc = bench_first_bases(&regions, m->o.fasta, m->max_bp);
    if (!rc && !m->o.model)
        rc = bird_default_model(&found, BIRD_MODEL_OF_STARTS);
    if (!rc && found)
        m->o.model = found;
    if (rc || (rc = bench_weights_open(&m->model, m->o.model, &m->bench)) ||
        (rc = bird_config_run(&m->model.c, &m->o.run, m->model.folder.path)) ||
        (rc = bird_weights_prepare(&m->model.w, &m->model.c, m->o.run.precision,
                                   !m->model.own)))
        goto done;
    if (regions.n)
        m->o.region = regions.s;
    m->o.track.path = "/dev/null";
    m->bench.precision = m->o.run.precision;
    rc = bench_measure(&t, &body, &m->model.c, &m->bench);
    if (!rc && !m->sum.n_scored)
        rc = bird_fail(BIRD_EINVAL, "%s: no window was scored", m->o.fasta);
    if (!rc)
        rc = fill(row, m, &t);
done:
    bench_weights_free(&m->model);
    bird_text_free(&regions);
    free(found);
    return rc;
}

/* ---- the command --------------------------------------------------------- */

static const struct bench_column columns[] = {
    {"model", "model", -10, 0, 0},
    {"precision", "precision", -9, 0, 0},
    {"thr", "threads", 3, 0, 0},
    {"bp", "bp", 10, 0, 0},
    {"windows", "windows", 8, 0, 0},
    {"best s", "best_s", 9, 3, 0},
    {"median s", "median_s", 9, 3, 0},
    {"bp/s", "bp_per_s", 10, 0, 0},
    {"scored bp/s", "scored_bp_per_s", 12, 0, 0},
    {"windows/s", "windows_per_s", 9, 1, 0},
    BENCH_RATE_COLUMNS,
    {"peak MiB", "peak_mib", 8, 0, 0},
};

static int parse(int *argc, char ***argv, struct scan *m)
{
    struct opt_usage usage = {"bench scan",
                              "[options] -f genome.fa",
                              about,
                              notes,
                              0,
                              0,
                              "the genome is given with -f"};
    bird_promoter_scan_options *s = &m->o;
    const struct opt opts[] = {
        CLI_START_MODEL(&s->model),
        CLI_REFERENCE(&s->fasta),
        CLI_REGION(&s->region),
        {0, "max-bp", OPT_SIZE, &m->max_bp, "BP",
         "only the first bases of the file (default: all)"},
        CLI_TRACK_FORMAT(&s->track.format, BIRD_TRACK_PROMOTER),
        CLI_WINDOW(&s->window_bp),
        CLI_STRIDE(&s->stride_bp),
        CLI_STRAND(&s->strand),
        CLI_RUN(&s->run),
        BENCH_THREADS(&m->bench.threads),
        BENCH_RUN_OPTIONS(&m->bench),
        BENCH_SETTINGS(&m->bench),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

int cmd_bench_scan(int argc, char **argv)
{
    struct scan m = {0};
    json_t *row = NULL;
    int status;

    bird_promoter_scan_options_default(&m.o);
    bench_options_default(&m.bench);
    m.bench.repeats = 3;
    if ((status = parse(&argc, &argv, &m)) != OPT_GO)
        return status;
    if (!m.o.fasta)
        return cli_usage("bench scan: give a genome (-f)");
    if (m.max_bp && m.o.region)
        return cli_usage("bench scan: --max-bp cannot be used with --region");
    if (cli_threads(m.bench.threads))
        return CLI_USAGE;
    if ((status = cli_model(&m.o.run, m.o.model)))
        return status;
    if (measure(&row, &m))
        return cli_fail();
    if (m.bench.json)
        return bench_print_json(row) ? cli_fail() : CLI_OK;
    bench_print(columns, (int)(sizeof(columns) / sizeof(*columns)), row, 1);
    json_decref(row);
    return CLI_OK;
}
