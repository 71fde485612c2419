/**
 * Where a scan of sequence takes it from, a stream or regions of an indexed
 * genome, how far it has come, and what its summary says in any case.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_SOURCE_H
#define BIRD_PREDICT_SOURCE_H

#include <jansson.h>

#include "dnabird/fastx.h"
#include "dnabird/genome.h"
#include "dnabird/region.h"
#include "model/config.h"

/** Start with {0}. */
struct bird_source {
    bird_fastx *stream;        /* of the whole file, or NULL */
    bird_genome *genome;       /* of regions, or NULL */
    bird_regions regions;      /* of genome, in the order given */
    int64_t total_bp;          /* of the regions */
    int64_t region, region_bp; /* regions done, and their bp */
    int64_t clip;              /* those that bird_source_clip() is behind */
};

/**
 * Open the FASTA file as a stream; with regions (a list as text, a BED file)
 * as a genome, and read those.
 * Errors: those of bird_fastx_open(), bird_genome_open(), and of regions
 */
BIRD_MUST_CHECK int bird_source_open(struct bird_source *s, const char *fasta,
                                     const char *region, const char *regions);

/** Once the regions stand as they are gone through: count their bases. */
void bird_source_count(struct bird_source *s);

/** What to say of the genome's index, or "". Borrowed. */
const char *bird_source_notice(const struct bird_source *s);

/** Who is told how far a scan is: bases of sequence, work done and in all
 *  (0: not known); nonzero stops it. */
typedef int bird_source_watch(void *context, int64_t n_bp, int64_t done,
                              int64_t total);

/**
 * Tell how far it is: n_bp of the stream, or regions up to `end` in region
 * number `region`.
 * Errors: BIRD_ECANCELED
 */
BIRD_MUST_CHECK int bird_source_report(struct bird_source *s,
                                       bird_source_watch *watch, void *context,
                                       int64_t n_bp, int64_t region,
                                       int64_t end);

/**
 * The next part of *start .. limit of a contig that lies in a region, of a
 * stream all of it: into *start and *end. Regions are joined; places are asked
 * for in their order.
 * @return 1, or 0: there is none
 */
int bird_source_clip(struct bird_source *s, int64_t contig, int64_t *start,
                     int64_t *end, int64_t limit);

void bird_source_close(struct bird_source *s);

/** Errors: BIRD_EINVAL the model at path does not give probabilities of
 *  sequences */
BIRD_MUST_CHECK int bird_source_check_model(const struct bird_config *c,
                                            const char *path);

/** What every scan's summary has. */
struct bird_scan_facts {
    const char *model, *digest, *warning, *notice;
    int64_t n_contig, n_empty, n_bp, n_unknown, n_trimmed, n_row;
    double threshold, seconds;
};

/** Put them into the object j. */
BIRD_MUST_CHECK int bird_scan_describe(json_t *j,
                                       const struct bird_scan_facts *f);

#endif
