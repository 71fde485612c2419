/* folder/safetensors: tensors in and out, and every way a file can be wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "folder/safetensors.h"
#include "temp.h"

TestSuite(safetensors, .init = folder_new, .fini = folder_remove);

/* Length, header and `size` zero bytes of data. */
static char *file_of(const char *header, size_t size, size_t *total)
{
    size_t n = strlen(header);
    char *s = calloc(8 + n + size + 1, 1);

    for (int i = 0; i < 8; i++)
        s[i] = (char)(n >> (8 * i));
    memcpy(s + 8, header, n);
    *total = 8 + n + size;
    return s;
}

static void refused(const char *header, size_t size, int code, const char *word)
{
    bird_tensors *t = NULL;
    size_t total;
    char *s = file_of(header, size, &total);

    cr_assert_eq(bird_tensors_parse(&t, s, total, "x.st"), code, "%s: %s",
                 header, bird_last_error());
    cr_assert_null(t);
    SAYS("x.st");
    cr_assert_not_null(strstr(bird_last_error(), word), "%s: %s", header,
                       bird_last_error());
    free(s);
}

Test(safetensors, golden_weights_are_all_there)
{
    bird_tensors *t = NULL;
    const struct bird_tensor *x;
    float first[4];

    WORKS(bird_tensors_open(&t, golden("a_full_short_pad/model.safetensors")));
    cr_assert_eq(bird_tensors_count(t), 47);
    x = bird_tensors_find(t, "bert.embeddings.word_embeddings.weight");
    cr_assert_not_null(x);
    cr_assert_eq(x->n_dim, 2);
    cr_assert_eq(x->shape[0], 40);
    cr_assert_eq(x->shape[1], 32);
    cr_assert_eq(bird_tensor_count(x), 1280);
    x = bird_tensors_find(t, "bert.embeddings.position_ids");
    cr_assert_eq(x->dtype, BIRD_I64);
    cr_assert_null(bird_tensors_find(t, "bert.embeddings.position_idz"));
    cr_assert_null(bird_tensors_find(t, ""));
    for (int64_t i = 0; i < bird_tensors_count(t); i++) {
        x = bird_tensors_at(t, i);
        cr_assert_eq(bird_tensors_find(t, x->name), x);
        if (i)
            cr_assert_geq((uintptr_t)x->data,
                          (uintptr_t)bird_tensors_at(t, i - 1)->data);
    }
    x = bird_tensors_find(t, "bert.encoder.layer.1.output.LayerNorm.bias");
    cr_assert_eq(bird_tensor_count(x), 32);
    memcpy(first, x->data, sizeof(first));
    cr_assert(isfinite(first[0]) && fabsf(first[0]) < 10);
    bird_tensors_free(t);
}

static struct bird_tensor tensor(const char *name, enum bird_dtype dtype,
                                 int64_t n, const void *data, size_t size)
{
    return (struct bird_tensor){name, dtype, 1, {n}, data, size};
}

/* What is written comes back in order, with values, aligned to 64 bytes. */
static void round_trip(const char *name)
{
    const float f[] = {1, -2.5F, 3e-20F};
    const int64_t i[] = {5, -7};
    const int8_t c[] = {-3};
    const char *meta[] = {"format", "pt", "a \"b\"", "\n"};
    struct bird_tensor list[] = {
        tensor("z", BIRD_F32, 3, f, sizeof(f)),
        tensor("a", BIRD_I64, 2, i, sizeof(i)),
        tensor("empty", BIRD_F64, 0, NULL, 0),
        tensor("c", BIRD_I8, 1, c, sizeof(c)),
        {"scalar", BIRD_F32, 0, {0}, f, 4},
    };
    bird_tensors *t = NULL;
    float back[3];

    WORKS(bird_tensors_write(path_of(name), list, 5, meta, 2));
    WORKS(bird_tensors_open(&t, path_of(name)));
    cr_assert_eq(bird_tensors_count(t), 5);
    cr_assert_str_eq(bird_tensors_at(t, 0)->name, "z");
    bird_tensor_to_f32(back, bird_tensors_find(t, "z"));
    cr_assert_eq(memcmp(back, f, sizeof(f)), 0);
    bird_tensor_to_f32(back, bird_tensors_find(t, "a"));
    cr_assert(back[0] == 5 && back[1] == -7);
    bird_tensor_to_f32(back, bird_tensors_find(t, "c"));
    cr_assert(back[0] == -3);
    cr_assert_eq(bird_tensor_count(bird_tensors_find(t, "empty")), 0);
    cr_assert_eq(bird_tensor_count(bird_tensors_find(t, "scalar")), 1);
    if (!strstr(name, ".zst"))
        cr_assert_eq((uintptr_t)bird_tensors_at(t, 0)->data % 64, 0);
    bird_tensors_free(t);
}

