/* folder/pickle and folder/torch: what is read, and what is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mem.h"
#include "folder/config_file.h"
#include "folder/params_file.h"
#include "folder/pickle.h"
#include "folder/safetensors.h"
#include "head/head.h"
#include "model/params.h"
#include "temp.h"

/* Bytes of a literal, NULs inside with them. */
#define BYTES(s) s, sizeof(s) - 1

static struct bird_pickle pickle(const char *s, size_t n)
{
    struct bird_pickle p = {0};
    char *copy = malloc(n); /* of exactly this size, for the sanitizer */
    size_t used = 0;

    memcpy(copy, s, n);
    WORKS(bird_pickle_read(&p, &used, copy, n, "x.pkl"));
    cr_assert_eq(used, n);
    free(copy); /* numbers and kinds stay */
    return p;
}

static void refused(const char *s, size_t n, int code, const char *word)
{
    struct bird_pickle p = {.n = 77};
    size_t used = 5;
    char *copy = malloc(n ? n : 1);

    memcpy(copy, s, n);
    cr_assert_eq(bird_pickle_read(&p, &used, copy, n, "x.pkl"), code, "%s: %s",
                 word, bird_last_error());
    cr_assert_eq(p.n, 77);
    cr_assert_eq(used, 5);
    SAYS("x.pkl");
    SAYS(word);
    free(copy);
}

static const struct bird_pickle_value *root(const struct bird_pickle *p)
{
    return &p->value[p->root];
}

static int64_t number(const char *s, size_t n)
{
    struct bird_pickle p = pickle(s, n);
    int64_t x = root(&p)->number;

    cr_assert_eq(root(&p)->kind, BIRD_PICKLE_INT);
    bird_pickle_free(&p);
    return x;
}

Test(pickle, whole_numbers)
{
    cr_assert_eq(number(BYTES("\x80\x02K\xff.")), 255);
    cr_assert_eq(number(BYTES("\x80\x02M\xff\xff.")), 65535);
    cr_assert_eq(number(BYTES("\x80\x02J\xff\xff\xff\xff.")), -1);
    cr_assert_eq(number(BYTES("\x80\x02J\x00\x00\x00\x80.")), INT32_MIN);
    cr_assert_eq(number(BYTES("\x80\x02\x8a\x00.")), 0);
    cr_assert_eq(number(BYTES("\x80\x02\x8a\x01\x80.")), -128);
    cr_assert_eq(number(BYTES("\x80\x02\x8a\x02\x80\x00.")), 128);
    cr_assert_eq(
        number(BYTES("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.")),
        INT64_MIN);
}

Test(pickle, containers_and_the_memo)
{
    /* ([1, True, None], {"a": <the list>}) */
    struct bird_pickle p =
        pickle(BYTES("\x80\x02(]q\x00(K\x01\x88Ne}X\x01\x00\x00\x00"
                     "ah\x00st."));
    const struct bird_pickle_value *list, *map;

    cr_assert_eq(root(&p)->kind, BIRD_PICKLE_TUPLE);
    cr_assert_eq(root(&p)->n, 2);
    list = bird_pickle_item(&p, root(&p), 0);
    map = bird_pickle_item(&p, root(&p), 1);
    cr_assert_eq(list->kind, BIRD_PICKLE_LIST);
    cr_assert_eq(list->n, 3);
    cr_assert_eq(bird_pickle_item(&p, list, 1)->kind, BIRD_PICKLE_BOOL);
    cr_assert_eq(bird_pickle_item(&p, list, 2)->kind, BIRD_PICKLE_NONE);
    cr_assert_null(bird_pickle_item(&p, list, 3));
    cr_assert_eq(map->kind, BIRD_PICKLE_DICT);
    cr_assert_eq(bird_pickle_item(&p, map, 1), list);
    bird_pickle_free(&p);
    bird_pickle_free(&p); /* twice is safe */
}

/* A list in itself: nothing here follows values around. */
Test(pickle, a_value_may_hold_itself)
{
    struct bird_pickle p = pickle(BYTES("\x80\x02]q\x00h\x00"
                                        "a."));

    cr_assert_eq(bird_pickle_item(&p, root(&p), 0), root(&p));
    bird_pickle_free(&p);
}

