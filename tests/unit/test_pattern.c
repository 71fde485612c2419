/* pattern: the reference's random blocks and the row lists. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "pattern/plan.h"
#include "pattern/random.h"

static json_t *golden(const char *folder, const char *name)
{
    char path[4096];
    json_t *j = NULL;

    snprintf(path, sizeof(path), "%s/golden/%s/%s", getenv("BIRD_TEST_DATA"),
             folder, name);
    cr_assert_eq(bird_json_open(&j, path), 0, "%s", bird_last_error());
    return j;
}

static int64_t number(const json_t *o, const char *field)
{
    const json_t *v = json_object_get(o, field);

    cr_assert(json_is_integer(v), "%s", field);
    return json_integer_value(v);
}

static void check_blocks(const int32_t *got, const json_t *want, int64_t rows,
                         int64_t r, const char *what)
{
    size_t h;
    const json_t *head;

    json_array_foreach((json_t *)(uintptr_t)want, h, head)
    {
        cr_assert_eq(json_array_size(head), (size_t)rows);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < r; k++) {
                const json_t *row = json_array_get(head, (size_t)i);
                int64_t w = json_integer_value(json_array_get(row, (size_t)k));

                cr_assert_eq(got[((int64_t)h * rows + i) * r + k], w,
                             "%s: head %zu row %d entry %d", what, h,
                             (int)i + 1, (int)k);
            }
    }
}

Test(pattern, twister_gives_the_published_outputs)
{
    json_t *all = golden(".", "random_plans.json"), *list;
    const char *seed;
    int n_seed = 0;

    json_object_foreach(json_object_get(all, "mt19937"), seed, list)
    {
        struct bird_mt m;
        size_t i;
        json_t *v;

        bird_mt_init(&m, (uint32_t)strtoul(seed, NULL, 10));
        json_array_foreach(list, i, v)
            cr_assert_eq(bird_mt_next(&m), (uint32_t)json_integer_value(v));
        n_seed++;
    }
    cr_assert_geq(n_seed, 4);
    json_decref(all);
}

Test(pattern, permutations_equal_numpy)
{
    json_t *all = golden(".", "random_plans.json"), *o;
    const char *seed, *key;
    int n_list = 0;

    json_object_foreach(json_object_get(all, "permutation"), seed, o)
    {
        struct bird_mt m;
        json_t *lists, *list, *v;
        size_t i, j;

        bird_mt_init(&m, (uint32_t)number(o, "seed"));
        json_object_foreach(o, key, lists)
        {
            if (!json_is_array(lists))
                continue;
            json_array_foreach(lists, i, list)
            {
                int32_t a[128];

                cr_assert_leq(json_array_size(list), 128);
                for (int k = 0; k < 128; k++)
                    a[k] = k;
                bird_mt_permute(&m, a, (int64_t)json_array_size(list));
                json_array_foreach(list, j, v)
                    cr_assert_eq(a[j], json_integer_value(v));
                n_list++;
            }
        }
    }
    cr_assert_geq(n_list, 6);
    json_decref(all);
}

Test(pattern, plans_equal_the_reference)
{
    json_t *all = golden(".", "random_plans.json"), *p;
    size_t i;
    int n_plan = 0;

    json_array_foreach(json_object_get(all, "plans"), i, p)
    {
        int64_t r = number(p, "num_random_blocks"), h = number(p, "heads");
        int64_t n = number(p, "blocks"), b = number(p, "block_size");
        int32_t *got = calloc((size_t)(h * n * r), sizeof(*got));
        int rc = bird_random_plan(got, n, b, h, r,
                                  number(p, "max_position_embeddings"),
                                  (uint32_t)number(p, "seed"));

        cr_assert_eq(n * b, number(p, "tokens"));
        if (json_is_true(json_object_get(p, "unreachable_in_HF"))) {
            cr_assert_eq(rc, BIRD_EINVAL);
        } else {
            cr_assert_eq(rc, 0, "%s", bird_last_error());
            check_blocks(got, json_object_get(p, "plan"), n - 2, r,
                         "random_plans.json");
            n_plan++;
        }
        free(got);
    }
    cr_assert_geq(n_plan, 18);
    json_decref(all);
}

/* How often row (h, i) of a plan lists a block. */
static int64_t times(const struct bird_plan *p, int64_t h, int64_t i,
                     int64_t block)
{
    int64_t n;
    const struct bird_run *run = bird_plan_row(p, h, i, &n);

    for (int64_t k = 0; k < n; k++)
        if (block >= run[k].first && block < run[k].first + run[k].count)
            return run[k].times;
    return 0;
}

