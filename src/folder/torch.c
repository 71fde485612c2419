/* PyTorch's checkpoints (pytorch_model.bin): the archive that torch.save()
 * writes since 1.6, and the older row of pickles and raw storages.
 *
 * Old form: pickles of a magic number, the protocol 1001, facts on the
 * machine, the dictionary, and a list of storage keys; then for each key the
 * number of elements (8 bytes) and the elements.
 * Archive: FOLDER/data.pkl is the dictionary, FOLDER/data/KEY a storage.
 * Source: pytorch/pytorch torch/serialization.py at 1.13.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/fail.h"
#include "base/mem.h"
#include "folder/pickle.h"
#include "folder/tensors.h"

struct bird_zip {
    zip_t *z;
};

static int archive_open(struct bird_zip **out, const void *data, size_t size,
                        const char *path)
{
    struct bird_zip *b = NULL;
    zip_source_t *source;
    zip_error_t e;
    int rc = bird_array_new(&b, 1, sizeof(*b));

    if (rc)
        return rc;
    zip_error_init(&e);
    source = zip_source_buffer_create(data, size, 0, &e);
    if (source)
        b->z = zip_open_from_source(source, ZIP_RDONLY, &e);
    if (b->z) {
        *out = b;
    } else {
        if (source)
            zip_source_free(source);
        free(b);
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: its archive cannot be read, it may be cut short: "
                       "%s",
                       path, zip_error_strerror(&e));
    }
    zip_error_fini(&e);
    return rc;
}

void bird_zip_close(struct bird_zip *z)
{
    if (!z)
        return;
    zip_discard(z->z);
    free(z);
}

static int64_t archive_find(const struct bird_zip *z, const char *name,
                            uint64_t *size)
{
    zip_int64_t i = zip_name_locate(z->z, name, 0);
    zip_stat_t st;

    if (i < 0 || zip_stat_index(z->z, (zip_uint64_t)i, 0, &st) ||
        !(st.valid & ZIP_STAT_SIZE))
        return -1;
    *size = st.size;
    return i;
}

static int archive_root(const struct bird_zip *z, char **folder,
                        const char *path)
{
    static const char file[] = "data.pkl";
    zip_int64_t n = zip_get_num_entries(z->z, 0);
    char *found = NULL;
    int rc = 0;

    for (zip_int64_t i = 0; !rc && i < n; i++) {
        const char *name = zip_get_name(z->z, (zip_uint64_t)i, 0);
        const char *slash = name ? strchr(name, '/') : NULL;

        if (!slash || strcmp(slash + 1, file) != 0)
            continue;
        if (found)
            rc =
                bird_fail(BIRD_EFORMAT,
                          "%s: its archive holds more than one data.pkl", path);
        else if (!(found = strndup(name, (size_t)(slash + 1 - name))))
            rc = bird_fail_memory(0);
    }
    if (!rc && !found)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: an archive, but no checkpoint of PyTorch: it has "
                       "no data.pkl",
                       path);
    if (rc)
        free(found);
    else
        *folder = found;
    return rc;
}

static int fail_entry(zip_file_t *f, const char *path)
{
    const char *why = zip_file_strerror(f);

    return bird_fail(BIRD_EFORMAT, "%s: an entry of its archive: %s", path,
                     *why ? why : "cut short");
}

/* Only a stored entry can be entered in the middle. */
static int skip(const struct bird_zip *z, zip_file_t *f, int64_t entry,
                size_t n)
{
    char part[4096];
    zip_stat_t st;

    if (n && !zip_stat_index(z->z, (zip_uint64_t)entry, 0, &st) &&
        (st.valid & ZIP_STAT_COMP_METHOD) && st.comp_method == ZIP_CM_STORE)
        return zip_fseek(f, (zip_int64_t)n, SEEK_SET);
    while (n) {
        zip_int64_t got =
            zip_fread(f, part, n < sizeof(part) ? n : sizeof(part));

        if (got <= 0)
            return -1;
        n -= (size_t)got;
    }
    return 0;
}

