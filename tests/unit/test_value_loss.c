/* Losses of measured values: squared error, and the likelihood of a normal
 * distribution, against formulas in double and differences.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "head/loss.h"

Test(value_loss, square_loss)
{
    float x[3] = {1, 2, 3}, y[3] = {3, NAN, 3};
    struct bird_mean m;

    bird_loss_square(&m, x, &(struct bird_loss_values){y, NULL, 3, 1}, 1);
    cr_assert_float_eq(m.loss, 2, 1e-12);
    cr_assert_float_eq(x[0], -2, 1e-6);
    cr_assert_eq(x[1], 0);
    cr_assert_eq(x[2], 0);
}

/* -log of the normal density, and its gradient by differences, for logits of
 * the log variance within and beyond its bounds. */
static double density_loss(double mean, double logit, double y)
{
    double sd = exp(8 * tanh(logit / 8) / 2), z = (y - mean) / sd;

    return z * z / 2 + log(sd * sqrt(2 * M_PI));
}

Test(value_loss, gaussian_loss_is_that_of_the_density)
{
    static const float start[8] = {1, -2, 0.5f, -1, 3, 0, 20, 30};
    static const float y[4] = {0.25f, -2.5f, NAN, 1.5f};
    const struct bird_loss_values v = {y, NULL, 2, 2};
    const double h = 1e-5;
    float x[8];
    struct bird_mean m;
    double want = 0;

    memcpy(x, start, sizeof(x));
    bird_loss_gaussian(&m, x, &v, 3);
    cr_assert_eq(m.n, 3);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double a = (double)start[4 * i + k];
            double b = (double)start[4 * i + 2 + k];
            double t = (double)y[2 * i + k];
            double da = density_loss(a + h, b, t) - density_loss(a - h, b, t);
            double db = density_loss(a, b + h, t) - density_loss(a, b - h, t);

            if (isnan(t)) {
                cr_assert(x[4 * i + k] == 0 && x[4 * i + 2 + k] == 0);
                continue;
            }
            want += density_loss(a, b, t) / 3;
            cr_assert_float_eq(x[4 * i + k], da / (2 * h), 1e-6);
            cr_assert_float_eq(x[4 * i + 2 + k], db / (2 * h), 1e-6);
        }
    cr_assert_float_eq(m.loss, want, 1e-12);
}

/* A weight multiplies a row's loss and gradient; the divisor stays the number of
 * known values. */
Test(value_loss, weights_multiply_the_loss_of_a_row)
{
    static const float y[4] = {0.25f, -2.5f, NAN, 1.5f}, weight[2] = {3, 0.5f};
    static const float start[8] = {1, -2, 0.5f, -1, 3, 0, 2, 1};
    float x[8], plain[8];
    struct bird_mean m;

    memcpy(x, start, sizeof(x));
    bird_loss_square(&m, x, &(struct bird_loss_values){y, weight, 2, 2}, 2);
    cr_assert_eq(m.n, 3);
    cr_assert_float_eq(m.loss, (3 * .5625 + 3 * .25 + .5 * 6.25) / 3, 1e-12);
    cr_assert_float_eq(x[0], 2 * 2 * 3 * .75 / 3, 1e-6);
    cr_assert_float_eq(x[3], 2 * 2 * .5 * -2.5 / 3, 1e-6);
    memcpy(x, start, sizeof(x));
    memcpy(plain, start, sizeof(plain));
    bird_loss_gaussian(&m, x, &(struct bird_loss_values){y, weight, 2, 2}, 2);
    cr_assert_float_eq(m.loss,
                       (3 * density_loss(1, .5, .25) +
                        3 * density_loss(-2, -1, -2.5) +
                        .5 * density_loss(0, 1, 1.5)) /
                           3,
                       1e-12);
    bird_loss_gaussian(&m, plain, &(struct bird_loss_values){y, NULL, 2, 2}, 2);
    for (int i = 0; i < 8; i++)
        cr_assert_float_eq(x[i], plain[i] * weight[i / 4], 1e-6);
}

Test(value_loss, gaussian_loss_of_nothing_known)
{
    float x[2] = {1, 2}, y[1] = {NAN};
    struct bird_mean m;

    bird_loss_gaussian(&m, x, &(struct bird_loss_values){y, NULL, 1, 1}, 1);
    cr_assert(isnan(m.loss) && m.n == 0 && x[0] == 0 && x[1] == 0);
    cr_assert(isnan(bird_log_variance((double)INFINITY)));
    cr_assert(isnan(bird_log_variance((double)NAN)));
}
