/* Files of labelled bins as they are read; zstd in and out.
 * SPDX-License-Identifier: MIT */
#include "data/labels_in.h"
#include "seq/input.h"
#include "seq_help.h"
#include "track/output.h"

TestSuite(labels_in, .init = folder_new, .fini = folder_remove);

#define HEAD                                                                   \
    "##dnabird-labels\t1\n##bin\t200\n##context\t1000\n##contig\t20\t6000\n"   \
    "##profile\ta\tTF\t\t\t\t.\n##profile\tb\t\t\t\t\t5\n"
#define COLUMNS "#chrom\tstart\tend\tlabels\n"

static void wrong(const char *text, int code, const char *part)
{
    struct bird_labels_in in;
    struct bird_labels_bin b;
    int rc = bird_labels_open_memory(&in, "f", text, (int64_t)strlen(text));

    while (!rc || rc == 1) {
        rc = bird_labels_next(&in, &b);
        cr_assert_neq(rc, 0, "accepted: %s", text);
    }
    FAILS(code, rc, part);
    bird_labels_close(&in);
}

Test(labels_in, files_of_bins_are_checked)
{
    wrong("", BIRD_EFORMAT, "not a file of labelled bins");
    wrong("chr\t1\t2\n", BIRD_EFORMAT, "not a file of labelled bins");
    wrong("##dnabird-labels\t3\n", BIRD_EUNSUPPORTED, "version 3");
    wrong(HEAD, BIRD_EFORMAT, "ends in its header");
    wrong(HEAD "20\t0\t200\t.\n", BIRD_EFORMAT, "the columns' names");
    wrong("##dnabird-labels\t1\n" COLUMNS, BIRD_EFORMAT, "the header lacks");
    wrong(HEAD "##profile\ta\t\t\t\t\t.\n" COLUMNS, BIRD_EFORMAT,
          "two profiles are named 'a'");
    wrong(HEAD "##contig\tchr20\t7\n" COLUMNS, BIRD_EFORMAT, "twice");
    wrong(HEAD "##mask\tX\t0\n" COLUMNS, BIRD_EFORMAT, "named before");
    wrong(HEAD "##mask\t20\t2\n" COLUMNS, BIRD_EFORMAT, "rising numbers");
    wrong(HEAD "##mask\t20\t0\n##contig\tX\t9\n" COLUMNS, BIRD_EFORMAT,
          "mask lines must follow");
    wrong(HEAD "##bin\tx\n" COLUMNS, BIRD_EFORMAT, "number of base pairs");
    wrong(HEAD COLUMNS "20\t0\t200\n", BIRD_EFORMAT, "line 8: a bin has");
    wrong(HEAD COLUMNS "20\t0\t100\t.\n", BIRD_EFORMAT, "width of the bin");
    wrong(HEAD COLUMNS "20\t5900\t6100\t.\n", BIRD_EFORMAT, "beyond");
    wrong(HEAD COLUMNS "X\t0\t200\t.\n", BIRD_EFORMAT, "this contig");
    wrong(HEAD COLUMNS "20\t0\t200\t1,0\n", BIRD_EFORMAT, "rising numbers");
    wrong(HEAD COLUMNS "20\t0\t200\t0,0\n", BIRD_EFORMAT, "rising numbers");
    wrong(HEAD COLUMNS "20\t0\t200\t\n", BIRD_EFORMAT, "rising numbers");
    wrong(HEAD COLUMNS "20\t0\t200\t0,\n", BIRD_EFORMAT, "rising numbers");
}

/* Any text through a sink in zstd and back, in pieces of any size. */
Test(labels_in, zstd_round_trip)
{
    struct bird_output *s;
    struct bird_input in;
    char *text = letters_new(300000), part[7777];
    int64_t n = 0, got;

    WORKS(bird_output_open(&s, path_of("x.zst"), 0));
    for (int64_t at = 0; at < 300000; at += 1000 + at % 7)
        WORKS(bird_output_put(s, text + at,
                              at + 1000 + at % 7 < 300000 ? 1000 + at % 7
                                                          : 300000 - at));
    WORKS(bird_output_close(s, 0));
    cr_assert_lt(file_size(path_of("x.zst")), 120000);
    WORKS(bird_input_open(&in, path_of("x.zst")));
    cr_assert_eq(bird_input_kind(&in), BIRD_INPUT_ZSTD);
    do {
        WORKS(bird_input_read(&in, part, sizeof(part), &got));
        cr_assert(!memcmp(part, text + n, (size_t)got));
        n += got;
    } while (got);
    cr_assert_eq(n, 300000);
    bird_input_close(&in);
    free(text);
}
