/**
 * Several files of output that appear together, or not at all.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_OUTS_H
#define BIRD_TRAIN_OUTS_H

#include "base/file.h"

enum { BIRD_MAX_OUTS = 4 };

/** Start with {0}. */
struct bird_outs {
    struct bird_out file[BIRD_MAX_OUTS];
    const char *path[BIRD_MAX_OUTS]; /* NULL: not wanted */
    int n;
};

/** Open temporary files for n <= BIRD_MAX_OUTS paths, NULL ones left out.
 *  Errors: BIRD_EINVAL two are the same; BIRD_EIO */
BIRD_MUST_CHECK int bird_outs_open(struct bird_outs *o, const char *const *path,
                                   int n);
/** The stream of file i; NULL when it is not wanted. */
FILE *bird_outs_stream(const struct bird_outs *o, int i);
/** Give all files their names once all are written. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_outs_commit(struct bird_outs *o);
/** Remove what was not committed. Safe on a zeroed or committed one. */
void bird_outs_abort(struct bird_outs *o);

#endif
