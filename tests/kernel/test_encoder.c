/* model, head: the whole encoder against formulas in double: values,
 * gradients by differences, packing, threads, recomputation.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "gradient.h"
#include "model/layer.h"
#include "ref.h"
#include "ref_encoder.h"
#include "tiny.h"

Test(encoder, gradients_mlm)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_mlm);
    gradient_check_head(&c, 1, "mlm");
}

Test(encoder, gradients_mlm_untied_silu_no_bias)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_mlm);
    c.tie_word_embeddings = 0;
    c.use_bias = 0;
    c.rescale_embeddings = 1;
    c.act = BIRD_SILU;
    gradient_check_head(&c, 1, "mlm, untied");
}

Test(encoder, gradients_pretrain)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_pretrain);
    c.pattern.random = BIRD_RANDOM_ZERO;
    gradient_check_head(&c, 1, "pretrain");
}

Test(encoder, gradients_sequence_single_label)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_sequence);
    c.problem = BIRD_PROBLEM_SINGLE_LABEL;
    c.act = BIRD_GELU_ERF;
    gradient_check_head(&c, 1, "sequence, single");
}

Test(encoder, gradients_sequence_regression)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_sequence);
    c.problem = BIRD_PROBLEM_REGRESSION;
    c.act = BIRD_TANH;
    gradient_check_head(&c, 1, "sequence, regression");
}

/* Two labels for each of the three values of the batch. */
Test(encoder, gradients_mean_and_variance)
{
    const struct bird_head_row *head[] = {&bird_head_sequence,
                                          &bird_head_maxmean};
    struct bird_config c;

    for (int i = 0; i < 2; i++) {
        tiny_config(&c, head[i]);
        c.problem = BIRD_PROBLEM_GAUSSIAN;
        c.n_label = 2 * TINY_LABELS;
        gradient_check_head(&c, 1, "mean and variance");
    }
}

Test(encoder, gradients_linear_pooled_multi_label)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_linear_pooled);
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    gradient_check_head(&c, 8, "pooled, multi");
}

Test(encoder, gradients_linear_cls)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_linear_cls);
    c.problem = BIRD_PROBLEM_SINGLE_LABEL;
    c.act = BIRD_RELU;
    c.pattern.random = BIRD_RANDOM_NONE;
    gradient_check_head(&c, 1, "cls");
}

Test(encoder, gradients_mean_pooled)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_mean_pooled);
    c.problem = BIRD_PROBLEM_SINGLE_LABEL;
    gradient_check_head(&c, 1, "mean, single");
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    gradient_check_head(&c, 8, "mean, multi");
}

Test(encoder, gradients_maximum_and_mean)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_maxmean);
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    gradient_check_head(&c, 8, "maximum and mean");
}

Test(encoder, gradients_token)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_token);
    c.pattern.row = &bird_pattern_full;
    gradient_check_head(&c, 1, "token");
}

/* Left out of short sequences too, of up to 28 tokens, that BigBird sees in
 * full. Kept: window; global; random; window, random; global, random. */
static const int left[] = {2, 1, 4, 6, 5};

Test(encoder, gradients_with_parts_left_out)
{
    struct bird_dropout_rates dropout = {.key = 5};
    struct bird_config c;

    for (int k = 0; k < 5; k++) {
        tiny_config(&c, &bird_head_pretrain);
        c.pattern.parts = left[k];
        c.pattern.seed = (uint64_t)k;
        c.pattern.random = k == 4 ? BIRD_RANDOM_PLAN : BIRD_RANDOM_UNIFORM;
        gradient_check(&c, &dropout, 1, "parts left out");
    }
}

Test(encoder, gradients_of_a_window_alone)
{
    struct bird_dropout_rates dropout = {.key = 5};
    struct bird_config c;

    for (int width = 1; width < 4; width++) {
        tiny_config(&c, &bird_head_pretrain);
        c.pattern.row = &bird_pattern_window;
        c.pattern.own[0] = width;
        gradient_check(&c, &dropout, 1, "window");
    }
}

static const char *const maps[] = {"topk:5", "sparsemax", "entmax:1.5",
                                   "entmax:1.2", "sparselin:0.4"};
enum { MAPS = sizeof(maps) / sizeof(*maps) };

