/**
 * Whole files and folders: read, map, and write so that a name only ever holds
 * a whole one (temporary name in the same folder, fsync, rename).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_FILE_H
#define BIRD_BASE_FILE_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "dnabird/error.h"

/** Does this errno of stat() say nothing of whether the file is there? */
int bird_errno_is_device(int code);

/** Is there a regular file (not a folder) of this name? One that cannot be
 *  looked at (EIO) counts: whoever opens it says why it cannot be read. */
int bird_file_exists(const char *path);
/** The same of a file in a folder. */
int bird_file_is_in(const char *folder, const char *name);

/**
 * Where a file or folder that comes with dnabird lies, "models/regulatory": in
 * $DNABIRD_DATA, where the program was installed, or in the tree that it was
 * built from. 1 found, in *out; 0 nowhere. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_data_find(struct bird_text *out, const char *name);
/** The folder of what is installed, for sentences. */
const char *bird_data_installed(void);

/** open() with O_CLOEXEC and mode 0666, again where a signal interrupts it: a
 *  descriptor, or -1 with errno. */
int bird_open(const char *path, int flags);
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
 * A file being written under a temporary name beside its place. Write to
 * `stream`, then commit (flush, fsync, rename) or abort (remove). A path of
 * "-" is standard output: commit flushes it, abort leaves it. What is there
 * and no regular file (a device, a pipe) is written directly.
 */
struct bird_out {
    FILE *stream;
    int fd; /* of the stream */
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

/**
 * Keep other runs of this machine out of a folder that this one writes file by
 * file (over NFS folders have no locks of others): until close(*fd), or the end
 * of the process, however it ends. *fd is -1 where there are no locks, or the
 * folder may not be read. Errors: BIRD_EIO another run has it
 */
BIRD_MUST_CHECK int bird_folder_lock(int *fd, const char *path);

/** A folder that appears as a whole: its files are written elsewhere first, and
 *  one rename puts it in its place. Start with {0}; write files, no folders,
 *  into `path`. */
struct bird_stage {
    char *path;  /* for now */
    char *final; /* in the end; behind links, where there are any */
    int there;   /* final is a folder without files */
    int replace; /* or one that is to go */
    DIR *files;  /* of path; open, as it must be emptied without memory, too */
};

/**
 * A new folder beside its place, which is free, or inside it where it is an
 * empty folder (which may be a disk's, or the one a shell stands in). With
 * `may_go` a folder with files is replaced too, if it says so of the name of
 * each; never one with folders in it, or with a file that this run reads. An
 * empty folder may hold temporary ones, of other runs into it.
 * Errors: BIRD_EINVAL the place is taken; BIRD_EIO (the parent is missing or
 * not writable), BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_stage_open(struct bird_stage *s, const char *path,
                                    int may_go(const char *name));

/**
 * Put it in its place: one rename, an exchange where a model is there, which is
 * removed after that. (A file system that cannot exchange two names gets two
 * renames, the first of which is taken back when the second fails.) Into an
 * empty folder the files are moved, config.json last: of runs at once the first
 * has it.
 * Errors: BIRD_EINVAL another run was faster; BIRD_EIO; the place is as it was,
 * but for files that were moved already
 */
BIRD_MUST_CHECK int bird_stage_commit(struct bird_stage *s);

/** Remove what was written. Safe on a committed, aborted or zeroed one. */
void bird_stage_abort(struct bird_stage *s);

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
