/**
 * The change of motif matches by an allele: the score `motif`.
 *
 * S(m, h) is the highest score of motif m (seq/motif.h, in bits) among the
 * windows of haplotype h, on either strand, that overlap the change; t(m) is
 * the lowest score of m that at most 5e-4 of all words reach. With
 * x+ = max(0, x), the change of a motif and the score of an allele are
 *
 *     d(m)  = (S(m, ALT) - t(m))+ - (S(m, REF) - t(m))+
 *     motif = sum of d(m) over all motifs
 *
 * so the score is positive where ALT has more or stronger matches. Exchanging
 * REF and ALT, or reading the other strand, changes at most the sign.
 *
 * A window overlaps an insertion or deletion if it has a base of the interval
 * in which the change can be placed (repeats are followed for 64 bp on each
 * side), or spans the junction where that interval is empty. Windows with N do
 * not match.
 *
 * Source: the difference of the best matches of both alleles as in motifbreakR
 * (Coetzee et al. 2015, doi:10.1093/bioinformatics/btv470); threshold and sum,
 * which nothing is fitted to, are dnabird's own.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_MOTIF_CHANGE_H
#define BIRD_VARIANT_MOTIF_CHANGE_H

#include "seq/motif.h"
#include "seq/reference.h"
#include "variant/allele.h"

/** Largest p-value of a score above the threshold t(m). */
#define BIRD_MOTIF_CHANGE_P 5e-4

/** The change of an allele, in units of 1 / BIRD_MOTIF_UNIT bits. */
struct bird_motif_change {
    int64_t sum; /* over all motifs */
    /* the motif with the largest change; the rest is set if there is one */
    const struct bird_motif *motif; /* NULL: no match changes; borrowed */
    int64_t change;                 /* d(m) of that motif */
    int64_t pos;                    /* bp on the contig: first base of the best
                                       match, in REF for a loss and in ALT for a
                                       gain. For a match that begins within
                                       inserted bases: the base before them */
    char strand;                    /* of that match: '+' or '-' */
};

struct bird_motif_scan; /* motifs that are ready to score changes */

/**
 * Read a file of motifs; "jaspar": those that come with dnabird. Characters of
 * names that INFO of a VCF does not allow become '_'.
 * Owner   *out is the caller's, bird_motif_scan_free()
 * Errors  those of bird_motifs_open()
 */
BIRD_MUST_CHECK int bird_motif_scan_open(struct bird_motif_scan **out,
                                         const char *path);
void bird_motif_scan_free(struct bird_motif_scan *s);

/** The motifs; borrowed. */
const struct bird_motifs *
bird_motif_scan_motifs(const struct bird_motif_scan *s);

/** Bases on either side of a change that are read. */
int64_t bird_motif_scan_reach(void);

/**
 * Score a change of a contig: any change of known bases, in normal form or not.
 * Errors: those of reading the genome; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_motif_scan_change(struct bird_motif_scan *s,
                                           struct bird_motif_change *out,
                                           bird_genome *g,
                                           struct bird_contig_cache *cache,
                                           const struct bird_change *c);

#endif
