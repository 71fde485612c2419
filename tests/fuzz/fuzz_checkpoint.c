/*
 * Any header and any bytes as the checkpoint of a training run of the smallest
 * model: what is gone on from has counts that fit each other, a refusal names
 * the file. The first byte: with a moving average or without.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz_help.h"
#include "head/head.h"

#include "dnabird/error.h"
#include "train/run.h"

static struct memory_file file;
static char folder[] = "/tmp/fuzz_checkpoint.XXXXXX";
static char place[sizeof(folder) + sizeof(BIRD_RUN_CHECKPOINT) + 1];

static void remove_folder(void)
{
    unlink(place);
    rmdir(folder);
}

/* The file's name in a folder leads to memory. */
static void make_folder(void)
{
    memory_file_put(&file, "", 0);
    MUST(mkdtemp(folder));
    atexit(remove_folder);
    snprintf(place, sizeof(place), "%s/%s", folder, BIRD_RUN_CHECKPOINT);
    MUST(!symlink(file.path, place));
}

static void learner(struct bird_trainer **out, int average)
{
    struct bird_config c;

    bird_config_default(&c);
    c.vocab_size = 4;
    c.hidden_size = c.n_head = c.n_layer = c.intermediate_size = 1;
    c.max_positions = 4;
    c.head = &bird_head_mlm;
    MUST(!bird_trainer_new(out, &c, 0, average ? 0.9 : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bird_trainer *learners[2];
    static char identity[] = "i", attention[] = "a";
    int average = size ? data[0] & 1 : 0, rc;
    bird_train_options o = {.out = folder, .resume = 1};
    struct bird_train_run r = {.o = &o,
                               .identity = {.s = identity, .n = 1},
                               .attention = {.s = attention, .n = 1}};
    size_t n;
    uint8_t *s = safetensors_of(&n, data + (size > 0), size ? size - 1 : 0);

    if (!place[0])
        make_folder();
    if (!learners[average])
        learner(&learners[average], average);
    r.l = learners[average];
    r.l->adam.t = 0;
    memory_file_put(&file, s, n);
    free(s);
    rc = bird_run_resume(&r);
    MUST(!rc || rc == BIRD_ENOMEM || strstr(bird_last_error(), place));
    if (rc)
        MUST(!r.progress.step && !r.l->adam.t);
    else
        MUST(r.progress.step == r.l->adam.t && r.progress.step >= 0 &&
             r.progress.best_step <= r.progress.step &&
             r.progress.loss_count <= r.progress.step);
    return 0;
}
