/**
 * Alleles with their scores as rows: INFO fields of VCF and BCF, tables, BED.
 * docs/formats.md describes each form.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_VARIANT_WRITE_H
#define BIRD_PREDICT_VARIANT_WRITE_H

#include "seq/vcf_in.h"
#include "track/output.h"
#include "track/vcf_out.h"
#include "variant/variant_score.h"

/** Lines of provenance: texts, NULL: left out. */
struct bird_provenance {
    const char *command, *model, *reference, *background;
};

/** What writes rows. Start with {0}; texts are borrowed for the call. */
struct bird_variant_writer {
    const struct bird_shown *shown;
    struct bird_output *stream;
    struct bird_vcf_out *vcf; /* the forms of VCF; NULL: tables */
    int format, long_rows;
    const char *kipoi; /* what stands before its columns */
    struct bird_text line;
    struct bird_text word; /* a value of several alleles, NUL between them */
    const char **words;    /* room for the alleles of a record */
    double *numbers;
    int64_t *integers, *top; /* top: (shown->top) */
    int64_t cap_words, cap_numbers, cap_integers;
};
void bird_variant_writer_free(struct bird_variant_writer *w);

/** Declare fields and write the header. put 0: it is there already. */
BIRD_MUST_CHECK int bird_variant_header(struct bird_variant_writer *w,
                                        const struct bird_provenance *p,
                                        int put);

/** Write a record with its outcomes (r->n_alt). */
BIRD_MUST_CHECK int bird_variant_write(struct bird_variant_writer *w,
                                       struct bird_vcf_record *r,
                                       const struct bird_outcome *o);

/* variant_vcf.c */
BIRD_MUST_CHECK int bird_variant_vcf_header(struct bird_variant_writer *w,
                                            const struct bird_provenance *p,
                                            int put);
BIRD_MUST_CHECK int bird_variant_vcf_write(struct bird_variant_writer *w,
                                           struct bird_vcf_record *r,
                                           const struct bird_outcome *o);

/** "feature|diff" or "feature|diff|e" of the first ones, ':' between their
 *  parts and '|' between them, appended to out. */
BIRD_MUST_CHECK int bird_variant_top(struct bird_text *out,
                                     struct bird_variant_writer *w,
                                     const struct bird_outcome *o);

#endif