static void map_config(struct bird_config *c, const char *map)
{
    tiny_config(c, &bird_head_mlm);
    WORKS(bird_prob_map_parse(&c->map, map));
}

Test(encoder, gradients_with_maps_beside_softmax)
{
    for (int k = 0; k < MAPS; k++) {
        struct bird_config c;

        map_config(&c, maps[k]);
        gradient_check_head(&c, 1, maps[k]);
    }
}

/* As --pattern takes them. */
static const char *const written[] = {
    "strided,block=1,width=5",
    "strided,block=4,width=3,heads=multihead",
    "strided,block=1,width=4,heads=sequential,causal=yes",
    "fixed,block=1,width=4,heads=multihead,causal=yes",
    "fixed,block=3,width=2,heads=sequential",
    "star,block=1,width=2",
    "star,block=1,width=3,relay=first",
    "star,block=2,width=1,causal=no",
    "random,block=1,sparsity=70,seed=4",
    "random,block=1,sparsity=50,causal=yes",
    "full,block=5,causal=yes",
    "window,block=4,width=2,causal=yes",
    "strided,block=3,width=2,heads=multihead,causal=yes",
    "star,block=16,width=1,causal=yes",
    "bigbird,block=1,random=uniform,n_random=2,width=2,first=3,last=0",
    "bigbird,block=4,random=none,width=1,first=0,last=2",
    "etc,block=1,global=3,width=2",
    "etc,block=4,global=8",
    "etc,block=3,global=6,width=1,n_random=2,seed=5",
};
enum { N_WRITTEN = sizeof(written) / sizeof(*written) };

static void take_pattern(struct bird_config *c, int k)
{
    WORKS(bird_pattern_parse(&c->pattern, written[k]));
    WORKS(bird_pattern_check(&c->pattern, "test"));
}

Test(encoder, gradients_of_patterns)
{
    struct bird_dropout_rates dropout = {.key = 5};
    struct bird_config c;

    for (int k = 0; k < N_WRITTEN; k++) {
        tiny_config(&c, &bird_head_pretrain);
        c.n_head = k % 2 ? 3 : 2;
        c.use_bias = 0; /* of keys: 0 and rounding, which says nothing */
        take_pattern(&c, k);
        gradient_check(&c, &dropout, 1, written[k]);
    }
}

static void same(const float *a, const double *b, int64_t n, double tolerance,
                 const char *what)
{
    for (int64_t i = 0; i < n; i++)
        cr_assert_float_eq(a[i], b[i], tolerance, "%s [%d]: %g, not %g", what,
                           (int)i, (double)a[i], b[i]);
}

Test(encoder, inference_equals_the_formulas)
{
    for (int head = 1; bird_head_at(head); head++) {
        struct bird_encoder *e;
        struct bird_config c;
        struct tiny t;
        struct ref_model m;
        float x[TINY_ROWS * 12], states[3 * TINY_ROWS * 12];
        float logits[TINY_ROWS * 23];
        double *want, *wl;
        int64_t rows;

        tiny_config(&c, bird_head_at(head));
        if (c.head->needs == BIRD_NEEDS_BINS)
            continue; /* needs a batch with bases: test_head.c */
        if (c.head->labels)
            c.n_label = c.head->labels;
        tiny_init(&t, &c, (uint64_t)head);
        m = tiny_model(&t);
        rows = bird_head_per_token(&c) ? TINY_ROWS : TINY_SEQ;
        WORKS(bird_encoder_new(&e, &c, &t.w));
        WORKS(bird_encoder_forward(e, x, states, &t.b));
        want = ref_hidden(&m, &t.b, NULL);
        same(x, want, TINY_ROWS * 12, 1e-5, "hidden");
        cr_assert_arr_eq(x, states + 2 * TINY_ROWS * 12, sizeof(x));
        WORKS(bird_head_forward(logits, NULL, &c, &t.w, x, &t.b));
        wl = ref_logits(&m, want, &t.b, NULL);
        same(logits, wl, rows * bird_head_columns(&c), 3e-5, "logits");
        bird_encoder_free(e);
        free(want), free(wl), free(m.theta);
        tiny_free(&t);
    }
}

