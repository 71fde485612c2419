/* region: the text form, placing on a genome, joining. */
#include "seq_help.h"

TestSuite(region, .init = folder_new, .fini = folder_remove);

static void parses(const char *text, const char *contig, int64_t start,
                   int64_t end)
{
    bird_regions list = {0};

    WORKS(bird_region_parse(&list, text, NULL));
    cr_assert_eq(list.n, 1);
    cr_assert_str_eq(list.at[0].contig, contig);
    cr_assert_eq(list.at[0].start, start);
    cr_assert_eq(list.at[0].end, end);
    cr_assert_eq(list.at[0].strand, '.');
    cr_assert_eq(list.at[0].index, -1);
    bird_regions_free(&list);
}

Test(region, text_forms)
{
    parses("chr20:101-200", "chr20", 100, 200);
    parses("chr20:1,000,001-2,000,000", "chr20", 1000000, 2000000);
    parses("chr20", "chr20", 0, BIRD_REGION_END);
    parses("chr20:7", "chr20", 6, BIRD_REGION_END);
    parses("chr20:7-", "chr20", 6, BIRD_REGION_END);
    parses("chr20:-7", "chr20", 0, 7);
    parses("chr20:7-7", "chr20", 6, 7);
    parses("HLA:01:5-9", "HLA:01", 4, 9);
    parses("{HLA:01}:5-9", "HLA:01", 4, 9);
    parses("{HLA:01}", "HLA:01", 0, BIRD_REGION_END);
    parses("a-b.1", "a-b.1", 0, BIRD_REGION_END);
}

static void refuses(const char *text, const char *part)
{
    bird_regions list = {0};

    FAILS(BIRD_EINVAL, bird_region_parse(&list, text, NULL), part);
    SAYS(text);
    cr_assert_eq(list.n, 0);
    bird_regions_free(&list);
}

Test(region, refusals)
{
    refuses("chr:0-5", "count from 1");
    refuses("chr:9-5", "before the start");
    refuses("chr:-0", "before the start");
    refuses(":1-5", "no contig");
    refuses("", "no contig");
    refuses("{}:1-5", "no contig");
    refuses("chr:x-5", "as start-end");
    refuses("chr:", "as start-end");
    refuses("chr:-", "as start-end");
    refuses("chr:1-2-3", "as start-end");
    refuses("chr:,1-2", "as start-end");
    refuses("chr:1,-2", "as start-end");
    refuses("chr:1-99999999999999999999", "as start-end");
    refuses("{a}x", "{name} must be followed");
    refuses("{a}:q", "{name} must be followed");
}

static bird_genome *genome_of(const char *fasta)
{
    bird_genome *g = NULL;

    WORKS(bird_genome_open(&g, file_text("g.fa", fasta)));
    return g;
}

Test(region, a_genome_decides_what_a_colon_means)
{
    bird_genome *g = genome_of(">a:1\nACGTACGT\n>a\nACG\n>b:2-3\nAAAA\n");
    bird_regions list = {0};

    WORKS(bird_region_parse(&list, "b:2-3", g));
    cr_assert_str_eq(list.at[0].contig, "b:2-3");
    cr_assert_eq(list.at[0].end, 4);
    WORKS(bird_region_parse(&list, "a:1:2-5", g));
    cr_assert_str_eq(list.at[1].contig, "a:1");
    cr_assert_eq(list.at[1].start, 1);
    cr_assert_eq(list.at[1].end, 5);
    cr_assert_eq(list.at[1].index, 0);
    WORKS(bird_region_parse(&list, "a:2", g));
    cr_assert_eq(list.at[2].index, 1);
    cr_assert_eq(list.at[2].start, 1);
    cr_assert_eq(list.at[2].end, 3);
    FAILS(BIRD_EINVAL, bird_region_parse(&list, "a:1", g), "two ways");
    WORKS(bird_region_parse(&list, "{a:1}", g));
    cr_assert_eq(list.at[3].index, 0);
    WORKS(bird_region_parse(&list, "{a}:1", g));
    cr_assert_eq(list.at[4].index, 1);
    cr_assert_eq(list.n, 5);
    bird_regions_free(&list);
    bird_genome_free(g);
}

Test(region, off_the_end_or_unknown)
{
    bird_genome *g = genome_of(">chr7\nACGTACGT\n>8\nAC\n>none\n");
    bird_regions list = {0};

    FAILS(BIRD_ERANGE, bird_region_parse(&list, "chr7:3-9", g),
          "chr7:3-9 lies off the end of 'chr7', which has 8 bp");
    FAILS(BIRD_ERANGE, bird_region_parse(&list, "chr7:9", g), "off the end");
    FAILS(BIRD_ERANGE, bird_region_parse(&list, "chr9:3-9", g),
          "no contig 'chr9'");
    FAILS(BIRD_ERANGE, bird_region_parse(&list, "7:3-9", g), "off the end");
    cr_assert_eq(list.n, 0);
    WORKS(bird_region_parse(&list, "chr7:8-8", g));
    WORKS(bird_region_parse(&list, "none", g));
    cr_assert_eq(list.at[1].end, 0);
    bird_regions_free(&list);
    bird_genome_free(g);
}

Test(region, names_meet_with_and_without_chr)
{
    bird_genome *g = genome_of(">chr7\nACGT\n>8\nAC\n>MT\nA\n>chr8\nA\n");
    bird_regions list = {0};

    WORKS(bird_region_parse(&list, "7:2-3", g));
    WORKS(bird_region_parse(&list, "chrM", g));
    WORKS(bird_region_parse(&list, "8", g));
    WORKS(bird_region_parse(&list, "chr8", g));
    WORKS(bird_regions_resolve(&list, g));
    cr_assert_eq(list.at[0].index, 0);
    cr_assert_eq(list.at[1].index, 2);
    cr_assert_eq(list.at[2].index, 1, "the exact name comes first");
    cr_assert_eq(list.at[3].index, 3);
    FAILS(BIRD_ERANGE, bird_region_parse(&list, "chr9", g), "no contig");
    bird_regions_free(&list);
    bird_genome_free(g);
}

Test(region, resolving_leaves_all_or_none)
{
    bird_genome *g = genome_of(">a\nACGTACGT\n");
    bird_regions list = {0};

    WORKS(bird_region_parse(&list, "a:2", NULL));
    WORKS(bird_region_parse(&list, "b", NULL));
    FAILS(BIRD_ERANGE, bird_regions_resolve(&list, g), "'b'");
    cr_assert_eq(list.at[0].index, -1);
    cr_assert_eq(list.at[0].end, BIRD_REGION_END);
    bird_regions_free(&list);
    bird_genome_free(g);
}

Test(region, merging_sorts_and_joins)
{
    bird_genome *g = genome_of(">b\nACGTACGT\n>a\nACGTACGT\n");
    bird_regions list = {0};
    static const char *const texts[] = {"a:5-6", "b:7-8", "a:1-2", "a:3-3",
                                        "a:1-1"};

    bird_regions_merge(&list);
    for (int i = 0; i < 5; i++)
        WORKS(bird_region_parse(&list, texts[i], g));
    list.at[2].strand = '+';
    bird_regions_merge(&list);
    cr_assert_eq(list.n, 3);
    cr_assert_str_eq(list.at[0].contig, "b");
    cr_assert_eq(list.at[1].start, 0);
    cr_assert_eq(list.at[1].end, 3);
    cr_assert_eq(list.at[1].strand, '.');
    cr_assert_eq(list.at[2].start, 4);
    bird_regions_free(&list);
    bird_genome_free(g);
}
