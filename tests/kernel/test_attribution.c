/* variant: attributions by the backward pass against differences in double:
 * heads, stems, strands; midpoints, completeness, models that are linear.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "gradient.h"
#include "model/stem.h"
#include "ref.h"
#include "tiny.h"
#include "variant/attribution.h"

enum { LEN = 31, SEQ = 2, ROWS = LEN * SEQ, VOCAB = ROWS + 1, BIN = 6 };

/* Two strands of one window, each token a word of its own; [CLS] and [SEP] are
 * ids 0 and 1. */
struct window {
    struct tiny t;
    int64_t offset[SEQ + 1], token[SEQ + 1], bin[SEQ + 1];
    int32_t ids[ROWS], base[ROWS];
    struct bird_batch b;
    struct bird_answer_spec f;
    uint8_t moves[VOCAB];
    double value[ROWS * 3];
};

static void open_window(struct window *w, const struct bird_head_row *head,
                        const char *stem, enum bird_problem problem, int seqs)
{
    struct bird_config c;
    int64_t next = 2;

    memset(w, 0, sizeof(*w));
    tiny_config(&c, head);
    c.vocab_size = VOCAB;
    c.cls_id = 0;
    c.sep_id = 1;
    c.pad_id = -1;
    c.problem = problem;
    c.bin_bp = head->n_bin ? BIN : 0;
    WORKS(bird_stem_parse(&c, stem));
    WORKS(bird_config_check(&c, "test"));
    tiny_init(&w->t, &c, 7);
    w->b = (struct bird_batch){.n_seq = seqs,
                               .offset = w->offset,
                               .token = c.n_stem ? w->token : NULL,
                               .ids = w->ids};
    for (int s = 0; s < seqs; s++) {
        int32_t *ids = w->ids + (int64_t)s * LEN;
        int64_t rows;

        w->token[s + 1] = w->token[s] + LEN;
        for (int i = 0; i < LEN; i++)
            ids[i] = !i ? 0 : i == LEN - 1 ? 1 : (int32_t)next++;
        rows = bird_stem_rows(&c, ids, LEN);
        w->offset[s + 1] = w->offset[s] + rows;
        for (int64_t i = 0; i < rows; i++)
            w->base[w->offset[s] + i] =
                !i || i == rows - 1
                    ? -1
                    : (int32_t)bird_stem_token(&c, ids, LEN, i) - 1;
        w->bin[s + 1] =
            w->bin[s] + (head->n_bin ? head->n_bin(&c, LEN - 2) : 1);
    }
    if (head->n_bin) {
        w->b.base = w->base;
        w->b.bin = w->bin;
    }
    memset(w->moves, 1, sizeof(w->moves));
    w->moves[0] = w->moves[1] = 0;
    w->moves[ROWS - 4] = 0; /* as [UNK] */
    w->f = (struct bird_answer_spec){.n_seq = seqs,
                                     .n_row = head->n_bin ? 3 : 1,
                                     .choice =
                                         problem == BIRD_PROBLEM_SINGLE_LABEL};
    /* the second strand is read from its end, another label */
    w->f.seq[0] = (struct bird_answer_rows){head->n_bin ? 1 : 0, 1, 2};
    w->f.seq[1] =
        (struct bird_answer_rows){w->bin[2] - 1 - (head->n_bin ? 1 : 0), -1, 0};
}

static void attribute(struct window *w, struct bird_attribution_run *r,
                      int64_t n_step)
{
    static const int32_t word[] = {5, 9};
    struct bird_attribution *a;

    *r = (struct bird_attribution_run){.b = &w->b,
                                       .f = &w->f,
                                       .n_step = n_step,
                                       .word = word,
                                       .n_word = 2,
                                       .value = w->value};
    WORKS(bird_attribution_new(&a, &w->t.c, &w->t.w, w->moves));
    WORKS(bird_attribution_compute(a, r));
    bird_attribution_free(a);
}

