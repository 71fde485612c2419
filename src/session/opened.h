/**
 * A model folder ready to run: weights in memory, tokenizer, pointers.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_OPENED_H
#define BIRD_PREDICT_OPENED_H

#include "dnabird/model.h"
#include "dnabird/tokenizer.h"
#include "model/folder.h"
#include "model/weights.h"

/** Start with {0}. */
struct bird_opened {
    struct bird_folder folder;
    const float *block; /* in the file, or own */
    float *own;
    struct bird_param *list;
    int64_t n_param;
    struct bird_weights w;
    bird_tokenizer *tokenizer; /* NULL when the folder has none */
};

/**
 * Open the folder at path, or the shipped model `fallback` when path is NULL.
 * Errors: those of bird_folder_open(); BIRD_EIO no such model
 * @param need_tokenizer 1: a folder without one is an error; 0: it is opened
 * when it is there; -1: it is left alone
 */
BIRD_MUST_CHECK int bird_opened_open(struct bird_opened *m, const char *path,
                                     const char *fallback, int need_tokenizer);
/**
 * Take over how it is to be run, before an encoder is made of it.
 * Errors: those of bird_config_run() and bird_weights_prepare()
 */
BIRD_MUST_CHECK int bird_opened_run(struct bird_opened *m,
                                    const bird_model_run *r);
void bird_opened_close(struct bird_opened *m);

#endif