Test(encoder, inference_with_parts_left_out)
{
    for (int k = 0; k < 10; k++) {
        struct bird_config c;
        struct tiny t;
        struct ref_model m;
        float x[TINY_ROWS * 12];
        double *want;

        tiny_config(&c, &bird_head_mlm);
        c.pattern.parts = left[k / 2];
        c.pattern.random = k % 2 ? BIRD_RANDOM_ZERO : BIRD_RANDOM_UNIFORM;
        tiny_init(&t, &c, (uint64_t)k);
        m = tiny_model(&t);
        tiny_states(x, &t, &t.b);
        want = ref_hidden(&m, &t.b, NULL);
        same(x, want, TINY_ROWS * 12, 1e-5, "hidden");
        free(want), free(m.theta);
        tiny_free(&t);
    }
}

Test(encoder, inference_with_patterns)
{
    for (int k = 0; k < N_WRITTEN; k++) {
        struct bird_config c;
        struct tiny t;
        struct ref_model m;
        float x[TINY_ROWS * 12];
        double *want;

        tiny_config(&c, &bird_head_mlm);
        c.n_layer = 3;
        c.n_head = k % 2 ? 2 : 3;
        take_pattern(&c, k);
        tiny_init(&t, &c, (uint64_t)k);
        m = tiny_model(&t);
        tiny_states(x, &t, &t.b);
        want = ref_hidden(&m, &t.b, NULL);
        same(x, want, TINY_ROWS * 12, 1e-5, written[k]);
        free(want), free(m.theta);
        tiny_free(&t);
    }
}

/* What follows a token changes nothing of it, and what stands before does. */
Test(encoder, causal_patterns_see_nothing_ahead)
{
    enum { LEN = 48, CUT = 29 };

    for (int k = 0; k < N_WRITTEN; k++) {
        struct bird_config c;
        struct tiny t;
        float x[TINY_ROWS * 12], y[TINY_ROWS * 12];
        int64_t r;

        tiny_config(&c, &bird_head_mlm);
        take_pattern(&c, k);
        if (!c.pattern.own[BIRD_OWN_CAUSAL])
            continue;
        tiny_init(&t, &c, (uint64_t)k);
        r = t.offset[3];
        cr_assert_eq(t.offset[4] - r, LEN);
        tiny_states(x, &t, &t.b);
        for (int64_t i = r + CUT; i < r + LEN; i++)
            t.ids[i] = (t.ids[i] + 7) % 23;
        tiny_states(y, &t, &t.b);
        cr_assert_arr_eq(x + r * 12, y + r * 12, sizeof(float) * CUT * 12);
        t.ids[r] = (t.ids[r] + 5) % 23;
        tiny_states(x, &t, &t.b);
        cr_assert_neq(memcmp(x + r * 12, y + r * 12, sizeof(float) * 12), 0);
        tiny_free(&t);
    }
}

Test(encoder, packed_equals_one_by_one)
{
    struct bird_config c;
    struct tiny t;
    float all[TINY_ROWS * 12], one[TINY_ROWS * 12];

    tiny_config(&c, &bird_head_mlm);
    tiny_init(&t, &c, 1);
    tiny_states(all, &t, &t.b);
    for (int s = 0; s < TINY_SEQ; s++) {
        int64_t r = t.offset[s], offset[2];
        struct bird_batch b = tiny_alone(&t, s, offset);

        tiny_states(one, &t, &b);
        for (int64_t i = 0; i < offset[1] * 12; i++)
            cr_assert_float_eq(one[i], all[r * 12 + i], 1e-5);
    }
    tiny_free(&t);
}

/* Values by formulas, packed as one by one, bits for any threads. Where softmax
 * passes on a quarter of a score's rounding, sparselin:0.4 passes on 5 / 3. */
