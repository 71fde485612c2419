/**
 * Hugging Face's config.json to hyper-parameters and back; presets.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_CONFIG_FILE_H
#define BIRD_FOLDER_CONFIG_FILE_H

#include <jansson.h>

#include "model/config.h"

/**
 * Read a config.json's object. Unknown architectures, another model_type and
 * unsupported activations are refused by name; impossible sizes too.
 * What of the pattern is written in dnabird.json, and dnabird's own heads are not in that file (folder.h sets them).
 * @param path names the file in sentences
 */
BIRD_MUST_CHECK int bird_config_read(struct bird_config *out, const json_t *o,
                                     const char *path);

/** The config.json object of these hyper-parameters; caller's, json_decref.
 *  @param labels  names of the n_label labels, or NULL */
BIRD_MUST_CHECK int bird_config_write(json_t **out, const struct bird_config *c,
                                      const json_t *labels);

/**
 * A preset by name. tiny: 2 layers x 64, 2 heads, 512 positions, block 16;
 * small: 6 x 256, 8 heads, 4096, block 64; base: 12 x 768, 12 heads, 4096,
 * block 64 (Zaheer et al. 2020, table 21). intermediate = 4 x hidden.
 * Errors: BIRD_EINVAL for another name.
 */
BIRD_MUST_CHECK int bird_config_preset(struct bird_config *out,
                                       const char *name);

#endif
