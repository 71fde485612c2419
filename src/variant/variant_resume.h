/**
 * Where a run on variants stood at a mark, as JSON, and back.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_RESUME_H
#define BIRD_VARIANT_VARIANT_RESUME_H

#include <jansson.h>

#include "dnabird/variant.h"
#include "seq/vcf_in.h"
#include "variant/context.h"

/** The order of records so far: can an index be made? */
struct bird_order {
    json_t *met;      /* contigs that were there */
    char *contig;     /* of the last record */
    int64_t pos;      /* of the last record */
    int64_t largest;  /* end of a record, bp */
    int64_t unsorted; /* number of the first record out of order; 0: none */
    uint64_t read;    /* sum of all bytes of the records read */
    uint64_t bases;   /* sum of the reference's bases around them */
    int64_t block_n, block_bytes; /* of the block that a mark lies in, what was
                                     written; 0: it lies behind one */
};
void bird_order_free(struct bird_order *o);
BIRD_MUST_CHECK int bird_order_put(struct bird_order *o,
                                   const struct bird_vcf_record *r);

/**
 * What the output's bytes depend on (second: of the masked-language model
 * besides, or NULL), text by text: {"model": "...", ...}.
 * Owner: *out is the caller's.
 */
BIRD_MUST_CHECK int bird_resume_identity(
    json_t **out, const bird_variant_options *o, const char *format,
    const struct bird_variant_context *context,
    const struct bird_variant_context *second, const struct bird_vcf *v);

/** The background's part of it. Errors: BIRD_EIO, BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_resume_background(json_t *out, const struct bird_variant_context *context);

/** Does a run that left a mark depend on the same? Errors: BIRD_EINVAL names
 *  what differs. */
BIRD_MUST_CHECK int bird_resume_check(const json_t *was, const json_t *is,
                                      const char *output);

/** The mark's object: identity (kept, not copied), summary and order. */
BIRD_MUST_CHECK int bird_resume_state(json_t **out, json_t *identity,
                                      const bird_variant_summary *sum,
                                      const struct bird_order *order);

/**
 * Take a mark up: summary, order (its sums are what the records and bases
 * passed over must come to) and *bytes of the output.
 * Errors: BIRD_EINVAL it is of a run with other input or options, which it
 * names; BIRD_EFORMAT
 */
BIRD_MUST_CHECK int bird_resume_take(bird_variant_summary *sum,
                                     struct bird_order *order, int64_t *bytes,
                                     json_t *state, const json_t *identity,
                                     const char *output);

#endif
