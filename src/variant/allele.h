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

/** An insertion or deletion of up to so many bases may be one of a repeat. */
enum { BIRD_REPEAT_BP = 4 };

/**
 * Classes of changes for backgrounds, by kind and length. A change that inserts
 * and deletes counts as the one that has more bases; the length of an insertion
 * or deletion is the difference in length. Lengths: 1, 2 to 4, 5 to 16, and
 * more bases.
 */
enum bird_change_kind {
    BIRD_CPG_TRANSITION,   /* class 0: of a C before G, or of the G */
    BIRD_OTHER_TRANSITION, /* class 1: A and G, or C and T, exchanged */
    BIRD_TRANSVERSION,     /* class 2 */
    BIRD_REPLACED,         /* several bases by as many others */
    BIRD_INSERTION,
    BIRD_INSERTION_REPEAT, /* of up to BIRD_REPEAT_BP bases of which a copy
                              follows: a tandem repeat changes its length */
    BIRD_DELETION,
    BIRD_DELETION_REPEAT
};

enum { BIRD_SINGLE_CLASSES = 3, BIRD_CHANGE_CLASSES = 18 };

/** The class of a change in its normal form, 0 to BIRD_CHANGE_CLASSES - 1, which
 *  the bases of the reference around it decide; the classes of single bases come
 *  first. Errors: those of bird_contig_cache_get() */
BIRD_MUST_CHECK int bird_change_class(int *out, const struct bird_change *c,
                                      struct bird_contig_cache *s,
                                      bird_genome *g);

/** The class of the opposite change: from the genome with the new bases back to
 *  the reference's. Errors: as bird_change_class() */
BIRD_MUST_CHECK int bird_change_class_back(int *out,
                                           const struct bird_change *c,
                                           struct bird_contig_cache *s,
                                           bird_genome *g);

/** Kind, shortest and longest length of a class; INT64_MAX: without limit. */
struct bird_change_range {
    enum bird_change_kind kind;
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
