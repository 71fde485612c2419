/**
 * Where a scan takes its sequences from: a stream of a whole file, or regions
 * of an indexed genome. How far it has come, and the notices about model and
 * genome that `promoter`, `chromatin` and `variant` share.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SCAN_SOURCE_H
#define BIRD_SCAN_SOURCE_H

#include <jansson.h>

#include "dnabird/intervals.h"
#include "dnabird/progress.h"
#include "dnabird/reference.h"
#include "model/config.h"

/** Start with {0}. */
struct bird_source {
    bird_fastx *stream;           /* of the whole file, or NULL */
    bird_genome *genome;          /* of regions, or NULL */
    bird_regions regions;         /* of genome, in the order given */
    int64_t total_bp;             /* of the regions */
    int64_t region, region_bp;    /* regions done, and their bp */
    bird_progress_call *progress; /* NULL: nobody is told */
    void *progress_context;
};

/**
 * Open the FASTA file as a stream; with regions (a list as text, a BED file) as
 * a genome, and read these.
 * Errors: those of bird_fastx_open(), bird_genome_open(), and of regions
 * @param divided  1: open a genome in any case; without regions its contigs are
 *                 the regions
 */
BIRD_MUST_CHECK int bird_source_open(struct bird_source *s, const char *fasta,
                                     const char *region, const char *regions,
                                     int divided);

/** Count the bases of the regions, once their order is final. */
void bird_source_count(struct bird_source *s);

/** A sentence about the genome's index for the user, or "". Borrowed. */
const char *bird_source_notice(const struct bird_source *s);

/** bird_progress.share: `done` of the n_read units that the first `byte` bytes of
 *  an input of n_byte hold are computed. */
double bird_progress_share(int64_t done, int64_t n_read, int64_t byte,
                           int64_t n_byte);

/** How far a scan is. */
struct bird_source_position {
    int64_t before; /* of a stream: bp of the contigs that are done */
    int64_t region; /* index of the region; of a stream -1 */
    int64_t end;    /* in the current contig */
};

/**
 * Report progress.
 * Errors: BIRD_ECANCELED
 * @param n_read  bases read from a stream: buffered bases that are not yet
 *                scored included
 */
BIRD_MUST_CHECK int bird_source_report(struct bird_source *s,
                                       const struct bird_source_position *at,
                                       int64_t n_read);

/**
 * Find the next part of *start .. limit of a contig that lies in a region (of a
 * stream: all of it), and write it to *start and *end. Regions must be joined,
 * and queries sorted; all queries share one cursor, which starts at 0.
 * @return 1, or 0: there is none
 */
int bird_source_clip(const struct bird_source *s, int64_t *cursor,
                     int64_t contig, int64_t *start, int64_t *end,
                     int64_t limit);

void bird_source_close(struct bird_source *s);

/** Status of a bin that is not scored because its contig is shorter than the
 *  context. */
#define BIRD_STATUS_SHORT "too_short"
/** Status for a too large share of characters other than A, C, G, T. */
#define BIRD_STATUS_UNKNOWN "too_many_N"

/** Append a sentence to a text of `size` bytes, after "; ". */
void bird_scan_note(char *text, size_t size, const char *sentence);

/** A width in bp: the option that sets it, its value, and the model's own value
 *  (below 1: the model has none). */
struct bird_scan_width {
    const char *option;
    int64_t is, own;
};

/** Returns 1 and adds a sentence to the notice if any of n widths is not the
 *  model's own; else 0. */
int bird_scan_differs(char *notice, size_t size,
                      const struct bird_scan_width *w, int n);

/**
 * Compare a contig's length with `genome` of dnabird.json,
 *     "genome": {"name": "GRCh37", "contigs": {"20": 63025520}},
 * where "chr20" and "20" are the same name. When the lengths differ and
 * `notice` (of `size` bytes) is still empty, write one sentence to it.
 */
void bird_build_check(char *notice, size_t size, const json_t *meta,
                      const char *contig, int64_t length);

#endif
