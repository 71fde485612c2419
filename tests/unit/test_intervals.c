/* intervals: lists of regions, and the sorted set against plain search. */
#include "seq_help.h"

#include "base/rng.h"
#include "seq/intervals.h"

TestSuite(intervals, .init = folder_new, .fini = folder_remove);

static void reads(const char *text, enum bird_region_point point,
                  const char *want)
{
    struct bird_text got = {0};
    bird_regions list = {0};

    WORKS(bird_regions_parse(&list, text, NULL, point));
    for (int64_t i = 0; i < list.n; i++)
        WORKS(bird_text_printf(&got, "%s %lld %lld;", list.at[i].contig,
                               (long long)list.at[i].start,
                               list.at[i].end == BIRD_REGION_END
                                   ? -1LL
                                   : (long long)list.at[i].end));
    cr_assert_str_eq(got.s, want, "%s: %s", text, got.s);
    bird_text_free(&got);
    bird_regions_free(&list);
}

Test(intervals, lists)
{
    reads("a:1-5", BIRD_POINT_TO_END, "a 0 5;");
    reads("a:1-5,b c:2-3", BIRD_POINT_TO_END, "a 0 5;b 0 -1;c 1 3;");
    reads(" a:1-5,, b, ", BIRD_POINT_TO_END, "a 0 5;b 0 -1;");
    /* thousands, and contigs whose names are numbers */
    reads("20:1,000,001-2,000,000,21", BIRD_POINT_TO_END,
          "20 1000000 2000000;21 0 -1;");
    reads("20:1-5,100:7-9", BIRD_POINT_TO_END, "20 0 5;100 6 9;");
    reads("20,100", BIRD_POINT_TO_END, "20 0 -1;100 0 -1;");
    reads("20:1-5,{100}", BIRD_POINT_TO_END, "20 0 5;100 0 -1;");
    reads("20:1-5 100", BIRD_POINT_TO_END, "20 0 5;100 0 -1;");
    reads("{a,b c}:5-9,d", BIRD_POINT_TO_END, "a,b c 4 9;d 0 -1;");
}

Test(intervals, what_a_point_means)
{
    reads("a:7,a:7-,a:-7,a,a:7-7", BIRD_POINT_TO_END,
          "a 6 -1;a 6 -1;a 0 7;a 0 -1;a 6 7;");
    reads("a:7,a:7-,a:-7,a,a:7-7", BIRD_POINT_BASE,
          "a 6 7;a 6 -1;a 0 7;a 0 -1;a 6 7;");
    reads("{a:1}:7,{a:1}", BIRD_POINT_BASE, "a:1 6 7;a:1 0 -1;");
    reads("a:1,007", BIRD_POINT_BASE, "a 1006 1007;");
}

Test(intervals, a_bad_piece_leaves_the_list)
{
    bird_regions list = {0};

    WORKS(bird_regions_parse(&list, "x", NULL, BIRD_POINT_BASE));
    FAILS(BIRD_EINVAL,
          bird_regions_parse(&list, "a:1-5,b:0-3", NULL, BIRD_POINT_BASE),
          "b:0-3");
    FAILS(BIRD_EINVAL, bird_regions_parse(&list, " , ", NULL, BIRD_POINT_BASE),
          "no contig");
    cr_assert_eq(list.n, 1);
    bird_regions_free(&list);
}

Test(intervals, a_list_and_a_file_are_both_there)
{
    const char *bed = file_text("r.bed", "b\t1\t3\tx\n");
    bird_genome *g = NULL;
    bird_regions list = {0};

    WORKS(bird_genome_open(&g, file_text("g.fa", ">a\nACGT\n>b\nACGTA\n")));
    WORKS(bird_regions_read(&list, "b:2,a", bed, g, BIRD_POINT_TO_END));
    cr_assert_eq(list.n, 3);
    cr_assert(list.at[0].index == 1 && list.at[0].end == 5);
    cr_assert(list.at[1].index == 0 && list.at[1].end == 4);
    cr_assert_str_eq(list.at[2].name, "x");
    bird_regions_free(&list);
    FAILS(BIRD_ERANGE,
          bird_regions_read(&list, NULL, file_text("s.bed", "b 4 6\n"), g,
                            BIRD_POINT_TO_END),
          "s.bed: line 1");
    bird_regions_free(&list);
    bird_genome_free(g);
}

enum { N = 40, CONTIGS = 3, LONGEST = 60, ROUNDS = 300 };

static int64_t below(struct bird_rng *r, int64_t n)
{
    return (int64_t)bird_rng_below(r, (uint64_t)n);
}

/* Names of those that overlap, by looking at all. */
static void plain(char *out, const struct bird_intervals *s, int64_t contig,
                  int64_t start, int64_t end)
{
    *out = '\0';
    for (int64_t i = 0; i < s->n; i++) {
        const struct bird_interval *x = &s->at[i];

        if (x->contig != contig || x->start >= end || x->end <= start ||
            !strcmp(x->name, ".") || strchr(out, x->name[0]))
            continue;
        sprintf(out + strlen(out), "%s%s", *out ? "," : "", x->name);
    }
}

