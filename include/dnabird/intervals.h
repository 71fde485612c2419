/**
 * Regions of a genome: "chr:start-end" in text, BED files, and the choice of
 * transcripts in an annotation.
 *
 * Coordinates are 0-based half-open in base pairs. The text form counts from 1
 * and includes its end, as samtools does: "chr20:101-200" is 100 .. 200.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_INTERVALS_H
#define DNABIRD_INTERVALS_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/reference.h"

BIRD_BEGIN_C

/** The end of a region that goes to the end of its contig. */
#define BIRD_REGION_END INT64_MAX

typedef struct bird_region {
    char *contig;       /* name of the contig */
    int64_t start, end; /* end may be BIRD_REGION_END until resolved */
    char *name;         /* BED column 4, or NULL */
    char *score;        /* BED column 5 as text, or NULL */
    char strand;        /* '+', '-', or '.' for both or unknown */
    int64_t line;       /* line of the BED file, from 1; 0: from text */
    int64_t index;      /* index of the contig once resolved; -1 before */
} bird_region;

/** A growing list; start with {0}. */
typedef struct bird_regions {
    bird_region *at; /* (n) */
    int64_t n, cap;
    char *source; /* the last BED file, for messages; or NULL */
} bird_regions;

BIRD_API void bird_regions_free(bird_regions *list);

/**
 * Append the region that a text names: "chr", "chr:start", "chr:start-",
 * "chr:-end", "chr:start-end"; positions may hold commas. A name that contains
 * ':' can be put in braces, "{HLA:01}:5-90"; otherwise, with a genome, the
 * reading that names a contig is used (it is an error if both do), and without
 * one the last ':' separates.
 *
 * Errors  BIRD_EINVAL malformed, start < 1, end < start, or ambiguous;
 *         BIRD_ERANGE no such contig in g. The list is unchanged.
 *
 * @param g may be NULL
 */
BIRD_API BIRD_MUST_CHECK int
bird_region_parse(bird_regions *list, const char *text, const bird_genome *g);

/** The meaning of a text without an end, "chr:7". */
enum bird_region_point {
    BIRD_POINT_TO_END, /* from 7 to the contig's end, as in samtools */
    BIRD_POINT_BASE    /* the one base, as in bcftools */
};

/**
 * Append the regions of a list: texts as above, separated by commas or blanks.
 * A comma within a position, before three digits, separates thousands; a name
 * with a comma must be in braces.
 *
 * Errors  those of bird_region_parse(); BIRD_EINVAL an empty text. The list is
 *         unchanged.
 */
BIRD_API BIRD_MUST_CHECK int bird_regions_parse(bird_regions *list,
                                                const char *text,
                                                const bird_genome *g,
                                                enum bird_region_point point);

/**
 * Append the regions of -r and -R: those of a list, then those of a BED file,
 * in the given order, resolved on g.
 *
 * Errors  those of bird_regions_parse(), bird_regions_read_bed() and
 *         bird_regions_resolve(); the list may then have some of the regions
 *
 * @param text,bed either may be NULL
 */
BIRD_API BIRD_MUST_CHECK int
bird_regions_read(bird_regions *list, const char *text, const char *bed,
                  const bird_genome *g, enum bird_region_point point);

/**
 * Append the regions of a BED file: plain, gzip or bgzip, or "-"; LF or CRLF;
 * 3 columns or more, separated by tabs (or by blanks if a line has no tab);
 * lines that are blank or start with #, track or browser are skipped. Empty
 * intervals (end = start) are an error.
 *
 * Errors  BIRD_EIO, BIRD_EFORMAT naming file and line. The list is unchanged.
 */
BIRD_API BIRD_MUST_CHECK int bird_regions_read_bed(bird_regions *list,
                                                   const char *path);

/**
 * The features of a GTF or GFF3 file whose start sites are used. {0}:
 * "transcript", and "mRNA" in GFF3, with any attributes.
 */
typedef struct bird_transcript_filter {
    const char *feature;    /* types in column 3, separated by commas; or
                               NULL */
    const char *attributes; /* KEY=VALUE, separated by line feeds: column 9
                               must have all of them; or NULL */
} bird_transcript_filter;

/**
 * Resolve every region on a genome: sets index, and end if it was open.
 *
 * Errors  BIRD_ERANGE no such contig, or beyond its end: names file and line.
 *         The list is unchanged.
 */
BIRD_API BIRD_MUST_CHECK int bird_regions_resolve(bird_regions *list,
                                                  const bird_genome *g);

/**
 * Sort resolved regions by contig and start, and join those that overlap or
 * touch (the first one's name, score and line are kept, and its strand if both
 * are equal, else '.').
 */
BIRD_API void bird_regions_merge(bird_regions *list);

BIRD_END_C

#endif
