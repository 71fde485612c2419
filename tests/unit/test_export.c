/* session/export: what a folder is made into, what is kept, what is refused,
 * and that a failure leaves things as they were. */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/json.h"
#include "folder/folder.h"
#include "seq_help.h"

TestSuite(export, .init = folder_new, .fini = folder_remove);

static bird_export_options plain(void)
{
    bird_export_options o;

    bird_export_options_default(&o);
    cr_assert_eq(o.bf16, 0);
    cr_assert_eq(o.compress, 0);
    cr_assert_null(o.thresholds);
    cr_assert_null(o.facts);
    cr_assert_eq(o.default_rate, 5);
    return o;
}

static const char *in(const char *a, const char *name)
{
    static char paths[8][1024];
    static int k;

    k = (k + 1) % 8;
    snprintf(paths[k], sizeof(paths[k]), "%s/%s", a, name);
    return paths[k];
}

static void equal_files(const char *a, const char *b)
{
    char x[65], y[65];

    WORKS(bird_file_sha256(x, a));
    WORKS(bird_file_sha256(y, b));
    cr_assert_str_eq(x, y, "%s and %s", a, b);
}

static void digest(char out[65], const char *path)
{
    struct bird_folder f = {0};

    WORKS(bird_folder_open(&f, path));
    WORKS(bird_folder_digest(&f));
    memcpy(out, f.digest, 65);
    bird_folder_free(&f);
}

/* Do the folder's own checksums hold? */
static void whole(const char *path)
{
    struct bird_folder f = {0};
    const char *name;
    json_t *sum;
    int n = 0;

    WORKS(bird_folder_open(&f, path));
    json_object_foreach(json_object_get(f.meta, "checksums"), name, sum)
    {
        char hex[65];

        WORKS(bird_file_sha256(hex, in(path, name)));
        cr_assert_str_eq(hex, json_string_value(sum), "%s", name);
        n++;
    }
    cr_assert_eq(n, 4); /* with tokenizer_config.json */
    bird_folder_free(&f);
}

static float *weights(int64_t *total, const char *path)
{
    struct bird_folder f = {0};
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n;

    WORKS(bird_folder_open(&f, path));
    WORKS(bird_folder_weights(&block, &list, &n, total, &f));
    free(list);
    bird_folder_free(&f);
    return block;
}

Test(export, plain_then_small_again)
{
    bird_export_options o = plain();
    const char *a = path_of("a"), *b = path_of("b"), *c = path_of("c");
    int64_t n = 0, m = 0;
    float *x, *y;

    WORKS(bird_export(tests_path(DATA_MODEL), a, &o));
    whole(a);
    cr_assert(bird_file_exists(in(a, "model.safetensors")));
    cr_assert_not(bird_file_exists(in(a, "model.safetensors.zst")));
    equal_files(in(a, "config.json"),
                in(tests_path(DATA_MODEL), "config.json"));
    equal_files(in(a, "tokenizer.json"),
                in(tests_path(DATA_MODEL), "tokenizer.json"));
    cr_assert_eq(file_size(in(a, "model.safetensors")) > 150000, 1);
    /* the model's weights are bfloat16 already: nothing is lost */
    o.bf16 = o.compress = 1;
    WORKS(bird_export(a, b, &o));
    whole(b);
    cr_assert_not(bird_file_exists(in(b, "model.safetensors")));
    equal_files(in(b, "model.safetensors.zst"),
                in(tests_path(DATA_MODEL), "model.safetensors.zst"));
    x = weights(&n, a);
    y = weights(&m, b);
    cr_assert_eq(n, m);
    cr_assert_arr_eq(x, y, (size_t)n * sizeof(*x));
    o.compress = 0;
    WORKS(bird_export(a, c, &o));
    cr_assert_lt(2 * file_size(in(c, "model.safetensors")),
                 file_size(in(a, "model.safetensors")) + 16384);
    free(x), free(y);
}

/* bfloat16 keeps 8 bits: a share of 2^-9 at most is lost, to even. */
Test(export, bfloat16_rounds_to_the_nearest)
{
    bird_model_init_options init;
    bird_export_options o = plain();
    const char *a = path_of("a"), *b = path_of("b");
    int64_t n = 0, m = 0, changed = 0;
    float *x, *y;

    bird_model_init_options_default(&init);
    WORKS(bird_model_init(a, &init));
    o.bf16 = 1;
    WORKS(bird_export(a, b, &o));
    x = weights(&n, a);
    y = weights(&m, b);
    cr_assert_eq(n, m);
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, y + i, 4);
        cr_assert_eq(bits & 0xffff, 0);
        cr_assert_leq(fabsf(x[i] - y[i]), fabsf(x[i]) / 256);
        changed += x[i] != y[i];
    }
    cr_assert_gt(changed, n / 2);
    free(x), free(y);
}

