/**
 * Inside files of tensors: what the readers of each form fill.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_TENSORS_H
#define BIRD_FOLDER_TENSORS_H

#include <jansson.h>

#include "base/file.h"
#include "folder/safetensors.h"

struct bird_zip;

/** One file; what is not used is zero. */
struct bird_part {
    struct bird_mapping map; /* a file mapped as it is */
    char *bytes;             /* one that was decompressed */
    json_t *header;          /* owns the names of safetensors */
    char **name;             /* (n_name) names of others */
    int64_t n_name, cap_name;
    struct bird_zip *zip; /* where tensors without `data` are fetched from */
};

/** Where a tensor is. */
struct bird_tensor_location {
    int64_t part;  /* the file */
    int64_t entry; /* of an archive, or the storage */
    size_t at;     /* byte of it */
};

struct bird_tensors {
    struct bird_tensor *tensor;         /* (n) by file, then by place in it */
    struct bird_tensor_location *place; /* (n) */
    struct bird_tensor **named;         /* (n) by name */
    int64_t n, cap, cap_place;
    struct bird_part **part; /* (n_part) */
    int64_t n_part, cap_part;
};

/** One more tensor of the file added last, zeroed, the last of t->tensor and
 *  t->place; borrowed until the next. */
BIRD_MUST_CHECK int bird_tensors_add(bird_tensors *t, struct bird_tensor **out);
/** A name of n bytes, kept by the part. */
BIRD_MUST_CHECK int bird_part_name(struct bird_part *p, const char **out,
                                   const char *s, size_t n);
/** Names of the files of an index, sorted, each once; borrowed from it. Owner:
 *  *out is the caller's, free(). Errors: BIRD_EFORMAT, BIRD_EUNSUPPORTED */
BIRD_MUST_CHECK int bird_shards_list(const char ***out, int64_t *n,
                                     const json_t *index, const char *path);
/** Bytes of an element. */
size_t bird_dtype_size(enum bird_dtype type);

/**
 * Size of a safetensors file by its first n bytes: 1 with *size, or 0 if its
 * header is longer than n.
 * Errors: BIRD_EFORMAT no such header, or longer than `most`; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_safetensors_size(size_t *size, const char *data,
                                          size_t n, size_t most,
                                          const char *path);

/** Put the tensors of a file's bytes into t; p is t's last part. */
BIRD_MUST_CHECK int bird_safetensors_read(bird_tensors *t, struct bird_part *p,
                                          const char *data, size_t size,
                                          const char *path);

/** An archive of torch.c, NULL included. */
void bird_zip_close(struct bird_zip *z);
/** `size` bytes of an entry from byte `at` on; of a whole entry the checksum
 *  is compared. Errors: BIRD_EFORMAT */
BIRD_MUST_CHECK int bird_zip_read(const struct bird_zip *z, void *out,
                                  int64_t entry, size_t at, size_t size,
                                  const char *path);

/** Do the bytes begin as what torch.save() writes, new (zip) or old? */
int bird_torch_is(const void *data, size_t size);
/** The same of such a file. */
BIRD_MUST_CHECK int bird_torch_read(bird_tensors *t, struct bird_part *p,
                                    const char *data, size_t size,
                                    const char *path);

#endif
