/* bed: what a BED file may look like, and what is refused by file and line. */
#include "seq_help.h"

TestSuite(bed, .init = folder_new, .fini = folder_remove);

static const char table[] = "# comment\nbrowser position chr1\r\ntrack name=x\n"
                            "\nchr1\t0\t10\r\n"
                            "chr2\t5\t7\tname one\t12.5\t-\textra\n"
                            "chr3 1  9 n . +\n"
                            "tracks\t3\t4\tn\n"
                            "chr 4\t3\t4\t\t\t.";

Test(bed, columns_comments_and_line_ends_in_three_forms)
{
    static const char *const modes[] = {"wu", "wg", "w"};

    for (int i = 0; i < 3; i++) {
        bird_regions l = {0};

        WORKS(bird_regions_read_bed(
            &l, file_with("x.bed", modes[i], table, sizeof(table) - 1)));
        cr_assert_eq(l.n, 5);
        cr_assert_str_eq(l.at[0].contig, "chr1");
        cr_assert_eq(l.at[0].start, 0);
        cr_assert_eq(l.at[0].end, 10);
        cr_assert_null(l.at[0].name);
        cr_assert_null(l.at[0].score);
        cr_assert_eq(l.at[0].strand, '.');
        cr_assert_eq(l.at[0].line, 5);
        cr_assert_eq(l.at[0].index, -1);
        cr_assert_str_eq(l.at[1].name, "name one");
        cr_assert_str_eq(l.at[1].score, "12.5");
        cr_assert_eq(l.at[1].strand, '-');
        cr_assert_eq(l.at[2].start, 1);
        cr_assert_eq(l.at[2].end, 9);
        cr_assert_eq(l.at[2].strand, '+');
        cr_assert_str_eq(l.at[3].contig, "tracks");
        cr_assert_str_eq(l.at[4].contig, "chr 4");
        cr_assert_eq(l.at[4].line, 9);
        cr_assert(strstr(l.source, "x.bed"));
        bird_regions_free(&l);
    }
}

Test(bed, reading_appends)
{
    bird_regions l = {0};

    WORKS(bird_region_parse(&l, "a:1-5", NULL));
    WORKS(bird_regions_read_bed(&l, file_text("x.bed", "b\t1\t2\n")));
    WORKS(bird_regions_read_bed(&l, file_text("y.bed", "")));
    cr_assert_eq(l.n, 2);
    cr_assert_str_eq(l.at[1].contig, "b");
    bird_regions_free(&l);
}

static void refuses(const char *text, int64_t n, const char *part)
{
    bird_regions l = {0};

    WORKS(bird_region_parse(&l, "a:1-5", NULL));
    FAILS(BIRD_EFORMAT,
          bird_regions_read_bed(&l, file_with("bad.bed", "wu", text, n)), part);
    SAYS("bad.bed");
    cr_assert_eq(l.n, 1);
    cr_assert_null(l.source);
    bird_regions_free(&l);
}

Test(bed, refusals_name_file_and_line)
{
    refuses("a\t1\t2\nb\t1\n", 10, "line 2: 2 columns");
    refuses("a\n", 2, "line 1: 1 column where");
    refuses("\t1\t2\n", 5, "no contig name");
    refuses("a\tx\t2\n", 6, "whole numbers");
    refuses("a\t1\t2.5\n", 8, "whole numbers");
    refuses("a\t-1\t2\n", 7, "whole numbers");
    refuses("a\t+1\t2\n", 7, "whole numbers");
    refuses("a\t1\t\n", 5, "whole numbers");
    refuses("a\t1\t99999999999999999999\n", 25, "whole numbers");
    refuses("a\t1\t9223372036854775807\n", 24, "whole numbers");
    refuses("a\t5\t5\n", 6, "not after the start");
    refuses("a\t6\t5\n", 6, "not after the start");
    refuses("a\t1\t2\tn\t0\tx\n", 12, "strand 'x'");
    refuses("a\t1\t2\tn\t0\t+-\n", 13, "strand '+-'");
    refuses("a\t1\t2\n\0\n", 8, "line 2 holds binary");
}

Test(bed, a_line_without_end_is_refused)
{
    int64_t n = (16 << 20) + 2;
    char *s = malloc((size_t)n);

    cr_assert(s);
    memset(s, 'x', (size_t)n);
    refuses(s, n, "over 16 MiB");
    free(s);
}

Test(bed, missing_folder_and_cut_short)
{
    const char *path = file_with("c.bed.gz", "w", "a\t1\t2\n", 6);
    bird_regions l = {0};

    FAILS(BIRD_EIO, bird_regions_read_bed(&l, path_of("none.bed")), "none.bed");
    FAILS(BIRD_EIO, bird_regions_read_bed(&l, folder), "folder");
    cr_assert_eq(truncate(path, file_size(path) - 28), 0);
    FAILS(BIRD_EFORMAT, bird_regions_read_bed(&l, path), "cut short");
    cr_assert_eq(l.n, 0);
}

Test(bed, placing_names_file_and_line)
{
    bird_regions l = {0};
    bird_genome *g = NULL;

    WORKS(bird_genome_open(&g, file_text("g.fa", ">a\nACGT\n")));
    WORKS(bird_regions_read_bed(&l, file_text("x.bed", "a\t0\t4\na\t0\t5\n")));
    FAILS(BIRD_ERANGE, bird_regions_resolve(&l, g), "x.bed: line 2: a:1-5");
    bird_regions_free(&l);
    WORKS(bird_regions_read_bed(&l, file_text("x.bed", "a\t0\t4\n#\nb\t0\t5"
                                                       "\n")));
    FAILS(BIRD_ERANGE, bird_regions_resolve(&l, g),
          "x.bed: line 3: no contig 'b'");
    bird_regions_free(&l);
    bird_genome_free(g);
}
