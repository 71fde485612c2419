/* dataset: reading labelled sequences, splitting, shared rows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "data/dataset.h"
#include "dnabird/dnabird.h"
#include "temp.h"

static const char *path;

TestSuite(dataset, .init = folder_new, .fini = folder_remove);

/* A file of this content and ending; the last one is at `path`. */
static const char *file_of(const char *content, const char *ending)
{
    char name[16];

    snprintf(name, sizeof(name), "d%s", ending);
    path = file_text(name, content);
    return path;
}

static bird_dataset opened(const char *content, const char *ending,
                           const bird_dataset_options *o)
{
    bird_dataset d;

    WORKS(bird_dataset_open(&d, file_of(content, ending), o));
    return d;
}

static const char *kept(const char *name)
{
    return tests_path("data/train/%s", name);
}

/* Opening this content fails with the code, and the sentence has `part`. */
static void refused(const char *content, const char *ending, int code,
                    const char *part, const bird_dataset_options *o)
{
    bird_dataset d = {.n = 77};

    cr_assert_eq(bird_dataset_open(&d, file_of(content, ending), o), code,
                 "'%s' was not refused so: %s", content, bird_last_error());
    SAYS(part);
    SAYS(path);
    cr_assert_null(strchr(bird_last_error(), '\n'));
    cr_assert_eq(d.n, 77);
}

static int is_seq(const bird_dataset *d, int64_t i, const char *s)
{
    return d->row[i].len == (int64_t)strlen(s) &&
           !memcmp(bird_dataset_seq(d, i), s, strlen(s));
}

Test(dataset, csv_has_quotes_crlf_blank_lines_and_lower_case)
{
    bird_dataset_options o = {.name = "id"};
    bird_dataset d = opened("id,label,sequence\r\n"
                            "a,1,acgun\r\n\r\n"
                            "\"b,\"\"2\",0,\"TT\"\r\n",
                            ".csv", &o);

    cr_assert_eq(d.n, 2);
    cr_assert_eq(d.kind, BIRD_LABEL_CLASS);
    cr_assert_eq(d.n_label, 2);
    cr_assert(is_seq(&d, 0, "ACGTN"));
    cr_assert(is_seq(&d, 1, "TT"));
    cr_assert_eq(d.row[0].label, 1);
    cr_assert_eq(d.row[1].label, 0);
    cr_assert_str_eq(bird_dataset_name(&d, 1), "b,\"2");
    cr_assert_null(d.label_name);
    bird_dataset_free(&d);
}

Test(dataset, words_become_classes_in_order_or_those_given)
{
    const char *text = "#chrom\tclass\tsequence\n20\tpositive\tAC\n"
                       "20\tnegative\tGG\n";
    const char *const given[3] = {"other", "positive", "negative"};
    bird_dataset_options o = {.label = "class"};
    bird_dataset d = opened(text, ".tsv", &o);

    cr_assert_eq(d.n_label, 2);
    cr_assert_str_eq(d.label_name[1], "positive");
    cr_assert_eq(d.row[0].label, 1);
    bird_dataset_free(&d);
    o.class_name = given;
    o.n_class = 3;
    WORKS(bird_dataset_open(&d, path, &o));
    cr_assert_eq(d.n_label, 3);
    cr_assert_eq(d.row[1].label, 2);
    bird_dataset_free(&d);
    o.n_class = 2;
    refused(text, ".tsv", BIRD_EFORMAT, "line 3", &o);
}

Test(dataset, several_columns_are_labels_of_their_own)
{
    bird_dataset_options o = {.label = "*"}, two = {.label = "y,x"};
    bird_dataset d = opened("sequence,x,y\nAC,0,1\nGG,,1", ".csv", &o);

    cr_assert_eq(d.kind, BIRD_LABEL_MULTI);
    cr_assert_eq(d.n_label, 2);
    cr_assert_eq(d.target[1], 1);
    cr_assert(isnan(d.target[2]));
    cr_assert_str_eq(d.label_name[0], "x");
    bird_dataset_free(&d);
    WORKS(bird_dataset_open(&d, path, &two));
    cr_assert_eq(d.target[0], 1);
    cr_assert_eq(d.target[1], 0);
    bird_dataset_free(&d);
    refused("sequence,x,y\nAC,0,2\n", ".csv", BIRD_EFORMAT,
            "line 2, column 'y'", &o);
}

