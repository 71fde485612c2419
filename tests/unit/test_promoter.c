/* scan/promoter: which windows are scored and what of, calls and values
 * against those worked out again from the windows, the tally, failures. */
#include <dirent.h>
#include <math.h>

#include "base/file.h"
#include "base/json.h"
#include "dnabird/evaluate.h"
#include "scan/scan.h"
#include "seq_help.h"

TestSuite(promoter, .init = folder_new, .fini = folder_remove);

enum { W = 70, S = 30, MOST = 4096 }; /* the model's window and stride */

struct row { /* of the form windows */
    char contig[32], strand, value[32], status[32];
    long long start, end;
};

static struct row rows[MOST];
static int n_row;

static bird_promoter_scan_options options(const char *fasta, const char *format)
{
    bird_promoter_scan_options o;

    bird_promoter_scan_options_default(&o);
    o.model = tests_path(DATA_MODEL);
    o.fasta = fasta;
    o.track.format = format;
    o.track.no_version = 1;
    o.track.path = path_of("out");
    return o;
}

static bird_promoter_summary scan(const bird_promoter_scan_options *o)
{
    bird_promoter_summary s = {0};

    WORKS(bird_promoter_scan(&s, o));
    cr_assert_eq(s.n_scored,
                 (s.n_window - s.n_unknown - s.n_short) * s.n_strand);
    return s;
}

static char *text_of(const char *path)
{
    struct bird_text t = {0};

    WORKS(bird_file_read(&t, path));
    return t.s;
}

static void read_windows(const char *path)
{
    char *text = text_of(path), *rest = text, *line;

    n_row = 0;
    while ((line = strsep(&rest, "\n")))
        if (*line && *line != '#') {
            struct row *r = &rows[n_row++];

            cr_assert_leq(n_row, MOST);
            cr_assert_eq(sscanf(line, "%31s %lld %lld %c %31s %31s", r->contig,
                                &r->start, &r->end, &r->strand, r->value,
                                r->status),
                         6);
        }
    free(text);
}

/* The text has the digits of a float. */
static double value_of(const struct row *r)
{
    return (double)strtof(r->value, NULL);
}

/* What the model says of these bases, scored alone. */
static double alone(const char *seq, int64_t n, char strand)
{
    bird_session_options o = {.strand = strand == '-' ? BIRD_STRAND_MINUS
                                                      : BIRD_STRAND_PLUS};
    bird_session *s = NULL;
    static bird_model *m;
    float p = -1;

    if (!m)
        WORKS(bird_model_open(&m, tests_path(DATA_MODEL), NULL));
    WORKS(bird_session_new(&s, m, &o));
    cr_assert_eq(bird_session_size(s, n), 1);
    WORKS(bird_session_score(s, &seq, &n, 1, &p));
    bird_session_free(s);
    return (double)p;
}

Test(promoter, every_window_on_both_strands)
{
    char *a = letters_new(500), text[1024];
    const char *fasta;
    bird_promoter_scan_options o;
    bird_promoter_summary s;
    int k = 0;

    snprintf(text, sizeof(text), ">a\n%s\n>empty\n>short\n%.40s\n", a, a + 99);
    fasta = file_text("x.fa", text);
    o = options(fasta, "windows");
    o.score_short = 1;
    s = scan(&o);
    read_windows(o.track.path);
    cr_assert_eq(s.n_contig, 3);
    cr_assert_eq(s.n_empty, 1);
    cr_assert_eq(s.n_bp, 540);
    cr_assert_eq(s.n_window, bird_window_count(500, W, S) + 1);
    cr_assert_eq(s.n_strand, 2);
    cr_assert_eq(s.n_unknown, 0);
    cr_assert_eq(s.n_repeated, 0);
    cr_assert_eq(s.n_row, n_row);
    cr_assert_eq(n_row, 2 * s.n_window);
    cr_assert_eq(s.window_bp, W);
    cr_assert_eq(s.stride_bp, S);
    cr_assert_str_eq(s.model, "model");
    cr_assert_eq(strlen(s.digest), 64);
    for (int64_t i = 0; i < s.n_window; i++)
        for (int strand = 0; strand < 2; strand++) {
            const struct row *r = &rows[k++];
            int last = i + 1 == s.n_window;
            int64_t start = 0, end = 40;

            if (!last)
                bird_window_at(&start, &end, 500, W, S, i);
            cr_assert_str_eq(r->contig, last ? "short" : "a");
            cr_assert_eq(r->start, start);
            cr_assert_eq(r->end, end);
            cr_assert_eq(r->strand, "+-"[strand]);
            cr_assert_str_eq(r->status, "ok");
            cr_assert_float_eq(
                value_of(r),
                alone(a + (last ? 99 : start), end - start, r->strand), 1e-5);
        }
    free(a);
}

