/* Reading safetensors files. SPDX-License-Identifier: MIT */
#include "model/safetensors.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

struct bird_tensors {
    struct bird_map map;        /* a plain file */
    char *bytes;                /* a decompressed one */
    json_t *header;             /* owns the names */
    struct bird_tensor *tensor; /* by offset */
    struct bird_tensor **named; /* by name */
    int64_t n;
};

/* The header's length in the first 8 bytes, and the format's bound on it. */
enum { LENGTH_SIZE = 8, HEADER_MAX = 100000000 };

/* Bounds of decompression: see bird_tensors_open(). */
static const size_t inflate_floor = (size_t)256 << 20, inflate_ratio = 200;

static const struct {
    const char *name;
    enum bird_dtype dtype;
    size_t size;
} dtypes[] = {
    {"F32", BIRD_F32, 4}, {"F16", BIRD_F16, 2}, {"BF16", BIRD_BF16, 2},
    {"F64", BIRD_F64, 8}, {"I64", BIRD_I64, 8}, {"I32", BIRD_I32, 4},
    {"U8", BIRD_U8, 1},   {"BOOL", BIRD_U8, 1}, {"I8", BIRD_I8, 1},
};

void bird_tensors_free(bird_tensors *t)
{
    if (!t)
        return;
    bird_map_close(&t->map);
    json_decref(t->header);
    free(t->bytes);
    free(t->tensor);
    free(t->named);
    free(t);
}

/* Type, shape and offsets of one tensor, checked against each other and
 * against the `size` bytes of data. */
