/* Files of tensors, of whatever form: opened, found, read as float32; and
 * several files with an index that says which tensor is where.
 *
 * The form is told by a file's first bytes. Readers fill one table of tensors,
 * whose data is mapped, decompressed, or fetched from an archive when it is
 * read.
 * SPDX-License-Identifier: MIT */
#include "folder/tensors.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "folder/safetensors.h"
#include "kernel/kernel.h"

/* Bounds of decompression: see bird_tensors_open(). */
static const size_t inflate_least = (size_t)256 << 20, inflate_ratio = 200;

static void part_free(struct bird_part *p)
{
    if (!p)
        return;
    bird_zip_close(p->zip);
    bird_mapping_close(&p->map);
    json_decref(p->header);
    for (int64_t i = 0; i < p->n_name; i++)
        free(p->name[i]);
    free(p->name);
    free(p->bytes);
    free(p);
}

void bird_tensors_free(bird_tensors *t)
{
    if (!t)
        return;
    for (int64_t i = 0; i < t->n_part; i++)
        part_free(t->part[i]);
    free(t->part);
    free(t->tensor);
    free(t->place);
    free(t->named);
    free(t);
}

static int add_part(bird_tensors *t, struct bird_part **out)
{
    struct bird_part *p = NULL;
    int rc = bird_array_grow(&t->part, &t->cap_part, t->n_part + 1,
                             sizeof(struct bird_part *));

    if (!rc)
        rc = bird_array_new(&p, 1, sizeof(*p));
    if (rc)
        return rc;
    *out = t->part[t->n_part++] = p;
    return 0;
}

int bird_tensors_add(bird_tensors *t, struct bird_tensor **out)
{
    int rc = bird_array_grow(&t->tensor, &t->cap, t->n + 1, sizeof(*t->tensor));

    if (!rc)
        rc = bird_array_grow(&t->place, &t->cap_place, t->n + 1,
                             sizeof(*t->place));
    if (rc)
        return rc;
    t->place[t->n] = (struct bird_tensor_location){.part = t->n_part - 1};
    *out = &t->tensor[t->n++];
    **out = (struct bird_tensor){0};
    return 0;
}

