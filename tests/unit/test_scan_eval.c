/* Figures of a scan, counted by hand. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/file.h"
#include "dnabird/evaluate.h"
#include "seq_help.h"

static const char WINDOWS[] = "w.tsv", TRUTH[] = "t.bed", OTHER[] = "o.bed",
                  REGIONS[] = "r.bed", SPARE[] = "spare";

static void setup(void)
{
    folder_new();
    file_text(TRUTH, "chr1\t1050\t1051\ta\t.\t+\nchr1\t3000\t3001\tb\t.\t-\n"
                     "chr1\t9200\t9201\tc\t.\t+\nchr1\t20000\t20001\td\t.\t+\n"
                     "chr2\t500\t501\te\t.\t+\n");
    file_text(OTHER, "chr1\t5000\t5001\tx\t.\t+\n");
    file_text(REGIONS, "chr1\t0\t10000\n");
}

TestSuite(scan_eval, .init = setup, .fini = folder_remove);

static double value_at(int start, char strand)
{
    static const struct {
        int start;
        char strand;
        double p;
    } peak[] = {{1000, '+', 0.9},  {1050, '+', 0.8}, {8000, '+', 0.87},
                {2950, '-', 0.85}, {5000, '+', 0.7}, {8500, '+', 0.55},
                {1000, '-', 0.5}};

    for (size_t i = 0; i < sizeof(peak) / sizeof(*peak); i++)
        if (peak[i].start == start && peak[i].strand == strand)
            return peak[i].p;
    return 0.01;
}

/* Windows of 100 bp each 50 bp over "1":0-10000, nine of them not scored. */
static void put_windows(void)
{
    struct bird_text t = {0};
    int rc = bird_text_printf(&t, "##made\n#chrom\tstart\tend\tstrand\t"
                                  "probability\tstatus\n");

    for (int start = 0; !rc && start <= 9900; start += 50)
        for (const char *s = "+-"; !rc && *s; s++)
            rc = start >= 9000 && start <= 9400
                     ? bird_text_printf(&t, "1\t%d\t%d\t%c\t.\tN\n", start,
                                        start + 100, *s)
                     : bird_text_printf(&t, "1\t%d\t%d\t%c\t%.9g\tok\n", start,
                                        start + 100, *s, value_at(start, *s));
    cr_assert_eq(rc, 0);
    file_text(WINDOWS, t.s);
    bird_text_free(&t);
}

static bird_scan_files files(void)
{
    static const char *other[1];

    other[0] = path_of(OTHER);
    return (bird_scan_files){.windows = path_of(WINDOWS),
                             .truth = path_of(TRUTH),
                             .other = other,
                             .n_other = 1,
                             .regions = path_of(REGIONS)};
}

static void evaluate(bird_scan_result *r, const bird_scan_files *f,
                     const bird_evaluate_scan_options *o)
{
    WORKS(bird_scan_evaluate(r, f, o));
}

