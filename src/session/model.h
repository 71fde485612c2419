/**
 * The model object (dnabird/session.h) from inside: a folder ready to run.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_MODEL_H
#define BIRD_SESSION_MODEL_H

#include "dnabird/session.h"
#include "dnabird/tokenizer.h"
#include "model/folder.h"
#include "model/weights.h"

/** Start with {0}. */
struct bird_model {
    struct bird_folder folder;
    const float *block; /* in the file, or own */
    float *own;
    struct bird_param *list;
    int64_t n_param;
    struct bird_weights w;
    bird_tokenizer *tokenizer; /* NULL when the folder has none */
    int64_t pad_to;            /* bird_model_run */
};

/**
 * Open the folder at path, or the shipped model when path is NULL.
 * Errors: those of bird_folder_open(); BIRD_EIO no such model
 * @param need_tokenizer 1: a folder without one is an error; 0: it is opened
 * when it is there; -1: it is left alone
 */
BIRD_MUST_CHECK int bird_model_open_as(struct bird_model *m, const char *path,
                                       int need_tokenizer);
/**
 * Take over how it is to be run, before an encoder is made of it.
 * Errors: those of bird_config_run() and bird_weights_prepare()
 */
BIRD_MUST_CHECK int bird_model_prepare(struct bird_model *m,
                                       const bird_model_run *r);

/** The two above, and the checksums of what was opened: a model whose answers
 *  a user keeps. Errors: also those of bird_folder_identify() */
BIRD_MUST_CHECK int bird_model_load(struct bird_model *m, const char *path,
                                    const bird_model_run *r);

/** Errors: BIRD_EINVAL the model does not give probabilities of sequences */
BIRD_MUST_CHECK int bird_model_check_scores(const struct bird_model *m);

/** A model that is being trained, to score with as it is: all is borrowed, and
 *  there is nothing to close. */
void bird_model_view(struct bird_model *m, const struct bird_config *c,
                     const struct bird_weights *w, const bird_tokenizer *t);

void bird_model_drop(struct bird_model *m);

#endif
