/* Peaks: sorting in little memory, the sweep against counting base by base,
 * lists of profiles. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "data/peaks.h"
#include "seq_help.h"

TestSuite(peaks, .init = folder_new, .fini = folder_remove);

enum { N_PROFILE = 5, LENGTH = 3000, N_CONTIG = 3 };

static struct bird_peak random_peak(struct bird_rng *r)
{
    struct bird_peak p = {.contig = (int32_t)bird_rng_below(r, N_CONTIG),
                          .profile = (int32_t)bird_rng_below(r, N_PROFILE)};
    int64_t most = bird_rng_below(r, 8) ? 60 : 900;

    p.start = (int64_t)bird_rng_below(r, LENGTH - 1);
    p.end = p.start + 1 + (int64_t)bird_rng_below(r, (uint64_t)most);
    if (p.end > LENGTH)
        p.end = LENGTH;
    return p;
}

static int by_place(const void *a, const void *b)
{
    const struct bird_peak *x = a, *y = b;
    int64_t d[4] = {x->contig - y->contig, x->start - y->start, x->end - y->end,
                    x->profile - y->profile};

    for (int i = 0; i < 4; i++)
        if (d[i])
            return d[i] < 0 ? -1 : 1;
    return 0;
}

static void check_sorted(int64_t n, int64_t memory)
{
    struct bird_peak *all = calloc((size_t)n + 1, sizeof(*all)), p;
    struct bird_peak_sort *s;
    struct bird_rng r;

    bird_rng_init(&r, 5, 0, (uint64_t)n);
    WORKS(bird_peak_sort_new(&s, memory, folder));
    for (int64_t i = 0; i < n; i++) {
        all[i] = random_peak(&r);
        WORKS(bird_peak_sort_add(s, &all[i]));
    }
    qsort(all, (size_t)n, sizeof(*all), by_place);
    WORKS(bird_peak_sort_finish(s));
    for (int64_t i = 0; i < n; i++) {
        cr_assert_eq(bird_peak_sort_next(s, &p), 1);
        cr_assert(!by_place(&p, &all[i]), "peak %ld of %ld", (long)i, (long)n);
    }
    cr_assert_eq(bird_peak_sort_next(s, &p), 0);
    cr_assert_eq(bird_peak_sort_next(s, &p), 0);
    bird_peak_sort_free(s);
    free(all);
}

/* 65536 bytes hold 1365 peaks: up to 37 runs here. */
Test(peaks, are_sorted_in_memory_and_through_a_file)
{
    static const int64_t n[] = {0, 1, 1364, 1365, 1366, 4095, 50000};

    for (size_t i = 0; i < sizeof(n) / sizeof(*n); i++) {
        check_sorted(n[i], 65536);
        check_sorted(n[i], 1 << 24);
    }
}

Test(peaks, sorting_says_what_is_wrong)
{
    struct bird_peak_sort *s;
    struct bird_peak p = {.end = 1};
    int rc = 0;

    FAILS(BIRD_EINVAL, bird_peak_sort_new(&s, 100, folder), "at least 65536");
    WORKS(bird_peak_sort_new(&s, 65536, "/nowhere/at/all"));
    for (int i = 0; !rc && i < 2000; i++)
        rc = bird_peak_sort_add(s, &p);
    FAILS(BIRD_EIO, rc, "/nowhere/at/all");
    bird_peak_sort_free(s);
}

Test(peaks, rules_of_overlap)
{
    struct bird_overlap_rule r;
    static const struct {
        const char *text;
        int64_t bin, lo, hi, least;
    } cases[] = {{"half", 200, 0, 200, 101},   {"half", 201, 0, 201, 101},
                 {"0.5", 200, 0, 200, 100},    {"0.5", 201, 0, 201, 101},
                 {"any", 200, 0, 200, 1},      {"1", 200, 0, 200, 200},
                 {"0.7", 10, 0, 10, 7},        {"0.001", 200, 0, 200, 1},
                 {"centre", 200, 100, 101, 1}, {"center", 1, 0, 1, 1}};
    static const char *const wrong[] = {"", "0", "1.1", "nan", "-0.5", "most"};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        WORKS(bird_overlap_parse(&r, cases[i].text, cases[i].bin));
        cr_assert(r.lo == cases[i].lo && r.hi == cases[i].hi &&
                      r.least == cases[i].least,
                  "%s of %ld", cases[i].text, (long)cases[i].bin);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        FAILS(BIRD_EINVAL, bird_overlap_parse(&r, wrong[i], 200),
              "half, any, centre");
}

/* cover[contig][profile][base] by the peaks, each base once. */
static char cover[N_CONTIG][N_PROFILE][LENGTH + 1000];

