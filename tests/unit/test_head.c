/* head: losses and their gradients, labels that are missing or wrong, heads
 * over many rows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "head/head.h"
#include "head/loss.h"
#include "model/params.h"

Test(head, cross_entropy_and_its_gradient)
{
    float x[6] = {1, 2, 3, 0.5f, -1, 4};
    int32_t label[2] = {2, -100};
    struct bird_mean m;
    double sum = exp(1) + exp(2) + exp(3);

    WORKS(bird_loss_cross_entropy(&m, x, label, 2, 3, 0.5f));
    cr_assert_float_eq(m.loss, log(sum) - 3, 1e-12);
    cr_assert_eq(m.n, 1);
    cr_assert_float_eq(x[0], 0.5 * exp(1) / sum, 1e-7);
    cr_assert_float_eq(x[2], 0.5 * (exp(3) / sum - 1), 1e-7);
    for (int j = 3; j < 6; j++)
        cr_assert_eq(x[j], 0, "a row without a label has no gradient");
}

/* By hand: (3 a + 0.5 b) / 3.5, and gradients in that proportion. */
Test(head, weighted_cross_entropy_and_its_gradient)
{
    float x[9] = {1, 2, 3, 0.5f, -1, 4, 7, 8, 9};
    const int32_t label[3] = {2, 0, -100};
    const float weight[3] = {3, 0.5f, 100}, none[3] = {0, 0, 5};
    struct bird_loss_rows rows = {label, weight, 3, 3};
    double first = exp(1) + exp(2) + exp(3);
    double other = exp(0.5) + exp(-1) + exp(4);
    double want = (3 * (log(first) - 3) + 0.5 * (log(other) - 0.5)) / 3.5;
    struct bird_mean m;

    WORKS(bird_loss_weighted(&m, x, &rows, 2));
    cr_assert_float_eq(m.loss, want, 1e-12);
    cr_assert_eq(m.n, 2);
    cr_assert_float_eq(x[0], 2 * 3 / 3.5 * exp(1) / first, 1e-6);
    cr_assert_float_eq(x[2], 2 * 3 / 3.5 * (exp(3) / first - 1), 1e-6);
    cr_assert_float_eq(x[3], 2 * 0.5 / 3.5 * (exp(0.5) / other - 1), 1e-6);
    cr_assert_float_eq(x[5], 2 * 0.5 / 3.5 * exp(4) / other, 1e-6);
    for (int j = 6; j < 9; j++)
        cr_assert_eq(x[j], 0);
    rows.weight = none; /* what counts nothing teaches nothing */
    x[0] = 1;
    WORKS(bird_loss_weighted(&m, x, &rows, 2));
    cr_assert(m.loss == 0 && m.n == 2);
    for (int j = 0; j < 9; j++)
        cr_assert_eq(x[j], 0);
}

Test(head, cross_entropy_of_large_logits_is_finite)
{
    float x[3] = {3e38f, -3e38f, 0};
    int32_t label = 1;
    struct bird_mean m;

    WORKS(bird_loss_cross_entropy(&m, x, &label, 1, 3, 1));
    cr_assert(m.loss > 5e38 && isfinite(m.loss));
    cr_assert_eq(x[0], 1);
    cr_assert_eq(x[1], -1);
}

Test(head, cross_entropy_refuses_a_label_that_is_no_class)
{
    float x[6] = {1, 2, 3, 4, 5, 6}, kept[6];
    int32_t label[2] = {0, 3};
    struct bird_mean m;

    memcpy(kept, x, sizeof(x));
    FAILS(BIRD_ERANGE, bird_loss_cross_entropy(&m, x, label, 2, 3, 1),
          "label 3");
    cr_assert_arr_eq(x, kept, sizeof(x));
}

static const struct bird_label_weights one = {.all = 1}, eight = {.all = 8};