Test(pickle, other_names_are_refused_by_name)
{
    const int no = BIRD_EUNSUPPORTED;

    refused(BYTES("\x80\x02"
                  "cos\nsystem\nX\x02\x00\x00\x00ls\x85R."),
            no, "'os.system'");
    refused(BYTES("\x80\x02"
                  "c__builtin__\neval\n."),
            no, "'__builtin__.eval'");
    refused(BYTES("\x80\x02"
                  "ctorch._utils\n_rebuild_tensor_v2x\n."),
            no, "'torch._utils._rebuild_tensor_v2x'");
    refused(BYTES("\x80\x04\x8c\x02os\x8c\x06system\x93."), no, "'os.system'");
    refused(BYTES("\x80\x02"
                  "ca\x1b[2J\nb\n."),
            no, "'a?[2J.b'");
    /* known names that are no functions for us */
    refused(BYTES("\x80\x02"
                  "ctorch\nFloatStorage\n)R."),
            no, "'torch.FloatStorage'");
    refused(BYTES("\x80\x02"
                  "ccollections\nOrderedDict\n]\x85R."),
            no, "OrderedDict");
}

Test(pickle, other_opcodes_are_refused_by_number)
{
    const int no = BIRD_EUNSUPPORTED;

    refused(BYTES("\x80\x02i"), no, "0x69");    /* INST calls */
    refused(BYTES("\x80\x02o"), no, "0x6f");    /* OBJ calls */
    refused(BYTES("\x80\x02\x81"), no, "0x81"); /* NEWOBJ makes */
    refused(BYTES("\x80\x02\x82"), no, "0x82"); /* EXT1 looks up */
    refused(BYTES("I1\n."), no, "0x49");
    refused(BYTES("\x80\x01."), no, "protocol 1");
    refused(BYTES("\x80\x06."), no, "protocol 6");
}

Test(pickle, what_is_malformed_is_told)
{
    const int bad = BIRD_EFORMAT;

    refused(BYTES(""), bad, "cut short");
    refused(BYTES("\x80"), bad, "cut short");
    refused(BYTES("\x80\x02N"), bad, "cut short");
    refused(BYTES("\x80\x02."), bad, "no single value");
    refused(BYTES("\x80\x02NN."), bad, "no single value");
    refused(BYTES("\x80\x02(N."), bad, "no single value");
    refused(BYTES("\x80\x02X\x05\x00\x00\x00"
                  "ab."),
            bad, "cut short");
    refused(BYTES("\x80\x02X\xff\xff\xff\xff"
                  "ab."),
            bad, "cut short");
    refused(BYTES("\x80\x02X\x02\x00\x00\x00"
                  "a\x00."),
            bad, "NUL");
    refused(BYTES("\x80\x02\x8a\x09"
                  "a."),
            bad, "cut short");
    refused(BYTES("\x80\x02"
                  "cos\nsystem"),
            bad, "cut short");
    refused(BYTES("\x80\x02"
                  "cos"),
            bad, "cut short");
    refused(BYTES("\x80\x02h\x00."), bad, "memo");
    refused(BYTES("\x80\x02Nq\x05h\x04."), bad, "memo");
    refused(BYTES("\x80\x02Nr\xff\xff\xff\xff."), bad, "memo");
    refused(BYTES("\x80\x02q\x00."), bad, "lacks its values");
    refused(BYTES("\x80\x02t."), bad, "lacks its mark");
    refused(BYTES("\x80\x02\x85."), bad, "lacks its values");
    refused(BYTES("\x80\x02N(\x85."), bad, "lacks its values");
    refused(BYTES("\x80\x02NNa."), bad, "not a list");
    refused(BYTES("\x80\x02]NNs."), bad, "not a dictionary");
    refused(BYTES("\x80\x02}(Nu."), bad, "not a dictionary");
    refused(BYTES("\x80\x02(NNNu."), bad, "lacks its values");
    refused(BYTES("\x80\x02N)R."), bad, "not a function");
    refused(BYTES("\x80\x02]}b."), bad, "not a dictionary");
    refused(BYTES("\x80\x02Q."), bad, "lacks its values");
    refused(BYTES("\x80\x04\x95\xff\x00\x00\x00\x00\x00\x00\x00N."), bad,
            "cut short");
    refused(BYTES("\x80\x04NN\x93."), bad, "not a text");
}

