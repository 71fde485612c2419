/**
 * Inside embed: sequences as ids, and a file of tensors filled piece by piece.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_EMBED_H
#define BIRD_PREDICT_EMBED_H

#include <stddef.h>

#include "base/file.h"
#include "dnabird/embed.h"
#include "model/config.h"
#include "model/safetensors.h"
#include "session/pack.h"

/**
 * All sequences that the options name, in order, as token ids in p.
 * @param t NULL when ids are read
 * Errors: BIRD_ERANGE a sequence too long or an id outside the vocabulary,
 * BIRD_EFORMAT, BIRD_EIO; the sentence names file and record
 */
BIRD_MUST_CHECK int bird_embed_read(struct bird_pack *p,
                                    const bird_embed_options *o,
                                    const struct bird_config *c,
                                    const bird_tokenizer *t);

enum { BIRD_EMBED_NAME = 40 };

/** A tensor of the file; `tensor.data` is not used. */
struct bird_slot {
    char name[BIRD_EMBED_NAME];
    struct bird_tensor tensor;
    int64_t begin; /* byte of the file */
};

struct bird_slots {
    struct bird_slot *slot;
    int64_t n, cap;
    struct bird_out out;
    const char *path;
    int64_t at, end; /* where the stream stands; size of the file */
};

/** Does the name end in this? */
int bird_name_ends(const char *path, const char *end);

/** One more tensor (rows, columns), columns 0 = (rows); before the opening. */
BIRD_MUST_CHECK int bird_slots_add(struct bird_slots *s, const char *name,
                                   enum bird_dtype type, int64_t rows,
                                   int64_t columns);
/** Its index, or -1. */
int64_t bird_slots_find(const struct bird_slots *s, const char *name);

/** Begin the file: .npy when the path ends so (one slot), else safetensors. */
BIRD_MUST_CHECK int bird_slots_open(struct bird_slots *s, const char *path,
                                    const char *const *metadata,
                                    int64_t n_meta);
/** Put `size` bytes at byte `at` of tensor i. */
BIRD_MUST_CHECK int bird_slots_put(struct bird_slots *s, int64_t i, int64_t at,
                                   const void *data, size_t size);
BIRD_MUST_CHECK int bird_slots_commit(struct bird_slots *s);
/** Drops the file unless committed. */
void bird_slots_free(struct bird_slots *s);

#endif
