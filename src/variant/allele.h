/**
 * What an ALT says, and the one form that equal variants share: trimmed to
 * what differs and moved as far left as it goes (Tan, Abecasis, Kang 2015,
 * Bioinformatics 31:2202).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_ALLELE_H
#define BIRD_VARIANT_ALLELE_H

#include "base/text.h"
#include "dnabird/variant.h"
#include "seq/reference.h"

/**
 * What can be said of an ALT by itself: BIRD_VARIANT_OK (A, C, G, T, U in
 * either case), AMBIGUOUS, SPANNED, SYMBOLIC or MALFORMED.
 */
enum bird_variant_status bird_allele_kind(const char *alt);

/**
 * REF against the bases of the reference (upper case): OK, AMBIGUOUS (they
 * may agree, but one has a letter for several bases), REF_MISMATCH, or
 * MALFORMED.
 */
enum bird_variant_status bird_allele_check(const char *ref, const char *bases);

/** Replace start .. end of a contig by alt. */
struct bird_change {
    int64_t contig, start, end; /* bp; start == end: an insertion */
    struct bird_text alt;       /* A, C, G, T; empty: a deletion */
};

void bird_change_free(struct bird_change *c);

/**
 * Classes of changes by kind and length, for backgrounds: bases replaced by as
 * many, insertions and deletions (of both, by which is more), each of 1, of 2
 * to 4, of 5 to 16 and of more bases; an insertion or deletion by how many more
 * or fewer there are. Class 0 is the single-base change.
 */
enum {
    BIRD_CHANGE_KINDS = 3,
    BIRD_CHANGE_LENGTHS = 4,
    BIRD_CHANGE_CLASSES = BIRD_CHANGE_KINDS * BIRD_CHANGE_LENGTHS
};
int bird_change_class(const struct bird_change *c);

/** Fewest and most bases of the lengths of a class; the last have no most:
 *  INT64_MAX. Kinds are 0 replaced, 1 insertion, 2 deletion. */
struct bird_change_range {
    int kind;
    int64_t least, most;
};
struct bird_change_range bird_change_range(int change_class);

/**
 * The change from an interval of the reference that begins at `pos` to `alt`,
 * in its normal form. ref (n_ref bases) is what the reference has there;
 * both of A, C, G, T, either case.
 * Errors: those of bird_contig_cache_get(); BIRD_ENOMEM
 *
 * @return 1 done; 0 the two are equal: nothing changes
 */
BIRD_MUST_CHECK int bird_change_normal(struct bird_change *c,
                                       struct bird_contig_cache *s,
                                       bird_genome *g, const char *ref,
                                       const char *alt);

#endif
