/**
 * What must not be left behind when a run ends before its time: temporary
 * files, and folders that stay empty. Noted while a run is on
 * (bird_guard_begin), removed by bird_guard_end() and bird_guard_clean().
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_LEFTOVER_H
#define BIRD_BASE_LEFTOVER_H

/** A temporary file is about to be made. */
void bird_leftover_file(const char *path);

/** A folder was made; it is removed if it is empty in the end. */
void bird_leftover_folder(const char *path);

/** It was removed, or is to stay. */
void bird_leftover_keep(const char *path);

/**
 * It has another name now. In a noted folder that is a temporary one
 * (bird_stage) the new name is noted in its place.
 */
void bird_leftover_rename(const char *path, const char *to);

/** Note from now on, or forget all. */
void bird_leftover_begin(void);
void bird_leftover_end(void);

#endif