Test(head, a_nan_shows_in_every_loss)
{
    int32_t label = 0;
    struct bird_mean m;

    for (int at = 0; at < 4; at++) {
        float x[4] = {0}, y[4] = {0, 1, 0, 1};

        x[at] = NAN;
        WORKS(bird_loss_cross_entropy(&m, x, &label, 1, 4, 1));
        cr_assert(isnan(m.loss));
        memset(x, 0, sizeof(x));
        x[at] = NAN;
        bird_loss_binary(&m, x, y, 4, &one, 1);
        cr_assert(isnan(m.loss) && m.n == 4 && isnan(x[at]));
        x[at] = NAN;
        bird_loss_square(&m, x, &(struct bird_loss_values){y, NULL, 4, 1}, 1);
        cr_assert(isnan(m.loss) && m.n == 4);
    }
}

Test(head, losses_of_nothing_known)
{
    float x[2] = {1, 2}, y[2] = {NAN, NAN};
    int32_t label[2] = {-100, -1};
    struct bird_mean m;

    WORKS(bird_loss_cross_entropy(&m, x, label, 2, 1, 1));
    cr_assert(isnan(m.loss) && m.n == 0 && x[0] == 0 && x[1] == 0);
    x[0] = 1;
    bird_loss_binary(&m, x, y, 2, &one, 1);
    cr_assert(isnan(m.loss) && m.n == 0 && x[0] == 0);
    x[0] = 1;
    bird_loss_square(&m, x, &(struct bird_loss_values){y, NULL, 2, 1}, 1);
    cr_assert(isnan(m.loss) && m.n == 0 && x[0] == 0);
}

Test(head, binary_loss_weighs_positives_and_skips_the_unknown)
{
    float x[5] = {0.5f, -1, 90, -200, 3}, y[5] = {1, 0, 1, 1, NAN};
    struct bird_mean m;
    double want = 8 * log1p(exp(-0.5)) + log1p(exp(-1)) + 8 * 200;

    bird_loss_binary(&m, x, y, 5, &eight, 2);
    cr_assert_eq(m.n, 4);
    cr_assert_float_eq(m.loss, want / 4, 1e-9);
    cr_assert_float_eq(x[0], 2. / 4 * 8 * (1 / (1 + exp(-0.5)) - 1), 1e-6);
    cr_assert_float_eq(x[1], 2. / 4 / (1 + exp(1)), 1e-7);
    cr_assert_float_eq(x[3], -2. / 4 * 8, 1e-6);
    cr_assert_eq(x[4], 0);
}

Test(head, binary_loss_weighs_positives_of_each_label)
{
    float x[4] = {0.5f, -1, 2, 0.25f}, y[4] = {1, 1, 0, 1};
    float same[4] = {0.5f, -1, 2, 0.25f}, each[2] = {8, 3};
    const struct bird_label_weights w = {.all = 1, .each = each, .n_label = 2};
    struct bird_mean m;
    double want = 8 * log1p(exp(-0.5)) + 3 * log1p(exp(1)) + log1p(exp(2)) +
                  3 * log1p(exp(-0.25));

    bird_loss_binary(&m, x, y, 4, &w, 1);
    cr_assert_float_eq(m.loss, want / 4, 1e-9);
    cr_assert_float_eq(x[0], 8 * (1 / (1 + exp(-0.5)) - 1) / 4, 1e-6);
    cr_assert_float_eq(x[1], 3 * (1 / (1 + exp(1)) - 1) / 4, 1e-6);
    cr_assert_float_eq(x[2], 1 / (1 + exp(-2)) / 4, 1e-6);
    each[0] = each[1] = 8; /* the same as one weight for all */
    memcpy(x, same, sizeof(x));
    bird_loss_binary(&m, x, y, 4, &w, 1);
    want = m.loss;
    bird_loss_binary(&m, same, y, 4, &eight, 1);
    cr_assert_eq(m.loss, want);
    cr_assert_arr_eq(x, same, sizeof(x));
}

