/*
 * dnabird bench stem: the stem alone, tokens to rows, in each precision that
 * the processor has, and one training pass of it, forward and backward.
 *
 * Counted are the products, two operations for each multiplication, and the
 * additions of a first layer that reads its table; a backward pass has two
 * products for each one of the forward pass, and the table's additions again.
 * Normalisation, activation and pools are not counted. docs/benchmarks.md
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "cli.h"
#include "cli_options.h"
#include "folder/config_file.h"
#include "head/head.h"
#include "kernel/gemm_low.h"
#include "model/stem_layer.h"

static const char about[] =
    "Runs the convolutions between tokens and encoder by themselves: forward "
    "in\n"
    "float32, bfloat16 and int8, and training passes in float32 and bfloat16,\n"
    "each in alternation with the best matrix multiply.";

static const char notes[] =
    "Additions of a first layer that reads a table count as one operation "
    "each.\n"
    "Details: docs/benchmarks.md.";

/* Tokens of the random model: five special ones and the bases. */
enum { VOCABULARY = 9, BASES = 4 };

struct stem {
    struct bench_weights of; /* of a folder, or random ones */
    float *grad, *y, *dy;
    struct bird_weights w, g; /* prepared; gradients */
    struct bird_encoder *e;
    struct bench_batch batch;
    int64_t *row; /* (n_seq + 1) */
    struct bird_stem_tape tape;
};

/* ---- the model and its batch ---------------------------------------------- */

/* A stem and nothing else: an encoder without layers. */
static int make_config(struct bird_config *c, const char *text)
{
    int rc = bird_config_preset(c, "tiny");

    if (rc || (rc = bird_stem_parse(c, text)))
        return rc;
    if (!c->n_stem)
        return bird_fail(BIRD_EINVAL, "bench: no stem to measure");
    c->n_layer = 0;
    c->vocab_size = VOCABULARY;
    c->hidden_size = c->stem[c->n_stem - 1].channels;
    c->intermediate_size = 4 * c->hidden_size;
    c->n_head = 1;
    c->head = bird_head_at(0); /* the bare encoder */
    return bird_config_check(c, "--stem");
}

static int open_weights(struct stem *m, const char *stem,
                        const struct bench_options *o)
{
    int rc;

    if (!o->model) {
        rc = make_config(&m->of.c, stem);
        return rc ? rc : bench_weights_random(&m->of);
    }
    rc = bench_weights_open(&m->of, o->model, o);
    if (!rc && !m->of.c.n_stem)
        rc = bird_fail(BIRD_EINVAL, "%s: the model has no stem", o->model);
    return rc;
}

/* Numbers of the weights, which lie anywhere in their block. */
static int64_t count_weights(const struct bench_weights *w)
{
    int64_t total = 0;

    for (int64_t i = 0; i < w->n_param; i++)
        total = bird_larger(total, w->list[i].offset + w->list[i].count);
    return total;
}

static int bind(struct stem *m, struct bird_weights *w, const float *block)
{
    return bird_weights_bind(w, (float *)(uintptr_t)block, m->of.list,
                             m->of.n_param, &m->of.c);
}

/* Bases alone: no special token takes a row. */
static int make_batch(struct stem *m, const struct bench_options *o)
{
    int64_t pool = bird_stem_pool(&m->of.c), v = m->of.c.vocab_size;
    int64_t few = v < BASES ? v : BASES;
    int rc = bench_batch_new(&m->batch, &m->of.c, o);

    if (!rc)
        rc = bird_array_new(&m->row, o->sequences + 1, sizeof(*m->row));
    if (rc)
        return rc;
    for (int64_t i = 0; i < o->tokens * o->sequences; i++)
        if (v == VOCABULARY || i % o->tokens == 0 || (i + 1) % o->tokens == 0 ||
            m->batch.ids[i] == m->of.c.pad_id)
            m->batch.ids[i] = (int32_t)(v - 1 - m->batch.ids[i] % (int32_t)few);
    for (int64_t i = 0; i <= o->sequences; i++)
        m->row[i] = i * ((o->tokens + pool - 1) / pool);
    m->batch.b.token = m->batch.offset;
    m->batch.b.offset = m->row;
    return 0;
}

