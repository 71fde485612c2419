/**
 * Tracks that are a file a feature: what the files are called.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_FILES_H
#define BIRD_TRACK_FILES_H

#include "track/writer.h"

/**
 * The paths of n tracks: of one `output` itself, of several NAME.SUFFIX in the
 * folder `output`, which is made; in names characters other than a-z, A-Z, 0-9,
 * '.', '+' and '-' become '_'. The process is allowed to have all of them open.
 *
 * Owner   *out (n), the caller's: bird_track_paths_free()
 * Errors  BIRD_EINVAL several without a folder, two that are called the same,
 *         more than may be open; BIRD_EIO
 *
 * @param gz 1: bgzipped, where the format is text
 */
BIRD_MUST_CHECK int bird_track_paths(char ***out, const struct bird_format *f,
                                     const char *output, int gz,
                                     const char *const *name, int64_t n);
void bird_track_paths_free(char **path, int64_t n);

#endif
