/*
 * Ways to damage a model folder. SPDX-License-Identifier: MIT
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include <zstd.h>

#include "models.h"

#define WANT(x)                                                                \
    do {                                                                       \
        if (!(x)) {                                                            \
            fprintf(stderr, "models: out of memory, or %s\n", #x);             \
            exit(2);                                                           \
        }                                                                      \
    } while (0)

uint64_t draw_next(struct draw *d)
{
    uint64_t x = d->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int64_t draw_below(struct draw *d, int64_t n)
{
    return n < 1 ? 0 : (int64_t)(draw_next(d) % (uint64_t)n);
}

uint8_t *copy_bytes(const void *s, size_t n)
{
    uint8_t *out = malloc(n ? n : 1);

    WANT(out);
    if (n)
        memcpy(out, s, n);
    return out;
}

void folder_copy(struct model_folder *out, const struct model_folder *in)
{
    *out = *in;
    for (int i = 0; i < in->n; i++)
        out->at[i].s = copy_bytes(in->at[i].s, in->at[i].n);
}

void folder_free(struct model_folder *f)
{
    for (int i = 0; i < f->n; i++)
        free(f->at[i].s);
    f->n = 0;
}

struct model_file *folder_find(struct model_folder *f, const char *end)
{
    for (int i = 0; i < f->n; i++) {
        size_t n = strlen(f->at[i].name), k = strlen(end);

        if (n >= k && !strcmp(f->at[i].name + n - k, end))
            return &f->at[i];
    }
    return NULL;
}

static struct model_file *any(struct model_folder *f, struct draw *d)
{
    return &f->at[draw_below(d, f->n)];
}

static void set(struct model_file *x, const void *s, size_t n)
{
    uint8_t *copy = copy_bytes(s, n);

    free(x->s);
    x->s = copy;
    x->n = n;
}

/* --- bytes ----------------------------------------------------------------- */

static int none(struct model_folder *f, struct draw *d)
{
    (void)f;
    (void)d;
    return 1;
}

static int change_bytes(struct model_folder *f, struct draw *d)
{
    struct model_file *x = any(f, d);

    /* often near the beginning, where sizes and types are */
    for (int64_t k = 1 + draw_below(d, 8); x->n && k > 0; k--) {
        size_t most = draw_below(d, 2) && x->n > 512 ? 512 : x->n;

        x->s[draw_below(d, (int64_t)most)] = (uint8_t)draw_next(d);
    }
    return x->n > 0;
}

static int cut(struct model_folder *f, struct draw *d)
{
    struct model_file *x = any(f, d);

    if (!x->n)
        return 0;
    x->n = (size_t)draw_below(d, (int64_t)x->n);
    return 1;
}

static int lengthen(struct model_folder *f, struct draw *d)
{
    struct model_file *x = any(f, d);
    size_t more = 1 + (size_t)draw_below(d, 4096);

    WANT((x->s = realloc(x->s, x->n + more)));
    memset(x->s + x->n, (int)draw_below(d, 256), more);
    x->n += more;
    return 1;
}

static int zero(struct model_folder *f, struct draw *d)
{
    struct model_file *x = any(f, d);
    size_t from = (size_t)draw_below(d, (int64_t)x->n);
    size_t n = 1 + (size_t)draw_below(d, 64);

    if (!x->n)
        return 0;
    memset(x->s + from, 0, n < x->n - from ? n : x->n - from);
    return 1;
}

static int missing(struct model_folder *f, struct draw *d)
{
    int64_t i = draw_below(d, f->n);

    free(f->at[i].s);
    f->at[i] = f->at[--f->n];
    return 1;
}

static int empty(struct model_folder *f, struct draw *d)
{
    any(f, d)->n = 0;
    return 1;
}

static int splice(struct model_folder *f, struct draw *d)
{
    struct model_file *x = any(f, d);
    const struct model_file *y = any(f, d);
    size_t to = (size_t)draw_below(d, (int64_t)x->n);
    size_t from = (size_t)draw_below(d, (int64_t)y->n);
    size_t n = 1 + (size_t)draw_below(d, 256);

    if (!x->n || !y->n)
        return 0;
    n = n < x->n - to ? n : x->n - to;
    n = n < y->n - from ? n : y->n - from;
    memmove(x->s + to, y->s + from, n);
    return 1;
}

