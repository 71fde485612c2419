/**
 * What a multi-label model answers: named chromatin profiles and the choice
 * among them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_FEATURES_H
#define DNABIRD_FEATURES_H

#include <stdint.h>

#include "dnabird/error.h"

/** One profile. Texts are never NULL; "" is not known. */
typedef struct bird_feature {
    const char *name;       /* unique in its list */
    const char *class_name; /* "DHS", "TF", "HM" ... */
    const char *cell, *factor, *treatment;
    int64_t index; /* its number in a catalogue, e.g. among DeepSEA's 919;
                      -1: none */
} bird_feature;

/** A list that owns its texts; start with {0}, bird_features_free(). */
typedef struct bird_features {
    bird_feature *at; /* (n) */
    int64_t n, cap;
} bird_features;

BIRD_API void bird_features_free(bird_features *f);

/** Append a copy of *x; its NULL texts become "". Errors: BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_features_put(bird_features *f,
                                               const bird_feature *x);

/**
 * The labels of a model folder (NULL: the shipped model), in the
 * order of its answers.
 *
 * Owner   *out is the caller's; untouched on failure
 * Errors  those of opening a model; BIRD_EINVAL it has no names of labels
 */
BIRD_API BIRD_MUST_CHECK int bird_features_open(bird_features *out,
                                                const char *model);

/**
 * Mark (1) the features that a text chooses, the others 0.
 *
 * The text has terms between commas; a feature is chosen that fits one of
 * them, less those that fit a term with '^' before it; with terms of '^'
 * alone, all less those. A term is
 *     class:X cell:X factor:X treatment:X name:X   X with * ? [ ] is a glob
 *     index:I index:I-J                            of the catalogue
 *     label:I label:I-J                            of this list, from 0
 *     @FILE                                        a term in each line of it
 *     X      a name, else a class, cell type or factor, or a glob on names;
 *            a number or I-J is index:, where the list has a catalogue
 * Comparison is exact but for the case of letters. NULL or "" chooses all.
 *
 * Errors  BIRD_EINVAL a term that fits nothing, or nothing is left; BIRD_EIO
 *
 * @param[out] mark (f->n)
 */
BIRD_API BIRD_MUST_CHECK int
bird_features_select(uint8_t *mark, const bird_features *f, const char *text);

#endif
