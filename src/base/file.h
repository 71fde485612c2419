/**
 * Whole files: read, map, and write so that a name only ever holds a whole
 * file (temporary name in the same folder, fsync, rename).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_FILE_H
#define BIRD_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "dnabird/error.h"

/** Is there a regular file (not a folder) of this name? */
int bird_file_exists(const char *path);

/** The whole file into *out (cleared first). Errors: BIRD_EIO, BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_file_read(struct bird_text *out, const char *path);

/** A file mapped read-only; an empty file has data NULL. */
struct bird_mapping {
    const void *data;
    size_t size;
};
BIRD_MUST_CHECK int bird_mapping_open(struct bird_mapping *out,
                                      const char *path);
/** Let go of the memory behind these bytes of it; read again they come from
 *  the file again. */
void bird_mapping_forget(const struct bird_mapping *m, const void *data,
                         size_t size);
void bird_mapping_close(struct bird_mapping *m);

/**
 * A file being written under a temporary name beside its place. Write to
 * `stream`, then commit (flush, fsync, rename) or abort (remove). A path of
 * "-" is standard output: commit flushes it, abort leaves it. What is there
 * and no regular file (a device, a pipe) is written directly.
 */
struct bird_out {
    FILE *stream;
    char *path, *temporary;
};
/** Does this name standard output? NULL or "-". */
int bird_out_is_stdout(const char *path);
/** Errors: BIRD_EINVAL the run reads it, or writes it already (base/guard.h);
 *  BIRD_EIO, BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_out_open(struct bird_out *o, const char *path);
BIRD_MUST_CHECK int bird_out_commit(struct bird_out *o);
/** Safe on a committed, aborted or zeroed bird_out. */
void bird_out_abort(struct bird_out *o);

/** Write these bytes under that name, atomically. */
BIRD_MUST_CHECK int bird_file_write(const char *path, const void *data,
                                    size_t size);

/** The same of what the program makes for itself beside an input or in its
 *  cache, an index: not an output that the guard should know. */
BIRD_MUST_CHECK int bird_file_write_beside(const char *path, const void *data,
                                           size_t size);

/** Make the folder if it is not there (parents must exist). */
BIRD_MUST_CHECK int bird_folder_make(const char *path);

/** folder/name; *out is the caller's, free(). */
BIRD_MUST_CHECK int bird_path_join(char **out, const char *folder,
                                   const char *name);

/** The last part of a path, trailing slashes off, as far as it fits. */
void bird_path_base(char *out, size_t size, const char *path);

/** SHA-256 of bytes as 64 hexadecimal digits. */
void bird_sha256(char hex[65], const void *data, size_t size);

/** The same of a file. Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_file_sha256(char hex[65], const char *path);

#endif
