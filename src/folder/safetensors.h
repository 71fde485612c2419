/**
 * Tensors in files: the safetensors format, plain or zstd-compressed (.zst),
 * PyTorch's checkpoints (torch_file.c), and several files with an index.
 * Source: the format's description in huggingface/safetensors, README.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_SAFETENSORS_H
#define BIRD_FOLDER_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

enum bird_dtype {
    BIRD_F32,
    BIRD_F16,
    BIRD_BF16,
    BIRD_F64,
    BIRD_I64,
    BIRD_I32,
    BIRD_U8, /* also BOOL */
    BIRD_I8
};

#define BIRD_MAX_DIM 8

struct bird_tensor {
    const char *name;
    enum bird_dtype dtype;
    int n_dim;
    int64_t shape[BIRD_MAX_DIM];
    const void *data; /* may be unaligned when read from a file; NULL: only
                         bird_tensor_read() reaches it */
    size_t size;      /* bytes */
};

typedef struct bird_tensors bird_tensors;

/**
 * Open a file of any form, told by its first bytes: mapped when plain,
 * decompressed into memory when it begins as zstd does (at most 256 MiB, or
 * 200 times the file's size if that is more). A path that ends in .index.json
 * is the index of several files of its folder: all of them are opened, and
 * hold the tensors that it says. Every offset is checked against the file
 * before anything is handed out.
 * Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM, BIRD_EUNSUPPORTED (a pickle
 * that asks for more than tensors); the sentence names file and tensor.
 */
BIRD_MUST_CHECK int bird_tensors_open(bird_tensors **out, const char *path);
/** The same from bytes (not kept by the caller's side: they must outlive it);
 * `path` names them in sentences. */
BIRD_MUST_CHECK int bird_tensors_parse(bird_tensors **out, const void *data,
                                       size_t size, const char *path);
void bird_tensors_free(bird_tensors *t);

int64_t bird_tensors_count(const bird_tensors *t);
/** Tensor i in the order of the file's offsets; borrowed. */
const struct bird_tensor *bird_tensors_at(const bird_tensors *t, int64_t i);
/** NULL when there is none of this name; borrowed. */
const struct bird_tensor *bird_tensors_find(const bird_tensors *t,
                                            const char *name);

/**
 * All elements as float32, from wherever they are; one thread at a time.
 * Errors: BIRD_EIO, BIRD_EFORMAT (the archive's checksum), BIRD_ENOMEM; out
 * is undefined then.
 */
BIRD_MUST_CHECK int bird_tensor_read(float *out, const bird_tensors *t,
                                     const struct bird_tensor *x,
                                     const char *path);

/** Is all of it mapped from files, so that released pages can be read again?
 *  Decompressed data is not. */
int bird_tensors_are_mapped(const bird_tensors *t);

/** Give back the memory behind a tensor that was read; it may be read again,
 *  from the file. */
void bird_tensor_forget(const bird_tensors *t, const struct bird_tensor *x);

/** A text of the file's metadata; NULL when there is none; borrowed. */
const char *bird_tensors_metadata(const bird_tensors *t, const char *key);

/** Number of elements. */
int64_t bird_tensor_count(const struct bird_tensor *t);
/** All elements of one with data as float32 (integers too). */
void bird_tensor_to_f32(float *out, const struct bird_tensor *t);
/** Round to nearest even; NaN stays NaN. */
void bird_f32_to_bf16(uint16_t *out, const float *x, int64_t n);

/**
 * Write tensors in the order given, atomically; a name that ends in .zst is
 * compressed. metadata: n_meta pairs key, value. Data is aligned to 64 bytes
 * by padding the header with blanks.
 */
BIRD_MUST_CHECK int bird_tensors_write(const char *path,
                                       const struct bird_tensor *t, int64_t n,
                                       const char *const *metadata,
                                       int64_t n_meta);

/**
 * The bytes in front of the data of such a file, for a writer that puts the
 * data of each tensor in its place by itself: tensor i begins size of `out` +
 * the sizes of those before it from the file's start. `data` is not read.
 */
BIRD_MUST_CHECK int bird_tensors_header(struct bird_text *out,
                                        const struct bird_tensor *t, int64_t n,
                                        const char *const *metadata,
                                        int64_t n_meta, const char *path);

#endif
