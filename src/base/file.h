/**
 * Whole files and folders: read, map, and write so that a name only ever holds
 * a whole one (temporary name in the same folder, fsync, rename).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_FILE_H
#define BIRD_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "dnabird/error.h"

/** Does this errno of stat() leave open whether the file exists? */
int bird_errno_is_device(int code);

/**
 * Does a regular file (not a folder) of this name exist? 1 also where stat()
 * fails with EIO or the like: opening it then reports why it cannot be read.
 */
int bird_file_exists(const char *path);
/** Standard input ("-"), a pipe or a device, which has nothing for whoever reads it
 *  again? */
int bird_file_is_stream(const char *path);
/** Does the name end so, in either case, before an end of .gz, .bgz or .zst? */
int bird_path_ends(const char *path, const char *ending);
/** Is it a file of /proc? It has the mode of a regular file, but a reader of
 *  /proc/kmsg could wait for ever. */
int bird_file_is_proc(const char *path);
/** The same of a file in a folder. */
int bird_file_is_in(const char *folder, const char *name);

/**
 * Path of a file or folder that comes with dnabird, such as
 * "models/regulatory": in $DNABIRD_DATA, in the installation, or in the source
 * tree of the build. Returns 1 with *out, or 0: not found. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_data_find(struct bird_text *out, const char *name);
/** The folder of the installed data, for messages. */
const char *bird_data_installed(void);

/** open() with O_CLOEXEC and mode 0666, repeated if a signal interrupts it: a
 *  descriptor, or -1 with errno. */
int bird_open(const char *path, int flags);
/** Give the open file the permissions of the file that it is to replace, if there
 *  is one; its owner may read and write it. */
void bird_take_mode(int fd, const char *path);
/** pread() of all n bytes: n, fewer at the end of the file, -1 with errno. */
int64_t bird_read_at(int fd, void *out, int64_t n, int64_t at);

/** The whole file into *out (cleared first). Errors: BIRD_EIO, BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_file_read(struct bird_text *out, const char *path);

/** A file mapped read-only; an empty file has data NULL. */
struct bird_mapping {
    const void *data;
    size_t size;
};
BIRD_MUST_CHECK int bird_mapping_open(struct bird_mapping *out,
                                      const char *path);
void bird_mapping_close(struct bird_mapping *m);

/**
 * A file that is being written under a temporary name in the same folder. Write
 * to `stream`, then commit (flush, fsync, rename) or abort (remove). A path of
 * "-" is standard output: commit flushes it, abort leaves it. An existing path
 * that is not a regular file (a device, a pipe) is written directly.
 */
struct bird_out {
    FILE *stream;
    int fd; /* of the stream */
    char *path, *temporary;
};
/** Does this name standard output? NULL or "-". */
int bird_out_is_stdout(const char *path);
/** The path, or "standard output", for messages. */
const char *bird_out_name(const char *path);
/** Would printf() write numbers with a point? A program that uses the library may
 *  have set another locale. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_numbers_check(void);
/** Errors: BIRD_EINVAL the run reads it, or writes it already (base/guard.h), or
 *  bird_numbers_check(); BIRD_EIO, BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_out_open(struct bird_out *o, const char *path);
BIRD_MUST_CHECK int bird_out_commit(struct bird_out *o);
/** Safe on a committed, aborted or zeroed bird_out. */
void bird_out_abort(struct bird_out *o);

/** Write these bytes under that name, atomically. */
BIRD_MUST_CHECK int bird_file_write(const char *path, const void *data,
                                    size_t size);

/** The same for an index that the program writes beside an input or into its
 *  cache: not an output, so the guard is not told. */
BIRD_MUST_CHECK int bird_file_write_beside(const char *path, const void *data,
                                           size_t size);

/** Make the folder unless it exists (its parent must exist). */
BIRD_MUST_CHECK int bird_folder_make(const char *path);

/**
 * Lock a folder into which this run writes file by file against other runs on
 * this machine (NFS does not share locks on folders), until close(*fd) or the
 * end of the process. *fd is -1 where the file system has no locks, or the
 * folder may not be read. Errors: BIRD_EIO another run has locked it
 */
BIRD_MUST_CHECK int bird_folder_lock(int *fd, const char *path);

/** Fail, by errno, for a file that could not be made. Always BIRD_EIO. */
int bird_fail_to_make(const char *path);

/** Does the name exist, as a file, folder, link or anything else? */
int bird_path_exists(const char *path);

/** folder/name; *out is the caller's, free(). */
BIRD_MUST_CHECK int bird_path_join(char **out, const char *folder,
                                   const char *name);

/** The last component of a path without trailing slashes, cut to fit. */
void bird_path_base(char *out, size_t size, const char *path);

/** SHA-256 of bytes as 64 hexadecimal digits. */
void bird_sha256(char hex[65], const void *data, size_t size);

/** The same of a file. Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_file_sha256(char hex[65], const char *path);

#endif