static int same(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

Test(scan_eval, by_hand)
{
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r;
    const bird_scan_point *p;

    put_windows();
    bird_evaluate_scan_options_default(&o);
    o.zone = 25;
    o.target[0] = 0;
    o.target[1] = 150;
    o.target[2] = 250;
    evaluate(&r, &f, &o);
    cr_assert_eq(r.n_window, 2 * 190);
    cr_assert_eq(r.n_unscored, 18);
    cr_assert_eq(r.scanned_bp, 9600);
    cr_assert_eq(r.n_tss, 3);
    cr_assert_eq(r.n_tss_scanned, 2);
    cr_assert_eq(r.n_positive, 2);
    cr_assert_eq(r.n_negative, 230);
    cr_assert(same(r.auroc.value, 459.0 / 460));
    cr_assert(same(r.auprc.value, (1 + 2.0 / 3) / 2));

    p = r.point[BIRD_SCAN_STRANDED];
    cr_assert(same(p[0].threshold, 0.9));
    cr_assert_eq(p[0].n_call, 1);
    cr_assert_eq(p[0].n_false, 0);
    cr_assert(same(p[0].recall.value, 0.5));
    cr_assert(same(p[0].recall_all.value, 1.0 / 3));
    /* 0.9, 0.87 (false), 0.85, 0.7 (excused); 0.55 would be the second */
    cr_assert(same(p[1].threshold, 0.7));
    cr_assert_eq(p[1].n_call, 4);
    cr_assert_eq(p[1].n_false, 1);
    cr_assert_eq(p[1].n_antisense, 0);
    cr_assert_eq(p[1].n_found, 2);
    cr_assert(same(p[1].recall.value, 1));
    cr_assert(same(p[1].false_per_mb.value, 1 / 0.0096));
    /* all windows: two runs a strand, the right one false */
    cr_assert(same(p[2].threshold, 0.01));
    cr_assert_eq(p[2].n_call, 4);
    cr_assert_eq(p[2].n_false, 2);
    cr_assert_eq(p[2].n_found, 2);

    p = r.point[BIRD_SCAN_UNSTRANDED];
    cr_assert(same(p[1].threshold, 0.7));
    cr_assert_eq(p[1].n_call, 4);
    cr_assert_eq(p[1].n_false, 1);
    cr_assert_eq(p[2].n_call, 2);
    cr_assert_eq(p[2].n_false, 1);
    /* both of them are one run now, whose summit finds one */
    cr_assert_eq(p[2].n_found, 1);
}

Test(scan_eval, thresholds_that_are_given)
{
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r;

    put_windows();
    bird_evaluate_scan_options_default(&o);
    o.given = 1;
    o.n_target = 2;
    for (int mode = 0; mode < BIRD_SCAN_N_MODE; mode++) {
        o.threshold[mode][0] = 0.5;
        o.threshold[mode][1] = (double)INFINITY;
    }
    evaluate(&r, &f, &o);
    cr_assert_eq(r.point[BIRD_SCAN_STRANDED][0].n_call, 6);
    cr_assert_eq(r.point[BIRD_SCAN_STRANDED][0].n_false, 2);
    cr_assert_eq(r.point[BIRD_SCAN_STRANDED][0].n_antisense, 1);
    cr_assert_eq(r.point[BIRD_SCAN_UNSTRANDED][0].n_call, 5);
    cr_assert_eq(r.point[BIRD_SCAN_UNSTRANDED][0].n_antisense, 0);
    cr_assert_eq(r.point[BIRD_SCAN_STRANDED][1].n_call, 0);
    cr_assert(same(r.point[BIRD_SCAN_STRANDED][1].recall.value, 0));
}

Test(scan_eval, without_regions_all_counts)
{
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r;

    put_windows();
    bird_evaluate_scan_options_default(&o);
    f.regions = NULL;
    evaluate(&r, &f, &o);
    cr_assert_eq(r.n_tss, 4); /* chr2 has no window */
    cr_assert_eq(r.n_tss_scanned, 2);
    cr_assert_eq(r.scanned_bp, 9600);
    /* half the contig: anchors below 5000 */
    file_text(REGIONS, "1\t0\t5000\n");
    f.regions = path_of(REGIONS);
    evaluate(&r, &f, &o);
    cr_assert_eq(r.n_window, 2 * 99);
    cr_assert_eq(r.scanned_bp, 5000);
    cr_assert_eq(r.n_tss, 2);
}

/* Windows of 100 bp on + at these starts, all of p but the last of 0.9. */
static void put_run(const int *start, int n, double p)
{
    struct bird_text t = {0};
    int rc = 0;

    for (int i = 0; !rc && i < n; i++)
        rc = bird_text_printf(&t, "chr1\t%d\t%d\t+\t%g\r\n", start[i],
                              start[i] + 100, i + 1 < n ? p : 0.9);
    cr_assert_eq(rc, 0);
    file_text(WINDOWS, t.s);
    bird_text_free(&t);
}

Test(scan_eval, extent_merge_and_ties)
{
    static const int start[] = {1000, 1100, 1200, 1300, 1400, 1500, 1700};
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r;
    const bird_scan_point *p = r.point[BIRD_SCAN_STRANDED];

    bird_evaluate_scan_options_default(&o);
    o.target[0] = (double)INFINITY;
    o.n_target = 1;
    /* touching windows are one call, the one at 1700 another; its summit is
     * 1750, that of the ties 1050 .. 1550 lies in their middle */
    put_run(start, 7, 0.2);
    evaluate(&r, &f, &o);
    cr_assert_eq(p->n_call, 2);
    cr_assert_eq(p->n_false, 1);
    cr_assert_eq(p->n_found, 1);
    /* starts up to 200 bp apart: one call with its summit at 1750 */
    o.merge = 200;
    evaluate(&r, &f, &o);
    cr_assert_eq(p->n_call, 1);
    cr_assert_eq(p->n_false, 1);
    cr_assert_eq(p->n_found, 0);
    o.extent = 1;
    evaluate(&r, &f, &o);
    cr_assert_eq(p->n_call, 1);
    cr_assert_eq(p->n_false, 0);
    cr_assert_eq(p->n_found, 1);
    /* an anchor off the middle, from the 5' end */
    o.extent = 0;
    o.merge = 0;
    o.anchor = 0;
    o.within = 0;
    file_text(TRUTH, "chr1\t1700\t1701\tx\t0\t+\n");
    evaluate(&r, &f, &o);
    cr_assert_eq(p->n_found, 1);
    cr_assert_eq(p->n_false, 1);
    /* probability 0 is never called */
    put_run(start, 7, 0);
    evaluate(&r, &f, &o);
    cr_assert_eq(p->n_call, 1);
}

Test(scan_eval, intervals_of_confidence)
{
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r, again;
    const bird_scan_point *p = r.point[BIRD_SCAN_STRANDED];

    put_windows();
    bird_evaluate_scan_options_default(&o);
    o.target[0] = 150;
    o.n_target = 1;
    o.zone = 25;
    evaluate(&r, &f, &o); /* one block: every resample is the same */
    cr_assert(same(p->recall.lo, 1) && same(p->recall.hi, 1));
    cr_assert(same(r.auroc.lo, r.auroc.value));
    o.block = 2000;
    evaluate(&r, &f, &o);
    cr_assert(same(p->recall_all.value, 2.0 / 3));
    cr_assert(same(p->recall_all.lo, 0) && same(p->recall_all.hi, 1));
    cr_assert(same(p->false_per_mb.lo, 0));
    cr_assert_gt(p->false_per_mb.hi, p->false_per_mb.value);
    cr_assert_lt(r.auprc.lo, r.auprc.hi);
    evaluate(&again, &f, &o);
    cr_assert(same(r.auprc.lo, again.auprc.lo) &&
              same(p->false_per_mb.hi,
                   again.point[BIRD_SCAN_STRANDED][0].false_per_mb.hi));
    o.n_boot = 0;
    evaluate(&r, &f, &o);
    cr_assert(isnan(p->recall.lo) && isnan(r.auroc.hi));
}

/* 3,000 bp of AT with 150 CG at 1000 .. 1300 and N at 2000 .. 2500. */
static void put_fasta(void)
{
    char s[3100] = ">1\n";

    for (int i = 0; i < 3000; i++)
        s[3 + i] = i >= 2000 && i < 2500   ? 'N'
                   : i >= 1000 && i < 1300 ? "CG"[i % 2]
                                           : "AT"[i % 2];
    s[3003] = '\n';
    file_text(SPARE, s);
}

Test(scan_eval, a_bed_of_intervals)
{
    static const double want[] = {300.0 / 1300, 150.0 / 250, 2.0 / 3, 0.4};
    const char *fasta[1] = {path_of(SPARE)};
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r;

    put_fasta();
    file_text(WINDOWS, "chr1\t1000\t1300\tisland\t400\nchr7\t5\t10\tx\t900\n");
    f.windows = NULL;
    f.intervals = path_of(WINDOWS);
    f.fasta = fasta;
    f.n_fasta = 1;
    bird_evaluate_scan_options_default(&o);
    o.window = 100;
    o.stride = 50;
    o.target[0] = (double)INFINITY;
    o.n_target = 1;
    for (int i = 0; i < 4; i++) {
        o.score = (enum bird_scan_score)i;
        evaluate(&r, &f, &o);
        cr_assert(same(r.point[0][0].threshold, want[i]), "%d: %g", i,
                  r.point[0][0].threshold);
        cr_assert_eq(r.point[0][0].n_call, 2);
        cr_assert_eq(r.point[0][0].n_antisense, 1);
        cr_assert_eq(r.point[0][0].n_found, 1);
        cr_assert_eq(r.point[1][0].n_call, 1);
    }
    /* starts 1950 .. 2450 touch the N with half of it at least: 11 of 59 */
    cr_assert_eq(r.n_window, 2 * 48);
    cr_assert_eq(r.n_unscored, 2 * 11);
    cr_assert_eq(r.scanned_bp, 2500);
    unlink(path_of(SPARE));
    cr_assert_lt(bird_scan_evaluate(&r, &f, &o), 0);
}

/* Found start sites of a BED of intervals, at thresholds 0.75 and 0.85. */
static void find(int64_t found[2], const char *bed, const char *sites,
                 int64_t anchor)
{
    const char *fasta[1] = {path_of(SPARE)};
    bird_scan_files f = {.intervals = path_of(WINDOWS),
                         .truth = path_of(TRUTH),
                         .fasta = fasta,
                         .n_fasta = 1};
    bird_evaluate_scan_options o;
    bird_scan_result r;

    put_fasta();
    file_text(WINDOWS, bed);
    file_text(TRUTH, sites);
    bird_evaluate_scan_options_default(&o);
    o.window = 100;
    o.stride = 50;
    o.within = 60;
    o.anchor = anchor;
    o.score = BIRD_SCORE_COLUMN;
    o.given = 1;
    o.n_target = 2;
    for (int mode = 0; mode < BIRD_SCAN_N_MODE; mode++) {
        o.threshold[mode][0] = 0.75;
        o.threshold[mode][1] = 0.85;
    }
    evaluate(&r, &f, &o);
    found[0] = r.point[BIRD_SCAN_STRANDED][0].n_found;
    found[1] = r.point[BIRD_SCAN_STRANDED][1].n_found;
}

Test(scan_eval, intervals_that_overlap_or_pass_the_end)
{
    int64_t found[2];

    /* the summit is the middle of the outer interval, of a better one its own,
     * and what lies beyond the contig's end is cut off */
    find(found, "chr1\t500\t1900\touter\t900\nchr1\t700\t800\tinner\t100\n",
         "1\t1200\t1201\ta\t0\t+\n", -1);
    cr_assert_eq(found[1], 1);
    find(found, "chr1\t500\t1900\touter\t800\nchr1\t700\t800\tinner\t900\n",
         "1\t750\t751\ta\t0\t+\n1\t1200\t1201\tb\t0\t+\n", -1);
    cr_assert_eq(found[0], 1);
    cr_assert_eq(found[1], 1);
    find(found, "chr1\t2800\t3001\tpast\t800\nchr1\t3000\t3100\tno\t900\n",
         "1\t2900\t2901\ta\t0\t-\n", -1);
    cr_assert_eq(found[0], 1);
    cr_assert_eq(found[1], 0);
}

Test(scan_eval, intervals_are_found_at_the_anchor)
{
    int64_t found[2];

    for (int64_t anchor = 0; anchor < 100; anchor += 33) {
        find(found, "chr1\t1000\t1300\ta\t900\n",
             "1\t1150\t1151\ta\t0\t+\n1\t1150\t1151\ta\t0\t-\n", anchor);
        cr_assert_eq(found[1], 2, "anchor %lld", (long long)anchor);
    }
}

Test(scan_eval, thresholds_come_back_as_they_were)
{
    bird_evaluate_scan_options o = {0};
    bird_scan_result r = {.n_target = 2};

    for (int mode = 0; mode < 2; mode++) {
        r.point[mode][0].target = 5;
        r.point[mode][0].threshold = 1.0 / 3 + mode;
        r.point[mode][1].target = 1;
        r.point[mode][1].threshold = (double)INFINITY;
    }
    cr_assert_eq(bird_scan_thresholds_write(path_of(SPARE), &r), 0);
    cr_assert_eq(bird_scan_thresholds_read(&o, path_of(SPARE)), 0);
    cr_assert(o.given && o.n_target == 2);
    cr_assert(same(o.target[0], 5) && same(o.target[1], 1));
    cr_assert(o.threshold[0][0] - 1.0 / 3 == 0);
    cr_assert(same(o.threshold[1][0], 1.0 / 3 + 1));
    cr_assert(isinf(o.threshold[1][1]));
}

static void refused(int rc, const char *word)
{
    cr_assert_lt(rc, 0, "'%s' was not refused", word);
    cr_assert(strstr(bird_last_error(), word) != NULL, "'%s' lacks '%s'",
              bird_last_error(), word);
}

Test(scan_eval, thresholds_that_are_wrong)
{
    static const char *const text[] = {
        "stranded\t1\t0.5\n",
        "stranded\t1\t0.5\nunstranded\t2\t0.5\n",
        "stranded\t1\nunstranded\t1\t0.5\n",
        "sideways\t1\t0.5\n",
        "stranded\t-1\t0.5\nunstranded\t-1\t0.5\n",
        "stranded\t1\tx\nunstranded\t1\t0.5\n",
        "unstranded\t1\t0.5\n",
    };
    bird_evaluate_scan_options o = {.n_target = 7};

    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
        file_text(SPARE, text[i]);
        refused(bird_scan_thresholds_read(&o, path_of(SPARE)), "spare");
        cr_assert_eq(o.n_target, 7);
    }
}

