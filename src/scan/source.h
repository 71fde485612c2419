/**
 * Where a scan of sequence takes it from, a stream or regions of an indexed
 * genome, how far it has come, and what its summary says in any case.
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
    bird_progress_call *progress; /* who is told, or NULL */
    void *progress_context;
};

/**
 * Open the FASTA file as a stream; with regions (a list as text, a BED file)
 * as a genome, and read those. `divided`: as a genome in any case, whose
 * contigs are the regions then.
 * Errors: those of bird_fastx_open(), bird_genome_open(), and of regions
 */
BIRD_MUST_CHECK int bird_source_open(struct bird_source *s, const char *fasta,
                                     const char *region, const char *regions,
                                     int divided);

/** Once the regions stand as they are gone through: count their bases. */
void bird_source_count(struct bird_source *s);

/** What to say of the genome's index, or "". Borrowed. */
const char *bird_source_notice(const struct bird_source *s);

/** Units in all, where n of them were in `done` of `total` bytes; -1: not
 *  known. */
int64_t bird_progress_estimate(int64_t n, int64_t done, int64_t total);

/** How far a scan is. */
struct bird_source_place {
    int64_t before; /* of a stream: bp of the contigs that are done */
    int64_t region; /* index of the region; of a stream -1 */
    int64_t end;    /* in the contig at hand */
};

/**
 * Tell how far it is. Of a stream n_read bp were read, more than are done by
 * what is buffered.
 * Errors: BIRD_ECANCELED
 */
BIRD_MUST_CHECK int bird_source_report(struct bird_source *s,
                                       const struct bird_source_place *at,
                                       int64_t n_read);

/**
 * The next part of *start .. limit of a contig that lies in a region, of a
 * stream all of it: into *start and *end. Regions are joined; places are asked
 * for in their order, with one cursor, which begins at 0.
 * @return 1, or 0: there is none
 */
int bird_source_clip(const struct bird_source *s, int64_t *cursor,
                     int64_t contig, int64_t *start, int64_t *end,
                     int64_t limit);

void bird_source_close(struct bird_source *s);

/** Status of what is not scored because its contig is shorter than the window,
 *  or than the context of a bin. */
#define BIRD_STATUS_SHORT "too_short"
/** And because of its share of other characters than A, C, G, T. */
#define BIRD_STATUS_UNKNOWN "too_many_N"

/** Add a sentence to a text of `size` bytes, "; " before it. */
void bird_scan_note(char *text, size_t size, const char *sentence);

/** A width in bp: the option that changes it, as it is, and the model's own
 *  (below 1: it has none). */
struct bird_scan_width {
    const char *option;
    int64_t is, own;
};

/** 1 if any of n widths is not the model's own: a sentence is added to the
 *  notice; else 0. */
int bird_scan_differs(char *notice, size_t size,
                      const struct bird_scan_width *w, int n);

/**
 * Compare a contig's length with `genome` of dnabird.json,
 *     "genome": {"name": "GRCh37", "contigs": {"20": 63025520}},
 * names meeting with and without "chr". Writes one sentence into `notice` (of
 * `size` bytes) when the lengths differ and nothing stands there yet.
 */
void bird_build_check(char *notice, size_t size, const json_t *meta,
                      const char *contig, int64_t length);

#endif
