/**
 * The parts of a genome that a data set is split into.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_PARTS_H
#define BIRD_DATA_PARTS_H

#include "data/references.h"
#include "dnabird/dataset.h"

struct bird_split_part {
    char *name;               /* of its file, without folder and ending */
    int rest;                 /* what lies in no other part */
    struct bird_intervals at; /* merged, within the contigs */
};

/** Start with {0}. */
struct bird_split_parts {
    struct bird_split_part part[BIRD_MAX_PART]; /* (n) */
    int64_t n;
};

/**
 * Read "NAME=WHERE,NAME=WHERE"; WHERE is a BED file, contigs and regions with
 * '+' between them, or "rest". NULL: one part, "all", of everything.
 * Errors: BIRD_EINVAL the text, or a contig that the reference does not have;
 * those of BED files; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_split_read(struct bird_split_parts *p,
                                    struct bird_reference *ref,
                                    const char *text);
void bird_split_free(struct bird_split_parts *p);

#endif
