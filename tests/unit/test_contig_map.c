/* seq/contig_map. SPDX-License-Identifier: MIT */
#include "seq/contigs.h"
#include "seq_help.h"

static bird_genome *genome;
static struct bird_contig_map *map;

static void start(void)
{
    static const char fa[] = ">chr1\nA\n>chr2\nA\n>chrM\nA\n>X\nA\n>HLA:01\nA\n"
                             ">c5\nA\n>c6\nA\n>c7\nA\n>c8\nA\n";

    folder_new();
    WORKS(
        bird_genome_open(&genome, file_with("g.fa", "wu", fa, sizeof(fa) - 1)));
}

static void end(void)
{
    bird_contig_map_free(map);
    bird_genome_free(genome);
    folder_remove();
}
TestSuite(contig_map, .init = start, .fini = end);

static int64_t find(const char *name)
{
    int64_t i = -2;

    WORKS(bird_contig_map_find(map, &i, name));
    return i;
}

Test(contig_map, customary_names_both_ways)
{
    WORKS(bird_contig_map_new(&map, genome, NULL));
    cr_assert_str_eq(bird_contig_map_told(map), "");
    cr_assert_eq(find("chr1"), 0);
    cr_assert_str_eq(bird_contig_map_told(map), "");
    cr_assert_eq(find("2"), 1);
    cr_assert_eq(find("2"), 1);
    cr_assert_eq(find("MT"), 2);
    cr_assert_eq(find("chrX"), 3);
    cr_assert_eq(find("HLA:01"), 4);
    cr_assert_eq(find("chr3"), -1);
    cr_assert_eq(find("chr3"), -1);
    cr_assert_eq(find("chr1"), 0);
    cr_assert_str_eq(bird_contig_map_told(map),
                     "2 is chr2, MT is chrM, chrX is X");
    find("chrc5"), find("chrc6"), find("chrc7");
    cr_assert_str_eq(bird_contig_map_told(map),
                     "2 is chr2, MT is chrM, chrX is X, chrc5 is c5 and 2 "
                     "more");
}

Test(contig_map, a_table_goes_first)
{
    static const char table[] = "# other\there\n\nNC_1.1\tchr1\r\n2 X more\n";

    WORKS(bird_contig_map_new(&map, genome,
                              file_with("t", "wu", table, sizeof(table) - 1)));
    cr_assert_eq(find("NC_1.1"), 0);
    cr_assert_eq(find("2"), 3);
    cr_assert_eq(find("chr2"), 1);
}

Test(contig_map, tables_that_are_none)
{
    FAILS(BIRD_EFORMAT,
          bird_contig_map_new(&map, genome, file_with("t", "wu", "a\n", 2)),
          "line 1: one name");
    FAILS(BIRD_ERANGE,
          bird_contig_map_new(&map, genome, file_with("t", "wu", "a b\n", 4)),
          "no contig 'b'");
    FAILS(BIRD_EFORMAT,
          bird_contig_map_new(&map, genome,
                              file_with("t", "wu", "a X\na chr1\n", 11)),
          "line 2: 'a' occurs twice");
    FAILS(BIRD_EIO, bird_contig_map_new(&map, genome, path_of("none")),
          "No such file");
    cr_assert_null(map);
}

Test(contig_map, names_for_a_header)
{
    struct bird_text t = {0};

    WORKS(bird_contig_map_new(&map, genome, NULL));
    WORKS(bird_contig_map_name(&t, map, 0, "2", 1)); /* 2 for chr2 */
    cr_assert_str_eq(t.s, "1");
    WORKS(bird_contig_map_name(&t, map, 2, "2", 1));
    cr_assert_str_eq(t.s, "MT");
    WORKS(bird_contig_map_name(&t, map, 3, "2", 1));
    cr_assert_str_eq(t.s, "X");
    WORKS(bird_contig_map_name(&t, map, 3, "chrc5", 5)); /* chr added */
    cr_assert_str_eq(t.s, "chrX");
    WORKS(bird_contig_map_name(&t, map, 2, "chr2", 1)); /* as they are */
    cr_assert_str_eq(t.s, "chrM");
    bird_text_free(&t);
}