Test(head, binary_loss_weighs_labels)
{
    float x[4] = {0.5f, -1, 2, 0.25f}, y[4] = {1, NAN, 0, 1};
    const float label[2] = {0.5f, 1.5f}, each[2] = {8, 3};
    const struct bird_label_weights w = {
        .all = 1, .each = each, .label = label, .n_label = 2};
    struct bird_mean m;
    double want = 0.5 * (8 * log1p(exp(-0.5)) + 2 + log1p(exp(-2))) +
                  1.5 * 3 * log1p(exp(-0.25));

    bird_loss_binary(&m, x, y, 4, &w, 1);
    cr_assert_eq(m.n, 3);
    cr_assert_float_eq(m.loss, want / 3, 1e-9);
    cr_assert_float_eq(x[0], 0.5 * 8 * (1 / (1 + exp(-0.5)) - 1) / 3, 1e-6);
    cr_assert_eq(x[1], 0);
    cr_assert_float_eq(x[2], 0.5 / (1 + exp(-2)) / 3, 1e-6);
    cr_assert_float_eq(x[3], 1.5 * 3 * (1 / (1 + exp(-0.25)) - 1) / 3, 1e-6);
}

enum { ROWS = 2500, D = 8 };

struct model {
    struct bird_config c;
    struct bird_param *list;
    int64_t n, total, offset[3];
    float *theta, *grad;
    struct bird_weights w, g;
    struct bird_batch b;
    float x[ROWS * D], dx[ROWS * D];
    int32_t token[ROWS];
};

static void model_new(struct model *m, const struct bird_head_row *head)
{
    struct bird_rng r;

    memset(m, 0, sizeof(*m));
    bird_rng_init(&r, 1, 2, 3);
    bird_config_default(&m->c);
    m->c.hidden_size = D;
    m->c.n_layer = m->c.n_head = 1;
    m->c.intermediate_size = 8;
    m->c.vocab_size = 13;
    m->c.pad_id = 0;
    m->c.max_positions = 4096;
    m->c.n_label = 5;
    m->c.head = head;
    m->c.bin_bp = 10;
    WORKS(bird_params_list(&m->list, &m->n, &m->total, &m->c));
    WORKS(bird_array_new(&m->theta, m->total, 4));
    WORKS(bird_array_new(&m->grad, m->total, 4));
    bird_params_init(m->theta, m->list, m->n, &m->c, 1, NULL);
    WORKS(bird_weights_bind(&m->w, m->theta, m->list, m->n, &m->c));
    WORKS(bird_weights_bind(&m->g, m->grad, m->list, m->n, &m->c));
    m->offset[1] = 1000;
    m->offset[2] = ROWS;
    m->b = (struct bird_batch){.n_seq = 2, .offset = m->offset};
    for (int i = 0; i < ROWS * D; i++)
        m->x[i] = (float)bird_rng_normal(&r);
    for (int i = 0; i < ROWS; i++)
        m->token[i] = i % 7 == 3 ? -100 : i % 5;
}

static void model_free(struct model *m)
{
    bird_weights_free(&m->w);
    bird_weights_free(&m->g);
    free(m->list), free(m->theta), free(m->grad);
}

static int back(struct model *m, struct bird_loss *loss,
                const struct bird_labels *l,
                const struct bird_dropout_rates *dropout, float scale)
{
    return bird_head_backward(loss, m->dx, NULL, &m->g, &m->c, &m->w, m->x,
                              &m->b, l, dropout, scale);
}

