/**
 * Inside the model folder: reading and checking dnabird.json.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_META_H
#define BIRD_MODEL_META_H

#include "model/folder.h"

/** Files that the digest and the checksums are about, in their order:
 *  config.json, the weights, the files of an index, tokenizer.json,
 *  tokenizer_config.json. */
int64_t bird_folder_files(const struct bird_folder *f);
const char *bird_folder_file(const struct bird_folder *f, int64_t i);
/** Name of the weights' file that lies in this folder; NULL when none does. */
const char *bird_weights_name(const char *folder);

/** Take f->meta over: version, head, random blocks, labels, window; all
 *  other known fields are checked for their type. path names the file. */
BIRD_MUST_CHECK int bird_meta_read(struct bird_folder *f, const char *path);

/** Labels and random blocks of a folder that has no dnabird.json, or one
 *  without them. */
BIRD_MUST_CHECK int bird_meta_complete(struct bird_folder *f,
                                       const json_t *config, const char *path);

#endif
