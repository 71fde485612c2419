/* Fitting the floors. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/baseline.h"
#include "eval/logistic_many.h"

/* Features kept in memory while fitting; the rest is counted again. */
#define KEEP_BYTES (INT64_C(512) << 20)

/* Strengths tried, from the strongest: each starts where the last ended. */
/* Rows that l2 is chosen on, about, of a larger set. */
enum { CHOOSE_ROWS = 20000 };

static const double grid[] = {1,    0.3,  0.1,  0.03, 0.01, 3e-3,
                              1e-3, 3e-4, 1e-4, 3e-5, 1e-5};
#define N_GRID                ((int)(sizeof(grid) / sizeof(grid[0])))
#define MOST_POSITION_WEIGHTS (INT64_C(16) << 20)
#define DEFAULT_L2            0.01 /* where nothing can be held out */
#define WORSE_TO_END          2    /* strengths in a row that do not help */

void bird_baseline_options_default(bird_baseline_options *o)
{
    *o = (bird_baseline_options){.hold_out = 0.1, .seed = 1};
}

struct source {
    const bird_baseline *b;
    enum bird_baseline_kind kind;
    const bird_dataset *d;
};

static void source_row(const void *context, struct bird_sparse *f, int64_t i)
{
    const struct source *s = context;

    bird_baseline_features(f, s->b, s->kind, bird_dataset_seq(s->d, i),
                           s->d->row[i].len);
}

/* One answer's targets as 0, 1 or NaN. */
static void column_target(float *y, const bird_dataset *d, int64_t n_column,
                          int64_t c)
{
    if (d->kind == BIRD_LABEL_MULTI) {
        bird_dataset_column(y, d, c);
        return;
    }
    for (int64_t i = 0; i < d->n; i++)
        y[i] = n_column == 1 ? d->row[i].label == 1 : d->row[i].label == c;
}

/* Answers from which on they are fitted together. */
enum { MANY = 8 };

static void row_targets(const void *context, float *y, int64_t i)
{
    const struct source *s = context;

    bird_dataset_labels(y, s->d, i);
}

/* What one answer is fitted with. */
struct fit {
    struct bird_design design;
    float *target;      /* (n) */
    uint8_t *use;       /* (n) */
    uint8_t *held;      /* (n) */
    double *v, *best_v; /* (n_feature+1) */
};

/* Walk down the grid; *l2 is the best on the held-out rows, best_v there. */
static int choose(double *l2, struct fit *f)
{
    size_t bytes = (size_t)(f->design.n_feature + 1) * sizeof(double);
    double best = (double)INFINITY, loss;
    int64_t step = f->design.n_row / CHOOSE_ROWS + 1;
    int rc = 0, worse = 0;

    /* every l2 is tried on some rows; the fit that counts has them all */
    for (int64_t i = 0; i < f->design.n_row; i++)
        f->use[i] = !f->held[i] && i % step == 0;
    *l2 = DEFAULT_L2;
    for (int k = 0; !rc && k < N_GRID && worse < WORSE_TO_END; k++) {
        rc = bird_logistic_fit(f->v, &f->design, f->target, f->use, grid[k],
                               1e-5);
        if (!rc)
            rc = bird_logistic_loss(&loss, &f->design, f->target, f->use, f->v);
        if (rc || isnan(loss))
            break;
        worse = loss < best ? 0 : worse + 1;
        if (worse)
            continue;
        best = loss;
        *l2 = grid[k];
        memcpy(f->best_v, f->v, bytes);
    }
    return rc;
}

static int fit_column(struct bird_floor *l, int64_t c, struct fit *f, double l2)
{
    int64_t m = f->design.n_feature;
    int rc = 0;

    memset(f->v, 0, (size_t)(m + 1) * sizeof(double));
    memset(f->best_v, 0, (size_t)(m + 1) * sizeof(double));
    if (!(l2 > 0))
        rc = choose(&l2, f);
    memset(f->use, 1, (size_t)f->design.n_row);
    if (!rc)
        rc = bird_logistic_fit(f->best_v, &f->design, f->target, f->use, l2,
                               1e-7);
    if (rc)
        return rc;
    for (int64_t j = 0; j <= m; j++)
        l->weight[c * (m + 1) + j] = (float)f->best_v[j];
    l->l2[c] = l2;
    return 0;
}