static int exchange(struct model_folder *f, struct draw *d)
{
    struct model_file *x = any(f, d), *y = any(f, d);
    struct model_file was = *x;

    if (x == y)
        return 0;
    x->s = y->s;
    x->n = y->n;
    y->s = was.s;
    y->n = was.n;
    return 1;
}

static int other_form(struct model_folder *f, struct draw *d)
{
    static const char *const links[] = {"/dev/zero",      "/dev/urandom",
                                        "/dev/null",      "/dev/full",
                                        "/proc/self/mem", "."};
    struct model_file *x = any(f, d);

    switch (draw_below(d, 4)) {
    case 0:
        x->form = FORM_FOLDER;
        break;
    case 1:
        x->form = FORM_FIFO;
        break;
    case 2: /* to itself */
        x->form = FORM_LINK;
        set(x, x->name, strlen(x->name));
        break;
    default: {
        const char *to = links[draw_below(d, 6)];

        x->form = FORM_LINK;
        set(x, to, strlen(to));
    }
    }
    return 1;
}

/* --- JSON ------------------------------------------------------------------ */

static json_t *odd_value(struct draw *d)
{
    static const char *const texts[] = {"0",
                                        "-1",
                                        "1",
                                        "2147483648",
                                        "4611686018427387904",
                                        "1e308",
                                        "1e-308",
                                        "1.5",
                                        "\"x\"",
                                        "\"\"",
                                        "null",
                                        "true",
                                        "[]",
                                        "{}",
                                        "[[[]]]",
                                        "\"../../etc/passwd\"",
                                        "\"a\\tb\\nc\"",
                                        "1048577",
                                        "4194305",
                                        "[1,2,3,4,5,6,7,8,9]",
                                        "-9223372036854775808",
                                        "65536",
                                        "3",
                                        "7"};
    json_t *v = json_loads(texts[draw_below(d, sizeof(texts) / sizeof(*texts))],
                           JSON_DECODE_ANY, NULL);

    WANT(v);
    return v;
}

/* Down to some value, which is replaced, removed or put there twice. */
static void change_json(json_t *at, struct draw *d)
{
    for (;;) {
        size_t n =
            json_is_object(at) ? json_object_size(at) : json_array_size(at);
        int64_t k = draw_below(d, (int64_t)n);
        json_t *child = NULL;
        const char *key = NULL;

        if (!n)
            return;
        if (json_is_array(at)) {
            child = json_array_get(at, (size_t)k);
        } else {
            void *i = json_object_iter(at);

            while (k-- > 0)
                i = json_object_iter_next(at, i);
            key = json_object_iter_key(i);
            child = json_object_iter_value(i);
        }
        if ((json_object_size(child) || json_array_size(child)) &&
            draw_below(d, 8)) {
            at = child;
            continue;
        }
        if (key && draw_below(d, 4) == 0)
            json_object_del(at, key);
        else if (key)
            json_object_set_new(at, key, odd_value(d));
        else if (draw_below(d, 4) == 0)
            json_array_append(at, child);
        else
            json_array_set_new(at, (size_t)k, odd_value(d));
        return;
    }
}

static int put_json(struct model_file *x, json_t *o, size_t flags)
{
    char *s = json_dumps(o, flags);

    WANT(s);
    set(x, s, strlen(s));
    free(s);
    json_decref(o);
    return 1;
}

static json_t *get_json(const struct model_file *x)
{
    return x ? json_loadb((const char *)x->s, x->n, 0, NULL) : NULL;
}

static int values_of(struct model_folder *f, struct draw *d, const char *name)
{
    struct model_file *x = folder_find(f, name);
    json_t *o = get_json(x);

    if (!o)
        return 0;
    for (int64_t k = 1 + draw_below(d, 2); k > 0; k--)
        change_json(o, d);
    return put_json(x, o, JSON_COMPACT);
}

static int config_value(struct model_folder *f, struct draw *d)
{
    return values_of(f, d, "config.json");
}

static int contract_value(struct model_folder *f, struct draw *d)
{
    return values_of(f, d, "dnabird.json");
}

static int tokenizer_value(struct model_folder *f, struct draw *d)
{
    return values_of(f, d, "tokenizer.json");
}

static int index_value(struct model_folder *f, struct draw *d)
{
    return values_of(f, d, "index.json");
}

static struct model_file *some_json(struct model_folder *f, struct draw *d)
{
    static const char *const names[] = {"config.json", "dnabird.json",
                                        "tokenizer.json", "index.json"};

