/* Backgrounds of differences: made from samples, written, read, and looked up
 * by binary search. Only chosen ranks are kept: the tail exactly, the rest in
 * steps that grow by a constant factor, so that the file stays small for any
 * number of samples. SPDX-License-Identifier: MIT */
#include "session/calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "session/calibration_file.h"

/* Largest differences that are all kept, before steps between ranks grow. */
enum { EXACT = 256 };

void bird_calibration_free(struct bird_calibration *c)
{
    free(c->rank);
    free(c->magnitude);
    free(c->edge);
    free(c->scale);
    free(c->about);
    *c = (struct bird_calibration){0};
}

/* Ranks 0, 1, 2 ..., then ranks that grow by a constant factor to the last. */
static int choose_ranks(struct bird_calibration *c)
{
    int64_t most =
        c->n < BIRD_CALIBRATION_RANKS ? c->n : BIRD_CALIBRATION_RANKS;
    double factor = 1;
    int rc = bird_array_new(&c->rank, most, sizeof(*c->rank));

    if (rc)
        return rc;
    if (c->n > most)
        factor =
            pow((double)(c->n - 1) / (EXACT - 1), 1.0 / (double)(most - EXACT));
    for (int64_t i = 0; i < most; i++) {
        int64_t r = i;

        if (c->n > most && i >= EXACT)
            r = (int64_t)llround((EXACT - 1) *
                                 pow(factor, (double)(i - EXACT + 1)));
        if (i == most - 1)
            r = c->n - 1;
        if (!c->n_rank || r > c->rank[c->n_rank - 1])
            c->rank[c->n_rank++] = r;
    }
    return 0;
}

