/*
 * dnabird bench bins: bases a second of `dnabird chromatin`, the same function,
 * with a model that scores every bin of a long window, compared with one that
 * scores windows, on the same sequence in alternation, in each precision that the
 * processor has. Output goes to the null device.
 *
 * Memory is that of one scan in a process of its own, forked before anything
 * else is computed. docs/benchmarks.md
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "bench/bench.h"
#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm_low.h"

static const char about[] =
    "Scans a sequence as `dnabird chromatin` does, with a model that answers "
    "in\n"
    "bins and with one that scores windows, in alternation; prints bases a "
    "second\n"
    "and memory of both, in float32, bfloat16 and int8.";

static const char notes[] =
    "Without --beside the model for windows has random weights: 2 layers of "
    "128,\n"
    "206 labels, words of 6 bases, 600 bp. Without -m the model of bins has "
    "too:\n"
    "--stem, then the layers and labels of the other one. docs/benchmarks.md "
    "says\n"
    "more.";

/* Of models with random weights. */
enum { MARGIN = 800, BIN = 200, CONTEXT = 600 };

static const char windows_config[] =
    "{\"model_type\": \"big_bird\", \"hidden_size\": 128, "
    "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
    "\"intermediate_size\": 512, \"max_position_embeddings\": 512, "
    "\"block_size\": 16}";
static const char windows_labels[] = "206";

enum { BINS, WINDOWS, BOTH };

struct bins {
    bird_chromatin_options o[BOTH];
    bird_chromatin_summary sum[BOTH];
    double peak_mib[BOTH];
    struct bench_options bench;
    const char *stem;
    int64_t window_bp, max_bp;
    struct bird_text folder, model[BOTH]; /* made for the run, if any */
    const struct bird_folder *like;       /* the model for windows */
};

/* ---- processes ------------------------------------------------------------- */

/* Result of a child. */
struct told {
    int rc;
    double peak_mib;
    char why[256];
};

/* Call run() in a child process, so that it starts no thread and takes no memory
 * here. Call it before any thread is started: a child would wait for threads that it
 * does not have. */
