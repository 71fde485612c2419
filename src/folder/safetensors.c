/* The safetensors format: 8 bytes of length, a JSON header, the data.
 *
 * A file is hostile input: every offset, shape and type is checked against the
 * others and against the file before a tensor is handed out. Written files have
 * their data aligned to 64 bytes, so that they can be mapped.
 * SPDX-License-Identifier: MIT */
#include "folder/safetensors.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "folder/tensors.h"

/* The header's length in the first 8 bytes, and the format's bound on it. */
enum { LENGTH_SIZE = 8, HEADER_MAX = 100000000 };

/* Names of enum bird_dtype; BOOL is read as U8. */
static const char *const dtypes[] = {
    [BIRD_F32] = "F32", [BIRD_F16] = "F16", [BIRD_BF16] = "BF16",
    [BIRD_F64] = "F64", [BIRD_I64] = "I64", [BIRD_I32] = "I32",
    [BIRD_U8] = "U8",   [BIRD_I8] = "I8"};
enum { N_DTYPE = sizeof(dtypes) / sizeof(*dtypes) };

/* N_DTYPE: none of these. */
static size_t find_dtype(const char *name)
{
    size_t k = 0;

    if (!strcmp(name, "BOOL"))
        return BIRD_U8;
    while (k < N_DTYPE && strcmp(dtypes[k], name) != 0)
        k++;
    return k;
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
    k = find_dtype(type);
    if (k == N_DTYPE)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "its dtype '%.20s' is not supported", type);
    if (json_array_size(shape) > BIRD_MAX_DIM)
        return bird_fail(BIRD_EUNSUPPORTED, "it has %zu dimensions",
                         json_array_size(shape));
    t->dtype = (enum bird_dtype)k;
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

/* The header's length, of LENGTH_SIZE bytes; at most `most`. */
static int header_length(size_t *n, const char *data, size_t most,
                         const char *path)
{
    uint64_t v = 0;

    for (int i = 0; i < LENGTH_SIZE; i++)
        v |= (uint64_t)(unsigned char)data[i] << (8 * i);
    if (v > HEADER_MAX || v > most)
        return bird_fail(BIRD_EFORMAT,
                         "%s: not a safetensors file, or cut short: its header "
                         "says %llu bytes",
                         path, (unsigned long long)v);
    *n = (size_t)v;
    return 0;
}

static int parse_header(json_t **out, const char *data, size_t n,
                        const char *path)
{
    int rc = bird_json_parse(out, data + LENGTH_SIZE, n, path);

    return rc ? bird_fail_in(rc, "safetensors header") : 0;
}

int bird_safetensors_size(size_t *size, const char *data, size_t n, size_t most,
                          const char *path)
{
    json_t *header = NULL, *o;
    const char *name;
    size_t wide = 0;
    int rc;

    if (n < LENGTH_SIZE)
        return 0;
    if ((rc = header_length(&wide, data, most, path)))
        return rc;
    if (n - LENGTH_SIZE < wide)
        return 0;
    if ((rc = parse_header(&header, data, wide, path)))
        return rc;
    *size = LENGTH_SIZE + wide;
    json_object_foreach(header, name, o)
    {
        json_int_t end = json_integer_value(
            json_array_get(json_object_get(o, "data_offsets"), 1));

        if (end > 0 && (uint64_t)end > *size - LENGTH_SIZE - wide)
            *size = (uint64_t)end > SIZE_MAX / 2
                        ? SIZE_MAX / 2
                        : LENGTH_SIZE + wide + (size_t)end;
    }
    json_decref(header);
    return 1;
}

int bird_safetensors_read(bird_tensors *t, struct bird_part *p,
                          const char *data, size_t size, const char *path)
{
    size_t n = 0;
    int rc;

    if (size < LENGTH_SIZE)
        return bird_fail(BIRD_EFORMAT, "%s: not a safetensors file: %zu bytes",
                         path, size);
    if ((rc = header_length(&n, data, size - LENGTH_SIZE, path)) ||
        (rc = parse_header(&p->header, data, n, path)))
        return rc;
    return read_header(t, p->header, data + LENGTH_SIZE + n,
                       size - LENGTH_SIZE - n, path);
}

enum { ALIGNMENT = 64, ZSTD_LEVEL = 6 };

/* Where bytes go: a file, or a compressor before it. */
struct sink {
    FILE *f;
    ZSTD_CCtx *z;
    char *part; /* compressed bytes on their way */
    size_t part_size;
    const char *path;
};

static int put_plain(struct sink *s, const void *data, size_t size)
{
    if (size && fwrite(data, 1, size, s->f) != size)
        return bird_fail(BIRD_EIO, "%s: %s", s->path, strerror(errno));
    return 0;
}

static int put(struct sink *s, const void *data, size_t size, int last)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;

    if (!s->z)
        return put_plain(s, data, size);
    do {
        ZSTD_outBuffer out = {s->part, s->part_size, 0};
        int rc;

        left = ZSTD_compressStream2(s->z, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return bird_fail(BIRD_EIO, "%s: zstd: %s", s->path,
                             ZSTD_getErrorName(left));
        rc = put_plain(s, s->part, out.pos);
        if (rc)
            return rc;
    } while (in.pos < in.size || (last && left));
    return 0;
}

