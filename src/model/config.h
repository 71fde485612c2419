/**
 * Every hyper-parameter of a model: Hugging Face's config.json and back.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_CONFIG_H
#define BIRD_MODEL_CONFIG_H

#include <jansson.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "kernel/kernel.h"
#include "model/heads.h"
#include "pattern/plan.h"

/** problem_type: which loss the sequence heads take. */
enum bird_problem {
    BIRD_PROBLEM_UNSET,
    BIRD_PROBLEM_REGRESSION,
    BIRD_PROBLEM_SINGLE_LABEL,
    BIRD_PROBLEM_MULTI_LABEL
};

struct bird_config {
    int64_t vocab_size, hidden_size, n_layer, n_head, intermediate_size;
    int64_t max_positions, type_vocab_size, n_label;
    int64_t block_size, n_random;
    int64_t pad_id, bos_id, eos_id, sep_id, cls_id; /* -1 = not given */
    enum bird_act act;
    char act_name[32];              /* as spelled in the file */
    enum bird_attention attention;  /* full or block sparse */
    enum bird_random_blocks random; /* plan, zero, ...: dnabird.json */
    int parts;                      /* enum bird_parts: dnabird.json */
    uint64_t pattern_seed;          /* of uniform blocks: dnabird.json */
    int64_t token_type;             /* of tokens without one: dnabird.json; 0 */
    const struct bird_head_row *head; /* never NULL */
    enum bird_problem problem;
    int use_bias, rescale_embeddings, tie_word_embeddings;
    double layer_norm_eps, initializer_range;
    double hidden_dropout, attention_dropout;
    double classifier_dropout; /* < 0: hidden_dropout */
    char transformers_version[32];
};

/** The reference implementation's defaults (BigBirdConfig). */
void bird_config_default(struct bird_config *c);

/**
 * Read a config.json's object. Unknown architectures, another model_type and
 * unsupported activations are refused by name; impossible sizes too.
 * `random` and dnabird's own heads are not in that file (folder.h sets them).
 * @param path names the file in sentences
 */
BIRD_MUST_CHECK int bird_config_read(struct bird_config *out, const json_t *o,
                                     const char *path);

/** The config.json object of these hyper-parameters; caller's, json_decref. */
BIRD_MUST_CHECK int bird_config_write(json_t **out,
                                      const struct bird_config *c);

/**
 * A preset by name. tiny: 2 layers x 64, 2 heads, 512 positions, block 16;
 * small: 6 x 256, 8 heads, 4096, block 64; base: 12 x 768, 12 heads, 4096,
 * block 64 (Zaheer et al. 2020, table 21). intermediate = 4 x hidden.
 * Errors: BIRD_EINVAL for another name.
 */
BIRD_MUST_CHECK int bird_config_preset(struct bird_config *out,
                                       const char *name);

/** The attention pattern of these hyper-parameters. */
struct bird_pattern bird_pattern_of(const struct bird_config *c);

/** Can transformers compute this model's hidden states and answers from its
 *  config.json? Of a linear head on token 0 it gives the hidden states.
 *  Errors: BIRD_EUNSUPPORTED says what it cannot. path names the model. */
BIRD_MUST_CHECK int bird_config_transformers(const struct bird_config *c,
                                             const char *path);

/** Check sizes against each other: BIRD_EINVAL with the field's name. */
BIRD_MUST_CHECK int bird_config_check(const struct bird_config *c,
                                      const char *path);

#endif
