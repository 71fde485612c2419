/* window: the set of windows, over a stream, regions, and the other strand. */
#include "seq_help.h"

#include "seq/fastx.h"

TestSuite(window, .init = folder_new, .fini = folder_remove);

/* What the header says, in the plainest way. */
static int64_t plain_windows(int64_t (*out)[2], int64_t length, int64_t w,
                             int64_t s)
{
    int64_t n = 0, at = 0;

    if (!length)
        return 0;
    if (length <= w) {
        out[0][0] = 0;
        out[0][1] = length;
        return 1;
    }
    for (; at + w <= length; at += s, n++) {
        out[n][0] = at;
        out[n][1] = at + w;
    }
    if (out[n - 1][1] < length) {
        out[n][0] = length - w;
        out[n++][1] = length;
    }
    return n;
}

Test(window, count_and_place_follow_the_rule)
{
    int64_t want[64][2], start, end;

    for (int64_t length = 0; length < 40; length++)
        for (int64_t w = 1; w < 20; w++)
            for (int64_t s = 1; s < 30; s++) {
                int64_t n = plain_windows(want, length, w, s);

                cr_assert_eq(bird_window_count(length, w, s), n);
                for (int64_t i = 0; i < n; i++) {
                    bird_window_at(&start, &end, length, w, s, i);
                    cr_assert_eq(start, want[i][0]);
                    cr_assert_eq(end, want[i][1]);
                }
            }
    cr_assert_eq(bird_window_count(10, 0, 1), 0);
    cr_assert_eq(bird_window_count(10, 1, 0), 0);
    cr_assert_eq(bird_window_count(INT64_MAX, 1, 1), INT64_MAX);
    bird_window_at(&start, &end, INT64_MAX, 8, INT64_MAX, 1);
    cr_assert_eq(end, INT64_MAX);
}

static void check_letters(const bird_window *x, const char *seq)
{
    int64_t unknown = 0;

    cr_assert_eq(memcmp(x->seq, seq + x->start, (size_t)(x->end - x->start)),
                 0);
    for (int64_t i = x->start; i < x->end; i++)
        unknown += seq[i] == 'N';
    cr_assert_eq(x->n_unknown, unknown);
}

/* Three contigs, the middle one empty, for many widths, strides, pieces. */
Test(window, stream_delivers_exactly_the_rule)
{
    const char *a = "ACGTNNACGATTNACCNGATTACAN", *c = "NACGT";
    const char *fasta = ">a\nACGTNNACGATT\nNACCNGATTACAN\n>b\n>c\nNACGT\n";
    int64_t want[64][2];

    for (int64_t w = 1; w < 30; w++)
        for (int64_t s = 1; s < 30; s += 2)
            for (int64_t piece = 1; piece < 30; piece += 4) {
                bird_fastx *r = NULL;
                bird_windows *it = NULL;
                bird_window x;
                bird_window_tally tally;
                int64_t seen = 0;

                WORKS(bird_fastx_open_memory(&r, "x", fasta,
                                             (int64_t)strlen(fasta), 0));
                bird_fastx_piece_max(r, piece);
                WORKS(bird_windows_stream(&it, r, w, s));
                for (int64_t k = 0; k < 3; k += 2) {
                    const char *seq = k ? c : a;
                    int64_t n = plain_windows(want, (int64_t)strlen(seq), w, s);

                    for (int64_t i = 0; i < n; i++) {
                        cr_assert_eq(bird_windows_next(it, &x), 1);
                        cr_assert_eq(x.contig, k);
                        cr_assert_str_eq(x.name, k ? "c" : "a");
                        cr_assert_eq(x.index, seen++);
                        cr_assert_eq(x.region, -1);
                        cr_assert_eq(x.start, want[i][0]);
                        cr_assert_eq(x.end, want[i][1]);
                        cr_assert_eq(x.last, i == n - 1);
                        check_letters(&x, seq);
                    }
                }
                cr_assert_eq(bird_windows_next(it, &x), 0);
                cr_assert_eq(bird_windows_next(it, &x), 0);
                bird_windows_count(it, &tally);
                cr_assert_eq(tally.n_contig, 3);
                cr_assert_eq(tally.n_empty, 1);
                cr_assert_eq(tally.n_bp, 30);
                cr_assert_eq(tally.n_window, seen);
                bird_windows_free(it);
                bird_fastx_free(r);
            }
}

Test(window, width_and_stride_are_checked)
{
    bird_fastx *r = NULL;
    bird_windows *it = NULL;

    WORKS(bird_fastx_open_memory(&r, "x", ">a\nA\n", 5, 0));
    FAILS(BIRD_EINVAL, bird_windows_stream(&it, r, 0, 1), "both are 1 to");
    FAILS(BIRD_EINVAL, bird_windows_stream(&it, r, 1, -1), "both are 1 to");
    FAILS(BIRD_EINVAL, bird_windows_stream(&it, r, BIRD_WINDOW_MAX + 1, 1),
          "window");
    cr_assert_null(it);
    bird_fastx_free(r);
}

