/*
 * Arrays of .mat files through libmatio.
 *
 * libmatio reads any block of an array, but does not tell how a v7.3 file is
 * cut into chunks: HDF5 is asked for that, so that a slab ends where chunks do
 * and none is decompressed twice. What libmatio has to say goes into our
 * sentence, not to standard error.
 * SPDX-License-Identifier: MIT
 */
#include "data/mat_in.h"

#include <stdlib.h>
#include <string.h>

#include "base/build_options.h"
#include "base/fail.h"

int64_t bird_mat_row_bytes(const struct bird_mat_array *a)
{
    return a->dim[1] * a->dim[2] * a->size;
}

/* The largest number of whole `unit`s up to `rows`; 0: not one. */
static int64_t whole(int64_t rows, int64_t unit)
{
    return rows - rows % unit;
}

int64_t bird_mat_slab_rows(const struct bird_mat_array *x,
                           const struct bird_mat_array *y, int64_t bytes)
{
    int64_t rows = bytes / (bird_mat_row_bytes(x) + bird_mat_row_bytes(y));
    int64_t a = x->chunk_rows, b = y->chunk_rows, both = a;

    if (rows >= x->dim[0])
        return x->dim[0];
    while (both % b && both <= rows)
        both += a;
    if (both <= rows)
        return whole(rows, both);
    if (a <= rows)
        return whole(rows, a);
    return rows < 1 ? 1 : rows;
}

#ifdef HAVE_MATIO

#include <errno.h>
#include <hdf5.h>
#include <matio.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/guard.h"
#include "seq/input.h"

/* DEFLATE makes 258 bytes of two bits at best, 1,032 of a byte: both forms of
 * the file compress with it, if at all. */
enum { MOST_ROWS = INT32_MAX, MOST_VALUES = 100000000, MOST_PACKED = 1032 };

/* The last thing that libmatio said. */
static _Thread_local char said[200];

static void listen(int level, char *message)
{
    (void)level;
    snprintf(said, sizeof(said), "%s", message ? message : "");
    said[strcspn(said, "\r\n")] = '\0';
}

static int fail_mat(const struct bird_mat *m, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: %s%s%s", m->path, what,
                     *said ? ": libmatio says " : "", said);
}

static uint32_t word(const uint8_t *p, int swap)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return swap ? __builtin_bswap32(v) : v;
}

/* Both forms have MATLAB's header, which ends with version and byte order.
 * Without it libmatio takes any bytes for a file of v4, and allocates what
 * they say. */
static int check_header(const struct bird_mat *m)
{
    FILE *f = fopen(m->path, "rb");
    uint8_t head[128];
    int good = f && fread(head, sizeof(head), 1, f) == 1;
    const uint8_t *end = head + 124;

    if (f)
        fclose(f);
    good = good && ((end[2] == 'I' && end[3] == 'M' && !end[0] &&
                     (end[1] == 1 || end[1] == 2)) ||
                    (end[2] == 'M' && end[3] == 'I' && !end[1] &&
                     (end[0] == 1 || end[0] == 2)));
    return good ? 0
                : bird_fail(BIRD_EFORMAT,
                            "%s: not a MATLAB file (.mat) of v5 or v7.3",
                            m->path);
}

/* A v5 file is a header and elements that tell their length: libmatio does not
 * notice where the last one is cut. */
static int check_length(const struct bird_mat *m)
{
    FILE *f = fopen(m->path, "rb");
    uint8_t head[128];
    uint16_t order;
    int64_t at = sizeof(head), end = -1;
    int swap = 0, good = f && fread(head, sizeof(head), 1, f) == 1;

    if (good) {
        memcpy(&order, head + 126, sizeof(order));
        swap = order != ('M' << 8 | 'I'); /* as MATLAB wrote it */
        good = !fseeko(f, 0, SEEK_END) && (end = ftello(f)) >= at;
    }
    while (good && at < end) {
        good = !fseeko(f, at, SEEK_SET) && fread(head, 8, 1, f) == 1;
        at += 8 + (int64_t)word(head + 4, swap);
    }
    if (f)
        fclose(f);
    return good && at == end ? 0
                             : bird_fail(BIRD_EFORMAT,
                                         "%s: the file is cut short: get it "
                                         "again",
                                         m->path);
}

int bird_mat_open(struct bird_mat *m, const char *path)
{
    struct bird_input in;
    struct stat st;
    int rc = bird_input_open(&in, path); /* missing, a folder, an output */

    if (rc)
        return rc;
    bird_input_close(&in);
    m->path = strdup(path);
    if (!m->path)
        return bird_fail_memory(strlen(path));
    if (stat(path, &st)) /* a pipe has 0 bytes: libmatio wants to seek */
        return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    m->bytes = st.st_size;
    if ((rc = check_header(m)))
        return rc;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    Mat_LogInitFunc("dnabird", listen);
    *said = '\0';
    m->file = Mat_Open(path, MAT_ACC_RDONLY);
    if (!m->file)
        return fail_mat(m, "not a MATLAB file (.mat)");
    return Mat_GetVersion(m->file) == MAT_FT_MAT5 ? check_length(m) : 0;
}

void bird_mat_close(struct bird_mat *m)
{
    if (m->file)
        Mat_Close(m->file);
    free(m->path);
    *m = (struct bird_mat){0};
}

void bird_mat_array_close(struct bird_mat_array *a)
{
    if (a->variable)
        Mat_VarFree(a->variable);
    *a = (struct bird_mat_array){0};
}