/* Labelled rows beyond those held at a time: the mean is over all of them. */
Test(head, many_labelled_rows_are_one_mean)
{
    static const struct bird_head_row *const heads[] = {&bird_head_mlm,
                                                        &bird_head_token};

    for (int h = 0; h < 2; h++) {
        static struct model m;
        static float dx[ROWS * D];
        struct bird_labels l = {.token = m.token};
        struct bird_loss all, part[3];
        int32_t kept[ROWS];
        double sum = 0;
        float *grad;

        model_new(&m, heads[h]);
        WORKS(back(&m, &all, &l, NULL, 1));
        memcpy(dx, m.dx, sizeof(dx));
        memcpy(kept, m.token, sizeof(kept));
        WORKS(bird_array_new(&grad, m.total, 4));
        memcpy(grad, m.grad, (size_t)m.total * 4);
        memset(m.grad, 0, (size_t)m.total * 4);
        for (int k = 0; k < 3; k++) {
            int64_t n = 0;

            for (int i = 0; i < ROWS; i++) {
                m.token[i] = i % 3 == k ? kept[i] : -100;
                n += m.token[i] >= 0;
            }
            cr_assert_eq(
                back(&m, &part[k], &l, NULL, (float)n / (float)all.n_token), 0);
            cr_assert_eq(part[k].n_token, n);
            sum += part[k].loss * (double)n / (double)all.n_token;
            for (int i = 0; i < ROWS * D; i++)
                if (m.token[i / D] >= 0)
                    cr_assert_float_eq(dx[i], m.dx[i], 1e-8);
                else
                    cr_assert_eq(m.dx[i], 0);
        }
        cr_assert_float_eq(all.loss, sum, 1e-6);
        for (int64_t i = 0; i < m.total; i++)
            cr_assert_float_eq(grad[i], m.grad[i], 1e-6);
        free(grad);
        model_free(&m);
    }
}

/* Two weights are a mean of two means, rows beyond those held at a time too;
 * weights of 1 are none, to the bit. */
Test(head, weights_of_tokens_mix_the_means)
{
    static struct model m;
    static float dx[ROWS * D], weight[ROWS];
    struct bird_labels plain = {.token = m.token}, l = plain;
    struct bird_loss all, part;
    int32_t kept[ROWS];
    double sum = 0, weights = 0;

    model_new(&m, &bird_head_mlm);
    memcpy(kept, m.token, sizeof(kept));
    cr_assert_eq(back(&m, &part, &plain, NULL, 1), 0);
    memcpy(dx, m.dx, sizeof(dx));
    for (int i = 0; i < ROWS; i++)
        weight[i] = 1;
    l.token_weight = weight;
    cr_assert_eq(back(&m, &all, &l, NULL, 1), 0);
    cr_assert(all.loss == part.loss && !memcmp(dx, m.dx, sizeof(dx)));
    for (int i = 0; i < ROWS; i++) {
        weight[i] = i % 3 ? 1 : 0.1f; /* the first 700: 0 */
        weight[i] *= i >= 700;
        weights += m.token[i] >= 0 ? (double)weight[i] : 0;
    }
    cr_assert_eq(back(&m, &all, &l, NULL, 1), 0);
    memcpy(dx, m.dx, sizeof(dx));
    for (int k = 0; k < 2; k++) { /* those of 1, then those of 0.1 */
        double each = k ? (double)0.1f : 1, n = 0;

        for (int i = 0; i < ROWS; i++) {
            m.token[i] = i >= 700 && (i % 3 == 0) == k ? kept[i] : -100;
            n += m.token[i] >= 0;
        }
        cr_assert_eq(back(&m, &part, &plain, NULL, (float)(n * each / weights)),
                     0);
        sum += part.loss * n * each / weights;
        for (int i = 700 * D; i < ROWS * D; i++)
            if (m.token[i / D] >= 0)
                cr_assert_float_eq(dx[i], m.dx[i], 1e-8);
    }
    for (int i = 0; i < 700 * D; i++)
        cr_assert_eq(dx[i], 0);
    cr_assert_float_eq(all.loss, sum, 1e-6);
    model_free(&m);
}

/* The gradient of a dropped input is 0: in later rows as in the first ones,
 * and not at the same places. */
Test(head, token_dropout_goes_on_from_part_to_part)
{
    static struct model m;
    struct bird_dropout_rates dropout = {5, 0, 0, 0.5f};
    struct bird_labels l = {.token = m.token};
    struct bird_loss loss;
    int zero = 0, both = 0;

    model_new(&m, &bird_head_token);
    for (int i = 0; i < ROWS; i++)
        m.token[i] = 1;
    cr_assert_eq(back(&m, &loss, &l, &dropout, 1), 0);
    for (int i = 1024 * D; i < 2048 * D; i++) {
        zero += m.dx[i] == 0;
        both += m.dx[i] == 0 && m.dx[i - 1024 * D] == 0;
    }
    cr_assert(abs(zero - 512 * D) < 40 * D / 2, "%d", zero);
    cr_assert(abs(both - 256 * D) < 40 * D / 2, "%d", both);
    model_free(&m);
}