/* The row table of the reference, counted naively. */
static void expect_row(int64_t *count, int64_t i, int64_t n,
                       const json_t *random)
{
    size_t k;
    const json_t *v;

    memset(count, 0, sizeof(*count) * (size_t)n);
    if (i == 0 || i == n - 1) {
        for (int64_t j = 0; j < n; j++)
            count[j] = 1;
        return;
    }
    count[0]++;
    count[n - 1]++;
    count[i]++;
    if (i > 1)
        count[i - 1]++;
    if (i < n - 2)
        count[i + 1]++;
    json_array_foreach((json_t *)(uintptr_t)random, k, v)
        count[json_integer_value(v)]++;
}

static void check_layer(const struct bird_pattern *p, int64_t len_tok,
                        int64_t layer, const json_t *want)
{
    struct bird_plan *plan = NULL;
    int64_t n = (len_tok + p->block - 1) / p->block;
    int64_t *count = calloc((size_t)n, sizeof(*count));

    cr_assert_eq(bird_plan_new(&plan, p, len_tok, layer), 0);
    cr_assert_eq(plan->n_block, n);
    cr_assert_not(plan->full);
    for (int64_t h = 0; h < p->n_head; h++)
        for (int64_t i = 0; i < n; i++) {
            const json_t *rows = json_array_get(want, (size_t)h);

            expect_row(count, i, n, json_array_get(rows, (size_t)(i - 1)));
            for (int64_t j = 0; j < n; j++)
                cr_assert_eq(times(plan, h, i, j), count[j],
                             "layer %d head %d row %d block %d", (int)layer,
                             (int)h, (int)i, (int)j);
        }
    bird_plan_free(plan);
    free(count);
}

static int check_case(const char *name)
{
    json_t *c = golden(name, "case.json"), *config, *layers, *want;
    struct bird_pattern p = {.row = &bird_pattern_bigbird};
    const char *layer;
    int n = 0;

    layers = json_object_get(c, "random_block_plan");
    if (json_is_object(layers)) {
        config = golden(name, "config.json");
        p.block = number(config, "block_size");
        p.n_random = number(config, "num_random_blocks");
        p.n_head = number(config, "num_attention_heads");
        p.max_positions = number(config, "max_position_embeddings");
        p.random =
            strcmp(json_string_value(json_object_get(c, "random_blocks")),
                   "zero")
                ? BIRD_RANDOM_PLAN
                : BIRD_RANDOM_ZERO;
        json_object_foreach(layers, layer, want)
        {
            check_layer(&p, number(c, "tokens"), atoi(layer), want);
            n++;
        }
        json_decref(config);
    }
    json_decref(c);
    return n;
}

Test(pattern, plans_of_the_golden_cases_with_multiplicities)
{
    json_t *index = golden(".", "INDEX.json"), *c;
    size_t i;
    int n = 0;

    json_array_foreach(json_object_get(index, "cases"), i, c)
    {
        const char *name = json_string_value(json_object_get(c, "name"));

        if (strncmp(name, "t_", 2))
            n += check_case(name);
    }
    cr_assert_geq(n, 20);
    json_decref(index);
}