int bird_zip_read(const struct bird_zip *z, void *out, int64_t entry, size_t at,
                  size_t size, const char *path)
{
    zip_file_t *f = zip_fopen_index(z->z, (zip_uint64_t)entry, 0);
    zip_int64_t got = 1;
    char more;
    int rc = 0;

    if (!f)
        return bird_fail(BIRD_EFORMAT, "%s: an entry of its archive: %s", path,
                         zip_strerror(z->z));
    if (skip(z, f, entry, at))
        rc = fail_entry(f, path);
    for (size_t done = 0; !rc && done < size; done += (size_t)got) {
        got = zip_fread(f, (char *)out + done, size - done);
        if (got <= 0)
            rc = fail_entry(f, path);
    }
    /* the checksum is compared where the entry ends */
    if (!rc && !at && zip_fread(f, &more, 1) < 0)
        rc = fail_entry(f, path);
    zip_fclose(f);
    return rc;
}

/* A storage of the old form: where its elements begin. */
struct storage {
    const struct bird_pickle_value *key; /* a text */
    const char *data;
    int64_t n, element; /* elements; bytes of one, -1: not known yet */
};

struct reader {
    bird_tensors *t;
    struct bird_part *part;
    struct bird_pickle p;
    const char *path;
    const struct bird_pickle_value *name; /* of the tensor at hand */
    struct bird_zip *zip;                 /* NULL: the old form */
    char *folder;
    struct storage *storage; /* (n) of the old form */
    int64_t n;
};

/* The number that the old form begins with, little-endian. */
static const unsigned char magic_number[] = {0x6c, 0xfc, 0x9c, 0x46, 0xf9,
                                             0x20, 0x6a, 0xa8, 0x50, 0x19};
enum { OLD_PROTOCOL = 1001 };

typedef const struct bird_pickle_value value;

static int is_zip(const unsigned char *s, size_t size)
{
    return size >= 4 && s[0] == 'P' && s[1] == 'K' && s[2] == 3 && s[3] == 4;
}

int bird_torch_is(const void *data, size_t size)
{
    const unsigned char *s = data;

    /* a pickle's first opcode gives its protocol */
    return is_zip(s, size) ||
           (size >= 3 && s[0] == 0x80 && s[1] >= 2 && s[1] <= 5);
}

static int fail_tensor(const struct reader *r, int code, const char *what)
{
    return bird_fail(code, "%s: tensor '%.*s': %s", r->path,
                     (int)(r->name->n < 100 ? r->name->n : 100), r->name->text,
                     what);
}

static value *item(const struct reader *r, value *v, int64_t i)
{
    return bird_pickle_item(&r->p, v, i);
}

static int is_kind(value *v, enum bird_pickle_kind kind)
{
    return v && v->kind == kind;
}

static int dtype_of(enum bird_dtype *out, value *type)
{
    if (!is_kind(type, BIRD_PICKLE_GLOBAL))
        return 0;
    switch (type->number) {
    case BIRD_PICKLE_FLOAT_STORAGE:
        *out = BIRD_F32;
        return 1;
    case BIRD_PICKLE_HALF_STORAGE:
        *out = BIRD_F16;
        return 1;
    case BIRD_PICKLE_BFLOAT16_STORAGE:
        *out = BIRD_BF16;
        return 1;
    case BIRD_PICKLE_LONG_STORAGE:
        *out = BIRD_I64;
        return 1;
    default:
        return 0;
    }
}

/* ('storage', type, key, device, elements), in the old form with a view's
 * origin behind it, which must be None. */
static int read_id(const struct reader *r, value *id, enum bird_dtype *type,
                   value **key, int64_t *n)
{
    value *tuple = item(r, id, 0), *count = item(r, tuple, 4);
    int64_t n_item = tuple ? tuple->n : 0;

    if (!is_kind(id, BIRD_PICKLE_PERSISTENT) ||
        !is_kind(tuple, BIRD_PICKLE_TUPLE) || n_item != (r->zip ? 5 : 6) ||
        !bird_pickle_is(item(r, tuple, 0), "storage") ||
        !dtype_of(type, item(r, tuple, 1)) ||
        !is_kind(*key = item(r, tuple, 2), BIRD_PICKLE_TEXT) ||
        !is_kind(count, BIRD_PICKLE_INT) || count->number < 0 ||
        count->number > INT64_MAX / 16)
        return fail_tensor(r, BIRD_EFORMAT, "its storage is malformed");
    if (!r->zip && !is_kind(item(r, tuple, 5), BIRD_PICKLE_NONE))
        return fail_tensor(r, BIRD_EUNSUPPORTED,
                           "a storage that is a view of another is not "
                           "supported: save it anew");
    *n = count->number;
    return 0;
}