struct loaded {
    struct bird_config c;
    struct bird_param *list;
    float *block;
    int64_t n, total;
};

static const char *data(const char *name)
{
    return tests_path("data/torch/%s", name);
}

static struct loaded load(const char *name)
{
    struct loaded m = {0};
    bird_tensors *t = NULL;
    json_t *o = NULL;

    WORKS(bird_json_open(&o, data("config.json")));
    WORKS(bird_config_read(&m.c, o, "config.json"));
    json_decref(o);
    if (strstr(name, "bare"))
        m.c.head = &bird_head_none;
    WORKS(bird_params_list(&m.list, &m.n, &m.total, &m.c));
    WORKS(bird_array_new(&m.block, m.total, sizeof(float)));
    cr_assert_eq(bird_tensors_open(&t, data(name)), 0, "%s: %s", name,
                 bird_last_error());
    cr_assert_eq(bird_params_load(m.block, m.list, m.n, t, NULL, name), 0,
                 "%s: %s", name, bird_last_error());
    bird_tensors_free(t);
    return m;
}

static void unload(struct loaded *m)
{
    free(m->list);
    free(m->block);
}

Test(torch, every_form_holds_the_same_floats)
{
    static const char *const names[] = {
        "half.safetensors",  "brain.safetensors",
        "zip_f32.bin",       "zip_f16.bin",
        "zip_bf16.bin",      "old_f32.bin",
        "old_f16.bin",       "old_bf16.bin",
        "zip_parameter.bin", "zip_one_storage.bin",
        "zip_protocol4.bin", "model.safetensors.index.json"};
    struct loaded want = load("model.safetensors"), bare;

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct loaded got = load(names[i]);

        cr_assert_eq(got.total, want.total);
        cr_assert_eq(
            memcmp(got.block, want.block, (size_t)want.total * sizeof(float)),
            0, "%s", names[i]);
        unload(&got);
    }
    bare = load("zip_bare.bin");
    cr_assert_lt(bare.total, want.total);
    for (int64_t i = 0; i < bare.n; i++)
        cr_assert_eq(memcmp(bare.block + bare.list[i].offset,
                            want.block + want.list[i].offset,
                            (size_t)bare.list[i].count * sizeof(float)),
                     0, "%s", bare.list[i].name);
    unload(&bare);
    unload(&want);
}

Test(torch, tensors_say_their_type_and_shape)
{
    bird_tensors *t = NULL;
    const struct bird_tensor *x;

    WORKS(bird_tensors_open(&t, data("zip_f32.bin")));
    cr_assert_eq(bird_tensors_count(t), 31);
    x = bird_tensors_find(t, "bert.embeddings.position_ids");
    cr_assert_eq(x->dtype, BIRD_I64);
    cr_assert(x->n_dim == 2 && x->shape[0] == 1 && x->shape[1] == 32);
    x = bird_tensors_find(t, "cls.predictions.decoder.weight");
    cr_assert_eq(x->dtype, BIRD_F32);
    cr_assert(x->n_dim == 2 && x->shape[0] == 12 && x->shape[1] == 8);
    bird_tensors_free(t);
}

static void file_refused(const char *name, int code, const char *word)
{
    bird_tensors *t = NULL;
    struct stat st;

    cr_assert_eq(bird_tensors_open(&t, data(name)), code, "%s: %s", name,
                 bird_last_error());
    cr_assert_null(t);
    SAYS(name);
    SAYS(word);
    cr_assert_neq(stat("harmed", &st), 0);
}

Test(torch, what_is_no_dictionary_of_tensors_is_refused_by_name)
{
    file_refused("bad_view.bin", BIRD_EUNSUPPORTED, "'bert.pooler.weight'");
    file_refused("bad_double.bin", BIRD_EUNSUPPORTED, "torch.DoubleStorage");
    file_refused("bad_foreign.bin", BIRD_EUNSUPPORTED, "posix.system");
    file_refused("bad_foreign_old.bin", BIRD_EUNSUPPORTED, "posix.system");
    file_refused("bad_nested.bin", BIRD_EFORMAT, "'state_dict'");
}

