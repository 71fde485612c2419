/* Rows of the benchmark that read: the encoder, its parts, the tokenizer.
 * SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/text.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#include "model/layer.h"
#include "model/linear.h"
#include "session/model.h"

void bird_bench_options_default(bird_bench_options *o)
{
    *o = (bird_bench_options){.preset = "base",
                              .tokens = 4096,
                              .sequences = 1,
                              .repeats = 5,
                              .seconds = 30};
}

int bird_bench_preset(struct bird_config *c, const bird_bench_options *o)
{
    int rc = bird_config_preset(c, o->preset ? o->preset : "");

    if (rc)
        return rc;
    if (o->tokens > c->max_positions)
        c->max_positions =
            (o->tokens + c->block_size - 1) / c->block_size * c->block_size;
    return 0;
}

int bird_bench_batch_new(struct bird_bench_batch *out,
                         const struct bird_config *c,
                         const bird_bench_options *o)
{
    struct bird_bench_batch b = {0};
    int64_t n = o->tokens * o->sequences;
    int rc = bird_array_new(&b.ids, n, sizeof(*b.ids));

    if (!rc)
        rc = bird_array_new(&b.offset, o->sequences + 1, sizeof(*b.offset));
    if (rc) {
        bird_bench_batch_free(&b);
        return rc;
    }
    for (int64_t i = 0; i < n; i++)
        b.ids[i] =
            (int32_t)(bird_mix(1, (uint64_t)i) % (uint64_t)c->vocab_size);
    for (int64_t i = 0; i <= o->sequences; i++)
        b.offset[i] = i * o->tokens;
    b.b = (struct bird_batch){
        .n_seq = o->sequences, .offset = b.offset, .ids = b.ids};
    *out = b;
    return 0;
}

void bird_bench_batch_free(struct bird_bench_batch *b)
{
    free(b->ids);
    free(b->offset);
    *b = (struct bird_bench_batch){0};
}

/* Pairs of query and key in one layer, all heads of a sequence. */
static double plan_pairs(const struct bird_plan *p, int64_t heads, int64_t len)
{
    double pairs = 0;

    for (int64_t h = 0; h < p->n_head; h++)
        for (int64_t i = 0; i < p->n_block; i++) {
            int64_t n, keys = 0, rows = len - i * p->block;
            const struct bird_run *run = bird_plan_row(p, h, i, &n);

            rows = rows < p->block ? rows : p->block;
            for (int64_t k = 0; k < n; k++) {
                int64_t end = (run[k].first + (int64_t)run[k].count) * p->block;

                end = end < len ? end : len;
                keys += end - run[k].first * p->block;
            }
            pairs += (double)rows * (double)keys;
        }
    return pairs * (double)heads / (double)p->n_head;
}

int bird_bench_count(struct bird_bench_work *out, const struct bird_config *c,
                     const bird_bench_options *o)
{
    struct bird_pattern pattern = bird_pattern_of(c);
    double d = (double)c->hidden_size, f = (double)c->intermediate_size;
    double len = (double)o->tokens, n = len * (double)o->sequences, pairs = 0;

    for (int64_t l = 0; l < c->n_layer; l++) {
        struct bird_plan *plan = NULL;
        int rc;

        if (bird_pattern_is_full(&pattern, o->tokens)) {
            pairs += len * len * (double)c->n_head;
            continue;
        }
        rc = bird_plan_new(&plan, &pattern, o->tokens, l);
        if (rc)
            return rc;
        pairs += plan_pairs(plan, c->n_head, o->tokens);
        bird_plan_free(plan);
    }
    out->linear = 1e-9 * (double)c->n_layer * 2 * n * (4 * d * d + 2 * d * f);
    /* a product with the key and one with the value, D / H long */
    out->attention =
        1e-9 * 4 * d / (double)c->n_head * pairs * (double)o->sequences;
    return 0;
}

/* The three products after attention, for one panel, as the layer does. */
static void products_task(void *context, int64_t task, int worker)
{
    struct bird_bench_model *m = context;
    const struct bird_layer *w = &m->w->layer[m->layer];
    int64_t n = m->batch.b.offset[m->batch.b.n_seq], d = m->c.hidden_size;
    int64_t f = m->c.intermediate_size, panel = m->e->panel;
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
    struct bird_bench_model *m = context;
    int64_t n = m->batch.b.offset[m->batch.b.n_seq];

    for (m->layer = 0; m->layer < m->c.n_layer; m->layer++) {
        bird_layer_qkv(m->e, m->layer, m->s.qkv, m->x, n);
        bird_parallel((n + m->e->panel - 1) / m->e->panel, products_task, m);
    }
    return 0;
}