Test(export, thresholds_and_facts_go_in_and_the_run_stays_out)
{
    bird_export_options o = plain();
    const char *a = path_of("a"), *b = path_of("b"), *run;
    struct bird_folder f = {0};
    const json_t *table;

    run =
        file_text("facts", "{\"run\": {\"command\": \"x\"}, \"note\": \"n\"}");
    o.facts = run;
    WORKS(bird_export(tests_path(DATA_MODEL), a, &o));
    WORKS(bird_folder_open(&f, a));
    cr_assert_str_eq(json_string_value(json_object_get(f.meta, "note")), "n");
    bird_folder_free(&f);
    o = plain();
    o.default_rate = 2;
    o.thresholds = file_text("t", "mode\trate\tthreshold\n"
                                  "stranded\t1\t0.75\nunstranded\t2\t0.1\n"
                                  "stranded\t2\t0.5\nstranded\t20\t.\n");
    WORKS(bird_export(a, b, &o));
    whole(b);
    WORKS(bird_folder_open(&f, b));
    cr_assert_null(json_object_get(f.meta, "run"));
    cr_assert_str_eq(json_string_value(json_object_get(f.meta, "note")), "n");
    table = json_object_get(f.meta, "thresholds");
    cr_assert_eq(json_number_value(json_object_get(table, "default")), 0.5);
    table = json_object_get(table, "fp_per_mb");
    cr_assert_eq(json_array_size(table), 2);
    table = json_array_get(table, 0);
    cr_assert_eq(json_number_value(json_array_get(table, 0)), 1);
    cr_assert_eq(json_number_value(json_array_get(table, 1)), 0.75);
    cr_assert_eq(f.window_bp, 70);
    bird_folder_free(&f);
}

Test(export, floors_come_along)
{
    bird_export_options o = plain();
    const char *a = path_of("a"), *b = path_of("b");

    WORKS(bird_export(tests_path(DATA_MODEL), a, &o));
    WORKS(bird_file_write(in(a, "baseline.safetensors"), "floors", 6));
    WORKS(bird_export(a, b, &o));
    equal_files(in(a, "baseline.safetensors"), in(b, "baseline.safetensors"));
}

static void fails(int code, const char *from, const char *to,
                  const bird_export_options *o, const char *part)
{
    int before = files_in(folder);

    FAILS(code, bird_export(from, to, o), part);
    cr_assert_eq(files_in(folder), before);
}

Test(export, a_model_that_is_there_is_refused_or_replaced_as_a_whole)
{
    bird_export_options o = plain();
    const char *a = path_of("a/");

    o.compress = 1;
    WORKS(bird_export(tests_path(DATA_MODEL), a, &o));
    WORKS(bird_file_write(in(a, "calibration.safetensors"), "old", 3));
    o.compress = 0;
    fails(BIRD_EINVAL, tests_path(DATA_MODEL), a, &o, "holds a model");
    cr_assert(bird_file_exists(in(a, "model.safetensors.zst")));
    o.force = 1;
    WORKS(bird_export(tests_path(DATA_MODEL), a, &o));
    whole(a);
    cr_assert_not(bird_file_exists(in(a, "calibration.safetensors")));
    cr_assert_not(bird_file_exists(in(a, "model.safetensors.zst")));
    cr_assert_eq(files_in(a), 6);
    cr_assert_eq(files_in(folder), 1);
    WORKS(bird_file_write(in(a, "README.md"), "mine", 4));
    fails(BIRD_EINVAL, tests_path(DATA_MODEL), a, &o, "README.md");
    cr_assert(bird_file_exists(in(a, "README.md")));
}

Test(export, refusals)
{
    bird_export_options o = plain();
    const char *a = path_of("a"), *b;

    fails(BIRD_EIO, path_of("none"), a, &o, "none");
    fails(BIRD_EIO, tests_path(DATA_MODEL), path_of("no/a"), &o, "no/a");
    fails(BIRD_EIO, tests_path(DATA_MODEL), file_text("file", "x"), &o, "file");
    fails(BIRD_EINVAL, tests_path(DATA_MODEL), tests_path(DATA_MODEL), &o,
          "one folder");
    o.thresholds = path_of("none");
    fails(BIRD_EIO, tests_path(DATA_MODEL), a, &o, "none");
    o.thresholds = file_text("t", "stranded\t1\t0.75\n");
    fails(BIRD_EINVAL, tests_path(DATA_MODEL), a, &o,
          "no stranded threshold at 5");
    o.thresholds = file_text("t", "stranded\t5\t0.5\nstranded\t1\t0.75\n");
    fails(BIRD_EINVAL, tests_path(DATA_MODEL), a, &o, "rates must rise");
    o = plain();
    o.facts = b = file_text("f", "[1]");
    fails(BIRD_EFORMAT, tests_path(DATA_MODEL), a, &o, b);
    o.facts = file_text("f", "{\"labels\": [\"one\"]}");
    fails(BIRD_EINVAL, tests_path(DATA_MODEL), a, &o,
          "1 labels for a model of 2");
}

/* A limit on the size of files fails as a full disk does. */
static void limit_files(rlim_t bytes)
{
    struct rlimit r;

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
}

Test(export, a_full_disk_leaves_no_part_of_a_folder)
{
    bird_export_options o = plain();
    char before[65], after[65];
    const char *old = path_of("old"), *fresh = path_of("fresh");

    o.compress = 1;
    WORKS(bird_export(tests_path(DATA_MODEL), old, &o));
    digest(before, old);
    o.compress = 0;
    limit_files(20000); /* the texts fit, the weights do not */
    fails(BIRD_EIO, tests_path(DATA_MODEL), fresh, &o, "File too large");
    o.force = 1;
    fails(BIRD_EIO, tests_path(DATA_MODEL), old, &o, "File too large");
    limit_files(RLIM_INFINITY);
    digest(after, old);
    cr_assert_str_eq(before, after);
    whole(old);
    cr_assert_eq(files_in(old), 6);
    cr_assert_eq(files_in(folder), 1);
}
