/**
 * Windows around a change: on the reference, or on the haplotype that has ALT
 * in place of REF. The same for every kind of model; the layout of the model
 * says how long a window is, where it may begin, and which bins are read.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_WINDOW_H
#define BIRD_VARIANT_EFFECT_WINDOW_H

#include "base/text.h"
#include "seq/reference.h"
#include "session/layout.h"
#include "variant/allele.h"

/** A contig with a change put in. All is borrowed. */
struct bird_haplotype {
    bird_genome *genome;
    struct bird_contig_cache *cache; /* of the genome's bases */
    int64_t contig;
    const struct bird_change *change; /* NULL: the contig of the reference */
    int64_t ahead_bp; /* bases further left that are read as well, so that the
                         cache also serves the next window */
};

/** Bases of the contig with its change. */
int64_t bird_haplotype_length(const struct bird_haplotype *h);

/** Append bases start .. end of the haplotype; N beyond its ends.
 *  Errors: those of reading the genome; BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_haplotype_put(struct bird_text *out,
                                       const struct bird_haplotype *h,
                                       int64_t start, int64_t end);

/** Where windows lie; fixed for a model, its options and one shift. */
struct bird_window_rule {
    struct bird_layout layout;
    int64_t step_bp;  /* windows begin at multiples of it, before the shift */
    int64_t shift_bp; /* windows lie so many bases further right */
    int centred;      /* 1: of the windows at a multiple of step_bp + shift_bp
                         the one whose middle is nearest to the change; 0: the
                         nearest at a multiple, then moved by shift_bp */
    int64_t span_bp;  /* bins within so many bases of the change are read */
};

struct bird_window_position {
    int64_t start, end; /* on a grid they may lie beyond the contig's ends */
    int moved;          /* 1: an end of the contig moved the window inward */
    int cut;            /* 1: the contig is shorter than the window */
};

/**
 * The window of a change on a haplotype of this length: its middle is the first
 * base of the change, or the middle of a replaced stretch that is longer than
 * half a window. Without a grid the window moves inward at the contig's ends,
 * and a contig that is shorter than the window is the window.
 * @param centre  base that the window lies around instead; -1: none
 */
struct bird_window_position
bird_effect_window_place(const struct bird_window_rule *r,
                         const struct bird_change *c, int64_t centre,
                         int64_t length);

/** Do the replaced bases lie in the window, outside of its margins? */
int bird_effect_window_holds(const struct bird_window_rule *r,
                             const struct bird_window_position *at,
                             const struct bird_change *c);

/** Bins first .. end-1 of a window, the first of which begins at its start. */
struct bird_bin_range {
    int64_t first, end;
};

/** The bins that are read for a change which the window holds: those that
 *  overlap its replaced bases +- span_bp, without margins and on the contig. */
struct bird_bin_range bird_effect_window_bins(const struct bird_window_rule *r,
                                              int64_t start,
                                              const struct bird_change *c,
                                              int64_t length);

enum { BIRD_PLUS_STRAND, BIRD_MINUS_STRAND };

/** The bases of a window. Start with {.contig = -1}. */
struct bird_effect_window {
    int64_t contig, start, end;
    int64_t n_inside, n_unknown; /* bases on the contig; of these not A, C, G
                                    or T */
    struct bird_text bases[2];   /* of each strand, 5' to 3' */
    int64_t version;             /* grows with every new content */
};

/** Read the bases of a window, unless they are at hand: only those of the
 *  reference are kept. Errors: those of reading the genome; BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_effect_window_fetch(struct bird_effect_window *w,
                         const struct bird_haplotype *h,
                         const struct bird_window_position *at);
void bird_effect_window_free(struct bird_effect_window *w);

#endif
