/* bench/bench_scan: the scan measured is the scan, the work counted, limits,
 * failures. */
#include <math.h>

#include "base/file.h"
#include "base/parallel.h"
#include "bench/bench.h"
#include "seq_help.h"

TestSuite(bench_scan, .init = folder_new, .fini = folder_remove);

enum { W = 70, S = 30, LEN = 500 }; /* the model's window and stride */

/* Two sequences, the second a copy of the first: its windows come again. */
static bird_bench_scan_options options(int64_t repeats)
{
    static char model[512];
    bird_bench_scan_options o;
    char *a = letters_new(LEN), text[4 * LEN];

    snprintf(model, sizeof(model), "%s/data/model", getenv("BIRD_TEST_DATA"));
    snprintf(text, sizeof(text), ">a\n%s\n>n\n%0*d\n>b\n%s\n", a, W, 0, a);
    memset(strstr(text, ">n") + 3, 'N', W);
    free(a);
    bird_bench_scan_options_default(&o);
    o.scan.model = model;
    o.scan.fasta = file_text("x.fa", text);
    o.scan.track.no_version = 1;
    o.scan.track.format = BIRD_TRACK_WINDOWS;
    o.bench.repeats = repeats;
    return o;
}

static int64_t token_count(const bird_tokenizer *t, const char *seq, int64_t n)
{
    bird_encoding e = {0};
    int64_t count;

    WORKS(bird_tokenizer_encode(t, &e, seq, n, 1));
    count = e.n;
    bird_encoding_free(&e);
    return count;
}

/* Operations of one sequence of the test's model, term by term: 2 layers, 48
 * features, 96 within; sequences so short see all keys. */
static double work_of(int64_t len)
{
    double n = (double)len;
    double first = 2 * n * (4 * 48 * 48 + 2 * 48 * 96) + 4 * n * n * 48;
    double last =
        2 * n * 2 * 48 * 48 + 2 * (2 * 48 * 48 + 2 * 48 * 96) + 4 * n * 48;

    return 1e-9 * (first + last);
}

static void check_work(const bird_bench_scan_row *r,
                       const bird_bench_scan_options *o)
{
    char *a = letters_new(LEN), flipped[W], path[600];
    bird_tokenizer *t = NULL;
    int64_t tokens = 0, windows = bird_window_count(LEN, W, S);
    double work = 0;

    snprintf(path, sizeof(path), "%s/tokenizer.json", o->scan.model);
    WORKS(bird_tokenizer_open(&t, path));
    for (int64_t i = 0; i < windows; i++) {
        int64_t start, end, n;

        bird_window_at(&start, &end, LEN, W, S, i);
        bird_reverse_complement(flipped, a + start, end - start);
        n = token_count(t, a + start, end - start);
        tokens += n;
        work += work_of(n);
        n = token_count(t, flipped, end - start);
        tokens += n;
        work += work_of(n);
    }
    cr_assert_eq(r->n_computed, 2 * windows);
    /* by the mean of windows that lie otherwise */
    cr_assert_float_eq((double)r->n_token, (double)tokens,
                       0.1 * (double)tokens);
    cr_assert_float_eq(r->gflop, work, 0.1 * work);
    bird_tokenizer_free(t);
    free(a);
}

static void check_row(const bird_bench_scan_row *r, int threads)
{
    double sum = 0;

    cr_assert_eq(r->threads, threads);
    for (int i = 0; i < BIRD_SCAN_PARTS; i++) {
        cr_assert_geq(r->part[i], -1e-3, "%s", bird_scan_part_name(i));
        sum += r->part[i];
    }
    cr_assert_float_eq(sum, 1, 1e-2);
    for (int i = 0; r->timed && i <= BIRD_SCAN_OPEN; i++)
        cr_assert(i == BIRD_SCAN_IDLE || r->part[i] > 0);
    cr_assert_leq(r->best_s, r->median_s);
    cr_assert_float_eq(r->bp_per_s * r->best_s, (double)r->n_bp, 1e-3);
    cr_assert_float_eq(r->share * r->sgemm * r->best_s, r->gflop, 1e-6);
    cr_assert(r->timed ? r->encoder_share >= r->share
                       : isnan(r->encoder_share));
    cr_assert_gt(r->peak_mib, r->weights_mib);
}