static void compare_set(const bird_regions *list, struct bird_rng *r)
{
    struct bird_intervals s = {0};

    WORKS(bird_intervals_new(&s, list));
    cr_assert_eq(s.n, list->n);
    for (int64_t i = 1; i < s.n; i++)
        cr_assert(s.at[i - 1].contig < s.at[i].contig ||
                  (s.at[i - 1].contig == s.at[i].contig &&
                   s.at[i - 1].start <= s.at[i].start));
    for (int k = 0; k < 40; k++) {
        int64_t contig = below(r, CONTIGS + 1), start = below(r, LONGEST);
        int64_t end = start + 1 + below(r, 5);
        struct bird_text got = {0};
        char want[4 * N];
        int any = 0;

        for (int64_t i = 0; i < s.n; i++)
            any |= s.at[i].contig == contig && s.at[i].start < end &&
                   s.at[i].end > start;
        cr_assert_eq(bird_intervals_overlap(&s, contig, start, end), any);
        plain(want, &s, contig, start, end);
        WORKS(bird_text_put(&got, "", 0));
        WORKS(bird_intervals_names(&got, &s, contig, start, end));
        cr_assert_str_eq(got.n ? got.s : "", want);
        bird_text_free(&got);
    }
    bird_intervals_free(&s);
}

Test(intervals, the_set_answers_as_a_plain_search_does)
{
    struct bird_rng r;

    bird_rng_init(&r, 7, 0, 0);
    for (int k = 0; k < ROUNDS; k++) {
        bird_region at[N];
        char name[N][2];
        bird_regions list = {at, below(&r, N + 1), N, NULL};

        for (int64_t i = 0; i < list.n; i++) {
            int64_t start = below(&r, LONGEST);

            name[i][0] = "abcdefgh."[below(&r, 9)];
            name[i][1] = '\0';
            at[i] =
                (bird_region){.index = below(&r, CONTIGS),
                              .start = start,
                              .end = start + 1 + below(&r, 1 + below(&r, 30)),
                              .name = name[i]};
        }
        compare_set(&list, &r);
    }
}

Test(intervals, spans)
{
    bird_genome *g = NULL;
    bird_regions list = {0};
    struct bird_intervals s = {0};
    int64_t end;

    WORKS(
        bird_genome_open(&g, file_text("g.fa", ">a\nACGTACGTACGT\n>b\nAC\n")));
    WORKS(bird_regions_read(&list, "b,a:1-8,a:2-3,a:9-9,a:11-12", NULL, g,
                            BIRD_POINT_BASE));
    WORKS(bird_intervals_new(&s, &list));
    cr_assert_eq(bird_intervals_span(&end, &s, 0, 0), 3);
    cr_assert_eq(end, 9);
    cr_assert_eq(bird_intervals_span(&end, &s, 0, 1), 4);
    cr_assert_eq(end, 12);
    cr_assert_eq(bird_intervals_span(&end, &s, 0, -1), 2);
    cr_assert_eq(end, 8);
    cr_assert_eq(bird_intervals_first(&s, 1, 0), 4);
    cr_assert_eq(bird_intervals_first(&s, 2, 0), 5);
    bird_intervals_free(&s);
    bird_regions_free(&list);
    bird_genome_free(g);
}

/* Bases of a mask against a plain count; contigs of length 0 are not in it. */
Test(intervals, bases_of_a_mask)
{
    const char *bed =
        file_text("m.bed", "chrb\t3\t9\na\t5\t7\na\t0\t2\na\t6\t12\n"
                           "c\t0\t99\nother\t0\t4\n");
    const int64_t length[3] = {12, 20, 0};
    struct bird_intervals mask = {0};
    struct bird_contigs c = {0};
    int32_t k;

    WORKS(bird_contigs_add(&k, &c, "a"));
    WORKS(bird_contigs_add(&k, &c, "b"));
    WORKS(bird_contigs_add(&k, &c, "c"));
    WORKS(bird_intervals_mask(&mask, &c, length, 3, bed));
    cr_assert_eq(mask.n, 3);
    for (int32_t i = 0; i < 3; i++)
        for (int64_t from = 0; from <= 20; from++)
            for (int64_t to = from; to <= 20; to++) {
                int64_t n = 0;

                for (int64_t p = from; p < to; p++)
                    n += i == 0 ? p < 2 || (p >= 5 && p < 12)
                                : i == 1 && p >= 3 && p < 9;
                cr_assert_eq(bird_intervals_covered(&mask, i, from, to), n);
            }
    bird_intervals_free(&mask);
    FAILS(BIRD_ERANGE,
          bird_intervals_mask(&mask, &c, (int64_t[]){11, 20, 0}, 3, bed),
          "a:6-12 ends after the end of the contig, which has 11 bp");
    bird_intervals_free(&mask);
    FAILS(BIRD_ERANGE,
          bird_intervals_mask(&mask, &c, length, 3,
                              file_text("o.bed", "x\t0\t4\nother\t0\t4\n")),
          "the references have none of its contigs (the first is 'other')");
    bird_intervals_free(&mask);
    WORKS(bird_intervals_mask(&mask, &c, length, 3, file_text("e.bed", "")));
    cr_assert_eq(mask.n, 0);
    bird_intervals_free(&mask);
    bird_contigs_free(&c);
}
