/**
 * The model object (dnabird/session.h) for the modules above the session: how
 * it is opened, and its facts. The struct itself is private
 * (session/model_parts.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_MODEL_H
#define BIRD_SESSION_MODEL_H

#include <jansson.h>

#include "dnabird/features.h"
#include "dnabird/session.h"
#include "dnabird/tokenizer.h"
#include "model/config.h"
#include "model/weights.h"

/* --- opening ------------------------------------------------------------- */

/** What a model is opened for. Start with {0}. */
struct bird_model_use {
    int no_tokenizer; /* 1: tokenizer.json is not opened; 0: a folder without
                         one is an error */
    const bird_model_run *run; /* NULL: the weights are to be copied, not run:
                                  an encoder on them fails */
    int identify; /* 1: compute the digest and compare the checksums of
                     dnabird.json: a model whose answers a user keeps */
};

/**
 * bird_model_open() for another use; close with bird_model_close().
 * Errors: those of bird_folder_open(), bird_config_run(),
 * bird_weights_prepare(), and with `identify` of bird_folder_identify();
 * BIRD_EINVAL a tokenizer is needed and missing
 * @param folder  NULL: the model that comes with dnabird
 */
BIRD_MUST_CHECK int bird_model_open_for(bird_model **out, const char *folder,
                                        const struct bird_model_use *use);

/**
 * A model object on weights that are being trained. The caller keeps config,
 * weights and tokenizer, which must outlive the object; close it with
 * bird_model_close(). Such a model has no path, no digest and no dnabird.json.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_model_borrow(bird_model **out,
                                      const struct bird_config *c,
                                      const struct bird_weights *w,
                                      const bird_tokenizer *t);

/** Errors: BIRD_EINVAL the model does not give probabilities of sequences */
BIRD_MUST_CHECK int bird_model_check_scores(const bird_model *m);

/** Errors: BIRD_EINVAL the model gives neither probabilities nor measured values
 *  of sequences */
BIRD_MUST_CHECK int bird_model_check_answers(const bird_model *m);

/* --- facts; what is returned is borrowed from the model ------------------- */

/** Path of the folder; "the model" where the weights are borrowed. */
const char *bird_model_path(const bird_model *m);
/** "" when it was not computed (bird_model_use.identify). */
const char *bird_model_digest(const bird_model *m);

enum { BIRD_MODEL_TITLE = 192 };
/** Name and digest, as outputs name their model (bird_folder_title()). */
void bird_model_title(char out[BIRD_MODEL_TITLE], const bird_model *m);

const struct bird_config *bird_model_config(const bird_model *m);
const struct bird_weights *bird_model_weights(const bird_model *m);
/** NULL when none was opened. */
const bird_tokenizer *bird_model_tokenizer(const bird_model *m);
/** The object of dnabird.json; NULL: none. */
const json_t *bird_model_meta(const bird_model *m);
/** Names of the labels as a JSON array; NULL: none. */
const json_t *bird_model_label_names(const bird_model *m);
/** (n_label) the label that each label becomes on the other strand; NULL:
 *  every label stays the same. */
const int32_t *bird_model_strand_pair(const bird_model *m);
/** BIRD_EINVAL: a strand other than MODEL, PLUS and BOTH was asked for. */
BIRD_MUST_CHECK int bird_model_strand_check(enum bird_strand asked);

/** The strand that was asked for; for BIRD_STRAND_MODEL the strand of the model
 *  folder. */
enum bird_strand bird_model_strand(const struct bird_model *m,
                                   enum bird_strand asked);
/** Bases from one window to the next; 0: the folder does not say. */
int64_t bird_model_stride(const bird_model *m);

/** The labels as features (bird_features_read()).
 *  Errors: BIRD_EFORMAT, BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_model_features(bird_features *out,
                                        const bird_model *m);
/** The labels that dnabird.json names for a command
 *  (bird_features_command()). */
int64_t bird_model_features_command(int64_t *column, const bird_features *f,
                                    const bird_model *m, const char *command);
/** Mark the labels that a text chooses (bird_features_choose()).
 *  Errors: as that function */
BIRD_MUST_CHECK int bird_model_features_choose(uint8_t *mark,
                                               const bird_features *f,
                                               const bird_model *m,
                                               const char *command,
                                               const char *text);

/** BIRD_EINVAL and a message: the folder gives no window; `option` does. */
int bird_model_fail_window(const bird_model *m, const char *option);

/** Are the folder's files still those that were opened?
 *  Errors: BIRD_EIO a file was written meanwhile */
BIRD_MUST_CHECK int bird_model_check_stamp(const bird_model *m);

#endif
