/**
 * Small files in the layout of DeepSEA's training bundle, written through
 * libmatio.
 *
 * The second half of the samples are the reverse complements of the first, with
 * the same labels. A fault spoils one value.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TESTS_DEEPSEA_H
#define BIRD_TESTS_DEEPSEA_H

#include <matio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum deepsea_fault {
    DEEPSEA_FINE,
    DEEPSEA_UNKNOWN,   /* no channel of a position: N */
    DEEPSEA_TWO,       /* two channels of a position */
    DEEPSEA_VALUE,     /* 7 in a channel */
    DEEPSEA_LABEL,     /* 7 as a label */
    DEEPSEA_TURN_LABEL /* a label, of one strand alone */
};

struct deepsea_file {
    const char *path, *part; /* "train", "valid", "test" */
    enum mat_ft form;        /* MAT_FT_MAT5, MAT_FT_MAT73 */
    enum matio_classes type; /* MAT_C_UINT8, MAT_C_DOUBLE ... */
    int logical;
    int64_t n, length, n_label;
    enum deepsea_fault fault;
    int64_t sample, at; /* of the fault: sample and position or label, from 0 */
};

static inline uint32_t deepsea_mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 2654435761u ^ (b + 1) * 2246822519u;

    h = (h ^ h >> 15) * 3266489917u;
    return h ^ h >> 13;
}

/* Letter of a position, from 0; no strand looks like the other. */
static inline char deepsea_letter(const struct deepsea_file *f, int64_t i,
                                  int64_t p)
{
    int64_t half = f->n / 2;

    if (f->fault == DEEPSEA_UNKNOWN && i == f->sample && p == f->at)
        return 'N';
    if (f->n % 2 || i < half)
        return "ACGT"[deepsea_mix((uint32_t)i, (uint32_t)p) & 3];
    return "TGCA"[deepsea_mix((uint32_t)(i - half),
                              (uint32_t)(f->length - 1 - p)) &
                  3];
}

static inline int deepsea_label(const struct deepsea_file *f, int64_t i,
                                int64_t k)
{
    int64_t half = f->n % 2 ? f->n : f->n / 2;
    int set = deepsea_mix((uint32_t)(i % half) + 977, (uint32_t)k) % 3 == 0;

    return f->fault == DEEPSEA_TURN_LABEL && i == f->sample && k == f->at ? !set
                                                                          : set;
}

static inline void deepsea_set(void *data, enum matio_classes type, size_t at,
                               int value)
{
    if (type == MAT_C_DOUBLE)
        ((double *)data)[at] = value;
    else if (type == MAT_C_SINGLE)
        ((float *)data)[at] = (float)value;
    else if (type == MAT_C_INT16)
        ((int16_t *)data)[at] = (int16_t)value;
    else
        ((uint8_t *)data)[at] = (uint8_t)value;
}

static inline enum matio_types deepsea_type(enum matio_classes type)
{
    return type == MAT_C_DOUBLE   ? MAT_T_DOUBLE
           : type == MAT_C_SINGLE ? MAT_T_SINGLE
           : type == MAT_C_INT16  ? MAT_T_INT16
                                  : MAT_T_UINT8;
}

static inline int deepsea_put(mat_t *mat, const struct deepsea_file *f,
                              const char *suffix, int rank, size_t *dims,
                              void *data)
{
    char name[32];
    matvar_t *v;
    int rc;

    snprintf(name, sizeof(name), "%s%s", f->part, suffix);
    v = Mat_VarCreate(name, f->type, deepsea_type(f->type), rank, dims, data,
                      MAT_F_DONT_COPY_DATA | (f->logical ? MAT_F_LOGICAL : 0));
    rc = v ? Mat_VarWrite(mat, v, MAT_COMPRESSION_ZLIB) : -1;
    Mat_VarFree(v);
    return rc;
}

/* MATLAB's order: the sample is what changes first. */
static inline void deepsea_fill(void *x, void *y, const struct deepsea_file *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        for (int64_t p = 0; p < f->length; p++)
            for (int c = 0; c < 4; c++) { /* channels A, G, C, T */
                int here = f->sample == i && f->at == p;
                int set = deepsea_letter(f, i, p) == "AGCT"[c];

                if (here && f->fault == DEEPSEA_TWO)
                    set = c < 2;
                if (here && f->fault == DEEPSEA_VALUE)
                    set = c == 2 ? 7 : 0;
                deepsea_set(x, f->type, (size_t)(i + f->n * (c + 4 * p)), set);
            }
        for (int64_t k = 0; k < f->n_label; k++)
            deepsea_set(y, f->type, (size_t)(i + f->n * k),
                        f->fault == DEEPSEA_LABEL && i == f->sample &&
                                k == f->at
                            ? 7
                            : deepsea_label(f, i, k));
    }
}

/* 0, or -1. */
static inline int deepsea_write(const struct deepsea_file *f)
{
    size_t x_dim[3] = {(size_t)f->n, 4, (size_t)f->length};
    size_t y_dim[2] = {(size_t)f->n, (size_t)f->n_label};
    void *x = calloc((size_t)(f->n * 4 * f->length), 8);
    void *y = calloc((size_t)(f->n * f->n_label), 8);
    mat_t *mat = Mat_CreateVer(f->path, NULL, f->form);
    int rc = !x || !y || !mat;

    if (!rc) {
        deepsea_fill(x, y, f);
        rc = deepsea_put(mat, f, "xdata", 3, x_dim, x) ||
             deepsea_put(mat, f, "data", 2, y_dim, y);
    }
    if (mat)
        rc |= Mat_Close(mat);
    free(x);
    free(y);
    return rc ? -1 : 0;
}

#endif
