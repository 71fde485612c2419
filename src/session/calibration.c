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
    free(c->rms);
    free(c->about);
    for (int64_t i = 1; i < c->n_class; i++)
        bird_calibration_free(&c->other[i - 1]);
    free(c->other);
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

int bird_calibration_make_classes(struct bird_calibration *out,
                                  const float *diff, int64_t n,
                                  int64_t n_feature, const uint8_t *class_of,
                                  int64_t n_class)
{
    struct bird_calibration c = {0};
    struct bird_calibration *other = NULL;
    float *part = NULL;
    int rc = bird_array_new(&part, n * n_feature, sizeof(*part));

    if (!rc)
        rc = bird_array_new(&other, n_class, sizeof(*other));
    for (int64_t k = 0; k < n_class && !rc; k++) {
        int64_t m = 0;

        for (int64_t i = 0; i < n; i++)
            if (class_of[i] == k)
                memcpy(part + m++ * n_feature, diff + i * n_feature,
                       (size_t)n_feature * sizeof(*part));
        if (!m && !k)
            rc = bird_fail(BIRD_EINVAL,
                           "a background without single-base changes");
        else if (m)
            rc = bird_calibration_make(k ? &other[k - 1] : &c, part, m,
                                       n_feature);
    }
    free(part);
    c.other = other;
    c.n_class = other ? n_class : 0;
    if (rc)
        bird_calibration_free(&c);
    else
        *out = c;
    return rc;
}

const struct bird_calibration *
bird_calibration_of(const struct bird_calibration *c, int64_t change_class)
{
    if (!c || !change_class || !c->n_class)
        return c;
    if (change_class >= c->n_class || !c->other[change_class - 1].n)
        return NULL;
    return &c->other[change_class - 1];
}

/* --- the file ------------------------------------------------------------ */

/* Classes 1, 2 ... as tensors: sizes; ranks, magnitudes and root mean squares
 * of one class after the other. */
struct classes {
    int64_t *size; /* (n_class - 1, 2) n, K */
    int64_t *rank;
    float *magnitude;
    double *rms;
    struct bird_pool pool;
};

static int64_t total_ranks(const struct bird_calibration *c)
{
    int64_t n = 0;

    for (int64_t i = 1; i < c->n_class; i++)
        n += c->other[i - 1].n_rank;
    return n;
}

static int put_classes(struct classes *p, struct bird_tensor t[4],
                       const struct bird_calibration *c)
{
    int64_t n = c->n_class - 1, f = c->n_feature, all = total_ranks(c), at = 0;

    p->size = bird_pool_array(&p->pool, 2 * n, sizeof(*p->size));
    p->rank = bird_pool_array(&p->pool, all, sizeof(*p->rank));
    p->magnitude = bird_pool_array(&p->pool, all * f, sizeof(*p->magnitude));
    p->rms = bird_pool_array(&p->pool, n * f, sizeof(*p->rms));
    if (p->pool.rc)
        return p->pool.rc;
    for (int64_t i = 0; i < n; i++) {
        const struct bird_calibration *x = &c->other[i];
        size_t k = (size_t)x->n_rank;

        p->size[2 * i] = x->n;
        p->size[2 * i + 1] = x->n_rank;
        if (!k)
            continue;
        memcpy(p->rank + at, x->rank, k * sizeof(*p->rank));
        memcpy(p->magnitude + at * f, x->magnitude,
               k * (size_t)f * sizeof(*p->magnitude));
        memcpy(p->rms + i * f, x->rms, (size_t)f * sizeof(*p->rms));
        at += x->n_rank;
    }
    t[0] = (struct bird_tensor){.name = "class_size",
                                .dtype = BIRD_I64,
                                .n_dim = 2,
                                .shape = {n, 2},
                                .data = p->size,
                                .size = (size_t)(2 * n) * sizeof(*p->size)};
    t[1] = (struct bird_tensor){.name = "class_rank",
                                .dtype = BIRD_I64,
                                .n_dim = 1,
                                .shape = {all},
                                .data = p->rank,
                                .size = (size_t)all * sizeof(*p->rank)};
    t[2] =
        (struct bird_tensor){.name = "class_magnitude",
                             .dtype = BIRD_F32,
                             .n_dim = 1,
                             .shape = {all * f},
                             .data = p->magnitude,
                             .size = (size_t)(all * f) * sizeof(*p->magnitude)};
    t[3] = (struct bird_tensor){.name = "class_rms",
                                .dtype = BIRD_F64,
                                .n_dim = 2,
                                .shape = {n, f},
                                .data = p->rms,
                                .size = (size_t)(n * f) * sizeof(*p->rms)};
    return 0;
}

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
    struct classes classes = {.size = NULL};
    int rc = 0;

    struct bird_tensor t[7] = {
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
    if (c->n_class > 1)
        rc = put_classes(&classes, t + 3, c);
    if (!rc)
        rc = bird_calibration_file_put(path, BIRD_PART_BACKGROUND, t,
                                       c->n_class > 1 ? 7 : 3, meta,
                                       w->span_bp ? n_meta : n_meta - 1);
    bird_pool_free(&classes.pool);
    return rc;
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
        strspn(shifts, "-0123456789,") != strlen(shifts))
        return fail_file(path, "its shifts are no list of whole numbers");
    snprintf(c->settings.shifts, sizeof(c->settings.shifts), "%s", shifts);
    if (read_precision(&c->settings.precision, precision))
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