static int has_label(const struct bird_overlap_rule *r, int32_t contig,
                     int32_t profile, int64_t start)
{
    int64_t n = 0;

    for (int64_t i = start + r->lo; i < start + r->hi; i++)
        n += cover[contig][profile][i];
    return n >= r->least;
}

static void check_sweep(const char *rule, int64_t bin, int n_peak)
{
    struct bird_overlap_rule r;
    struct bird_peak_sort *s;
    struct bird_bin_sweep *sweep;
    struct bird_labelled_bin b;
    struct bird_rng rng;
    int more;

    memset(cover, 0, sizeof(cover));
    bird_rng_init(&rng, 9, (uint64_t)bin, (uint64_t)n_peak);
    WORKS(bird_overlap_parse(&r, rule, bin));
    WORKS(bird_peak_sort_new(&s, 65536, folder));
    for (int i = 0; i < n_peak; i++) {
        struct bird_peak p = random_peak(&rng);

        memset(cover[p.contig][p.profile] + p.start, 1,
               (size_t)(p.end - p.start));
        WORKS(bird_peak_sort_add(s, &p));
    }
    WORKS(bird_peak_sort_finish(s));
    WORKS(bird_bin_sweep_new(&sweep, s, bin, N_PROFILE, &r));
    more = bird_bin_sweep_next(sweep, &b);
    for (int32_t c = 0; c < N_CONTIG; c++)
        for (int64_t k = 0; k * bin < LENGTH; k++) {
            int here = more > 0 && b.contig == c && b.number == k;
            int64_t n = 0;

            for (int32_t p = 0; p < N_PROFILE; p++)
                if (has_label(&r, c, p, k * bin)) {
                    cr_assert(here && n < b.n && b.label[n] == p,
                              "%s, bin %ld of %ld on %d", rule, (long)k,
                              (long)bin, (int)c);
                    n++;
                }
            cr_assert_eq(n, here ? b.n : 0);
            if (here)
                more = bird_bin_sweep_next(sweep, &b);
        }
    cr_assert_eq(more, 0);
    bird_bin_sweep_free(sweep);
    bird_peak_sort_free(s);
}

Test(peaks, the_sweep_counts_bases_of_the_union)
{
    static const char *const rules[] = {"half", "any", "centre", "0.5", "1"};
    static const int64_t bins[] = {1, 7, 50, 200};

    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 4; k++) {
            check_sweep(rules[i], bins[k], 3);
            check_sweep(rules[i], bins[k], 120);
            check_sweep(rules[i], bins[k], 2000);
        }
}

Test(peaks, lists_of_profiles)
{
    struct bird_profile_list l = {0};
    const char *path = file_text(
        "sub.tsv", "##note\n#name\tclass\tother\tfile\tindex\tcell_type\n"
                   "A|x\tTF\t-\ta.bed\t7\tK562\n\n"
                   "B\tHM\t-\t/abs/b.bed\t.\t\n"
                   "A|x\tTF\t-\ta2.bed\t7\tK562\n");

    WORKS(bird_profile_list_read(&l, path));
    cr_assert_eq(l.features.n, 2);
    cr_assert_eq(l.n_source, 3);
    cr_assert(l.has_path && !l.has_id);
    cr_assert_str_eq(l.features.at[0].name, "A|x");
    cr_assert_eq(l.features.at[0].index, 7);
    cr_assert_eq(l.features.at[1].index, -1);
    cr_assert_str_eq(l.features.at[0].cell, "K562");
    cr_assert_str_eq(l.features.at[1].factor, "");
    cr_assert_str_eq(l.source[2].path, path_of("a2.bed"));
    cr_assert_eq(l.source[2].profile, 0);
    cr_assert_str_eq(l.source[1].path, "/abs/b.bed");
    cr_assert_str_eq(l.source[1].id, "B");
    bird_profile_list_free(&l);

    FAILS(BIRD_EFORMAT,
          bird_profile_list_read(&l, file_text("x.tsv", "class\nTF\n")),
          "no column 'name'");
    FAILS(BIRD_EFORMAT,
          bird_profile_list_read(&l, file_text("x.tsv", "name\n")),
          "no profile in this list");
    FAILS(BIRD_EFORMAT,
          bird_profile_list_read(&l, file_text("x.tsv", "name\tid\n\t1\n")),
          "line 2: a profile without a name");
    FAILS(
        BIRD_EFORMAT,
        bird_profile_list_read(&l, file_text("x.tsv", "name\tindex\na\t-2\n")),
        "line 2: index '-2'");
    FAILS(BIRD_EIO, bird_profile_list_read(&l, path_of("none.tsv")),
          "none.tsv");
}

