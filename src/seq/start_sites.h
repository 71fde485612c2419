/**
 * Transcription start sites in: BED, GTF or GFF3, line by line, plain or
 * compressed, in the memory of one line.
 *
 * Source   GTF 2.2, https://mblab.wustl.edu/GTF22.html; GFF3 1.26,
 *          https://github.com/The-Sequence-Ontology/Specifications
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_START_SITES_H
#define BIRD_SEQ_START_SITES_H

#include "seq/bed_line.h"

enum bird_annotation_format {
    BIRD_ANNOTATION_UNKNOWN, /* before the first line of data */
    BIRD_ANNOTATION_BED,
    BIRD_ANNOTATION_GTF,
    BIRD_ANNOTATION_GFF3
};

/** Start with {0}. */
struct bird_start_sites {
    struct bird_lines lines;
    enum bird_annotation_format format;
    int is_declared;               /* "##gff-version 3" was met */
    bird_transcript_filter filter; /* borrowed texts */
    int64_t n_feature, n_taken;    /* of GTF and GFF3 */
    struct bird_text types;        /* some of those in column 3 */
};

/**
 * Open a file; "-" is standard input. Whether it is BED or not is read off
 * its first line of data, where that leaves a doubt off its name.
 * Errors: BIRD_EIO; BIRD_EINVAL an attribute of the filter is not KEY=VALUE.
 *
 * @param filter of GTF and GFF3; NULL: the defaults
 */
BIRD_MUST_CHECK int bird_start_sites_open(struct bird_start_sites *s,
                                          const char *path,
                                          const bird_transcript_filter *filter);

/** The same over n bytes in memory, which are copied. */
BIRD_MUST_CHECK int
bird_start_sites_open_memory(struct bird_start_sites *s, const char *name,
                             const void *data, int64_t n,
                             const bird_transcript_filter *filter);
/** Safe on a zeroed one. */
void bird_start_sites_close(struct bird_start_sites *s);

/**
 * The next start site: one base, its strand '+' or '-'. Name and score are
 * those of BED; in GTF and GFF3 NULL.
 * Errors: BIRD_EIO; BIRD_EFORMAT names file and line; the file has features
 * and none that was asked for.
 * @return 1 with *out filled, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_start_sites_next(struct bird_start_sites *s,
                                          struct bird_bed_line *out);

#endif
