/* folder/folder: folders opened, written, initialised, described, verified. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "folder/folder.h"
#include "folder_help.h"
#include "head/head.h"

TestSuite(folder, .init = folder_new, .fini = folder_remove);

Test(folder, golden_folders_open)
{
    struct bird_folder *f = opened(golden("e_seqcls"));
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n = 0, total = 0;

    cr_assert_eq(f->config.head, &bird_head_sequence);
    cr_assert_eq(f->config.pattern.random,
                 BIRD_RANDOM_ZERO); /* transformers 4.57 */
    cr_assert_not_null(strstr(f->random_why, "4.57"));
    cr_assert_null(f->meta);
    cr_assert_null(f->tokenizer);
    cr_assert_str_eq(f->weights, "model.safetensors");
    cr_assert_eq(json_array_size(f->labels), 3);
    cr_assert_str_eq(json_string_value(json_array_get(f->labels, 2)),
                     "LABEL_2");
    cr_assert_eq(f->window_bp, 0);
    WORKS(bird_folder_weights(&block, &list, &n, &total, f));
    cr_assert_eq(n, 43);
    free(block);
    free(list);
    closed(f);
    bird_folder_free(NULL);
}

Test(folder, dnabird_json_says_what_config_json_cannot)
{
    struct bird_folder *f =
        opened(copy("g_multilabel_linear", "m",
                    "{\"format_version\":1,\"head\":\"linear_cls\","
                    "\"random_blocks\":\"none\",\"window_bp\":2000,"
                    "\"stride_bp\":250,\"strand\":\"both\",\"labels\":"
                    "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\"],"
                    "\"genome\":{\"contigs\":{\"chr1\":249250621}}}"));

    cr_assert_eq(f->config.head, &bird_head_linear_cls);
    cr_assert_eq(f->config.pattern.random, BIRD_RANDOM_NONE);
    cr_assert_not_null(strstr(f->random_why, "dnabird.json"));
    cr_assert_eq(f->window_bp, 2000);
    cr_assert_eq(f->stride_bp, 250);
    cr_assert_str_eq(json_string_value(json_array_get(f->labels, 6)), "g");
    closed(f);
}

/* The random blocks that this release of transformers evaluates with. */
static void expect_random(const char *version, enum bird_random_blocks want)
{
    const char *path = copy("a_full_at_threshold", "m", NULL);
    struct bird_folder *f;
    json_t *o = NULL;

    WORKS(bird_json_open(&o, path_of("m/config.json")));
    if (version)
        json_object_set_new(o, "transformers_version", json_string(version));
    else
        json_object_del(o, "transformers_version");
    WORKS(bird_json_write(o, path_of("m/config.json")));
    json_decref(o);
    f = opened(path);
    cr_assert_eq(f->config.pattern.random, want, "%s",
                 version ? version : "absent");
    closed(f);
}

Test(folder, random_blocks_follow_the_release)
{
    expect_random(NULL, BIRD_RANDOM_PLAN);
    expect_random("4.17.0", BIRD_RANDOM_PLAN);
    expect_random("4.9.2", BIRD_RANDOM_PLAN);
    expect_random("4.28.1", BIRD_RANDOM_PLAN);
    expect_random("3.5", BIRD_RANDOM_PLAN);
    expect_random("4.29.0", BIRD_RANDOM_ZERO);
    expect_random("4.30.0.dev0", BIRD_RANDOM_ZERO);
    expect_random("5.0.0", BIRD_RANDOM_ZERO);
    expect_random("nonsense", BIRD_RANDOM_PLAN);
}

