/* pattern: strided, fixed, star, random, and BigBird with other windows and
 * global blocks, against lists written by hand.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pattern/plan.h"

static int lists(const struct bird_plan *p, int64_t h, int64_t i, int64_t j)
{
    int64_t n;
    const struct bird_run *r = bird_plan_row(p, h, i, &n);

    for (int64_t k = 0; k < n; k++)
        if (j >= r[k].first && j < r[k].first + r[k].count)
            return r[k].times;
    return 0;
}

/* Rows of a head of a layer against words of digits, written by hand. */
static void check_rows(const char *text, int64_t len_tok, int64_t layer,
                       int64_t head, const char *const *rows)
{
    struct bird_pattern p;
    struct bird_plan *a = NULL;

    bird_pattern_default(&p);
    cr_assert_eq(bird_pattern_parse(&p, text), 0, "%s", bird_last_error());
    p.n_head = 4;
    p.max_positions = 64;
    cr_assert_eq(bird_plan_new(&a, &p, len_tok, layer), 0, "%s",
                 bird_last_error());
    for (int64_t i = 0; i < a->n_block; i++)
        for (int64_t j = 0; j < a->n_block; j++)
            cr_assert_eq(lists(a, head, i, j),
                         strchr(rows[i], '0' + (char)j) != NULL, "%s: %d, %d",
                         text, (int)i, (int)j);
    cr_assert(bird_pattern_is_full(&p, len_tok) == 0);
    bird_plan_free(a);
}

/* Yun et al. 2020, eq. 4 to 6, with n = 8 and w = 3. */
Test(connections, strided_fixed_and_star_by_hand)
{
    static const char *const near[] = {"01",   "012",  "0123", "1234",
                                       "2345", "3456", "4567", "567"};
    static const char *const far[] = {"036", "147", "25",  "036",
                                      "147", "25",  "036", "147"};
    static const char *const both[] = {"0136",   "01247", "01235",  "012346",
                                       "123457", "23456", "034567", "14567"};
    static const char *const group[] = {"012", "012", "012", "345",
                                        "345", "345", "67",  "67"};
    static const char *const relays[] = {"025", "125", "25",  "235",
                                         "245", "25",  "256", "257"};
    static const char *const fixed[] = {"0125", "0125", "0125", "2345",
                                        "2345", "2345", "2567", "2567"};
    static const char *const star[] = {"0167", "0127", "1237", "2347",
                                       "3457", "4567", "0567", "01234567"};
    static const char *const first[] = {"01234567", "0127", "0123", "0234",
                                        "0345",     "0456", "0567", "0167"};
    static const char *const before[] = {"0",    "01",   "012",   "0123",
                                         "1234", "2345", "03456", "14567"};

    check_rows("strided,block=1,width=3", 8, 0, 0, both);
    check_rows("strided,block=5,width=3", 38, 7, 3, both);
    check_rows("strided,block=1,width=3,heads=multihead", 8, 1, 1, near);
    check_rows("strided,block=1,width=3,heads=multihead", 8, 0, 2, far);
    check_rows("strided,block=1,width=3,heads=sequential", 8, 4, 3, near);
    check_rows("strided,block=1,width=3,heads=sequential", 8, 3, 0, far);
    check_rows("strided,block=1,width=3,causal=yes", 8, 0, 0, before);
    check_rows("fixed,block=1,width=3", 8, 0, 0, fixed);
    check_rows("fixed,block=2,width=3,heads=multihead", 15, 0, 0, group);
    check_rows("fixed,block=1,width=3,heads=sequential", 8, 1, 0, relays);
    check_rows("star,block=1,width=1", 8, 0, 0, star);
    check_rows("star,block=3,width=1,relay=first", 22, 0, 3, first);
}

/* Wider rings than the sequence, one block, and widths beyond it. */
Test(connections, patterns_of_few_blocks)
{
    static const char *const all[] = {"012", "012", "012"};
    static const char *const one[] = {"0"};
    static const char *const two[] = {"01", "01"};
    static const char *const texts[] = {
        "strided,block=1,width=1000", "fixed,block=1,width=1000",
        "star,block=1,width=1000", "star,block=1,width=1000,relay=first",
        "random,block=1,sparsity=0"};

    for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
        check_rows(texts[k], 3, 0, 0, all);
        check_rows(texts[k], 1, 0, 0, one);
        check_rows(texts[k], 2, 0, 0, two);
    }
    check_rows("star,block=1,width=1", 3, 0, 0, all);
}

