/**
 * Names of the files of tracks that have one file for each feature.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_FILES_H
#define BIRD_TRACK_FILES_H

#include "track/writer.h"

/**
 * Make the paths of n tracks: for one track `output` itself, for several
 * NAME.SUFFIX in the folder `output`, which is created. Characters of names
 * other than a-z, A-Z, 0-9, '.', '+' and '-' become '_'. The limit of open
 * files is raised so that all can be open.
 *
 * Owner   *out (n), the caller's: bird_track_paths_free()
 * Errors  BIRD_EINVAL several tracks without a folder, two of the same name,
 *         more than the system lets a process open; BIRD_EIO
 *
 * @param gz 1: bgzipped, where the format is text
 */
BIRD_MUST_CHECK int bird_track_paths(char ***out, const struct bird_format *f,
                                     const char *output, int gz,
                                     const char *const *name, int64_t n);
void bird_track_paths_free(char **path, int64_t n);

#endif
