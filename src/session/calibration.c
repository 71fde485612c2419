/* Backgrounds: made, kept, looked up. SPDX-License-Identifier: MIT */
#include "session/calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "session/calibration_file.h"

/* Ranks that are kept one by one before steps begin to grow. */
enum { EXACT = 256 };

void bird_calibration_free(struct bird_calibration *c)
{
    free(c->rank);
    free(c->magnitude);
    free(c->rms);
    free(c->about);
    *c = (struct bird_calibration){0};
}

/* Ranks 0, 1, 2 ... and then, to the last, by equal factors. */
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

static int falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x < y) - (x > y);
}

int bird_calibration_make(struct bird_calibration *out, float *diff, int64_t n,
                          int64_t n_feature)
{
    struct bird_calibration c = {.n = n, .n_feature = n_feature};
    float *one = NULL;
    int rc = 0;

    if (n < 1 || n_feature < 1)
        return bird_fail(BIRD_EINVAL, "a background of no variants");
    if ((rc = choose_ranks(&c)) ||
        (rc = bird_array_new(&c.magnitude, n_feature * c.n_rank,
                             sizeof(float))) ||
        (rc = bird_array_new(&c.rms, n_feature, sizeof(double))) ||
        (rc = bird_array_new(&one, n, sizeof(*one))))
        goto done;
    for (int64_t f = 0; f < n_feature; f++) {
        double sum = 0;

        for (int64_t i = 0; i < n; i++) {
            one[i] = fabsf(diff[i * n_feature + f]);
            sum += (double)one[i] * (double)one[i];
        }
        c.rms[f] = sqrt(sum / (double)n);
        qsort(one, (size_t)n, sizeof(*one), falling);
        for (int64_t k = 0; k < c.n_rank; k++)
            c.magnitude[f * c.n_rank + k] = one[c.rank[k]];
    }
done:
    free(one);
    if (rc)
        bird_calibration_free(&c);
    else
        *out = c;
    return rc;
}

int bird_calibration_write(const struct bird_calibration *c, const char *path)
{
    const struct bird_calibration_way *w = &c->way;
    char n[32], window[32], span[32];
    const char *const meta[] = {
        "model",      w->digest,
        "variants",   n,
        "window",     window,
        "strands",    w->plus && w->minus ? "both" : w->plus ? "+" : "-",
        "tokens",     w->anchored ? "anchored" : "free",
        "precision",  bird_precision_name(w->precision),
        "background", c->about ? c->about : "",
        "span",       span};
    int64_t n_meta = sizeof(meta) / sizeof(*meta) / 2;

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
         .size = (size_t)(c->n_feature * c->n_rank) * sizeof(float)},
        {.name = "rms",
         .dtype = BIRD_F64,
         .n_dim = 1,
         .shape = {c->n_feature},
         .data = c->rms,
         .size = (size_t)c->n_feature * sizeof(double)}};

    snprintf(n, sizeof(n), "%" PRId64, c->n);
    snprintf(window, sizeof(window), "%" PRId64, w->window_bp);
    snprintf(span, sizeof(span), "%" PRId64, w->span_bp);
    return bird_calibration_file_put(path, BIRD_PART_BACKGROUND, t, 3, meta,
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

/* NULL, of a file that does not say: float32. Nonzero: no such precision. */
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

static int read_way(struct bird_calibration *c, const bird_tensors *t,
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

    if (!digest || strlen(digest) != 64 || !n || !window || !strands || !tokens)
        return fail_file(path, "its metadata are not complete");
    memcpy(c->way.digest, digest, 65);
    c->n = strtoll(n, NULL, 10);
    c->way.window_bp = strtoll(window, NULL, 10);
    c->way.span_bp = span ? strtoll(span, NULL, 10) : 0;
    c->way.plus = strcmp(strands, "-") != 0;
    c->way.minus = strcmp(strands, "+") != 0;
    c->way.anchored = !strcmp(tokens, "anchored");
    if (read_precision(&c->way.precision, precision))
        return fail_file(path, "unknown precision");
    c->about = strdup(about ? about : "");
    return c->about ? 0 : bird_fail_memory(0);
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
    for (int64_t f = 0; f < c->n_feature; f++)
        if (!(c->rms[f] >= 0) || isinf(c->rms[f]))
            return fail_file(path, "a root mean square is not a number");
    return 0;
}

int bird_calibration_read(struct bird_calibration *out, const char *path,
                          int64_t n_feature)
{
    struct bird_calibration c = {.n_feature = n_feature};
    const struct bird_tensor *rank;
    bird_tensors *t = NULL;
    int rc = bird_calibration_file_open(&t, path);

    if (rc <= 0)
        return rc;
    rank = bird_tensors_find(t, "rank");
    if (!rank && bird_calibration_file_has(t, BIRD_PART_PROBABILITY)) {
        bird_tensors_free(t);
        return 0;
    }
    if (!rank || rank->n_dim != 1) {
        bird_tensors_free(t);
        return fail_file(path, "not a background that this program reads");
    }
    rc = read_way(&c, t, path);
    if (!rc) {
        struct bird_tensor a = {.name = "rank", .dtype = BIRD_I64, .n_dim = 1};
        struct bird_tensor b = {
            .name = "magnitude", .dtype = BIRD_F32, .n_dim = 2};
        struct bird_tensor r = {.name = "rms", .dtype = BIRD_F64, .n_dim = 1};

        c.n_rank = a.shape[0] = b.shape[1] = rank->shape[0];
        b.shape[0] = r.shape[0] = n_feature;
        if ((rc = take(&c.rank, t, &a, path)) == 0 &&
            (rc = take(&c.magnitude, t, &b, path)) == 0)
            rc = take(&c.rms, t, &r, path);
    }
    if (!rc)
        rc = check(&c, path);
    bird_tensors_free(t);
    if (rc) {
        bird_calibration_free(&c);
        return rc;
    }
    *out = c;
    return 1;
}

const char *bird_calibration_differs(const struct bird_calibration *c,
                                     const struct bird_calibration_way *way)
{
    if (strcmp(c->way.digest, way->digest) != 0)
        return "of another model";
    if (c->way.window_bp != way->window_bp)
        return "of another window";
    if (c->way.span_bp != way->span_bp)
        return "of another span";
    if (c->way.plus != way->plus || c->way.minus != way->minus)
        return "of other strands";
    if (c->way.anchored != way->anchored)
        return "of tokens encoded the other way";
    if (c->way.precision != way->precision)
        return "of another precision";
    return NULL;
}

double bird_calibration_e(const struct bird_calibration *c, int64_t feature,
                          double diff)
{
    const float *m = c->magnitude + feature * c->n_rank;
    float x = (float)fabs(diff);
    int64_t low = 0, high = c->n_rank, larger;

    /* the first kept magnitude that is not larger */
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

double bird_calibration_z(const struct bird_calibration *c, int64_t feature,
                          double diff)
{
    return c->rms[feature] > 0 ? diff / c->rms[feature] : 0;
}
