/*
 * Arrays of .mat files through libmatio.
 *
 * libmatio reads any block of an array, but does not report the chunks of a v7.3
 * file: HDF5 does, so that slabs end with chunks and no chunk is decompressed
 * twice. Messages of libmatio go into our message, not to standard error.
 * SPDX-License-Identifier: MIT
 */
#include "lab/mat_in.h"

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

#include "seq/input.h"

/* DEFLATE expands two bits to 258 bytes at most, a byte to 1,032; both versions of
 * the format use it. */
enum { MOST_ROWS = INT32_MAX, MOST_VALUES = 100000000, MOST_PACKED = 1032 };

enum { HEADER = 128 }; /* bytes */

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

static int fail_read(const struct bird_mat *m)
{
    return bird_fail(BIRD_EIO, "%s: %s", m->path,
                     errno ? strerror(errno) : "cannot be read");
}

/* The n bytes at `at`: 1; 0 where the file ends before; or an error. */
static int read_at(uint8_t *out, size_t n, const struct bird_mat *m, FILE *f,
                   int64_t at)
{
    errno = 0;
    if (!fseeko(f, at, SEEK_SET)) {
        if (fread(out, n, 1, f) == 1)
            return 1;
        if (!ferror(f))
            return 0;
    }
    return fail_read(m);
}

/* Both forms have MATLAB's header, which ends with version and byte order.
 * Without it libmatio takes any bytes for a file of v4, and allocates what
 * they say. The version: 1 is v5, 2 is v7.3; 0: another file. */
static int version_of(const uint8_t *head)
{
    const uint8_t *end = head + HEADER - 4;
    int is_little = end[2] == 'I' && end[3] == 'M';
    int is_big = end[2] == 'M' && end[3] == 'I';
    int low = end[is_big], high = end[!is_big];

    return (is_little || is_big) && !low && high <= 2 ? high : 0;
}

/* A v5 file is a header and elements that tell their length: libmatio does not
 * notice where the last one is cut. */
static int check_length(const struct bird_mat *m, FILE *f, const uint8_t *head)
{
    uint8_t tag[8];
    uint16_t order;
    int64_t at = HEADER;
    int swap, rc;

    memcpy(&order, head + HEADER - 2, sizeof(order));
    swap = order != ('M' << 8 | 'I'); /* as MATLAB wrote it */
    while (at < m->bytes) {
        if ((rc = read_at(tag, sizeof(tag), m, f, at)) < 0)
            return rc;
        if (!rc)
            break;
        at += (int64_t)sizeof(tag) + (int64_t)word(tag + 4, swap);
    }
    return at == m->bytes ? 0
                          : bird_fail(BIRD_EFORMAT,
                                      "%s: the file is cut short: get it "
                                      "again",
                                      m->path);
}

/* What libmatio would take as it comes. */
static int check_file(const struct bird_mat *m, FILE *f)
{
    uint8_t head[HEADER];
    int rc = read_at(head, sizeof(head), m, f, 0);

    if (rc < 0)
        return rc;
    if (!rc || !version_of(head))
        return bird_fail(BIRD_EFORMAT,
                         "%s: not a MATLAB file (.mat) of v5 or v7.3", m->path);
    return version_of(head) == 1 ? check_length(m, f, head) : 0;
}

int bird_mat_open(struct bird_mat *m, const char *path)
{
    struct bird_input in;
    struct stat st;
    FILE *f;
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
    errno = 0;
    f = fopen(path, "rbe");
    rc = f ? check_file(m, f) : fail_read(m);
    if (f)
        fclose(f);
    if (rc)
        return rc;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    Mat_LogInitFunc("dnabird", listen);
    *said = '\0';
    m->file = Mat_Open(path, MAT_ACC_RDONLY);
    return m->file ? 0 : fail_mat(m, "not a MATLAB file (.mat)");
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
        return fail_array(a,
                          "is not an array of logical, int8, uint8, single or "
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