Test(encoder, maps_packed_equal_one_by_one_by_any_threads)
{
    for (int k = 0; k <= MAPS; k++) {
        struct bird_config c;
        struct ref_model m;
        struct tiny t;
        float all[TINY_ROWS * 12], one[TINY_ROWS * 12];
        double *want, tolerance = 1e-5;

        map_config(&c, k < MAPS ? maps[k] : "hardmax");
        for (int l = 0; l < c.n_layer; l++)
            if (bird_prob_map_of(&c.map).factor > 1) /* what is off grows */
                tolerance *= (double)bird_prob_map_of(&c.map).factor;
        tiny_init(&t, &c, 1);
        m = tiny_model(&t);
        want = ref_hidden(&m, &t.b, NULL);
        bird_threads_set(1);
        tiny_states(all, &t, &t.b);
        same(all, want, TINY_ROWS * 12, tolerance,
             k < MAPS ? maps[k] : "hardmax");
        for (int s = 0; s < TINY_SEQ; s++) {
            int64_t r = t.offset[s], offset[2];
            struct bird_batch b = tiny_alone(&t, s, offset);

            tiny_states(one, &t, &b);
            same(one, want + r * 12, offset[1] * 12, tolerance, "alone");
        }
        bird_threads_set(2);
        tiny_states(one, &t, &t.b);
        cr_assert_arr_eq(one, all, sizeof(all));
        free(want), free(m.theta);
        tiny_free(&t);
    }
}

Test(encoder, threads_and_recomputation_change_no_bit_with_maps)
{
    for (int k = 0; k < MAPS; k++) {
        struct bird_config c;
        struct tiny t;

        map_config(&c, maps[k]);
        tiny_init(&t, &c, 1);
        gradient_check_threads(&t, 4);
        tiny_free(&t);
    }
}

Test(encoder, threads_and_recomputation_change_no_bit)
{
    for (int head = 1; bird_head_at(head); head++) {
        struct bird_config c;
        struct tiny t;

        tiny_config(&c, bird_head_at(head));
        if (c.head == &bird_head_span || c.head == &bird_head_multiple_choice)
            continue; /* not trained */
        if (c.head->needs == BIRD_NEEDS_BINS)
            continue;        /* needs a batch with bases: test_head.c */
        c.hidden_size = 136; /* several column tasks */
        c.intermediate_size = 300;
        c.problem = BIRD_PROBLEM_SINGLE_LABEL;
        tiny_init(&t, &c, 1);
        gradient_check_threads(&t, 6);
        tiny_free(&t);
    }
}

/* A pass with all kinds of dropout, by one thread. */
static double pass(struct tiny *t)
{
    struct bird_dropout_rates dropout = {23, 0.3f, 0.3f, 0.3f};

    bird_threads_set(1);
    memset(t->grad, 0, (size_t)t->total * sizeof(float));
    return tiny_pass(t, &dropout, 0);
}

/* A batch without types is of the configuration's: loss and gradients are
 * those of a batch that names it everywhere. */
Test(encoder, a_model_has_a_token_type_of_its_own)
{
    struct bird_config c;
    struct tiny named, own;

    tiny_config(&c, &bird_head_mlm);
    c.type_vocab_size = 164;
    tiny_init(&named, &c, 1);
    c.token_type = 163;
    tiny_init(&own, &c, 1);
    for (int i = 0; i < TINY_ROWS; i++)
        named.type[i] = 163;
    own.b.type = NULL;
    cr_assert_eq(pass(&named), pass(&own));
    cr_assert_arr_eq(named.grad, own.grad, (size_t)own.total * 4);
    own.b.type = own.type; /* random ones: not the same */
    cr_assert_neq(pass(&named), pass(&own));
    tiny_free(&named);
    tiny_free(&own);
}

Test(encoder, threads_change_no_bit_of_inference)
{
    static float x[3][TINY_ROWS * 136];
    struct bird_config c;
    struct tiny t;

    tiny_config(&c, &bird_head_mlm);
    c.hidden_size = 136;
    c.intermediate_size = 300;
    tiny_init(&t, &c, 1);
    for (int i = 0; i < 3; i++) {
        struct bird_encoder *e;

        bird_threads_set(1 + i);
        WORKS(bird_encoder_new(&e, &c, &t.w));
        WORKS(bird_encoder_forward(e, x[i], NULL, &t.b));
        bird_encoder_free(e);
    }
    cr_assert_arr_eq(x[0], x[1], sizeof(x[0]));
    cr_assert_arr_eq(x[0], x[2], sizeof(x[0]));
    tiny_free(&t);
}

Test(encoder, sites_of_dropout_draw_different_masks)
{
    struct bird_dropout_rates dropout = {.key = 1};
    uint64_t key[100];
    int n = 0;

    for (int64_t layer = -1; layer < 12; layer++)
        for (int site = BIRD_SITE_OUTPUT; site <= BIRD_SITE_HEAD_OUT; site++)
            key[n++] =
                bird_dropout_at(&dropout, 0.1f, layer, (enum bird_site)site)
                    .key;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            cr_assert_neq(key[i], key[j]);
}