Test(scan_eval, options_and_files_that_are_wrong)
{
    bird_scan_files f = files();
    bird_evaluate_scan_options o, bad;
    bird_scan_result r;

    put_windows();
    bird_evaluate_scan_options_default(&o);
    bad = o, bad.block = 0;
    refused(bird_scan_evaluate(&r, &f, &bad), "block");
    bad = o, bad.level = 1;
    refused(bird_scan_evaluate(&r, &f, &bad), "level");
    bad = o, bad.n_target = 9;
    refused(bird_scan_evaluate(&r, &f, &bad), "targets");
    bad = o, bad.target[0] = -1;
    refused(bird_scan_evaluate(&r, &f, &bad), "-1 false calls");
    bad = o, bad.anchor = 100;
    refused(bird_scan_evaluate(&r, &f, &bad), "anchor at 100");
    file_text(WINDOWS, "#x\nchr1\t5\t10\t+\t1.5\n");
    refused(bird_scan_evaluate(&r, &f, &o), "line 2: '1.5'");
    file_text(WINDOWS, "chr1\t5\t10\t?\t0.5\n");
    refused(bird_scan_evaluate(&r, &f, &o), "w.tsv: line 1");
    file_text(WINDOWS, "chr1\t10\t10\t+\t0.5\n");
    refused(bird_scan_evaluate(&r, &f, &o), "line 1");
    file_text(WINDOWS, "chr1\t10\t20\t+\n");
    refused(bird_scan_evaluate(&r, &f, &o), "line 1");
    file_text(WINDOWS, "chr9\t10\t20\t+\t0.5\nchr1\t10\t20\t+\t.\n");
    refused(bird_scan_evaluate(&r, &f, &o), "no scored window");
    file_text(TRUTH, "chr1\t10\t20\n");
    refused(bird_scan_evaluate(&r, &f, &o), "t.bed: line 1");
    f.truth = NULL;
    refused(bird_scan_evaluate(&r, &f, &o), "true start sites");
    f.windows = NULL;
    refused(bird_scan_evaluate(&r, &f, &o),
            "one of windows, intervals and baseline");
}

