/* Tensors to a file whose header holds their sizes, or rows of text. The header
 * is written first, and each part of a tensor to its own offset, so that no
 * tensor has to fit into memory. SPDX-License-Identifier: MIT */
#include "session/embed_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/fail.h"
#include "base/mem.h"

enum bird_embed_form bird_embed_form(const char *path)
{
    static const char *const end[] = {[BIRD_EMBED_SAFETENSORS] = ".safetensors",
                                      [BIRD_EMBED_NPY] = ".npy",
                                      [BIRD_EMBED_TSV] = ".tsv"};
    size_t n = strlen(path);

    for (int i = BIRD_EMBED_SAFETENSORS; i <= BIRD_EMBED_TSV; i++) {
        size_t m = strlen(end[i]);

        if (n > m && !strcmp(path + n - m, end[i]))
            return (enum bird_embed_form)i;
    }
    return BIRD_EMBED_FORM_NONE;
}

int bird_slots_add(struct bird_slots *s, const char *name, enum bird_dtype type,
                   int64_t rows, int64_t columns)
{
    struct bird_slot *slot;
    size_t size = type == BIRD_I64 ? 8 : 4;
    int rc = bird_array_grow(&s->slot, &s->cap, s->n + 1, sizeof(*s->slot));

    if (rc)
        return rc;
    slot = &s->slot[s->n];
    memset(slot, 0, sizeof(*slot));
    if (__builtin_mul_overflow(size, (size_t)rows, &size) ||
        (columns && __builtin_mul_overflow(size, (size_t)columns, &size)) ||
        size > INT64_MAX / 64)
        return bird_fail(BIRD_ERANGE,
                         "%s: too large: embed fewer sequences at a time",
                         name);
    strncpy(slot->name, name, sizeof(slot->name) - 1);
    slot->tensor = (struct bird_tensor){.dtype = type,
                                        .n_dim = columns ? 2 : 1,
                                        .shape = {rows, columns},
                                        .size = size};
    s->n++;
    return 0;
}

/* NumPy's format 1.0: magic, version, length of a Python dictionary in text,
 * and blanks so that the data begins at a multiple of 64. */
static int npy_header(struct bird_text *out, const struct bird_tensor *t)
{
    static const char magic[] = "\x93NUMPY\x01\x00";
    struct bird_text d = {0};
    unsigned char length[2];
    size_t size;
    int rc = bird_text_printf(
        &d, "{'descr': '<%s', 'fortran_order': False, 'shape': (%lld,",
        t->dtype == BIRD_I64 ? "i8" : "f4", (long long)t->shape[0]);

    if (!rc && t->n_dim > 1)
        rc = bird_text_printf(&d, " %lld", (long long)t->shape[1]);
    if (!rc)
        rc = bird_text_printf(&d, "), }");
    size = (10 + (size_t)d.n + 1 + 63) / 64 * 64 - 10;
    while (!rc && (size_t)d.n < size)
        rc = bird_text_put(&d, (size_t)d.n + 1 < size ? " " : "\n", 1);
    length[0] = (unsigned char)size;
    length[1] = (unsigned char)(size >> 8);
    if (!rc && !(rc = bird_text_put(out, magic, 8)) &&
        !(rc = bird_text_put(out, length, 2)))
        rc = bird_text_put(out, d.s, d.n);
    bird_text_free(&d);
    return rc;
}

/* The header line with the names of the columns. */
static int tsv_header(struct bird_text *out, const struct bird_slot *x)
{
    int rc = bird_text_printf(out, "name");

    for (int64_t i = 0; !rc && i < x->tensor.shape[1]; i++)
        rc = bird_text_printf(out, "\t%s.%lld", x->name, (long long)i);
    return rc ? rc : bird_text_put(out, "\n", 1);
}

static int header(struct bird_text *out, struct bird_slots *s,
                  const char *const *metadata, int64_t n_meta)
{
    struct bird_tensor *t = NULL;
    int rc;

    if (s->form == BIRD_EMBED_NPY)
        return npy_header(out, &s->slot[0].tensor);
    if (s->form == BIRD_EMBED_TSV)
        return tsv_header(out, &s->slot[0]);
    rc = bird_array_new(&t, s->n, sizeof(*t));
    for (int64_t i = 0; !rc && i < s->n; i++) {
        t[i] = s->slot[i].tensor;
        t[i].name = s->slot[i].name;
    }
    if (!rc)
        rc = bird_tensors_header(out, t, s->n, metadata, n_meta, s->path);
    free(t);
    return rc;
}

static int write_at(struct bird_slots *s, int64_t at, const void *data,
                    size_t size)
{
    /* a pipe cannot seek; one tensor needs no seek */
    if (at != s->at && fseeko(s->out.stream, (off_t)at, SEEK_SET))
        return bird_fail(BIRD_EIO,
                         "%s: %s: several tensors need a file to write to",
                         s->path, strerror(errno));
    if (size && fwrite(data, 1, size, s->out.stream) != size)
        return bird_fail(BIRD_EIO, "%s: %s", s->path, strerror(errno));
    s->at = at + (int64_t)size;
    return 0;
}

int bird_slots_open(struct bird_slots *s, const char *path, const char *names,
                    const char *const *metadata, int64_t n_meta)
{
    struct bird_text h = {0};
    int rc;

    s->path = path;
    s->form = bird_embed_form(path);
    s->name = names;
    s->at = 0;
    rc = header(&h, s, metadata, n_meta);
    s->end = h.n;
    for (int64_t i = 0; i < s->n; i++) {
        s->slot[i].begin = s->end;
        s->end += (int64_t)s->slot[i].tensor.size;
    }
    if (!rc)
        rc = bird_out_open(&s->out, path);
    if (!rc)
        rc = write_at(s, 0, h.s, (size_t)h.n);
    bird_text_free(&h);
    return rc;
}

/* Write the next rows, each after its name. Nine digits identify a float32. */
static int put_rows(struct bird_slots *s, const float *x, int64_t rows,
                    int64_t columns)
{
    int rc = 0;

    bird_text_clear(&s->text);
    for (int64_t i = 0; !rc && i < rows; i++) {
        rc = bird_text_printf(&s->text, "%s", s->name);
        s->name += strlen(s->name) + 1;
        for (int64_t k = 0; !rc && k < columns; k++)
            rc = bird_text_printf(&s->text, "\t%.9g", (double)*x++);
        if (!rc)
            rc = bird_text_put(&s->text, "\n", 1);
    }
    if (!rc)
        rc = write_at(s, s->at, s->text.s, (size_t)s->text.n);
    s->end = s->at;
    return rc;
}

int bird_slots_put(struct bird_slots *s, int64_t i, int64_t at,
                   const void *data, size_t size)
{
    int64_t columns = s->slot[i].tensor.shape[1];

    if (s->form == BIRD_EMBED_TSV)
        return put_rows(s, data, (int64_t)(size / sizeof(float)) / columns,
                        columns);
    return write_at(s, s->slot[i].begin + at, data, size);
}

int bird_slots_commit(struct bird_slots *s)
{
    return bird_out_commit(&s->out);
}

void bird_slots_free(struct bird_slots *s)
{
    bird_out_abort(&s->out);
    bird_text_free(&s->text);
    free(s->slot);
    *s = (struct bird_slots){0};
}
