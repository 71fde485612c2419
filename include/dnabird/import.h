/**
 * Models of others, taken over into a folder of our own.
 *
 * Every command opens Hugging Face's folders as they are; a folder taken over
 * opens faster, keeps what was decided once (which random blocks, a token
 * type, how sequence is cut into k-mers), and does not change any more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_IMPORT_H
#define DNABIRD_IMPORT_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"

typedef struct bird_import_options {
    bird_model_run run;  /* blocks and token_type are kept in dnabird.json;
                              pad_to is not looked at */
    int bf16;            /* weights as bfloat16, rounded; else float32 */
    int64_t kmer_stride; /* > 0: the vocabulary is one of k-mers, cut so far
                              apart: tokenizer.json is made of it */
    const char *vocab;   /* that vocabulary: a token a line, or a JSON object
                              of tokens and ids; NULL: vocab.txt or vocab.json
                              of the folder */
    int no_special;      /* 1: no [CLS] and [SEP] around a sequence of k-mers */
} bird_import_options;

BIRD_API void bird_import_options_default(bird_import_options *o);

/** What was taken over. */
typedef struct bird_import_summary {
    int64_t n_param, n_tensor;
    char weights[64]; /* name of the source's weights, or of their index */
    char blocks[8];   /* random blocks: plan, zero, none */
    char why[96];     /* where that comes from */
    int by_age;       /* 1: from the release that wrote config.json */
    int64_t n_token;  /* of the tokenizer; 0: the folder has none */
    char notice[256]; /* a sentence for the user, or "" */
} bird_import_summary;

/**
 * Write the model of folder `from` as the new folder `to`: config.json,
 * model.safetensors, tokenizer.json, and dnabird.json with where it comes
 * from. The folder appears when it is whole.
 *
 * Errors  those of opening a model; BIRD_EINVAL `to` is there already, options
 *         that do not fit the model, a vocabulary without k-mers; BIRD_EIO
 */
BIRD_API BIRD_MUST_CHECK int bird_import(bird_import_summary *out,
                                         const char *from, const char *to,
                                         const bird_import_options *o);

#endif