static int run_attention(void *context)
{
    struct bird_bench_model *m = context;

    for (int64_t l = 0; l < m->c.n_layer; l++)
        bird_layer_attend(m->e, l, &m->s, &m->batch.b);
    return 0;
}

/* After one forward pass the encoder's rows hold a true Q, K, V and context:
 * the parts then work on numbers of the right size. */
static int ready_parts(struct bird_bench_model *m)
{
    int64_t n = m->batch.b.offset[m->batch.b.n_seq];
    int rc = bird_bench_run(m);

    m->s.qkv = m->e->rows;
    m->s.ctx = m->e->rows + n * 3 * m->c.hidden_size;
    return rc;
}

static void swap(struct bird_bench_model *m)
{
    const struct bird_weights *w = m->w;
    struct bird_encoder *e = m->e;

    m->w = m->plain_w, m->plain_w = w;
    m->e = m->plain, m->plain = e;
}

static int in_float32(struct bird_bench_model *m, int (*run)(void *))
{
    int rc;

    swap(m);
    rc = run(m);
    swap(m);
    return rc;
}

static int run_plain_forward(void *context)
{
    return in_float32(context, bird_bench_run);
}

static int run_plain_linear(void *context)
{
    return in_float32(context, run_linear);
}

/* How far the last hidden states are from float32's; m->x holds the former
 * and keeps them. */
static int compare_states(bird_bench_low *out, struct bird_bench_model *m)
{
    int64_t n = m->batch.b.offset[m->batch.b.n_seq] * m->c.hidden_size;
    double square = 0, wrong = 0, most = 0;
    float *low = m->x, *x;
    int rc = bird_array_new(&x, n, sizeof(*x));

    if (rc)
        return rc;
    m->x = x;
    rc = run_plain_forward(m);
    m->x = low;
    for (int64_t i = 0; !rc && i < n; i++) {
        double e = fabs((double)low[i] - (double)x[i]);

        square += (double)x[i] * (double)x[i];
        wrong += e * e;
        most = e > most ? e : most;
    }
    free(x);
    out->error_rms = sqrt(wrong / square);
    out->error_max = most;
    return rc;
}

static int describe_low(bird_bench_low *out, struct bird_bench_model *m,
                        const bird_bench_options *o)
{
    if (!o->precision)
        return 0;
    out->precision = o->precision;
    out->weights_mib = (double)bird_weights_low_bytes(m->w) / (1 << 20);
    snprintf(out->product, sizeof(out->product), "%s",
             bird_weights_low_name(m->w));
    return compare_states(out, m);
}

enum part { WHOLE, LINEAR, ATTENTION };

static int encoder_row(bird_bench_row *out, const bird_bench_options *o,
                       const char *name, enum part part)
{
    struct bird_bench_model m = {0};
    struct bird_bench_body body = {.context = &m,
                                   .run = part == LINEAR      ? run_linear
                                          : part == ATTENTION ? run_attention
                                                              : bird_bench_run,
                                   .linear = part == WHOLE ? run_linear : NULL,
                                   .attention =
                                       part == WHOLE ? run_attention : NULL};
    bird_bench_row row;
    int rc = bird_bench_open(&m, o);

    if (o->precision)
        body.plain = part == LINEAR ? run_plain_linear : run_plain_forward;
    if (!rc)
        rc = ready_parts(&m);
    if (!rc) {
        bird_bench_describe(&row, name, m.name, &m.c, o);
        rc = describe_low(&row.low, &m, o);
    }
    if (!rc) {
        row.gflop = (part != ATTENTION ? m.work.linear : 0) +
                    (part != LINEAR ? m.work.attention : 0);
        rc = bird_bench_measure(&row, &body, &m.c, o);
    }
    if (!rc)
        *out = row;
    bird_bench_close(&m);
    return rc;
}

int bird_bench_forward(bird_bench_row *out, const bird_bench_options *o)
{
    return encoder_row(out, o, "forward", WHOLE);
}

int bird_bench_linear(bird_bench_row *out, const bird_bench_options *o)
{
    return encoder_row(out, o, "linear", LINEAR);
}

int bird_bench_attention(bird_bench_row *out, const bird_bench_options *o)
{
    return encoder_row(out, o, "attention", ATTENTION);
}

struct letters {
    const bird_tokenizer *t;
    bird_encoding e;
    struct bird_text s;
};

static int run_tokenize(void *context)
{
    struct letters *l = context;

    return bird_tokenizer_encode(l->t, &l->e, l->s.s, l->s.n, 0);
}

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

int bird_bench_letters(struct bird_text *s, const char *path, int64_t n)
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
    if (rc > 0) /* enough was read */
        rc = 0;
    if (!rc && !s->n)
        rc = bird_fail(BIRD_EFORMAT, "%s: no bases in it", path);
    return rc;
}