/* As many as were asked for, of its own by head, layer and seed. */
Test(connections, evenly_drawn_pairs)
{
    struct bird_pattern p;
    struct bird_plan *a[4] = {NULL};
    int64_t sum = 0, other[3] = {0}, ahead = 0;

    bird_pattern_default(&p);
    cr_assert_eq(bird_pattern_parse(&p, "random,block=1,sparsity=80"), 0);
    p.n_head = 4;
    p.max_positions = 300;
    for (int k = 0; k < 4; k++) {
        p.seed = k == 2;
        p.own[BIRD_OWN_CAUSAL] = k == 3;
        cr_assert_eq(bird_plan_new(&a[k], &p, 300, k == 1), 0);
    }
    for (int64_t i = 0; i < 300; i++)
        for (int64_t j = 0; j < 300; j++) {
            int first = lists(a[0], 0, i, j);

            sum += first;
            other[0] += first != lists(a[0], 1, i, j);
            other[1] += first != lists(a[1], 0, i, j);
            other[2] += first != lists(a[2], 0, i, j);
            ahead += j > i && lists(a[3], 0, i, j);
            if (j <= i)
                cr_assert_eq(first, lists(a[3], 0, i, j));
            if (i == j)
                cr_assert_eq(first, 1);
        }
    /* 300 of its own and a fifth of 89,700: within four standard deviations */
    cr_assert(sum > 17760 && sum < 18720, "%lld", (long long)sum);
    for (int k = 0; k < 3; k++) /* 2 * 0.2 * 0.8 of them */
        cr_assert(other[k] > 28100 && other[k] < 29300, "%d: %lld", k,
                  (long long)other[k]);
    cr_assert_eq(ahead, 0);
    for (int k = 0; k < 4; k++)
        bird_plan_free(a[k]);
}

/* BigBird with a wider window and other global blocks, by hand; figure 1d of
 * Zaheer et al. 2020 has two global tokens at the start. */
Test(connections, other_windows_and_global_blocks)
{
    static const char *const wide[] = {"01234567", "01237",    "012347",
                                       "012345 7", "023456 7", "034567",
                                       "04567",    "01234567"};
    static const char *const first[] = {"01234567", "01234567", "0123",
                                        "01234",    "01345",    "01456",
                                        "01567",    "0167"};
    static const char *const last[] = {"0167",     "01267",   "12367",
                                       "23467",    "34567",   "4567",
                                       "01234567", "01234567"};
    static const char *const none[] = {"01",  "012", "123", "234",
                                       "345", "456", "567", "67"};
    struct bird_pattern p;

    check_rows("bigbird,block=1,random=none,width=2", 8, 0, 0, wide);
    check_rows("bigbird,block=1,random=none,first=2,last=0", 8, 0, 0, first);
    check_rows("bigbird,block=1,random=none,first=0,last=2", 8, 0, 0, last);
    check_rows("bigbird,block=1,random=none,first=0,last=0", 8, 0, 0, none);
    check_rows("bigbird,block=1,random=none,parts=window,first=3", 8, 0, 0,
               none);

    /* the reference's rule for short inputs is of the reference's pattern */
    bird_pattern_default(&p);
    cr_assert(bird_pattern_is_full(&p, 704));
    cr_assert_eq(bird_pattern_set(&p, "width", "2"), 0);
    cr_assert_not(bird_pattern_is_full(&p, 704));
    cr_assert_eq(bird_pattern_check(&p, "x"), BIRD_EINVAL, "the plan's blocks");
    cr_assert_eq(bird_pattern_set(&p, "random", "uniform"), 0);
    cr_assert_eq(bird_pattern_check(&p, "x"), 0);
    cr_assert_not(bird_pattern_is_reference(&p));
    cr_assert_eq(bird_pattern_set(&p, "width", "1"), 0);
    cr_assert(bird_pattern_is_full(&p, 704));
    cr_assert_not(bird_pattern_is_reference(&p));
    cr_assert_eq(bird_pattern_set(&p, "random", "zero"), 0);
    cr_assert(bird_pattern_is_reference(&p));
    cr_assert_eq(bird_pattern_set(&p, "parts", "window+random"), 0);
    cr_assert_not(bird_pattern_is_reference(&p));
}

