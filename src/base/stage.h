/**
 * Write a folder under a temporary name and give it its own by one rename.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_STAGE_H
#define BIRD_BASE_STAGE_H

#include <dirent.h>

#include "dnabird/error.h"

/**
 * A folder that appears as a whole: its files are written under another name,
 * and one rename gives it its own. Start with {0}; write files, no folders,
 * into `path`.
 */
struct bird_stage {
    char *path;  /* temporary path */
    char *final; /* final path, links resolved */
    int there;   /* 1: final is a folder without files */
    int replace; /* 1: final is a folder to be replaced */
    DIR *files;  /* path, open: it must be possible to empty it without free
                    memory */
};

/**
 * A new folder beside its final path, which must be unused, or inside it if it
 * is an empty folder (which may be a mount point or a shell's working
 * directory). With `may_go` a folder with files is replaced if `may_go` accepts
 * the name of each; never one that holds folders or a file that this run reads.
 * An empty folder may hold temporary folders of other runs. Errors: BIRD_EINVAL
 * the path is used; BIRD_EIO (the parent is missing or not writable),
 * BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_stage_open(struct bird_stage *s, const char *path,
                                    int may_go(const char *name));

/**
 * Give it its final path: one rename, or an exchange with an existing model,
 * which is then removed. (If the file system cannot exchange two names, there
 * are two renames; the first is undone if the second fails.) Into an empty
 * folder the files are moved, config.json last; of several runs the first wins.
 * Errors: BIRD_EINVAL another run was faster; BIRD_EIO; the final path is
 * unchanged, except for files that were moved already
 */
BIRD_MUST_CHECK int bird_stage_commit(struct bird_stage *s);

/** Remove all that was written. Safe on a committed, aborted or zeroed
 *  bird_stage. */
void bird_stage_abort(struct bird_stage *s);

#endif