Test(safetensors, round_trip_plain_and_compressed)
{
    struct bird_text s = {0};

    round_trip("x.safetensors");
    round_trip("x.safetensors.zst");
    WORKS(bird_file_read(&s, path_of("x.safetensors")));
    cr_assert_not_null(strstr(s.s + 8, "{\"__metadata__\":{\"format\":\"pt\""));
    WORKS(bird_file_read(&s, path_of("x.safetensors.zst")));
    cr_assert_eq(memcmp(s.s, "\x28\xb5\x2f\xfd", 4), 0);
    bird_text_free(&s);
}

Test(safetensors, no_tensors_is_a_file_too)
{
    bird_tensors *t = NULL;

    WORKS(bird_tensors_write(path_of("0"), NULL, 0, NULL, 0));
    WORKS(bird_tensors_open(&t, path_of("0")));
    cr_assert_eq(bird_tensors_count(t), 0);
    bird_tensors_free(t);
    WORKS(bird_tensors_write(path_of("0.zst"), NULL, 0, NULL, 0));
    WORKS(bird_tensors_open(&t, path_of("0.zst")));
    bird_tensors_free(t);
    bird_tensors_free(NULL);
}

Test(safetensors, every_element_type_becomes_float32)
{
    static const struct {
        enum bird_dtype dtype;
        size_t size;
        unsigned char bytes[8];
        float want;
    } cases[] = {
        {BIRD_F16, 2, {0x00, 0x3c}, 1},
        {BIRD_F16, 2, {0x00, 0xc4}, -4},
        {BIRD_F16, 2, {0xff, 0x7b}, 65504},
        {BIRD_F16, 2, {0x01, 0x00}, 0x1p-24F},
        {BIRD_F16, 2, {0xff, 0x83}, -1023 * 0x1p-24F},
        {BIRD_F16, 2, {0x00, 0x04}, 0x1p-14F},
        {BIRD_F16, 2, {0x00, 0x7c}, INFINITY},
        {BIRD_BF16, 2, {0x80, 0x3f}, 1},
        {BIRD_BF16, 2, {0x49, 0xc0}, -3.140625F},
        {BIRD_F64, 8, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 1.5F},
        {BIRD_I32, 4, {0xfe, 0xff, 0xff, 0xff}, -2},
        {BIRD_U8, 1, {200}, 200},
        {BIRD_I8, 1, {200}, -56},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct bird_tensor t =
            tensor("x", cases[i].dtype, 1, cases[i].bytes, cases[i].size);
        float got = 7;

        bird_tensor_to_f32(&got, &t);
        cr_assert(got == cases[i].want, "case %zu: %g", i, (double)got);
    }
    {
        struct bird_tensor t = tensor("x", BIRD_F16, 1, "\x01\x7c", 2);
        float got = 7;

        bird_tensor_to_f32(&got, &t);
        cr_assert(isnan(got));
    }
}

Test(safetensors, bfloat16_rounds_to_nearest_even_and_keeps_nan)
{
    const uint32_t bits[] = {0x3f808000, 0x3f818000, 0x3f808001, 0x3f807fff,
                             0x7f7fffff, 0xff800000, 0x7f800001, 0x80000000};
    const uint16_t want[] = {0x3f80, 0x3f82, 0x3f81, 0x3f80,
                             0x7f80, 0xff80, 0x7fc0, 0x8000};
    float x[8];
    uint16_t got[8];

    memcpy(x, bits, sizeof(x));
    bird_f32_to_bf16(got, x, 8);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(got[i], want[i], "%d: %x", i, got[i]);
}

