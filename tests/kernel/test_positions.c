/* model: explicit positions against formulas in double, and encoders that
 * give a sequence the same bits in any company. SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "model/layer.h"
#include "ref.h"
#include "ref_encoder.h"
#include "tiny.h"

enum { D = 12 };

static void identity(int32_t *position, const struct bird_batch *b)
{
    for (int64_t s = 0; s < b->n_seq; s++)
        for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++)
            position[i] = (int32_t)(i - b->offset[s]);
}

/* What anchored tokens do: position 9 three times, 13 to 21 left out (blocks
 * of 4: one is empty), in the sparse sequences; the last position thrice in a
 * full one. */
static void uneven(int32_t *position, const struct bird_batch *b)
{
    identity(position, b);
    for (int64_t s = 0; s < b->n_seq; s++) {
        int64_t len = b->offset[s + 1] - b->offset[s];
        int32_t *p = position + b->offset[s];

        for (int64_t i = 0; i < len; i++) {
            if (len > 28)
                p[i] = (int32_t)(i < 10   ? i
                                 : i < 12 ? 9
                                 : i < 15 ? i - 2
                                          : i + 7);
            else if (i > len - 3 && len > 3)
                p[i] = (int32_t)len - 3;
        }
    }
}

Test(positions, counting_from_0_changes_no_bit)
{
    struct bird_config c;
    struct bird_encoder *e;
    struct tiny t;
    float x[2][TINY_ROWS * D], first[2][TINY_SEQ * D];
    int32_t position[TINY_ROWS];

    tiny_config(&c, &bird_head_none);
    tiny_init(&t, &c, 1);
    identity(position, &t.b);
    WORKS(bird_encoder_new(&e, &c, &t.w));
    for (int i = 0; i < 2; i++) {
        t.b.position = i ? position : NULL;
        WORKS(bird_encoder_forward(e, x[i], NULL, &t.b));
        WORKS(bird_encoder_forward_first(e, first[i], &t.b));
    }
    cr_assert_arr_eq(x[0], x[1], sizeof(x[0]));
    cr_assert_arr_eq(first[0], first[1], sizeof(first[0]));
    bird_encoder_free(e);
    tiny_free(&t);
}

Test(positions, uneven_ones_equal_the_formulas)
{
    static const enum bird_random_blocks kinds[] = {
        BIRD_RANDOM_PLAN, BIRD_RANDOM_ZERO, BIRD_RANDOM_NONE};
    static const char *const causal[] = {"full,block=4,causal=yes",
                                         "window,block=4,width=2,causal=yes"};

    for (int k = 0; k < 5; k++) {
        struct bird_config c;
        struct bird_encoder *e;
        struct tiny t;
        struct ref_model m;
        float x[TINY_ROWS * D], first[TINY_SEQ * D];
        int32_t position[TINY_ROWS];
        double *want, *plain, moved = 0;

        tiny_config(&c, &bird_head_none);
        if (k < 3)
            c.pattern.random = kinds[k];
        else
            cr_assert_eq(bird_pattern_parse(&c.pattern, causal[k - 3]), 0);
        tiny_init(&t, &c, (uint64_t)k);
        m = (struct ref_model){&t.c, &t.w, t.theta, ref_copy(t.theta, t.total),
                               bird_kernels()};
        plain = ref_hidden(&m, &t.b, NULL);
        uneven(position, &t.b);
        t.b.position = position;
        want = ref_hidden(&m, &t.b, NULL);
        WORKS(bird_encoder_new(&e, &c, &t.w));
        WORKS(bird_encoder_forward(e, x, NULL, &t.b));
        WORKS(bird_encoder_forward_first(e, first, &t.b));
        for (int64_t i = 0; i < TINY_ROWS * D; i++) {
            cr_assert_float_eq(x[i], want[i], 1e-5, "[%d]: %g, not %g", (int)i,
                               (double)x[i], want[i]);
            moved += want[i] != plain[i];
        }
        cr_assert_gt(moved, TINY_ROWS, "positions had no effect");
        for (int s = 0; s < TINY_SEQ; s++)
            for (int j = 0; j < D; j++)
                cr_assert_float_eq(first[s * D + j], x[t.offset[s] * D + j],
                                   1e-5);
        bird_encoder_free(e);
        free(want), free(plain), free(m.theta);
        tiny_free(&t);
    }
}

/* The first keys of a list may be none: block 0 is left out. Tiles of 8 rows
 * and more have their queries side by side. */
