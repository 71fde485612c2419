/**
 * From the record of a VCF to changes: the contig, REF compared with the
 * reference, kind and normal form of each allele.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_SITE_H
#define BIRD_VARIANT_VARIANT_SITE_H

#include "seq/contigs.h"
#include "seq/intervals.h"
#include "seq/vcf_in.h"
#include "variant/context.h"
#include "variant/effect.h"
#include "variant/variant_score.h"
#include "variant/zero_shot.h"

struct bird_snv_lookup;

/** Start with {0}; context and map are borrowed. */
struct bird_sites {
    struct bird_variant_context *context;
    struct bird_contig_map *map;
    enum bird_ref_policy policy;
    const char *file;                 /* name of the VCF, for messages */
    const struct bird_intervals *in;  /* NULL: everywhere */
    struct bird_snv_lookup *table;    /* NULL: no table; borrowed */
    int64_t n_table;                  /* alleles found in the table */
    struct bird_zero_shot *zero_shot; /* NULL: none; borrowed */
    struct bird_motif_scan *motifs;   /* NULL: none; borrowed */
    struct bird_change change;
    struct bird_text upper;
    struct bird_text
        warning; /* about the first REF that differs from the reference */
};
void bird_sites_free(struct bird_sites *s);

/** An allele that was submitted. */
struct bird_allele_request {
    enum bird_variant_status status;
    struct bird_request request; /* valid when status is OK or SWAPPED */
    struct bird_zero_shot_request zero_shot;
    struct bird_motif_change motif; /* when motifs are scored */
};

/** Does the record overlap a region, by its END or REF? 1, 0, or an error. */
BIRD_MUST_CHECK int bird_sites_inside(struct bird_sites *s,
                                      const struct bird_vcf_record *r);

/**
 * Compare REF with the reference, by the policy, without scoring.
 * Errors: BIRD_EFORMAT as for bird_sites_submit(); those of reading the genome
 */
BIRD_MUST_CHECK int bird_sites_check(struct bird_sites *s,
                                     const struct bird_vcf_record *r);

/**
 * Submit all alleles of a record: a (r->n_alt).
 * Errors: BIRD_EFORMAT REF differs from the reference and the policy is
 * BIRD_REF_ERROR; those of bird_effect_submit()
 */
BIRD_MUST_CHECK int bird_sites_submit(struct bird_sites *s,
                                      struct bird_allele_request *a,
                                      const struct bird_vcf_record *r);

/** Add the reference's bases around the record, as far as its windows reach, to
 *  the hash *a. Errors: those of reading the genome */
BIRD_MUST_CHECK int bird_sites_mix(struct bird_sites *s, uint64_t *a,
                                   const struct bird_vcf_record *r);

/** Fill a result from a request that was computed. */
void bird_sites_result(struct bird_allele_result *o, const struct bird_sites *s,
                       const struct bird_allele_request *a);

#endif
