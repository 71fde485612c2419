/* train: Muon's direction equals the iteration in double; which tensors of a
 * model it updates, and how far. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "folder/config_file.h"
#include "model/stem.h"
#include "train/muon.h"
#include "train/trainer.h"

enum { MOST = 40 * 24 };

/* The direction by its definition, on a copy with fewer rows than columns. */
static void by_hand(double *d, double *m, const float *g, double scale,
                    int64_t rows, int64_t cols, double size)
{
    static double x[MOST], y[MOST], a[MOST], p[MOST];
    int tall = rows > cols;
    int64_t r = tall ? cols : rows, c = tall ? rows : cols, n = rows * cols;
    double norm = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t at = tall ? i % cols * c + i / cols : i;
        double now = (double)g[i] * scale;

        m[i] = 0.95 * m[i] + now;
        x[at] = now + 0.95 * m[i];
        norm += x[at] * x[at];
    }
    for (int64_t i = 0; i < n; i++)
        x[i] /= sqrt(norm) + 1e-7;
    for (int k = 0; k < 5; k++) {
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j < r; j++) {
                a[i * r + j] = 0;
                for (int64_t t = 0; t < c; t++)
                    a[i * r + j] += x[i * c + t] * x[j * c + t];
            }
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j < r; j++) {
                p[i * r + j] = -4.7750 * a[i * r + j];
                for (int64_t t = 0; t < r; t++)
                    p[i * r + j] += 2.0315 * a[i * r + t] * a[t * r + j];
            }
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j < c; j++) {
                y[i * c + j] = 3.4445 * x[i * c + j];
                for (int64_t t = 0; t < r; t++)
                    y[i * c + j] += p[i * r + t] * x[t * c + j];
            }
        memcpy(x, y, sizeof(x));
    }
    for (int64_t i = 0; i < n; i++)
        d[i] = size * x[tall ? i % cols * c + i / cols : i];
}

static void check(int64_t rows, int64_t cols)
{
    static float g[MOST], m[MOST], d[MOST];
    static double md[MOST], dd[MOST];
    struct bird_muon_matrix x = {0, rows, cols, 1.5F};
    struct bird_muon_scratch *s;
    struct bird_rng rng;

    bird_rng_init(&rng, 7, (uint64_t)(rows * 100 + cols), 0);
    memset(m, 0, sizeof(m));
    memset(md, 0, sizeof(md));
    WORKS(bird_muon_scratch_new(&s, &x, 1, 1));
    for (int round = 0; round < 3; round++) {
        for (int64_t i = 0; i < rows * cols; i++)
            g[i] = (float)(bird_rng_normal(&rng) + 0.7); /* one large value */
        bird_muon_direction(d, m, g, 0.3, &x, s, 0);
        by_hand(dd, md, g, 0.3, rows, cols, 1.5);
        for (int64_t i = 0; i < rows * cols; i++) {
            cr_assert_float_eq((double)m[i], md[i], 1e-5);
            cr_assert_float_eq((double)d[i], dd[i], 2e-4, "%lld x %lld: %g %g",
                               (long long)rows, (long long)cols, (double)d[i],
                               dd[i]);
        }
    }
    bird_muon_scratch_free(s);
}

Test(muon, direction_equals_the_iteration_in_double)
{
    check(24, 40);
    check(40, 24);
    check(16, 16);
    check(1, 30);
    check(30, 1);
}

Test(muon, directions_that_few_have_weigh_as_much)
{
    /* Singular values 1 and 0.02 come to the same size. */
    float g[4] = {1, 0, 0, 0.02F}, m[4] = {0}, d[4];
    struct bird_muon_matrix x = {0, 2, 2, 1};
    struct bird_muon_scratch *s;

    WORKS(bird_muon_scratch_new(&s, &x, 1, 1));
    bird_muon_direction(d, m, g, 1, &x, s, 0);
    bird_muon_scratch_free(s);
    cr_assert(d[0] > 0.6F && d[0] < 1.3F, "%g", (double)d[0]);
    cr_assert(d[3] > 0.6F && d[3] < 1.3F, "%g", (double)d[3]);
    cr_assert(fabsf(d[1]) < 1e-6F && fabsf(d[2]) < 1e-6F);
}

