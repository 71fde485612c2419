/**
 * The index of a VCF or BCF, for vcf_in.c: which records overlap some
 * intervals, and where the file has them. All positions are 0-based and end
 * after the last base.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_VCF_INDEX_H
#define BIRD_SEQ_VCF_INDEX_H

#include <htslib/bgzf.h>
#include <htslib/vcf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"
#include "seq/contigs.h"
#include "seq/intervals.h"

struct bird_vcf_index;

/**
 * Load the index beside a file; one that is older than the file is not used.
 *
 * Owner   *out is the caller's; path and header are borrowed while it lives
 * Errors  BIRD_ENOMEM
 *
 * @param why    gets the sentence on an index that exists and is not used
 * @param header of a BCF; NULL: VCF
 * @return 1 with *out, or 0: no index
 */
BIRD_MUST_CHECK int bird_vcf_index_open(struct bird_vcf_index **out,
                                        struct bird_text *why, const char *path,
                                        const bcf_hdr_t *header);
void bird_vcf_index_free(struct bird_vcf_index *x);

/** Name of contig i in the file, borrowed; NULL after the last. */
const char *bird_vcf_index_contig(const struct bird_vcf_index *x, int64_t i);

/** Read records of these intervals, whose contigs the map finds. Errors:
 *  BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_vcf_index_limit(struct bird_vcf_index *x,
                                         const struct bird_intervals *in,
                                         struct bird_contig_map *map);

/** Bring the file to the next record that may be in an interval. Errors:
 *  BIRD_EFORMAT, BIRD_ENOMEM. @return 1, or 0: there are no more */
BIRD_MUST_CHECK int bird_vcf_index_seek(struct bird_vcf_index *x, BGZF *f);

/** The file has ended, and so has the span that is being read. */
void bird_vcf_index_end(struct bird_vcf_index *x);

/**
 * Does the record read after bird_vcf_index_seek() overlap an interval? Each record
 * is taken once, in the order of the file.
 * Errors: BIRD_EFORMAT the index is another file's
 * @return 1 or 0
 */
BIRD_MUST_CHECK int bird_vcf_index_takes(struct bird_vcf_index *x,
                                         const char *contig, int64_t start,
                                         int64_t end);

/** The span that is being read as "chr1:5-900" (1-based), into out (size). */
void bird_vcf_index_span(const struct bird_vcf_index *x, char *out,
                         size_t size);

/** Base pairs of the intervals that were read, and in all. */
void bird_vcf_index_progress(const struct bird_vcf_index *x, int64_t *done,
                             int64_t *total);

#endif