Test(folder, the_weights_tell_what_config_json_leaves_open)
{
    const char *path = copy("a_full_at_threshold", "m", NULL);
    struct bird_folder *f;
    json_t *o = NULL, *kind;

    WORKS(bird_json_open(&o, path_of("m/config.json")));
    json_object_del(o, "architectures");
    WORKS(bird_json_write(o, path_of("m/config.json")));
    f = opened(path);
    cr_assert_eq(f->config.head, &bird_head_mlm);
    closed(f);
    kind = json_array();
    json_array_append_new(kind, json_string("BigBirdForPreTraining"));
    json_object_set_new(o, "architectures", kind);
    WORKS(bird_json_write(o, path_of("m/config.json")));
    json_decref(o);
    f = opened(path);
    cr_assert_eq(f->config.head, &bird_head_mlm);
    closed(f);
    f = opened(golden("i_pretrain_nsp"));
    cr_assert_eq(f->config.head, &bird_head_pretrain);
    closed(f);
}

Test(folder, what_is_no_model_folder_is_refused)
{
    refused(path_of("none"), BIRD_EIO, "none");
    refused(golden("README.md"), BIRD_EIO, "not a folder");
    shell("mkdir %s/m", folder);
    refused(path_of("m"), BIRD_EIO, "config.json");
    copy("e_seqcls", "m", NULL);
    shell("rm %s/m/model.safetensors", folder);
    refused(path_of("m"), BIRD_EIO, "model.safetensors");
    WORKS(bird_file_write(path_of("m/model.safetensors"), "abc", 3));
    refused(path_of("m"), BIRD_EFORMAT, "m/model.safetensors");
}

#define META(fields) "{\"format_version\":1," fields "}"

