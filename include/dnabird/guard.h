/**
 * A guard over the files of a run: no output takes the place of an input, of
 * an index of one, of a file of a model that is read, or of another output.
 *
 * The library notes every file it opens, in the few functions through which
 * all files go, and refuses an output, or an input, that is one of them: by
 * device and inode, so through links too. That notebook belongs to a run, and
 * only the caller knows where one begins. Without bird_guard_begin() nothing
 * is noted and nothing refused; a program that makes a file and reads it later
 * begins a run for each step, or none at all. `dnabird` is one run from its
 * first file to its last.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_GUARD_H
#define DNABIRD_GUARD_H

#include "dnabird/error.h"

/**
 * A run begins: from here on all files of this process are noted, whatever
 * thread opens them. What an earlier run noted is forgotten first.
 */
BIRD_API void bird_guard_begin(void);

/**
 * The run has ended: temporary files that are still there are removed, and
 * folders that the run made and left empty; all is forgotten.
 */
BIRD_API void bird_guard_end(void);

/**
 * An output that is to come. It is refused now, and not after hours, when it
 * is known already; an input that is it is refused when it is opened. NULL,
 * "-", devices, pipes and folders are fine, twice too.
 * Errors: BIRD_EINVAL it is an input, an index of one, or announced already
 */
BIRD_API BIRD_MUST_CHECK int bird_guard_expect(const char *path);

/**
 * Remove temporary files and empty folders of the run, for a signal's handler:
 * it calls unlink() and rmdir() alone. The process is to end then.
 */
BIRD_API void bird_guard_clean(void);

#endif
