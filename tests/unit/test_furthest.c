/* kernel, pattern: task 1 of Zaheer et al. 2020, arXiv:2007.14062, section 3.4:
 * for each of n unit vectors the furthest one. One layer of full attention solves
 * it (proposition 1); a layer of sparse attention compares few pairs. The layers
 * are built, not trained, from the attention of the kernels with hardmax. The
 * last test prints the table of docs/math/pattern.md on stderr.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "dnabird/error.h"
#include "kernel/gemm.h"
#include "kernel/kernel.h"
#include "pattern/plan.h"

enum { N = 256, D = 32, WIDTH = 8, LAYERS = 64 };

typedef float vectors[N][D];

struct task {
    vectors u;
    int furthest[N];
};

static double product(const float *a, const float *b)
{
    double sum = 0;

    for (int c = 0; c < D; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

static void new_task(struct task *t, uint64_t seed)
{
    struct bird_rng r;

    bird_rng_init(&r, seed, 0, 0);
    for (int i = 0; i < N; i++) {
        double length;

        for (int c = 0; c < D; c++)
            t->u[i][c] = (float)bird_rng_normal(&r);
        length = sqrt(product(t->u[i], t->u[i]));
        for (int c = 0; c < D; c++)
            t->u[i][c] /= (float)length;
    }
    for (int i = 0; i < N; i++) {
        t->furthest[i] = i;
        for (int j = 0; j < N; j++)
            if (product(t->u[i], t->u[j]) <
                product(t->u[i], t->u[t->furthest[i]]))
                t->furthest[i] = j;
    }
}

/* Hard attention with queries -u: each token gets the vector of `seen`, among
 * those in its list (NULL: of all), that is furthest from its own. */
static void attend(vectors out, vectors u, vectors seen,
                   const struct bird_plan *plan)
{
    static float qkv[N][3][D], scratch[(3 * N + 512) * (N + D)];
    struct bird_attention_map map = {0};
    struct bird_attention_args a = {.plan = plan,
                                    .q = qkv[0][0],
                                    .k = qkv[0][1],
                                    .v = qkv[0][2],
                                    .ld = 3 * D,
                                    .len = N,
                                    .dim = D,
                                    .scale = 1};
    int64_t tile = bird_attention_tile(plan);

    cr_assert_leq(bird_attention_scratch(N, D, tile),
                  (int64_t)(sizeof(scratch) / sizeof(*scratch)));
    cr_assert_eq(bird_prob_map_parse(&map, "hardmax"), 0);
    a.map = bird_prob_map_of(&map);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < D; c++) {
            qkv[i][0][c] = -u[i][c];
            qkv[i][1][c] = qkv[i][2][c] = seen[i][c];
        }
    for (int64_t r = 0; r < N; r += tile)
        bird_kernels()->attention_forward(out[0], D, &a, r,
                                          r + tile < N ? r + tile : N, scratch);
}

/* Tokens that hold the furthest vector, or the mean of copies of it. */
static int n_right(const struct task *t, vectors best)
{
    int n = 0;

    for (int i = 0; i < N; i++) {
        const float *want = t->u[t->furthest[i]];
        int c = 0;

        while (c < D && fabsf(best[i][c] - want[c]) < 1e-4f)
            c++;
        n += c == D;
    }
    return n;
}

/* Token by token: the further one of two. */
static void keep(vectors best, vectors u, vectors other)
{
    for (int i = 0; i < N; i++)
        if (product(u[i], other[i]) < product(u[i], best[i]))
            memcpy(best[i], other[i], sizeof(best[i]));
}

TestSuite(furthest, .init = bird_gemm_init);

Test(furthest, one_layer_of_full_attention)
{
    static struct task t;
    static vectors best;

    for (uint64_t seed = 1; seed <= 5; seed++) {
        new_task(&t, seed);
        attend(best, t.u, t.u, NULL);
        cr_assert_eq(n_right(&t, best), N);
    }
}

static struct bird_plan *plan_of(const char *text, int64_t layer)
{
    struct bird_plan *plan = NULL;
    struct bird_pattern p;

    bird_pattern_default(&p);
    cr_assert_eq(bird_pattern_parse(&p, text), 0, "%s", bird_last_error());
    p.n_head = 1;
    p.max_positions = N;
    cr_assert_eq(bird_plan_new(&plan, &p, N, layer), 0);
    return plan;
}

/* Vectors that travel to the right, and to the left, by the width of the window
 * a layer: what a head copies from a token it sees. */
static void travel(vectors to, vectors from, const struct bird_plan *plan,
                   int by)
{
    for (int i = 0; i < N; i++) {
        int j = i - by < 0 || i - by >= N ? i : i - by;
        int64_t n;
        const struct bird_run *run = bird_plan_row(plan, 0, i, &n);

        cr_assert(n == 1 && j >= run->first && j < run->first + run->count);
        memcpy(to[i], from[j], sizeof(to[i]));
    }
}

