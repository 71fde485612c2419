/* tools/bench: the work counted, rows that make sense, failures.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/timer.h"
#include "bench/bench.h"
#include "seq_help.h"

enum { BASE, SMALL, TINY }; /* presets */

static struct bench_options tiny(int64_t tokens, int64_t sequences)
{
    struct bench_options o;

    bench_options_default(&o);
    o.preset = TINY;
    o.tokens = tokens;
    o.sequences = sequences;
    o.repeats = 2;
    return o;
}

/* A plan's entry by entry, the slow way. */
static double pairs_by_hand(const struct bird_config *c, int64_t len,
                            int64_t layer)
{
    struct bird_pattern p = bird_pattern_of(c);
    struct bird_plan *plan = NULL;
    double pairs = 0;

    cr_assert_eq(bird_plan_new(&plan, &p, len, layer), 0);
    for (int64_t h = 0; h < c->n_head; h++)
        for (int64_t q = 0; q < len; q++) {
            int64_t n;
            const struct bird_run *run =
                bird_plan_row(plan, h, q / c->pattern.block, &n);

            for (int64_t k = 0; k < len; k++)
                for (int64_t i = 0; i < n; i++)
                    pairs += k / c->pattern.block >= run[i].first &&
                             k / c->pattern.block < run[i].first + run[i].count;
        }
    bird_plan_free(plan);
    return pairs;
}

static void count(int64_t tokens, int64_t sequences, int full)
{
    struct bench_options o = tiny(tokens, sequences);
    struct bird_config c;
    double linear, attention, pairs = 0, n = (double)(tokens * sequences);

    cr_assert_eq(bench_preset(&c, &o), 0);
    cr_assert_eq(bench_count(&linear, &attention, &c, tokens, sequences), 0);
    /* 2 layers x (QKV, output, up, down) of 64 and 256 */
    cr_assert_float_eq(linear, 2e-9 * n * 2 * (4 * 64 * 64 + 2 * 64 * 256),
                       1e-9 * linear);
    for (int64_t l = 0; l < 2; l++)
        pairs +=
            full ? (double)(tokens * tokens * 2) : pairs_by_hand(&c, tokens, l);
    cr_assert_float_eq(attention, 4e-9 * 32 * pairs * (double)sequences,
                       1e-9 * attention);
    cr_assert_gt(attention, 0);
}

Test(bench, work_is_counted_by_the_plan)
{
    count(100, 3, 1);
    count(176, 1, 1); /* (5 + 2 * 3) * 16: the last full length */
    count(177, 2, 0); /* a last block of one token */
    count(512, 1, 0);
    count(1000, 1, 0); /* more positions than the preset has */
}

static json_t *measured(int (*measure)(json_t **, const struct bench_options *),
                        const struct bench_options *o)
{
    json_t *row = NULL;

    cr_assert_eq(measure(&row, o), 0, "%s", bird_last_error());
    cr_assert(json_is_object(row));
    return row;
}

static const char *text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static double number(const json_t *row, const char *key)
{
    double x = bench_number(row, key);

    cr_assert(!isnan(x), "%s", key);
    return x;
}

static void equal(double x, double want)
{
    cr_assert_float_eq(x, want, 1e-9 * fabs(want));
}

static void sound(const json_t *r, const char *name, int64_t tokens)
{
    double best_s = number(r, "best_s");

    cr_assert_str_eq(text(r, "name"), name);
    cr_assert_eq(number(r, "tokens"), tokens);
    cr_assert_eq(number(r, "repeats"), 2);
    cr_assert_gt(best_s, 0);
    cr_assert_geq(number(r, "median_s"), best_s);
    cr_assert_gt(number(r, "peak_mib"), 1);
    equal(number(r, "per_s"), (double)tokens * number(r, "sequences") / best_s);
}