Test(window, error_of_the_stream_comes_through)
{
    const char *s = ">a\nACGTACGT\n>b\nAC!";
    bird_fastx *r = NULL;
    bird_windows *it = NULL;
    bird_window x;

    WORKS(bird_fastx_open_memory(&r, "x.fa", s, (int64_t)strlen(s), 0));
    WORKS(bird_windows_stream(&it, r, 8, 8));
    cr_assert_eq(bird_windows_next(it, &x), 1);
    FAILS(BIRD_EFORMAT, bird_windows_next(it, &x), "x.fa: line 4: record 'b'");
    bird_windows_free(it);
    bird_fastx_free(r);
}

/* Large against the fetches of a genome, so that refilling is met. */
static bird_genome *big_genome(const char *seq)
{
    char *fasta = fasta_new("big", seq, 70);
    bird_genome *g = NULL;

    WORKS(bird_genome_open(
        &g, file_with("big.fa", "wu", fasta, (int64_t)strlen(fasta))));
    free(fasta);
    return g;
}

Test(window, grid_of_large_regions)
{
    int64_t n = 3000000, sizes[][2] = {{1000, 700}, {8000, 9000}, {7, 100001}};
    char *seq = letters_new(n);
    bird_genome *g = big_genome(seq);
    bird_regions list = {0};

    WORKS(bird_region_parse(&list, "big:11-2500010", g));
    WORKS(bird_region_parse(&list, "big:5-9", g));
    WORKS(bird_region_parse(&list, "big", g));
    for (size_t k = 0; k < 3; k++) {
        bird_windows *it = NULL;
        bird_window x;
        int64_t w = sizes[k][0], s = sizes[k][1], seen = 0;

        WORKS(bird_windows_regions(&it, g, &list, w, s));
        for (int64_t i = 0; i < list.n; i++)
            for (int64_t j = 0; j < bird_window_count(n, w, s); j++) {
                int64_t a, b;

                bird_window_at(&a, &b, n, w, s, j);
                if (a >= list.at[i].end || b <= list.at[i].start)
                    continue;
                cr_assert_eq(bird_windows_next(it, &x), 1);
                cr_assert_eq(x.region, i);
                cr_assert_eq(x.index, seen++);
                cr_assert_eq(x.start, a);
                cr_assert_eq(x.end, b);
                check_letters(&x, seq);
            }
        cr_assert_eq(bird_windows_next(it, &x), 0);
        bird_windows_free(it);
    }
    bird_regions_free(&list);
    bird_genome_free(g);
    free(seq);
}

/* The grid's windows that overlap a region, against the plain filter. */
Test(window, grid_of_sorted_regions_comes_once)
{
    static const char *const texts[] = {"big:1-10", "big:95-130", "big:131-131",
                                        "big:690-700"};
    char *seq = letters_new(700);
    bird_genome *g = big_genome(seq);
    bird_regions list = {0};

    for (int i = 0; i < 4; i++)
        WORKS(bird_region_parse(&list, texts[i], g));
    for (int64_t w = 1; w < 120; w += 7)
        for (int64_t s = 1; s < 150; s += 9) {
            bird_windows *it = NULL;
            bird_window x;

            WORKS(bird_windows_regions(&it, g, &list, w, s));
            for (int64_t i = 0; i < bird_window_count(700, w, s); i++) {
                int64_t a, b;
                int meets = 0;

                bird_window_at(&a, &b, 700, w, s, i);
                for (int64_t k = 0; k < list.n; k++)
                    meets |= a < list.at[k].end && b > list.at[k].start;
                if (!meets)
                    continue;
                cr_assert_eq(bird_windows_next(it, &x), 1);
                cr_assert_eq(x.start, a);
                cr_assert_eq(x.end, b);
                check_letters(&x, seq);
            }
            cr_assert_eq(bird_windows_next(it, &x), 0);
            bird_windows_free(it);
        }
    bird_regions_free(&list);
    bird_genome_free(g);
    free(seq);
}

Test(window, regions_must_be_placed)
{
    bird_regions list = {0};
    bird_windows *it = NULL;
    bird_genome *g = big_genome("ACGT");

    WORKS(bird_region_parse(&list, "big:1-3", NULL));
    FAILS(BIRD_ERANGE, bird_windows_regions(&it, g, &list, 2, 2), "not placed");
    bird_regions_free(&list);
    bird_genome_free(g);
}

Test(window, reverse_complement)
{
    char s[] = "ACGTUNRYKMSWBDHVacgtn-*", t[sizeof(s)] = {0};

    bird_reverse_complement(t, s, (int64_t)strlen(s));
    cr_assert_str_eq(t, "*-nacgtBDHVWSKMRYNAACGT");
    bird_reverse_complement(t, t, (int64_t)strlen(t));
    cr_assert_str_eq(t, "ACGTTNRYKMSWBDHVacgtn-*");
    bird_reverse_complement(t, "A", 1);
    cr_assert_eq(t[0], 'T');
    bird_reverse_complement(t, "", 0);
    cr_assert_eq(t[0], 'T');
}