static int open_zstd(struct sink *s, size_t total)
{
    s->z = ZSTD_createCCtx();
    s->part_size = ZSTD_CStreamOutSize();
    if (!s->z)
        return bird_fail_memory(0);
    ZSTD_CCtx_setParameter(s->z, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(s->z, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(s->z, total);
    return bird_array_new(&s->part, (int64_t)s->part_size, 1);
}

/* {"dtype": ..., "shape": ..., "data_offsets": ...} of one tensor. */
static int put_entry(json_t *header, const struct bird_tensor *t, size_t begin)
{
    json_int_t end = (json_int_t)begin + (json_int_t)t->size;
    json_t *shape = json_array(), *o;

    for (int i = 0; i < t->n_dim; i++)
        if (json_array_append_new(shape, json_integer(t->shape[i]))) {
            json_decref(shape);
            return -1;
        }
    o = json_pack("{s:s, s:o, s:[I,I]}", "dtype", dtypes[t->dtype], "shape",
                  shape, "data_offsets", (json_int_t)begin, end);
    return json_object_set_new(header, t->name, o);
}

static int check(const struct bird_tensor *t, const json_t *header,
                 const char *path)
{
    size_t want;

    if (t->n_dim < 0 || t->n_dim > BIRD_MAX_DIM)
        return bird_fail(BIRD_EINVAL, "%s: tensor '%s': %d dimensions", path,
                         t->name, t->n_dim);
    want = bird_dtype_size(t->dtype);
    for (int i = 0; i < t->n_dim; i++)
        if (t->shape[i] < 0 ||
            __builtin_mul_overflow(want, (size_t)t->shape[i], &want))
            return bird_fail(BIRD_EINVAL, "%s: tensor '%s': impossible shape",
                             path, t->name);
    if (want != t->size)
        return bird_fail(BIRD_EINVAL,
                         "%s: tensor '%s': %zu bytes given for a shape of %zu",
                         path, t->name, t->size, want);
    if (json_object_get(header, t->name) || !strcmp(t->name, "__metadata__"))
        return bird_fail(BIRD_EINVAL, "%s: tensor '%s': this name is taken",
                         path, t->name);
    return 0;
}

static int put_metadata(json_t *header, const char *const *metadata, int64_t n)
{
    json_t *o;
    int bad = 0;

    if (!n)
        return 0;
    o = json_object();
    for (int64_t i = 0; i < n && !bad; i++)
        bad = json_object_set_new(o, metadata[2 * i],
                                  json_string(metadata[2 * i + 1]));
    return json_object_set_new(header, "__metadata__", o) || bad;
}

/* Length and header as bytes; *end is the size of the data after it. */
static int make_header(struct bird_text *out, size_t *end,
                       const struct bird_tensor *t, int64_t n, json_t *header,
                       const char *path)
{
    unsigned char length[8];
    char *s = NULL;
    size_t size;
    int rc = 0;

    *end = 0;
    for (int64_t i = 0; !rc && i < n; i++) {
        rc = check(&t[i], header, path);
        if (!rc && put_entry(header, &t[i], *end))
            rc = bird_fail(BIRD_EINVAL,
                           "%s: tensor '%s': not UTF-8, or memory "
                           "is out",
                           path, t[i].name);
        *end += t[i].size;
    }
    if (rc)
        return rc;
    s = bird_json_dump(header, JSON_COMPACT);
    if (!s)
        return bird_fail_memory(0);
    size =
        (sizeof(length) + strlen(s) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT -
        sizeof(length);
    for (size_t i = 0; i < sizeof(length); i++)
        length[i] = (unsigned char)(size >> (8 * i));
    rc = bird_text_put(out, length, sizeof(length));
    if (!rc)
        rc = bird_text_put(out, s, (int64_t)strlen(s));
    while (!rc && (size_t)out->n < size + sizeof(length))
        rc = bird_text_put(out, " ", 1);
    free(s);
    return rc;
}

static int write_all(struct sink *s, const struct bird_text *header,
                     const struct bird_tensor *t, int64_t n, size_t end)
{
    size_t name = strlen(s->path);
    int rc = 0;

    if (name >= 4 && !strcmp(s->path + name - 4, ".zst"))
        rc = open_zstd(s, (size_t)header->n + end);
    if (!rc)
        rc = put(s, header->s, (size_t)header->n, !n);
    for (int64_t i = 0; !rc && i < n; i++)
        rc = put(s, t[i].data, t[i].size, i == n - 1);
    ZSTD_freeCCtx(s->z);
    free(s->part);
    return rc;
}

int bird_tensors_header(struct bird_text *out, const struct bird_tensor *t,
                        int64_t n, const char *const *metadata, int64_t n_meta,
                        const char *path)
{
    json_t *o = json_object();
    size_t end;
    int rc = 0;

    if (!o || put_metadata(o, metadata, n_meta))
        rc = bird_fail(BIRD_EINVAL, "%s: metadata: not UTF-8, or memory is out",
                       path);
    if (!rc)
        rc = make_header(out, &end, t, n, o, path);
    json_decref(o);
    return rc;
}

int bird_tensors_write(const char *path, const struct bird_tensor *t, int64_t n,
                       const char *const *metadata, int64_t n_meta)
{
    struct sink s = {.path = path};
    struct bird_text header = {0};
    struct bird_out out = {0};
    size_t end = 0;
    int rc = bird_tensors_header(&header, t, n, metadata, n_meta, path);

    for (int64_t i = 0; i < n; i++)
        end += t[i].size;
    if (!rc)
        rc = bird_out_open(&out, path);
    if (!rc) {
        s.f = out.stream;
        rc = write_all(&s, &header, t, n, end);
        if (!rc)
            rc = bird_out_commit(&out);
        else
            bird_out_abort(&out);
    }
    bird_text_free(&header);
    return rc;
}
