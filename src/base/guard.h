/**
 * What the run reads, writes and must not leave behind (dnabird/guard.h has the
 * rule). Called where files are opened and nowhere else; without a run all of
 * it does nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_GUARD_H
#define BIRD_BASE_GUARD_H

#include "dnabird/error.h"
#include "dnabird/guard.h"

/**
 * A file that the user names is to be read; "-" is standard input.
 * Errors: BIRD_EINVAL it is an output of this run, or an output is its index
 */
BIRD_MUST_CHECK int bird_guard_input(const char *path);

/** The same of a part of a model. It need not be there: its name is kept all
 *  the same. Of a model in a folder of the run's own it is let pass. */
BIRD_MUST_CHECK int bird_guard_part(const char *path);

/** The same of whatever else is read: files of the run's own are let pass. */
BIRD_MUST_CHECK int bird_guard_read(const char *path);

/**
 * A file is to be written. Errors: BIRD_EINVAL it is an input, an index of
 * one, or another output
 */
BIRD_MUST_CHECK int bird_guard_output(const char *path);

/**
 * A folder, or a file, of which the run keeps its state: what it read there
 * for its own purposes, and will read, is no input, and it writes there as
 * often as it likes, only not over its inputs. A run that is asked to change a
 * model says so of the model's folder.
 */
void bird_guard_own(const char *path);

/** A folder is to be replaced as a whole. Errors: BIRD_EINVAL an input is in
 *  it */
BIRD_MUST_CHECK int bird_guard_replace(const char *folder);

/*
 * What must not be left behind when a run ends before its time: temporary
 * files, and folders that stay empty; removed by bird_guard_end() and
 * bird_guard_clean().
 */

/** A temporary file is about to be made. */
void bird_leftover_file(const char *path);

/** A folder is about to be made; it is removed if it is empty in the end. */
void bird_leftover_folder(const char *path);

/** It was removed, or is to stay. */
void bird_leftover_keep(const char *path);

/**
 * A temporary file is about to get this name, which is noted if it lies in a
 * noted folder that is a temporary one (bird_stage). The old one is to be kept
 * afterwards.
 */
void bird_leftover_rename(const char *to);

#endif