Test(dataset, rows_of_values_have_weights_and_standard_errors)
{
    const bird_dataset_options w = {.values = "v", .weight = "n"},
                               e = {.values = "v", .error = "n"};
    const char *wrong[] = {"NA", "", "0", "-1", "x", "inf", "1e-30"};
    const uint8_t mark[3] = {0, 1, 1};
    bird_dataset d, part;

    d = opened("sequence,v,n\nA,1,3\nC,2,.5\nG,3,4", ".csv", &w);
    cr_assert(d.weight[0] == 3 && d.weight[1] == .5F && d.weight[2] == 4);
    WORKS(bird_dataset_cut(&part, &d, mark, 1));
    cr_assert(part.weight[0] == .5F && part.weight[1] == 4);
    bird_dataset_free(&part);
    bird_dataset_free(&d);
    WORKS(bird_dataset_open(&d, path, &e));
    cr_assert(d.weight[1] == 4 && d.weight[2] == 1 / 16.F);
    bird_dataset_free(&d);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char text[80];

        snprintf(text, sizeof(text), "sequence,v,n\nA,1,3\nC,2,%s\n", wrong[i]);
        if (i < 6)
            refused(text, ".csv", BIRD_EFORMAT, "line 3, column 'n'", &w);
        refused(text, ".csv", BIRD_EFORMAT, "line 3, column 'n'", &e);
    }
}

Test(dataset, gzip_reads_and_a_cut_one_is_refused)
{
    struct bird_text whole = {0};
    bird_dataset d;

    WORKS(bird_dataset_open(&d, kept("prom_core_tata.train600.csv.gz"), NULL));
    cr_assert_eq(d.n, 600);
    cr_assert_eq(d.n_label, 2);
    for (int64_t i = 0; i < d.n; i++)
        cr_assert_eq(d.row[i].len, 70);
    bird_dataset_free(&d);
    WORKS(bird_file_read(&whole, kept("prom_core_tata.train600.csv.gz")));
    path = path_of("d.csv.gz");
    WORKS(bird_file_write(path, whole.s, (size_t)whole.n / 2));
    FAILS(BIRD_EFORMAT, bird_dataset_open(&d, path, NULL), "cut short");
    whole.s[400] ^= 0x55;
    WORKS(bird_file_write(path, whole.s, (size_t)whole.n));
    cr_assert_eq(bird_dataset_open(&d, path, NULL), BIRD_EFORMAT);
    bird_text_free(&whole);
}

Test(dataset, wrong_tables_are_named_by_line_and_column)
{
    refused("", ".csv", BIRD_EFORMAT, "empty", NULL);
    refused("sequence,label\n", ".csv", BIRD_EFORMAT, "no sequence", NULL);
    refused("seq,label\nAC,1\n", ".csv", BIRD_EFORMAT, "column 'sequence'",
            NULL);
    refused("sequence,y\nAC,1\n", ".csv", BIRD_EFORMAT, "column 'label'", NULL);
    refused("sequence,label\nAC,1\nAC\n", ".csv", BIRD_EFORMAT,
            "line 3: 1 field,", NULL);
    refused("sequence,label\nA C,1\n", ".csv", BIRD_EFORMAT,
            "line 2, column 1: ' ' at position 2", NULL);
    refused("sequence,label\n,1\n", ".csv", BIRD_EFORMAT,
            "line 2, column 1: the sequence is empty", NULL);
    refused("sequence,label\nAC,1\nAC,x\n", ".csv", BIRD_EFORMAT,
            "line 3, label: label 'x' is not a whole number", NULL);
    refused("sequence,label\nAC,\nAC,1\n", ".csv", BIRD_EFORMAT,
            "line 2, label: no label", NULL);
    refused("sequence,label\nAC,99999999\n", ".csv", BIRD_EFORMAT, "not below",
            NULL);
    refused("sequence,label\n\"AC,1\n", ".csv", BIRD_EFORMAT,
            "line 2, field 1: a quote", NULL);
    refused("sequence,label\n\"AC\"x,1\n", ".csv", BIRD_EFORMAT,
            "line 2, field 1: 'x'", NULL);
    refused("AC,1\n", ".csv", BIRD_EFORMAT, "column 'sequence'", NULL);
    refused("sequence,label\nAC,1\n", ".dat", BIRD_EINVAL, "format", NULL);
    refused("x", ".csv", BIRD_EINVAL, "xml",
            &(bird_dataset_options){.format = "xml"});
}

