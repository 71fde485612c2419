/**
 * Every hyper-parameter of a model.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_CONFIG_H
#define BIRD_MODEL_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/tokenizer.h"
#include "kernel/kernel.h"
#include "model/heads.h"
#include "pattern/pattern.h"

/** problem_type: which loss the sequence heads take. */
enum bird_problem {
    BIRD_PROBLEM_UNSET,
    BIRD_PROBLEM_REGRESSION,
    BIRD_PROBLEM_SINGLE_LABEL,
    BIRD_PROBLEM_MULTI_LABEL,
    /** Regression on n_label / 2 quantities: their means, then as many log
     *  variances. config.json says regression, dnabird.json `output`. */
    BIRD_PROBLEM_GAUSSIAN
};

/** A layer of the stem, in order: convolution, bias, LayerNorm, activation,
 *  addition of the input, pool. */
struct bird_stem_layer {
    int64_t kernel; /* odd */
    int64_t channels;
    int64_t pool; /* rows that become one: their maximum; 1: none */
    int norm;     /* LayerNorm over channels */
    int residual; /* the layer's input is added to its output */
    enum bird_act act;
};
enum { BIRD_STEM_LAYERS = 8 };

struct bird_config {
    int64_t vocab_size, hidden_size, n_layer, n_head, intermediate_size;
    int64_t max_positions, type_vocab_size, n_label;
    int64_t pad_id, bos_id, eos_id, sep_id, cls_id; /* -1 = not given */
    enum bird_act act;
    char act_name[32];             /* as spelled in the file */
    struct bird_pattern pattern;   /* of the attention; its sizes of the model
                                    are set by bird_pattern_of() */
    struct bird_attention_map map; /* of its scores: dnabird.json; softmax */
    int64_t token_type;            /* of tokens without one: dnabird.json; 0 */
    const struct bird_head_row *head; /* never NULL */
    enum bird_problem problem;
    int use_bias, rescale_embeddings, tie_word_embeddings;
    double layer_norm_eps, initializer_range;
    double hidden_dropout, attention_dropout;
    double classifier_dropout; /* < 0: hidden_dropout */
    char transformers_version[32];
    int own;          /* model_type is dnabird: not a plain BigBird */
    int branch_scale; /* every branch of a layer is multiplied by a learned
                         number; a plain BigBird's are 1 */
    int64_t n_stem;   /* layers of the stem; 0: none, a plain BigBird */
    struct bird_stem_layer stem[BIRD_STEM_LAYERS];
    int64_t bin_bp; /* bases of a bin, of a head over bins; 0: another head */
};

/** A size of the model: its name in config.json and how large it may be. */
struct bird_config_field {
    const char *name;
    size_t offset; /* of an int64_t in struct bird_config */
    int64_t lo, hi;
};
enum { BIRD_CONFIG_SIZES = 8 };
extern const struct bird_config_field bird_config_sizes[BIRD_CONFIG_SIZES];

/** An activation by its name in config.json, and back. Errors: BIRD_EINVAL,
 *  without a sentence */
BIRD_MUST_CHECK int bird_act_named(enum bird_act *out, const char *name);
const char *bird_act_name(enum bird_act act);

/** The reference implementation's defaults (BigBirdConfig). */
void bird_config_default(struct bird_config *c);

/** The attention pattern, with the sizes of the model. */
struct bird_pattern bird_pattern_of(const struct bird_config *c);

/** Check that the tokenizer fits the model: it has no more tokens than the model,
 *  and puts as many global tokens before a text as the pattern has.
 *  Errors: BIRD_EFORMAT; path names the model. */
BIRD_MUST_CHECK int bird_config_check_tokenizer(const struct bird_config *c,
                                                const bird_tokenizer *t,
                                                const char *path);

/**
 * Apply the attention options of `init` and training to c: the pattern's options
 * as bird_pattern_options() takes them, and the map. NULL keeps what c has.
 * Errors: BIRD_EINVAL
 */
BIRD_MUST_CHECK int bird_config_attention(struct bird_config *c,
                                          const char *pattern,
                                          const char *random, const char *parts,
                                          uint64_t seed, const char *map);

/** Check that transformers can compute this model's hidden states and answers
 *  from its config.json. With a linear head on token 0 it computes the hidden
 *  states only.
 *  Errors: BIRD_EUNSUPPORTED says what it cannot. path names the model. */
BIRD_MUST_CHECK int bird_config_transformers(const struct bird_config *c,
                                             const char *path);

/** 1 if other programs must not open the model as a plain BigBird: it has a stem,
 *  answers by bin, scaled branches, another map than softmax, or a causal
 *  pattern. */
int bird_config_is_own(const struct bird_config *c);

/** Check sizes against each other: BIRD_EINVAL with the field's name. */
BIRD_MUST_CHECK int bird_config_check(const struct bird_config *c,
                                      const char *path);

#endif
