/* Packing sequences into token rows. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dnabird/dnabird.h"
#include "head/head.h"
#include "session/pack.h"
#include "temp.h"

static bird_tokenizer *t;
static struct bird_pack p;

static void setup(void)
{
    cr_assert_eq(bird_tokenizer_open(&t, tests_path(DATA_WORDS)), 0, "%s",
                 bird_last_error());
}

static void teardown(void)
{
    bird_pack_free(&p);
    bird_tokenizer_free(t);
    folder_remove();
}
TestSuite(pack, .init = setup, .fini = teardown);

static const char text[] = "GATTACAGGCATCCAGTTTACGGA";

Test(pack, rows_lie_end_to_end)
{
    static const int32_t more[] = {7, 8, 9};
    struct bird_batch b;
    bird_encoding e = {0};

    WORKS(bird_tokenizer_encode(t, &e, text, 24, 1));
    WORKS(bird_pack_add(&p, t, text, 24, 512));
    WORKS(bird_pack_add_ids(&p, more, NULL, 3));
    WORKS(bird_pack_add_ids(&p, NULL, NULL, 0));
    b = bird_pack_batch(&p);
    cr_assert_eq(b.n_seq, 3);
    cr_assert_eq(b.offset[0], 0);
    cr_assert_eq(b.offset[1], e.n);
    cr_assert_eq(b.offset[2], e.n + 3);
    cr_assert_eq(b.offset[3], e.n + 3);
    cr_assert_arr_eq(b.ids, e.ids, (size_t)e.n * sizeof(*e.ids));
    cr_assert_arr_eq(b.ids + e.n, more, sizeof(more));
    cr_assert_eq(p.n_trimmed, 0);
    bird_pack_clear(&p);
    cr_assert_eq(bird_pack_batch(&p).n_seq, 0);
    bird_encoding_free(&e);
}

/* Every length from the special tokens alone to all: the ends are kept, what
 * lies between is the middle of the text's tokens. */
Test(pack, a_trim_keeps_specials_and_the_middle)
{
    bird_encoding e = {0}, plain = {0};
    int64_t special;

    WORKS(bird_tokenizer_encode(t, &e, text, 24, 1));
    WORKS(bird_tokenizer_encode(t, &plain, text, 24, 0));
    special = e.n - plain.n;
    cr_assert_gt(special, 0);
    cr_assert_gt(plain.n, 4);
    for (int64_t m = special; m < e.n; m++) {
        int64_t keep = m - special, cut = plain.n - keep;

        bird_pack_clear(&p);
        p.n_trimmed = 0;
        WORKS(bird_pack_add(&p, t, text, 24, m));
        cr_assert_eq(p.n_tok, m);
        cr_assert_eq(p.n_trimmed, 1);
        cr_assert_eq(p.ids[0], e.ids[0]);
        cr_assert_eq(p.ids[m - 1], e.ids[e.n - 1]);
        cr_assert_arr_eq(p.ids + 1, plain.ids + cut / 2,
                         (size_t)keep * sizeof(*p.ids));
    }
    FAILS(BIRD_EINVAL, bird_pack_add(&p, t, text, 24, special - 1),
          "special ones alone");
    bird_encoding_free(&e);
    bird_encoding_free(&plain);
}

static bird_tokenizer *single_bases(void)
{
    const char *path = path_of("bases.json");
    bird_tokenizer *one = NULL;

    WORKS(bird_kmer_write(path, 1, 1, 0));
    WORKS(bird_tokenizer_open(&one, path));
    return one;
}

/* A window of 500 bp and its other strand, bins of 200: the bin of a base is
 * the mirrored one, the short bin comes first. */
Test(pack, bins_of_both_strands_are_the_same)
{
    struct bird_config c;
    char seq[501];
    bird_tokenizer *one;
    struct bird_batch b;

    one = single_bases();
    bird_config_default(&c);
    c.head = &bird_head_bins;
    c.bin_bp = 200;
    c.max_positions = 502;
    p.c = &c;
    for (int i = 0; i < 500; i++)
        seq[i] = "ACGT"[i * i % 4];
    WORKS(bird_pack_add_bins(&p, one, &(struct bird_binned){seq, 500, 0}));
    WORKS(bird_pack_add_bins(&p, one, &(struct bird_binned){seq, 500, 100}));
    b = bird_pack_batch(&p);
    cr_assert(b.n_seq == 2 && b.offset[1] == 502 && b.offset[2] == 1004);
    cr_assert(b.bin[0] == 0 && b.bin[1] == 3 && b.bin[2] == 6);
    cr_assert(b.base[0] == -1 && b.base[501] == -1 && b.base[502] == -1);
    for (int i = 0; i < 500; i++)
        cr_assert_eq(b.base[1 + i] / 200, 2 - b.base[503 + 499 - i] / 200, "%d",
                     i);
    c.max_positions = 501;
    FAILS(BIRD_EINVAL,
          bird_pack_add_bins(&p, one, &(struct bird_binned){seq, 500, 0}),
          "the model reads 501");
    p.c = NULL;
    bird_tokenizer_free(one);
}

/* Rows of four tokens: windows and bins are multiples of them. */
Test(pack, bins_of_pooled_rows)
{
    struct bird_config c;
    char seq[500];
    bird_tokenizer *one;
    struct bird_batch b;

    one = single_bases();
    bird_config_default(&c);
    c.head = &bird_head_bins;
    c.bin_bp = 200;
    c.max_positions = 127;
    c.n_stem = 1;
    c.stem[0].pool = 4;
    c.cls_id = bird_tokenizer_id(one, "[CLS]");
    c.sep_id = bird_tokenizer_id(one, "[SEP]");
    memset(seq, 'A', sizeof(seq));
    p.c = &c;
    for (int k = 0; k < 2; k++)
        WORKS(bird_pack_add_bins(&p, one,
                                 &(struct bird_binned){seq, 500, 100 * k}));
    b = bird_pack_batch(&p);
    cr_assert(b.offset[1] == 127 && b.offset[2] == 254);
    cr_assert(b.token && b.token[1] == 502 && b.token[2] == 1004);
    cr_assert(b.base[0] == -1 && b.base[126] == -1);
    for (int i = 0; i < 125; i++) {
        cr_assert_eq(b.base[1 + i], 4 * i);
        cr_assert_eq(b.base[1 + i] / 200, 2 - b.base[128 + 124 - i] / 200);
    }
    p.c = NULL;
    bird_tokenizer_free(one);
}