#define ONE(dtype, shape, offsets)                                             \
    "{\"w\":{\"dtype\":\"" dtype "\",\"shape\":" shape                         \
    ",\"data_offsets\":" offsets "}}"

Test(safetensors, headers_that_lie_are_refused)
{
    refused(ONE("F32", "[2]", "[0,8]"), 7, BIRD_EFORMAT, "'w'");
    refused(ONE("F32", "[2]", "[0,8]"), 9, BIRD_EFORMAT, "after");
    refused(ONE("F32", "[2]", "[4,12]"), 12, BIRD_EFORMAT, "hole");
    refused(ONE("F32", "[3]", "[0,8]"), 8, BIRD_EFORMAT, "12 bytes");
    refused(ONE("F32", "[2]", "[8,0]"), 8, BIRD_EFORMAT, "data_offsets");
    refused(ONE("F32", "[2]", "[-8,0]"), 8, BIRD_EFORMAT, "data_offsets");
    refused(ONE("F32", "[2]", "[0]"), 8, BIRD_EFORMAT, "'w'");
    refused(ONE("F32", "[2]", "[0,8.0]"), 8, BIRD_EFORMAT, "'w'");
    refused(ONE("F32", "[-2]", "[0,8]"), 8, BIRD_EFORMAT, "shape");
    refused(ONE("F32", "[2.5]", "[0,8]"), 8, BIRD_EFORMAT, "shape");
    refused(ONE("F32", "[4611686018427387904,4]", "[0,8]"), 8, BIRD_EFORMAT,
            "shape");
    refused(ONE("F32", "[4611686018427387904]", "[0,0]"), 0, BIRD_EFORMAT,
            "shape"); /* 2^62 elements of 4 bytes: 0 in 64 bits */
    refused(ONE("F32", "[4294967296,4294967296,0]", "[0,0]"), 0, BIRD_EFORMAT,
            "shape");
    refused(ONE("F32", "2", "[0,8]"), 8, BIRD_EFORMAT, "'w'");
    refused(ONE("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), 8, BIRD_EUNSUPPORTED,
            "dimensions");
    refused(ONE("F8_E4M3", "[8]", "[0,8]"), 8, BIRD_EUNSUPPORTED, "F8_E4M3");
    refused("{\"w\":5}", 0, BIRD_EFORMAT, "'w'");
    refused("{\"w\":{}}", 0, BIRD_EFORMAT, "'w'");
    refused("{\"w\":", 0, BIRD_EFORMAT, "line");
    refused("[]", 0, BIRD_EFORMAT, "object");
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
            "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}",
            6, BIRD_EFORMAT, "overlaps");
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
            "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}",
            8, BIRD_EFORMAT, "duplicate");
}

Test(safetensors, files_cut_short_are_refused)
{
    bird_tensors *t = NULL;
    char s[16] = {0};

    cr_assert_eq(bird_tensors_parse(&t, s, 0, "x"), BIRD_EFORMAT);
    cr_assert_eq(bird_tensors_parse(&t, s, 7, "x"), BIRD_EFORMAT);
    s[0] = 9;
    cr_assert_eq(bird_tensors_parse(&t, s, 16, "x"), BIRD_EFORMAT);
    memset(s, 0xff, 8);
    cr_assert_eq(bird_tensors_parse(&t, s, 16, "x"), BIRD_EFORMAT);
    cr_assert_null(t);
}

Test(safetensors, files_that_cannot_be_opened)
{
    bird_tensors *t = NULL;

    cr_assert_eq(bird_tensors_open(&t, path_of("none")), BIRD_EIO);
    cr_assert_eq(bird_tensors_open(&t, folder), BIRD_EIO);
    WORKS(bird_file_write(path_of("empty"), "", 0));
    cr_assert_eq(bird_tensors_open(&t, path_of("empty")), BIRD_EFORMAT);
    cr_assert_null(t);
}

Test(safetensors, damaged_zstd_is_refused)
{
    struct bird_text s = {0};
    bird_tensors *t = NULL;

    round_trip("x.zst");
    WORKS(bird_file_read(&s, path_of("x.zst")));
    FAILS(BIRD_EFORMAT, bird_tensors_parse(&t, s.s, (size_t)s.n - 1, "x"),
          "cut short");
    s.s[s.n - 1] ^= 1; /* the checksum */
    FAILS(BIRD_EFORMAT, bird_tensors_parse(&t, s.s, (size_t)s.n, "x"), "zstd");
    cr_assert_eq(bird_tensors_parse(&t, s.s, 4, "x"), BIRD_EFORMAT);
    cr_assert_null(t);
    bird_text_free(&s);
}

