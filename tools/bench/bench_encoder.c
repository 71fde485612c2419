/*
 * Rows of the encoder and its parts, and of the tokenizer. The encoder runs on
 * a batch of random tokens; its linear layers alone and its attention alone run
 * on the numbers that the last pass left, cut into the same tasks, so that
 * their times are shares of the whole. In lower precision the same is done in
 * float32 beside it, and attention with another map with softmax.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"
#include "folder/config_file.h"
#include "model/layer.h"
#include "model/linear.h"

/* Bases that tell how long a token is. */
enum { SAMPLE = 10000000 };

/* ---- batch and work ------------------------------------------------------ */

int bench_preset(struct bird_config *c, const struct bench_options *o)
{
    int rc = bird_config_preset(c, bench_presets[o->preset]);

    if (rc)
        return rc;
    if (o->tokens > c->max_positions)
        c->max_positions = (o->tokens + c->pattern.block - 1) /
                           c->pattern.block * c->pattern.block;
    return 0;
}

int bench_batch_new(struct bench_batch *out, const struct bird_config *c,
                    const struct bench_options *o)
{
    int64_t n = o->tokens * o->sequences;
    int rc = bird_array_new(&out->ids, n, sizeof(*out->ids));

    if (!rc)
        rc = bird_array_new(&out->offset, o->sequences + 1,
                            sizeof(*out->offset));
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        out->ids[i] =
            (int32_t)(bird_mix(1, (uint64_t)i) % (uint64_t)c->vocab_size);
    for (int64_t i = 0; i <= o->sequences; i++)
        out->offset[i] = i * o->tokens;
    out->b = (struct bird_batch){
        .n_seq = o->sequences, .offset = out->offset, .ids = out->ids};
    return 0;
}

void bench_batch_free(struct bench_batch *b)
{
    free(b->ids);
    free(b->offset);
    *b = (struct bench_batch){0};
}

/* Pairs of query and key of a layer, all heads; p NULL: full attention. */
static double pairs_of(const struct bird_plan *p, int64_t heads, int64_t len)
{
    double pairs = 0;

    if (!p)
        return (double)len * (double)len * (double)heads;
    for (int64_t h = 0; h < p->n_head; h++)
        for (int64_t i = 0; i < p->n_block; i++) {
            int64_t n, keys = 0, rows = len - i * p->block;
            const struct bird_run *run = bird_plan_row(p, h, i, &n);

            rows = rows < p->block ? rows : p->block;
            for (int64_t k = 0; k < n; k++) {
                int64_t end = (run[k].first + (int64_t)run[k].count) * p->block;

                keys += (end < len ? end : len) - run[k].first * p->block;
            }
            pairs += (double)rows * (double)keys;
        }
    return pairs * (double)heads / (double)p->n_head;
}

int bench_count(double *linear, double *attention, const struct bird_config *c,
                int64_t tokens, int64_t sequences)
{
    struct bird_pattern pattern = bird_pattern_of(c);
    double d = (double)c->hidden_size, f = (double)c->intermediate_size;
    double n = (double)(tokens * sequences), pairs = 0;

    for (int64_t l = 0; l < c->n_layer; l++) {
        struct bird_plan *plan = NULL;
        int rc = bird_pattern_is_full(&pattern, tokens)
                     ? 0
                     : bird_plan_new(&plan, &pattern, tokens, l);

        if (rc)
            return rc;
        pairs += pairs_of(plan, c->n_head, tokens);
        bird_plan_free(plan);
    }
    *linear = 1e-9 * (double)c->n_layer * 2 * n * (4 * d * d + 2 * d * f);
    /* a product with the key and one with the value, D / H long */
    *attention = 1e-9 * 4 * d / (double)c->n_head * pairs * (double)sequences;
    return 0;
}

double bench_count_stem(const struct bird_config *c, int64_t tokens, int train)
{
    double n = (double)tokens, sum = 0;

    for (int64_t l = 0; l < c->n_stem; l++) {
        double taps = (double)c->stem[l].kernel * (double)c->stem[l].channels;

        if (!l && bird_stem_table_size(c))
            sum += n * taps * (train ? 2 : 1);
        else
            sum += n * taps * 2 * (double)bird_stem_channels_in(c, l) *
                   (train ? 3 : 1);
        n /= (double)c->stem[l].pool;
    }
    return 1e-9 * sum;
}

/* ---- the model ----------------------------------------------------------- */

/* Nobody writes to the weights, which may be the file itself. */
static int bind(struct bird_weights *w, const struct bench_weights *m)
{
    return bird_weights_bind(w, (float *)(uintptr_t)m->block, m->list,
                             m->n_param, &m->c);
}