static int in_child(double *peak_mib, int (*run)(void *), void *context)
{
    struct told told = {0};
    int at[2], status;
    pid_t pid;

    if (pipe(at))
        return bird_fail(BIRD_EIO, "bench: pipe: %s", strerror(errno));
    fflush(NULL);
    pid = fork();
    if (!pid) {
        bench_peak_reset();
        told.rc = run(context);
        told.peak_mib = bench_peak_mib();
        if (told.rc)
            snprintf(told.why, sizeof(told.why), "%s", bird_last_error());
        _exit(write(at[1], &told, sizeof(told)) != (ssize_t)sizeof(told));
    }
    close(at[1]);
    if (pid < 0 || read(at[0], &told, sizeof(told)) != (ssize_t)sizeof(told))
        told.rc = BIRD_EIO;
    close(at[0]);
    if (pid > 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    *peak_mib = told.peak_mib;
    return told.rc ? bird_fail(told.rc, "%s",
                               *told.why ? told.why
                                         : "bench: a process of it did not end "
                                           "well")
                   : 0;
}

/* ---- models with random weights ---------------------------------- */

/* What `init` does not write of a folder. */
static int add_number(const char *folder, const char *field, int value)
{
    json_t *meta = NULL;
    char *path = NULL;
    int rc = bird_path_join(&path, folder, "dnabird.json");

    if (!rc)
        rc = bird_json_open(&meta, path);
    if (!rc && json_object_set_new(meta, field, json_integer(value)))
        rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_json_write(meta, path);
    json_decref(meta);
    free(path);
    return rc;
}

static int init_windows(void *context)
{
    const struct bins *m = context;
    bird_model_init_options o;
    char *words = NULL, *config = NULL;
    int rc = bird_path_join(&words, m->folder.s, "six.json");

    bird_model_init_options_default(&o);
    if (!rc)
        rc = bird_path_join(&config, m->folder.s, "windows.json");
    if (!rc)
        rc = bird_kmer_write(words, 6, 3, 0);
    if (!rc)
        rc =
            bird_file_write(config, windows_config, sizeof(windows_config) - 1);
    o.config = config;
    o.tokenizer = words;
    o.labels = windows_labels;
    o.window_bp = CONTEXT;
    if (!rc)
        rc = bird_model_init(m->model[WINDOWS].s, &o);
    if (!rc)
        rc = add_number(m->model[WINDOWS].s, "bin_bp", BIN);
    free(words);
    free(config);
    return rc;
}

static int init_bins(void *context)
{
    const struct bins *m = context;
    const struct bird_folder *like = m->like;
    bird_model_init_options o;
    char labels[32], *words = NULL, *config = NULL;
    int rc = bird_path_join(&words, m->folder.s, "words.json");

    bird_model_init_options_default(&o);
    snprintf(labels, sizeof(labels), "%lld", (long long)like->config.n_label);
    if (!rc)
        rc = bird_path_join(&config, like->path, "config.json");
    if (!rc)
        rc = bird_kmer_write(words, 1, 1, 0);
    o.config = config;
    o.tokenizer = words;
    o.stem = m->stem;
    o.labels = labels;
    o.head = "bins";
    o.bin_bp = BIN;
    o.window_bp = m->window_bp;
    if (!rc)
        rc = bird_model_init(m->model[BINS].s, &o);
    if (!rc)
        rc = add_number(m->model[BINS].s, "margin_bp", MARGIN);
    free(words);
    free(config);
    return rc;
}

static int make_folder(struct bins *m)
{
    const char *tmp = getenv("TMPDIR");
    int rc = bird_text_printf(&m->folder, "%s/dnabird-bench-XXXXXX",
                              tmp && *tmp ? tmp : "/tmp");

    if (!rc && !mkdtemp(m->folder.s)) {
        rc = bird_fail(BIRD_EIO, "%s: %s", m->folder.s, strerror(errno));
        bird_text_clear(&m->folder);
    }
    if (!rc)
        bird_guard_own(m->folder.s);
    return rc;
}

static int make_model(struct bins *m, int which)
{
    double peak;
    int rc = m->folder.n ? 0 : make_folder(m);

    if (!rc)
        rc = bird_text_printf(&m->model[which], "%s/random%d", m->folder.s,
                              which);
    if (!rc)
        rc = in_child(&peak, which == BINS ? init_bins : init_windows, m);
    m->o[which].model = m->model[which].s;
    return rc;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void drop(struct bins *m)
{
    if (m->folder.n)
        nftw(m->folder.s, remove_one, 4, FTW_DEPTH | FTW_PHYS);
    bird_text_free(&m->folder);
    for (int i = 0; i < BOTH; i++)
        bird_text_free(&m->model[i]);
}

/* ---- scans ----------------------------------------------------------------- */

static int scan(struct bins *m, int which)
{
    return bird_chromatin_scan(&m->sum[which], &m->o[which]);
}

static int run_bins(void *context)
{
    return scan(context, BINS);
}

static int run_windows(void *context)
{
    return scan(context, WINDOWS);
}

static int put_row(json_t **out, const struct bins *m,
                   const struct bench_times *t)
{
    double bp = (double)m->sum[BINS].n_bp, windows_s = t->part_s[BENCH_PLAIN];
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:I, s:I}", "name", "bins", "model",
        m->model[BINS].n ? "random" : m->sum[BINS].model, "beside",
        m->model[WINDOWS].n ? "random" : m->sum[WINDOWS].model, "precision",
        bird_precision_name(m->o[BINS].run.precision), "threads",
        bird_threads(), "bp", (json_int_t)m->sum[BINS].n_bp, "repeats",
        (json_int_t)t->repeats);

    if (!m->sum[BINS].n_bins)
        return bird_fail(BIRD_EINVAL, "%s: no bin was scored", m->o->fasta);
    bench_put(row, "best_s", t->best_s);
    bench_put(row, "kbp_per_s", 1e-3 * bp / t->best_s);
    bench_put(row, "peak_mib", m->peak_mib[BINS]);
    bench_put(row, "windows_s", windows_s);
    bench_put(row, "windows_kbp_per_s", 1e-3 * bp / windows_s);
    bench_put(row, "windows_peak_mib", m->peak_mib[WINDOWS]);
    bench_put(row, "times_as_fast", windows_s / t->best_s);
    bench_put(row, "sgemm_gflop_per_s", t->sgemm);
    json_object_set_new(row, "strands",
                        json_integer(1 + m->sum[BINS].both_strands));
    json_object_set_new(row, "windows_strands",
                        json_integer(1 + m->sum[WINDOWS].both_strands));
    *out = row;
    return 0;
}

static void set_precision(struct bins *m, enum bird_precision p)
{
    for (int i = 0; i < BOTH; i++)
        m->o[i].run.precision = p;
}

static const struct bench_column columns[] = {
    {"precision", "precision", -9, 0, 0},
    {"thr", "threads", 3, 0, 0},
    {"bp", "bp", 9, 0, 0},
    {"bins s", "best_s", 8, 3, 0},
    {"kbp/s", "kbp_per_s", 8, 1, 0},
    {"peak MiB", "peak_mib", 8, 1, 0},
    {"windows s", "windows_s", 9, 3, 0},
    {"kbp/s", "windows_kbp_per_s", 8, 1, 0},
    {"peak MiB", "windows_peak_mib", 8, 1, 0},
    {"ratio", "times_as_fast", 6, 2, 0},
    {"sgemm", "sgemm_gflop_per_s", 8, 1, 0},
};

