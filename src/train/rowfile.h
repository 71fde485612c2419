/**
 * A file of text rows being written: compressed (BGZF) when its name ends in
 * .gz, and there under its name only when it is whole.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_ROWFILE_H
#define BIRD_TRAIN_ROWFILE_H

#include "base/file.h"

struct bird_rowfile {
    struct bird_out out;
    void *bgzf; /* NULL: plain */
};

/** "-" is standard output, plain. */
BIRD_MUST_CHECK int bird_rowfile_open(struct bird_rowfile *f, const char *path);
BIRD_MUST_CHECK int bird_rowfile_put(struct bird_rowfile *f, const char *text,
                                     int64_t n);
BIRD_MUST_CHECK int bird_rowfile_commit(struct bird_rowfile *f);
/** Safe on a committed, aborted or zeroed one. */
void bird_rowfile_abort(struct bird_rowfile *f);

#endif