Test(promoter, values_outside_of_their_enums_are_refused)
{
    const char *fasta = file_text("x.fa", ">a\nACGT\n");
    bird_promoter_scan_options o;
    bird_chromatin_options c;
    bird_evaluate_options e;
    bird_variant_options v;
    bird_variant_summary vs;
    bird_evaluation found = {0};
    bird_promoter_summary s;
    bird_model_run run;
    bird_model *m = NULL;

    bird_model_run_default(&run);
    run.precision = (enum bird_precision)3;
    FAILS(BIRD_EINVAL, bird_model_open(&m, tests_path(DATA_MODEL), &run),
          "precision 3");
    bird_model_run_default(&run);
    run.blocks = (enum bird_blocks)4;
    FAILS(BIRD_EINVAL, bird_model_open(&m, tests_path(DATA_MODEL), &run),
          "random blocks 4");
    o = options(fasta, "tsv");
    o.strand = BIRD_STRAND_EACH;
    FAILS(BIRD_EINVAL, bird_promoter_scan(&s, &o), "strand 3");
    o = options(fasta, "tsv");
    o.sort = 7;
    FAILS(BIRD_EINVAL, bird_promoter_scan(&s, &o), "order 7");
    bird_chromatin_options_default(&c);
    c.fasta = fasta;
    c.strand = BIRD_STRAND_MINUS;
    FAILS(BIRD_EINVAL, bird_chromatin_check(&c), "strand");
    bird_evaluate_options_default(&e);
    e.model = tests_path(DATA_MODEL);
    e.test = fasta;
    e.strand = BIRD_STRAND_MINUS;
    FAILS(BIRD_EINVAL, bird_evaluate(&found, &e), "strand 2");
    bird_variant_options_default(&v);
    v.params.model = tests_path(DATA_MODEL);
    v.params.fasta = fasta;
    v.variants = "none.vcf";
    v.check_ref = 9;
    FAILS(BIRD_EINVAL, bird_variant_run(&vs, &v), "policy 9");
}

Test(promoter, windows_rich_in_n_are_skipped)
{
    char *a = letters_new(W), text[1200];
    bird_promoter_scan_options o;
    bird_promoter_summary s;

    /* two contigs of a window each, with 7 and 8 of 70 letters N */
    memset(a, 'N', 7);
    snprintf(text, sizeof(text), ">seven\n%s\n>eight\nN%s\n>last\n%s\n", a,
             a + 1, a + 20);
    memset(strstr(text, ">eight") + 7, 'N', 8);
    o = options(file_text("x.fa", text), "windows");
    o.max_unknown = 0.1;
    o.score_short = 1; /* the last one */
    s = scan(&o);
    read_windows(o.track.path);
    cr_assert_eq(s.n_window, 3);
    cr_assert_eq(s.n_unknown, 1);
    cr_assert_eq(n_row, 6);
    for (int i = 0; i < n_row; i++) {
        int skipped = !strcmp(rows[i].contig, "eight");

        cr_assert_str_eq(rows[i].status, skipped ? "too_many_N" : "ok");
        cr_assert_eq(!strcmp(rows[i].value, "."), skipped);
    }
    o.max_unknown = 0;
    cr_assert_eq(scan(&o).n_unknown, 2);
    o.max_unknown = 1;
    cr_assert_eq(scan(&o).n_unknown, 0);
    free(a);
}

/* A contig shorter than a window is no whole one, however few bp it lacks;
   every letter but A, C, G, T is an unknown base. */
