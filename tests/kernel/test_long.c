/* model: 200,000 tokens in one sequence. Every block holds the same tokens,
 * positions weigh nothing, and there are no random blocks: then a row is a
 * function of its place in the block and of the blocks beside it, and must be
 * the row of a short sequence, however far back it stands.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "model/encoder.h"
#include "tiny.h"

enum {
    D = 12,
    S = 16,
    LONG = 200000,
    SHORT = 12 * S, /* too long for full attention */
    FAR = 12000,    /* the block whose tokens are others, and the short one's */
    NEAR = 6
};

/* Hidden states of n tokens, of which block `odd` has other ones. */
static float *states(struct tiny *t, int64_t n, int64_t odd)
{
    int64_t offset[2] = {0, n};
    struct bird_batch b = {.n_seq = 1, .offset = offset};
    struct bird_encoder *e;
    int32_t *ids;
    float *x;

    WORKS(bird_array_new(&ids, n, sizeof(*ids)));
    WORKS(bird_array_new(&x, n * D, sizeof(*x)));
    for (int64_t i = 0; i < n; i++)
        ids[i] = (int32_t)(i / S == odd ? 20 + i % 3 : 4 + i % S);
    b.ids = ids;
    WORKS(bird_encoder_new(&e, &t->c, &t->w));
    WORKS(bird_encoder_forward(e, x, NULL, &b));
    bird_encoder_free(e);
    free(ids);
    return x;
}

static double apart(const float *a, const float *b)
{
    double most = 0;

    for (int i = 0; i < S * D; i++) /* a NaN is far apart, too */
        if (!(fabs((double)a[i] - (double)b[i]) <= most))
            most = isnan(a[i]) ? (double)INFINITY
                               : fabs((double)a[i] - (double)b[i]);
    return most;
}

/* The block of the short sequence that block i of the long one must equal. */
static int64_t twin(int64_t i)
{
    return i >= FAR - 1 && i <= FAR + 1 ? i - FAR + NEAR : 3;
}

static void check(enum bird_precision p, double bound)
{
    struct bird_config c;
    struct tiny t;
    float *many, *few;

    tiny_config(&c, &bird_head_none);
    c.n_layer = 1;
    c.pattern.block = S;
    c.max_positions = LONG;
    c.pattern.random = BIRD_RANDOM_NONE;
    tiny_init(&t, &c, 1);
    memset(t.w.position, 0, sizeof(float) * LONG * D);
    if (!bird_weights_prepare(&t.w, &c, p, 0)) {
        many = states(&t, LONG, FAR);
        few = states(&t, SHORT, NEAR);
        cr_assert_gt(apart(few + NEAR * S * D, few + 3 * S * D), 0.05);
        cr_assert_gt(apart(few + (NEAR + 1) * S * D, few + 3 * S * D), 0.01);
        for (int64_t i = 1; i < LONG / S - 1; i++)
            cr_assert_leq(apart(many + i * S * D, few + twin(i) * S * D), bound,
                          "block %lld", (long long)i);
        /* these see all; one block among 12,500 moves little */
        for (int64_t i = 0; i < LONG / S; i += LONG / S - 1)
            cr_assert_leq(apart(many + i * S * D, few + 3 * S * D), 0.01,
                          "block %lld", (long long)i);
        free(many), free(few);
    } else {
        SAYS("use float32");
    }
    tiny_free(&t);
}

Test(long, rows_far_back_are_those_of_a_short_sequence)
{
    check(BIRD_FLOAT32, 1e-5);
}

Test(long, in_bfloat16_too)
{
    check(BIRD_BFLOAT16, 1e-5);
}
