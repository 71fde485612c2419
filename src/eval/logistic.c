/* Sparse logistic regression. SPDX-License-Identifier: MIT */
#include "eval/logistic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/lbfgs.h"

#define N_CHUNK 32
#define N_BLOCK 16 /* parts of the features when chunks are summed */

/* One pass over all rows, in chunks with sums of their own. */
struct pass {
    const struct bird_design *d;
    const float *target;
    const uint8_t *use;
    int want_use; /* rows whose use is this */
    double l2;
    const double *w; /* (n_feature+1) raw weights */
    double *part;    /* (N_CHUNK, n_feature) */
    double loss[N_CHUNK], residual[N_CHUNK], n[N_CHUNK];
    struct bird_sparse *scratch; /* (workers) */
    double *total;               /* (n_feature) the sums of parts */
};

int bird_sparse_new(struct bird_sparse *out, int64_t n)
{
    *out = (struct bird_sparse){0};
    return bird_array_new(&out->index, n, sizeof(*out->index)) ||
                   bird_array_new(&out->value, n, sizeof(*out->value))
               ? BIRD_ENOMEM
               : 0;
}

void bird_sparse_free(struct bird_sparse *f)
{
    free(f->index);
    free(f->value);
}

void bird_design_row(struct bird_sparse *out, const struct bird_design *d,
                     int64_t i, struct bird_sparse *scratch)
{
    if (i < d->n_kept) {
        out->index = d->index + d->at[i];
        out->value = d->value + d->at[i];
        out->n = d->at[i + 1] - d->at[i];
        return;
    }
    d->row(d->context, scratch, i);
    *out = *scratch;
}

static void chunk_rows(int64_t *from, int64_t *to, const struct pass *p,
                       int64_t chunk)
{
    int64_t n = (p->d->n_row + N_CHUNK - 1) / N_CHUNK;

    *from = chunk * n < p->d->n_row ? chunk * n : p->d->n_row;
    *to = *from + n < p->d->n_row ? *from + n : p->d->n_row;
}

/* Loss, residual and (when asked for) gradient of one chunk. */
static void learn_chunk(void *context, int64_t chunk, int worker)
{
    struct pass *p = context;
    int64_t m = p->d->n_feature, from, to;
    double *g = p->part ? p->part + chunk * m : NULL;
    struct bird_sparse f;

    p->loss[chunk] = p->residual[chunk] = p->n[chunk] = 0;
    if (g)
        memset(g, 0, (size_t)m * sizeof(*g));
    chunk_rows(&from, &to, p, chunk);
    for (int64_t i = from; i < to; i++) {
        double y = (double)p->target[i], z = p->w[m], r;

        if (isnan(y) || (p->use[i] != 0) != p->want_use)
            continue;
        bird_design_row(&f, p->d, i, &p->scratch[worker]);
        for (int64_t k = 0; k < f.n; k++)
            z += p->w[f.index[k]] * (double)f.value[k];
        p->loss[chunk] += (z > 0 ? z + log1p(exp(-z)) : log1p(exp(z))) - y * z;
        r = 1 / (1 + exp(-z)) - y;
        p->residual[chunk] += r;
        p->n[chunk] += 1;
        for (int64_t k = 0; g && k < f.n; k++)
            g[f.index[k]] += r * (double)f.value[k];
    }
}

static void sum_block(void *context, int64_t block, int worker)
{
    struct pass *p = context;
    int64_t m = p->d->n_feature, n = (m + N_BLOCK - 1) / N_BLOCK;
    int64_t to = (block + 1) * n < m ? (block + 1) * n : m;

    (void)worker;
    for (int64_t j = block * n; j < to; j++) {
        double sum = 0;

        for (int64_t c = 0; c < N_CHUNK; c++)
            sum += p->part[c * m + j];
        p->total[j] = sum;
    }
}

static double sum_chunks(const double *x)
{
    double sum = 0;

    for (int c = 0; c < N_CHUNK; c++)
        sum += x[c];
    return sum;
}

static void pass_free(struct pass *p)
{
    for (int i = 0; p->scratch && i < bird_threads(); i++)
        bird_sparse_free(&p->scratch[i]);
    free(p->scratch);
    free(p->part);
}

