/**
 * A folder that appears as a whole: its files are written elsewhere first.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_STAGE_H
#define BIRD_BASE_STAGE_H

#include "dnabird/error.h"

/** Start with {0}; write files, no folders, into `path`. */
struct bird_stage {
    char *path;  /* for now */
    char *final; /* in the end */
    int there;   /* final was a folder already */
};

/**
 * A new folder beside its place; inside it where the place is a folder
 * already, since that may be a link to another disk.
 * Errors: BIRD_EIO (the parent is missing or not writable), BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_stage_open(struct bird_stage *s, const char *path);

/**
 * Put it in its place. Into a folder that is there the files are moved one by
 * one over those of the same name, that named `last` at the end.
 * Errors: BIRD_EIO
 */
BIRD_MUST_CHECK int bird_stage_commit(struct bird_stage *s, const char *last);

/** Remove what was written. Safe on a committed, aborted or zeroed one. */
void bird_stage_abort(struct bird_stage *s);

#endif
