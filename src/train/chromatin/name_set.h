/**
 * Distinct texts with how often each was met.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_NAME_SET_H
#define BIRD_TRAIN_NAME_SET_H

#include <stdint.h>

#include "dnabird/error.h"

/** Start with {0}. */
struct bird_name_set {
    struct bird_counted_name {
        char *name;
        int64_t count;
    } * at; /* (n) in the order they were met */
    int64_t n, cap;
    int32_t *slot; /* (n_slot) index + 1 by the name's hash; 0: free */
    int64_t n_slot;
};

/** Count a name; exact comparison. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_name_set_add(struct bird_name_set *s,
                                      const char *name);

/** Into the order of the bytes; nothing can be added after that. */
void bird_name_set_sort(struct bird_name_set *s);
void bird_name_set_free(struct bird_name_set *s);

#endif