/* 10,000 sequences of 1 to 3 tokens: each as if it were alone. */
Test(encoder, many_sequences_of_a_token_or_three)
{
    enum { MANY = 10000 };
    static int64_t offset[MANY + 1];
    static int32_t ids[3 * MANY], class_id[MANY];
    static float x[3 * MANY * 12];
    struct bird_dropout_rates dropout = {3, 0.1f, 0.1f, 0.1f};
    struct bird_config c;
    struct bird_encoder *e;
    struct tiny t;

    tiny_config(&c, &bird_head_linear_cls);
    c.problem = BIRD_PROBLEM_SINGLE_LABEL;
    tiny_init(&t, &c, 1);
    for (int s = 0; s < MANY; s++) {
        offset[s + 1] = offset[s] + 1 + s % 3;
        class_id[s] = s % 3;
    }
    for (int i = 0; i < 3 * MANY; i++)
        ids[i] = i * 7 % 23;
    t.b = (struct bird_batch){.n_seq = MANY, .offset = offset, .ids = ids};
    t.labels.class_id = class_id;
    WORKS(bird_encoder_new(&e, &c, &t.w));
    WORKS(bird_encoder_forward(e, x, NULL, &t.b));
    for (int s = 0; s < MANY; s += 101) {
        int64_t one[2] = {0, offset[s + 1] - offset[s]};
        struct bird_batch b = {
            .n_seq = 1, .offset = one, .ids = ids + offset[s]};
        float y[3 * 12];

        WORKS(bird_encoder_forward(e, y, NULL, &b));
        for (int64_t j = 0; j < one[1] * 12; j++)
            cr_assert_float_eq(y[j], x[offset[s] * 12 + j], 1e-5);
    }
    cr_assert(isfinite(tiny_pass(&t, &dropout, 0)));
    bird_encoder_free(e);
    tiny_free(&t);
}

Test(encoder, no_dropout_is_dropout_of_nothing)
{
    struct bird_dropout_rates nothing = {.key = 8};
    struct bird_config c;
    struct tiny t;
    float *kept;
    double loss;

    tiny_config(&c, &bird_head_sequence);
    c.problem = BIRD_PROBLEM_MULTI_LABEL;
    tiny_init(&t, &c, 1);
    loss = tiny_pass(&t, &nothing, 1);
    WORKS(bird_array_new(&kept, t.total, 4));
    memcpy(kept, t.grad, (size_t)t.total * 4);
    memset(t.grad, 0, (size_t)t.total * 4);
    cr_assert_eq(tiny_pass(&t, NULL, 1), loss);
    cr_assert_arr_eq(t.grad, kept, (size_t)t.total * 4);
    free(kept);
    tiny_free(&t);
}

/* One tape for a shallow model, then for a deeper one. */
Test(encoder, a_tape_serves_one_model_after_another)
{
    struct bird_tape *tape;

    WORKS(bird_tape_new(&tape, 0));
    for (int layers = 1; layers < 5; layers++) {
        struct bird_config c;
        struct bird_encoder *e;
        struct tiny t;
        const float *x;
        float y[TINY_ROWS * 12];

        tiny_config(&c, &bird_head_none);
        c.n_layer = layers;
        tiny_init(&t, &c, 1);
        WORKS(bird_encoder_new(&e, &c, &t.w));
        WORKS(bird_encoder_forward(e, y, NULL, &t.b));
        WORKS(bird_encoder_train_forward(e, tape, &x, &t.b, NULL));
        for (int i = 0; i < TINY_ROWS * 12; i++)
            cr_assert_float_eq(x[i], y[i], 1e-5);
        bird_encoder_free(e);
        tiny_free(&t);
    }
    bird_tape_free(tape);
}