Test(bench, rows_of_the_encoder)
{
    struct bench_options o = tiny(200, 3);
    json_t *all = measured(bench_forward, &o);
    json_t *linear = measured(bench_linear, &o);
    json_t *attention = measured(bench_attention, &o);

    sound(all, "forward", 200);
    sound(linear, "linear", 200);
    sound(attention, "attention", 200);
    cr_assert_str_eq(text(all, "model"), "tiny");
    cr_assert_eq(number(all, "layers"), 2);
    equal(number(all, "gflop"),
          number(linear, "gflop") + number(attention, "gflop"));
    cr_assert_gt(number(all, "sgemm_gflop_per_s"), 0);
    equal(number(all, "share_of_sgemm"), number(all, "gflop") /
                                             number(all, "best_s") /
                                             number(all, "sgemm_gflop_per_s"));
    equal(number(all, "linear_share") + number(all, "attention_share") +
              number(all, "rest_share"),
          1);
    cr_assert_gt(number(all, "linear_share"), 0);
    cr_assert_gt(number(all, "attention_share"), 0);
    cr_assert(isnan(bench_number(linear, "linear_share")));
    json_decref(all);
    json_decref(linear);
    json_decref(attention);
}

/* Six layers of random weights: what rounding leaves of the hidden states is
 * within one step of bfloat16's eight bits, and four of them in int8. */
Test(bench, rows_in_lower_precision)
{
    static const double bound[] = {0, 1.0 / 256, 1.0 / 64};
    struct bench_options o = tiny(getenv("BIRD_TEST_SHORT") ? 100 : 700, 2);

    o.preset = SMALL;
    o.repeats = 1;
    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        json_t *r = NULL;

        o.precision = p;
        if (bench_forward(&r, &o)) {
            cr_assert(strstr(bird_last_error(), "use float32"));
            continue;
        }
        cr_assert_str_eq(text(r, "precision"),
                         bird_precision_name((enum bird_precision)p));
        cr_assert_gt(number(r, "error_rms"), 0);
        cr_assert_lt(number(r, "error_rms"), bound[p]);
        equal(number(r, "times_as_fast"),
              number(r, "float32_s") / number(r, "best_s"));
        json_decref(r);
    }
}

static void check_parts(const json_t *row, int again)
{
    json_t *parts = json_object_get(row, "parts"), *x;
    double sum = 0;
    const char *key;

    if (!BIRD_TIMER_ON) {
        cr_assert(json_is_null(parts));
        return;
    }
    json_object_foreach(parts, key, x)
    {
        sum += json_number_value(x);
        cr_assert(!strcmp(key, "rest") || !strcmp(key, "again") ||
                      json_number_value(x) > 0,
                  "%s", key);
    }
    equal(sum, 1);
    cr_assert_eq(number(parts, "again") > 0, again);
}

Test(bench, row_of_training)
{
    struct bench_options o = tiny(200, 3);
    json_t *train = measured(bench_train, &o), *again;
    json_t *forward = measured(bench_forward, &o);
    json_t *attention = measured(bench_attention, &o);
    double labelled = number(train, "labelled"), head;

    sound(train, "train", 200);
    cr_assert(labelled > 60 && labelled < 120, "about 15 %% of 600");
    cr_assert_eq(number(train, "vocabulary"), 32000);
    head = 2e-9 * labelled * (64 * 64 + 64 * 32000);
    equal(number(train, "gflop"), 3 * (number(forward, "gflop") + head));
    equal(number(train, "executed_gflop"),
          number(train, "gflop") + number(attention, "gflop") / 2);
    equal(number(train, "executed_share_of_sgemm") /
              number(train, "share_of_sgemm"),
          number(train, "executed_gflop") / number(train, "gflop"));
    check_parts(train, 0);
    cr_assert(isnan(bench_number(train, "bp_per_s")));
    o.recompute = 1;
    again = measured(bench_train, &o);
    check_parts(again, 1);
    equal(number(again, "gflop"), number(train, "gflop"));
    cr_assert_gt(number(again, "executed_gflop"),
                 number(train, "executed_gflop"));
    json_decref(train);
    json_decref(again);
    json_decref(forward);
    json_decref(attention);
    o.model = "anything";
    cr_assert_eq(bench_train(&train, &o), BIRD_EINVAL);
}

/* The bound on the gradient is that of tests/kernel/test_low_train.c, of two
 * layers. */
