/**
 * A guard for the files of a run: no output overwrites an input, an index of an
 * input, a file of a model that is read, or another output.
 *
 * The library records every file that it opens and refuses an output, or an
 * input, that is one of them. Files are compared by device and inode, so links
 * do not matter. The record belongs to a run, which the caller begins and ends.
 * Without bird_guard_begin() nothing is recorded or refused; a program that
 * makes a file and reads it later begins a run for each step, or none at all.
 * Every call of `dnabird` is one run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_GUARD_H
#define DNABIRD_GUARD_H

#include "dnabird/error.h"

BIRD_BEGIN_C

/**
 * Begin a run: from now on all files of this process are recorded, in all
 * threads. The record of an earlier run is cleared first.
 */
BIRD_API void bird_guard_begin(void);

/**
 * End the run: remove remaining temporary files and empty folders that the run
 * made, and clear the record.
 */
BIRD_API void bird_guard_end(void);

/**
 * Announce an input that the user names; "-" is standard input. Functions of this
 * library do so themselves; a program does so for files that it reads.
 * Errors: BIRD_EINVAL it is an output of this run, or an output is its index
 */
BIRD_API BIRD_MUST_CHECK int bird_guard_input(const char *path);

/**
 * Announce an output. It is refused now, and not after hours, if it is in the
 * record; later an input that is the same file is refused. NULL, "-", devices,
 * pipes and folders are always accepted.
 * Errors: BIRD_EINVAL it is an input, an index of an input, or announced
 * already
 */
BIRD_API BIRD_MUST_CHECK int bird_guard_expect(const char *path);

/**
 * Remove temporary files and empty folders of the run, from a signal handler:
 * it calls only unlink() and rmdir(). The process must end afterwards.
 */
BIRD_API void bird_guard_clean(void);

BIRD_END_C

#endif