/* Sizes, and that the elements lie in a row. */
static int read_shape(const struct reader *r, struct bird_tensor *x,
                      value *size, value *stride)
{
    int64_t n = 1, step = 1;

    if (!is_kind(size, BIRD_PICKLE_TUPLE) ||
        !is_kind(stride, BIRD_PICKLE_TUPLE) || size->n != stride->n ||
        size->n > BIRD_MAX_DIM)
        return fail_tensor(r, BIRD_EFORMAT, "its size is malformed");
    x->n_dim = (int)size->n;
    for (int i = x->n_dim - 1; i >= 0; i--) {
        value *k = item(r, size, i), *s = item(r, stride, i);

        if (!is_kind(k, BIRD_PICKLE_INT) || !is_kind(s, BIRD_PICKLE_INT) ||
            k->number < 0 || __builtin_mul_overflow(n, k->number, &n) ||
            n > INT64_MAX / 16)
            return fail_tensor(r, BIRD_EFORMAT, "its size is malformed");
        x->shape[i] = k->number;
    }
    for (int i = x->n_dim - 1; n && i >= 0; i--) {
        if (x->shape[i] != 1 && item(r, stride, i)->number != step)
            return fail_tensor(r, BIRD_EUNSUPPORTED,
                               "its elements do not lie in a row (a "
                               "transposed or expanded view): save it after "
                               ".contiguous()");
        step *= x->shape[i];
    }
    x->size = (size_t)n * bird_dtype_size(x->dtype);
    return 0;
}

/* The archive's entry data/KEY must be as large as the elements it has. */
static int find_entry(const struct reader *r, const struct bird_tensor *x,
                      value *key, int64_t n)
{
    uint64_t size = 0;
    char *name = NULL;
    int64_t entry;

    if (asprintf(&name, "%sdata/%.*s", r->folder, (int)key->n, key->text) < 0)
        return bird_fail_memory((size_t)key->n);
    entry = archive_find(r->zip, name, &size);
    free(name);
    if (entry < 0)
        return fail_tensor(r, BIRD_EFORMAT,
                           "its storage is not in the "
                           "archive");
    if (size != (uint64_t)n * bird_dtype_size(x->dtype))
        return fail_tensor(r, BIRD_EFORMAT, "its storage is of another size");
    r->t->place[r->t->n - 1].entry = entry;
    return 0;
}

static int same_text(value *a, value *b)
{
    return a->n == b->n && !memcmp(a->text, b->text, (size_t)a->n);
}

/* In the old form the storages are located after all tensors are known. */
static int find_storage(struct reader *r, const struct bird_tensor *x,
                        value *key, int64_t n)
{
    int64_t i = 0, size = (int64_t)bird_dtype_size(x->dtype);

    while (i < r->n && !same_text(r->storage[i].key, key))
        i++;
    if (i == r->n)
        return fail_tensor(r, BIRD_EFORMAT, "its storage is not in the file");
    if (r->storage[i].element < 0) {
        r->storage[i].n = n;
        r->storage[i].element = size;
    }
    if (r->storage[i].n != n || r->storage[i].element != size)
        return fail_tensor(r, BIRD_EFORMAT, "its storage is of another size");
    r->t->place[r->t->n - 1].entry = i;
    return 0;
}

/* _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[,
 * metadata]). */
static int read_tensor(struct reader *r, struct bird_tensor *x, value *args)
{
    value *offset = item(r, args, 1), *key = NULL, *more = item(r, args, 6);
    int64_t n = 0, end;
    int rc;

    if (!is_kind(args, BIRD_PICKLE_TUPLE) || args->n < 6 || args->n > 7 ||
        !is_kind(offset, BIRD_PICKLE_INT) || offset->number < 0)
        return fail_tensor(r, BIRD_EFORMAT, "it is malformed");
    if (more && more->kind != BIRD_PICKLE_NONE)
        return fail_tensor(r, BIRD_EUNSUPPORTED,
                           "tensors with metadata are not supported");
    if ((rc = read_id(r, item(r, args, 0), &x->dtype, &key, &n)) ||
        (rc = read_shape(r, x, item(r, args, 2), item(r, args, 3))))
        return rc;
    if (__builtin_add_overflow(offset->number, bird_tensor_count(x), &end) ||
        end > n)
        return fail_tensor(r, BIRD_EFORMAT, "it lies outside its storage");
    r->t->place[r->t->n - 1].at =
        (size_t)offset->number * bird_dtype_size(x->dtype);
    return r->zip ? find_entry(r, x, key, n) : find_storage(r, x, key, n);
}

