/* Losses in double, gradients in place. SPDX-License-Identifier: MIT */
#include "head/loss.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"

static struct bird_mean mean_of(double sum, int64_t n)
{
    return (struct bird_mean){n ? sum / (double)n : (double)NAN, n};
}

struct rows {
    float *logits;
    const struct bird_loss_rows *of;
    double *loss;
    float scale;
};

static float weight_of(const struct bird_loss_rows *r, int64_t i)
{
    return r->weight ? r->weight[i] : 1;
}

/* -log softmax at the label; the gradient is softmax - onehot. */
static double row_loss(float *x, int64_t label, int64_t columns, float weight)
{
    double sum = 0, top = (double)x[0], at = (double)x[label];
    float each;

    for (int64_t j = 1; j < columns; j++)
        top = (double)x[j] > top ? (double)x[j] : top;
    for (int64_t j = 0; j < columns; j++) {
        double e = exp((double)x[j] - top);

        x[j] = (float)e;
        sum += e;
    }
    each = (float)((double)weight / sum);
    for (int64_t j = 0; j < columns; j++)
        x[j] *= each;
    x[label] -= weight;
    return log(sum) + top - at;
}

static void row_task(void *context, int64_t task, int worker)
{
    const struct rows *r = context;
    const struct bird_loss_rows *of = r->of;
    float *x = r->logits + task * of->columns;

    (void)worker;
    if (of->label[task] >= 0)
        r->loss[task] = row_loss(x, of->label[task], of->columns,
                                 r->scale * weight_of(of, task));
    else
        for (int64_t j = 0; j < of->columns; j++)
            x[j] = 0;
}

struct nll {
    double *nll;
    int32_t *best;
    const float *logits;
    const int32_t *label;
    int64_t columns;
};

static void nll_task(void *context, int64_t task, int worker)
{
    const struct nll *r = context;
    const float *x = r->logits + task * r->columns;
    int64_t best = 0;
    double sum = 0;

    (void)worker;
    for (int64_t j = 1; j < r->columns; j++)
        best = x[j] > x[best] ? j : best;
    for (int64_t j = 0; j < r->columns; j++)
        sum += exp((double)x[j] - (double)x[best]);
    r->nll[task] = log(sum) + (double)x[best] - (double)x[r->label[task]];
    if (r->best)
        r->best[task] = (int32_t)best;
}

/* "label 5 is outside the model's 3 classes, 0 to 2" */
static int check_labels(const int32_t *label, int64_t rows, int64_t columns,
                        int64_t least)
{
    for (int64_t i = 0; i < rows; i++)
        if (label[i] >= columns || label[i] < least)
            return bird_fail(BIRD_ERANGE,
                             "label %d is outside the model's %lld classes, "
                             "0 to %lld",
                             label[i], (long long)columns,
                             (long long)columns - 1);
    return 0;
}

int bird_loss_nll(double *nll, int32_t *best, const float *logits,
                  const int32_t *label, int64_t rows, int64_t columns)
{
    struct nll r = {nll, best, logits, label, columns};
    int rc = check_labels(label, rows, columns, 0);

    if (!rc)
        bird_parallel(rows, nll_task, &r);
    return rc;
}

int bird_loss_weighted(struct bird_mean *out, float *logits,
                       const struct bird_loss_rows *rows, float scale)
{
    double sum = 0, weights = 0;
    int64_t known = 0;
    struct rows r = {.logits = logits, .of = rows};
    int rc = check_labels(rows->label, rows->n, rows->columns, INT32_MIN);

    if (rc || (rc = bird_array_new(&r.loss, rows->n, sizeof(*r.loss))))
        return rc;
    for (int64_t i = 0; i < rows->n; i++) {
        known += rows->label[i] >= 0;
        weights += rows->label[i] >= 0 ? (double)weight_of(rows, i) : 0;
    }
    r.scale = weights > 0 ? scale / (float)weights : 0;
    bird_parallel(rows->n, row_task, &r);
    for (int64_t i = 0; i < rows->n; i++)
        sum += r.loss[i] * (double)weight_of(rows, i);
    free(r.loss);
    out->n = known;
    out->loss = weights > 0 ? sum / weights : known ? 0 : (double)NAN;
    return 0;
}