int bird_part_name(struct bird_part *p, const char **out, const char *s,
                   size_t n)
{
    int rc =
        bird_array_grow(&p->name, &p->cap_name, p->n_name + 1, sizeof(char *));
    char *copy = rc ? NULL : strndup(s, n);

    if (!copy)
        return rc ? rc : bird_fail_memory(n);
    *out = p->name[p->n_name++] = copy;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    struct bird_tensor *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static int finish(bird_tensors *t, const char *path)
{
    int rc = bird_array_new(&t->named, t->n, sizeof(struct bird_tensor *));

    if (rc)
        return rc;
    for (int64_t i = 0; i < t->n; i++)
        t->named[i] = &t->tensor[i];
    if (t->n)
        qsort(t->named, (size_t)t->n, sizeof(struct bird_tensor *), by_name);
    for (int64_t i = 1; i < t->n; i++)
        if (!strcmp(t->named[i - 1]->name, t->named[i]->name))
            return bird_fail(BIRD_EFORMAT, "%s: tensor '%.100s' appears twice",
                             path, t->named[i]->name);
    return 0;
}

size_t bird_dtype_size(enum bird_dtype type)
{
    static const size_t size[] = {
        [BIRD_F32] = 4, [BIRD_F16] = 2, [BIRD_BF16] = 2, [BIRD_F64] = 8,
        [BIRD_I64] = 8, [BIRD_I32] = 4, [BIRD_U8] = 1,   [BIRD_I8] = 1,
    };

    return size[type];
}

static int is_zstd(const unsigned char *p, size_t size)
{
    return size >= 4 && p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f &&
           p[3] == 0xfd;
}

/* The buffer grows with the decompressed bytes, so a small file cannot claim much;
 * once the header is read, its size is the limit. */
static int inflate_stream(char **out, size_t *n, ZSTD_DStream *z,
                          ZSTD_inBuffer *in, const char *path)
{
    size_t limit = inflate_least, left = 1, step = ZSTD_DStreamOutSize();
    size_t whole = 0, header_most;
    int64_t cap = 0;

    if (in->size / (inflate_least / inflate_ratio) >= 1)
        limit = in->size > SIZE_MAX / inflate_ratio ? SIZE_MAX / 2
                                                    : in->size * inflate_ratio;
    header_most =
        in->size < limit / inflate_ratio ? in->size * inflate_ratio : limit;
    while (in->pos < in->size || left) {
        ZSTD_outBuffer part;
        size_t before = in->pos;
        int rc = bird_array_grow(out, &cap, (int64_t)(*n + step), 1);

        if (rc)
            return rc;
        part = (ZSTD_outBuffer){*out + *n, (size_t)cap - *n, 0};
        left = ZSTD_decompressStream(z, &part, in);
        if (ZSTD_isError(left))
            return bird_fail(BIRD_EFORMAT, "%s: zstd: %s", path,
                             ZSTD_getErrorName(left));
        if (left && !part.pos && in->pos == before)
            return bird_fail(BIRD_EFORMAT, "%s: zstd: cut short", path);
        *n += part.pos;
        if (!whole && (rc = bird_safetensors_size(&whole, *out, *n, header_most,
                                                  path)) < 0)
            return rc;
        if (whole && *n > whole)
            return bird_fail(BIRD_EFORMAT,
                             "%s: %zu bytes after the last tensor, or more",
                             path, *n - whole);
        if (*n > limit)
            return bird_fail(BIRD_EFORMAT,
                             "%s: unpacks to more than %zu bytes: refused",
                             path, limit);
    }
    return 0;
}

static int inflate(char **out, size_t *n, const void *data, size_t size,
                   const char *path)
{
    ZSTD_inBuffer in = {data, size, 0};
    ZSTD_DStream *z = ZSTD_createDStream();
    int rc;

    *n = 0;
    if (!z)
        return bird_fail_memory(0);
    rc = inflate_stream(out, n, z, &in, path);
    ZSTD_freeDStream(z);
    return rc;
}

/* People fetch a repository without its large files, and are told. */
static int refuse_pointer(const char *data, size_t size, const char *path)
{
    static const char pointer[] = "version https://git-lfs";

    if (size < sizeof(pointer) ||
        memcmp(data, pointer, sizeof(pointer) - 1) != 0)
        return 0;
    return bird_fail(BIRD_EFORMAT,
                     "%s is a Git LFS pointer, not the file itself: fetch it "
                     "with 'git lfs pull'",
                     path);
}

/* The bytes of one file into its part. */
static int read_part(bird_tensors *t, struct bird_part *p, const char *data,
                     size_t size, const char *path)
{
    size_t n = 0;
    int rc = refuse_pointer(data, size, path);

    if (rc)
        return rc;
    if (bird_torch_is(data, size))
        return bird_torch_read(t, p, data, size, path);
    if (!is_zstd((const unsigned char *)data, size))
        return bird_safetensors_read(t, p, data, size, path);
    rc = inflate(&p->bytes, &n, data, size, path);
    bird_mapping_close(&p->map);
    return rc ? rc : bird_safetensors_read(t, p, p->bytes, n, path);
}

static int read_file(bird_tensors *t, const char *path)
{
    struct bird_part *p = NULL;
    int rc = add_part(t, &p);

    if (!rc)
        rc = bird_mapping_open(&p->map, path);
    return rc ? rc : read_part(t, p, p->map.data, p->map.size, path);
}

int bird_tensors_parse(bird_tensors **out, const void *data, size_t size,
                       const char *path)
{
    bird_tensors *t = NULL;
    struct bird_part *p = NULL;
    int rc = bird_array_new(&t, 1, sizeof(*t));

    if (!rc)
        rc = add_part(t, &p);
    if (!rc)
        rc = read_part(t, p, data, size, path);
    if (!rc)
        rc = finish(t, path);
    if (!rc)
        *out = t, t = NULL;
    bird_tensors_free(t);
    return rc;
}

enum { SHARDS_MAX = 10000 };

/* A file beside the index, never one elsewhere. */
static int check_name(const char *name, const char *tensor, const char *path)
{
    if (!name)
        return bird_fail(BIRD_EFORMAT,
                         "%s: the file of tensor '%.100s' is not a name", path,
                         tensor);
    if (!*name || *name == '.' || strchr(name, '/'))
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%.100s': '%.100s' is not the name of a "
                         "file in this folder",
                         path, tensor, name);
    return 0;
}