/* f in double, as the header has it. */
static double answer(const struct window *w, const double *logits)
{
    const struct bird_config *c = &w->t.c;
    double f = 0;

    for (int64_t b = 0; b < w->f.n_row; b++) {
        double p = 0;

        for (int64_t s = 0; s < w->f.n_seq; s++) {
            const struct bird_answer_rows *r = &w->f.seq[s];
            const double *x = logits + (r->row + b * r->step) * c->n_label;
            double sum = 0;

            for (int64_t j = 0; j < c->n_label; j++)
                sum += exp(x[j]);
            p += (w->f.choice ? exp(x[r->column]) / sum
                              : 1 / (1 + exp(-x[r->column]))) /
                 (double)w->f.n_seq;
        }
        f += log(p / (1 - p)) / (double)w->f.n_row;
    }
    return f;
}

/* What a head over bins reads of hidden states x, as src/head/bins.c says: all
 * bins have rows here. */
static double *bin_logits(const struct ref_model *m, const double *x,
                          const struct bird_batch *b)
{
    const struct bird_config *c = m->c;
    int64_t d = c->hidden_size, wide = c->head->wide > 1 ? 2 * d : d;
    double *out = ref_doubles(b->bin[b->n_seq] * c->n_label);
    const double *w = m->theta + (m->w->classifier.w - m->base);
    const double *bias = m->theta + (m->w->classifier.b - m->base);

    for (int64_t s = 0; s < b->n_seq; s++)
        for (int64_t k = b->bin[s]; k < b->bin[s + 1]; k++) {
            double in[2 * 12] = {0}, n = 0;
            double *mean = in + wide - d;

            for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++) {
                if (b->base[i] < 0 || b->base[i] / BIN != k - b->bin[s])
                    continue;
                for (int64_t j = 0; j < d; j++) {
                    if (wide > d)
                        in[j] =
                            n > 0 ? fmax(in[j], x[i * d + j]) : x[i * d + j];
                    mean[j] += x[i * d + j];
                }
                n++;
            }
            for (int64_t l = 0; l < c->n_label; l++) {
                out[k * c->n_label + l] = bias[l];
                for (int64_t j = 0; j < wide; j++)
                    out[k * c->n_label + l] +=
                        w[l * wide + j] * (j < wide - d ? in[j] : in[j] / n);
            }
        }
    return out;
}

struct point { /* f where words are mixed and one token has moved */
    struct window *w;
    struct ref_model m;
    double *word; /* (VOCAB, D) as the model has them */
    const double *direction;
    double share, step;
    int64_t token; /* id */
};

static double value_at(void *context)
{
    struct point *p = context;
    int64_t d = p->w->t.c.hidden_size;
    double *word = p->m.theta + (p->w->t.w.word - p->w->t.theta), f, *x, *y;

    for (int64_t v = 0; v < VOCAB; v++)
        for (int64_t j = v * d; j < (v + 1) * d; j++)
            word[j] = p->word[j] - (1 - p->share) * p->direction[j] +
                      (v == p->token ? p->step * p->direction[j] : 0);
    x = ref_hidden(&p->m, &p->w->b, NULL);
    y = p->w->b.bin ? bin_logits(&p->m, x, &p->w->b)
                    : ref_logits(&p->m, x, &p->w->b, NULL);
    f = answer(p->w, y);
    free(x), free(y);
    return f;
}

/* E(v) - m in double. */
static double *directions(const struct window *w, const double *word)
{
    int64_t d = w->t.c.hidden_size, n = 0;
    double *out = ref_doubles(VOCAB * d);

    for (int v = 0; v < VOCAB; v++)
        n += w->moves[v];
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;

        for (int v = 0; v < VOCAB; v++)
            mean += w->moves[v] ? word[v * d + j] / (double)n : 0;
        for (int v = 0; v < VOCAB; v++)
            out[v * d + j] = w->moves[v] ? word[v * d + j] - mean : 0;
    }
    return out;
}