/* An entry of the dictionary: a tensor, or a parameter around one. */
static int read_entry(struct reader *r, value *name, value *v)
{
    struct bird_tensor *x;
    int rc;

    if (!is_kind(name, BIRD_PICKLE_TEXT))
        return bird_fail(BIRD_EFORMAT,
                         "%s: %s is a key of the dictionary: not one of "
                         "tensors",
                         r->path, bird_pickle_kind_name(name));
    r->name = name;
    if (is_kind(v, BIRD_PICKLE_CALL) &&
        v->number == BIRD_PICKLE_REBUILD_PARAMETER)
        v = item(r, item(r, v, 0), 0);
    if (!is_kind(v, BIRD_PICKLE_CALL) ||
        v->number != BIRD_PICKLE_REBUILD_TENSOR)
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%.*s' is %s, not a tensor: a checkpoint's file "
                         "is a dictionary of tensors alone",
                         r->path, (int)(name->n < 100 ? name->n : 100),
                         name->text, bird_pickle_kind_name(v));
    if ((rc = bird_tensors_add(r->t, &x)) ||
        (rc = bird_part_name(r->part, &x->name, name->text, (size_t)name->n)))
        return rc;
    return read_tensor(r, x, item(r, v, 0));
}

static int read_dictionary(struct reader *r)
{
    value *root = &r->p.value[r->p.root];
    int rc = 0;

    if (root->kind != BIRD_PICKLE_DICT)
        return bird_fail(BIRD_EFORMAT,
                         "%s: holds %s, not a dictionary of tensors", r->path,
                         bird_pickle_kind_name(root));
    for (int64_t i = 0; !rc && i + 1 < root->n; i += 2)
        rc = read_entry(r, item(r, root, i), item(r, root, i + 1));
    return rc;
}

/* "little" or absent. */
static int check_order(const struct reader *r)
{
    char word[8] = "", *name = NULL;
    uint64_t size = 0;
    int64_t entry;
    int rc = 0;

    if (asprintf(&name, "%sbyteorder", r->folder) < 0)
        return bird_fail_memory(0);
    entry = archive_find(r->zip, name, &size);
    free(name);
    if (entry < 0)
        return 0;
    if (size < sizeof(word))
        rc = bird_zip_read(r->zip, word, entry, 0, (size_t)size, r->path);
    if (!rc && strcmp(word, "little") != 0)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: written on a big-endian machine: not supported",
                       r->path);
    return rc;
}

static int read_zip(struct reader *r, const char *data, size_t size)
{
    char *name = NULL, *bytes = NULL;
    uint64_t n = 0;
    int64_t entry;
    size_t used;
    int rc = archive_open(&r->part->zip, data, size, r->path);

    r->zip = r->part->zip;
    if (rc || (rc = archive_root(r->zip, &r->folder, r->path)) ||
        (rc = check_order(r)))
        return rc;
    if (asprintf(&name, "%sdata.pkl", r->folder) < 0)
        return bird_fail_memory(0);
    entry = archive_find(r->zip, name, &n);
    free(name);
    if (entry < 0 || n > BIRD_PICKLE_MAX)
        return bird_fail(BIRD_EFORMAT,
                         "%s: its data.pkl is too large for the names of "
                         "tensors",
                         r->path);
    rc = bird_array_new(&bytes, (int64_t)n, 1);
    if (!rc)
        rc = bird_zip_read(r->zip, bytes, entry, 0, (size_t)n, r->path);
    if (!rc)
        rc = bird_pickle_read(&r->p, &used, bytes, (size_t)n, r->path);
    if (!rc)
        rc = read_dictionary(r);
    free(bytes);
    return rc;
}

/* The facts on the machine that wrote the old form: little-endian? */
static int check_machine(const struct bird_pickle *p, const char *path)
{
    value *root = &p->value[p->root];

    for (int64_t i = 0; root->kind == BIRD_PICKLE_DICT && i + 1 < root->n;
         i += 2)
        if (bird_pickle_is(bird_pickle_item(p, root, i), "little_endian") &&
            bird_pickle_item(p, root, i + 1)->number == 1)
            return 0;
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: not written on a little-endian machine: not "
                     "supported",
                     path);
}