static int pass_new(struct pass *p, const struct bird_design *d, int gradient)
{
    int bad;

    *p = (struct pass){.d = d, .want_use = 1};
    bad = bird_array_new(&p->scratch, bird_threads(), sizeof(*p->scratch));
    for (int i = 0; !bad && i < bird_threads(); i++)
        bad = bird_sparse_new(&p->scratch[i], d->max_row);
    if (!bad && gradient)
        bad = bird_array_new(&p->part, N_CHUNK * d->n_feature, sizeof(double));
    if (bad)
        pass_free(p);
    return bad ? BIRD_ENOMEM : 0;
}

/* --- the design --------------------------------------------------------- */

void bird_design_free(struct bird_design *d)
{
    free(d->at);
    free(d->index);
    free(d->value);
    d->at = NULL;
    d->index = NULL;
    d->value = NULL;
    d->n_kept = 0;
}

int bird_design_keep(struct bird_design *d, int64_t max_bytes)
{
    struct bird_sparse f;
    int64_t cap_index = 0, cap_value = 0, n = 0;
    int64_t max = max_bytes / (int64_t)(sizeof(int32_t) + sizeof(float));
    int rc = bird_sparse_new(&f, d->max_row);

    if (!rc)
        rc = bird_array_new(&d->at, d->n_row + 1, sizeof(*d->at));
    for (int64_t i = 0; !rc && i < d->n_row; i++) {
        d->row(d->context, &f, i);
        if (n + f.n > max)
            break;
        rc = bird_array_grow(&d->index, &cap_index, n + f.n, sizeof(int32_t));
        if (!rc)
            rc = bird_array_grow(&d->value, &cap_value, n + f.n, sizeof(float));
        if (rc)
            break;
        memcpy(d->index + n, f.index, (size_t)f.n * sizeof(int32_t));
        memcpy(d->value + n, f.value, (size_t)f.n * sizeof(float));
        n += f.n;
        d->at[i + 1] = n;
        d->n_kept = i + 1;
    }
    bird_sparse_free(&f);
    if (rc)
        bird_design_free(d);
    return rc;
}

/* --- fitting ------------------------------------------------------------ */

static double objective(void *context, double *g, const double *v)
{
    struct pass *p = context;
    int64_t m = p->d->n_feature;
    double n, residual, penalty = 0;

    p->w = v;
    bird_parallel(N_CHUNK, learn_chunk, p);
    p->total = g;
    bird_parallel(N_BLOCK, sum_block, p);
    n = sum_chunks(p->n);
    n = n > 0 ? n : 1;
    residual = sum_chunks(p->residual);
    for (int64_t j = 0; j < m; j++) {
        g[j] = g[j] / n + p->l2 * v[j];
        penalty += v[j] * v[j];
    }
    g[m] = residual / n;
    return sum_chunks(p->loss) / n + p->l2 / 2 * penalty;
}

int bird_logistic_fit(double *v, const struct bird_design *d,
                      const float *target, const uint8_t *use, double l2,
                      double decrease)
{
    struct bird_lbfgs l = {
        .max_step = 500, .tolerance = 1e-5, .decrease = decrease};
    struct pass p;
    int rc = pass_new(&p, d, 1);

    if (rc)
        return rc;
    p.target = target;
    p.use = use;
    p.l2 = l2;
    rc = bird_lbfgs_run(&l, v, d->n_feature + 1, objective, &p);
    pass_free(&p);
    return rc;
}

int bird_logistic_loss(double *out, const struct bird_design *d,
                       const float *target, const uint8_t *use, const double *v)
{
    struct pass p;
    double n;
    int rc = pass_new(&p, d, 0);

    if (rc)
        return rc;
    p.target = target;
    p.use = use;
    p.want_use = 0;
    p.w = v;
    bird_parallel(N_CHUNK, learn_chunk, &p);
    n = sum_chunks(p.n);
    *out = n > 0 ? sum_chunks(p.loss) / n : (double)NAN;
    pass_free(&p);
    return 0;
}
