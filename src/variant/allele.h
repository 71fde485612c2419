/**
 * Alleles: which kind of text an ALT is, and the normal form that equal
 * variants share: trimmed to the bases that differ, and as far left as possible
 * (Tan, Abecasis, Kang 2015, Bioinformatics 31:2202).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_ALLELE_H
#define BIRD_VARIANT_ALLELE_H

#include "base/text.h"
#include "dnabird/variant.h"
#include "seq/reference.h"

/**
 * The kind of an ALT: BIRD_VARIANT_OK (A, C, G, T, U in either case),
 * AMBIGUOUS, SPANNED, SYMBOLIC or MALFORMED.
 */
enum bird_variant_status bird_allele_kind(const char *alt);

/**
 * Compare REF with the bases of the reference (upper case): OK, AMBIGUOUS (they
 * may agree, but one has a code for several bases), REF_MISMATCH, or MALFORMED.
 */
enum bird_variant_status bird_allele_check(const char *ref, const char *bases);

/** Replace start .. end of a contig by alt. */
struct bird_change {
    int64_t contig, start, end; /* bp; start == end: an insertion */
    struct bird_text alt;       /* A, C, G, T; empty: a deletion */
};

void bird_change_free(struct bird_change *c);

/**
 * Classes of changes for backgrounds, by kind and length. Kinds: as many bases
 * replaced, insertion, deletion; a change that inserts and deletes counts as
 * the one that has more bases. Lengths: 1, 2 to 4, 5 to 16, and more bases; of
 * an insertion or deletion the difference in length. Class 0 is the single-base
 * change.
 */
enum {
    BIRD_CHANGE_KINDS = 3,
    BIRD_CHANGE_LENGTHS = 4,
    BIRD_CHANGE_CLASSES = BIRD_CHANGE_KINDS * BIRD_CHANGE_LENGTHS
};
int bird_change_class(const struct bird_change *c);

/** Shortest and longest length of a class, INT64_MAX for the last lengths.
 *  Kinds are 0 replaced, 1 insertion, 2 deletion. */
struct bird_change_range {
    int kind;
    int64_t least, most;
};
struct bird_change_range bird_change_range(int change_class);

/**
 * Normalize a change: c->contig and c->start say where ref begins, and the rest
 * of *c is filled. ref has the bases of the reference there; both are A, C, G,
 * T in either case.
 * Errors: those of bird_contig_cache_get(); BIRD_ENOMEM
 *
 * @return 1; 0 if ref and alt are equal
 */
BIRD_MUST_CHECK int bird_change_normal(struct bird_change *c,
                                       struct bird_contig_cache *s,
                                       bird_genome *g, const char *ref,
                                       const char *alt);

#endif