static int stem_open(struct stem *m, const char *stem,
                     const struct bench_options *o, int train)
{
    int64_t n, d;
    int rc = bench_check(o);

    if (rc || (rc = open_weights(m, stem, o)) || (rc = make_batch(m, o)))
        return rc;
    n = m->row[o->sequences];
    d = m->of.c.hidden_size;
    if ((rc = bird_array_new(&m->y, n * d, sizeof(*m->y))) || !train)
        return rc;
    if ((rc = bird_array_new(&m->dy, n * d, sizeof(*m->dy))) ||
        (rc = bird_array_new(&m->grad, count_weights(&m->of), sizeof(float))) ||
        (rc = bind(m, &m->g, m->grad)))
        return rc;
    for (int64_t i = 0; i < n * d; i++)
        m->dy[i] = (float)(bird_mix(4, (uint64_t)i) % 1001) * 1e-3f - 0.5f;
    if (o->precision == BIRD_FLOAT32)
        return bird_encoder_new(&m->e, &m->of.c, &m->of.w);
    if ((rc = bind(m, &m->w, m->of.block)) ||
        (rc = bird_weights_round(&m->w, &m->of.c)))
        return rc;
    return bird_encoder_new(&m->e, &m->of.c, &m->w);
}

static void stem_close(struct stem *m)
{
    bird_encoder_free(m->e);
    bird_stem_tape_free(&m->tape);
    bird_weights_free(&m->w);
    bird_weights_free(&m->g);
    bench_weights_free(&m->of);
    bench_batch_free(&m->batch);
    free(m->row);
    free(m->grad);
    free(m->y);
    free(m->dy);
}

/* ---- what is run ---------------------------------------------------------- */

static int run_forward(void *context)
{
    struct stem *m = context;
    int rc = bird_encoder_prepare(m->e, &m->batch.b, 0);

    if (rc)
        return rc;
    bird_stem_forward(m->e, m->y, &m->batch.b);
    return bird_encoder_status(m->e);
}

/* Forward with the activations that backward needs, and all gradients. */
static int run_train(void *context)
{
    struct stem *m = context;
    int rc = bird_encoder_prepare(m->e, &m->batch.b, 1);

    if (!rc)
        rc = bird_stem_train_forward(m->e, &m->tape, m->y, &m->batch.b);
    if (!rc)
        bird_stem_backward(m->e, &m->tape, &m->g, m->dy, &m->batch.b);
    return rc ? rc : bird_encoder_status(m->e);
}

/* ---- rows ------------------------------------------------------------------ */

/* Prepared in precision p, and an encoder over it. */
static int prepare(struct stem *m, enum bird_precision p)
{
    int rc;

    bird_encoder_free(m->e);
    m->e = NULL;
    bird_weights_free(&m->w);
    m->w = (struct bird_weights){0};
    rc = bind(m, &m->w, m->of.block);
    if (!rc)
        rc = bird_weights_prepare(&m->w, &m->of.c, p, 0);
    return rc ? rc : bird_encoder_new(&m->e, &m->of.c, &m->w);
}

static int measure(json_t **row, struct stem *m, const struct bench_options *o,
                   int train)
{
    struct bench_body body = {.context = m,
                              .run = train ? run_train : run_forward};
    enum bird_precision p = (enum bird_precision)o->precision;
    struct bench_times t;
    int rc = train ? 0 : prepare(m, p);

    if (!rc)
        rc = bench_measure(&t, &body, &m->of.c, o);
    if (rc)
        return rc;
    *row =
        bench_row(train ? "training pass" : "forward", &m->of.c, o, &t,
                  bench_count_stem(&m->of.c, o->tokens * o->sequences, train));
    json_object_set_new(*row, "precision", json_string(bird_precision_name(p)));
    if (!o->model)
        json_object_set_new(*row, "model", json_string("random"));
    json_object_del(*row, "linear_share");
    json_object_del(*row, "attention_share");
    json_object_del(*row, "rest_share");
    bench_put(*row, "k_tokens_per_s", 1e-3 * bench_number(*row, "per_s"));
    return 0;
}