Test(head, labels_that_are_missing_or_wrong_are_named)
{
    static struct model m;
    struct bird_labels l = {0};
    struct bird_loss loss;
    int32_t class_id[2] = {-100, -100};

    model_new(&m, &bird_head_token);
    cr_assert_eq(back(&m, &loss, &l, NULL, 1), BIRD_EINVAL);
    l.token = m.token;
    m.token[2400] = 5;
    FAILS(BIRD_ERANGE, back(&m, &loss, &l, NULL, 1), "label 5");
    for (int i = 0; i < ROWS; i++)
        m.token[i] = -100;
    cr_assert_eq(back(&m, &loss, &l, NULL, 1), BIRD_EINVAL);
    model_free(&m);
    model_new(&m, &bird_head_linear_cls);
    cr_assert_eq(back(&m, &loss, &l, NULL, 1), BIRD_EINVAL);
    l.class_id = class_id;
    cr_assert_eq(back(&m, &loss, &l, NULL, 1), BIRD_EINVAL);
    class_id[1] = 5;
    cr_assert_eq(back(&m, &loss, &l, NULL, 1), BIRD_ERANGE);
    model_free(&m);
    model_new(&m, &bird_head_none);
    cr_assert_eq(back(&m, &loss, &l, NULL, 1), BIRD_EINVAL);
    model_free(&m);
}

Test(head, pretraining_without_a_known_pair_learns_the_rest)
{
    static struct model m;
    struct bird_labels l = {.token = m.token};
    struct bird_loss with, without;
    int32_t next[2] = {-100, -100};

    model_new(&m, &bird_head_pretrain);
    cr_assert_eq(back(&m, &without, &l, NULL, 1), 0);
    l.next = next;
    cr_assert_eq(back(&m, &with, &l, NULL, 1), 0);
    cr_assert_eq(with.loss, without.loss);
    cr_assert_eq(with.next, 0);
    next[1] = 1;
    cr_assert_eq(back(&m, &with, &l, NULL, 1), 0);
    cr_assert_float_eq(with.loss, with.mlm + with.next, 1e-12);
    cr_assert_gt(with.next, 0);
    model_free(&m);
}

/* The two losses of the pretraining head are weighed apart. */
Test(head, next_sentence_has_a_scale_of_its_own)
{
    static struct model m;
    int32_t next[2] = {1, 0};
    struct bird_labels l = {.token = m.token, .next = next};
    struct bird_loss loss;
    int64_t pooler, mlm;
    float at, other;

    model_new(&m, &bird_head_pretrain);
    pooler = bird_params_find(m.list, m.n, "bert.pooler.bias")->offset;
    mlm = bird_params_find(m.list, m.n, "cls.predictions.bias")->offset;
    cr_assert_eq(back(&m, &loss, &l, NULL, 0.5f), 0);
    at = m.grad[pooler];
    other = m.grad[mlm];
    cr_assert(at < 0 || at > 0);
    memset(m.grad, 0, (size_t)m.total * 4);
    l.next_scale = 0.125f;
    cr_assert_eq(back(&m, &loss, &l, NULL, 0.5f), 0);
    cr_assert_float_eq(m.grad[pooler], at / 4, 1e-9);
    cr_assert_eq(m.grad[mlm], other);
    model_free(&m);
}

/* More labelled rows than are held at a time: one by one they give the loss,
 * and the likeliest id is that of the logits. */
