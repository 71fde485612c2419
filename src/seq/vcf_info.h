/**
 * INFO fields of variants, by name, as text.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_VCF_INFO_H
#define BIRD_SEQ_VCF_INFO_H

#include "seq/vcf_in.h"

/** How many values a field has. */
enum bird_info_number {
    BIRD_INFO_ANY,    /* or one */
    BIRD_INFO_ALT,    /* Number=A: one for each ALT */
    BIRD_INFO_ALLELE, /* Number=R: one for REF, too */
    BIRD_INFO_FLAG    /* none: it is there, or not */
};

/** Does the header declare this field? */
int bird_vcf_info_find(const struct bird_vcf *v, const char *id,
                       enum bird_info_number *number);

/** Field i of those that the header declares; NULL behind the last. */
const char *bird_vcf_info_name(const struct bird_vcf *v, int64_t i);

/**
 * The values of a record's field as VCF has them, between commas, into out
 * (cleared); of a flag "1".
 * Errors: BIRD_EFORMAT a record of BCF that cannot be read; BIRD_ENOMEM
 * @return 1; 0 the record does not have the field
 */
BIRD_MUST_CHECK int bird_vcf_info_value(struct bird_text *out,
                                        const struct bird_vcf *v,
                                        const struct bird_vcf_record *r,
                                        const char *id);

#endif
