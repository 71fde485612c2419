/* bench/bench: the work counted, rows that make sense, failures. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/bench.h"
#include "dnabird/bench_train.h"
#include "dnabird/dnabird.h"

static bird_bench_options tiny(int64_t tokens, int64_t sequences)
{
    bird_bench_options o;

    bird_bench_options_default(&o);
    o.preset = "tiny";
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
    bird_bench_options o = tiny(tokens, sequences);
    struct bird_bench_work w;
    struct bird_config c;
    double pairs = 0, n = (double)(tokens * sequences);

    cr_assert_eq(bird_bench_preset(&c, &o), 0);
    cr_assert_eq(bird_bench_count(&w, &c, &o), 0);
    /* 2 layers x (QKV, output, up, down) of 64 and 256 */
    cr_assert_float_eq(w.linear, 2e-9 * n * 2 * (4 * 64 * 64 + 2 * 64 * 256),
                       1e-9 * w.linear);
    for (int64_t l = 0; l < 2; l++)
        pairs +=
            full ? (double)(tokens * tokens * 2) : pairs_by_hand(&c, tokens, l);
    cr_assert_float_eq(w.attention, 4e-9 * 32 * pairs * (double)sequences,
                       1e-9 * w.attention);
    cr_assert_gt(w.attention, 0);
}

Test(bench, work_is_counted_by_the_plan)
{
    count(100, 3, 1);
    count(176, 1, 1); /* (5 + 2 * 3) * 16: the last full length */
    count(177, 2, 0); /* a last block of one token */
    count(512, 1, 0);
    count(1000, 1, 0); /* more positions than the preset has */
}

static void sound(const bird_bench_row *r, const char *name, int64_t tokens)
{
    cr_assert_str_eq(r->name, name);
    cr_assert_eq(r->tokens, tokens);
    cr_assert_eq(r->repeats, 2);
    cr_assert_gt(r->best_s, 0);
    cr_assert_geq(r->median_s, r->best_s);
    cr_assert_gt(r->peak_mib, 1);
    cr_assert_float_eq(r->per_s, (double)(tokens * r->sequences) / r->best_s,
                       1e-6 * r->per_s);
}

Test(bench, rows_of_the_encoder)
{
    bird_bench_options o = tiny(200, 3);
    bird_bench_row all, linear, attention;

    cr_assert_eq(bird_bench_forward(&all, &o), 0, "%s", bird_last_error());
    cr_assert_eq(bird_bench_linear(&linear, &o), 0);
    cr_assert_eq(bird_bench_attention(&attention, &o), 0);
    sound(&all, "forward", 200);
    sound(&linear, "linear", 200);
    sound(&attention, "attention", 200);
    cr_assert_str_eq(all.model, "tiny");
    cr_assert_eq(all.n_layer, 2);
    cr_assert_float_eq(all.gflop, linear.gflop + attention.gflop, 1e-9);
    cr_assert_gt(all.sgemm, 0);
    cr_assert_float_eq(all.share, all.gflop / all.best_s / all.sgemm, 1e-9);
    cr_assert_float_eq(all.linear_share + all.attention_share + all.rest_share,
                       1, 1e-9);
    cr_assert_gt(all.linear_share, 0);
    cr_assert_gt(all.attention_share, 0);
    cr_assert(isnan(linear.linear_share));
}

/* Six layers of random weights: what rounding leaves of the hidden states is
 * within one step of bfloat16's eight bits, and four of them in int8. */
Test(bench, rows_in_lower_precision)
{
    static const double bound[] = {0, 1.0 / 256, 1.0 / 64};
    bird_bench_options o = tiny(700, 2);

    o.preset = "small";
    o.repeats = 1;
    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        bird_bench_row r;

        o.precision = (enum bird_precision)p;
        if (bird_bench_forward(&r, &o)) {
            cr_assert(strstr(bird_last_error(), "use float32"));
            continue;
        }
        cr_assert_eq(r.low.precision, o.precision);
        cr_assert_gt(r.low.error_rms, 0);
        cr_assert_lt(r.low.error_rms, bound[p]);
        cr_assert_gt(r.low.float32_s, 0);
        cr_assert_float_eq(r.low.speedup, r.low.float32_s / r.best_s, 1e-9);
    }
}

