/**
 * The contigs of a VCF's header against those of the reference.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_CONTIGS_H
#define BIRD_VARIANT_VARIANT_CONTIGS_H

#include "seq/contigs.h"
#include "seq/vcf_in.h"
#include "variant/context.h"

/** Compare the contigs of the header with those of the reference. Different
 *  lengths are warnings in context->build. Errors: BIRD_ERANGE no contig is in
 *  the reference */
BIRD_MUST_CHECK int bird_contigs_check(struct bird_variant_context *context,
                                       const struct bird_vcf *v,
                                       struct bird_contig_map *m);

/** Fail with BIRD_ERANGE: none of the first n records is on a contig of the
 *  reference; `name` is the contig of the first one. */
int bird_contigs_fail(const struct bird_variant_context *context,
                      const struct bird_vcf *v, int64_t n, const char *name);

/** Declare the contigs of the reference that the header lacks, named like
 *  `example` (chr1 or 1), a name that the reference has; NULL: like the first
 *  such name of the header. */
BIRD_MUST_CHECK int
bird_contigs_declare(const struct bird_variant_context *context,
                     struct bird_vcf *v, struct bird_contig_map *m,
                     const char *example);

#endif