Test(scan_eval, printing)
{
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r;
    struct bird_text t = {0};
    FILE *out = fopen(path_of(SPARE), "w");

    put_windows();
    bird_evaluate_scan_options_default(&o);
    o.n_boot = 0;
    o.zone = 25;
    o.n_target = 1;
    o.target[0] = 150;
    evaluate(&r, &f, &o);
    cr_assert_eq(bird_scan_print(out, "val", &r), 0);
    fclose(out);
    cr_assert_eq(bird_file_read(&t, path_of(SPARE)), 0);
    cr_assert(strstr(t.s, "#set\tmode\ttarget\tfigure\tvalue\tlo\thi\n") ==
              t.s);
    cr_assert(strstr(t.s, "val\t.\t.\tauroc\t0.9978\t.\t.\n") != NULL);
    cr_assert(strstr(t.s, "val\tstranded\t150\trecall\t1.0000\t.\t.\n") !=
              NULL);
    cr_assert(strstr(t.s, "val\tunstranded\t150\tfalse_calls\t1\t.\t.\n") !=
              NULL);
    bird_text_free(&t);
}

Test(scan_eval, distances_without_end_are_refused)
{
    bird_scan_files f = files();
    bird_evaluate_scan_options o;
    bird_scan_result r;

    bird_evaluate_scan_options_default(&o);
    o.within = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_scan_evaluate(&r, &f, &o), "within");
    bird_evaluate_scan_options_default(&o);
    o.stride = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_scan_evaluate(&r, &f, &o), "stride");
}