Test(dataset, missing_and_binary_files_are_refused)
{
    bird_dataset d;
    const char binary[8] = {'s', 0, 'x'};

    FAILS(BIRD_EIO, bird_dataset_open(&d, "/nonexistent/a.csv", NULL),
          "/nonexistent/a.csv");
    file_of("", ".csv");
    WORKS(bird_file_write(path, binary, sizeof(binary)));
    FAILS(BIRD_EFORMAT, bird_dataset_open(&d, path, NULL), "binary");
}

Test(dataset, fasta_has_labels_in_the_description_or_none)
{
    bird_dataset d = opened(">a label=1 x\nac\ngt\n\n"
                            ">b x;label=0\nT\n",
                            ".fa", NULL);

    cr_assert_eq(d.n, 2);
    cr_assert(is_seq(&d, 0, "ACGT"));
    cr_assert_eq(d.row[0].label, 1);
    cr_assert_str_eq(bird_dataset_name(&d, 1), "b");
    bird_dataset_free(&d);
    d = opened(">a\nAC\n", ".fa", NULL);
    cr_assert_eq(d.kind, BIRD_LABEL_NONE);
    bird_dataset_free(&d);
    refused(">a label=1\nAC\n>b\nG\n", ".fa", BIRD_EFORMAT,
            "line 3, description: no label", NULL);
    refused("AC\n", ".fa", BIRD_EFORMAT, "line 1: not FASTA", NULL);
    refused(">a\n>b\nAC\n", ".fa", BIRD_EFORMAT, "line 1, record", NULL);
}

Test(dataset, fasta_labels_may_stand_in_a_second_file)
{
    const char *second = file_text("labels", "b\t0\na\t1\n");
    bird_dataset_options o = {.labels = second};
    bird_dataset d = opened(">a\nAC\n>b\nG", ".fa", &o);

    cr_assert_eq(d.row[0].label, 1);
    cr_assert_eq(d.row[1].label, 0);
    bird_dataset_free(&d);
    refused(">a\nAC\n>c\nG", ".fa", BIRD_EFORMAT, "'c' has no label", &o);
    file_text("labels", "a\t1\na\t0\n");
    cr_assert_eq(bird_dataset_open(&d, file_of(">a\nAC\n", ".fa"), &o),
                 BIRD_EFORMAT);
    file_text("labels", "a 1\n");
    cr_assert_eq(bird_dataset_open(&d, path, &o), BIRD_EFORMAT);
}

/* --- BED on a reference ------------------------------------------------- */

static const char *reference(void)
{
    return file_text("ref.fa", ">20\nAACCGGTTAC\n>21\nACGTACGTNN\n");
}

Test(dataset, bed_reads_the_reference_on_its_strand)
{
    bird_dataset_options o = {.reference = reference()};
    bird_dataset d = opened("track x\nchr20\t0\t5\tp\t1\t+\n"
                            "20\t5\t10\t.\t0\t-\n"
                            "21\t0\t10\tq\t1\t.\n",
                            ".bed", &o);

    cr_assert_eq(d.n, 3);
    cr_assert(is_seq(&d, 0, "AACCG"));
    cr_assert(is_seq(&d, 1, "GTAAC"));
    cr_assert(is_seq(&d, 2, "ACGTACGTNN"));
    cr_assert_eq(d.row[1].start, 5);
    cr_assert_eq(d.row[1].strand, '-');
    cr_assert_null(bird_dataset_name(&d, 1));
    cr_assert_eq(d.row[2].label, 1);
    bird_dataset_free(&d);
}