Test(head, nll_of_labelled_rows_makes_the_mean)
{
    static const struct bird_head_row *const heads[] = {&bird_head_mlm,
                                                        &bird_head_token};
    static double nll[ROWS];
    static int32_t best[ROWS];
    static float logits[ROWS * 13];

    for (int h = 0; h < 2; h++) {
        static struct model m;
        struct bird_labels l = {.token = m.token};
        struct bird_loss loss;
        int64_t n = 0, v;
        double sum = 0;

        model_new(&m, heads[h]);
        v = bird_head_columns(&m.c);
        cr_assert_eq(back(&m, &loss, &l, NULL, 1), 0);
        WORKS(bird_head_forward(logits, NULL, &m.c, &m.w, m.x, &m.b));
        WORKS(bird_head_nll(nll, best, &m.c, &m.w, m.x, &m.b, m.token));
        for (int i = 0; i < ROWS; i++) {
            int64_t top = 0;

            if (m.token[i] < 0)
                continue;
            for (int64_t j = 1; j < v; j++)
                top = logits[i * v + j] > logits[i * v + top] ? j : top;
            cr_assert_eq(best[n], top);
            sum += nll[n++];
        }
        cr_assert_eq(n, loss.n_token);
        cr_assert_float_eq(sum / (double)n, loss.mlm, 1e-9);
        m.token[2400] = 13;
        cr_assert_eq(bird_head_nll(nll, NULL, &m.c, &m.w, m.x, &m.b, m.token),
                     BIRD_ERANGE);
        for (int i = 0; i < ROWS; i++)
            m.token[i] = -100;
        cr_assert_eq(bird_head_nll(nll, NULL, &m.c, &m.w, m.x, &m.b, m.token),
                     BIRD_EINVAL);
        model_free(&m);
    }
}

/* The loss of n answers for hidden states x, in double; NaN: not known. */
static double loss_of(struct model *m, const float *value, int n)
{
    float logits[100];
    double loss = 0;
    int known = 0;

    WORKS(bird_head_forward(logits, NULL, &m->c, &m->w, m->x, &m->b));
    for (int i = 0; i < n; i++) {
        if (isnan(value[i]))
            continue;
        known++;
        loss += log1p(exp(-(double)logits[i])) +
                (value[i] > 0 ? 0 : (double)logits[i]);
    }
    return loss / known;
}

static double mean_loss(struct model *m, const float *value)
{
    return loss_of(m, value, 10);
}

Test(head, mean_of_all_tokens_but_padding)
{
    static uint8_t mask[ROWS];
    struct model m;
    float got[10], alone[10], sum[D] = {0};

    model_new(&m, &bird_head_mean_pooled);
    for (int i = 0; i < ROWS; i++)
        mask[i] = i < 1000 ? i % 5 != 1 : i < ROWS - 100;
    m.b.mask = mask;
    WORKS(bird_head_forward(got, NULL, &m.c, &m.w, m.x, &m.b));
    for (int i = 0; i < 1000; i++)
        for (int j = 0; mask[i] && j < D; j++)
            sum[j] += m.x[i * D + j] / 800;
    for (int k = 0; k < 5; k++) {
        double want = (double)m.w.classifier.b[k];

        for (int j = 0; j < D; j++)
            want += (double)sum[j] * (double)m.w.classifier.w[k * D + j];
        cr_assert_float_eq(got[k], want, 1e-6);
    }
    /* what stands in the padding is of no matter */
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; !mask[i] && j < D; j++)
            m.x[i * D + j] = 1e6f;
    WORKS(bird_head_forward(alone, NULL, &m.c, &m.w, m.x, &m.b));
    cr_assert_arr_eq(alone, got, sizeof(got));
    model_free(&m);
}

