/* Bins with letters around them: over a stream and over regions, and tracks
 * and calls of many lanes. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "seq/reference.h"
#include "seq/tiles.h"
#include "seq_help.h"
#include "track/calls.h"

TestSuite(bins, .init = folder_new, .fini = folder_remove);

/* Letter of a contig, N outside. */
static char letter(const char *seq, int64_t length, int64_t at)
{
    return at < 0 || at >= length ? 'N' : seq[at];
}

static void check_bin(const struct bird_bin *b, const char *seq, int64_t length,
                      int64_t middle, int64_t context)
{
    int64_t from = middle - context / 2, unknown = 0, beyond = 0;

    for (int64_t k = 0; k < context; k++) {
        char want = letter(seq, length, from + k);

        cr_assert_eq(b->seq[k], want, "%s:%ld", b->name, (long)(from + k));
        unknown += want == 'N';
        beyond += from + k < 0 || from + k >= length;
    }
    cr_assert_eq(b->n_unknown, unknown);
    cr_assert_eq(b->n_beyond, beyond);
}

static void check_stream(int64_t length, int64_t bin, int64_t context)
{
    char *seq = letters_new(length), *fasta = fasta_new("a", seq, 61);
    char *all = malloc(3 * strlen(fasta) + 64);
    struct bird_bins *bins;
    struct bird_bin b;
    bird_fastx *r;
    int64_t n_contig, n_empty, n_bp;

    sprintf(all, "%s>none\n>b%s", fasta, fasta + 2);
    WORKS(bird_fastx_open_memory(&r, "x", all, (int64_t)strlen(all), 0));
    WORKS(bird_bins_stream(&bins, r, bin, context, BIRD_BINS_TILE));
    for (int64_t contig = 0; contig < 3; contig++) {
        if (contig == 1) { /* no base: one bin of none */
            cr_assert_eq(bird_bins_next(bins, &b), 1);
            cr_assert(b.contig == 1 && b.start == 0 && b.end == 0 && b.last);
            cr_assert(b.length == 0 && !strcmp(b.name, "none"));
            check_bin(&b, "", 0, bin / 2, context);
            continue;
        }
        for (int64_t start = 0; start < length; start += bin) {
            cr_assert_eq(bird_bins_next(bins, &b), 1, "%s", bird_last_error());
            cr_assert(b.contig == contig && b.start == start &&
                          b.end ==
                              (start + bin < length ? start + bin : length),
                      "%ld:%ld-%ld, not %ld", (long)b.contig, (long)b.start,
                      (long)b.end, (long)start);
            cr_assert(!strcmp(b.name, contig ? "b" : "a") && b.region == -1);
            check_bin(&b, seq, length, start + bin / 2, context);
        }
    }
    cr_assert_eq(bird_bins_next(bins, &b), 0);
    bird_bins_count(bins, &n_contig, &n_empty, &n_bp);
    cr_assert(n_contig == 3 && n_empty == 1 && n_bp == 2 * length);
    bird_bins_free(bins);
    bird_fastx_free(r);
    free(all);
    free(fasta);
    free(seq);
}

Test(bins, tile_a_stream)
{
    check_stream(1, 200, 1000);
    check_stream(199, 200, 200);
    check_stream(200, 200, 1000);
    check_stream(2050, 200, 1000);
    check_stream(5000, 7, 101);
    check_stream(1000, 1, 1);
    check_stream(2200000, 50000, 60000); /* more than one piece */
}

static bird_genome *genome_of(const char *seq)
{
    char *fasta = fasta_new("a", seq, 50);
    bird_genome *g;

    WORKS(bird_genome_open(&g, file_text("g.fa", fasta)));
    free(fasta);
    return g;
}

Test(bins, tile_regions_once)
{
    char *seq = letters_new(2050);
    bird_genome *g = genome_of(seq);
    bird_regions list = {0};
    struct bird_bins *bins;
    struct bird_bin b;
    /* 90-110 and 150-450 share the first bin; 2049 is in the short last one */
    static const int64_t start[] = {0, 200, 400, 1000, 2000};
    static const int64_t region[] = {0, 1, 1, 2, 3};

    WORKS(bird_regions_read_bed(
        &list, file_text("r.bed", "a\t90\t110\na\t150\t450\na\t1000\t1200\n"
                                  "a\t2049\t2050\n")));
    WORKS(bird_regions_resolve(&list, g));
    WORKS(bird_bins_regions(&bins, g, &list, 200, 1000, BIRD_BINS_TILE));
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(bird_bins_next(bins, &b), 1);
        cr_assert(b.start == start[i] && b.region == region[i], "%ld in %ld",
                  (long)b.start, (long)b.region);
        cr_assert_eq(b.length, 2050);
        check_bin(&b, seq, 2050, start[i] + 100, 1000);
    }
    cr_assert_eq(b.end, 2050);
    cr_assert_eq(bird_bins_next(bins, &b), 0);
    bird_bins_free(bins);
    bird_regions_free(&list);
    bird_genome_free(g);
    free(seq);
}

