/* BigBird's rows: the first and the last block, the blocks before and after,
 * and r random ones: as the reference chooses them, uniform, or block 0.
 * Up to (5 + 2r) blocks the reference attends to everything; so does this,
 * unless parts are left out, or the window or the global blocks are not the
 * reference's. Source: Zaheer et al. 2020, arXiv:2007.14062,
 * appendix D; docs/math/pattern.md.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pattern/connections.h"
#include "pattern/rows.h"

/* What rows are made with. */
struct state {
    int32_t *random; /* (n_head, n_block - 2, n_random) or NULL */
    int64_t n_random;
    struct bird_random_rows rows; /* of uniform */
    int uniform;
};

#define AT(field) offsetof(struct bird_pattern, field)

static const struct bird_pattern_param params[] = {
    {.name = "block_size",
     .option = "block",
     .at = AT(block),
     .usual = 64,
     .lo = 1,
     .hi = 1 << 20},
    {.name = "num_random_blocks",
     .option = "n_random",
     .at = AT(n_random),
     .usual = 3,
     .hi = 1 << 16},
    {.name = "random_blocks",
     .option = "random",
     .file = BIRD_PATTERN_META,
     .words = "plan|zero|none|uniform",
     .at = AT(random),
     .hi = BIRD_RANDOM_UNIFORM},
    BIRD_PARAM_SEED,
    {.name = "attention_parts",
     .option = "parts",
     .file = BIRD_PATTERN_META,
     .words = "global|window|random",
     .several = 1,
     .implied = 1,
     .at = AT(parts),
     .usual = BIRD_PARTS_ALL,
     .hi = BIRD_PARTS_ALL},
    BIRD_PARAM_NEAR,
    {.name = "global_first",
     .option = "first",
     .file = BIRD_PATTERN_META,
     .implied = 1,
     .at = AT(own[BIRD_OWN_FIRST]),
     .usual = 1,
     .hi = 1 << 20},
    {.name = "global_last",
     .option = "last",
     .file = BIRD_PATTERN_META,
     .implied = 1,
     .at = AT(own[BIRD_OWN_LAST]),
     .usual = 1,
     .hi = 1 << 20},
    BIRD_PARAM_CAUSAL, /* of full attention alone */
};

enum { PARAMS = sizeof(params) / sizeof(*params) };

const char *bird_random_name(int64_t random)
{
    static const char *const names[] = {"plan", "zero", "none", "uniform"};

    return names[random];
}

static int64_t parts_of(const struct bird_pattern *p)
{
    return p->parts ? p->parts : BIRD_PARTS_ALL;
}

static struct bird_shape shape_of(const struct bird_pattern *p)
{
    const int64_t *own = p->own;
    /* a window of nothing is left to `parts`: nothing was said */
    struct bird_shape s =
        own[BIRD_OWN_NEAR]
            ? (struct bird_shape){own[BIRD_OWN_NEAR], own[BIRD_OWN_FIRST],
                                  own[BIRD_OWN_LAST]}
            : (struct bird_shape){1, 1, 1};

    if (!(parts_of(p) & BIRD_PART_WINDOW))
        s.near = 0;
    if (!(parts_of(p) & BIRD_PART_GLOBAL))
        s.first = s.last = 0;
    return s;
}

/* The paper's window and global blocks, where they are not left out. */
static int is_usual(const struct bird_pattern *p)
{
    const int64_t *own = p->own;

    return !own[BIRD_OWN_NEAR] ||
           (own[BIRD_OWN_NEAR] == 1 && own[BIRD_OWN_FIRST] == 1 &&
            own[BIRD_OWN_LAST] == 1);
}

/* No longer than what the reference runs block-sparse? */
static int is_short(const struct bird_pattern *p, int64_t len_tok)
{
    int64_t limit;

    return __builtin_mul_overflow(2 * p->n_random + 5, p->block, &limit) ||
           len_tok <= limit;
}

static int is_full(const struct bird_pattern *p, int64_t len_tok)
{
    return parts_of(p) == BIRD_PARTS_ALL && is_usual(p) && is_short(p, len_tok);
}

/* Does transformers compute this pattern: all parts, in their usual sizes, with the
 * random blocks of its plan? */
static int is_reference(const struct bird_pattern *p)
{
    return parts_of(p) == BIRD_PARTS_ALL && is_usual(p) &&
           (p->random != BIRD_RANDOM_UNIFORM || !p->n_random);
}

static int by_head(const struct bird_pattern *p)
{
    return (p->random == BIRD_RANDOM_PLAN ||
            p->random == BIRD_RANDOM_UNIFORM) &&
           p->n_random && parts_of(p) & BIRD_PART_RANDOM;
}

static int64_t period(const struct bird_pattern *p)
{
    return by_head(p) ? 0 : 1;
}

static int check(const struct bird_pattern *p)
{
    if (p->random != BIRD_RANDOM_PLAN || !(parts_of(p) & BIRD_PART_RANDOM))
        return 0;
    if (!(parts_of(p) & BIRD_PART_GLOBAL))
        return bird_fail(BIRD_EINVAL,
                         "attention plan: the reference's random blocks need "
                         "global ones: take uniform ones");
    if (!is_usual(p) && p->n_random)
        return bird_fail(
            BIRD_EINVAL,
            "attention plan: the reference's random blocks are "
            "only for a window of one block to either side and "
            "one global block at each end: use random=uniform or none");
    return 0;
}