int bird_shards_list(const char ***out, int64_t *n, const json_t *index,
                     const char *path)
{
    json_t *map = json_object_get(index, "weight_map"), *v;
    const char **name = NULL, *tensor;
    int64_t k = 0;
    int rc = 0;

    if (!json_is_object(map) || !json_object_size(map))
        return bird_fail(BIRD_EFORMAT, "%s: no 'weight_map'", path);
    rc = bird_array_new(&name, (int64_t)json_object_size(map),
                        sizeof(const char *));
    if (rc)
        return rc;
    json_object_foreach(map, tensor, v)
    {
        name[k] = json_string_value(v);
        if (!rc)
            rc = check_name(name[k++], tensor, path);
    }
    if (!rc)
        k = bird_texts_unique(name, k);
    if (!rc && k > SHARDS_MAX)
        rc = bird_fail(BIRD_EUNSUPPORTED, "%s: more than %d files", path,
                       SHARDS_MAX);
    if (rc) {
        free(name);
        return rc;
    }
    *out = name;
    *n = k;
    return 0;
}

/* The file `name` beside the index. */
static int path_beside(char **out, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *folder;
    int rc;

    if (!slash)
        return bird_path_join(out, ".", name);
    folder = strndup(path, (size_t)(slash - path));
    rc = folder ? bird_path_join(out, folder, name) : bird_fail_memory(0);
    free(folder);
    return rc;
}

/* The files that an index names, and whether each tensor is where it says. */
static int check_index(const bird_tensors *t, const json_t *index,
                       const char *const *name, const char *path)
{
    json_t *map = json_object_get(index, "weight_map"), *v;
    const char *tensor;

    for (int64_t i = 0; i < t->n; i++) {
        const char *in =
            json_string_value(json_object_get(map, t->tensor[i].name));

        if (!in)
            return bird_fail(BIRD_EFORMAT,
                             "%s: tensor '%.100s' of %s is not in this index",
                             path, t->tensor[i].name, name[t->place[i].part]);
        if (strcmp(in, name[t->place[i].part]) != 0)
            return bird_fail(BIRD_EFORMAT,
                             "%s: tensor '%.100s' is in %s, not in %s", path,
                             t->tensor[i].name, name[t->place[i].part], in);
    }
    json_object_foreach(map, tensor, v)
    {
        if (!bird_tensors_find(t, tensor))
            return bird_fail(BIRD_EFORMAT, "%s: tensor '%.100s' is not in %s",
                             path, tensor, json_string_value(v));
    }
    return 0;
}

static int read_index(bird_tensors *t, const char *path)
{
    json_t *index = NULL;
    const char **name = NULL;
    int64_t n = 0;
    int rc = bird_json_open(&index, path);

    if (!rc)
        rc = bird_shards_list(&name, &n, index, path);
    for (int64_t i = 0; !rc && i < n; i++) {
        char *file = NULL;

        rc = path_beside(&file, path, name[i]);
        if (!rc)
            rc = read_file(t, file);
        free(file);
    }
    if (!rc)
        rc = finish(t, path);
    if (!rc)
        rc = check_index(t, index, name, path);
    free(name);
    json_decref(index);
    return rc;
}

static int is_index(const char *path)
{
    static const char end[] = ".index.json";
    size_t n = strlen(path), m = sizeof(end) - 1;

    return n > m && !strcmp(path + n - m, end);
}

int bird_tensors_open(bird_tensors **out, const char *path)
{
    bird_tensors *t = NULL;
    int rc = bird_array_new(&t, 1, sizeof(*t));

    if (!rc && is_index(path)) {
        rc = read_index(t, path);
    } else if (!rc) {
        rc = read_file(t, path);
        if (!rc)
            rc = finish(t, path);
    }
    if (!rc)
        *out = t, t = NULL;
    bird_tensors_free(t);
    return rc;
}

int bird_tensors_are_mapped(const bird_tensors *t)
{
    for (int64_t i = 0; i < t->n_part; i++)
        if (!t->part[i]->map.data)
            return 0;
    return 1;
}