    return folder_find(f, names[draw_below(d, 4)]);
}

static int deep_json(struct model_folder *f, struct draw *d)
{
    struct model_file *x = some_json(f, d);
    size_t n = (size_t)1 << (8 + draw_below(d, 13));
    int object = (int)draw_below(d, 2);

    if (!x)
        return 0;
    free(x->s);
    WANT((x->s = malloc(5 * n)));
    x->n = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(x->s + x->n, object ? "{\"a\":" : "[", object ? 5 : 1);
        x->n += object ? 5 : 1;
    }
    return 1;
}

/* A text of megabytes as a value. */
static int huge_text(struct model_folder *f, struct draw *d)
{
    struct model_file *x = some_json(f, d);
    json_t *o = get_json(x);
    size_t n = (size_t)1 << (12 + draw_below(d, 11));
    char *s;
    void *i;

    if (!o || !(i = json_object_iter(o))) {
        json_decref(o);
        return 0;
    }
    for (int64_t k = draw_below(d, (int64_t)json_object_size(o)); k > 0; k--)
        i = json_object_iter_next(o, i);
    WANT((s = malloc(n + 1)));
    memset(s, 'A', n);
    s[n] = '\0';
    json_object_iter_set_new(o, i, json_string(s));
    free(s);
    return put_json(x, o, JSON_COMPACT);
}

/* Far more tokens than the model has, or ids far apart. */
static int giant_vocabulary(struct model_folder *f, struct draw *d)
{
    static const int64_t far[] = {1 << 20, (1 << 22) - 1, 1 << 22, INT32_MAX,
                                  INT64_C(1) << 40};
    struct model_file *x = folder_find(f, "tokenizer.json");
    json_t *o = get_json(x);
    json_t *v = json_object_get(json_object_get(o, "model"), "vocab");
    int64_t n = json_object_size(v), more = (int64_t)1 << draw_below(d, 17);
    int apart = (int)draw_below(d, 2);

    if (!v) {
        json_decref(o);
        return 0;
    }
    for (int64_t i = 0; i < (apart ? 1 : more); i++) {
        char name[32];

        snprintf(name, sizeof(name), "x%lld", (long long)i);
        json_object_set_new(
            v, name, json_integer(apart ? far[draw_below(d, 5)] : n + i));
    }
    return put_json(x, o, JSON_COMPACT);
}

static int spaces(struct model_folder *f, struct draw *d)
{
    static const char *const names[] = {"config.json", "dnabird.json",
                                        "tokenizer.json"};
    struct model_file *x = folder_find(f, names[draw_below(d, 3)]);
    json_t *o = get_json(x);

    return o ? put_json(x, o, JSON_INDENT((size_t)draw_below(d, 9))) : 0;
}

static int unknown_field(struct model_folder *f, struct draw *d)
{
    static const char *const names[] = {"config.json", "dnabird.json"};
    struct model_file *x = folder_find(f, names[draw_below(d, 2)]);
    json_t *o = get_json(x);

    if (!o)
        return 0;
    json_object_set_new(o, "x_of_no_meaning", odd_value(d));
    return put_json(x, o, JSON_COMPACT);
}

static int unknown_file(struct model_folder *f, struct draw *d)
{
    struct model_file *x = &f->at[f->n];

    if (f->n == MODEL_FILES)
        return 0;
    *x = (struct model_file){0};
    snprintf(x->name, sizeof(x->name), "notes%lld.txt",
             (long long)draw_below(d, 1000));
    set(x, "x", 1);
    f->n++;
    return 1;
}

/* --- safetensors ----------------------------------------------------------- */

static size_t header_of(const struct model_file *x)
{
    uint64_t n = 0;

    if (!x || x->n < 8)
        return 0;
    memcpy(&n, x->s, 8);
    return n <= x->n - 8 ? (size_t)n : 0;
}

static int header_value(struct model_folder *f, struct draw *d)
{
    struct model_file *x = folder_find(f, ".safetensors");
    size_t n = header_of(x), rest, k;
    json_t *o = n ? json_loadb((char *)x->s + 8, n, 0, NULL) : NULL;
    uint8_t *out;
    uint64_t wide;
    char *s;

    if (!o)
        return 0;
    for (int64_t i = 1 + draw_below(d, 2); i > 0; i--)
        change_json(o, d);
    WANT((s = json_dumps(o, JSON_COMPACT)));
    json_decref(o);
    k = strlen(s);
    wide = (k + 7) / 8 * 8;
    rest = x->n - 8 - n;
    WANT((out = malloc(8 + wide + rest)));
    memcpy(out, &wide, 8);
    memset(out + 8, ' ', wide);
    memcpy(out + 8, s, k);
    memcpy(out + 8 + wide, x->s + 8 + n, rest);
    free(s);
    free(x->s);
    x->s = out;
    x->n = 8 + wide + rest;
    return 1;
}

