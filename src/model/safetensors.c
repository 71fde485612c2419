/* Reading safetensors files. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "model/tensors.h"

/* The header's length in the first 8 bytes, and the format's bound on it. */
enum { LENGTH_SIZE = 8, HEADER_MAX = 100000000 };

static const struct {
    const char *name;
    enum bird_dtype dtype;
} dtypes[] = {
    {"F32", BIRD_F32}, {"F16", BIRD_F16}, {"BF16", BIRD_BF16},
    {"F64", BIRD_F64}, {"I64", BIRD_I64}, {"I32", BIRD_I32},
    {"U8", BIRD_U8},   {"BOOL", BIRD_U8}, {"I8", BIRD_I8},
};

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
    if (t->size != want * bird_dtype_size(t->dtype))
        return bird_fail(BIRD_EFORMAT,
                         "its shape asks for %zu bytes, its "
                         "data_offsets give %zu",
                         want * bird_dtype_size(t->dtype), t->size);
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

/* The format allows neither holes nor overlaps. */
static int check_cover(const struct bird_tensor *t, int64_t n, const char *data,
                       size_t size, const char *path)
{
    const char *next = data;

    for (int64_t i = 0; i < n; i++) {
        if ((const char *)t[i].data != next)
            return bird_fail(BIRD_EFORMAT,
                             "%s: tensor '%.100s' overlaps another or leaves a "
                             "hole before it",
                             path, t[i].name);
        next += t[i].size;
    }
    if (next != data + size)
        return bird_fail(BIRD_EFORMAT, "%s: %zu bytes after the last tensor",
                         path, (size_t)(data + size - next));
    return 0;
}

static int read_header(bird_tensors *t, json_t *header, const char *data,
                       size_t size, const char *path)
{
    struct bird_tensor *x = NULL;
    int64_t first = t->n;
    const char *name;
    json_t *o;
    int rc;

    json_object_foreach(header, name, o)
    {
        if (!strcmp(name, "__metadata__"))
            continue;
        if ((rc = bird_tensors_add(t, &x)))
            return rc;
        x->name = name;
        rc = read_tensor(x, o, data, size);
        if (rc)
            return bird_fail_in(rc, "%s: tensor '%.100s'", path, name);
    }
    if (t->n > first)
        qsort(t->tensor + first, (size_t)(t->n - first), sizeof(*t->tensor),
              by_offset);
    return check_cover(t->tensor + first, t->n - first, data, size, path);
}

int bird_safetensors_read(bird_tensors *t, struct bird_part *p,
                          const char *data, size_t size, const char *path)
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
    rc = bird_json_parse(&p->header, data + LENGTH_SIZE, (size_t)n, path);
    if (rc)
        return bird_fail_in(rc, "safetensors header");
    return read_header(t, p->header, data + LENGTH_SIZE + n,
                       size - LENGTH_SIZE - (size_t)n, path);
}
