/**
 * Which profiles there are, and where their peaks stand.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PROFILE_LIST_H
#define BIRD_TRAIN_PROFILE_LIST_H

#include <stdint.h>

#include "dnabird/features.h"

struct bird_peak_source {
    char *path;      /* of a file of this profile's peaks, or NULL */
    char *id;        /* what column 4 of a common file calls it, or NULL */
    int32_t profile; /* index into features */
};

/** Start with {0}. */
struct bird_profile_list {
    bird_features features;
    struct bird_peak_source *source; /* (n_source) */
    int64_t n_source, cap_source;
    int has_path, has_id; /* columns that the list has */
};

void bird_profile_list_free(struct bird_profile_list *l);

/**
 * Read a list: TSV with a header line of the columns name (needed), class,
 * cell_type, factor, treatment, index, file, id; others are passed over. Rows
 * of one name are one profile with several sources. A file that does not
 * begin with '/' lies beside the list.
 * Errors: BIRD_EIO; BIRD_EFORMAT with file and line; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_profile_list_read(struct bird_profile_list *l,
                                           const char *path);

/** Append a profile of this name, which the list does not have, and which
 *  column 4 calls so. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_profile_list_add(struct bird_profile_list *l,
                                          const char *name);

/** One profile a file, named as the file without folder and endings.
 *  Errors: BIRD_EINVAL two files of one name. */
BIRD_MUST_CHECK int bird_profile_list_files(struct bird_profile_list *l,
                                            const char *const *path, int64_t n);

#endif