/* Memory of all rows, then their times. */
static int run_rows(json_t *all, struct bins *m)
{
    struct bench_body body = {m, run_bins, {NULL, NULL, run_windows}};
    double peak[BIRD_INT8 + 1][BOTH] = {{0}};
    int there[BIRD_INT8 + 1] = {0}, rc = 0;

    for (int p = 0; !rc && p <= BIRD_INT8; p++) {
        there[p] = !bird_low_check(NULL, (enum bird_precision)p);
        if (!there[p])
            cli_say("%s: not measured: %s",
                    bird_precision_name((enum bird_precision)p),
                    bird_last_error());
        set_precision(m, (enum bird_precision)p);
        for (int i = 0; !rc && there[p] && i < BOTH; i++)
            rc = in_child(&peak[p][i], i == BINS ? run_bins : run_windows, m);
    }
    for (int p = 0, n = 0; !rc && p <= BIRD_INT8; p++) {
        struct bench_times t;
        json_t *row = NULL;

        if (!there[p])
            continue;
        set_precision(m, (enum bird_precision)p);
        memcpy(m->peak_mib, peak[p], sizeof(m->peak_mib));
        rc = bench_measure(&t, &body, &m->like->config, &m->bench);
        if (!rc)
            rc = put_row(&row, m, &t);
        if (!rc && !m->bench.json)
            bench_print(columns, (int)(sizeof(columns) / sizeof(*columns)), row,
                        !n++);
        json_array_append_new(all, row);
    }
    return rc;
}

static int measure(json_t *all, struct bins *m)
{
    struct bird_folder like = {0};
    struct bird_text regions = {0};
    int rc = bench_check(&m->bench);

    if (!rc && m->max_bp)
        rc = bench_first_bases(&regions, m->o->fasta, m->max_bp);
    if (!rc && !m->o[WINDOWS].model)
        rc = make_model(m, WINDOWS);
    if (!rc)
        rc = bird_folder_open_config(&like, m->o[WINDOWS].model);
    m->like = &like;
    if (!rc && !m->o[BINS].model)
        rc = make_model(m, BINS);
    for (int i = 0; i < BOTH && regions.n; i++)
        m->o[i].region = regions.s;
    if (!rc)
        rc = run_rows(all, m);
    m->like = NULL;
    bird_folder_free(&like);
    bird_text_free(&regions);
    return rc;
}

/* ---- the command ----------------------------------------------------------- */

static int parse(int *argc, char ***argv, struct bins *m)
{
    struct opt_usage usage = {"bench bins",
                              "[options] -f genome.fa",
                              about,
                              notes,
                              0,
                              0,
                              "the genome is given with -f"};
    bird_chromatin_options *s = m->o;
    const struct opt opts[] = {
        {'m', "model", OPT_MODEL, &s->model, "DIR",
         "model that predicts bins (default: random weights)"},
        {0, "beside", OPT_TEXT, &m->o[WINDOWS].model, "DIR",
         "model that scores windows (default: random weights)"},
        {0, "stem", OPT_TEXT, &m->stem, "LAYERS",
         "stem of random weights, as in 'dnabird init'"},
        {'w', "window", OPT_SIZE, &m->window_bp, "BP",
         "window of a model with random weights, 800 bp at both ends being "
         "context"},
        CLI_REFERENCE(&s->fasta),
        CLI_REGION(&s->region),
        {0, "max-bp", OPT_SIZE, &m->max_bp, "BP",
         "only the first bases of the file (default: all)"},
        CLI_MODEL_STRAND(&s->strand),
        BENCH_THREADS(&m->bench.threads),
        BENCH_RUN_OPTIONS(&m->bench),
        BENCH_SETTINGS(&m->bench),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

int cmd_bench_bins(int argc, char **argv)
{
    struct bins m = {.stem = BENCH_STEM, .window_bp = 8000};
    json_t *all;
    int status;

    for (int i = 0; i < BOTH; i++) {
        bird_chromatin_options_default(&m.o[i]);
        m.o[i].output = "/dev/null";
    }
    m.o[WINDOWS].strand = BIRD_STRAND_BOTH;
    bench_options_default(&m.bench);
    m.bench.repeats = 3;
    if ((status = parse(&argc, &argv, &m)) != OPT_GO)
        return status;
    if (!m.o->fasta)
        return cli_usage("bench bins: give a genome (-f)");
    if (m.max_bp && m.o->region)
        return cli_usage("bench bins: --max-bp cannot be used with --region");
    if (m.window_bp < 2 * MARGIN + BIN || m.window_bp > 1 << 24)
        return cli_usage("bench bins: --window is %d bp or more",
                         2 * MARGIN + BIN);
    if (cli_threads(m.bench.threads))
        return CLI_USAGE;
    if (!m.o->model && m.o->strand == BIRD_STRAND_MODEL)
        m.o->strand = BIRD_STRAND_PLUS; /* as of labels in stranded pairs */
    m.o[WINDOWS].fasta = m.o->fasta;
    m.o[WINDOWS].region = m.o->region;
    all = json_array();
    status = measure(all, &m) ? cli_fail() : CLI_OK;
    drop(&m);
    if (status == CLI_OK && m.bench.json)
        return bench_print_json(all) ? cli_fail() : CLI_OK;
    json_decref(all);
    return status;
}