/* An encoder that meets every length must not keep every plan. */
Test(encoder, plans_are_forgotten_in_time)
{
    enum { LONG = 1000 };
    static int32_t ids[LONG];
    struct bird_config c;
    struct bird_encoder *e;
    struct tiny t;
    int64_t most = 0, kept;

    tiny_config(&c, &bird_head_none);
    c.n_layer = c.n_head = 12;
    c.max_positions = LONG;
    c.pattern.block = 1;
    tiny_init(&t, &c, 1);
    WORKS(bird_encoder_new(&e, &c, &t.w));
    for (int64_t len = LONG; len > LONG - 9; len--) {
        int64_t offset[2] = {0, len};
        struct bird_batch b = {.n_seq = 1, .offset = offset, .ids = ids};

        WORKS(bird_encoder_prepare(e, &b, 0));
        most = e->plans.n_row > most ? e->plans.n_row : most;
        kept = e->plans.n_row;
        WORKS(bird_encoder_prepare(e, &b, 0));
        cr_assert(e->plans.n_row <= kept, "the same plans twice");
        cr_assert_not_null(e->plans.plan[11 * e->plans.cap_block + len]);
    }
    cr_assert_gt(most, BIRD_PLAN_ROWS);
    cr_assert_leq(most, BIRD_PLAN_ROWS + LONG * 144);
    bird_encoder_free(e);
    tiny_free(&t);
}

struct prepared {
    struct bird_encoder *e;
    const struct bird_batch *b;
    int rc, worker;
};

static void prepare_task(void *context, int64_t task, int worker)
{
    struct prepared *p = context;

    (void)task;
    p->rc = bird_encoder_prepare(p->e, p->b, 0);
    p->worker = worker;
}

/* What runs in a task has room for that task alone, and its worker finds it:
 * else the scratch of a lane each thread grows with threads squared. */
Test(encoder, room_of_a_task_is_one_workers)
{
    int64_t offset[2] = {0, 40}, outside;
    struct bird_config c;
    struct bird_encoder *e;
    struct tiny t;
    struct bird_batch b = {.n_seq = 1, .offset = offset};
    struct prepared p = {.b = &b};

    bird_threads_set(16);
    tiny_config(&c, &bird_head_none);
    tiny_init(&t, &c, 1);
    b.ids = t.ids;
    WORKS(bird_encoder_new(&e, &c, &t.w));
    WORKS(bird_encoder_prepare(e, &b, 0));
    outside = e->cap_scratch;
    cr_assert_geq(outside, 16 * e->scratch_stride);
    cr_assert_eq(bird_encoder_scratch(e, 3),
                 e->scratch + 3 * e->scratch_stride);
    bird_encoder_free(e);
    WORKS(bird_encoder_new(&e, &c, &t.w));
    p.e = e;
    bird_parallel(1, prepare_task, &p);
    cr_assert_eq(p.rc, 0);
    cr_assert_leq(e->cap_scratch, 2 * e->scratch_stride, "%lld of %lld",
                  (long long)e->cap_scratch, (long long)e->scratch_stride);
    cr_assert_eq(bird_encoder_scratch(e, p.worker), e->scratch);
    cr_assert_eq(bird_parallel_worker(), -1);
    bird_encoder_free(e);
    tiny_free(&t);
}

Test(encoder, a_batch_is_checked)
{
    struct bird_config c;
    struct bird_encoder *e;
    struct tiny t;
    float x[TINY_ROWS * 12];
    int64_t bad[3] = {0, 5, 5}, longer[2] = {0, 65};

    tiny_config(&c, &bird_head_none);
    tiny_init(&t, &c, 1);
    WORKS(bird_encoder_new(&e, &c, &t.w));
    t.ids[50] = 23;
    FAILS(BIRD_ERANGE, bird_encoder_forward(e, x, NULL, &t.b),
          "sequence 4, token 8");
    t.ids[50] = -1;
    cr_assert_eq(bird_encoder_forward(e, x, NULL, &t.b), BIRD_ERANGE);
    t.ids[50] = 1;
    t.type[0] = 2;
    cr_assert_eq(bird_encoder_forward(e, x, NULL, &t.b), BIRD_ERANGE);
    t.type[0] = 0;
    t.b = (struct bird_batch){.n_seq = 2, .offset = bad, .ids = t.ids};
    cr_assert_eq(bird_encoder_forward(e, x, NULL, &t.b), BIRD_EINVAL);
    t.b = (struct bird_batch){.n_seq = 1, .offset = longer, .ids = t.ids};
    FAILS(BIRD_ERANGE, bird_encoder_forward(e, x, NULL, &t.b), "65 tokens");
    bird_encoder_free(e);
    tiny_free(&t);
}
