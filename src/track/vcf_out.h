/**
 * Records of seq/vcf_in.h out again, as VCF or BCF, with INFO fields added.
 *
 * A line that came as VCF and goes as VCF keeps every byte but in INFO.
 * Between VCF and BCF htslib translates. Names of fields are PREFIX_ID; what
 * was there under the prefix, in the header and in records, is taken out:
 * nobody could tell any more which run it is of.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_VCF_OUT_H
#define BIRD_TRACK_VCF_OUT_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"
#include "seq/vcf_in.h"
#include "track/output.h"

struct bird_vcf_out;

/** The usual prefix of fields, and most characters of one. */
#define BIRD_VCF_PREFIX "BIRD"
enum { BIRD_VCF_PREFIX_MOST = 32 };

/** Is it a letter, then letters and digits? Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_vcf_prefix_check(const char *prefix);

enum bird_vcf_type { BIRD_VCF_FLOAT, BIRD_VCF_INTEGER, BIRD_VCF_STRING };

/**
 * Write records of v to s, both borrowed; bcf says which form.
 * Owner: *out is the caller's. Errors: BIRD_ENOMEM, BIRD_EINVAL the prefix
 */
BIRD_MUST_CHECK int bird_vcf_out_new(struct bird_vcf_out **out,
                                     struct bird_vcf *v, struct bird_output *s,
                                     const char *prefix, int bcf,
                                     int drop_genotypes);
void bird_vcf_out_free(struct bird_vcf_out *o);

/** Declare an INFO field PREFIX_id, one value an ALT. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_vcf_out_info(struct bird_vcf_out *o, const char *id,
                                      enum bird_vcf_type type,
                                      const char *about);

/** The same of an integer, one value a record. */
BIRD_MUST_CHECK int bird_vcf_out_once(struct bird_vcf_out *o, const char *id,
                                      const char *about);

/** Declare a flag. */
BIRD_MUST_CHECK int bird_vcf_out_flag(struct bird_vcf_out *o, const char *id,
                                      const char *about);

/** Add a line "##dnabird_key=text", with a prefix that is not the usual one
 *  "##dnabird_key_PREFIX=text". */
BIRD_MUST_CHECK int bird_vcf_out_line(struct bird_vcf_out *o, const char *key,
                                      const char *text);

/** Write the header; `put` 0: it is there already (a resumed output).
 *  Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_vcf_out_header(struct bird_vcf_out *o, int put);

/** Begin a record; then its fields, in the order declared; then write it. */
BIRD_MUST_CHECK int bird_vcf_out_begin(struct bird_vcf_out *o,
                                       struct bird_vcf_record *r);

/** n values of a field; NAN is missing. All missing: the field is left out. */
BIRD_MUST_CHECK int bird_vcf_out_floats(struct bird_vcf_out *o, const char *id,
                                        const double *value, int64_t n);
/** The same; a negative number is missing. */
BIRD_MUST_CHECK int bird_vcf_out_integers(struct bird_vcf_out *o,
                                          const char *id, const int64_t *value,
                                          int64_t n);
/** The same; NULL is missing. */
BIRD_MUST_CHECK int bird_vcf_out_words(struct bird_vcf_out *o, const char *id,
                                       const char *const *value, int64_t n);
/** Set a flag. */
BIRD_MUST_CHECK int bird_vcf_out_set(struct bird_vcf_out *o, const char *id);

/** Errors: BIRD_EIO; BIRD_EUNSUPPORTED what BCF cannot hold */
BIRD_MUST_CHECK int bird_vcf_out_end(struct bird_vcf_out *o);

/** A number as VCF text has it: six significant digits. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_vcf_number(struct bird_text *out, double v);

#endif