static int fit_floor(bird_baseline *b, enum bird_baseline_kind kind,
                     const bird_dataset *d, const bird_baseline_options *o)
{
    struct source s = {b, kind, d};
    struct bird_floor *l = &b->floor[kind];
    int64_t longest = 0, m = kind == BIRD_BASELINE_KMER
                                 ? BIRD_KMER_FEATURES
                                 : bird_position_features(b->length);
    struct fit f = {
        .design = {
            .n_row = d->n, .n_feature = m, .row = source_row, .context = &s}};
    int rc;

    for (int64_t i = 0; i < d->n; i++)
        longest = d->row[i].len > longest ? d->row[i].len : longest;
    f.design.max_row = bird_baseline_max_row(kind, longest);
    if (bird_array_new(&l->weight, b->n_column * (m + 1), sizeof(float)) ||
        bird_array_new(&l->l2, b->n_column, sizeof(double)) ||
        bird_array_new(&f.target, d->n, sizeof(float)) ||
        bird_array_new(&f.use, d->n, 1) || bird_array_new(&f.held, d->n, 1) ||
        bird_array_new(&f.v, m + 1, sizeof(double)) ||
        bird_array_new(&f.best_v, m + 1, sizeof(double)))
        rc = BIRD_ENOMEM;
    else
        rc = bird_design_keep(&f.design, KEEP_BYTES);
    if (!rc)
        rc = bird_dataset_mark_fraction(f.held, d, o->hold_out, o->seed);
    if (!rc && d->kind == BIRD_LABEL_MULTI && b->n_column >= MANY) {
        const struct bird_many many = {.design = &f.design,
                                       .target = row_targets,
                                       .context = &s,
                                       .n_answer = b->n_column,
                                       .held = f.held,
                                       .choose_step = d->n / CHOOSE_ROWS + 1,
                                       .grid = grid,
                                       .n_grid = N_GRID,
                                       .l2 = o->l2[kind],
                                       .stop = o->stop,
                                       .stop_context = o->stop_context};

        rc = bird_many_fit(l->weight, l->l2, &many);
        l->n_feature = m;
        goto done;
    }
    for (int64_t c = 0; !rc && c < b->n_column; c++) {
        if (o->stop && o->stop(o->stop_context)) {
            rc = bird_fail(BIRD_ECANCELED, "stopped");
            break;
        }
        column_target(f.target, d, b->n_column, c);
        rc = fit_column(l, c, &f, o->l2[kind]);
    }
    l->n_feature = m;
done:
    bird_design_free(&f.design);
    free(f.target);
    free(f.use);
    free(f.held);
    free(f.v);
    free(f.best_v);
    return rc;
}

/* The one length of all rows, where positions can be fitted; else 0. */
static int64_t common_length(const bird_dataset *d)
{
    int64_t n = d->row[0].len;

    for (int64_t i = 1; i < d->n; i++)
        if (d->row[i].len != n)
            return 0;
    return n >= 3 && n <= BIRD_POSITION_MAX ? n : 0;
}

int bird_baseline_fit(bird_baseline **out, const bird_dataset *train,
                      const bird_baseline_options *o)
{
    bird_baseline_options plain;
    bird_baseline *b = NULL;
    int rc;

    bird_baseline_options_default(&plain);
    o = o ? o : &plain;
    if (!train->n || train->kind == BIRD_LABEL_NONE)
        return bird_fail(BIRD_EINVAL, "a baseline needs labelled rows");
    if (!(o->hold_out >= 0 && o->hold_out < 1) || !(o->l2[0] >= 0) ||
        !(o->l2[1] >= 0))
        return bird_fail(BIRD_EINVAL, "a baseline's held-out share lies in 0 "
                                      "to 1 and its l2 is not negative");
    /* labelled bins have no strand */
    rc = bird_baseline_new(&b, train->kind, train->n_label,
                           o->canonical || train->hit_at);
    if (!rc)
        rc = fit_floor(b, BIRD_BASELINE_KMER, train, o);
    if (!rc) {
        b->length = train->hit_at ? 0 : common_length(train);
        if (b->length * 84 * b->n_column > MOST_POSITION_WEIGHTS)
            b->length = 0;
        if (b->length)
            rc = fit_floor(b, BIRD_BASELINE_POSITION, train, o);
    }
    if (rc)
        bird_baseline_free(b);
    else
        *out = b;
    return rc;
}