/* Two heads copy and two compare: after t layers of a window of w to either side
 * exactly the vectors up to t w away were compared, so the last answers need
 * (n - 1) / w layers. */
Test(furthest, a_window_needs_many_layers)
{
    struct bird_plan *plan = plan_of("window,block=1,width=8", 0);
    static struct task t;
    static vectors best, found, right, left, moved;
    int last = 0, all = 0;

    new_task(&t, 1);
    memcpy(best, t.u, sizeof(best));
    memcpy(right, t.u, sizeof(best));
    memcpy(left, t.u, sizeof(best));
    for (int i = 0; i < N; i++)
        last = abs(t.furthest[i] - i) > last ? abs(t.furthest[i] - i) : last;
    for (int layer = 1; layer * WIDTH < N + WIDTH; layer++) {
        int within = 0, n;

        attend(found, t.u, right, plan);
        keep(best, t.u, found);
        attend(found, t.u, left, plan);
        keep(best, t.u, found);
        travel(moved, right, plan, WIDTH);
        memcpy(right, moved, sizeof(right));
        travel(moved, left, plan, -WIDTH);
        memcpy(left, moved, sizeof(left));
        for (int i = 0; i < N; i++)
            within += abs(t.furthest[i] - i) <= layer * WIDTH;
        n = n_right(&t, best);
        cr_assert_eq(n, within, "layer %d: %d, not %d", layer, n, within);
        all = n == N && !all ? layer : all;
    }
    cr_assert_eq(all, (last + WIDTH - 1) / WIDTH);
    cr_assert_gt(all, N / WIDTH / 2);
    bird_plan_free(plan);
}

/* Tokens with the furthest vector in their list. */
static int n_listed(const struct task *t, const struct bird_plan *plan)
{
    int n = 0;

    for (int i = 0; i < N; i++) {
        int64_t m;
        const struct bird_run *run = bird_plan_row(plan, 0, i, &m);

        for (int64_t k = 0; k < m; k++)
            n += t->furthest[i] >= run[k].first &&
                 t->furthest[i] < run[k].first + run[k].count;
    }
    return n;
}

/* A layer compares with the vectors in sight and with the furthest ones that the
 * tokens in sight know of, and keeps the furthest. right[k] gets how many answers
 * are right after 2^k layers. */
static void pass_on(int *right, const char *text, struct task *t)
{
    static vectors best, found, other;

    memcpy(best, t->u, sizeof(best));
    for (int layer = 1; layer <= LAYERS; layer++) {
        struct bird_plan *plan = plan_of(text, layer - 1);

        attend(found, t->u, t->u, plan);
        attend(other, t->u, best, plan);
        keep(best, t->u, found);
        keep(best, t->u, other);
        if ((layer & (layer - 1)) == 0)
            *right++ = n_right(t, best);
        if (layer == 1)
            cr_assert_eq(right[-1], n_listed(t, plan));
        bird_plan_free(plan);
    }
}

/* Per cent of right answers after 1, 2, 4, ... layers. Lists that are the same in
 * every layer stop to help; lists drawn anew need many layers. */
Test(furthest, table)
{
    enum { TASKS = 4, COLUMNS = 7, AT_16 = 4 };
    static const char *const texts[] = {
        "full,block=1",
        "window,block=1,width=8",
        "star,block=1,width=8",
        "fixed,block=1,width=16",
        "strided,block=1,width=16",
        "bigbird,block=1,random=uniform,n_random=12",
        "random,block=1,sparsity=93"};
    static struct task t;

    if (getenv("BIRD_TEST_SHORT")) /* half a minute with sanitizers */
        cr_skip_test("long");
    fprintf(stderr, "| pattern | 1 layer | 2 | 4 | 8 | 16 | 32 | 64 |\n"
                    "| --- | --: | --: | --: | --: | --: | --: | --: |\n");
    for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
        int sum[COLUMNS] = {0}, right[COLUMNS];

        for (uint64_t seed = 1; seed <= TASKS; seed++) {
            new_task(&t, seed);
            pass_on(right, texts[k], &t);
            for (int c = 0; c < COLUMNS; c++)
                sum[c] += right[c];
        }
        fprintf(stderr, "| `%s` |", texts[k]);
        for (int c = 0; c < COLUMNS; c++)
            fprintf(stderr, " %.1f |", 100.0 * sum[c] / (TASKS * N));
        fprintf(stderr, "\n");
        if (k)
            cr_assert_lt(10 * sum[AT_16], 9 * TASKS * N, "%s", texts[k]);
        else
            cr_assert_eq(sum[0], TASKS * N);
    }
}