static void open_point(struct point *p, struct window *w, double **direction)
{
    *p = (struct point){.w = w, .m = tiny_model(&w->t), .token = -1};
    p->word = ref_copy(w->t.w.word, VOCAB * w->t.c.hidden_size);
    p->direction = *direction = directions(w, p->word);
}

static void close_point(struct point *p, double *direction)
{
    free(direction), free(p->word), free(p->m.theta);
}

static const struct {
    const struct bird_head_row *head;
    const char *stem;
    enum bird_problem problem;
} cases[] = {
    {&bird_head_sequence, "none", BIRD_PROBLEM_MULTI_LABEL},
    {&bird_head_linear_cls, "none", BIRD_PROBLEM_SINGLE_LABEL},
    {&bird_head_linear_pooled, "none", BIRD_PROBLEM_MULTI_LABEL},
    {&bird_head_mean_pooled, "none", BIRD_PROBLEM_MULTI_LABEL},
    {&bird_head_bins, "none", BIRD_PROBLEM_MULTI_LABEL},
    {&bird_head_mean_pooled, "5x12", BIRD_PROBLEM_SINGLE_LABEL},
    {&bird_head_sequence, "3x10:silu,5x12:plain,3x12+",
     BIRD_PROBLEM_MULTI_LABEL},
    {&bird_head_maxmean, "7x12/3", BIRD_PROBLEM_MULTI_LABEL},
    {&bird_head_bins, "5x10/2,3x12:silu", BIRD_PROBLEM_MULTI_LABEL},
    {&bird_head_bins_maxmean, "3x12/2:plain,3x12+:tanh,5x12",
     BIRD_PROBLEM_MULTI_LABEL},
};
enum { CASES = sizeof(cases) / sizeof(*cases) };

/* The share at which derivatives are taken: 1 the gradient, else the mean of
 * midpoints. */
static void check_differences(int n_step)
{
    for (size_t i = 0; i < CASES; i++) {
        struct bird_attribution_run r;
        struct window w;
        struct point p;
        double *direction, norm = 0;

        open_window(&w, cases[i].head, cases[i].stem, cases[i].problem, SEQ);
        attribute(&w, &r, n_step);
        open_point(&p, &w, &direction);
        for (int64_t t = 0; t < ROWS; t++)
            norm += w.value[3 * t + 2] * w.value[3 * t + 2];
        norm = sqrt(norm);
        cr_assert(norm > 1e-3, "case %d: nothing moves", (int)i);
        for (int64_t t = 0; t < ROWS; t += 3) {
            double want = 0, got = w.value[3 * t + 2];

            p.token = w.ids[t];
            for (int k = 0; w.moves[p.token] && k < (n_step ? n_step : 1);
                 k++) {
                p.share = n_step ? (k + 0.5) / n_step : 1;
                p.step = 0;
                want += ref_slope(value_at, &p, &p.step, 1e-5) /
                        (n_step ? n_step : 1);
            }
            cr_assert_float_eq(got, want, 1e-4 * norm,
                               "case %d, token %d: %.8g, not %.8g", (int)i,
                               (int)t, got, want);
        }
        p.share = 1, p.token = -1;
        cr_assert_float_eq(r.at, value_at(&p), 2e-4, "case %d", (int)i);
        p.share = 0;
        if (n_step)
            cr_assert_float_eq(r.at_baseline, value_at(&p), 2e-4, "case %d",
                               (int)i);
        close_point(&p, direction);
        tiny_free(&w.t);
    }
}

Test(attribution, gradients_equal_differences)
{
    check_differences(0);
}

Test(attribution, midpoints_equal_differences)
{
    check_differences(3);
}

