/**
 * A promoter set in the making: inputs, windows, strata, rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PROMOTER_DATA_H
#define BIRD_TRAIN_PROMOTER_DATA_H

#include "base/rng.h"
#include "base/text.h"
#include "data/reference.h"
#include "dnabird/promoter_data.h"
#include "track/output.h"

/* Streams of the generator: one a kind of row. */
enum { STREAM_POSITIVE = 1, STREAM_GENOMIC, STREAM_REPLACED };

struct bird_cut {
    int64_t start; /* of `window` bp */
    int32_t contig;
    char strand;
};

struct bird_promoter_set {
    const bird_promoter_options *o;
    struct bird_reference ref;
    struct bird_places tss, all; /* positives; all that keep negatives away */
    struct bird_places regions, islands; /* merged */
    int64_t *region_sum;       /* (regions.n+1) window starts before region i */
    int64_t *island_sum;       /* (islands.n+1) bases before island i */
    struct bird_cut *positive; /* (n_positive) windows written */
    int64_t n_positive;
    bird_promoter_tally tally;
    char *seq; /* (window) the row's letters */
    struct bird_text line;
};

/** Read all inputs. Errors as bird_promoter_data_write(). */
BIRD_MUST_CHECK int bird_promoter_set_open(struct bird_promoter_set *s,
                                           const bird_promoter_files *files,
                                           const bird_promoter_options *o);
void bird_promoter_set_free(struct bird_promoter_set *s);

/** Place a window so that `pos` stands `offset` bp from its 5' end. */
void bird_cut_place(struct bird_cut *c, int64_t pos, int64_t offset,
                    int64_t window);
/** The base `offset` bp from the window's 5' end. */
int64_t bird_cut_base(const struct bird_cut *c, int64_t offset, int64_t window);
/** Does it lie whole in one region? */
int bird_promoter_set_fits(const struct bird_promoter_set *s,
                           const struct bird_cut *c);
/** Its letters into s->seq; *clean = 0 when too many are unknown. */
BIRD_MUST_CHECK int bird_promoter_set_fetch(struct bird_promoter_set *s,
                                            int *clean,
                                            const struct bird_cut *c);
/**
 * Genomic negative number `row`, its letters in s->seq.
 * Errors: BIRD_EINVAL when no window is found in many draws.
 */
BIRD_MUST_CHECK int
bird_promoter_set_negative(struct bird_promoter_set *s, struct bird_cut *c,
                           enum bird_promoter_stratum *stratum, int64_t row);
/** Replace pieces of s->seq, as negative number `row`. */
BIRD_MUST_CHECK int bird_promoter_set_replace(struct bird_promoter_set *s,
                                              int64_t row);

#endif
