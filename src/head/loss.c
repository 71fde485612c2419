/* Losses in double, gradients in place. SPDX-License-Identifier: MIT */
#include "head/loss.h"

#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"

struct rows {
    float *logits;
    const int32_t *label;
    double *loss; /* NULL: gradient pass */
    int64_t columns;
    float weight;
};

/* -log softmax at the label; the gradient is softmax - onehot. */
static double row_loss(float *x, int64_t label, int64_t columns, float weight)
{
    double sum = 0, top = (double)x[0], loss;

    for (int64_t j = 1; j < columns; j++)
        top = (double)x[j] > top ? (double)x[j] : top;
    for (int64_t j = 0; j < columns; j++)
        sum += exp((double)x[j] - top);
    loss = log(sum) + top - (double)x[label];
    for (int64_t j = 0; j < columns; j++)
        x[j] = weight * (float)(exp((double)x[j] - top) / sum);
    x[label] -= weight;
    return loss;
}

static void row_task(void *context, int64_t task, int worker)
{
    const struct rows *r = context;
    float *x = r->logits + task * r->columns;

    (void)worker;
    if (r->label[task] >= 0)
        r->loss[task] = row_loss(x, r->label[task], r->columns, r->weight);
    else
        for (int64_t j = 0; j < r->columns; j++)
            x[j] = 0;
}

double bird_loss_cross_entropy(float *logits, const int32_t *label, int64_t *n,
                               int64_t rows, int64_t columns, float scale)
{
    double sum = 0;
    int64_t known = 0;
    struct rows r = {logits, label, NULL, columns, 0};

    for (int64_t i = 0; i < rows; i++)
        known += label[i] >= 0;
    *n = known;
    r.loss = calloc((size_t)rows + 1, sizeof(*r.loss));
    if (!r.loss)
        return NAN;
    r.weight = known ? scale / (float)known : 0;
    bird_parallel(rows, row_task, &r);
    for (int64_t i = 0; i < rows; i++)
        sum += r.loss[i];
    free(r.loss);
    return known ? sum / (double)known : (double)NAN;
}

double bird_loss_binary(float *logits, const float *label, int64_t *n,
                        int64_t count, float pos_weight, float scale)
{
    double sum = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < count; i++)
        known += !isnan(label[i]);
    *n = known;
    for (int64_t i = 0; i < count; i++) {
        double x = (double)logits[i], y = (double)label[i], p, soft, w;

        if (isnan(y)) {
            logits[i] = 0;
            continue;
        }
        /* loss = (1-y) x + (1 + (w-1) y) log(1 + e^-x) */
        w = 1 + ((double)pos_weight - 1) * y;
        soft = x > 0 ? log1p(exp(-x)) : log1p(exp(x)) - x;
        p = 1 / (1 + exp(-x));
        sum += (1 - y) * x + w * soft;
        logits[i] =
            (float)(((1 - y) - w * (1 - p)) * (double)scale / (double)known);
    }
    return known ? sum / (double)known : (double)NAN;
}

double bird_loss_square(float *logits, const float *label, int64_t *n,
                        int64_t count, float scale)
{
    double sum = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < count; i++)
        known += !isnan(label[i]);
    *n = known;
    for (int64_t i = 0; i < count; i++) {
        double d = (double)logits[i] - (double)label[i];

        if (isnan(label[i])) {
            logits[i] = 0;
            continue;
        }
        sum += d * d;
        logits[i] = (float)(2 * d * (double)scale / (double)known);
    }
    return known ? sum / (double)known : (double)NAN;
}