Test(positions, a_list_may_begin_with_an_empty_block)
{
    struct bird_config c;
    struct bird_encoder *e;
    struct tiny t;
    struct ref_model m;
    float x[TINY_ROWS * D];
    int32_t position[TINY_ROWS];
    double *want;

    tiny_config(&c, &bird_head_none);
    c.pattern.block = 8;
    c.pattern.parts &=
        ~BIRD_PART_RANDOM; /* so that short ones are sparse as well */
    tiny_init(&t, &c, 5);
    m = (struct ref_model){&t.c, &t.w, t.theta, ref_copy(t.theta, t.total),
                           bird_kernels()};
    identity(position, &t.b);
    for (int i = 0; i < TINY_ROWS; i++)
        position[i] += 8;
    t.b.position = position;
    want = ref_hidden(&m, &t.b, NULL);
    WORKS(bird_encoder_new(&e, &c, &t.w));
    for (int64_t i = 0; i < TINY_ROWS * D; i++)
        x[i] = NAN;
    for (int again = 0; again < 2; again++) {
        WORKS(bird_encoder_forward(e, x, NULL, &t.b));
        for (int64_t i = 0; i < TINY_ROWS * D; i++)
            cr_assert_float_eq(x[i], want[i], 1e-5, "[%d]: %g, not %g", (int)i,
                               (double)x[i], want[i]);
    }
    bird_encoder_free(e);
    free(want), free(m.theta);
    tiny_free(&t);
}

Test(positions, are_checked)
{
    struct bird_config c;
    struct bird_encoder *e;
    struct bird_tape *tape;
    struct tiny t;
    const float *y;
    float x[TINY_ROWS * D];
    int32_t position[TINY_ROWS];

    tiny_config(&c, &bird_head_none);
    tiny_init(&t, &c, 1);
    identity(position, &t.b);
    t.b.position = position;
    WORKS(bird_encoder_new(&e, &c, &t.w));
    position[t.offset[4] - 1] = 63;
    WORKS(bird_encoder_forward(e, x, NULL, &t.b));
    position[t.offset[4] - 1] = 64;
    FAILS(BIRD_ERANGE, bird_encoder_forward(e, x, NULL, &t.b),
          "sequence 4 has 65");
    position[t.offset[4] - 1] = 7;
    FAILS(BIRD_EINVAL, bird_encoder_forward(e, x, NULL, &t.b),
          "sequence 4, token 48");
    identity(position, &t.b);
    position[0] = -1;
    cr_assert_eq(bird_encoder_forward(e, x, NULL, &t.b), BIRD_ERANGE);
    position[0] = 0;
    WORKS(bird_tape_new(&tape, 0));
    cr_assert_eq(bird_encoder_train_forward(e, tape, &y, &t.b, NULL),
                 BIRD_EINVAL);
    bird_tape_free(tape);
    bird_encoder_free(e);
    tiny_free(&t);
}

/* The batch of the toy model as it is, turned around, and each sequence by
 * itself and behind others of its own. */
static void any_company(const struct bird_config *c, uint64_t seed)
{
    enum { WIDE = 136 };
    static float got[3][TINY_ROWS * WIDE];
    int64_t d = c->hidden_size;
    struct bird_encoder *e;
    int32_t position[TINY_ROWS];
    struct tiny t;

    tiny_init(&t, c, seed);
    tiny_calm(&t);
    uneven(position, &t.b);
    t.b.position = position;
    WORKS(bird_encoder_new(&e, c, &t.w));
    WORKS(bird_encoder_forward_first(e, got[1], &t.b));
    bird_encoder_free(e);
    WORKS(bird_weights_prepare(&t.w, c, BIRD_FLOAT32, 0));
    WORKS(bird_encoder_new(&e, c, &t.w));
    WORKS(bird_encoder_forward_first(e, got[0], &t.b));
    for (int64_t i = 0; i < TINY_SEQ * d; i++)
        cr_assert_float_eq(got[0][i], got[1][i], 1e-5);
    for (int s = 0; s < TINY_SEQ; s++)
        for (int before = 0; before < 8; before++) {
            int64_t r = t.offset[s], len = t.offset[s + 1] - r, offset[10];
            int64_t n = len + 7 * before;
            int32_t ids[TINY_ROWS], type[TINY_ROWS] = {0}, at[TINY_ROWS];
            uint8_t mask[TINY_ROWS];
            struct bird_batch b = {.n_seq = before + 1,
                                   .offset = offset,
                                   .ids = ids,
                                   .type = type,
                                   .mask = mask,
                                   .position = at};

            for (int64_t i = 0; i < n - len; i++)
                ids[i] = 5, mask[i] = 1, at[i] = (int32_t)(i % 7);
            memcpy(ids + n - len, t.ids + r, (size_t)len * sizeof(*ids));
            memcpy(type + n - len, t.type + r, (size_t)len * sizeof(*type));
            memcpy(mask + n - len, t.mask + r, (size_t)len);
            memcpy(at + n - len, position + r, (size_t)len * sizeof(*at));
            for (int k = 0; k <= before; k++)
                offset[k] = 7 * k;
            offset[before + 1] = n;
            WORKS(bird_encoder_forward_first(e, got[2], &b));
            cr_assert_arr_eq(got[2] + before * d, got[0] + s * d,
                             (size_t)d * sizeof(float),
                             "sequence %d behind %d others", s, before);
        }
    bird_encoder_free(e);
    tiny_free(&t);
}

Test(positions, a_sequence_has_the_same_bits_in_any_company)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_none);
    any_company(&c, 1);
    c.hidden_size = 136;
    c.intermediate_size = 300;
    any_company(&c, 2);
    c.hidden_size = 128;
    c.intermediate_size = 512;
    c.n_head = 4;
    any_company(&c, 3);
}
