/**
 * Alleles with columns of numbers and names, from a VCF or BCF (INFO fields) or
 * a tab-separated table, one allele after the other.
 *
 * The header line of a table is the first line that does not begin with "##" or
 * "# "; a "#" before its first name is ignored. The table needs columns CHROM,
 * POS, REF and ALT, in upper or lower case.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_ALLELE_TABLE_H
#define BIRD_EVAL_ALLELE_TABLE_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

struct bird_allele_table;

/** The current allele; its texts are valid until the next one. */
struct bird_allele_row {
    const char *contig, *ref, *alt; /* bases in upper case */
    int64_t pos;                    /* 0-based */
    int64_t number;                 /* line of a table, record of a VCF */
};

/**
 * Open a file and read its header.
 * Owner: *out is the caller's. Errors: BIRD_EIO; BIRD_EFORMAT neither a VCF nor
 * such a table; BIRD_EINVAL standard input or a pipe: the format is detected by a
 * first reading
 */
BIRD_MUST_CHECK int bird_allele_table_open(struct bird_allele_table **out,
                                           const char *path);
void bird_allele_table_free(struct bird_allele_table *t);

/** Detect whether the file is VCF or BCF. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_allele_table_look(int *is_vcf, const char *path);

/** Version and command in the file's header, as lines "command: ...", into
 *  out, which is cleared first. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_allele_table_about(struct bird_text *out,
                                            const struct bird_allele_table *t);

/** Name of column i, without the columns of the allele itself (also ID, QUAL
 *  ...); NULL after the last. */
const char *bird_allele_table_column(const struct bird_allele_table *t,
                                     int64_t i);

/**
 * Request a column before the first allele is read; *number identifies it
 * later. A name may have the prefix "INFO/".
 * Errors: BIRD_EINVAL no such column (the message lists the columns);
 * BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_allele_table_want(int64_t *number,
                                           struct bird_allele_table *t,
                                           const char *name);

/** The next allele: 1, 0 at the end. Errors: BIRD_EIO; BIRD_EFORMAT. */
BIRD_MUST_CHECK int bird_allele_table_next(struct bird_allele_row *out,
                                           struct bird_allele_table *t);

/** A requested column of this allele as text; "": missing. */
const char *bird_allele_table_text(const struct bird_allele_table *t,
                                   int64_t number);

/** A requested column as a number; NaN: missing ("", ".", "NA", "nan").
 *  Errors: BIRD_EFORMAT not a number, with file, line and column. */
BIRD_MUST_CHECK int bird_allele_table_number(double *out,
                                             const struct bird_allele_table *t,
                                             int64_t number);

/** "line 7" or "record 7", for messages. @return out */
enum { BIRD_ALLELE_WHERE = 40 };
const char *bird_allele_table_where(char out[BIRD_ALLELE_WHERE],
                                    const struct bird_allele_table *t);
const char *bird_allele_table_name(const struct bird_allele_table *t);

#endif