Test(head, mean_gradients_by_differences)
{
    static uint8_t mask[ROWS];
    const float value[10] = {0, 1, 1, 0, 1, 1, 0, 0, 0, 1};
    const struct bird_labels labels = {.value = value, .pos_weight = 1};
    const int64_t at[] = {0, 7, 999, 1000, ROWS - 1};
    struct bird_loss loss;
    struct model m;

    model_new(&m, &bird_head_mean_pooled);
    m.c.problem = BIRD_PROBLEM_MULTI_LABEL;
    for (int i = 0; i < ROWS; i++)
        mask[i] = i % 7 != 2;
    m.b.mask = mask;
    cr_assert_eq(back(&m, &loss, &labels, NULL, 1), 0);
    cr_assert_float_eq(loss.loss, mean_loss(&m, value), 1e-6);
    for (int i = 0; i < 5 * D; i++) {
        double high, low, step = 1e-2;
        float *w = m.w.classifier.w + i, kept = *w;

        *w = kept + (float)step, high = mean_loss(&m, value);
        *w = kept - (float)step, low = mean_loss(&m, value);
        *w = kept;
        cr_assert_float_eq(m.g.classifier.w[i], (high - low) / 2 / step, 1e-4);
    }
    for (size_t k = 0; k < sizeof(at) / sizeof(*at); k++)
        for (int j = 0; j < D; j++) {
            float *x = m.x + at[k] * D + j, kept = *x;
            double high, low, step = 100; /* of one of 1,000 tokens */

            *x = kept + (float)step, high = mean_loss(&m, value);
            *x = kept - (float)step, low = mean_loss(&m, value);
            *x = kept;
            cr_assert_float_eq(m.dx[at[k] * D + j] * 1000,
                               (high - low) / 2 / step * 1000, 1e-4);
        }
    for (int j = 0; j < D; j++)
        cr_assert_eq(m.dx[2 * D + j], 0, "padding has no gradient");
    model_free(&m);
}

/* Two sequences of rows with special tokens at their ends: 1000 rows of 3
 * bases, and 17 that step over bins of 10. */
static void bins_new(struct model *m, const struct bird_head_row *head,
                     int32_t *base, int64_t *bin)
{
    model_new(m, head);
    m->c.problem = BIRD_PROBLEM_MULTI_LABEL;
    m->offset[1] = 12;
    m->offset[2] = 19;
    bin[0] = 0;
    bin[1] = 3; /* 30 bases: rows of 3 */
    bin[2] = 7; /* 38 bases: words of 4, 17, 17 */
    for (int i = 0; i < 12; i++)
        base[i] = i && i < 11 ? 3 * (i - 1) : -1;
    memcpy(base + 12, (int32_t[]){-1, 0, 4, 21, -1, -1, -1}, 7 * sizeof(*base));
    m->b.base = base;
    m->b.bin = bin;
}

/* Rows of each bin by hand: base 27 begins the last row of bin 2; bin 1 of the
 * second sequence begins within the word at 4, bin 3 within that at 21. */
static const int bin_rows[7][2] = {{1, 5},   {5, 8},   {8, 11}, {13, 15},
                                   {14, 15}, {15, 16}, {15, 16}};

Test(head, bins_are_means_of_their_rows)
{
    static const struct bird_head_row *const heads[] = {
        &bird_head_bins, &bird_head_bins_maxmean};
    static uint8_t mask[ROWS];

    memset(mask, 1, sizeof(mask));
    mask[17] = mask[18] = 0;
    for (int h = 0; h < 2; h++) {
        static struct model m;
        int32_t base[19];
        int64_t bin[3];
        float got[35], in[2 * D];
        int wide = 1 + h;

        bins_new(&m, heads[h], base, bin);
        m.b.mask = mask;
        WORKS(bird_head_forward(got, NULL, &m.c, &m.w, m.x, &m.b));
        for (int k = 0; k < 7; k++) {
            int first = bin_rows[k][0], n = bin_rows[k][1] - first;

            for (int j = 0; j < D; j++) {
                float sum = 0, top = -INFINITY;

                for (int i = first; i < first + n; i++) {
                    sum += m.x[i * D + j];
                    top = fmaxf(top, m.x[i * D + j]);
                }
                in[j] = top;
                in[h * D + j] = sum / (float)n;
            }
            for (int l = 0; l < 5; l++) {
                double want = (double)m.w.classifier.b[l];

                for (int j = 0; j < wide * D; j++)
                    want += (double)in[j] *
                            (double)m.w.classifier.w[l * wide * D + j];
                cr_assert_float_eq(got[k * 5 + l], want, 1e-6, "%d %d", k, l);
            }
        }
        m.b.base = NULL;
        cr_assert_eq(bird_head_forward(got, NULL, &m.c, &m.w, m.x, &m.b),
                     BIRD_EINVAL);
        model_free(&m);
    }
}