static void check_properties(const struct bird_pattern *p, int64_t len_tok,
                             int64_t layer)
{
    struct bird_plan *plan = NULL;

    cr_assert_eq(bird_plan_new(&plan, p, len_tok, layer), 0, "%s",
                 bird_last_error());
    cr_assert_eq(plan->block, p->block);
    cr_assert_eq(plan->row[0], 0);
    cr_assert_eq(plan->full, bird_pattern_is_full(p, len_tok));
    for (int64_t h = 0; h < p->n_head; h++)
        for (int64_t i = 0; i < plan->n_block; i++) {
            int64_t n, end = 0, listed = 0;
            const struct bird_run *run = bird_plan_row(plan, h, i, &n);

            cr_assert_gt(n, 0);
            for (int64_t k = 0; k < n; k++) {
                cr_assert_geq(run[k].first, end);
                cr_assert_gt(run[k].count, 0);
                cr_assert_gt(run[k].times, 0);
                if (k)
                    cr_assert(run[k].first > end ||
                              run[k].times != run[k - 1].times);
                end = run[k].first + run[k].count;
                listed += (int64_t)run[k].count * run[k].times;
            }
            cr_assert_leq(end, plan->n_block);
            cr_assert_geq(times(plan, h, i, i), 1);
            cr_assert_geq(times(plan, h, i, 0), 1);
            cr_assert_geq(times(plan, h, i, plan->n_block - 1), 1);
            if (plan->full || i == 0 || i == plan->n_block - 1)
                cr_assert_eq(listed, plan->n_block);
            else
                cr_assert_eq(
                    listed,
                    (i == 1 || i == plan->n_block - 2 ? 4 : 5) +
                        (p->random == BIRD_RANDOM_NONE ? 0 : p->n_random));
        }
    bird_plan_free(plan);
}

Test(pattern, every_row_sees_itself_and_the_global_blocks)
{
    const int64_t blocks[] = {1, 2, 7, 16, 64, 128, 256, 500};
    const int64_t lengths[] = {1,    5,    6,    63,   64,   65,   72,
                               73,   300,  704,  705,  1000, 1024, 1025,
                               2048, 3072, 4000, 4096, 5000};

    for (size_t b = 0; b < sizeof(blocks) / sizeof(*blocks); b++)
        for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++)
            for (int64_t r = 0; r < 6; r++)
                for (int random = 0; random < 3; random++) {
                    struct bird_pattern p = {.row = &bird_pattern_bigbird,
                                             .random = random,
                                             .block = blocks[b],
                                             .n_random = r,
                                             .n_head = 2,
                                             .max_positions = 4096};

                    check_properties(&p, lengths[l], l % 3);
                }
}

Test(pattern, short_inputs_and_full_attention_list_everything_once)
{
    struct bird_pattern p = {
        &bird_pattern_bigbird, BIRD_RANDOM_PLAN, 64, 3, 12, 4096, 0, 0, {0}};

    cr_assert(bird_pattern_is_full(&p, 704));
    cr_assert_not(bird_pattern_is_full(&p, 705));
    check_properties(&p, 704, 0);
    p.row = &bird_pattern_full;
    cr_assert(bird_pattern_is_full(&p, 4096));
    check_properties(&p, 4096, 0);
    p.row = &bird_pattern_bigbird;
    p.block = INT64_MAX;
    cr_assert(bird_pattern_is_full(&p, INT64_MAX));
}

Test(pattern, runs_join_equal_neighbours_alone)
{
    struct bird_pattern p = {
        &bird_pattern_bigbird, BIRD_RANDOM_ZERO, 1, 2, 3, 4096, 0, 0, {0}};
    struct bird_plan *plan = NULL;
    const struct bird_run *run;
    int64_t n;

    cr_assert_eq(bird_plan_new(&plan, &p, 12, 0), 0);
    cr_assert_eq(plan->n_head, 1);
    run = bird_plan_row(plan, 2, 1, &n); /* 0 three times, 1 2, 11 */
    cr_assert_eq(n, 3);
    cr_assert(run[0].first == 0 && run[0].count == 1 && run[0].times == 3);
    cr_assert(run[1].first == 1 && run[1].count == 2 && run[1].times == 1);
    cr_assert(run[2].first == 11 && run[2].count == 1 && run[2].times == 1);
    bird_plan_free(plan);
    p.random = BIRD_RANDOM_NONE;
    cr_assert_eq(bird_plan_new(&plan, &p, 12, 0), 0);
    run = bird_plan_row(plan, 0, 1, &n); /* 0 1 2, 11 */
    cr_assert_eq(n, 2);
    cr_assert(run[0].first == 0 && run[0].count == 3 && run[0].times == 1);
    bird_plan_free(plan);
}

