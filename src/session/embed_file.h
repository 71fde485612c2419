/**
 * The output file of `embed`: tensors in .safetensors, one tensor in .npy, or one
 * tensor with a row for each sequence in .tsv, where a row begins with the
 * sequence's name.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_EMBED_FILE_H
#define BIRD_SESSION_EMBED_FILE_H

#include <stdint.h>

#include "base/file.h"
#include "base/text.h"
#include "folder/safetensors.h"

enum bird_embed_form {
    BIRD_EMBED_FORM_NONE, /* another ending */
    BIRD_EMBED_SAFETENSORS,
    BIRD_EMBED_NPY,
    BIRD_EMBED_TSV
};

/** The format of a file of this name, by its ending. */
enum bird_embed_form bird_embed_form(const char *path);

enum { BIRD_EMBED_NAME = 40 };

/** A tensor of the file; `tensor.data` is not used. */
struct bird_slot {
    char name[BIRD_EMBED_NAME];
    struct bird_tensor tensor;
    int64_t begin; /* first byte in the file */
};

/** Start with {0}. */
struct bird_slots {
    struct bird_slot *slot;
    int64_t n, cap;
    struct bird_out out;
    const char *path;
    enum bird_embed_form form;
    int64_t at, end;       /* bytes written; size of the file */
    struct bird_text text; /* rows of a .tsv that are not written yet */
    const char *name;      /* of the next row; the other names follow */
};

/** Add a tensor (rows, columns), or (rows) with columns 0, before opening.
 *  Errors: BIRD_ERANGE too large; BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_slots_add(struct bird_slots *s, const char *name,
                                   enum bird_dtype type, int64_t rows,
                                   int64_t columns);

/**
 * Begin the file. Errors: BIRD_EIO; BIRD_ENOMEM.
 * @param names  of the rows of a .tsv, each with its closing NUL; borrowed
 */
BIRD_MUST_CHECK int bird_slots_open(struct bird_slots *s, const char *path,
                                    const char *names,
                                    const char *const *metadata,
                                    int64_t n_meta);

/** Write `size` bytes at byte `at` of tensor i; to a .tsv whole rows of float32,
 *  in order. Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_slots_put(struct bird_slots *s, int64_t i, int64_t at,
                                   const void *data, size_t size);

BIRD_MUST_CHECK int bird_slots_commit(struct bird_slots *s);

/** Drops the file unless committed. */
void bird_slots_free(struct bird_slots *s);

#endif
