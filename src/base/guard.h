/**
 * The files that a run reads, writes and must not leave behind (dnabird/guard.h
 * has the rule). Called only where files are opened; outside of a run all calls
 * do nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_GUARD_H
#define BIRD_BASE_GUARD_H

#include "dnabird/error.h"
#include "dnabird/guard.h"

/** bird_guard_input() for a part of a model, which need not exist: its name is stored.
 *  Parts of a model in a folder of the run's state are allowed. */
BIRD_MUST_CHECK int bird_guard_part(const char *path);

/** The same for any other file that is read: files of the run's state are
 *  allowed. */
BIRD_MUST_CHECK int bird_guard_read(const char *path);

/**
 * A file is to be written. Errors: BIRD_EINVAL it is an input, an index of
 * one, or another output
 */
BIRD_MUST_CHECK int bird_guard_output(const char *path);

/**
 * A folder or file with the state of the run: files that the run reads there are
 * not inputs, and it may write there repeatedly, except over its inputs.
 * A run that changes a model names the model's
 * folder.
 */
void bird_guard_own(const char *path);

/** A folder is to be replaced as a whole. Errors: BIRD_EINVAL an input is in
 *  it */
BIRD_MUST_CHECK int bird_guard_replace(const char *folder);

/*
 * Files and folders that a run which ends early must not leave behind:
 * temporary files and empty folders. bird_guard_end() and bird_guard_clean()
 * remove them.
 */

/** A temporary file is about to be made. */
void bird_leftover_file(const char *path);

/** A folder is about to be made; it is removed if it is empty in the end. */
void bird_leftover_folder(const char *path);

/** It was removed, or stays. */
void bird_leftover_keep(const char *path);

/**
 * A temporary file is about to get this name. The name is recorded if it is in
 * a recorded temporary folder (bird_stage). Call bird_leftover_keep() for the
 * old name afterwards.
 */
void bird_leftover_rename(const char *to);

#endif