/* Rows in a chunk: HDF5 counts dimensions the other way round. */
static int64_t chunk_rows(const struct bird_mat_array *a)
{
    hid_t file = -1, set = -1, how = -1;
    hsize_t dim[3];
    int64_t rows = 1;

    if (H5Fis_hdf5(a->mat->path) <= 0)
        return 1;
    file = H5Fopen(a->mat->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0)
        set = H5Dopen2(file, a->name, H5P_DEFAULT);
    if (set >= 0)
        how = H5Dget_create_plist(set);
    if (how >= 0 && H5Pget_layout(how) == H5D_CHUNKED &&
        H5Pget_chunk(how, 3, dim) == a->rank &&
        dim[a->rank - 1] <= (hsize_t)a->dim[0])
        rows = (int64_t)dim[a->rank - 1];
    if (how >= 0)
        H5Pclose(how);
    if (set >= 0)
        H5Dclose(set);
    if (file >= 0)
        H5Fclose(file);
    return rows;
}

static int64_t size_of(const matvar_t *v)
{
    switch (v->class_type) {
    case MAT_C_UINT8:
    case MAT_C_INT8:
        return 1;
    case MAT_C_SINGLE:
        return sizeof(float);
    case MAT_C_DOUBLE:
        return sizeof(double);
    default:
        return 0;
    }
}

static int fail_array(const struct bird_mat_array *a, const char *why)
{
    return bird_fail(BIRD_EFORMAT, "%s: '%s' %s", a->mat->path, a->name, why);
}

/* Values that the file can hold of an array, a byte each at least. A few bytes
 * that claim 2^31 samples would be read for minutes: HDF5 makes up what was
 * never written. */
static int64_t most_values(const struct bird_mat *m, const matvar_t *v)
{
    int plain = Mat_GetVersion(m->file) == MAT_FT_MAT5 &&
                v->compression == MAT_COMPRESSION_NONE;

    return plain ? m->bytes : m->bytes * MOST_PACKED;
}

int bird_mat_array_open(struct bird_mat_array *a, const struct bird_mat *m,
                        const char *name)
{
    matvar_t *v;

    *said = '\0';
    v = Mat_VarReadInfo(m->file, name);
    if (!v)
        return 0;
    *a = (struct bird_mat_array){.mat = m,
                                 .name = name,
                                 .variable = v,
                                 .rank = v->rank,
                                 .dim = {1, 1, 1},
                                 .size = size_of(v)};
    if (v->rank < 2 || v->rank > 3 || !v->dims)
        return fail_array(a, "has not 2 or 3 dimensions");
    for (int i = 0; i < v->rank; i++) {
        if (v->dims[i] < 1 || v->dims[i] > (i ? MOST_VALUES : MOST_ROWS))
            return fail_array(a, "has no rows, or too many");
        a->dim[i] = (int64_t)v->dims[i];
    }
    if (a->dim[1] > MOST_VALUES / a->dim[2])
        return fail_array(a, "has too many values a row");
    if (a->dim[0] > most_values(m, v) / (a->dim[1] * a->dim[2]))
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%s' claims %lld x %lld x %lld values, more than "
                         "a file of %lld bytes can hold: a damaged file?",
                         m->path, name, (long long)a->dim[0],
                         (long long)a->dim[1], (long long)a->dim[2],
                         (long long)m->bytes);
    if (!a->size || v->isComplex)
        return fail_array(a, "is no array of logical, int8, uint8, single or "
                             "double");
    a->chunk_rows = chunk_rows(a);
    return 1;
}

/* Values of the file's type to bytes, in place. */
#define NARROW(type, slab, n)                                                  \
    for (int64_t i_ = 0; i_ < (n); i_++) {                                     \
        type v_;                                                               \
        memcpy(&v_, (slab) + i_ * (int64_t)sizeof(v_), sizeof(v_));            \
        (slab)[i_] = v_ == 0 ? 0 : v_ == 1 ? 1 : BIRD_MAT_OTHER;               \
    }

int bird_mat_read(uint8_t *slab, const struct bird_mat_array *a, int64_t first,
                  int64_t n)
{
    const matvar_t *v = a->variable;
    int start[3] = {(int)first, 0, 0}, step[3] = {1, 1, 1};
    int edge[3] = {(int)n, (int)a->dim[1], (int)a->dim[2]};
    int64_t n_value = n * a->dim[1] * a->dim[2];

    *said = '\0';
    memset(slab, 0xff, (size_t)(n_value * a->size)); /* no value that counts */
    if (Mat_VarReadData(a->mat->file, a->variable, slab, start, step, edge) ||
        *said)
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%s': samples %lld to %lld cannot be read: a "
                         "damaged file?%s%s",
                         a->mat->path, a->name, (long long)first + 1,
                         (long long)(first + n), *said ? " libmatio says " : "",
                         said);
    if (v->class_type == MAT_C_DOUBLE) {
        NARROW(double, slab, n_value)
    } else if (v->class_type == MAT_C_SINGLE) {
        NARROW(float, slab, n_value)
    } else {
        NARROW(uint8_t, slab, n_value)
    }
    return 0;
}

#else

int bird_mat_open(struct bird_mat *m, const char *path)
{
    (void)m;
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: this build has no libmatio, which reads .mat files: "
                     "install it (Debian: libmatio-dev) and build with "
                     "-Ddeepsea=enabled",
                     path);
}

void bird_mat_close(struct bird_mat *m)
{
    (void)m;
}

int bird_mat_array_open(struct bird_mat_array *a, const struct bird_mat *m,
                        const char *name)
{
    (void)a;
    return bird_mat_open((struct bird_mat *)(uintptr_t)m, name);
}

void bird_mat_array_close(struct bird_mat_array *a)
{
    (void)a;
}

int bird_mat_read(uint8_t *slab, const struct bird_mat_array *a, int64_t first,
                  int64_t n)
{
    (void)slab;
    (void)first;
    (void)n;
    return bird_mat_open(NULL, a->name);
}

#endif
