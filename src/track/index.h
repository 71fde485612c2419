/**
 * Indices of bgzipped outputs: tabix (.tbi, or .csi for long contigs) of
 * text, .csi of BCF.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_INDEX_H
#define BIRD_TRACK_INDEX_H

#include <stdint.h>

#include "dnabird/error.h"

enum bird_index_form {
    BIRD_INDEX_BED,   /* chrom, start, end; from 0 */
    BIRD_INDEX_TABLE, /* #CHROM, POS: from 1 */
    BIRD_INDEX_VCF,
    BIRD_INDEX_BCF
};

/** "tbi" or "csi". @param largest_bp positions above 2^29 need csi */
const char *bird_hts_index_kind(enum bird_index_form form, int64_t largest_bp);

/** What sorts such a file, as one would type it. */
const char *bird_hts_index_sort(enum bird_index_form form);

/**
 * Index `file`, which will be called `name`, into a file beside it, whose
 * name *out is then the caller's. Errors: BIRD_EIO; BIRD_EFORMAT rows out of
 * order; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_hts_index_build(char **out, const char *file,
                                         const char *name,
                                         enum bird_index_form form,
                                         int64_t largest_bp);

/** Give it the name that belongs to `name`; one of the other kind, which would
 *  shadow it, is removed. Errors: BIRD_EIO, BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_hts_index_name(const char *index, const char *name,
                                        const char *kind);

/**
 * For a file `name` that is whole and could not be indexed, with the failure
 * rc: what failed costs the index, not the hours that are in the file. An
 * index of an older file of this name would be wrong for it and is removed.
 * Returns rc, and says so.
 */
int bird_hts_index_lost(const char *name, int rc);

#endif
