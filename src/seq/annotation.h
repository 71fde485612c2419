/**
 * Transcription start sites and features of BED, GTF or GFF3, in the memory of
 * one line.
 *
 * Source   GTF 2.2, https://mblab.wustl.edu/GTF22.html; GFF3 1.26,
 *          https://github.com/The-Sequence-Ontology/Specifications
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_ANNOTATION_H
#define BIRD_SEQ_ANNOTATION_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/intervals.h"
#include "seq/bed_line.h"
#include "seq/input.h"

/** As bird_regions_read_bed(), for the rest of an open file. */
BIRD_MUST_CHECK int bird_bed_read(bird_regions *list, struct bird_lines *l);

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
    int is_declared;               /* "##gff-version 3" was read */
    bird_transcript_filter filter; /* borrowed strings */
    int64_t n_feature, n_taken;    /* for GTF and GFF3 */
    struct bird_text types;        /* some of the types in column 3 */
};

/**
 * Open a file; "-" is standard input. Its first line of data shows whether it
 * is BED, or, if that is not clear, its name.
 * Errors: BIRD_EIO; BIRD_EINVAL an attribute of the filter is not KEY=VALUE.
 *
 * @param filter for GTF and GFF3; NULL: the defaults
 */
BIRD_MUST_CHECK int bird_start_sites_open(struct bird_start_sites *s,
                                          const char *path,
                                          const bird_transcript_filter *filter);

/** The same for n bytes in memory, which are copied. */
BIRD_MUST_CHECK int
bird_start_sites_open_memory(struct bird_start_sites *s, const char *name,
                             const void *data, int64_t n,
                             const bird_transcript_filter *filter);
/** Safe on a zeroed one. */
void bird_start_sites_close(struct bird_start_sites *s);

/**
 * The next start site: one base with strand '+' or '-'. Name and score are
 * those of BED; NULL for GTF and GFF3.
 * Errors: BIRD_EIO; BIRD_EFORMAT names file and line, or the file has features,
 * but none of the wanted ones.
 * @return 1 with *out filled, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_start_sites_next(struct bird_start_sites *s,
                                          struct bird_bed_line *out);

/** A whole feature; its strings are valid until the next one is read. A missing
 *  `id`, `parent` or `name` is "". BED has names only. */
struct bird_annotated {
    struct bird_bed_line at; /* name and score are NULL except for BED */
    const char *type;        /* column 3; "" for BED */
    struct bird_text id;     /* GTF: gene_id of a gene; GFF3: ID */
    struct bird_text parent; /* GTF: gene_id of all others; GFF3: the first
                                Parent */
    struct bird_text name;   /* gene_name, Name or gene */
};
void bird_annotated_free(struct bird_annotated *f);

/**
 * The next feature (not start site) of the types and attributes of the filter.
 * Start with *out {0}. Errors and return value: as bird_start_sites_next(), but
 * a file without such features is not an error
 */
BIRD_MUST_CHECK int bird_annotated_next(struct bird_start_sites *s,
                                        struct bird_annotated *out);

#endif