int bird_bench_tokenize(bird_bench_row *out, const bird_bench_options *o)
{
    struct bird_model m = {0};
    struct letters l = {0};
    struct bird_bench_body body = {.context = &l, .run = run_tokenize};
    bird_bench_options given = *o;
    bird_bench_row row;
    int rc = bird_bench_check(o);

    if (rc || (rc = bird_model_open_as(&m, o->model, "promoter", 1)))
        return rc;
    l.t = m.tokenizer;
    rc = bird_bench_letters(&l.s, o->fasta, o->tokens);
    if (!rc) {
        given.tokens = l.s.n;
        given.sequences = 1;
        bird_bench_describe(&row, "tokenize", m.folder.path, &m.folder.config,
                            &given);
        row.threads = 1;
        row.gflop = 0;
        rc = bird_bench_measure(&row, &body, NULL, o);
    }
    if (!rc)
        *out = row;
    bird_encoding_free(&l.e);
    bird_text_free(&l.s);
    bird_model_drop(&m);
    return rc;
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* What a row of training has besides. */
static int put_training(json_t *o, const bird_bench_training *t)
{
    static const char *const part[] = {"forward", "head_and_loss", "backward",
                                       "again",   "update",        "rest"};
    json_t *parts = json_object();
    int bad = !parts;

    for (int i = 0; !bad && i < BIRD_N_PART; i++)
        bad = json_object_set_new(parts, part[i], number(t->part[i]));
    bad = json_object_set_new(o, "parts", parts) || bad;
    return bad ||
           json_object_set_new(o, "labelled", json_integer(t->labelled)) ||
           json_object_set_new(o, "vocabulary", json_integer(t->vocabulary)) ||
           json_object_set_new(o, "executed_gflop", number(t->executed)) ||
           json_object_set_new(o, "executed_share_of_sgemm",
                               number(t->executed_share)) ||
           json_object_set_new(o, "bases_per_token",
                               number(t->bases_per_token)) ||
           json_object_set_new(o, "bp_per_s", number(t->bp_per_s));
}

static int put_low(json_t *o, const bird_bench_low *l)
{
    return json_object_set_new(
               o, "precision",
               json_string(bird_precision_name(l->precision))) ||
           json_object_set_new(o, "product", json_string(l->product)) ||
           json_object_set_new(o, "float32_s", number(l->float32_s)) ||
           json_object_set_new(o, "times_as_fast", number(l->speedup)) ||
           json_object_set_new(o, "error_rms", number(l->error_rms)) ||
           json_object_set_new(o, "error_max", number(l->error_max)) ||
           json_object_set_new(o, "low_weights_mib", number(l->weights_mib));
}

/* Loss and gradient's norm beside float32's. */
static int put_compared(json_t *o, const bird_bench_low *l)
{
    return json_object_set_new(o, "loss", number(l->loss[1])) ||
           json_object_set_new(o, "float32_loss", number(l->loss[0])) ||
           json_object_set_new(o, "gradient_norm", number(l->norm[1])) ||
           json_object_set_new(o, "float32_gradient_norm", number(l->norm[0]));
}

int bird_bench_json(char **out, const bird_bench_row *r)
{
    json_t *o = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:i, s:I}", "name", r->name,
        "model", r->model, "layers", (json_int_t)r->n_layer, "features",
        (json_int_t)r->n_feature, "block", (json_int_t)r->block, "tokens",
        (json_int_t)r->tokens, "sequences", (json_int_t)r->sequences, "threads",
        r->threads, "repeats", (json_int_t)r->repeats);
    const struct {
        const char *name;
        double value;
    } real[] = {{"best_s", r->best_s},
                {"median_s", r->median_s},
                {"gflop", r->gflop},
                {"gflop_per_s", r->gflops},
                {"sgemm_gflop_per_s", r->sgemm},
                {"share_of_sgemm", r->share},
                {"per_s", r->per_s},
                {"linear_share", r->linear_share},
                {"attention_share", r->attention_share},
                {"rest_share", r->rest_share},
                {"peak_mib", r->peak_mib}};
    char *s;
    int bad = !o;

    for (size_t i = 0; !bad && i < sizeof(real) / sizeof(*real); i++)
        bad = json_object_set_new(o, real[i].name, number(real[i].value));
    if (!bad && r->train.labelled)
        bad = put_training(o, &r->train);
    if (!bad && r->low.precision)
        bad = put_low(o, &r->low);
    if (!bad && r->low.precision && r->train.labelled)
        bad = put_compared(o, &r->low);
    s = bad ? NULL : json_dumps(o, JSON_REAL_PRECISION(6));
    json_decref(o);
    if (!s)
        return bird_fail(BIRD_ENOMEM, "bench: a row could not be written: "
                                      "out of memory, or a name not UTF-8");
    *out = s;
    return 0;
}