/* Every file cut at every length: an error, never a wrong answer. */
static void cut(const char *name)
{
    struct bird_text whole = {0};

    WORKS(bird_file_read(&whole, data(name)));
    for (int64_t n = 0; n < whole.n; n += 1 + n / 64) {
        bird_tensors *t = NULL;
        char *copy = malloc((size_t)n + 1);

        memcpy(copy, whole.s, (size_t)n);
        cr_assert_neq(bird_tensors_parse(&t, copy, (size_t)n, "cut"), 0,
                      "%s: %lld bytes", name, (long long)n);
        free(copy);
    }
    bird_text_free(&whole);
}

Test(torch, files_that_are_cut_short)
{
    cut("zip_f32.bin");
    cut("old_f32.bin");
    cut("old_bf16.bin");
}

/* A changed byte of an element is found by the archive's checksum. */
Test(torch, an_archive_is_checked)
{
    struct bird_text whole = {0};
    bird_tensors *t = NULL;
    int64_t n_bad = 0;
    float out[256];

    WORKS(bird_file_read(&whole, data("zip_f32.bin")));
    whole.s[whole.n / 2] ^= 1;
    WORKS(bird_tensors_parse(&t, whole.s, (size_t)whole.n, "x.bin"));
    for (int64_t i = 0; i < bird_tensors_count(t); i++)
        if (bird_tensor_read(out, t, bird_tensors_at(t, i), "x.bin")) {
            n_bad++;
            SAYS(bird_tensors_at(t, i)->name);
        }
    cr_assert_eq(n_bad, 1);
    bird_tensors_free(t);
    bird_text_free(&whole);
}

Test(torch, a_pointer_of_git_lfs_is_told)
{
    static const char pointer[] =
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\n";
    bird_tensors *t = NULL;

    FAILS(BIRD_EFORMAT, bird_tensors_parse(&t, BYTES(pointer), "x.bin"),
          "git lfs pull");
}

Test(torch, an_index_may_name_checkpoints, .init = folder_new,
     .fini = folder_remove)
{
    const char *path = path_of("pytorch_model.bin.index.json");
    bird_tensors *t = NULL;
    static const char *const names[] = {"zip_f32.bin", "model.safetensors"};

    for (int i = 0; i < 2; i++) {
        bird_tensors *whole = NULL;
        json_t *map = json_object();

        WORKS(bird_tensors_open(&whole, data(names[i])));
        for (int64_t k = 0; k < bird_tensors_count(whole); k++)
            json_object_set_new(map, bird_tensors_at(whole, k)->name,
                                json_string(names[i]));
        shell("cp %s %s", data(names[i]), folder);
        map = json_pack("{s:o}", "weight_map", map);
        WORKS(bird_json_write(map, path));
        json_decref(map);
        WORKS(bird_tensors_open(&t, path));
        cr_assert_eq(bird_tensors_count(t), bird_tensors_count(whole));
        bird_tensors_free(t);
        bird_tensors_free(whole);
    }
}

/* An index with these words, beside the files of a whole one. */
static void index_refused(const char *text, const char *word)
{
    bird_tensors *t = NULL;

    cr_assert_neq(
        bird_tensors_open(&t, file_text("model.safetensors.index.json", text)),
        0);
    SAYS(word);
}

Test(torch, an_index_must_fit_its_files, .init = folder_new,
     .fini = folder_remove)
{
    shell("cp %s %s %s", data("model-00001-of-00002.safetensors"),
          data("model-00002-of-00002.safetensors"), folder);
#define PART "model-00001-of-00002.safetensors"
    index_refused("{}", "no 'weight_map'");
    index_refused("{\"weight_map\": {\"a\": 1}}", "'a' is not a name");
    index_refused("{\"weight_map\": {\"a\": \"../x\"}}", "'../x' is not");
    index_refused("{\"weight_map\": {\"a\": \"/x\"}}", "'/x' is not");
    index_refused("{\"weight_map\": {\"a\": \"x\"}}", "x: No such file");
    index_refused("{\"weight_map\": {\"a\": \"" PART "\"}}",
                  "is not in this index");
#undef PART
}