Test(head, bins_without_rows_or_bases_have_the_nearest)
{
    static struct model m;
    int32_t base[19];
    int64_t bin[3] = {0, 2, 3};
    float got[15];

    bins_new(&m, &bird_head_bins, base, bin);
    bin[1] = 2, bin[2] = 3;
    for (int i = 0; i < 19; i++)
        base[i] = -1;
    WORKS(bird_head_forward(got, NULL, &m.c, &m.w, m.x, &m.b));
    base[3] = 15; /* of the first bin nothing was read */
    WORKS(bird_head_forward(got, NULL, &m.c, &m.w, m.x, &m.b));
    cr_assert_arr_eq(got, got + 5, 5 * sizeof(*got));
    model_free(&m);
}

/* Gradients of both parts of a head on groups of rows, by differences. */
static void check_groups(struct model *m, const struct bird_labels *l, int n,
                         int rows)
{
    int wide = m->c.head->wide > 1 ? 2 : 1;
    struct bird_loss loss;

    WORKS(back(m, &loss, l, NULL, 1));
    cr_assert_float_eq(loss.loss, loss_of(m, l->value, n), 1e-6);
    for (int i = 0; i < 5 * wide * D; i++) {
        double high, low, step = 1e-2;
        float *w = m->w.classifier.w + i, kept = *w;

        *w = kept + (float)step, high = loss_of(m, l->value, n);
        *w = kept - (float)step, low = loss_of(m, l->value, n);
        *w = kept;
        cr_assert_float_eq(m->g.classifier.w[i], (high - low) / 2 / step, 1e-4);
    }
    for (int i = 0; i < rows * D; i++) {
        double high, low, step = 1e-3;
        float *x = m->x + i, kept = *x;

        *x = kept + (float)step, high = loss_of(m, l->value, n);
        *x = kept - (float)step, low = loss_of(m, l->value, n);
        *x = kept;
        cr_assert_float_eq(m->dx[i], (high - low) / 2 / step, 2e-4, "%d", i);
    }
}

Test(head, bins_gradients_by_differences)
{
    static const struct bird_head_row *const heads[] = {
        &bird_head_bins, &bird_head_bins_maxmean};

    for (int h = 0; h < 2; h++) {
        static struct model m;
        float value[35];
        const struct bird_labels l = {.value = value, .pos_weight = 1};
        int32_t base[19];
        int64_t bin[3];

        for (int i = 0; i < 35; i++)
            value[i] = i % 4 == 1 ? NAN : (float)(i % 3 == 0);
        bins_new(&m, heads[h], base, bin);
        for (int64_t i = 0; i < m.total; i++)
            m.theta[i] *= 20; /* gradients that differences can see */
        check_groups(&m, &l, 35, 19);
        for (int j = 0; j < D; j++)
            cr_assert_eq(m.dx[j], 0, "[CLS] lies in no bin");
        model_free(&m);
    }
}

Test(head, maxmean_gradients_by_differences)
{
    static struct model m;
    static uint8_t mask[ROWS];
    float value[10] = {0, 1, 1, NAN, 1, 1, 0, 0, 0, 1};
    const struct bird_labels l = {.value = value, .pos_weight = 1};

    model_new(&m, &bird_head_maxmean);
    m.c.problem = BIRD_PROBLEM_MULTI_LABEL;
    m.offset[1] = 9;
    m.offset[2] = 16;
    memset(mask, 1, sizeof(mask));
    mask[0] = mask[15] = 0;
    m.b.mask = mask;
    for (int64_t i = 0; i < m.total; i++)
        m.theta[i] *= 20;
    check_groups(&m, &l, 10, 16);
    for (int j = 0; j < D; j++)
        cr_assert_eq(m.dx[j], 0, "padding has no gradient");
    model_free(&m);
}