Test(promoter, short_contigs_and_unknown_letters_are_skipped)
{
    char *a = letters_new(W), text[1200];
    bird_promoter_scan_options o;
    bird_promoter_summary s;

    snprintf(text, sizeof(text), ">whole\n%s\n>less\n%s\n>x\n%s\n>r\n%s\n", a,
             a + 1, a, a);
    memset(strstr(text, ">x") + 3, 'x', W);
    memset(strstr(text, ">r") + 3, 'R', W);
    o = options(file_text("x.fa", text), "windows");
    s = scan(&o);
    cr_assert_eq(s.n_window, 4);
    cr_assert_eq(s.n_short, 1);
    cr_assert_eq(s.n_unknown, 2);
    read_windows(o.track.path);
    cr_assert_eq(n_row, 8);
    for (int i = 0; i < n_row; i++)
        cr_assert_str_eq(rows[i].status, !strcmp(rows[i].contig, "whole") ? "ok"
                                         : !strcmp(rows[i].contig, "less")
                                             ? "too_short"
                                             : "too_many_N");
    o.score_short = 1;
    s = scan(&o);
    cr_assert_eq(s.n_short, 0);
    cr_assert_eq(s.n_scored, 4);
    free(a);
}

/* More skipped windows than may wait behind one that is to be scored. */
Test(promoter, a_long_gap_keeps_the_order)
{
    int64_t gap = 300000, n = gap + 400, k = 0;
    char *seq = letters_new(n), *text, *out, *rest, *line;
    bird_promoter_scan_options o;
    bird_promoter_summary s;
    long long start, before = -1;

    memset(seq + 200, 'N', (size_t)gap);
    text = fasta_new("a", seq, 60);
    o = options(file_text("x.fa", text), "windows");
    o.strand = BIRD_STRAND_PLUS;
    s = scan(&o);
    cr_assert_gt(s.n_unknown, 8192);
    cr_assert_eq(s.n_window, bird_window_count(n, W, S));
    rest = out = text_of(o.track.path);
    while ((line = strsep(&rest, "\n")))
        if (*line && *line != '#') {
            cr_assert_eq(sscanf(line, "a %lld", &start), 1);
            cr_assert_gt(start, before);
            before = start;
            k++;
        }
    cr_assert_eq(k, s.n_window);
    free(out), free(text), free(seq);
}

enum { CONTIGS = 3 };

static const char *const contigs[CONTIGS] = {"a", "b", "the_third_of_them"};

static int count_named(void *context, const struct bird_scan_row *r)
{
    int64_t *got = context;

    cr_assert_lt(r->contig, CONTIGS);
    cr_assert_str_eq(r->name, contigs[r->contig], "at %lld",
                     (long long)r->start);
    got[r->contig]++;
    return 0;
}

/* What waits together may begin within a contig: its name must be there still
 * when the next one's is. */
Test(promoter, names_stay_with_their_windows)
{
    const int64_t length[CONTIGS] = {400, 60000, 400};
    int64_t got[CONTIGS] = {0}, n = 0;
    char *text = calloc(1, 62000);
    struct bird_scan *s;
    struct bird_scan_input input = {.max_unknown = 0.5};
    struct bird_scan_plan plan = {
        .strand = BIRD_STRAND_PLUS, .put = count_named, .context = got};
    bird_model *m;

    cr_assert(text);
    for (int i = 0; i < CONTIGS; i++) {
        char *seq = letters_new(length[i]);

        n += sprintf(text + n, ">%s\n%s\n", contigs[i], seq);
        free(seq);
    }
    input.fasta = file_text("x.fa", text);
    WORKS(bird_model_open(&m, tests_path(DATA_MODEL), &(bird_model_run){0}));
    plan.model = m;
    WORKS(bird_layout_of(
        &plan.layout, m,
        &(struct bird_layout_request){.context_bp = W, .stride_bp = S}));
    WORKS(bird_scan_begin(&s, &input, &plan));
    WORKS(bird_scan_run(s));
    bird_scan_close(s);
    bird_model_close(m);
    for (int i = 0; i < CONTIGS; i++)
        cr_assert_eq(got[i], bird_window_count(length[i], W, S));
    free(text);
}

static char *toy(void)
{
    char *a = letters_new(900), *text = malloc(4000);

    cr_assert(text);
    snprintf(text, 4000, ">a\n%.600s\n>b\n%s\n", a, a + 300);
    free(a);
    return text;
}

