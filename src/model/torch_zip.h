/**
 * The archive of a PyTorch checkpoint: libzip, and nothing else of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_TORCH_ZIP_H
#define BIRD_MODEL_TORCH_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"

struct bird_zip;

/**
 * Open the archive in these bytes, which must outlive it.
 * Errors: BIRD_EFORMAT, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_zip_open(struct bird_zip **out, const void *data,
                                  size_t size, const char *path);
/** NULL is fine. */
void bird_zip_close(struct bird_zip *z);

/** The entry of this name and its size unpacked; -1: there is none. */
int64_t bird_zip_find(const struct bird_zip *z, const char *name,
                      uint64_t *size);
/**
 * The one entry FOLDER/data.pkl, with FOLDER/ in *folder (the caller's,
 * free()). Errors: BIRD_EFORMAT there is none, or several.
 */
BIRD_MUST_CHECK int bird_zip_root(const struct bird_zip *z, char **folder,
                                  const char *path);

/** `size` bytes of an entry from byte `at` on; of a whole entry the checksum
 *  is compared. Errors: BIRD_EFORMAT */
BIRD_MUST_CHECK int bird_zip_read(const struct bird_zip *z, void *out,
                                  int64_t entry, size_t at, size_t size,
                                  const char *path);

#endif