Test(bench, row_of_training)
{
    bird_bench_options o = tiny(200, 3);
    bird_bench_row train, again, forward, attention;
    const bird_bench_training *t = &train.train;
    double head, sum = 0;

    cr_assert_eq(bird_bench_train(&train, &o), 0, "%s", bird_last_error());
    cr_assert_eq(bird_bench_forward(&forward, &o), 0);
    cr_assert_eq(bird_bench_attention(&attention, &o), 0);
    sound(&train, "train", 200);
    cr_assert(t->labelled > 60 && t->labelled < 120, "about 15 %% of 600");
    cr_assert_eq(t->vocabulary, 32000);
    head = 2e-9 * (double)t->labelled * (64 * 64 + 64 * 32000);
    cr_assert_float_eq(train.gflop, 3 * (forward.gflop + head), 1e-9);
    cr_assert_float_eq(t->executed, train.gflop + attention.gflop / 2, 1e-9);
    cr_assert_float_eq(t->executed_share / train.share,
                       t->executed / train.gflop, 1e-9);
    for (int i = 0; i < BIRD_N_PART; i++)
        sum += t->part[i];
    cr_assert_float_eq(sum, 1, 1e-9);
    cr_assert_gt(t->part[BIRD_PART_FORWARD], 0);
    cr_assert_gt(t->part[BIRD_PART_HEAD], 0);
    cr_assert_gt(t->part[BIRD_PART_BACKWARD], 0);
    cr_assert_gt(t->part[BIRD_PART_UPDATE], 0);
    cr_assert_float_eq(t->part[BIRD_PART_AGAIN], 0, 0);
    cr_assert(isnan(t->bp_per_s));
    o.recompute = 1;
    cr_assert_eq(bird_bench_train(&again, &o), 0);
    cr_assert_gt(again.train.part[BIRD_PART_AGAIN], 0);
    cr_assert_float_eq(again.gflop, train.gflop, 1e-9);
    cr_assert_gt(again.train.executed, t->executed);
    o.model = "anything";
    cr_assert_eq(bird_bench_train(&train, &o), BIRD_EINVAL);
}

/* The bound on the gradient is that of tests/kernel/test_low_train.c, of two
 * layers. */
Test(bench, row_of_training_in_bfloat16)
{
    bird_bench_options o = tiny(200, 3);
    double most = sqrt(2.0 / 3 * (2 * (4 * 2 + 1) + 1)) / 256;
    bird_bench_row r;
    char *json = NULL;

    o.precision = BIRD_INT8;
    cr_assert_eq(bird_bench_train(&r, &o), BIRD_EINVAL);
    o.precision = BIRD_BFLOAT16;
    if (bird_bench_train(&r, &o)) {
        cr_assert(strstr(bird_last_error(), "use float32"));
        return;
    }
    sound(&r, "train", 200);
    cr_assert_eq(r.low.precision, BIRD_BFLOAT16);
    cr_assert_gt(r.low.float32_s, 0);
    cr_assert_float_eq(r.low.speedup, r.low.float32_s / r.best_s, 1e-9);
    cr_assert_gt(r.low.error_rms, 0);
    cr_assert_lt(r.low.error_rms, most);
    cr_assert_float_eq(r.low.loss[0], r.low.loss[1], most * r.low.loss[0]);
    cr_assert_float_eq(r.low.norm[0], r.low.norm[1], most * r.low.norm[0]);
    cr_assert_gt(r.low.weights_mib, 0);
    cr_assert_eq(bird_bench_json(&json, &r), 0);
    cr_assert_not_null(strstr(json, "\"float32_gradient_norm\": "));
    free(json);
}

Test(bench, training_with_a_tokenizer_tells_bases)
{
    bird_bench_options o = tiny(100, 1);
    bird_bench_row r;
    char file[2048], *json = NULL;

    snprintf(file, sizeof(file), "%s/golden/t_bpe_tiny/tokenizer.json",
             getenv("BIRD_TEST_DATA"));
    o.tokenizer = file;
    cr_assert_eq(bird_bench_train(&r, &o), 0, "%s", bird_last_error());
    cr_assert_lt(r.train.vocabulary, 32000);
    cr_assert(r.train.bases_per_token > 1 && r.train.bases_per_token < 20);
    cr_assert_float_eq(r.train.bp_per_s, r.per_s * r.train.bases_per_token,
                       1e-9 * r.train.bp_per_s);
    cr_assert_eq(bird_bench_json(&json, &r), 0);
    cr_assert_not_null(strstr(json, "\"head_and_loss\": "));
    cr_assert_not_null(strstr(json, "\"bp_per_s\": "));
    free(json);
    o.tokenizer = "/nowhere/at/all";
    cr_assert_eq(bird_bench_train(&r, &o), BIRD_EIO);
}