int bench_weights_random(struct bench_weights *m)
{
    int64_t total = 0;
    int rc = bird_params_list(&m->list, &m->n_param, &total, &m->c);

    if (!rc)
        rc = bird_array_new(&m->own, total, sizeof(float));
    if (rc)
        return rc;
    m->block = m->own;
    bird_params_init(m->own, m->list, m->n_param, &m->c, 1, NULL);
    return bind(&m->w, m);
}

int bench_weights_open(struct bench_weights *m, const char *path,
                       const struct bench_options *o)
{
    int rc = path ? bird_folder_open(&m->folder, path) : bench_preset(&m->c, o);

    if (rc)
        return rc;
    if (!path)
        return bench_weights_random(m);
    m->c = m->folder.config;
    rc = bird_folder_weights_shared(&m->block, &m->own, &m->list, &m->n_param,
                                    &m->folder);
    return rc ? rc : bind(&m->w, m);
}

void bench_weights_free(struct bench_weights *m)
{
    bird_weights_free(&m->w);
    bird_folder_free(&m->folder);
    free(m->own);
    free(m->list);
}

/* An encoder with its batch, and one to compare with: in float32 if it runs in lower
 * precision; with softmax if attention alone runs with another map. */
struct model {
    struct bench_weights of;
    struct bird_weights low;
    const struct bird_weights *w; /* of.w or low: e's */
    struct bird_encoder *e, *plain;
    struct bench_batch batch;
    double linear, attention;  /* operations of a pass, 1e9 */
    struct bird_activations s; /* qkv and ctx of the last pass */
    float *x;                  /* (N, D) the last hidden states */
    int64_t n, layer;          /* N; the linear layers of this one are run */
};

static int lower(struct model *m, enum bird_precision p)
{
    int rc = bind(&m->low, &m->of);

    if (!rc)
        rc = bird_weights_prepare(&m->low, &m->of.c, p, 0);
    m->w = &m->low;
    return rc ? rc : bird_encoder_new(&m->plain, &m->of.c, &m->of.w);
}

/* An encoder with softmax beside that of another map. */
static int with_softmax(struct model *m)
{
    struct bird_config c = m->of.c;

    c.map = (struct bird_attention_map){0};
    return bird_encoder_new(&m->plain, &c, &m->of.w);
}

static int model_open(struct model *m, const struct bench_options *o)
{
    struct bird_config *c = &m->of.c;
    int rc = bench_check(o);

    m->n = o->tokens * o->sequences;
    m->w = &m->of.w;
    if (rc || (rc = bench_weights_open(&m->of, o->model, o)))
        return rc;
    if (o->tokens > c->max_positions)
        return bird_fail(BIRD_ERANGE, "%s: the model reads %lld tokens",
                         o->model, (long long)c->max_positions);
    if (o->map && (rc = bird_prob_map_parse(&c->map, o->map)))
        return rc;
    if ((rc = bird_weights_prepare(&m->of.w, c, BIRD_FLOAT32, !m->of.own)) ||
        (rc = bench_count(&m->linear, &m->attention, c, o->tokens,
                          o->sequences)) ||
        (rc = bench_batch_new(&m->batch, c, o)))
        return rc;
    if (o->precision && (rc = lower(m, (enum bird_precision)o->precision)))
        return rc;
    rc = bird_encoder_new(&m->e, c, m->w);
    return rc ? rc
              : bird_array_new(&m->x, m->n * c->hidden_size, sizeof(float));
}

static void model_close(struct model *m)
{
    bird_encoder_free(m->e);
    bird_encoder_free(m->plain);
    bench_batch_free(&m->batch);
    bird_weights_free(&m->low);
    bench_weights_free(&m->of);
    free(m->x);
}

/* ---- what is run --------------------------------------------------------- */

/* One forward pass. The encoder's rows then hold a true Q, K, V and context. */
static int run_forward(void *context)
{
    struct model *m = context;
    int rc = bird_encoder_forward(m->e, m->x, NULL, &m->batch.b);

    m->s.qkv = m->e->rows;
    m->s.ctx = m->e->rows + m->n * 3 * m->of.c.hidden_size;
    return rc;
}

/* The three products after attention, for one panel, as the layer does. */
static void products_task(void *context, int64_t task, int worker)
{
    struct model *m = context;
    const struct bird_layer *w = &m->w->layer[m->layer];
    int64_t n = m->n, d = m->of.c.hidden_size;
    int64_t f = m->of.c.intermediate_size, panel = m->e->panel;
    int64_t r = task * panel, rows = r + panel < n ? panel : n - r;
    float *t = bird_encoder_scratch(m->e, worker);
    float *h = t + panel * d;

    bird_layer_product(m->e, t, m->s.ctx + r * d, &w->out,
                       (struct bird_linear_shape){rows, d, d, 0}, worker);
    bird_layer_product(m->e, h, t, &w->up,
                       (struct bird_linear_shape){rows, f, d, 0}, worker);
    bird_layer_product(m->e, t, h, &w->down,
                       (struct bird_linear_shape){rows, d, f, 0}, worker);
}

