/* Packing sequences into token rows. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "dnabird/dnabird.h"
#include "session/pack.h"

static bird_tokenizer *t;
static struct bird_pack p;

static void setup(void)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/golden/t_bpe_tiny/tokenizer.json",
             getenv("BIRD_TEST_DATA"));
    cr_assert_eq(bird_tokenizer_open(&t, path), 0, "%s", bird_last_error());
}

static void teardown(void)
{
    bird_pack_free(&p);
    bird_tokenizer_free(t);
}
TestSuite(pack, .init = setup, .fini = teardown);

static const char text[] = "GATTACAGGCATCCAGTTTACGGA";

Test(pack, rows_lie_end_to_end)
{
    static const int32_t more[] = {7, 8, 9};
    struct bird_batch b;
    bird_encoding e = {0};

    cr_assert_eq(bird_tokenizer_encode(t, &e, text, 24, 1), 0);
    cr_assert_eq(bird_pack_add(&p, t, text, 24, 512), 0);
    cr_assert_eq(bird_pack_add_ids(&p, more, NULL, 3), 0);
    cr_assert_eq(bird_pack_add_ids(&p, NULL, NULL, 0), 0);
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

    cr_assert_eq(bird_tokenizer_encode(t, &e, text, 24, 1), 0);
    cr_assert_eq(bird_tokenizer_encode(t, &plain, text, 24, 0), 0);
    special = e.n - plain.n;
    cr_assert_gt(special, 0);
    cr_assert_gt(plain.n, 4);
    for (int64_t m = special; m < e.n; m++) {
        int64_t keep = m - special, cut = plain.n - keep;

        bird_pack_clear(&p);
        p.n_trimmed = 0;
        cr_assert_eq(bird_pack_add(&p, t, text, 24, m), 0, "%s",
                     bird_last_error());
        cr_assert_eq(p.n_tok, m);
        cr_assert_eq(p.n_trimmed, 1);
        cr_assert_eq(p.ids[0], e.ids[0]);
        cr_assert_eq(p.ids[m - 1], e.ids[e.n - 1]);
        cr_assert_arr_eq(p.ids + 1, plain.ids + cut / 2,
                         (size_t)keep * sizeof(*p.ids));
    }
    cr_assert_eq(bird_pack_add(&p, t, text, 24, special - 1), BIRD_EINVAL);
    cr_assert(strstr(bird_last_error(), "special ones alone"));
    bird_encoding_free(&e);
    bird_encoding_free(&plain);
}