/* Calls of the rows of one contig and strand, by the definition. */
static int expect_calls(char *out, size_t size, char strand, double threshold)
{
    size_t n = 0;
    int calls = 0;

    for (int i = 0; i < n_row; i++) {
        long long start = rows[i].start, end = rows[i].end, lo, hi;
        double best = value_of(&rows[i]);

        if (rows[i].strand != strand || best < threshold)
            continue;
        lo = hi = start + (end - start) / 2;
        for (int j = i + 1; j < n_row; j++) {
            const struct row *r = &rows[j];
            double p = value_of(r);
            long long middle = r->start + (r->end - r->start) / 2;

            if (r->strand != strand || p < threshold ||
                strcmp(r->contig, rows[i].contig) != 0)
                continue;
            if (r->start > end)
                break;
            end = r->end;
            rows[j].strand = 'x'; /* taken */
            if (p > best)
                best = p, lo = hi = middle;
            else if (!(p < best))
                hi = middle;
        }
        n += (size_t)snprintf(
            out + n, size - n, "%s\t%lld\t%lld\tpromoter\t%d\t%c\t%.6f\t%lld\n",
            rows[i].contig, start, end, (int)lround(1000 * best), strand, best,
            lo + (hi - lo) / 2);
        calls++;
    }
    return calls;
}

/* The lines of a text that hold this strand, header left out. */
static void lines_of(char *out, size_t size, const char *path, char strand)
{
    char *text = text_of(path), *rest = text, *line, s;
    size_t n = 0;

    *out = '\0';
    while ((line = strsep(&rest, "\n")))
        if (*line && *line != '#' &&
            sscanf(line, "%*s %*s %*s %*s %*s %c", &s) == 1 && s == strand)
            n += (size_t)snprintf(out + n, size - n, "%s\n", line);
    free(text);
}

Test(promoter, calls_are_windows_above_the_threshold_joined_by_strand)
{
    static char want[1 << 16], got[1 << 16];
    char *text = toy();
    bird_promoter_scan_options o = options(file_text("x.fa", text), "windows");
    const char *windows = o.track.path, *bed = path_of("bed");
    int most = 0;

    scan(&o);
    o.track.format = "bed";
    o.track.path = bed;
    for (int k = 0; k < 12; k++) {
        bird_promoter_summary s;
        int calls = 0;

        read_windows(windows); /* 0, 1, and the values of some windows */
        o.threshold = k < 2 ? k : value_of(&rows[k * n_row / 12]);
        s = scan(&o);
        cr_assert_eq(s.threshold, o.threshold);
        for (int strand = 0; strand < 2; strand++) {
            want[0] = '\0';
            calls +=
                expect_calls(want, sizeof(want), "+-"[strand], o.threshold);
            lines_of(got, sizeof(got), bed, "+-"[strand]);
            cr_assert_str_eq(got, want);
        }
        cr_assert_eq(s.n_row, calls);
        most = calls > most ? calls : most;
        if (k == 0)
            cr_assert_eq(calls, 4); /* contigs and strands, whole */
    }
    cr_assert_gt(most, 6);
    free(text);
}

Test(promoter, a_bedgraph_averages_windows_and_takes_the_larger_strand)
{
    static double sum[2][600];
    static int n[2][600], seen[600];
    char *text = toy(), *out, *rest, *line;
    const char *fasta = file_text("x.fa", text);
    bird_promoter_scan_options o = options(fasta, "windows");
    char contig[32];
    long long start, end;
    double value;

    scan(&o);
    read_windows(o.track.path);
    for (int i = 0; i < n_row; i++)
        for (long long x = rows[i].start;
             x < rows[i].end && *rows[i].contig == 'a'; x++) {
            sum[rows[i].strand == '-'][x] += value_of(&rows[i]);
            n[rows[i].strand == '-'][x]++;
        }
    o.track.format = "bedgraph";
    o.track.path = path_of("graph");
    scan(&o);
    rest = out = text_of(o.track.path);
    while ((line = strsep(&rest, "\n")))
        if (*line && *line != '#') {
            cr_assert_eq(sscanf(line, "%31s %lld %lld %lf", contig, &start,
                                &end, &value),
                         4);
            for (long long x = start; x < end && *contig == 'a'; x++) {
                double plus = sum[0][x] / n[0][x], minus = sum[1][x] / n[1][x];

                cr_assert_eq(seen[x]++, 0);
                cr_assert_float_eq(value, plus > minus ? plus : minus, 1e-6);
            }
        }
    for (int x = 0; x < 600; x++)
        cr_assert_eq(seen[x], 1);
    free(out), free(text);
}

