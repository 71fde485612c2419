/**
 * What a model object consists of. Only src/session and its tests include this
 * file; session/model.h has the facts for the modules above.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_MODEL_PARTS_H
#define BIRD_SESSION_MODEL_PARTS_H

#include "folder/folder.h"
#include "session/model.h"

/** Start with {0}. */
struct bird_model {
    struct bird_folder folder;
    const float *block; /* the weights: in the mapped file, or own */
    float *own;
    struct bird_param *list;
    int64_t n_param;
    struct bird_weights w;
    bird_tokenizer *tokenizer; /* NULL when the folder has none */
    int64_t pad_to;            /* of bird_model_run */
    int borrowed; /* 1: config, weights and tokenizer belong to the caller of
                     bird_model_borrow() */
};

#endif
