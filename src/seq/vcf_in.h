/**
 * Variants in: VCF and BCF, plain, gzip, bgzip or standard input, one record
 * after the other, kept whole so that track/vcf.c can write it again.
 *
 * Of VCF text only the first eight columns are looked at; the line itself is
 * kept unchanged. Types of htslib stay behind void pointers, for seq and
 * track alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_VCF_IN_H
#define BIRD_SEQ_VCF_IN_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"
#include "seq/contigs.h"
#include "seq/intervals.h"

struct bird_vcf;

/** A record; start with {0}. Its memory is used again by the next reading. */
struct bird_vcf_record {
    int64_t number;     /* of the record in its file, from 1; 0: not known, as
                           an index was used */
    const char *contig; /* name as in the file */
    int64_t pos;        /* 0-based; -1 is POS 0, before the first base */
    int64_t end;        /* behind its last base, by END or REF */
    const char *id, *ref;
    int64_t n_alt; /* 0: ALT is "." */
    const char **alt;
    struct bird_text line; /* VCF: the line, without its end */
    int64_t info, info_n;  /* VCF: first byte and bytes of its INFO */
    void *hts;             /* bcf1_t; NULL for VCF before bird_vcf_parse() */
    struct bird_text cut;  /* columns 1 to 5 as words */
    int64_t cap_alt;
};

void bird_vcf_record_free(struct bird_vcf_record *r);

/**
 * Open a file or "-" and read its header.
 * Owner: *out is the caller's. Errors: BIRD_EIO; BIRD_EFORMAT neither VCF nor
 * BCF, or a header that cannot be read.
 */
BIRD_MUST_CHECK int bird_vcf_open(struct bird_vcf **out, const char *path);

/** The same from n bytes, which are copied. */
BIRD_MUST_CHECK int bird_vcf_open_memory(struct bird_vcf **out,
                                         const char *name, const void *data,
                                         int64_t n);
void bird_vcf_free(struct bird_vcf *v);

/**
 * The next record: 1, 0 at the end, or an error. Errors: BIRD_EIO;
 * BIRD_EFORMAT names file, record and what is wrong, a file cut short too.
 */
BIRD_MUST_CHECK int bird_vcf_next(struct bird_vcf *v,
                                  struct bird_vcf_record *r);

/**
 * Before the first record: read only those that overlap one of the intervals,
 * or lie between two that are near each other, where the file has an index
 * (.csi, .tbi) that can be used: each once, in the order of the file.
 *
 * Owner   in and map are used during the call alone
 * Errors  BIRD_EFORMAT the file is cut short; BIRD_ENOMEM
 *
 * @param why gets a sentence where an index is there and is not used
 * @return 1, or 0: all records will come
 */
BIRD_MUST_CHECK int bird_vcf_limit(struct bird_vcf *v, struct bird_text *why,
                                   const struct bird_intervals *in,
                                   struct bird_contig_map *map);
/** Was an index used? */
int bird_vcf_is_limited(const struct bird_vcf *v);
/** Names of contigs that the used index knows; NULL behind the last. */
const char *bird_vcf_indexed_contig(const struct bird_vcf *v, int64_t i);

/** "record 7 at chr1:100", for sentences; without the number where that is not
 *  known. @return out */
enum { BIRD_VCF_WHERE = 480 };
const char *bird_vcf_where(char out[BIRD_VCF_WHERE],
                           const struct bird_vcf_record *r);

/**
 * Make r->hts of a VCF line. Errors: BIRD_EFORMAT; BIRD_EUNSUPPORTED a contig
 * or tag that the header does not declare, which BCF cannot hold.
 */
BIRD_MUST_CHECK int bird_vcf_parse(struct bird_vcf *v,
                                   struct bird_vcf_record *r);

/**
 * Make the header fit for a VCF line that is to become BCF: FILTERs that it
 * does not declare are added. Before the header is written.
 * Errors: BIRD_EUNSUPPORTED names an INFO or FORMAT field that is not declared
 * (whose type nobody knows); fields `ignore`_... are passed over
 */
BIRD_MUST_CHECK int bird_vcf_ready_bcf(struct bird_vcf *v,
                                       const struct bird_vcf_record *r,
                                       const char *ignore);

/** Is it a regular file, which can be read twice? */
int bird_vcf_is_file(const struct bird_vcf *v);

/** Mix all bytes of a record into a: two that differ anywhere differ. */
uint64_t bird_vcf_mix(uint64_t a, const struct bird_vcf *v,
                      const struct bird_vcf_record *r);

/** The header as text, samples too, into out (cleared). Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_vcf_header_text(struct bird_text *out,
                                         const struct bird_vcf *v);

/** Path, or "standard input". */
const char *bird_vcf_name(const struct bird_vcf *v);

/** Is it BCF? */
int bird_vcf_is_bcf(const struct bird_vcf *v);

/** bcf_hdr_t *, borrowed; who adds lines to it does so before reading. */
void *bird_vcf_header(const struct bird_vcf *v);

/** Samples in the header. */
int64_t bird_vcf_samples(const struct bird_vcf *v);

/** Contigs that the header declares; name and length (0: not said) of one. */
int64_t bird_vcf_contig_count(const struct bird_vcf *v);
const char *bird_vcf_contig(const struct bird_vcf *v, int64_t i,
                            int64_t *length);

/** Declare a contig. Errors: BIRD_ENOMEM; BIRD_EINVAL htslib refuses it. */
BIRD_MUST_CHECK int bird_vcf_declare(struct bird_vcf *v, const char *name,
                                     int64_t length);

/** Bytes of the file read so far, and its size (0: not known); base pairs of
 *  the intervals where an index is used. */
void bird_vcf_progress(const struct bird_vcf *v, int64_t *done, int64_t *total);

#endif