Test(dataset, wrong_regions_are_named_by_line_and_column)
{
    bird_dataset_options o = {.reference = reference()}, none = {0};

    refused("20\t0\t5\n", ".bed", BIRD_EINVAL, "reference", &none);
    refused("20\t0\t5\n20\t0\n", ".bed", BIRD_EFORMAT, "line 2: 2 columns", &o);
    refused("20\t-1\t5\n", ".bed", BIRD_EFORMAT, "line 1: columns 2", &o);
    refused("20\t1\t5e\n", ".bed", BIRD_EFORMAT, "line 1: columns 2", &o);
    refused("20\t5\t5\n", ".bed", BIRD_EFORMAT, "line 1: the end", &o);
    refused("20\t5\t11\n", ".bed", BIRD_ERANGE, "which has 10 bp", &o);
    refused("20\t0\t5\ta\t.\t+\n20\t0\t5\ta\t1\t+\n", ".bed", BIRD_EFORMAT,
            "line 1, column 5: no label", &o);
    refused("x\t5\t10\n", ".bed", BIRD_ERANGE, "no contig 'x'", &o);
    refused("20\t5\t10\ta\t1\t?\n", ".bed", BIRD_EFORMAT, "column 6", &o);
}

/* --- parts -------------------------------------------------------------- */

Test(dataset, held_out_part_is_a_function_of_letters_and_seed)
{
    uint8_t one[604], two[604], other[604];
    bird_dataset d, part, rest;
    int64_t n = 0, differ = 0;

    WORKS(bird_dataset_open(&d, kept("prom_core_tata.train600.csv.gz"), NULL));
    WORKS(bird_dataset_mark_fraction(one, &d, 0.2, 1));
    WORKS(bird_dataset_mark_fraction(two, &d, 0.2, 1));
    WORKS(bird_dataset_mark_fraction(other, &d, 0.2, 2));
    for (int64_t i = 0; i < d.n; i++) {
        n += one[i];
        differ += one[i] != other[i];
    }
    cr_assert_eq(memcmp(one, two, (size_t)d.n), 0);
    cr_assert(n > 90 && n < 150, "%d of 600", (int)n);
    cr_assert_gt(differ, 100);
    WORKS(bird_dataset_cut(&part, &d, one, 1));
    WORKS(bird_dataset_cut(&rest, &d, one, 0));
    cr_assert_eq(part.n, n);
    cr_assert_eq(part.n + rest.n, d.n);
    cr_assert_eq(part.n_label, 2);
    for (int64_t i = 0, at = 0; i < d.n; i++)
        if (one[i]) {
            cr_assert_eq(part.row[at].label, d.row[i].label);
            cr_assert_eq(memcmp(bird_dataset_seq(&part, at++),
                                bird_dataset_seq(&d, i), 70),
                         0);
        }
    bird_dataset_free(&d);
    bird_dataset_free(&part);
    bird_dataset_free(&rest);
}

Test(dataset, both_strands_fall_on_one_side)
{
    uint8_t mark[2];
    bird_dataset d = opened("sequence,label\n"
                            "AACCGTRTAGGAC,0\n"
                            "GTCCTAYACGGTT,0\n",
                            ".csv", NULL);

    for (uint64_t seed = 0; seed < 50; seed++) {
        WORKS(bird_dataset_mark_fraction(mark, &d, 0.5, seed));
        cr_assert_eq(mark[0], mark[1]);
    }
    bird_dataset_free(&d);
}

