/* Decoys: what a shuffle keeps, that every walk is as likely as another, and the
 * composition of random bases. SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "data/decoy.h"
#include "seq_help.h"

/* Dinucleotides of letters, by code of both. */
static void pairs_of(int64_t n[128 * 128], const char *s, int64_t len)
{
    memset(n, 0, 128 * 128 * sizeof(*n));
    for (int64_t i = 0; i + 1 < len; i++)
        n[(s[i] & 0x5f) * 128 + (s[i + 1] & 0x5f)]++;
}

Test(decoy, a_shuffle_keeps_dinucleotides_ends_and_unknown_bases)
{
    static int64_t before[128 * 128], after[128 * 128];
    struct bird_rng r;
    int changed = 0;

    bird_rng_init(&r, 1, 2, 3);
    for (int round = 0; round < 200; round++) {
        char s[301], was[301];
        int64_t n = 1 + (int64_t)bird_rng_below(&r, 300);

        for (int64_t i = 0; i < n; i++)
            s[i] = bird_rng_below(&r, 40) ? "ACGTacgt"[bird_rng_below(&r, 8)]
                                          : "NR-"[bird_rng_below(&r, 3)];
        memcpy(was, s, (size_t)n);
        pairs_of(before, s, n);
        WORKS(bird_shuffle_dinucleotides(s, n, &r));
        pairs_of(after, s, n);
        cr_assert_arr_eq(before, after, sizeof(before));
        changed += memcmp(was, s, (size_t)n) != 0;
        for (int64_t i = 0; i < n; i++) {
            int known = strchr("ACGTacgt", was[i]) != NULL;
            int inside = i && i + 1 < n && strchr("ACGTacgt", was[i - 1]) &&
                         strchr("ACGTacgt", was[i + 1]);

            if (!known)
                cr_assert_eq(s[i], was[i]);
            else if (!inside) /* an end of a run */
                cr_assert_eq(s[i] & 0x5f, was[i] & 0x5f);
        }
    }
    cr_assert_gt(changed, 150);
}

static int place_of(char seen[][16], int *n, const char *s)
{
    int i = 0;

    while (i < *n && strcmp(seen[i], s) != 0)
        i++;
    if (i == *n)
        strcpy(seen[(*n)++], s);
    return i;
}

/* All sequences with the dinucleotides and ends of this one, by going through
 * all sequences of its length. */
static int all_walks(const char *s)
{
    static int64_t want[128 * 128], got[128 * 128];
    int len = (int)strlen(s), n = 0;
    char t[16] = "";

    pairs_of(want, s, len);
    for (int code = 0; code < 1 << (2 * len); code++) {
        for (int i = 0; i < len; i++)
            t[i] = "ACGT"[code >> (2 * i) & 3];
        pairs_of(got, t, len);
        n += t[0] == s[0] && !memcmp(want, got, sizeof(want));
    }
    return n;
}

Test(decoy, every_walk_is_equally_likely)
{
    static const char from[] = "ACAGATACC";
    enum { ROUNDS = 60000, MOST = 200 };
    static char seen[MOST][16];
    int count[MOST] = {0}, n = 0, walks = all_walks(from);
    double chi = 0, expected;
    struct bird_rng r;

    bird_rng_init(&r, 5, 0, 0);
    for (int i = 0; i < ROUNDS; i++) {
        char s[sizeof(from)];

        strcpy(s, from);
        WORKS(bird_shuffle_dinucleotides(s, (int64_t)strlen(s), &r));
        count[place_of(seen, &n, s)]++;
    }
    cr_assert_eq(n, walks, "%d of %d walks", n, walks);
    expected = (double)ROUNDS / walks;
    for (int i = 0; i < n; i++)
        chi += (count[i] - expected) * (count[i] - expected) / expected;
    /* mean walks - 1, standard deviation sqrt(2 (walks - 1)) */
    cr_assert_lt(chi, walks - 1 + 5 * sqrt(2.0 * (walks - 1)), "%g of %d", chi,
                 walks);
}

Test(decoy, random_bases_have_the_share_of_g_and_c)
{
    enum { N = 20000 };
    static char s[N];
    struct bird_rng r;

    bird_rng_init(&r, 7, 0, 0);
    for (int k = 1; k < 10; k++) {
        double gc = k / 10.0;
        int64_t n[128] = {0};

        memset(s, 'A', N);
        s[3] = 'N';
        bird_random_bases(s, N, gc, &r);
        for (int i = 0; i < N; i++)
            n[(int)s[i]]++;
        cr_assert_eq(n['N'], 1);
        cr_assert_eq(s[3], 'N');
        cr_assert_float_eq((double)(n['C'] + n['G']) / N, gc, .02);
        cr_assert_float_eq((double)n['C'] / N, gc / 2, .02);
        cr_assert_float_eq((double)n['A'] / N, (1 - gc) / 2, .02);
    }
}

Test(decoy, both_kinds_come)
{
    static int64_t before[128 * 128], after[128 * 128];
    struct bird_rng r;
    int shuffled = 0;

    for (int i = 0; i < 400; i++) {
        char s[120];

        memset(s, 'A', sizeof(s));
        memcpy(s + 40, "CGCGTTTTTACGGGACGACGACG", 23);
        pairs_of(before, s, sizeof(s));
        bird_rng_init(&r, 9, 0, (uint64_t)i);
        WORKS(bird_decoy(s, sizeof(s), &r));
        pairs_of(after, s, sizeof(s));
        shuffled += !memcmp(before, after, sizeof(before));
    }
    cr_assert(shuffled > 150 && shuffled < 250, "%d of 400", shuffled);
}