static int rising(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The value at a quantile of n rising values. */
static float quantile(const float *sorted, int64_t n, double q)
{
    int64_t k = (int64_t)ceil(q * (double)n);

    return sorted[k > 0 ? k - 1 : 0];
}

static int64_t stratum_of(const float *edge, int64_t n_stratum, float ref)
{
    int64_t s = 0;

    while (s < n_stratum - 1 && ref > edge[s])
        s++;
    return s;
}

static void make_edges(float *edge, float *sorted,
                       const struct bird_calibration_changes *x, int64_t f)
{
    static const double at[BIRD_CALIBRATION_STRATA - 1] = {.2, .4, .6, .8, .9};

    for (int64_t i = 0; i < x->n; i++)
        sorted[i] = x->ref[i * x->n_feature + f];
    qsort(sorted, (size_t)x->n, sizeof(*sorted), rising);
    for (int s = 0; s < BIRD_CALIBRATION_STRATA - 1; s++)
        edge[s] = quantile(sorted, x->n, at[s]);
}

/* Sizes of differences by cell: cell k has those of start[k] .. start[k + 1]. */
struct cells {
    int64_t n;        /* classes times strata */
    int64_t *start;   /* (n + 1) */
    int64_t *at;      /* (n) */
    int32_t *cell_of; /* (changes) */
    float *size;      /* (changes) sorted within a cell */
    float *all;       /* (changes) */
};

static void free_cells(struct cells *g)
{
    free(g->start);
    free(g->at);
    free(g->cell_of);
    free(g->size);
    free(g->all);
}

static int new_cells(struct cells *g, int64_t n, int64_t n_change)
{
    int rc = 0;

    g->n = n;
    if ((rc = bird_array_new(&g->start, n + 1, sizeof(*g->start))) ||
        (rc = bird_array_new(&g->at, n, sizeof(*g->at))) ||
        (rc = bird_array_new(&g->cell_of, n_change, sizeof(*g->cell_of))) ||
        (rc = bird_array_new(&g->size, n_change, sizeof(*g->size))) ||
        (rc = bird_array_new(&g->all, n_change, sizeof(*g->all))))
        free_cells(g);
    return rc;
}

/* Put the changes of feature f into cells. */
static void fill_cells(struct cells *g, const struct bird_calibration *c,
                       const struct bird_calibration_changes *x, int64_t f)
{
    const float *edge = c->edge + f * (c->n_stratum - 1);

    memset(g->start, 0, (size_t)(g->n + 1) * sizeof(*g->start));
    for (int64_t i = 0; i < x->n; i++) {
        float ref = x->ref ? x->ref[i * x->n_feature + f] : 0;

        g->cell_of[i] = (int32_t)(x->class_of[i] * c->n_stratum +
                                  stratum_of(edge, c->n_stratum, ref));
        g->start[g->cell_of[i] + 1]++;
    }
    for (int64_t k = 0; k < g->n; k++) {
        g->start[k + 1] += g->start[k];
        g->at[k] = g->start[k];
    }
    for (int64_t i = 0; i < x->n; i++) {
        g->all[i] = fabsf(x->diff[i * x->n_feature + f]);
        g->size[g->at[g->cell_of[i]]++] = g->all[i];
    }
    qsort(g->all, (size_t)x->n, sizeof(*g->all), rising);
}

/* The scale of n sizes, which are sorted; `other` where they are few, or are
 * nearly all 0. */
static float scale_of(float *size, int64_t n, float other)
{
    float q;

    if (n < BIRD_CALIBRATION_FEW)
        return other;
    qsort(size, (size_t)n, sizeof(*size), rising);
    q = quantile(size, n, .95);
    return q > 0 ? q : other;
}

static void make_scales(float *scale, struct cells *g, int64_t n_stratum,
                        int64_t n)
{
    float whole = scale_of(g->all, n, 1);

    for (int64_t k = 0; k < g->n; k += n_stratum) {
        int64_t first = g->start[k], m = g->start[k + n_stratum] - first;
        float of_class = scale_of(g->size + first, m, whole);

        for (int64_t s = k; s < k + n_stratum; s++)
            scale[s] = m ? of_class : 0;
    }
}

/* After make_scales() the sizes of a class are sorted: fill the cells again. */
static void make_strata(float *scale, struct cells *g)
{
    for (int64_t k = 0; k < g->n; k++)
        if (scale[k] > 0)
            scale[k] = scale_of(g->size + g->start[k],
                                g->start[k + 1] - g->start[k], scale[k]);
}

static void make_feature(struct bird_calibration *c, struct cells *g,
                         const struct bird_calibration_changes *x, int64_t f)
{
    float *scale = c->scale + f * g->n;

    if (x->ref)
        make_edges(c->edge + f * (c->n_stratum - 1), g->all, x, f);
    fill_cells(g, c, x, f);
    make_scales(scale, g, c->n_stratum, x->n);
    fill_cells(g, c, x, f);
    make_strata(scale, g);
    for (int64_t i = 0; i < x->n; i++)
        g->all[i] = fabsf(x->diff[i * x->n_feature + f]) / scale[g->cell_of[i]];
    qsort(g->all, (size_t)x->n, sizeof(*g->all), rising);
    for (int64_t k = 0; k < c->n_rank; k++)
        c->magnitude[f * c->n_rank + k] = g->all[x->n - 1 - c->rank[k]];
}

int bird_calibration_make(struct bird_calibration *out,
                          const struct bird_calibration_changes *x)
{
    struct bird_calibration c = {.n = x->n,
                                 .n_feature = x->n_feature,
                                 .n_class = x->n_class,
                                 .n_stratum =
                                     x->ref ? BIRD_CALIBRATION_STRATA : 1};
    struct cells g = {0};
    int64_t n_cell = c.n_class * c.n_stratum;
    int rc;

    if (x->n < 1 || x->n_feature < 1 || x->n_class < 1)
        return bird_fail(BIRD_EINVAL, "a background of no variants");
    if ((rc = choose_ranks(&c)) ||
        (rc = bird_array_new(&c.magnitude, c.n_feature * c.n_rank,
                             sizeof(*c.magnitude))) ||
        (rc = bird_array_new(&c.edge, c.n_feature * (c.n_stratum - 1),
                             sizeof(*c.edge))) ||
        (rc = bird_array_new(&c.scale, c.n_feature * n_cell,
                             sizeof(*c.scale))) ||
        (rc = new_cells(&g, n_cell, x->n)))
        goto done;
    for (int64_t f = 0; f < c.n_feature; f++)
        make_feature(&c, &g, x, f);
    free_cells(&g);
done:
    if (rc)
        bird_calibration_free(&c);
    else
        *out = c;
    return rc;
}

int bird_calibration_has(const struct bird_calibration *c, int64_t change_class)
{
    return c && change_class < c->n_class &&
           c->scale[change_class * c->n_stratum] > 0;
}

/* --- the file ------------------------------------------------------------ */

int bird_calibration_write(const struct bird_calibration *c, const char *path)
{
    const struct bird_calibration_settings *w = &c->settings;
    char n[32], window[32], span[32];
    const char *const meta[] = {
        "model",      w->digest,
        "variants",   n,
        "window",     window,
        "strands",    w->plus && w->minus ? "both" : w->plus ? "+" : "-",
        "tokens",     bird_tokens_name(w->tokens),
        "precision",  bird_precision_name(w->precision),
        "background", c->about ? c->about : "",
        "shifts",     w->shifts,
        "span",       span};
    int64_t n_meta = sizeof(meta) / sizeof(*meta) / 2;
    size_t f = (size_t)c->n_feature;

    struct bird_tensor t[] = {
        {.name = "rank",
         .dtype = BIRD_I64,
         .n_dim = 1,
         .shape = {c->n_rank},
         .data = c->rank,
         .size = (size_t)c->n_rank * sizeof(*c->rank)},
        {.name = "magnitude",
         .dtype = BIRD_F32,
         .n_dim = 2,
         .shape = {c->n_feature, c->n_rank},
         .data = c->magnitude,
         .size = f * (size_t)c->n_rank * sizeof(float)},
        {.name = "edge",
         .dtype = BIRD_F32,
         .n_dim = 2,
         .shape = {c->n_feature, c->n_stratum - 1},
         .data = c->edge,
         .size = f * (size_t)(c->n_stratum - 1) * sizeof(float)},
        {.name = "scale",
         .dtype = BIRD_F32,
         .n_dim = 3,
         .shape = {c->n_feature, c->n_class, c->n_stratum},
         .data = c->scale,
         .size = f * (size_t)(c->n_class * c->n_stratum) * sizeof(float)}};

    snprintf(n, sizeof(n), "%" PRId64, c->n);
    snprintf(window, sizeof(window), "%" PRId64, w->window_bp);
    snprintf(span, sizeof(span), "%" PRId64, w->span_bp);
    return bird_calibration_file_put(path, BIRD_PART_BACKGROUND, t,
                                     sizeof(t) / sizeof(*t), meta,
                                     w->span_bp ? n_meta : n_meta - 1);
}

static int fail_file(const char *path, const char *what)
{
    return bird_calibration_file_fail(path, BIRD_PART_BACKGROUND, what);
}

static int take(void *out, const bird_tensors *t,
                const struct bird_tensor *want, const char *path)
{
    return bird_calibration_file_take(out, t, want, path, BIRD_PART_BACKGROUND);
}

/* name NULL: the file does not say, which means float32. Returns nonzero for an
 * unknown name. */
static int read_precision(enum bird_precision *out, const char *name)
{
    int p = BIRD_FLOAT32;

    while (name && p <= BIRD_INT8 &&
           strcmp(name, bird_precision_name((enum bird_precision)p)) != 0)
        p++;
    if (p > BIRD_INT8)
        return -1;
    *out = (enum bird_precision)p;
    return 0;
}

static int read_settings(struct bird_calibration *c, const bird_tensors *t,
                         const char *path)
{
    const char *digest = bird_tensors_metadata(t, "model");
    const char *n = bird_tensors_metadata(t, "variants");
    const char *window = bird_tensors_metadata(t, "window");
    const char *strands = bird_tensors_metadata(t, "strands");
    const char *tokens = bird_tensors_metadata(t, "tokens");
    const char *precision = bird_tensors_metadata(t, "precision");
    const char *about = bird_tensors_metadata(t, "background");
    const char *span = bird_tensors_metadata(t, "span");
    const char *shifts = bird_tensors_metadata(t, "shifts");

    if (!digest || strlen(digest) != 64 || !n || !window || !strands || !tokens)
        return fail_file(path, "its metadata are not complete");
    memcpy(c->settings.digest, digest, 65);
    c->n = strtoll(n, NULL, 10);
    c->settings.window_bp = strtoll(window, NULL, 10);
    c->settings.span_bp = span ? strtoll(span, NULL, 10) : 0;
    c->settings.plus = strcmp(strands, "-") != 0;
    c->settings.minus = strcmp(strands, "+") != 0;
    c->settings.tokens = !strcmp(tokens, "both")       ? BIRD_TOKENS_BOTH
                         : !strcmp(tokens, "anchored") ? BIRD_TOKENS_ANCHORED
                                                       : BIRD_TOKENS_FREE;
    shifts = shifts ? shifts : "0";
    if (strlen(shifts) >= sizeof(c->settings.shifts) ||
        strspn(shifts, "-0123456789,/d") != strlen(shifts))
        return fail_file(path, "its shifts are no list of whole numbers");
    snprintf(c->settings.shifts, sizeof(c->settings.shifts), "%s", shifts);
    if (read_precision(&c->settings.precision, precision))
        return fail_file(path, "unknown precision");
    c->about = strdup(about ? about : "");
    return c->about ? 0 : bird_fail_memory(0);
}

static int check_scales(const struct bird_calibration *c, const char *path)
{
    int64_t n = c->n_stratum - 1, n_cell = c->n_class * c->n_stratum;

    for (int64_t i = 0; i < c->n_feature * n; i++)
        if (!isfinite(c->edge[i]) || (i % n && c->edge[i] < c->edge[i - 1]))
            return fail_file(path, "the edges of its strata do not rise");
    for (int64_t i = 0; i < c->n_feature * n_cell; i++)
        if (!(c->scale[i] >= 0) || isinf(c->scale[i]) ||
            !c->scale[i] !=
                !c->scale[(i % n_cell) / c->n_stratum * c->n_stratum])
            return fail_file(path, "its scales are not complete");
    return 0;
}

static int check(const struct bird_calibration *c, const char *path)
{
    for (int64_t k = 0; k < c->n_rank; k++)
        if (c->rank[k] < 0 || c->rank[k] >= c->n ||
            (k && c->rank[k] <= c->rank[k - 1]))
            return fail_file(path, "its ranks do not rise");
    if (c->n_rank < 1 || c->rank[c->n_rank - 1] != c->n - 1)
        return fail_file(path, "its ranks do not reach the last");
    for (int64_t i = 0; i < c->n_feature * c->n_rank; i++)
        if (!(c->magnitude[i] >= 0) ||
            (i % c->n_rank && c->magnitude[i] > c->magnitude[i - 1]))
            return fail_file(path, "its magnitudes do not fall");
    return check_scales(c, path);
}

/* Take all tensors; their shapes say the numbers of ranks, classes, strata. */
static int take_tensors(struct bird_calibration *c, const bird_tensors *t,
                        const char *path)
{
    const struct bird_tensor *rank = bird_tensors_find(t, "rank");
    const struct bird_tensor *scale = bird_tensors_find(t, "scale");
    struct bird_tensor a = {.name = "rank", .dtype = BIRD_I64, .n_dim = 1};
    struct bird_tensor b = {.name = "magnitude", .dtype = BIRD_F32, .n_dim = 2};
    struct bird_tensor e = {.name = "edge", .dtype = BIRD_F32, .n_dim = 2};
    struct bird_tensor s = {.name = "scale", .dtype = BIRD_F32, .n_dim = 3};
    int rc;

    if (!rank || rank->n_dim != 1 || !scale || scale->n_dim != 3 ||
        scale->shape[1] < 1 || scale->shape[2] < 1)
        return fail_file(path, "not a background that this program reads");
    c->n_rank = a.shape[0] = b.shape[1] = rank->shape[0];
    c->n_class = s.shape[1] = scale->shape[1];
    c->n_stratum = s.shape[2] = scale->shape[2];
    e.shape[1] = c->n_stratum - 1;
    b.shape[0] = e.shape[0] = s.shape[0] = c->n_feature;
    if ((rc = take(&c->rank, t, &a, path)) ||
        (rc = take(&c->magnitude, t, &b, path)) ||
        (rc = take(&c->edge, t, &e, path)) ||
        (rc = take(&c->scale, t, &s, path)))
        return rc;
    return check(c, path);
}

int bird_calibration_read(struct bird_calibration *out, const char *path,
                          int64_t n_feature)
{
    struct bird_calibration c = {.n_feature = n_feature};
    bird_tensors *t = NULL;
    int rc = bird_calibration_file_open(&t, path);

    if (rc <= 0)
        return rc;
    if (!bird_calibration_file_has(t, BIRD_PART_BACKGROUND) &&
        bird_calibration_file_has(t, BIRD_PART_PROBABILITY)) {
        bird_tensors_free(t);
        return 0;
    }
    rc = read_settings(&c, t, path);
    c.is_old = bird_tensors_find(t, "rms") != NULL;
    if (!rc && !c.is_old)
        rc = take_tensors(&c, t, path);
    bird_tensors_free(t);
    if (rc) {
        bird_calibration_free(&c);
        return rc;
    }
    *out = c;
    return 1;
}

int bird_calibration_read_settings(struct bird_calibration_settings *out,
                                   const char *path)
{
    struct bird_calibration c = {0};
    bird_tensors *t = NULL;
    int there, rc = bird_calibration_file_open(&t, path);

    if (rc <= 0)
        return rc;
    there = bird_calibration_file_has(t, BIRD_PART_BACKGROUND);
    rc = there ? read_settings(&c, t, path) : 0;
    bird_tensors_free(t);
    free(c.about);
    if (!rc && there)
        *out = c.settings;
    return rc ? rc : there;
}

const char *bird_tokens_name(enum bird_variant_tokens tokens)
{
    return tokens == BIRD_TOKENS_BOTH       ? "both"
           : tokens == BIRD_TOKENS_ANCHORED ? "anchored"
                                            : "free";
}

const char *
bird_calibration_differs(const struct bird_calibration *c,
                         const struct bird_calibration_settings *settings)
{
    const struct bird_calibration_settings *is = &c->settings;
    int shifts;

    if (strcmp(is->digest, settings->digest) != 0)
        return "of another model";
    if (c->is_old)
        return "of an older version";
    if (is->window_bp != settings->window_bp)
        return "of another window";
    if (is->span_bp != settings->span_bp)
        return "of another span";
    if (is->plus != settings->plus || is->minus != settings->minus)
        return "of other strands";
    shifts = strcmp(is->shifts, settings->shifts) != 0;
    if (is->tokens != settings->tokens)
        return shifts ? "of other --shifts and --tokens"
                      : "of tokens encoded another way (--tokens)";
    if (shifts)
        return "of other --shifts";
    if (is->precision != settings->precision)
        return "of another precision";
    return NULL;
}

double bird_calibration_e(const struct bird_calibration *c,
                          const struct bird_calibration_query *d)
{
    const float *m = c->magnitude + d->feature * c->n_rank;
    int64_t stratum = stratum_of(c->edge + d->feature * (c->n_stratum - 1),
                                 c->n_stratum, (float)d->ref);
    int64_t cell = d->change_class * c->n_stratum + stratum;
    float x = fabsf((float)d->diff) /
              c->scale[d->feature * c->n_class * c->n_stratum + cell];
    int64_t low = 0, high = c->n_rank, larger;

    /* the first chosen magnitude that is not larger than x */
    while (low < high) {
        int64_t mid = (low + high) / 2;

        if (m[mid] > x)
            low = mid + 1;
        else
            high = mid;
    }
    larger = low < c->n_rank ? c->rank[low] : c->n;
    return (1 + (double)larger) / ((double)c->n + 1);
}

/* The standard normal deviate x > 0 with P(|X| > x) = e, 0 < e < 1: halving
 * until double precision is reached, since erfc() falls with x. */
static double normal_deviate(double e)
{
    double low = 0, high = 40;

    for (int i = 0; i < 60; i++) {
        double mid = (low + high) / 2;

        if (erfc(mid / sqrt(2)) > e)
            low = mid;
        else
            high = mid;
    }
    return (low + high) / 2;
}

double bird_calibration_z(const struct bird_calibration *c,
                          const struct bird_calibration_query *d)
{
    double e = bird_calibration_e(c, d);

    return e >= 1 ? 0 : copysign(normal_deviate(e), d->diff);
}