Test(muon, no_gradient_no_direction)
{
    float g[6] = {0}, m[6] = {0}, d[6];
    struct bird_muon_matrix x = {0, 2, 3, 1};
    struct bird_muon_scratch *s;

    WORKS(bird_muon_scratch_new(&s, &x, 1, 1));
    bird_muon_direction(d, m, g, 1, &x, s, 0);
    bird_muon_scratch_free(s);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(d[i], 0);
}

/* Inputs of a matrix whose update docs/math/muon.md gives; 0: AdamW's. */
static int64_t inputs_by_hand(const struct bird_param *p)
{
    if (!strcmp(p->name, "stem.0.weight"))
        return (int64_t)5 * 10; /* kernel x vocabulary, less than 5 x 64 */
    if (!strcmp(p->name, "stem.1.weight"))
        return (int64_t)3 * 16;
    if (strstr(p->name, "dense.weight") || strstr(p->name, "query.weight") ||
        strstr(p->name, "key.weight") || strstr(p->name, "value.weight"))
        return p->shape[1];
    return 0;
}

static void check_tensor(const struct bird_param *p, const float *was,
                         const float *now, const float *g)
{
    struct bird_muon_matrix x = {0, p->shape[0], p->count / p->shape[0], 0};
    int64_t inputs = inputs_by_hand(p), rows = p->shape[0];
    float *m = calloc((size_t)p->count, sizeof(*m)),
          *d = calloc((size_t)p->count, sizeof(*d));
    double lr = 0.01, keep = 1 - (p->decay ? lr * 0.1 : 0);

    cr_assert(m && d);
    if (inputs) {
        struct bird_muon_scratch *s;

        x.size = (float)(0.5 * sqrt((double)(rows > inputs ? rows : inputs)));
        WORKS(bird_muon_scratch_new(&s, &x, 1, 1));
        bird_muon_direction(d, m, g, 1, &x, s, 0);
        bird_muon_scratch_free(s);
    }
    for (int64_t i = 0; i < p->count; i++) {
        /* the first step of AdamW is the gradient's sign */
        double want = keep * (double)was[i] - lr * (inputs     ? (double)d[i]
                                                    : g[i] > 0 ? 1
                                                               : -1);

        cr_assert_float_eq((double)now[i], want, 1e-5, "%s %lld: %g %g",
                           p->name, (long long)i, (double)now[i], want);
    }
    free(m);
    free(d);
}

Test(muon, filters_and_encoder_alone_are_updated_so)
{
    struct bird_config c;
    struct bird_trainer *l;
    struct bird_rng rng;
    float *was, *g;
    int64_t muon = 0;

    WORKS(bird_config_preset(&c, "tiny"));
    c.vocab_size = 10;
    c.cls_id = 8;
    c.sep_id = 9;
    WORKS(bird_stem_parse(&c, "5x16/2,3x64"));
    WORKS(bird_trainer_new(&l, &c, 0, 0));
    WORKS(bird_trainer_muon(l));
    l->adam = (struct bird_adam){.kind = BIRD_ADAMW_TORCH,
                                 .beta1 = 0.9,
                                 .beta2 = 0.999,
                                 .eps = 1e-8,
                                 .weight_decay = 0.1};
    bird_rng_init(&rng, 3, 0, 0);
    for (int64_t i = 0; i < l->total; i++) {
        l->theta[i] = (float)bird_rng_normal(&rng);
        l->grad[i] =
            (float)(bird_rng_below(&rng, 2) ? 0.1 + bird_rng_uniform(&rng)
                                            : -0.1 - bird_rng_uniform(&rng));
    }
    was = malloc((size_t)l->total * sizeof(*was));
    g = malloc((size_t)l->total * sizeof(*g));
    cr_assert(was && g);
    memcpy(was, l->theta, (size_t)l->total * sizeof(*was));
    memcpy(g, l->grad, (size_t)l->total * sizeof(*g));
    bird_trainer_update(l, 0.01);
    for (int64_t i = 0; i < l->n_param; i++) {
        const struct bird_param *p = &l->list[i];

        if (strstr(p->name, "pooler."))
            continue;
        /* the head's own dense layer is AdamW's */
        if (bird_param_is_head(p) && inputs_by_hand(p))
            continue;
        muon += inputs_by_hand(p) > 0;
        check_tensor(p, was + p->offset, l->theta + p->offset, g + p->offset);
    }
    cr_assert_eq(muon, 2 + 2 * 6); /* filters; six matrices a layer */
    free(was);
    free(g);
    bird_trainer_free(l);
}