/* Where the reference cannot draw its special plan, any other length's. */
Test(pattern, special_lengths_without_candidates_take_the_general_plan)
{
    int32_t special[2 * 14 * 2], one[14];

    /* block 256: the special plan has one candidate in row 1, none in 2 */
    cr_assert_eq(bird_random_plan(special, 16, 256, 2, 2, 4096, 5), 0);
    for (int i = 0; i < 2 * 14 * 2; i++)
        cr_assert(special[i] > 0 && special[i] < 8);
    /* positions fewer than tokens: no special plan either */
    cr_assert_eq(bird_random_plan(one, 16, 64, 1, 1, 512, 5), 0);
    for (int i = 0; i < 14; i++)
        cr_assert(one[i] > 0 && one[i] < 6);
}

Test(pattern, refuses_impossible_sizes)
{
    struct bird_pattern p = {
        &bird_pattern_bigbird, BIRD_RANDOM_PLAN, 64, 3, 12, 4096, 0, 0, {0}};
    struct bird_plan *plan = NULL;
    int32_t out[64];

    cr_assert_eq(bird_plan_new(&plan, &p, 0, 0), BIRD_EINVAL);
    cr_assert_eq(bird_plan_new(&plan, &p, 100, -1), BIRD_EINVAL);
    cr_assert_eq(bird_plan_new(&plan, &p, INT64_MAX, 0), BIRD_EINVAL);
    p.block = 0;
    cr_assert_eq(bird_plan_new(&plan, &p, 100, 0), BIRD_EINVAL);
    p.block = 1;
    p.n_head = 0;
    cr_assert_eq(bird_plan_new(&plan, &p, 100, 0), BIRD_EINVAL);
    p.n_head = INT64_MAX;
    cr_assert_eq(bird_plan_new(&plan, &p, 100, 0), BIRD_EINVAL);
    cr_assert_null(plan);
    cr_assert_eq(bird_random_plan(out, 11, 64, 1, 3, 4096, 0), BIRD_EINVAL);
    cr_assert_eq(bird_random_plan(out, 12, 64, 0, 3, 4096, 0), BIRD_EINVAL);
    cr_assert_eq(bird_random_plan(out, 12, 64, INT64_MAX, 3, 4096, 0),
                 BIRD_EINVAL);
    cr_assert_eq(bird_random_plan(out, 12, INT64_MAX / 8, 1, 3, 4096, 0),
                 BIRD_EINVAL);
    bird_plan_free(NULL);
}

static int64_t row_sum(const struct bird_plan *p, int64_t h, int64_t i)
{
    int64_t sum = 0;

    for (int64_t j = 0; j < p->n_block; j++)
        sum += times(p, h, i, j);
    return sum;
}

Test(pattern, uniform_blocks_are_new_ones_from_all_of_the_sequence)
{
    struct bird_pattern p = {.row = &bird_pattern_bigbird,
                             .random = BIRD_RANDOM_UNIFORM,
                             .block = 16,
                             .n_random = 3,
                             .n_head = 4,
                             .max_positions = 1024};
    struct bird_plan *a = NULL, *b = NULL;
    int64_t seen[64] = {0}, far = 0;

    cr_assert_eq(bird_plan_new(&a, &p, 1024, 1), 0);
    cr_assert_eq(bird_plan_new(&b, &p, 1024, 2), 0);
    cr_assert_eq(a->n_head, 4);
    for (int64_t h = 0; h < 4; h++)
        for (int64_t i = 1; i < 63; i++) {
            int64_t fixed = i == 1 || i == 62 ? 4 : 5;

            cr_assert_eq(row_sum(a, h, i), fixed + 3);
            for (int64_t j = 0; j < 64; j++) {
                cr_assert_leq(times(a, h, i, j), 1);
                seen[j] += times(a, h, i, j);
                far += times(a, h, i, j) != times(b, h, i, j);
            }
        }
    cr_assert_gt(far, 400, "layers have lists of their own");
    for (int64_t j = 1; j < 63; j++)
        cr_assert_gt(seen[j], 12, "block %d is drawn by some row", (int)j);
    bird_plan_free(a);
    bird_plan_free(b);
}

