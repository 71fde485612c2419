/**
 * The parameters of a model from and to files of tensors.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_PARAMS_FILE_H
#define BIRD_FOLDER_PARAMS_FILE_H

#include "folder/safetensors.h"
#include "model/params.h"

/**
 * Fill a block from tensors. Accepted: names with and without `bert.`; tied
 * decoder tensors present, absent, or present alone; the position_ids and
 * token_type_ids buffers and tensors of another head (ignored). A missing,
 * wrong-shaped or unknown tensor fails with a sentence that names it.
 * Errors: BIRD_EFORMAT, BIRD_ENOMEM; the block is untouched, but for an
 * archive whose checksum is wrong.
 *
 * @param fresh  NULL, or (n): the head's tensors may be absent or of another
 *               shape; fresh[i] is then 1 and the block holds there what it
 *               held (bird_params_init with `only`), else 0
 * @param path   names the file in sentences
 */
BIRD_MUST_CHECK int bird_params_load(float *block,
                                     const struct bird_param *list, int64_t n,
                                     const bird_tensors *t,
                                     unsigned char *fresh, const char *path);

/**
 * The block in the mapped file, without a copy. NULL: the file's layout or element
 * type differs, or it is compressed. Borrowed from t, read-only.
 * What bird_params_save() writes as float32 has this layout, unless a size is
 * no multiple of BIRD_PARAM_ALIGN.
 * Errors: those of bird_params_load()
 */
BIRD_MUST_CHECK int bird_params_map(const float **block,
                                    const struct bird_param *list, int64_t n,
                                    const bird_tensors *t, const char *path);

/**
 * Write a block as safetensors, atomically, compressed when the name ends in
 * .zst. dtype is BIRD_F32 or BIRD_BF16 (rounded to nearest even).
 */
BIRD_MUST_CHECK int bird_params_save(const char *path, const float *block,
                                     const struct bird_param *list, int64_t n,
                                     enum bird_dtype dtype);

#endif
