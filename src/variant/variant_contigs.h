/**
 * The contigs of a VCF's header against those of the reference.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_CONTIGS_H
#define BIRD_VARIANT_VARIANT_CONTIGS_H

#include "seq/contigs.h"
#include "seq/vcf_in.h"
#include "variant/context.h"

/** Do the header's contigs mean any of the reference's, of the same length?
 *  Other lengths are warnings, in context->build. Errors: BIRD_ERANGE */
BIRD_MUST_CHECK int bird_contigs_check(struct bird_variant_context *context,
                                       const struct bird_vcf *v,
                                       struct bird_contig_map *m);

/** BIRD_ERANGE: none of the first n records, the first of them on contig
 *  `name`, is on a contig of the reference. */
int bird_contigs_fail(const struct bird_variant_context *context,
                      const struct bird_vcf *v, int64_t n, const char *name);

/** Declare those contigs of the reference that no contig of the header means,
 *  named in the manner of `example`, a name that means one (NULL: the first
 *  such name of the header). */
BIRD_MUST_CHECK int
bird_contigs_declare(const struct bird_variant_context *context,
                     struct bird_vcf *v, struct bird_contig_map *m,
                     const char *example);

#endif
