/*
 * Any bytes as a pickle, and as a checkpoint of PyTorch. The first byte says
 * in which way: alone; as a whole file; as the dictionary of the old form,
 * with what stands before and behind it; as data.pkl of an archive.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "folder/pickle.h"
#include "folder/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every text and every item of every value. */
static void use_pickle(const uint8_t *data, size_t size)
{
    struct bird_pickle p = {0};
    size_t used = 0, sum = 0;

    if (bird_pickle_read(&p, &used, data, size, "input"))
        return;
    if (used > size || p.root < 0 || p.root >= p.n)
        abort();
    for (int64_t i = 0; i < p.n; i++) {
        const struct bird_pickle_value *v = &p.value[i];

        for (int64_t k = 0; k < v->n; k++)
            sum += v->text ? (size_t)v->text[k]
                           : (size_t)bird_pickle_item(&p, v, k)->kind;
        sum += strlen(bird_pickle_kind_name(v)) +
               (size_t)bird_pickle_is(v, "storage");
    }
    if (sum == 1)
        fputs("", stdout);
    bird_pickle_free(&p);
}

/* Read every element, as the loader does. */
static void use_file(const void *data, size_t size)
{
    bird_tensors *t = NULL;

    if (bird_tensors_parse(&t, data, size, "input"))
        return;
    for (int64_t i = 0; i < bird_tensors_count(t); i++) {
        const struct bird_tensor *x = bird_tensors_at(t, i);
        int64_t n = bird_tensor_count(x);
        float *out = n > 1 << 22 ? NULL : malloc((size_t)n * sizeof(*out) + 1);

        if (bird_tensors_find(t, x->name) != x)
            abort();
        if (out && bird_tensor_read(out, t, x, "input"))
            *out = 0;
        free(out);
    }
    bird_tensors_free(t);
}

/* Magic number, protocol and machine; then the input, which brings the list of
 * keys and the storages too. */
static void use_old(const uint8_t *data, size_t size)
{
    static const char preface[] =
        "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
        "\x80\x02M\xe9\x03."
        "\x80\x02}X\x0d\x00\x00\x00little_endian\x88s.";
    size_t n = sizeof(preface) - 1;
    char *s = malloc(n + size);

    if (!s)
        return;
    memcpy(s, preface, n);
    if (size)
        memcpy(s + n, data, size);
    use_file(s, n + size);
    free(s);
}

static int add(zip_t *z, const char *name, const void *data, size_t size)
{
    zip_source_t *s = zip_source_buffer(z, data, size, 0);
    zip_int64_t i = s ? zip_file_add(z, name, s, ZIP_FL_ENC_UTF_8) : -1;

    return i < 0 ||
           zip_set_file_compression(z, (zip_uint64_t)i, ZIP_CM_STORE, 0) < 0;
}

/* The archive as bytes; its storages "0", "1", "2" hold 256, 32, 8 bytes. */
static char *archive(const uint8_t *data, size_t size, size_t *n)
{
    static const char zeros[256];
    zip_error_t e;
    zip_source_t *s;
    zip_stat_t st;
    zip_t *z = NULL;
    char *out = NULL;

    zip_error_init(&e);
    s = zip_source_buffer_create(NULL, 0, 0, &e);
    if (s)
        z = zip_open_from_source(s, ZIP_TRUNCATE, &e);
    if (!z)
        abort();
    zip_source_keep(s);
    if (add(z, "a/data.pkl", data, size) || add(z, "a/data/0", zeros, 256) ||
        add(z, "a/data/1", zeros, 32) || add(z, "a/data/2", zeros, 8) ||
        zip_close(z) || zip_source_stat(s, &st) || zip_source_open(s))
        abort();
    out = malloc(st.size);
    *n = st.size;
    if (out && zip_source_read(s, out, st.size) != (zip_int64_t)st.size)
        abort();
    zip_source_close(s);
    zip_source_free(s);
    zip_error_fini(&e);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n = 0;
    char *s;

    if (!size)
        return 0;
    switch (data[0] & 3) {
    case 0:
        use_pickle(data + 1, size - 1);
        break;
    case 1:
        use_file(data + 1, size - 1);
        break;
    case 2:
        use_old(data + 1, size - 1);
        break;
    default:
        s = archive(data + 1, size - 1, &n);
        if (s)
            use_file(s, n);
        free(s);
    }
    return 0;
}