static int run_linear(void *context)
{
    struct model *m = context;
    int64_t n = m->n;

    for (m->layer = 0; m->layer < m->of.c.n_layer; m->layer++) {
        bird_layer_qkv(m->e, m->layer, m->s.qkv, m->x, n, NULL);
        bird_parallel((n + m->e->panel - 1) / m->e->panel, products_task, m);
    }
    return 0;
}

static int run_attention(void *context)
{
    struct model *m = context;

    for (int64_t l = 0; l < m->of.c.n_layer; l++)
        bird_layer_attend(m->e, l, &m->s, &m->batch.b);
    return 0;
}

static int in_float32(struct model *m, int (*run)(void *))
{
    struct model plain = *m;

    plain.w = &m->of.w;
    plain.e = m->plain;
    return run(&plain);
}

static int run_plain_forward(void *context)
{
    return in_float32(context, run_forward);
}

static int run_plain_linear(void *context)
{
    return in_float32(context, run_linear);
}

static int run_softmax(void *context)
{
    return in_float32(context, run_attention);
}

/* ---- rows ---------------------------------------------------------------- */

void bench_error(double error[2], const float *x, const float *right, int64_t n)
{
    double square = 0, wrong = 0;

    error[1] = 0;
    for (int64_t i = 0; i < n; i++) {
        double e = fabs((double)x[i] - (double)right[i]);

        square += (double)right[i] * (double)right[i];
        wrong += e * e;
        error[1] = fmax(error[1], e);
    }
    error[0] = sqrt(wrong / square);
}

/* How far the last hidden states, in m->x, are from float32's. */
static int compare_states(double error[2], const struct model *m)
{
    int64_t n = m->n * m->of.c.hidden_size;
    struct model plain = *m;
    int rc = bird_array_new(&plain.x, n, sizeof(float));

    if (rc)
        return rc;
    rc = run_plain_forward(&plain);
    bench_error(error, m->x, plain.x, n);
    free(plain.x);
    return rc;
}

void bench_put_low(json_t *row, const struct bird_weights *w,
                   const struct bench_options *o, const struct bench_times *t,
                   const double error[2])
{
    enum bird_precision p = (enum bird_precision)o->precision;
    double plain_s = t->part_s[BENCH_PLAIN];

    json_object_set_new(row, "precision", json_string(bird_precision_name(p)));
    json_object_set_new(row, "product", json_string(bird_weights_low_name(w)));
    bench_put(row, "float32_s", plain_s);
    bench_put(row, "times_as_fast", plain_s / t->best_s);
    bench_put(row, "error_rms", error[0]);
    bench_put(row, "error_max", error[1]);
    bench_put(row, "low_weights_mib",
              (double)bird_weights_low_bytes(w) / (1 << 20));
}

static void put_map(json_t *row, const struct bird_attention_map *map,
                    const struct bench_times *t)
{
    struct bird_text name = {0};

    if (!bird_prob_map_text(&name, map))
        json_object_set_new(row, "attention_map", json_string(name.s));
    bird_text_free(&name);
    bench_put(row, "softmax_s", t->part_s[BENCH_PLAIN]);
    bench_put(row, "times_softmax", t->best_s / t->part_s[BENCH_PLAIN]);
}

/* A row of the encoder, or of its linear layers or attention alone. */
static int encoder_row(json_t **row, const struct bench_options *o,
                       const char *name, int linear, int attention)
{
    struct model m = {0};
    struct bench_body body = {&m, run_forward, {run_linear, run_attention}};
    struct bench_times t;
    double error[2] = {0}, gflop;
    int rc = model_open(&m, o);
    int beside = !rc && !linear && !bird_prob_map_is_softmax(&m.of.c.map);

    if (!linear || !attention)
        body = (struct bench_body){
            &m, linear ? run_linear : run_attention, {NULL}};
    if (o->precision)
        body.part[BENCH_PLAIN] =
            attention ? run_plain_forward : run_plain_linear;
    if (beside) {
        body.part[BENCH_PLAIN] = run_softmax;
        rc = with_softmax(&m);
        if (!rc) /* its plans and workspace */
            rc = run_plain_forward(&m);
    }
    if (!rc)
        rc = run_forward(&m); /* the parts read its activations */
    if (!rc && o->precision)
        rc = compare_states(error, &m);
    if (!rc)
        rc = bench_measure(&t, &body, &m.of.c, o);
    if (!rc) {
        gflop = (linear ? m.linear : 0) + (attention ? m.attention : 0);
        *row = bench_row(name, &m.of.c, o, &t, gflop);
        if (o->precision)
            bench_put_low(*row, m.w, o, &t, error);
        if (beside)
            put_map(*row, &m.of.c.map, &t);
    }
    model_close(&m);
    return rc;
}

