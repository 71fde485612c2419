/* model/notice, mapped weights: how a folder is run. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "dnabird/dnabird.h"
#include "folder/folder.h"
#include "folder_help.h"

TestSuite(run, .init = folder_new, .fini = folder_remove);

/* What is written here is the block itself: no copy is made of it. */
Test(run, weights_that_lie_right_are_not_copied)
{
    struct bird_folder *f;
    bird_model_init_options o;
    const float *block = NULL;
    float *own = NULL, *copy = NULL;
    struct bird_param *list = NULL, *again = NULL;
    int64_t n = 0, total = 0;

    bird_model_init_options_default(&o);
    WORKS(bird_model_init(path_of("m"), &o));
    f = opened(path_of("m"));
    WORKS(bird_folder_weights_shared(&block, &own, &list, &n, f));
    cr_assert_null(own);
    cr_assert_eq((uintptr_t)block % 64, 0);
    WORKS(bird_folder_weights(&copy, &again, &n, &total, f));
    for (int64_t i = 0; i < n; i++)
        cr_assert_eq(memcmp(block + list[i].offset, copy + list[i].offset,
                            (size_t)list[i].count * sizeof(*copy)),
                     0, "%s", list[i].name);
    free(copy);
    free(list);
    free(again);
    closed(f);
    /* in another order, or with sizes that leave gaps, they are */
    f = opened(golden("e_seqcls"));
    WORKS(bird_folder_weights_shared(&block, &own, &list, &n, f));
    cr_assert_not_null(own);
    cr_assert_eq(block, own);
    free(own);
    free(list);
    closed(f);
}

/* Weights that were decompressed are copied, wherever they came to lie: what is
 * mapped is given back to the system while it is packed. */
Test(run, decompressed_weights_are_copied)
{
    bird_model_init_options o;
    bird_export_options x;
    const float *block = NULL, *want = NULL;
    float *own = NULL;
    struct bird_param *list = NULL;
    struct bird_folder *f, *g;
    int64_t n = 0;

    bird_model_init_options_default(&o);
    WORKS(bird_model_init(path_of("m"), &o));
    bird_export_options_default(&x);
    x.compress = 1;
    WORKS(bird_export(path_of("m"), path_of("z"), &x));
    g = opened(path_of("m"));
    WORKS(bird_folder_weights_shared(&want, &own, &list, &n, g));
    cr_assert_null(own);
    free(list);
    for (int k = 0; k < 40; k++) { /* of ten, one or two lay right */
        void *gap = malloc((size_t)(1000 * k + 1));

        f = opened(path_of("z"));
        WORKS(bird_folder_weights_shared(&block, &own, &list, &n, f));
        cr_assert_not_null(own);
        for (int64_t i = 0; i < n; i++)
            cr_assert_eq(memcmp(block + list[i].offset, want + list[i].offset,
                                (size_t)list[i].count * sizeof(*block)),
                         0, "%s", list[i].name);
        free(own);
        free(list);
        closed(f);
        free(gap);
    }
    closed(g);
}

static char *notice(const char *path, enum bird_blocks blocks)
{
    bird_model_run r;
    char *s = NULL;

    bird_model_run_default(&r);
    r.blocks = blocks;
    WORKS(bird_model_notice(&s, path, &r));
    return s;
}

Test(run, a_guess_at_the_random_blocks_is_told)
{
    char *s = notice(golden("b_sparse_eval"), BIRD_BLOCKS_AS_MODEL);

    cr_assert_not_null(strstr(s, "random blocks: zero"), "%s", s);
    cr_assert_not_null(strstr(s, "4.57"), "%s", s);
    free(s);
    /* asked for, or said by dnabird.json: no guess */
    cr_assert_null(notice(golden("b_sparse_eval"), BIRD_BLOCKS_PLAN));
    cr_assert_null(notice(copy("b_sparse_eval", "said",
                               "{\"format_version\": 1, \"random_blocks\": "
                               "\"plan\"}"),
                          BIRD_BLOCKS_AS_MODEL));
    /* too short ever to have any: (2 * 2 + 5) * 8 = 72 */
    s = notice(copy("b_sparse_eval", "long", NULL), BIRD_BLOCKS_AS_MODEL);
    cr_assert_not_null(s);
    free(s);
    shell("sed -i 's/\"max_position_embeddings\": [0-9]*/"
          "\"max_position_embeddings\": 72/' %s/config.json",
          path_of("long"));
    cr_assert_null(notice(path_of("long"), BIRD_BLOCKS_AS_MODEL));
}

Test(run, numbers_that_a_model_cannot_hold_are_refused)
{
    bird_model_init_options o, bad;
    bird_model_grow_options g;

    bird_model_init_options_default(&o);
    bad = o;
    bad.window_bp = -1;
    FAILS(BIRD_EINVAL, bird_model_init(path_of("n"), &bad), "windows of -1");
    bad.window_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_model_init(path_of("n"), &bad), "windows of");
    bad = o;
    bad.branch_scale = (double)INFINITY;
    FAILS(BIRD_EINVAL, bird_model_init(path_of("n"), &bad), "inf");
    bad = o;
    bad.labels = "3";
    bad.head = "bins";
    bad.bin_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_model_init(path_of("n"), &bad), "bins of");
    cr_assert_eq(bird_file_exists(path_of("n")), 0);
    bird_model_grow_options_default(&g);
    g.layers = 3;
    g.branch_scale = (double)INFINITY;
    WORKS(bird_model_init(path_of("m"), &o));
    FAILS(BIRD_EINVAL, bird_model_grow(path_of("n"), path_of("m"), &g), "inf");
}

Test(run, a_token_type_is_kept)
{
    struct bird_folder *f =
        opened(copy("v_config_variants", "t",
                    "{\"format_version\": 1, \"token_type\": 2}"));
    json_t *meta = json_object();
    bird_model_run r;

    bird_model_run_default(&r);
    cr_assert_eq(f->config.token_type, 2);
    r.token_type = -2;
    FAILS(BIRD_EINVAL, bird_config_run(&f->config, &r, "m"), "token type -2");
    WORKS(bird_folder_describe(meta, &f->config));
    cr_assert_eq(json_integer_value(json_object_get(meta, "token_type")), 2);
    json_decref(meta);
    closed(f);
    refused(copy("v_config_variants", "t",
                 "{\"format_version\": 1, \"token_type\": 3}"),
            BIRD_EFORMAT, "token_type");
}