/* Windows of 1 kb, 100 bp apart, around the borders of blocks of 1 Mb */
Test(dataset, bins_near_a_held_out_block_are_marked_too)
{
    enum { LEN = 1000, N_ROW = 401 };
    bird_row row[N_ROW];
    char contig[] = "1", *name[] = {contig};
    uint8_t held[N_ROW], near[N_ROW];
    bird_dataset d = {.kind = BIRD_LABEL_MULTI,
                      .n = N_ROW,
                      .row = row,
                      .n_contig = 1,
                      .contig_name = name};
    int64_t dropped = 0, farthest = 0;

    for (int64_t i = 0; i < N_ROW; i++)
        row[i] =
            (bird_row){.len = LEN,
                       .start = (1 + i / 100) * 1000000 - 5000 + i % 100 * 100};
    for (uint64_t seed = 0; seed < 20; seed++) {
        WORKS(bird_dataset_mark_fraction(held, &d, 0.5, seed));
        memcpy(near, held, sizeof(near));
        bird_dataset_mark_near(near, &d, 0.5, seed);
        for (int64_t i = 0; i < N_ROW; i++) {
            int64_t apart = INT64_MAX;

            for (int64_t k = 0; k < N_ROW; k++) {
                int64_t a = row[i].start - row[k].start;

                if (held[k] && !held[i])
                    apart = bird_smaller(apart, a < 0 ? -a : a);
            }
            cr_assert(near[i] >= held[i]);
            cr_assert(near[i] || apart >= LEN, "%lld", (long long)apart);
            if (near[i] > held[i]) {
                dropped++;
                farthest = bird_larger(farthest, apart);
            }
        }
    }
    cr_assert_gt(dropped, 100);
    cr_assert_lt(farthest, 2 * LEN); /* no more than needed are left out */
}

Test(dataset, a_cut_keeps_names_places_and_targets)
{
    bird_dataset_options o = {.name = "1", .sequence = "2", .label = "x,y"};
    const uint8_t mark[3] = {0, 1, 1};
    bird_dataset d, part;

    d = opened("n,s,x,y\na,AC,0,1\nb,GGG,1,\n"
               "c,T,1,0\n",
               ".csv", &o);
    WORKS(bird_dataset_cut(&part, &d, mark, 1));
    bird_dataset_free(&d);
    cr_assert_eq(part.n, 2);
    cr_assert(is_seq(&part, 1, "T"));
    cr_assert_str_eq(bird_dataset_name(&part, 0), "b");
    cr_assert(isnan(part.target[1]));
    cr_assert_eq(part.target[2], 1);
    cr_assert_str_eq(part.label_name[1], "y");
    bird_dataset_free(&part);
}

Test(dataset, shared_rows_are_found_whole_by_kmer_and_strand)
{
    /* rows: a copy, the other strand, a part of 6, nothing, N between */
    static const char test[] = "sequence,label\nAACCGTATAGGAC,0\n"
                               "GTCCTATACGGTT,0\nTTTTCCGTATTTTT,0\n"
                               "GGGGGGGGGGGGG,0\nCCGTNATAGG,0\n";
    static const uint8_t expected[5][5] = {
        {1, 0, 0, 0, 0}, /* whole, given strand */
        {1, 1, 0, 0, 0}, /* whole, both */
        {1, 0, 1, 0, 0}, /* 6-mers, given */
        {1, 1, 1, 0, 0}, /* 6-mers, both */
        {1, 1, 0, 0, 0}  /* 13-mers, both */
    };
    static const int k[5] = {0, 0, 6, 6, 13}, both[5] = {0, 1, 0, 1, 1};
    bird_dataset a, b;
    uint8_t mark[5];

    a = opened(test, ".csv", NULL);
    b = opened("sequence,label\n"
               "AACCGTATAGGAC,0\n",
               ".csv", NULL);
    for (int i = 0; i < 5; i++) {
        WORKS(bird_dataset_mark_shared(mark, &a, &b, k[i], both[i]));
        cr_assert_eq(memcmp(mark, expected[i], 5), 0, "case %d", i);
    }
    cr_assert_eq(bird_dataset_mark_shared(mark, &a, &b, 64, 1), BIRD_EINVAL);
    WORKS(bird_dataset_mark_shared(mark, &a, &b, 63, 1));
    cr_assert_eq(bird_dataset_shared_k(&a), 30);
    bird_dataset_free(&a);
    bird_dataset_free(&b);
}

/* --- classes of bases, and token ids -------------------------------------- */

