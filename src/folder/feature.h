/**
 * Chromatin profiles in a model folder: names are its labels, the rest of each
 * is an object of dnabird.json's list "features".
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_FEATURE_H
#define BIRD_FOLDER_FEATURE_H

#include <jansson.h>

#include "dnabird/features.h"
#include "folder/folder.h"

/**
 * The labels of an opened folder; without names in it they are numbers from 0.
 * Errors: BIRD_EFORMAT a list "features" of another length or form.
 */
BIRD_MUST_CHECK int bird_features_read(bird_features *out,
                                       const struct bird_folder *f);

/** Put "labels", and "features" where more than names is known, into
 *  dnabird.json's object. Errors: BIRD_ENOMEM, BIRD_EFORMAT no UTF-8. */
BIRD_MUST_CHECK int bird_features_describe(json_t *meta,
                                           const bird_features *f);

/** A copy of the list; *out is overwritten. */
BIRD_MUST_CHECK int bird_features_copy(bird_features *out,
                                       const bird_features *f);

/**
 * The labels that dnabird.json names for a command ("promoter", "chromatin"),
 * in its order; all of them where it names none.
 *
 * @param[out] column (f->n) their numbers
 * @return how many
 */
int64_t bird_features_command(int64_t *column, const bird_features *f,
                              const struct bird_folder *folder,
                              const char *command);

/**
 * Mark (1) the labels that a text chooses (bird_features_select()), without one
 * those of a command, the others 0.
 * Errors: those of the choice; BIRD_EINVAL the command has none; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_features_choose(uint8_t *mark, const bird_features *f,
                                         const struct bird_folder *folder,
                                         const char *command, const char *text);

/** Index of the feature of this name; -1: none. */
int64_t bird_features_find(const bird_features *f, const char *name);

/**
 * The classes in the order they are met: *out (n_class) borrowed texts, the
 * array is the caller's; class_of (f->n) which one each feature has.
 */
BIRD_MUST_CHECK int bird_features_classes(const char ***out, int64_t *n_class,
                                          int32_t *class_of,
                                          const bird_features *f);

#endif