static int header_length(struct model_folder *f, struct draw *d)
{
    struct model_file *x = folder_find(f, ".safetensors");
    uint64_t n = draw_next(d) >> draw_below(d, 64);

    if (!header_of(x))
        return 0;
    memcpy(x->s, &n, 8);
    return 1;
}

static int odd_weights(struct model_folder *f, struct draw *d)
{
    static const uint32_t values[] = {0x7fc00000, 0x7f800000, 0xff800000,
                                      0x7f7fffff, 0xff7fffff, 0x00000001,
                                      0x80000000, 0x7f800001};
    struct model_file *x = folder_find(f, ".safetensors");
    size_t n = header_of(x), at = 8 + n;
    uint32_t v = values[draw_below(d, 8)];

    if (!n || x->n < at + 4)
        return 0;
    for (int64_t k = (int64_t)1 << draw_below(d, 14); k > 0; k--)
        memcpy(x->s + at + 4 * draw_below(d, (int64_t)((x->n - at) / 4)), &v,
               4);
    return 1;
}

/* --- pickles, archives ------------------------------------------------------ */

/* A pickle that calls, in one of some ways, and leaves a file. */
static size_t code(char *out, size_t size, struct draw *d)
{
    static const char *const calls[] = {
        "cos\nsystem\n(S'touch harmed'\ntR.",
        "cposix\nsystem\n(S'touch harmed'\ntR.",
        "c__builtin__\neval\n(S'open(\"harmed\",\"w\")'\ntR.",
        "csubprocess\ncheck_output\n((S'touch'\nS'harmed'\nltR.",
        "}S'a'\ncos\nsystem\n(S'touch harmed'\ntRs.",
        "(S'touch harmed'\nios\nsystem\n.",
        "(cos\nsystem\nS'touch harmed'\no.",
    };

    snprintf(out, size, "%s%s", draw_below(d, 2) ? "\x80\x02" : "",
             calls[draw_below(d, sizeof(calls) / sizeof(*calls))]);
    return strlen(out);
}

/* The archive with other bytes as its pickle, or as its first storage. */
static int put_member(struct model_file *x, const char *end, const void *s,
                      size_t n, int deflated)
{
    zip_error_t e;
    zip_source_t *src, *own;
    zip_t *z;
    zip_stat_t st;
    zip_int64_t at = -1;

    zip_error_init(&e);
    src = zip_source_buffer_create(x->s, x->n, 0, &e);
    WANT(src);
    z = zip_open_from_source(src, 0, &e);
    if (!z) {
        zip_source_free(src);
        return 0;
    }
    zip_source_keep(src);
    for (zip_int64_t i = 0; i < zip_get_num_entries(z, 0); i++) {
        const char *name = zip_get_name(z, (zip_uint64_t)i, 0);
        size_t k = name ? strlen(name) : 0;

        if (k >= strlen(end) && !strcmp(name + k - strlen(end), end))
            at = i;
    }
    WANT((own = zip_source_buffer(z, s, n, 0)));
    if (at < 0 || zip_file_replace(z, (zip_uint64_t)at, own, 0) ||
        zip_set_file_compression(z, (zip_uint64_t)at,
                                 deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) ||
        zip_close(z) || zip_source_stat(src, &st) || zip_source_open(src)) {
        zip_source_free(src);
        return 0;
    }
    free(x->s);
    WANT((x->s = malloc(st.size)));
    x->n = st.size;
    WANT(zip_source_read(src, x->s, st.size) == (zip_int64_t)st.size);
    zip_source_close(src);
    zip_source_free(src);
    return 1;
}

static int is_archive(const struct model_file *x)
{
    return x->n > 4 && !memcmp(x->s, "PK\3\4", 4);
}