void bird_tensor_forget(const bird_tensors *t, const struct bird_tensor *x)
{
    const struct bird_part *p = t->part[t->place[x - t->tensor].part];

    if (p->map.data && x->data)
        bird_pages_release(x->data, x->size);
}

enum { FORGET = 1 << 20 };

/* All bytes of a tensor that lies in an archive. */
static int fetch(const bird_tensors *t, void *out, const struct bird_tensor *x,
                 const struct bird_tensor_location *at, const char *path)
{
    const struct bird_part *p = t->part[at->part];
    int rc = bird_zip_read(p->zip, out, at->entry, at->at, x->size, path);

    /* the copy is enough: the archive's pages need not stay */
    if (p->map.data && x->size >= FORGET)
        bird_pages_release(p->map.data, p->map.size);
    return rc ? bird_fail_in(rc, "tensor '%.100s'", x->name) : 0;
}

int bird_tensor_read(float *out, const bird_tensors *t,
                     const struct bird_tensor *x, const char *path)
{
    const struct bird_tensor_location *at = &t->place[x - t->tensor];
    struct bird_tensor copy = *x;
    char *bytes = NULL;
    int rc;

    if (x->data || !x->size) {
        bird_tensor_to_f32(out, x);
        return 0;
    }
    if (x->dtype == BIRD_F32)
        return fetch(t, out, x, at, path);
    rc = bird_array_new(&bytes, (int64_t)x->size, 1);
    if (!rc)
        rc = fetch(t, bytes, x, at, path);
    if (!rc) {
        copy.data = bytes;
        bird_tensor_to_f32(out, &copy);
    }
    free(bytes);
    return rc;
}

int64_t bird_tensors_count(const bird_tensors *t)
{
    return t->n;
}

const struct bird_tensor *bird_tensors_at(const bird_tensors *t, int64_t i)
{
    return t->tensor + i;
}

const struct bird_tensor *bird_tensors_find(const bird_tensors *t,
                                            const char *name)
{
    int64_t lo = 0, hi = t->n;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        int order = strcmp(name, t->named[mid]->name);

        if (!order)
            return t->named[mid];
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const char *bird_tensors_metadata(const bird_tensors *t, const char *key)
{
    return json_string_value(json_object_get(
        json_object_get(t->part[0]->header, "__metadata__"), key));
}

int64_t bird_tensor_count(const struct bird_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->n_dim; i++)
        n *= t->shape[i];
    return n;
}

static float from_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static float from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = (h >> 10) & 31, fraction = h & 1023;
    float x;

    if (exponent == 31)
        return from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent)
        return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    x = (float)fraction * 0x1p-24F; /* zero and subnormals */
    return sign ? -x : x;
}

/* One loop per type; memcpy because the file may leave data unaligned. */
#define CONVERT(type, expression)                                              \
    for (int64_t i = 0; i < n; i++) {                                          \
        type v;                                                                \
                                                                               \
        memcpy(&v, p + (size_t)i * sizeof(v), sizeof(v));                      \
        out[i] = expression;                                                   \
    }                                                                          \
    break

void bird_tensor_to_f32(float *out, const struct bird_tensor *t)
{
    const char *p = t->data;
    int64_t n = p ? bird_tensor_count(t) : 0;

    if (!n)
        return;
    switch (t->dtype) {
    case BIRD_F32:
        memcpy(out, p, (size_t)n * sizeof(*out));
        break;
    case BIRD_F16:
        CONVERT(uint16_t, from_f16(v));
    case BIRD_BF16:
        CONVERT(uint16_t, from_bits((uint32_t)v << 16));
    case BIRD_F64:
        CONVERT(double, (float)v);
    case BIRD_I64:
        CONVERT(int64_t, (float)v);
    case BIRD_I32:
        CONVERT(int32_t, (float)v);
    case BIRD_U8:
        CONVERT(uint8_t, (float)v);
    case BIRD_I8:
        CONVERT(int8_t, (float)v);
    }
}

void bird_f32_to_bf16(uint16_t *out, const float *x, int64_t n)
{
    bird_kernels()->to_bfloat16(out, x, n);
}
