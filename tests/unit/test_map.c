/* base/map: keys of bytes and of integers. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/rng.h"

#define WORKS(call) cr_assert_eq(call, 0)

Test(map, bytes)
{
    struct bird_map m = {0};
    int64_t *at = NULL;
    char name[32];

    cr_assert_eq(bird_map_count(&m), 0);
    cr_assert_null(bird_map_find(&m, "a", 1));
    for (int64_t i = 0; i < 20000; i++) { /* over several blocks of keys */
        int n = snprintf(name, sizeof(name), "contig%lld", (long long)i);

        WORKS(bird_map_add(&m, &at, name, n, i));
        cr_assert_eq(*at, i);
    }
    memset(name, 0, sizeof(name)); /* keys are copies */
    WORKS(bird_map_add(&m, &at, "contig7", 7, 99));
    cr_assert_eq(*at, 7, "a key that is there keeps its value");
    *at = 100;
    WORKS(bird_map_add(&m, NULL, "contig7", 7, 99));
    cr_assert_eq(*bird_map_find(&m, "contig7", 7), 100);
    cr_assert_eq(bird_map_count(&m), 20000);
    for (int64_t i = 8; i < 20000; i++) {
        int n = snprintf(name, sizeof(name), "contig%lld", (long long)i);

        cr_assert_eq(*bird_map_find(&m, name, n), i);
    }
    cr_assert_null(bird_map_find(&m, "contig", 6));
    cr_assert_null(bird_map_find(&m, "contig20000", 11));
    bird_map_free(&m);
    cr_assert_eq(bird_map_count(&m), 0);
    bird_map_free(&m);
}

/* Lengths and zero bytes tell keys apart; a key may be empty, or longer than a
 * block. */
Test(map, any_bytes)
{
    static char large[100001];
    struct bird_map m = {0};
    int64_t *at;

    for (int64_t n = 0; n < 40; n++)
        WORKS(bird_map_add(&m, NULL, large, n, n));
    WORKS(bird_map_add(&m, NULL, large, 100000, -1));
    large[100000] = 1;
    WORKS(bird_map_add(&m, &at, large + 1, 100000, -2));
    cr_assert_eq(*at, -2);
    WORKS(bird_map_add(&m, NULL, "x", 1, -3)); /* in a block of its own size */
    for (int64_t n = 0; n < 40; n++)
        cr_assert_eq(*bird_map_find(&m, large, n), n);
    cr_assert_eq(*bird_map_find(&m, large, 100000), -1);
    cr_assert_eq(*bird_map_find(&m, large + 1, 100000), -2);
    cr_assert_eq(*bird_map_find(&m, "x", 1), -3);
    cr_assert_eq(bird_map_count(&m), 43);
    bird_map_free(&m);
}

Test(map, integers)
{
    enum { N = 5000, RANGE = 3000 };
    static int64_t want[RANGE];
    struct bird_map64 m = {0};
    int64_t n = 0, *at;

    cr_assert_null(bird_map64_find(&m, 1));
    for (int64_t i = 0; i < N; i++) {
        uint64_t k = bird_mix(1, (uint64_t)i) % RANGE;

        WORKS(bird_map64_add(&m, &at, k << 40, 0));
        n += !want[k]++;
        ++*at;
    }
    cr_assert_eq(bird_map64_count(&m), n);
    for (uint64_t k = 0; k < RANGE; k++) {
        at = bird_map64_find(&m, k << 40);
        cr_assert_eq(at ? *at : 0, want[k]);
    }
    WORKS(bird_map64_add(&m, NULL, UINT64_MAX, -5));
    cr_assert_eq(*bird_map64_find(&m, UINT64_MAX), -5);
    bird_map64_free(&m);
    cr_assert_eq(bird_map64_count(&m), 0);
}