static int run_code(struct model_folder *f, struct draw *d)
{
    struct model_file *x = folder_find(f, ".bin");
    char text[256];
    size_t n;

    if (!x)
        return 0;
    n = code(text, sizeof(text), d);
    if (is_archive(x))
        return put_member(x, "data.pkl", text, n, 0);
    if (draw_below(d, 2)) { /* alone, or at a place of the old form */
        set(x, text, n);
    } else {
        size_t at = (size_t)draw_below(d, 128);

        if (x->n < at + n)
            return 0;
        memcpy(x->s + at, text, n);
    }
    return 1;
}

/* The pickle of an archive, with its checksum right. */
static int change_pickle(struct model_folder *f, struct draw *d)
{
    struct model_file *x = folder_find(f, ".bin");
    uint8_t *at, *copy;
    size_t n;
    int done;

    if (!x || !is_archive(x))
        return 0;
    /* data.pkl is stored, and first */
    at = memmem(x->s, x->n, "\x80\x02", 2);
    if (!at)
        return 0;
    n = (size_t)(x->s + x->n - at);
    if (n > 2048)
        n = 2048;
    copy = copy_bytes(at, n);
    for (int64_t k = 1 + draw_below(d, 6); k > 0; k--)
        copy[draw_below(d, (int64_t)n)] = (uint8_t)draw_next(d);
    done = put_member(x, "data.pkl", copy, n, 0);
    free(copy);
    return done;
}

/* Made once: 1 GiB of zeros in some KB. */
static int zstd_bomb(struct model_folder *f, struct draw *d)
{
    static uint8_t *made;
    static size_t size;
    struct model_file *x = folder_find(f, ".zst");

    (void)d;
    if (!x)
        return 0;
    if (!made) {
        enum { PART = 1 << 20, PARTS = 1 << 10 };
        ZSTD_CCtx *z = ZSTD_createCCtx();
        uint8_t *zeros = calloc(1, PART);
        ZSTD_outBuffer out = {.size = PART};

        WANT(z && zeros && (made = malloc(PART)));
        out.dst = made;
        for (int i = 0; i < PARTS; i++) {
            ZSTD_inBuffer in = {zeros, PART, 0};

            WANT(!ZSTD_isError(ZSTD_compressStream2(
                z, &out, &in, i + 1 < PARTS ? ZSTD_e_continue : ZSTD_e_end)));
        }
        size = out.pos;
        free(zeros);
        ZSTD_freeCCtx(z);
    }
    set(x, made, size);
    return 1;
}

static int zip_bomb(struct model_folder *f, struct draw *d)
{
    enum { SIZE = 512 << 20 };
    static struct model_file made[2];
    struct model_file *x = folder_find(f, ".bin");
    int which = (int)draw_below(d, 2);

    if (!x || !is_archive(x))
        return 0;
    if (!made[which].s) {
        uint8_t *zeros = calloc(1, SIZE);

        WANT(zeros);
        set(&made[which], x->s, x->n);
        WANT(put_member(&made[which], which ? "data/0" : "data.pkl", zeros,
                        SIZE, 1));
        free(zeros);
    }
    set(x, made[which].s, made[which].n);
    return 1;
}

static int bomb(struct model_folder *f, struct draw *d)
{
    return zip_bomb(f, d) || zstd_bomb(f, d);
}

const struct mutation mutations[MUTATIONS] = {
    {"nothing", none, 1},
    {"bytes changed", change_bytes, 0},
    {"file cut short", cut, 0},
    {"file longer", lengthen, 0},
    {"bytes zeroed", zero, 0},
    {"file missing", missing, 0},
    {"file empty", empty, 0},
    {"bytes of another file", splice, 0},
    {"files exchanged", exchange, 0},
    {"no plain file", other_form, 0},
    {"config.json: values", config_value, 0},
    {"dnabird.json: values", contract_value, 0},
    {"tokenizer.json: values", tokenizer_value, 0},
    {"index: values", index_value, 0},
    {"JSON nested deep", deep_json, 0},
    {"JSON with a text of MB", huge_text, 0},
    {"giant vocabulary", giant_vocabulary, 0},
    {"safetensors: types, shapes, offsets", header_value, 0},
    {"safetensors: length of header", header_length, 0},
    {"NaN, infinite, extreme weights", odd_weights, 0},
    {"pickle with code", run_code, 0},
    {"pickle: opcodes", change_pickle, 0},
    {"zip or zstd bomb", bomb, 0},
    {"JSON written otherwise", spaces, 1},
    {"field without meaning", unknown_field, 1},
    {"file without meaning", unknown_file, 1},
};