Test(folder, a_wrong_dnabird_json_is_refused_by_field)
{
    static const struct {
        const char *meta;
        int code;
        const char *word;
    } cases[] = {
        {"{", BIRD_EFORMAT, "dnabird.json"},
        {"{}", BIRD_EFORMAT, "format_version"},
        {"{\"format_version\":4}", BIRD_EUNSUPPORTED, "format_version 4"},
        {"{\"format_version\":0}", BIRD_EFORMAT, "format_version"},
        {"{\"format_version\":\"1\"}", BIRD_EFORMAT, "format_version"},
        {META("\"head\":\"mlm\""), BIRD_EFORMAT, "'mlm'"},
        {META("\"head\":\"linear_cls\""), BIRD_EFORMAT, "'linear_cls'"},
        {META("\"head\":\"profile\""), BIRD_EUNSUPPORTED, "profile"},
        {META("\"head\":1"), BIRD_EFORMAT, "head"},
        {META("\"random_blocks\":\"some\""), BIRD_EUNSUPPORTED, "some"},
        {META("\"labels\":{}"), BIRD_EFORMAT, "labels"},
        {META("\"labels\":[\"a\"]"), BIRD_EFORMAT, "labels"},
        {META("\"labels\":[\"a\",\"b\",3]"), BIRD_EFORMAT, "labels"},
        {META("\"strand_pair\":[0,1]"), BIRD_EFORMAT, "2 entries for 3"},
        {META("\"strand_pair\":[1,2,0]"), BIRD_EFORMAT, "of label 0"},
        {META("\"strand_pair\":[0,1,3]"), BIRD_EFORMAT, "of label 2"},
        {META("\"strand_pair\":[0,1,\"2\"]"), BIRD_EFORMAT, "of label 2"},
        {META("\"window_bp\":0"), BIRD_EFORMAT, "window_bp"},
        {META("\"stride_bp\":1.5"), BIRD_EFORMAT, "stride_bp"},
        {META("\"strand\":2"), BIRD_EFORMAT, "strand"},
        {META("\"genome\":[]"), BIRD_EFORMAT, "genome"},
        {META("\"genome\":{\"contigs\":3}"), BIRD_EFORMAT, "contigs"},
        {META("\"genome\":{\"contigs\":{\"c1\":0}}"), BIRD_EFORMAT, "c1"},
        {META("\"provenance\":\"x\""), BIRD_EFORMAT, "provenance"},
        {META("\"measured\":1"), BIRD_EFORMAT, "measured"},
        {META("\"checksums\":[]"), BIRD_EFORMAT, "checksums"},
        {META("\"thresholds\":[]"), BIRD_EFORMAT, "thresholds"},
        {META("\"calibration\":[]"), BIRD_EFORMAT, "calibration"},
        {META("\"output\":\"poisson\""), BIRD_EUNSUPPORTED, "'poisson'"},
        {META("\"output\":\"gaussian\""), BIRD_EFORMAT, "two labels"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        refused(copy("e_seqcls", "m", cases[i].meta), cases[i].code,
                cases[i].word);
    closed(opened(copy("e_seqcls", "m", META("\"head\":\"sequence\""))));
}

Test(folder, labels_must_be_numbered)
{
    const char *path = copy("e_seqcls", "m", NULL);
    json_t *o = NULL;

    WORKS(bird_json_open(&o, path_of("m/config.json")));
    json_object_set_new(json_object_get(o, "id2label"), "x", json_string("y"));
    WORKS(bird_json_write(o, path_of("m/config.json")));
    json_decref(o);
    refused(path, BIRD_EFORMAT, "id2label");
}

/* The parts of an opened folder, to write it again. */
struct loaded {
    struct bird_folder *f;
    struct bird_folder_parts parts;
    struct bird_param *list;
    float *block;
    int64_t total;
};

static void load(struct loaded *l, const char *path)
{
    *l = (struct loaded){.f = opened(path)};
    WORKS(
        bird_folder_weights(&l->block, &l->list, &l->parts.n, &l->total, l->f));
    l->parts.config = &l->f->config;
    l->parts.block = l->block;
    l->parts.list = l->list;
    l->parts.dtype = BIRD_F32;
}

static void unload(struct loaded *l)
{
    closed(l->f);
    free(l->block);
    free(l->list);
}

Test(folder, what_is_written_comes_back)
{
    struct loaded a, b;
    json_t *meta = json_pack("{s:[s,s,s], s:i, s:{s:s}, s:s}", "labels", "x",
                             "y", "z", "window_bp", 300, "provenance", "who",
                             "a test", "checksums", "not these");
    const char *sums[] = {"config.json", "model.safetensors.zst",
                          "tokenizer.json"};

    load(&a, golden("e_seqcls"));
    a.parts.meta = meta;
    a.parts.tokenizer = golden("t_bpe_tiny/tokenizer.json");
    WORKS(bird_folder_write(path_of("w"), &a.parts));
    a.parts.compress = 1; /* takes the plain file's place */
    WORKS(bird_folder_write(path_of("w"), &a.parts));
    cr_assert_not(bird_file_exists(path_of("w/model.safetensors")));
    load(&b, path_of("w"));
    cr_assert_str_eq(b.f->weights, "model.safetensors.zst");
    cr_assert_not_null(b.f->tokenizer);
    cr_assert_eq(b.f->window_bp, 300);
    cr_assert_eq(b.f->config.pattern.random, BIRD_RANDOM_ZERO);
    cr_assert_eq(b.f->config.head, &bird_head_sequence);
    cr_assert_str_eq(json_string_value(json_array_get(b.f->labels, 1)), "y");
    cr_assert_eq(memcmp(a.block, b.block, (size_t)a.total * sizeof(float)), 0);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(strlen(json_string_value(json_object_get(
                         json_object_get(b.f->meta, "checksums"), sums[i]))),
                     64);
    unload(&a);
    unload(&b);
    json_decref(meta);
}

Test(folder, parts_of_dnabird_json_for_those_who_write_it_themselves)
{
    struct bird_config c;
    json_t *o = json_object(), *sums;

    bird_config_default(&c);
    c.head = &bird_head_linear_pooled;
    c.pattern.random = BIRD_RANDOM_NONE;
    WORKS(bird_folder_describe(o, &c));
    cr_assert_eq(json_integer_value(json_object_get(o, "format_version")), 1);
    cr_assert_str_eq(json_string_value(json_object_get(o, "head")),
                     "linear_pooled");
    cr_assert_str_eq(json_string_value(json_object_get(o, "random_blocks")),
                     "none");
    WORKS(bird_folder_checksums(o, golden("e_seqcls")));
    sums = json_object_get(o, "checksums");
    cr_assert_eq(json_object_size(sums), 2);
    cr_assert_eq(
        strlen(json_string_value(json_object_get(sums, "model.safetensors"))),
        64);
    json_decref(o);
}

Test(folder, linear_heads_survive_the_round_trip)
{
    struct loaded a, b;

    load(&a, golden("g_multilabel_linear"));
    a.f->config.head = &bird_head_linear_cls;
    WORKS(bird_folder_write(path_of("w"), &a.parts));
    load(&b, path_of("w"));
    cr_assert_eq(b.f->config.head, &bird_head_linear_cls);
    cr_assert_eq(memcmp(a.block, b.block, (size_t)a.total * sizeof(float)), 0);
    unload(&a);
    unload(&b);
}

/* As of a run that is killed on the way: nobody may take a part for a model. */
Test(folder, a_part_of_a_model_is_none)
{
    struct loaded a;

    load(&a, golden("e_seqcls"));
    a.parts.tokenizer = golden("t_bpe_tiny/tokenizer.json");
    cr_assert_eq(mkdir(path_of("w"), 0777), 0);
    cr_assert_eq(mkdir(path_of("w/dnabird.json"), 0777), 0);
    cr_assert_eq(bird_folder_write(path_of("w"), &a.parts), BIRD_EIO);
    cr_assert(bird_file_exists(path_of("w/tokenizer.json")));
    cr_assert_not(bird_file_exists(path_of("w/config.json")));
    unload(&a);
}

Test(folder, writing_refuses_labels_that_do_not_fit)
{
    struct loaded a;
    json_t *few = json_pack("{s:[s]}", "labels", "x");
    json_t *odd = json_pack("{s:[s,s,i]}", "labels", "x", "y", 3);

    load(&a, golden("e_seqcls"));
    a.parts.meta = few;
    cr_assert_eq(bird_folder_write(path_of("w"), &a.parts), BIRD_EINVAL);
    a.parts.meta = odd;
    cr_assert_eq(bird_folder_write(path_of("w"), &a.parts), BIRD_EINVAL);
    a.parts.meta = NULL;
    cr_assert_eq(bird_folder_write(path_of("no/w"), &a.parts), BIRD_EIO);
    cr_assert_neq(access(path_of("w"), F_OK), 0);
    a.parts.tokenizer = path_of("no-tokenizer");
    cr_assert_eq(bird_folder_write(path_of("w"), &a.parts), BIRD_EIO);
    cr_assert_not(bird_file_exists(path_of("w/dnabird.json")));
    unload(&a);
    json_decref(few);
    json_decref(odd);
}

Test(folder, digest_is_of_the_three_files)
{
    struct bird_folder *f = opened(copy("e_seqcls", "m", NULL));
    char first[65];
    struct bird_text want = {0};

    WORKS(bird_folder_digest(f));
    memcpy(first, f->digest, 65);
    closed(f);
    shell("cd %s/m && sha256sum config.json model.safetensors | sha256sum "
          "> ../sum",
          folder);
    WORKS(bird_file_read(&want, path_of("sum")));
    cr_assert_eq(strncmp(want.s, first, 64), 0);
    bird_text_free(&want);
    WORKS(bird_file_write(path_of("m/tokenizer.json"), "{}", 2));
    f = opened(path_of("m"));
    WORKS(bird_folder_digest(f));
    cr_assert_str_neq(f->digest, first);
    WORKS(bird_folder_digest(f)); /* kept */
    closed(f);
}

Test(folder, init_makes_the_same_folder_from_the_same_options)
{
    bird_model_init_options o;
    struct bird_folder *a, *b;

    bird_model_init_options_default(&o);
    o.tokenizer = golden("t_bpe_tiny/tokenizer.json");
    o.positions = 1024;
    WORKS(bird_model_init(path_of("a"), &o));
    bird_threads_set(1);
    WORKS(bird_model_init(path_of("b"), &o));
    o.seed = 2;
    WORKS(bird_model_init(path_of("c"), &o));
    a = opened(path_of("a"));
    b = opened(path_of("b"));
    cr_assert_eq(a->config.head, &bird_head_mlm);
    cr_assert_eq(a->config.max_positions, 1024);
    cr_assert_eq(a->config.vocab_size, 96);
    cr_assert_eq(a->config.pad_id, 3);
    cr_assert_eq(a->config.cls_id, 1);
    cr_assert_eq(a->config.sep_id, 2);
    WORKS(bird_folder_digest(a));
    WORKS(bird_folder_digest(b));
    cr_assert_str_eq(a->digest, b->digest);
    closed(b);
    b = opened(path_of("c"));
    WORKS(bird_folder_digest(b));
    cr_assert_str_neq(a->digest, b->digest);
    closed(a);
    closed(b);
}

Test(folder, init_refuses_what_makes_no_sense)
{
    bird_model_init_options o;

    bird_model_init_options_default(&o);
    o.preset = "huge";
    cr_assert_eq(bird_model_init(path_of("a"), &o), BIRD_EINVAL);
    o.preset = NULL;
    FAILS(BIRD_EINVAL, bird_model_init(path_of("a"), &o), "no preset");
    o.preset = "tiny";
    o.positions = 100;
    FAILS(BIRD_EINVAL, bird_model_init(path_of("a"), &o), "16");
    o.positions = -16;
    cr_assert_eq(bird_model_init(path_of("a"), &o), BIRD_EINVAL);
    o.positions = 0;
    o.tokenizer = path_of("none");
    cr_assert_eq(bird_model_init(path_of("a"), &o), BIRD_EIO);
    o.tokenizer = NULL;
    cr_assert_neq(access(path_of("a"), F_OK), 0);
    FAILS(BIRD_EINVAL, bird_model_init(copy("e_seqcls", "m", NULL), &o),
          "holds a model");
}

static void described(const char *path, const char *const *words)
{
    char *text = NULL;

    WORKS(bird_model_describe(&text, path));
    for (; *words; words++)
        cr_assert_not_null(strstr(text, *words), "'%s' is not in:\n%s", *words,
                           text);
    free(text);
}

Test(folder, describe_tells_what_is_there)
{
    const char *linear[] = {"2 layers of 32",
                            "blocks of 8",
                            "plan (dnabird.json",
                            "linear on the pooled output (linear_pooled)",
                            "7: a\\nb, b, c",
                            "2000 bp",
                            "  who\\n: \\u001B[2J",
                            "takes 40 ids",
                            "digest",
                            NULL};
    const char *full[] = {"BigBird", "masked-language", "float32",
                          "zero (",  "24808 in 44",     NULL};
    char *text = NULL;

    described(copy("g_multilabel_linear", "m",
                   META("\"head\":\"linear_pooled\",\"random_blocks\":\"plan\","
                        "\"window_bp\":2000,\"labels\":[\"a\\nb\",\"b\",\"c\","
                        "\"d\",\"e\",\"f\",\"g\"],"
                        "\"provenance\":{\"who\\n\":\"\\u001b[2J\"}")),
              linear);
    described(golden("a_full_at_threshold"), full);
    cr_assert_eq(bird_model_describe(&text, path_of("none")), BIRD_EIO);
    cr_assert_null(text);
}

/* Lines wrong in folder/m, of which one holds this text. */
static void wrong(int64_t n, const char *word)
{
    char *text = NULL;
    int64_t got = 0;

    WORKS(bird_model_verify(&text, &got, path_of("m")));
    cr_assert_eq(got, n, "%s", text);
    cr_assert_not_null(strstr(text, word), "%s", text);
    free(text);
}

Test(folder, verify_finds_what_was_changed)
{
    bird_model_init_options o;
    struct bird_text t = {0};
    struct loaded l;
    char *text = NULL;
    int64_t n = 0;

    bird_model_init_options_default(&o);
    o.tokenizer = golden("t_bpe_tiny/tokenizer.json");
    WORKS(bird_model_init(path_of("m"), &o));
    wrong(0, "tokenizer.json: OK");
    WORKS(bird_file_read(&t, path_of("m/model.safetensors")));
    t.s[t.n - 5] ^= 1;
    WORKS(bird_file_write(path_of("m/model.safetensors"), t.s, (size_t)t.n));
    wrong(1, "model.safetensors: DIFFERS");
    bird_text_free(&t);
    cr_assert_eq(unlink(path_of("m/tokenizer.json")), 0);
    wrong(2, "tokenizer.json: MISSING");
    load(&l, path_of("m"));
    l.parts.meta = NULL;
    l.block[5] = 1.0F / 0.0F;
    WORKS(bird_folder_write(path_of("m"), &l.parts));
    wrong(1, "1 are not finite");
    WORKS(bird_file_write(path_of("m/tokenizer.json"), "{}", 2));
    wrong(2, "NO CHECKSUM STORED");
    unload(&l);
    copy("e_seqcls", "m", META("\"head\":\"sequence\""));
    cr_assert_eq(bird_model_verify(&text, &n, path_of("m")), BIRD_EINVAL);
    cr_assert_eq(bird_model_verify(&text, &n, path_of("none")), BIRD_EIO);
    cr_assert_null(text);
}

Test(folder, verify_compares_weights_with_the_configuration)
{
    json_t *o = NULL;
    struct bird_text t = {0};
    char meta[400], hex[65];

    copy("e_seqcls", "m", NULL);
    WORKS(bird_json_open(&o, path_of("m/config.json")));
    json_object_set_new(o, "intermediate_size", json_integer(48));
    WORKS(bird_json_write(o, path_of("m/config.json")));
    json_decref(o);
    WORKS(bird_file_sha256(hex, path_of("m/config.json")));
    snprintf(meta, sizeof(meta), META("\"checksums\":{\"config.json\":\"%s\"}"),
             hex);
    WORKS(bird_file_write(path_of("m/dnabird.json"), meta, strlen(meta)));
    wrong(2, "[64, 32], the configuration asks for [48, 32]");
    bird_text_free(&t);
}

Test(folder, default_model_is_looked_for_in_three_places)
{
    char *path = NULL;

    cr_assert_eq(setenv("DNABIRD_DATA", folder, 1), 0);
    FAILS(BIRD_EIO, bird_default_model(&path, "no-such-model"),
          "no-such-model");
    cr_assert_eq(mkdir(path_of("models"), 0777), 0);
    cr_assert_eq(mkdir(path_of("models/mine"), 0777), 0);
    WORKS(bird_default_model(&path, "mine"));
    cr_assert_str_eq(path, path_of("models/mine"));
    free(path);
    cr_assert_eq(mkdir(path_of("models/regulatory"), 0777), 0);
    WORKS(bird_default_model(&path, NULL));
    cr_assert_str_eq(path, path_of("models/regulatory"));
    free(path);
    cr_assert_eq(bird_default_model(&path, "../mine"), BIRD_EINVAL);
    cr_assert_eq(bird_default_model(&path, ".."), BIRD_EINVAL);
    cr_assert_eq(bird_default_model(&path, ""), BIRD_EINVAL);
    cr_assert_eq(unsetenv("DNABIRD_DATA"), 0);
    cr_assert_eq(bird_default_model(&path, "mine"), BIRD_EIO);
}