static int read_tensor(struct bird_tensor *t, const json_t *o, const char *data,
                       size_t size)
{
    const json_t *shape = json_object_get(o, "shape");
    const json_t *offset = json_object_get(o, "data_offsets");
    const char *type = json_string_value(json_object_get(o, "dtype"));
    const json_t *begin = json_array_get(offset, 0);
    const json_t *end = json_array_get(offset, 1);
    size_t k = 0, want = 1;

    if (!type || !json_is_array(shape) || json_array_size(offset) != 2 ||
        !json_is_integer(begin) || !json_is_integer(end))
        return bird_fail(BIRD_EFORMAT,
                         "its dtype, shape or data_offsets are not there");
    while (k < sizeof(dtypes) / sizeof(*dtypes) &&
           strcmp(dtypes[k].name, type) != 0)
        k++;
    if (k == sizeof(dtypes) / sizeof(*dtypes))
        return bird_fail(BIRD_EUNSUPPORTED,
                         "its dtype '%.20s' is not supported", type);
    if (json_array_size(shape) > BIRD_MAX_DIM)
        return bird_fail(BIRD_EUNSUPPORTED, "it has %zu dimensions",
                         json_array_size(shape));
    t->dtype = dtypes[k].dtype;
    t->n_dim = (int)json_array_size(shape);
    for (int i = 0; i < t->n_dim; i++) {
        const json_t *v = json_array_get(shape, (size_t)i);

        t->shape[i] = json_integer_value(v);
        if (!json_is_integer(v) || t->shape[i] < 0 ||
            __builtin_mul_overflow(want, (size_t)t->shape[i], &want) ||
            want > INT64_MAX / 8)
            return bird_fail(BIRD_EFORMAT, "its shape is impossible");
    }
    if (json_integer_value(begin) < 0 ||
        json_integer_value(end) < json_integer_value(begin) ||
        (size_t)json_integer_value(end) > size)
        return bird_fail(BIRD_EFORMAT,
                         "its data_offsets lie outside the file, which may be "
                         "cut short");
    t->data = data + json_integer_value(begin);
    t->size = (size_t)(json_integer_value(end) - json_integer_value(begin));
    if (t->size != want * dtypes[k].size)
        return bird_fail(BIRD_EFORMAT,
                         "its shape asks for %zu bytes, its "
                         "data_offsets give %zu",
                         want * dtypes[k].size, t->size);
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct bird_tensor *x = a, *y = b;
    uintptr_t p = (uintptr_t)x->data, q = (uintptr_t)y->data;

    if (p != q)
        return p < q ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    struct bird_tensor *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* The format allows neither holes nor overlaps. */
static int check_cover(const bird_tensors *t, const char *data, size_t size,
                       const char *path)
{
    const char *next = data;

    for (int64_t i = 0; i < t->n; i++) {
        if ((const char *)t->tensor[i].data != next)
            return bird_fail(BIRD_EFORMAT,
                             "%s: tensor '%.100s' overlaps another or leaves a "
                             "hole before it",
                             path, t->tensor[i].name);
        next += t->tensor[i].size;
    }
    if (next != data + size)
        return bird_fail(BIRD_EFORMAT, "%s: %zu bytes after the last tensor",
                         path, (size_t)(data + size - next));
    return 0;
}

static int read_header(bird_tensors *t, const char *data, size_t size,
                       const char *path)
{
    const char *name;
    json_t *o;
    int rc;

    rc = bird_array_new(&t->tensor, (int64_t)json_object_size(t->header),
                        sizeof(*t->tensor));
    if (!rc)
        rc = bird_array_new(&t->named, (int64_t)json_object_size(t->header),
                            sizeof(struct bird_tensor *));
    if (rc)
        return rc;
    json_object_foreach(t->header, name, o)
    {
        if (!strcmp(name, "__metadata__"))
            continue;
        t->tensor[t->n].name = name;
        rc = read_tensor(&t->tensor[t->n++], o, data, size);
        if (rc)
            return bird_fail_in(rc, "%s: tensor '%.100s'", path, name);
    }
    if (t->n)
        qsort(t->tensor, (size_t)t->n, sizeof(*t->tensor), by_offset);
    for (int64_t i = 0; i < t->n; i++)
        t->named[i] = &t->tensor[i];
    if (t->n)
        qsort(t->named, (size_t)t->n, sizeof(struct bird_tensor *), by_name);
    return check_cover(t, data, size, path);
}

static int parse_plain(bird_tensors *t, const char *data, size_t size,
                       const char *path)
{
    uint64_t n = 0;
    int rc;

    if (size < LENGTH_SIZE)
        return bird_fail(BIRD_EFORMAT, "%s: not a safetensors file: %zu bytes",
                         path, size);
    for (int i = 0; i < LENGTH_SIZE; i++)
        n |= (uint64_t)(unsigned char)data[i] << (8 * i);
    if (n > HEADER_MAX || n > size - LENGTH_SIZE)
        return bird_fail(BIRD_EFORMAT,
                         "%s: not a safetensors file, or cut short: its header "
                         "says %llu bytes",
                         path, (unsigned long long)n);
    rc = bird_json_parse(&t->header, data + LENGTH_SIZE, (size_t)n, path);
    if (rc)
        return bird_fail_in(rc, "safetensors header");
    return read_header(t, data + LENGTH_SIZE + n,
                       size - LENGTH_SIZE - (size_t)n, path);
}

static int is_zstd(const unsigned char *p, size_t size)
{
    return size >= 4 && p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f &&
           p[3] == 0xfd;
}

/* Room grows with what really came out: a small file cannot claim much. */
static int inflate_stream(char **out, size_t *n, ZSTD_DStream *z,
                          ZSTD_inBuffer *in, const char *path)
{
    size_t limit = inflate_floor, left = 1, step = ZSTD_DStreamOutSize();
    int64_t cap = 0;

    if (in->size / (inflate_floor / inflate_ratio) >= 1)
        limit = in->size > SIZE_MAX / inflate_ratio ? SIZE_MAX / 2
                                                    : in->size * inflate_ratio;
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

static int parse(bird_tensors *t, const void *data, size_t size,
                 const char *path)
{
    size_t n = 0;
    int rc;

    if (!is_zstd(data, size))
        return parse_plain(t, data, size, path);
    rc = inflate(&t->bytes, &n, data, size, path);
    bird_map_close(&t->map);
    return rc ? rc : parse_plain(t, t->bytes, n, path);
}

int bird_tensors_parse(bird_tensors **out, const void *data, size_t size,
                       const char *path)
{
    bird_tensors *t = NULL;
    int rc = bird_array_new(&t, 1, sizeof(*t));

    if (!rc)
        rc = parse(t, data, size, path);
    if (!rc)
        *out = t, t = NULL;
    bird_tensors_free(t);
    return rc;
}

int bird_tensors_open(bird_tensors **out, const char *path)
{
    bird_tensors *t = NULL;
    int rc = bird_array_new(&t, 1, sizeof(*t));

    if (!rc)
        rc = bird_map_open(&t->map, path);
    if (!rc)
        rc = parse(t, t->map.data, t->map.size, path);
    if (!rc)
        *out = t, t = NULL;
    bird_tensors_free(t);
    return rc;
}

void bird_tensor_forget(const bird_tensors *t, const struct bird_tensor *x)
{
    if (t->map.data)
        bird_map_forget(&t->map, x->data, x->size);
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
    return json_string_value(
        json_object_get(json_object_get(t->header, "__metadata__"), key));
}