/* Of two seeds two draws; 0 is what there was before there were seeds. */
Test(pattern, uniform_blocks_have_a_seed)
{
    struct bird_pattern p = {.row = &bird_pattern_bigbird,
                             .random = BIRD_RANDOM_UNIFORM,
                             .block = 16,
                             .n_random = 3,
                             .n_head = 2,
                             .max_positions = 1024};
    struct bird_plan *a[3] = {NULL};
    int64_t other[3] = {0}, sum = 0;

    for (int k = 0; k < 3; k++) {
        p.seed = (uint64_t)(k % 2);
        cr_assert_eq(bird_plan_new(&a[k], &p, 1024, 0), 0);
    }
    for (int64_t i = 1; i < 63; i++)
        for (int64_t j = 0; j < 64; j++) {
            for (int k = 1; k < 3; k++)
                other[k] += times(a[0], 1, i, j) != times(a[k], 1, i, j);
            sum += times(a[0], 1, i, j) * i * j;
        }
    cr_assert_gt(other[1], 200);
    cr_assert_eq(other[2], 0);
    cr_assert_eq(sum, 548163);
    for (int k = 0; k < 3; k++)
        bird_plan_free(a[k]);
}

Test(pattern, parts_can_be_left_out)
{
    struct bird_pattern p = {.row = &bird_pattern_bigbird,
                             .random = BIRD_RANDOM_UNIFORM,
                             .parts = BIRD_PART_WINDOW,
                             .block = 16,
                             .n_random = 3,
                             .n_head = 2,
                             .max_positions = 512};
    struct bird_plan *a = NULL;

    cr_assert_eq(bird_plan_new(&a, &p, 512, 0), 0);
    cr_assert_eq(a->n_head, 1, "all heads see the same window");
    cr_assert_eq(row_sum(a, 0, 0), 2);
    cr_assert_eq(row_sum(a, 0, 7), 3);
    cr_assert_eq(times(a, 0, 7, 6) + times(a, 0, 7, 8), 2);
    cr_assert_eq(row_sum(a, 0, 31), 2);
    bird_plan_free(a);

    p.parts = BIRD_PART_RANDOM;
    cr_assert_eq(bird_plan_new(&a, &p, 512, 0), 0);
    for (int64_t i = 0; i < 32; i++) {
        cr_assert_eq(row_sum(a, 1, i), 4);
        cr_assert_eq(times(a, 1, i, i), 1, "its own block");
    }
    bird_plan_free(a);

    p.parts = BIRD_PART_GLOBAL | BIRD_PART_RANDOM;
    p.random = BIRD_RANDOM_NONE;
    cr_assert_eq(bird_plan_new(&a, &p, 512, 0), 0);
    cr_assert_eq(row_sum(a, 0, 0), 32);
    cr_assert_eq(row_sum(a, 0, 9), 3);
    bird_plan_free(a);

    /* and of short sequences, that BigBird sees in full: up to 176 tokens */
    p.parts = BIRD_PART_WINDOW;
    cr_assert_not(bird_pattern_is_full(&p, 176));
    cr_assert_eq(bird_plan_new(&a, &p, 170, 0), 0);
    cr_assert_eq(a->full, 0);
    cr_assert_eq(row_sum(a, 0, 5), 3);
    bird_plan_free(a);
    p.parts = BIRD_PARTS_ALL;
    cr_assert(bird_pattern_is_full(&p, 176));

    /* a length of which the reference has no plan: drawn evenly */
    p.parts = BIRD_PART_GLOBAL | BIRD_PART_RANDOM;
    p.random = BIRD_RANDOM_PLAN;
    for (int64_t len = 1; len <= 176; len += 5) {
        int64_t n = (len + 15) / 16;

        cr_assert_eq(bird_plan_new(&a, &p, len, 0), 0);
        for (int64_t i = 0; i < n; i++)
            cr_assert_eq(row_sum(a, 1, i),
                         i == 0 || i == n - 1 || n < 6 ? n : 6, "%d: %d",
                         (int)len, (int)i);
        bird_plan_free(a);
    }

    p.parts = BIRD_PART_RANDOM;
    a = NULL;
    cr_assert_eq(bird_plan_new(&a, &p, 512, 0), BIRD_EINVAL);
    cr_assert_null(a);
}

/* A plan of one head's lists, against lists written by hand: one word of
 * digits a row. */
static void check_by_hand(const struct bird_pattern *p, int64_t len_tok,
                          const char *const *rows, int64_t n)
{
    struct bird_plan *a = NULL;

    cr_assert_eq(bird_plan_new(&a, p, len_tok, 3), 0, "%s", bird_last_error());
    cr_assert_eq(a->n_block, n);
    cr_assert_eq(a->n_head, 1, "all heads see the same");
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            cr_assert_eq(times(a, 0, i, j),
                         strchr(rows[i], '0' + (char)j) != NULL, "%d, %d",
                         (int)i, (int)j);
    bird_plan_free(a);
}