Test(promoter, one_strand_is_that_part_of_both)
{
    static const enum bird_strand one[] = {BIRD_STRAND_PLUS, BIRD_STRAND_MINUS};
    static struct row both[MOST];
    char *text = toy();
    bird_promoter_scan_options o = options(file_text("x.fa", text), "windows");
    int n_both;

    scan(&o);
    read_windows(o.track.path);
    memcpy(both, rows, sizeof(rows));
    n_both = n_row;
    for (int strand = 0; strand < 2; strand++) {
        o.strand = one[strand];
        cr_assert_eq(scan(&o).n_strand, 1);
        read_windows(o.track.path);
        cr_assert_eq(2 * n_row, n_both);
        for (int i = 0; i < n_row; i++) {
            const struct row *r = &both[2 * i + strand];

            cr_assert_eq(rows[i].strand, "+-"[strand]);
            cr_assert_eq(rows[i].start, r->start);
            cr_assert_float_eq(value_of(&rows[i]), value_of(r), 1e-5);
        }
    }
    free(text);
}

Test(promoter, same_bytes_for_any_threads_and_for_what_comes_again)
{
    char *a = letters_new(3000), *text = malloc(8000), *first = NULL;
    bird_promoter_scan_options o;

    cr_assert(text);
    snprintf(text, 8000, ">a\n%s\n>b\n%s\n", a, a);
    o = options(file_text("x.fa", text), "windows");
    for (int threads = 1; threads < 4; threads++) {
        bird_promoter_summary s;
        char *got;

        bird_threads_set(threads);
        s = scan(&o);
        cr_assert_eq(2 * s.n_repeated, s.n_scored);
        got = text_of(o.track.path);
        if (first)
            cr_assert_str_eq(got, first);
        else
            first = strdup(got);
        free(got);
    }
    read_windows(o.track.path);
    for (int i = 0; i < n_row / 2; i++) {
        cr_assert_str_eq(rows[i].value, rows[n_row / 2 + i].value);
        cr_assert_eq(rows[i].start, rows[n_row / 2 + i].start);
    }
    free(a), free(text), free(first);
}

Test(promoter, thresholds_of_the_model)
{
    bird_promoter_scan_options o =
        options(file_text("x.fa", ">a\nACGT\n"), "bed");
    bird_promoter_summary s = {.n_row = 77};

    cr_assert_float_eq(scan(&o).threshold, 0.5, 0);
    o.fp_per_mb = 10;
    cr_assert_float_eq(scan(&o).threshold, 0.6, 0);
    o.fp_per_mb = sqrt(10.0);
    cr_assert_float_eq(scan(&o).threshold, 0.75, 1e-9);
    o.fp_per_mb = 11;
    FAILS(BIRD_EINVAL, bird_promoter_scan(&s, &o), "must be between 1 and 10");
    /* they were counted with the model's own windows */
    o.fp_per_mb = 10;
    o.stride_bp = S;
    o.window_bp = W;
    cr_assert_str_eq(scan(&o).notice, "");
    o.stride_bp = S + 1;
    FAILS(BIRD_EINVAL, bird_promoter_scan(&s, &o), "--fp-per-mb");
    o.fp_per_mb = (double)NAN;
    cr_assert(strstr(scan(&o).notice, "--stride 31 (the model's: 30)"));
    cr_assert_eq(s.n_row, 77);
}

static void refused(bird_promoter_scan_options o, const char *part)
{
    FAILS(BIRD_EINVAL, bird_promoter_check(&o), part);
}

