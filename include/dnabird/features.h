/**
 * The outputs of a multi-label model: named chromatin profiles, and how to
 * choose among them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_FEATURES_H
#define DNABIRD_FEATURES_H

#include <stdint.h>

#include "dnabird/error.h"

BIRD_BEGIN_C

/** One profile. Strings are never NULL; "" means unknown. */
typedef struct bird_feature {
    const char *name;       /* unique in its list */
    const char *class_name; /* "DHS", "TF", "HM" ... */
    const char *cell, *factor, *treatment;
    int64_t index; /* number in a catalogue, for instance DeepSEA's 919; -1:
                      none */
} bird_feature;

/** A list that owns its strings; start with {0}, free with
 *  bird_features_free(). */
typedef struct bird_features {
    bird_feature *at; /* (n) */
    int64_t n, cap;
} bird_features;

BIRD_API void bird_features_free(bird_features *f);

/** Append a copy of *x; NULL strings become "". Errors: BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_features_put(bird_features *f,
                                               const bird_feature *x);

/**
 * The labels of a model folder (NULL: the shipped model), in the
 * order of its answers.
 *
 * Owner   *out is the caller's; untouched on failure
 * Errors  those of opening a model; BIRD_EINVAL its labels have no names
 */
BIRD_API BIRD_MUST_CHECK int bird_features_open(bird_features *out,
                                                const char *model);

/**
 * Mark the features that a text chooses with 1, the others with 0.
 *
 * The text is a comma-separated list of terms. Features that match a term are
 * chosen, except those that match a term with '^' in front. If all terms have
 * '^', all other features are chosen. A term is
 *     class:X cell:X factor:X treatment:X name:X   X with * ? [ ] is a glob
 *     index:I index:I-J                            in the catalogue
 *     label:I label:I-J                            in this list, from 0
 *     @FILE                                        a term on each line of FILE
 *     X      a name, else a class, cell type or factor, or a glob on names;
 *            a number or I-J means index: if the list has a catalogue
 * Comparison ignores case. NULL or "" chooses all.
 *
 * Errors  BIRD_EINVAL a term without a match, or no feature is left; BIRD_EIO
 *
 * @param[out] mark (f->n)
 */
BIRD_API BIRD_MUST_CHECK int
bird_features_select(uint8_t *mark, const bird_features *f, const char *text);

BIRD_END_C

#endif