int bird_loss_cross_entropy(struct bird_mean *out, float *logits,
                            const int32_t *label, int64_t rows, int64_t columns,
                            float scale)
{
    const struct bird_loss_rows r = {label, NULL, rows, columns};

    return bird_loss_weighted(out, logits, &r, scale);
}

static int64_t count_known(const float *label, int64_t count)
{
    int64_t known = 0;

    for (int64_t i = 0; i < count; i++)
        known += !isnan(label[i]);
    return known;
}

void bird_loss_binary(struct bird_mean *out, float *logits, const float *label,
                      int64_t count, const struct bird_label_weights *weight,
                      float scale)
{
    double sum = 0;
    int64_t known = count_known(label, count);

    for (int64_t i = 0; i < count; i++) {
        double x = (double)logits[i], y = (double)label[i], p, soft, w, own;

        if (isnan(y)) {
            logits[i] = 0;
            continue;
        }
        w = (double)(weight->each ? weight->each[i % weight->n_label]
                                  : weight->all);
        own = weight->label ? (double)weight->label[i % weight->n_label] : 1;
        /* loss = (1-y) x + (1 + (w-1) y) log(1 + e^-x) */
        w = 1 + (w - 1) * y;
        soft = x > 0 ? log1p(exp(-x)) : log1p(exp(x)) - x;
        p = 1 / (1 + exp(-x));
        sum += own * ((1 - y) * x + w * soft);
        logits[i] = (float)(((1 - y) - w * (1 - p)) * own * (double)scale /
                            (double)known);
    }
    *out = mean_of(sum, known);
}

static double weight_of_row(const struct bird_loss_values *v, int64_t i)
{
    return v->weight ? (double)v->weight[i] : 1;
}

double bird_log_variance(double x)
{
    const double b = BIRD_LOG_VARIANCE_MOST;

    return isfinite(x) ? b * tanh(x / b) : (double)NAN;
}

/* The loss of one value, and its gradient in the place of mean and logit. */
static double value_loss(float *mean, float *logit, double y, double scale)
{
    static const double log_two_pi = 1.8378770664093453;
    double s = bird_log_variance((double)*logit);
    double t = s / BIRD_LOG_VARIANCE_MOST, d = (double)*mean - y;
    double precision = exp(-s), square = d * d * precision;

    *mean = (float)(d * precision * scale);
    *logit = (float)((1 - square) / 2 * (1 - t * t) * scale);
    return (square + s + log_two_pi) / 2;
}

void bird_loss_gaussian(struct bird_mean *out, float *logits,
                        const struct bird_loss_values *values, float scale)
{
    double sum = 0;
    int64_t columns = values->columns;
    int64_t known = count_known(values->value, values->n * columns);

    for (int64_t i = 0; i < values->n; i++) {
        float *mean = logits + i * 2 * columns, *logit = mean + columns;
        const float *y = values->value + i * columns;
        double w = weight_of_row(values, i);

        for (int64_t k = 0; k < columns; k++) {
            if (isnan(y[k]))
                mean[k] = logit[k] = 0;
            else
                sum += w * value_loss(&mean[k], &logit[k], (double)y[k],
                                      w * (double)scale / (double)known);
        }
    }
    *out = mean_of(sum, known);
}

void bird_loss_square(struct bird_mean *out, float *logits,
                      const struct bird_loss_values *values, float scale)
{
    double sum = 0;
    int64_t columns = values->columns, count = values->n * columns;
    int64_t known = count_known(values->value, count);

    for (int64_t i = 0; i < count; i++) {
        double d = (double)logits[i] - (double)values->value[i];
        double w = weight_of_row(values, i / columns);

        if (isnan(values->value[i])) {
            logits[i] = 0;
            continue;
        }
        sum += w * d * d;
        logits[i] = (float)(2 * w * d * (double)scale / (double)known);
    }
    *out = mean_of(sum, known);
}