Test(bins, centre_of_regions_and_records)
{
    char *seq = letters_new(1001), *fasta = fasta_new("a", seq, 70);
    bird_genome *g = genome_of(seq);
    bird_regions list = {0};
    struct bird_bins *bins;
    struct bird_bin b;
    bird_fastx *r;

    WORKS(bird_regions_read_bed(
        &list, file_text("r.bed", "a\t500\t700\tx\na\t0\t50\ty\n")));
    WORKS(bird_regions_resolve(&list, g));
    WORKS(bird_bins_regions(&bins, g, &list, 200, 1000, BIRD_BINS_CENTRE));
    cr_assert_eq(bird_bins_next(bins, &b), 1);
    cr_assert(b.start == 500 && b.end == 700 && b.last);
    check_bin(&b, seq, 1001, 600, 1000);
    cr_assert_eq(bird_bins_next(bins, &b), 1);
    cr_assert(b.start == 0 && b.end == 125 && b.region == 1);
    check_bin(&b, seq, 1001, 25, 1000);
    cr_assert_eq(bird_bins_next(bins, &b), 0);
    bird_bins_free(bins);
    bird_regions_free(&list);
    bird_genome_free(g);

    WORKS(bird_fastx_open_memory(&r, "x", fasta, (int64_t)strlen(fasta), 0));
    WORKS(bird_bins_stream(&bins, r, 200, 1000, BIRD_BINS_CENTRE));
    cr_assert_eq(bird_bins_next(bins, &b), 1);
    cr_assert(b.start == 400 && b.end == 600 && b.length == 1001);
    check_bin(&b, seq, 1001, 500, 1000);
    cr_assert_eq(bird_bins_next(bins, &b), 0);
    bird_bins_free(bins);
    bird_fastx_free(r);
    free(fasta);
    free(seq);
}

Test(bins, refuse_what_makes_no_sense)
{
    char *seq = letters_new(100);
    bird_genome *g = genome_of(seq);
    bird_regions list = {0};
    struct bird_bins *bins;

    FAILS(BIRD_EINVAL, bird_bins_stream(&bins, NULL, 0, 10, BIRD_BINS_TILE),
          "bins of 0 bp");
    FAILS(BIRD_EINVAL, bird_bins_stream(&bins, NULL, 10, 15, BIRD_BINS_TILE),
          "as much on either side");
    WORKS(bird_regions_read_bed(&list, file_text("r.bed", "a\t0\t50\n")));
    FAILS(BIRD_ERANGE,
          bird_bins_regions(&bins, g, &list, 10, 20, BIRD_BINS_TILE),
          "not placed");
    bird_regions_free(&list);
    bird_genome_free(g);
    free(seq);
}

Test(bins, a_stretch_serves_places_in_any_order)
{
    char *seq = letters_new(3000);
    bird_genome *g = genome_of(seq);
    struct bird_contig_cache s = {0};
    struct bird_rng r;
    const char *got;

    bird_rng_init(&r, 1, 0, 0);
    for (int i = 0; i < 500; i++) {
        int64_t start = (int64_t)bird_rng_below(&r, 3400) - 200;
        int64_t n = 1 + (int64_t)bird_rng_below(&r, 400);

        WORKS(bird_contig_cache_get(&got, &s, g, 0, start, start + n));
        for (int64_t k = 0; k < n; k++)
            cr_assert_eq(got[k], letter(seq, 3000, start + k));
    }
    bird_contig_cache_free(&s);
    bird_genome_free(g);
    free(seq);
}

/* Calls of a matrix of bins against joining them profile by profile. */
Test(bins, calls_of_many_lanes_come_in_order)
{
    enum { N = 40, LANES = 6 };
    static float p[N][LANES];
    static const double half[LANES] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    struct bird_calls *calls;
    struct bird_call c, last = {.start = -1};
    struct bird_rng r;
    int64_t n = 0, want = 0, bins = 0, want_bins = 0;

    bird_rng_init(&r, 4, 0, 0);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < LANES; k++) {
            p[i][k] = (float)bird_rng_uniform(&r);
            want_bins += p[i][k] >= 0.5f;
            want += p[i][k] >= 0.5f && (!i || p[i - 1][k] < 0.5f || i == 20);
        }
    WORKS(bird_calls_new(&calls, half, LANES, 0));
    for (int i = 0; i <= N; i++) {
        /* a gap before bin 20 parts what would be joined */
        int64_t start = 200 * i + (i >= 20 ? 1 : 0);
        struct bird_scored w = {.start = start, .end = start + 200};

        for (; i < N && w.track < LANES; w.track++) {
            w.probability = (double)p[i][w.track];
            WORKS(bird_calls_put(calls, &w));
        }
        if (i == N)
            WORKS(bird_calls_finish(calls));
        while (bird_calls_next(calls, &c)) {
            cr_assert(c.start > last.start ||
                      (c.start == last.start &&
                       (c.end > last.end ||
                        (c.end == last.end && c.track > last.track))));
            cr_assert_eq(c.n_window, (c.end - c.start) / 200);
            bins += c.n_window;
            last = c;
            n++;
        }
    }
    cr_assert_eq(n, want);
    cr_assert_eq(bins, want_bins);
    bird_calls_free(calls);
}