/* Zeros, packed to some KB, behind a header that claims so many bytes; -1: no
 * header. */
static void refuse_bomb(int64_t claimed, const char *why)
{
    size_t n = (size_t)257 << 20, room = ZSTD_compressBound(n);
    char *zero = calloc(n, 1), *packed = malloc(room);
    bird_tensors *t = NULL;

    cr_assert(zero && packed);
    if (claimed >= 0)
        *zero = (char)snprintf(zero + 8, 120,
                               "{\"a\":{\"dtype\":\"U8\",\"shape\":[%lld],"
                               "\"data_offsets\":[0,%lld]}}",
                               (long long)claimed, (long long)claimed);
    room = ZSTD_compress(packed, room, zero, n, 1);
    cr_assert_not(ZSTD_isError(room));
    FAILS(BIRD_EFORMAT, bird_tensors_parse(&t, packed, room, "bomb"), why);
    free(zero);
    free(packed);
}

Test(safetensors, a_small_file_cannot_claim_much_memory)
{
    refuse_bomb(-1, "bomb");
    refuse_bomb(1, "after the last tensor");
    refuse_bomb(INT64_C(1) << 40, "refused");
}

Test(safetensors, writing_refuses_what_makes_no_file)
{
    float x[2] = {0};
    struct bird_tensor t[2] = {tensor("w", BIRD_F32, 2, x, 8),
                               tensor("w", BIRD_F32, 2, x, 8)};
    const char *bad[] = {"format", "\xff"};
    const char *path = path_of("w");

    FAILS(BIRD_EINVAL, bird_tensors_write(path, t, 2, NULL, 0), "taken");
    t[0].size = 7;
    cr_assert_eq(bird_tensors_write(path, t, 1, NULL, 0), BIRD_EINVAL);
    t[0].size = 8;
    t[0].n_dim = 9;
    cr_assert_eq(bird_tensors_write(path, t, 1, NULL, 0), BIRD_EINVAL);
    t[0].n_dim = 1;
    t[0].shape[0] = -2;
    cr_assert_eq(bird_tensors_write(path, t, 1, NULL, 0), BIRD_EINVAL);
    t[0].shape[0] = 2;
    t[0].name = "__metadata__";
    cr_assert_eq(bird_tensors_write(path, t, 1, NULL, 0), BIRD_EINVAL);
    t[0].name = "\xff";
    cr_assert_eq(bird_tensors_write(path, t, 1, NULL, 0), BIRD_EINVAL);
    t[0].name = "w";
    cr_assert_eq(bird_tensors_write(path, t, 1, bad, 1), BIRD_EINVAL);
    cr_assert_not(bird_file_exists(path));
    cr_assert_eq(bird_tensors_write(path_of("no/w"), t, 1, NULL, 0), BIRD_EIO);
    /* a file that was there stays */
    WORKS(bird_file_write(path, "old", 3));
    t[0].size = 1;
    cr_assert_eq(bird_tensors_write(path, t, 1, NULL, 0), BIRD_EINVAL);
    cr_assert(bird_file_exists(path));
}

Test(safetensors, a_full_disk_is_told)
{
    float x[2] = {0};
    struct bird_tensor t = tensor("w", BIRD_F32, 2, x, 8);
    char *big = calloc(1, 1 << 20);
    struct bird_tensor u = tensor("u", BIRD_U8, 1 << 20, big, 1 << 20);
    const char *path = path_of("full");
    const struct rlimit room = {16, 16};

    /* a file may hold 16 bytes: less than either, which the large one meets
     * when it is written, the small one when it is closed */
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &room), 0);
    cr_assert_eq(bird_tensors_write(path, &u, 1, NULL, 0), BIRD_EIO);
    cr_assert_eq(bird_tensors_write(path, &t, 1, NULL, 0), BIRD_EIO);
    cr_assert_not(bird_file_exists(path));
    free(big);
}
