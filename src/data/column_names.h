/**
 * Profiles that column 4 of peak files names.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_COLUMN_NAMES_H
#define BIRD_TRAIN_COLUMN_NAMES_H

#include <jansson.h>
#include <stdint.h>

#include "data/profile_list.h"
#include "seq/bed_line.h"

/** More profiles than this are taken for names of single peaks. */
enum { BIRD_COLUMN_NAMES = 20000 };

/**
 * One profile for each distinct name of column 4, in the order of their
 * bytes; the id of a profile is its name. The files are read to their end,
 * and will be read again: memory is that of the names.
 * Errors: BIRD_EINVAL what cannot be read twice, too many names; BIRD_EIO;
 * BIRD_EFORMAT a line without a name, with file and line; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_profile_list_column(struct bird_profile_list *l,
                                             const char *const *path,
                                             int64_t n);

/** Does column 4 of a file that is one profile look like profiles' names?
 *  Start with {0}. */
struct bird_column_guess {
    json_t *names; /* how often each was met */
    int no;        /* it does not: unnamed lines, or too many names */
};

/** Look at a line. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_column_guess_add(struct bird_column_guess *g,
                                          const struct bird_bed_line *line);
/** At the end of a file: how many names, each met at least twice; 0 when it
 *  does not look so. Empties g for the next file. */
int64_t bird_column_guess_end(struct bird_column_guess *g);

#endif
