/**
 * The names of a file's records, each with the line where it stands: none may
 * come twice.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_NAME_SET_H
#define BIRD_SEQ_NAME_SET_H

#include "base/text.h"

/** Start with {0}. A hash table of places in a text of all names. */
struct bird_name_set {
    struct bird_text names; /* of each: its line, then the name with its NUL */
    int64_t *slot;          /* (n_slot) place in names + 1; 0: free */
    int64_t n_slot, n;
};

/**
 * Add a name. Memory: its bytes and about 30 more.
 * Errors: BIRD_EFORMAT it is there already, a sentence with `file`, the name
 * and both lines; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_name_set_add(struct bird_name_set *s, const char *file,
                                      const char *name, int64_t line);
void bird_name_set_free(struct bird_name_set *s);

#endif