Test(promoter, options_that_make_no_sense)
{
    bird_promoter_scan_options good = options("x.fa", "bed"), o;

    WORKS(bird_promoter_check(&good));
    o = good, o.fasta = NULL, refused(o, "no FASTA");
    o = good, o.threshold = 1.5, refused(o, "threshold");
    o = good, o.threshold = -0.5, refused(o, "--threshold -0.5");
    o = good, o.threshold = (double)NAN, refused(o, "threshold");
    o = good, o.fp_per_mb = -1, refused(o, "--fp-per-mb");
    o = good, o.fp_per_mb = 1, o.threshold = 0.5, refused(o, "one of them");
    o = good, o.max_unknown = 1.1, refused(o, "--max-n 1.1");
    o = good, o.window_bp = -1, refused(o, "negative");
    o = good, o.track.index = 1, refused(o, "bgzipped");
}

static int stop_later(void *context, const bird_progress *p)
{
    int *calls = context;

    cr_assert_str_eq(p->unit, "bp");
    /* the 64th window's end, of a file that was read at once */
    cr_assert_eq(p->done, W + 63 * S + *calls * 64 * S);
    cr_assert_eq(p->total, -1);
    cr_assert_float_eq(p->share, (double)p->done / 20000, 0.01);
    return ++*calls == 2;
}

static int entries(void)
{
    DIR *d = opendir(folder);
    int n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

Test(promoter, failures_leave_nothing_behind)
{
    char *a = letters_new(20000), *text = fasta_new("a", a, 80);
    bird_promoter_scan_options o = options(file_text("x.fa", text), "bed");
    bird_promoter_summary s = {.n_row = 77};
    int calls = 0, before = entries();

    o.progress = stop_later;
    o.progress_context = &calls;
    FAILS(BIRD_ECANCELED, bird_promoter_scan(&s, &o), "stopped");
    cr_assert_eq(calls, 2);
    o.progress = NULL;
    o.fasta = path_of("none.fa");
    FAILS(BIRD_EIO, bird_promoter_scan(&s, &o), "none.fa");
    o.fasta = file_text("x.fa", "no header\n");
    FAILS(BIRD_EFORMAT, bird_promoter_scan(&s, &o), "x.fa");
    o.region = "a:1-5";
    o.fasta = file_text("y.fa", ">b\nACGT\n");
    FAILS(BIRD_ERANGE, bird_promoter_scan(&s, &o), "no contig 'a'");
    o.model = path_of("no-model");
    FAILS(BIRD_EIO, bird_promoter_scan(&s, &o), "no-model");
    cr_assert_eq(entries(), before + 2); /* y.fa and its index */
    cr_assert_eq(s.n_row, 77);
    free(a), free(text);
}

static int64_t whole_number(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);

    cr_assert(json_is_integer(v), "%s", key);
    return json_integer_value(v);
}

Test(promoter, the_summary_as_json)
{
    bird_promoter_scan_options o = options(
        file_text("x.fa", ">a\nACGT\n>b\nACGT\n>n\nNNNN\n>e\n"), "windows");
    const char *path = path_of("s.json");
    bird_promoter_summary s;
    json_t *j = NULL;

    o.score_short = 1;
    s = scan(&o);
    WORKS(bird_promoter_summary_write(path, &s, 2.0));
    WORKS(bird_json_open(&j, path));
    cr_assert_eq(whole_number(j, "sequences"), 4);
    cr_assert_eq(whole_number(j, "empty"), 1);
    cr_assert_eq(whole_number(j, "bp"), 12);
    cr_assert_eq(whole_number(j, "windows"), 3);
    cr_assert_eq(whole_number(j, "strands"), 2);
    cr_assert_eq(whole_number(j, "scored"), 4);
    cr_assert_eq(whole_number(j, "skipped_unknown"), 1);
    cr_assert_eq(whole_number(j, "skipped_short"), 0);
    cr_assert_eq(whole_number(j, "trimmed"), 0);
    cr_assert_eq(whole_number(j, "repeated"), 3); /* ACGT is its complement */
    cr_assert_eq(whole_number(j, "rows"), 6);
    cr_assert_float_eq(json_real_value(json_object_get(j, "bp_per_second")), 6,
                       1e-9);
    json_decref(j);
    WORKS(bird_promoter_summary_write(path, &s, (double)INFINITY));
    WORKS(bird_json_open(&j, path));
    cr_assert(json_is_null(json_object_get(j, "seconds")));
    json_decref(j);
    FAILS(BIRD_EIO, bird_promoter_summary_write(path_of("no/s"), &s, 1),
          "no/s");
}
