/* session/known: values by key in bounded memory. SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "dnabird/dnabird.h"
#include "session/known.h"

static int64_t ask(struct bird_known *k, int i, int *fresh)
{
    char key[32];
    int64_t place = -1;
    int n = snprintf(key, sizeof(key), "key %d%s", i, i % 3 ? "" : " long one");

    cr_assert_eq(bird_known_find(k, &place, fresh, key, n), 0);
    return place;
}

Test(known, what_was_put_is_found)
{
    struct bird_known *k;
    int fresh;

    cr_assert_eq(bird_known_new(&k, 3, 1 << 20), 0);
    for (int i = 0; i < 1000; i++) {
        int64_t at = ask(k, i, &fresh);

        cr_assert(fresh);
        cr_assert_eq(bird_known_values(k, at)[2], 0);
        bird_known_values(k, at)[2] = (float)i;
        bird_known_notes(k, at)[1] = -i;
    }
    bird_known_turn(k); /* below the limit: nothing is forgotten */
    for (int i = 999; i >= 0; i--) {
        int64_t at = ask(k, i, &fresh);

        cr_assert_not(fresh);
        cr_assert_eq(bird_known_values(k, at)[2], (float)i);
        cr_assert_eq(bird_known_notes(k, at)[1], -i);
    }
    bird_known_free(k);
    bird_known_free(NULL);
}

Test(known, the_old_generation_is_forgotten_but_for_what_is_asked_for)
{
    struct bird_known *k;
    int fresh, n_found = 0;

    cr_assert_eq(bird_known_new(&k, 4, 1000), 0);
    for (int i = 0; i < 5000; i++) {
        int64_t at = ask(k, i, &fresh);

        bird_known_values(k, at)[3] = (float)i;
        bird_known_notes(k, at)[0] = i;
        at = ask(k, 0, &fresh); /* asked for every time: stays */
        cr_assert(i == 0 || !fresh, "%d", i);
        cr_assert_eq(bird_known_values(k, at)[3], 0);
        cr_assert_eq(bird_known_notes(k, at)[0], 0);
        if (i % 10 == 9)
            bird_known_turn(k);
    }
    for (int i = 1; i < 5000; i++) {
        int64_t at = ask(k, i, &fresh);

        n_found += !fresh;
        cr_assert(fresh || bird_known_values(k, at)[3] == (float)i);
    }
    cr_assert(n_found > 5 && n_found < 100, "%d", n_found);
    bird_known_free(k);
}