/* The next of the pickles that follow each other; free it. */
static int next_pickle(const struct reader *r, struct bird_pickle *out,
                       const char **at, const char *end)
{
    size_t used = 0;
    int rc = bird_pickle_read(out, &used, *at, (size_t)(end - *at), r->path);

    *at += used;
    return rc;
}

/* Magic number, protocol and machine, in front of the dictionary. */
static int read_preface(struct reader *r, const char **at, const char *end)
{
    struct bird_pickle p = {0};
    value *v;
    int rc = next_pickle(r, &p, at, end);

    v = rc ? NULL : &p.value[p.root];
    if (!rc && (v->kind != BIRD_PICKLE_BIG || v->n != sizeof(magic_number) ||
                memcmp(v->text, magic_number, sizeof(magic_number)) != 0))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: a pickle, but no checkpoint of "
                       "PyTorch",
                       r->path);
    bird_pickle_free(&p);
    if (rc || (rc = next_pickle(r, &p, at, end)))
        return rc;
    v = &p.value[p.root];
    if (v->kind != BIRD_PICKLE_INT || v->number != OLD_PROTOCOL)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: a checkpoint of an unknown protocol", r->path);
    bird_pickle_free(&p);
    if (rc || (rc = next_pickle(r, &p, at, end)))
        return rc;
    rc = check_machine(&p, r->path);
    bird_pickle_free(&p);
    return rc;
}

static int read_keys(struct reader *r, const struct bird_pickle *keys)
{
    value *list = &keys->value[keys->root];
    int rc;

    if (list->kind != BIRD_PICKLE_LIST)
        return bird_fail(BIRD_EFORMAT, "%s: without the list of its storages",
                         r->path);
    rc = bird_array_new(&r->storage, list->n, sizeof(*r->storage));
    for (int64_t i = 0; !rc && i < list->n; i++) {
        r->storage[i] = (struct storage){.key = bird_pickle_item(keys, list, i),
                                         .element = -1};
        if (!is_kind(r->storage[i].key, BIRD_PICKLE_TEXT))
            rc = bird_fail(BIRD_EFORMAT, "%s: a storage without a name",
                           r->path);
    }
    r->n = rc ? 0 : list->n;
    return rc;
}

/* The storages follow the pickles in the order of their keys. */
static int locate_storages(struct reader *r, const char *at, const char *end)
{
    for (int64_t i = 0; i < r->n; i++) {
        struct storage *s = &r->storage[i];
        uint64_t n = 0;

        if (s->element < 0)
            return bird_fail(BIRD_EFORMAT, "%s: a storage of no tensor",
                             r->path);
        if (end - at < 8)
            return bird_fail(BIRD_EFORMAT, "%s: cut short", r->path);
        for (int k = 0; k < 8; k++)
            n |= (uint64_t)(unsigned char)at[k] << (8 * k);
        at += 8;
        if (n != (uint64_t)s->n)
            return bird_fail(BIRD_EFORMAT,
                             "%s: storage %lld is of another size than its "
                             "tensor says",
                             r->path, (long long)i + 1);
        if (s->n > (end - at) / s->element)
            return bird_fail(BIRD_EFORMAT, "%s: cut short", r->path);
        s->data = at;
        at += s->n * s->element;
    }
    return 0;
}

static int read_old(struct reader *r, const char *data, size_t size)
{
    const char *at = data, *end = data + size;
    struct bird_pickle keys = {0};
    int64_t first = r->t->n;
    int rc = read_preface(r, &at, end);

    if (!rc)
        rc = next_pickle(r, &r->p, &at, end);
    if (!rc)
        rc = next_pickle(r, &keys, &at, end);
    if (!rc)
        rc = read_keys(r, &keys);
    if (!rc)
        rc = read_dictionary(r);
    if (!rc)
        rc = locate_storages(r, at, end);
    for (int64_t i = first; !rc && i < r->t->n; i++) {
        const struct bird_tensor_location *p = &r->t->place[i];

        r->t->tensor[i].data = r->storage[p->entry].data + p->at;
    }
    bird_pickle_free(&keys);
    return rc;
}

int bird_torch_read(bird_tensors *t, struct bird_part *p, const char *data,
                    size_t size, const char *path)
{
    struct reader r = {.t = t, .part = p, .path = path};
    int rc = is_zip((const unsigned char *)data, size)
                 ? read_zip(&r, data, size)
                 : read_old(&r, data, size);

    bird_pickle_free(&r.p);
    free(r.storage);
    free(r.folder);
    return rc;
}
