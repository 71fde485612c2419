/* The threshold in use. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "dnabird/dnabird.h"
#include "scan/source.h"
#include "session/probability.h"

static json_t *meta;

static void setup(void)
{
    meta = json_loads("{\"thresholds\": {\"default\": 0.7, \"fp_per_mb\": "
                      "[[1, 0.9], [4, 0.8], [16, 0.6]]},"
                      "\"genome\": {\"name\": \"toy\", \"contigs\": "
                      "{\"chr1\": 10, \"2\": 20}}}",
                      0, NULL);
    cr_assert_not_null(meta);
}

static void teardown(void)
{
    json_decref(meta);
}
TestSuite(threshold, .init = setup, .fini = teardown);

static double choose(const json_t *m, double asked, double rate)
{
    double t = -1;

    cr_assert_eq(bird_threshold_choose(&t, m, asked, rate, "m"), 0, "%s",
                 bird_last_error());
    return t;
}

static void fails(const json_t *m, double asked, double rate, int code,
                  const char *words)
{
    double t = -1;

    cr_assert_eq(bird_threshold_choose(&t, m, asked, rate, "m"), code);
    cr_assert(strstr(bird_last_error(), words), "%s", bird_last_error());
    cr_assert_float_eq(t, -1, 0);
}

Test(threshold, asked_for_or_the_models_or_a_half)
{
    cr_assert_float_eq(choose(meta, 0.25, 0), 0.25, 0);
    cr_assert_float_eq(choose(meta, 0, 0), 0, 0);
    cr_assert_float_eq(choose(meta, -1, 0), 0.7, 0);
    cr_assert_float_eq(choose(NULL, -1, 0), 0.5, 0);
}

Test(threshold, by_rate)
{
    cr_assert_float_eq(choose(meta, -1, 1), 0.9, 0);
    cr_assert_float_eq(choose(meta, -1, 16), 0.6, 0);
    cr_assert_float_eq(choose(meta, -1, 2), 0.85, 1e-12);
    cr_assert_float_eq(choose(meta, -1, 8), 0.7, 1e-12);
}

Test(threshold, what_cannot_be)
{
    json_t *bad = json_loads("{\"thresholds\": {\"fp_per_mb\": [[2, 0.5], "
                             "[1, 0.6]]}}",
                             0, NULL);

    fails(meta, 1.01, 0, BIRD_EINVAL, "between 0 and 1");
    fails(meta, (double)NAN, 0, BIRD_EINVAL, "between 0 and 1");
    fails(meta, 0.5, 5, BIRD_EINVAL, "not both");
    fails(meta, -1, 0.5, BIRD_EINVAL, "between 1 and 16");
    fails(meta, -1, 17, BIRD_EINVAL, "between 1 and 16");
    fails(NULL, -1, 5, BIRD_EINVAL, "has no table");
    fails(bad, -1, 5, BIRD_EFORMAT, "does not rise");
    json_decref(bad);
}

Test(threshold, build_is_told_by_lengths)
{
    char notice[128] = "";

    bird_build_check(notice, sizeof(notice), meta, "1", 10);
    bird_build_check(notice, sizeof(notice), meta, "chr2", 20);
    bird_build_check(notice, sizeof(notice), meta, "chr3", 5);
    bird_build_check(notice, sizeof(notice), NULL, "1", 11);
    cr_assert_str_eq(notice, "");
    bird_build_check(notice, sizeof(notice), meta, "1", 11);
    cr_assert(strstr(notice, "contig 1 has 11 bp, but 10 in toy"));
    bird_build_check(notice, sizeof(notice), meta, "2", 21);
    cr_assert(strstr(notice, "contig 1 "));
}