Test(pattern, a_window_alone_against_lists_by_hand)
{
    static const char *const one[] = {"01",  "012", "123", "234",
                                      "345", "456", "56"};
    static const char *const two[] = {"012",   "0123",  "01234", "12345",
                                      "23456", "34567", "4567",  "567"};
    static const char *const wide[] = {"01", "01"};
    struct bird_pattern p, parts;
    struct bird_plan *a = NULL, *b = NULL;

    bird_pattern_default(&p);
    cr_assert_eq(bird_pattern_parse(&p, "window,block=4"), 0);
    p.n_head = 3;
    p.max_positions = 4096;
    check_by_hand(&p, 27, one, 7);
    cr_assert_not(bird_pattern_is_full(&p, 1));
    cr_assert_eq(bird_pattern_set(&p, "width", "2"), 0);
    check_by_hand(&p, 32, two, 8);
    cr_assert_eq(bird_pattern_set(&p, "width", "1000000"), 0);
    check_by_hand(&p, 5, wide, 2);

    /* one block to either side is BigBird with its window alone */
    cr_assert_eq(bird_pattern_set(&p, "width", "1"), 0);
    parts = p;
    cr_assert_eq(bird_pattern_parse(&parts, "bigbird,parts=window"), 0);
    cr_assert_eq(parts.block, 4, "what both have stays");
    cr_assert_eq(bird_plan_new(&a, &p, 1001, 0), 0);
    cr_assert_eq(bird_plan_new(&b, &parts, 1001, 0), 0);
    cr_assert_eq(a->row[a->n_block], b->row[b->n_block]);
    cr_assert_arr_eq(a->run, b->run,
                     (size_t)a->row[a->n_block] * sizeof(*a->run));
    bird_plan_free(a);
    bird_plan_free(b);
}

Test(pattern, parameters_of_options)
{
    static const struct {
        const char *text, *word;
    } bad[] = {{"wind", "unknown pattern 'wind'"},
               {"window,", "is not OPTION=VALUE"},
               {"window,width", "'width' is not OPTION=VALUE"},
               {"window,width=", "1 to"},
               {"window,width=0", "1 to"},
               {"window,width=1x", "1 to"},
               {"window,seed=1", "no parameter 'seed'"},
               {"bigbird,random=some", "plan|zero|none|uniform"},
               {"bigbird,random=plan|zero", "plan|zero|none|uniform"},
               {"bigbird,parts=window+", "global|window|random"},
               {"bigbird,parts=", "global|window|random"},
               {"bigbird,seed=9223372036854775808", "'92233720368547758"}};
    struct bird_pattern p;

    bird_pattern_default(&p);
    cr_assert(p.row == &bird_pattern_bigbird && p.block == 64);
    cr_assert(p.n_random == 3 && p.parts == BIRD_PARTS_ALL && !p.seed);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct bird_pattern before = p;

        cr_assert_eq(bird_pattern_parse(&p, bad[i].text), BIRD_EINVAL, "%s",
                     bad[i].text);
        cr_assert(strstr(bird_last_error(), bad[i].word), "%s: %s", bad[i].text,
                  bird_last_error());
        cr_assert_eq(memcmp(&p, &before, sizeof(p)), 0);
    }
    cr_assert_eq(bird_pattern_parse(&p, "bigbird,parts=global+random,seed=7,"
                                        "random=uniform,n_random=0,block=1"),
                 0, "%s", bird_last_error());
    cr_assert(p.parts == (BIRD_PART_GLOBAL | BIRD_PART_RANDOM) && p.seed == 7);
    cr_assert(p.random == BIRD_RANDOM_UNIFORM && !p.n_random && p.block == 1);
    cr_assert_eq(bird_pattern_parse(&p, "full"), 0);
    cr_assert(bird_pattern_is_full(&p, INT64_MAX));
    cr_assert_eq(p.seed, 7, "a full pattern keeps BigBird's parameters");
    cr_assert_eq(bird_pattern_options(&p, "window,width=3", "plan", NULL, 0),
                 BIRD_EINVAL, "a window has no random blocks");
}