int bench_forward(json_t **row, const struct bench_options *o)
{
    return encoder_row(row, o, "forward", 1, 1);
}

int bench_linear(json_t **row, const struct bench_options *o)
{
    return encoder_row(row, o, "linear", 1, 0);
}

int bench_attention(json_t **row, const struct bench_options *o)
{
    return encoder_row(row, o, "attention", 0, 1);
}

/* ---- the tokenizer ------------------------------------------------------- */

/* The known bases of a piece: a run of N would cost nothing. */
static int add_known(struct bird_text *s, const char *seq, int64_t n,
                     int64_t most)
{
    int rc = 0;

    for (int64_t i = 0, k; !rc && i < n && s->n < most; i = k + 1) {
        int64_t len;

        for (k = i; k < n && strchr("ACGT", seq[k]); k++)
            ;
        len = k - i < most - s->n ? k - i : most - s->n;
        rc = bird_text_put(s, seq + i, len);
    }
    return rc;
}

/* At most n bases from the start of a file; path NULL: drawn at random. */
static int add_bases(struct bird_text *s, const char *path, int64_t n)
{
    bird_fastx *x = NULL;
    bird_piece piece;
    int rc = 0;

    for (int64_t i = 0; !path && !rc && i < n; i++)
        rc = bird_text_put(s, &"ACGT"[bird_mix(2, (uint64_t)i) % 4], 1);
    if (!path)
        return rc;
    rc = bird_fastx_open(&x, path, 0);
    while (!rc && s->n < n && (rc = bird_fastx_next(x, &piece)) > 0)
        rc = add_known(s, piece.seq, piece.n, n);
    bird_fastx_free(x);
    if (!rc && !s->n)
        rc = bird_fail(BIRD_EFORMAT, "%s: no bases in it", path);
    return rc;
}

struct bases {
    bird_tokenizer *t;
    bird_encoding e;
    struct bird_text s;
};

static int run_tokenize(void *context)
{
    struct bases *b = context;

    return bird_tokenizer_encode(b->t, &b->e, b->s.s, b->s.n, 0);
}

static int bases_open(struct bases *b, const char *tokenizer, const char *fasta,
                      int64_t n)
{
    int rc = bird_tokenizer_open(&b->t, tokenizer);

    return rc ? rc : add_bases(&b->s, fasta, n);
}

static void bases_close(struct bases *b)
{
    bird_encoding_free(&b->e);
    bird_text_free(&b->s);
    bird_tokenizer_free(b->t);
}

int bench_tokens(double *bases_per_token, int64_t *vocabulary,
                 const char *tokenizer, const char *fasta)
{
    struct bases b = {0};
    int rc = bases_open(&b, tokenizer, fasta, SAMPLE);

    if (!rc)
        rc = run_tokenize(&b);
    if (!rc) {
        *bases_per_token = (double)b.s.n / (double)b.e.n;
        *vocabulary = bird_tokenizer_count(b.t);
    }
    bases_close(&b);
    return rc;
}

int bench_tokenize(json_t **row, const struct bench_options *o)
{
    struct bird_folder folder = {0};
    struct bases b = {0};
    struct bench_body body = {.context = &b, .run = run_tokenize};
    struct bench_options given = *o;
    struct bench_times t;
    char *found = NULL;
    int rc = bench_check(o);

    if (!rc && !o->model)
        rc = bird_default_model(&found, NULL);
    if (!rc)
        rc = bird_folder_open_config(&folder, o->model ? o->model : found);
    if (!rc && !folder.tokenizer)
        rc = bird_fail(BIRD_EINVAL, "%s: no tokenizer.json in the model",
                       folder.path);
    if (!rc)
        rc = bases_open(&b, folder.tokenizer, o->fasta, o->tokens);
    if (!rc)
        rc = bench_measure(&t, &body, NULL, o);
    if (!rc) {
        given.tokens = b.s.n;
        given.sequences = 1;
        given.model = folder.path;
        *row = bench_row("tokenize", &folder.config, &given, &t, 0);
        json_object_set_new(*row, "threads", json_integer(1));
    }
    free(found);
    bases_close(&b);
    bird_folder_free(&folder);
    return rc;
}
