/**
 * Alleles with columns of numbers and names, out of a VCF or BCF (INFO fields)
 * or of a table between tabs, one allele after the other.
 *
 * A table's header line is the first that does not begin with "##" or "# ";
 * "#" in front of its first name is left off. It needs columns CHROM, POS, REF
 * and ALT, in either case.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_ALLELE_TABLE_H
#define BIRD_EVAL_ALLELE_TABLE_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

struct bird_allele_table;

/** The allele at hand; texts live until the next one. */
struct bird_allele_row {
    const char *contig, *ref, *alt; /* bases in upper case */
    int64_t pos;                    /* 0-based */
    int64_t number;                 /* line of a table, record of a VCF */
};

/**
 * Open a file and read its header.
 * Owner: *out is the caller's. Errors: BIRD_EIO; BIRD_EFORMAT neither a VCF nor
 * such a table; BIRD_EINVAL standard input, which cannot be looked into first
 */
BIRD_MUST_CHECK int bird_allele_table_open(struct bird_allele_table **out,
                                           const char *path);
void bird_allele_table_free(struct bird_allele_table *t);

/** Is the file a VCF or BCF? Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_allele_table_look(int *is_vcf, const char *path);

/** What the file says of its making, "command: ..." in lines, into out
 *  (cleared). Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_allele_table_about(struct bird_text *out,
                                            const struct bird_allele_table *t);

/** Name of column i but for those of the allele itself (also ID, QUAL ...);
 *  NULL behind the last. */
const char *bird_allele_table_column(const struct bird_allele_table *t,
                                     int64_t i);

/**
 * Before the first allele: the column is wanted, by this number. A name may
 * have "INFO/" in front.
 * Errors: BIRD_EINVAL no such column: names those that are there; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_allele_table_want(int64_t *number,
                                           struct bird_allele_table *t,
                                           const char *name);

/** The next allele: 1, 0 at the end. Errors: BIRD_EIO; BIRD_EFORMAT. */
BIRD_MUST_CHECK int bird_allele_table_next(struct bird_allele_row *out,
                                           struct bird_allele_table *t);

/** A wanted column of this allele as text; "" where it has none. */
const char *bird_allele_table_text(const struct bird_allele_table *t,
                                   int64_t number);

/** As a number; NaN for none: "", ".", "NA", "nan".
 *  Errors: BIRD_EFORMAT it is text: with file, line and column. */
BIRD_MUST_CHECK int bird_allele_table_number(double *out,
                                             const struct bird_allele_table *t,
                                             int64_t number);

/** "line 7" or "record 7", for sentences. @return out */
enum { BIRD_ALLELE_WHERE = 40 };
const char *bird_allele_table_where(char out[BIRD_ALLELE_WHERE],
                                    const struct bird_allele_table *t);
const char *bird_allele_table_name(const struct bird_allele_table *t);

#endif