Test(bench, the_processor_s_time_is_of_one_thread)
{
    bird_bench_options o = tiny(64, 1);
    bird_bench_row r;

    o.cpu_time = 1;
    bird_threads_set(2);
    cr_assert_eq(bird_bench_forward(&r, &o), BIRD_EINVAL);
    bird_threads_set(1);
    cr_assert_eq(bird_bench_forward(&r, &o), 0);
    cr_assert_gt(r.best_s, 0);
}

Test(bench, one_run_when_the_time_is_over)
{
    bird_bench_options o = tiny(64, 1);
    bird_bench_row r;

    o.seconds = 0;
    cr_assert_eq(bird_bench_forward(&r, &o), 0);
    cr_assert_eq(r.repeats, 1);
    cr_assert_float_eq(r.best_s, r.median_s, 0);
    cr_assert_gt(r.peak_mib, 0);
}

static char root[] = "/tmp/bird-bench-XXXXXX";

static void make_root(void)
{
    cr_assert_not_null(mkdtemp(root));
}

static void remove_root(void)
{
    char command[sizeof(root) + 16];

    snprintf(command, sizeof(command), "rm -rf %s", root);
    cr_assert_eq(system(command), 0);
}

Test(bench, model_folders, .init = make_root, .fini = remove_root)
{
    bird_model_init_options init;
    bird_bench_options o = tiny(300, 1);
    bird_bench_row r;
    char model[64], fasta[64], file[2048], *json = NULL;

    snprintf(model, sizeof(model), "%s/made", root);
    snprintf(fasta, sizeof(fasta), "%s/in.fa", root);
    snprintf(file, sizeof(file), "%s/golden/t_bpe_tiny/tokenizer.json",
             getenv("BIRD_TEST_DATA"));
    bird_model_init_options_default(&init);
    init.tokenizer = file;
    cr_assert_eq(bird_model_init(model, &init), 0, "%s", bird_last_error());
    o.model = model;
    cr_assert_eq(bird_bench_forward(&r, &o), 0, "%s", bird_last_error());
    sound(&r, "forward", 300);
    cr_assert_str_eq(r.model, "made");
    o.tokens = 513;
    cr_assert_eq(bird_bench_forward(&r, &o), BIRD_ERANGE);
    o.tokens = 5000;
    cr_assert_eq(bird_bench_tokenize(&r, &o), 0, "%s", bird_last_error());
    sound(&r, "tokenize", 5000);
    cr_assert(isnan(r.share));
    cr_assert_eq(bird_file_write(fasta, ">a\nACGTACGT\n>b\nNANNCN\n", 22), 0);
    o.fasta = fasta;
    cr_assert_eq(bird_bench_tokenize(&r, &o), 0);
    sound(&r, "tokenize", 10);
    cr_assert_eq(bird_bench_json(&json, &r), 0);
    cr_assert_not_null(strstr(json, "\"name\": \"tokenize\""), "%s", json);
    cr_assert_not_null(strstr(json, "\"share_of_sgemm\": null"), "%s", json);
    free(json);
    cr_assert_eq(bird_file_write(fasta, ">a\nNN\n", 6), 0);
    cr_assert_eq(bird_bench_tokenize(&r, &o), BIRD_EFORMAT);
}

Test(bench, wrong_options_are_refused)
{
    bird_bench_options o = tiny(0, 1);
    bird_bench_row r;

    cr_assert_eq(bird_bench_forward(&r, &o), BIRD_EINVAL);
    o.tokens = 1 << 20;
    o.sequences = 1 << 20;
    cr_assert_eq(bird_bench_forward(&r, &o), BIRD_EINVAL);
    o = tiny(16, 1);
    o.repeats = 0;
    cr_assert_eq(bird_bench_forward(&r, &o), BIRD_EINVAL);
    o.repeats = 1;
    o.seconds = (double)NAN;
    cr_assert_eq(bird_bench_forward(&r, &o), BIRD_EINVAL);
    o.seconds = 1;
    o.preset = "huge";
    cr_assert_eq(bird_bench_forward(&r, &o), BIRD_EINVAL);
    cr_assert_eq(bird_bench_train(&r, &o), BIRD_EINVAL);
    o.model = "/nowhere/at/all";
    cr_assert_eq(bird_bench_linear(&r, &o), BIRD_EIO);
    cr_assert_eq(bird_bench_tokenize(&r, &o), BIRD_EIO);
}
