/* train: the copying task's rows, and encoders that learn it as far as their
 * pattern lets them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dnabird/dnabird.h"
#include "folder_help.h"
#include "lab/copying.h"
#include "seq_help.h"

TestSuite(copying, .init = folder_new, .fini = folder_remove);

Test(copying, a_row_is_0_s_0_s)
{
    bird_copying_task task = {.symbols = 7, .length = 10, .seed = 3};
    int32_t row[22], again[22], count[7] = {0};
    int64_t n = 0, same = 0;

    WORKS(bird_copying_tokens(&n, &task));
    cr_assert_eq(n, 22);
    for (int64_t i = 0; i < 2000; i++) {
        bird_copying_row(row, &task, i);
        cr_assert_eq(row[0], 0);
        cr_assert_arr_eq(row, row + 11, 11 * sizeof(*row));
        for (int k = 1; k < 11; k++) {
            cr_assert(row[k] >= 0 && row[k] < 7);
            count[row[k]]++;
        }
        bird_copying_row(again, &task, i);
        cr_assert_arr_eq(row, again, sizeof(row));
        bird_copying_row(again, &task, i + 1);
        same += !memcmp(row, again, sizeof(row));
    }
    cr_assert_eq(same, 0);
    for (int k = 0; k < 7; k++) /* 20,000 of 7: sd 49 */
        cr_assert_lt(abs(count[k] - 20000 / 7), 250, "%d: %d", k, count[k]);
    task.seed = 4;
    bird_copying_row(again, &task, 2000);
    cr_assert_neq(memcmp(row, again, sizeof(row)), 0);
    task.symbols = 1;
    FAILS(BIRD_EINVAL, bird_copying_tokens(&n, &task), "--symbols 1");
    task = (bird_copying_task){.symbols = 2, .length = 0};
    FAILS(BIRD_EINVAL, bird_copying_tokens(&n, &task), "--length 0");
}

/* Eight symbols, rows of 16 tokens, a small encoder. */
static bird_pattern_learn_options small(const char *pattern, const char *out)
{
    bird_pattern_learn_options o;

    bird_pattern_learn_default(&o);
    o.pattern = pattern;
    o.task = (bird_copying_task){.symbols = 8, .length = 7, .seed = 1};
    o.hidden = 32;
    o.intermediate = 32;
    o.heads = 2;
    o.batch = 32;
    o.valid_rows = 100;
    o.test_rows = 500;
    o.validate_every = 50;
    o.run.optimizer = BIRD_OPTIMIZER_MUON;
    o.run.lr = 5e-3;
    o.run.warmup = 50;
    o.run.steps = 400;
    o.run.out = out;
    return o;
}

/* Who sees all before copies; who sees a neighbour alone guesses; and who sees
 * some of the answers is between, as counting says. */
Test(copying, what_is_learned_is_what_can_be_reached)
{
    bird_pattern_learned got;
    bird_pattern_learn_options o =
        small("random,block=1,sparsity=0,causal=yes", path_of("full"));

    WORKS(bird_pattern_learn(&got, &o));
    cr_assert_float_eq(got.reach, 100, 1e-9);
    cr_assert_float_eq(got.counted, 100, 1e-9);
    cr_assert_gt(got.right, 99, "%g", got.right);
    cr_assert_leq(got.steps, 400);

    o.pattern = "strided,block=1,width=3,causal=yes";
    o.run.out = path_of("strided");
    WORKS(bird_pattern_learn(&got, &o));
    cr_assert_float_eq(got.reach, 0, 1e-9);
    cr_assert_float_eq(got.counted, 12.5, 1e-9);
    cr_assert_float_eq(got.right, 12.5, 3, "%g", got.right);
    cr_assert_eq(got.steps, 400);

    /* tokens 1 to 7 are answers; 3 and 7 end a group, which all after see */
    o.pattern = "fixed,block=1,width=4,causal=yes";
    o.run.out = path_of("fixed");
    WORKS(bird_pattern_learn(&got, &o));
    cr_assert_float_eq(got.reach, 200.0 / 7, 1e-9, "%g", got.reach);
    cr_assert_float_eq(got.counted, 200.0 / 7 + 500.0 / 56, 1e-9);
    cr_assert_float_eq(got.right, got.counted, 3, "%g", got.right);
}

Test(copying, refusals)
{
    bird_pattern_learned got;
    bird_pattern_learn_options o =
        small("strided,block=1,width=3", path_of("r"));

    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "token 0 sees token 1");
    o.pattern = "window,block=4";
    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "block=1");
    o.pattern = "random,block=1,causal=yes";
    o.map = "hardmax";
    FAILS(BIRD_EUNSUPPORTED, bird_pattern_learn(&got, &o), "no gradient");
    o.map = NULL;
    o.hidden = 33;
    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "heads");
    o.hidden = 32;
    o.run.steps = 0;
    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "at least 1");
    o.run.steps = 5;
    o.enough = 101;
    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "enough");
    o.enough = 100;
    o.train_rows = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "rows");
    o.train_rows = 100;
    o.run.pack_tokens = 0;
    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "pack");
    cr_assert_not(bird_file_exists(o.run.out));
}

static int stop_at(void *context, const bird_progress *p)
{
    return p->done == *(int64_t *)context;
}

/* A run that was stopped gives what one gives that was not. */
Test(copying, stopped_and_resumed)
{
    bird_pattern_learned got, want;
    int64_t at = 33;
    bird_pattern_learn_options o =
        small("random,block=1,sparsity=50,causal=yes", path_of("whole"));

    o.run.steps = 80;
    o.run.checkpoint_every = 20;
    WORKS(bird_pattern_learn(&want, &o));
    o.run.out = path_of("parts");
    o.run.progress = stop_at;
    o.run.progress_context = &at;
    FAILS(BIRD_ECANCELED, bird_pattern_learn(&got, &o), "step 33 of 80");
    FAILS(BIRD_EINVAL, bird_pattern_learn(&got, &o), "--resume");
    o.run.resume = 1;
    o.run.lr = 4e-3;
    FAILS(BIRD_EFORMAT, bird_pattern_learn(&got, &o), "another run");
    o.run.lr = 5e-3;
    o.pattern = "random,block=1,sparsity=60,causal=yes";
    FAILS(BIRD_EFORMAT, bird_pattern_learn(&got, &o), "sparsity=50");
    o.pattern = "random,block=1,sparsity=50,causal=yes";
    at = -1;
    WORKS(bird_pattern_learn(&got, &o));
    cr_assert_eq(got.steps, want.steps);
    cr_assert_eq(got.right, want.right);
    cr_assert_eq(got.valid, want.valid);
    /* a finished one is scored again, not trained */
    WORKS(bird_pattern_learn(&got, &o));
    cr_assert_eq(got.right, want.right);
}
