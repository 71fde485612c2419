/* session/anchor: a change keeps tokens, positions and blocks of its flanks.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "dnabird/dnabird.h"
#include "session/anchor.h"
#include "temp.h"
#include "token/vocab.h"

enum { LENGTH = 160, MOST = 512 };

static bird_tokenizer *t;
static struct bird_anchor a;
static struct bird_rows ref, alt;
static char text[LENGTH + 1];

static void start(void)
{
    cr_assert_eq(bird_tokenizer_open(&t, tests_path(DATA_WORDS)), 0, "%s",
                 bird_last_error());
    a = (struct bird_anchor){.t = t, .max_tokens = MOST};
}

static void end(void)
{
    bird_anchor_free(&a);
    bird_rows_free(&ref);
    bird_rows_free(&alt);
    bird_tokenizer_free(t);
}
TestSuite(anchor, .init = start, .fini = end);

static void make(uint64_t seed, int64_t n)
{
    struct bird_rng r;
    int trimmed = -1;

    bird_rng_init(&r, seed, 0, 0);
    for (int64_t i = 0; i < n; i++)
        text[i] = "ACGT"[bird_rng_below(&r, 4)];
    text[n] = '\0';
    cr_assert_eq(bird_anchor_ref(&a, &ref, &trimmed, text, n), 0);
    cr_assert_eq(trimmed, a.ref.n + t->n_before + t->n_after > a.max_tokens);
}

/* Letters that the tokens of a row spell, less the special ones. */
static void spell(char *out, const struct bird_rows *r)
{
    int64_t n = 0;

    for (int64_t i = t->n_before; i < r->n - t->n_after; i++) {
        const char *s = bird_tokenizer_token(t, r->ids[i]);

        memcpy(out + n, s, strlen(s));
        n += (int64_t)strlen(s);
    }
    out[n] = '\0';
}

/* The rows of alt: the letters are those of the change; before and behind the
 * touched span ids and positions are ref's; inside, positions do not fall and
 * stay within the span. */
static void check(const struct bird_anchored *what, int64_t from, int64_t to,
                  const char *put)
{
    char want[2 * LENGTH], got[2 * LENGTH];
    int64_t head = 0, tail = 0, low, high;

    snprintf(want, sizeof(want), "%.*s%s%s", (int)from, text, put, text + to);
    spell(got, &alt);
    cr_assert_str_eq(got, want);
    if (what->free) {
        for (int64_t i = 0; i < alt.n; i++)
            cr_assert_eq(alt.position[i], i);
        return;
    }
    while (head < ref.n && head < alt.n && ref.ids[head] == alt.ids[head] &&
           ref.position[head] == alt.position[head])
        head++;
    while (tail < ref.n - head && tail < alt.n - head &&
           ref.ids[ref.n - 1 - tail] == alt.ids[alt.n - 1 - tail] &&
           ref.position[ref.n - 1 - tail] == alt.position[alt.n - 1 - tail])
        tail++;
    cr_assert_leq(ref.n - head - tail, what->n_changed);
    cr_assert_leq(alt.n - head - tail, what->n_changed);
    low = head ? ref.position[head - 1] : -1;
    high = tail ? ref.position[ref.n - tail] : ref.position[ref.n - 1] + 1;
    for (int64_t i = head; i < alt.n - tail; i++) {
        cr_assert_geq(alt.position[i], low);
        cr_assert_leq(alt.position[i], high);
        low = alt.position[i];
    }
}

Test(anchor, every_place_of_many_sequences)
{
    static const char *const put[] = {"", "A", "C", "GT", "TTGCA"};
    int64_t n_free = 0, n_kept = 0, n_all = 0;

    for (uint64_t seed = 1; seed <= 6; seed++) {
        make(seed, LENGTH);
        for (int64_t from = 0; from <= LENGTH; from++)
            for (int64_t to = from; to <= from + 3 && to <= LENGTH; to++)
                for (size_t k = 0; k < sizeof(put) / sizeof(*put); k++) {
                    struct bird_anchored what;

                    cr_assert_eq(bird_anchor_alt(&a, &alt, &what, 1, from, to,
                                                 put[k],
                                                 (int64_t)strlen(put[k])),
                                 0);
                    cr_assert(what.fits);
                    check(&what, from, to, put[k]);
                    n_free += what.free;
                    n_kept += !what.free && alt.n == ref.n;
                    n_all++;
                }
    }
    cr_assert_gt(n_kept, n_all / 4);
    cr_assert_lt(n_free, n_all / 10);
}

Test(anchor, as_by_hand)
{
    struct bird_anchored what;
    int64_t i = 0, n;

    make(11, 60);
    /* nothing changes: the same rows */
    cr_assert_eq(bird_anchor_alt(&a, &alt, &what, 1, 20, 21, text + 20, 1), 0);
    cr_assert_eq(alt.n, ref.n);
    cr_assert_arr_eq(alt.ids, ref.ids, (size_t)ref.n * sizeof(*ref.ids));
    cr_assert_arr_eq(alt.position, ref.position,
                     (size_t)ref.n * sizeof(*ref.position));
    /* a token taken out leaves its position unused */
    while (a.ref.start[i] < 20)
        i++;
    n = a.ref.start[i + 1] - a.ref.start[i];
    cr_assert_eq(bird_anchor_alt(&a, &alt, &what, 1, a.ref.start[i],
                                 a.ref.start[i] + n, "", 0),
                 0);
    cr_assert_eq(alt.n, ref.n - 1);
    cr_assert_eq(what.n_changed, 1);
    i += t->n_before;
    cr_assert_eq(alt.position[i - 1], i - 1);
    cr_assert_eq(alt.position[i], i + 1);
    cr_assert_eq(alt.ids[i], ref.ids[i + 1]);
}

Test(anchor, a_large_change_is_encoded_freely)
{
    struct bird_anchored what;
    char put[64];

    make(12, 100);
    for (int i = 0; i < 40; i++)
        put[i] = "ACGT"[(i * i + i / 3) % 4];
    cr_assert_eq(bird_anchor_alt(&a, &alt, &what, 1, 50, 51, put, 40), 0);
    cr_assert(what.fits && what.free);
    cr_assert_gt(what.n_changed, BIRD_ANCHOR_MOST);
    /* asked for, it is free at any size */
    cr_assert_eq(bird_anchor_alt(&a, &alt, &what, 0, 50, 51, "A", 1), 0);
    cr_assert(what.fits && what.free);
}

Test(anchor, what_the_model_cannot_see_does_not_fit)
{
    struct bird_anchored what;

    a.max_tokens = 20;
    make(13, LENGTH);
    cr_assert_eq(ref.n, 20);
    cr_assert_eq(bird_anchor_alt(&a, &alt, &what, 1, 1, 2, "A", 1), 0);
    cr_assert_not(what.fits);
    cr_assert_eq(
        bird_anchor_alt(&a, &alt, &what, 1, LENGTH / 2, LENGTH / 2 + 1, "A", 1),
        0);
    cr_assert(what.fits);
    cr_assert_leq(alt.n, 20 + BIRD_ANCHOR_MOST);
    for (int64_t i = 0; i < alt.n; i++)
        cr_assert_lt(alt.position[i], 20);
}
