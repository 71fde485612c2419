/**
 * Marks: the state of a run on variants as JSON, from which a run can be
 * resumed.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_RESUME_H
#define BIRD_VARIANT_VARIANT_RESUME_H

#include <jansson.h>

#include "dnabird/variant.h"
#include "seq/vcf_in.h"
#include "variant/context.h"
#include "variant/variant_score.h"

/** The order of the records so far, which decides whether an index can be
 * made. */
struct bird_order {
    json_t *met;      /* contigs so far */
    char *contig;     /* of the last record */
    int64_t pos;      /* of the last record */
    int64_t largest;  /* largest end of a record, bp */
    int64_t unsorted; /* number of the first record out of order; 0: none */
    uint64_t read;    /* hash of all bytes of the records */
    uint64_t bases;   /* hash of the reference's bases around them */
    int64_t block_n,
        block_bytes; /* written records and bytes of the block of a mark; 0:
                        the block is complete */
};
void bird_order_free(struct bird_order *o);
BIRD_MUST_CHECK int bird_order_put(struct bird_order *o,
                                   const struct bird_vcf_record *r);

/**
 * The identity of a run: all that the bytes of the output depend on, as
 * {"model": "...", ...}. second: that of a second, masked-language model,
 * or NULL.
 * Owner: *out is the caller's. Errors: BIRD_EIO, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_resume_identity(
    json_t **out, const bird_variant_options *o, const char *format,
    const struct bird_variant_context *context,
    const struct bird_variant_context *second,
    const struct bird_selected_scores *selected, const struct bird_vcf *v);

/** Add "dnabird.json", the SHA-256 of that file's settings without those on which no
 *  value depends: the digest of a model leaves the file out. m: NULL without a
 *  model. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_resume_settings(json_t *out, const bird_model *m);

/** Add the model's background, its dnabird.json and the selected features to the
 *  identity. Errors: BIRD_EIO, BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_resume_model(json_t *out, const struct bird_variant_context *context,
                  const struct bird_selected_scores *selected);

/** Compare the identity of an interrupted run with this one's. Errors:
 *  BIRD_EINVAL names the first difference */
BIRD_MUST_CHECK int bird_resume_check(const json_t *was, const json_t *is,
                                      const char *output);

/** Make the object of a mark: identity (kept, not copied), summary and order.
 *   */
BIRD_MUST_CHECK int bird_resume_state(json_t **out, json_t *identity,
                                      const bird_variant_summary *sum,
                                      const struct bird_order *order);

/**
 * Read a mark: summary, order (whose hashes the skipped records and bases must
 * have) and the *bytes of the output.
 * Errors: BIRD_EINVAL the run had another input or option, which is named;
 * BIRD_EFORMAT
 */
BIRD_MUST_CHECK int bird_resume_take(bird_variant_summary *sum,
                                     struct bird_order *order, int64_t *bytes,
                                     json_t *state, const json_t *identity,
                                     const char *output);

#endif