Test(bench, row_of_training_in_bfloat16)
{
    struct bench_options o = tiny(200, 3);
    double most = sqrt(2.0 / 3 * (2 * (4 * 2 + 1) + 1)) / 256;
    json_t *r = NULL;

    o.precision = BIRD_INT8;
    cr_assert_eq(bench_train(&r, &o), BIRD_EINVAL);
    o.precision = BIRD_BFLOAT16;
    if (bench_train(&r, &o)) {
        cr_assert(strstr(bird_last_error(), "use float32"));
        return;
    }
    sound(r, "train", 200);
    cr_assert_str_eq(text(r, "precision"), "bfloat16");
    cr_assert_gt(number(r, "float32_s"), 0);
    cr_assert_gt(number(r, "error_rms"), 0);
    cr_assert_lt(number(r, "error_rms"), most);
    cr_assert_float_eq(number(r, "float32_loss"), number(r, "loss"),
                       most * number(r, "loss"));
    cr_assert_float_eq(number(r, "float32_gradient_norm"),
                       number(r, "gradient_norm"),
                       most * number(r, "gradient_norm"));
    cr_assert_gt(number(r, "low_weights_mib"), 0);
    json_decref(r);
}

Test(bench, training_with_a_tokenizer_tells_bases)
{
    struct bench_options o = tiny(100, 1);
    json_t *r;

    o.tokenizer = tests_path(DATA_WORDS);
    r = measured(bench_train, &o);
    cr_assert_lt(number(r, "vocabulary"), 32000);
    cr_assert(number(r, "bases_per_token") > 1 &&
              number(r, "bases_per_token") < 20);
    equal(number(r, "bp_per_s"),
          number(r, "per_s") * number(r, "bases_per_token"));
    json_decref(r);
    o.tokenizer = "/nowhere/at/all";
    cr_assert_eq(bench_train(&r, &o), BIRD_EIO);
}

Test(bench, processor_time_is_of_one_thread)
{
    struct bench_options o = tiny(64, 1);
    json_t *r;

    o.cpu_time = 1;
    bird_threads_set(2);
    cr_assert_eq(bench_forward(&r, &o), BIRD_EINVAL);
    bird_threads_set(1);
    r = measured(bench_forward, &o);
    cr_assert_gt(number(r, "best_s"), 0);
    json_decref(r);
}

Test(bench, one_run_when_the_time_is_over)
{
    struct bench_options o = tiny(64, 1);
    json_t *r;

    o.seconds = 0;
    r = measured(bench_forward, &o);
    cr_assert_eq(number(r, "repeats"), 1);
    cr_assert_float_eq(number(r, "best_s"), number(r, "median_s"), 0);
    cr_assert_gt(number(r, "peak_mib"), 0);
    json_decref(r);
}

Test(bench, model_folders, .init = folder_new, .fini = folder_remove)
{
    bird_model_init_options init;
    struct bench_options o = tiny(300, 1);
    json_t *r;

    bird_model_init_options_default(&init);
    init.tokenizer = tests_path(DATA_WORDS);
    o.model = path_of("made");
    WORKS(bird_model_init(o.model, &init));
    r = measured(bench_forward, &o);
    sound(r, "forward", 300);
    cr_assert_str_eq(text(r, "model"), "made");
    json_decref(r);
    o.tokens = 513;
    cr_assert_eq(bench_forward(&r, &o), BIRD_ERANGE);
    o.tokens = 5000;
    r = measured(bench_tokenize, &o);
    sound(r, "tokenize", 5000);
    cr_assert(json_is_null(json_object_get(r, "share_of_sgemm")));
    json_decref(r);
    o.fasta = file_text("in.fa", ">a\nACGTACGT\n>b\nNANNCN\n");
    r = measured(bench_tokenize, &o);
    sound(r, "tokenize", 10);
    json_decref(r);
    file_text("in.fa", ">a\nNN\n");
    cr_assert_eq(bench_tokenize(&r, &o), BIRD_EFORMAT);
}

Test(bench, wrong_options_are_refused)
{
    struct bench_options o = tiny(0, 1);
    json_t *r;

    cr_assert_eq(bench_forward(&r, &o), BIRD_EINVAL);
    o.tokens = 1 << 20;
    o.sequences = 1 << 20;
    cr_assert_eq(bench_forward(&r, &o), BIRD_EINVAL);
    o = tiny(16, 1);
    o.repeats = 0;
    cr_assert_eq(bench_forward(&r, &o), BIRD_EINVAL);
    o.repeats = 1;
    o.seconds = (double)NAN;
    cr_assert_eq(bench_forward(&r, &o), BIRD_EINVAL);
    o.seconds = 1;
    o.model = "/nowhere/at/all";
    cr_assert_eq(bench_linear(&r, &o), BIRD_EIO);
    cr_assert_eq(bench_tokenize(&r, &o), BIRD_EIO);
}
