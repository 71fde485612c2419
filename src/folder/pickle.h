/**
 * Python's pickles, as far as files of tensors use them.
 *
 * A pickle is a program for a stack machine. This machine knows the opcodes of a
 * dictionary of tensors and a few names; it builds values and calls nothing. A
 * call is stored as its name and arguments; all else is refused by name.
 * Source: the format as Python's Lib/pickletools.py describes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_PICKLE_H
#define BIRD_FOLDER_PICKLE_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"

enum bird_pickle_kind {
    BIRD_PICKLE_NONE,
    BIRD_PICKLE_BOOL, /* number */
    BIRD_PICKLE_INT,  /* number */
    BIRD_PICKLE_BIG,  /* a whole number beyond 64 bits: text, little-endian */
    BIRD_PICKLE_TEXT, /* text, of n bytes, without NUL */
    BIRD_PICKLE_TUPLE,
    BIRD_PICKLE_LIST,
    BIRD_PICKLE_DICT,       /* items: key, value, key, value ... */
    BIRD_PICKLE_GLOBAL,     /* number: enum bird_pickle_global */
    BIRD_PICKLE_CALL,       /* number: the global; item 0: the arguments */
    BIRD_PICKLE_PERSISTENT, /* item 0: what names an outside object */
};

/** The names that a pickle may speak. */
enum bird_pickle_global {
    BIRD_PICKLE_ORDERED_DICT,      /* collections.OrderedDict */
    BIRD_PICKLE_REBUILD_TENSOR,    /* torch._utils._rebuild_tensor_v2 */
    BIRD_PICKLE_REBUILD_PARAMETER, /* torch._utils._rebuild_parameter */
    BIRD_PICKLE_FLOAT_STORAGE,     /* torch.FloatStorage and so on */
    BIRD_PICKLE_HALF_STORAGE,
    BIRD_PICKLE_BFLOAT16_STORAGE,
    BIRD_PICKLE_LONG_STORAGE,
};

/** Items are numbers of values; values may share them, and hold themselves. */
struct bird_pickle_value {
    enum bird_pickle_kind kind;
    int64_t number;
    const char *text; /* (n) borrowed from the bytes */
    int32_t *item;    /* (n) */
    int64_t n, cap;
};

struct bird_pickle {
    struct bird_pickle_value *value; /* (n) */
    int64_t n, cap;
    int32_t root;
};

/** More bytes than this are no pickle of tensors' names. */
#define BIRD_PICKLE_MAX ((size_t)1 << 20)

/**
 * Run the pickle at the beginning of `size` bytes; *used is where it ends.
 * Memory is at most some 150 bytes a byte of the pickle.
 * Owner   *out is the caller's, bird_pickle_free(); texts are the bytes'
 * Errors  BIRD_EFORMAT cut short or malformed; BIRD_EUNSUPPORTED an opcode, a
 *         name or a call that is not known, with it; BIRD_ENOMEM
 *
 * @param path names the bytes in sentences
 */
BIRD_MUST_CHECK int bird_pickle_read(struct bird_pickle *out, size_t *used,
                                     const void *bytes, size_t size,
                                     const char *path);
/** Safe on a zeroed one. */
void bird_pickle_free(struct bird_pickle *p);

/** Value `i` of a tuple, list, dictionary, call or persistent id; NULL when
 *  there is none. */
const struct bird_pickle_value *
bird_pickle_item(const struct bird_pickle *p, const struct bird_pickle_value *v,
                 int64_t i);
/** Is it this text? */
int bird_pickle_is(const struct bird_pickle_value *v, const char *text);
/** What kind it is, for sentences: "a dictionary". */
const char *bird_pickle_kind_name(const struct bird_pickle_value *v);

#endif