/* Take class i from the tensors; its ranks begin at `at`. */
static int take_class(struct bird_calibration *x, const struct classes *p,
                      int64_t i, int64_t at, const char *path)
{
    size_t f = (size_t)x->n_feature, k = (size_t)x->n_rank;
    int rc = bird_array_new(&x->rank, x->n_rank, sizeof(*x->rank));

    if (!rc)
        rc = bird_array_new(&x->magnitude, x->n_rank * x->n_feature,
                            sizeof(*x->magnitude));
    if (!rc)
        rc = bird_array_new(&x->rms, x->n_feature, sizeof(*x->rms));
    if (rc)
        return rc;
    memcpy(x->rank, p->rank + at, k * sizeof(*x->rank));
    memcpy(x->magnitude, p->magnitude + at * x->n_feature,
           k * f * sizeof(*x->magnitude));
    memcpy(x->rms, p->rms + i * x->n_feature, f * sizeof(*x->rms));
    return check(x, path);
}

/* Check that the sizes of all classes add up to those of the tensors. */
static int take_sizes(struct bird_calibration *c, const struct classes *p,
                      int64_t all, const char *path)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < c->n_class - 1; i++) {
        struct bird_calibration *x = &c->other[i];

        x->n = p->size[2 * i];
        x->n_rank = p->size[2 * i + 1];
        x->n_feature = c->n_feature;
        if (x->n < 0 || x->n_rank < 0 || x->n_rank > all || !x->n != !x->n_rank)
            return fail_file(path, "a class has no such size");
        sum += x->n_rank;
    }
    return sum == all ? 0 : fail_file(path, "its classes are not complete");
}

static int read_classes(struct bird_calibration *c, const bird_tensors *t,
                        const char *path)
{
    const struct bird_tensor *n = bird_tensors_find(t, "class_size");
    const struct bird_tensor *k = bird_tensors_find(t, "class_rank");
    struct bird_tensor size = {
        .name = "class_size", .dtype = BIRD_I64, .n_dim = 2, .shape = {0, 2}};
    struct bird_tensor rank = {
        .name = "class_rank", .dtype = BIRD_I64, .n_dim = 1};
    struct bird_tensor magnitude = {
        .name = "class_magnitude", .dtype = BIRD_F32, .n_dim = 1};
    struct bird_tensor rms = {
        .name = "class_rms", .dtype = BIRD_F64, .n_dim = 2};
    struct classes p = {.size = NULL};
    int64_t at = 0;
    int rc;

    if (!n)
        return 0;
    size.shape[0] = rms.shape[0] = n->n_dim ? n->shape[0] : 0;
    rank.shape[0] = k && k->n_dim ? k->shape[0] : 0;
    magnitude.shape[0] = rank.shape[0] * c->n_feature;
    rms.shape[1] = c->n_feature;
    if ((rc = take(&p.size, t, &size, path)) ||
        (rc = take(&p.rank, t, &rank, path)) ||
        (rc = take(&p.magnitude, t, &magnitude, path)) ||
        (rc = take(&p.rms, t, &rms, path)) ||
        (rc = bird_array_new(&c->other, size.shape[0], sizeof(*c->other))))
        goto done;
    c->n_class = size.shape[0] + 1;
    rc = take_sizes(c, &p, rank.shape[0], path);
    for (int64_t i = 0; i < c->n_class - 1 && !rc; i++) {
        if (c->other[i].n)
            rc = take_class(&c->other[i], &p, i, at, path);
        at += c->other[i].n_rank;
    }
done:
    free(p.size);
    free(p.rank);
    free(p.magnitude);
    free(p.rms);
    return rc;
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
    rc = read_settings(&c, t, path);
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
    if (!rc)
        rc = read_classes(&c, t, path);
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

    if (strcmp(is->digest, settings->digest) != 0)
        return "of another model";
    if (is->window_bp != settings->window_bp)
        return "of another window";
    if (is->span_bp != settings->span_bp)
        return "of another span";
    if (is->plus != settings->plus || is->minus != settings->minus)
        return "of other strands";
    if (is->tokens != settings->tokens)
        return "of tokens encoded another way (--tokens)";
    if (strcmp(is->shifts, settings->shifts) != 0)
        return "of other --shifts";
    if (is->precision != settings->precision)
        return "of another precision";
    return NULL;
}

double bird_calibration_e(const struct bird_calibration *c, int64_t feature,
                          double diff)
{
    const float *m = c->magnitude + feature * c->n_rank;
    float x = (float)fabs(diff);
    int64_t low = 0, high = c->n_rank, larger;

    /* the first chosen magnitude that is not larger than diff */
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
