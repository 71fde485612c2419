/*
 * Any bytes as dnabird.json beside a config.json that is fixed, the first byte
 * says which: what is taken over must fit the configuration, thresholds must be
 * between 0 and 1, and a refusal must name the file.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "fuzz_help.h"

#include "base/json.h"
#include "folder/folder.h"
#include "head/head.h"
#include "scan/source.h"
#include "session/probability.h"

static void configure(struct bird_config *c, int kind)
{
    static const struct bird_head_row *const heads[] = {
        &bird_head_mlm, &bird_head_sequence, &bird_head_bins_maxmean};

    bird_config_default(c);
    c->vocab_size = 16;
    c->hidden_size = 8;
    c->n_head = c->n_layer = 1;
    c->intermediate_size = 8;
    c->max_positions = 64;
    c->head = heads[kind % 3];
    c->n_label = 1 + kind / 3 % 4;
}

static void use(const struct bird_folder *f)
{
    char notice[256] = "";
    double x = -1;

    MUST(f->window_bp >= 0 && f->stride_bp >= 0);
    if (f->labels)
        MUST((int64_t)json_array_size(f->labels) == f->config.n_label);
    for (int64_t i = 0; f->strand_pair && i < f->config.n_label; i++)
        MUST(f->strand_pair[i] >= 0 && f->strand_pair[i] < f->config.n_label &&
             f->strand_pair[f->strand_pair[i]] == i);
    if (!bird_threshold_choose(&x, f->meta, -1, 0, "x"))
        MUST(x >= 0 && x <= 1);
    for (double rate = 0.01; rate < 1000; rate *= 9)
        if (!bird_threshold_choose(&x, f->meta, -1, rate, "x"))
            MUST(x >= 0 && x <= 1);
    bird_build_check(notice, sizeof(notice), f->meta, "chr1", 500);
    bird_build_check(notice, sizeof(notice), f->meta, "20", 63025520);
    MUST(memchr(notice, 0, sizeof(notice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bird_folder f = {0};
    json_t *config = json_object();
    int rc;

    MUST(config);
    if (!size ||
        bird_json_parse(&f.meta, (const char *)data + 1, size - 1, "x"))
        goto done;
    configure(&f.config, data[0]);
    rc = bird_meta_read(&f, "x");
    if (!rc)
        rc = bird_meta_complete(&f, config, "x");
    if (rc)
        MUST(rc == BIRD_ENOMEM || strstr(bird_last_error(), "x"));
    else
        use(&f);
done:
    bird_folder_free(&f);
    json_decref(config);
    return 0;
}