/* The reference chooses blocks for all rows at once, where its plan is defined;
 * below that length blocks are uniformly random. */
static int begin(struct bird_plan_job *j)
{
    const struct bird_pattern *p = j->p;
    struct state *s = NULL;
    int plan = p->random == BIRD_RANDOM_PLAN && !is_short(p, j->len_tok);
    int64_t n;
    int rc = bird_array_new(&s, 1, sizeof(*s));

    if (rc)
        return rc;
    j->state = s;
    s->uniform = p->random == BIRD_RANDOM_UNIFORM ||
                 (p->random == BIRD_RANDOM_PLAN && !plan);
    if (parts_of(p) & BIRD_PART_RANDOM && p->random != BIRD_RANDOM_NONE)
        s->n_random = p->n_random;
    if (s->uniform && (rc = bird_random_rows_new(&s->rows, s->n_random)))
        return rc;
    if (!plan || !s->n_random)
        return 0;
    if (__builtin_mul_overflow(p->n_head * j->n_block, s->n_random, &n))
        return bird_fail(BIRD_EINVAL, "attention plan: sizes overflow");
    rc = bird_array_new(&s->random, n, sizeof(*s->random));
    return rc ? rc
              : bird_random_plan(s->random, j->n_block, p->block, p->n_head,
                                 s->n_random, p->max_positions,
                                 (uint32_t)j->layer);
}

static void end(struct bird_plan_job *j)
{
    struct state *s = j->state;

    if (!s)
        return;
    free(s->random);
    bird_random_rows_free(&s->rows);
    free(s);
}

static int64_t extra(const struct bird_pattern *p)
{
    return p->n_random; /* the others are each listed once */
}

static int64_t list(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i)
{
    const struct state *s = j->state;
    const struct bird_shape shape = shape_of(j->p);
    const int32_t *random = s->random;
    int64_t m = s->n_random, n = bird_shape_row(list, i, j->n_block, &shape);

    if (i < shape.first || i >= j->n_block - shape.last)
        return n;
    if (s->uniform) {
        struct bird_uniform u = {j->p->seed, j->layer, head, i,
                                 j->n_block, list,     n};

        return bird_random_rows_add(list, &s->rows, &u);
    }
    if (random)
        random += (head * (j->n_block - 2) + i - 1) * m;
    for (int64_t k = 0; k < m; k++, n++)
        bird_row_insert(list, n, random ? random[k] : 0);
    return n;
}

static int describe(struct bird_text *t, const struct bird_pattern *p,
                    const char *why)
{
    int64_t parts = parts_of(p), limit = (2 * p->n_random + 5) * p->block;
    const struct bird_shape s = shape_of(p);
    int rc = bird_text_printf(
        t, BIRD_INFO_LINE "blocks of %lld tokens, %lld random ones a row",
        "attention", (long long)p->block, (long long)p->n_random);

    if (!rc && parts == BIRD_PARTS_ALL && is_usual(p))
        rc = bird_text_printf(t, "; full up to %lld tokens", (long long)limit);
    if (!rc)
        rc =
            bird_text_printf(t, "\n" BIRD_INFO_LINE "%s (%s)\n",
                             "random blocks", bird_random_name(p->random), why);
    if (!rc && p->seed)
        rc = bird_text_printf(t, BIRD_INFO_LINE "%llu\n", "pattern seed",
                              (unsigned long long)p->seed);
    if (!rc && parts != BIRD_PARTS_ALL)
        rc =
            bird_text_printf(t,
                             BIRD_INFO_LINE "own block%s%s%s: not BigBird; "
                                            "short sequences too\n",
                             "sees", parts & BIRD_PART_GLOBAL ? ", global" : "",
                             parts & BIRD_PART_WINDOW ? ", window" : "",
                             parts & BIRD_PART_RANDOM ? ", random" : "");
    if (!rc && !is_usual(p))
        rc = bird_text_printf(
            t,
            BIRD_INFO_LINE "%lld blocks to either side, %lld first and %lld "
                           "last ones global: not BigBird\n",
            "window", (long long)s.near, (long long)s.first, (long long)s.last);
    return rc;
}

const struct bird_pattern_row bird_pattern_bigbird = {.name = "bigbird",
                                                      .type = "block_sparse",
                                                      .param = params,
                                                      .n_param = PARAMS - 1,
                                                      .transformers = 1,
                                                      .is_reference =
                                                          is_reference,
                                                      .has_random = 1,
                                                      .is_full = is_full,
                                                      .by_head = by_head,
                                                      .period = period,
                                                      .check = check,
                                                      .begin = begin,
                                                      .end = end,
                                                      .extra = extra,
                                                      .list = list,
                                                      .describe = describe};

static int is_seen_whole(const struct bird_pattern *p)
{
    return !bird_pattern_is_causal(p);
}

static int describe_full(struct bird_text *t, const struct bird_pattern *p,
                         const char *why)
{
    (void)why;
    if (!bird_pattern_is_causal(p))
        return 0;
    return bird_text_printf(
        t, BIRD_INFO_LINE "blocks of %lld tokens, causal: not BigBird\n",
        "attention", (long long)p->block);
}

/* Keeps BigBird's parameters, so that a model can go back to it. */
const struct bird_pattern_row bird_pattern_full = {.name = "full",
                                                   .type = "original_full",
                                                   .param = params,
                                                   .n_param = PARAMS,
                                                   .transformers = 1,
                                                   .is_reference =
                                                       is_seen_whole,
                                                   .describe = describe_full};