/* Along other words than the token's own. */
Test(attribution, any_word_has_a_value_at_a_token)
{
    struct bird_attribution_run r;
    struct window w;

    open_window(&w, &bird_head_bins, "5x10/2,3x12:silu",
                BIRD_PROBLEM_MULTI_LABEL, SEQ);
    attribute(&w, &r, 0);
    for (int64_t t = 0; t < ROWS; t++) {
        const double *v = w.value + 3 * t;

        if (!w.moves[w.ids[t]])
            cr_assert(v[0] == 0 && v[1] == 0 && v[2] == 0);
        else
            cr_assert(w.ids[t] != 9 || v[1] == v[2]);
        if (w.moves[w.ids[t]] && w.ids[t] != 5)
            cr_assert(v[0] != v[2]);
    }
    tiny_free(&w.t);
}

static double error_of(const struct bird_attribution_run *r)
{
    return fabs(r->sum - (r->at - r->at_baseline));
}

/* A normalisation whose eps is far above every variance only scales: all is
 * linear, and one strand's logit is f. */
Test(attribution, a_linear_model_is_exact)
{
    struct bird_attribution_run r, g;
    struct window w;
    double value[ROWS * 3];

    open_window(&w, &bird_head_mean_pooled, "none", BIRD_PROBLEM_MULTI_LABEL,
                1);
    w.t.c.n_layer = 0;
    w.t.c.own = 1;
    w.t.c.layer_norm_eps = 1e8;
    for (int j = 0; j < w.t.c.hidden_size; j++)
        w.t.w.embedding.gain[j] *= 1e4f;
    attribute(&w, &g, 0);
    memcpy(value, w.value, sizeof(value));
    for (int n_step = 1; n_step <= 4; n_step *= 4) {
        attribute(&w, &r, n_step);
        cr_assert(fabs(r.at - r.at_baseline) > 1e-2);
        cr_assert(error_of(&r) < 2e-5 * fabs(r.at - r.at_baseline), "%g of %g",
                  r.sum, r.at - r.at_baseline);
        for (int64_t t = 0; t < 3 * LEN; t++)
            cr_assert_float_eq(w.value[t], value[t], 1e-6);
    }
    tiny_free(&w.t);
}

Test(attribution, completeness_comes_with_midpoints)
{
    for (size_t i = 0; i < CASES; i++) {
        struct bird_attribution_run r;
        struct window w;
        double few, more;

        open_window(&w, cases[i].head, cases[i].stem, cases[i].problem, SEQ);
        attribute(&w, &r, 2);
        few = error_of(&r);
        attribute(&w, &r, 128);
        more = error_of(&r);
        cr_assert(more < few / 4 + 1e-5,
                  "case %d: %g of 2 midpoints, %g of 128", (int)i, few, more);
        tiny_free(&w.t);
    }
}

Test(attribution, threads_and_prepared_weights_change_nothing)
{
    for (size_t i = 0; i < CASES; i++) {
        struct bird_attribution_run r;
        struct window w;
        double one[ROWS * 3];

        open_window(&w, cases[i].head, cases[i].stem, cases[i].problem, SEQ);
        bird_threads_set(1);
        attribute(&w, &r, 2);
        memcpy(one, w.value, sizeof(one));
        bird_threads_set(3);
        attribute(&w, &r, 2);
        cr_assert_arr_eq(one, w.value, sizeof(one), "case %d", (int)i);
        WORKS(bird_weights_prepare(&w.t.w, &w.t.c, BIRD_FLOAT32, 0));
        attribute(&w, &r, 2);
        for (int64_t t = 0; t < 3 * ROWS; t++)
            cr_assert_float_eq(one[t], w.value[t], 1e-4, "case %d", (int)i);
        tiny_free(&w.t);
    }
}

Test(attribution, refusals)
{
    struct bird_attribution *a = NULL;
    struct window w;

    open_window(&w, &bird_head_mean_pooled, "none", BIRD_PROBLEM_MULTI_LABEL,
                1);
    memset(w.moves, 0, sizeof(w.moves));
    cr_assert_eq(bird_attribution_new(&a, &w.t.c, &w.t.w, w.moves),
                 BIRD_EINVAL);
    cr_assert(!a && strstr(bird_last_error(), "A, C, G and T"));
    tiny_free(&w.t);
}
