/**
 * Where the records of some intervals stand in a bgzipped VCF or BCF, by its
 * index (.csi, .tbi). A part of vcf_in.c: types of htslib show.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_VCF_INDEX_H
#define BIRD_SEQ_VCF_INDEX_H

#include <htslib/bgzf.h>
#include <htslib/vcf.h>

#include "seq/contigs.h"
#include "seq/intervals.h"

struct bird_vcf_index;

/**
 * Load the index beside a file. One that is older than the file is not taken.
 *
 * Owner   *out is the caller's, path and header are borrowed
 * Errors  BIRD_ENOMEM
 *
 * @param header of a BCF; NULL: VCF
 * @param why    gets the sentence on an index that is there and not taken
 * @return 1 with *out, or 0: no index
 */
BIRD_MUST_CHECK int bird_vcf_index_open(struct bird_vcf_index **out,
                                        struct bird_text *why, const char *path,
                                        const bcf_hdr_t *header);
void bird_vcf_index_free(struct bird_vcf_index *x);

/** Contigs that it knows, by their names in the file; NULL behind the last. */
const char *bird_vcf_index_contig(const struct bird_vcf_index *x, int64_t i);

/**
 * Look for records of these intervals, whose contigs the map finds.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_vcf_index_limit(struct bird_vcf_index *x,
                                         const struct bird_intervals *in,
                                         struct bird_contig_map *map);

/**
 * Bring the file to the next record that may be one of them.
 * Errors: BIRD_EIO, BIRD_EFORMAT the file cannot be read there
 * @return 1, or 0: there are no more
 */
BIRD_MUST_CHECK int bird_vcf_index_seek(struct bird_vcf_index *x, BGZF *f);

/** The file ended: so does the span that is being read. */
void bird_vcf_index_end(struct bird_vcf_index *x);

/**
 * Is the record that was read there, start .. end of a contig, one of them?
 * Each is so once, in the order of the file.
 * Errors: BIRD_EFORMAT the index is another file's
 */
BIRD_MUST_CHECK int bird_vcf_index_takes(struct bird_vcf_index *x,
                                         const char *contig, int64_t start,
                                         int64_t end);

/** "chr1:5-900", the span that is being read. */
void bird_vcf_index_place(const struct bird_vcf_index *x, char *out,
                          size_t size);

/** Base pairs of the intervals done, and in all. */
void bird_vcf_index_progress(const struct bird_vcf_index *x, int64_t *done,
                             int64_t *total);

#endif
