/**
 * Sequence that rows are to share nothing with.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_APART_H
#define BIRD_DATA_APART_H

#include "data/references.h"
#include "dnabird/dataset.h"

/**
 * Read the sequences of a table or FASTA file, or with a reference (ref->n > 0)
 * and a name of BED (.bed, .narrowPeak, .broadPeak, .bb, .bigBed) those of the
 * regions, widened by margin_bp and merged.
 * Owner: *out is the caller's, bird_dataset_free(), also on failure; start
 * with {0}
 * Errors: those of bird_dataset_open(); BIRD_ERANGE the reference has not the
 * contig of a region, or it ends before the region; BIRD_EINVAL a sequence shorter
 * than the shared_k bases that are looked for, which would never be found
 */
BIRD_MUST_CHECK int bird_apart_read(bird_dataset *out,
                                    struct bird_reference *ref,
                                    int64_t margin_bp, int64_t shared_k,
                                    const char *path);

#endif
