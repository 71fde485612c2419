/**
 * Regions of a genome: "chr:start-end" in text, BED files, and which
 * transcripts of an annotation are meant.
 *
 * Inside, coordinates are 0-based half-open in base pairs. The text form
 * counts from 1 and includes its end, as samtools does: "chr20:101-200" is 100
 * .. 200.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_INTERVALS_H
#define DNABIRD_INTERVALS_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/reference.h"

/** The end of a region that goes to the end of its contig. */
#define BIRD_REGION_END INT64_MAX

typedef struct bird_region {
    char *contig;       /* name of the contig */
    int64_t start, end; /* end may be BIRD_REGION_END until resolved */
    char *name;         /* BED column 4, or NULL */
    char *score;        /* BED column 5 as it stands, or NULL */
    char strand;        /* '+', '-', or '.' for both or unknown */
    int64_t line;       /* in its BED file, from 1; 0 when from text */
    int64_t index;      /* of the contig once resolved; -1 before */
} bird_region;

/** A growing list; start with {0}. */
typedef struct bird_regions {
    bird_region *at; /* (n) */
    int64_t n, cap;
    char *source; /* BED file read last, for sentences; or NULL */
} bird_regions;

BIRD_API void bird_regions_free(bird_regions *list);

/**
 * Append the region that a text names: "chr", "chr:start", "chr:start-",
 * "chr:-end", "chr:start-end"; positions may hold commas. A name that itself
 * holds ':' may stand in braces, "{HLA:01}:5-90"; otherwise, with a genome,
 * what names a contig of it is taken (both ways possible is an error), and
 * without one the last ':' divides.
 *
 * Errors  BIRD_EINVAL malformed, start < 1, end < start, or ambiguous;
 *         BIRD_ERANGE no such contig in g. The list is untouched.
 *
 * @param g may be NULL
 */
BIRD_API BIRD_MUST_CHECK int
bird_region_parse(bird_regions *list, const char *text, const bird_genome *g);

/** What a text without an end, "chr:7", means. */
enum bird_region_point {
    BIRD_POINT_TO_END, /* from 7 to the contig's end, as in samtools */
    BIRD_POINT_BASE    /* the one base, as in bcftools */
};

/**
 * Append the regions of a list: texts as above, between commas or blanks.
 * A comma before three digits that end a position's number or go on with '-'
 * divides thousands; a name with a comma stands in braces.
 *
 * Errors  those of bird_region_parse(); BIRD_EINVAL no text is there. The
 *         list is untouched.
 */
BIRD_API BIRD_MUST_CHECK int bird_regions_parse(bird_regions *list,
                                                const char *text,
                                                const bird_genome *g,
                                                enum bird_region_point point);

/**
 * Append what -r and -R name together: the regions of a list, then those of a
 * BED file, in the order given, placed on g.
 *
 * Errors  those of bird_regions_parse(), bird_regions_read_bed() and
 *         bird_regions_resolve(); the list then may have some of them
 *
 * @param text,bed either may be NULL
 */
BIRD_API BIRD_MUST_CHECK int
bird_regions_read(bird_regions *list, const char *text, const char *bed,
                  const bird_genome *g, enum bird_region_point point);

/**
 * Append the regions of a BED file: plain, gzip or bgzip, or "-"; LF or CRLF;
 * 3 columns or more, divided by tabs (or blanks where a line has no tab);
 * lines that are blank or start with #, track or browser are passed over.
 * Empty intervals (end = start) are refused: nothing can be computed there.
 *
 * Errors  BIRD_EIO, BIRD_EFORMAT naming file and line. The list is untouched.
 */
BIRD_API BIRD_MUST_CHECK int bird_regions_read_bed(bird_regions *list,
                                                   const char *path);

/**
 * Which features of a GTF or GFF3 file are transcripts whose start sites are
 * meant. {0}: "transcript", in GFF3 "mRNA" too, whatever their attributes.
 */
typedef struct bird_transcript_filter {
    const char *feature;    /* types in column 3, between commas; or NULL */
    const char *attributes; /* KEY=VALUE, a line feed between two: all must be
                               among those of column 9; or NULL */
} bird_transcript_filter;

/**
 * Place every region on a genome: sets index, and end where it was open.
 *
 * Errors  BIRD_ERANGE no such contig, or off its end: names file and line.
 *         The list is untouched.
 */
BIRD_API BIRD_MUST_CHECK int bird_regions_resolve(bird_regions *list,
                                                  const bird_genome *g);

/**
 * Sort resolved regions by contig and start, and join those that overlap or
 * touch (the first one's name, score, strand and line stay; a joint strand
 * that differs becomes '.').
 */
BIRD_API void bird_regions_merge(bird_regions *list);

#endif
