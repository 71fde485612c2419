/* pretrain: what is masked, how often, and what stands in its place.
   SPDX-License-Identifier: MIT */
#include "sample_help.h"

TestSuite(masks, .init = sample_setup, .fini = sample_teardown);

struct masks {
    double tokens, masked, mask, same, other, random[5000];
};

/* Add up what was masked, and that nothing else changed. */
static void add_masks(struct masks *m, const struct full_row *x,
                      struct bird_sampler *s, int64_t row)
{
    struct letters *y = calloc(1, sizeof(*y));
    int64_t bp = 0, masked = 0;

    draw(y, s, row);
    cr_assert_eq(x->row.n_token, y->d.n_token);
    for (int64_t i = 0; i < x->row.n_token; i++) {
        int32_t id = y->ids[i];

        cr_assert_eq(x->type[i], i >= y->d.second);
        if (x->label[i] == BIRD_SAMPLE_NONE) {
            cr_assert_eq(x->ids[i], id);
            m->tokens += !s->words.special[id];
            continue;
        }
        cr_assert_eq(x->label[i], id);
        cr_assert(!s->words.special[id]);
        bp += y->bp[i];
        masked++;
        m->tokens++;
        m->mask += x->ids[i] == s->words.mask;
        m->same += x->ids[i] == id;
        m->other += x->ids[i] != id && x->ids[i] != s->words.mask;
        m->random[x->ids[i]] += x->ids[i] != id;
    }
    cr_assert_eq(masked, x->row.n_masked);
    cr_assert_eq(bp, x->row.masked_bp);
    cr_assert_gt(masked, 0);
    m->masked += (double)masked;
    free(y);
}

static void check_masks(bird_sample_options *o, struct masks *m, int rows)
{
    struct bird_sampler *s = sampler_of(o);
    struct full_row *x = calloc(1, sizeof(*x));
    double v = (double)s->words.n;

    memset(m, 0, sizeof(*m));
    for (int i = 0; i < rows; i++) {
        WORKS(row_make(x, s, 7, i));
        add_masks(m, x, s, i);
    }
    /* a random token is the old one or [MASK] once in v times */
    cr_assert(likely(m->mask, m->masked, 0.8 + 0.1 / v), "%g", m->mask);
    cr_assert(likely(m->same, m->masked, 0.1 + 0.1 / v), "%g", m->same);
    cr_assert(likely(m->other, m->masked, 0.1 - 0.2 / v), "%g", m->other);
    free(x);
    bird_sampler_free(s);
}

Test(masks, masks_are_independent)
{
    bird_sample_options o = options_of(512);
    struct masks *m = calloc(1, sizeof(*m));

    check_masks(&o, m, 400);
    cr_assert(likely(m->masked, m->tokens, 0.15), "%g", m->masked);
    for (int i = 0; i < 200; i++) /* special ones too */
        if (bird_tokenizer_id(words, "[MASK]") != i)
            cr_assert(likely(m->random[i], m->masked, 0.1 / 200.0), "%d", i);
    free(m);
}

/* Shares of spans of 1, 2, 3 tokens, drawn as 1 : 1/2 : 1/3 and cut to what
   is left of `left` tokens. */
static void spans_expected(double share[4], int left)
{
    static const double p[4] = {0, 6.0 / 11.0, 3.0 / 11.0, 2.0 / 11.0};
    double mean[64][4] = {{0}}, sum = 0;

    for (int n = 1; n <= left; n++)
        for (int k = 1; k < 4; k++) {
            int got = k < n ? k : n;

            mean[n][got] += p[k];
            for (int j = 1; j < 4; j++)
                mean[n][j] += p[k] * mean[n - got][j];
        }
    for (int k = 1; k < 4; k++)
        sum += mean[left][k];
    for (int k = 1; k < 4; k++)
        share[k] = mean[left][k] / sum;
}

Test(masks, spans_add_up_and_are_as_long_as_said)
{
    bird_sample_options o = options_of(512);
    struct masks *m = calloc(1, sizeof(*m));
    struct full_row *x = calloc(1, sizeof(*x));
    double runs[600] = {0}, n_run = 0, want[4];
    struct bird_sampler *s;

    o.span = 3;
    check_masks(&o, m, 300);
    o.mask = 0.02; /* so few that spans hardly ever touch */
    s = sampler_of(&o);
    for (int i = 0; i < 2000; i++) {
        int64_t run = 0;

        WORKS(row_make(x, s, 7, i));
        cr_assert_eq(x->row.n_masked, llround(0.02 * (double)x->row.n_token));
        for (int64_t k = 0; k < x->row.n_token; k++) {
            if (x->label[k] != BIRD_SAMPLE_NONE) {
                run++;
            } else if (run) {
                runs[run]++;
                n_run++;
                run = 0;
            }
        }
    }
    spans_expected(want, 10);
    for (int k = 1; k < 4; k++) /* hardly any touch: 1 % of them */
        cr_assert_float_eq(runs[k] / n_run, want[k], 0.02);
    bird_sampler_free(s);
    free(m);
    free(x);
}

Test(masks, every_row_has_something_to_predict)
{
    bird_sample_options o = options_of(8);
    struct full_row *x = calloc(1, sizeof(*x));
    struct bird_sampler *s;
    int64_t at[8] = {0};

    o.mask = 1e-9;
    for (o.span = 1; o.span < 4; o.span += 2) {
        memset(at, 0, sizeof(at));
        s = sampler_of(&o);
        for (int i = 0; i < 3000; i++) {
            WORKS(row_make(x, s, 0, i));
            cr_assert_eq(x->row.n_masked, 1);
            for (int k = 0; k < 8; k++)
                at[k] += x->label[k] != BIRD_SAMPLE_NONE;
        }
        cr_assert_eq(at[0] + at[7], 0);
        for (int k = 1; k < 7; k++)
            cr_assert(likely((double)at[k], 3000.0, 1.0 / 6.0));
        bird_sampler_free(s);
    }
    free(x);
}