Test(dataset, a_text_names_the_class_of_each_base)
{
    static const uint8_t first[] = {1, BIRD_NO_CLASS, 0, 1}, second[] = {0, 0};
    const bird_dataset_options o = {.per_base = 1};
    bird_dataset d, left;
    const uint8_t mark[2] = {0, 1};
    int32_t *class_id;
    int64_t n;

    d = opened("sequence\tlabel\n"
               "ACGU\tb.ab\nTT\taa\n",
               ".tsv", &o);
    cr_assert_eq(d.kind, BIRD_LABEL_BASES);
    cr_assert_eq(d.n_label, 2);
    cr_assert_str_eq(d.label_name[1], "b");
    cr_assert_arr_eq(bird_dataset_base_class(&d, 0), first, 4);
    cr_assert_arr_eq(bird_dataset_base_class(&d, 1), second, 2);
    cr_assert_eq(d.line[1], 3);
    WORKS(bird_dataset_classes(&class_id, &n, &d));
    cr_assert_eq(n, 5);
    cr_assert(class_id[0] == 1 && class_id[1] == 0 && class_id[4] == 0);
    free(class_id);
    WORKS(bird_dataset_cut(&left, &d, mark, 1));
    cr_assert_eq(left.n, 1);
    cr_assert_arr_eq(bird_dataset_base_class(&left, 0), second, 2);
    cr_assert_eq(left.line[0], 3, "a row keeps its line");
    bird_dataset_free(&left);
    bird_dataset_free(&d);
}

/* A model without names of labels numbers them. */
Test(dataset, digits_are_classes_of_a_model_without_names)
{
    bird_dataset_options o = {.per_base = 1, .n_class = 3};
    bird_dataset d = opened("sequence,label\nACG,201\n", ".csv", &o);

    cr_assert_eq(d.n_label, 3);
    cr_assert(d.base_class[0] == 2 && d.base_class[1] == 0);
    bird_dataset_free(&d);
    refused("sequence,label\nACG,301\n", ".csv", BIRD_EFORMAT,
            "line 2, label: '3' at position 1 is not one of the model's "
            "classes",
            &o);
}

Test(dataset, labels_of_bases_that_do_not_fit_are_refused)
{
    const bird_dataset_options o = {.per_base = 1};
    const bird_dataset_options many = {.per_base = 1, .label = "a,b"};

    refused("sequence,label\nACG,aab\nACG,ab\n", ".csv", BIRD_EFORMAT,
            "line 3, label: 2 labels of 3 bases", &o);
    refused("sequence,label\nACG,...\n", ".csv", BIRD_EINVAL,
            "no class of any base is known", &o);
    refused(">a\nACG\n", ".fa", BIRD_EFORMAT, "description: no label", &o);
    refused("sequence,a,b\nACG,0,1\n", ".csv", BIRD_EINVAL,
            "one label a base: name one column", &many);
}

Test(dataset, token_ids_are_kept_as_text)
{
    const bird_dataset_options o = {.ids = 1, .n_vocab = 12};
    struct bird_ids ids = {0};
    bird_dataset d =
        opened("sequence,label\n  2 11   0 ,1\n007,0\n", ".csv", &o);

    cr_assert_eq(d.ids, 1);
    cr_assert(is_seq(&d, 0, "2 11 0"));
    cr_assert_eq(bird_ids_read(&ids, bird_dataset_seq(&d, 0), d.row[0].len), 0);
    cr_assert_eq(ids.n, 3);
    cr_assert(ids.id[0] == 2 && ids.id[1] == 11 && ids.id[2] == 0);
    cr_assert_eq(bird_ids_read(&ids, bird_dataset_seq(&d, 1), d.row[1].len), 0);
    cr_assert(ids.n == 1 && ids.id[0] == 7);
    free(ids.id);
    bird_dataset_free(&d);
    refused("sequence,label\n2 12,1\n", ".csv", BIRD_ERANGE,
            "line 2, column 1: token id 12, but the vocabulary has ids 0 to 11",
            &o);
    refused("sequence,label\n2 -1,1\n", ".csv", BIRD_EFORMAT,
            "'-1' is not a token id", &o);
    refused("sequence,label\n2 99999999999999999999999999,1\n", ".csv",
            BIRD_EFORMAT, "is not a token id", &o);
    refused("sequence,label\n ,1\n", ".csv", BIRD_EFORMAT,
            "the sequence is empty", &o);
    refused(">a\nACG\n", ".fa", BIRD_EINVAL, "rows of CSV or TSV", &o);
}