/* How far from the first row's results. */
static int compare(json_t *row, const struct stem *m, float **right)
{
    int64_t n = m->row[m->batch.b.n_seq] * m->of.c.hidden_size;
    double error[2];
    int rc;

    if (!*right) {
        if ((rc = bird_array_new(right, n, sizeof(**right))))
            return rc;
        memcpy(*right, m->y, (size_t)n * sizeof(**right));
        return 0;
    }
    bench_error(error, m->y, *right, n);
    bench_put(row, "error_rms", error[0]);
    return 0;
}

static const struct bench_column columns[] = {
    {"stem", "name", -13, 0, 0},
    {"precision", "precision", -9, 0, 0},
    {"tokens", "tokens", 7, 0, 0},
    {"seqs", "sequences", 5, 0, 0},
    {"thr", "threads", 3, 0, 0},
    {"best s", "best_s", 8, 5, 0},
    {"median s", "median_s", 8, 5, 0},
    {"k tokens/s", "k_tokens_per_s", 10, 0, 0},
    {"GFLOP", "gflop", 7, 3, 0},
    BENCH_RATE_COLUMNS,
    {"peak MiB", "peak_mib", 8, 0, 0},
    {"x float32", "times_float32", 9, 2, 0},
    {"off by", "error_rms", 8, 5, 0},
};

/* All rows; a precision that the processor has no product for is left out, and
 * said to be. */
static int run_rows(json_t *all, const char *stem, struct bench_options o)
{
    static const struct {
        enum bird_precision p;
        int train;
    } of[] = {{BIRD_FLOAT32, 0},
              {BIRD_BFLOAT16, 0},
              {BIRD_INT8, 0},
              {BIRD_FLOAT32, 1},
              {BIRD_BFLOAT16, 1}};
    const json_t *plain = NULL; /* the same in float32 */
    float *right = NULL;
    int rc = 0;

    for (size_t i = 0; !rc && i < sizeof(of) / sizeof(*of); i++) {
        int train = of[i].train;
        struct stem m = {0};
        json_t *row = NULL;

        o.precision = of[i].p;
        if (bird_low_check(NULL, (enum bird_precision)o.precision)) {
            cli_say("%s: not measured: %s",
                    bird_precision_name((enum bird_precision)o.precision),
                    bird_last_error());
            continue;
        }
        rc = stem_open(&m, stem, &o, train);
        if (!rc)
            rc = measure(&row, &m, &o, train);
        if (!rc && of[i].p == BIRD_FLOAT32)
            plain = row;
        else if (!rc)
            bench_put(row, "times_float32",
                      bench_number(plain, "best_s") /
                          bench_number(row, "best_s"));
        if (!rc && !train)
            rc = compare(row, &m, &right);
        if (row && !o.json)
            bench_print(columns, (int)(sizeof(columns) / sizeof(*columns)), row,
                        !i);
        json_array_append_new(all, row);
        stem_close(&m);
    }
    free(right);
    return rc;
}

int cmd_bench_stem(int argc, char **argv)
{
    struct opt_usage usage = {"bench stem", "[options]", about, notes, 0, 0,
                              NULL};
    const char *stem = BENCH_STEM;
    struct bench_options o;
    json_t *all;
    int status;

    bench_options_default(&o);
    o.tokens = 8192;
    o.seconds = 10;
    {
        const struct opt opts[] = {
            {'m', "model", OPT_MODEL, &o.model, "DIR",
             "model folder, whose stem is measured, instead of --stem"},
            {0, "stem", OPT_TEXT, &stem, "LAYERS",
             "layers of a stem with random weights over single bases, as in "
             "'dnabird init'"},
            {0, "length", OPT_COUNT, &o.tokens, "INT", "tokens of a sequence"},
            {0, "sequences", OPT_COUNT, &o.sequences, "INT",
             "sequences of a pack"},
            BENCH_THREADS(&o.threads),
            BENCH_RUN_OPTIONS(&o),
            BENCH_SETTINGS(&o),
        };

        status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    }
    if (status != OPT_GO)
        return status;
    if (cli_threads(o.threads))
        return CLI_USAGE;
    all = json_array();
    status = run_rows(all, stem, o) ? cli_fail() : CLI_OK;
    if (status == CLI_OK && o.json)
        return bench_print_json(all) ? cli_fail() : CLI_OK;
    json_decref(all);
    return status;
}
