/**
 * A folder that appears as a whole: its files are written elsewhere first, and
 * one rename puts it in its place.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_STAGE_H
#define BIRD_BASE_STAGE_H

#include "dnabird/error.h"

/** Start with {0}; write files, no folders, into `path`. */
struct bird_stage {
    char *path;  /* for now */
    char *final; /* in the end; behind links, where there are any */
    int there;   /* final is an empty folder */
    int replace; /* or one that is to go */
};

/**
 * A new folder beside its place, which is free, or inside it where it is an
 * empty folder (which may be a disk's, or the one a shell stands in). With
 * `may_go` a folder with files is replaced too, if it says so of the name of
 * each; never one with folders in it, or with a file that this run reads.
 * Errors: BIRD_EINVAL the place is taken; BIRD_EIO (the parent is missing or
 * not writable), BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_stage_open(struct bird_stage *s, const char *path,
                                    int may_go(const char *name));

/**
 * Put it in its place: one rename, an exchange where a model is there, which is
 * removed after that. (A file system that cannot exchange two names gets two
 * renames, the first of which is taken back when the second fails.) Into an
 * empty folder the files are moved.
 * Errors: BIRD_EIO; the place is as it was
 */
BIRD_MUST_CHECK int bird_stage_commit(struct bird_stage *s);

/** Remove what was written. Safe on a committed, aborted or zeroed one. */
void bird_stage_abort(struct bird_stage *s);

#endif
