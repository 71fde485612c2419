/**
 * Tables of every single-base change of some regions: written by
 * `dnabird mutate -R`, read by `dnabird variant --table`.
 *
 * A table is `variant -O tsv` of all these changes, but that the floats which
 * other scores are made of (p_ref and p_alt, or ll_ref, ll_alt and distance)
 * have nine digits, so that scores computed of them are those of a run without
 * the table. Its line "# settings:" says, as JSON, what the numbers depend on.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_SNV_TABLE_H
#define BIRD_VARIANT_SNV_TABLE_H

#include <jansson.h>

#include "dnabird/variant.h"
#include "variant/base_run.h"
#include "variant/variant_site.h"

/** The form of the table that this version writes and reads. */
enum { BIRD_SNV_FORM = 1 };

/** How the line of settings begins. */
#define BIRD_SNV_SETTINGS "# settings: "

/** What its numbers depend on. Owner: *out is the caller's. */
BIRD_MUST_CHECK int bird_snv_settings(json_t **out,
                                      const struct bird_variant_context *s);

/**
 * Score every change of the run's regions, merged, or of a shard of them, and
 * write the table; `score` is a column beside what it is made of. The run's
 * track is not used.
 * Errors: those of bird_mutate_run()
 */
BIRD_MUST_CHECK int bird_snv_table_run(struct bird_base_run *run,
                                       bird_mutate_summary *sum,
                                       const bird_mutate_options *o, int score);

/* --- reading ------------------------------------------------------------- */

struct bird_snv_lookup;

/**
 * Open a table for a run of this context. With `summed` also the features that
 * summaries are over have to be there.
 *
 * Owner   *out is the caller's; context and shown are borrowed
 * Errors  BIRD_EINVAL it is of another model or setting, or lacks what is
 *         shown: named; those of bird_indexed_open()
 */
BIRD_MUST_CHECK int
bird_snv_lookup_open(struct bird_snv_lookup **out, const char *path,
                     struct bird_variant_context *context,
                     const struct bird_selected_scores *selected, int summed);

/** The same of a header and rows in memory; the rows are found at every place.
 *  For tests. */
BIRD_MUST_CHECK int bird_snv_lookup_open_memory(
    struct bird_snv_lookup **out, const char *name, const char *header,
    const char *rows, struct bird_variant_context *context,
    const struct bird_selected_scores *selected, int summed);
void bird_snv_lookup_free(struct bird_snv_lookup *l);

/**
 * What the table says of a change: 1, *a is filled, its places are for
 * bird_snv_lookup_values(); 0: nothing, it has to be computed.
 * Errors: BIRD_EFORMAT a row that is none, or of another reference
 */
BIRD_MUST_CHECK int bird_snv_lookup_find(struct bird_snv_lookup *l,
                                         struct bird_allele_request *a,
                                         const struct bird_change *c);

/** The numbers of an allele that was found, as of bird_allele_result_fill(); until
 *  the next find. */
void bird_snv_lookup_take(struct bird_allele_result *out,
                          const struct bird_snv_lookup *l,
                          const struct bird_request *r);

/** Places are no longer asked for. */
void bird_snv_lookup_evict(struct bird_snv_lookup *l);

#endif
