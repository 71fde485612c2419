/**
 * The small files beside a tokenizer.json by which transformers chooses the
 * class that reads it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_TRANSFORMERS_H
#define BIRD_PREDICT_TRANSFORMERS_H

#include "dnabird/error.h"
#include "model/config.h"

/**
 * special_tokens_map.json into folder `to`, whose tokenizer.json is there:
 * copied from `from` where tokenizer_config.json came from there, too; both are
 * made where the latter is missing, and dnabird.json's checksums with them. Without tokenizer.json nothing is done.
 * Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_transformers_files(const char *from, const char *to,
                                            const struct bird_config *c);

/** Copy a file of this name from folder to folder, if it is there. */
BIRD_MUST_CHECK int bird_folder_copy(const char *from, const char *to,
                                     const char *name);

#endif