Test(bench_scan, measures_the_scan_itself)
{
    for (int threads = 1; threads <= 2; threads++) {
        bird_bench_scan_options o = options(2);
        bird_promoter_scan_options plain = o.scan;
        bird_bench_scan_row r;
        bird_promoter_summary s;
        struct bird_text a = {0}, b = {0};
        char *json = NULL;

        bird_threads_set(threads);
        o.scan.track.path = path_of("measured");
        plain.track.path = path_of("plain");
        WORKS(bird_bench_scan(&r, &o));
        WORKS(bird_promoter_scan(&s, &plain));
        WORKS(bird_file_read(&a, o.scan.track.path));
        WORKS(bird_file_read(&b, plain.track.path));
        cr_assert_eq(a.n, b.n);
        cr_assert_eq(memcmp(a.s, b.s, (size_t)a.n), 0);
        bird_text_free(&a);
        bird_text_free(&b);
        cr_assert_eq(r.n_bp, 2 * LEN + W);
        cr_assert_eq(r.n_scored, s.n_scored);
        cr_assert_eq(r.n_scored_bp, s.n_scored * W);
        cr_assert_eq(r.n_unknown, 1);
        cr_assert_eq(r.n_row, s.n_row);
        cr_assert_eq(r.n_computed, s.n_scored - s.n_repeated);
        cr_assert_eq(r.repeats, 2);
        check_row(&r, threads);
        check_work(&r, &o);
        WORKS(bird_bench_scan_json(&json, &r));
        cr_assert(strstr(json, "\"name\": \"scan\""), "%s", json);
        cr_assert(strstr(json, r.timed ? "\"tokenize\": " : "\"parts\": null"),
                  "%s", json);
        free(json);
    }
}

Test(bench_scan, takes_the_first_bases)
{
    bird_bench_scan_options o = options(1);
    bird_bench_scan_row r;

    o.max_bp = LEN + W + W + 1; /* and W + 1 of the third sequence */
    WORKS(bird_bench_scan(&r, &o));
    cr_assert_eq(r.n_bp, LEN + W + W + 1);
    cr_assert_eq(r.n_scored, 2 * (bird_window_count(LEN, W, S) + 3));
    o.max_bp = 1;
    WORKS(bird_bench_scan(&r, &o));
    cr_assert_eq(r.n_bp, 1);
    cr_assert_eq(r.n_scored, 2);
    cr_assert_eq(r.n_computed, 2);
}

Test(bench_scan, failures_leave_the_row)
{
    bird_bench_scan_options o = options(1);
    bird_bench_scan_row r = {.n_bp = 77};

    o.max_bp = -1;
    FAILS(BIRD_EINVAL, bird_bench_scan(&r, &o), "at most -1 bases");
    o.max_bp = 10;
    o.scan.region = "a:1-100";
    FAILS(BIRD_EINVAL, bird_bench_scan(&r, &o), "of a whole file");
    o.max_bp = 0;
    o.scan.region = "n:1-70"; /* N throughout */
    FAILS(BIRD_EINVAL, bird_bench_scan(&r, &o), "no window was scored");
    o.scan.region = "c:1-70";
    cr_assert_neq(bird_bench_scan(&r, &o), 0);
    o.scan.region = NULL;
    o.bench.repeats = 0;
    FAILS(BIRD_EINVAL, bird_bench_scan(&r, &o), "repeats");
    o.bench.repeats = 1;
    o.bench.cpu_time = 1;
    bird_threads_set(2);
    FAILS(BIRD_EINVAL, bird_bench_scan(&r, &o), "give -t 1");
    o.bench.cpu_time = 0;
    o.scan.model = "/nowhere";
    FAILS(BIRD_EIO, bird_bench_scan(&r, &o), "/nowhere");
    cr_assert_eq(r.n_bp, 77);
}