Test(peaks, files_name_profiles)
{
    static const char *const paths[] = {"d/K562.narrowPeak.gz", "B.bed",
                                        "x.broadPeak", "y"};
    static const char *const twice[] = {"d/a.bed", "e/a.bed.gz"};
    static const char *const names[] = {"K562", "B", "x", "y"};
    struct bird_profile_list l = {0};

    WORKS(bird_profile_list_files(&l, paths, 4));
    for (int i = 0; i < 4; i++)
        cr_assert_str_eq(l.features.at[i].name, names[i]);
    bird_profile_list_free(&l);
    FAILS(BIRD_EINVAL, bird_profile_list_files(&l, twice, 2),
          "e/a.bed.gz: a second file for the profile 'a'");
}

/* A reference of contigs "1" (100 bp) and "2" (50 bp). */
static void reference(struct bird_reference *r)
{
    const char *path = file_text("ref.fa", "");
    char *a = letters_new(100), text[400];

    snprintf(text, sizeof(text), ">1\n%s\n>2\n%.50s\n", a, a);
    path = file_text("ref.fa", text);
    WORKS(bird_reference_open(r, &path, 1));
    free(a);
}

Test(peaks, reading_counts_what_does_not_fit)
{
    struct bird_reference ref = {0};
    struct bird_profile_list l = {0};
    struct bird_peaks_in in = {.list = &l, .ref = &ref};
    const char *path;
    bird_profile_files f = {.peaks = &path, .n_peaks = 1, .name_column = 1};
    struct bird_peak p;

    reference(&ref);
    WORKS(bird_profile_list_read(&l, file_text("l.tsv", "id\tname\n"
                                                        "9\tnine\n1\tone\n")));
    path = file_text("p.bed", "chr2\t5\t10\t1\nchr1\t90\t120\t9\n"
                              "track x\n"
                              "chr1\t100\t120\t9\nchrQ\t1\t2\t9\n"
                              "chr1\t0\t3\t7\nchr1\t0\t3\t9\t0\t.\t1\n");
    WORKS(bird_peak_sort_new(&in.sort, 65536, folder));
    WORKS(bird_peaks_read(&in, &f));
    cr_assert(in.n_line == 5 && in.n_other_id == 1 && in.n_contig == 1 &&
              in.n_behind == 1 && in.n_clipped == 1);
    cr_assert_str_eq(in.example, "chrQ");
    cr_assert_eq(in.n_peak[0 * ref.n + 0], 2); /* "nine" on chr1 */
    cr_assert_eq(in.n_peak[1 * ref.n + 1], 1);
    cr_assert_eq(bird_peak_sort_next(in.sort, &p), 1);
    cr_assert(p.contig == 0 && p.start == 0 && p.profile == 0);
    cr_assert_eq(bird_peak_sort_next(in.sort, &p), 1);
    cr_assert(p.start == 90 && p.end == 100);
    cr_assert_eq(bird_peak_sort_next(in.sort, &p), 1);
    cr_assert(p.contig == 1 && p.profile == 1);
    cr_assert_eq(bird_peak_sort_next(in.sort, &p), 0);
    bird_peak_sort_free(in.sort);
    bird_peaks_in_free(&in);
    bird_profile_list_free(&l);
    bird_reference_free(&ref);
}

static void refused(const char *peaks, int code, const char *part)
{
    struct bird_reference ref = {0};
    struct bird_profile_list l = {0};
    struct bird_peaks_in in = {.list = &l, .ref = &ref};
    const char *path = file_text("p.bed", peaks);
    bird_profile_files f = {.peaks = &path, .n_peaks = 1, .name_column = 1};

    reference(&ref);
    WORKS(bird_profile_list_read(&l, file_text("l.tsv", "name\na\nb\n")));
    WORKS(bird_peak_sort_new(&in.sort, 65536, folder));
    FAILS(code, bird_peaks_read(&in, &f), part);
    bird_peak_sort_free(in.sort);
    bird_peaks_in_free(&in);
    bird_profile_list_free(&l);
    bird_reference_free(&ref);
}

Test(peaks, wrong_files_are_refused_with_their_line)
{
    refused("chr1\t1\t5\ta\nchr1\t1\t5\n", BIRD_EFORMAT,
            "p.bed: line 2: no column 4");
    refused("chr1\t1\t5\ta\n\nchr1\t9\t5\ta\n", BIRD_EFORMAT,
            "p.bed: line 3: the end 5");
    refused("chr1\t1\tx\ta\n", BIRD_EFORMAT, "p.bed: line 1");
    refused("# nothing\n", BIRD_EFORMAT, "contain no peaks");
    refused("chr1\t1\t5\tc\n", BIRD_EINVAL, "none of the 1 peaks");
    refused("chr9\t1\t5\ta\n1\t200\t300\tb\n", BIRD_EINVAL,
            "no peak lies on the reference: 1 peaks are on contigs that the "
            "reference lacks (such as 'chr9'), 1 beyond");
}