/* Random blocks beside a wide window: new ones. */
Test(connections, uniform_blocks_beside_a_wide_window)
{
    struct bird_pattern p;
    struct bird_plan *a = NULL;

    bird_pattern_default(&p);
    cr_assert_eq(bird_pattern_parse(&p,
                                    "bigbird,block=1,random=uniform,width=4,"
                                    "first=3,last=2,n_random=5"),
                 0);
    p.n_head = 2;
    p.max_positions = 64;
    cr_assert_eq(bird_plan_new(&a, &p, 40, 0), 0);
    for (int64_t i = 3; i < 38; i++) {
        int64_t sum = 0;

        for (int64_t j = 0; j < 40; j++) {
            cr_assert_leq(lists(a, 1, i, j), 1);
            sum += lists(a, 1, i, j) && llabs(i - j) > 4 && j > 2 && j < 38;
        }
        cr_assert_eq(sum, 5, "%d", (int)i);
    }
    bird_plan_free(a);
}

/* Lists end with the query's own block, whatever its size; patterns that share no
 * such parameter are not causal after one that is. */
Test(connections, causal_patterns_end_with_their_own_block)
{
    static const char *const window[] = {"0",   "01",  "012", "123",
                                         "234", "345", "456", "567"};
    static const char *const full[] = {"0", "01", "012", "0123", "01234"};
    static const char *const star[] = {"0", "01", "12", "23", "034", "012345"};
    struct bird_pattern p;
    struct bird_plan *a = NULL;

    check_rows("window,block=1,width=2,causal=yes", 8, 0, 0, window);
    check_rows("window,block=5,width=2,causal=yes", 36, 0, 0, window);
    check_rows("full,block=4,causal=yes", 19, 0, 0, full);
    check_rows("star,block=3,width=1,causal=yes", 17, 0, 0, star);
    bird_pattern_default(&p);
    cr_assert_eq(bird_pattern_parse(&p, "full,causal=yes"), 0);
    cr_assert(bird_pattern_is_causal(&p) && !bird_pattern_is_reference(&p));
    cr_assert_eq(bird_pattern_parse(&p, "full,causal=no"), 0);
    cr_assert(!bird_pattern_is_causal(&p) && bird_pattern_is_reference(&p));
    cr_assert_eq(bird_pattern_parse(&p, "full,causal=yes"), 0);
    cr_assert_eq(bird_pattern_parse(&p, "bigbird,block=1,n_random=0"), 0);
    p.n_head = 1;
    cr_assert(!bird_pattern_is_causal(&p));
    cr_assert_eq(bird_plan_new(&a, &p, 40, 0), 0);
    cr_assert(!a->causal && lists(a, 0, 20, 21));
    bird_plan_free(a);
}

/* A pattern as text is the pattern. */
Test(connections, a_pattern_as_text)
{
    static const char *const texts[] = {
        "bigbird,block=64,n_random=3,random=plan",
        ("bigbird,block=16,n_random=1,random=uniform,seed=7,"
         "parts=global+random,width=3,first=2,last=0"),
        "window,block=4,width=2",
        "strided,block=1,width=5,heads=multihead,causal=yes",
        "fixed,block=1,width=16,heads=union",
        "star,block=8,width=1,relay=first",
        "random,block=1,sparsity=97,seed=3"};
    struct bird_text t = {0};
    struct bird_pattern p;

    for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
        bird_pattern_default(&p);
        cr_assert_eq(bird_pattern_parse(&p, texts[k]), 0);
        bird_text_clear(&t);
        cr_assert_eq(bird_pattern_text(&t, &p), 0);
        cr_assert_str_eq(t.s, texts[k]);
    }
    bird_text_free(&t);
}
